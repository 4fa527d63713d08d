//! Arrays whose elements are read eight at once: eight elements stand side by side in memory, too, so that the words of a limb are read as one
//! register.

use culet_ir::{Func, Index, Inst, Op, Origin, Slot, SlotKind, Value};

use super::holds_elements;

/// Number of elements that stand side by side.
pub(super) const BESIDE: i64 = 8;

/// Of each slot, whether it is an array of the function's own that is read so.
pub(super) fn arrays(func: &Func) -> Vec<bool> {
    let is_own = |slot: &culet_ir::SlotData| {
        holds_elements(slot)
            && slot.kind == SlotKind::Local
            && slot.element.lanes() == 1
            && i64::from(slot.length) % BESIDE == 0
    };
    let mut are: Vec<bool> = func.slots.iter().map(is_own).collect();
    let mut are_read = vec![false; func.slots.len()];
    func.walk(&mut |_, data, _| match &data.op {
        Op::Load { slot, index } | Op::Store { slot, index } if !is_in_step(index) => are[slot.index()] = false,
        Op::Join => {
            if let Some(slot) = row(func, &data.args) {
                are_read[slot.index()] = true;
            }
        }
        _ => {}
    });
    are.into_iter().zip(are_read).map(|(is, is_read)| is && is_read).collect()
}

/// Whether an index has the same lane whatever the counters are.
fn is_in_step(index: &Index) -> bool {
    index.terms.iter().all(|(_, factor)| factor % BESIDE == 0)
}

/// The array that these elements are a row of.
fn row(func: &Func, elements: &[Value]) -> Option<Slot> {
    let read = |value: Value| match func.value(value).origin {
        Origin::Result(inst, _) => read_by(func, inst),
        Origin::Param(..) => None,
    };
    let (slot, first) = read(elements[0])?;
    let is_next = |(lane, &value): (i64, &Value)| {
        let at = Index { constant: first.constant + lane, terms: first.terms.clone() };
        read(value).is_some_and(|(of, index)| of == slot && *index == at)
    };
    let is_row = first.constant.rem_euclid(BESIDE) == 0 && (0..).zip(elements).all(is_next);
    is_row.then_some(slot)
}

fn read_by(func: &Func, inst: Inst) -> Option<(Slot, &Index)> {
    match &func.inst(inst).op {
        Op::Load { slot, index } => Some((*slot, index)),
        _ => None,
    }
}
