//! The one canonical form of an element in limbs, and its bytes.

use culet_ir::Part;
use num_bigint::BigInt;
use num_traits::Zero;

use crate::interval::{Interval, power};
use crate::machine::{Machine, Number};
use crate::primes::{Tap, Unsaturated};
use crate::representation::{Limbs, Representation};

impl Unsaturated {
    /// The limbs of the number below p, each of its own bits.
    pub fn freeze(&self, m: &mut Machine, a: &Limbs) -> Limbs {
        let Ok(taps) = self.find_taps(self.length()) else {
            m.fail("2^(bits of p) does not fold back", &Interval::point(0));
            return a.clone();
        };
        let mut limbs = a.clone();
        self.ripple(m, &mut limbs, Some(&taps));
        self.below_modulus(m, &limbs, Part::Operand(0))
    }

    /// Subtracts p from a number below 2 p unless the number is below p. The limbs have their own bits each. The number
    /// is noted.
    pub(crate) fn below_modulus(&self, m: &mut Machine, a: &Limbs, part: Part) -> Limbs {
        self.note(m, part, a);
        let most: BigInt = (0..).zip(a).map(|(i, limb)| &limb.range.high << self.position(i)).sum();
        if most >= &self.modulus * 2 {
            m.fail("a number is to be below 2 p before p is taken off", &Interval::new(0, most));
        }
        // Below 2 p, it is at least p if and only if adding the complement carries out of the top.
        let complement = power(u64::from(self.position(self.limbs - 1) + self.top_bits())) - &self.modulus;
        let complement = self.digits(&complement);
        let at_least = self.carry_out(m, a, &complement);
        let added = a.iter().zip(&complement).map(|(limb, digit)| {
            let multiple = m.times(&at_least, digit);
            m.add(limb, &multiple)
        });
        let mut limbs: Limbs = added.collect();
        self.ripple(m, &mut limbs, None);
        let top = limbs.len() - 1;
        limbs[top] = m.low_bits(&limbs[top], self.top_bits());
        limbs
    }

    /// Bits of the top limb of a number below p.
    fn top_bits(&self) -> u32 {
        self.length().saturating_sub(self.position(self.limbs - 1))
    }

    /// Carries from the bottom to the top and, with taps, from there to the bottom.
    fn ripple(&self, m: &mut Machine, limbs: &mut Limbs, taps: Option<&[Tap]>) {
        for index in 0..self.limbs - 1 {
            self.carry(m, limbs, index);
        }
        let Some(taps) = taps else { return };
        let top = limbs.len() - 1;
        let above = m.shr(&limbs[top], self.top_bits());
        limbs[top] = m.low_bits(&limbs[top], self.top_bits());
        for tap in taps {
            let multiple = m.times(&above, &tap.factor);
            let limb = tap.limb as usize;
            limbs[limb] = m.add(&limbs[limb], &multiple);
        }
    }

    /// The carry out of the top of a sum: 0 or 1.
    fn carry_out(&self, m: &mut Machine, limbs: &Limbs, digits: &[BigInt]) -> Number {
        let mut carry = m.constant(&BigInt::zero());
        for (index, (limb, digit)) in (0..).zip(limbs.iter().zip(digits)) {
            let digit = m.constant(digit);
            let sum = m.add(limb, &digit);
            let sum = m.add(&sum, &carry);
            let bits = if index + 1 == self.limbs { self.top_bits() } else { self.limb_bits(index) };
            carry = m.shr(&sum, bits);
        }
        carry
    }

    /// Words of `word_bits` bits, the lowest first, that hold a frozen element.
    pub(crate) fn unpack_frozen(&self, m: &mut Machine, frozen: &Limbs, word_bits: u32, count: usize) -> Vec<Number> {
        (0..count as u32).map(|index| self.word_of(m, frozen, index * word_bits, word_bits)).collect()
    }

    /// Bits `from..from + length` of a frozen element.
    fn word_of(&self, m: &mut Machine, frozen: &Limbs, from: u32, length: u32) -> Number {
        let mut word = m.constant(&BigInt::zero());
        for (index, limb) in (0..).zip(frozen) {
            let (start, end) = (self.position(index), self.position(index) + self.limb_bits(index));
            let (low, high) = (start.max(from), end.min(from + length));
            if low >= high {
                continue;
            }
            let shifted = m.shr(limb, low - start);
            let part = m.low_bits(&shifted, high - low);
            let placed = m.times(&part, &(BigInt::from(1) << (low - from)));
            word = m.join_bits(&word, &placed);
        }
        word
    }
}
