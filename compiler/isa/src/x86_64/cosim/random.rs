//! Random numbers that are biased to extreme values.

/// A linear congruential generator, which is random enough for inputs of tests (Knuth, MMIX).
pub(super) struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^ (mixed >> 32)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// A word that is often zero, ones, one bit, a run of ones, or small in every lane of some width.
    pub fn word(&mut self) -> u64 {
        let value = self.next();
        match self.below(12) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << (value & 63),
            3 => u64::MAX << (value & 63),
            4 => i64::MAX as u64,
            5 => value & 0x0f0f_0f0f_0f0f_0f0f,
            6 => value & 0x003f_003f_003f_003f,
            7 => value & 0x0000_003f_0000_003f,
            8 => value & 0x7f,
            9 => value | 0x8080_8080_8080_8080,
            _ => value,
        }
    }
}
