//! Every program × slicing × target of x86-64, as C compilers make it, proved equal to its source, with its packing.
//!
//! Usually: all kernels of the first compiler at -O2 but those for AVX-512, whose proofs take longest, and with
//! `CULET_SAMPLE=N` so many of the others, drawn by the commit. `CULET_ALL` (`./test --all`): both compilers at -O2 and at -O3
//! for this CPU, with interleaved kernels and kernels with real loops. Each kernel is proved in a process of its own, so that
//! its memory is known. A table of times and memory ends the run.

use std::env;
use std::fs;
use std::io::Write;
use std::process::{Command, ExitCode, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use culet_driver::{DEFAULT_GRAIN, Interleave, Options, compile, prove_kernel, slicing_name};
use culet_ir::Target;
use culet_native::CCompiler;
use culet_passes::Amount;
use culet_primitives_tests::Bytes;
use culet_primitives_tests::shelf::{Entry, families, messages, root};
use culet_prove::image::Image;
use culet_prove::theorem::Limits;
use culet_testing::compilers;
use libtest_mimic::{Arguments, Failed, Trial};

/// What is not proved, by the beginning of its name, and why. It does not count as passed; with `CULET_ALL` it is tried, and the
/// test fails if it is proved.
const NAMED_FAILURES: &[(&str, &str)] = &[
    ("ace/v/avx512/", MEMORY),
    ("aes256/h/avx512/", MEMORY),
    ("aes256/v/avx512/", MEMORY),
    ("aes256_fixsliced/h/avx512/", MEMORY),
    ("keccak/v/avx512/", MEMORY),
    ("photon256/", SLOW),
    ("sha256/", SLOW),
    ("sha512/", SLOW),
    ("skinny128/h/avx2/", SLOW),
    ("skinny128/h/avx512/", SLOW),
];
const MEMORY: &str = "the proof takes more memory than it may";
const SLOW: &str = "the proof takes too long";

const TARGETS: [Target; 4] = [Target::C64, Target::Sse, Target::Avx2, Target::Avx512];
const FLAGS: [&[&str]; 2] = [&["-O2"], &["-O3", "-march=native"]];

/// Memory that the proof of a kernel may take.
const MAX_MEBIBYTES: u64 = 1024;
/// The longest that a proof is waited for, on a machine that does other things, too.
const PATIENCE: Duration = Duration::from_secs(300);
/// The same for what is thought to fail.
const FAILURE_PATIENCE: Duration = Duration::from_secs(60);

/// Names a kernel to a process that proves it and nothing else.
const ONE: &str = "CULET_PROVE_KERNEL";

struct Kernel {
    name: String,
    entry: Arc<Vec<Entry>>,
    options: Options,
    compiler: CCompiler,
    flags: &'static [&'static str],
    /// Whether every run proves it.
    always: bool,
}

/// What the proof of a kernel took.
struct Cost {
    name: String,
    seconds: f64,
    mebibytes: u64,
    gates: usize,
}

fn main() -> ExitCode {
    let kernels = kernels();
    if let Ok(name) = env::var(ONE) {
        return match kernels.iter().find(|kernel| kernel.name == name).map(prove) {
            Some(Ok(cost)) => say(&format!("{} {} {}", cost.seconds, cost.mebibytes, cost.gates), ExitCode::SUCCESS),
            Some(Err(reason)) => say(&reason, ExitCode::FAILURE),
            None => say("no kernel has this name", ExitCode::FAILURE),
        };
    }
    let arguments = Arguments::from_args();
    let costs = Arc::new(Mutex::new(Vec::new()));
    let (mut trials, mut failures) = (Vec::new(), Vec::new());
    for name in chosen(&kernels) {
        match NAMED_FAILURES.iter().find(|(start, _)| name.starts_with(start)) {
            Some((_, reason)) => failures.push((name, *reason)),
            None => {
                let costs = Arc::clone(&costs);
                trials.push(Trial::test(name.clone(), move || within_limits(&name, &costs)));
            }
        }
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    table(&mut costs.lock().expect("no test panicked while it wrote"));
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

/// All kernels of the matrix that this machine can make.
fn kernels() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    let compilers = TARGETS.map(|target| (target, compilers(target)));
    for family in families() {
        let entry = Arc::new(family);
        let primitive = &entry[0].primitive;
        let block = primitive.block.as_ref().map(|block| &block.encrypt);
        let node = block.or(primitive.stream.as_ref().map(|stream| &stream.node)).cloned();
        for (slicing, word) in primitive.slicings().expect("checked when it was read") {
            for (target, compilers) in &compilers {
                let plain = Options { node: node.clone(), slicing: Some(slicing), word, ..Options::new(*target) };
                let interleave = Some(Interleave { factor: 2, grain: DEFAULT_GRAIN });
                let variants = [
                    ("", plain.clone()),
                    ("/interleaved", Options { interleave, ..plain.clone() }),
                    ("/loops", Options { unroll: Amount::None, ..plain }),
                ];
                for (index, compiler) in compilers.iter().enumerate() {
                    for (level, flags) in FLAGS.into_iter().enumerate() {
                        for (variant, options) in &variants {
                            let is_first = index == 0 && level == 0 && variant.is_empty();
                            let always = is_first && *target != Target::Avx512;
                            let (source, slicing) = (&entry[0].source.stem, slicing_name(slicing));
                            let (target, compiler_name) = (target.name(), compiler.name());
                            kernels.push(Kernel {
                                name: format!("{source}/{slicing}/{target}/{compiler_name}/{}{variant}", flags[0]),
                                entry: Arc::clone(&entry),
                                options: options.clone(),
                                compiler: compiler.clone(),
                                flags,
                                always,
                            });
                        }
                    }
                }
            }
        }
    }
    kernels
}

/// The names of what is proved in this run.
fn chosen(kernels: &[Kernel]) -> Vec<String> {
    let name = |kernel: &Kernel| kernel.name.clone();
    if env::var_os("CULET_ALL").is_some() {
        return kernels.iter().map(name).collect();
    }
    let sample: usize = env::var("CULET_SAMPLE").ok().and_then(|number| number.parse().ok()).unwrap_or(0);
    let seed = commit().unwrap_or_else(|| "no commit".into());
    if sample > 0 {
        say(&format!("the sample is drawn by `{seed}`"), ());
    }
    let (mut chosen, mut rest): (Vec<&Kernel>, Vec<&Kernel>) = kernels.iter().partition(|kernel| kernel.always);
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

/// Proves a kernel in this process; the reason if it is not proved.
fn prove(kernel: &Kernel) -> Result<Cost, String> {
    let Entry { source, .. } = &kernel.entry[0];
    let (compiled, diagnostics) = compile(source, "kernel", &kernel.options, &Default::default());
    let c = compiled.ok_or_else(|| messages(&diagnostics))?.c;
    let object = object(kernel, &c.source, &c.header)?;
    let image = Image::read(&object).map_err(|error| error.to_string())?;
    let start = Instant::now();
    let proofs = prove_kernel(source, "kernel", &kernel.options, &image, &Limits::default(), &mut |_| true)
        .map_err(|diagnostics| messages(&diagnostics))?;
    let seconds = start.elapsed().as_secs_f64();
    let mut gates = 0;
    for proof in proofs {
        let proved = proof.outcome.map_err(|rejection| format!("{}: {rejection}", proof.symbol))?;
        gates = gates.max(proved.statistics.gates);
    }
    Ok(Cost { name: kernel.name.clone(), seconds, mebibytes: peak_mebibytes(), gates })
}

/// What the kernel's C compiler makes of a text.
fn object(kernel: &Kernel, source: &str, header: &str) -> Result<Vec<u8>, String> {
    let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
    for (name, text) in [("kernel.c", source), ("kernel.h", header)] {
        fs::write(directory.path().join(name), text).map_err(|error| error.to_string())?;
    }
    let flags: Vec<String> = kernel.flags.iter().map(|&flag| flag.into()).collect();
    let (target, limit) = (kernel.options.target, Duration::from_secs(600));
    let object = kernel.compiler.object(directory.path(), "kernel", target, &flags, limit);
    fs::read(object.map_err(|error| error.to_string())?).map_err(|error| error.to_string())
}

/// The most memory that this process has had.
fn peak_mebibytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kibibytes.unwrap_or_default() / 1024
}

/// Proves a kernel in another process.
fn apart(name: &str, patience: Duration) -> Result<Cost, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.env(ONE, name).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().map_err(|error| error.to_string())?;
    let start = Instant::now();
    // What it prints fits into a pipe.
    while process.try_wait().map_err(|error| error.to_string())?.is_none() {
        if start.elapsed() > patience {
            process.kill().and_then(|()| process.wait()).map_err(|error| error.to_string())?;
            return Err(format!("no answer within {} s", patience.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = process.wait_with_output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    if !output.status.success() {
        let place = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{text}{place} ({})", output.status));
    }
    let line = text.lines().last().unwrap_or_default();
    let numbers: Vec<f64> = line.split(' ').filter_map(|number| number.parse().ok()).collect();
    let [seconds, mebibytes, gates] = numbers[..] else { return Err(format!("not understood: {text}")) };
    Ok(Cost { name: name.to_owned(), seconds, mebibytes: mebibytes as u64, gates: gates as usize })
}

fn within_limits(name: &str, costs: &Mutex<Vec<Cost>>) -> Result<(), Failed> {
    let cost = apart(name, PATIENCE)?;
    let mebibytes = cost.mebibytes;
    costs.lock().expect("no test panicked while it wrote").push(cost);
    if mebibytes > MAX_MEBIBYTES {
        return Err(format!("the proof took {mebibytes} MiB").into());
    }
    Ok(())
}

/// Whether a named failure is one: not proved, or not within the memory.
fn still_fails(name: &str, reason: &str) -> bool {
    let outcome = apart(name, FAILURE_PATIENCE);
    let fails = outcome.as_ref().map_or(true, |cost| cost.mebibytes > MAX_MEBIBYTES);
    let said = if fails { "NAMED FAILURE" } else { "PROVED, so it is no failure any more" };
    say(&format!("{said}: {name}: {reason}"), fails)
}

fn table(costs: &mut [Cost]) {
    costs.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let all = env::var_os("CULET_ALL").is_some();
    let shown = if all { costs.len() } else { costs.len().min(10) };
    let seconds: f64 = costs.iter().map(|cost| cost.seconds).sum();
    let memory = costs.iter().map(|cost| cost.mebibytes).max().unwrap_or_default();
    say(&format!("{} kernels proved in {seconds:.0} s; at most {memory} MiB. The slowest:", costs.len()), ());
    for Cost { name, seconds, mebibytes, gates } in &costs[..shown] {
        say(&format!("{seconds:8.2} s {mebibytes:6} MiB {gates:9} gates  {name}"), ());
    }
}

fn say<T>(text: &str, result: T) -> T {
    writeln!(std::io::stdout(), "{text}").expect("stdout");
    result
}
