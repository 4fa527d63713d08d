//! Reproducible random numbers: SplitMix64 (Steele, Lea, Flood 2014).

#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng(seed)
    }

    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..limit`.
    pub fn below(&mut self, limit: u32) -> u32 {
        (self.draw() % u64::from(limit.max(1))) as u32
    }

    /// A number between `low` and `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.draw() % (high - low + 1) as u64) as i64
    }

    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u32) as usize]
    }

    /// A word of `bits` bits, often an extreme one that may reveal errors.
    pub fn word(&mut self, bits: u32) -> u64 {
        let all = u64::MAX >> (64 - bits);
        match self.below(8) {
            0 => *self.pick(&[0, 1, all, 1 << (bits - 1), all >> 1]),
            _ => self.draw() & all,
        }
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.draw() as u8).collect()
    }
}
