//! Violations: the reasons why an execution cannot go on.

use std::fmt;

use culet_isa::x86_64::Instruction;

use crate::memory::Fault;
use crate::unknown::Named;

/// An instruction that the theorem forbids, or that cannot be followed.
#[derive(Debug, Clone)]
pub struct Violation {
    pub address: u64,
    /// The instruction in Intel syntax; empty if the bytes are no instruction.
    pub instruction: String,
    pub kind: ViolationKind,
}

#[derive(Debug, Clone)]
pub enum ViolationKind {
    /// Bytes that are no instruction, or not executable.
    NoCode(String),
    /// Bytes that two decoders take for different instructions.
    Decoders(String),
    Memory(Fault),
    /// An instruction that is not known before the final link.
    Unlinked(String),
    /// A branch whose condition depends on these inputs.
    Branch(Vec<Named>),
    /// A branch that depends on secrets, with the reason why the result does not tell which way it goes.
    Told(String),
    /// A jump, call or return to an address that is not known, and the inputs it depends on.
    Target(Vec<Named>),
    /// An instruction whose time may depend on its operands, with what is known of that.
    VariableTime(&'static str),
    /// An instruction the semantics do not have, or a use of what an instruction leaves undefined.
    Unsupported(String),
    /// An operand in a segment whose base is not 0: what is said of it.
    SegmentBase(String),
    /// Another function, whose bytes are not in the image.
    External(String),
    /// More instructions than the budget.
    Endless(u64),
    /// More gates than the budget.
    TooManyGates(usize),
    /// More time than the limit.
    OutOfTime,
    /// A change of a register that the ABI preserves, or of the stack pointer.
    Clobbered(&'static str),
}

impl ViolationKind {
    /// The inputs of a condition or address that had to be known.
    pub fn unknown(&self) -> Option<&[Named]> {
        match self {
            ViolationKind::Branch(inputs)
            | ViolationKind::Target(inputs)
            | ViolationKind::Memory(Fault::Unknown { inputs, .. }) => Some(inputs),
            _ => None,
        }
    }
}

impl Violation {
    /// If control left the code, moves the violation to the instruction that did it.
    pub(crate) fn after(self, last: Option<Instruction>) -> Violation {
        match (&self.kind, last) {
            (ViolationKind::External(_) | ViolationKind::NoCode(_), Some(_)) => {
                Violation::at(last, self.address, self.kind)
            }
            _ => self,
        }
    }

    pub(crate) fn at(instruction: Option<Instruction>, address: u64, kind: ViolationKind) -> Violation {
        let address = instruction.map_or(address, |instruction| instruction.address());
        Violation { address, instruction: instruction.map(|i| i.to_string()).unwrap_or_default(), kind }
    }
}

impl From<Fault> for ViolationKind {
    fn from(fault: Fault) -> ViolationKind {
        ViolationKind::Memory(fault)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.address)?;
        if !self.instruction.is_empty() {
            write!(f, " ({})", self.instruction)?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ViolationKind::NoCode(reason) => f.write_str(reason),
            ViolationKind::Decoders(readings) => write!(f, "two decoders disagree: {readings}"),
            ViolationKind::Memory(fault) => fault.fmt(f),
            ViolationKind::Unlinked(why) => f.write_str(why),
            ViolationKind::Branch(_) => f.write_str("a branch depends on what is not known"),
            ViolationKind::Told(why) => write!(f, "a branch depends on secrets, and {why}"),
            ViolationKind::Target(_) => f.write_str("a jump, call or return goes to an address that is not known"),
            ViolationKind::VariableTime(why) => f.write_str(why),
            ViolationKind::Unsupported(what) | ViolationKind::SegmentBase(what) => f.write_str(what),
            ViolationKind::External(name) => write!(f, "`{name}` is called, which this image does not hold"),
            ViolationKind::Endless(steps) => write!(f, "more than {steps} instructions are executed"),
            ViolationKind::TooManyGates(gates) => {
                write!(f, "the budget of {gates} gates was exceeded by what is computed and by comparisons that failed")
            }
            ViolationKind::OutOfTime => f.write_str("the time for the proof is over"),
            ViolationKind::Clobbered(name) => write!(f, "{name} is not as it was before the call"),
        }
    }
}
