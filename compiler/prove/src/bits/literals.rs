//! Pairs of words in one graph: what both sides have made there.

use std::rc::Rc;

use culet_term::Terms;
use rustc_hash::{FxHashMap, FxHashSet};

use super::blast::Blast;
use super::graph::{Gate, Gates, Graph, Literal};
use super::parts::{self, Part, Shape};
use super::query::assignment;
use super::sweep::{Decision, Sweep};
use super::{Budget, Comparison, Proof, Reason, Statistics, Step, Verdict, simulate};

type Word = Rc<[Literal]>;

/// Values of inputs.
type Inputs = Vec<(u32, bool)>;

/// Two bits that must be equal, and the words whose bits they are.
struct Claim {
    pair: (Literal, Literal),
    output: usize,
}

/// Whether the words of each pair are equal on all inputs.
pub fn compare_literals(terms: &Terms, blast: &Blast<Graph>, pairs: &[(Word, Word)], budget: &Budget) -> Comparison {
    let graph = &blast.gates;
    let mut statistics = Statistics { gates: graph.count(), ..Statistics::default() };
    if let Some(output) = pairs.iter().position(|(a, b)| a.len() != b.len()) {
        return Comparison { verdict: Verdict::Undecided { output, reason: Reason::Widths }, statistics };
    }
    let mut open = Vec::new();
    for (output, (a, b)) in pairs.iter().enumerate() {
        statistics.outputs += a.len();
        let bits = a.iter().zip(b.iter()).map(|(&a, &b)| (a, b));
        open.extend(bits.filter(|(a, b)| a != b).map(|pair| Claim { pair, output }));
    }
    statistics.structural_outputs = statistics.outputs - open.len();
    statistics.gates_after = graph.count();
    let verdict = decide(terms, blast, &open, budget, &mut statistics).map(|steps| {
        let outputs = (0..pairs.len()).collect();
        Verdict::Equal(vec![Proof { outputs, lanes: false, steps }])
    });
    Comparison { verdict: verdict.unwrap_or_else(|verdict| verdict), statistics }
}

/// The steps that show the claims; or another verdict.
fn decide(
    terms: &Terms,
    blast: &Blast<Graph>,
    claims: &[Claim],
    budget: &Budget,
    statistics: &mut Statistics,
) -> Result<Vec<Step>, Verdict> {
    if claims.is_empty() {
        return Ok(Vec::new());
    }
    let different = |claim: &Claim, inputs: FxHashMap<u32, bool>| Verdict::Different {
        output: claim.output,
        counterexample: assignment(terms, &blast.leaves, &inputs),
    };
    let graph = &blast.gates;
    let pairs: Vec<(Literal, Literal)> = claims.iter().map(|claim| claim.pair).collect();
    if let Some(difference) = simulate::find_difference(graph, &pairs) {
        let inputs = graph.inputs().iter().copied().zip(difference.inputs).collect();
        return Err(different(&claims[difference.pair], inputs));
    }
    statistics.gates_after = 0;
    let mut steps = Vec::new();
    let mut proved: FxHashSet<Shape> = FxHashSet::default();
    for part in parts::apart(graph, &pairs) {
        if proved.contains(&part.shape) {
            continue;
        }
        let mut swept = Swept::new(&part);
        let outcome = swept.decide(&part.shape, budget);
        *statistics += swept.sweep.statistics;
        statistics.gates_after += swept.sweep.count();
        if let Some((pair, inputs)) = outcome {
            let claim = &claims[part.pairs[pair]];
            return Err(match inputs {
                Some(inputs) => different(claim, swept.original(&part, &inputs)),
                None => Verdict::Undecided { output: claim.output, reason: Reason::TooManyConflicts },
            });
        }
        steps.append(&mut swept.sweep.steps);
        proved.insert(part.shape);
    }
    Ok(steps)
}

/// A part of a graph, built again with equal gates merged.
struct Swept {
    sweep: Sweep,
    /// For each gate of the part the literal that it has become.
    literals: Vec<Literal>,
}

impl Swept {
    fn new(part: &Part) -> Swept {
        let mut swept = Swept { sweep: Sweep::default(), literals: Vec::with_capacity(part.origin.len()) };
        for &gate in &part.shape.gates {
            let literal = swept.built(gate);
            swept.literals.push(literal);
        }
        swept
    }

    fn built(&mut self, gate: Gate) -> Literal {
        match gate {
            Gate::Zero => Literal::ZERO,
            Gate::Input => self.sweep.input(),
            Gate::And(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.sweep.and(a, b)
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.sweep.xor(a, b)
            }
        }
    }

    fn of(&self, literal: Literal) -> Literal {
        self.literals[literal.gate() as usize].xor(literal.is_complement())
    }

    /// The first pair that is not known to be equal, and inputs of the sweep for which it differs, if it does.
    fn decide(&mut self, shape: &Shape, budget: &Budget) -> Option<(usize, Option<Inputs>)> {
        for (index, &(left, right)) in shape.pairs.iter().enumerate() {
            match self.sweep.decide(self.of(left), self.of(right), budget) {
                Decision::Equal => {}
                Decision::Different(inputs) => return Some((index, Some(inputs))),
                Decision::Undecided => return Some((index, None)),
            }
        }
        None
    }

    /// Values of the graph's inputs from those of the sweep's.
    fn original(&self, part: &Part, values: &[(u32, bool)]) -> FxHashMap<u32, bool> {
        let values: FxHashMap<u32, bool> = values.iter().copied().collect();
        let inputs = self.literals.iter().zip(&part.origin);
        inputs.filter_map(|(literal, &origin)| Some((origin, *values.get(&literal.gate())?))).collect()
    }
}
