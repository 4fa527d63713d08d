//! The SAT solver: is a sum modulo 2 of gates a constant? Gates are given to it layer by layer.

use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, lbool};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;

use super::graph::{Gate, Graph, Literal};
use crate::effort::DECISIONS_PER_CONFLICT;

/// Counts conflicts and stops the search when there are too many. The limit is a count, not a time, so that verdicts
/// are reproducible.
#[derive(Default)]
struct Limit {
    conflicts: u64,
    decisions: Cell<u64>,
    most: u64,
}

impl Callbacks for Limit {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        self.conflicts += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        self.decisions.set(self.decisions.get() + 1);
        self.conflicts >= self.most || self.decisions.get() >= self.most.saturating_mul(DECISIONS_PER_CONFLICT)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The sum is the constant for all values of these leaves.
    Constant(Vec<u32>),
    /// The sum is not the constant at these values of the inputs below; known only if all leaves are inputs.
    Differs(Vec<(u32, bool)>),
    /// The budget ran out, or leaves that are no inputs leave it open.
    Unknown,
}

/// Limits on a search below the targets.
#[derive(Clone, Copy)]
pub struct Depth<'g> {
    /// Gates at which the search stops; `None` to stop only at inputs.
    pub stop: Option<&'g [bool]>,
    pub max_gates: usize,
    pub conflicts: u64,
}

/// One question, asked at several depths.
pub struct Query<'g> {
    graph: &'g Graph,
    targets: &'g [u32],
    solver: Solver<Limit>,
    variables: FxHashMap<u32, Lit>,
    /// Gates whose meaning the solver knows.
    defined: FxHashSet<u32>,
}

impl<'g> Query<'g> {
    /// Asks whether the sum modulo 2 of the targets can be anything but `value`.
    pub fn new(graph: &'g Graph, targets: &'g [u32], value: bool) -> Self {
        let solver = Solver::new(SolverOpts::default(), Limit::default());
        let mut query =
            Query { graph, targets, solver, variables: FxHashMap::default(), defined: FxHashSet::default() };
        let mut sum: Option<Lit> = None;
        for &target in targets {
            let bit = query.variable(target);
            sum = Some(match sum {
                None => bit,
                Some(so_far) => {
                    let next = query.fresh();
                    query.define_xor(next, so_far, bit);
                    next
                }
            });
        }
        if let Some(sum) = sum {
            query.clause(&[if value { !sum } else { sum }]);
        }
        query
    }

    /// Looks for a difference, with the meaning of gates down to the given depth.
    pub fn ask(&mut self, depth: Depth) -> Outcome {
        let Some(leaves) = self.define_down_to(depth) else { return Outcome::Unknown };
        let limit = self.solver.cb_mut();
        (limit.conflicts, limit.most) = (0, depth.conflicts);
        limit.decisions.set(0);
        let result = self.solver.solve_limited(&[]);
        if result == lbool::FALSE {
            return Outcome::Constant(leaves);
        }
        let all_inputs = leaves.iter().all(|&leaf| self.graph.gate(leaf) == Gate::Input);
        if result != lbool::TRUE || !all_inputs {
            return Outcome::Unknown;
        }
        let model = |leaf: &u32| {
            let lit = self.variables[leaf];
            (*leaf, self.solver.value_lit(lit) == lbool::TRUE)
        };
        Outcome::Differs(leaves.iter().map(model).collect())
    }

    /// Returns the number of conflicts of the latest search.
    pub fn conflicts(&self) -> u64 {
        self.solver.cb().conflicts
    }

    /// Defines gates for the solver, and returns the leaves; `None` if there are too many gates.
    fn define_down_to(&mut self, depth: Depth) -> Option<Vec<u32>> {
        let mut leaves = Vec::new();
        let mut met = FxHashSet::default();
        let mut stack = self.targets.to_vec();
        while let Some(gate) = stack.pop() {
            if !met.insert(gate) {
                continue;
            }
            if met.len() > depth.max_gates {
                return None;
            }
            let stops = depth.stop.is_some_and(|stop| stop[gate as usize]) && !self.targets.contains(&gate);
            match self.graph.operands(gate) {
                Some((a, b)) if !stops => {
                    self.define(gate);
                    stack.extend([a, b]);
                }
                _ if gate == 0 => self.define(gate),
                _ => {
                    self.variable(gate);
                    leaves.push(gate);
                }
            }
        }
        leaves.sort_unstable();
        Some(leaves)
    }

    fn define(&mut self, gate: u32) {
        if !self.defined.insert(gate) {
            return;
        }
        let out = self.variable(gate);
        match self.graph.gate(gate) {
            Gate::Zero => self.clause(&[!out]),
            Gate::Input => {}
            Gate::And(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                self.clause(&[!out, a]);
                self.clause(&[!out, b]);
                self.clause(&[out, !a, !b]);
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                self.define_xor(out, a, b);
            }
        }
    }

    fn define_xor(&mut self, out: Lit, a: Lit, b: Lit) {
        self.clause(&[!out, a, b]);
        self.clause(&[!out, !a, !b]);
        self.clause(&[out, !a, b]);
        self.clause(&[out, a, !b]);
    }

    fn clause(&mut self, literals: &[Lit]) {
        self.solver.add_clause_reuse(&mut literals.to_vec());
    }

    fn literal(&mut self, literal: Literal) -> Lit {
        self.variable(literal.gate()).apply_sign(!literal.is_complement())
    }

    fn variable(&mut self, gate: u32) -> Lit {
        if let Some(&known) = self.variables.get(&gate) {
            return known;
        }
        let fresh = self.fresh();
        self.variables.insert(gate, fresh);
        fresh
    }

    fn fresh(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }
}
