//! Comparison of pairs of words in one graph, which has the gates of both sides.

use std::rc::Rc;

use culet_term::Terms;

use super::blast::Blast;
use super::graph::Literal;
use super::pairs::{Decided, decide};
use super::query::assignment;
use super::{Budget, Comparison, Proof, Reason, Statistics, Verdict};

type Word = Rc<[Literal]>;

/// Whether the words of each pair are equal on all inputs.
pub fn compare_literals(terms: &Terms, blast: &Blast, pairs: &[(Word, Word)], budget: &Budget) -> Comparison {
    let graph = &blast.gates;
    let mut statistics = Statistics { gates: graph.count(), ..Statistics::default() };
    if let Some(output) = pairs.iter().position(|(a, b)| a.len() != b.len()) {
        return Comparison { verdict: Verdict::Undecided { output, reason: Reason::Widths }, statistics };
    }
    // Bits that must be equal, and the pair of words that each belongs to.
    let (mut open, mut outputs) = (Vec::new(), Vec::new());
    for (output, (a, b)) in pairs.iter().enumerate() {
        statistics.outputs += a.len();
        for (&a, &b) in a.iter().zip(b.iter()).filter(|(a, b)| a != b) {
            open.push((a, b));
            outputs.push(output);
        }
    }
    let verdict = match decide(graph, &open, budget, &mut statistics) {
        Decided::Equal(steps) => {
            Verdict::Equal(vec![Proof { outputs: (0..pairs.len()).collect(), lanes: false, steps }])
        }
        Decided::Different { pair, inputs } => {
            Verdict::Different { output: outputs[pair], counterexample: assignment(terms, &blast.leaves, &inputs) }
        }
        Decided::Undecided { pair } => Verdict::Undecided { output: outputs[pair], reason: Reason::TooManyConflicts },
    };
    statistics.structural_outputs = statistics.outputs - open.len();
    Comparison { verdict, statistics }
}
