//! Programs in C that check the published answers, tampered inputs, overlaps, null and lengths.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::amalgamation::wants_all;
use crate::library::{COMPILERS, Features, Program, STRICT, path, run, run_with};

/// A program by one compiler with the static library, and by the other one with the shared library; with `CULET_ALL` by both compilers
/// with both, with all of these features.
fn check(source: &str, features: &[Features], options: &[&str]) {
    for (index, (compiler, _)) in COMPILERS.into_iter().enumerate() {
        let all = [true, false].into_iter().flat_map(|is_static| features.iter().map(move |own| (is_static, *own)));
        let usual = (index == 0, features[index % features.len()]);
        for (is_static, features) in all.filter(|build| wants_all() || *build == usual) {
            let options = options.iter().map(|option| (*option).to_owned()).collect();
            run(&mut Program { compiler, source, options, is_static, features }.build());
        }
    }
}

#[test]
fn culet() {
    let version = concat!("-DCULET_EXPECTED_VERSION=\"", env!("CARGO_PKG_VERSION"), "\"");
    check("tests/interface/culet.c", &[Features::None, Features::All], &[version]);
}

#[test]
fn nacl() {
    check("tests/interface/nacl.c", &[Features::All], &[]);
}

#[test]
fn differences_from_libsodium() {
    check("tests/interface/differences.c", &[Features::All], &[]);
}

/// The program brings `randombytes`, as TweetNaCl wants it.
#[test]
fn tweetnacl() {
    check("tests/interface/tweetnacl.c", &[Features::TweetNaCl], &[]);
}

/// A program whose operating system has no randomness, and the file that takes it away.
pub const RANDOMNESS: &str = "tests/interface/randomness.c";
pub const NO_RANDOMNESS: &str = "../culet/tests/randomness/getrandom.c";

/// The library asks the loader for `getrandom`, to which the program exports its own.
#[cfg(target_os = "linux")] // It has `getrandom`.
#[test]
fn no_randomness() {
    let taken_away = path(NO_RANDOMNESS).display().to_string();
    check(RANDOMNESS, &[Features::All], &["-DWITH_SODIUM", "-rdynamic", &taken_away]);
    check(RANDOMNESS, &[Features::TweetNaCl], &["-DWITH_TWEETNACL", "-rdynamic", &taken_away]);
}

#[test]
fn headers_are_clean_alone() {
    let parts = fs::read_dir(path("include/sodium")).expect("headers").map(|entry| entry.expect("an entry").path());
    let whole = ["culet.h", "culet/nacl.h", "sodium.h", "tweetnacl.h"].map(|header| path("include").join(header));
    // All parts are alike, and one after another takes long.
    let headers: Vec<_> = whole.into_iter().chain(parts.take(if wants_all() { usize::MAX } else { 2 })).collect();
    for (c, cpp) in COMPILERS {
        for header in &headers {
            for (compiler, language, standard) in
                [(c, "c", "-std=c99"), (c, "c", "-std=c17"), (cpp, "c++", "-std=c++11"), (cpp, "c++", "-std=c++20")]
            {
                let mut command = Command::new(compiler);
                run(command.args(["-x", language, standard, "-fsyntax-only"]).args(STRICT).arg(header));
            }
        }
    }
}

/// Each block of C on pages compiles.
#[test]
fn the_pages_compile() {
    for page in ["README.md", "../../docs/migration.md"] {
        let text = fs::read_to_string(path(page)).expect("the page");
        let blocks: Vec<&str> =
            text.split("```c\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0)).collect();
        assert!(!blocks.is_empty(), "{page}");
        for code in blocks {
            let mut compiler = Command::new(COMPILERS[0].0);
            compiler.args(["-x", "c", "-std=c99", "-fsyntax-only", "-"]).args(STRICT).arg("-I").arg(path("include"));
            run_with(&mut compiler, code);
        }
    }
}

/// Signs a file, verifies it, and refuses it when it is changed.
#[test]
fn the_example_signs_files() {
    let (compiler, source) = (COMPILERS[0].0, "examples/sign.c");
    let program = Program { compiler, source, options: vec![], is_static: true, features: Features::None }.build();
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("letter");
    fs::write(&file, "Dear Bob").expect("a file");
    let status = |arguments: &[&str]| {
        let mut command = Command::new(program.get_program());
        command.args(arguments).current_dir(directory.path()).output().expect("it runs").status.code()
    };
    assert_eq!(status(&["key", "secret", "public"]), Some(0));
    assert_eq!(status(&["sign", "secret", "letter", "signature"]), Some(0));
    assert_eq!(status(&["verify", "public", "letter", "signature"]), Some(0));
    fs::write(&file, "Dear Eve").expect("a file");
    assert_eq!(status(&["verify", "public", "letter", "signature"]), Some(1));
    assert_eq!(status(&["verify", "public", "missing", "signature"]), Some(2));
    assert_eq!(status(&[]), Some(2));

    let signature = fs::read(directory.path().join("signature")).expect("a file");
    assert_eq!(signature.len(), 64);
    fs::write(directory.path().join("signature"), &signature[..63]).expect("a file");
    assert_eq!(status(&["verify", "public", "letter", "signature"]), Some(1));

    // No key is overwritten, and a key pair is there as a whole or not at all.
    let secret = directory.path().join("secret");
    let (made, mode) =
        (fs::read(&secret).expect("a file"), fs::metadata(&secret).expect("a file").permissions().mode());
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(status(&["key", "secret", "other"]), Some(2));
    assert_eq!(status(&["key", "other", "public"]), Some(2));
    assert!(!directory.path().join("other").exists());
    assert_eq!(fs::read(&secret).expect("a file"), made);
}
