//! Rounds of AES (FIPS 197) on each block of 128 bits: byte r + 4c of a block is row r of column c.

use super::galois::{byte_table, double, inverse, look_up};
use super::machine::{Machine, Memory, Outcome};
use super::vector_logic::zip;
use crate::Values;
use culet_types::program::Table;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Round {
    Encrypt,
    EncryptLast,
    Decrypt,
    DecryptLast,
}

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `aesenc` and the like; the second source is the round key.
    pub fn aes_round(&mut self, round: Round) -> Outcome<(), V, M> {
        let (bits, [state, key]) = self.vector_sources()?;
        let forward = matches!(round, Round::Encrypt | Round::EncryptLast);
        let table = if forward { byte_table(substitution) } else { inverse_substitution() };
        let word = zip(self.values, 128, bits, [&state, &key], |values, _, block, key| {
            let bytes: Vec<_> = values.split(128, block, 8).iter().map(|byte| look_up(values, &table, byte)).collect();
            let shifted: Vec<_> = (0..16).map(|place| bytes[shifted_from(place, forward)].clone()).collect();
            let mixed = match round {
                Round::Encrypt => mix_columns(values, &shifted, [2, 3, 1, 1]),
                Round::Decrypt => mix_columns(values, &shifted, [14, 11, 13, 9]),
                _ => shifted,
            };
            let mixed = values.join(8, &mixed);
            values.xor(128, &mixed, key)
        });
        self.finish(128, bits, &word)
    }

    /// `aesimc`
    pub fn aes_inverse_mix_columns(&mut self) -> Outcome<(), V, M> {
        let block = self.read_bits(1, 128)?;
        let bytes = self.values.split(128, &block, 8);
        let mixed = mix_columns(self.values, &bytes, [14, 11, 13, 9]);
        let word = self.values.join(8, &mixed);
        self.finish(128, 128, &word)
    }

    /// `aeskeygenassist`
    pub fn aes_key_assist(&mut self) -> Outcome<(), V, M> {
        let source = self.read_bits(1, 128)?;
        let constant = self.immediate(2)?;
        let constant = self.values.constant(32, u64::from(constant));
        let table = byte_table(substitution);
        let words = self.values.split(128, &source, 32);
        let mut result = Vec::with_capacity(4);
        for word in [&words[1], &words[3]] {
            let bytes = self.values.split(32, word, 8);
            let bytes: Vec<_> = bytes.iter().map(|byte| look_up(self.values, &table, byte)).collect();
            let word = self.values.join(8, &bytes);
            let rotated = self.values.rotl(32, &word, 24);
            result.push(word);
            result.push(self.values.xor(32, &rotated, &constant));
        }
        let word = self.values.join(32, &result);
        self.finish(32, 128, &word)
    }
}

/// The place of the byte that ShiftRows, or its inverse, moves to `place`.
fn shifted_from(place: usize, forward: bool) -> usize {
    let (row, column) = (place % 4, place / 4);
    let column = if forward { column + row } else { column + 4 - row };
    row + 4 * (column % 4)
}

/// Byte r of a column is the sum of byte r + k times coefficient k.
fn mix_columns<V: Values>(values: &mut V, bytes: &[V::Word], coefficients: [u32; 4]) -> Vec<V::Word> {
    let mut mixed = Vec::with_capacity(16);
    for place in 0..16 {
        let (row, column) = (place % 4, place / 4 * 4);
        let mut sum = values.constant(8, 0);
        for (distance, coefficient) in coefficients.into_iter().enumerate() {
            let mut multiple = bytes[column + (row + distance) % 4].clone();
            for bit in 0..4 {
                if coefficient >> bit & 1 == 1 {
                    sum = values.xor(8, &sum, &multiple);
                }
                multiple = double(values, &multiple);
            }
        }
        mixed.push(sum);
    }
    mixed
}

/// The S-box of AES (FIPS 197, section 5.1.1).
fn substitution(byte: u8) -> u8 {
    let b = inverse(byte);
    b ^ b.rotate_left(1) ^ b.rotate_left(2) ^ b.rotate_left(3) ^ b.rotate_left(4) ^ 0x63
}

fn inverse_substitution() -> Table {
    let mut inverse = [0; 256];
    for byte in 0..=255 {
        inverse[usize::from(substitution(byte))] = byte;
    }
    byte_table(|byte| inverse[usize::from(byte)])
}
