//! What `culet field` takes.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::OUTPUT;
use super::values::c_name;

#[derive(Debug, Args)]
pub struct FieldArgs {
    /// The field, as in a program: 'GF(2^255 - 19)'
    #[arg(value_name = "FIELD")]
    pub field: String,

    /// Functions to write: mul, square, add, sub, opp, select, carry, inv, from_bytes, to_bytes; all without it
    #[arg(long, value_name = "OPS", value_delimiter = ',')]
    pub ops: Vec<String>,

    /// The language of the module
    #[arg(long, value_enum, default_value = "c", help_heading = OUTPUT)]
    pub language: Language,

    /// What the machine has: words of 64 bits and products of 128, words of 32 and products of 64, or eight lanes of AVX-512 with
    /// IFMA, an element in each
    #[arg(long, value_enum, default_value = "c64")]
    pub target: FieldTarget,

    /// Bits a limb (51, 25.5, 130/3), or 'mont 64' for Montgomery's form, in lanes 'mont 52'; without it, what suits the modulus
    #[arg(long, value_name = "RADIX")]
    pub radix: Option<String>,

    /// What names of functions and files begin with
    #[arg(long, alias = "stem", value_name = "NAME", default_value = "fe", value_parser = c_name, help_heading = OUTPUT)]
    pub name: String,

    /// Explain every carry on stdout: where it is, the bounds there, and what fails without it
    #[arg(long, help_heading = OUTPUT)]
    pub carries: bool,

    /// Replace files that another command made
    #[arg(long, help_heading = OUTPUT)]
    pub force: bool,

    /// The directory for the files; it is made if need be
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath, default_value = ".", help_heading = OUTPUT)]
    pub output: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FieldTarget {
    C64,
    C32,
    Avx512ifma,
}

impl FieldTarget {
    /// Bits of a word.
    pub fn bits(self) -> u32 {
        match self {
            FieldTarget::C64 | FieldTarget::Avx512ifma => 64,
            FieldTarget::C32 => 32,
        }
    }

    /// Whether lanes hold elements.
    pub fn has_lanes(self) -> bool {
        self == FieldTarget::Avx512ifma
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    C,
    /// Safe, without the standard library, and without panics
    Rust,
}
