//! Comparisons of vector lanes, into lanes or into mask registers.

use super::flags::Flag;
use super::machine::{Machine, Memory, Outcome};
use super::vector_logic::Binary;
use crate::Values;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `pcmpeq` and `pcmpgt`: the result is lanes of ones or zeros, or in the EVEX forms bits of a mask register.
    pub fn compare_lanes(&mut self, element: u32, relation: Binary<V>) -> Outcome<(), V, M> {
        if self.is_mask(0) {
            return self.compare_into_mask(element, relation);
        }
        let (bits, [a, b]) = self.vector_sources()?;
        let result = super::vector_logic::zip(self.values, element, bits, [&a, &b], |values, element, a, b| {
            let bit = relation(values, element, a, b);
            values.broadcast_bit(element, &bit)
        });
        self.finish(element, bits, &result)
    }

    /// `vpcmp` and `vpcmpu`: the immediate chooses the relation.
    pub fn compare_by_predicate(&mut self, element: u32, signed: bool) -> Outcome<(), V, M> {
        let below: Binary<V> = if signed { V::less } else { V::below };
        let relation = match self.immediate(3)? & 7 {
            0 => V::equal,
            1 => below,
            2 if signed => not_greater_signed::<V>,
            2 => not_greater::<V>,
            3 => never::<V>,
            4 => differs::<V>,
            5 if signed => not_less_signed::<V>,
            5 => not_below::<V>,
            6 if signed => greater_signed::<V>,
            6 => greater::<V>,
            _ => always::<V>,
        };
        self.compare_into_mask(element, relation)
    }

    /// `vptestm` and `vptestnm`: whether the lanes have a common one.
    pub fn test_into_mask(&mut self, element: u32, common: bool) -> Outcome<(), V, M> {
        self.compare_into_mask(element, if common { intersect::<V> } else { are_disjoint::<V> })
    }

    fn compare_into_mask(&mut self, element: u32, relation: Binary<V>) -> Outcome<(), V, M> {
        let bits = self.bits(1);
        let (a, b) = (self.read(1)?, self.read_bits(2, bits)?);
        let (a, b) = (self.values.split(bits, &a, element), self.values.split(bits, &b, element));
        let results: Vec<_> = a.iter().zip(&b).map(|(a, b)| relation(self.values, element, a, b)).collect();
        let lanes = bits / element;
        let mut result = self.values.join(1, &results);
        if let Some(mask) = self.lane_mask(lanes) {
            result = self.values.and(lanes, &result, &mask);
        }
        self.write_mask(0, lanes, &result)
    }

    /// `ptest`: the zero flag is set if the operands have no common one, the carry flag if operand 1 has no one outside
    /// operand 0.
    pub fn test_vector(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (a, b) = (self.read(0)?, self.read_bits(1, bits)?);
        let both = self.values.and(bits, &a, &b);
        let outside = self.values.andn(bits, &b, &a);
        self.clear_flags();
        self.state.flags.zero = Flag::IsZero(bits, both);
        self.state.flags.carry = Flag::IsZero(bits, outside);
        Ok(())
    }

    pub fn clear_flags(&mut self) {
        let zero = Flag::Bit(self.values.constant(1, 0));
        let flags = &mut self.state.flags;
        flags.adjust = zero.clone();
        flags.parity = zero.clone();
        flags.sign = zero.clone();
        flags.zero = zero;
        self.clear_carry_and_overflow();
    }
}

fn negated<V: Values>(values: &mut V, bit: V::Word) -> V::Word {
    values.not(1, &bit)
}

pub(super) fn greater_signed<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    values.less(bits, b, a)
}

fn greater<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    values.below(bits, b, a)
}

fn not_greater_signed<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let greater = values.less(bits, b, a);
    negated(values, greater)
}

fn not_greater<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let greater = values.below(bits, b, a);
    negated(values, greater)
}

fn not_less_signed<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let less = values.less(bits, a, b);
    negated(values, less)
}

fn not_below<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let below = values.below(bits, a, b);
    negated(values, below)
}

fn differs<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let equal = values.equal(bits, a, b);
    negated(values, equal)
}

fn never<V: Values>(values: &mut V, _: u32, _: &V::Word, _: &V::Word) -> V::Word {
    values.constant(1, 0)
}

fn always<V: Values>(values: &mut V, _: u32, _: &V::Word, _: &V::Word) -> V::Word {
    values.constant(1, 1)
}

fn are_disjoint<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let both = values.and(bits, a, b);
    let zero = values.constant(bits, 0);
    values.equal(bits, &both, &zero)
}

fn intersect<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let disjoint = are_disjoint(values, bits, a, b);
    negated(values, disjoint)
}

pub(super) fn minimum<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let below = values.below(bits, a, b);
    values.select(bits, &below, a, b)
}

pub(super) fn maximum<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let below = values.below(bits, a, b);
    values.select(bits, &below, b, a)
}

pub(super) fn minimum_signed<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let less = values.less(bits, a, b);
    values.select(bits, &less, a, b)
}

pub(super) fn maximum_signed<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let less = values.less(bits, a, b);
    values.select(bits, &less, b, a)
}
