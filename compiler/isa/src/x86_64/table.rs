//! The table of instructions: those in it have a meaning, all others are unsupported.
//!
//! A line has the mnemonics that share a meaning, whether their timing may depend on data, and their effect. `m` is the
//! machine; numbers are widths of lanes in bits, and if two differ, the first is that of the mask.

mod general;
mod vectors;

use super::Instruction;
use super::machine::{Machine, Memory, Next, Outcome};
use crate::Values;
use iced_x86::{CpuidFeature, Mnemonic, Register};

/// Whether the time that an instruction takes may depend on its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timing {
    /// On Intel's list "Data Operand Independent Timing Instructions" (for the mode that `IA32_UARCH_MISC_CTL.DOITM`
    /// turns on), or without data operands. The lines of the table follow transcriptions of the list in public tools.
    Independent,
    /// Not on the list, though no processor is known on which its time depends on data: moves, bitwise operations and
    /// shuffles that are named after floating point, bit counts, later relatives of listed instructions.
    Presumed,
    /// Known to depend on data on some processor: divisions, square roots, searches and comparisons of strings, `pext`
    /// and `pdep`.
    Variable,
    /// Nothing is known of its timing.
    Unlisted,
}

/// The timing class of the instruction; it is unlisted if the table lacks it.
pub fn timing(instruction: &Instruction) -> Timing {
    let mnemonic = instruction.decoded().mnemonic();
    general::timing(mnemonic).or_else(|| vectors::timing(mnemonic)).unwrap_or(Timing::Unlisted)
}

/// All mnemonics that have a meaning.
pub fn mnemonics() -> impl Iterator<Item = Mnemonic> {
    general::MNEMONICS.iter().chain(vectors::MNEMONICS).copied()
}

/// The reason why an instruction has no meaning, if the table lacks it or has it for other registers only.
pub fn unsupported(instruction: &Instruction) -> Option<&'static str> {
    let decoded = instruction.decoded();
    let uses = |wanted: fn(Register) -> bool| (0..decoded.op_count()).any(|k| wanted(decoded.op_register(k)));
    // MMX instructions share their mnemonics with vector instructions.
    if mnemonics().any(|mnemonic| mnemonic == decoded.mnemonic()) && !uses(Register::is_mm) {
        return None;
    }
    let is_x87 = decoded.cpuid_features().contains(&CpuidFeature::FPU);
    Some(match decoded.mnemonic() {
        Mnemonic::Std => "the direction flag cannot be set; it is clear, as calling conventions have it",
        Mnemonic::Emms | Mnemonic::Femms => "MMX registers are not supported",
        _ if uses(Register::is_mm) => "MMX registers are not supported",
        _ if is_x87 || uses(Register::is_st) => "x87 registers are not supported",
        _ if instruction.decoded().is_string_instruction() => "of string instructions, copies and fills are supported",
        _ => "the instruction is not supported: the table of instructions lacks it",
    })
}

pub(super) fn execute<V: Values, M: Memory<V>>(machine: &mut Machine<V, M>) -> Outcome<Next<V::Word>, V, M> {
    if let Some(next) = general::execute(machine)? {
        return Ok(next);
    }
    match vectors::execute(machine)? {
        Some(next) => Ok(next),
        None => Err(machine.unsupported("the table of instructions lacks it")),
    }
}

macro_rules! table {
    ($m:ident; straight { $($($name:ident)|+ , $timing:ident => $meaning:expr;)* }
     jumping { $($($jump:ident)|+ , $jump_timing:ident => $target:expr;)* }
     without_meaning { $($($other:ident)|+ , $other_timing:ident;)* }) => {
        pub(super) fn execute<V: Values, M: Memory<V>>($m: &mut Machine<V, M>) -> Outcome<Option<Next<V::Word>>, V, M> {
            match $m.instruction.decoded().mnemonic() {
                $($(Mnemonic::$name)|+ => $meaning?,)*
                $($(Mnemonic::$jump)|+ => return $target.map(Some),)*
                _ => return Ok(None),
            }
            Ok(Some(Next::Fallthrough))
        }

        pub(super) fn timing(mnemonic: Mnemonic) -> Option<super::Timing> {
            match mnemonic {
                $($(Mnemonic::$name)|+ => Some(super::Timing::$timing),)*
                $($(Mnemonic::$jump)|+ => Some(super::Timing::$jump_timing),)*
                $($(Mnemonic::$other)|+ => Some(super::Timing::$other_timing),)*
                _ => None,
            }
        }

        pub(super) const MNEMONICS: &[Mnemonic] =
            &[$($(Mnemonic::$name,)+)* $($(Mnemonic::$jump,)+)*];
    };
}
use table;
