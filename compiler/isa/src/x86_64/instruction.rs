//! Decoded instructions.

use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};
use std::fmt;

/// One decoded instruction at its address; it displays in Intel's syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction(iced_x86::Instruction);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeError {
    /// The bytes are no instruction.
    Invalid { address: u64 },
    /// The bytes end within an instruction.
    Truncated { address: u64 },
    /// Intel's and AMD's processors take the bytes for different instructions: branches with an operand size prefix.
    Ambiguous { address: u64 },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Invalid { address } => write!(f, "no instruction at {address:#x}"),
            DecodeError::Ambiguous { address } => write!(f, "processors differ on the instruction at {address:#x}"),
            DecodeError::Truncated { address } => write!(f, "the instruction at {address:#x} is cut off"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// The instruction that `bytes`, placed at `address`, begin with.
pub fn decode(bytes: &[u8], address: u64) -> Result<Instruction, DecodeError> {
    let decoded = decode_for(bytes, address, DecoderOptions::NONE)?;
    match decode_for(bytes, address, DecoderOptions::AMD) {
        Ok(other) if other.code() == decoded.code() && other == decoded => Ok(Instruction(decoded)),
        _ => Err(DecodeError::Ambiguous { address }),
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

/// What a decoder or an assembler made of it.
impl From<iced_x86::Instruction> for Instruction {
    fn from(decoded: iced_x86::Instruction) -> Instruction {
        Instruction(decoded)
    }
}

impl Instruction {
    pub fn address(&self) -> u64 {
        self.0.ip()
    }

    /// In bytes, 1 to 15.
    pub fn length(&self) -> usize {
        self.0.len()
    }

    /// The address of the instruction that follows it in memory.
    pub fn next_address(&self) -> u64 {
        self.0.next_ip()
    }

    /// As `iced-x86` describes it.
    pub fn decoded(&self) -> &iced_x86::Instruction {
        &self.0
    }
}

impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        IntelFormatter::new().format(&self.0, &mut text);
        f.write_str(&text)
    }
}
