//! Intervals of integers.

use std::collections::BTreeMap;
use std::fmt;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

/// All integers from `low` to `high`, both included.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Interval {
    pub low: BigInt,
    pub high: BigInt,
}

/// Bounds of the limbs of elements in slots, by the slot's number.
pub type SlotBounds = BTreeMap<u32, Vec<Interval>>;

/// 2^exponent
pub fn power(exponent: u64) -> BigInt {
    BigInt::one() << exponent
}

impl Interval {
    pub fn new(low: impl Into<BigInt>, high: impl Into<BigInt>) -> Interval {
        Interval { low: low.into(), high: high.into() }
    }

    pub fn point(value: impl Into<BigInt>) -> Interval {
        let value = value.into();
        Interval { low: value.clone(), high: value }
    }

    /// The interval from 0 to `bound - 1`.
    pub fn below(bound: impl Into<BigInt>) -> Interval {
        Interval { low: BigInt::zero(), high: bound.into() - 1 }
    }

    /// The values of a word without a sign.
    pub fn word(bits: u32) -> Interval {
        Interval::below(power(u64::from(bits)))
    }

    /// The values of a word with a sign.
    pub fn signed_word(bits: u32) -> Interval {
        let half = power(u64::from(bits) - 1);
        Interval { low: -&half, high: half - 1 }
    }

    pub fn plus(&self, other: &Interval) -> Interval {
        Interval { low: &self.low + &other.low, high: &self.high + &other.high }
    }

    pub fn minus(&self, other: &Interval) -> Interval {
        Interval { low: &self.low - &other.high, high: &self.high - &other.low }
    }

    pub fn times(&self, other: &Interval) -> Interval {
        if !self.low.is_negative() && !other.low.is_negative() {
            return Interval { low: &self.low * &other.low, high: &self.high * &other.high };
        }
        let corners =
            [&self.low * &other.low, &self.low * &other.high, &self.high * &other.low, &self.high * &other.high];
        let (mut low, mut high) = (corners[0].clone(), corners[0].clone());
        for corner in corners {
            low = low.min(corner.clone());
            high = high.max(corner);
        }
        Interval { low, high }
    }

    /// The interval divided by 2^amount and rounded down.
    pub fn shr(&self, amount: u32) -> Interval {
        Interval { low: &self.low >> amount, high: &self.high >> amount }
    }

    pub fn hull(&self, other: &Interval) -> Interval {
        Interval { low: (&self.low).min(&other.low).clone(), high: (&self.high).max(&other.high).clone() }
    }

    pub fn within(&self, other: &Interval) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    pub fn is_zero(&self) -> bool {
        self.low.is_zero() && self.high.is_zero()
    }

    /// The next interval whose ends are 0 or powers of two, less 1 at the upper end; the bounds of loops widen to it.
    pub fn widened(&self) -> Interval {
        let up = |value: &BigInt| power(value.bits()) - 1;
        let low = if self.low.is_negative() { -power(self.low.bits()) } else { BigInt::zero() };
        let high = if self.high.is_negative() { BigInt::zero() } else { up(&self.high) };
        Interval { low, high }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.low.is_zero() {
            write!(f, "at most {}", Powers(&self.high))
        } else {
            write!(f, "from {} to {}", Powers(&self.low), Powers(&self.high))
        }
    }
}

/// A number as people read it: `2^51 + 0x13`, `2^51 - 1`, in hexadecimal where it is neither small nor near a power of
/// two.
pub struct Powers<'a>(pub &'a BigInt);

impl fmt::Display for Powers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let magnitude = self.0.abs();
        let sign = if self.0.is_negative() { "-" } else { "" };
        if magnitude < BigInt::from(1 << 16) {
            return write!(f, "{sign}{magnitude}");
        }
        let bits = magnitude.bits();
        let below = power(bits) - &magnitude;
        let above = &magnitude - power(bits - 1);
        let open = if sign.is_empty() { "" } else { "-(" };
        let close = if sign.is_empty() { "" } else { ")" };
        if above.is_zero() {
            write!(f, "{sign}2^{}", bits - 1)
        } else if below < BigInt::from(1 << 16) {
            write!(f, "{open}2^{bits} - {below}{close}")
        } else if above.bits() <= bits / 2 {
            write!(f, "{open}2^{} + {above:#x}{close}", bits - 1)
        } else {
            write!(f, "{sign}{magnitude:#x}")
        }
    }
}
