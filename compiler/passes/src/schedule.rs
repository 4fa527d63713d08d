//! Scheduling: the order of instructions in a region.
//!
//! C compilers keep the textual order of straight-line code more or less, so in large blocks it decides how many values
//! wait in registers, and how often they move to memory and back. There are two cases, told apart by the values of a
//! region:
//!
//! - **Bitsliced** (every computed value is `w1`): many values are alive, everything takes one cycle, and registers are
//!   scarce. [`consume`] finishes what it can before it begins something new.
//! - **Words and vectors** (any computed value is wider): few values, and chains of operations with different latencies
//!   and ports. [`latency`] lists by critical path within the registers.
//!
//! Each case tries a few orders, one of them the present one, and takes the cheapest by a model: the moves to and from
//! memory that the best possible allocator needs ([`spills`]), and for words the cycles of an out-of-order machine
//! ([`estimate`]). So by the model, no order gets worse. Loads and stores keep their order where they may touch the
//! same element ([`memory`]); loops and calls are instructions of the region that holds them.
//!
//! Functions marked `no_opt` stay as they are.

mod consume;
mod core;
mod estimate;
mod graph;
mod latency;
mod machine;
mod memory;
mod predict;
mod pressure;
mod progress;
mod spills;

use culet_ir::{Func, Inst, Module, RegionId, Target, W1};

use crate::walk::{regions, weight};
use crate::{Context, Schedule};
use graph::Graph;
use machine::Cost;
pub use predict::{chain_length, predicted_cycles};
pub use pressure::max_pressure;

pub fn run(module: &mut Module, context: &Context) {
    if context.schedule == Schedule::None {
        return;
    }
    for func in module.funcs.iter_mut().filter(|func| !func.no_opt) {
        for region in regions(func) {
            schedule(func, region, context.target);
        }
    }
}

/// Numbers of live values that a bitsliced instruction may add and still run at once; both are tried.
const THRESHOLDS: [i32; 2] = [0, 1];
/// Cost of half a load, in hundredths of a cycle.
const SPILL: u64 = 35;

fn schedule(func: &mut Func, region: RegionId, target: Target) {
    if func.region(region).insts.len() < 3 {
        return;
    }
    let graph = Graph::new(func, region);
    let candidates =
        if is_bitsliced(func, region) { by_pressure(&graph, target) } else { by_latency(func, &graph, target) };
    // The first of equals: the present order, if nothing is better.
    let Some((_, order)) = candidates.into_iter().min_by_key(|&(cost, _)| cost) else { return };
    debug_assert!(graph.allows(&order));
    func.region_mut(region).insts = order.iter().map(|&node| graph.insts[node as usize]).collect();
}

/// Whether everything that a region computes is single bits.
fn is_bitsliced(func: &Func, region: RegionId) -> bool {
    let results = func.region(region).insts.iter().flat_map(|&inst| &func.inst(inst).results);
    results.into_iter().all(|&value| func.ty(value) == W1)
}

fn by_pressure(graph: &Graph, target: Target) -> Vec<(u64, Vec<u32>)> {
    let registers = target.registers() as usize;
    let crowded = graph.is_crowded(registers);
    let textual = consume::textual(graph);
    let depth_first = consume::depth_first(graph);
    let mut orders = vec![textual.clone()];
    for base in [textual, depth_first] {
        orders.extend(THRESHOLDS.map(|threshold| consume::consume(graph, &base, threshold, crowded)));
    }
    orders.into_iter().map(|order| (spills::spills(graph, &order, registers, crowded), order)).collect()
}

fn costs(func: &Func, graph: &Graph, target: Target) -> Vec<Cost> {
    let cost = |&inst: &Inst| {
        let data = func.inst(inst);
        // A store has no result, a carry's type is not that of the work.
        let ty = data.args.first().or(data.results.first()).map_or(W1, |&value| func.ty(value));
        let cost = machine::cost(&data.op, ty, target);
        Cost { count: cost.count * weight(func, data, target) as u32, ..cost }
    };
    graph.insts.iter().map(cost).collect()
}

fn by_latency(func: &Func, graph: &Graph, target: Target) -> Vec<(u64, Vec<u32>)> {
    let registers = target.registers();
    let costs = costs(func, graph, target);
    let crowded = graph.is_crowded(registers as usize);
    let ports = machine::ports(target);
    let textual = consume::textual(graph);
    let orders = [
        textual.clone(),
        latency::list(graph, &costs, &ports, registers, crowded),
        consume::consume(graph, &textual, 0, crowded),
    ];
    let price = |order: &[u32]| {
        let cycles = estimate::cycles(graph, order, &costs, &ports);
        100 * cycles + SPILL * spills::spills(graph, order, registers as usize, crowded)
    };
    orders.into_iter().map(|order| (price(&order), order)).collect()
}
