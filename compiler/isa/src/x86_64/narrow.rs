//! Conversions of vector lanes to narrower ones, by truncation or saturation.

use super::machine::{Machine, Memory, Outcome};
use super::saturate::{Clamp, clamp};
use crate::Values;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `vpmovqd` and the like: converts lanes of `from` bits to lanes of `to` bits at the low end of the destination.
    pub fn narrow(&mut self, from: u32, to: u32, how: Clamp) -> Outcome<(), V, M> {
        let bits = self.bits(1);
        let source = self.read(1)?;
        let lanes = self.values.split(bits, &source, from);
        let lanes: Vec<_> = lanes.iter().map(|lane| clamp(self.values, from, to, lane, how)).collect();
        let word = self.values.join(to, &lanes);
        let length = bits / from * to;
        if self.is_memory(0) {
            return self.store_lanes(to, length, &word);
        }
        self.finish(to, length, &word)
    }

    /// `packuswb` and the like: in each 128 bits, the lanes of the first source below those of the second, saturated.
    pub fn pack(&mut self, from: u32, how: Clamp) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.vector_sources()?;
        let (a, b) = (self.values.split(bits, &a, 128), self.values.split(bits, &b, 128));
        let mut lanes = Vec::with_capacity((2 * bits / from) as usize);
        for block in a.iter().zip(&b).flat_map(|(a, b)| [a, b]) {
            for lane in self.values.split(128, block, from) {
                lanes.push(clamp(self.values, from, from / 2, &lane, how));
            }
        }
        let word = self.values.join(from / 2, &lanes);
        self.finish(from / 2, bits, &word)
    }
}
