//! Proofs that every program × slicing × target of x86-64, as C compilers make it, is equal to its source, including
//! its packing.
//!
//! By default, all kernels of the first compiler at -O2 are proved, and a sample of the others, which the commit
//! determines (`CULET_SAMPLE=N`). With `CULET_ALL` (`./test --all`), both compilers at -O2 and at -O3 for this CPU,
//! with interleaved kernels and kernels with real loops. With `CULET_RECORD=FOLDER` (from the workspace) the outcomes
//! are recorded there, and kernels that the record has as proved are not proved again. A table of times and memory ends
//! the run. `prove NAME` as arguments proves one kernel and nothing else. A kernel with real loops is not proved again
//! if its C equals that of the kernel with unrolled ones.

mod matrix;
mod report;

use std::env;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use culet_primitives_tests::Bytes;
use culet_primitives_tests::shelf::root;
use libtest_mimic::{Arguments, Failed, Trial};

use matrix::{Cost, Kernel, PROVE, TWIN, kernels, prove_apart, twin_apart};
use report::{MAX_MEBIBYTES, Record, SLOW_SECONDS};

/// Kernels that are not proved, by the beginning of their names, with the reason. They do not count as passed. With
/// `CULET_ALL` they are tried, and the test fails if one of them is proved.
const NAMED_FAILURES: &[(&str, &str)] = &[];

/// Time limit for a proof, including the C compiler, on a machine that also does other work.
const PATIENCE: Duration = Duration::from_secs(1800);
/// Time limit for a kernel that is expected to fail.
const FAILURE_PATIENCE: Duration = Duration::from_secs(300);
/// Factor by which a proof may take longer beside others, whose threads share a core with it, than alone.
const BUSY: f64 = 2.0;
/// Default number of kernels in the sample.
const SAMPLE: usize = 8;

fn main() -> ExitCode {
    let kernels = kernels();
    let arguments: Vec<String> = env::args().collect();
    match &arguments[..] {
        [_, what, name] if what == PROVE => return one(&kernels, name),
        [_, what, name] if what == TWIN => return twin(&kernels, name),
        _ => {}
    }
    let arguments = Arguments::from_args();
    let folder = env::var_os("CULET_RECORD").map(|folder| root().join("..").join(PathBuf::from(folder)));
    let record = match folder.as_deref().map_or_else(|| Ok(Record::default()), Record::open) {
        Ok(record) => Arc::new(Mutex::new(record)),
        Err(error) => return say(&format!("cannot read the record: {error}"), ExitCode::FAILURE),
    };
    let (mut trials, mut failures) = (Vec::new(), Vec::new());
    for name in chosen(&kernels) {
        let record = Arc::clone(&record);
        match NAMED_FAILURES.iter().find(|(start, _)| name.starts_with(start)) {
            Some((_, reason)) => failures.push((name, *reason)),
            None if lock(&record).is_proved(&name) => {}
            None => trials.push(Trial::test(name.clone(), move || proved(&name, &record))),
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    say(&lock(&record).slowest(10), ());
    let only_some = arguments.filter.is_some() || arguments.list;
    let mut surprises = 0;
    for (name, reason) in failures.iter().filter(|_| !only_some) {
        if env::var_os("CULET_ALL").is_none() {
            say(&format!("NOT PROVED: {name}: {reason}"), ());
        } else if !still_fails(name, reason) {
            surprises += 1;
        }
    }
    if conclusion.has_failed() || surprises > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Proves a kernel in this process. Writes the cost to stdout, or the reason why it is not proved to stderr.
fn one(kernels: &[Kernel], name: &str) -> ExitCode {
    let outcome = kernels.iter().find(|kernel| kernel.name == name).map(Kernel::prove);
    match outcome.unwrap_or_else(|| Err("no kernel has this name".into())) {
        Ok(cost) => say(&format!("{} {} {}", cost.seconds, cost.mebibytes, cost.gates), ExitCode::SUCCESS),
        Err(reason) => {
            writeln!(std::io::stderr(), "{reason}").expect("stderr");
            ExitCode::FAILURE
        }
    }
}

/// Writes the name of the kernel with the same C, if there is one.
fn twin(kernels: &[Kernel], name: &str) -> ExitCode {
    match kernels.iter().find(|kernel| kernel.name == name).map(Kernel::twin) {
        Some(Ok(Some(twin))) => say(&twin, ExitCode::SUCCESS),
        Some(Ok(None)) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// The names of the kernels to prove in this run.
fn chosen(kernels: &[Kernel]) -> Vec<String> {
    let name = |kernel: &Kernel| kernel.name.clone();
    if env::var_os("CULET_ALL").is_some() {
        return kernels.iter().map(name).collect();
    }
    let sample: usize = env::var("CULET_SAMPLE").ok().and_then(|number| number.parse().ok()).unwrap_or(SAMPLE);
    let seed = commit().unwrap_or_else(|| "no commit".into());
    if sample > 0 {
        say(&format!("the sample is drawn by `{seed}`"), ());
    }
    let (mut chosen, mut rest): (Vec<&Kernel>, Vec<&Kernel>) = kernels.iter().partition(|kernel| kernel.is_first);
    let mut random = Bytes::new(&seed);
    for _ in 0..sample.min(rest.len()) {
        let drawn = random.take(4).into_iter().fold(0, |number, byte| number << 8 | usize::from(byte));
        chosen.push(rest.swap_remove(drawn % rest.len()));
    }
    chosen.into_iter().map(name).collect()
}

fn commit() -> Option<String> {
    let output = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|commit| output.status.success() && !commit.is_empty())
}

fn lock(record: &Mutex<Record>) -> std::sync::MutexGuard<'_, Record> {
    record.lock().expect("no test panics while it holds the record")
}

fn proved(name: &str, record: &Mutex<Record>) -> Result<(), Failed> {
    let twin = twin_apart(name, PATIENCE)?;
    let known = twin.and_then(|twin| lock(record).cost(&twin));
    let outcome = known.map_or_else(|| prove_apart(name, PATIENCE), Ok);
    lock(record).add(name, outcome.clone())?;
    let Cost { seconds, mebibytes, .. } = outcome?;
    if mebibytes > MAX_MEBIBYTES {
        return Err(format!("the proof took {mebibytes} MiB").into());
    }
    if seconds > BUSY * SLOW_SECONDS {
        return Err(format!("the proof took {seconds:.1} s").into());
    }
    Ok(())
}

/// Whether a named failure still fails: it is not proved, or not within the memory limit.
fn still_fails(name: &str, reason: &str) -> bool {
    let outcome = prove_apart(name, FAILURE_PATIENCE);
    let fails = outcome.as_ref().map_or(true, |cost| cost.mebibytes > MAX_MEBIBYTES);
    let said = if fails { "NAMED FAILURE" } else { "PROVED, so it is no failure any more" };
    say(&format!("{said}: {name}: {reason}"), fails)
}

fn say<T>(text: &str, result: T) -> T {
    writeln!(std::io::stdout(), "{text}").expect("stdout");
    result
}
