//! Mask registers.

use super::flags::Flag;
use super::machine::{Machine, Memory, Outcome};
use super::vector_logic::Binary;
use crate::Values;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    /// `kmov`
    pub fn move_mask(&mut self, bits: u32) -> Outcome<(), V, M> {
        let word = self.read_bits(1, bits)?;
        if self.is_mask(0) {
            return self.write_mask(0, bits, &word);
        }
        if self.is_memory(0) {
            return self.store(bits, 0, &word);
        }
        let word = self.values.zero_extend(self.bits(0), bits, &word);
        self.write(0, &word)
    }

    pub fn mask_logic(&mut self, bits: u32, operation: Binary<V>) -> Outcome<(), V, M> {
        let (a, b) = (self.read_bits(1, bits)?, self.read_bits(2, bits)?);
        let result = operation(self.values, bits, &a, &b);
        self.write_mask(0, bits, &result)
    }

    pub fn mask_complement(&mut self, bits: u32) -> Outcome<(), V, M> {
        let a = self.read_bits(1, bits)?;
        let result = self.values.not(bits, &a);
        self.write_mask(0, bits, &result)
    }

    /// `kshiftl` and `kshiftr`
    pub fn mask_shift(&mut self, bits: u32, left: bool) -> Outcome<(), V, M> {
        let a = self.read_bits(1, bits)?;
        let result = match self.immediate(2)? {
            amount if amount >= bits => self.values.constant(bits, 0),
            amount if left => self.values.shl(bits, &a, amount),
            amount => self.values.shr(bits, &a, amount),
        };
        self.write_mask(0, bits, &result)
    }

    /// `kunpck`: concatenates the lower halves, that of operand 1 above that of operand 2.
    pub fn mask_unpack(&mut self, half: u32) -> Outcome<(), V, M> {
        let (high, low) = (self.read_bits(1, half)?, self.read_bits(2, half)?);
        let result = self.values.concat(half, &high, half, &low);
        self.write_mask(0, 2 * half, &result)
    }

    /// `kortest`: the zero flag is set if no bit of either operand is set, the carry flag if all bits are set in one or
    /// the other.
    pub fn mask_or_test(&mut self, bits: u32) -> Outcome<(), V, M> {
        let (a, b) = (self.read_bits(0, bits)?, self.read_bits(1, bits)?);
        let either = self.values.or(bits, &a, &b);
        let neither = self.values.not(bits, &either);
        self.clear_flags();
        self.state.flags.zero = Flag::IsZero(bits, either);
        self.state.flags.carry = Flag::IsZero(bits, neither);
        Ok(())
    }

    /// `ktest`: the zero flag is set if the operands have no common one, the carry flag if operand 1 has no one outside
    /// operand 0.
    pub fn mask_test(&mut self, bits: u32) -> Outcome<(), V, M> {
        let (a, b) = (self.read_bits(0, bits)?, self.read_bits(1, bits)?);
        let both = self.values.and(bits, &a, &b);
        let outside = self.values.andn(bits, &b, &a);
        self.clear_flags();
        self.state.flags.zero = Flag::IsZero(bits, both);
        self.state.flags.carry = Flag::IsZero(bits, outside);
        Ok(())
    }

    /// `vpmovm2b` and the like: each bit of a mask becomes a lane of ones or zeros.
    pub fn mask_to_vector(&mut self, element: u32) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let mask = self.read_bits(1, bits / element)?;
        let (ones, zero) = (self.values.ones(bits), self.values.zero(bits));
        let word = self.choose_lanes(element, bits, &mask, &ones, &zero);
        self.finish(element, bits, &word)
    }

    /// `vpbroadcastmb2q` and `vpbroadcastmw2d`: the low bits of a mask register, zero-extended, in every lane.
    pub fn broadcast_mask(&mut self, mask_bits: u32, element: u32) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let mask = self.read_bits(1, mask_bits)?;
        let lane = self.values.zero_extend(element, mask_bits, &mask);
        let word = self.repeat(element, &lane, bits);
        self.finish(element, bits, &word)
    }

    /// `vpmovb2m` and the like: a mask of the top bits of the lanes.
    pub fn vector_to_mask(&mut self, element: u32) -> Outcome<(), V, M> {
        let bits = self.bits(1);
        let word = self.read(1)?;
        let signs = self.sign_bits(element, bits, &word);
        self.write_mask(0, bits / element, &signs)
    }
}

pub(super) fn equivalence<V: Values>(values: &mut V, bits: u32, a: &V::Word, b: &V::Word) -> V::Word {
    let differ = values.xor(bits, a, b);
    values.not(bits, &differ)
}
