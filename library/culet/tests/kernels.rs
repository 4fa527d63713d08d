//! Every kernel of an operation computes the same as the others, see `kernels_compared/compared.rs`.
//!
//! The kernels of the large curves take long to compile: the commit draws one of these curves. With `CULET_ALL` all of them are there.

#[path = "package/emulated.rs"]
mod emulated;
mod package;

use std::env;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;

use emulated::Emulated;
use package::{CURVES, package, seed};

/// Curves with kernels for words of 64 and of 32 bits.
const COMPARED: [&str; 3] = ["p384", "p521", "secp256k1"];

/// The large curves of this run, which the commit draws.
fn curves() -> Vec<&'static str> {
    if env::var_os("CULET_ALL").is_some() {
        return COMPARED.to_vec();
    }
    vec![COMPARED[seed() % COMPARED.len()]]
}

/// This machine, or AArch64 where its compiler and its emulator are installed: the commit draws one of the two.
fn machines() -> Vec<Option<&'static Emulated>> {
    let all: Vec<Option<&Emulated>> = [None].into_iter().chain(Emulated::with_linux().map(Some)).collect();
    let drawn = if env::var_os("CULET_ALL").is_some() { all } else { vec![all[seed() / COMPARED.len() % all.len()]] };
    let names: Vec<&str> = drawn.iter().map(|machine| machine.map_or("this one", |machine| machine.target)).collect();
    let said = writeln!(io::stdout(), "DRAWN machines for the library's kernels: {}", names.join(", "));
    said.expect("standard output");
    drawn
}

#[test]
fn kernels_of_an_operation_compute_the_same() {
    let (curves, machines) = (curves(), machines());
    // Not by `println!`, whose text is kept back when a test passes.
    let drawn =
        writeln!(io::stdout(), "DRAWN large curves: {} of {}: {}", curves.len(), COMPARED.len(), curves.join(" "));
    drawn.expect("standard output");
    for machine in machines {
        compare(&curves, machine);
    }
}

/// Builds and runs the tests, for this machine or for another one under its emulator.
fn compare(curves: &[&str], machine: Option<&Emulated>) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels_compared/compared.rs");
    let features = CURVES.map(|curve| format!("{curve} = []\n")).concat();
    let targets = format!(
        "[[test]]\nname = \"kernels_compared\"\npath = {tests:?}\n\n[features]\n{features}\n[profile.dev]\ndebug = false\n"
    );
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["test", "--offline", "--target-dir", "target", "--features", &curves.join(" ")])
        .current_dir(package("kernels_compared", &targets, None))
        .env_remove("RUSTC_WORKSPACE_WRAPPER");
    if let Some(machine) = machine {
        machine.choose(&mut command);
    }
    let output = command.output().expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    // A run without tests would pass, too.
    for test in ["x25519", "ed25519", "p256", "poly1305", "ghash", "streams"].iter().chain(curves) {
        assert!(said.contains(&format!("test {test} ... ok")), "{test}: {said}");
    }
}
