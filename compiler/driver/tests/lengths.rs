//! Functions that go through streams are proved for every length: folds on elements, whether or not they are divided among
//! accumulators, and folds and maps on words, whether or not some blocks are handled at once. Wrong ones are refused.

mod support;

use std::path::Path;

use culet_driver::{DiskReader, Options, Words, prove_all_elements};
use culet_ir::{
    Elements, FieldOp, InstData, Iterations, Module, Op, Over, SlotData, SlotKind, Target, Value, compute, verify,
};
use culet_passes::{CSE, Context, DCE, LANES};
use culet_prove::elements::compare_all;
use culet_testing::draw;
use culet_types::program::Slicing;
use support::{Text, primitive, program, program_for, tags};

fn elements(words: &Words) -> &Module {
    &words.limbed.as_ref().expect("elements").elements
}

/// The function on elements, divided among `lanes` accumulators.
fn divided(words: &Words, lanes: u32) -> Module {
    let mut module = elements(words).clone();
    let context = Context { lanes: Some(lanes), ..Context::new(Target::C32) };
    for pass in [LANES, CSE, DCE] {
        (pass.run)(&mut module, &context);
    }
    verify(&module).unwrap_or_else(|errors| panic!("{}", errors[0]));
    module
}

#[test]
fn every_length() {
    for (name, target, accumulators) in [
        ("macs/poly1305.ua", Target::C64, 0),
        ("macs/poly1305.ua", Target::C32, 0),
        ("macs/ghash.ua", Target::C64, 0),
        ("macs/ghash.ua", Target::C32, 0),
        ("macs/ghash.ua", Target::Avx2, 1),
    ] {
        let words = primitive(name, target);
        let identities = prove_all_elements(&words).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(identities.accumulators, accumulators, "{name}");
        // One identity for each length of a partial block, and the others.
        assert!(identities.count >= 18, "{name}: {identities:?}");
    }
}

#[test]
fn any_number_of_accumulators() {
    for name in ["macs/poly1305.ua", "macs/ghash.ua"] {
        let words = primitive(name, Target::C32);
        for lanes in [2, 3, 4, 7, 8] {
            let module = divided(&words, lanes);
            let identities = compare_all(&words.program, &module).unwrap_or_else(|why| panic!("{name}: {why}"));
            assert_eq!(identities.accumulators, lanes as usize, "{name}");
        }
    }
}

/// Folds of other forms, with 3 bytes a block.
const OTHERS: [&str; 3] = ["h := k * h - f(b) * k", "h := -((h + f(b)) * k * k + k)", "h := 5 * (k * h - f(b)) * k"];

#[test]
fn other_folds() {
    for turn in OTHERS {
        let text = format!(
            "field f = GF(2^127 - 1)\nnode fold_them (k, start : f, m : u8[*]) returns (h : f)\nlet\n  h = start + k;\n  _lanes(8) fold b in blocks(m, 3, 1) {{ {turn} }}\ntel\n"
        );
        let words = program(Path::new("others.ua"), &Text(text.leak()), Target::C32);
        for lanes in [2, 3, 5] {
            let module = divided(&words, lanes);
            let identities = compare_all(&words.program, &module).unwrap_or_else(|why| panic!("{turn}: {why}"));
            assert_eq!(identities.accumulators, lanes as usize, "{turn}");
        }
    }
}

/// Mistakes that somebody may make in writing an instruction.
fn mistakes(data: &InstData) -> Vec<InstData> {
    let with = |op: Op| InstData { op, ..data.clone() };
    let field = |op: FieldOp| vec![with(Op::Field(op))];
    match &data.op {
        Op::Field(FieldOp::Add) => field(FieldOp::Sub),
        Op::Field(FieldOp::Mul) => field(FieldOp::Add),
        Op::Field(FieldOp::Sqr) => field(FieldOp::Neg),
        Op::Field(FieldOp::Sop(_)) => {
            let mut changed = data.clone();
            changed.args.swap(1, 3);
            vec![changed]
        }
        Op::Field(FieldOp::Const(_)) => field(FieldOp::Const(7u32.into())),
        Op::Field(FieldOp::Pack) => {
            let mut changed = data.clone();
            changed.args.swap(0, 5);
            vec![changed]
        }
        Op::Load { slot, index } if !index.terms.is_empty() => {
            let mut other = index.clone();
            other.constant ^= 1;
            vec![with(Op::Load { slot: *slot, index: other })]
        }
        Op::Tail { stream, block, pad } => vec![with(Op::Tail { stream: *stream, block: *block, pad: pad ^ 2 })],
        Op::Loop(l) => {
            let mut wrong = Vec::new();
            for iterations in [Iterations::All, Iterations::First, Iterations::Later] {
                let mut other = l.clone();
                if let Some(Over::Whole { which, .. }) = &mut other.over {
                    which.iterations = iterations;
                }
                wrong.push(with(Op::Loop(other)));
            }
            let mut other = l.clone();
            if let Some(Over::Whole { which, .. }) = &mut other.over {
                which.beyond = if which.beyond == 2 { 3 } else { 2 };
            }
            wrong.push(with(Op::Loop(other)));
            wrong.retain(|wrong| wrong.op != data.op);
            if data.args.len() > 1 {
                let mut other = data.clone();
                other.args.swap(0, 1);
                wrong.push(other);
            }
            wrong
        }
        _ => Vec::new(),
    }
}

#[test]
fn wrong_functions_are_refused() {
    let words = primitive("macs/poly1305.ua", Target::C64);
    let mut module = divided(&words, 2);
    compare_all(&words.program, &module).expect("it is right");
    let right = tags(&module, 0..200);
    let (mut refused, mut accepted) = (0, 0);
    for inst in 0..module.entry().insts.len() {
        for wrong in mistakes(&module.entry().insts[inst]) {
            let before = std::mem::replace(&mut module.funcs[0].insts[inst], wrong);
            let wrong = &module.funcs[0].insts[inst];
            if compare_all(&words.program, &module).is_ok() {
                // A remainder after groups of two blocks has at most one block, so that a mistake beyond the first
                // block of it is harmless.
                assert!(tags(&module, 0..200) == right, "accepted: {wrong:?} for {before:?}");
                accepted += 1;
            } else {
                refused += 1;
            }
            module.funcs[0].insts[inst] = before;
        }
    }
    assert!(refused > 100 && accepted < 4, "{refused} refused, {accepted} accepted");
}

/// Programs whose form is not known are not proved.
#[test]
fn unknown_programs_are_refused() {
    let two = "field f = GF(2^127 - 1)
node two (m : u8[*]) returns (a, b : f)
let
  a = 0;
  b = 1;
  fold x in blocks(m, 8, 0) { a := a + f(x) }
  fold x in blocks(m, 8, 0) { b := b * f(x) }
tel
";
    let counted = "node counted (m : u8[*]) returns (r : u8[*], n : u64)
let
  n = length(r);
  forall x in m { r = ~x }
tel
";
    let twice = "node twice (m, k : u8[*]) returns (h : u8)
let
  h = 0;
  fold x in (m, k) { h := (h ^ x) <<< 1 }
tel
";
    let cases = [(two, "programs with one fold"), (twice, "folds over one parameter"), (counted, "lengths of results")];
    for (text, why) in cases {
        let words = program_of(text, Target::C64);
        let error = prove_all_elements(&words).expect_err("it is not known");
        assert!(error.starts_with(why), "{error}");
    }
}

fn program_of(text: &str, target: Target) -> Words {
    let options = Options { slicing: Some(Slicing::Vertical), ..Options::new(target) };
    program_for(Path::new("given.ua"), &Text(text), &options)
}

/// A node of a primitive.
fn primitive_node(path: &str, node: &str, target: Target) -> Words {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../primitives").join(path);
    let options = Options { node: Some(node.to_owned()), slicing: Some(Slicing::Vertical), ..Options::new(target) };
    program_for(&path, &DiskReader, &options)
}

/// The results of a module for streams of some lengths, and for other parameters that depend on the length.
fn outputs(module: &Module, lengths: impl Iterator<Item = usize>) -> Vec<Option<Vec<Elements<u64>>>> {
    let slots = || module.entry().slots.iter().filter(|slot| slot.kind.is_given());
    let of = |length: usize| {
        let count = |slot: &SlotData| if slot.kind == SlotKind::Stream { length } else { slot.length as usize };
        let byte = |at: usize| vec![(at * at * 7 + at * 89 + length * 31) as u64 % 256];
        let inputs: Vec<Elements<u64>> = slots().map(|slot| (0..count(slot)).map(byte).collect()).collect();
        compute(module, &inputs).ok()
    };
    lengths.map(of).collect()
}

/// Primitives on words, with the number of identities: one for the beginning of each loop and two for its iteration, and
/// one for each length of what is left of a block.
const ON_WORDS: [(&str, &str, Target, u32); 13] = [
    ("hashes/sha256.ua", "sha256_update", Target::C64, 67),
    ("hashes/sha256.ua", "sha256", Target::C64, 67),
    ("hashes/sha256.ua", "sha224", Target::C32, 67),
    ("hashes/sha512.ua", "sha512_update", Target::C64, 131),
    ("hashes/sha512.ua", "sha512", Target::C64, 131),
    ("hashes/sha3.ua", "keccak_absorb_136", Target::C64, 139),
    ("streams/chacha20.ua", "chacha20", Target::C64, 67),
    ("streams/chacha20.ua", "chacha20", Target::Avx2, 73),
    ("streams/chacha20_xor.ua", "chacha20_xor", Target::C64, 67),
    ("streams/chacha20_xor.ua", "chacha20_xor", Target::Avx2, 73),
    ("streams/salsa20_xor.ua", "salsa20_xor", Target::C64, 67),
    ("modes/rectangle_ctr.ua", "rectangle128_ctr", Target::C64, 11),
    ("modes/pyjamask_ctr.ua", "pyjamask128_ctr", Target::C64, 19),
];

/// The words are the program; a few are drawn.
#[test]
fn every_length_on_words() {
    let name = |(_, node, target, _): &(&str, &str, Target, u32)| format!("{node} {}", target.name());
    for case in draw::some("messages on words", ON_WORDS.to_vec(), 4, name) {
        let (path, node, target, count) = case;
        let words = primitive_node(path, node, target);
        let identities = prove_all_elements(&words).unwrap_or_else(|why| panic!("{}: {why}", name(&case)));
        assert_eq!((identities.count, identities.accumulators), (count, 0), "{}", name(&case));
    }
}

/// A fold and a map at once, with a counter, over blocks of 4 bytes; and a fold of messages that end with their length.
const SMALL: [&str; 2] = [
    "node small (key, other : u32, text : u8[*]) returns (made : u8[*], tag : u32)
vars n, h, w : u32
let
  n = key;
  h = other ^ 5;
  fold b in blocks(text, 4, 0) {
    w = ((n + h) <<< 7) ^ other;
    made = b ^ be(w);
    h := ((h ^ le<u32>(b)) <<< 5) + n;
    n := n + 3
  }
  tag = h + n
tel
",
    "node small (key : u32, text : u8[*]) returns (tag : u32x2)
vars g, h, t : u32
let
  g = key;
  h = 77;
  fold b in blocks(text, 64, md) {
    t = (be<u32>(b[0..3]) + be<u32>(b[60..63])) ^ (be<u32>(b[24..27]) >> 3) ^ be<u32>(b[56..59]);
    (g, h) := (h, ((g ^ t) <<< 3) + h)
  }
  tag = (g, h)
tel
",
];

/// Mistakes in words: each in one instruction, or in what a loop hands on.
fn mistakes_in_words(data: &InstData) -> Vec<InstData> {
    let with = |op: Op| vec![InstData { op, ..data.clone() }];
    match &data.op {
        Op::Add => with(Op::Sub),
        Op::Xor => with(Op::Or),
        Op::Rotl(n) => with(Op::Rotl(n ^ 1)),
        Op::Shr(n) => with(Op::Shr(n ^ 1)),
        Op::Extract(low) => with(Op::Extract(low ^ 8)),
        Op::Const(values) => with(Op::Const(values.iter().map(|value| value ^ 1).collect())),
        Op::Store { slot, index } => {
            let mut other = index.clone();
            other.constant ^= 1;
            with(Op::Store { slot: *slot, index: other })
        }
        Op::Loop(l) => {
            let mut wrong = Vec::new();
            let mut change = |change: &dyn Fn(&mut Over)| {
                let mut other = l.clone();
                if let Some(over) = &mut other.over {
                    change(over);
                    wrong.extend(with(Op::Loop(other)));
                }
            };
            change(&|over| {
                if let Over::Whole { which, .. } = over {
                    which.beyond = 2;
                }
            });
            for by in [1, -1] {
                change(&|over| {
                    if let Over::Rest { least, .. } = over {
                        *least = least.saturating_add_signed(by);
                    }
                });
            }
            wrong.extend(mistakes(data));
            wrong.retain(|wrong| wrong.op != data.op || wrong.args != data.args);
            wrong
        }
        _ => mistakes(data),
    }
}

/// A wrong function on words is refused, or does the same on all lengths tried.
#[test]
fn wrong_words_are_refused() {
    // Most bytes of a block do not matter to the second program, so that a mistake about them is harmless.
    for (text, most) in SMALL.into_iter().zip([4, 120]) {
        let words = program_of(text, Target::C64);
        let identities = prove_all_elements(&words).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert!(identities.count > 6, "{identities:?}");
        let right = outputs(&words.module, 0..200);
        let (mut refused, mut accepted) = (0, 0);
        let mut module = words.module.clone();
        let mut try_it = |module: &Module, what: &dyn Fn() -> String| {
            let is_lawful = verify(module).is_ok();
            match compare_all(&words.program, module) {
                Ok(_) => {
                    assert!(is_lawful && outputs(module, 0..200) == right, "accepted: {}", what());
                    accepted += 1;
                }
                Err(_) => refused += u32::from(is_lawful),
            }
        };
        for inst in 0..module.entry().insts.len() {
            for wrong in mistakes_in_words(&module.entry().insts[inst]) {
                let before = std::mem::replace(&mut module.funcs[0].insts[inst], wrong);
                try_it(&module, &|| format!("{:?} for {before:?}", module.entry().insts[inst]));
                module.funcs[0].insts[inst] = before;
            }
        }
        // An iteration hands on a value that it was given, or hands on two values in the places of each other.
        for region in 0..module.entry().regions.len() {
            let (params, results) =
                (module.entry().regions[region].params.clone(), module.entry().regions[region].results.clone());
            let is_like = |a: Value, b: Value| -> bool { module.entry().ty(a) == module.entry().ty(b) };
            let mut wrong: Vec<Vec<Value>> = Vec::new();
            for place in 0..results.len() {
                let mut kept = results.clone();
                kept[place] = params[place];
                wrong.push(kept);
                if let Some(other) = (0..place).find(|&other| is_like(results[other], results[place])) {
                    let mut swapped = results.clone();
                    swapped.swap(place, other);
                    wrong.push(swapped);
                }
            }
            for wrong in wrong {
                module.funcs[0].regions[region].results = wrong;
                try_it(&module, &|| format!("what region {region} hands on"));
            }
            module.funcs[0].regions[region].results = results;
        }
        assert!(refused > 40 && accepted < most, "{refused} refused, {accepted} accepted");
    }
}

/// Memory that hands something from one iteration to the next is no state of the program.
#[test]
fn memory_that_hands_on_is_refused() {
    let words = program_of("node last (m : u8[*]) returns (r : u8[*]) let forall x in m { r = x } tel\n", Target::C64);
    let module = |before: &str, inside: &str| {
        let text = format!(
            "entry fn last {{
  outstream r: w8[1]
  stream m: w8[1]
  local k: w8[1]
  v8 = const.w8 0x0
{before}  loop i0 over m by 1 {{
    v0 = load.w8 m[i0]
{inside}  }}
}}
"
        );
        culet_ir::parse(&text).unwrap_or_else(|why| panic!("{why:?} {text}"))
    };
    let in_turn = "    store k[0], v0\n    v9 = load.w8 k[0]\n    store r[i0], v9\n";
    compare_all(&words.program, &module("", in_turn)).expect("it is right");
    // The byte of the iteration before is stored in place of this one.
    let late = "    v9 = load.w8 k[0]\n    store k[0], v0\n    store r[i0], v9\n";
    for (before, why) in [("  store k[0], v8\n", "changes memory from before it"), ("", "before it is stored")] {
        let found = compare_all(&words.program, &module(before, late)).expect_err("it is one byte late");
        assert!(found.contains(why) || before.is_empty(), "{found}");
    }
}
