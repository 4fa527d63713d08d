//! Bytes from hexadecimal digits, and those that look random.

/// Bytes from hexadecimal digits; spaces do not count.
pub fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).expect("ASCII"), 16).expect("digits");
    digits.chunks(2).map(byte).collect()
}

/// So many bytes from hexadecimal digits.
pub fn bytes<const N: usize>(text: &str) -> [u8; N] {
    hex(text).try_into().expect("as many bytes as there are")
}

/// Numbers that look random, the same ones in each run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Xorshift with a multiplication: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn vector(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| (self.next() >> 32) as u8).collect()
    }

    pub fn array<const N: usize>(&mut self) -> [u8; N] {
        self.vector(N).try_into().expect("N bytes")
    }
}
