//! A hash of everything that the time of a program may depend on, for comparing runs with different secrets.

/// The hash of a sequence of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace(u64);

impl Trace {
    pub(crate) const NEW: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Adds a word. Every step is a bijection of the state, so that two sequences that differ in one word differ at the end.
    #[inline(always)]
    pub(crate) fn add(&mut self, word: u32) {
        self.0 = (self.0 ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }

    /// The hash.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }
}
