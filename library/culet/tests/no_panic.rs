//! No panic can be reached in the release build of functions that need no allocation.
//!
//! `tests/no_panic/calls.rs` calls them all in a dynamic library of its own, whose handler of panics calls a function that is nowhere. The
//! linker keeps that name if, and only if, something that is called can panic. Writing values as text is left out: that is `core`'s.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

#[path = "package/emulated.rs"]
mod emulated;
mod package;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use emulated::Emulated;
use package::{CURVES, is_drawn, package};

/// The package of the calls. Its name, which is in names of functions, has nothing to do with panics.
fn calls() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/no_panic/calls.rs");
    let targets = format!(
        "[lib]\npath = {path:?}\ncrate-type = [\"cdylib\"]\n\n\
         [features]\nplanted = []\n\n\
         [profile.release]\npanic = \"abort\"\n\n\
         [dependencies.aead]\nversion = \"0.6\"\ndefault-features = false\n\n\
         [dependencies.digest]\nversion = \"0.11\"\ndefault-features = false\n\n\
         [dependencies.signature]\nversion = \"2.2\"\ndefault-features = false\n"
    );
    // The traits compile without allocation.
    let features = [&CURVES[..], &["aead", "digest", "signature"]].concat();
    package("calls", &targets, Some(&features))
}

/// Builds the library for this machine or another one, and returns its names that have to do with panics.
fn panics(machine: Option<&Emulated>, arguments: &[&str]) -> Vec<String> {
    let package = calls();
    let mut build = Command::new(env!("CARGO"));
    build
        .args(["build", "--quiet", "--release", "--offline", "--target-dir", "target"])
        .args(arguments)
        .current_dir(&package);
    if let Some(machine) = machine {
        machine.choose(&mut build);
    }
    let build = build.output().expect("cargo runs");
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    let folder = machine.map_or("", |machine| machine.target);
    let library = package.join("target").join(folder).join("release/libcalls.so");
    let names = Command::new("nm").arg(library).output().expect("nm runs");
    let names = String::from_utf8(names.stdout).expect("names");
    assert!(names.contains(" T culet_calls"), "{names}");
    assert!(names.contains("ed25519_verify"), "the functions are not there: {names}");
    names.lines().filter(|name| name.contains("panic")).map(str::to_owned).collect()
}

/// Checks that no panic is left in the library for a machine, and that a planted one is found.
fn check(machine: Option<&Emulated>) {
    let found = panics(machine, &[]);
    assert!(found.is_empty(), "{found:#?}");
    let planted = panics(machine, &["--features", "planted"]);
    assert!(planted.iter().any(|name| name.ends_with(" U culet_panicked")), "{planted:#?}");
    assert!(planted.iter().any(|name| name.contains("9panicking")), "{planted:#?}");
}

/// x86-64; with `CULET_ALL` also AArch64, if its linker is installed.
#[test]
fn no_panic_can_be_reached() {
    if !is_drawn("no_panic") {
        return;
    }
    check(None);
    if env::var_os("CULET_ALL").is_some() {
        Emulated::installed().for_each(|machine| check(Some(machine)));
    }
}

/// Functions that allocate or ask the operating system, and those of types that are not public.
const LEFT_OUT: [&str; 15] = [
    "absorb",
    "absorb_padded",
    "extended",
    "tag",
    "box_",
    "box_open",
    "box_seal",
    "box_seal_open",
    "generate",
    "open",
    "open_last",
    "seal",
    "seal_last",
    "secretbox",
    "secretbox_open",
];

/// Words that are no public types of this crate.
const NO_TYPES: [&str; 13] = [
    "ChaCha",
    "Clone",
    "Encoding",
    "Eq",
    "Hash",
    "Key",
    "Length",
    "Limit",
    "PartialEq",
    "Randomness",
    "Rejected",
    "Salsa",
    "Self",
];

/// The calls name every public function and every public type. Functions of one name are not told apart.
#[test]
fn the_calls_are_complete() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let calls = fs::read_to_string(here.join("tests/no_panic/calls.rs")).expect("the calls");
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let called: BTreeSet<&str> = calls.split(|c| !is_of_name(c)).collect();
    let mut count = 0;
    for name in public_names(&here.join("src")) {
        assert!(called.contains(&*name), "nobody calls `{name}` in tests/no_panic/calls.rs");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

/// Returns the names of public functions, of public types, and of types that macros make, which are the first words of lines.
fn public_names(source: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    const FILES: [&str; 19] = [
        "aead.rs",
        "aead/secretstream.rs",
        "aead/stream.rs",
        "curve.rs",
        "ed25519.rs",
        "error.rs",
        "hash/blake2.rs",
        "hash/sha2.rs",
        "hash/sponge.rs",
        "kdf.rs",
        "mac.rs",
        "nacl.rs",
        "sealed.rs",
        "secp256k1.rs",
        "secp256k1/bip340.rs",
        "secretbox.rs",
        "stream.rs",
        "verify.rs",
        "x25519.rs",
    ];
    for file in FILES {
        let text = fs::read_to_string(source.join(file)).expect("a module");
        let text = text.split("\n#[cfg(test)]").next().unwrap_or_default();
        for line in text.lines() {
            let name =
                |rest: &str| -> String { rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() };
            let code = line.trim_start();
            let public = ["pub fn ", "pub const fn ", "pub struct "].iter().find_map(|start| code.strip_prefix(start));
            let made = line.strip_prefix("    ").filter(|rest| rest.starts_with(char::is_uppercase));
            names.extend(public.or(made).map(name));
        }
    }
    let is_constant = |name: &str| !name.contains(char::is_lowercase);
    names.retain(|name| !is_constant(name) && !LEFT_OUT.contains(&&**name) && !NO_TYPES.contains(&&**name));
    names
}
