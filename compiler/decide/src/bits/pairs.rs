//! Pairs of literals in one graph.

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Graph, Literal};
use super::parts::{self, Part, Shape};
use super::sweep::{Decision, Sweep};
use super::{Budget, Statistics, Step, simulate};

/// Outcome of comparing pairs.
pub enum Decided {
    /// All pairs are equal.
    Equal(Vec<Step>),
    /// One pair differs at these values of the graph's inputs.
    Different { pair: usize, inputs: FxHashMap<u32, bool> },
    /// Nothing is known about one pair.
    Undecided { pair: usize },
}

/// Whether the literals of each pair are equal on all inputs. Parts of the graph that have no gate in common are swept
/// one after the other, those of one shape once.
pub fn decide(graph: &Graph, pairs: &[(Literal, Literal)], budget: &Budget, statistics: &mut Statistics) -> Decided {
    if pairs.iter().all(|(a, b)| a == b) {
        statistics.gates_after += graph.count();
        return Decided::Equal(Vec::new());
    }
    let parts = parts::apart(graph, pairs);
    let mut shapes: FxHashSet<&Shape> = FxHashSet::default();
    let distinct: Vec<&Part> = parts.iter().filter(|part| shapes.insert(&part.shape)).collect();
    if let Some(different) = distinct.iter().filter_map(|part| simulated(part)).min_by_key(|(pair, _)| *pair) {
        let (pair, inputs) = different;
        return Decided::Different { pair, inputs };
    }
    let mut steps = Vec::new();
    for part in distinct {
        match swept(part, budget, statistics) {
            Decided::Equal(more) => steps.extend(more),
            otherwise => return otherwise,
        }
    }
    Decided::Equal(steps)
}

/// Returns a pair of a part that differs on random inputs, and these inputs.
fn simulated(part: &Part) -> Option<(usize, FxHashMap<u32, bool>)> {
    let difference = simulate::find_difference(&part.shape.gates, &part.shape.pairs)?;
    let inputs = part.inputs().zip(difference.inputs).collect();
    Some((part.pairs[difference.pair], inputs))
}

/// Compares the pairs of a part.
fn swept(part: &Part, budget: &Budget, statistics: &mut Statistics) -> Decided {
    let mut sweep = Sweep::new(&part.shape.gates);
    let mut decided = None;
    for (&(left, right), &pair) in part.shape.pairs.iter().zip(&part.pairs) {
        decided = match sweep.decide(left, right, budget) {
            Decision::Equal => continue,
            Decision::Different(inputs) => {
                let origin = |(gate, value): (u32, bool)| (part.origin[gate as usize], value);
                Some(Decided::Different { pair, inputs: inputs.into_iter().map(origin).collect() })
            }
            Decision::Undecided => Some(Decided::Undecided { pair }),
        };
        break;
    }
    *statistics += sweep.statistics;
    decided.unwrap_or(Decided::Equal(sweep.steps))
}
