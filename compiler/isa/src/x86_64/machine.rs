//! One step: the effect of an instruction on a state.

use super::{FlagName, Instruction, State, table};
use crate::Values;
use std::fmt;

/// Memory as instructions see it. Words are little-endian: the byte at `address` is the least significant.
pub trait Memory<V: Values> {
    /// The reason why an access was refused.
    type Fault;

    /// Loads `bytes` bytes, 1 to 64. The processor demands an address that is a multiple of `alignment` (1 is no
    /// demand).
    fn load(&mut self, values: &mut V, address: &V::Word, bytes: u32, alignment: u32) -> Result<V::Word, Self::Fault>;

    /// Stores a word of `8·bytes` bits; otherwise like `load`.
    fn store(
        &mut self,
        values: &mut V,
        address: &V::Word,
        bytes: u32,
        alignment: u32,
        word: &V::Word,
    ) -> Result<(), Self::Fault>;

    /// The address that an instruction gives as a distance from itself. It is `address` if the code is where it was
    /// decoded.
    fn displaced(&mut self, values: &mut V, _: &Instruction, address: u64) -> V::Word {
        values.constant(64, address)
    }

    /// The address that a linker fills into this place of an instruction, if it does so.
    fn linked(&mut self, _: &mut V, _: &Instruction, _: Filled) -> Option<V::Word> {
        None
    }

    /// Whether one address is below another, if that is certain although neither is known.
    fn is_below(&self, _: &V, _: &V::Word, _: &V::Word) -> Option<bool> {
        None
    }

    /// Whether a word is certainly a nonzero address, although it is not known.
    fn is_nonzero(&self, _: &V, _: &V::Word) -> bool {
        false
    }

    /// The reason for refusing an access whose place or number depends on this unknown word; `None` if there is no
    /// special reason.
    fn unknown(&self, _: &V, _what: &'static str, _word: &V::Word) -> Option<Self::Fault> {
        None
    }

    /// The address of the instruction after a call. It is that instruction's address if the code is where it was
    /// decoded.
    fn return_address(&mut self, values: &mut V, call: &Instruction) -> V::Word {
        values.constant(64, call.next_address())
    }
}

/// The place in an instruction at which a linker fills in an address of 64 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filled {
    /// The displacement of an operand in memory.
    Displacement,
    /// The low bits of an immediate operand.
    Immediate,
    /// An immediate operand of 32 bits, where the linker ensures that the address has no more bits.
    WholeImmediate,
}

/// The place where execution continues.
#[derive(Debug, Clone)]
pub enum Next<W> {
    /// The next instruction in memory.
    Fallthrough,
    /// At this address.
    Jump(W),
    /// At `taken` if the one-bit condition is 1, else at the next instruction in memory.
    Branch { condition: W, taken: u64 },
    /// At `target`; `return_address` has been pushed.
    Call { target: W, return_address: u64 },
    /// At this address, which was popped.
    Return { address: W },
}

/// The reason why a step was not made. The state is then unspecified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop<F> {
    /// The table has no meaning for the instruction, or for this form of it.
    Unsupported { instruction: String, reason: &'static str },
    /// An operand in a segment whose base is not 0, which has no meaning here.
    SegmentBase { instruction: String },
    /// The instruction needs a flag that is undefined.
    UndefinedRead(FlagName),
    /// Memory refused an access.
    Fault(F),
    /// The instruction always raises an exception (`ud2`, `int3`, `hlt`).
    Trap,
}

/// The refusal of an operand in a segment whose base is not 0.
pub(crate) const SEGMENT_BASE: &str = "segments with a base have no meaning here";

impl<F: fmt::Display> fmt::Display for Stop<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Unsupported { instruction, reason } => write!(f, "`{instruction}`: {reason}"),
            Stop::SegmentBase { instruction } => {
                write!(f, "`{instruction}`: {SEGMENT_BASE}")
            }
            Stop::UndefinedRead(flag) => write!(f, "the {flag:?} flag is read and undefined"),
            Stop::Fault(fault) => fault.fmt(f),
            Stop::Trap => f.write_str("the instruction raises an exception"),
        }
    }
}

/// Executes one instruction. Returns where execution continues.
pub fn step<V: Values, M: Memory<V>>(
    values: &mut V,
    state: &mut State<V::Word>,
    memory: &mut M,
    instruction: &Instruction,
) -> Result<Next<V::Word>, Stop<M::Fault>> {
    let mut machine = Machine { values, state, memory, instruction };
    let code = instruction.decoded();
    if code.has_lock_prefix() {
        return Err(machine.unsupported("locked accesses have no meaning here"));
    }
    if matches!(code.segment_prefix(), iced_x86::Register::FS | iced_x86::Register::GS) {
        return Err(Stop::SegmentBase { instruction: instruction.to_string() });
    }
    table::execute(&mut machine)
}

/// The instruction's operands and environment, on which its meaning works.
pub(super) struct Machine<'a, V: Values, M: Memory<V>> {
    pub values: &'a mut V,
    pub state: &'a mut State<V::Word>,
    pub memory: &'a mut M,
    pub instruction: &'a Instruction,
}

pub(super) type Outcome<T, V, M> = Result<T, Stop<<M as Memory<V>>::Fault>>;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    pub fn unsupported(&self, reason: &'static str) -> Stop<M::Fault> {
        Stop::Unsupported { instruction: self.instruction.to_string(), reason }
    }

    /// The value of a word that determines the instruction's effect; an error if it is not known.
    pub fn need_known(&self, bits: u32, word: &V::Word, reason: &'static str) -> Outcome<u64, V, M> {
        self.values.known(bits, word).ok_or_else(|| self.unsupported(reason))
    }

    /// The value of a word that determines how memory is accessed; an error if it is not known.
    pub fn need_known_for_access(&self, bits: u32, word: &V::Word, reason: &'static str) -> Outcome<u64, V, M> {
        self.values.known(bits, word).ok_or_else(|| match self.memory.unknown(self.values, reason, word) {
            Some(fault) => Stop::Fault(fault),
            None => self.unsupported(reason),
        })
    }
}
