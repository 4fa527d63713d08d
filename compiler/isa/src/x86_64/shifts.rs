//! Shifts and rotations of general registers.

use super::flags::Flag;
use super::machine::{Machine, Memory, Outcome};
use super::vector_logic::Binary;
use crate::Values;

/// A shift of words of any width by a known amount that is less than the width.
pub(super) type Shift<V> =
    fn(&mut V, u32, &<V as culet_meaning::Domain>::Word, u32) -> <V as culet_meaning::Domain>::Word;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Left,
    Right,
}

pub(super) fn rotate_left<V: Values>(values: &mut V, bits: u32, a: &V::Word, amount: u32) -> V::Word {
    values.rotl(bits, a, amount)
}

pub(super) fn rotate_right<V: Values>(values: &mut V, bits: u32, a: &V::Word, amount: u32) -> V::Word {
    values.rotl(bits, a, (bits - amount) % bits)
}

/// `shift` by the low bits of `amount` (a word of `amount_bits` bits) that represent numbers below `bits`, a power of
/// two. For terms, the amount need not be a constant.
pub(super) fn by_word<V: Values>(
    values: &mut V,
    bits: u32,
    a: &V::Word,
    amount_bits: u32,
    amount: &V::Word,
    shift: Shift<V>,
) -> V::Word {
    let stages = bits.trailing_zeros().min(amount_bits);
    let low = values.extract(amount_bits, amount, 0, stages);
    if let Some(known) = values.known(stages, &low) {
        return shift(values, bits, a, known as u32);
    }
    (0..stages).fold(a.clone(), |word, stage| {
        let bit = values.extract(stages, &low, stage, 1);
        let shifted = shift(values, bits, &word, 1 << stage);
        values.select(bits, &bit, &shifted, &word)
    })
}

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `shl`, `shr` and `sar`. Amounts count modulo 32, or modulo 64 at 64 bits; a shift by zero does nothing.
    pub fn shift(&mut self, direction: Direction, shift: Shift<V>, arithmetic: bool) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(0)?;
        let Some(amount) = self.known_amount(bits)? else { return self.shift_by_unknown(bits, &a, shift) };
        if amount == 0 {
            return self.write(0, &a);
        }
        let result = match amount < bits {
            true => shift(self.values, bits, &a, amount),
            false if arithmetic => self.values.sar(bits, &a, bits - 1),
            false => self.values.constant(bits, 0),
        };
        self.write(0, &result)?;
        self.forget_flags();
        self.set_result_flags(bits, &result);
        let last = if direction == Direction::Left { bits.wrapping_sub(amount) } else { amount - 1 };
        if last < bits && amount < bits {
            self.state.flags.carry = Flag::Bit(self.values.extract(bits, &a, last, 1));
        } else if arithmetic {
            self.state.flags.carry = Flag::Sign(bits, a.clone());
        }
        if amount == 1 {
            self.state.flags.overflow = match (direction, arithmetic) {
                (Direction::Left, _) => self.signs_differ(bits, &a, &result),
                (Direction::Right, true) => Flag::Bit(self.values.constant(1, 0)),
                (Direction::Right, false) => Flag::Sign(bits, a),
            };
        }
        Ok(())
    }

    /// `rol` and `ror`.
    pub fn rotate(&mut self, direction: Direction) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(0)?;
        let shift = if direction == Direction::Left { rotate_left } else { rotate_right };
        let Some(amount) = self.known_amount(bits)? else { return self.rotate_by_unknown(bits, &a, shift) };
        if amount == 0 {
            return self.write(0, &a);
        }
        let result = shift(self.values, bits, &a, amount % bits);
        self.write(0, &result)?;
        let low = self.values.extract(bits, &result, 0, 1);
        let top = self.values.extract(bits, &result, bits - 1, 1);
        let other = match direction {
            Direction::Left => low.clone(),
            Direction::Right => self.values.extract(bits, &result, bits - 2, 1),
        };
        self.state.flags.carry = Flag::Bit(if direction == Direction::Left { low } else { top.clone() });
        self.state.flags.overflow = match amount {
            1 => Flag::Bit(self.values.xor(1, &top, &other)),
            _ => Flag::Undefined,
        };
        Ok(())
    }

    /// `rcl` and `rcr`: rotates the word together with the carry as an additional bit.
    pub fn rotate_through_carry(&mut self, direction: Direction) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(0)?;
        let Some(amount) = self.known_amount(bits)? else {
            return Err(self.unsupported("a rotation through the carry by an amount that is not a constant"));
        };
        if amount == 0 {
            return self.write(0, &a);
        }
        let carry = self.flag(super::FlagName::Carry)?;
        let wide = self.values.concat(1, &carry, bits, &a);
        let left = match direction {
            Direction::Left => amount % (bits + 1),
            Direction::Right => bits + 1 - amount % (bits + 1),
        };
        let wide = self.values.rotl(bits + 1, &wide, left % (bits + 1));
        let result = self.values.extract(bits + 1, &wide, 0, bits);
        self.write(0, &result)?;
        let carry = self.values.extract(bits + 1, &wide, bits, 1);
        self.state.flags.overflow = match (amount, direction) {
            (1, Direction::Left) => {
                let top = self.values.extract(bits, &result, bits - 1, 1);
                Flag::Bit(self.values.xor(1, &top, &carry))
            }
            (1, Direction::Right) => self.signs_differ(bits, &a, &result),
            _ => Flag::Undefined,
        };
        self.state.flags.carry = Flag::Bit(carry);
        Ok(())
    }

    /// `shld` and `shrd`: bits of operand 1 are shifted in.
    pub fn double_shift(&mut self, direction: Direction) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (a, b) = (self.read(0)?, self.read(1)?);
        let count = self.read_bits(2, 8)?;
        let count = self.need_known(8, &count, "a double shift by an amount that is not a constant")? as u32;
        let amount = count & if bits == 64 { 63 } else { 31 };
        if amount == 0 {
            return self.write(0, &a);
        }
        self.forget_flags();
        if amount > bits {
            let word = self.values.undefined(bits);
            return self.write(0, &word);
        }
        let (high, low, left) = match direction {
            Direction::Left => (&a, &b, amount),
            Direction::Right => (&b, &a, bits - amount),
        };
        let result = if left == bits { low.clone() } else { self.values.funnel(bits, high, low, left) };
        self.write(0, &result)?;
        self.set_result_flags(bits, &result);
        let last = if direction == Direction::Left { bits - amount } else { amount - 1 };
        self.state.flags.carry = Flag::Bit(self.values.extract(bits, &a, last, 1));
        if amount == 1 {
            self.state.flags.overflow = self.signs_differ(bits, &a, &result);
        }
        Ok(())
    }

    /// `rorx`, which leaves the flags alone.
    pub fn rotate_without_flags(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(1)?;
        let amount = self.immediate(2)? % bits;
        let result = rotate_right(self.values, bits, &a, amount);
        self.write(0, &result)
    }

    /// `shlx`, `shrx`, `sarx`, which leave the flags alone.
    pub fn shift_without_flags(&mut self, shift: Shift<V>) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (a, amount) = (self.read(1)?, self.read(2)?);
        let result = by_word(self.values, bits, &a, bits, &amount, shift);
        self.write(0, &result)
    }

    /// The amount in operand 1, or 1 if there is none, masked as the processor does; `None` if it is not a constant.
    fn known_amount(&mut self, bits: u32) -> Outcome<Option<u32>, V, M> {
        let mask = if bits == 64 { 63 } else { 31 };
        if self.instruction.decoded().op_count() < 2 {
            return Ok(Some(1));
        }
        if self.is_immediate(1) {
            return Ok(Some(self.immediate(1)? & mask));
        }
        let count = self.read_bits(1, 8)?;
        let low = self.values.extract(8, &count, 0, mask.count_ones());
        Ok(self.values.known(mask.count_ones(), &low).map(|amount| amount as u32))
    }

    /// A shift by an unknown amount. All flags become undefined, since a shift by zero keeps them.
    fn shift_by_unknown(&mut self, bits: u32, a: &V::Word, shift: Shift<V>) -> Outcome<(), V, M> {
        if bits < 32 {
            return Err(self.unsupported("a narrow shift by an amount that is not a constant"));
        }
        let amount = self.read_bits(1, 8)?;
        let result = by_word(self.values, bits, a, 8, &amount, shift);
        self.forget_flags();
        self.write(0, &result)
    }

    fn rotate_by_unknown(&mut self, bits: u32, a: &V::Word, shift: Shift<V>) -> Outcome<(), V, M> {
        let amount = self.read_bits(1, 8)?;
        let result = by_word(self.values, bits, a, 8, &amount, shift);
        self.state.flags.carry = Flag::Undefined;
        self.state.flags.overflow = Flag::Undefined;
        self.write(0, &result)
    }

    fn signs_differ(&mut self, bits: u32, a: &V::Word, b: &V::Word) -> Flag<V::Word> {
        let differ = self.values.xor(bits, a, b);
        Flag::Sign(bits, differ)
    }

    /// `bt` and its variants: the bit of operand 0 with the number in operand 1 goes to the carry flag. Then `change`
    /// combines the word with a mask that has only that bit; `or` sets it.
    pub fn bit_test(&mut self, change: Option<Binary<V>>) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        if self.is_memory(0) && !self.is_immediate(1) {
            let index = self.read_bits(1, bits)?;
            self.need_known_for_access(bits, &index, "which word of memory holds the bit is not known")?;
            return Err(self.unsupported("bit strings in memory have no meaning here"));
        }
        let a = self.read(0)?;
        let index = self.read_bits(1, 8)?;
        let shifted = by_word(self.values, bits, &a, 8, &index, V::shr);
        let bit = self.values.extract(bits, &shifted, 0, 1);
        if let Some(change) = change {
            let one = self.values.constant(bits, 1);
            let mask = by_word(self.values, bits, &one, 8, &index, V::shl);
            let word = change(self.values, bits, &a, &mask);
            self.write(0, &word)?;
        }
        // All flags except the zero flag, which is kept.
        let zero = self.state.flags.zero.clone();
        self.forget_flags();
        self.state.flags.zero = zero;
        self.state.flags.carry = Flag::Bit(bit);
        Ok(())
    }
}
