//! Effort: the numbers that bound the search for an answer, each with what it was measured on.
//!
//! No number decides whether an answer is right. With smaller numbers more questions stay open; with larger ones a
//! question that stays open takes longer. "Not measured" says that a number was chosen so that the proofs of its time
//! went through, and that no record says more.

use crate::bits::Budget;
use crate::field::Effort;

/// Limits on one comparison, unless the caller has others. Not measured.
pub(crate) const COMPARISON: Budget = Budget { gates: 8_000_000, conflicts: 200_000 };

/// Effort for an operation on elements of a field: it takes some seconds. Measured on products: four times the effort
/// for the longest one.
pub(crate) const OPERATION: Effort = Effort { whole: 20_000_000, search: 20_000_000 };

/// Maximum number of products in all sums of bits modulo 2 of one comparison; bits that come after that are unknown. Not
/// measured.
pub(crate) const MAX_PARITY_PRODUCTS: usize = 1 << 24;

/// Width in bits of the widest product that is written out in gates. Not measured.
pub(crate) const MAX_PRODUCT_BITS: u32 = 160;

/// Number of decisions of the solver that count as one conflict: they cost less, but a search may have many of them and
/// no conflict. Not measured.
pub(crate) const DECISIONS_PER_CONFLICT: u64 = 2000;

/// Merging of gates (`bits/sweep.rs`).
pub(crate) mod sweep {
    /// Maximum number of candidates for a new gate that are tried by truth tables; [`MAX_SOLVER_CANDIDATES`] is the
    /// number that are put to the solver. Raised from 4 for bitsliced SHA-256 by clang and by gcc -O3; not measured beyond
    /// that.
    pub const MAX_CANDIDATES: usize = 8;
    pub const MAX_SOLVER_CANDIDATES: usize = 3;

    /// Limits on gates and conflicts of the solver's first query about a pair, which ends at merged gates. Not measured.
    pub const NEAR: (usize, u64) = (1500, 300);

    /// Limits on gates and conflicts of its second query, down to the inputs. Not measured.
    pub const FAR: (usize, u64) = (60_000, 1000);

    /// Maximum number of conflicts of all second queries together. Not measured.
    pub const ALL_FAR: u64 = 50_000;

    /// Maximum number of second queries without an answer: each costs as much as the whole graph below. Not measured.
    pub const MAX_FAR_FAILURES: u64 = 40;
}

/// Simulation of gates (`bits/simulate.rs`).
pub(crate) mod simulate {
    /// Number of simulations of 512 patterns to find differences; [`SIGNATURE_PASSES`] is the number to compare gates.
    /// Products of many factors are seldom one, and are taken for zero if there are too few patterns. Measured on
    /// bitsliced SHA-256 by clang and by gcc -O3: 2048 patterns are too few, and 65,536 are enough.
    pub const DIFFERENCE_PASSES: u64 = 4;
    pub const SIGNATURE_PASSES: u64 = 128;
}

/// Truth tables (`bits/cuts.rs`).
pub(crate) mod cuts {
    /// Maximum number of leaves of a truth table. Not measured.
    pub const MAX_LEAVES: usize = 12;

    /// Maximum number of leaves of a cut on the way to one of fewer; [`MAX_WIDTH_LATEST`] is for other orders than the
    /// narrow one. Not measured.
    pub const MAX_WIDTH: usize = 18;
    pub const MAX_WIDTH_LATEST: usize = 80;

    /// Maximum number of gates between the targets and the leaves. Not measured.
    pub const MAX_CONE: usize = 500;
}

/// Functions of three gates (`bits/local.rs`).
pub(crate) mod local {
    /// Maximum number of gates that a function may depend on, on the way to one of three. Chosen for SHA-256 and
    /// SHA-512; not measured beyond that.
    pub const MAX_WIDTH: usize = 5;

    /// Maximum number of gates between a gate and those that it is a function of. Chosen with [`MAX_WIDTH`].
    /// Raised from 7 for majorities of SHA-512 as `vpternlog` and XOR.
    pub const MAX_CONE: usize = 10;
}

/// Sums (`bits/sums.rs`, `bits/linear.rs`, `bits/parity.rs`).
pub(crate) mod sums {
    /// Maximum number of summands of a sum of integers; a longer sum counts as a summand of its own. Hash functions add
    /// up the results of many rounds. Raised from 16 to 4096 for SHA-256 and SHA-512.
    pub const MAX_SUMMANDS: usize = 4096;

    /// Maximum number of XOR gates that are written as their operands, to see whether a sum is zero. Chosen for
    /// bitsliced SHA-256; not measured beyond that.
    pub const MAX_ZERO_STEPS: usize = 10_000;

    /// Maximum number of XOR gates that are written as their operands, to compare two sums. Chosen for SHA-256 and
    /// SHA-512; not measured beyond that.
    pub const MAX_REST_STEPS: usize = 1000;

    /// Maximum number of summands at once in such a comparison. Not measured.
    pub const MAX_REST_SUMMANDS: usize = 200;

    /// Maximum number of sets of summands that are looked at in such a comparison. Not measured.
    pub const MAX_RESTS: usize = 3;
}

/// Words as integers (`field`).
pub(crate) mod integers {
    /// Maximum number of bits whose cases are distinguished one within the other. Chosen so that all builds of the
    /// field functions in `prove/tests/field` are proved; not measured beyond that.
    pub const MAX_DEPTH: usize = 3;

    /// Maximum number of bits that are tried as alternatives. Chosen with [`MAX_DEPTH`].
    pub const MAX_TRIED: usize = 4;

    /// Maximum number of floors that are compared with one another. Chosen with [`MAX_DEPTH`].
    pub const MAX_FLOORS: usize = 4;

    /// Maximum number of cases in which one goal is tried. Chosen with [`MAX_DEPTH`].
    pub const MAX_CASES: u32 = 64;

    /// Maximum number of floors that are written as quotients, one after the other, in search of a bound. Not measured.
    pub const MAX_DIGITS: u32 = 24;

    /// Maximum number of candidates among which the best bound is chosen. Not measured.
    pub const MAX_CANDIDATES: usize = 8;

    /// Maximum number of bits of the common denominator in search of a bound; [`MAX_MONOMIALS`] is that of monomials. Not
    /// measured.
    pub const MAX_SCALE: u32 = 4096;
    pub const MAX_MONOMIALS: usize = 2048;

    /// Maximum depth of bitwise operations within one another that are taken as one function: a choice between a number
    /// with and without a multiple of the modulus and something else has six levels, as compilers write it for primes in
    /// Montgomery's form. Not measured beyond that.
    pub const MAX_LEVELS: u32 = 6;
}
