//! The order that slots impose on the loads and stores of a region.
//!
//! Two accesses whose indices have the same terms in the counters touch the same element exactly if their constants are
//! equal, because the counters have one value each while the region runs once. Other pairs of one slot may alias, and
//! so may anything with a loop that touches the slot. Different slots never alias.

use std::collections::HashMap;

use culet_ir::{Func, Index, Inst, Op, Slot, SlotKind};

use super::graph::Lists;
use crate::walk::{nested, regions_in};

/// One access of a node. No index means any element.
struct Access<'a> {
    slot: Slot,
    index: Option<&'a Index>,
    store: bool,
}

/// For each instruction, the instructions that must come before it.
pub(super) fn memory_order(func: &Func, insts: &[Inst]) -> Lists {
    let mut slots: HashMap<Slot, History> = HashMap::new();
    for &inst in insts {
        for access in accesses(func, inst).iter().filter(|access| access.store) {
            slots.entry(access.slot).or_default();
        }
    }
    let mut before = Lists::new();
    let mut list = Vec::new();
    for (node, &inst) in insts.iter().enumerate() {
        list.clear();
        for access in accesses(func, inst) {
            // A slot without a history is only read.
            if let Some(history) = slots.get_mut(&access.slot) {
                history.access(node as u32, &access, &mut list);
            }
        }
        list.sort_unstable();
        list.dedup();
        before.push(list.iter().copied().filter(|&other| other != node as u32));
    }
    before
}

fn accesses(func: &Func, inst: Inst) -> Vec<Access<'_>> {
    let op = &func.inst(inst).op;
    match op {
        Op::Load { slot, index } => vec![Access { slot: *slot, index: Some(index), store: false }],
        Op::Store { slot, index } => vec![Access { slot: *slot, index: Some(index), store: true }],
        _ => {
            let mut all = whole_slots(func, op);
            for region in nested(func, inst).into_iter().flat_map(|region| regions_in(func, region)) {
                all.extend(func.region(region).insts.iter().flat_map(|&inst| match func.inst(inst).op {
                    Op::Load { slot, .. } => vec![(slot, false)],
                    Op::Store { slot, .. } => vec![(slot, true)],
                    ref op => whole_slots(func, op),
                }));
            }
            all.sort_unstable();
            all.dedup();
            all.into_iter().map(|(slot, store)| Access { slot, index: None, store }).collect()
        }
    }
}

/// Slots of which an operation on a stream, or a loop over one, may read or write any element.
fn whole_slots(func: &Func, op: &Op) -> Vec<(Slot, bool)> {
    let (stream, mut slots) = match op {
        Op::Tail { stream, .. } | Op::Length { stream } => (*stream, Vec::new()),
        Op::StoreTail { slot, from, stream, .. } => (*stream, vec![(*from, false), (*slot, true)]),
        Op::Loop(l) => match l.over {
            Some(over) => (over.stream(), Vec::new()),
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    slots.push((stream, false));
    if let SlotKind::Joined(parts) = &func.slot(stream).kind {
        slots.extend(parts.iter().map(|&part| (part, false)));
    }
    slots
}

/// Accesses to a slot so far.
#[derive(Default)]
struct History {
    /// The last access that may touch any element; everything after it comes after it.
    barrier: Option<u32>,
    /// Accesses since then; all their indices have the terms of this one.
    terms: Option<Index>,
    elements: HashMap<i64, Element>,
    since: Vec<u32>,
}

#[derive(Default)]
struct Element {
    store: Option<u32>,
    loads: Vec<u32>,
}

impl History {
    fn access(&mut self, node: u32, access: &Access, before: &mut Vec<u32>) {
        let comparable =
            access.index.filter(|index| self.terms.as_ref().is_none_or(|terms| terms.terms == index.terms));
        let Some(index) = comparable else {
            before.extend(self.barrier);
            before.append(&mut self.since);
            self.elements.clear();
            self.barrier = Some(node);
            self.terms = None;
            return;
        };
        if self.terms.is_none() {
            self.terms = Some(index.clone());
        }
        before.extend(self.barrier);
        self.since.push(node);
        let element = self.elements.entry(index.constant).or_default();
        before.extend(element.store);
        if access.store {
            before.append(&mut element.loads);
            element.store = Some(node);
        } else {
            element.loads.push(node);
        }
    }
}
