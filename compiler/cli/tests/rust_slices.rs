//! `culet compile --language rust`: kernels on slices, as users call them from a crate of their own.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use culet_ir::Target;
use culet_native::cpu_runs;
use culet_testing::report;
use support::{culet, directory, primitives, stderr, text};

/// Writes the module `name` of a node of Serpent.
fn serpent(folder: &Path, node: &str, name: &str, arguments: &[&str]) {
    let source = primitives().join("ciphers/serpent.ua");
    let program = ["compile", text(&source), "--node", node, "--language", "rust", "--name", name, "-o", text(folder)];
    let output = culet(&[&program[..], arguments].concat());
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Compiles `main.rs`, with every warning an error, and runs it.
fn run(folder: &Path, arguments: &[&str]) {
    let output = Command::new("rustc")
        .env_remove("RUSTC_BOOTSTRAP")
        .args(["--edition", "2021", "-D", "warnings", "main.rs"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("rustc runs");
    assert!(output.status.success(), "{}", stderr(&output));
    let output = Command::new(folder.join("main")).output().expect("the program runs");
    assert!(output.status.success(), "{}", stderr(&output));
}

/// NESSIE, Serpent with a key of 128 bits, set 1, vector 0; and any number of blocks on words and vectors.
const MAIN: &str = "mod back;
mod keys;
mod plain;
mod wide;

fn main() {
    let mut round_keys = [[0; 528]];
    let mut key = [0; 16];
    key[0] = 0x80;
    keys::run(&mut round_keys, &[key]);
    let [round_keys] = round_keys;
    assert!(std::arch::is_x86_feature_detected!(\"avx2\"));
    for blocks in [0, 1, plain::INSTANCES, 77] {
        let text: Vec<[u8; 16]> = (0..blocks).map(|n| [n as u8; 16]).collect();
        let (mut cipher, mut other) = (vec![[0; 16]; blocks], vec![[0; 16]; blocks]);
        plain::run(&mut cipher, &text, &round_keys);
        unsafe { wide::run(&mut other, &text, &round_keys) };
        assert_eq!(cipher, other);
        if blocks > 0 {
            assert_eq!(cipher[0], *b\"\\x26\\x4e\\x54\\x81\\xef\\xf4\\x2a\\x46\\x06\\xab\\xda\\x06\\xc0\\xbf\\xda\\x3d\");
        }
        back::run(&mut other, &cipher, &round_keys);
        assert_eq!(other, text);
    }
    let mut short = [[0xee; 16]; 3];
    if cfg!(debug_assertions) {
        let call = std::panic::AssertUnwindSafe(|| plain::run(&mut short, &[[0; 16]; 4], &round_keys));
        let said = std::panic::catch_unwind(call).expect_err(\"the numbers differ\");
        assert_eq!(said.downcast_ref(), Some(&\"the numbers of blocks differ\"));
        assert_eq!(short, [[0xee; 16]; 3]);
    } else {
        let mut all = [[0; 16]; 4];
        plain::run(&mut short, &[[7; 16]; 4], &round_keys);
        plain::run(&mut all, &[[7; 16]; 4], &round_keys);
        assert_eq!(short, all[..3]);
    }
}
";

#[test]
fn a_cipher_in_a_crate() {
    if !cpu_runs(Target::Avx2) {
        return report("UNTESTED: this CPU does not run avx2");
    }
    let directory = directory();
    let folder = directory.path();
    serpent(folder, "Serpent128_key_schedule", "keys", &["--slice", "v", "--target", "c64"]);
    serpent(folder, "Serpent", "plain", &["--slice", "v", "--target", "c64"]);
    serpent(folder, "Serpent", "wide", &["--slice", "b", "--target", "avx2"]);
    serpent(folder, "Serpent_inverse", "back", &["--slice", "v", "--target", "c32"]);
    fs::write(folder.join("main.rs"), MAIN).expect("a file");
    run(folder, &["-C", "opt-level=1", "-C", "overflow-checks=on", "-C", "debug-assertions=on"]);
    run(folder, &["-C", "opt-level=1"]);
}

#[test]
fn modules_say_how_to_call_them() {
    let directory = directory();
    let folder = directory.path();
    serpent(folder, "Serpent", "wide", &["--slice", "v", "--target", "avx2"]);
    let module = fs::read_to_string(folder.join("wide.rs")).expect("a module");
    for part in [
        "//! Needs a CPU of x86_64 with avx2: `#[cfg(target_arch = \"x86_64\")] mod wide;`.",
        "//! let has_features = std::arch::is_x86_feature_detected!(\"avx2\");",
        "//!     unsafe { wide::run(…) };",
        "#![forbid(unsafe_code)]",
        "/// - `cipher_out`: result, 16 bytes a block.",
        "/// - `round_keys_in`: shared parameter, one for all blocks, 528 bytes.",
        "#[target_feature(enable = \"avx2\")]\npub fn run(cipher_out: &mut [[u8; 16]], plain_in: &[[u8; 16]], round_keys_in: &[u8; 528]) {",
        "pub const INSTANCES: usize = ",
    ] {
        assert!(module.contains(part), "{part}\n{module}");
    }
    // A module needs no standard library.
    fs::write(folder.join("lib.rs"), "#![no_std]\n#![deny(warnings)]\npub mod wide;\n").expect("a file");
    let library = folder.join("lib.rs");
    let mut rustc = Command::new("rustc");
    let rustc = rustc.args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--out-dir"]);
    let said = rustc.arg(folder).arg(&library).output().expect("rustc runs");
    assert!(said.status.success(), "{}", stderr(&said));
}

#[test]
fn vectors_of_power_are_refused() {
    let directory = directory();
    let source = primitives().join("ciphers/serpent.ua");
    let folder = directory.path().join("out");
    let program = ["compile", text(&source), "--slice", "v", "--target", "vsx", "--language", "rust"];
    let output = culet(&[&program[..], &["-o", text(&folder)]].concat());
    assert!(!output.status.success() && !folder.exists());
    for part in ["E0752", "serpent.ua:", "stable Rust has no vectors for the target `vsx`", "`--target c64`"] {
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    }
}

/// Names that Rust keeps for itself, or warns about.
#[test]
fn names_are_those_of_rust() {
    let directory = directory();
    let folder = directory.path();
    let program = "node Step (ref : u8, __x : u8) returns (a__b : u8) let a__b = ref ^ (__x <<< 3) tel
node f (self, type', X_ : u8, Key : const u8) returns (out, fn : u8)
vars y : u8[2]
let _no_unroll forall i in [0, 1] { y[i] = Step(self, type') ^ X_ } out = y[0] ^ Key; fn = Step(y[1], X_) tel
";
    let source = folder.join("f.ua");
    fs::write(&source, program).expect("a program");
    for slice in ["v", "b"] {
        let arguments =
            ["--slice", slice, "--target", "c64", "--language", "rust", "--name", slice, "--inline", "none"];
        let output = culet(&[&["compile", text(&source), "-o", text(folder)][..], &arguments].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let main = "mod b;
mod v;

fn main() {
    let bytes = |factor: u8| -> Vec<[u8; 1]> { (0..70u8).map(|n| [n.wrapping_mul(factor)]).collect() };
    let (a, t, x) = (bytes(3), bytes(5), bytes(7));
    let mut outs = [vec![[0]; 70], vec![[0]; 70]];
    let mut others = outs.clone();
    let ([out, f], [other, g]) = (&mut outs, &mut others);
    v::run(out, f, &a, &t, &x, &[9]);
    b::run(other, g, &a, &t, &x, &[9]);
    assert_eq!(outs, others);
    let step = |a: u8, x: u8| a ^ x.rotate_left(3);
    let y = step(a[69][0], t[69][0]) ^ x[69][0];
    assert_eq!([outs[0][69][0], outs[1][69][0]], [y ^ 9, step(y, x[69][0])]);
}
";
    fs::write(folder.join("main.rs"), main).expect("a file");
    run(folder, &["-C", "opt-level=1", "-C", "overflow-checks=on"]);
    let program = ["compile", text(&source), "--slice", "v", "--language", "rust", "--name", "match"];
    let output = culet(&[&program[..], &["-o", text(folder)]].concat());
    assert!(!output.status.success() && stderr(&output).contains("is a word of Rust"), "{}", stderr(&output));
}
