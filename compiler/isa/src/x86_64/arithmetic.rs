//! Sums, differences and bitwise operations on general registers, with their flags.

use super::flags::{Flag, FlagName, Flags};
use super::machine::{Machine, Memory, Outcome, Stop};
use crate::Values;

impl<V: Values, M: Memory<V>> Machine<'_, V, M> {
    pub fn add(&mut self) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.two_operands()?;
        let sum = self.values.add(bits, &a, &b);
        self.write(0, &sum)?;
        self.set_sum_flags(bits, [&a, &b], &sum);
        self.state.flags.carry = Flag::Carry(bits, a, b);
        Ok(())
    }

    pub fn add_with_carry(&mut self) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.two_operands()?;
        let carry = self.flag(FlagName::Carry)?;
        let (sum, carry) = self.values.addc(bits, &a, &b, &carry);
        self.write(0, &sum)?;
        self.set_sum_flags(bits, [&a, &b], &sum);
        self.state.flags.carry = Flag::Bit(carry);
        Ok(())
    }

    /// `adcx` and `adox`: a sum with carry that touches one flag.
    pub fn add_with_flag(&mut self, name: FlagName) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.two_operands()?;
        let carry = self.flag(name)?;
        let (sum, carry) = self.values.addc(bits, &a, &b, &carry);
        self.write(0, &sum)?;
        match name {
            FlagName::Overflow => self.state.flags.overflow = Flag::Bit(carry),
            _ => self.state.flags.carry = Flag::Bit(carry),
        }
        Ok(())
    }

    pub fn sub(&mut self) -> Outcome<(), V, M> {
        let difference = self.difference()?;
        self.write(0, &difference)
    }

    pub fn compare(&mut self) -> Outcome<(), V, M> {
        self.difference().map(|_| ())
    }

    /// The difference of the two operands. Sets its flags.
    fn difference(&mut self) -> Outcome<V::Word, V, M> {
        let (bits, [a, b]) = self.two_operands()?;
        let difference = self.values.sub(bits, &a, &b);
        self.set_difference_flags(bits, [&a, &b], &difference);
        self.state.flags.carry = self.borrow(bits, a, b);
        Ok(difference)
    }

    pub fn subtract_with_borrow(&mut self) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.two_operands()?;
        let borrow = self.flag(FlagName::Carry)?;
        let same = self.register(0) != iced_x86::Register::None && self.register(0) == self.register(1);
        let (difference, borrow) = match same {
            // This is a - a - borrow, whose result must not depend on a.
            true => (self.values.broadcast_bit(bits, &borrow), borrow),
            false => self.values.subb(bits, &a, &b, &borrow),
        };
        self.write(0, &difference)?;
        self.set_difference_flags(bits, [&a, &b], &difference);
        self.state.flags.carry = Flag::Bit(borrow);
        Ok(())
    }

    pub fn increment(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(0)?;
        let one = self.values.constant(bits, 1);
        let sum = self.values.add(bits, &a, &one);
        self.write(0, &sum)?;
        self.set_sum_flags(bits, [&a, &one], &sum);
        Ok(())
    }

    pub fn decrement(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(0)?;
        let one = self.values.constant(bits, 1);
        let difference = self.values.sub(bits, &a, &one);
        self.write(0, &difference)?;
        self.set_difference_flags(bits, [&a, &one], &difference);
        Ok(())
    }

    pub fn negate(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(0)?;
        let zero = self.values.constant(bits, 0);
        let difference = self.values.sub(bits, &zero, &a);
        self.write(0, &difference)?;
        self.set_difference_flags(bits, [&zero, &a], &difference);
        self.state.flags.carry = Flag::Borrow(bits, zero, a);
        Ok(())
    }

    /// `xadd`, without the lock.
    pub fn exchange_and_add(&mut self) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.two_operands()?;
        let sum = self.values.add(bits, &a, &b);
        if self.is_memory(0) {
            // Memory is written first, since the register may be part of the address.
            self.write(0, &sum)?;
            self.write(1, &a)?;
        } else {
            // The sum is written last: it remains if both operands are the same register.
            self.write(1, &a)?;
            self.write(0, &sum)?;
        }
        self.set_sum_flags(bits, [&a, &b], &sum);
        self.state.flags.carry = Flag::Carry(bits, a, b);
        Ok(())
    }

    /// `not`, which leaves the flags alone.
    pub fn complement(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let a = self.read(0)?;
        let complement = self.values.not(bits, &a);
        self.write(0, &complement)
    }

    pub fn logic(&mut self, operation: fn(&mut V, u32, &V::Word, &V::Word) -> V::Word) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.two_operands()?;
        let result = operation(self.values, bits, &a, &b);
        self.write(0, &result)?;
        self.set_logic_flags(bits, &result);
        Ok(())
    }

    pub fn test(&mut self) -> Outcome<(), V, M> {
        let (bits, [a, b]) = self.two_operands()?;
        let result = self.values.and(bits, &a, &b);
        self.set_logic_flags(bits, &result);
        Ok(())
    }

    /// `!a & b`
    pub fn and_not(&mut self) -> Outcome<(), V, M> {
        let bits = self.bits(0);
        let (a, b) = (self.read(1)?, self.read(2)?);
        let result = self.values.andn(bits, &b, &a);
        self.write(0, &result)?;
        self.set_logic_flags(bits, &result);
        self.state.flags.parity = Flag::Undefined;
        Ok(())
    }

    pub fn set_carry(&mut self, bit: u64) -> Outcome<(), V, M> {
        self.state.flags.carry = Flag::Bit(self.values.constant(1, bit));
        Ok(())
    }

    pub fn complement_carry(&mut self) -> Outcome<(), V, M> {
        let carry = self.flag(FlagName::Carry)?;
        self.state.flags.carry = Flag::Bit(self.values.not(1, &carry));
        Ok(())
    }

    fn two_operands(&mut self) -> Outcome<(u32, [V::Word; 2]), V, M> {
        let bits = self.bits(0);
        Ok((bits, [self.read(0)?, self.read_bits(1, bits)?]))
    }

    /// The borrow of `a - b`.
    fn borrow(&mut self, bits: u32, a: V::Word, b: V::Word) -> Flag<V::Word> {
        let is_below = if bits == 64 { self.memory.is_below(self.values, &a, &b) } else { None };
        match is_below {
            Some(is_below) => Flag::Bit(self.values.constant(1, u64::from(is_below))),
            None => Flag::Borrow(bits, a, b),
        }
    }

    pub fn flag(&mut self, name: FlagName) -> Outcome<V::Word, V, M> {
        let flag = self.state.flags.get(name).clone();
        flag.value(self.values).ok_or(Stop::UndefinedRead(name))
    }

    /// Sets the zero, sign and parity flags of a result.
    pub fn set_result_flags(&mut self, bits: u32, result: &V::Word) {
        let low = if bits == 8 { result.clone() } else { self.values.extract(bits, result, 0, 8) };
        self.state.flags.zero = match bits == 64 && self.memory.is_nonzero(self.values, result) {
            true => Flag::Bit(self.values.constant(1, 0)),
            false => Flag::IsZero(bits, result.clone()),
        };
        self.state.flags.sign = Flag::Sign(bits, result.clone());
        self.state.flags.parity = Flag::EvenParity(low);
    }

    /// Sets all flags of a sum except the carry.
    fn set_sum_flags(&mut self, bits: u32, terms: [&V::Word; 2], sum: &V::Word) {
        self.set_result_flags(bits, sum);
        let terms = terms.map(Clone::clone);
        self.state.flags.adjust = Flag::Adjust(bits, terms.clone(), sum.clone());
        self.state.flags.overflow = Flag::SumOverflow(bits, terms, sum.clone());
    }

    /// Sets all flags of a difference except the borrow.
    fn set_difference_flags(&mut self, bits: u32, terms: [&V::Word; 2], difference: &V::Word) {
        self.set_result_flags(bits, difference);
        let terms = terms.map(Clone::clone);
        self.state.flags.adjust = Flag::Adjust(bits, terms.clone(), difference.clone());
        self.state.flags.overflow = Flag::DifferenceOverflow(bits, terms, difference.clone());
    }

    fn set_logic_flags(&mut self, bits: u32, result: &V::Word) {
        self.set_result_flags(bits, result);
        self.state.flags.adjust = Flag::Undefined;
        self.clear_carry_and_overflow();
    }

    pub fn clear_carry_and_overflow(&mut self) {
        let zero = self.values.constant(1, 0);
        self.state.flags.carry = Flag::Bit(zero.clone());
        self.state.flags.overflow = Flag::Bit(zero);
    }

    pub fn forget_flags(&mut self) {
        self.state.flags = Flags::undefined();
    }
}
