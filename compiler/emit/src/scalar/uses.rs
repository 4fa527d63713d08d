//! Users of the values of a function.

use culet_ir::{Func, Inst, Op, RegionId, Value};
use smallvec::SmallVec;

/// Uses by the instructions that regions list.
pub(crate) struct Uses {
    users: Vec<SmallVec<[Inst; 2]>>,
    /// Whether a value is a result of a region.
    leaves: Vec<bool>,
    /// The region of each instruction.
    regions: Vec<Option<RegionId>>,
}

impl Uses {
    pub fn of(func: &Func) -> Uses {
        let mut uses = Uses {
            users: vec![SmallVec::new(); func.values.len()],
            leaves: vec![false; func.values.len()],
            regions: vec![None; func.insts.len()],
        };
        let mut regions = vec![func.body];
        while let Some(id) = regions.pop() {
            let region = func.region(id);
            for &inst in &region.insts {
                uses.regions[inst.index()] = Some(id);
                let data = func.inst(inst);
                for &arg in &data.args {
                    uses.users[arg.index()].push(inst);
                }
                if let Op::Loop(l) = &data.op {
                    regions.push(l.region);
                }
            }
            for &result in &region.results {
                uses.leaves[result.index()] = true;
            }
        }
        uses
    }

    pub fn of_value(&self, value: Value) -> &[Inst] {
        &self.users[value.index()]
    }

    pub fn is_used(&self, value: Value) -> bool {
        self.leaves[value.index()] || !self.users[value.index()].is_empty()
    }

    /// The only user of a value, if it is in the region of `beside`.
    pub fn only(&self, value: Value, beside: Inst) -> Option<Inst> {
        match self.of_value(value) {
            &[user] if !self.leaves[value.index()] && self.are_beside(user, beside) => Some(user),
            _ => None,
        }
    }

    /// Whether two instructions are in one region.
    pub fn are_beside(&self, a: Inst, b: Inst) -> bool {
        self.regions[a.index()] == self.regions[b.index()]
    }
}
