//! Memory of a function's own that a loop over its stream writes: no iteration, and nothing after the loop, may read
//! there what another iteration has written.

use culet_ir::{CounterId, Func, Index, Inst, LoopData, Op, RegionId, Slot};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::effort::words::MAX_KEPT;

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
    let new = || Walk { func, stored: &stored, written: FxHashSet::default(), ranges: FxHashMap::default() };
    let after = func.region(func.body).insts.iter().skip_while(|&&other| other != inst).skip(1);
    new().region(l.region) && new().insts(&after.copied().collect::<Vec<_>>())
}

struct Walk<'f> {
    func: &'f Func,
    /// Memory that the loop writes.
    stored: &'f FxHashSet<Slot>,
    written: FxHashSet<(Slot, i64)>,
    /// Values of the counters of loops around.
    ranges: FxHashMap<CounterId, (i64, i64)>,
}

impl Walk<'_> {
    fn region(&mut self, region: RegionId) -> bool {
        let func = self.func;
        self.insts(&func.region(region).insts)
    }

    /// Walks along instructions in the order of execution.
    fn insts(&mut self, insts: &[Inst]) -> bool {
        let func = self.func;
        insts.iter().all(|&inst| match &func.inst(inst).op {
            Op::Load { slot, index } if self.stored.contains(slot) => self
                .elements(index)
                .is_some_and(|all| all.iter().all(|&element| self.written.contains(&(*slot, element)))),
            // An element that depends on a counter is written when the loop is over.
            Op::Store { slot, index } if index.terms.is_empty() => {
                self.written.insert((*slot, index.constant));
                true
            }
            Op::StoreTail { from, .. } if self.stored.contains(from) => {
                (0..i64::from(func.slot(*from).length)).all(|element| self.written.contains(&(*from, element)))
            }
            Op::Loop(l) => self.inner(l),
            _ => true,
        })
    }

    fn inner(&mut self, l: &LoopData) -> bool {
        let before = self.written.clone();
        if l.over.is_none() {
            self.ranges.insert(l.counter, l.range());
        }
        if !self.region(l.region) {
            return false;
        }
        if l.over.is_some() {
            // Such a loop may have no iteration.
            self.written = before;
            return true;
        }
        let func = self.func;
        let mut all = Vec::new();
        for &inst in &func.region(l.region).insts {
            if let Op::Store { slot, index } = &func.inst(inst).op
                && index.terms.iter().all(|(counter, _)| *counter == l.counter)
                && let Some(elements) = self.elements(index)
            {
                all.extend(elements.into_iter().map(|element| (*slot, element)));
            }
        }
        self.written.extend(all);
        true
    }

    /// The elements that an index may mean, if they are not too many. Each is meant by some values of the counters if there
    /// is only one counter.
    fn elements(&self, index: &Index) -> Option<Vec<i64>> {
        let mut all = vec![index.constant];
        for (counter, factor) in &index.terms {
            let &(low, high) = self.ranges.get(counter)?;
            if all.len() as i64 * (high - low + 1) > MAX_KEPT {
                return None;
            }
            all = all.iter().flat_map(|start| (low..=high).map(move |value| start + factor * value)).collect();
        }
        Some(all)
    }
}
