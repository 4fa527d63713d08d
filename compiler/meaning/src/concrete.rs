//! Machine words: the domain of `culet run`, of tests and of constant folding.

use crate::Domain;
use culet_types::program::Table;

/// Words are `u64`s below 2^bits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Concrete;

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

impl Domain for Concrete {
    type Word = u64;

    fn constant(&mut self, bits: u32, value: u64) -> u64 {
        assert_eq!(value & mask(bits), value, "a constant fits its width");
        value
    }

    fn not(&mut self, bits: u32, a: &u64) -> u64 {
        !a & mask(bits)
    }

    fn and(&mut self, _: u32, a: &u64, b: &u64) -> u64 {
        a & b
    }

    fn or(&mut self, _: u32, a: &u64, b: &u64) -> u64 {
        a | b
    }

    fn xor(&mut self, _: u32, a: &u64, b: &u64) -> u64 {
        a ^ b
    }

    fn add(&mut self, bits: u32, a: &u64, b: &u64) -> u64 {
        a.wrapping_add(*b) & mask(bits)
    }

    fn sub(&mut self, bits: u32, a: &u64, b: &u64) -> u64 {
        a.wrapping_sub(*b) & mask(bits)
    }

    fn mul_wide(&mut self, bits: u32, a: &u64, b: &u64) -> (u64, u64) {
        let product = u128::from(*a) * u128::from(*b);
        (product as u64 & mask(bits), (product >> bits) as u64 & mask(bits))
    }

    fn shl(&mut self, bits: u32, a: &u64, amount: u32) -> u64 {
        (a << amount) & mask(bits)
    }

    fn shr(&mut self, _: u32, a: &u64, amount: u32) -> u64 {
        a >> amount
    }

    fn sar(&mut self, bits: u32, a: &u64, amount: u32) -> u64 {
        let signed = (a << (64 - bits)) as i64 >> (64 - bits);
        (signed >> amount) as u64 & mask(bits)
    }

    fn extract(&mut self, _: u32, a: &u64, low: u32, length: u32) -> u64 {
        (a >> low) & mask(length)
    }

    fn concat(&mut self, _: u32, high: &u64, low_bits: u32, low: &u64) -> u64 {
        (high << low_bits) | low
    }

    // The methods below only save time: each is equal to its definition in the trait.

    fn mul(&mut self, bits: u32, a: &u64, b: &u64) -> u64 {
        a.wrapping_mul(*b) & mask(bits)
    }

    fn broadcast_bit(&mut self, bits: u32, bit: &u64) -> u64 {
        bit.wrapping_neg() & mask(bits)
    }

    fn select(&mut self, _: u32, condition: &u64, then: &u64, otherwise: &u64) -> u64 {
        otherwise ^ (condition.wrapping_neg() & (then ^ otherwise))
    }

    fn table(&mut self, bits: u32, table: &Table, inputs: &[u64]) -> Vec<u64> {
        let mut outputs = vec![0; table.outputs as usize];
        for position in 0..bits {
            let index = inputs.iter().fold(0, |index, word| (index << 1) | (word >> position & 1));
            let value = table.values[index as usize];
            for (output, word) in outputs.iter_mut().rev().enumerate() {
                *word |= (value >> output & 1) << position;
            }
        }
        outputs
    }
}
