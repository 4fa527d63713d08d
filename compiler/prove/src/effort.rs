//! Effort: the numbers that bound the search for a proof, each with what it was measured on.
//!
//! No number decides whether a proof is right. With smaller numbers more functions stay open; with larger ones a proof
//! that fails takes longer. "Not measured" says that a number was chosen so that the proofs of its time went through,
//! and that no record says more.

use culet_decide::bits::Budget;
use culet_decide::field::Effort;

/// Limits on one comparison of words that must be equal for every number of blocks or bytes. Not measured.
pub(crate) const PUBLIC_WORDS: Budget = Budget { gates: 100_000, conflicts: 10_000 };

/// Number of random inputs on which results of functions on registers are compared before anything is written out in
/// gates. Not measured.
pub(crate) const SAMPLES_OF_REGISTERS: u64 = 2;

/// Minimum width in bits of words whose results are kept for executions that differ in the stack pointer only. Chosen
/// for the matrix of kernels, where some proofs took more than 20 s or 1 GiB; not measured beyond that.
pub(crate) const MIN_KEPT_BITS: usize = 128;

/// Recognition of words of a program in an execution (`single/cuts.rs`).
pub(crate) mod cut_points {
    /// Maximum number of terms of an unfolded definition in a final comparison. Raised from 800 to 2000 for programs
    /// over fields without messages; not measured beyond that.
    pub const MAX_UNFOLDED: usize = 2000;

    /// Maximum number of terms where polynomials over GF(2) are multiplied, whose sums are cut into pieces by shifts,
    /// or where sums of bits modulo 2 take the place of cut points. Chosen for GHASH by integer products; not measured
    /// beyond that.
    pub const MAX_IN_BITS: usize = 20_000;

    /// Extra terms allowed in a lookup, beyond twice those of the term and of the candidate's definition together.
    /// Raised from 150 to 2000 for programs over fields without messages; not measured beyond that.
    pub const MAX_MORE: usize = 2000;

    /// [`MAX_MORE`] where inputs are messages, short ones among them: a term a few steps from their bytes often has the
    /// value of an unrelated word. Not measured.
    pub const MAX_MORE_OF_MESSAGES: usize = 150;

    /// Maximum number of terms in a lookup where the term is made of the candidate itself, or of a later cut point. Not
    /// measured.
    pub const MAX_AGAIN: usize = 60;

    /// Maximum number of rounds in which cut points give way to their definitions, in a lookup. Not measured.
    pub const ROUNDS: usize = 6;

    /// Maximum number of such rounds in a final comparison. Not measured.
    pub const LAST_ROUNDS: usize = 16;

    /// Maximum number of terms of a multiple of an unknown, or of a sum. Not measured.
    pub const MAX_MULTIPLE: usize = 5;

    /// Maximum width in bits of a condition: more than one, since bounds may say that only the lowest bit is set. Not
    /// measured.
    pub const CONDITION: u32 = 2;

    /// Maximum distance, in cut points, between a small word and the latest cut point that it is made of. Chosen for
    /// 2^130 − 5 in full words; not measured beyond that.
    pub const SOON: u32 = 16;

    /// Values below this bound match too many words to identify one. Not measured.
    pub const COMMON: u64 = 1 << 16;
}

/// Comparison of two words (`single/equal.rs`).
pub(crate) mod equalities {
    use super::Effort;

    /// Maximum number of terms of a pair that is compared as integers. Not measured.
    pub const MAX_INTEGERS: usize = 3000;

    /// Maximum number of masks in a pair that is compared as integers first: with more, choices depend on choices,
    /// which makes too many cases. Chosen for lookups in tables; not measured beyond that.
    pub const MASKS: usize = 2;

    /// Effort for one pair. Measured on the programs over fields of its time: nearly all pairs that are proved take a
    /// hundredth of it.
    pub const EFFORT: Effort = Effort { whole: 2_000_000, search: 500_000 };

    /// Number of assignments on which a pair must agree before a proof is tried: half of them random, half with rows
    /// that carries run through. Fewer do not distinguish words that differ by a rare carry only, as those of a prime
    /// with words of ones do; a proof attempt on such a pair takes long and fails. Raised from 8 to 16 for secp256k1 by
    /// clang and P-384 by both compilers, then to 256 for P-384 and p448 in words of 32 bits.
    pub const TRIALS: u64 = 256;
}

/// Executions of functions on words (`single`).
pub(crate) mod words {
    /// Maximum number of instructions that are executed on a sample. Not measured.
    pub const SCREENED: u64 = 10_000;

    /// Terms that count against the limit for each term of a failed comparison with a word of the program. If a word is
    /// not recognised, the terms made of it are not recognised either, and they grow: such an execution is to end.
    /// Chosen for X25519 in lanes, whose proof went on for hours; not measured beyond that.
    pub const TERMS_OF_LOST: usize = 16;

    /// Steps with monomials in failed comparisons that count as one term. Chosen with [`TERMS_OF_LOST`].
    pub const STEPS_OF_TERM: u64 = 16;

    /// Maximum number of instructions that are followed where a loop over a stream writes memory, in one iteration and after the loop. SHA-512
    /// has some thousands; not measured beyond that.
    pub const MAX_STEPS_OF_KEPT: u64 = 1 << 18;

    /// Maximum period of a stream in bytes: as many lengths are examined one by one. Not measured.
    pub const MAX_PERIOD: u64 = 1024;

    /// Numbers of periods, beyond the least, of the streams on which the head and the invariant are sought. Not
    /// measured.
    pub const TRIED_PERIODS: [i64; 2] = [3, 4];

    /// Maximum number of periods by which an induction may start above the fewest possible; shorter streams are
    /// executed one by one. Not measured.
    pub const MORE_PERIODS: i64 = 2;

    /// Maximum number of ways on which a function goes by what is public besides lengths. Operations of the library have up to 20, and some
    /// hundreds where they look whether many arguments overlap.
    pub const MOST_WAYS: usize = 1 << 11;
}

/// Functions on blocks (`run`).
pub(crate) mod blocks {
    /// Number of iterations on which the head and the invariant are sought; one more is tried, too. Not measured.
    pub const TRIED_ITERATIONS: i64 = 3;
}

/// Elements of fields as symbols (`elements`).
pub(crate) mod elements {
    /// Maximum number of choosing bits whose values are distinguished by cases. Not measured.
    pub const MAX_CHOICES: usize = 12;

    /// Number of random inputs on which programs are run that are not proved to be the same. Not measured.
    pub const TRIALS: u64 = 16;

    /// Maximum number of products in a sum that is multiplied out. Not measured.
    pub const LARGEST: usize = 1 << 12;
}

/// Contracts (`contract`).
pub(crate) mod contracts {
    /// Number of assignments that are tried before a proof, since most wrong functions are wrong for many. Not
    /// measured.
    pub const FIRST_SAMPLES: u64 = 32;

    /// Number of assignments that are tried in all, if there is no proof. Not measured.
    pub const SAMPLES: u64 = 4096;

    /// Number of samples for an equation that holds for all values of results: one that holds for all samples is taken
    /// for such an equation, and refused. Not measured.
    pub const SAMPLES_OF_RESULTS: u64 = 1000;
}
