//! Changes of a function by passes: they copy it into a new one, and decide anew at each instruction.
//!
//! A [`Copier`] knows, for every value, slot and counter of the function it reads, the one that stands for it in the
//! function that a [`Builder`] writes. A pass is a [`Transform`]: it is shown the instructions in order. For each of
//! them, it has the copier [`keep`](Copier::keep) it, or says which values are its results instead
//! ([`set`](Copier::set)), or emits something else. Copying is linear, and leaves no holes in the arenas: the copy is
//! in the order of its text.
//!
//! ```text
//! struct NoDoubleNot;
//! impl Transform for NoDoubleNot {
//!     fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
//!         match … {
//!             a not of a not of x => copier.set(result, x),
//!             _ => copier.copy(self, to, inst),
//!         }
//!     }
//! }
//! *func = transform(func, &mut NoDoubleNot);
//! ```
//!
//! Several copiers may write to one builder: two of the same function interleave it; one of a callee inlines it, with
//! its parameters [`set`](Copier::set) to the call's operands; copying a loop's body once for each value of its
//! counter, with the counter [fixed](Copier::fix_counter), unrolls it.

use std::collections::{HashMap, HashSet};

use culet_types::program::CounterId;

use crate::func::{Func, Index, Inst, InstData, LoopData, Module, Origin, RegionId, Slot, SlotData, Value, Values};
use crate::op::{Op, Type};

/// Action of a pass at each instruction.
pub trait Transform {
    /// `inst` is the next instruction of the copier's function. Afterwards each of its results is set, unless nothing
    /// later uses it. The bodies of loops are shown only to a transform that has the copier copy them.
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst);
}

/// A transform that changes nothing.
pub struct Keep;

impl Transform for Keep {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        copier.copy(self, to, inst);
    }
}

/// A copy of the function, changed as the transform says; slots and parameters remain.
pub fn transform(func: &Func, transform: &mut impl Transform) -> Func {
    let mut to = Builder::like(func);
    to.func.insts.reserve(func.insts.len());
    to.func.values.reserve(func.values.len());
    let mut copier = Copier::new(func);
    to.share_slots(func);
    copier.body(transform, &mut to);
    to.finish()
}

/// A function under construction, and the region that grows.
#[derive(Debug)]
pub struct Builder {
    pub func: Func,
    pub region: RegionId,
    /// The names of slots, once a new one was asked for, and the last number given to each.
    slot_names: Option<HashSet<(String, u32)>>,
    last_number: HashMap<String, u32>,
}

impl Builder {
    /// A function with the name, the attributes and the parameters of another, and without slots, runs of words and instructions.
    pub fn like(func: &Func) -> Builder {
        Builder::with_params(func, &func.param_types())
    }

    /// As [`Builder::like`], with parameters of these types instead.
    pub fn with_params(func: &Func, params: &[Type]) -> Builder {
        let mut new = Func::new(func.name.clone(), params);
        (new.inline, new.no_opt, new.interleave) = (func.inline, func.no_opt, func.interleave);
        new.instruction = func.instruction;
        Builder { region: new.body, func: new, slot_names: None, last_number: HashMap::new() }
    }

    /// Gives the new function, which has no slots yet, those of another, with the same numbers.
    pub fn share_slots(&mut self, func: &Func) {
        self.func.slots.clone_from(&func.slots);
    }

    /// An instruction at the end of the region.
    pub fn emit(&mut self, op: Op, args: impl IntoIterator<Item = Value>, results: &[Type]) -> Inst {
        self.func.append(self.region, op, args, results)
    }

    /// An instruction with one result, at the end of the region.
    pub fn emit1(&mut self, op: Op, args: impl IntoIterator<Item = Value>, result: Type) -> Value {
        self.func.append1(self.region, op, args, result)
    }

    /// The instruction that defines a value; none for a parameter of a region.
    pub fn definition(&self, value: Value) -> Option<&InstData> {
        match self.func.value(value).origin {
            Origin::Result(inst, _) => Some(self.func.inst(inst)),
            Origin::Param(..) => None,
        }
    }

    /// A slot like another, under a name that is free: its own, or with a number after it.
    pub fn add_slot(&mut self, slot: &SlotData) -> Slot {
        let slots = &self.func.slots;
        let names = self.slot_names.get_or_insert_with(|| slots.iter().map(|s| (s.name.clone(), s.group)).collect());
        let mut slot = slot.clone();
        let last = self.last_number.entry(slot.name.clone()).or_insert(0);
        let base = slot.name.clone();
        while !names.insert((slot.name.clone(), slot.group)) {
            *last += 1;
            slot.name = format!("{base}_{last}");
        }
        self.func.add_slot(slot)
    }

    /// Begins a loop at the end of the region; its body is the region from now on, until [`Builder::end_loop`]. Returns
    /// the loop and the region around it.
    pub fn begin_loop(&mut self, l: &LoopData, inits: &[Value]) -> (Inst, RegionId) {
        let types: Vec<Type> = inits.iter().map(|&init| self.func.ty(init)).collect();
        let counter = self.func.add_counter();
        let region = RegionId(self.func.regions.len() as u32);
        let inst = self.emit(Op::Loop(Box::new(LoopData { counter, region, ..*l })), inits.iter().copied(), &types);
        self.func.add_region(&types);
        (inst, std::mem::replace(&mut self.region, region))
    }

    /// Ends the innermost loop with the values that its next iteration begins with.
    pub fn end_loop(&mut self, around: RegionId, next: Vec<Value>) {
        self.func.region_mut(self.region).results = next;
        self.region = around;
    }

    /// The counter of the loop that was begun last.
    pub fn newest_counter(&self) -> CounterId {
        CounterId(self.func.counters - 1)
    }

    pub fn finish(self) -> Func {
        self.func
    }
}

/// A walk through one function that copies it to another.
#[derive(Debug, Clone)]
pub struct Copier<'a> {
    pub from: &'a Func,
    values: Vec<Option<Value>>,
    slots: Vec<Slot>,
    /// What stands for each counter.
    counters: Vec<Option<Index>>,
}

impl<'a> Copier<'a> {
    /// Slots stand for themselves until [`Copier::set_slot`] says otherwise.
    pub fn new(from: &'a Func) -> Copier<'a> {
        Copier {
            from,
            values: vec![None; from.values.len()],
            slots: (0..from.slots.len() as u32).map(Slot).collect(),
            counters: vec![None; from.counters as usize],
        }
    }

    /// From now on, `new` stands for `old`.
    pub fn set(&mut self, old: Value, new: Value) {
        self.values[old.index()] = Some(new);
    }

    pub fn set_all(&mut self, old: &[Value], new: &[Value]) {
        assert_eq!(old.len(), new.len(), "as many values as there were");
        old.iter().zip(new).for_each(|(&old, &new)| self.set(old, new));
    }

    pub fn set_slot(&mut self, old: Slot, new: Slot) {
        self.slots[old.index()] = new;
    }

    /// From now on, the counter has this value.
    pub fn fix_counter(&mut self, counter: CounterId, value: i64) {
        self.place_counter(counter, Index::constant(value));
    }

    /// From now on, this number in counters of the new function stands for the counter.
    pub fn place_counter(&mut self, counter: CounterId, at: Index) {
        self.counters[counter.0 as usize] = Some(at);
    }

    /// The value that stands for an old one, which is defined above.
    pub fn value(&self, old: Value) -> Value {
        self.values[old.index()].expect("a value is defined before it is used")
    }

    pub fn all(&self, old: &[Value]) -> Values {
        old.iter().map(|&value| self.value(value)).collect()
    }

    pub fn args(&self, inst: Inst) -> Values {
        self.all(&self.from.inst(inst).args)
    }

    pub fn slot(&self, old: Slot) -> Slot {
        self.slots[old.index()]
    }

    pub fn index(&self, old: &Index) -> Index {
        let mut index = Index::constant(old.constant);
        for &(counter, factor) in &old.terms {
            let at = self.counters[counter.0 as usize].as_ref().expect("a loop around defines its counter");
            let at = at.times(factor);
            index.constant += at.constant;
            index.terms.extend(at.terms);
        }
        index.terms.sort_unstable_by_key(|&(counter, _)| counter);
        index
    }

    /// The operation with slots and index as they are in the copy; not for loops.
    pub fn op(&self, old: &Op) -> Op {
        match old {
            Op::Load { slot, index } => Op::Load { slot: self.slot(*slot), index: self.index(index) },
            Op::Store { slot, index } => Op::Store { slot: self.slot(*slot), index: self.index(index) },
            Op::Length { stream } => Op::Length { stream: self.slot(*stream) },
            Op::StoreTail { slot, from, stream, block } => Op::StoreTail {
                slot: self.slot(*slot),
                from: self.slot(*from),
                stream: self.slot(*stream),
                block: *block,
            },
            Op::Tail { stream, block, pad } => Op::Tail { stream: self.slot(*stream), block: *block, pad: *pad },
            op => op.clone(),
        }
    }

    /// As [`Builder::begin_loop`], for a loop of the function that is copied.
    pub fn begin_loop(&self, to: &mut Builder, l: &LoopData, inits: &[Value]) -> (Inst, RegionId) {
        let over = l.over.map(|over| over.with_stream(self.slot(over.stream())));
        to.begin_loop(&LoopData { over, ..*l }, inits)
    }

    /// Copies one instruction that is not a loop, and sets its results.
    pub fn keep(&mut self, to: &mut Builder, inst: Inst) -> Inst {
        let data = self.from.inst(inst);
        debug_assert!(!matches!(data.op, Op::Loop(_)), "a loop is copied with its body");
        let results: smallvec::SmallVec<[Type; 4]> = data.results.iter().map(|&v| self.from.ty(v)).collect();
        let args = self.args(inst);
        let new = to.emit(self.op(&data.op), args, &results);
        self.set_results(to, inst, new);
        new
    }

    fn set_results(&mut self, to: &Builder, old: Inst, new: Inst) {
        let from = self.from;
        self.set_all(&from.inst(old).results, &to.func.inst(new).results);
    }

    /// Copies one instruction and sets its results; the body of a loop goes through the transform.
    pub fn copy(&mut self, transform: &mut (impl Transform + ?Sized), to: &mut Builder, inst: Inst) -> Inst {
        let from = self.from;
        let Op::Loop(l) = &from.inst(inst).op else {
            return self.keep(to, inst);
        };
        let inits = self.args(inst);
        let (new, around) = self.begin_loop(to, l, &inits);
        let params = to.func.region(to.region).params.clone();
        self.enter_loop(to, l, &params);
        let next = self.region(transform, to, l.region);
        to.end_loop(around, next);
        self.set_results(to, inst, new);
        new
    }

    /// Lets the counter of the loop that the builder began last, and these parameters of its body, stand for the
    /// counter and the parameters of `l`.
    pub fn enter_loop(&mut self, to: &Builder, l: &LoopData, params: &[Value]) {
        let from = self.from;
        self.set_counter(to, l);
        self.set_all(&from.region(l.region).params, params);
    }

    /// As [`Copier::enter_loop`], for the counter alone.
    pub fn set_counter(&mut self, to: &Builder, l: &LoopData) {
        self.place_counter(l.counter, Index { constant: 0, terms: vec![(to.newest_counter(), 1)] });
    }

    /// Sends the instructions of a region through the transform; returns the values that stand for the region's
    /// results.
    pub fn region(&mut self, transform: &mut (impl Transform + ?Sized), to: &mut Builder, id: RegionId) -> Vec<Value> {
        let region = self.from.region(id);
        for &inst in &region.insts {
            transform.inst(self, to, inst);
        }
        self.all(&region.results).to_vec()
    }

    /// Copies the whole function into a builder made like it.
    pub fn body(&mut self, transform: &mut (impl Transform + ?Sized), to: &mut Builder) {
        let from = self.from;
        let params = to.func.region(to.func.body).params.clone();
        self.set_all(&from.region(from.body).params, &params);
        let results = self.region(transform, to, from.body);
        let body = to.func.body;
        to.func.region_mut(body).results = results;
    }
}

impl Func {
    /// Closes the holes in the arenas: values, instructions, regions and counters are numbered in the order of the
    /// text.
    pub fn compact(&mut self) {
        if !self.is_compact() {
            *self = transform(self, &mut Keep);
        }
    }

    fn is_compact(&self) -> bool {
        let mut next = Numbers::default();
        next.has_region(self, self.body)
            && next.insts == self.insts.len()
            && next.values == self.values.len()
            && next.regions == self.regions.len()
            && next.counters == self.counters
    }

    /// Shows every instruction in the order of the text, with the loops around it, the innermost last.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(Inst, &'a InstData, &[&'a LoopData])) {
        self.walk_region(self.body, &mut Vec::new(), visit);
    }

    /// As [`Func::walk`], for the region alone; `around` are the loops around it.
    pub fn walk_region<'a>(
        &'a self,
        region: RegionId,
        around: &mut Vec<&'a LoopData>,
        visit: &mut impl FnMut(Inst, &'a InstData, &[&'a LoopData]),
    ) {
        for &inst in &self.region(region).insts {
            let data = self.inst(inst);
            visit(inst, data, around);
            if let Op::Loop(l) = &data.op {
                around.push(l);
                self.walk_region(l.region, around, visit);
                around.pop();
            }
        }
    }

    /// Number of times that each value is an operand, or a result of a region.
    pub fn use_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.values.len()];
        let mut count = |values: &[Value]| values.iter().for_each(|value| counts[value.index()] += 1);
        count(&self.region(self.body).results);
        self.walk(&mut |_, data, _| {
            count(&data.args);
            if let Op::Loop(l) = &data.op {
                count(&self.region(l.region).results);
            }
        });
        counts
    }
}

impl Module {
    /// Makes every function [compact](Func::compact).
    pub fn compact(&mut self) {
        self.funcs.iter_mut().for_each(Func::compact);
    }
}

/// The numbers that the next parts of a compact function's text have.
#[derive(Default)]
struct Numbers {
    values: usize,
    insts: usize,
    regions: usize,
    counters: u32,
}

impl Numbers {
    fn has_region(&mut self, func: &Func, id: RegionId) -> bool {
        let region = func.region(id);
        let is_next = id.index() == self.regions;
        self.regions += 1;
        is_next
            && self.has_values(&region.params)
            && region.insts.iter().all(|&inst| {
                let data = func.inst(inst);
                let is_next = inst.index() == self.insts;
                self.insts += 1;
                is_next && self.has_values(&data.results) && self.has_loop(func, &data.op)
            })
    }

    fn has_loop(&mut self, func: &Func, op: &Op) -> bool {
        let Op::Loop(l) = op else { return true };
        let is_next = l.counter.0 == self.counters;
        self.counters += 1;
        is_next && self.has_region(func, l.region)
    }

    fn has_values(&mut self, values: &[Value]) -> bool {
        values.iter().all(|value| {
            self.values += 1;
            value.index() == self.values - 1
        })
    }
}

impl LoopData {
    /// The smallest and the largest value of the counter.
    pub fn range(&self) -> (i64, i64) {
        (self.first.min(self.last), self.first.max(self.last))
    }
}
