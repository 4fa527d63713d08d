//! Polynomials with integer coefficients over atoms.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use smallvec::SmallVec;

use super::interval::power_of_two;

/// An unknown integer of one [`super::Algebra`], numbered in the order of its making.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom(pub(super) u32);

impl Atom {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A product of atoms in ascending order, each as often as its power says; 1 if empty.
pub type Monomial = SmallVec<[Atom; 3]>;

/// A polynomial, none of whose coefficients is zero.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Polynomial {
    terms: BTreeMap<Monomial, BigInt>,
}

/// Form of the square of an atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Square {
    /// The square has no other form.
    Free,
    /// The atom is 0 or 1: its square is the atom itself.
    Same,
    /// The atom is -1 or 0: its square is the atom negated.
    Negated,
}

impl Polynomial {
    pub fn zero() -> Polynomial {
        Polynomial::default()
    }

    pub fn constant(value: impl Into<BigInt>) -> Polynomial {
        let mut polynomial = Polynomial::zero();
        polynomial.add_term(Monomial::new(), value.into());
        polynomial
    }

    pub fn atom(atom: Atom) -> Polynomial {
        let mut polynomial = Polynomial::zero();
        polynomial.add_term(Monomial::from_slice(&[atom]), BigInt::one());
        polynomial
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// The number of monomials.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    pub fn is_empty(&self) -> bool {
        self.is_zero()
    }

    /// The value of a polynomial without atoms.
    pub fn as_constant(&self) -> Option<BigInt> {
        match self.terms.len() {
            0 => Some(BigInt::zero()),
            1 => self.terms.get(&Monomial::new()).cloned(),
            _ => None,
        }
    }

    /// Whether it is the square of one atom.
    pub fn is_square(&self) -> bool {
        self.terms.len() == 1
            && self.terms.iter().all(|(monomial, c)| c.is_one() && monomial.len() == 2 && monomial[0] == monomial[1])
    }

    /// The coefficient of 1.
    pub fn constant_part(&self) -> BigInt {
        self.terms.get(&Monomial::new()).cloned().unwrap_or_default()
    }

    /// Monomials and their coefficients, in one fixed order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&Monomial, &BigInt)> {
        self.terms.iter()
    }

    pub fn coefficient(&self, monomial: &Monomial) -> Option<&BigInt> {
        self.terms.get(monomial)
    }

    pub fn add_term(&mut self, monomial: Monomial, coefficient: BigInt) {
        if coefficient.is_zero() {
            return;
        }
        match self.terms.entry(monomial) {
            std::collections::btree_map::Entry::Vacant(entry) => drop(entry.insert(coefficient)),
            std::collections::btree_map::Entry::Occupied(mut entry) => {
                *entry.get_mut() += coefficient;
                if entry.get().is_zero() {
                    entry.remove();
                }
            }
        }
    }

    /// Adds `factor * other`.
    pub fn add_scaled(&mut self, other: &Polynomial, factor: &BigInt) {
        for (monomial, coefficient) in &other.terms {
            self.add_term(monomial.clone(), coefficient * factor);
        }
    }

    #[must_use]
    pub fn plus(&self, other: &Polynomial) -> Polynomial {
        let mut sum = self.clone();
        sum.add_scaled(other, &BigInt::one());
        sum
    }

    #[must_use]
    pub fn minus(&self, other: &Polynomial) -> Polynomial {
        let mut difference = self.clone();
        difference.add_scaled(other, &-BigInt::one());
        difference
    }

    #[must_use]
    pub fn plus_constant(&self, constant: impl Into<BigInt>) -> Polynomial {
        let mut sum = self.clone();
        sum.add_term(Monomial::new(), constant.into());
        sum
    }

    #[must_use]
    pub fn negated(&self) -> Polynomial {
        self.scaled(&-BigInt::one())
    }

    #[must_use]
    pub fn scaled(&self, factor: &BigInt) -> Polynomial {
        self.map(|coefficient| coefficient * factor)
    }

    /// Multiplies by 2^exponent.
    #[must_use]
    pub fn shifted(&self, exponent: u32) -> Polynomial {
        self.scaled(&power_of_two(exponent))
    }

    /// Replaces each coefficient.
    #[must_use]
    pub fn map(&self, mut of: impl FnMut(&BigInt) -> BigInt) -> Polynomial {
        let mut mapped = Polynomial::zero();
        for (monomial, coefficient) in &self.terms {
            mapped.add_term(monomial.clone(), of(coefficient));
        }
        mapped
    }

    /// Returns the product; `square` says which atoms are bits.
    #[must_use]
    pub fn times(&self, other: &Polynomial, square: &impl Fn(Atom) -> Square) -> Polynomial {
        let mut product = Polynomial::zero();
        for (left, a) in &self.terms {
            for (right, b) in &other.terms {
                let (monomial, negated) = multiply(left, right, square);
                let coefficient = a * b;
                product.add_term(monomial, if negated { -coefficient } else { coefficient });
            }
        }
        product
    }

    /// Substitutes a polynomial for an atom.
    #[must_use]
    pub fn substitute(&self, atom: Atom, by: &Polynomial, square: &impl Fn(Atom) -> Square) -> Polynomial {
        let mut result = Polynomial::zero();
        for (monomial, coefficient) in &self.terms {
            let rest: Monomial = monomial.iter().copied().filter(|&other| other != atom).collect();
            let power = monomial.len() - rest.len();
            let mut part = Polynomial::zero();
            part.add_term(rest, coefficient.clone());
            for _ in 0..power {
                part = part.times(by, square);
            }
            result.add_scaled(&part, &BigInt::one());
        }
        result
    }

    /// Returns the monomials without the product of two atoms, and the sum of the others divided by it; none if there are
    /// no others.
    pub fn split_product(&self, a: Atom, b: Atom) -> Option<(Polynomial, Polynomial)> {
        let (mut without, mut rest) = (Polynomial::zero(), Polynomial::zero());
        for (monomial, coefficient) in &self.terms {
            let [first, second] = [a, b].map(|atom| monomial.iter().position(|&other| other == atom));
            match (first, second) {
                (Some(first), Some(second)) if first != second => {
                    let others = (0..monomial.len()).filter(|&at| at != first && at != second).map(|at| monomial[at]);
                    rest.add_term(others.collect(), coefficient.clone());
                }
                _ => without.add_term(monomial.clone(), coefficient.clone()),
            }
        }
        (!rest.is_zero()).then_some((without, rest))
    }

    /// Returns the polynomial divided by an atom, if each monomial has it as a factor.
    pub fn divided_by(&self, atom: Atom) -> Option<Polynomial> {
        let mut quotient = Polynomial::zero();
        for (monomial, coefficient) in &self.terms {
            let mut rest = monomial.clone();
            rest.remove(monomial.iter().position(|&other| other == atom)?);
            quotient.add_term(rest, coefficient.clone());
        }
        Some(quotient)
    }

    /// Returns 2^(bits * d) times the value where an atom stands for 2^-bits, for the least d that makes it a polynomial.
    pub fn with_inverse_power(&self, atom: Atom, bits: u32) -> Polynomial {
        let power = |monomial: &Monomial| monomial.iter().filter(|&&other| other == atom).count();
        let most = self.terms.keys().map(power).max().unwrap_or(0);
        let mut result = Polynomial::zero();
        for (monomial, coefficient) in &self.terms {
            let up = bits as usize * (most - power(monomial));
            result.add_term(monomial.iter().copied().filter(|&other| other != atom).collect(), coefficient << up);
        }
        result
    }

    /// Returns the atoms in it, ascending, each once.
    pub fn atoms(&self) -> Vec<Atom> {
        let mut atoms: Vec<Atom> = self.terms.keys().flatten().copied().collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    pub fn contains(&self, atom: Atom) -> bool {
        self.terms.keys().any(|monomial| monomial.contains(&atom))
    }

    /// Returns the atoms that occur by themselves and in no product, with their coefficients, ascending.
    pub fn linear_atoms(&self) -> Vec<(Atom, &BigInt)> {
        let in_products: std::collections::BTreeSet<Atom> =
            self.terms.keys().filter(|monomial| monomial.len() > 1).flatten().copied().collect();
        let singles = self.terms.iter().filter(|(monomial, _)| monomial.len() == 1);
        singles.map(|(monomial, c)| (monomial[0], c)).filter(|(atom, _)| !in_products.contains(atom)).collect()
    }

    /// Removes the monomial that is this atom.
    #[must_use]
    pub fn without(&self, atom: Atom) -> Polynomial {
        let mut rest = self.clone();
        rest.terms.remove(&Monomial::from_slice(&[atom]));
        rest
    }

    /// The greatest common divisor of all coefficients but the constant; 0 for a constant.
    pub fn content(&self) -> BigInt {
        let mut content = BigInt::zero();
        for (_, coefficient) in self.terms.iter().filter(|(monomial, _)| !monomial.is_empty()) {
            content = content.gcd(coefficient);
            if content.is_one() {
                break;
            }
        }
        content
    }

    /// The largest k with 2^k dividing every coefficient; 0 for zero.
    pub fn trailing_zeros(&self) -> u32 {
        let zeros = self.terms.values().filter_map(BigInt::trailing_zeros).min();
        zeros.map_or(0, |zeros| u32::try_from(zeros).unwrap_or(u32::MAX))
    }

    /// Whether the first coefficient of a monomial with atoms is negative.
    pub fn leads_negative(&self) -> bool {
        self.terms.iter().find(|(monomial, _)| !monomial.is_empty()).is_some_and(|(_, c)| c.is_negative())
    }
}

/// Returns the product of two monomials, and whether it is to be negated.
fn multiply(left: &Monomial, right: &Monomial, square: &impl Fn(Atom) -> Square) -> (Monomial, bool) {
    let mut all: Monomial = left.iter().chain(right).copied().collect();
    all.sort_unstable();
    let mut product = Monomial::new();
    let mut negated = false;
    for atom in all {
        if product.last() == Some(&atom) {
            match square(atom) {
                Square::Free => {}
                Square::Same => continue,
                Square::Negated => {
                    negated = !negated;
                    continue;
                }
            }
        }
        product.push(atom);
    }
    (product, negated)
}
