//! The laws of fields, for elements as integers.

use culet_meaning::{Concrete, ConcreteFields, FieldDomain, reduced};
use culet_types::field::{Field, FieldKind};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use proptest::collection::vec;
use proptest::prelude::*;

fn power(exponent: u32) -> BigUint {
    BigUint::one() << exponent
}

/// Small and large primes, of special form and not, and binary fields.
fn kinds() -> Vec<FieldKind> {
    let prime = FieldKind::Prime;
    let binary = |exponents: &[u32]| FieldKind::Binary(exponents.iter().map(|&e| power(e)).sum());
    vec![
        prime(BigUint::from(3u32)),
        prime(BigUint::from(65537u32)),
        prime(power(130) - 5u32),
        prime(power(255) - 19u32),
        prime(power(256) - power(224) + power(192) + power(96) - 1u32),
        prime(power(521) - 1u32),
        binary(&[2, 1, 0]),
        binary(&[8, 4, 3, 1, 0]),
        binary(&[128, 7, 2, 1, 0]),
        binary(&[163, 7, 6, 3, 0]),
    ]
}

fn field(kind: FieldKind) -> Field {
    Field { name: "F".into(), kind, pin: None }
}

fn number(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_le(bytes)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn the_laws_hold(x in vec(any::<u8>(), 0..80), y in vec(any::<u8>(), 0..80), z in vec(any::<u8>(), 0..80)) {
        let mut d = ConcreteFields;
        for kind in kinds() {
            let f = field(kind);
            let [a, b, c] = [&x, &y, &z].map(|bytes| reduced(&f, number(bytes)));
            let (zero, one) = (d.element(&f, &BigUint::ZERO), d.element(&f, &BigUint::one()));
            let sum = d.add(&f, &a, &b);
            prop_assert_eq!(&sum, &d.add(&f, &b, &a));
            prop_assert_eq!(&d.sub(&f, &sum, &b), &a);
            let minus_a = d.neg(&f, &a);
            prop_assert_eq!(&d.add(&f, &minus_a, &a), &zero);
            let product = d.mul(&f, &a, &b);
            prop_assert_eq!(&product, &d.mul(&f, &b, &a));
            let both = (d.mul(&f, &a, &c), d.mul(&f, &b, &c));
            prop_assert_eq!(d.mul(&f, &sum, &c), d.add(&f, &both.0, &both.1));
            let (left, right) = (d.mul(&f, &product, &c), d.mul(&f, &b, &c));
            prop_assert_eq!(left, d.mul(&f, &a, &right));
            let inverse = d.inverse(&f, &a);
            let expected = if a.is_zero() { &zero } else { &one };
            prop_assert_eq!(&d.mul(&f, &a, &inverse), expected);
            let quotient = d.div(&f, &a, &b);
            let expected = if b.is_zero() { &zero } else { &a };
            prop_assert_eq!(&d.mul(&f, &quotient, &b), expected);
            for value in [&sum, &minus_a, &product, &inverse, &quotient] {
                prop_assert!(value.bits() <= f.kind.bits() && *value == reduced(&f, value.clone()));
            }
        }
    }

    #[test]
    fn bits_are_the_canonical_form(x in vec(any::<u8>(), 0..100)) {
        let (mut words, mut d) = (Concrete, ConcreteFields);
        let all: Vec<u64> = x.iter().flat_map(|byte| (0..8).map(move |k| u64::from(byte >> k & 1))).collect();
        for kind in kinds() {
            let f = field(kind);
            let element = d.decode(&mut words, &f, &all);
            prop_assert_eq!(&element, &reduced(&f, number(&x)));
            let bits = d.encode(&mut words, &f, &element);
            prop_assert_eq!(bits.len() as u64, f.kind.bits());
            prop_assert_eq!(d.decode(&mut words, &f, &bits), element);
        }
    }
}

/// Adds p or the polynomial, which changes nothing but the bits.
#[test]
fn what_is_not_canonical_is_reduced() {
    for kind in kinds() {
        let f = field(kind.clone());
        for small in 0..2u32 {
            let moved = match &kind {
                FieldKind::Prime(p) => p + small,
                FieldKind::Binary(f) => f ^ BigUint::from(small),
            };
            assert_eq!(reduced(&f, moved), BigUint::from(small));
        }
    }
}
