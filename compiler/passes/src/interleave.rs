//! Interleaving: one call handles several groups of instances.
//!
//! Everything that differs between groups ([`varying`]) exists once a group: inputs (but shared ones), outputs, local
//! slots, values, parameters and results of functions. Everything else — shared inputs, constants, and what is computed
//! from them alone — exists once and is computed once. The copies of a straight stretch of instructions take turns,
//! `grain` instructions of a group at a time; with grain 0, a group does its whole stretch before the next one begins.
//! Calls and loops that differ between groups end a stretch: the copies of a call are one call of a function that
//! handles all groups, and those of a loop are one loop that carries the values of all groups.
//!
//! Copies stand side by side, group 0 first: slots (told apart by `SlotData::group`), parameters, results, carried
//! values. `no_opt` does not keep a function from being interleaved, because its callers are.
//!
//! **The factor** is a property of the kernel: it says how many instances a call handles. The caller of the passes
//! decides it.

mod varying;

use culet_ir::rewrite::{Builder, Copier};
use culet_ir::{Func, FuncId, Inst, LoopData, Module, Op, Region, RegionId, Slot, Type, Value};

use crate::Context;
use varying::Varying;

pub fn run(module: &mut Module, context: &Context) {
    if context.interleave < 2 {
        return;
    }
    let varying = Varying::new(module);
    let funcs = (0..module.funcs.len() as u32).map(|id| {
        let mut func = Interleaver::new(module, &varying, FuncId(id), context).finish();
        func.interleave = None;
        func
    });
    module.funcs = funcs.collect();
}

/// A walk through one function that writes all groups' copies of it.
struct Interleaver<'a> {
    module: &'a Module,
    varying: &'a Varying,
    id: FuncId,
    /// One copier for each group. A value that does not vary stands for itself in all of them.
    groups: Vec<Copier<'a>>,
    to: Builder,
    grain: usize,
}

impl<'a> Interleaver<'a> {
    fn new(module: &'a Module, varying: &'a Varying, id: FuncId, context: &Context) -> Self {
        let from = module.func(id);
        let count = context.interleave as usize;
        let mut interleaver = Interleaver {
            module,
            varying,
            id,
            groups: vec![Copier::new(from); count],
            to: Builder::like(from),
            grain: context.grain as usize,
        };
        let params = &from.region(from.body).params;
        let types: Vec<Type> = interleaver.spread(params).iter().map(|&(_, value)| from.ty(value)).collect();
        let mut func = Func::new(from.name.clone(), &types);
        (func.inline, func.no_opt) = (from.inline, from.no_opt);
        interleaver.to.region = func.body;
        interleaver.to.func = func;
        interleaver.slots();
        let new = interleaver.to.func.region(interleaver.to.region).params.clone();
        interleaver.bind(params, &new);
        interleaver
    }

    fn finish(mut self) -> Func {
        let from = self.module.func(self.id);
        self.region(from.body);
        let results = &from.region(from.body).results;
        self.to.func.region_mut(self.to.region).results = self.copies(results, |k| self.varies(results[k]));
        self.to.finish()
    }

    fn slots(&mut self) {
        let from = self.module.func(self.id);
        let old_groups = 1 + from.slots.iter().map(|slot| slot.group).max().unwrap_or(0);
        for (k, slot) in from.slots.iter().enumerate() {
            let old = Slot(k as u32);
            let varies = self.varying.slot(self.id, old);
            for group in 0..self.groups.len() {
                if varies || group == 0 {
                    let mut copy = slot.clone();
                    copy.group += group as u32 * old_groups;
                    self.to.func.add_slot(copy);
                }
                let new = Slot(self.to.func.slots.len() as u32 - 1);
                self.groups[group].set_slot(old, new);
            }
        }
    }

    fn varies(&self, value: Value) -> bool {
        self.varying.value(self.id, value)
    }

    /// Old values with the groups that they have copies for; a value that does not vary has one.
    fn spread(&self, values: &[Value]) -> Vec<(usize, Value)> {
        let groups = |value: Value| if self.varies(value) { self.groups.len() } else { 1 };
        values.iter().flat_map(|&value| (0..groups(value)).map(move |group| (group, value))).collect()
    }

    /// Binds these new values to the old ones as their copies.
    fn bind(&mut self, old: &[Value], new: &[Value]) {
        let spread = self.spread(old);
        debug_assert_eq!(spread.len(), new.len());
        for ((group, value), &new) in spread.into_iter().zip(new) {
            if self.varies(value) {
                self.groups[group].set(value, new);
            } else {
                self.groups.iter_mut().for_each(|copier| copier.set(value, new));
            }
        }
    }

    /// The new values that stand for the copies of `values`: one for each group where `like` says so, otherwise one.
    fn copies(&self, values: &[Value], like: impl Fn(usize) -> bool) -> Vec<Value> {
        let mut copies = Vec::new();
        for (k, &value) in values.iter().enumerate() {
            let groups = if like(k) { self.groups.len() } else { 1 };
            copies.extend(self.groups[..groups].iter().map(|copier| copier.value(value)));
        }
        copies
    }

    /// Writes all groups' copies of the instructions of a region.
    fn region(&mut self, region: RegionId) {
        let from = self.module.func(self.id);
        let mut stretch: Vec<Inst> = Vec::new();
        for &inst in &from.region(region).insts {
            match &from.inst(inst).op {
                Op::Loop(l) => {
                    self.stretch(&mut stretch);
                    self.loop_(inst, l);
                }
                Op::Call(callee) if self.varying.inst(self.module, self.id, inst) => {
                    self.stretch(&mut stretch);
                    self.call(inst, *callee);
                }
                _ => stretch.push(inst),
            }
        }
        self.stretch(&mut stretch);
    }

    /// Writes the copies of a straight stretch, taking turns.
    fn stretch(&mut self, stretch: &mut Vec<Inst>) {
        let mut rest: &[Inst] = stretch;
        while !rest.is_empty() {
            let (turn, later) = rest.split_at(self.turn(rest));
            for &inst in turn {
                self.first(inst);
            }
            for group in 1..self.groups.len() {
                for &inst in turn {
                    if self.varying.inst(self.module, self.id, inst) {
                        self.groups[group].keep(&mut self.to, inst);
                    }
                }
            }
            rest = later;
        }
        stretch.clear();
    }

    /// Number of instructions of the next turn: `grain` that vary, and the instructions between that do not.
    fn turn(&self, rest: &[Inst]) -> usize {
        if self.grain == 0 {
            return rest.len();
        }
        let varying = rest.iter().enumerate().filter(|&(_, &inst)| self.varying.inst(self.module, self.id, inst));
        varying.map(|(k, _)| k + 1).nth(self.grain - 1).unwrap_or(rest.len())
    }

    /// Writes an instruction for group 0, and for all groups if it does not vary.
    fn first(&mut self, inst: Inst) {
        let new = self.groups[0].keep(&mut self.to, inst);
        if !self.varying.inst(self.module, self.id, inst) {
            let from = self.module.func(self.id);
            let results = &self.to.func.inst(new).results;
            self.groups[1..].iter_mut().for_each(|copier| copier.set_all(&from.inst(inst).results, results));
        }
    }

    fn call(&mut self, inst: Inst, callee: FuncId) {
        let from = self.module.func(self.id);
        let data = from.inst(inst);
        let body = self.module.func(callee).region(self.module.func(callee).body);
        let args = self.copies(&data.args, |k| self.varying.value(callee, body.params[k]));
        let types: Vec<Type> = self.spread(&data.results).iter().map(|&(_, value)| from.ty(value)).collect();
        let new = self.to.emit(Op::Call(callee), args, &types);
        let results = self.to.func.inst(new).results.clone();
        self.bind(&data.results, &results);
    }

    fn loop_(&mut self, inst: Inst, l: &LoopData) {
        let from = self.module.func(self.id);
        let data = from.inst(inst);
        let Region { params, results: next, .. } = from.region(l.region);
        let inits = self.copies(&data.args, |k| self.varies(params[k]));
        let (new, around) = self.groups[0].begin_loop(&mut self.to, l, &inits);
        let carried = self.to.func.region(self.to.region).params.clone();
        self.bind(params, &carried);
        for copier in &mut self.groups {
            // The parameters are bound; this is for the counter.
            let bound = copier.all(params);
            copier.enter_loop(&self.to, l, &bound);
        }
        self.region(l.region);
        self.to.end_loop(around, self.copies(next, |k| self.varies(params[k])));
        let results = self.to.func.inst(new).results.clone();
        self.bind(&data.results, &results);
    }
}
