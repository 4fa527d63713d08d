//! A graph that merges gates while it grows: a new gate with the same simulated values as an old one is proved equal to
//! it, or shown different, or stays.
//!
//! A merged gate never becomes an operand, so the graph holds one gate for all gates proved equal, and each proof needs
//! to look only at gates above the last merged ones.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::cuts::Cuts;
use super::graph::{Gate, Graph, Literal};
use super::linear::Sum;
use super::parity;
use super::simulate::Signatures;
use super::solver::{Depth, Outcome, Query};
use super::{Budget, Rule, Statistics, Step};
use crate::effort::sweep::{ALL_FAR, FAR, MAX_CANDIDATES, MAX_FAR_FAILURES, MAX_SOLVER_CANDIDATES, NEAR};

/// Gates of a given graph, built again.
pub struct Sweep<'g> {
    given: &'g [Gate],
    signatures: Signatures,
    graph: Graph,
    /// For each given gate the literal that it has become.
    literals: Vec<Literal>,
    /// For each gate a given literal that it is; `None` for gates in between, if a product is written as another
    /// product and a sum.
    origins: Vec<Option<Literal>>,
    /// Gates by the key of their signature.
    classes: FxHashMap<u64, Class>,
    /// Whether each gate has been met again; cuts end at such gates.
    merged: Vec<bool>,
    cuts: Cuts,
    far_conflicts: u64,
    far_failures: u64,
    pub steps: Vec<Step>,
    pub statistics: Statistics,
}

type Class = SmallVec<[u32; 2]>;

/// Outcome of comparing two literals after the best attempt.
pub enum Decision {
    Equal,
    /// The values of given inputs at which they differ.
    Different(FxHashMap<u32, bool>),
    Undecided,
}

impl<'g> Sweep<'g> {
    /// Builds the given gates again. Operands come before their users; the first gate is the constant.
    pub fn new(given: &'g [Gate]) -> Sweep<'g> {
        let mut sweep = Sweep {
            given,
            signatures: Signatures::new(given),
            graph: Graph::without_functions(),
            literals: Vec::with_capacity(given.len()),
            origins: vec![None],
            classes: FxHashMap::default(),
            merged: vec![true],
            cuts: Cuts::default(),
            far_conflicts: 0,
            far_failures: 0,
            steps: Vec::new(),
            statistics: Statistics::default(),
        };
        for (number, &gate) in (0..).zip(given) {
            let literal = sweep.built(number, gate);
            sweep.literals.push(literal);
        }
        sweep.statistics.gates_after = sweep.graph.count();
        sweep
    }

    /// Compares two given literals with the whole budget.
    pub fn decide(&mut self, a: Literal, b: Literal, budget: &Budget) -> Decision {
        let (a, b) = (self.of(a), self.of(b));
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
                Outcome::Differs(inputs) => return Decision::Different(self.of_given(&inputs)),
                Outcome::Unknown => {}
            }
        }
        Decision::Undecided
    }

    fn of(&self, literal: Literal) -> Literal {
        self.literals[literal.gate() as usize].xor(literal.is_complement())
    }

    /// Returns values of given inputs from the values of the graph's inputs.
    fn of_given(&self, inputs: &[(u32, bool)]) -> FxHashMap<u32, bool> {
        let given = |&(input, value): &(u32, bool)| Some((self.origins[input as usize]?.gate(), value));
        inputs.iter().filter_map(given).collect()
    }

    /// Returns the literal that a given gate becomes: a gate that exists, one that is proved equal, or a new one.
    fn built(&mut self, number: u32, gate: Gate) -> Literal {
        let before = self.graph.count();
        let literal = match gate {
            Gate::Zero => Literal::ZERO,
            Gate::Input => self.graph.input(),
            Gate::And(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.graph.and(a, b)
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.graph.xor(a, b)
            }
        };
        self.origins.resize(self.graph.count(), None);
        self.merged.resize(self.graph.count(), false);
        let made = literal.gate() as usize;
        let (is_old, is_input) = (made < before, gate == Gate::Input);
        self.merged[made] |= is_old || is_input;
        if self.origins[made].is_some() {
            return literal;
        }
        let origin = Literal::new(number, literal.is_complement());
        let may_be_removed = !is_old && !is_input && made + 1 == self.graph.count();
        if may_be_removed && let Some((equal, rule)) = self.find_equal(literal.gate(), origin) {
            self.merge(equal, rule);
            return equal.xor(literal.is_complement());
        }
        self.origins[made] = Some(origin);
        self.classes.entry(self.signatures.key(number)).or_default().push(literal.gate());
        literal
    }

    /// Replaces the latest gate by a literal that is equal to it.
    fn merge(&mut self, equal: Literal, rule: Rule) {
        let gate = self.graph.gate(self.graph.count() as u32 - 1);
        self.graph.replace_last(equal);
        self.origins.pop();
        self.merged.pop();
        self.merged[equal.gate() as usize] = true;
        self.steps.push(Step::Merge { gate, equals: equal, rule });
    }

    /// Finds an older gate, or its complement, that is proved equal to the latest one. `origin` is the given literal
    /// that the latest one is.
    fn find_equal(&mut self, latest: u32, origin: Literal) -> Option<(Literal, Rule)> {
        let class = self.classes.get(&self.signatures.key(origin.gate()))?.clone();
        // The oldest may be the constant; of the others the latest are the likeliest.
        let in_order = || class.iter().take(1).chain(class.iter().skip(1).rev()).copied();
        for candidate in in_order().take(MAX_CANDIDATES) {
            let equal = self.candidate(candidate, origin)?;
            if let Some(rule) = self.by_table(latest, equal) {
                return Some((equal, rule));
            }
        }
        for candidate in in_order().take(MAX_SOLVER_CANDIDATES) {
            // Counterexamples may have separated them.
            let Some(equal) = self.candidate(candidate, origin) else { continue };
            if let Some(rule) = self.by_solver(latest, equal) {
                return Some((equal, rule));
            }
        }
        None
    }

    /// Returns the gate or its complement, if it agrees with a given literal on all patterns.
    fn candidate(&self, gate: u32, literal: Literal) -> Option<Literal> {
        let origin = self.origins[gate as usize]?;
        let signatures = &self.signatures;
        let agrees = signatures.key(origin.gate()) == signatures.key(literal.gate());
        agrees.then(|| Literal::new(gate, signatures.first(origin) != signatures.first(literal)))
    }

    /// Returns sums that, if they are constant, show that `a` is `b` or its complement, the most promising first:
    /// remainders of both as sums modulo 2 when common summands are gone, if they are small, and the two themselves.
    fn targets(&self, a: u32, b: u32) -> Vec<Sum> {
        let pair: Sum = [a, b].into_iter().filter(|&gate| gate != 0).collect();
        let mut targets = parity::rests(&self.graph, &pair);
        targets.push(pair);
        targets
    }

    /// Proves that a gate is this literal, without the solver.
    fn by_table(&mut self, gate: u32, equal: Literal) -> Option<Rule> {
        let value = equal.is_complement();
        let all = self.targets(gate, equal.gate());
        if all[0].is_empty() {
            return (!value).then_some(Rule::Sum);
        }
        for targets in all.into_iter().rev() {
            if let Some(leaves) = self.cuts.prove_constant(&self.graph, &self.merged, &targets, value) {
                self.statistics.table_merges += 1;
                return Some(Rule::TruthTable { targets: targets.to_vec(), leaves });
            }
        }
        None
    }

    /// Proves that a gate is this literal, by the solver.
    fn by_solver(&mut self, gate: u32, equal: Literal) -> Option<Rule> {
        let targets = self.targets(gate, equal.gate()).swap_remove(0);
        match self.ask_solver(&targets, equal.is_complement()) {
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

    /// Asks the solver down to merged gates first; then, while that is affordable, down to the inputs.
    fn ask_solver(&mut self, targets: &[u32], value: bool) -> Outcome {
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
        outcome
    }

    /// Separates gates by a counterexample and others like it.
    fn refine(&mut self, inputs: &[(u32, bool)]) {
        self.signatures.refine(self.given, &self.of_given(inputs));
        self.classes.clear();
        for (gate, origin) in self.origins.iter().enumerate() {
            if let Some(origin) = origin {
                self.classes.entry(self.signatures.key(origin.gate())).or_default().push(gate as u32);
            }
        }
    }
}
