//! One program, compiled with libsodium's header and library, and with ours, prints the same.

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
