//! Remainders of sums modulo 2, however long, when their common summands are gone.

use smallvec::SmallVec;
use std::collections::BTreeSet;

use super::graph::{Gate, Graph};
use super::linear::Sum;
use crate::effort::cuts::MAX_LEAVES;
use crate::effort::sums::{MAX_REST_STEPS, MAX_REST_SUMMANDS, MAX_RESTS};

/// Returns sets of gates that have the same sum modulo 2 as these, the smallest first: sets in which the common
/// summands of parts of the sum are gone. An empty set says that the sum is zero.
///
/// The latest XOR gate is written as the sum of its operands, repeatedly, and summands that occur twice are gone. An
/// operand is older than its gate, so a summand that two sums share is met before it is written out. A set is kept
/// before a sum is written out that shares nothing with the others.
pub fn rests(graph: &Graph, gates: &[u32]) -> Vec<Sum> {
    let mut summands: BTreeSet<u32> = gates.iter().copied().collect();
    let mut rests: Vec<Sum> = Vec::new();
    let mut shrank = false;
    // There are no XOR gates from this number on.
    let mut end = u32::MAX;
    for _ in 0..MAX_REST_STEPS {
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
        if summands.len() > MAX_REST_SUMMANDS {
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
