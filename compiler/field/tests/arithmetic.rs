//! Every operation in every representation against integers modulo p; plans and bounds attacked.

mod support;

use culet_field::arithmetic::{Arithmetic, Operation, Planned, Promised};
use culet_field::check::check;
use culet_field::expand::expand_unchecked;
use culet_field::lanes::Lanes;
use culet_field::plan::Problem;
use culet_field::primes::PrimeRepresentation;
use culet_ir::{Field, FieldKind};
use culet_testing::Rng;
use num_bigint::{BigInt, BigUint};
use support::{expected, field, inputs, limb, modulo, run, value};

/// Representations: the prime, the radix if it is pinned, and bits of a word.
const LIMBS: &[(&str, Option<&str>, u32)] = &[
    ("25519", None, 64),
    ("25519", Some("51"), 64),
    ("25519", Some("25.5"), 64),
    ("25519", None, 32),
    ("25519", Some("85/3"), 64),
    ("1305", None, 64),
    ("1305", Some("44"), 64),
    ("1305", Some("26"), 32),
    ("1305", Some("26"), 64),
    ("448", None, 64),
    ("448", Some("28"), 32),
    ("448", Some("44.8"), 64),
    ("521", None, 64),
    ("521", Some("58"), 64),
    ("521", Some("28"), 32),
    ("secp256k1", Some("52"), 64),
    ("1305", Some("32"), 32),
    ("1305", Some("64"), 64),
    ("25519", Some("32"), 32),
    ("25519", Some("64"), 64),
    ("521", Some("64"), 64),
    ("secp256k1", Some("64"), 64),
];

/// Representations in lanes whose products are of 52 bits.
const IN_LANES: &[(&str, Option<&str>)] = &[
    ("25519", None),
    ("25519", Some("43")),
    ("1305", None),
    ("448", None),
    ("521", None),
    ("secp256k1", None),
    ("p224", None),
    ("p256", None),
    ("p384", None),
    ("l25519", None),
    ("n256", None),
    ("25519", Some("mont 52")),
];

/// All representations: the prime, the radix, and bits of a plain word, none in lanes.
fn representations() -> impl Iterator<Item = (&'static str, Option<&'static str>, Option<u32>)> {
    let plain = LIMBS.iter().map(|&(name, pin, bits)| (name, pin, Some(bits)));
    plain.chain(IN_LANES.iter().map(|&(name, pin)| (name, pin, None)))
}

fn plan(name: &str, pin: Option<&str>, bits: Option<u32>) -> (Arithmetic, Planned) {
    let field = field(name, pin);
    let limbs = match bits {
        Some(bits) => PrimeRepresentation::new(&field, bits).map(|representation| {
            representation.into_limbs().unwrap_or_else(|_| panic!("{name} {pin:?} has no limbs"))
        }),
        None => Lanes::new(&field, 1).map(Lanes::into_representation),
    };
    let limbs = limbs.unwrap_or_else(|error| panic!("{name} {pin:?}: {error}"));
    let arithmetic = Arithmetic::new(&field, limbs);
    let planned = arithmetic.plan().unwrap_or_else(|error| panic!("{name} {pin:?} {bits:?}: {error}"));
    (arithmetic, planned)
}

/// Compares results on elements within bounds with results on their numbers.
fn compare(name: &str, arithmetic: &Arithmetic, planned: &Planned, rng: &mut Rng, rounds: u32) {
    let p = &arithmetic.modulus;
    let limbs = &arithmetic.representation;
    let positions: Vec<u32> = (0..limbs.words()).map(|i| limbs.position(i)).collect();
    let bytes: Vec<u32> = (0..arithmetic.bytes()).map(|i| 8 * i).collect();
    // Inverse of the factor by which Montgomery's form multiplies elements.
    let inverse = BigInt::from(limbs.factor()).modpow(&(p - 2), p);
    for (operation, module) in &planned.functions {
        let bounds = if operation.takes_loose() { &planned.bounds.loose } else { &planned.bounds.tight };
        for round in 0..rounds {
            let (mut words, mut numbers, mut flag) = (Vec::new(), Vec::new(), 0);
            for (length, is_bit) in inputs(module) {
                if is_bit {
                    flag = rng.draw() & 1;
                    words.push(vec![flag]);
                } else if *operation == Operation::FromBytes {
                    let read: Vec<u64> = (0..length).map(|_| if round == 0 { 255 } else { rng.draw() & 255 }).collect();
                    numbers.push(value(&read, &bytes));
                    words.push(read);
                } else {
                    let element: Vec<u64> = bounds.iter().map(|range| limb(rng, range)).collect();
                    numbers.push(value(&element, &positions) * &inverse);
                    words.push(element);
                }
            }
            let out = run(module, &words);
            let want = expected(*operation, &numbers, flag, p);
            if *operation == Operation::ToBytes {
                assert_eq!(value(&out, &bytes), want, "{} {name} of {words:x?}", operation.name());
                continue;
            }
            assert_eq!(
                modulo(&(value(&out, &positions) * &inverse), p),
                want,
                "{} {name} of {words:x?}",
                operation.name()
            );
            let promised = if operation.gives_loose() { &planned.bounds.loose } else { &planned.bounds.tight };
            for (word, range) in out.iter().zip(promised) {
                assert!(BigInt::from(*word) <= range.high, "{} {name} of {words:x?}", operation.name());
            }
        }
    }
}

#[test]
fn every_operation_is_that_of_integers_modulo_p() {
    let mut rng = Rng::new(1);
    for (name, pin, bits) in representations() {
        let (arithmetic, planned) = plan(name, pin, bits);
        compare(name, &arithmetic, &planned, &mut rng, 60);
    }
}

/// Limbs with different numbers of bits, as many as words hold, over primes whose part above the top folds back to
/// several limbs.
#[test]
fn limbs_of_any_radix_compute_modulo_p() {
    let two = |exponent: u32| BigUint::from(1u32) << exponent;
    let primes = [
        (two(64) - two(29) - 1u32, 32, 3..=6_u32),
        (two(160) - two(76) - 1u32, 32, 6..=12),
        (two(166) - two(62) - 1u32, 64, 3..=8),
        (two(192) - two(64) - 1u32, 64, 4..=11),
        (two(248) - two(96) - 1u32, 32, 9..=12),
        (two(256) - two(32) - 977u32, 32, 9..=14),
        (two(448) - two(224) - 1u32, 64, 8..=21),
    ];
    let mut rng = Rng::new(4);
    let mut several = 0;
    for (modulus, bits, counts) in primes {
        for count in counts {
            let name = format!("2^{} - ... in {count} limbs", modulus.bits());
            let pin = Some(format!("{}/{count}", modulus.bits()).parse().expect("a radix"));
            let field = Field { name: "f".into(), kind: FieldKind::Prime(modulus.clone()), pin };
            let Ok(PrimeRepresentation::Unsaturated(limbs)) = PrimeRepresentation::new(&field, bits) else { continue };
            several += u32::from(limbs.taps.len() > 1 && !modulus.bits().is_multiple_of(count.into()));
            let arithmetic = Arithmetic::new(&field, Box::new(limbs));
            if let Ok(planned) = arithmetic.plan() {
                compare(&name, &arithmetic, &planned, &mut rng, 12);
            }
        }
    }
    assert!(several > 30, "{several}");
}

/// Values around multiples of p and the ends of their bytes have the right canonical form.
#[test]
fn bytes_are_canonical_at_the_edges() {
    for (name, pin, bits) in representations() {
        let (arithmetic, planned) = plan(name, pin, bits);
        let p = &arithmetic.modulus;
        let func = |wanted: Operation| &planned.functions.iter().find(|(op, _)| *op == wanted).unwrap().1;
        let top = BigInt::from(1) << (8 * arithmetic.bytes());
        let mut edges = Vec::new();
        for distance in -3i32..=3 {
            for base in [BigInt::ZERO, p.clone(), p * 2, p * 3, &top - 1, (&top + p) / 2] {
                let edge: BigInt = base + distance;
                if edge >= BigInt::ZERO && edge < top {
                    edges.push(edge);
                }
            }
        }
        for edge in edges {
            let mut bytes: Vec<u64> = edge.to_bytes_le().1.into_iter().map(u64::from).collect();
            bytes.resize(arithmetic.bytes() as usize, 0);
            let element = run(func(Operation::FromBytes), &[bytes]);
            let out = run(func(Operation::ToBytes), &[element]);
            let positions: Vec<u32> = (0..arithmetic.bytes()).map(|i| 8 * i).collect();
            assert_eq!(value(&out, &positions), modulo(&edge, p), "{name} {pin:?} {edge:#x}");
        }
    }
}

/// The checker rejects the words of any plan without one of its carries, or the bounds fit together without it.
#[test]
fn no_carry_can_be_taken_away() {
    let mut rejected = 0;
    for (name, pin, bits) in representations() {
        let (arithmetic, planned) = plan(name, pin, bits);
        let singles = planned.plan.singles();
        // Full words carry with every sum; there, a plan has a fold of the top word at most.
        let are_full = pin.zip(bits).is_some_and(|(pin, bits)| pin == bits.to_string());
        assert!(are_full || !singles.is_empty(), "{name} {pin:?}: words hold products only after carries");
        for (place, index) in singles {
            let less = planned.plan.without(place, index);
            // With the promised bounds, the checker, which knows no plan, finds the fault.
            let mut is_rejected = false;
            for &(operation, _) in &planned.functions {
                let id = arithmetic.id(operation).expect("a function");
                let (reads, writes) =
                    (arithmetic.inputs(operation, &planned.bounds), arithmetic.outputs(operation, &planned.bounds));
                let module = expand_unchecked(&arithmetic.module, id, &*arithmetic.representation, &less, &reads);
                is_rejected |= check(module.expect("it is written").entry(), &reads, &writes).is_err();
            }
            // Otherwise the carry is not needed for correctness, and only saves a carry of two words.
            let promised = Promised { arithmetic: &arithmetic, bounds: &planned.bounds };
            let saves = || match (promised.attempt(&planned.plan), promised.attempt(&less)) {
                (Ok(with), Ok(without)) => without > with,
                _ => false,
            };
            assert!(is_rejected || saves(), "{name} {pin:?} {bits:?}: nothing is wrong without {place:?} {index}");
            rejected += u32::from(is_rejected);
        }
    }
    assert!(rejected > 300, "{rejected} are rejected");
}

#[test]
fn what_cannot_be_is_named() {
    for (name, pin, bits, message) in [
        ("25519", "63", 64, "limbs of 63 bits leave no room for carries in words of 64 bits"),
        ("25519", "60", 32, "limbs of 60 bits leave no room for carries in words of 32 bits"),
        ("25519", "1", 64, "255 bits do not fit into 64 limbs of 1 bits"),
        ("25519", "25.4", 64, "11 limbs of 25.4 bits are no whole number of bits"),
        ("p256", "52", 64, "2^260 is no small number modulo the modulus, so that carries do not fold back"),
        ("p256", "mont 32", 64, "Montgomery's form has limbs of 32 bits here, but words have 64"),
    ] {
        let error = PrimeRepresentation::new(&field(name, Some(pin)), bits).expect_err(message);
        assert_eq!(error.message, message);
        assert!(!error.remedy.is_empty());
    }
    for (name, pin, message) in [
        (
            "25519",
            "52",
            "products in lanes are of 52 bits by as many, and limbs of 52 bits leave no room for carries there",
        ),
        (
            "25519",
            "64",
            "products in lanes are of 52 bits by as many, and limbs of 64 bits leave no room for carries there",
        ),
        ("25519", "mont 64", "Montgomery's form has limbs of 52 bits in lanes, not of 64"),
        ("p256", "51", "2^306 is no small number modulo the modulus, so that carries do not fold back"),
        (
            "secp256k1",
            "43",
            "2^258 is no number of 8 bits modulo the modulus, so that products of 52 bits do not fold back",
        ),
    ] {
        let error = Lanes::new(&field(name, Some(pin)), 1).err().expect(message);
        assert_eq!(error.message, message);
        assert!(!error.remedy.is_empty());
    }
    // Here there are limbs, but even carries everywhere do not keep sums in words.
    for (name, pin, bits, place) in [
        ("521", "29", 32, "fn mul, v2 = fmul: a number of two words does not fit into a word of 32 bits"),
        ("521", "30", 32, "fn mul, v2 = fmul: a sum does not fit into two words of 32 bits"),
        ("448", "30", 32, "fn mul, v2 = fmul: a number of two words does not fit into a word of 32 bits"),
        ("secp256k1", "26", 32, "fn mul, v2 = fmul: a number of two words does not fit into a word of 32 bits"),
    ] {
        let field = field(name, Some(pin));
        let Ok(limbs) = PrimeRepresentation::new(&field, bits).expect("a representation").into_limbs() else {
            panic!("{name} {pin} has limbs")
        };
        let error = Arithmetic::new(&field, limbs).plan().err().expect("no plan holds").to_string();
        assert!(error.starts_with(place), "{error}");
    }
}
