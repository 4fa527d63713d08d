//! Proofs that a function on words computes what a function on elements of a field means.
//!
//! The code that chose limbs and carries says which words hold which values ([`LimbMap`]), and nothing of it is
//! believed. The two functions are walked side by side. The claim at each place is: each word of the one function is a
//! word of the other, and each element is the number that its words spell, in Montgomery's form times R, where each
//! word is in its stated range. An operation on elements is an equation between integers modulo the prime (`integers`),
//! or between polynomials over GF(2) modulo one (`polynomials`). The words between the operands and the result are
//! proved to satisfy it; afterwards the result's words are unknowns in their ranges again. So each proof is small, and
//! holds for all inputs. Loads, stores and loops are the same in both functions, in the same order. The claim holds at
//! the head of a loop in every iteration if it holds at the first, and at the end of an iteration whenever it holds at
//! the beginning; the number of iterations, which both functions take from one counter or stream, plays no part.
//!
//! Nothing here knows how limbs are computed.

mod integers;
mod memory;
mod operation;
mod polynomials;
mod walk;

use std::fmt;

use culet_decide::field::Interval;
use culet_ir::{FieldKind, Func, LimbMap, Module, SlotKind, Type, Value};
use rustc_hash::FxHashMap;

use walk::Walk;

/// Summary of a comparison.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compared {
    /// Operations on elements, each proved.
    pub operations: u32,
    pub loops: u32,
    /// Number of cases that were distinguished in all of them.
    pub cases: u32,
    /// Ranges of the words that hold the result of an operation, a value that a loop carries, or an intermediate number
    /// of either. They are proved for all inputs.
    pub ranges: FxHashMap<Value, Interval>,
}

/// A claim that does not hold, or is not proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The instruction on elements.
    pub place: String,
    pub message: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for Difference {}

/// Compares the function on words `words` with the function on elements `elements`. Each is the entry of a module
/// without calls, and the latter has one field; inputs and outputs are words. If both read the same, both write the
/// same.
///
/// # Errors
///
/// The first operation whose words are not proved to be the operation's result.
pub fn compare(elements: &Module, words: &Module, limb_map: &LimbMap) -> Result<Compared, Difference> {
    let wrong = |message: String| Difference { place: format!("fn {}", elements.entry().name), message };
    for module in [elements, words] {
        culet_ir::verify(module).map_err(|errors| wrong(errors.iter().map(ToString::to_string).collect()))?;
    }
    let field = field(elements).map_err(wrong)?;
    use_slots_only(elements.entry()).and(use_slots_only(words.entry())).map_err(wrong)?;
    have_same_slots(elements.entry(), words.entry(), limb_map.positions.len()).map_err(wrong)?;
    if limb_map.is_mirrored && matches!(field, FieldKind::Prime(_)) {
        return Err(wrong("words of numbers are not read from their top downwards".to_owned()));
    }
    let walk = Walk::new(field, elements.entry(), words.entry(), limb_map);
    walk.run().map_err(|(inst, message)| {
        let data = elements.entry().inst(inst);
        let result = data.results.first().map_or_else(String::new, |result| format!("{result} = "));
        Difference { place: format!("fn {}, {result}{}", elements.entry().name, data.op.name()), message }
    })
}

/// Returns the one field of a module.
fn field(module: &Module) -> Result<&FieldKind, String> {
    match &module.fields[..] {
        [field] => Ok(&field.kind),
        fields => Err(format!("there are {} fields, not one", fields.len())),
    }
}

/// Checks that all inputs and outputs go through slots.
fn use_slots_only(func: &Func) -> Result<(), String> {
    let body = func.region(func.body);
    let is_so = body.params.is_empty() && body.results.is_empty() && !body.insts.is_empty();
    if is_so { Ok(()) } else { Err("an entry reads and writes slots, and nothing else".to_owned()) }
}

/// Checks that slots of words are the same, and that a slot of elements has room for the limbs of each element.
fn have_same_slots(from: &Func, to: &Func, limbs: usize) -> Result<(), String> {
    if from.slots.len() != to.slots.len() {
        return Err(format!("there are {} slots, not {}", to.slots.len(), from.slots.len()));
    }
    for (from, to) in from.slots.iter().zip(&to.slots) {
        let is_same = match from.element {
            Type::Field(_) => {
                let is_own = from.kind == SlotKind::Local && to.kind == SlotKind::Local;
                is_own && u64::from(to.length) == u64::from(from.length) * limbs as u64
            }
            _ => from.kind == to.kind && from.element == to.element && from.length == to.length,
        };
        if !is_same {
            return Err(format!(
                "the slot `{}` is not `{}`, or elements are no words where it comes in or goes out",
                to.name, from.name
            ));
        }
    }
    Ok(())
}
