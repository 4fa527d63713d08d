//! No panic can be reached in the release build of functions that need no allocation.
//!
//! `tests/no_panic/calls.rs` calls them all in a dynamic library of its own. The linker keeps the functions of Rust's core library that panic if,
//! and only if, something that is called can panic. Writing values as text is left out: that is `core`'s.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

#[path = "package/emulated.rs"]
mod emulated;
#[allow(dead_code)] // Nothing but the release build is needed.
mod package;
#[path = "package/release.rs"]
mod release;

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use emulated::Emulated;
use release::Release;

/// Functions that end the program when something unwinds where it must not, and those that they call: a crate that is compiled for unwinding, as crates
/// usually are, has them, whether anything unwinds or not.
const ENDS: [&str; 5] = ["in_cleanup", "cannot_unwind", "nounwind", "nounwind_fmt", "nounwind_nobacktrace"];

/// The names in a library of the calls that have to do with panics, but for [`ENDS`].
fn panics(release: &Release, name: &str, arguments: &[&str]) -> Vec<String> {
    let arguments = [&["--crate-name", "calls", "--crate-type", "cdylib", "-Cpanic=abort"], arguments].concat();
    let library = release.compile("tests/no_panic/calls.rs", &arguments, name);
    let names = Command::new("nm").arg("--demangle").arg(library).output().expect("nm runs");
    let names = String::from_utf8(names.stdout).expect("names");
    assert!(names.contains(" T culet_calls"), "{names}");
    assert!(names.contains("ed25519_verify"), "the functions are not there: {names}");
    let is_end = |name: &str| {
        let own = name.split_once("core::panicking::panic_").and_then(|(_, end)| end.split("::h").next());
        own.is_some_and(|end| ENDS.contains(&end))
    };
    // The handler of panics is there with the ends.
    let is_of_panic = |name: &&str| {
        ["panic", "_failed"].iter().any(|part| name.contains(part))
            && !is_end(name)
            && !name.ends_with(" U culet_panicked")
    };
    names.lines().filter(is_of_panic).map(str::to_owned).collect()
}

/// Checks that no panic is left in the library for a machine, and that a planted one is found.
fn check(machine: Option<&'static Emulated>) {
    let release = Release::build(machine);
    let name = |kind: &str| format!("{kind}-{}.so", machine.map_or("native", |machine| machine.target));
    let found = panics(&release, &name("calls"), &[]);
    assert!(found.is_empty(), "{found:#?}");
    let planted = panics(&release, &name("planted"), &["--cfg", "feature=\"planted\""]);
    for function in ["panic_bounds_check", "panic_fmt"] {
        assert!(planted.iter().any(|name| name.contains(function)), "{planted:#?}");
    }
}

/// x86-64; with `CULET_ALL` also AArch64, if its linker is installed.
#[test]
fn no_panic_can_be_reached() {
    check(None);
    if env::var_os("CULET_ALL").is_some() {
        Emulated::with_linux().for_each(|machine| check(Some(machine)));
    }
}

/// Functions that allocate or ask the operating system, and those of types that are not public.
const LEFT_OUT: [&str; 16] = [
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
    "to_der_vec",
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
