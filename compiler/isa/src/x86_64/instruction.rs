//! Decoded instructions.

use iced_x86::{
    ConstantOffsets, Decoder, DecoderOptions, Formatter, InstructionInfoFactory, IntelFormatter, OpAccess, OpKind,
};
use std::fmt;
use std::ops::Range;

use super::prefixes;

/// One decoded instruction at its address. It is displayed in Intel's syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction(iced_x86::Instruction);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes are no instruction.
    Invalid { address: u64 },
    /// The bytes end within an instruction.
    Truncated { address: u64 },
    /// Intel's and AMD's processors decode the bytes differently: branches with an operand size prefix.
    Ambiguous { address: u64 },
    /// The prefixes are not such that assemblers write. For example, a REX prefix turns `pause` into `xchg`, but not
    /// for all decoders.
    Prefixes { address: u64 },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Invalid { address } => write!(f, "no instruction at {address:#x}"),
            DecodeError::Ambiguous { address } => write!(f, "processors differ on the instruction at {address:#x}"),
            DecodeError::Prefixes { address } => {
                write!(
                    f,
                    "the instruction at {address:#x} has prefixes that it does not need; what they do, no manual says"
                )
            }
            DecodeError::Truncated { address } => write!(f, "the instruction at {address:#x} is cut off"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// Decodes the instruction at the beginning of `bytes`, placed at `address`.
pub fn decode(bytes: &[u8], address: u64) -> Result<Instruction, DecodeError> {
    let decoded = decode_for(bytes, address, DecoderOptions::NONE)?;
    match decode_for(bytes, address, DecoderOptions::AMD) {
        Ok(other) if other.code() == decoded.code() && other == decoded => {}
        _ => return Err(DecodeError::Ambiguous { address }),
    }
    if prefixes::are_needed(&decoded, bytes) {
        Ok(Instruction(decoded))
    } else {
        Err(DecodeError::Prefixes { address })
    }
}

fn decode_for(bytes: &[u8], address: u64, options: u32) -> Result<iced_x86::Instruction, DecodeError> {
    let mut decoder = Decoder::with_ip(64, bytes, address, options);
    let decoded = decoder.decode();
    match decoder.last_error() {
        iced_x86::DecoderError::None if !decoded.is_invalid() => Ok(decoded),
        iced_x86::DecoderError::NoMoreBytes => Err(DecodeError::Truncated { address }),
        _ => Err(DecodeError::Invalid { address }),
    }
}

/// Wraps the result of a decoder or an assembler.
impl From<iced_x86::Instruction> for Instruction {
    fn from(decoded: iced_x86::Instruction) -> Instruction {
        Instruction(decoded)
    }
}

impl Instruction {
    pub fn address(&self) -> u64 {
        self.0.ip()
    }

    /// Length in bytes, 1 to 15.
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// The address of the next instruction in memory.
    pub fn next_address(&self) -> u64 {
        self.0.next_ip()
    }

    /// The range of its bytes that hold a distance: from the next instruction to its memory operand or its branch
    /// target. `bytes` are those from which it was decoded.
    pub fn distance(&self, bytes: &[u8]) -> Option<Range<u64>> {
        let offsets = self.offsets(bytes);
        if self.0.is_ip_rel_memory_operand() {
            return Some(range(offsets.displacement_offset(), offsets.displacement_size()));
        }
        self.near_target().map(|_| range(offsets.immediate_offset(), offsets.immediate_size()))
    }

    /// The range of its bytes that hold a sign-extended displacement of 32 bits that is no distance from an
    /// instruction.
    pub fn displacement(&self, bytes: &[u8]) -> Option<Range<u64>> {
        let offsets = self.offsets(bytes);
        let is_absolute = offsets.displacement_size() == 4 && !self.0.is_ip_rel_memory_operand();
        is_absolute.then(|| range(offsets.displacement_offset(), 4))
    }

    /// The range of its bytes that hold an immediate operand, and the number of bits to which that is sign-extended.
    pub fn immediate(&self, bytes: &[u8]) -> Option<(Range<u64>, u32)> {
        let offsets = self.offsets(bytes);
        let bits = (0..self.0.op_count()).find_map(|operand| match self.0.op_kind(operand) {
            OpKind::Immediate32 => Some(32),
            OpKind::Immediate64 | OpKind::Immediate32to64 => Some(64),
            _ => None,
        })?;
        Some((range(offsets.immediate_offset(), offsets.immediate_size()), bits))
    }

    fn offsets(&self, bytes: &[u8]) -> ConstantOffsets {
        let mut decoder = Decoder::with_ip(64, bytes, self.address(), DecoderOptions::NONE);
        let again = decoder.decode();
        decoder.get_constant_offsets(&again)
    }

    /// The target, if it is a jump, a branch or a call with a relative target.
    pub fn near_target(&self) -> Option<u64> {
        (self.0.op_count() > 0 && self.0.op0_kind() == OpKind::NearBranch64).then(|| self.0.near_branch64())
    }

    /// Whether it has an immediate operand.
    pub fn has_immediate(&self) -> bool {
        (0..self.0.op_count()).any(|operand| self.0.try_immediate(operand).is_ok())
    }

    /// Whether it may change a register or a part of it. The name is that of the full register, such as `rax`, `zmm0`
    /// or `k1`. This is for messages only: [`step`](super::step) defines the effect of instructions.
    pub fn writes(&self, register: &str) -> bool {
        let mut factory = InstructionInfoFactory::new();
        let is_write = |access| {
            use OpAccess::{CondWrite, ReadCondWrite, ReadWrite, Write};
            matches!(access, CondWrite | ReadCondWrite | ReadWrite | Write)
        };
        let all = |used: &iced_x86::UsedRegister| format!("{:?}", used.register().full_register()).to_lowercase();
        factory.info(&self.0).used_registers().iter().any(|used| is_write(used.access()) && all(used) == register)
    }

    /// The instruction in the form of `iced-x86`.
    pub fn decoded(&self) -> &iced_x86::Instruction {
        &self.0
    }
}

fn range(start: usize, length: usize) -> Range<u64> {
    start as u64..(start + length) as u64
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        IntelFormatter::new().format(&self.0, &mut text);
        f.write_str(&text)
    }
}
