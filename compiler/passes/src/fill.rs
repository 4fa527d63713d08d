//! Arrays that a loop fills anew in each iteration with values that it does not change: they are filled before the loop. Arrays that are
//! filled alike there become one.
//!
//! A program hands an array on as a value. Where the body of a loop is given one and picks elements by a counter, the array is filled there.

use std::collections::HashSet;

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{Func, Index, Inst, LoopData, Module, Op, Origin, RegionId, Slot, SlotKind, Value};

use crate::hash::Map;
use crate::{Context, each_func};

pub fn run(module: &mut Module, _context: &Context) {
    each_func(module, |func| {
        let mut fill = Fill::of(func);
        match fill.before.is_empty() {
            true => func.clone(),
            false => transform(func, &mut fill),
        }
    });
}

/// The loads and stores of a slot.
#[derive(Default)]
struct Uses {
    /// The loops around all stores, the innermost last.
    around: Vec<RegionId>,
    stores: Vec<(Inst, i64, Value)>,
    /// Whether a store is no part of a fill, or an element is read before all are stored.
    is_other: bool,
}

/// The elements of an array by their numbers.
type Elements = Vec<(i64, Value)>;

/// Arrays that are filled before loops.
struct Fill {
    /// For the body of each loop, the arrays that are filled before.
    before: Map<RegionId, Vec<(Slot, Elements)>>,
    /// The stores that are made there.
    moved: HashSet<Inst>,
    /// The slots that are read in place of others.
    same: Map<Slot, Slot>,
}

impl Fill {
    fn of(func: &Func) -> Fill {
        let (uses, regions) = uses(func);
        let mut fill = Fill { before: Map::default(), moved: HashSet::new(), same: Map::default() };
        for (slot, uses) in (0..).map(Slot).zip(uses) {
            let written: HashSet<i64> = uses.stores.iter().map(|&(_, at, _)| at).collect();
            let is_fill = !uses.is_other && !written.is_empty() && written.len() == uses.stores.len();
            if !is_fill || func.slot(slot).kind != SlotKind::Local {
                continue;
            }
            // The number of the loops around the fill, from the outermost on, that give it values.
            let depth = |value: Value| {
                let region = match func.value(value).origin {
                    Origin::Result(inst, _) => regions.get(&inst).copied().unwrap_or(func.body),
                    Origin::Param(region, _) => region,
                };
                uses.around.iter().position(|&around| around == region).map_or(0, |at| at + 1)
            };
            let depth = uses.stores.iter().map(|&(.., value)| depth(value)).max().unwrap_or(0);
            let Some(&outermost) = uses.around.get(depth) else { continue };
            fill.moved.extend(uses.stores.iter().map(|&(inst, ..)| inst));
            let elements: Elements = uses.stores.iter().map(|&(_, at, value)| (at, value)).collect();
            let filled = fill.before.entry(outermost).or_default();
            let is_same = |(other, others): &&(Slot, Elements)| {
                let [this, other] = [slot, *other].map(|slot| func.slot(slot));
                *others == elements && (this.element, this.length) == (other.element, other.length)
            };
            match filled.iter().find(is_same) {
                Some(&(other, _)) => drop(fill.same.insert(slot, other)),
                None => filled.push((slot, elements)),
            }
        }
        fill
    }
}

/// The uses of each slot, and the regions of instructions in loops.
fn uses(func: &Func) -> (Vec<Uses>, Map<Inst, RegionId>) {
    let mut uses: Vec<Uses> = func.slots.iter().map(|_| Uses::default()).collect();
    let mut regions = Map::default();
    let mut is_read: Vec<bool> = vec![false; func.slots.len()];
    func.walk(&mut |inst, data, around: &[&LoopData]| {
        let around: Vec<RegionId> = around.iter().map(|l| l.region).collect();
        if let Some(&innermost) = around.last() {
            regions.insert(inst, innermost);
        }
        match &data.op {
            Op::Load { slot, .. } => {
                is_read[slot.index()] = true;
                let uses = &mut uses[slot.index()];
                uses.is_other |= uses.stores.is_empty() || !around.starts_with(&uses.around);
            }
            Op::Store { slot, index } => {
                let uses = &mut uses[slot.index()];
                let is_first = uses.stores.is_empty();
                uses.is_other |= is_read[slot.index()] || !index.terms.is_empty();
                uses.is_other |= around.is_empty() || !is_first && uses.around != around;
                uses.around = around;
                if !uses.is_other {
                    uses.stores.push((inst, index.constant, data.args[0]));
                }
            }
            Op::StoreTail { slot, from, .. } => {
                uses[slot.index()].is_other = true;
                uses[from.index()].is_other = true;
            }
            _ => {}
        }
    });
    (uses, regions)
}

impl Transform for Fill {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        if self.moved.contains(&inst) {
            return;
        }
        let data = copier.from.inst(inst);
        match &data.op {
            Op::Loop(l) => {
                for (slot, elements) in self.before.get(&l.region).into_iter().flatten() {
                    for &(at, value) in elements {
                        let op = Op::Store { slot: copier.slot(*slot), index: Index::constant(at) };
                        to.emit(op, [copier.value(value)], &[]);
                    }
                }
            }
            Op::Load { slot, index } if self.same.contains_key(slot) => {
                let op = Op::Load { slot: copier.slot(self.same[slot]), index: copier.index(index) };
                let result = data.results[0];
                let new = to.emit1(op, [], copier.from.ty(result));
                copier.set(result, new);
                return;
            }
            _ => {}
        }
        copier.copy(self, to, inst);
    }
}
