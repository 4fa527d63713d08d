//! Programs with elements of two fields: each has its own limbs in functions, loops and arrays.

mod support;

use culet_field::program::{WordKind, limbs};
use culet_ir::{Elements, Module, verify};
use culet_testing::Rng;
use support::{computed, written};

/// Pairs of fields whose elements have different representations, or the same one with different words.
const PAIRS: [[&str; 2]; 4] = [
    [
        "GF(0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed)",
        "GF(0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed)",
    ],
    [
        "GF(0xffffffff00000001000000000000000000000000ffffffffffffffffffffffff)",
        "GF(0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551)",
    ],
    [
        "GF(0x3fffffffffffffffffffffffffffffffb)",
        "GF(0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed)",
    ],
    [
        "GF(0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed)",
        "GF(0x3fffffffffffffffffffffffffffffffb)",
    ],
];

/// A function with elements of both fields at its border, and a loop that carries both, with an array of each.
const FUNCTIONS: &str = "
fn both(v0: f0, v1: f1, v2: w1) {
  v3 = fadd.f0 v0, v0
  v4 = fsub.f1 v1, v1
  v5 = fselect.f1 v2, v4, v1
  v6 = fmul.f1 v5, v1
  v7 = fadd.f1 v6, v1
  v8 = fadd.f0 v3, v0
  return v8, v7
}

fn turns(v0: f0, v1: f1, v2: w1) {
  local s: f0[2]
  local t: f1[2]
  store s[0], v0
  store s[1], v0
  store t[0], v1
  store t[1], v1
  v3, v4 = loop i0 = 0 to 1 (v5 = v0, v6 = v1) {
    v7 = load.f0 s[i0]
    v8 = load.f1 t[i0]
    v9 = fmul.f0 v5, v7
    v10 = fmul.f1 v6, v8
    v11, v12 = call both(v9, v10, v2)
    store s[i0], v11
    store t[i0], v12
    next v11, v12
  }
  return v3, v4
}
";

/// The functions from 40 bytes, as an element of each field, to the inverses of both results.
fn program([first, second]: [&str; 2]) -> Module {
    let list =
        |from: usize, count: usize| (from..from + count).map(|at| format!("v{at}")).collect::<Vec<_>>().join(", ");
    let mut text = format!("field f0 f = {first}\nfield f1 g = {second}\n{FUNCTIONS}");
    text.push_str("entry fn main { output r: w8[80] input k: w8[40]\n");
    (0..40).for_each(|at| text.push_str(&format!("v{} = load.w8 k[{at}]\n", 1000 + at)));
    let bytes = list(1000, 40);
    text.push_str(&format!("v1 = fpack.f0 {bytes}\nv2 = fpack.f1 {bytes}\nv3 = extract.w1 v1039, 0\n"));
    text.push_str(
        "v4, v5 = call turns(v1, v2, v3)\nv6, v7 = call both(v4, v5, v3)\nv8 = finv.f0 v6\nv9 = finv.f1 v7\n",
    );
    text.push_str(&format!("{} = funpack.w8 v8\n{} = funpack.w8 v9\n", list(2000, 40), list(2040, 40)));
    (0..80).for_each(|at| text.push_str(&format!("store r[{at}], v{}\n", 2000 + at)));
    written(&(text + "}\n"))
}

#[test]
fn words_compute_what_elements_of_two_fields_do() {
    for (pair, bits) in PAIRS.into_iter().flat_map(|pair| [(pair, 64), (pair, 32)]) {
        let module = program(pair);
        let limbed = limbs(&module, WordKind::plain(bits)).unwrap_or_else(|why| panic!("{pair:?}, {bits}: {why}"));
        verify(&limbed.module).unwrap_or_else(|errors| panic!("{pair:?}, {bits}: {}", errors[0]));
        let mut rng = Rng::new(23);
        for round in 0..8 {
            let byte = |_| vec![[0, 255].get(round).copied().unwrap_or_else(|| u64::from(rng.below(256)))];
            let input: Elements<u64> = (0..40).map(byte).collect();
            assert_eq!(computed(&limbed.module, &input), computed(&module, &input), "{pair:?}, {bits}, {round}");
        }
    }
}
