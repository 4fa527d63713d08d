//! Equality of terms, bit for bit: cheapest means first, and every verdict with its reasons.
//!
//! 1. Terms with one normal form are equal; concatenations are compared part by part.
//! 2. Both sides become one graph of AND and XOR gates, in which equal structure is shared; sums modulo 2 and sums of
//!    integers are shared however they are bracketed, and functions of three gates however they are written. Words that
//!    are computed bitwise take one literal ([`lanes`]).
//! 3. Random patterns: an output that differs is a counterexample at once.
//! 4. The graph is built again and swept: a gate with the same simulated values as an older one is proved equal to it
//!    by a truth table over a cut of few gates, or by a SAT solver, first down to gates near by and then down to the
//!    inputs. A counterexample of the solver becomes a pattern.
//! 5. Outputs that are still apart are put to the solver with the whole budget.
//!
//! A budget that runs out is a verdict of its own and never a pass. Counterexamples are confirmed by evaluating the
//! terms.

pub mod blast;
pub(crate) mod cuts;
pub mod graph;
mod lanes;
mod linear;
mod literals;
mod local;
mod pairs;
mod parity;
mod parts;
mod query;
pub(crate) mod simulate;
mod solver;
mod sums;
mod sweep;
#[cfg(test)]
mod tests;

use culet_term::{Assignment, Term};

use self::graph::{Gate, Literal};
pub use literals::compare_literals;
pub use query::{compare, compare_instances};
pub use simulate::random;

use crate::effort::COMPARISON;

/// Limits on a comparison. They are counts, not seconds, so that verdicts do not depend on the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// Maximum number of gates of a graph.
    pub gates: usize,
    /// Maximum number of conflicts of the solver for one output.
    pub conflicts: u64,
}

impl Default for Budget {
    fn default() -> Self {
        COMPARISON
    }
}

/// A verdict, with statistics of the work that it took.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison {
    pub verdict: Verdict,
    pub statistics: Statistics,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Every pair is equal on all inputs.
    Equal(Vec<Proof>),
    /// A pair, by its index, and values of the inputs at which its terms differ.
    Different { output: usize, counterexample: Assignment },
    /// A pair about which nothing is known.
    Undecided { output: usize, reason: Reason },
}

/// Reason why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// More gates than the budget allows.
    TooManyGates,
    /// The solver spent its budget.
    TooManyConflicts,
    /// A product of this many bits is not written out in gates.
    WideProduct(u32),
    /// The term is not computed bitwise, so that its bits are no instances of one circuit.
    MixesBits(Term),
    /// Terms of different widths cannot be equal.
    Widths,
    /// The graph differs where the terms do not, or inputs that were declared independent are not.
    Unconfirmed,
}

/// Proof of a group of pairs: replaying the steps while the graph is built leaves equal literals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// Indices of the pairs whose parts the group holds.
    pub outputs: Vec<usize>,
    /// Whether one literal stands for a whole word.
    pub lanes: bool,
    /// Steps in the order in which the graph needs them. Gates are numbered without those that were merged.
    pub steps: Vec<Step>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step {
    /// A new gate is this literal of an older one.
    Merge { gate: Gate, equals: Literal, rule: Rule },
    /// Two outputs are equal.
    Output { left: Literal, right: Literal, rule: Rule },
}

/// Reason why two literals are equal. If there are targets, their sum modulo 2 is constant for all values of the
/// leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Both are sums modulo 2 of the same gates.
    Sum,
    TruthTable {
        targets: Vec<u32>,
        leaves: Vec<u32>,
    },
    Solver {
        targets: Vec<u32>,
        leaves: Vec<u32>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Gates of the shared graphs, before sweeping and after.
    pub gates: usize,
    pub gates_after: usize,
    /// Parts of pairs that were one literal without sweeping, and parts in all.
    pub structural_outputs: usize,
    pub outputs: usize,
    /// Merges by truth table and by the solver.
    pub table_merges: u64,
    pub solver_merges: u64,
    /// Candidates that the solver refuted, and that it left open.
    pub refuted: u64,
    pub unknown: u64,
    pub solver_calls: u64,
    pub conflicts: u64,
}

impl std::ops::AddAssign for Statistics {
    fn add_assign(&mut self, other: Self) {
        self.gates += other.gates;
        self.gates_after += other.gates_after;
        self.structural_outputs += other.structural_outputs;
        self.outputs += other.outputs;
        self.table_merges += other.table_merges;
        self.solver_merges += other.solver_merges;
        self.refuted += other.refuted;
        self.unknown += other.unknown;
        self.solver_calls += other.solver_calls;
        self.conflicts += other.conflicts;
    }
}
