//! Floors: quotients by powers of two, rounded down.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use super::interval::{Interval, power_of_two};
use super::polynomial::{Atom, Polynomial};
use super::{Algebra, Kind};

impl Algebra<'_> {
    /// Returns `floor(polynomial / 2^shift)`.
    pub fn floor(&mut self, polynomial: &Polynomial, shift: u32) -> Polynomial {
        if shift == 0 {
            return polynomial.clone();
        }
        let range = self.bound(polynomial);
        let floors = range.floors(shift);
        if let Some(value) = floors.single() {
            return Polynomial::constant(value.clone());
        }
        if shift == 1 && polynomial.is_square() {
            // Squares are 0 or 1 modulo 4, and compilers know.
            return self.floor(polynomial, 2).shifted(1);
        }
        if let Some(floor) = self.floor_of_two(polynomial, shift) {
            self.record(&floor, &floors);
            return floor;
        }
        if floors.width().is_one() {
            // A floor with two values, one on each side of a threshold, is the same for every shift that is large
            // enough. It is written with the smallest shift, so that the borrow of 64 bits is that of 65 and of 128.
            let threshold = &floors.high << shift as usize;
            let least = bits_of_signed(&range.minus(&Interval::point(threshold.clone())));
            if least < shift {
                let sign = self.floor(&polynomial.plus_constant(-threshold), least);
                let floor = sign.plus_constant(floors.high.clone());
                self.record(&floor, &floors);
                return floor;
            }
        }
        let floor = self.without_multiples(polynomial, shift);
        self.record(&floor, &floors);
        floor
    }

    /// Returns the floor of a polynomial `g * b + c` in which b is one of two neighbours. It has two values only, and
    /// is linear in b.
    fn floor_of_two(&mut self, polynomial: &Polynomial, shift: u32) -> Option<Polynomial> {
        let content = polynomial.content();
        let constant = polynomial.constant_part();
        let neighbours = polynomial.plus_constant(-&constant).map(|coefficient| coefficient / &content);
        let range = self.bound(&neighbours);
        if !range.width().is_one() {
            return None;
        }
        let floor_at = |value: &BigInt| (value * &content + &constant) >> shift as usize;
        let low = floor_at(&range.low);
        let step = floor_at(&range.high) - &low;
        Some(neighbours.plus_constant(-range.low).scaled(&step).plus_constant(low))
    }

    /// Takes the part that 2^shift divides out of the floor.
    fn without_multiples(&mut self, polynomial: &Polynomial, shift: u32) -> Polynomial {
        let rest = polynomial.map(|coefficient| symmetric_remainder(coefficient, shift));
        let outside = polynomial.minus(&rest).map(|coefficient| coefficient >> shift as usize);
        if rest.is_zero() {
            return outside;
        }
        let zeros = rest.trailing_zeros();
        let rest = rest.map(|coefficient| coefficient >> zeros as usize);
        let inside = if outside.is_zero() && zeros == 0 {
            self.telescoped(&rest, shift)
        } else {
            self.floor(&rest, shift - zeros)
        };
        outside.plus(&inside)
    }

    /// Merges a floor among the summands with the whole floor; a floor that is subtracted is merged after the
    /// complement.
    fn telescoped(&mut self, polynomial: &Polynomial, shift: u32) -> Polynomial {
        let linear = polynomial.linear_atoms();
        let inner = linear.iter().rev().find(|(atom, c)| c.magnitude().is_one() && self.floor_of(*atom).is_some());
        if inner.map_or_else(|| polynomial.leads_negative(), |(_, c)| c.is_negative()) {
            return self.complemented(polynomial, shift);
        }
        let Some((atom, of, inner_shift)) =
            inner.and_then(|&(atom, _)| self.floor_of(atom).map(|(of, shift)| (atom, of, shift)))
        else {
            return Polynomial::atom(self.floor_atom(polynomial, shift));
        };
        let whole = polynomial.without(atom).shifted(inner_shift).plus(of);
        let floor = self.floor(&whole, shift + inner_shift);
        if self.keeps_remainders {
            // The remainder of the polynomial as it was is exact, while that of the whole is rounded twice.
            self.record(&polynomial.minus(&floor.shifted(shift)), &Interval::word(shift));
        }
        floor
    }

    /// Returns a floor by `floor(n / 2^k) = -1 - floor((-1 - n) / 2^k)`, so that `a < b` and `a <= b - 1` are one
    /// floor.
    fn complemented(&mut self, polynomial: &Polynomial, shift: u32) -> Polynomial {
        let complement = polynomial.negated().plus_constant(-1);
        self.floor(&complement, shift).negated().plus_constant(-1)
    }

    fn floor_atom(&mut self, polynomial: &Polynomial, shift: u32) -> Atom {
        let key = (polynomial.clone(), shift);
        if let Some(&known) = self.floors.get(&key) {
            return known;
        }
        let range = self.bound(polynomial).floors(shift);
        let atom = self.atom(Kind::Floor { of: polynomial.clone(), shift }, range);
        self.floors.insert(key, atom);
        atom
    }

    /// Returns the word that a number is modulo 2^bits.
    pub(super) fn wrapped(&mut self, number: &Polynomial, bits: u32) -> Polynomial {
        let word = Interval::word(bits);
        if self.bound(number).within(&word) {
            return number.clone();
        }
        if let Some(word) = self.word_by_inverse(number, bits) {
            return word;
        }
        let floor = self.floor(number, bits);
        let wrapped = number.minus(&floor.shifted(bits));
        self.record(&wrapped, &word);
        wrapped
    }
}

/// Returns the least k for which all of the range is from -2^k to 2^k - 1.
fn bits_of_signed(range: &Interval) -> u32 {
    let below = (-&range.low - 1i32).max(BigInt::zero()).bits();
    let above = (&range.high).max(&BigInt::zero()).bits();
    u32::try_from(below.max(above)).unwrap_or(u32::MAX)
}

/// Reduces a coefficient modulo 2^shift, to the range from -2^(shift - 1) + 1 to 2^(shift - 1): one remainder for each
/// class, so that equal floors are one atom.
fn symmetric_remainder(coefficient: &BigInt, shift: u32) -> BigInt {
    let modulus = power_of_two(shift);
    let low = coefficient - ((coefficient >> shift as usize) << shift as usize);
    if low > power_of_two(shift - 1) { low - modulus } else { low }
}
