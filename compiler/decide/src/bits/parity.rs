//! Sums modulo 2, however long: what is left of them when their common summands are gone.

use smallvec::SmallVec;
use std::collections::BTreeSet;

use super::cuts::MAX_LEAVES;
use super::graph::{Gate, Graph};
use super::linear::Sum;

/// XOR gates that are written as their operands, to compare two sums.
const MAX_STEPS: usize = 1000;
/// Summands that there may be at once.
const MAX_SUMMANDS: usize = 200;
/// Sets of summands that are looked at.
const MAX_RESTS: usize = 3;

/// Sets of gates that have the same sum modulo 2 as these, the smallest first: where the common summands of parts of the sum are
/// gone. An empty set says that the sum is zero.
///
/// The latest XOR gate is written as the sum of its operands, again and again, and what is there twice is gone. An operand is
/// older than its gate, so what two sums share is met before it is written out. The sets kept are those before sums are written out
/// that share nothing.
pub fn rests(graph: &Graph, gates: &[u32]) -> Vec<Sum> {
    let mut summands: BTreeSet<u32> = gates.iter().copied().collect();
    let mut rests: Vec<Sum> = Vec::new();
    let mut shrank = false;
    // From here on up there are no XOR gates any more.
    let mut end = u32::MAX;
    for _ in 0..MAX_STEPS {
        let Some(&latest) = summands.range(..end).next_back() else { break };
        end = latest;
        let Gate::Xor(a, b) = graph.gate(latest) else { continue };
        let grows = [a.gate(), b.gate()].iter().all(|operand| !summands.contains(operand));
        if shrank && grows {
            keep(&mut rests, &summands);
        }
        shrank = !grows;
        summands.remove(&latest);
        for operand in [a.gate(), b.gate()] {
            if !summands.insert(operand) {
                summands.remove(&operand);
            }
        }
        if summands.len() > MAX_SUMMANDS {
            break;
        }
    }
    if shrank {
        keep(&mut rests, &summands);
    }
    rests.sort_by_key(SmallVec::len);
    rests.truncate(MAX_RESTS);
    rests
}

fn keep(rests: &mut Vec<Sum>, summands: &BTreeSet<u32>) {
    if summands.len() <= MAX_LEAVES {
        rests.push(summands.iter().copied().collect());
    }
}
