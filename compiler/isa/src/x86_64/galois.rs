//! Arithmetic in GF(2)[x] and GF(2^8).

use super::flags::parity;
use super::machine::{Machine, Memory, Outcome};
use super::vector_logic::zip;
use crate::Values;
use culet_types::program::Table;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `pclmulqdq`: in each 128 bits, the product of one half of each source.
    pub fn carryless_multiply(&mut self) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.vector_sources()?;
        let choice = self.immediate(self.first_source() + 2)?;
        let word = zip(self.values, 128, bits, [&a, &b], |values, _, a, b| {
            let a = values.extract(128, a, 64 * (choice & 1), 64);
            let b = values.extract(128, b, 64 * (choice >> 4 & 1), 64);
            let (low, high) = values.clmul(64, &a, &b);
            values.concat(64, &high, 64, &low)
        });
        self.finish(128, bits, &word)
    }

    /// `gf2p8affineqb`, and with `inverse` `gf2p8affineinvqb`: each byte of the first source, or its inverse, times the
    /// matrix in the corresponding 64-bit lane of the second source, plus the immediate.
    pub fn affine(&mut self, inverse: bool) -> Outcome<(), V, M> {
        let (bits, [a, matrices]) = self.vector_sources()?;
        let constant = self.immediate(self.first_source() + 2)?;
        let table = inverse.then(inverses);
        let word = zip(self.values, 64, bits, [&a, &matrices], |values, _, lane, matrix| {
            let rows = values.split(64, matrix, 8);
            let bytes = values.split(64, lane, 8);
            let bytes: Vec<_> = bytes
                .iter()
                .map(|byte| {
                    let byte = table.as_ref().map_or_else(|| byte.clone(), |table| look_up(values, table, byte));
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

/// The value of a table of bytes at one byte.
pub(crate) fn look_up<V: Values>(values: &mut V, table: &Table, byte: &V::Word) -> V::Word {
    let mut bits = values.split(8, byte, 1);
    bits.reverse();
    let mut outputs = values.table(1, table, &bits);
    outputs.reverse();
    values.join(1, &outputs)
}

pub(crate) fn byte_table(values: impl Fn(u8) -> u8) -> Table {
    Table { inputs: 8, outputs: 8, values: (0..=255).map(|byte| u64::from(values(byte))).collect() }
}

fn inverses() -> Table {
    byte_table(inverse)
}

/// The inverse in GF(2^8), with 0 for 0, as the power 254.
pub(crate) fn inverse(a: u8) -> u8 {
    (0..253).fold(a, |power, _| product(power, a))
}

/// The product in GF(2^8) of AES (FIPS 197, section 4.2).
fn product(a: u8, b: u8) -> u8 {
    let (mut product, mut multiple) = (0, a);
    for place in 0..8 {
        if b >> place & 1 == 1 {
            product ^= multiple;
        }
        multiple = multiple << 1 ^ if multiple & 0x80 != 0 { 0x1b } else { 0 };
    }
    product
}

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

/// The byte times x.
pub(crate) fn double<V: Values>(values: &mut V, a: &V::Word) -> V::Word {
    let top = values.extract(8, a, 7, 1);
    let mask = values.broadcast_bit(8, &top);
    let modulus = values.constant(8, 0x1b);
    let reduction = values.and(8, &mask, &modulus);
    let shifted = values.shl(8, a, 1);
    values.xor(8, &shifted, &reduction)
}
