//! Inverses in loops: an element that an iteration inverts, and that no other iteration takes part in making, is
//! inverted before the loop, for all iterations at once.
//!
//! One loop makes the elements and, for each, the product of the elements before it. Another loop goes back from the
//! inverse of all. Both are in arrays, from which the loop itself reads its inverses.

use std::collections::{HashMap, HashSet};

use culet_ir::{
    Affine, CounterId, FieldOp, Inst, LoopData, Op, Origin, RegionId, Slot, SlotData, SlotKind, Type, Value,
};

use super::Batches;

/// Maximum number of iterations whose inverses are made at once, because their arrays are on the stack.
const LONGEST: u64 = 256;

/// Arrays with one element for each iteration of a loop.
struct Arrays {
    /// The elements to invert, and then their inverses.
    elements: Slot,
    /// For each element, the product of the elements before it.
    products: Slot,
}

impl Batches<'_> {
    /// Takes inverses out of loops if each iteration's inverse is computed from nothing that other iterations make.
    /// Inner loops come first.
    pub(super) fn hoist(&mut self, region: RegionId) {
        let insts = std::mem::take(&mut self.func.regions[region.index()].insts);
        for inst in insts {
            if let Op::Loop(l) = &self.func.inst(inst).op {
                let l = (**l).clone();
                self.hoist(l.region);
                let is_counted = l.over.is_none() && l.lanes.is_none() && (2..=LONGEST).contains(&l.trip_count());
                let inside = self.func.region(l.region).insts.clone();
                for inverse in inside.into_iter().filter(|_| is_counted) {
                    if self.inverted(inverse).is_some()
                        && let Some(slice) = self.slice(&l, inverse)
                    {
                        self.take_out(region, &l, inverse, &slice);
                    }
                }
            }
            self.func.region_mut(region).insts.push(inst);
        }
    }

    /// The instructions of an iteration that the operand of an inverse needs, in order; none if other iterations make
    /// any of it.
    fn slice(&self, l: &LoopData, inverse: Inst) -> Option<Vec<Inst>> {
        let region = self.func.region(l.region);
        let place: HashMap<Inst, usize> = region.insts.iter().copied().zip(0..).collect();
        let mut written = HashSet::new();
        self.func.walk_region(l.region, &mut Vec::new(), &mut |_, data, _| {
            if let Op::Store { slot, .. } = &data.op {
                written.insert(*slot);
            }
        });
        let mut needed = HashSet::new();
        let mut open = vec![self.func.inst(inverse).args[0]];
        while let Some(value) = open.pop() {
            let maker = match self.func.value(value).origin {
                Origin::Param(around, _) if around == l.region => return None,
                Origin::Param(..) => continue,
                Origin::Result(maker, _) => maker,
            };
            if !place.contains_key(&maker) || !needed.insert(maker) {
                continue;
            }
            let data = self.func.inst(maker);
            let is_free = match &data.op {
                Op::Load { slot, .. } => !written.contains(slot),
                op => op.is_pure() && !matches!(op, Op::Call(_)),
            };
            if !is_free {
                return None;
            }
            open.extend(&data.args);
        }
        let mut needed: Vec<Inst> = needed.into_iter().collect();
        needed.sort_by_key(|inst| place[inst]);
        Some(needed)
    }

    /// Writes loops before a loop that compute the inverses of its iterations, and lets the iterations load them.
    fn take_out(&mut self, region: RegionId, l: &LoopData, inverse: Inst, slice: &[Inst]) {
        let ty = self.func.ty(self.func.result(inverse));
        let constants = self.constants(region, ty);
        let length = l.trip_count() as u32;
        let mut array = |name: &str| {
            let name = format!("{name}{}", self.func.slots.len());
            self.func.add_slot(SlotData { name, kind: SlotKind::Local, element: ty, length, group: 0 })
        };
        let arrays = Arrays { elements: array("inverses"), products: array("products") };
        let whole = self.products(region, l, (inverse, slice), &arrays, constants);
        let last = self.func.append1(region, Op::Field(FieldOp::Inv), [whole], ty);
        self.inverses(region, length, last, &arrays, constants);
        let index = iteration(l, l.counter);
        let data = self.func.inst_mut(inverse);
        data.op = Op::Load { slot: arrays.elements, index };
        data.args.clear();
    }

    /// Writes the loop that makes the elements and the products before each, and returns the product of all.
    fn products(
        &mut self,
        region: RegionId,
        l: &LoopData,
        (inverse, slice): (Inst, &[Inst]),
        arrays: &Arrays,
        constants: [Value; 2],
    ) -> Value {
        let (inst, body) = self.begin(region, l.first, l.last, constants[1]);
        let counter = self.newest_counter();
        let mut copies: HashMap<Value, Value> = HashMap::new();
        for &inst in slice {
            let mut data = self.func.inst(inst).clone();
            if let Op::Load { index, .. } = &mut data.op {
                for term in index.terms.iter_mut().filter(|term| term.0 == l.counter) {
                    term.0 = counter;
                }
                index.terms.sort_unstable_by_key(|&(counter, _)| counter);
            }
            let args: Vec<Value> = data.args.iter().map(|arg| copies.get(arg).copied().unwrap_or(*arg)).collect();
            let types: Vec<Type> = data.results.iter().map(|&result| self.func.ty(result)).collect();
            let copy = self.func.append(body, data.op, args, &types);
            copies.extend(data.results.iter().copied().zip(self.func.inst(copy).results.iter().copied()));
        }
        let operand = self.func.inst(inverse).args[0];
        let element = copies.get(&operand).copied().unwrap_or(operand);
        let product = self.func.region(body).params[0];
        let at = || iteration(l, counter);
        self.func.append(body, Op::Store { slot: arrays.elements, index: at() }, [element], &[]);
        self.func.append(body, Op::Store { slot: arrays.products, index: at() }, [product], &[]);
        let (_, factor) = self.factor(body, element, constants);
        let next = self.product(body, product, factor);
        self.func.region_mut(body).results = vec![next];
        self.func.result(inst)
    }

    /// Writes the loop from the last element to the first, which puts inverses in the elements' place.
    fn inverses(&mut self, region: RegionId, length: u32, last: Value, arrays: &Arrays, constants: [Value; 2]) {
        let ty = self.func.ty(last);
        let (_, body) = self.begin(region, i64::from(length) - 1, 0, last);
        let counter = self.newest_counter();
        let at = || Affine { constant: 0, terms: vec![(counter, 1)] };
        let inverse = self.func.region(body).params[0];
        let element = self.func.append1(body, Op::Load { slot: arrays.elements, index: at() }, [], ty);
        let before = self.func.append1(body, Op::Load { slot: arrays.products, index: at() }, [], ty);
        let (is_zero, factor) = self.factor(body, element, constants);
        let own = self.product(body, inverse, before);
        let own = self.func.append1(body, Op::Field(FieldOp::Select), [is_zero, constants[0], own], ty);
        self.func.append(body, Op::Store { slot: arrays.elements, index: at() }, [own], &[]);
        let next = self.product(body, inverse, factor);
        self.func.region_mut(body).results = vec![next];
    }

    /// A loop at the end of a region, which carries one element, and its body.
    fn begin(&mut self, region: RegionId, first: i64, last: i64, init: Value) -> (Inst, RegionId) {
        let ty = self.func.ty(init);
        let counter = self.func.add_counter();
        let body = self.func.add_region(&[ty]);
        let data = LoopData { counter, first, last, unroll: Some(false), lanes: None, over: None, region: body };
        (self.func.append(region, Op::Loop(Box::new(data)), [init], &[ty]), body)
    }

    fn newest_counter(&self) -> CounterId {
        CounterId(self.func.counters - 1)
    }
}

/// The number of an iteration, from 0 on.
fn iteration(l: &LoopData, counter: CounterId) -> Affine {
    let step = if l.first <= l.last { 1 } else { -1 };
    Affine { constant: -step * l.first, terms: vec![(counter, step)] }
}
