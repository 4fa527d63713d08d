//! Elements of fields as integers: the domain of `culet run` and of tests.

use culet_types::field::{Field, FieldKind, polynomial};
use num_bigint::BigUint;
use num_traits::Zero;

use crate::{Concrete, FieldDomain};

/// Elements in their canonical form: integers below p, or polynomials of lower degree than the modulus, the coefficient
/// of x^i being bit i.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConcreteFields;

/// The canonical form of any integer or polynomial.
pub fn reduced(field: &Field, value: BigUint) -> BigUint {
    match &field.kind {
        FieldKind::Prime(p) => value % p,
        FieldKind::Binary(f) => polynomial::remainder(&value, f),
    }
}

impl FieldDomain<Concrete> for ConcreteFields {
    type Element = BigUint;

    fn element(&mut self, _: &Field, value: &BigUint) -> BigUint {
        value.clone()
    }

    fn add(&mut self, field: &Field, a: &BigUint, b: &BigUint) -> BigUint {
        match &field.kind {
            FieldKind::Prime(p) => (a + b) % p,
            FieldKind::Binary(_) => a ^ b,
        }
    }

    fn sub(&mut self, field: &Field, a: &BigUint, b: &BigUint) -> BigUint {
        match &field.kind {
            FieldKind::Prime(p) => (a + p - b) % p,
            FieldKind::Binary(_) => a ^ b,
        }
    }

    fn mul(&mut self, field: &Field, a: &BigUint, b: &BigUint) -> BigUint {
        match &field.kind {
            FieldKind::Prime(p) => a * b % p,
            FieldKind::Binary(f) => polynomial::remainder(&polynomial::multiply(a, b), f),
        }
    }

    fn inverse(&mut self, field: &Field, a: &BigUint) -> BigUint {
        if a.is_zero() {
            return BigUint::ZERO;
        }
        let inverse = match &field.kind {
            FieldKind::Prime(p) => a.modinv(p),
            FieldKind::Binary(f) => polynomial::inverse(a, f),
        };
        inverse.expect("the elaborator has checked that the modulus makes a field")
    }

    fn select(&mut self, _: &mut Concrete, _: &Field, condition: &u64, then: &BigUint, otherwise: &BigUint) -> BigUint {
        if *condition == 1 { then.clone() } else { otherwise.clone() }
    }

    fn decode(&mut self, _: &mut Concrete, field: &Field, bits: &[u64]) -> BigUint {
        let bytes: Vec<u8> =
            bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |value, &bit| value << 1 | bit as u8)).collect();
        reduced(field, BigUint::from_bytes_le(&bytes))
    }

    fn encode(&mut self, _: &mut Concrete, field: &Field, a: &BigUint) -> Vec<u64> {
        (0..field.kind.bits()).map(|k| u64::from(a.bit(k))).collect()
    }
}
