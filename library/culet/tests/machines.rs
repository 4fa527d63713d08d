//! The library on other machines, under their emulators: with `CULET_ALL` only, since all of that takes minutes.

#[path = "package/emulated.rs"]
mod emulated;
#[allow(dead_code)] // Nothing is drawn here.
mod package;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use emulated::{Emulated, has_std};
use package::{CURVES, package};

fn wants_all() -> bool {
    env::var_os("CULET_ALL").is_some()
}

/// Runs a command of cargo that must succeed, and returns what it prints.
fn run(about: &str, command: &mut Command) -> String {
    let output = command.env_remove("RUSTC_WORKSPACE_WRAPPER").output().expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{about}: {said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

/// All tests of operations, for the machine that `choose` names.
fn operations(target: &str, choose: impl FnOnce(&mut Command)) {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["test", "--offline", "--lib", "--test", "operations", "--target-dir"])
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join("machines"))
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    choose(&mut command);
    let said = run(target, &mut command);
    assert!(said.contains("test p256::wycheproof_signatures ... ok"), "{target}: {said}");
}

#[test]
fn operations_on_other_machines() {
    if wants_all() {
        Emulated::required().for_each(|machine| operations(machine.target, |command| machine.choose(command)));
    }
}

/// The folder of a package whose program checks published answers.
fn answers() -> PathBuf {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/answers/main.rs");
    let targets = format!(
        "[[bin]]\nname = \"answers\"\npath = {program:?}\ntest = false\n\n\
         [profile.dev]\npanic = \"abort\"\ndebug = false\n"
    );
    package("answers", &targets, Some(&CURVES))
}

/// RISC-V without an operating system: nothing of the crate, or of what it depends on, needs the standard library.
#[test]
fn answers_without_an_operating_system() {
    let target = "riscv32imac-unknown-none-elf";
    if !wants_all() {
        return;
    }
    let is_there = has_std(target);
    assert!(
        is_there || env::var_os("CULET_REQUIRE_COMPILERS").is_none(),
        "`rustup target add {target}` installs what is missing"
    );
    if is_there {
        let mut command = Command::new(env!("CARGO"));
        command
            .args(["run", "--offline", "--target-dir", "target", "--target", target])
            .env("CARGO_TARGET_RISCV32IMAC_UNKNOWN_NONE_ELF_RUNNER", "qemu-riscv32")
            .current_dir(answers());
        run(target, &mut command);
    }
}
