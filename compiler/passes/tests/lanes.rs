//! Folds in lanes compute the same as without lanes, for messages of every length.

use culet_ir::{Elements, Module, Target, compute, parse, verify};
use culet_passes::{Context, find};
use culet_testing::Rng;

/// Iterations of a fold from `v2` on, with factors `v1` and `k` and a block that has become `v5`; `v9` is the next
/// value.
const ELEMENTS: [(&str, &str); 8] = [
    ("Poly1305", "v6 = fadd.f0 v3, v5 v9 = fmul.f0 v6, v1"),
    ("coefficients of powers", "v6 = fmul.f0 v1, v3 v9 = fsub.f0 v6, v5"),
    ("both", "v6 = fmul.f0 v3, v2 v7 = fsub.f0 v5, v6 v8 = fneg.f0 v7 v9 = fmulc.f0 v8, 3"),
    ("a sum", "v9 = fadd.f0 v5, v3"),
    ("a power", "v9 = fmul.f0 v3, v1"),
    ("what is carried twice", "v6 = fmul.f0 v3, v1 v7 = fadd.f0 v6, v3 v8 = fsub.f0 v7, v5 v9 = fmulc.f0 v8, 5"),
    ("a factor made in the loop", "v6 = fsqr.f0 v1 v7 = fadd.f0 v3, v5 v8 = fmul.f0 v7, v6 v9 = fadd.f0 v8, v5"),
    ("a choice", "v6 = fmul.f0 v3, v1 v7 = fadd.f0 v3, v5 v8 = fselect.f0 v90, v6, v7 v9 = fmul.f0 v8, v2"),
];

const WORDS: [(&str, &str); 3] = [
    ("factor and summand", "v6 = mul.w32 v3, v1 v9 = add.w32 v6, v5"),
    ("a difference", "v6 = sub.w32 v5, v3 v9 = mul.w32 v2, v6"),
    ("a choice", "v6 = sub.w32 v3, v5 v9 = select.w32 v90, v3, v6"),
];

/// A function with two factors and a condition from its key.
fn module(field: &str, turn: &str, block: u32) -> Module {
    let mut text = String::new();
    let is_field = !field.is_empty();
    if is_field {
        text.push_str(&format!("field f0 fr = {field}\n"));
    }
    let bytes = if is_field { 17 } else { 4 };
    text.push_str(&format!("entry fn main {{ output r: w8[{bytes}] input k: w8[{}] stream m: w8[1]\n", 2 * bytes + 1));
    for at in 0..=2 * bytes {
        text.push_str(&format!("v{} = load.w8 k[{at}]\n", 1000 + at));
    }
    let pack = |text: &mut String, name: &str, parts: Vec<String>| {
        if is_field {
            text.push_str(&format!("{name} = fpack.f0 {}\n", parts.join(", ")));
        } else {
            let [a, b, c, d] = [0, 1, 2, 3].map(|at| parts.get(at).cloned().unwrap_or_else(|| "v1000".to_owned()));
            text.push_str(&format!("{name}901 = concat.w16 {a}, {b} {name}902 = concat.w16 {c}, {d}\n"));
            text.push_str(&format!("{name} = concat.w32 {name}901, {name}902\n"));
        }
    };
    let of_key = |from: u32| (from..from + bytes).map(|at| format!("v{}", 1000 + at)).collect::<Vec<_>>();
    pack(&mut text, "v1", of_key(0));
    pack(&mut text, "v2", of_key(bytes));
    text.push_str(&format!("v90 = extract.w1 v{}, 3\n", 1000 + 2 * bytes));
    text.push_str(&format!("v20 = loop i0 over m by {block} lanes 16 (v3 = v2) {{\n"));
    for at in 0..block {
        text.push_str(&format!("v{} = load.w8 m[{block}*i0 + {at}]\n", 2000 + at));
    }
    pack(&mut text, "v5", (0..block).map(|at| format!("v{}", 2000 + at)).collect());
    text.push_str(&format!("{turn} next v9 }}\n"));
    let names = (0..bytes).map(|at| format!("v{}", 3000 + at)).collect::<Vec<_>>();
    if is_field {
        text.push_str(&format!("{} = funpack.w8 v20\n", names.join(", ")));
    } else {
        for (at, name) in names.iter().enumerate() {
            text.push_str(&format!("{name} = extract.w8 v20, {}\n", 8 * at));
        }
    }
    for (at, name) in names.iter().enumerate() {
        text.push_str(&format!("store r[{at}], {name}\n"));
    }
    text.push_str("}\n");
    let text = text.replace("m[1*i0 + ", "m[i0 + ").replace(" + 0]", "]");
    let module = parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    verify(&module).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]));
    module
}

fn run(module: &Module, inputs: &[Elements<u64>]) -> Vec<Elements<u64>> {
    compute(module, inputs).expect("it has an answer")
}

/// Compares for all these lengths, with a key for each.
fn check(what: &str, module: &Module, lengths: std::ops::RangeInclusive<usize>, counts: &[u32]) {
    for &lanes in counts {
        let context = Context { lanes: Some(lanes), ..Context::new(Target::C64) };
        check_in(&format!("{what}, {lanes} lanes"), module, lengths.clone(), &context, &format!("beyond {lanes}"));
    }
}

/// As [`check`], in one context; the module with lanes must have the text `wanted`.
fn check_in(what: &str, module: &Module, lengths: std::ops::RangeInclusive<usize>, context: &Context, wanted: &str) {
    let key = module.entry().slots[1].length as usize;
    let mut divided = module.clone();
    (find("lanes").expect("the pass").run)(&mut divided, context);
    let text = divided.to_string();
    assert!(text.contains(wanted), "{what}: there is no `{wanted}`\n{text}");
    verify(&divided).unwrap_or_else(|errors| panic!("{what}: {}\n{text}", errors[0]));
    assert_eq!(parse(&text).expect("it reads back").to_string(), text);
    let mut rng = Rng::new(17);
    for length in lengths {
        let mut bytes = |count: usize| (0..count).map(|_| vec![u64::from(rng.below(256))]).collect::<Elements<u64>>();
        let inputs = [bytes(key), bytes(length)];
        assert_eq!(run(module, &inputs), run(&divided, &inputs), "{what}: {length} bytes");
    }
}

#[test]
fn elements() {
    for (name, turn) in ELEMENTS {
        for field in ["GF(0x3fffffffffffffffffffffffffffffffb)", "GF2(0x100000000000000000000000000000087)"] {
            // In a binary field 3 is x + 1.
            check(name, &module(field, turn, 2), 0..=40, &[2, 3, 4, 5]);
        }
    }
}

/// Accumulators side by side: messages of less than a group, of groups, and of all that groups leave over.
#[test]
fn side_by_side() {
    for (name, turn) in ELEMENTS {
        let module = module("GF(0x3fffffffffffffffffffffffffffffffb)", turn, 2);
        for (target, lanes) in [(Target::Sse, 2), (Target::Avx2, 4), (Target::Avx512Ifma, 8)] {
            let context = Context { side_by_side: lanes, ..Context::new(target) };
            let (vectors, groups) = target.fold_vectors();
            let group = 2 * (lanes * vectors * groups) as usize;
            check_in(&format!("{name}, {lanes}"), &module, 0..=3 * group + 3, &context, &format!("v<{lanes},f0>"));
        }
    }
}

/// No more accumulators than a program allows, and none side by side of a binary field, or of words.
#[test]
fn few_accumulators_stand_apart() {
    let context = Context { side_by_side: 4, ..Context::new(Target::Avx2) };
    let few = module("GF(0x7fffffff)", ELEMENTS[0].1, 4).to_string().replace("lanes 16", "lanes 3");
    for text in [few, module("GF2(0x11b)", ELEMENTS[0].1, 4).to_string(), module("", WORDS[0].1, 1).to_string()] {
        let mut module = parse(&text).expect("a module");
        (find("lanes").expect("the pass").run)(&mut module, &context);
        assert!(!module.to_string().contains("v<"), "{module}");
    }
}

#[test]
fn words() {
    for (name, turn) in WORDS {
        check(name, &module("", turn, 1), 0..=40, &[2, 3, 4, 7, 16]);
    }
}

/// Folds as in Poly1305 and GHASH, with blocks of 16 bytes.
#[test]
fn all_lengths() {
    for field in ["GF(0x3fffffffffffffffffffffffffffffffb)", "GF2(0x100000000000000000000000000000087)"] {
        check("blocks of 16 bytes", &module(field, ELEMENTS[0].1, 16), 0..=300, &[2, 4, 16]);
    }
}

/// With one accumulator, the module stays as it was.
#[test]
fn one_lane_changes_nothing() {
    let before = module("GF(0x7fffffff)", ELEMENTS[0].1, 4);
    let mut after = before.clone();
    (find("lanes").expect("the pass").run)(&mut after, &Context { lanes: Some(1), ..Context::new(Target::C64) });
    let mut compact = before;
    compact.compact();
    assert_eq!(after.to_string(), compact.to_string());
}
