//! Shared parts of the tests of the primitives: the primitives themselves, and other implementations of them.

pub mod fields;
pub mod modes;
pub mod references;
mod rust;
pub mod shelf;

/// A small generator of bytes (SplitMix64), so that a failure is reproducible.
pub struct Bytes(u64);

impl Bytes {
    pub fn new(seed: &str) -> Bytes {
        Bytes(seed.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3)))
    }

    pub fn take(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| (self.next() >> 32) as u8).collect()
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
