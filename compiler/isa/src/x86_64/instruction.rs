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
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecodeError::Invalid { address } => write!(f, "no instruction at {address:#x}"),
            DecodeError::Truncated { address } => write!(f, "the instruction at {address:#x} is cut off"),
        }
    }
}

impl std::error::Error for DecodeError {}

/// The instruction that `bytes`, placed at `address`, begin with.
pub fn decode(bytes: &[u8], address: u64) -> Result<Instruction, DecodeError> {
    let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
    let decoded = decoder.decode();
    match decoder.last_error() {
        iced_x86::DecoderError::None if !decoded.is_invalid() => Ok(Instruction(decoded)),
        iced_x86::DecoderError::NoMoreBytes => Err(DecodeError::Truncated { address }),
        _ => Err(DecodeError::Invalid { address }),
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
