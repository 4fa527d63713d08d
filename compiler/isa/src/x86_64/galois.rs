//! Arithmetic in GF(2)[x] and GF(2^8).

use std::sync::LazyLock;

use super::flags::parity;
use super::machine::{Machine, Memory, Outcome};
use super::vector_logic::zip;
use crate::Values;
use crate::galois::{byte_table, double, inverse, look_up};
use crate::rounds::product;
use culet_types::program::Table;

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
        let table = inverse.then(|| &*INVERSES);
        let word = zip(self.values, 64, bits, [&a, &matrices], |values, _, lane, matrix| {
            let rows = values.split(64, matrix, 8);
            let bytes = values.split(64, lane, 8);
            let bytes: Vec<_> = bytes
                .iter()
                .map(|byte| {
                    let byte = table.map_or_else(|| byte.clone(), |table| look_up(values, table, byte));
                    affine_byte(values, &rows, &byte, constant)
                })
                .collect();
            values.join(8, &bytes)
        });
        // The mask of these instructions has one bit for each byte.
        self.finish(8, bits, &word)
    }
}

/// Bit i of the result is the parity of the bitwise and of row 7 - i and the byte, plus bit i of the constant.
fn affine_byte<V: Values>(values: &mut V, rows: &[V::Word], byte: &V::Word, constant: u32) -> V::Word {
    let product: Vec<_> = rows
        .iter()
        .rev()
        .map(|row| {
            let terms = values.and(8, row, byte);
            parity(values, 8, &terms)
        })
        .collect();
    let product = values.join(1, &product);
    let constant = values.constant(8, u64::from(constant));
    values.xor(8, &product, &constant)
}

static INVERSES: LazyLock<Table> = LazyLock::new(|| byte_table(inverse));

/// `gf2p8mulb`: like `product`, on words.
pub(super) fn multiply<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let (mut product, mut multiple) = (values.constant(bits, 0), a.clone());
    for place in 0..bits {
        let bit = values.extract(bits, b, place, 1);
        let mask = values.broadcast_bit(bits, &bit);
        let term = values.and(bits, &multiple, &mask);
        product = values.xor(bits, &product, &term);
        multiple = double(values, &multiple);
    }
    product
}
