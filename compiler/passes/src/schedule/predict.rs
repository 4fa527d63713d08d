//! The cost of a call by the model, for choosing among ways to compile the same program before any is measured.
//!
//! The module is followed as a CPU executes it: loops turn, calls enter functions, and each instruction starts when its
//! operands have arrived and a port is free ([`Core`]). So chains that go on from one iteration to the next count as
//! long as they are, and independent groups of instances fill each other's gaps.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use culet_ir::{Func, FuncId, Inst, InstData, LoopData, Module, Op, RegionId, Slot, Target, Value};

use super::consume::textual;
use super::core::{Core, Work};
use super::graph::Graph;
use super::machine::{self, Class};
use super::spills::{Moves, moves};
use crate::Context;
use crate::walk::{type_weight, weight};

/// Bytes of an instruction with an operand in memory, and of a first-level instruction cache.
const INSTRUCTION_BYTES: u64 = 7;
const INSTRUCTION_CACHE: u64 = 32_768;
/// Number of instructions that a cache of decoded instructions holds.
const DECODED: u64 = 4_096;
/// Instructions that enter in one hundred cycles, where they are decoded already, where they are in the first-level
/// cache, and where they come from the cache behind it, 18 bytes a cycle.
const FRONT_END: [u64; 3] = [600, 400, 1800 / INSTRUCTION_BYTES];

/// Number of iterations of a loop that are followed. Each of the others takes as long as the last of these.
const FOLLOWED: u64 = 6;
/// Number of calls of a function that are followed. Each of the others takes as long as the last of these.
const FOLLOWED_CALLS: u64 = 64;
/// Number of instructions after which one iteration of a loop and one call of a function are followed.
const MOST: u64 = 400_000;
/// Instructions of an iteration for its counter and branch, and of a call beside its operands and results.
const TURN: u32 = 2;
const CALL: u32 = 4;
/// Maximum number of instructions of a function that C compilers inline wherever it is called.
const SMALL_FUNCTION: usize = 60;
/// Words of a vector that stand in a register, and cycles until some of them are in others.
const WORDS: usize = 4;
const MOVED_LATENCY: u32 = 4;
/// Cycles from a store to a load of the same place.
const FORWARDED: u64 = 5;

/// Cycles of one call of the entry, as its instructions stand: those of a CPU that executes out of order, with the moves
/// to and from memory that a good allocator needs, and the time to fetch what no instruction cache holds. The model
/// knows neither the caches of data nor the code that a C compiler makes of the text.
pub fn predicted_cycles(module: &Module, context: &Context) -> f64 {
    cycles_on(module, context, Core::new(machine::predicted_ports(context.target)))
}

/// Cycles of the longest chain of operations of one call: those of a CPU that starts everything as soon as its operands
/// have arrived.
pub fn chain_length(module: &Module, context: &Context) -> f64 {
    cycles_on(module, context, Core::unlimited())
}

fn cycles_on(module: &Module, context: &Context, core: Core) -> f64 {
    let mut walk = Walk {
        module,
        target: context.target,
        packed: context.packed,
        core,
        skipped: 0.0,
        left: MOST,
        calls: vec![(0, 0.0); module.funcs.len()],
        inlined: inlined(module),
        plans: HashMap::new(),
    };
    let args = vec![0; module.entry().region(module.entry().body).params.len()];
    walk.call(module.entry, args);
    walk.time()
}

struct Walk<'m> {
    module: &'m Module,
    target: Target,
    /// Whether a word holds words of several instances.
    packed: bool,
    core: Core,
    /// Cycles of iterations and calls that were not followed.
    skipped: f64,
    /// Number of instructions that may still be followed where loops and calls could be.
    left: u64,
    /// For each function, the number of calls that were followed, and the cycles of the last one.
    calls: Vec<(u64, f64)>,
    /// For each function, whether a C compiler is expected to put its body in place of its calls.
    inlined: Vec<bool>,
    plans: HashMap<(FuncId, RegionId), Rc<Plan>>,
}

/// Facts about a region that all its executions share.
struct Plan {
    /// Moves to and from memory.
    moves: Moves,
    /// Instructions that enter in a hundred cycles.
    front_end: u64,
}

/// Times at which the values and elements of a function arrive, in one call.
struct Frame<'m> {
    id: FuncId,
    func: &'m Func,
    values: Vec<u64>,
    slots: Vec<Vec<u64>>,
    counters: Vec<i64>,
}

impl<'m> Walk<'m> {
    /// Cycles so far.
    fn time(&self) -> f64 {
        self.core.end() as f64 + self.skipped
    }

    /// Executes a function whose operands arrive at these times; returns the times of its results.
    fn call(&mut self, id: FuncId, args: Vec<u64>) -> Vec<u64> {
        let func = self.module.func(id);
        let (calls, last) = self.calls[id.index()];
        if calls >= if self.left > 0 { FOLLOWED_CALLS } else { 1 } {
            self.skipped += last;
            return vec![self.core.end(); func.region(func.body).results.len()];
        }
        let before = self.time();
        let mut frame = Frame {
            id,
            func,
            values: vec![0; func.values.len()],
            slots: func.slots.iter().map(|slot| vec![0; slot.length as usize]).collect(),
            counters: vec![0; func.counters as usize],
        };
        frame.set_all(&func.region(func.body).params, &args);
        let front_end = self.core.front_end;
        self.region(&mut frame, func.body);
        self.core.front_end = front_end;
        self.calls[id.index()] = (calls + 1, self.time() - before);
        frame.times(&func.region(func.body).results)
    }

    fn region(&mut self, frame: &mut Frame<'m>, id: RegionId) {
        let plan = self.plan(frame, id);
        let insts = &frame.func.region(id).insts;
        self.left = self.left.saturating_sub(insts.len() as u64);
        let (mut loads, mut stores) =
            (Share::new(plan.moves.loads, insts.len()), Share::new(plan.moves.stores, insts.len()));
        for &inst in insts {
            self.core.front_end = plan.front_end;
            for (class, count) in [(Class::Load, loads.next()), (Class::Store, stores.next())] {
                if count > 0 {
                    self.core.run(0, Work::one(class, 0).times(count as u32));
                }
            }
            let data = frame.func.inst(inst);
            match &data.op {
                Op::Loop(l) => self.turns(frame, data, l),
                Op::Call(callee) => self.enter(frame, data, *callee),
                _ => self.instruction(frame, data),
            }
        }
    }

    fn instruction(&mut self, frame: &mut Frame<'m>, data: &InstData) {
        let mut ready = frame.times(&data.args).into_iter().max().unwrap_or(0);
        let place = match &data.op {
            Op::Load { slot, index } | Op::Store { slot, index } => {
                Some((*slot, index.evaluate(|counter| frame.counters[counter.0 as usize])))
            }
            _ => None,
        };
        if let (Op::Load { .. }, Some(place)) = (&data.op, place) {
            ready = ready.max(*frame.element(place));
        }
        let work = self.work(frame.func, data);
        let done = if matches!(data.op, Op::Const(_)) { 0 } else { self.core.run(ready, work) };
        if let (Op::Store { .. }, Some(place)) = (&data.op, place) {
            *frame.element(place) = done + FORWARDED;
        }
        data.results.iter().for_each(|&value| frame.values[value.index()] = done);
    }

    fn turns(&mut self, frame: &mut Frame<'m>, data: &InstData, l: &LoopData) {
        let region = frame.func.region(l.region);
        let mut carried = frame.times(&data.args);
        let mut last = 0.0;
        let trips = if l.over.is_some() { 1 } else { l.trip_count() };
        let followed = trips.min(if self.left > 0 { FOLLOWED } else { 1 });
        for counter in l.values().take(followed as usize) {
            let before = self.time();
            frame.counters[l.counter.0 as usize] = counter;
            frame.set_all(&region.params, &carried);
            self.region(frame, l.region);
            self.core.run(0, Work::one(Class::Control, 0).times(TURN));
            carried = frame.times(&region.results);
            last = self.time() - before;
        }
        self.skipped += last * (trips - followed) as f64;
        frame.set_all(&data.results, &carried);
    }

    /// A call of a function, whose operands and results pass through memory unless it is inlined.
    fn enter(&mut self, frame: &mut Frame<'m>, data: &InstData, callee: FuncId) {
        if self.inlined[callee.index()] {
            let results = self.call(callee, frame.times(&data.args));
            frame.set_all(&data.results, &results);
            return;
        }
        let passed = |walk: &mut Self, times: Vec<u64>| -> Vec<u64> {
            let pass = |ready: u64| {
                walk.core.run(ready, Work::one(Class::Store, 0));
                walk.core.run(ready, Work::one(Class::Load, FORWARDED as u32))
            };
            times.into_iter().map(pass).collect()
        };
        self.core.run(0, Work::one(Class::Control, 0).times(CALL));
        let args = passed(self, frame.times(&data.args));
        let results = self.call(callee, args);
        let results = passed(self, results);
        frame.set_all(&data.results, &results);
    }

    fn plan(&mut self, frame: &Frame<'m>, id: RegionId) -> Rc<Plan> {
        if let Some(plan) = self.plans.get(&(frame.id, id)) {
            return plan.clone();
        }
        let graph = Graph::new(frame.func, id);
        let registers = self.target.registers() as usize;
        let moves = moves(&graph, &textual(&graph), registers, graph.is_crowded(registers));
        let size = self.code_size(frame.func, id) + moves.loads + moves.stores;
        let place = match size {
            _ if size * INSTRUCTION_BYTES > INSTRUCTION_CACHE => 2,
            _ if size > DECODED => 1,
            _ => 0,
        };
        let plan = Rc::new(Plan { moves, front_end: FRONT_END[place] });
        self.plans.insert((frame.id, id), plan.clone());
        plan
    }

    /// Number of machine instructions of a region, with those inside it and the functions that it calls.
    fn code_size(&self, func: &Func, id: RegionId) -> u64 {
        self.code_size_with(func, id, &mut Vec::new())
    }

    /// As [`Self::code_size`], but functions that are `called` already are there already.
    fn code_size_with(&self, func: &Func, id: RegionId, called: &mut Vec<FuncId>) -> u64 {
        let size = |&inst: &Inst| {
            let data = func.inst(inst);
            match &data.op {
                Op::Loop(l) => self.code_size_with(func, l.region, called),
                Op::Call(callee) if called.contains(callee) => 1,
                Op::Call(callee) => {
                    called.push(*callee);
                    let callee = self.module.func(*callee);
                    self.code_size_with(callee, callee.body, called)
                }
                _ => u64::from(self.work(func, data).count()),
            }
        };
        func.region(id).insts.iter().map(size).sum()
    }

    fn work(&self, func: &Func, data: &InstData) -> Work {
        let ty = data.args.first().or(data.results.first()).map_or(culet_ir::W1, |&value| func.ty(value));
        if let (Op::Perm(pattern), true) = (&data.op, type_weight(ty, self.target) > 1) {
            return Work::one(Class::Shuffle, MOVED_LATENCY).times(moved(pattern));
        }
        Work::of(&data.op, ty, self.target, self.packed).times(weight(func, data, self.target) as u32)
    }
}

/// Number of instructions that permute a vector of words in registers of four: none where four words stay, and one for each register from
/// which others come beside the first. Words that are neighbours in memory are one load.
fn moved(pattern: &[Option<u8>]) -> u32 {
    let of = |(place, wanted): (usize, &[Option<u8>])| -> u32 {
        let sources: BTreeSet<usize> = wanted.iter().flatten().map(|&from| usize::from(from) / WORDS).collect();
        let from = |first: usize| wanted.iter().enumerate().all(|(k, from)| *from == u8::try_from(first + k).ok());
        match wanted[0] {
            _ if sources.is_empty() || from(place * WORDS) => 0,
            Some(first) if from(first.into()) => 1,
            _ => (sources.len() as u32 - 1).max(1),
        }
    };
    pattern.chunks(WORDS).enumerate().map(of).sum()
}

/// Which functions a C compiler is expected to inline: small ones, and those with one call.
fn inlined(module: &Module) -> Vec<bool> {
    let mut calls = vec![0; module.funcs.len()];
    for func in &module.funcs {
        func.walk(&mut |_, data, _| {
            if let Op::Call(callee) = data.op {
                calls[callee.index()] += 1;
            }
        });
    }
    module.funcs.iter().zip(calls).map(|(func, calls)| calls == 1 || func.insts.len() <= SMALL_FUNCTION).collect()
}

impl Frame<'_> {
    fn times(&self, values: &[Value]) -> Vec<u64> {
        values.iter().map(|value| self.values[value.index()]).collect()
    }

    fn set_all(&mut self, values: &[Value], times: &[u64]) {
        values.iter().zip(times).for_each(|(value, &time)| self.values[value.index()] = time);
    }

    /// The time at which an element arrives. Streams have only one, whose position is not known.
    fn element(&mut self, (slot, index): (Slot, i64)) -> &mut u64 {
        let elements = &mut self.slots[slot.index()];
        let last = elements.len().saturating_sub(1);
        &mut elements[(index.max(0) as usize).min(last)]
    }
}

/// Moves that are spread evenly over instructions.
struct Share {
    moves: u64,
    instructions: u64,
    carry: u64,
}

impl Share {
    fn new(moves: u64, instructions: usize) -> Share {
        Share { moves, instructions: instructions.max(1) as u64, carry: 0 }
    }

    /// The number of moves before the next instruction.
    fn next(&mut self) -> u64 {
        self.carry += self.moves;
        let now = self.carry / self.instructions;
        self.carry %= self.instructions;
        now
    }
}
