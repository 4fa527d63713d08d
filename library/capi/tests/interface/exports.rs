//! The names that the library exports, beside those that its headers declare.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::library::{COMPILERS, Features, path, run};

const PREFIXES: [&str; 4] = ["culet_", "crypto_", "sodium_", "randombytes"];

/// The functions that a header declares: names before a parenthesis, after the preprocessor.
pub fn declared(header: &str) -> BTreeSet<String> {
    let text = run(Command::new(COMPILERS[0].0).args(["-E", "-P", "-x", "c"]).arg(path("include").join(header)));
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let names = text.match_indices('(').map(|(place, _)| {
        let before = &text[..place];
        before.rfind(|c| !is_of_name(c)).map_or(before, |start| &before[start + 1..])
    });
    names.filter(|name| PREFIXES.iter().any(|prefix| name.starts_with(prefix))).map(str::to_owned).collect()
}

/// Symbols that a file defines for others: those of the shared library, or of all members of the static one.
fn defined(features: Features, file: &str, options: &[&str]) -> BTreeSet<String> {
    symbols(&features.directory().join(file), options)
}

/// Symbols that a file defines for others.
pub fn symbols(file: &Path, options: &[&str]) -> BTreeSet<String> {
    let mut nm = Command::new("nm");
    let text = run(nm.args(["--defined-only", "--extern-only", "--format=just-symbols"]).args(options).arg(file));
    // Other lines have the names of members, and what nm thinks of sections that are for LLVM.
    let is_symbol = |line: &&str| !line.is_empty() && !line.ends_with(':') && !line.contains(' ');
    text.lines().filter(is_symbol).map(str::to_owned).collect()
}

/// Whether no program in C may have such a name: two underscores, or one and a capital letter (C99, section 7.1.3), begin names of
/// Rust's functions with their crates, and of what compilers call; others have a point in them. Two of Rust's have none of this.
fn is_reserved(symbol: &str) -> bool {
    let is_of_c = ["__", "_Z", "_R"].iter().any(|start| symbol.starts_with(start));
    is_of_c || symbol.contains('.') || ["rust_eh_personality", "rust_begin_unwind"].contains(&symbol)
}

fn headers(features: Features) -> BTreeSet<String> {
    let names: &[&str] = match features {
        Features::None => &["culet.h"],
        Features::TweetNaCl => &["culet.h", "tweetnacl.h"],
        Features::All => &["culet.h", "tweetnacl.h", "culet/nacl.h", "sodium.h"],
    };
    names.iter().flat_map(|header| declared(header)).collect()
}

#[test]
fn the_shared_library_exports_what_the_headers_declare() {
    for features in [Features::None, Features::TweetNaCl, Features::All] {
        let expected = headers(features);
        assert!(expected.len() > 50, "{expected:?}");
        assert_eq!(defined(features, "libculet.so", &["--dynamic"]), expected, "{features:?}");
    }
}

/// Beside names that are reserved, and those of Rust's run time that are weak.
#[test]
fn the_static_library_defines_what_the_headers_declare() {
    for features in [Features::None, Features::TweetNaCl, Features::All] {
        let expected = headers(features);
        let symbols = defined(features, "libculet.a", &["--no-weak"]);
        let others: Vec<&String> =
            symbols.iter().filter(|symbol| !is_reserved(symbol) && !expected.contains(*symbol)).collect();
        assert!(others.is_empty(), "{features:?}: {others:?}");
        assert!(expected.is_subset(&symbols), "{features:?}");
    }
}

#[test]
fn without_features_all_names_have_the_prefix() {
    assert!(headers(Features::None).iter().all(|name| name.starts_with("culet_")));
    assert!(headers(Features::All).contains("crypto_box"));
}

/// Calls that every function has which could be unwound through: they would end the program.
const ENDS: [&str; 2] = ["core::panicking::panic_in_cleanup", "core::panicking::panic_cannot_unwind"];

/// No function of the library and of its C interface, as the release build has them, calls one that panics.
#[test]
fn nothing_panics() {
    let mut nm = Command::new("nm");
    nm.args(["--undefined-only", "--demangle", "--print-file-name"]);
    let text = run(nm.arg(Features::All.directory().join("libculet.a")));
    // `…/libculet.a:member.o:  U symbol`; the members of both crates begin with their name.
    let ours = text.lines().filter_map(|line| {
        let (member, symbol) = line.split_once("libculet.a:")?.1.split_once(':')?;
        member.starts_with("culet").then_some(symbol.trim_start().trim_start_matches("U "))
    });
    let panics =
        |symbol: &&str| ["panic", "unwrap_failed", "expect_failed", "_fail"].iter().any(|part| symbol.contains(part));
    let (ends, others): (Vec<&str>, Vec<&str>) = ours.filter(panics).partition(|symbol| ENDS.contains(symbol));
    assert!(!ends.is_empty(), "no calls are seen");
    assert!(others.is_empty(), "{others:?}");
}

/// `pointers.rs` follows pointers of callers, and `guarded.rs` those to its own memory; the exports are unsafe by their names only.
#[test]
fn unsafe_blocks_are_in_two_files() {
    let mut files: Vec<_> = fs::read_dir(path("src")).expect("sources").collect();
    files.extend(fs::read_dir(path("src/names")).expect("sources"));
    let with_unsafe = |path: &std::path::Path| {
        let text = fs::read_to_string(path).expect("a text");
        text.lines().any(|line| line.contains("unsafe ") && !line.trim_start().starts_with("//"))
    };
    let files = files.into_iter().map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
    let found: BTreeSet<_> = files.filter(|path| with_unsafe(path)).collect();
    assert_eq!(found, ["src/guarded.rs", "src/pointers.rs"].map(path).into());
}
