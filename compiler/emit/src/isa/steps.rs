//! The functions of a target's instructions, which C and `core::arch` give the same names: every name stands in the table of its target, and
//! writers know a function by what it does.

use culet_ir::Target;

use super::{neon, vsx, x86};
use crate::language::Language;

/// The functions on registers of so many bits of an architecture.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Steps {
    architecture: Architecture,
    bits: u32,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Architecture {
    X86,
    Arm,
    Power,
}

/// A prefix of the names of functions on registers of another width.
const OF_OTHERS: [(&str, u32); 3] = [("part.", 128), ("half.", 256), ("whole.", 512)];

impl Steps {
    pub const fn of_x86(bits: u32) -> Steps {
        Steps { architecture: Architecture::X86, bits }
    }

    pub const fn of_arm() -> Steps {
        Steps { architecture: Architecture::Arm, bits: 128 }
    }

    pub fn of(target: Target, bits: u32) -> Steps {
        match target {
            Target::Neon => Steps::of_arm(),
            Target::Vsx => Steps { architecture: Architecture::Power, bits },
            _ => Steps::of_x86(bits),
        }
    }

    /// The functions on registers of another width.
    pub fn on(self, bits: u32) -> Steps {
        Steps { bits, ..self }
    }

    pub fn is_x86(self) -> bool {
        matches!(self.architecture, Architecture::X86)
    }

    pub fn architecture(self) -> Architecture {
        self.architecture
    }

    pub fn bits(self) -> u32 {
        self.bits
    }

    /// The name of the function that does a step on lanes of `n` bits, if it is a single one.
    pub fn name(self, step: &str, n: u32) -> Option<String> {
        match self.architecture {
            Architecture::X86 => x86::name(step, self.bits, n),
            Architecture::Arm => neon::name(step, n),
            Architecture::Power => vsx::name(step).map(str::to_owned),
        }
    }

    /// The call of the function, with what stands between parentheses.
    pub fn call(self, step: &str, n: u32, operands: &str) -> String {
        format!("{}({operands})", self.fill(&format!("@{step}"), n))
    }

    /// A text with the names of functions for `@step`, on lanes of `n` bits, and `@step32`, on lanes of 32 bits; `@part.step` is on a
    /// register of 128 bits, `@half.step` on one of 256, and `@whole.step` on one of 512.
    pub fn fill(self, text: &str, n: u32) -> String {
        let mut pieces = text.split('@');
        let mut out = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let other = OF_OTHERS.iter().find_map(|(start, bits)| Some((*bits, piece.strip_prefix(start)?)));
            let (bits, piece) = other.unwrap_or((self.bits, piece));
            let end = piece.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(piece.len());
            let (step, rest) = piece.split_at(end);
            let of = self.on(bits);
            let without_width = step.trim_end_matches(|c: char| c.is_ascii_digit());
            let width = step[without_width.len()..].parse().unwrap_or(n);
            let name = of.name(step, n).or_else(|| of.name(without_width, width));
            out.push_str(&name.unwrap_or_else(|| format!("@{step}")));
            out.push_str(rest);
        }
        out
    }
}

/// A function's call with an immediate operand, which is its last one in C and part of its name in Rust.
pub(crate) fn with_immediate(language: Language, name: &str, operands: &str, immediate: &str) -> String {
    match language {
        Language::C => format!("{name}({operands}, {immediate})"),
        Language::Rust => format!("{name}::<{immediate}>({operands})"),
    }
}
