//! Functions that call one another: each has a plan of its own, elements between them are tight, and the checker sees
//! where a word may leave the bounds of a border.

mod support;

use culet_field::carries::{Order, Plan};
use culet_field::check::{Border, Known, check_module};
use culet_field::expand::expand;
use culet_field::interval::{Interval, SlotBounds, power};
use culet_field::plan::{Problem, Whole, everywhere, search};
use culet_field::primes::{Montgomery, Unsaturated};
use culet_field::program::{WordKind, limbs};
use culet_field::representation::Representation;
use culet_ir::{Elements, FuncId, Module, parse, verify};
use culet_testing::Rng;
use culet_types::field::Radix;
use num_bigint::BigInt;
use support::{computed, prime, written};

const FIELDS: [&str; 4] = [
    "GF(0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed)",
    "GF(0xffffffff00000001000000000000000000000000ffffffffffffffffffffffff)",
    "GF(0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f)",
    "GF(0x1fff)",
];

/// Sums that are returned as they are, in a loop and with an array, a choice by a bit, and a call inside a function.
const FUNCTIONS: &str = "
fn sums(v0: f0, v1: f0, v2: w1) {
  v3 = fadd.f0 v0, v1
  v4 = fadd.f0 v3, v3
  v5 = fselect.f0 v2, v4, v0
  v6 = fsub.f0 v5, v1
  v7 = not.w1 v2
  return v4, v6, v7
}

fn power(v0: f0, v1: w1) {
  local t: f0[4]
  store t[0], v0
  store t[1], v0
  store t[2], v0
  store t[3], v0
  v2 = loop i0 = 0 to 3 (v3 = v0) {
    v4 = load.f0 t[i0]
    v5 = fmul.f0 v3, v4
    v6, v7, v8 = call sums(v5, v3, v1)
    store t[i0], v7
    next v6
  }
  return v2
}
";

fn program(field: &str, bytes: usize) -> Module {
    let list = |from: usize| (from..from + bytes).map(|at| format!("v{at}")).collect::<Vec<_>>().join(", ");
    let mut text =
        format!("field f0 f = {field}\n{FUNCTIONS}entry fn main {{ output r: w8[{bytes}] input k: w8[{}]\n", bytes + 1);
    for at in 0..=bytes {
        text.push_str(&format!("v{} = load.w8 k[{at}]\n", 1000 + at));
    }
    text.push_str(&format!("v1 = fpack.f0 {}\nv2 = extract.w1 v{}, 0\n", list(1000), 1000 + bytes));
    text.push_str("v3, v4, v5 = call sums(v1, v1, v2)\nv6 = call power(v3, v5)\nv7, v8, v9 = call sums(v6, v4, v5)\n");
    text.push_str("v10 = fmul.f0 v7, v8\n");
    text.push_str(&format!("{} = funpack.w8 v10\n", list(2000)));
    for at in 0..bytes {
        text.push_str(&format!("store r[{at}], v{}\n", 2000 + at));
    }
    written(&(text + "}\n"))
}

#[test]
fn words_compute_what_elements_do() {
    for (field, bits) in FIELDS.into_iter().flat_map(|field| [(field, 64), (field, 32)]) {
        let bytes = if field.len() < 20 { 2 } else { 32 };
        let module = program(field, bytes);
        let limbed = limbs(&module, WordKind::plain(bits)).unwrap_or_else(|why| panic!("{field}, {bits}: {why}"));
        verify(&limbed.module).unwrap_or_else(|errors| panic!("{field}, {bits}: {}", errors[0]));
        assert_eq!(limbed.module.funcs.len(), 3);
        let mut rng = Rng::new(11);
        for round in 0..20 {
            let byte = |_| vec![[0, 255].get(round).copied().unwrap_or_else(|| u64::from(rng.below(256)))];
            let input: Elements<u64> = (0..=bytes).map(byte).collect();
            assert_eq!(computed(&limbed.module, &input), computed(&module, &input), "{field}, {bits}, {round}");
        }
    }
}

fn limbs_25519() -> Unsaturated {
    Unsaturated::new(&BigInt::from(prime("25519")), Radix::new(51, 1).expect("a radix"), 64).expect("limbs")
}

/// The plan of one function.
fn planned(module: &Module, id: FuncId, representation: &dyn Representation) -> Plan {
    let inputs = SlotBounds::new();
    let whole = Whole::of_func(module, id, representation, &inputs);
    search(&whole, module, everywhere(&[module], representation, Order::Interleaved).in_func(id)).expect("a plan")
}

#[test]
fn each_function_has_a_plan_from_which_no_carry_can_be_taken() {
    let (module, representation) = (program(FIELDS[0], 32), limbs_25519());
    for id in (0..3).map(FuncId) {
        let plan = planned(&module, id, &representation);
        let inputs = SlotBounds::new();
        let whole = Whole::of_func(&module, id, &representation, &inputs);
        let wide = whole.attempt(&plan).expect("it holds");
        for (place, index) in plan.singles() {
            let without = whole.attempt(&plan.without(place, index));
            assert!(without.is_err() || without.is_ok_and(|without| without > wide), "{place:?} {index}");
        }
        let expanded = expand(&module, id, &representation, &plan, &inputs, true).expect("the plan holds");
        assert!(expanded.func.is_some_and(|func| func.result_types().len() == [11, 5, 0][id.index()]));
    }
    assert!(planned(&module, FuncId(0), &representation).carries() > 0, "sums are carried before they are returned");
}

#[test]
fn a_function_is_the_same_whoever_calls_it() {
    let (module, representation) = (program(FIELDS[0], 32), limbs_25519());
    let text = module.to_string().replace("v10 = fmul.f0 v7, v8", "v10 = fadd.f0 v7, v8");
    let other = parse(&text).unwrap_or_else(|error| panic!("{error:?}"));
    for id in [FuncId(0), FuncId(1)] {
        assert_eq!(planned(&module, id, &representation), planned(&other, id, &representation));
    }
}

#[test]
fn tight_elements_have_a_little_more_than_their_own_bits() {
    let representation = limbs_25519();
    for (index, range) in (0..).zip(representation.tight()) {
        let own = power(representation.limb_bits(index).into());
        assert!(Interval::below(own.clone()).within(&range) && range.high < own * 2, "{range}");
    }
    let montgomery = Montgomery::new(&BigInt::from(prime("25519")), 64, 64).expect("a form");
    assert_eq!(montgomery.tight(), vec![Interval::word(64); 4]);
}

const BORDERS: &str = "
fn twice(v0: w64) {
  v1 = add.w64 v0, v0
  return v1
}

entry fn main {
  input a: w64[1]
  output r: w64[1]
  v0 = load.w64 a[0]
  v1 = const.w64 0xffffffff
  v2 = and.w64 v0, v1
  v3 = call twice(v2)
  v4 = add.w64 v3, v3
  store r[0], v4
}
";

/// Says of `twice` that it takes words up to `param` and gives words up to `result`.
fn checked(param: u64, result: u64) -> Result<(), String> {
    let module = parse(BORDERS).expect("it reads");
    let border = Border { params: vec![Interval::new(0, param)], results: vec![Interval::new(0, result)] };
    let known = [Known { border, ..Known::default() }, Known::default()];
    check_module(&module, &known).map_err(|violation| violation.to_string())
}

#[test]
fn bounds_at_borders_are_checked() {
    assert_eq!(checked(0xffff_ffff, 0x1_ffff_fffe), Ok(()));
    assert_eq!(checked(1 << 62, 1 << 63).expect_err("the sum of results").split(':').next(), Some("fn main, v4 = add"));
    let call = checked(0xffff_fffe, 0x1_ffff_fffe).expect_err("an operand may be one more");
    assert!(call.starts_with("fn main, v3 = call: operand 1 must be"), "{call}");
    let result = checked(0xffff_ffff, 0x1_ffff_fffd).expect_err("a result may be one more");
    assert!(result.starts_with("fn twice: result 1 is promised"), "{result}");
    let sum = checked(1 << 63, u64::MAX).expect_err("the sum wraps");
    assert!(sum.starts_with("fn twice, v1 = add"), "{sum}");
}

#[test]
fn a_border_is_as_long_as_the_function_says() {
    let module = parse(BORDERS).expect("it reads");
    let short = check_module(&module, &[Known::default(), Known::default()]).expect_err("a parameter has no bound");
    assert!(short.message.contains("0 parameters, not 1"), "{short}");
    assert!(check_module(&module, &[]).is_err(), "nothing is said about any function");
}
