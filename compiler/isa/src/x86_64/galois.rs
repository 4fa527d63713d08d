//! Arithmetic in GF(2)[x] and GF(2^8).

use super::machine::{Machine, Memory, Outcome};
use super::vector_logic::zip;
use crate::Values;
use crate::galois::affine;
use crate::rounds::product;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `pclmulqdq`: in each 128 bits, the product of one half of each source.
    pub fn carryless_multiply(&mut self) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.vector_sources()?;
        let choice = self.immediate(self.first_source() + 2)?;
        let is_high = [choice & 1 == 1, choice >> 4 & 1 == 1];
        let word = zip(self.values, 128, bits, [&a, &b], |values, _, a, b| product(values, [a, b], is_high));
        self.finish(128, bits, &word)
    }

    /// `gf2p8affineqb`, and with `inverse` `gf2p8affineinvqb`: each byte of the first source, or its inverse, times the
    /// matrix in the corresponding 64-bit lane of the second source, plus the immediate.
    pub fn affine(&mut self, inverse: bool) -> Outcome<(), V, M> {
        let (bits, [a, matrices]) = self.vector_sources()?;
        let constant = self.immediate(self.first_source() + 2)?;
        let word = zip(self.values, 64, bits, [&a, &matrices], |values, _, bytes, matrix| {
            affine(values, bytes, matrix, inverse, constant)
        });
        // The mask of these instructions has one bit for each byte.
        self.finish(8, bits, &word)
    }
}
