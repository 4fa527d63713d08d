//! BMI1, BMI2 and bit-counting instructions.

use super::flags::Flag;
use super::machine::{Machine, Memory, Outcome};
use super::shifts::by_word;
use crate::Values;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `blsr`, `blsmsk`, `blsi`: a function of the word and of its neighbour, which is the word minus one, or for
    /// `blsi` its negation.
    fn lowest_set(
        &mut self,
        neighbour: fn(&mut V, u32, &V::Word) -> V::Word,
        combine: fn(&mut V, u32, &V::Word, &V::Word) -> V::Word,
    ) -> Outcome<(u32, V::Word), V, M> {
        let bits = self.bits(0);
        let a = self.read(1)?;
        let other = neighbour(self.values, bits, &a);
        let result = combine(self.values, bits, &a, &other);
        self.write(0, &result)?;
        self.set_result_flags(bits, &result);
        self.clear_carry_and_overflow();
        self.state.flags.adjust = Flag::Undefined;
        self.state.flags.parity = Flag::Undefined;
        Ok((bits, a))
    }

    pub fn reset_lowest_set_bit(&mut self) -> Outcome<(), V, M> {
        let (bits, a) = self.lowest_set(one_less, V::and)?;
        self.state.flags.carry = Flag::IsZero(bits, a);
        Ok(())
    }

    pub fn mask_to_lowest_set_bit(&mut self) -> Outcome<(), V, M> {
        let (bits, a) = self.lowest_set(one_less, V::xor)?;
        self.state.flags.carry = Flag::IsZero(bits, a);
        Ok(())
    }

    pub fn isolate_lowest_set_bit(&mut self) -> Outcome<(), V, M> {
        let (bits, a) = self.lowest_set(negation, V::and)?;
        self.state.flags.carry = Flag::IsNonzero(bits, a);
        Ok(())
    }

    /// `bzhi`: zeroes the bits from an index on, which is the low byte of operand 2.
    pub fn zero_high_bits(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(1)?;
        let index = self.read_bits(2, bits)?;
        let index = self.values.extract(bits, &index, 0, 8);
        let limit = self.values.constant(8, u64::from(bits - 1));
        let beyond = self.values.below(8, &limit, &index);
        let result = match self.values.known(8, &index).map(|known| known as u32) {
            Some(0) => self.values.constant(bits, 0),
            Some(known) if known < bits => {
                let low = self.values.extract(bits, &a, 0, known);
                self.values.zero_extend(bits, known, &low)
            }
            Some(_) => a,
            None => {
                let ones = self.values.ones(bits);
                let high = by_word(self.values, bits, &ones, 8, &index, V::shl);
                let low = self.values.andn(bits, &a, &high);
                self.values.select(bits, &beyond, &a, &low)
            }
        };
        self.write(0, &result)?;
        self.set_result_flags(bits, &result);
        self.clear_carry_and_overflow();
        self.state.flags.carry = Flag::Bit(beyond);
        self.state.flags.adjust = Flag::Undefined;
        self.state.flags.parity = Flag::Undefined;
        Ok(())
    }

    /// `bextr`: a bit field. Byte 1 of operand 2 is its length, byte 0 its lowest bit.
    pub fn extract_bit_field(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(1)?;
        let control = self.read_bits(2, bits)?;
        let control = self.values.extract(bits, &control, 0, 16);
        let control = self.need_known(16, &control, "a bit field whose place is not a constant")? as u32;
        let (start, length) = (control & 0xff, control >> 8);
        let result = match length.min(bits.saturating_sub(start)) {
            0 => self.values.constant(bits, 0),
            length => {
                let field = self.values.extract(bits, &a, start, length);
                self.values.zero_extend(bits, length, &field)
            }
        };
        self.write(0, &result)?;
        self.forget_flags();
        self.clear_carry_and_overflow();
        self.state.flags.zero = Flag::IsZero(bits, result);
        Ok(())
    }

    /// `tzcnt`
    pub fn count_trailing_zeros(&mut self) -> Outcome<(), V, M> {
        self.count_zeros(trailing_zeros)
    }

    /// `lzcnt`
    pub fn count_leading_zeros(&mut self) -> Outcome<(), V, M> {
        self.count_zeros(leading_zeros)
    }

    fn count_zeros(&mut self, count: fn(&mut V, u32, &V::Word) -> V::Word) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(1)?;
        let result = count(self.values, bits, &a);
        self.write(0, &result)?;
        self.forget_flags();
        self.state.flags.carry = Flag::IsZero(bits, a);
        self.state.flags.zero = Flag::IsZero(bits, result);
        Ok(())
    }

    /// `bsf` and `bsr`. For zero the result is undefined, including at 32 bits the upper half, which processors keep.
    pub fn scan(&mut self, forward: bool) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(1)?;
        let index = if forward {
            trailing_zeros(self.values, bits, &a)
        } else {
            let count = leading_zeros(self.values, bits, &a);
            let top = self.values.constant(bits, u64::from(bits - 1));
            self.values.sub(bits, &top, &count)
        };
        let zero = self.values.constant(bits, 0);
        let none = self.values.equal(bits, &a, &zero);
        let (width, register) = match bits {
            16 => (16, self.register(0)),
            _ => (64, self.register(0).full_register()),
        };
        let index = self.values.zero_extend(width, bits, &index);
        let result = match self.values.known(1, &none) {
            Some(0) => index,
            Some(_) => self.values.undefined(width),
            None => {
                let unknown = self.values.undefined(width);
                self.values.select(width, &none, &unknown, &index)
            }
        };
        self.write_general(register, &result);
        self.forget_flags();
        self.state.flags.zero = Flag::Bit(none);
        Ok(())
    }

    pub fn population_count(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(1)?;
        let count = self.values.count_ones(bits, &a);
        self.write(0, &count)?;
        let zero = Flag::Bit(self.values.constant(1, 0));
        self.clear_carry_and_overflow();
        self.state.flags.parity = zero.clone();
        self.state.flags.adjust = zero.clone();
        self.state.flags.sign = zero;
        self.state.flags.zero = Flag::IsZero(bits, a);
        Ok(())
    }
}

fn one_less<V: Values>(values: &mut V, bits: u32, a: &V::Word) -> V::Word {
    let one = values.constant(bits, 1);
    values.sub(bits, a, &one)
}

fn negation<V: Values>(values: &mut V, bits: u32, a: &V::Word) -> V::Word {
    let zero = values.constant(bits, 0);
    values.sub(bits, &zero, a)
}

/// The number of zeros below the lowest one; for zero, the width.
fn trailing_zeros<V: Values>(values: &mut V, bits: u32, a: &V::Word) -> V::Word {
    // The zeros below the lowest one are the ones of !a & (a - 1).
    let less = one_less(values, bits, a);
    let below = values.andn(bits, &less, a);
    values.count_ones(bits, &below)
}

/// The number of zeros above the highest one; for zero, the width.
pub(super) fn leading_zeros<V: Values>(values: &mut V, bits: u32, a: &V::Word) -> V::Word {
    let mut smeared = a.clone();
    let mut distance = 1;
    while distance < bits {
        let shifted = values.shr(bits, &smeared, distance);
        smeared = values.or(bits, &smeared, &shifted);
        distance *= 2;
    }
    let above = values.not(bits, &smeared);
    values.count_ones(bits, &above)
}
