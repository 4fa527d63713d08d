//! The number of values that are alive at once.

use culet_ir::{Func, Op, Origin, RegionId, Value};

use super::graph::captured;

/// The largest number of values that are alive at the same time anywhere in a function: defined, and needed by a later
/// instruction or by the end of their region. Values that a loop takes from outside are alive throughout the loop, and
/// values that are needed after a loop are alive during it. Constants do not count, because they can be had anywhere.
pub fn max_pressure(func: &Func) -> usize {
    let mut alive = Alive { func, is: vec![false; func.values.len()], count: 0, most: 0 };
    alive.region(func.body);
    alive.most
}

/// The values that are alive at a point that moves from the end of a function to its start.
struct Alive<'a> {
    func: &'a Func,
    is: Vec<bool>,
    count: usize,
    most: usize,
}

impl Alive<'_> {
    fn region(&mut self, region: RegionId) {
        let region = self.func.region(region);
        region.results.iter().for_each(|&value| self.begin(value));
        for &inst in region.insts.iter().rev() {
            let data = self.func.inst(inst);
            // A result that nothing needs takes a register, too, when it is computed.
            data.results.iter().for_each(|&value| self.begin(value));
            data.results.iter().for_each(|&value| self.end(value));
            if let Op::Loop(l) = &data.op {
                captured(self.func, l.region).into_iter().for_each(|value| self.begin(value));
                self.region(l.region);
            }
            data.args.iter().for_each(|&value| self.begin(value));
        }
        region.params.iter().for_each(|&value| self.begin(value));
        region.params.iter().for_each(|&value| self.end(value));
    }

    /// Going backwards, a value begins to be alive at its last use.
    fn begin(&mut self, value: Value) {
        if !self.is[value.index()] && !self.is_constant(value) {
            self.is[value.index()] = true;
            self.count += 1;
            self.most = self.most.max(self.count);
        }
    }

    fn end(&mut self, value: Value) {
        if std::mem::take(&mut self.is[value.index()]) {
            self.count -= 1;
        }
    }

    fn is_constant(&self, value: Value) -> bool {
        match self.func.value(value).origin {
            Origin::Result(inst, _) => matches!(self.func.inst(inst).op, Op::Const(_)),
            Origin::Param(..) => false,
        }
    }
}
