//! Pairs of words in one graph: what both sides have made there.

use std::rc::Rc;

use culet_term::Terms;
use rustc_hash::FxHashMap;

use super::blast::Blast;
use super::graph::{Gate, Gates, Graph, Literal};
use super::query::assignment;
use super::sweep::{Decision, Sweep};
use super::{Budget, Comparison, Proof, Reason, Statistics, Step, Verdict, simulate};

type Word = Rc<[Literal]>;

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
    let mut swept = Swept::new(graph, &pairs);
    let found = claims.iter().find_map(|claim| {
        let (left, right) = (swept.of(claim.pair.0), swept.of(claim.pair.1));
        match swept.sweep.decide(left, right, budget) {
            Decision::Equal => None,
            Decision::Different(inputs) => Some(different(claim, swept.original(&inputs))),
            Decision::Undecided => Some(Verdict::Undecided { output: claim.output, reason: Reason::TooManyConflicts }),
        }
    });
    *statistics += swept.sweep.statistics;
    statistics.gates_after = swept.sweep.count();
    found.map_or(Ok(swept.sweep.steps), Err)
}

/// What some literals are made from, built again with equal gates merged.
struct Swept {
    sweep: Sweep,
    /// For each gate of the graph the literal that it has become; zero for those that were not needed.
    literals: Vec<Literal>,
    /// From the inputs of the sweep to those of the graph.
    inputs: FxHashMap<u32, u32>,
}

impl Swept {
    fn new(graph: &Graph, pairs: &[(Literal, Literal)]) -> Swept {
        let roots: Vec<Literal> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        let needed = graph.below(&roots);
        let literals = vec![Literal::ZERO; graph.count()];
        let mut swept = Swept { sweep: Sweep::default(), literals, inputs: FxHashMap::default() };
        for gate in (0..graph.count() as u32).filter(|&gate| needed[gate as usize]) {
            swept.literals[gate as usize] = swept.built(graph, gate);
        }
        swept
    }

    fn built(&mut self, graph: &Graph, gate: u32) -> Literal {
        match graph.gate(gate) {
            Gate::Zero => Literal::ZERO,
            Gate::Input => {
                let input = self.sweep.input();
                self.inputs.insert(input.gate(), gate);
                input
            }
            Gate::And(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.sweep.and(a, b)
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                let before = self.sweep.count();
                let sum = self.sweep.xor(a, b);
                if graph.is_sealed(gate) && self.sweep.count() > before {
                    self.sweep.seal(sum);
                }
                sum
            }
        }
    }

    fn of(&self, literal: Literal) -> Literal {
        self.literals[literal.gate() as usize].xor(literal.is_complement())
    }

    fn original(&self, inputs: &[(u32, bool)]) -> FxHashMap<u32, bool> {
        inputs.iter().filter_map(|(input, value)| Some((*self.inputs.get(input)?, *value))).collect()
    }
}
