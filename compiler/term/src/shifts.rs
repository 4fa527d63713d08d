//! Extensions, shifts and rotations by constant amounts, which all are concatenations.

use crate::{Term, Terms};

impl Terms {
    /// The word with zeros above. Panics if the result is narrower.
    pub fn zero_extend(&mut self, a: Term, bits: u32) -> Term {
        match self.more_bits(a, bits) {
            0 => a,
            more => {
                let zero = self.zero(more);
                self.concat(&[a, zero])
            }
        }
    }

    /// The word with copies of the top bit above. Panics if the result is narrower.
    pub fn sign_extend(&mut self, a: Term, bits: u32) -> Term {
        match self.more_bits(a, bits) {
            0 => a,
            more => {
                let top = self.bit(a, self.bits(a) - 1);
                let sign = self.broadcast_bit(top, more);
                self.concat(&[a, sign])
            }
        }
    }

    /// One bit of a word, 0 the least significant.
    pub fn bit(&mut self, a: Term, position: u32) -> Term {
        self.extract(a, position, 1)
    }

    /// Left shift; zero if the amount reaches the width.
    pub fn shl(&mut self, a: Term, amount: u32) -> Term {
        let bits = self.bits(a);
        if amount == 0 || amount >= bits {
            return if amount == 0 { a } else { self.zero(bits) };
        }
        let (zero, kept) = (self.zero(amount), self.extract(a, 0, bits - amount));
        self.concat(&[zero, kept])
    }

    /// Right shift; zero if the amount reaches the width.
    pub fn shr(&mut self, a: Term, amount: u32) -> Term {
        let bits = self.bits(a);
        if amount >= bits {
            return self.zero(bits);
        }
        let kept = self.extract(a, amount, bits - amount);
        self.zero_extend(kept, bits)
    }

    /// Right shift that copies the top bit.
    pub fn sar(&mut self, a: Term, amount: u32) -> Term {
        let bits = self.bits(a);
        let amount = amount.min(bits - 1);
        let kept = self.extract(a, amount, bits - amount);
        self.sign_extend(kept, bits)
    }

    /// Left rotation by an amount modulo the width.
    pub fn rotl(&mut self, a: Term, amount: u32) -> Term {
        let amount = amount % self.bits(a);
        self.funnel(a, a, amount)
    }

    /// The upper half of `(high:low) << amount`, for words of one width and an amount below the width.
    pub fn funnel(&mut self, high: Term, low: Term, amount: u32) -> Term {
        let bits = self.assert_same_bits(high, low);
        if amount == 0 {
            return high;
        }
        let (upper, lower) = (self.extract(high, 0, bits - amount), self.extract(low, bits - amount, amount));
        self.concat(&[lower, upper])
    }

    /// The number of bits that an extension adds.
    fn more_bits(&self, a: Term, bits: u32) -> u32 {
        let from = self.bits(a);
        assert!(from <= bits, "an extension from {from} to {bits} bits");
        bits - from
    }
}
