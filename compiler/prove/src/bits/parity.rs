//! Sums modulo 2, however long: what is left of them when their common summands are gone.

use std::collections::BTreeSet;

use super::cuts::MAX_LEAVES;
use super::graph::{Gate, Graph};
use super::linear::Sum;

/// XOR gates that are written as their operands, to compare two sums.
const MAX_STEPS: usize = 1000;
/// Summands that there may be at once.
const MAX_SUMMANDS: usize = 200;

/// The fewest gates that have the same sum modulo 2 as these: none if the sum is zero. `None` if there are more than can be
/// looked at.
///
/// The latest XOR gate is written as the sum of its operands, again and again, and what is there twice is gone. An operand is
/// older than its gate, so what two sums share is met before it is written out.
pub fn rest(graph: &Graph, gates: &[u32]) -> Option<Sum> {
    let mut summands: BTreeSet<u32> = gates.iter().copied().collect();
    let mut fewest: Option<Sum> = None;
    // From here on up there are no XOR gates any more.
    let mut end = u32::MAX;
    for _ in 0..MAX_STEPS {
        let Some(&latest) = summands.range(..end).next_back() else { break };
        end = latest;
        if let Gate::Xor(a, b) = graph.gate(latest) {
            summands.remove(&latest);
            for operand in [a.gate(), b.gate()] {
                if !summands.insert(operand) {
                    summands.remove(&operand);
                }
            }
            if summands.len() > MAX_SUMMANDS {
                break;
            }
            if summands.len() <= fewest.as_ref().map_or(MAX_LEAVES, |fewest| fewest.len() - 1) {
                fewest = Some(summands.iter().copied().collect());
                if summands.is_empty() {
                    break;
                }
            }
        }
    }
    fewest
}
