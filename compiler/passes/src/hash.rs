//! Hash maps for keys that are small numbers: one multiplication per word instead of a keyed hash, because nobody
//! attacks them here.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Multiply>>;

/// Mixes each word in by a rotation and a multiplication with an odd constant (2⁶⁴ divided by the golden ratio).
#[derive(Default)]
pub struct Multiply(u64);

impl Hasher for Multiply {
    fn finish(&self) -> u64 {
        // The map takes its bucket from the low bits, the product is best in the high ones.
        self.0.rotate_left(26)
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }
}
