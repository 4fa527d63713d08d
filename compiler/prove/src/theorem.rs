//! Theorems about functions: their limits, and the results of their proofs.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use culet_decide::bits::{self, Budget};
use culet_types::program::Var;

use crate::decoded::Reliance;
use crate::erasure::stack_use;
use crate::execute::{Execution, Frame, Registers};
pub use crate::rejection::Rejection;
use crate::symbolic::Symbolic;

/// Purpose of a function.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'p> {
    /// The entry on registers; its arguments are pointers to results, then to parameters.
    Sliced,
    /// Packs the bytes of a parameter into registers; its arguments are pointers to the registers, then to the bytes.
    Pack(&'p Var),
    /// Unpacks the registers of a result into bytes; its arguments are pointers to the bytes, then to the registers.
    Unpack(&'p Var),
    /// As `Pack`, with scratch memory of this many bytes as a third argument.
    PackWith(&'p Var, u64),
    UnpackWith(&'p Var, u64),
}

/// A function and what was proved about it, for use at calls.
#[derive(Clone)]
pub struct Theorem<'p> {
    pub address: u64,
    pub symbol: String,
    pub purpose: Purpose<'p>,
    pub proved: Proved,
}

/// Limits on the execution of a function and on its proof.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of stack below the return address.
    pub stack: i64,
    pub instructions: u64,
    pub budget: Budget,
    /// Whether nothing that depends on data may be left on the stack and in registers.
    pub erasure: bool,
    /// The time at which executions are given up; comparisons are not.
    pub until: Option<Instant>,
}

impl Limits {
    /// Whether the time has come.
    pub fn is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { stack: 1 << 23, instructions: 20_000_000, budget: Budget::default(), erasure: false, until: None }
    }
}

/// Result of a proof about a function.
#[derive(Debug, Clone, Default)]
pub struct Proved {
    /// Maximum number of instructions that are executed, over the alignments of the stack that are distinguished.
    pub instructions: u64,
    /// Whether `instructions` is the number of the longest part of the proof: the total depends on a length.
    pub is_in_parts: bool,
    /// Bytes of the distinct instructions that are executed.
    pub code: u64,
    /// Bytes of stack that were used.
    pub stack: u64,
    /// Bytes on the stack that depend on data and are left there.
    pub residue: u64,
    /// Whether erasure was asked for, and proved: nothing is left that depends on data and is no result.
    pub is_erased: bool,
    /// Whether the proof is about the addresses to which the image was linked; otherwise it holds wherever the image
    /// is.
    pub is_fixed: bool,
    /// Assumptions about the instructions that were executed.
    pub reliance: Reliance,
    /// Functions of the C library that are taken to do what the standard says.
    pub library: BTreeSet<String>,
    /// Registers that are as they were at the entry.
    pub unchanged: Registers,
    /// Details of a proof in which the number of blocks is an argument, or calls were replaced by what is known of
    /// them.
    pub on_bytes: Option<OnBytes>,
    /// Number of alignments of the stack pointer that had to be distinguished.
    pub phases: usize,
    /// Number of ways on which the function goes by what is public besides lengths; 0 where this is not looked at.
    pub ways: usize,
    /// Number of times that secrets may decide one branch, if that is taken for granted; 0 otherwise.
    pub turns: usize,
    /// Contents of variables of the image that are taken for granted.
    pub variables: BTreeSet<String>,
    /// Memory of each argument, for the preconditions.
    pub arguments: Vec<Argument>,
    pub statistics: bits::Statistics,
    /// Number of cases in which the algebra of fields was computed; 0 if a source is the specification.
    pub cases: u32,
    pub time: Duration,
}

/// Properties of a function from bytes to bytes.
#[derive(Debug, Clone, Default)]
pub struct OnBytes {
    /// Blocks per iteration of its loop, if it takes any number of blocks below
    /// 2^[`LENGTH_BITS`](crate::run::LENGTH_BITS).
    pub batch: Option<u64>,
    /// Results and parameters that may be the same memory.
    pub in_place: Vec<(String, String)>,
}

/// An argument: memory that a pointer goes to, or a word.
#[derive(Debug, Clone)]
pub struct Argument {
    pub name: String,
    /// Register or place on the stack in which it is passed or returned.
    pub place: String,
    /// Whether the argument is the word itself, not a pointer.
    pub is_word: bool,
    pub bytes: u64,
    pub alignment: u64,
    pub is_written: bool,
    /// Description of its layout, with what is required and promised of its contents.
    pub layout: String,
}

impl Proved {
    /// Returns the result of one execution whose results were compared and, if that is asked for, whose residue was
    /// checked.
    pub(crate) fn of<V: Symbolic>(
        values: &V,
        finished: Execution<'_, V::Word>,
        frame: &Frame,
        is_erased: bool,
    ) -> Proved {
        let (stack, residue) = stack_use(values, &finished, frame);
        Proved {
            instructions: finished.steps,
            stack,
            residue,
            is_erased,
            unchanged: finished.unchanged(),
            library: finished.library,
            phases: 1,
            ..Proved::default()
        }
    }

    /// Adds the stack, instructions and library functions that a part of an execution used.
    pub(crate) fn take_in<W>(&mut self, execution: &Execution<'_, W>, frame: &Frame) {
        let lowest = execution.memory.region(execution.stack).lowest.min(frame.phase);
        self.stack = self.stack.max((frame.phase - lowest).unsigned_abs());
        self.instructions = self.instructions.max(execution.steps);
        self.is_in_parts = true;
        self.library.extend(execution.library.iter().cloned());
    }

    /// Adds what was proved under another assumption.
    pub fn add(&mut self, other: &Proved) {
        self.stack = self.stack.max(other.stack);
        self.residue = self.residue.max(other.residue);
        self.instructions = self.instructions.max(other.instructions);
        self.statistics += other.statistics;
        self.cases += other.cases;
        self.is_in_parts |= other.is_in_parts;
        self.unchanged.intersect(&other.unchanged);
        self.reliance.add(&other.reliance);
        self.library.extend(other.library.iter().cloned());
        self.variables.extend(other.variables.iter().cloned());
    }
}
