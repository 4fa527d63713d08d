//! Functions on elements that fold messages are proved for every length, whether or not they are divided among
//! accumulators; wrong ones are refused.

mod support;

use std::path::Path;

use culet_driver::{Words, prove_all_elements};
use culet_ir::{FieldOp, InstData, Iterations, Module, Op, Over, Target, verify};
use culet_passes::{CSE, Context, DCE, LANES};
use culet_prove::elements::compare_all;
use support::{Text, primitive, program, tags};

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
        let identities = prove_all_elements(&words).expect("elements").unwrap_or_else(|why| panic!("{name}: {why}"));
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
    let more = "field f = GF(2^127 - 1)
node more (m : u8[*]) returns (a, b : f)
let
  a = 0;
  b = 1;
  fold x in blocks(m, 8, 0) { a := a * b + f(x); b := b * f(x) }
tel
";
    for (text, why) in [(two, "programs with one fold"), (more, "folds over blocks that carry one variable")] {
        let words = program(Path::new("unknown.ua"), &Text(text), Target::C64);
        let error = prove_all_elements(&words).expect("elements").expect_err("it is not known");
        assert!(error.starts_with(why), "{error}");
    }
}
