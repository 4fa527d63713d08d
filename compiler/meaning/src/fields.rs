//! The trait of operations on elements of fields, beside the words of a [`Domain`].

use std::convert::Infallible;

use culet_types::field::Field;
use num_bigint::BigUint;

use crate::Domain;

/// Elements of fields and the operations on them. Words go to and come from elements as lists of bits, which are
/// one-bit words of the domain `D`.
pub trait FieldDomain<D: Domain> {
    type Element: Clone;

    /// The element with this canonical value: less than p, or of lower degree than the polynomial.
    fn element(&mut self, field: &Field, value: &BigUint) -> Self::Element;
    fn add(&mut self, field: &Field, a: &Self::Element, b: &Self::Element) -> Self::Element;
    fn sub(&mut self, field: &Field, a: &Self::Element, b: &Self::Element) -> Self::Element;
    fn mul(&mut self, field: &Field, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// The factor with which `a` gives 1; zero if `a` is zero.
    fn inverse(&mut self, field: &Field, a: &Self::Element) -> Self::Element;
    /// `condition ? then : otherwise`; the condition has one bit.
    fn select(
        &mut self,
        domain: &mut D,
        field: &Field,
        condition: &D::Word,
        then: &Self::Element,
        otherwise: &Self::Element,
    ) -> Self::Element;
    /// The number or polynomial that these bits spell, least significant first, reduced.
    fn decode(&mut self, domain: &mut D, field: &Field, bits: &[D::Word]) -> Self::Element;
    /// The bits of the canonical form, least significant first: [`bits`](culet_types::field::FieldKind::bits) of them.
    fn encode(&mut self, domain: &mut D, field: &Field, a: &Self::Element) -> Vec<D::Word>;

    fn neg(&mut self, field: &Field, a: &Self::Element) -> Self::Element {
        let zero = self.element(field, &BigUint::ZERO);
        self.sub(field, &zero, a)
    }

    /// Dividing by zero gives zero.
    fn div(&mut self, field: &Field, a: &Self::Element, b: &Self::Element) -> Self::Element {
        let inverse = self.inverse(field, b);
        self.mul(field, a, &inverse)
    }
}

/// For programs without fields: there are no elements.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFields;

impl<D: Domain> FieldDomain<D> for NoFields {
    type Element = Infallible;

    fn element(&mut self, field: &Field, _: &BigUint) -> Infallible {
        unreachable!("a program with the field `{}` is interpreted over a domain that has fields", field.name)
    }

    fn add(&mut self, _: &Field, a: &Infallible, _: &Infallible) -> Infallible {
        *a
    }

    fn sub(&mut self, _: &Field, a: &Infallible, _: &Infallible) -> Infallible {
        *a
    }

    fn mul(&mut self, _: &Field, a: &Infallible, _: &Infallible) -> Infallible {
        *a
    }

    fn inverse(&mut self, _: &Field, a: &Infallible) -> Infallible {
        *a
    }

    fn select(&mut self, _: &mut D, _: &Field, _: &D::Word, then: &Infallible, _: &Infallible) -> Infallible {
        *then
    }

    fn decode(&mut self, _: &mut D, field: &Field, _: &[D::Word]) -> Infallible {
        <NoFields as FieldDomain<D>>::element(self, field, &BigUint::ZERO)
    }

    fn encode(&mut self, _: &mut D, _: &Field, a: &Infallible) -> Vec<D::Word> {
        match *a {}
    }
}
