//! The cost of a call by the model, for choosing among ways to compile the same program before any is measured.

use culet_ir::{Func, Module, Op, RegionId, Target};

use super::consume::textual;
use super::estimate;
use super::graph::Graph;
use super::machine::{self, Cost};
use super::spills::spills;
use super::{SPILL, costs};

/// Bytes of an instruction with an operand in memory, bytes of a first-level instruction cache, and bytes that come in
/// one cycle from the cache behind it.
const INSTRUCTION_BYTES: f64 = 7.0;
const INSTRUCTION_CACHE: f64 = 32_768.0;
const FETCHED: f64 = 18.0;

/// Cycles of one call of the entry, as its instructions stand: the cycles of an out-of-order machine, the moves to and
/// from memory that a good allocator needs, and the time to fetch loops that no instruction cache holds. The model
/// knows neither the caches of data nor the code that a C compiler makes of the text, so it tells good from bad, not
/// good from best.
pub fn predicted_cycles(module: &Module, target: Target) -> f64 {
    let mut known = vec![None; module.funcs.len()];
    func(module, module.entry.index(), target, &mut known)
}

fn func(module: &Module, index: usize, target: Target, known: &mut [Option<f64>]) -> f64 {
    if let Some(cycles) = known[index] {
        return cycles;
    }
    let body = &module.funcs[index];
    let cycles = region(module, body, body.body, target, known);
    known[index] = Some(cycles);
    cycles
}

fn region(module: &Module, of: &Func, id: RegionId, target: Target, known: &mut [Option<f64>]) -> f64 {
    let graph = Graph::new(of, id);
    let costs: Vec<Cost> = costs(of, &graph, target);
    let order = textual(&graph);
    let registers = target.registers() as usize;
    let moves = spills(&graph, &order, registers, graph.is_crowded(registers));
    let mut cycles = estimate::cycles(&graph, &order, &costs, &machine::ports(target)) as f64;
    cycles += (SPILL * moves) as f64 / 100.0;
    let bytes = INSTRUCTION_BYTES * (costs.iter().map(|cost| u64::from(cost.count)).sum::<u64>() + moves) as f64;
    if id != of.body && bytes > INSTRUCTION_CACHE {
        cycles = cycles.max(bytes / FETCHED);
    }
    for &inst in &of.region(id).insts {
        cycles += match &of.inst(inst).op {
            Op::Loop(l) => l.trip_count() as f64 * region(module, of, l.region, target, known),
            Op::Call(callee) => func(module, callee.index(), target, known),
            _ => 0.0,
        };
    }
    cycles
}
