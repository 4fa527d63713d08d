//! Copies of slots: where a slot of the function's own is only filled with the elements of another one, those are read in its place.
//!
//! A program hands an array on as a value; where its body is inlined and picks elements by a loop's counter, that value is a slot again.
//! A copy may be a part of the other slot, from some element on. Both hold the same wherever the copy is read: the other slot is not
//! stored to any more once it was copied, or an iteration does both anew, and every element of the copy is written before it is read.

use culet_ir::rewrite::{Builder, Copier, Transform, transform};
use culet_ir::{Func, Index, Inst, Module, Op, Origin, RegionId, Slot, SlotKind, Value};

use crate::hash::Map;
use crate::{Context, each_func};

pub fn run(module: &mut Module, _context: &Context) {
    each_func(module, |func| {
        let places = Places::of(func);
        let originals: Vec<Option<Original>> = (0..func.slots.len() as u32).map(|i| places.original(Slot(i))).collect();
        transform(func, &mut Alias { originals })
    });
}

/// Where the elements of a copy are: element i is element i + `from` of the slot.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Original {
    slot: Slot,
    from: i64,
}

/// A place in a function: the number of instructions before it, and the regions of the loops around it.
#[derive(Debug, Clone)]
struct Place {
    position: usize,
    around: Vec<RegionId>,
}

impl Place {
    /// Whether every iteration that reaches the other place has been here before.
    fn precedes(&self, other: &Place) -> bool {
        self.position < other.position && other.around.starts_with(&self.around)
    }
}

/// The loads and stores of each slot of a function.
struct Places<'f> {
    func: &'f Func,
    /// The position of each instruction.
    positions: Map<Inst, usize>,
    loads: Vec<Vec<Place>>,
    stores: Vec<Vec<(Place, &'f Index, Value)>>,
}

impl<'f> Places<'f> {
    fn of(func: &'f Func) -> Self {
        let slots = func.slots.len();
        let mut places =
            Places { func, positions: Map::default(), loads: vec![Vec::new(); slots], stores: vec![Vec::new(); slots] };
        func.walk(&mut |inst, data, around| {
            let position = places.positions.len();
            places.positions.insert(inst, position);
            let place = || Place { position, around: around.iter().map(|l| l.region).collect() };
            match &data.op {
                Op::Load { slot, .. } => places.loads[slot.index()].push(place()),
                Op::Store { slot, index } => places.stores[slot.index()].push((place(), index, data.args[0])),
                _ => {}
            }
        });
        places
    }

    /// The slot that another one copies, if it is a copy.
    fn original(&self, copy: Slot) -> Option<Original> {
        let data = self.func.slot(copy);
        if data.kind != SlotKind::Local {
            return None;
        }
        let stores = &self.stores[copy.index()];
        let mut original = None;
        let mut written = Vec::new();
        for (place, index, value) in stores {
            let (slot, element, position) = self.loaded(*value)?;
            let to = usize::try_from(index.constant).ok().filter(|_| index.terms.is_empty())?;
            let this = Original { slot, from: element - index.constant };
            let holds = *original.get_or_insert(this) == this
                && self.stores[slot.index()].iter().all(|(stored, ..)| stored.position < position)
                && to < data.length as usize;
            if !holds {
                return None;
            }
            written.push((place, to));
        }
        // The copy may be made again, in another loop.
        let is_whole = |load: &Place| {
            let mut is_written = vec![false; data.length as usize];
            written.iter().filter(|(place, _)| place.precedes(load)).for_each(|&(_, to)| is_written[to] = true);
            is_written.iter().all(|&is_written| is_written)
        };
        original.filter(|_| self.loads[copy.index()].iter().all(is_whole))
    }

    /// The element of a local slot that a value was loaded from, and where.
    fn loaded(&self, value: Value) -> Option<(Slot, i64, usize)> {
        let Origin::Result(inst, _) = self.func.value(value).origin else { return None };
        match &self.func.inst(inst).op {
            Op::Load { slot, index } if index.terms.is_empty() && self.func.slot(*slot).kind == SlotKind::Local => {
                Some((*slot, index.constant, self.positions[&inst]))
            }
            _ => None,
        }
    }
}

/// Reads originals in place of copies. What is stored in copies is dead then.
struct Alias {
    originals: Vec<Option<Original>>,
}

impl Transform for Alias {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        let data = copier.from.inst(inst);
        if let Op::Load { slot, index } = &data.op
            && self.originals[slot.index()].is_some()
        {
            let (mut slot, mut index) = (*slot, copier.index(index));
            // A copy may be copied again.
            while let Some(original) = self.originals[slot.index()] {
                index.constant += original.from;
                slot = original.slot;
            }
            let result = data.results[0];
            let op = Op::Load { slot: copier.slot(slot), index };
            let new = to.emit1(op, [], copier.from.ty(result));
            copier.set(result, new);
            return;
        }
        copier.copy(self, to, inst);
    }
}
