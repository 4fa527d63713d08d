//! Random programs, lowered, through all passes, compiled: against the evaluator on the module.

mod support;

use culet_passes::{Amount, Context, Schedule};
use culet_testing::{Options, Slicing, random_program};
use support::{Case, Random, compare, compilers, load, runnable_targets};

/// Some of every choice that changes what the emitter is given.
fn contexts(seed: u64, context: Context) -> Context {
    let pick = |shift: u32, values: [Amount; 3]| values[(seed >> shift) as usize % 3];
    let all = [Amount::None, Amount::All, Amount::Auto];
    Context {
        inline: pick(0, all),
        unroll: pick(1, all),
        interleave: 1 + (seed % 2) as u32,
        schedule: if seed.is_multiple_of(3) { Schedule::None } else { Schedule::Auto },
        ..context
    }
}

fn check(slicing: Slicing, first_seed: u64, count: u64) {
    let mut random = Random(first_seed);
    for target in runnable_targets() {
        let cases: Vec<Case> = (first_seed..first_seed + count)
            .map(|seed| {
                let program = random_program(seed, &Options::new(slicing));
                Case::of_program(&format!("random{seed}"), program, target, &contexts(seed, Context::new(target)))
            })
            .collect();
        let blocks = cases.iter().map(|case| case.layout.instances() as usize).min().unwrap_or(1) + 3;
        for compiler in compilers() {
            let kernel = load(&cases, &compiler, &["-O1"]);
            compare(&cases, &kernel, blocks, &mut random, &format!("{} {}", target.name(), compiler.name()));
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
