//! Order constraints between the instructions of a region, and the users of each value.

use std::collections::HashMap;

use culet_ir::{Func, Inst, Op, Origin, RegionId, Value};

use super::memory::memory_order;
use crate::walk::{nested, regions_in};

pub(super) const NONE: u32 = u32::MAX;

/// Lists of numbers, one after another in one vector.
pub(super) struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    pub fn new() -> Lists {
        Lists { starts: vec![0], items: Vec::new() }
    }

    pub fn of(&self, k: u32) -> &[u32] {
        &self.items[self.starts[k as usize] as usize..self.starts[k as usize + 1] as usize]
    }

    pub fn push(&mut self, list: impl IntoIterator<Item = u32>) {
        self.items.extend(list);
        self.starts.push(self.items.len() as u32);
    }

    /// For each of `count` items, the lists that contain it, in order.
    fn transposed(&self, count: usize) -> Lists {
        let mut starts = vec![0; count + 1];
        for &item in &self.items {
            starts[item as usize + 1] += 1;
        }
        for k in 0..count {
            starts[k + 1] += starts[k];
        }
        let mut next = starts.clone();
        let mut items = vec![0; self.items.len()];
        for list in 0..self.starts.len() as u32 - 1 {
            for &item in self.of(list) {
                items[next[item as usize] as usize] = list;
                next[item as usize] += 1;
            }
        }
        Lists { starts, items }
    }
}

/// Nodes are the instructions of a region, numbered in their present order; values are numbered as they appear.
pub(super) struct Graph {
    pub insts: Vec<Inst>,
    /// Different values that a node uses; for a loop also those that its region takes from outside.
    pub args: Lists,
    /// Values that a node defines.
    pub results: Lists,
    /// Nodes that use a value.
    pub users: Lists,
    /// Node that defines a value, [`NONE`] if it comes from outside.
    pub def: Vec<u32>,
    /// Whether a value is needed after the last instruction.
    pub live_out: Vec<bool>,
    /// Nodes that must come earlier because of memory, and the other way round.
    pub before: Lists,
    pub after: Lists,
    /// Nodes that can stand anywhere before their first use, or before the first store to the same element: constants,
    /// and loads that no store precedes.
    pub floating: Vec<bool>,
    /// Whether a node is control: everything live across it may have to leave the registers.
    pub control: Vec<bool>,
}

impl Graph {
    pub fn new(func: &Func, region: RegionId) -> Graph {
        let insts = func.region(region).insts.clone();
        let mut numbers = Numbers { of: HashMap::with_capacity(insts.len() * 2), def: Vec::new(), own: Vec::new() };
        let (mut args, mut results) = (Lists::new(), Lists::new());
        let mut list: Vec<u32> = Vec::new();
        for (node, &inst) in insts.iter().enumerate() {
            let data = func.inst(inst);
            list.clear();
            list.extend(data.args.iter().map(|&value| numbers.of(func, region, value)));
            if let Some(inner) = nested(func, inst) {
                list.extend(captured(func, inner).iter().map(|&value| numbers.of(func, region, value)));
            }
            dedup(&mut list);
            args.push(list.iter().copied());
            results.push(data.results.iter().map(|&value| numbers.define(value, node as u32)));
        }
        let mut live_out = vec![false; numbers.def.len()];
        for &value in &func.region(region).results {
            let number = numbers.of(func, region, value);
            live_out.resize(numbers.def.len(), false);
            live_out[number as usize] = true;
        }
        // Values that a loop takes from outside are needed again by its next iteration.
        if region != func.body {
            for (live, own) in live_out.iter_mut().zip(&numbers.own) {
                *live |= !own;
            }
        }
        let before = memory_order(func, &insts);
        let after = before.transposed(insts.len());
        let floating = insts.iter().enumerate().map(|(node, &inst)| match func.inst(inst).op {
            Op::Const(_) => true,
            Op::Load { .. } => before.of(node as u32).is_empty(),
            _ => false,
        });
        let floating = floating.collect();
        let control = insts.iter().map(|&inst| matches!(func.inst(inst).op, Op::Call(_) | Op::Loop(_))).collect();
        let users = args.transposed(numbers.def.len());
        Graph { insts, args, results, users, def: numbers.def, live_out, before, after, floating, control }
    }

    pub fn len(&self) -> usize {
        self.insts.len()
    }

    pub fn values(&self) -> usize {
        self.def.len()
    }

    /// Whether more values cross the region's borders, one way, than there are registers.
    pub fn is_crowded(&self, registers: usize) -> bool {
        let entering = (0..self.values() as u32).filter(|&value| self.enters(value)).count();
        let leaving = self.live_out.iter().filter(|&&live| live).count();
        entering.max(leaving) > registers
    }

    /// Whether a value comes from outside or is a parameter of the region.
    pub fn enters(&self, value: u32) -> bool {
        self.def[value as usize] == NONE
    }

    /// Nodes that must come before this one; one may appear several times.
    pub fn predecessors(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let defs = self.args.of(node).iter().map(|&value| self.def[value as usize]).filter(|&def| def != NONE);
        defs.chain(self.before.of(node).iter().copied())
    }

    /// Nodes that must come after this one, as often as it is among their predecessors.
    pub fn successors(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let users = self.results.of(node).iter().flat_map(|&value| self.users.of(value).iter().copied());
        users.chain(self.after.of(node).iter().copied())
    }

    /// Whether an order has every node once, after its predecessors.
    pub fn allows(&self, order: &[u32]) -> bool {
        let mut place = vec![NONE; self.len()];
        for (k, &node) in order.iter().enumerate() {
            place[node as usize] = k as u32;
        }
        let in_order = |&node: &u32| self.predecessors(node).all(|p| place[p as usize] < place[node as usize]);
        order.len() == self.len() && !place.contains(&NONE) && order.iter().all(in_order)
    }
}

/// Numbers of values.
struct Numbers {
    of: HashMap<Value, u32>,
    def: Vec<u32>,
    /// Whether the region itself defines the value, as a parameter or as a result.
    own: Vec<bool>,
}

impl Numbers {
    fn of(&mut self, func: &Func, region: RegionId, value: Value) -> u32 {
        let next = self.def.len() as u32;
        let number = *self.of.entry(value).or_insert(next);
        if number == next {
            self.def.push(NONE);
            self.own.push(matches!(func.value(value).origin, Origin::Param(owner, _) if owner == region));
        }
        number
    }

    fn define(&mut self, value: Value, node: u32) -> u32 {
        let number = self.def.len() as u32;
        self.of.insert(value, number);
        self.def.push(node);
        self.own.push(true);
        number
    }
}

fn dedup(list: &mut Vec<u32>) {
    if list.len() > 8 {
        list.sort_unstable();
        list.dedup();
        return;
    }
    let mut kept = 0;
    for k in 0..list.len() {
        if !list[..kept].contains(&list[k]) {
            list[kept] = list[k];
            kept += 1;
        }
    }
    list.truncate(kept);
}

/// The values that a region, with those inside it, takes from outside.
pub(super) fn captured(func: &Func, region: RegionId) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut defined: Vec<Value> = Vec::new();
    for region in regions_in(func, region) {
        let region = func.region(region);
        defined.extend(&region.params);
        found.extend(&region.results);
        for &inst in &region.insts {
            found.extend(&func.inst(inst).args);
            defined.extend(&func.inst(inst).results);
        }
    }
    found.sort_unstable();
    found.dedup();
    defined.sort_unstable();
    found.retain(|value| defined.binary_search(value).is_err());
    found
}
