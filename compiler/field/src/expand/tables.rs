//! Arrays that only hold constants: no plan changes their bounds, which are found once for all plans.

use std::collections::HashSet;

use culet_ir::{FieldOp, Func, Inst, InstData, Op, Origin, Slot, SlotKind, Value};
use num_bigint::BigInt;

use super::{SlotBounds, holds_elements, of_type, ranges};
use crate::machine::Machine;
use crate::representation::Representation;

/// The tables of a function.
pub(super) struct Tables {
    /// The stores, and the constants that are used in them only.
    parts: HashSet<Inst>,
    /// The bounds of all elements of each table.
    pub(super) bounds: SlotBounds,
}

impl Tables {
    /// Those among the function's own arrays.
    pub(super) fn of(func: &Func, representation: &dyn Representation) -> Tables {
        let mut tables = Tables { parts: HashSet::new(), bounds: SlotBounds::new() };
        let mut machine = Machine::new(representation.word_bits(), None);
        let is_table = are_tables(func);
        let mut stored: HashSet<Value> = HashSet::new();
        let mut others: HashSet<Value> = HashSet::new();
        func.walk(&mut |inst, data, _| match data.op {
            Op::Store { slot, .. } if is_table[slot.index()] => {
                tables.parts.insert(inst);
                stored.insert(data.args[0]);
                let Some(value) = constant(func, data.args[0]) else { return };
                let new = ranges(&of_type(representation, func.slot(slot).element).constant(&mut machine, &value));
                let known = tables.bounds.entry(slot.0).or_insert_with(|| new.clone());
                *known = known.iter().zip(&new).map(|(a, b)| a.hull(b)).collect();
            }
            _ => others.extend(&data.args),
        });
        others.extend(func.regions.iter().flat_map(|region| &region.results));
        tables.parts.extend(stored.difference(&others).filter_map(|&value| maker(func, value)));
        tables
    }

    pub(super) fn has(&self, inst: Inst) -> bool {
        self.parts.contains(&inst)
    }
}

/// Of each slot, whether it is an array of single elements in which constants are stored, and nothing else.
fn are_tables(func: &Func) -> Vec<bool> {
    let is_own =
        |slot: &culet_ir::SlotData| holds_elements(slot) && slot.kind == SlotKind::Local && slot.element.lanes() == 1;
    let mut are: Vec<bool> = func.slots.iter().map(is_own).collect();
    let mut refuse = |slot: Slot, data: &InstData| {
        if constant(func, data.args[0]).is_none() {
            are[slot.index()] = false;
        }
    };
    func.walk(&mut |_, data, _| {
        if let Op::Store { slot, .. } = data.op {
            refuse(slot, data);
        }
    });
    are
}

fn constant(func: &Func, value: Value) -> Option<BigInt> {
    match &func.inst(maker(func, value)?).op {
        Op::Field(FieldOp::Const(value)) => Some(BigInt::from(value.clone())),
        _ => None,
    }
}

fn maker(func: &Func, value: Value) -> Option<Inst> {
    match func.value(value).origin {
        Origin::Result(inst, _) => Some(inst),
        Origin::Param(..) => None,
    }
}
