//! The table against a processor: every encoding form of every mnemonic, on random registers and memory biased to the edges.
//!
//! A form is an opcode with a choice of its operands: registers or memory, broadcast or not, unmasked, merging or zeroing.
//! What a model calls undefined is not compared; all else is: registers, masks, flags, memory, and where control goes.

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
    /// In the order of their encoding.
    pub general: [u64; 16],
    pub flags: u64,
    pub masks: [u64; 8],
    pub vectors: [[u64; 8]; 32],
    /// What is at [`Processor::memory`].
    pub memory: Vec<u8>,
    /// Whether control went to [`Processor::landing`] rather than to the next instruction.
    pub landed: bool,
}

/// What came of one instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    Done(Box<Machine>),
    /// The processor does not know the instruction.
    Unknown,
    /// It raised another exception.
    Exception,
}

/// Something that executes single instructions.
pub trait Processor {
    /// Where the instruction is placed.
    fn code(&self) -> u64;
    /// Where a branch may go, within 127 bytes of it.
    fn landing(&self) -> u64;
    /// Where memory is, at a multiple of 64, and its bytes, at least 512.
    fn memory(&self) -> (u64, usize);
    /// The outcomes, in order; an error if the processor cannot be used at all.
    fn run(&mut self, trials: &[(Vec<u8>, Machine)]) -> Result<Vec<Outcome>, String>;
}

/// How much to try.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Trials of each form; each has registers, immediates and values of its own.
    pub trials: u32,
    pub seed: u64,
}
