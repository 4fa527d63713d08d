//! Pairs of literals in one graph.

use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Graph, Literal};
use super::parts::{self, Part, Shape};
use super::sweep::{Decision, Sweep};
use super::{Budget, Statistics, Step, simulate};

/// What is known of pairs.
pub enum Decided {
    /// All are equal.
    Equal(Vec<Step>),
    /// One differs at these values of the graph's inputs.
    Different { pair: usize, inputs: FxHashMap<u32, bool> },
    /// Nothing is known of one.
    Undecided { pair: usize },
}

/// Whether the literals of each pair are equal on all inputs. Parts of the graph that have no gate in common are swept one after
/// the other, those of one shape once.
pub fn decide(graph: &Graph, pairs: &[(Literal, Literal)], budget: &Budget, statistics: &mut Statistics) -> Decided {
    if pairs.iter().all(|(a, b)| a == b) {
        statistics.gates_after += graph.count();
        return Decided::Equal(Vec::new());
    }
    if let Some(difference) = simulate::find_difference(graph, pairs) {
        let inputs = graph.inputs().iter().copied().zip(difference.inputs).collect();
        return Decided::Different { pair: difference.pair, inputs };
    }
    let mut steps = Vec::new();
    let mut proved: FxHashSet<Shape> = FxHashSet::default();
    for part in parts::apart(graph, pairs) {
        if proved.contains(&part.shape) {
            continue;
        }
        match swept(&part, budget, statistics) {
            Decided::Equal(more) => steps.extend(more),
            otherwise => return otherwise,
        }
        proved.insert(part.shape);
    }
    Decided::Equal(steps)
}

/// What is known of the pairs of a part.
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
