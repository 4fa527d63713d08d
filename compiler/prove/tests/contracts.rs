//! Arithmetic in prime fields, in plain C, compiled in several ways and proved by contract.
//!
//! `field/NAME.c` has the function, `field/NAME.toml` its contract. What is not proved is listed below with what stays open, and is
//! shown as ignored; that it still is not proved is a test, too, so that the list never is out of date. Changed code and contracts
//! are rejected with counterexamples.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use culet_diag::SourceMap;
use culet_prove::contract::{self, Contract};
use culet_prove::image::Image;
use culet_prove::theorem::{Limits, Proved, Rejection};
use libtest_mimic::{Arguments, Failed, Trial};

const COMPILERS: [&str; 2] = ["gcc-12", "clang-19"];
const LEVELS: [&str; 3] = ["-O1", "-O2", "-O3"];

/// Functions that are not proved, however compiled, and the claim that stays open.
const KNOWN_FAILURES: &[(&str, &str)] = &[];

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/field")
}

fn read_contract(path: &Path) -> Contract {
    let text = fs::read_to_string(path).expect("the contract is there");
    let mut sources = SourceMap::new();
    let file = sources.add(path, text);
    contract::read(&sources.get(file).text, file).expect("the contract is well formed")
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

/// A change that makes the multiplication of five limbs wrong, or its contract: what is replaced, and by what.
const BROKEN: &[(&str, &str, &str)] = &[
    ("the constant", "19 * b", "18 * b"),
    ("a carry", "r[1] += carry;", ""),
    ("limbs", "out[i] = r[i]", "out[i] = r[i ^ (i < 4)]"),
    ("a shift", "t[2] >> 51", "t[2] >> 50"),
    ("a bound of what goes in", "below = \"2^54\"", "below = \"2^63\""),
    ("a bound of what comes out", "2^51 + 2^20", "2^50"),
];

/// Code or contract with a change are rejected, with values that show why.
fn is_rejected(from: &str, to: &str) -> Result<(), Failed> {
    let source = directory().join("mul_25519_5x51.c");
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
        Err(Rejection::False { values, .. }) if !values.is_empty() => Ok(()),
        Err(other) => Err(format!("it is rejected without a counterexample: {other}").into()),
        Ok(_) => Err("it is proved".into()),
    }
}

/// A known failure is still open: neither proved nor found to be wrong.
fn stays_open(name: &str, open: &str, compiler: &str) -> Result<(), Failed> {
    match prove(name, compiler, "-O2")? {
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
    for name in names {
        for &compiler in &compilers {
            for level in LEVELS {
                let is_open = KNOWN_FAILURES.iter().any(|(known, _)| *known == name);
                let title = format!("{name} {compiler} {level}");
                let name = name.clone();
                let trial = Trial::test(title, move || proves(&name, compiler, level));
                trials.push(trial.with_ignored_flag(is_open).with_kind(if is_open { "known failure" } else { "" }));
            }
        }
    }
    for &(what, from, to) in BROKEN {
        trials.push(Trial::test(format!("changed: {what}"), move || is_rejected(from, to)));
    }
    for &(name, open) in KNOWN_FAILURES {
        let Some(&compiler) = compilers.first() else { break };
        trials.push(Trial::test(format!("{name} stays open"), move || stays_open(name, open, compiler)));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
