//! No branch and no address of the operations, as rustc compiles them, depends on secrets: valgrind's memcheck takes them for undefined.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

#[allow(dead_code)] // Only this machine is asked.
#[path = "package/emulated.rs"]
mod emulated;
#[allow(dead_code)] // Nothing is drawn here.
mod package;
#[path = "package/release.rs"]
mod release;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use package::{CURVES, package};
use release::Release;

const PROGRAM: &str = "examples/undefined_secrets.rs";

/// The program, built with these variables.
fn built_with(directory: &str, variables: &[(&str, &str)]) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PROGRAM);
    let package = package(
        "undefined_secrets",
        &format!("[[bin]]\nname = \"undefined_secrets\"\npath = {path:?}\n"),
        Some(&CURVES),
    );
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(directory);
    let build = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--offline"])
        .current_dir(&package)
        .env("CARGO_TARGET_DIR", &target)
        .envs(variables.iter().copied())
        .output()
        .expect("cargo runs");
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    target.join("release/undefined_secrets")
}

/// The number of reports for each operation of the program.
fn reports(program: &Path) -> Vec<(String, u64)> {
    let run = Command::new("valgrind").args(["-q", "--error-limit=no"]).arg(program).output().expect("valgrind runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let line = |line: &str| {
        let (name, count) = line.split_once(' ').expect("a name and a number");
        (name.to_owned(), count.parse().expect("a number"))
    };
    String::from_utf8_lossy(&run.stdout).lines().map(line).collect()
}

/// Reports about one answer, good or not, which is no secret: the branches that the compiler makes of one decision.
const DECLASSIFIED: u64 = 2;

fn check(program: &Path) {
    let reports = reports(program);
    assert!(reports.len() > 30, "{reports:?}");
    for (name, count) in reports {
        let expected = match name.split_once('_') {
            Some(("planted", _)) => 1..=u64::MAX,
            Some(("declassified", _)) => 1..=DECLASSIFIED,
            _ => 0..=0,
        };
        assert!(expected.contains(&count), "{}: {name} has {count} reports", program.display());
    }
}

fn has_valgrind() -> bool {
    let is_there = Command::new("valgrind").arg("--version").output().is_ok();
    assert!(is_there || env::var_os("CULET_REQUIRE_COMPILERS").is_none(), "valgrind is not installed");
    is_there
}

/// The usual release build; with `CULET_ALL` also for size, without optimisation, and with kernels for plain words alone.
#[test]
fn secrets_decide_no_branch_and_no_address() {
    if !has_valgrind() {
        return;
    }
    check(&Release::build(None).compile(PROGRAM, &[], "undefined_secrets-usual"));
    if env::var_os("CULET_ALL").is_some() {
        check(&built_with("small", &[("CARGO_PROFILE_RELEASE_OPT_LEVEL", "s")]));
        check(&built_with("plain", &[("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")]));
        check(&built_with("portable", &[("RUSTFLAGS", "--cfg culet_portable")]));
        check(&built_with(
            "whole",
            &[("CARGO_PROFILE_RELEASE_LTO", "fat"), ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")],
        ));
    }
}
