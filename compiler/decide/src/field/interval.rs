//! Closed intervals of integers.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

/// All integers from `low` to `high`; none if `low > high`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    pub low: BigInt,
    pub high: BigInt,
}

/// 2^exponent.
pub fn power_of_two(exponent: u32) -> BigInt {
    BigInt::one() << exponent as usize
}

impl Interval {
    pub fn new(low: impl Into<BigInt>, high: impl Into<BigInt>) -> Interval {
        Interval { low: low.into(), high: high.into() }
    }

    pub fn point(value: BigInt) -> Interval {
        Interval { low: value.clone(), high: value }
    }

    /// Returns the range of a word of `bits` bits.
    pub fn word(bits: u32) -> Interval {
        Interval { low: BigInt::zero(), high: power_of_two(bits) - 1 }
    }

    /// 0 and 1.
    pub fn bit() -> Interval {
        Interval::new(0, 1)
    }

    pub fn is_empty(&self) -> bool {
        self.low > self.high
    }

    /// Returns the one integer, if there is only one.
    pub fn single(&self) -> Option<&BigInt> {
        (self.low == self.high).then_some(&self.low)
    }

    pub fn within(&self, other: &Interval) -> bool {
        self.low >= other.low && self.high <= other.high
    }

    /// Returns the distance of the ends.
    pub fn width(&self) -> BigInt {
        &self.high - &self.low
    }

    /// Returns the intersection of both.
    #[must_use]
    pub fn meet(&self, other: &Interval) -> Interval {
        Interval { low: (&self.low).max(&other.low).clone(), high: (&self.high).min(&other.high).clone() }
    }

    /// Returns the smallest interval around both.
    #[must_use]
    pub fn hull(&self, other: &Interval) -> Interval {
        Interval { low: (&self.low).min(&other.low).clone(), high: (&self.high).max(&other.high).clone() }
    }

    #[must_use]
    pub fn plus(&self, other: &Interval) -> Interval {
        Interval { low: &self.low + &other.low, high: &self.high + &other.high }
    }

    #[must_use]
    pub fn minus(&self, other: &Interval) -> Interval {
        Interval { low: &self.low - &other.high, high: &self.high - &other.low }
    }

    #[must_use]
    pub fn scaled(&self, factor: &BigInt) -> Interval {
        let (a, b) = (&self.low * factor, &self.high * factor);
        if factor.is_negative() { Interval { low: b, high: a } } else { Interval { low: a, high: b } }
    }

    #[must_use]
    pub fn times(&self, other: &Interval) -> Interval {
        let corners =
            [&self.low * &other.low, &self.low * &other.high, &self.high * &other.low, &self.high * &other.high];
        let [first, rest @ ..] = corners;
        rest.into_iter().fold(Interval::point(first), |all, corner| all.hull(&Interval::point(corner)))
    }

    /// Returns the interval of ⌊n / 2^shift⌋ for all n in this interval.
    #[must_use]
    pub fn floors(&self, shift: u32) -> Interval {
        // The shift of a negative number rounds down.
        Interval { low: &self.low >> shift as usize, high: &self.high >> shift as usize }
    }

    /// Returns all integers n with `n * divisor` in this interval; the divisor is positive.
    #[must_use]
    pub fn divided(&self, divisor: &BigInt) -> Interval {
        let floor = |n: &BigInt| {
            let quotient = n / divisor;
            if n.is_negative() && &quotient * divisor != *n { quotient - 1 } else { quotient }
        };
        Interval { low: -floor(&-&self.low), high: floor(&self.high) }
    }
}
