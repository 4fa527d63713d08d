//! One program, compiled with libsodium's header and library, and with ours, prints the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::library::{COMPILERS, Features, Program, path, run};

const SOURCE: &str = "tests/interface/transcript.c";

/// A program whose messages go to null.
const WITHOUT_MESSAGES: &str = "tests/interface/verify_only.c";

/// The states that are larger than libsodium's, as the header says.
const LARGER: [&str; 4] =
    ["crypto_aead_aes256gcm", "crypto_hash_sha256", "crypto_hash_sha512", "crypto_secretstream_xchacha20poly1305"];

#[test]
fn programs_for_libsodium_compute_the_same() {
    prints_the_same(SOURCE, 5000);
}

#[test]
fn messages_that_go_to_null_are_verified() {
    prints_the_same(WITHOUT_MESSAGES, 400);
}

/// Memory with guards, freed and misused in processes of their own, and the stack when it is erased.
#[test]
fn guarded_memory_guards() {
    prints_the_same("tests/interface/guarded.c", 200);
}

/// The program prints so many lines at least, and the same ones with both libraries.
fn prints_the_same(source: &str, least: usize) {
    for (compiler, _) in COMPILERS {
        let theirs = Features::All.directory().join(format!("libsodium-{compiler}-{least}"));
        let mut command = Command::new(compiler);
        command.args(["-std=c99", "-Wall", "-Werror", "-O1"]).arg(path(source)).arg("-o").arg(&theirs).arg("-lsodium");
        run(&mut command);
        let expected = run(&mut Command::new(theirs));
        assert!(expected.lines().count() > least, "only {} lines", expected.lines().count());
        for is_static in [true, false] {
            let program = Program { compiler, source, options: vec![], is_static, features: Features::All };
            let ours = run(&mut program.build());
            let differing = ours.lines().zip(expected.lines()).find(|(ours, expected)| ours != expected);
            assert_eq!(differing, None, "{compiler}");
            assert_eq!(ours.len(), expected.len());
        }
    }
}

/// The functions that a header declares, each with whether its result must be used.
fn declared(header: &str) -> BTreeMap<String, bool> {
    let without = |text: &str, start: &str, end: &str| {
        let rest = |part: &str| part.split_once(end).map_or("", |(_, rest)| rest).to_owned();
        let mut parts = text.split(start);
        parts.next().map(str::to_owned).into_iter().chain(parts.map(rest)).collect::<String>()
    };
    let text = without(header, "/*", "*/");
    let code: String =
        text.lines().filter(|line| !line.trim_start().starts_with('#')).flat_map(|line| [line, " "]).collect();
    let function = |declaration: &str| {
        let must_be_used = ["warn_unused_result", "CULET_CHECK"].iter().any(|mark| declaration.contains(mark));
        let (before, _) =
            without(declaration, "__attribute__", "))").split_once('(').map(|(a, b)| (a.to_owned(), b.to_owned()))?;
        Some((before.rsplit([' ', '*']).find(|word| !word.is_empty())?.to_owned(), must_be_used))
    };
    code.split(';').filter_map(function).filter(|(name, _)| name.contains('_')).collect()
}

/// A program without warnings for libsodium has none for this header.
#[test]
fn results_may_be_left_unused_where_libsodium_lets_them() {
    let read = |path: &Path| std::fs::read_to_string(path).expect("a header");
    let mut theirs = BTreeMap::new();
    for entry in std::fs::read_dir("/usr/include/sodium").expect("libsodium's headers") {
        theirs.append(&mut declared(&read(&entry.expect("an entry").path())));
    }
    let mut ours = declared(&read(&path("include/sodium.h")));
    ours.append(&mut declared(&read(&path("include/culet/nacl.h"))));
    assert!(ours.len() > 300, "{}", ours.len());
    assert_eq!((ours["sodium_memcmp"], ours["sodium_memzero"]), (true, false));
    let stricter: Vec<&String> =
        ours.iter().filter(|(name, must)| **must && theirs.get(*name) == Some(&false)).map(|(name, _)| name).collect();
    assert!(stricter.is_empty(), "{stricter:?}");
}

/// Those of libsodium's headers that declare a function of `sodium.h` are there, and all others of its functions' headers are not.
#[test]
fn parts_have_headers_of_their_own() {
    let read = |path: &Path| std::fs::read_to_string(path).expect("a header");
    let mut ours = declared(&read(&path("include/sodium.h")));
    ours.append(&mut declared(&read(&path("include/culet/nacl.h"))));
    let mut there = 0;
    for entry in std::fs::read_dir("/usr/include/sodium").expect("libsodium's headers") {
        let header = entry.expect("an entry").path();
        let is_function =
            |name: &String| ["crypto_", "sodium_", "randombytes"].iter().any(|start| name.starts_with(start));
        let theirs: Vec<String> = declared(&read(&header)).into_keys().filter(is_function).collect();
        let part = path("include/sodium").join(header.file_name().expect("a name"));
        let expected = theirs.iter().any(|name| ours.contains_key(name));
        assert!(theirs.is_empty() || part.exists() == expected, "{}", part.display());
        there += usize::from(part.exists());
    }
    assert_eq!(there, std::fs::read_dir(path("include/sodium")).expect("headers").count());
}

/// The names of states, with their sizes and alignments, of the header that is found.
fn states(name: &str, options: &[&str]) -> Vec<(String, usize, usize)> {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut command = Command::new(COMPILERS[0].0);
    run(command.arg("-std=c11").args(options).arg(path("tests/interface/states.c")).arg("-o").arg(&program));
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>().try_into().expect("three words");
    let number = |word: String| word.parse().expect("a number");
    let state = |[name, size, alignment]: [String; 3]| (name, number(size), number(alignment));
    run(&mut Command::new(program)).lines().map(words).map(state).collect()
}

/// A program that is compiled with this header has room for the states of both libraries.
#[test]
fn states_are_no_smaller_than_those_of_libsodium() {
    let (ours, theirs) =
        (states("our-states", &["-I", &path("include").to_string_lossy()]), states("their-states", &[]));
    assert_eq!((ours.len(), theirs.len()), (11, 11));
    for ((name, size, alignment), of_libsodium) in ours.into_iter().zip(theirs) {
        if LARGER.contains(&&*name) {
            assert!(
                size > of_libsodium.1 && alignment >= of_libsodium.2,
                "{name}: {size} {alignment} {of_libsodium:?}"
            );
        } else {
            assert_eq!((name, size, alignment), of_libsodium);
        }
    }
}
