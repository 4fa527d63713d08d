//! Resource limits, which keep a small text from asking for hours or gigabytes.
//!
//! Exceeding a limit gives a diagnostic, before the work is done.

use culet_diag::codes::limits;
use culet_diag::{Diagnostic, Span};

/// Maximum number of atoms of one variable.
pub(crate) const VARIABLE_ATOMS: u64 = 1 << 20;
/// Maximum number of elements of a field of one variable: a table of so many takes the compiler gigabytes of memory.
pub(crate) const VARIABLE_ELEMENTS: u64 = 1 << 16;
/// Maximum number of atoms of all variables of one node instance.
pub(crate) const NODE_ATOMS: u64 = 1 << 22;
/// Maximum number of iterations of one loop.
pub(crate) const ITERATIONS: u64 = 1 << 22;
/// Maximum number of atoms that all iterations of all node instances read and write.
pub(crate) const ACCESSES: u64 = 1 << 25;
/// Maximum number of bits that become one element of a field.
pub(crate) const CONVERTED_BITS: u64 = 1 << 16;
/// Maximum size of all expressions, constants and patterns together, in elements.
pub(crate) const WORK: u64 = 1 << 24;
/// Elements of [`WORK`] that one expression takes.
pub(crate) const EXPRESSION: u64 = 16;
/// Elements of [`WORK`] that one instance of a node takes.
pub(crate) const INSTANCE: u64 = 1 << 10;
/// Maximum nesting of expressions and loops.
pub(crate) const DEPTH: u32 = 200;

/// The remaining parts of the limits that hold for a whole program.
#[derive(Debug)]
pub(crate) struct Budget {
    work: u64,
    accesses: u64,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Budget { work: WORK, accesses: ACCESSES }
    }

    /// Takes `amount` elements of [`WORK`].
    pub(crate) fn spend(&mut self, amount: u64, span: Span) -> Result<(), Box<Diagnostic>> {
        match self.work.checked_sub(amount) {
            Some(rest) => {
                self.work = rest;
                Ok(())
            }
            None => {
                self.work = 0;
                let diagnostic = Diagnostic::error(&limits::E0603, span, "the program grows too large here")
                    .note("loops that cannot stay loops are unrolled, and nodes are specialised");
                Err(Box::new(diagnostic))
            }
        }
    }

    /// The remaining elements of [`WORK`].
    pub(crate) fn left(&self) -> u64 {
        self.work
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.work == 0
    }

    /// Takes `amount` of [`ACCESSES`]; returns false if fewer are left.
    pub(crate) fn access(&mut self, amount: u64) -> bool {
        self.accesses.checked_sub(amount).inspect(|rest| self.accesses = *rest).is_some()
    }
}
