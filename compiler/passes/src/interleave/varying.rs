//! Differences between groups of instances: everything that an input which is not shared flows into, and all outputs.

use culet_ir::{Func, FuncId, Inst, Module, Op, RegionId, Slot, SlotKind, Value};
use smallvec::SmallVec;

pub(super) struct Varying {
    values: Vec<Vec<bool>>,
    slots: Vec<Vec<bool>>,
}

impl Varying {
    pub fn new(module: &Module) -> Varying {
        let mut flow = Flow::new(module);
        for (id, func) in module.funcs.iter().enumerate() {
            for (slot, data) in func.slots.iter().enumerate() {
                if matches!(data.kind, SlotKind::Input { shared: false } | SlotKind::Output) {
                    flow.mark_slot(FuncId(id as u32), Slot(slot as u32));
                }
            }
        }
        while let Some((func, value)) = flow.work.pop() {
            flow.follow(func, value);
        }
        flow.varying
    }

    pub fn value(&self, func: FuncId, value: Value) -> bool {
        self.values[func.index()][value.index()]
    }

    pub fn slot(&self, func: FuncId, slot: Slot) -> bool {
        self.slots[func.index()][slot.index()]
    }

    /// Whether every group needs an instruction of its own. Not for loops.
    pub fn inst(&self, module: &Module, func: FuncId, inst: Inst) -> bool {
        let data = module.func(func).inst(inst);
        match data.op {
            Op::Store { slot, .. } | Op::StoreTail { slot, .. } => self.slot(func, slot),
            Op::Call(callee) => {
                let callee_func = module.func(callee);
                let params = &callee_func.region(callee_func.body).params;
                // Results may vary without varying parameters: by functions that the callee calls, which others call,
                // too.
                params.iter().any(|&param| self.value(callee, param))
                    || data.results.iter().any(|&result| self.value(func, result))
            }
            _ => data.results.iter().any(|&result| self.value(func, result)),
        }
    }
}

/// A use of a value.
#[derive(Clone, Copy)]
enum Use {
    /// The operand of this number.
    Operand(Inst, u32),
    /// The result of this number of a loop's region, with the loop.
    Next(Inst, RegionId, u32),
    /// The result of this number of the function.
    Return(u32),
}

/// The worklist that finds the values that vary; every use is followed once.
struct Flow<'a> {
    module: &'a Module,
    varying: Varying,
    uses: Vec<Vec<SmallVec<[Use; 2]>>>,
    /// The loads of each slot.
    loads: Vec<Vec<Vec<Inst>>>,
    callers: Vec<Vec<(FuncId, Inst)>>,
    work: Vec<(FuncId, Value)>,
}

impl<'a> Flow<'a> {
    fn new(module: &'a Module) -> Self {
        let each = |size: fn(&Func) -> usize| module.funcs.iter().map(size).collect::<Vec<usize>>();
        let values = each(|func| func.values.len());
        let slots = each(|func| func.slots.len());
        let mut flow = Flow {
            module,
            varying: Varying {
                values: values.iter().map(|&n| vec![false; n]).collect(),
                slots: slots.iter().map(|&n| vec![false; n]).collect(),
            },
            uses: values.iter().map(|&n| vec![SmallVec::new(); n]).collect(),
            loads: slots.iter().map(|&n| vec![Vec::new(); n]).collect(),
            callers: vec![Vec::new(); module.funcs.len()],
            work: Vec::new(),
        };
        for id in 0..module.funcs.len() {
            flow.index(FuncId(id as u32));
        }
        flow
    }

    /// Notes the uses, loads and calls in one function.
    fn index(&mut self, id: FuncId) {
        let func = self.module.func(id);
        let uses = &mut self.uses[id.index()];
        for (k, result) in func.region(func.body).results.iter().enumerate() {
            uses[result.index()].push(Use::Return(k as u32));
        }
        func.walk(&mut |inst, data, _| {
            for (k, arg) in data.args.iter().enumerate() {
                uses[arg.index()].push(Use::Operand(inst, k as u32));
            }
            match &data.op {
                Op::Load { slot, .. } => self.loads[id.index()][slot.index()].push(inst),
                Op::Call(callee) => self.callers[callee.index()].push((id, inst)),
                Op::Loop(l) => {
                    for (k, result) in func.region(l.region).results.iter().enumerate() {
                        uses[result.index()].push(Use::Next(inst, l.region, k as u32));
                    }
                }
                _ => {}
            }
        });
    }

    fn mark(&mut self, func: FuncId, value: Value) {
        let varies = &mut self.varying.values[func.index()][value.index()];
        if !*varies {
            *varies = true;
            self.work.push((func, value));
        }
    }

    fn mark_slot(&mut self, func: FuncId, slot: Slot) {
        let varies = &mut self.varying.slots[func.index()][slot.index()];
        if !*varies {
            *varies = true;
            for inst in std::mem::take(&mut self.loads[func.index()][slot.index()]) {
                self.mark(func, self.module.func(func).result(inst));
            }
        }
    }

    /// Marks the values that a value flows into.
    fn follow(&mut self, id: FuncId, value: Value) {
        let func = self.module.func(id);
        for use_ in std::mem::take(&mut self.uses[id.index()][value.index()]) {
            match use_ {
                Use::Return(k) => {
                    for (caller, inst) in self.callers[id.index()].clone() {
                        self.mark(caller, self.module.func(caller).inst(inst).results[k as usize]);
                    }
                }
                Use::Next(inst, region, k) => self.mark_carried(id, inst, region, k),
                Use::Operand(inst, k) => match &func.inst(inst).op {
                    Op::Call(callee) => {
                        let callee_func = self.module.func(*callee);
                        self.mark(*callee, callee_func.region(callee_func.body).params[k as usize]);
                    }
                    Op::Loop(l) => self.mark_carried(id, inst, l.region, k),
                    Op::Store { slot, .. } => self.mark_slot(id, *slot),
                    _ => func.inst(inst).results.iter().for_each(|&result| self.mark(id, result)),
                },
            }
        }
    }

    /// Marks a carried value: the loop then carries one for each group instead of one for all.
    fn mark_carried(&mut self, id: FuncId, inst: Inst, region: RegionId, k: u32) {
        let func = self.module.func(id);
        self.mark(id, func.region(region).params[k as usize]);
        self.mark(id, func.inst(inst).results[k as usize]);
    }
}
