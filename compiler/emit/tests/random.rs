//! Random programs, lowered, through all passes and compiled, and random modules as they are, against the evaluator.

mod support;

use culet_ir::{Op, Target};
use culet_passes::{Amount, Context, Schedule, Ternary};
use culet_testing::{Options, Rng, Shape, Slicing, random_program, scrambled_module};
use culet_types::program::ByteOrder;
use support::{Case, Compiler, compare, load, testable};

/// Every choice that changes what the emitter is given, each drawn by itself, so that any two of their values meet.
fn contexts(seed: u64, context: Context) -> Context {
    let mut rng = Rng::new(seed ^ 0x5bd1_e995);
    let mut amount = || [Amount::None, Amount::All, Amount::Auto][rng.below(3) as usize];
    let (inline, unroll) = (amount(), amount());
    Context {
        inline,
        unroll,
        interleave: 1 + rng.below(4),
        grain: [1, 3, 10, 40][rng.below(4) as usize],
        schedule: if rng.below(2) == 0 { Schedule::None } else { Schedule::Auto },
        ternary: if rng.below(3) == 0 { Ternary::None } else { Ternary::Auto },
        ..context
    }
}

fn check(slicing: Slicing, first_seed: u64, count: u64) {
    let mut rng = Rng::new(first_seed);
    for (target, compilers) in testable() {
        let cases: Vec<Case> = (first_seed..first_seed + count)
            .map(|seed| {
                let program = random_program(seed, &Options::new(slicing));
                Case::of_program(&format!("random{seed}"), program, target, &contexts(seed, Context::new(target)))
            })
            .collect();
        let blocks = cases.iter().map(|case| case.layout.instances() as usize).min().unwrap_or(1) + 3;
        for compiler in &compilers {
            let kernel = load(&cases, compiler, &["-O1"]);
            compare(&cases, &kernel, blocks, &mut rng, &format!("{} {}", target.name(), compiler.name()));
        }
    }
}

/// Set `CULET_RANDOM` to try that many programs of each direction, from other seeds.
fn seeds() -> (u64, u64) {
    match std::env::var("CULET_RANDOM").ok().and_then(|text| text.parse().ok()) {
        Some(count) => (1000, count),
        None => (0, 6),
    }
}

#[test]
fn vertical() {
    let (first, count) = seeds();
    check(Slicing::Vertical, first, count);
}

/// Words of several instances in a plain word, with all choices and with those of the model: groups in turns, loops kept.
#[test]
fn packed() {
    let (first, count) = seeds();
    let mut rng = Rng::new(first);
    let target = Target::C64;
    let refused = |case: &Case| {
        let mut refused = false;
        let is_refused = |op: &Op| matches!(op, Op::Mul | Op::MulHi | Op::Extract(_));
        case.module.funcs.iter().for_each(|func| func.walk(&mut |_, data, _| refused |= is_refused(&data.op)));
        refused
    };
    let cases = (first..).flat_map(|seed| {
        let width = [8, 16, 32][seed as usize % 3];
        let any = Context { packed: true, ..Context::new(target) };
        let chosen = Context { unroll: Amount::None, inline: Amount::All, interleave: 4, grain: 1, ..any.clone() };
        let case = |name: &str, options: &Options, context: &Context| {
            Case::of_program(&format!("{name}{seed}"), random_program(seed, options), target, context)
        };
        let options = Options::new(Slicing::Vertical);
        [case("any", &options, &contexts(seed, any)), case("chosen", &options.with_width(width), &chosen)]
    });
    let cases: Vec<Case> = cases.filter(|case| !refused(case)).take(4 * count as usize).collect();
    for compiler in Compiler::drawn(target) {
        let kernel = load(&cases, &compiler, &["-O3"]);
        compare(&cases, &kernel, 35, &mut rng, &compiler.name());
    }
}

#[test]
fn horizontal() {
    let (first, count) = seeds();
    check(Slicing::Horizontal, first, count);
}

#[test]
fn bitsliced() {
    let (first, count) = seeds();
    check(Slicing::Bitslice, first, count);
}

/// Checks modules that no program and no pass makes: any that the verifier accepts, also with things that are not used.
/// `lane` is the lane width of the kernel.
fn check_modules(shape: &Shape, slicing: Slicing, lane: u32) {
    let (first, count) = seeds();
    let mut rng = Rng::new(first);
    for (target, compilers) in testable() {
        let case = |seed: u64| {
            let text = scrambled_module(seed, shape).to_string();
            Case::new(&format!("module{seed}"), &text, target, slicing, ByteOrder::Big, lane)
        };
        let cases: Vec<Case> = (first..first + count).map(case).collect();
        let blocks = cases[0].layout.instances() as usize + 1;
        for compiler in &compilers {
            let kernel = load(&cases, compiler, &["-O1", "-Wno-unused"]);
            compare(&cases, &kernel, blocks, &mut rng, &format!("{} {}", target.name(), compiler.name()));
        }
    }
}

#[test]
fn modules_of_words() {
    check_modules(&Shape { vectors: false, size: 20, ..Shape::any() }, Slicing::Vertical, 64);
}

#[test]
fn modules_of_bits() {
    check_modules(&Shape { size: 20, ..Shape::any().bits() }, Slicing::Bitslice, 0);
}
