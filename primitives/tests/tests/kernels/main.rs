//! Every program × slicing: by the interpreter, by its IR after all passes, in Rust, by C for other machines under emulation, and by C for
//! x86-64, where the machine code that gives the known answers is the code that is proved equal to the source, with its packing.
//!
//! Each build is checked on all known answers and on random batches against another implementation. Usually the builds are drawn: each
//! program, slicing, target, C compiler, level and variant is there, and as many pairs of them as the budget allows, other ones in each
//! run. `CULET_ALL` (`./test --all`) takes all. With `CULET_RECORD=FOLDER` (from the workspace) the outcomes of proofs are kept there, and kernels
//! that it has are not tried again. A table of times and memory ends the run.

mod answers;
mod matrix;
mod report;

use std::env;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard};

use culet_driver::{Maker, Options, Source, slicing_name};
use culet_ir::Target;
use culet_primitives_tests::shelf::{Compiler, families, root};
use culet_testing::{compilers, draw, timed};
use culet_types::program::Slicing;
use libtest_mimic::{Arguments, Failed, Trial};

use answers::{Bench, evaluated, interpreted};
use matrix::{Family, Kernel, kernels};
use report::{MAX_MEBIBYTES, Record, SLOW_SECONDS};

/// Factor between the time of a proof alone and beside others, whose threads share a core with it.
const BUSY: f64 = 2.0;

/// Instances in a call under emulation: more than two registers of 128 bits, one bit of each instance in a register.
const EMULATED_INSTANCES: usize = 261;

/// Tenths of a second of a CPU for the drawn builds that are proved.
const BUDGET: u32 = 150;

/// Number of drawn builds for other machines.
const EMULATED: usize = 9;

/// Targets whose kernels are written in Rust, too.
const IN_RUST: [Target; 6] = [Target::C32, Target::C64, Target::Sse, Target::Avx2, Target::Avx512, Target::Neon];

/// Number of drawn kernels in Rust.
const RUST: usize = 3;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let folder = env::var_os("CULET_RECORD").map(|folder| root().join("..").join(PathBuf::from(folder)));
    let record = match folder.as_deref().map_or_else(|| Ok(Record::default()), Record::open) {
        Ok(record) => Arc::new(Mutex::new(record)),
        Err(error) => return say(&format!("cannot read the record: {error}"), ExitCode::FAILURE),
    };
    let families: Vec<Family> = families().into_iter().map(Arc::new).collect();
    // The size of the process is that of one proof only where no other one runs.
    let is_alone = arguments.test_threads == Some(1);
    let mut trials = Vec::new();
    for kernel in draw::pairs_within("kernels", kernels(&families), Kernel::features, Kernel::cost, BUDGET) {
        let record = Arc::clone(&record);
        if !lock(&record).is_proved(&kernel.name) {
            trials.push(trial(kernel.name.clone(), move || proved(&kernel, &record, is_alone)));
        }
    }
    trials.extend(emulated(&families));
    trials.extend(in_rust(&families));
    trials.extend(unbuilt(&families));
    let conclusion = libtest_mimic::run(&arguments, trials);
    say(&lock(&record).slowest(10), ());
    conclusion.exit_code()
}

fn trial(name: String, test: impl FnOnce() -> Result<(), Failed> + Send + 'static) -> Trial {
    let shown = name.clone();
    Trial::test(name, move || timed(&shown, test))
}

/// The interpreter for every program and slicing, and the IR for the targets, drawn.
///
/// The passes do for NEON and VSX as for SSE; only their C differs.
fn unbuilt(families: &[Family]) -> Vec<Trial> {
    let mut trials = Vec::new();
    let mut by_ir = Vec::new();
    for family in families {
        for (name, options) in slicings(family) {
            let own = Arc::clone(family);
            let plain = options.clone();
            trials.push(trial(format!("{name}/interpreter"), move || interpreted(&own, &plain)));
            for target in matrix::TARGETS {
                by_ir.push((name.clone(), Arc::clone(family), Options { target, ..options.clone() }));
            }
        }
    }
    let features = |(name, _, options): &(String, Family, Options)| -> Vec<String> {
        let (program, slicing) = name.split_once('/').expect("a program and a slicing");
        [matrix::design(program), slicing, options.target.name()].map(str::to_owned).to_vec()
    };
    for (name, family, options) in draw::singles("IR of kernels", by_ir, features, |_| 0) {
        trials.push(trial(format!("{name}/{}/ir", options.target.name()), move || evaluated(&family, &options)));
    }
    trials
}

/// C for other machines, under emulation: drawn programs, slicings and machines.
fn emulated(families: &[Family]) -> Vec<Trial> {
    let mut builds = Vec::new();
    for target in [Target::Neon, Target::Vsx] {
        for compiler in compilers(target) {
            for family in families {
                for (name, options) in slicings(family) {
                    // rustc takes up to a minute for bitsliced kernels on plain words.
                    let is_long = options.slicing == Some(Slicing::Bitslice) && !target.is_vector();
                    if is_long && !draw::wants_all() {
                        continue;
                    }
                    let name = format!("{name}/{}/{}", target.name(), compiler.name());
                    builds.push((name, Arc::clone(family), Options { target, ..options }, compiler.clone()));
                }
            }
        }
    }
    let features = |build: &(String, Family, Options, _)| -> Vec<String> {
        let mut features: Vec<String> = build.0.split('/').take(3).map(str::to_owned).collect();
        features[0] = matrix::design(&features[0]).to_owned();
        features
    };
    let cost = |build: &(String, Family, Options, _)| if build.2.slicing == Some(Slicing::Bitslice) { 4 } else { 1 };
    let drawn = draw::few("emulated kernels", builds, features, cost, EMULATED);
    let trials = drawn.into_iter().map(|(name, family, options, compiler)| {
        trial(name, move || {
            let flags = ["-O1", "-Wall", "-Wextra", "-Werror"].map(str::to_owned).to_vec();
            let maker = Maker::Compiler { compiler: compiler.clone(), flags: flags.clone() };
            let maker = |source: &Source, options: &Options| maker.engine(source, options);
            Bench::new(&options, maker).check(&family, EMULATED_INSTANCES)
        })
    });
    trials.collect()
}

/// Kernels in Rust: drawn programs, slicings and targets. Machine code that may panic is refused.
fn in_rust(families: &[Family]) -> Vec<Trial> {
    let mut builds = Vec::new();
    for target in IN_RUST {
        for compiler in Compiler::all(target).into_iter().filter(|compiler| matches!(compiler, Compiler::Rust(..))) {
            for family in families {
                for (name, options) in slicings(family) {
                    // rustc takes up to a minute for bitsliced kernels on plain words.
                    let is_long = options.slicing == Some(Slicing::Bitslice) && !target.is_vector();
                    if is_long && !draw::wants_all() {
                        continue;
                    }
                    let name = format!("{name}/{}/{}", target.name(), compiler.name());
                    builds.push((name, Arc::clone(family), Options { target, ..options }, compiler.clone()));
                }
            }
        }
    }
    let features = |(name, ..): &(String, Family, Options, Compiler)| -> Vec<String> {
        let mut features: Vec<String> = name.split('/').take(3).map(str::to_owned).collect();
        features[0] = matrix::design(&features[0]).to_owned();
        features
    };
    let cost = |(_, family, options, _): &(String, Family, Options, Compiler)| {
        let of_program = if matrix::is_large(&family[0].source.stem) { 3 } else { 1 };
        of_program * if options.slicing == Some(Slicing::Bitslice) { 4 } else { 1 }
    };
    let drawn = draw::few("kernels in Rust", builds, features, cost, RUST);
    let trials = drawn.into_iter().map(|(name, family, options, compiler)| {
        trial(name, move || {
            let is_emulated = options.target == Target::Neon;
            let instances = if is_emulated { EMULATED_INSTANCES } else { matrix::INSTANCES };
            let maker = |source: &Source, options: &Options| Ok(compiler.engine(source, options, 3));
            Bench::new(&options, maker).check(&family, instances)
        })
    });
    trials.collect()
}

/// The slicings of a program, each with its name, `program/slicing`, and options for plain words.
fn slicings(family: &Family) -> Vec<(String, Options)> {
    let slicings = family[0].primitive.slicings();
    let named = slicings.into_iter().map(|(slicing, word)| {
        let name = format!("{}/{}", family[0].source.stem, slicing_name(slicing));
        (name, Options { slicing: Some(slicing), word, ..Options::new(Target::C64) })
    });
    named.collect()
}

fn lock(record: &Mutex<Record>) -> MutexGuard<'_, Record> {
    record.lock().expect("no test panics while it holds the record")
}

fn proved(kernel: &Kernel, record: &Mutex<Record>, is_alone: bool) -> Result<(), Failed> {
    let outcome = match kernel.check() {
        Ok(Some(cost)) => Ok(cost),
        Ok(None) => return Ok(()),
        Err(why) => Err(why.message().unwrap_or("it failed").to_owned()),
    };
    lock(record).add(&kernel.name, outcome.clone())?;
    let cost = outcome?;
    if is_alone && cost.mebibytes > MAX_MEBIBYTES {
        return Err(format!("the proof took {} MiB", cost.mebibytes).into());
    }
    if cost.seconds > BUSY * SLOW_SECONDS {
        return Err(format!("the proof took {:.1} s", cost.seconds).into());
    }
    Ok(())
}

fn say<T>(text: &str, result: T) -> T {
    writeln!(std::io::stdout(), "{text}").expect("stdout");
    result
}
