//! Memory of a function's own that a loop over its stream writes: no iteration, and nothing after the loop, may read
//! there what another iteration has written.

use culet_ir::{CounterId, Func, Index, Inst, Op, RegionId, Slot};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::effort::words::MAX_STEPS_OF_KEPT;

/// Whether each element that an iteration of a loop at the top of a function, or the code after the loop, reads of
/// memory that the loop writes, was written before in the same iteration, or after the loop.
pub(super) fn keeps_nothing(func: &Func, inst: Inst) -> bool {
    let Op::Loop(l) = &func.inst(inst).op else { return false };
    let mut stored = FxHashSet::default();
    func.walk_region(l.region, &mut Vec::new(), &mut |_, data, _| {
        if let Op::Store { slot, .. } = data.op {
            stored.insert(slot);
        }
    });
    let body = &func.region(func.body).insts;
    let Some(place) = body.iter().position(|&other| other == inst) else { return false };
    let new =
        || Walk { func, stored: &stored, written: FxHashSet::default(), counters: FxHashMap::default(), steps: 0 };
    stored.is_empty() || new().region(l.region) && new().insts(&body[place + 1..])
}

struct Walk<'f> {
    func: &'f Func,
    /// Memory that the loop writes.
    stored: &'f FxHashSet<Slot>,
    written: FxHashSet<(Slot, i64)>,
    /// Values of the counters of loops around, but of those over streams.
    counters: FxHashMap<CounterId, i64>,
    steps: u64,
}

impl Walk<'_> {
    fn region(&mut self, region: RegionId) -> bool {
        let func = self.func;
        self.insts(&func.region(region).insts)
    }

    /// Walks along instructions in the order of execution, through each iteration of loops.
    fn insts(&mut self, insts: &[Inst]) -> bool {
        insts.iter().all(|&inst| self.inst(inst))
    }

    fn inst(&mut self, inst: Inst) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS_OF_KEPT {
            return false;
        }
        let func = self.func;
        match &func.inst(inst).op {
            Op::Load { slot, index } if self.stored.contains(slot) => {
                self.element(index).is_some_and(|element| self.written.contains(&(*slot, element)))
            }
            Op::Store { slot, index } if self.stored.contains(slot) => {
                self.written.extend(self.element(index).map(|element| (*slot, element)));
                true
            }
            Op::StoreTail { from, .. } if self.stored.contains(from) => {
                (0..i64::from(func.slot(*from).length)).all(|element| self.written.contains(&(*from, element)))
            }
            // A loop over a stream may have no iteration.
            Op::Loop(l) if l.over.is_some() => {
                let before = self.written.clone();
                let is_right = self.region(l.region);
                self.written = before;
                is_right
            }
            Op::Loop(l) => {
                let is_right = l.values().all(|value| {
                    self.counters.insert(l.counter, value);
                    self.region(l.region)
                });
                self.counters.remove(&l.counter);
                is_right
            }
            _ => true,
        }
    }

    /// The element that an index means, unless that depends on a loop over a stream.
    fn element(&self, index: &Index) -> Option<i64> {
        let terms = index.terms.iter();
        terms
            .map(|(counter, factor)| Some(factor * self.counters.get(counter)?))
            .sum::<Option<i64>>()
            .map(|sum| index.constant + sum)
    }
}
