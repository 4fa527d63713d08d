//! List scheduling for few live values.
//!
//! Time runs forward. Of the instructions whose operands are there, one that frees at least as many registers as it
//! fills runs at once, the one that frees most first; if none does, the first one of a given base order does. So a base
//! order says which part of the computation comes next, and everything that this part can finish is finished before the
//! next one is begun. Loads of inputs and constants float: they stand right before their first user.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::{Graph, NONE};
use super::progress::{Change, Progress};

/// An order that follows `base` (for each node, its place) where it can. Instructions that add at most `threshold` live
/// values run as soon as they can.
pub(super) fn consume(graph: &Graph, base: &[u32], threshold: i32, crowded: bool) -> Vec<u32> {
    let mut progress = Progress::new(graph, crowded);
    // Ready nodes, by the number of live values that a node adds and by place. A node enters again when its growth
    // changes.
    let mut ready: BinaryHeap<Reverse<(i32, u32, u32)>> = BinaryHeap::new();
    let entry = |progress: &Progress, node: u32| {
        let growth = progress.growth(node);
        Reverse((if growth <= threshold { growth } else { i32::MAX }, base[node as usize], node))
    };
    ready.extend((0..graph.len() as u32).filter(|&node| progress.can_run(node)).map(|node| entry(&progress, node)));
    while let Some(Reverse((_, _, node))) = ready.pop() {
        if !progress.is_done(node) {
            progress.run(node, |progress, change| {
                let (Change::Ready(node) | Change::Better(node)) = change;
                ready.push(entry(progress, node));
            });
        }
    }
    progress.finish()
}

/// The places of the present order.
pub(super) fn textual(graph: &Graph) -> Vec<u32> {
    (0..graph.len() as u32).collect()
}

/// The places of a depth-first walk from the region's outputs (stores, values needed outside) down to its sources: the
/// operand that needs more registers first, as Sethi and Ullman order trees.
pub(super) fn depth_first(graph: &Graph) -> Vec<u32> {
    let need = registers_needed(graph);
    let mut place = vec![NONE; graph.len()];
    let mut next = 0;
    let mut stack: Vec<(u32, bool)> = Vec::new();
    let mut operands: Vec<u32> = Vec::new();
    for root in 0..graph.len() as u32 {
        let kept = graph.results.of(root).iter().any(|&value| graph.live_out[value as usize]);
        let last = graph.successors(root).next().is_none();
        if !kept && !last {
            continue;
        }
        stack.push((root, false));
        while let Some((node, ready)) = stack.pop() {
            if place[node as usize] != NONE {
                continue;
            }
            if ready {
                place[node as usize] = next;
                next += 1;
                continue;
            }
            stack.push((node, true));
            operands.clear();
            operands.extend(graph.predecessors(node).filter(|&p| place[p as usize] == NONE));
            operands.sort_by_key(|&operand| (need[operand as usize], Reverse(operand)));
            stack.extend(operands.iter().map(|&operand| (operand, false)));
        }
    }
    place
}

/// Sethi–Ullman numbers, as if the graph were a tree.
fn registers_needed(graph: &Graph) -> Vec<u32> {
    let mut need = vec![0; graph.len()];
    let mut operands: Vec<u32> = Vec::new();
    for node in 0..graph.len() as u32 {
        operands.clear();
        operands.extend(graph.predecessors(node).map(|p| need[p as usize]));
        operands.sort_unstable_by_key(|&n| Reverse(n));
        let most = operands.iter().enumerate().map(|(k, &n)| n + k as u32).max();
        let results = graph.results.of(node).len() as u32;
        need[node as usize] = most.unwrap_or(0).max(u32::from(!graph.floating[node as usize]) * results);
    }
    need
}
