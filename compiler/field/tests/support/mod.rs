//! Fields, random elements within bounds, and functions on words run by the evaluator.

#![allow(dead_code, reason = "every test uses a part")]

use culet_field::arithmetic::Operation;
use culet_field::interval::Interval;
use culet_ir::{Elements, Field, FieldKind, Module, SlotKind, Type, compute, parse, verify};
use culet_testing::Rng;
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

fn two(exponent: u32) -> BigUint {
    BigUint::from(1u32) << exponent
}

/// The primes of the table: their names, and the primes.
pub fn primes() -> Vec<(&'static str, BigUint)> {
    let decimal = |text: &str| BigUint::parse_bytes(text.as_bytes(), 10).expect("a decimal number");
    let hexadecimal = |text: &str| BigUint::parse_bytes(text.as_bytes(), 16).expect("a hexadecimal number");
    vec![
        ("25519", two(255) - 19u32),
        ("1305", two(130) - 5u32),
        ("448", two(448) - two(224) - 1u32),
        ("521", two(521) - 1u32),
        ("p224", two(224) - two(96) + 1u32),
        ("p256", two(256) - two(224) + two(192) + two(96) - 1u32),
        ("p384", two(384) - two(128) - two(96) + two(32) - 1u32),
        ("secp256k1", two(256) - two(32) - 977u32),
        // RFC 8032, section 5.1; FIPS 186-4, appendix D.1.2.3.
        ("l25519", two(252) + decimal("27742317777372353535851937790883648493")),
        ("n256", hexadecimal("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")),
    ]
}

pub fn prime(name: &str) -> BigUint {
    primes().into_iter().find(|(known, _)| *known == name).expect("a known prime").1
}

pub fn field(name: &str, pin: Option<&str>) -> Field {
    let pin = pin.map(|pin| pin.parse().expect("a pin"));
    Field { name: format!("f{name}"), kind: FieldKind::Prime(prime(name)), pin }
}

/// A limb within its bounds: an end, or anything between.
pub fn limb(rng: &mut Rng, range: &Interval) -> u64 {
    let high = range.high.to_u64().expect("limbs are words without sign");
    match rng.below(6) {
        0 => 0,
        1 => high,
        2 => high - u64::from(high > 0),
        _ => ((u128::from(rng.draw()) * (u128::from(high) + 1)) >> 64) as u64,
    }
}

/// The number that limbs make.
pub fn value(limbs: &[u64], positions: &[u32]) -> BigInt {
    limbs.iter().zip(positions).map(|(&limb, &position)| BigInt::from(limb) << position).sum()
}

/// The words that a function on words gives.
pub fn run(module: &Module, inputs: &[Vec<u64>]) -> Vec<u64> {
    let inputs: Vec<Vec<Vec<u64>>> = inputs.iter().map(|slot| slot.iter().map(|&word| vec![word]).collect()).collect();
    let outputs = compute(module, &inputs).expect("the function runs");
    outputs[0].iter().map(|lanes| lanes[0]).collect()
}

/// A module on elements from its text.
pub fn written(text: &str) -> Module {
    let module = parse(text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    verify(&module).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    module
}

/// The results of a module on elements, or in their words, that reads one slot.
pub fn computed(module: &Module, input: &Elements<u64>) -> Vec<Elements<u64>> {
    compute(module, std::slice::from_ref(input)).expect("it has an answer")
}

/// Lengths of the input slots of a function, and whether each is a bit.
pub fn inputs(module: &Module) -> Vec<(usize, bool)> {
    let slots = module.entry().slots.iter().filter(|slot| matches!(slot.kind, SlotKind::Input { .. }));
    slots.map(|slot| (slot.length as usize, slot.element == Type::Word(1))).collect()
}

/// The result of an operation on numbers, modulo p; the flag chooses.
pub fn expected(operation: Operation, numbers: &[BigInt], flag: u64, p: &BigInt) -> BigInt {
    let result = match operation {
        Operation::Mul => &numbers[0] * &numbers[1],
        Operation::Square => &numbers[0] * &numbers[0],
        Operation::Add => &numbers[0] + &numbers[1],
        Operation::Sub => &numbers[0] - &numbers[1],
        Operation::Opp => -&numbers[0],
        Operation::Select => numbers[usize::from(flag == 0)].clone(),
        Operation::Carry | Operation::FromBytes | Operation::ToBytes => numbers[0].clone(),
        Operation::Inv => numbers[0].modpow(&(p - 2), p),
    };
    modulo(&result, p)
}

pub fn modulo(value: &BigInt, p: &BigInt) -> BigInt {
    ((value % p) + p) % p
}
