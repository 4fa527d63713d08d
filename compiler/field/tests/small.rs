//! Primes of a word at most: the form that is chosen for them holds programs and modules, whose results are those of
//! integers modulo p.

mod support;

use std::fmt::Write;

use culet_field::arithmetic::Arithmetic;
use culet_field::lanes::Lanes;
use culet_field::primes::PrimeRepresentation;
use culet_field::program::{WordKind, limbs};
use culet_field::{montgomery, representation::Representation};
use culet_ir::{Elements, Field, FieldKind, Module};
use culet_testing::Rng;
use num_bigint::BigUint;
use support::{computed, written};

/// Words of targets, in which one element stands alone or each lane has an instance.
const WORDS: [WordKind; 3] = [
    WordKind { bits: 64, mac52: None, mul32: false, clmul: false },
    WordKind { bits: 32, mac52: None, mul32: false, clmul: false },
    WordKind { bits: 64, mac52: Some(1), mul32: false, clmul: false },
];

/// Numbers below which other primes are searched: moduli of transforms, sizes up to a word, small and large parts above
/// the top.
const OTHERS: [u64; 23] = [
    3329,
    7681,
    8191,
    12289,
    65537,
    131_071,
    8_380_417,
    (1 << 24) - 3,
    (1 << 24) - (1 << 15),
    (1 << 26) - (1 << 17),
    (1 << 31) - (1 << 17),
    (1 << 31) - 1,
    (1 << 32) - 5,
    (1 << 32) - (1 << 20),
    (1 << 40) - 87,
    (1 << 40) - (1 << 27),
    (1 << 52) - 47,
    (1 << 61) - 1,
    0xffff_ffff_0000_0001,
    u64::MAX,
    // In lanes the top limb has no bit of the first, and in words of 32 bits limbs do not hold all of a program over
    // the second.
    1_125_899_797_266_509,
    281_474_610_272_371,
    2_251_799_813_685_119,
];

const ALL_BELOW: u64 = 1000;

fn is_prime(number: u64) -> bool {
    let number = u128::from(number);
    let power = |base: u128, mut exponent: u128| {
        let (mut base, mut result) = (base % number, 1);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result * base % number;
            }
            base = base * base % number;
            exponent >>= 1;
        }
        result
    };
    // These bases are enough for numbers of one word.
    [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37].iter().all(|&base| {
        let odd = (number - 1) >> (number - 1).trailing_zeros();
        let mut root = power(base, odd);
        let is_witness = (0..(number - 1).trailing_zeros()).all(|_| {
            let is_other = root != number - 1;
            root = root * root % number;
            is_other
        });
        number == base || power(base, odd) == 1 || !is_witness
    })
}

fn primes() -> impl Iterator<Item = u64> {
    let below = |most: u64| (3..=most).rev().find(|&number| is_prime(number)).expect("there is 3");
    (3..ALL_BELOW).filter(|&number| is_prime(number)).chain(OTHERS.map(below))
}

/// All operations, sums that grow in loops, and elements of `bytes` bytes that are read and written.
fn program(p: u64, bytes: usize) -> Module {
    let mut text = format!("field f0 f = GF({p:#x})\nentry fn main {{ output r: w8[40] input k: w8[{}]\n", 2 * bytes);
    for element in 0..2 {
        let names: Vec<String> = (0..bytes).map(|at| format!("v{}", 1000 + element * bytes + at)).collect();
        for (at, name) in names.iter().enumerate() {
            let _ = writeln!(text, "{name} = load.w8 k[{}]", element * bytes + at);
        }
        let _ = writeln!(text, "v{element} = fpack.f0 {}", names.join(", "));
    }
    let factor = (p - 1).min(1000);
    let _ = writeln!(text, "v2 = fmul.f0 v0, v1 v3 = fmulc.f0 v0, {factor} v4 = fadd.f0 v2, v3 v5 = fsub.f0 v4, v1");
    let _ = writeln!(
        text,
        "v6 = loop i0 = 0 to 9 (v7 = v5) {{ v8 = fadd.f0 v7, v0 v9 = fsub.f0 v8, v1 v10 = fadd.f0 v9, v9 next v10 }}"
    );
    let _ = writeln!(text, "v11 = finv.f0 v6 v12 = fneg.f0 v11 v13 = fsqr.f0 v12 v14 = fconst.f0 {} ", p - 1);
    let _ = writeln!(text, "v15 = fsop.f0 v13, v14, v0, v1, [+, +] v16 = fadd.f0 v15, v2");
    for (index, value) in ["v0", "v5", "v6", "v11", "v16"].into_iter().enumerate() {
        let names: Vec<String> = (0..8).map(|at| format!("v{}", 5000 + 8 * index + at)).collect();
        let _ = writeln!(text, "{} = funpack.w8 {value}", names.join(", "));
        for (at, name) in names.iter().enumerate() {
            let _ = writeln!(text, "store r[{}], {name}", 8 * index + at);
        }
    }
    text.push_str("}\n");
    written(&text)
}

/// Programs in every kind of words, whose elements are of as many bytes as a number below p, of a word, and of more.
#[test]
fn programs() {
    let mut rng = Rng::new(5);
    for (turn, p) in primes().enumerate() {
        let least = (64 - p.leading_zeros()).div_ceil(8) as usize;
        let bytes = [least, 4, 8, 9, 12, 17][turn % 6].max(least);
        let module = program(p, bytes);
        for words in WORDS {
            let limbed = limbs(&module, words).unwrap_or_else(|why| panic!("{p}, {bytes} bytes, {words:?}: {why}"));
            for round in 0..12 {
                let byte = |_| match round {
                    0 => vec![255],
                    1 => vec![0],
                    2..=4 => vec![255 * u64::from(rng.below(2))],
                    _ => vec![u64::from(rng.below(256))],
                };
                let input: Elements<u64> = (0..2 * bytes).map(byte).collect();
                let found = computed(&limbed.module, &input);
                assert_eq!(found, computed(&module, &input), "{p}, {bytes} bytes, {words:?}, {input:x?}");
            }
        }
    }
}

/// Modules: limbs that are chosen have a plan.
#[test]
fn modules() {
    for p in primes() {
        let field = Field { name: "f".to_owned(), kind: FieldKind::Prime(BigUint::from(p)), pin: None };
        let arithmetic =
            |representation: Box<dyn Representation>| Arithmetic::new(&field, representation).plan().map(drop);
        for bits in [64, 32] {
            let found = match PrimeRepresentation::new(&field, bits).expect("a representation").into_limbs() {
                Ok(representation) => arithmetic(representation),
                Err(words) => montgomery::functions(&words, field.kind.bytes() as u32).map(drop),
            };
            found.unwrap_or_else(|why| panic!("{p}, words of {bits} bits: {why}"));
        }
        let lanes = Lanes::new(&field, 1).expect("a representation");
        arithmetic(lanes.into_representation()).unwrap_or_else(|why| panic!("{p}, in lanes: {why}"));
    }
}
