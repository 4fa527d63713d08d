//! Co-simulation: compares the table with a processor, for every encoding form of every mnemonic, on random registers
//! and memory that are biased to extreme values.
//!
//! A form is an opcode with a choice of its operands: registers or memory, broadcast or not, unmasked, merging or
//! zeroing. Values that a model calls undefined are not compared. All others are: registers, masks, flags, memory, and
//! the address of the next instruction.

mod compare;
#[cfg(test)]
mod decoders;
mod forms;
mod random;

pub use compare::{Model, Refused, Report, Window, cosimulate};
pub use forms::{Form, Masking, forms};

/// Registers and memory, before an instruction or after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The general registers, in the order of their encoding.
    pub general: [u64; 16],
    pub flags: u64,
    pub masks: [u64; 8],
    pub vectors: [[u64; 8]; 32],
    /// The bytes at [`Processor::memory`].
    pub memory: Vec<u8>,
    /// Whether control went to [`Processor::landing`] rather than to the next instruction.
    pub landed: bool,
}

/// The outcome of one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Done(Box<Machine>),
    /// The processor does not know the instruction.
    Unknown,
    /// It raised another exception.
    Exception,
}

/// A processor that executes single instructions.
pub trait Processor {
    /// The address at which the instruction is placed.
    fn code(&self) -> u64;
    /// The address to which a branch may go, within 127 bytes of the instruction.
    fn landing(&self) -> u64;
    /// The address of the memory, a multiple of 64, and its size in bytes, at least 512.
    fn memory(&self) -> (u64, usize);
    /// Runs the trials and returns their outcomes in order; an error if the processor cannot be used at all.
    fn run(&mut self, trials: &[(Vec<u8>, Machine)]) -> Result<Vec<Outcome>, String>;
}

/// The extent of the comparison.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Number of trials of each form. Each has its own registers, immediates and values.
    pub trials: u32,
    pub seed: u64,
}
