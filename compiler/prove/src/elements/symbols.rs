//! Elements of a field as symbols: equal ones are equal elements, whatever the unknowns in them.
//!
//! A product has a normal form, a constant and powers of other elements; so a chain of squarings and multiplications is the
//! power that it computes, and an inverse is one: in a field of q elements the (q − 2)-th, also of 0.

use culet_meaning::{ConcreteFields, FieldDomain, reduced};
use culet_term::{Term, Terms};
use culet_types::field::{Field, FieldKind};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

/// A symbol of one [`Symbols`], of which all are of one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Element(u32);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Symbol {
    /// What these bits spell, least significant first.
    Decoded(Vec<Term>),
    /// The smaller symbol first.
    Sum(Element, Element),
    Difference(Element, Element),
    /// Of a condition, neither of them constant.
    Choice(Term, Element, Element),
    /// A constant times powers of symbols that are no products, each with an exponent from 1.
    Product(BigUint, Vec<(Element, BigUint)>),
}

#[derive(Default)]
pub(super) struct Symbols {
    symbols: Vec<Symbol>,
    known: FxHashMap<Symbol, Element>,
}

impl Symbols {
    fn symbol(&mut self, symbol: Symbol) -> Element {
        let next = Element(u32::try_from(self.symbols.len()).expect("fewer than 2^32 symbols"));
        let element = *self.known.entry(symbol.clone()).or_insert(next);
        if element == next {
            self.symbols.push(symbol);
        }
        element
    }

    fn constant(&mut self, value: BigUint) -> Element {
        self.symbol(Symbol::Product(value, Vec::new()))
    }

    fn value(&self, element: Element) -> Option<&BigUint> {
        match &self.symbols[element.0 as usize] {
            Symbol::Product(constant, powers) if powers.is_empty() => Some(constant),
            _ => None,
        }
    }

    fn is_zero(&self, element: Element) -> bool {
        self.value(element).is_some_and(Zero::is_zero)
    }

    /// As a constant and powers.
    fn factors(&self, element: Element) -> (BigUint, Vec<(Element, BigUint)>) {
        match &self.symbols[element.0 as usize] {
            Symbol::Product(constant, powers) => (constant.clone(), powers.clone()),
            _ => (BigUint::one(), vec![(element, BigUint::one())]),
        }
    }

    fn product(&mut self, constant: BigUint, powers: Vec<(Element, BigUint)>) -> Element {
        match &powers[..] {
            _ if constant.is_zero() => self.constant(BigUint::ZERO),
            [(element, exponent)] if constant.is_one() && exponent.is_one() => *element,
            _ => self.symbol(Symbol::Product(constant, powers)),
        }
    }
}

/// A constant to a power from 1.
fn power(field: &Field, base: &BigUint, exponent: &BigUint) -> BigUint {
    let mut power = base.clone();
    for bit in (0..exponent.bits().saturating_sub(1)).rev() {
        power = ConcreteFields.mul(field, &power, &power);
        if exponent.bit(bit) {
            power = ConcreteFields.mul(field, &power, base);
        }
    }
    power
}

impl FieldDomain<Terms> for Symbols {
    type Element = Element;

    fn element(&mut self, _: &Field, value: &BigUint) -> Element {
        self.constant(value.clone())
    }

    fn add(&mut self, field: &Field, a: &Element, b: &Element) -> Element {
        if self.is_zero(*a) {
            return *b;
        }
        if self.is_zero(*b) {
            return *a;
        }
        if let (Some(x), Some(y)) = (self.value(*a), self.value(*b)) {
            let sum = ConcreteFields.add(field, x, y);
            return self.constant(sum);
        }
        self.symbol(Symbol::Sum(*a.min(b), *a.max(b)))
    }

    fn sub(&mut self, field: &Field, a: &Element, b: &Element) -> Element {
        if self.is_zero(*b) {
            return *a;
        }
        if a == b {
            return self.constant(BigUint::ZERO);
        }
        if let (Some(x), Some(y)) = (self.value(*a), self.value(*b)) {
            let difference = ConcreteFields.sub(field, x, y);
            return self.constant(difference);
        }
        self.symbol(Symbol::Difference(*a, *b))
    }

    fn mul(&mut self, field: &Field, a: &Element, b: &Element) -> Element {
        let ((x, mut powers), (y, more)) = (self.factors(*a), self.factors(*b));
        for (element, exponent) in more {
            match powers.binary_search_by_key(&element, |(element, _)| *element) {
                Ok(at) => powers[at].1 += exponent,
                Err(at) => powers.insert(at, (element, exponent)),
            }
        }
        let constant = ConcreteFields.mul(field, &x, &y);
        self.product(constant, powers)
    }

    fn inverse(&mut self, field: &Field, a: &Element) -> Element {
        let elements = match &field.kind {
            FieldKind::Prime(modulus) => modulus.clone(),
            FieldKind::Binary(polynomial) => BigUint::one() << (polynomial.bits() - 1),
        };
        let exponent = elements - 2u32;
        let (constant, mut powers) = self.factors(*a);
        for (_, own) in &mut powers {
            *own *= &exponent;
        }
        let constant = power(field, &constant, &exponent);
        self.product(constant, powers)
    }

    fn select(
        &mut self,
        terms: &mut Terms,
        _: &Field,
        condition: &Term,
        then: &Element,
        otherwise: &Element,
    ) -> Element {
        match terms.value(*condition) {
            Some(0) => *otherwise,
            Some(_) => *then,
            None if then == otherwise => *then,
            None => self.symbol(Symbol::Choice(*condition, *then, *otherwise)),
        }
    }

    fn decode(&mut self, terms: &mut Terms, field: &Field, bits: &[Term]) -> Element {
        let mut bits = bits.to_vec();
        while bits.last().is_some_and(|&bit| terms.is_zero(bit)) {
            bits.pop();
        }
        if let Some(values) = bits.iter().map(|&bit| terms.value(bit)).collect::<Option<Vec<u64>>>() {
            let value = values.iter().rev().fold(BigUint::ZERO, |value, &bit| (value << 1u32) | BigUint::from(bit));
            return self.constant(reduced(field, value));
        }
        self.symbol(Symbol::Decoded(bits))
    }

    fn encode(&mut self, terms: &mut Terms, field: &Field, a: &Element) -> Vec<Term> {
        let bits = field.kind.bits() as u32;
        if let Some(value) = self.value(*a).cloned() {
            return (0..bits).map(|bit| terms.constant_u64(1, u64::from(value.bit(bit.into())))).collect();
        }
        (0..bits).map(|bit| terms.input(&format!("bit {bit} of element {}", a.0), 1)).collect()
    }
}
