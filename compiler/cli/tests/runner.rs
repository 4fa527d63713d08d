//! Kernels for other machines: `--runner`, and the messages if it is missing or does something else.
#![cfg(target_os = "linux")]

mod support;

use culet_ir::Target;
use support::{DOUBLE, code, culet, directory, primitives, stderr, stdout, text, write};

#[test]
fn kernels_run_through_a_runner() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    for target in ["c32", "c64"] {
        let output = culet(&["run", text(&file), "--target", target, "--runner", "env", "--input", "a=80000003"]);
        assert_eq!((code(&output), stdout(&output).as_str()), (0, "b = 00000006\n"), "{}", stderr(&output));
    }
}

#[test]
fn what_fails_is_said() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    let run = |options: &[&str]| culet(&[&["run", text(&file), "--input", "a=00000001"], options].concat());
    for (runner, said) in [
        ("/no/such/runner", "cannot be started"),
        ("false", "exit status: 1"),
        ("true", "it printed nothing"),
        ("echo hello", "something else than results: hello /"),
        ("", "empty"),
    ] {
        let output = run(&["--target", "c64", "--runner", runner]);
        assert_eq!(code(&output), 2, "{runner}");
        assert!(stderr(&output).contains("E0825") && stderr(&output).contains(said), "{}", stderr(&output));
    }
    let output = run(&["--interpret", "--runner", "env"]);
    assert_eq!(code(&output), 2);
}

#[test]
#[cfg(target_arch = "x86_64")]
fn targets_of_other_machines_need_a_compiler_and_a_runner() {
    let dir = directory();
    let file = write(dir.path(), "double.ua", DOUBLE);
    let run = |options: &[&str]| culet(&[&["run", text(&file), "--input", "a=00000001"], options].concat());
    let refused = |output: std::process::Output, words: &[&str]| {
        let said = stderr(&output);
        assert!(code(&output) == 2 && words.iter().all(|word| said.contains(word)), "{said}");
    };
    let how = ["--cc aarch64-linux-gnu-gcc", "--runner qemu-aarch64"];
    refused(run(&["--target", "neon"]), &["E0823", "aarch64", how[0], how[1]]);
    refused(run(&["--target", "vsx"]), &["E0823", "powerpc64le", "qemu-ppc64le -cpu power9"]);
    refused(run(&["--target", "neon", "--runner", "qemu-aarch64"]), &["E0826", "compiles for x86_64", how[0]]);
    let aes = primitives().join("ciphers/aes128.toml");
    refused(culet(&["test", text(&aes), "--target", "neon"]), &["E0826", "compiles for x86_64", how[0], how[1]]);
}

/// Needs the compilers and emulators that the whole suite installs.
#[test]
fn kernels_of_other_machines_are_tested_under_emulation() {
    let rectangle = primitives().join("ciphers/rectangle80.toml");
    for target in [Target::Neon, Target::Vsx] {
        for compiler in culet_testing::compilers(target) {
            let Some(runner) = &compiler.runner else { continue };
            let (cc, runner) = (compiler.name(), runner.name());
            let arguments = ["test", text(&rectangle), "--slice", "v", "--cc", &cc];
            // All targets of that machine, including the widest.
            let output = culet(&[&arguments[..], &["--runner", &runner]].concat());
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            assert!(stdout(&output).contains(target.name()) && stdout(&output).ends_with(" 0 failed\n"));
            let output = culet(&arguments);
            assert_eq!(code(&output), 2);
            assert!(stderr(&output).contains("E0826") && stderr(&output).contains("--runner"), "{}", stderr(&output));
        }
    }
}
