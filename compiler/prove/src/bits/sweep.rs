//! A graph that merges gates while it grows: a new gate that simulates like an old one is proved equal to it, or shown
//! different, or stays.
//!
//! What is merged never becomes an operand, so the graph holds one gate for all gates proved equal, and each proof needs
//! to look only at what changed since the last merged gates below.

use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::hash::BuildHasher;

use super::cuts::Cuts;
use super::graph::{Gate, Gates, Graph, Literal};
use super::linear::Sum;
use super::parity;
use super::simulate::{Signature, WORDS, combine, input_signature, random};
use super::solver::{Depth, Outcome, Query};
use super::{Budget, Rule, Statistics, Step};

/// Candidates tried for a new gate.
const MAX_CANDIDATES: usize = 4;
/// Words of a signature that stay as they are.
const FIXED: usize = 16;
/// Bounds of the solver's first look at a pair, which ends at merged gates.
const NEAR: (usize, u64) = (1500, 300);
/// Bounds of its second look, down to the inputs.
const FAR: (usize, u64) = (60_000, 1000);
/// Conflicts that all second looks together may spend.
const ALL_FAR: u64 = 50_000;
/// Second looks that may end without an answer: each costs as much as the whole graph below.
const MAX_FAR_FAILURES: u64 = 40;

pub struct Sweep {
    pub graph: Graph,
    /// The first words are of patterns that stay, those after [`FIXED`] of counterexamples, as these come up.
    signatures: Vec<Signature>,
    /// Counterexamples so far.
    refinements: usize,
    /// Gates by the first words of their signature or its complement.
    classes: FxHashMap<u64, SmallVec<[u32; 2]>>,
    /// Gates that have been met again: where cuts end.
    merged: Vec<bool>,
    cuts: Cuts,
    seed: u64,
    far_conflicts: u64,
    far_failures: u64,
    pub steps: Vec<Step>,
    pub statistics: Statistics,
}

/// What is known about two literals after the best attempt.
pub enum Decision {
    Equal,
    /// The values of the graph's inputs at which they differ.
    Different(Vec<(u32, bool)>),
    Undecided,
}

impl Gates for Sweep {
    fn input(&mut self) -> Literal {
        let input = self.graph.input();
        let signature = input_signature(self.graph.inputs().len() - 1);
        self.register(signature);
        self.merged[input.gate() as usize] = true;
        input
    }

    fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let before = self.graph.count();
        let literal = self.graph.and(a, b);
        self.settle(before, literal)
    }

    fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let before = self.graph.count();
        let literal = self.graph.xor(a, b);
        self.settle(before, literal)
    }

    fn seal(&mut self, sum: Literal) {
        self.graph.seal(sum);
    }

    fn count(&self) -> usize {
        self.graph.count()
    }

    fn factors(&self, product: Literal) -> Option<[Literal; 2]> {
        self.graph.factors(product)
    }
}

impl Default for Sweep {
    fn default() -> Self {
        let mut sweep = Sweep {
            graph: Graph::without_functions(),
            signatures: Vec::new(),
            refinements: 0,
            classes: FxHashMap::default(),
            merged: Vec::new(),
            cuts: Cuts::default(),
            seed: 1,
            far_conflicts: 0,
            far_failures: 0,
            steps: Vec::new(),
            statistics: Statistics::default(),
        };
        sweep.register([0; _]);
        sweep.merged[0] = true;
        sweep
    }
}

impl Sweep {
    /// Whether two literals are equal, with the whole budget.
    pub fn decide(&mut self, a: Literal, b: Literal, budget: &Budget) -> Decision {
        if a == b {
            return Decision::Equal;
        }
        let value = a.is_complement() != b.is_complement();
        let targets = self.targets(a.gate(), b.gate()).swap_remove(0);
        if targets.is_empty() && !value {
            self.steps.push(Step::Output { left: a, right: b, rule: Rule::Sum });
            return Decision::Equal;
        }
        let mut query = Query::new(&self.graph, &targets, value);
        for stop in [Some(&self.merged[..]), None] {
            let depth = Depth { stop, max_gates: budget.gates, conflicts: budget.conflicts };
            let outcome = query.ask(depth);
            self.statistics.solver_calls += 1;
            self.statistics.conflicts += query.conflicts();
            match outcome {
                Outcome::Constant(leaves) => {
                    let rule = Rule::Solver { targets: targets.to_vec(), leaves };
                    self.steps.push(Step::Output { left: a, right: b, rule });
                    return Decision::Equal;
                }
                Outcome::Differs(inputs) => return Decision::Different(inputs),
                Outcome::Unknown => {}
            }
        }
        Decision::Undecided
    }

    /// A gate that has just been made gets its signature, and gives way to an equal one.
    fn settle(&mut self, before: usize, literal: Literal) -> Literal {
        let number = literal.gate();
        // What lies between, where a product is written as another one and a sum.
        for between in (before..self.graph.count()).filter(|&between| between != number as usize) {
            let signature = self.simulate(self.graph.gate(between as u32));
            self.register(signature);
        }
        if (number as usize) < self.signatures.len() {
            self.merged[number as usize] = true;
            return literal;
        }
        let gate = self.graph.gate(number);
        let mut signature = self.simulate(gate);
        let key = key(&signature);
        let candidates = self.classes.get(&key).cloned().unwrap_or_default();
        let mut tried = 0;
        for &candidate in candidates.iter().rev() {
            let value = signature[0] & 1 != self.signatures[candidate as usize][0] & 1;
            if tried == MAX_CANDIDATES {
                break;
            }
            if !self.agree(candidate, &signature, value) {
                continue;
            }
            tried += 1;
            if let Some(rule) = self.prove(number, candidate, value) {
                return self.merge(gate, Literal::new(candidate, value), rule).xor(literal.is_complement());
            }
            // A counterexample may have changed the patterns.
            signature = self.simulate(gate);
        }
        self.register(signature);
        literal
    }

    /// Replaces the latest gate.
    fn merge(&mut self, gate: Gate, target: Literal, rule: Rule) -> Literal {
        self.graph.replace_last(target);
        self.merged[target.gate() as usize] = true;
        self.steps.push(Step::Merge { gate, equals: target, rule });
        target
    }

    fn register(&mut self, signature: Signature) {
        let number = self.signatures.len() as u32;
        self.classes.entry(key(&signature)).or_default().push(number);
        self.signatures.push(signature);
        self.merged.push(false);
    }

    /// The signature of the latest gate.
    fn simulate(&self, gate: Gate) -> Signature {
        match gate {
            Gate::And(a, b) => combine(&self.signatures, a, b, |x, y| x & y),
            Gate::Xor(a, b) => combine(&self.signatures, a, b, |x, y| x ^ y),
            Gate::Zero | Gate::Input => [0; _],
        }
    }

    /// Whether the new gate is `candidate`, or its complement if `value`, on all patterns.
    fn agree(&self, candidate: u32, signature: &Signature, value: bool) -> bool {
        let mask = u64::from(value).wrapping_neg();
        let old = &self.signatures[candidate as usize];
        signature.iter().zip(old).all(|(x, y)| x ^ y == mask)
    }

    /// What can be shown constant to show that `a` is `b` or its complement, the most promising first: what is left of them as sums
    /// modulo 2 when common summands are gone, if that is little, and the two themselves.
    fn targets(&self, a: u32, b: u32) -> Vec<Sum> {
        let pair: Sum = [a, b].into_iter().filter(|&gate| gate != 0).collect();
        let mut targets = parity::rests(&self.graph, &pair);
        targets.push(pair);
        targets
    }

    /// Whether `a` is `b`, or its complement if `value`, by the cheapest rule that shows it.
    fn prove(&mut self, a: u32, b: u32, value: bool) -> Option<Rule> {
        let all = self.targets(a, b);
        if all[0].is_empty() {
            return (!value).then_some(Rule::Sum);
        }
        for targets in all.iter().rev() {
            if let Some(leaves) = self.cuts.prove_constant(&self.graph, &self.merged, targets, value) {
                self.statistics.table_merges += 1;
                return Some(Rule::TruthTable { targets: targets.to_vec(), leaves });
            }
        }
        let targets = &all[0];
        match self.ask_solver(targets, value) {
            Outcome::Constant(leaves) => {
                self.statistics.solver_merges += 1;
                Some(Rule::Solver { targets: targets.to_vec(), leaves })
            }
            Outcome::Differs(inputs) => {
                self.statistics.refuted += 1;
                self.refine(&inputs);
                None
            }
            Outcome::Unknown => {
                self.statistics.unknown += 1;
                None
            }
        }
    }

    /// First down to merged gates; then, while that is affordable, to the inputs.
    fn ask_solver(&mut self, targets: &[u32], value: bool) -> Outcome {
        // The gate in question has no entry yet; being a target, it is no place to stop.
        self.merged.push(false);
        let mut query = Query::new(&self.graph, targets, value);
        let near = Depth { stop: Some(&self.merged), max_gates: NEAR.0, conflicts: NEAR.1 };
        let mut outcome = query.ask(near);
        self.statistics.solver_calls += 1;
        self.statistics.conflicts += query.conflicts();
        let affordable = self.far_conflicts < ALL_FAR && self.far_failures < MAX_FAR_FAILURES;
        if outcome == Outcome::Unknown && affordable {
            outcome = query.ask(Depth { stop: None, max_gates: FAR.0, conflicts: FAR.1 });
            self.statistics.solver_calls += 1;
            self.statistics.conflicts += query.conflicts();
            self.far_conflicts += query.conflicts();
            self.far_failures += u64::from(outcome == Outcome::Unknown);
        }
        self.merged.pop();
        outcome
    }

    /// 64 other patterns, around a counterexample: itself, and others a few inputs away.
    fn refine(&mut self, inputs: &[(u32, bool)]) {
        let given: FxHashMap<u32, bool> = inputs.iter().copied().collect();
        let word = FIXED + self.refinements % (WORDS - FIXED);
        self.refinements += 1;
        for number in 0..self.signatures.len() {
            let of = |literal: Literal| self.signatures[literal.gate() as usize][word] ^ literal.mask();
            self.signatures[number][word] = match self.graph.gate(number as u32) {
                Gate::And(a, b) => of(a) & of(b),
                Gate::Xor(a, b) => of(a) ^ of(b),
                Gate::Zero => 0,
                Gate::Input => {
                    let flips = random(&mut self.seed) & random(&mut self.seed) & random(&mut self.seed) & !1;
                    match given.get(&(number as u32)) {
                        Some(&value) => u64::from(value).wrapping_neg() ^ flips,
                        None => random(&mut self.seed),
                    }
                }
            };
        }
    }
}

/// Equal for a signature and its complement.
fn key(signature: &Signature) -> u64 {
    let mask = (signature[0] & 1).wrapping_neg();
    let fixed: [u64; FIXED] = std::array::from_fn(|i| signature[i] ^ mask);
    FxBuildHasher.hash_one(fixed)
}
