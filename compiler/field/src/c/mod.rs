//! A field's arithmetic as a C module: one file of functions, one header that documents their bounds.

mod contract;
mod module;
mod nodes;
mod text;

pub use module::{Arithmetic, File, Kind};
pub use nodes::Unwritable;
pub use text::function;

/// The C types of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// Bits of a word.
    pub bits: u32,
}

impl Words {
    /// The type of a word.
    pub fn word(self) -> &'static str {
        if self.bits == 64 { "uint64_t" } else { "uint32_t" }
    }

    /// The type of two words.
    pub fn wide(self) -> &'static str {
        if self.bits == 64 { "wide" } else { "uint64_t" }
    }

    /// The type of a value of so many bits.
    pub fn of(self, bits: u32) -> &'static str {
        match bits {
            0..=8 => "uint8_t",
            9..=16 => "uint16_t",
            17..=32 => "uint32_t",
            _ => "uint64_t",
        }
    }
}
