//! Multiples by small constants, and constants alone, in every form.

mod support;

use std::fmt::Write;

use culet_field::program::{WordKind, limbs};
use culet_ir::{Elements, Module};
use culet_testing::Rng;
use support::{computed, written};

const C64: WordKind = WordKind { bits: 64, mac52: None, mul32: false, clmul: false };
const C32: WordKind = WordKind { bits: 32, mac52: None, mul32: false, clmul: false };
/// An instance in each lane.
const BATCH: WordKind = WordKind { bits: 64, mac52: Some(1), mul32: false, clmul: false };

/// P-256, secp256k1, the order of Curve25519's group, and 2^255 - 19, also in a form that is pinned.
const FIELDS: [&str; 6] = [
    "GF(0xffffffff00000001000000000000000000000000ffffffffffffffffffffffff)",
    "GF(0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f)",
    "GF(0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed)",
    "GF(0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed)",
    "GF(0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed) as \"mont 52\"",
    "GF(0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed) as \"mont 64\"",
];

/// Elements `v0` and `v1`, then the instructions of `body`, whose result is `result`.
fn module(field: &str, body: &str, result: &str) -> Module {
    let mut text = format!("field f0 f = {field}\nentry fn main {{ output r: w8[32] input k: w8[64]\n");
    for element in 0..2 {
        let names: Vec<String> = (0..32).map(|at| format!("v{}", 1000 + element * 32 + at)).collect();
        for (at, name) in names.iter().enumerate() {
            let _ = writeln!(text, "{name} = load.w8 k[{}]", element * 32 + at);
        }
        let _ = writeln!(text, "v{element} = fpack.f0 {}", names.join(", "));
    }
    let names: Vec<String> = (0..32).map(|at| format!("v{}", 5000 + at)).collect();
    let _ = writeln!(text, "{body}\n{} = funpack.w8 {result}", names.join(", "));
    for (at, name) in names.iter().enumerate() {
        let _ = writeln!(text, "store r[{at}], {name}");
    }
    text.push_str("}\n");
    written(&text)
}

/// Compares the words of a program with its computation on elements.
fn compare(module: &Module, words: WordKind, what: &str) {
    let mut rng = Rng::new(7);
    let limbed = limbs(module, words).unwrap_or_else(|why| panic!("{what}, {words:?}: {why}"));
    for round in 0..10 {
        let byte = |_| match round {
            0 => vec![255],
            1 => vec![0],
            _ => vec![u64::from(rng.below(256))],
        };
        let input: Elements<u64> = (0..64).map(byte).collect();
        assert_eq!(computed(&limbed.module, &input), computed(module, &input), "{what}, {words:?}");
    }
}

/// Multiples as canonical forms, in products and in sums.
#[test]
fn multiples_in_lanes() {
    for field in FIELDS.iter().filter(|field| !field.contains("mont 64")) {
        for factor in [2, 3, 12, 15, 16, 17, 19, 1000, 4097, 65_535, 121_666, (1 << 24) - 1] {
            let multiple = format!("v2 = fmulc.f0 v0, {factor}");
            compare(&module(field, &multiple, "v2"), BATCH, &format!("{field}, {factor}"));
            let body = format!("{multiple} v3 = fmul.f0 v2, v1 v4 = fadd.f0 v3, v2 v5 = fmulc.f0 v4, {factor}");
            compare(&module(field, &body, "v5"), BATCH, &format!("{field}, {factor}, in sums"));
        }
    }
}

/// Operations on constants, constants that are written out, and a carried value that stays a constant.
#[test]
fn constants() {
    for field in FIELDS {
        for (body, result) in [
            ("v2 = fconst.f0 1", "v2"),
            ("v3 = fconst.f0 3 v4 = fmulc.f0 v3, 2 v2 = fadd.f0 v4, v0", "v2"),
            ("v3 = fconst.f0 2 v4 = finv.f0 v3 v5 = fconst.f0 1 v6 = fmul.f0 v4, v5 v2 = fmul.f0 v6, v0", "v2"),
            ("v3 = fconst.f0 2 v4 = finv.f0 v3 v5 = fsqr.f0 v4 v6 = fsub.f0 v4, v5 v2 = fneg.f0 v6", "v2"),
            ("v3 = fconst.f0 0 v4 = finv.f0 v3 v5 = fconst.f0 9 v2 = fsop.f0 v3, v5, v5, v5, v4, v0, [+, -, +]", "v2"),
            ("v3 = fconst.f0 7 v2 = loop i0 = 0 to 3 (v4 = v3) { next v4 }", "v2"),
            ("v3 = fconst.f0 7 v2 = loop i0 = 0 to 3 (v4 = v3) { v5 = fmul.f0 v4, v3 next v5 }", "v2"),
        ] {
            let module = module(field, body, result);
            for words in [C64, C32, BATCH] {
                let is_pinned = match words.mac52 {
                    Some(_) => field.contains("mont 64"),
                    None => field.contains("mont 52") || words.bits == 32 && field.contains("mont 64"),
                };
                if !is_pinned {
                    compare(&module, words, &format!("{field}, {body}"));
                }
            }
        }
    }
}
