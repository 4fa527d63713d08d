//! The library under Miri, which sees memory that is read or written where it must not be: with `CULET_ALL` only, since that takes minutes.
//!
//! Miri takes the machine for s390x, whose first byte of a word is the most significant one, and which has no kernels but portable ones.

#[allow(dead_code)] // Nothing is drawn here.
mod package;

use std::env;
use std::path::Path;
use std::process::{Command, Output};

use package::{CURVES, package};

const MACHINE: &str = "s390x-unknown-linux-gnu";

/// A command of cargo, of the nightly toolchain, which Miri belongs to.
fn nightly(arguments: &[&str]) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly", "cargo"]).args(arguments);
    for variable in ["RUSTUP_TOOLCHAIN", "RUSTC_WORKSPACE_WRAPPER", "RUSTC", "RUSTDOC", "CARGO"] {
        command.env_remove(variable);
    }
    command
}

/// Whether Miri is to run, and is there.
fn has_miri() -> bool {
    if env::var_os("CULET_ALL").is_none() {
        return false;
    }
    let is_there = nightly(&["miri", "--version"]).output().is_ok_and(|output| output.status.success());
    assert!(is_there || env::var_os("CULET_REQUIRE_COMPILERS").is_none(), "`./test --all` installs Miri");
    is_there
}

/// Runs a program of a package with these arguments.
fn run(package: &Path, program: &str, arguments: &[&str]) -> Output {
    nightly(&["miri", "run", "--offline", "--target", MACHINE, "--target-dir", "target", "--bin", program, "--"])
        .args(arguments)
        .current_dir(package)
        .output()
        .expect("cargo runs")
}

fn succeeds(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Published answers, and the C interface, which alone follows pointers; and two planted mistakes of a caller in C.
#[test]
fn memory_is_read_and_written_where_it_may() {
    if !has_miri() {
        return;
    }
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let [answers, calls, library] =
        ["tests/answers/main.rs", "../capi/tests/pointers/calls.rs", "../capi/src/lib.rs"].map(|file| here.join(file));
    let package = package(
        "miri",
        &format!(
            "[lib]\nname = \"culet_c\"\npath = {library:?}\n\n\
             [[bin]]\nname = \"answers\"\npath = {answers:?}\n\n\
             [[bin]]\nname = \"calls\"\npath = {calls:?}\n\n\
             [features]\ndefault = [\"compat\"]\nsodium = []\ntweetnacl = []\ncompat = [\"sodium\", \"tweetnacl\"]\n\n\
             [dependencies.getrandom]\nversion = \"0.4\"\n\n[dependencies.libc]\nversion = \"0.2\"\n\n\
             [dependencies.zeroize]\nversion = \"1.9\"\ndefault-features = false\n"
        ),
        Some(&CURVES),
    );
    succeeds(&run(&package, "answers", &[]));
    succeeds(&run(&package, "calls", &[]));
    for (planted, reason) in [("beyond", "going beyond the bounds"), ("uninitialised", "memory is uninitialized")] {
        let output = run(&package, "calls", &[planted]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("Undefined Behavior") && said.contains(reason), "{planted}: {said}");
    }
}
