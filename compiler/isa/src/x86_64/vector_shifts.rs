//! Shifts and rotations of vector lanes.

use super::machine::{Machine, Memory, Outcome};
use super::shifts::{Shift, by_word};
use super::vector_logic::zip;
use crate::Values;

/// The result for an amount that is at least the lane's width.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beyond {
    Zero,
    /// Copies of the sign bit.
    Sign,
    /// The result for the amount modulo the width.
    Wrap,
}

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// Shifts all lanes by one amount: an immediate, or the low 64 bits of a register or of 128 bits in memory.
    pub fn shift_lanes(&mut self, element: u32, shift: Shift<V>, beyond: Beyond) -> Outcome<(), V, M> {
        let (bits, first) = (self.bits(0), self.first_source());
        // Legacy and VEX forms with an immediate have no second source: the immediate is the last operand in all forms.
        let a = self.read_bits(first, bits)?;
        if self.is_immediate(first + 1)
            && let Some(word) = self.values.blurred(bits, &[&a])
        {
            return self.finish(element, bits, &word);
        }
        let count = if self.is_immediate(first + 1) {
            let count = self.immediate(first + 1)?;
            self.values.constant(64, u64::from(count))
        } else {
            let word = self.read_bits(first + 1, 128)?;
            self.values.extract(128, &word, 0, 64)
        };
        let lanes = self.values.split(bits, &a, element);
        let lanes: Vec<_> =
            lanes.iter().map(|lane| shift_lane(self.values, element, lane, 64, &count, shift, beyond)).collect();
        let word = self.values.join(element, &lanes);
        self.finish(element, bits, &word)
    }

    /// Shifts each lane by the amount in the corresponding lane: `vpsllv`, `vprolv` and the like.
    pub fn shift_each(&mut self, element: u32, shift: Shift<V>, beyond: Beyond) -> Outcome<(), V, M> {
        let (bits, [a, counts]) = self.vector_sources()?;
        let word = zip(self.values, element, bits, [&a, &counts], |values, element, lane, count| {
            shift_lane(values, element, lane, element, count, shift, beyond)
        });
        self.finish(element, bits, &word)
    }

    /// `vpshld` and `vpshrd`: shifts concatenated lanes of two registers by an immediate.
    pub fn funnel_lanes(&mut self, element: u32, left: bool) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (a, b) = (self.read(1)?, self.read_bits(2, bits)?);
        let count = self.immediate(3)?;
        let word = zip(self.values, element, bits, [&a, &b], |values, element, a, b| {
            let count = values.constant(element, u64::from(count % element));
            funnel(values, element, [a, b], &count, left)
        });
        self.finish(element, bits, &word)
    }

    /// `vpshldv` and `vpshrdv`: the destination is the first register; operand 2 has the amounts.
    pub fn funnel_each(&mut self, element: u32, left: bool) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (a, b, counts) = (self.read(0)?, self.read(1)?, self.read_bits(2, bits)?);
        let [a, b, counts] = [a, b, counts].map(|word| self.values.split(bits, &word, element));
        let lanes: Vec<_> =
            (0..a.len()).map(|lane| funnel(self.values, element, [&a[lane], &b[lane]], &counts[lane], left)).collect();
        let word = self.values.join(element, &lanes);
        self.finish(element, bits, &word)
    }

    /// `pslldq` and `psrldq`: shifts each 128 bits by bytes.
    pub fn shift_bytes(&mut self, left: bool) -> Outcome<(), V, M> {
        let (bits, first) = (self.bits(0), self.first_source());
        let a = self.read_bits(first, bits)?;
        let amount = 8 * self.immediate(first + 1)?.min(16);
        let blocks = self.values.split(bits, &a, 128);
        let blocks: Vec<_> = blocks
            .iter()
            .map(|block| match left {
                _ if amount == 128 => self.values.zero(128),
                true => self.values.shl(128, block, amount),
                false => self.values.shr(128, block, amount),
            })
            .collect();
        let word = self.values.join(128, &blocks);
        self.finish(128, bits, &word)
    }
}

fn shift_lane<V: Values>(
    values: &mut V,
    element: u32,
    lane: &V::Word,
    count_bits: u32,
    count: &V::Word,
    shift: Shift<V>,
    beyond: Beyond,
) -> V::Word {
    let shifted = by_word(values, element, lane, count_bits, count, shift);
    let fill = match beyond {
        Beyond::Wrap => return shifted,
        Beyond::Zero => values.constant(element, 0),
        Beyond::Sign => values.sar(element, lane, element - 1),
    };
    let limit = values.constant(count_bits, u64::from(element));
    let within = values.below(count_bits, count, &limit);
    match values.known(1, &within) {
        Some(0) => fill,
        Some(_) => shifted,
        None => values.select(element, &within, &shifted, &fill),
    }
}

/// Shifted left, the upper half of `a` above `b`; shifted right, the lower half of `b` above `a`.
fn funnel<V: Values>(values: &mut V, element: u32, [a, b]: [&V::Word; 2], count: &V::Word, left: bool) -> V::Word {
    let stages = element.trailing_zeros();
    let count = values.extract(element, count, 0, stages);
    if let Some(known) = values.known(stages, &count) {
        return match (known as u32, left) {
            (0, _) => a.clone(),
            (amount, true) => values.funnel(element, a, b, amount),
            (amount, false) => values.funnel(element, b, a, element - amount),
        };
    }
    let (high, low) = if left { (a, b) } else { (b, a) };
    let wide = values.concat(element, high, element, low);
    let count = values.zero_extend(stages + 1, stages, &count);
    let shifted = by_word(values, 2 * element, &wide, stages + 1, &count, if left { V::shl } else { V::shr });
    values.extract(2 * element, &shifted, if left { element } else { 0 }, element)
}
