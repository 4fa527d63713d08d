//! The parameters and the result of a node that stands for an instruction: each is one register.

use culet_diag::Diagnostic;
use culet_diag::codes::names::E0211;
use culet_syntax::ast::Ident;

use crate::program::{Instruction, Var, VarId};

/// Widths of words that can stand side by side in a register.
const WORDS: [u32; 4] = [8, 16, 32, 64];

/// The diagnostic for a node whose parameters or result are not the registers of its instruction.
pub(crate) fn misshapen(
    node: &Ident,
    instruction: Instruction,
    vars: &[Var],
    params: &[VarId],
    returns: &[VarId],
) -> Option<Diagnostic> {
    let is_register = |&id: &VarId| {
        let Var { ty, stream, .. } = &vars[id.0 as usize];
        let is_whole = ty.bits() == u64::from(Instruction::BITS);
        is_whole && WORDS.contains(&ty.atom.bits) && ty.atom.field().is_none() && !stream
    };
    let (wanted, name) = (instruction.operands(), instruction.name());
    if params.len() == wanted && returns.len() == 1 && params.iter().chain(returns).all(is_register) {
        return None;
    }
    let parameters = if wanted == 1 { "one parameter".to_owned() } else { format!("{wanted} parameters") };
    let message = format!("`{}` has not the registers of `{name}`", node.name);
    Some(Diagnostic::error(&E0211, node.span, message).note(format!(
        "`{name}` has {parameters} and one result of 128 bits each, such as `u32x4` or `u8[16]`, the lowest lane first"
    )))
}
