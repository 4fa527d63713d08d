//! Words compute the meaning of programs over fields; wrong words and wrong hints are refused.

mod support;

use std::path::Path;

use culet_driver::{
    DiskReader, LANES, Options, Words, elaborate, load, prove_all_elements, prove_elements, prove_limbs, words,
};
use culet_ir::{
    Elements, FieldOp, Inst, InstData, Iterations, Module, Observer, Op, Over, SlotKind, Target, Value, Word, compute,
    eval_observed,
};
use culet_meaning::Concrete;
use culet_prove::limbs::Compared;
use culet_testing::draw;
use support::{Text, primitive, program, program_for, tags};

/// Products, sums, choices and packing in Montgomery's form, in few words.
const MONTGOMERY: &str = "field f = GF(2^127 - 1)
node small (k : u8, a, b : u8[16]) returns (r : u8[16])
vars x, y : f<mont 64>, bit : u1[8]
let
  bit = bits(k);
  x = f(a);
  y = f(b);
  r = bytes((bit[0] ? x * y : x - y) + y)
tel
";

fn montgomery() -> Words {
    program(Path::new("small.ua"), &Text(MONTGOMERY), Target::C64)
}

/// A program like [`MONTGOMERY`], whose modulus fills its words.
fn full(modulus: &str, bytes: u32, bits: u32, target: Target) -> Words {
    let text = MONTGOMERY.replace("2^127 - 1", modulus).replace("mont 64", &bits.to_string());
    // In a sum of products, the products and the partial sums are not the result.
    let text = text.replace("(bit[0] ? x * y : x - y) + y", "(bit[0] ? x * y - x * x - y * y : x - y) + y");
    program(Path::new("small.ua"), &Text(&text.replace("[16]", &format!("[{bytes}]"))), target)
}

/// A program like [`MONTGOMERY`] over a binary field, with products by a constant and inverses.
fn binary(polynomial: &str, bytes: u32, target: Target) -> Words {
    let text = MONTGOMERY.replace("GF(2^127 - 1)", &format!("GF2({polynomial})")).replace("f<mont 64>", "f");
    let text = text.replace("x * y : x - y) + y", "x * y - x * x : 13 * x / y) + y");
    program(Path::new("small.ua"), &Text(&text.replace("[16]", &format!("[{bytes}]"))), target)
}

#[test]
fn binary_fields() {
    for target in [Target::C64, Target::C32, Target::Avx2, Target::Neon, Target::Vsx] {
        let ghash = primitive("macs/ghash.ua", target);
        let compared = prove_limbs(&ghash).expect("elements").unwrap_or_else(|why| panic!("{why}"));
        assert!(compared.operations > 5 && compared.loops > 0, "{compared:?}");
        for (polynomial, bytes) in [("x^128 + x^7 + x^2 + x + 1", 16), ("x^64 + x^4 + x^3 + x + 1", 8)] {
            let words = binary(polynomial, bytes, target);
            let found = prove_limbs(&words).expect("elements").map(|compared| compared.operations > 10);
            assert_eq!(found, Ok(true), "{polynomial}, {}", target.name());
        }
    }
}

#[test]
fn full_words() {
    for (modulus, bytes) in [("2^130 - 5", 17), ("2^255 - 19", 32), ("2^521 - 1", 66)] {
        for (bits, target) in [(64, Target::C64), (32, Target::C32)] {
            let words = full(modulus, bytes, bits, target);
            let found = prove_limbs(&words).expect("elements").map(|compared| compared.operations > 5);
            assert_eq!(found, Ok(true), "{modulus} in words of {bits} bits");
        }
    }
}

/// Folds whose iterations have no product, or a difference at the end: the bounds reach a fixed point, however slowly
/// limbs fill.
#[test]
fn folds_of_sums_and_differences() {
    let turns = ["h + f(b)", "f(b) - h * r", "3 * h + f(b)", "h - f(b)", "h * h - f(b)", "f(b) - h", "r - h + f(b)"];
    for prime in ["2^130 - 5", "2^255 - 19", "2^448 - 2^224 - 1", "2^521 - 1"] {
        for turn in turns {
            let text = format!(
                "field f = GF({prime})
node sums (s : u8[*], r : f) returns (h : f)
let
  h := 0;
  fold b in blocks(s, 16, 1) {{ h := {turn} }}
tel
"
            );
            for target in [Target::C64, Target::C32] {
                let words = program(Path::new("sums.ua"), &Text(&text), target);
                let found = prove_limbs(&words).expect("elements").map(|compared| compared.loops > 0);
                assert_eq!(found, Ok(true), "{turn} over {prime}, {}", target.name());
            }
        }
    }
}

/// Bits above the top are reduced into several limbs, which have different numbers of bits.
#[test]
fn products_in_a_fractional_radix() {
    for (field, bytes, target) in [
        ("GF(2^160 - 2^76 - 1)", 20, Target::C32),
        ("GF(2^166 - 2^62 - 1)", 21, Target::C64),
        ("GF(2^192 - 2^55 - 1)", 24, Target::C32),
        ("GF(2^448 - 2^224 - 1)", 56, Target::C32),
    ] {
        let text = MONTGOMERY.replace("GF(2^127 - 1)", field).replace("f<mont 64>", "f");
        let words = program(Path::new("small.ua"), &Text(&text.replace("[16]", &format!("[{bytes}]"))), target);
        let found = prove_limbs(&words).expect("elements").map(|compared| compared.operations > 5);
        assert_eq!(found, Ok(true), "{field}, {}", target.name());
    }
}

#[test]
fn whole_programs() {
    for path in ["curves/x25519.ua", "macs/poly1305.ua"] {
        for target in [Target::C64, Target::C32] {
            let words = primitive(path, target);
            let compared = prove_limbs(&words).expect("elements").unwrap_or_else(|why| panic!("{path}: {why}"));
            assert!(compared.operations > 5 && compared.loops > 0, "{path}: {compared:?}");
        }
    }
    prove_limbs(&montgomery()).expect("elements").unwrap_or_else(|why| panic!("{why}"));
}

/// Elements side by side, for every length and, by the evaluator, for some lengths, for two drawn targets.
#[test]
fn side_by_side() {
    let targets = vec![Target::Avx512Ifma, Target::Avx2, Target::Sse, Target::Neon, Target::Vsx];
    for target in draw::some("targets side by side", targets, 1, |target| target.name().to_owned()) {
        let words = primitive("macs/poly1305.ua", target);
        let has_vectors = words.module.entry().values.iter().any(|value| value.ty.lanes() > 1);
        assert!(has_vectors, "{}", target.name());
        let identities = prove_all_elements(&words);
        let identities = identities.unwrap_or_else(|why| panic!("{}: {why}", target.name()));
        assert!(identities.accumulators > 1 && identities.count > 30, "{}: {identities:?}", target.name());
        let compared = prove_limbs(&words).expect("elements").unwrap_or_else(|why| panic!("{}: {why}", target.name()));
        assert!(compared.operations > 50 && compared.loops > 6, "{}: {compared:?}", target.name());
        let elements = &words.limbed.as_ref().expect("elements").elements;
        for length in (0..400).chain([511, 512, 513, 640, 1000]) {
            let inputs: Vec<Elements<u64>> = [32, length]
                .map(|count| (0..count).map(|at| vec![(at * at * 7 + at * 89 + length) as u64 % 256]).collect())
                .into();
            let of_words = compute(&words.module, &inputs).expect("words have an answer");
            let of_elements = compute(elements, &inputs).expect("an answer");
            assert_eq!(of_words, of_elements, "{}, {length} bytes", target.name());
        }
    }
    for path in ["curves/x25519_lanes.ua", "signatures/ed25519_base_lanes.ua"] {
        let words = primitive(path, Target::Avx512Ifma);
        prove_elements(&words, &[]).expect("elements").unwrap_or_else(|why| panic!("{path}: {why}"));
        prove_limbs(&words).expect("elements").unwrap_or_else(|why| panic!("{path}: {why}"));
    }
}

#[test]
fn elements_are_the_program() {
    let same = |words: &Words, lengths: &[usize]| prove_elements(words, lengths).expect("elements");
    same(&primitive("curves/x25519.ua", Target::C64), &[]).unwrap_or_else(|why| panic!("{why}"));
    same(&montgomery(), &[]).unwrap_or_else(|why| panic!("{why}"));
    for path in ["macs/poly1305.ua", "macs/ghash.ua"] {
        let words = primitive(path, Target::C64);
        for length in 0..70 {
            same(&words, &[length]).unwrap_or_else(|why| panic!("{path}, {length} bytes: {why}"));
        }
    }
}

/// Batches of inverses: one at one place, and one of a loop's iterations. Inverses of constants are computed in
/// advance.
const INVERSES: &str = "field f = GF(2^255 - 19)
node inverses (x, z : f[3], c : u8) returns (q : f[3], s : f[4])
vars b : u1[8]
let
  b = bits(c);
  q = x / (z + x);
  forall i in [0, 3] { s[i] = x[1] / (b[i] ? q[0] + x[2] : z[1]) + 1 / 3 }
tel
";

fn sharing(text: &str, target: Target) -> Words {
    let options = Options { share_inverses: true, ..Options::new(target) };
    program_for(Path::new("inverses.ua"), &Text(text), &options)
}

#[test]
fn batches_of_inverses() {
    for (field, target) in [("2^255 - 19", Target::C64), ("2^130 - 5", Target::C64)] {
        let words = sharing(&INVERSES.replace("2^255 - 19", field), target);
        let powers = words.limbed.as_ref().expect("elements").elements.entry().slots.iter();
        assert_eq!(powers.filter(|slot| slot.name.starts_with("inverses")).count(), 1, "{field}");
        prove_elements(&words, &[]).expect("elements").unwrap_or_else(|why| panic!("{field}: {why}"));
        prove_limbs(&words).expect("elements").unwrap_or_else(|why| panic!("{field}: {why}"));
    }
}

/// Each choice of a batch is changed: a factor is no longer replaced if it is 0, or an inverse that must be 0 is not.
#[test]
fn wrong_batches_are_refused() {
    let mut words = sharing(INVERSES, Target::C64);
    let is_choice = |data: &InstData| data.op == Op::Field(FieldOp::Select);
    let mut changed = 0;
    for inst in 0..count(&words, false) {
        let entry = &mut words.limbed.as_mut().expect("elements").elements;
        let data = &mut entry.funcs[entry.entry.index()].insts[inst];
        if !is_choice(data) {
            continue;
        }
        let args = data.args.clone();
        for other in [[args[0], args[2], args[1]], [args[0], args[2], args[2]], [args[0], args[1], args[1]]] {
            let other = other.to_vec();
            let entry = &mut words.limbed.as_mut().expect("elements").elements;
            entry.funcs[entry.entry.index()].insts[inst].args = other.iter().copied().collect();
            let what = || format!("instruction {inst}: {other:?} for {args:?}");
            assert!(prove_elements(&words, &[]).expect("elements").is_err(), "{}", what());
            changed += 1;
        }
        let entry = &mut words.limbed.as_mut().expect("elements").elements;
        entry.funcs[entry.entry.index()].insts[inst].args = args;
    }
    assert!(changed >= 3 * 8, "{changed}");
    prove_elements(&words, &[]).expect("elements").expect("nothing is changed");
}

/// Every operation on elements is changed, so that the program means something else.
#[test]
fn other_elements_are_refused() {
    let mut words = primitive("curves/x25519.ua", Target::C64);
    let mut changed = 0;
    for inst in 0..count(&words, false) {
        let limbed = words.limbed.as_mut().expect("elements");
        let data = &mut limbed.elements.funcs[0].insts[inst];
        let before = data.clone();
        match &mut data.op {
            Op::Field(op @ FieldOp::Add) => *op = FieldOp::Sub,
            Op::Field(op @ FieldOp::Sub) => *op = FieldOp::Add,
            Op::Field(op @ FieldOp::Mul) => *op = FieldOp::Add,
            Op::Field(FieldOp::MulC(factor)) => *factor += 1,
            Op::Field(FieldOp::Select) => data.args.swap(1, 2),
            Op::Field(FieldOp::Sqr) => data.op = Op::Field(FieldOp::Neg),
            _ => continue,
        }
        assert!(prove_elements(&words, &[]).expect("elements").is_err(), "{before:?} changed");
        words.limbed.as_mut().expect("elements").elements.funcs[0].insts[inst] = before;
        changed += 1;
    }
    assert!(changed > 30, "{changed}");
}

/// Operations on elements side by side are changed, for messages of any length. Each accepted change computes the same.
#[test]
fn other_elements_in_lanes_are_refused() {
    let mut words = primitive("macs/poly1305.ua", Target::Avx2);
    let tags = |module: &Module| tags(module, (0..40).chain((128..1000).step_by(7)));
    let right = tags(&words.limbed.as_ref().expect("elements").elements);
    let (mut refused, mut accepted) = (0, 0);
    for inst in 0..count(&words, false) {
        let data = &mut words.limbed.as_mut().expect("elements").elements.funcs[0].insts[inst];
        let before = data.clone();
        match &mut data.op {
            Op::Field(op @ FieldOp::Add) => *op = FieldOp::Sub,
            Op::Field(op @ FieldOp::Mul) => *op = FieldOp::Add,
            Op::Field(FieldOp::Sqr) => data.op = Op::Field(FieldOp::Neg),
            Op::Field(FieldOp::Sop(_)) => data.args.swap(0, 2),
            Op::Field(FieldOp::Pack) => data.args.swap(3, 9),
            Op::Join => data.args.reverse(),
            Op::Perm(pattern) => pattern.reverse(),
            Op::Lane(lane) => *lane ^= 1,
            Op::Loop(l) => match &mut l.over {
                Some(Over::Whole { which, .. }) if which.beyond > 0 => which.beyond += 1,
                Some(Over::Whole { which, .. }) => which.iterations = Iterations::All,
                Some(Over::Short { block, .. }) => *block /= 2,
                Some(Over::Rest { least, .. }) => *least += 1,
                None => continue,
            },
            _ => continue,
        }
        let elements = &words.limbed.as_ref().expect("elements").elements;
        if prove_all_elements(&words).is_ok() {
            assert!(tags(elements) == right, "accepted in the place of {before:?}");
            accepted += 1;
        } else {
            refused += 1;
        }
        words.limbed.as_mut().expect("elements").elements.funcs[0].insts[inst] = before;
    }
    assert!(refused > 50 && refused > 4 * accepted, "{refused} refused, {accepted} accepted");
}

/// The number of instructions on words, or on elements.
fn count(words: &Words, on_words: bool) -> usize {
    let elements = &words.limbed.as_ref().expect("elements").elements;
    if on_words { words.module.entry().insts.len() } else { elements.entry().insts.len() }
}

/// Mistakes that somebody may make in writing an instruction.
fn mistakes(module: &Module, inst: usize) -> Vec<InstData> {
    let func = module.entry();
    let data = func.inst(Inst(inst as u32));
    let with = |op: Op| InstData { op, ..data.clone() };
    let mut wrong = match &data.op {
        Op::Add => vec![with(Op::Sub)],
        Op::Sub => vec![with(Op::Add)],
        Op::AddC => vec![with(Op::SubB)],
        Op::SubB => vec![with(Op::AddC)],
        Op::And => vec![with(Op::Or)],
        Op::Or | Op::Xor => vec![with(Op::And)],
        Op::Const(values) => [values[0] ^ 1, values[0] >> 1, values[0] ^ 2]
            .into_iter()
            .filter(|value| *value != values[0] && value >> func.ty(data.results[0]).bits().min(63) == 0)
            .map(|value| with(Op::Const(std::iter::once(value).chain(values[1..].iter().copied()).collect())))
            .collect(),
        Op::Perm(pattern) => vec![with(Op::Perm(pattern.iter().rev().copied().collect()))],
        Op::Blend(set) => vec![with(Op::Blend(set ^ 1))],
        Op::Lane(lane) => vec![with(Op::Lane(lane ^ 1))],
        Op::Mul32 => vec![with(Op::Mul)],
        Op::Mac52Lo => vec![with(Op::Mac52Hi)],
        Op::Mac52Hi => vec![with(Op::Mac52Lo)],
        Op::Shl(n) if *n > 1 => vec![with(Op::Shl(n - 1))],
        Op::Shr(n) if *n > 1 => vec![with(Op::Shr(n - 1))],
        Op::Funnel(n) if *n > 1 => vec![with(Op::Funnel(n - 1))],
        Op::Extract(n) if *n > 0 => vec![with(Op::Extract(n - 1))],
        _ => Vec::new(),
    };
    // Operands exchanged, and operands replaced by other values of their type.
    for index in 0..data.args.len() {
        for other in [data.args[0].0, data.args[index].0.wrapping_sub(1), data.args[index].0.wrapping_sub(3)] {
            let is_one = (other as usize) < func.values.len() && other != data.args[index].0;
            if is_one && func.ty(Value(other)) == func.ty(data.args[index]) {
                let mut changed = data.clone();
                changed.args[index] = Value(other);
                wrong.push(changed);
            }
        }
    }
    wrong
}

/// The results of a module on some inputs, at the extremes and between.
fn results(module: &Module) -> Vec<Option<Vec<Elements<u64>>>> {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = move |limit: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    };
    let has_lanes = module.entry().values.iter().any(|value| value.ty.lanes() > 1);
    let longest = if has_lanes { 600 } else { 50 };
    let mut all = Vec::new();
    for round in 0..60 {
        let mut inputs = Vec::new();
        for slot in &module.entry().slots {
            let length = match slot.kind {
                SlotKind::Input { .. } => slot.length as usize,
                SlotKind::Stream => draw(longest) as usize,
                _ => continue,
            };
            let style = if round < 20 { draw(4) } else { 3 };
            let byte = |draw: &mut dyn FnMut(u64) -> u64| [0, 255, draw(2) * 255, draw(256)][style as usize];
            inputs.push((0..length).map(|_| vec![byte(&mut draw)]).collect());
        }
        all.push(compute(module, &inputs).ok());
    }
    all
}

/// Changes instructions on words, one at a time. Each accepted change computes the same.
fn attack(mut words: Words, every: usize) {
    let right = results(&words.module);
    let (mut refused, mut accepted) = (0, 0);
    for inst in (0..count(&words, true)).step_by(every) {
        for wrong in mistakes(&words.module, inst) {
            let before = std::mem::replace(&mut words.module.funcs[0].insts[inst], wrong);
            if prove_limbs(&words).expect("elements").is_ok() {
                let wrong = &words.module.funcs[0].insts[inst];
                assert!(results(&words.module) == right, "accepted: {wrong:?} for {before:?}");
                accepted += 1;
            } else {
                refused += 1;
            }
            words.module.funcs[0].insts[inst] = before;
        }
    }
    assert!(refused > 30 && refused > 2 * accepted, "{refused} refused, {accepted} accepted");
}

#[test]
fn wrong_words_are_refused() {
    attack(primitive("macs/poly1305.ua", Target::C64), 3);
}

/// The instructions include masks and shifts.
#[test]
fn wrong_words_of_binary_fields_are_refused() {
    attack(primitive("macs/ghash.ua", Target::C64), 23);
    attack(primitive("macs/ghash.ua", Target::C32), 97);
}

/// The masks select every fourth bit instead of every fifth: of sixteen products in one place, some carry into the next
/// place.
#[test]
fn carries_of_products_over_gf2_are_refused() {
    let mut words = primitive("macs/ghash.ua", Target::C64);
    let every =
        |spacing: usize, residue: usize| (residue..64).step_by(spacing).fold(0_u64, |mask, bit| mask | 1 << bit);
    let mut changed = 0;
    for data in &mut words.module.funcs[0].insts {
        let Op::Const(values) = &mut data.op else { continue };
        for residue in 0..5 {
            if values[0] == every(5, residue) {
                values[0] = every(4, residue % 4);
                changed += 1;
            }
        }
    }
    assert!(changed >= 5, "{changed} masks");
    let why = prove_limbs(&words).expect("elements").expect_err("words that run over");
    assert!(why.message.contains("the words are `fmul` of the operands"), "{why}");
}

#[test]
fn wrong_words_in_lanes_are_refused() {
    attack(primitive("macs/poly1305.ua", Target::Avx2), 37);
    attack(primitive("macs/poly1305.ua", Target::Avx512Ifma), 101);
}

#[test]
fn wrong_words_in_montgomerys_form_are_refused() {
    attack(montgomery(), 11);
}

#[test]
fn wrong_bounds_are_refused() {
    let mut words = primitive("macs/poly1305.ua", Target::C64);
    let products: Vec<Value> = {
        let elements = &words.limbed.as_ref().expect("elements").elements;
        let is_product = |data: &&InstData| matches!(data.op, Op::Field(FieldOp::Mul));
        elements.entry().insts.iter().filter(is_product).map(|data| data.results[0]).collect()
    };
    assert!(!products.is_empty());
    for product in products {
        let before = held(&mut words, product).clone();
        for limb in 0..before.len() {
            if let Some((_, high)) = &mut held(&mut words, product)[limb].range {
                *high = high.clone() / 2;
            }
            let why = prove_limbs(&words).expect("elements").expect_err("a bound that does not hold");
            assert!(why.message.contains("it is not proved that word"), "{why}");
            held(&mut words, product).clone_from(&before);
        }
        held(&mut words, product).swap(0, 1);
        assert!(prove_limbs(&words).expect("elements").is_err(), "limbs of {product} exchanged");
        held(&mut words, product).clone_from(&before);
    }
}

/// The proof finds words that are multiples of powers of two, and does not believe such hints for other words.
#[test]
fn multiples_are_seen() {
    let mut words = primitive("macs/poly1305.ua", Target::C64);
    let factor = {
        let elements = words.limbed.as_ref().expect("elements").elements.entry();
        let product = elements.insts.iter().find(|data| matches!(data.op, Op::Field(FieldOp::Mul)));
        product.expect("a product").args[1]
    };
    assert_eq!(held(&mut words, factor).iter().map(|word| word.zeros).collect::<Vec<u32>>(), [0, 2, 0]);
    for zeros in [0, 1, 3, 63, 64, u32::MAX] {
        held(&mut words, factor)[1].zeros = zeros;
        assert!(prove_limbs(&words).expect("elements").is_err(), "a multiple of 2^{zeros}");
    }
    held(&mut words, factor)[1].zeros = 2;
    held(&mut words, factor)[0].zeros = 2;
    assert!(prove_limbs(&words).expect("elements").is_ok(), "nothing is made of what is said of the lowest word");
}

/// Whatever the hints say of words, the proved ranges are right: words are within them in every run.
#[test]
fn ranges_are_proved() {
    let mut words = primitive("macs/poly1305.ua", Target::C64);
    let right = prove_limbs(&words).expect("elements").unwrap_or_else(|why| panic!("{why}"));
    assert!(right.ranges.len() > 20, "{}", right.ranges.len());
    assert_within(&words.module, &right);
    let values = words.limbed.as_ref().expect("elements").limb_map.values.len();
    let (mut refused, mut accepted) = (0, 0);
    for value in (0..values).map(|value| Value(value as u32)) {
        let before = held(&mut words, value).clone();
        // A word that can only be 0 or 1 is skipped, since the changed range is right for it.
        let is_wide = |word: &Word| word.range.as_ref().is_some_and(|(_, high)| *high > 1.into());
        for limb in (0..before.len()).filter(|&limb| is_wide(&before[limb])) {
            held(&mut words, value)[limb].range = Some((0.into(), 1.into()));
            match prove_limbs(&words).expect("elements") {
                Err(_) => refused += 1,
                Ok(compared) => {
                    assert_within(&words.module, &compared);
                    accepted += 1;
                }
            }
            held(&mut words, value).clone_from(&before);
        }
    }
    // Hints for loads are not examined: those for the slots are.
    assert!(refused > 2 * accepted, "{refused} refused, {accepted} accepted");
}

/// Checks whether words are within their ranges.
struct Within<'c> {
    proved: &'c Compared,
    seen: usize,
}

impl Observer<Concrete> for Within<'_> {
    fn word(&mut self, _: &mut Concrete, value: Value, word: &u64) -> Option<u64> {
        if let Some(range) = self.proved.ranges.get(&value) {
            let is_within = range.low <= (*word).into() && range.high >= (*word).into();
            assert!(is_within, "{value} is {word}, not in {range:?}");
            self.seen += 1;
        }
        None
    }
}

/// Runs a module on messages of some lengths, and asserts that words are within their ranges.
fn assert_within(module: &Module, proved: &Compared) {
    for length in [0, 16, 33, 70, 100] {
        let fill = |count: usize| (0..count).map(|index| vec![[255, index as u64 * 37 % 256][length % 2]]).collect();
        let inputs: Vec<Elements<u64>> = [fill(32), fill(length)].into();
        let mut within = Within { proved, seen: 0 };
        eval_observed(&mut Concrete, module, &inputs, &mut within).expect("it runs");
        assert!(within.seen > 10, "{} of {}", within.seen, proved.ranges.len());
    }
}

/// The words that hold an element, according to the hints.
fn held(words: &mut Words, value: Value) -> &mut Vec<Word> {
    &mut words.limbed.as_mut().expect("elements").limb_map.values[value.index()]
}

/// Instances stand side by side only where products have 52 bits. Vectors that multiply 32 by 32 bits hold accumulators
/// of folds only.
#[test]
fn batches_need_products_of_52_bits() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../primitives/curves/x25519.ua");
    let (source, _) = load(&path, &[], &DiskReader);
    for target in [Target::C64, Target::Sse, Target::Avx2, Target::Neon, Target::Vsx] {
        let options = Options { batch: Some(LANES), ..Options::new(target) };
        let program = elaborate(&source, &options).0.expect("a program");
        let found = words(program, &options, &mut |_, _| {}).err().expect("there is no such code");
        let is_named = found.iter().any(|found| found.message.contains("has no code for 8 instances at once"));
        assert!(is_named, "{}: {found:?}", target.name());
    }
}
