//! Dead code: code that no result needs is removed.
//!
//! An instruction stays if an output, a function's result or another instruction that stays needs it; that includes
//! stores to local slots that something loads. In a loop, only the carried values that are needed stay. Slots that
//! nothing touches go away, but never the entry's inputs and outputs: they are the kernel's signature. Functions that
//! nothing calls go away, and so do parameters that a function does not use and results that no caller uses. These
//! parameters and results also go away in calls from functions that are not optimised, which would not be well formed
//! otherwise.

use culet_ir::rewrite::{Builder, Copier, Transform};
use culet_ir::{Func, FuncId, Inst, LoopData, Module, Op, Origin, RegionId, Slot, SlotKind, Type, Value};

use crate::{Context, union};

pub fn run(module: &mut Module, _context: &Context) {
    let signatures = signatures(module, &[module.entry]);
    sweep_all(module, &signatures);
}

/// Removes what no result of several modules needs. A function that several of them have keeps the results that one of them needs, so that it
/// stays the same function.
pub fn run_together(modules: &mut [Module], context: &Context) {
    let Some(union) = union::of(modules) else {
        modules.iter_mut().for_each(|module| run(module, context));
        return;
    };
    let together = signatures(&union.module, &union.entries);
    for (module, places) in modules.iter_mut().zip(&union.places) {
        let mut own: Vec<Signature> = places.iter().map(|place| together[place.index()].clone()).collect();
        keep_called(module, &mut own);
        sweep_all(module, &own);
    }
}

/// Finds the functions of a module that are called, where other modules may call more.
fn keep_called(module: &Module, signatures: &mut [Signature]) {
    signatures.iter_mut().for_each(|signature| signature.called = false);
    signatures[module.entry.index()].called = true;
    for (i, func) in module.funcs.iter().enumerate().rev() {
        if !signatures[i].called {
            continue;
        }
        func.walk(&mut |inst, data, _| {
            if let Op::Call(callee) = data.op
                && signatures[i].live.insts[inst.index()]
            {
                signatures[callee.index()].called = true;
            }
        });
    }
}

fn sweep_all(module: &mut Module, signatures: &[Signature]) {
    let mut new_ids = vec![None; module.funcs.len()];
    let mut funcs = Vec::new();
    let mut entry = module.entry;
    for (i, func) in module.funcs.iter().enumerate() {
        if !signatures[i].called {
            continue;
        }
        let id = FuncId(funcs.len() as u32);
        new_ids[i] = Some(id);
        if i == module.entry.index() {
            entry = id;
        }
        funcs.push(sweep(func, signatures, i, &new_ids));
    }
    let fields = std::mem::take(&mut module.fields);
    *module = Module { fields, funcs, entry };
}

/// Whether a function is called, which results its callers need, and which parameters it needs.
#[derive(Debug, Clone)]
struct Signature {
    called: bool,
    /// For each parameter, whether it is needed; filled when the function itself is visited.
    params: Vec<bool>,
    /// For each result, whether a caller needs it.
    results: Vec<bool>,
    live: Live,
}

/// The parts of a function that stay.
#[derive(Debug, Clone, Default)]
struct Live {
    values: Vec<bool>,
    /// Instructions without results, loops and calls.
    insts: Vec<bool>,
    slots: Vec<bool>,
}

/// Callers come after their callees, so from last to first every function knows which results its callers need. The
/// needs of callees are not known then: all operands of a call count as needed, and operands that turn out not to be
/// are dead after the next run.
fn signatures(module: &Module, entries: &[FuncId]) -> Vec<Signature> {
    let mut signatures: Vec<Signature> = (module.funcs.iter())
        .map(|func| {
            let body = func.region(func.body);
            let (params, results) = (vec![false; body.params.len()], vec![false; body.results.len()]);
            Signature { called: false, params, results, live: Live::default() }
        })
        .collect();
    entries.iter().for_each(|entry| signatures[entry.index()].called = true);
    for (i, func) in module.funcs.iter().enumerate().rev() {
        if !signatures[i].called {
            continue;
        }
        // A function that is not optimised keeps its signature, and so does an instruction.
        let is_kept = func.no_opt || func.instruction.is_some();
        if is_kept {
            signatures[i].results.fill(true);
        }
        let live = Marker::new(func, &signatures[i].results).mark();
        let params = &func.region(func.body).params;
        signatures[i].params = params.iter().map(|param| is_kept || live.values[param.index()]).collect();
        func.walk(&mut |inst, data, _| {
            if let Op::Call(callee) = data.op
                && live.insts[inst.index()]
            {
                let callee = &mut signatures[callee.index()];
                callee.called = true;
                for (needed, result) in callee.results.iter_mut().zip(&data.results) {
                    *needed |= live.values[result.index()];
                }
            }
        });
        signatures[i].live = live;
    }
    signatures
}

/// Whether a loop over a stream, or a store of the end of a result, may read the slot without a load.
fn is_of_stream(kind: &SlotKind) -> bool {
    matches!(kind, SlotKind::Part | SlotKind::Joined(_))
}

/// Finds the live values, instructions and slots, from the results backwards; each is looked at once.
struct Marker<'a> {
    func: &'a Func,
    live: Live,
    /// Values whose definition is still to be looked at.
    work: Vec<Value>,
    /// For each region of a loop, the loop; for each instruction, the loop whose body it is in.
    loop_of_region: Vec<Option<Inst>>,
    loop_around: Vec<Option<Inst>>,
    /// For each slot, its stores.
    stores: Vec<Vec<Inst>>,
}

impl<'a> Marker<'a> {
    fn new(func: &'a Func, results: &[bool]) -> Self {
        let mut marker = Marker {
            func,
            live: Live {
                values: vec![false; func.values.len()],
                insts: vec![false; func.insts.len()],
                slots: vec![false; func.slots.len()],
            },
            work: Vec::new(),
            loop_of_region: vec![None; func.regions.len()],
            loop_around: vec![None; func.insts.len()],
            stores: vec![Vec::new(); func.slots.len()],
        };
        let mut roots = Vec::new();
        func.walk(&mut |inst, data, around| {
            marker.loop_around[inst.index()] = around.last().and_then(|l| marker.loop_of_region[l.region.index()]);
            match &data.op {
                Op::Loop(l) => marker.loop_of_region[l.region.index()] = Some(inst),
                Op::Store { slot, .. } | Op::StoreTail { slot, .. } => marker.stores[slot.index()].push(inst),
                _ => {}
            }
            if func.no_opt {
                roots.push(inst);
            }
        });
        for (i, slot) in func.slots.iter().enumerate() {
            if slot.kind.is_result() || is_of_stream(&slot.kind) || func.no_opt {
                marker.slot(Slot(i as u32));
            }
        }
        for (&value, _) in
            func.region(func.body).results.iter().zip(results).filter(|(_, needed)| func.no_opt || **needed)
        {
            marker.value(value);
        }
        for inst in roots {
            marker.inst(inst);
            func.inst(inst).results.iter().for_each(|&result| marker.value(result));
        }
        marker
    }

    fn mark(mut self) -> Live {
        while let Some(value) = self.work.pop() {
            match self.func.value(value).origin {
                Origin::Param(region, index) => {
                    if let Some(inst) = self.loop_of_region[region.index()] {
                        self.carried(inst, region, index as usize);
                    }
                }
                Origin::Result(inst, index) => {
                    self.inst(inst);
                    if let Op::Loop(l) = &self.func.inst(inst).op {
                        self.carried(inst, l.region, index as usize);
                    }
                }
            }
        }
        self.live
    }

    /// Marks a carried value of a loop as needed: its initial value, its next, and its parameter, which makes it live.
    fn carried(&mut self, inst: Inst, region: RegionId, index: usize) {
        self.inst(inst);
        let (data, region) = (self.func.inst(inst), self.func.region(region));
        for value in [data.args[index], region.params[index], region.results[index], data.results[index]] {
            self.value(value);
        }
    }

    fn value(&mut self, value: Value) {
        if !std::mem::replace(&mut self.live.values[value.index()], true) {
            self.work.push(value);
        }
    }

    /// Marks an instruction as live, and with it its operands (of a loop, the carried ones that it needs), the loops
    /// around it, and the stores to the slot it loads.
    fn inst(&mut self, inst: Inst) {
        let mut next = Some(inst);
        while let Some(inst) = next {
            if std::mem::replace(&mut self.live.insts[inst.index()], true) {
                return;
            }
            let data = self.func.inst(inst);
            if !matches!(data.op, Op::Loop(_)) {
                data.args.iter().for_each(|&arg| self.value(arg));
            }
            if let Op::Load { slot, .. } = data.op {
                self.slot(slot);
            }
            next = self.loop_around[inst.index()];
        }
    }

    fn slot(&mut self, slot: Slot) {
        if std::mem::replace(&mut self.live.slots[slot.index()], true) {
            return;
        }
        for store in std::mem::take(&mut self.stores[slot.index()]) {
            self.inst(store);
        }
    }
}

/// Copies the live parts of a function.
struct Sweep<'a> {
    live: &'a Live,
    signatures: &'a [Signature],
    new_ids: &'a [Option<FuncId>],
}

fn sweep(func: &Func, signatures: &[Signature], index: usize, new_ids: &[Option<FuncId>]) -> Func {
    let Signature { params, results, live, .. } = &signatures[index];
    let body = func.region(func.body);
    let types: Vec<Type> = kept(&body.params, params).map(|value| func.ty(value)).collect();
    let mut to = Builder::with_params(func, &types);
    let mut copier = Copier::new(func);
    for (i, slot) in func.slots.iter().enumerate() {
        if live.slots[i] || slot.kind.is_result() || slot.kind.is_given() {
            let mut slot = slot.clone();
            if let SlotKind::Joined(parts) = &mut slot.kind {
                parts.iter_mut().for_each(|part| *part = copier.slot(*part));
            }
            let new = to.func.add_slot(slot);
            copier.set_slot(Slot(i as u32), new);
        }
    }
    for (old, new) in kept(&body.params, params).zip(to.func.region(to.func.body).params.clone()) {
        copier.set(old, new);
    }
    let mut sweep = Sweep { live, signatures, new_ids };
    for &inst in &body.insts {
        sweep.inst(&mut copier, &mut to, inst);
    }
    let results = kept(&body.results, results).map(|value| copier.value(value)).collect();
    let region = to.func.body;
    to.func.region_mut(region).results = results;
    to.finish()
}

fn kept<'a>(values: &'a [Value], keep: &'a [bool]) -> impl Iterator<Item = Value> + 'a {
    values.iter().zip(keep).filter(|(_, keep)| **keep).map(|(&value, _)| value)
}

impl Transform for Sweep<'_> {
    fn inst(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst) {
        if !self.live.insts[inst.index()] {
            return;
        }
        let from = copier.from;
        let data = from.inst(inst);
        match &data.op {
            Op::Loop(l) => self.loop_(copier, to, inst, l),
            Op::Call(callee) => {
                let signature = &self.signatures[callee.index()];
                let args: Vec<Value> = kept(&data.args, &signature.params).map(|arg| copier.value(arg)).collect();
                let results: Vec<Value> = kept(&data.results, &signature.results).collect();
                let types: Vec<Type> = results.iter().map(|&result| from.ty(result)).collect();
                let callee = self.new_ids[callee.index()].expect("a callee stands above its caller");
                let new = to.emit(Op::Call(callee), args, &types);
                copier.set_all(&results, &to.func.inst(new).results);
            }
            _ => drop(copier.keep(to, inst)),
        }
    }
}

impl Sweep<'_> {
    fn loop_(&mut self, copier: &mut Copier, to: &mut Builder, inst: Inst, l: &LoopData) {
        let from = copier.from;
        let (data, region) = (from.inst(inst), from.region(l.region));
        let keep: Vec<bool> = region.params.iter().map(|param| self.live.values[param.index()]).collect();
        let inits: Vec<Value> = kept(&data.args, &keep).map(|init| copier.value(init)).collect();
        let (new, around) = copier.begin_loop(to, l, &inits);
        copier.set_counter(to, l);
        let params: Vec<Value> = kept(&region.params, &keep).collect();
        copier.set_all(&params, &to.func.region(to.region).params);
        for &inst in &region.insts {
            self.inst(copier, to, inst);
        }
        let next = kept(&region.results, &keep).map(|value| copier.value(value)).collect();
        to.end_loop(around, next);
        let results: Vec<Value> = kept(&data.results, &keep).collect();
        copier.set_all(&results, &to.func.inst(new).results);
    }
}
