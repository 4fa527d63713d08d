//! Tables and perms: their lists are checked, and their bit order is made canonical.

use culet_diag::codes::{tables, types};
use culet_diag::{Diagnostic, Diagnostics, Span};
use culet_syntax::ast::{AttributeKind, Entries};
use num_traits::ToPrimitive;

use crate::definitions::{Declared, Definition, Definitions, Kind, SourceType, WordBits};
use crate::instances::Elaborator;
use crate::program::{Expr, ExprKind, Shape, Table, Var, VarId};
use crate::shape;

/// Maximum number of inputs of a table.
const MOST_INPUTS: u32 = 16;
/// Maximum number of outputs of a table.
const MOST_OUTPUTS: u32 = 64;

/// Checks the lists of all tables and perms, whether or not the entry reaches them.
pub(crate) fn check(definitions: &Definitions<'_>, diagnostics: &mut Diagnostics) {
    for definition in definitions.list.iter().filter(|d| !d.is_wrong()) {
        let (Some(inputs), Some(outputs)) = (atoms(&definition.params), atoms(&definition.returns)) else { continue };
        match &definition.kind {
            Kind::Table(members) => {
                for entries in members {
                    diagnostics.extend(check_table(definition, entries, inputs, outputs));
                }
            }
            Kind::Perm(members) => {
                for entries in members {
                    if let Err(found) = positions(definition, entries, inputs, outputs) {
                        diagnostics.extend(found);
                    }
                }
            }
            Kind::Node(_) => {}
        }
    }
}

/// The number of atoms, which is the same for every instance; `None` if one of the types is `nat`.
fn atoms(declared: &[Declared<'_>]) -> Option<u32> {
    declared
        .iter()
        .map(|d| match &d.ty {
            SourceType::Words(ty) => Some(ty.atoms()),
            SourceType::Nat | SourceType::Wrong => None,
        })
        .sum()
}

fn check_table(definition: &Definition<'_>, entries: &Entries, inputs: u32, outputs: u32) -> Diagnostics {
    let mut found = Diagnostics::new();
    let name = &definition.name.name;
    let count = entries.values.len();
    if inputs > MOST_INPUTS || outputs > MOST_OUTPUTS {
        let message = format!(
            "`{name}` has {inputs} input and {outputs} output atoms; the limits are {MOST_INPUTS} and {MOST_OUTPUTS}"
        );
        found.push(Diagnostic::error(&tables::E0501, definition.name.span, message));
        return found;
    }
    if count != 1 << inputs {
        found.push(wrong_size(definition, entries.span, inputs, count));
        return found;
    }
    for value in entries.values.iter().filter(|v| v.value.bits() > u64::from(outputs)).take(8) {
        let message = format!("{} does not fit in {}", value.value, shape::atoms(outputs));
        found.push(Diagnostic::error(&tables::E0502, value.span, message));
    }
    found
}

fn wrong_size(definition: &Definition<'_>, span: Span, inputs: u32, count: usize) -> Diagnostic {
    let name = &definition.name.name;
    let message = format!("`{name}` has {} and so {} values, not {count}", shape::atoms(inputs), 1u32 << inputs);
    let error = Diagnostic::error(&tables::E0501, span, message);
    if let [only] = &definition.params[..]
        && let SourceType::Words(ty) = &only.ty
        && let WordBits::Known(bits @ 2..=16) = ty.bits
        && ty.atoms() == 1
    {
        let values = 1u32 << bits;
        return error.note(format!(
            "a table with {values} values is indexed by the word, in constant time; one with 2 is a circuit for each of its bits"
        ));
    }
    error
}

/// The table of one instance, in canonical bit order.
pub(crate) fn table(
    shared: &mut Elaborator<'_, '_>,
    definition: &Definition<'_>,
    entries: &Entries,
    member: usize,
    vars: &[Var],
    params: &[VarId],
    returns: &[VarId],
) -> Option<Table> {
    let count = |ids: &[VarId]| ids.iter().map(|id| vars[id.0 as usize].ty.atoms()).sum::<u32>();
    let (inputs, outputs) = (count(params), count(returns));
    let mut all = params.iter().chain(returns).map(|id| &vars[id.0 as usize]);
    let first = all.next()?;
    if first.ty.atom.field().is_some() {
        let message = format!("`{}` is an element of a field, and a table is indexed by bits", first.name);
        shared.report(Diagnostic::error(&tables::E0505, definition.name.span, message));
        return None;
    }
    if let Some(other) = all.find(|var| var.ty.atom != first.ty.atom) {
        let message = format!("`{}` and `{}` have different atoms", first.name, other.name);
        let diagnostic = Diagnostic::error(&tables::E0505, definition.name.span, message)
            .note("all inputs and outputs of a table have the same word size and direction");
        shared.report(diagnostic);
        return None;
    }
    // Errors in the list have been reported.
    if inputs > MOST_INPUTS || outputs > MOST_OUTPUTS || entries.values.len() != 1 << inputs {
        return None;
    }
    let mut values = Vec::with_capacity(entries.values.len());
    for value in &entries.values {
        values.push(value.value.to_u64().filter(|v| outputs == 64 || v >> outputs == 0)?);
    }
    if is_lsb_first(shared, definition, entries.span, member, &values) {
        values = reversed(&values, inputs, outputs);
    }
    Some(Table { inputs, outputs, values })
}

fn is_lsb_first(
    shared: &mut Elaborator<'_, '_>,
    definition: &Definition<'_>,
    place: Span,
    member: usize,
    values: &[u64],
) -> bool {
    if definition.has(AttributeKind::LsbFirst) {
        return true;
    }
    if definition.has(AttributeKind::MsbFirst) {
        return false;
    }
    let name = &definition.name.name;
    let index = definition.is_family.then_some(member);
    let listed = shared.request.lsb_first_tables.lists(shared.request.sources, place, name, index, values);
    if listed {
        let message = format!("`{name}` is read least significant bit first, as the compatibility list says");
        let diagnostic = Diagnostic::warning(&tables::W0501, definition.name.span, message).fix(
            at_start(definition.span),
            "_lsb_first ",
            "say so in the program",
        );
        shared.report(diagnostic);
    }
    listed
}

fn at_start(span: Span) -> Span {
    Span { end: span.start, ..span }
}

/// The same function with the first atom as the most significant one instead of the least significant.
fn reversed(values: &[u64], inputs: u32, outputs: u32) -> Vec<u64> {
    let reverse = |value: u64, width: u32| if width == 0 { 0 } else { value.reverse_bits() >> (64 - width) };
    (0..values.len() as u64).map(|i| reverse(values[reverse(i, inputs) as usize], outputs)).collect()
}

/// The positions of a perm, counted from 0; an error with diagnostics if the list is wrong.
pub(crate) fn perm(
    shared: &mut Elaborator<'_, '_>,
    definition: &Definition<'_>,
    entries: &Entries,
    inputs: u32,
    outputs: u32,
) -> Option<Vec<Option<u32>>> {
    match positions(definition, entries, inputs, outputs) {
        Ok(pattern) => Some(pattern),
        Err(found) => {
            found.into_iter().for_each(|diagnostic| shared.report(diagnostic));
            None
        }
    }
}

fn positions(
    definition: &Definition<'_>,
    entries: &Entries,
    inputs: u32,
    outputs: u32,
) -> Result<Vec<Option<u32>>, Diagnostics> {
    let mut found = Diagnostics::new();
    if inputs == 1 && entries.values.iter().any(|position| position.value.to_u32() != Some(1)) {
        let message =
            format!("`{}` has 1 atom to put in order, and {} positions", definition.name.name, entries.values.len());
        let note = "a perm moves atoms, and a word is one; `b8` are the 8 bits of one, as are `u1[8]`";
        found.push(Diagnostic::error(&tables::E0504, entries.span, message).note(note));
        return Err(found);
    }
    if entries.values.len() != outputs as usize {
        let message = format!(
            "`{}` has {} and so that many positions, not {}",
            definition.name.name,
            shape::atoms(outputs).replace("atom", "output atom"),
            entries.values.len()
        );
        found.push(Diagnostic::error(&tables::E0504, entries.span, message));
    }
    let mut pattern = Vec::with_capacity(entries.values.len());
    for position in &entries.values {
        match position.value.to_u32() {
            Some(p) if (1..=inputs).contains(&p) => pattern.push(Some(p - 1)),
            _ if found.len() < 8 => {
                let message = format!(
                    "position {} does not exist: `{}` has the positions 1 to {inputs}",
                    position.value, definition.name.name
                );
                found.push(Diagnostic::error(&tables::E0503, position.span, message));
            }
            _ => {}
        }
    }
    if found.is_empty() { Ok(pattern) } else { Err(found) }
}

/// The operand's atoms in the order of the pattern. They have to be the atoms of `wanted`.
pub(crate) fn select(
    shared: &mut Elaborator<'_, '_>,
    definition: &Definition<'_>,
    operand: Expr,
    pattern: Vec<Option<u32>>,
    wanted: &Shape,
) -> Option<Expr> {
    let mut selected = Shape::default();
    match shape::uniform(&operand.shape) {
        Some(atom) => selected.push(atom, pattern.len() as u32),
        None => {
            let atoms: Vec<_> = operand.shape.atoms().collect();
            for from in pattern.iter().flatten() {
                selected.push(atoms[*from as usize], 1);
            }
        }
    }
    if let Some(mismatch) = shape::mismatch(&shared.definitions.fields, &selected, wanted, definition.name.span) {
        let code = if mismatch.code == &types::E0301 { &tables::E0504 } else { mismatch.code };
        let message = format!(
            "the outputs of `{}` do not have the atoms it puts there: {}",
            definition.name.name, mismatch.message
        );
        shared.report(Diagnostic::error(code, definition.name.span, message));
        return None;
    }
    let span = operand.span;
    Some(Expr { kind: ExprKind::Select { operand: Box::new(operand), pattern }, shape: selected, span })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reversing_bits_twice_changes_nothing() {
        let values: Vec<u64> = vec![3, 8, 15, 1, 10, 6, 5, 11, 14, 13, 4, 2, 7, 0, 9, 12];
        let there = reversed(&values, 4, 4);
        // Input 0001 has in[3] set. If in[0] counts least, this is index 8, whose entry is 14 = 1110; read backwards,
        // 0111.
        assert_eq!(there[1], 0b0111);
        assert_eq!(reversed(&there, 4, 4), values);
    }
}
