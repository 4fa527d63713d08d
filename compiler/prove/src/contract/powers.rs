//! Numbers that calls return, as products of powers of the numbers before: all that is known of them modulo a prime.
//!
//! A callee whose equation is `out * R = a * b mod p` makes a third product of two such products. Nothing is added, so
//! that no number is larger than its exponents, and 255 squarings make one power with an exponent of 255 bits.
//! Exponents are reduced: `x^p` is `x` modulo a prime p (Fermat), for 0, too.

use std::collections::BTreeMap;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Zero};

use super::expression::{Expression, Ring};

/// A number of which nothing else is known: what an argument holds in one lane, before the call or after so many calls of callees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Base {
    pub calls: u64,
    /// By its number among those of the function or of the last callee.
    pub argument: usize,
    pub lane: usize,
}

/// `factor` times the bases to their powers, modulo a prime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Product {
    pub factor: BigInt,
    /// No exponent is 0.
    pub powers: BTreeMap<Base, BigInt>,
}

impl Product {
    pub fn base(base: Base) -> Product {
        Product { factor: BigInt::one(), powers: BTreeMap::from([(base, BigInt::one())]) }
    }
}

/// Products modulo a prime, with the products that names stand for; a sum of different products has no value.
pub(super) struct Powers<'p, F> {
    pub prime: &'p BigInt,
    pub of_name: F,
}

impl<F: Fn(&str) -> Option<Product>> Powers<'_, F> {
    /// Whether both sides are the same product.
    pub fn are_equal(&mut self, left: &Expression, right: &Expression) -> bool {
        let (left, right) = (left.evaluate(self), right.evaluate(self));
        left.is_some() && left == right
    }

    /// The product that a base is by an equation, where it stands alone on one side but for a factor.
    pub fn solved(&mut self, left: &Expression, right: &Expression, base: Base) -> Option<Product> {
        let own = Product::base(base);
        for (with, without) in [(left, right), (right, left)] {
            let (with, without) = (with.evaluate(self)?, without.evaluate(self)?);
            if with.powers != own.powers || without.powers.contains_key(&base) {
                continue;
            }
            let inverse = with.factor.modinv(self.prime)?;
            return Some(Product { factor: (without.factor * inverse).mod_floor(self.prime), powers: without.powers });
        }
        None
    }

    /// Reduces an exponent to the range from 1 to p − 1.
    fn reduced(&self, exponent: BigInt) -> BigInt {
        (exponent - 1u32).mod_floor(&(self.prime - 1u32)) + 1u32
    }
}

impl<F: Fn(&str) -> Option<Product>> Ring for Powers<'_, F> {
    type Value = Option<Product>;

    fn number(&mut self, number: &BigInt) -> Option<Product> {
        Some(Product { factor: number.mod_floor(self.prime), powers: BTreeMap::new() })
    }

    fn name(&mut self, name: &str) -> Option<Product> {
        (self.of_name)(name)
    }

    fn known(&self, _: &Option<Product>) -> Option<BigInt> {
        None
    }

    fn add(&mut self, a: &Option<Product>, b: &Option<Product>) -> Option<Product> {
        let sum = |a: &Product, b: &Product| &a.factor + &b.factor;
        self.like(a, b, sum)
    }

    fn sub(&mut self, a: &Option<Product>, b: &Option<Product>) -> Option<Product> {
        let difference = |a: &Product, b: &Product| &a.factor - &b.factor;
        self.like(a, b, difference)
    }

    fn mul(&mut self, a: &Option<Product>, b: &Option<Product>) -> Option<Product> {
        let (a, b) = (a.as_ref()?, b.as_ref()?);
        let factor = (&a.factor * &b.factor).mod_floor(self.prime);
        if factor.is_zero() {
            return self.number(&factor);
        }
        let mut powers = a.powers.clone();
        for (base, exponent) in &b.powers {
            let sum = powers.get(base).map_or(exponent.clone(), |own| own + exponent);
            powers.insert(*base, self.reduced(sum));
        }
        Some(Product { factor, powers })
    }
}

impl<F: Fn(&str) -> Option<Product>> Powers<'_, F> {
    /// Combines two multiples of one product.
    fn like(
        &mut self,
        a: &Option<Product>,
        b: &Option<Product>,
        factor: impl Fn(&Product, &Product) -> BigInt,
    ) -> Option<Product> {
        let (a, b) = (a.as_ref()?, b.as_ref()?);
        if a.powers != b.powers {
            return None;
        }
        let factor = factor(a, b).mod_floor(self.prime);
        if factor.is_zero() { self.number(&factor) } else { Some(Product { factor, powers: a.powers.clone() }) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::expression::{Constants, equation};
    use super::*;

    /// The letters are arguments.
    fn base(name: &str) -> Base {
        Base { calls: 0, argument: name.as_bytes()[0].into(), lane: 0 }
    }

    fn of_name(name: &str) -> Option<Product> {
        match name {
            "out" => Some(Product { factor: BigInt::from(5), powers: [(base("a"), BigInt::from(21))].into() }),
            "none" => None,
            name => Some(Product::base(base(name))),
        }
    }

    fn holds(text: &str) -> bool {
        let prime = BigInt::from(23);
        let read = equation(text, &Constants::new()).expect("an equation");
        Powers { prime: &prime, of_name }.are_equal(&read.left, &read.right)
    }

    #[test]
    fn exponents_are_those_of_a_prime() {
        for (text, is_equal) in [
            ("out * a^2 = 5 * a", true),
            ("out * a^2 = a", false),
            ("out * a = 5", false),
            ("a^23 = a", true),
            ("a^22 = 1", false),
            ("0 * a = 0", true),
            ("a + a - a = a", true),
            ("a + b = b + a", false),
            ("none = none", false),
            ("24 * a = a", true),
        ] {
            assert_eq!(holds(text), is_equal, "{text}");
        }
    }

    #[test]
    fn an_equation_is_solved_for_a_result() {
        let prime = BigInt::from(23);
        let solved = |text: &str| {
            let read = equation(text, &Constants::new()).expect("an equation");
            let of_name = |name: &str| Some(Product::base(base(name)));
            Powers { prime: &prime, of_name }.solved(&read.left, &read.right, base("out"))
        };
        let product = solved("out * 2 = a * b").expect("a product");
        assert_eq!((product.factor, product.powers.len()), (BigInt::from(12), 2));
        assert_eq!(solved("a * b = out"), solved("out = b * a"));
        for text in ["out^2 = a", "out * a = b", "out * 23 = a", "out = a + b", "out = out * a"] {
            assert_eq!(solved(text), None, "{text}");
        }
    }
}
