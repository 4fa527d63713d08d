//! Saturating arithmetic on vector lanes.

use super::machine::{Machine, Memory, Outcome};
use super::vector_logic::zip;
use crate::Values;

/// The treatment of a lane that does not fit a narrower one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Clamp {
    /// Keeps its low bits.
    Cut,
    /// Takes it as signed; gives the nearest signed number.
    Signed,
    /// Takes it as signed; gives the nearest unsigned number.
    SignedToUnsigned,
    /// Takes it as unsigned; gives the nearest unsigned number.
    Unsigned,
}

pub(super) fn clamp<V: Values>(values: &mut V, from: u32, to: u32, lane: &V::Word, how: Clamp) -> V::Word {
    let low = values.extract(from, lane, 0, to);
    if how == Clamp::Cut {
        return low;
    }
    let back = match how {
        Clamp::Signed => values.sign_extend(from, to, &low),
        _ => values.zero_extend(from, to, &low),
    };
    let fits = values.equal(from, &back, lane);
    let sign = values.extract(from, lane, from - 1, 1);
    let negative = values.broadcast_bit(to, &sign);
    let beyond = match how {
        Clamp::Unsigned => values.ones(to),
        Clamp::SignedToUnsigned => values.not(to, &negative),
        // The least number is a one followed by zeros, the greatest a zero followed by ones.
        _ => {
            let greatest = values.constant(to, u64::MAX >> (65 - to));
            values.xor(to, &greatest, &negative)
        }
    };
    values.select(to, &fits, &low, &beyond)
}

pub(super) fn add_unsigned<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let zero = values.constant(1, 0);
    let (sum, carry) = values.addc(bits, a, b, &zero);
    let beyond = values.broadcast_bit(bits, &carry);
    values.or(bits, &sum, &beyond)
}

pub(super) fn subtract_unsigned<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let zero = values.constant(1, 0);
    let (difference, borrow) = values.subb(bits, a, b, &zero);
    let beyond = values.broadcast_bit(bits, &borrow);
    values.andn(bits, &difference, &beyond)
}

pub(super) fn add_signed<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let (a, b) = (values.sign_extend(bits + 1, bits, a), values.sign_extend(bits + 1, bits, b));
    let sum = values.add(bits + 1, &a, &b);
    clamp(values, bits + 1, bits, &sum, Clamp::Signed)
}

pub(super) fn subtract_signed<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let (a, b) = (values.sign_extend(bits + 1, bits, a), values.sign_extend(bits + 1, bits, b));
    let difference = values.sub(bits + 1, &a, &b);
    clamp(values, bits + 1, bits, &difference, Clamp::Signed)
}

/// `pmaddubsw`: bytes of the first source are unsigned, those of the second are signed.
pub(super) fn multiply_add_bytes<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let (a, b) = (values.split(bits, a, 8), values.split(bits, b, 8));
    let products: Vec<_> = a
        .iter()
        .zip(&b)
        .map(|(a, b)| {
            let (a, b) = (values.zero_extend(bits + 1, 8, a), values.sign_extend(bits + 1, 8, b));
            values.mul(bits + 1, &a, &b)
        })
        .collect();
    let sum = values.add(bits + 1, &products[0], &products[1]);
    clamp(values, bits + 1, bits, &sum, Clamp::Signed)
}

/// `psadbw`: the sum of the absolute differences of eight bytes.
pub(super) fn sum_of_distances<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let distances = zip(values, 8, bits, [a, b], |values, _, a, b| {
        let (over, under) = (subtract_unsigned(values, 8, a, b), subtract_unsigned(values, 8, b, a));
        values.or(8, &over, &under)
    });
    let mut sum = values.constant(bits, 0);
    for distance in values.split(bits, &distances, 8) {
        let distance = values.zero_extend(bits, 8, &distance);
        sum = values.add(bits, &sum, &distance);
    }
    sum
}

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `phadd` and `phsub`: in each 128 bits, the results for neighbours in the first source, then for those in the
    /// second.
    pub fn horizontal(
        &mut self,
        element: u32,
        operation: fn(&mut V, u32, &V::Word, &V::Word) -> V::Word,
    ) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.vector_sources()?;
        let (a, b) = (self.values.split(bits, &a, 128), self.values.split(bits, &b, 128));
        let mut lanes = Vec::with_capacity((bits / element) as usize);
        for block in a.iter().zip(&b).flat_map(|(a, b)| [a, b]) {
            for pair in self.values.split(128, block, element).chunks(2) {
                lanes.push(operation(self.values, element, &pair[0], &pair[1]));
            }
        }
        let word = self.values.join(element, &lanes);
        self.finish(element, bits, &word)
    }
}
