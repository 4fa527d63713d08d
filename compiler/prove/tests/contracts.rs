//! Arithmetic in prime fields, in plain C, compiled in several ways and proved by contract.
//!
//! `field/SOURCE.c` has the functions, `field/OPERATION_SOURCE.toml` their contracts. Functions are
//! drawn, and a compiler and a level for each; with `CULET_ALL` in the environment, each function is built by all six pairs. Builds that are not proved are listed
//! below with the claim that stays open, and are shown as ignored; a test checks that they still are not proved, so
//! that the list is never out of date. Changed code and contracts are rejected with counterexamples. The time of each
//! proof is bounded, generously, and a table of the times ends the run.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex};

use culet_diag::SourceMap;
use culet_image::Image;
use culet_prove::contract::{self, Contract};
use culet_prove::theorem::{Limits, Proved, Rejection};
use culet_prove::violation::ViolationKind;
use culet_testing::{Stopwatch, draw, timed};
use libtest_mimic::{Arguments, Failed, Trial};

const COMPILERS: [&str; 2] = ["gcc-12", "clang-19"];
const LEVELS: [&str; 3] = ["-O1", "-O2", "-O3"];

/// Number of drawn builds.
const DRAWN: usize = 16;

/// Builds that are not proved, which are not counted: the function, the compiler, the level and the claim that stays
/// open. Here GCC turns a comparison of words into a test for equality with a number in the middle of the range: that
/// is no floor.
const KNOWN_FAILURES: &[(&str, &str, &str, &str)] = &[("mul_p384_compare", "gcc-12", "-O3", "out < ")];

/// Maximum seconds of this CPU for one proof: three times the limit for a proof that runs alone, since others share the
/// core and nothing is optimised here.
const MAX_SECONDS: f64 = 3.0;
/// Maximum seconds of this CPU for one proof on six words of 64 bits.
const MAX_SECONDS_P384: f64 = 9.0;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field")
}

fn read_contract(path: &Path) -> Contract {
    let text = fs::read_to_string(path).expect("the contract is there");
    let mut sources = SourceMap::new();
    let file = sources.add(path, text);
    contract::read(&sources.get(file).text, file).expect("the contract is well formed").swap_remove(0)
}

/// Returns the file with the functions of a contract: its name is the part after the operation's.
fn source_of(name: &str) -> PathBuf {
    directory().join(format!("{}.c", name.split_once('_').map_or(name, |(_, source)| source)))
}

fn compile(source: &Path, compiler: &str, level: &str) -> Result<Image, String> {
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let object = directory.path().join("field.o");
    let output = Command::new(compiler)
        .args([level, "-march=native", "-fno-pic", "-c"])
        .arg(source)
        .arg("-o")
        .arg(&object)
        .output()
        .map_err(|e| e.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    Image::read(&fs::read(&object).map_err(|e| e.to_string())?).map_err(|e| e.to_string())
}

fn prove(name: &str, compiler: &str, level: &str) -> Result<Result<Proved, Rejection>, String> {
    let image = compile(&source_of(name), compiler, level)?;
    let contract = read_contract(&directory().join(format!("{name}.toml")));
    Ok(contract::prove(&image, &contract, &Limits::default()))
}

/// The seconds of all proofs of each function.
type Times = Mutex<BTreeMap<String, Vec<f64>>>;

fn proves(name: &str, compiler: &str, level: &str, times: &Times) -> Result<(), Failed> {
    let watch = Stopwatch::start();
    prove(name, compiler, level)?.map_err(|rejection| rejection.to_string())?;
    let seconds = watch.seconds();
    times.lock().map_err(|e| e.to_string())?.entry(name.to_owned()).or_default().push(seconds);
    let most = if name.contains("p384") { MAX_SECONDS_P384 } else { MAX_SECONDS };
    if seconds > most {
        return Err(format!("it takes {seconds:.1} s, more than {most} s").into());
    }
    Ok(())
}

/// Prints the number of builds of each function that were proved, and the seconds that they took.
fn print_times(times: &Times) -> std::io::Result<()> {
    let Ok(times) = times.lock() else { return Ok(()) };
    let mut out = std::io::stdout().lock();
    for (name, seconds) in times.iter() {
        let mean = seconds.iter().sum::<f64>() / seconds.len() as f64;
        let most = seconds.iter().copied().fold(0.0, f64::max);
        writeln!(out, "{name:36} {:2} builds proved, {mean:5.2} s each, {most:5.2} s at most", seconds.len())?;
    }
    writeln!(out, "{} builds of {} functions proved", times.values().map(Vec::len).sum::<usize>(), times.len())
}

/// Reason why something is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// The claim is false for values that are shown.
    False,
    Branch,
    Memory,
    Time,
    Register,
}

impl Reason {
    fn of(rejection: &Rejection) -> Option<Reason> {
        match rejection {
            Rejection::False { values, .. } if !values.is_empty() => Some(Reason::False),
            Rejection::Violation { violation, .. } => match violation.kind {
                ViolationKind::Branch(_) => Some(Reason::Branch),
                ViolationKind::Memory(_) => Some(Reason::Memory),
                ViolationKind::VariableTime(_) => Some(Reason::Time),
                ViolationKind::Clobbered(_) => Some(Reason::Register),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Changes of functions or their contracts: a description, the function, the text that is replaced, its replacement,
/// and the reason of the rejection.
const BROKEN: &[(&str, &str, &str, &str, Reason)] = &[
    ("the constant", "mul_25519_5x51", "19 * b", "18 * b", Reason::False),
    ("a carry", "mul_25519_5x51", "r[1] += carry;", "", Reason::False),
    ("limbs", "mul_25519_5x51", "out[i] = r[i]", "out[i] = r[i ^ (i < 4)]", Reason::False),
    ("a shift", "mul_25519_5x51", "t[2] >> 51", "t[2] >> 50", Reason::False),
    ("a bound of what goes in", "mul_25519_5x51", "below = \"2^54\"", "below = \"2^63\"", Reason::False),
    ("a bound of what comes out", "mul_25519_5x51", "2^51 + 2^20", "2^50", Reason::False),
    ("a carry of words", "mul_p256_montgomery", "WORDS) + top;", "WORDS);", Reason::False),
    ("the last subtraction", "mul_p256_montgomery", "top - borrow", "0 - (uint64_t)1", Reason::False),
    ("the other choice", "mul_p256_montgomery", "top - borrow", "borrow - 1", Reason::False),
    ("a limb of the prime", "mul_p256_montgomery", "0xffffffff00000001}", "0xffffffff00000000}", Reason::False),
    ("the factor", "mul_secp256k1_montgomery", "t[i] * FACTOR", "(t[i] + FACTOR)", Reason::False),
    ("a doubling", "square_p224_montgomery", "t[k] << 1", "t[k] << 2", Reason::False),
    ("a carry between squares", "square_p384_montgomery", "+ t[2 * i] + carry", "+ t[2 * i]", Reason::False),
    ("a flag", "mul_p256_montgomery_flags", "    t[WORDS + 1] += c;\n}", "}", Reason::False),
    ("the last borrow", "square_p256_montgomery_flags", "borrow, t[WORDS], 0", "0, t[WORDS], 0", Reason::False),
    ("a word of the prime", "mul_p384_montgomery_flags", "0xfffffffffffffffe", "0xffffffffffffffff", Reason::False),
    ("a comparison", "mul_secp256k1_compare", "high += low < carry;", "", Reason::False),
    ("the word more", "mul_p256_compare", "borrow & (r[WORDS] ^ 1)", "borrow", Reason::False),
    ("limbs of the square", "square_1305_3x44", "(2 * a[1]) * s2", "a[1] * s2", Reason::False),
    ("a wrap", "square_1305_5x26", "5 * a[j]", "4 * a[j]", Reason::False),
    ("the other square", "square_p521_9x58", "i == j", "i == j + 1", Reason::False),
    ("the last bit", "mul_p521_9x64", "sum = r[8] >> 9;", "sum = 0;", Reason::False),
    ("a shift of words", "square_p521_9x64", "t[k + 9] << 55", "t[k + 9] << 54", Reason::False),
    ("limbs that count twice", "mul_p448_8x56", "t[k - 4] += t[k];", "t[k - 4] = t[k];", Reason::False),
    ("what Karatsuba subtracts", "karatsuba_p448_8x56", "cross[k] -= low[k];", "", Reason::False),
    ("a half", "karatsuba_p448_8x56", "cross[k] + sum[k + 4] + cross", "cross[k] + cross", Reason::False),
    ("a doubling of vectors", "square_25519_ifma", "_mm512_add_epi64(t[k], t[k])", "t[k]", Reason::False),
    ("what comes around", "to_bytes_25519", "19 * (t[4] >> 51)", "18 * (t[4] >> 51)", Reason::False),
    ("a byte's place", "to_bytes_25519", "t[1] >> 13", "t[1] >> 12", Reason::False),
    ("the sum's carry", "add_p256", "(uint64_t)carry - borrow", "0 - borrow", Reason::False),
    ("the mask of p", "sub_p256", "p[j] & mask", "p[j] & ~mask", Reason::False),
    ("the last carry", "mul_25519_4x64", "r[0] += 38 * carry;", "", Reason::False),
    (
        "a secret branch",
        "mul_25519_5x51",
        "out[i] = r[i]",
        "{ if (r[i] & 1) __asm__ volatile(\"nop\"); out[i] = r[i]; }",
        Reason::Branch,
    ),
    ("a secret address", "mul_25519_5x51", "out[i] = r[i]", "out[i] = r[i] + out[(uint64_t)t[0] & 3]", Reason::Memory),
    ("a write past the end", "mul_25519_5x51", "r[1] += carry;", "r[1] += carry; out[5] = r[1];", Reason::Memory),
    ("a read past the end", "mul_25519_5x51", "r[1] += carry;", "r[1] += carry + out[5];", Reason::Memory),
    (
        "a write to what is read",
        "mul_25519_5x51",
        "t[k] = low + high;",
        "t[k] = low + high; ((uint64_t *)b)[0] = 1;",
        Reason::Memory,
    ),
    ("a division", "mul_25519_5x51", "carry = r[0] >> 51;", "carry = r[0] / (r[1] | 1);", Reason::Time),
    (
        "a register",
        "carry_25519_5x51",
        "x[0] += 19 * c[4];",
        "x[0] += 19 * c[4]; __asm__ volatile(\"xor %r15d, %r15d\");",
        Reason::Register,
    ),
];

/// Returns C code with the files that it includes from its directory in place of the directives, so that all of it can
/// be changed.
fn whole_code(source: &Path) -> std::io::Result<String> {
    let mut whole = String::new();
    for line in fs::read_to_string(source)?.lines() {
        match line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"')) {
            Some(header) => whole.push_str(&whole_code(&directory().join(header))?),
            None => {
                whole.push_str(line);
                whole.push('\n');
            }
        }
    }
    Ok(whole)
}

/// Checks that code or a contract with a change is rejected for the right reason.
fn is_rejected(name: &str, from: &str, to: &str, reason: Reason) -> Result<(), Failed> {
    let code = whole_code(&source_of(name))?;
    let contract = fs::read_to_string(directory().join(format!("{name}.toml")))?;
    if !code.contains(from) && !contract.contains(from) {
        return Err(format!("nothing has `{from}`").into());
    }
    let changed = tempfile::tempdir()?;
    let source = changed.path().join("changed.c");
    fs::write(&source, code.replace(from, to))?;
    fs::write(source.with_extension("toml"), contract.replace(from, to))?;
    let image = compile(&source, "cc", "-O2")?;
    match contract::prove(&image, &read_contract(&source.with_extension("toml")), &Limits::default()) {
        Err(rejection) if Reason::of(&rejection) == Some(reason) => Ok(()),
        Err(other) => Err(format!("it is rejected, but not for {reason:?}: {other}").into()),
        Ok(_) => Err("it is proved".into()),
    }
}

/// Checks that a known failure is still open: neither proved nor found to be wrong.
fn stays_open(name: &str, open: &str, compiler: &str, level: &str) -> Result<(), Failed> {
    match prove(name, compiler, level)? {
        Err(Rejection::Open { claim, .. }) if claim.starts_with(open) => Ok(()),
        Err(other) => Err(format!("it fails otherwise: {other}").into()),
        Ok(_) => Err("it is proved now".into()),
    }
}

/// Whether this machine, for which everything is compiled, has the instructions of a function.
fn runs_here(name: &str) -> bool {
    !name.contains("ifma") || std::arch::is_x86_feature_detected!("avx512ifma")
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let is_there = |compiler: &&str| Command::new(compiler).arg("--version").output().is_ok();
    let compilers: Vec<&str> = COMPILERS.into_iter().filter(is_there).collect();
    let entries = fs::read_dir(directory()).expect("the directory of contracts is there");
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
        .filter(|name| runs_here(name))
        .collect();
    names.sort();
    let mut trials = Vec::new();
    let times = Arc::new(Times::default());
    let builds = LEVELS.iter().flat_map(|&level| compilers.iter().map(move |&compiler| (compiler, level)));
    let all =
        names.iter().flat_map(|name| builds.clone().map(move |(compiler, level)| (name.as_str(), compiler, level)));
    let features =
        |(name, compiler, level): &(&str, &str, &str)| [*name, *compiler, *level].map(str::to_owned).to_vec();
    for (name, compiler, level) in draw::few("contracts", all.collect(), features, |_| 0, DRAWN) {
        let is_open = KNOWN_FAILURES.iter().any(|known| (known.0, known.1, known.2) == (name, compiler, level));
        let title = format!("{name} {compiler} {level}");
        let (name, shown, times) = (name.to_owned(), title.clone(), Arc::clone(&times));
        let trial = Trial::test(title, move || timed(&shown, || proves(&name, compiler, level, &times)));
        trials.push(trial.with_ignored_flag(is_open).with_kind(if is_open { "known failure" } else { "" }));
    }
    for &(what, name, from, to, reason) in BROKEN.iter().filter(|broken| runs_here(broken.1)) {
        trials.push(Trial::test(format!("changed: {what} of {name}"), move || is_rejected(name, from, to, reason)));
    }
    for &(name, compiler, level, open) in KNOWN_FAILURES.iter().filter(|known| compilers.contains(&known.1)) {
        trials.push(Trial::test(format!("{name} {compiler} {level} stays open"), move || {
            stays_open(name, open, compiler, level)
        }));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    match print_times(&times) {
        Ok(()) => conclusion.exit_code(),
        Err(_) => ExitCode::FAILURE,
    }
}
