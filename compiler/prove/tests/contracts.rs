//! Arithmetic in prime fields, in plain C, compiled in several ways and proved by contract.
//!
//! `field/NAME.c` has the function, `field/NAME.toml` its contract. Of two compilers and three levels each function is built by two
//! pairs; with `CULET_ALL` in the environment by all. What is not proved is listed below with what stays open, and is
//! shown as ignored; that it still is not proved is a test, too, so that the list never is out of date. Changed code and contracts
//! are rejected with counterexamples.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use culet_diag::SourceMap;
use culet_prove::contract::{self, Contract};
use culet_prove::execute::ViolationKind;
use culet_prove::image::Image;
use culet_prove::theorem::{Limits, Proved, Rejection};
use libtest_mimic::{Arguments, Failed, Trial};

const COMPILERS: [&str; 2] = ["gcc-12", "clang-19"];
const LEVELS: [&str; 3] = ["-O1", "-O2", "-O3"];

/// Functions that are not proved, outside the count; of one build of each, the claim that stays open. The last subtraction of the modulus is
/// chosen by a borrow, and what a case says of it does not reach all words that were carried in two chains, or bytes.
const KNOWN_FAILURES: &[(&str, &str, &str, &str)] = &[
    ("add_p256", "gcc-12", "-O2", "out = a + b mod p"),
    ("mul_p224_montgomery", "gcc-12", "-O2", "out * R = a * b mod p"),
    ("mul_p256_montgomery_flags", "gcc-12", "-O2", "out < "),
    ("square_p256_montgomery_flags", "gcc-12", "-O2", "out < "),
    ("to_bytes_25519", "gcc-12", "-O1", "bytes = a mod p"),
];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field")
}

fn read_contract(path: &Path) -> Contract {
    let text = fs::read_to_string(path).expect("the contract is there");
    let mut sources = SourceMap::new();
    let file = sources.add(path, text);
    contract::read(&sources.get(file).text, file).expect("the contract is well formed").swap_remove(0)
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
    let source = directory().join(format!("{name}.c"));
    let image = compile(&source, compiler, level)?;
    let contract = read_contract(&source.with_extension("toml"));
    Ok(contract::prove(&image, &contract, &Limits::default()))
}

fn proves(name: &str, compiler: &str, level: &str) -> Result<(), Failed> {
    match prove(name, compiler, level)? {
        Ok(_) => Ok(()),
        Err(rejection) => Err(rejection.to_string().into()),
    }
}

/// Why something is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// With values for which it is wrong.
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
                ViolationKind::VariableTime => Some(Reason::Time),
                ViolationKind::Clobbered(_) => Some(Reason::Register),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Changes of functions or their contracts: what goes wrong, in which function, what is replaced by what, and why it is rejected.
const BROKEN: &[(&str, &str, &str, &str, Reason)] = &[
    ("the constant", "mul_25519_5x51", "19 * b", "18 * b", Reason::False),
    ("a carry", "mul_25519_5x51", "r[1] += carry;", "", Reason::False),
    ("limbs", "mul_25519_5x51", "out[i] = r[i]", "out[i] = r[i ^ (i < 4)]", Reason::False),
    ("a shift", "mul_25519_5x51", "t[2] >> 51", "t[2] >> 50", Reason::False),
    ("a bound of what goes in", "mul_25519_5x51", "below = \"2^54\"", "below = \"2^63\"", Reason::False),
    ("a bound of what comes out", "mul_25519_5x51", "2^51 + 2^20", "2^50", Reason::False),
    ("a carry of words", "mul_p256_montgomery", "top += carry;", "", Reason::False),
    ("the last subtraction", "mul_p256_montgomery", "t[4] - borrow", "0 - (uint64_t)1", Reason::False),
    ("the other choice", "mul_p256_montgomery", "t[4] - borrow", "borrow - 1", Reason::False),
    ("a limb of the prime", "mul_p256_montgomery", "0xffffffff00000001}", "0xffffffff00000000}", Reason::False),
    ("the factor", "mul_secp256k1_montgomery", "m = t[0] * ", "m = t[0] + ", Reason::False),
    ("the last carry", "mul_25519_4x64", "r[0] += 38 * carry;", "", Reason::False),
    (
        "a secret branch",
        "mul_25519_5x51",
        "out[i] = r[i]",
        "for (uint64_t k = 0; k <= (a[0] & 3); k++) out[i] = r[i] + k - k",
        Reason::Branch,
    ),
    ("a secret address", "mul_25519_5x51", "out[i] = r[i]", "out[i] = r[i] + b[a[0] % 5]", Reason::Memory),
    ("a write past the end", "mul_25519_5x51", "r[1] += carry;", "r[1] += carry; out[5] = r[1];", Reason::Memory),
    ("a read past the end", "mul_25519_5x51", "r[1] += carry;", "r[1] += carry + a[5];", Reason::Memory),
    (
        "a write to what is read",
        "mul_25519_5x51",
        "r[1] += carry;",
        "r[1] += carry; ((uint64_t *)b)[0] = 1;",
        Reason::Memory,
    ),
    ("a division", "mul_25519_5x51", "carry = r[0] >> 51;", "carry = r[0] / (b[0] | 1);", Reason::Time),
    (
        "a register",
        "carry_25519_5x51",
        "x[0] += 19 * c[4];",
        "x[0] += 19 * c[4]; __asm__ volatile(\"xor %r15d, %r15d\");",
        Reason::Register,
    ),
];

/// Code or contract with a change are rejected for the right reason.
fn is_rejected(name: &str, from: &str, to: &str, reason: Reason) -> Result<(), Failed> {
    let source = directory().join(format!("{name}.c"));
    let code = fs::read_to_string(&source)?;
    let contract = fs::read_to_string(source.with_extension("toml"))?;
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

/// A known failure is still open: neither proved nor found to be wrong.
fn stays_open(name: &str, open: &str, compiler: &str, level: &str) -> Result<(), Failed> {
    match prove(name, compiler, level)? {
        Err(Rejection::Open { claim, .. }) if claim.starts_with(open) => Ok(()),
        Err(other) => Err(format!("it fails otherwise: {other}").into()),
        Ok(_) => Err("it is proved now".into()),
    }
}

/// Whether this machine, for which all is compiled, has the instructions.
fn runs_here(name: &str) -> bool {
    !name.contains("ifma") || std::arch::is_x86_feature_detected!("avx512ifma")
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let is_there = |compiler: &&str| Command::new(compiler).arg("--version").output().is_ok();
    let compilers: Vec<&str> = COMPILERS.into_iter().filter(is_there).collect();
    let entries = fs::read_dir(directory()).expect("the directory of sources is there");
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".c").map(str::to_owned))
        .filter(|name| runs_here(name))
        .collect();
    names.sort();
    let mut trials = Vec::new();
    let builds: Vec<(&str, &str)> =
        LEVELS.iter().flat_map(|&level| compilers.iter().map(move |&compiler| (compiler, level))).collect();
    let has_all = std::env::var_os("CULET_ALL").is_some();
    for (index, name) in names.iter().enumerate() {
        for (turn, &(compiler, level)) in builds.iter().enumerate() {
            // Functions take turns: a third of all, by each compiler and at each level as many.
            if !has_all && turn % 3 != index % 3 {
                continue;
            }
            let is_open = KNOWN_FAILURES.iter().any(|known| known.0 == *name);
            let title = format!("{name} {compiler} {level}");
            let name = name.clone();
            let trial = Trial::test(title, move || proves(&name, compiler, level));
            trials.push(trial.with_ignored_flag(is_open).with_kind(if is_open { "known failure" } else { "" }));
        }
    }
    for &(what, name, from, to, reason) in BROKEN {
        trials.push(Trial::test(format!("changed: {what} of {name}"), move || is_rejected(name, from, to, reason)));
    }
    for &(name, compiler, level, open) in KNOWN_FAILURES.iter().filter(|known| compilers.contains(&known.1)) {
        trials.push(Trial::test(format!("{name} {compiler} {level} stays open"), move || {
            stays_open(name, open, compiler, level)
        }));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
