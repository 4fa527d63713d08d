//! Elements of a field as polynomials in unknowns: equal polynomials are equal elements, whatever the unknowns are.
//!
//! A sum times a product of unknowns is the sum of the products, so that Horner's rule and sums of powers have one
//! form. A sum times a sum is not multiplied out: each sum, less the factors that all its products share, becomes an
//! unknown of its own. So a chain of squarings and multiplications has the form of the power that it computes. An
//! inverse is a power, too: in a field of q elements the (q − 2)-th, also of 0. The (q − 1)-th power of an element that
//! is not 0 is 1 (`zero`). Where formulas are compared, sums are multiplied out instead ([`Symbols::expanding`]).

mod zero;

use std::collections::BTreeMap;

use culet_meaning::{ConcreteFields, FieldDomain, reduced};
use culet_term::{Term, Terms};
use culet_types::field::Field;
use num_bigint::BigUint;
use num_traits::{One, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::effort::elements::LARGEST;
use crate::unknown::Unknown as UnknownWord;

/// A polynomial of one [`Symbols`]; all its polynomials are over one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Element(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Atom(u32);

/// An unknown in polynomials.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Unknown {
    /// The element that these bits encode, least significant first.
    Decoded(Vec<Term>),
    /// A choice by a condition that is not constant.
    Choice(Term, Element, Element),
    /// A sum that is a factor of a product.
    Sum(Element),
    /// An element, or 1 where the element is 0.
    Unit(Element),
    /// Any element; the number distinguishes it from others.
    Free(usize),
}

/// Powers of unknowns, each with an exponent from 1.
type Product = Vec<(Atom, BigUint)>;

/// Products in order, each with its coefficient, none of which is zero.
type Polynomial = Vec<(Product, BigUint)>;

#[derive(Default)]
pub(super) struct Symbols {
    polynomials: Vec<Polynomial>,
    elements: FxHashMap<Polynomial, Element>,
    atoms: FxHashMap<Unknown, Atom>,
    /// Atoms that are never 0.
    units: FxHashSet<Atom>,
    /// Bits of canonical forms, with the element that each belongs to.
    encoded: FxHashMap<Term, Element>,
    /// Whether sums times sums are multiplied out.
    expands: bool,
    /// Choosing bits with their assumed values.
    assumed: FxHashMap<Term, bool>,
    /// The first bit that has chosen since the last [`Symbols::assume`] and has no assumed value.
    open: Option<Term>,
}

impl Symbols {
    /// Symbols that multiply out products of sums, if these have not too many products.
    pub fn expanding() -> Symbols {
        Symbols { expands: true, ..Symbols::default() }
    }

    /// Assumes values for these bits, and for no others, from now on.
    pub fn assume(&mut self, bits: &[(Term, bool)]) {
        self.assumed = bits.iter().copied().collect();
        self.open = None;
    }

    /// Returns a bit that has chosen between elements since the last [`Symbols::assume`], and has no assumed value.
    pub fn open(&self) -> Option<Term> {
        self.open
    }

    /// Returns an element of which nothing is known; another number gives another element.
    pub fn free(&mut self, number: usize) -> Element {
        self.unknown(Unknown::Free(number))
    }

    fn named(&mut self, polynomial: Polynomial) -> Element {
        let next = Element(u32::try_from(self.polynomials.len()).expect("fewer than 2^32 polynomials"));
        let element = *self.elements.entry(polynomial.clone()).or_insert(next);
        if element == next {
            self.polynomials.push(polynomial);
        }
        element
    }

    fn atom(&mut self, unknown: Unknown) -> Atom {
        let next = Atom(u32::try_from(self.atoms.len()).expect("fewer than 2^32 unknowns"));
        *self.atoms.entry(unknown).or_insert(next)
    }

    fn unknown(&mut self, unknown: Unknown) -> Element {
        let atom = self.atom(unknown);
        self.named(vec![(vec![(atom, BigUint::one())], BigUint::one())])
    }

    fn constant(&mut self, value: BigUint) -> Element {
        let polynomial = if value.is_zero() { Vec::new() } else { vec![(Vec::new(), value)] };
        self.named(polynomial)
    }

    fn of(&self, element: Element) -> &Polynomial {
        &self.polynomials[element.0 as usize]
    }

    fn value(&self, element: Element) -> Option<BigUint> {
        match &self.of(element)[..] {
            [] => Some(BigUint::ZERO),
            [(product, value)] if product.is_empty() => Some(value.clone()),
            _ => None,
        }
    }

    /// Returns the common factors of all products in a sum, and the sum divided by them as an unknown.
    fn primitive(&mut self, sum: &[(Product, BigUint)]) -> (Product, Atom) {
        let first = sum.first().map(|(product, _)| product.clone()).unwrap_or_default();
        let common = sum.iter().fold(first, |common, (product, _)| shared(&common, product));
        let mut primitive: Polynomial =
            sum.iter().map(|(product, value)| (without(product, &common), value.clone())).collect();
        primitive.sort();
        let primitive = self.named(primitive);
        (common, self.atom(Unknown::Sum(primitive)))
    }

    /// Returns an element as one product, or `None` for zero.
    fn factors(&mut self, element: Element) -> Option<(Product, BigUint)> {
        let polynomial = self.of(element).clone();
        match &polynomial[..] {
            [] => None,
            [one] => Some(one.clone()),
            sum => {
                let (common, rest) = self.primitive(sum);
                Some((times(&common, &[(rest, BigUint::one())]), BigUint::one()))
            }
        }
    }

    /// Returns a sum times a product, multiplied out. `None` if the sum is too large, or if the product has the sum as
    /// a factor, whose exponent then grows by one.
    fn multiplied_out(&mut self, field: &Field, sum: Element, by: &(Product, BigUint)) -> Option<Element> {
        let sum = self.of(sum).clone();
        let (_, rest) = self.primitive(&sum);
        if sum.len() > LARGEST || by.0.iter().any(|(atom, _)| *atom == rest) {
            return None;
        }
        let product = |own: &Product| self.reduced(field, times(own, &by.0));
        let products = sum.iter().map(|(own, value)| (product(own), ConcreteFields.mul(field, value, &by.1)));
        let mut products: Polynomial = products.collect();
        products.sort();
        Some(self.named(products))
    }

    /// Returns the sum of all products of two sums.
    fn expanded(&mut self, field: &Field, a: Element, b: Element) -> Element {
        let mut sum: BTreeMap<Product, BigUint> = BTreeMap::new();
        for (first, value) in self.of(a) {
            for (second, other) in self.of(b) {
                let old = sum.entry(times(first, second)).or_default();
                *old = ConcreteFields.add(field, old, &ConcreteFields.mul(field, value, other));
            }
        }
        sum.retain(|_, value| !value.is_zero());
        self.named(sum.into_iter().collect())
    }

    fn combined(&mut self, field: &Field, a: Element, b: Element, add: bool) -> Element {
        let mut sum: BTreeMap<Product, BigUint> = self.of(a).iter().cloned().collect();
        for (product, value) in self.of(b).clone() {
            let old = sum.remove(&product).unwrap_or_default();
            let new =
                if add { ConcreteFields.add(field, &old, &value) } else { ConcreteFields.sub(field, &old, &value) };
            if !new.is_zero() {
                sum.insert(product, new);
            }
        }
        self.named(sum.into_iter().collect())
    }
}

/// Returns the common factors of two products.
fn shared(a: &[(Atom, BigUint)], b: &[(Atom, BigUint)]) -> Product {
    let exponent = |atom| b.iter().find(|(other, _)| *other == atom).map(|(_, exponent)| exponent);
    a.iter().filter_map(|(atom, own)| exponent(*atom).map(|other| (*atom, own.min(other).clone()))).collect()
}

/// Returns a product without one of its factors.
fn without(product: &[(Atom, BigUint)], factor: &[(Atom, BigUint)]) -> Product {
    let less = |atom| factor.iter().find(|(other, _)| *other == atom).map_or(BigUint::ZERO, |(_, less)| less.clone());
    let powers = product.iter().map(|(atom, exponent)| (*atom, exponent - less(*atom)));
    powers.filter(|(_, exponent)| !exponent.is_zero()).collect()
}

fn times(a: &[(Atom, BigUint)], b: &[(Atom, BigUint)]) -> Product {
    let mut powers = a.to_vec();
    for (atom, exponent) in b {
        match powers.binary_search_by_key(atom, |(atom, _)| *atom) {
            Ok(at) => powers[at].1 += exponent,
            Err(at) => powers.insert(at, (*atom, exponent.clone())),
        }
    }
    powers
}

/// Raises a product and its coefficient to an exponent of at least 1.
fn power(field: &Field, (product, base): &(Product, BigUint), exponent: &BigUint) -> (Product, BigUint) {
    let mut value = base.clone();
    for bit in (0..exponent.bits().saturating_sub(1)).rev() {
        value = ConcreteFields.mul(field, &value, &value);
        if exponent.bit(bit) {
            value = ConcreteFields.mul(field, &value, base);
        }
    }
    (product.iter().map(|(atom, own)| (*atom, own * exponent)).collect(), value)
}

impl FieldDomain<Terms> for Symbols {
    type Element = Element;

    fn element(&mut self, _: &Field, value: &BigUint) -> Element {
        self.constant(value.clone())
    }

    fn add(&mut self, field: &Field, a: &Element, b: &Element) -> Element {
        self.combined(field, *a, *b, true)
    }

    fn sub(&mut self, field: &Field, a: &Element, b: &Element) -> Element {
        self.combined(field, *a, *b, false)
    }

    fn mul(&mut self, field: &Field, a: &Element, b: &Element) -> Element {
        if self.expands && self.of(*a).len() * self.of(*b).len() <= LARGEST {
            return self.expanded(field, *a, *b);
        }
        let (Some(first), Some(second)) = (self.factors(*a), self.factors(*b)) else {
            return self.constant(BigUint::ZERO);
        };
        let multiplied_out = match (self.of(*a).len(), self.of(*b).len()) {
            (2.., 1) => self.multiplied_out(field, *a, &second),
            (1, 2..) => self.multiplied_out(field, *b, &first),
            _ => None,
        };
        multiplied_out.unwrap_or_else(|| {
            let product = self.reduced(field, times(&first.0, &second.0));
            self.named(vec![(product, ConcreteFields.mul(field, &first.1, &second.1))])
        })
    }

    fn inverse(&mut self, field: &Field, a: &Element) -> Element {
        let exponent = field.kind.elements() - 2u32;
        let Some(product) = self.factors(*a) else { return *a };
        let (powers, value) = power(field, &product, &exponent);
        self.named(vec![(self.reduced(field, powers), value)])
    }

    fn select(
        &mut self,
        terms: &mut Terms,
        field: &Field,
        condition: &Term,
        then: &Element,
        otherwise: &Element,
    ) -> Element {
        match terms.value(*condition).map(|bit| bit != 0).or_else(|| self.assumed.get(condition).copied()) {
            Some(false) => *otherwise,
            Some(true) => *then,
            None if then == otherwise => *then,
            None => {
                if let Some(known) = self.where_zero(terms, field, *condition, (*then, *otherwise)) {
                    return known;
                }
                self.open.get_or_insert(*condition);
                self.unknown(Unknown::Choice(*condition, *then, *otherwise))
            }
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
        self.unknown(Unknown::Decoded(bits))
    }

    fn encode(&mut self, terms: &mut Terms, field: &Field, a: &Element) -> Vec<Term> {
        let bits = field.kind.bits() as u32;
        if let Some(value) = self.value(*a) {
            return (0..bits).map(|bit| terms.constant_u64(1, u64::from(value.bit(bit.into())))).collect();
        }
        let name = |bit: u32| format!("bit {bit} of element {}", a.0);
        let bits: Vec<Term> =
            (0..bits).map(|bit| UnknownWord::ElementBit(a.0, bit).word(terms, &name(bit), 1)).collect();
        self.encoded.extend(bits.iter().map(|&bit| (bit, *a)));
        bits
    }
}
