//! Bytes as elements of GF(2^8), the field of AES (FIPS 197, section 4), and tables of bytes.

use std::sync::LazyLock;

use culet_types::program::Table;

use crate::Values;

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

/// The byte times x.
pub(crate) fn double<V: Values>(values: &mut V, a: &V::Word) -> V::Word {
    let top = values.extract(8, a, 7, 1);
    let mask = values.broadcast_bit(8, &top);
    let modulus = values.constant(8, 0x1b);
    let reduction = values.and(8, &mask, &modulus);
    let shifted = values.shl(8, a, 1);
    values.xor(8, &shifted, &reduction)
}

/// `gf2p8affineqb` on a word of 64 bits: each byte, or its inverse, times the matrix, plus the constant.
pub(crate) fn affine<V: Values>(
    values: &mut V,
    bytes: &V::Word,
    matrix: &V::Word,
    inverse: bool,
    constant: u32,
) -> V::Word {
    let rows = values.split(64, matrix, 8);
    let mut images = Vec::with_capacity(8);
    for byte in values.split(64, bytes, 8) {
        let byte = if inverse { look_up(values, &INVERSES, &byte) } else { byte };
        images.push(affine_byte(values, &rows, &byte, constant));
    }
    values.join(8, &images)
}

/// Bit i of the result is the parity of the bitwise and of row 7 - i and the byte, plus bit i of the constant.
fn affine_byte<V: Values>(values: &mut V, rows: &[V::Word], byte: &V::Word, constant: u32) -> V::Word {
    let product: Vec<_> = rows
        .iter()
        .rev()
        .map(|row| {
            let terms = values.and(8, row, byte);
            values.parity(8, &terms)
        })
        .collect();
    let product = values.join(1, &product);
    let constant = values.constant(8, u64::from(constant));
    values.xor(8, &product, &constant)
}

static INVERSES: LazyLock<Table> = LazyLock::new(|| byte_table(inverse));

/// `gf2p8mulb`: like `product`, on words.
pub(crate) fn multiply<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
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
