//! Whole programs: the bounds of the X25519 ladder, found over its loop, in the limbs of TweetNaCl and in five limbs.

mod support;

use culet_field::carries::{Order, Place, Plan};
use culet_field::check::check;
use culet_field::expand::{expand, expand_unchecked};
use culet_field::interval::{Interval, SlotBounds, power};
use culet_field::plan::{Problem, Whole, generous, search};
use culet_field::primes::Unsaturated;
use culet_filetest::Case;
use culet_ir::{FieldOp, FuncId, Inst, Module, Op, compute, parse, verify};
use culet_types::field::Radix;
use num_bigint::BigInt;
use support::{modulo, prime};

fn ladder() -> Module {
    let module = parse(&Case::parse("ladder", include_str!("../../../tests/filetests/field/ladder_radix_16.ir")).input)
        .expect("the program reads");
    verify(&module).expect("the program is well formed");
    module
}

/// Sixteen limbs of 16 bits with signs, in words of 64.
fn radix_16() -> Unsaturated {
    let p = BigInt::from(prime("25519"));
    Unsaturated::new(&p, Radix::new(16, 1).expect("a radix"), 64).expect("limbs").signed()
}

/// The point's limbs have no more than their own bits.
fn inputs(representation: &Unsaturated) -> SlotBounds {
    let limbs = (0..representation.limbs).map(|limb| Interval::below(power(representation.limb_bits(limb).into())));
    [(0, limbs.collect())].into()
}

/// Places after operations of a kind.
fn results(module: &Module, is_wanted: impl Fn(&FieldOp) -> bool) -> Vec<Place> {
    let insts = (0..).map(Inst).zip(&module.entry().insts);
    let wanted = insts.filter(|(_, data)| matches!(&data.op, Op::Field(op) if is_wanted(op)));
    wanted.map(|(inst, _)| Place::Result(FuncId(0), inst)).collect()
}

fn is_product(op: &FieldOp) -> bool {
    matches!(op, FieldOp::Mul | FieldOp::Sqr | FieldOp::MulC(_))
}

#[test]
fn in_radix_16_sums_need_no_carry_and_products_two_passes() {
    let (module, representation) = (ladder(), radix_16());
    let inputs = inputs(&representation);
    let whole = Whole::new(&module, &representation, &inputs);
    let passes = |count: usize| {
        let mut plan = Plan::default();
        for place in results(&module, is_product) {
            plan.set(place, (0..16).cycle().take(16 * count).collect());
        }
        plan
    };
    whole.attempt(&passes(2)).expect("two passes after products, none after sums and differences");
    let failure = whole.attempt(&passes(1)).expect_err("one pass is too little");
    assert!(failure.place.starts_with("fn ladder, v20 = fmul"), "{failure}");
}

#[test]
fn in_radix_16_seventeen_single_carries_a_product_are_enough() {
    let (module, representation) = (ladder(), radix_16());
    let inputs = inputs(&representation);
    let whole = Whole::new(&module, &representation, &inputs);
    let plan = search(&whole, &module, generous(&[&module], &representation, Order::Sequential))
        .expect("carries everywhere suffice");
    let products = results(&module, is_product);
    for (place, chain) in plan.chains() {
        assert!(products.contains(&place), "{place:?} is no product");
        assert!(chain.len() <= 17, "{place:?}: {chain:?}");
    }
    let expanded = expand(&module, FuncId(0), &representation, &plan, &inputs, true).expect("the plan holds");
    let outputs = SlotBounds::new();
    let written = expanded.module().expect("it is written");
    verify(&written).expect("it is well formed");
    check(written.entry(), &inputs, &outputs).expect("the checker agrees");
    // The bounds that hold for the results, so that one carry less is seen to break them.
    let promised = expanded.outputs;
    check(written.entry(), &inputs, &promised).expect("the checker agrees with the bounds, too");
    for (place, index) in plan.singles() {
        let less = plan.without(place, index);
        let damaged = expand_unchecked(&module, FuncId(0), &representation, &less, &inputs).expect("it is written");
        assert!(check(damaged.entry(), &inputs, &promised).is_err(), "nothing is wrong without {place:?} {index}");
    }
}

/// RFC 7748, section 5.2, the first vector: the ladder on words gives the u-coordinate as a quotient.
#[test]
fn the_expanded_ladder_computes_the_vector() {
    let (module, representation) = (ladder(), radix_16());
    let inputs = inputs(&representation);
    let whole = Whole::new(&module, &representation, &inputs);
    let plan = search(&whole, &module, generous(&[&module], &representation, Order::Sequential)).expect("a plan");
    let expanded = expand(&module, FuncId(0), &representation, &plan, &inputs, true).expect("the plan holds");
    let number = |text: &str| {
        let bytes: Vec<u8> =
            (0..32).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).expect("hexadecimal")).collect();
        BigInt::from_bytes_le(num_bigint::Sign::Plus, &bytes)
    };
    let scalar = number("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4");
    let u = number("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c");
    let wanted = number("c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552");
    // Section 5: three low bits cleared, bit 254 set, bit 255 cleared.
    let bits = (0..255u64).map(|bit| vec![u64::from(bit >= 3 && (bit == 254 || scalar.bit(bit)))]).collect();
    let limbs = representation.digits(&u).iter().map(|d| vec![u64::try_from(d).expect("a limb")]).collect();
    let outputs = compute(&expanded.module().expect("it is written"), &[limbs, bits]).expect("it runs");
    let p = BigInt::from(prime("25519"));
    let positions: Vec<u32> = (0..16).map(|limb| 16 * limb).collect();
    // Limbs have signs: a word is read as one.
    let signed = |limbs: &Vec<Vec<u64>>| -> BigInt {
        let numbers = limbs.iter().map(|limb| BigInt::from(limb[0].cast_signed()));
        numbers.zip(&positions).map(|(limb, &position)| limb << position).sum()
    };
    let (x, z) = (modulo(&signed(&outputs[0]), &p), modulo(&signed(&outputs[1]), &p));
    assert_eq!(x * z.modpow(&(&p - 2), &p) % &p, wanted);
}
