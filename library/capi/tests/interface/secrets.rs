//! Programs under valgrind: no branch and no address of the exported functions depends on secrets, which memcheck takes for undefined;
//! nothing is read or written beside what a program owns, and nothing that overlaps is copied as if it did not.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::process::Command;

use crate::library::{COMPILERS, Features, Program, run};

#[test]
fn secrets_decide_no_branch_and_no_address() {
    let (compiler, source, features) = (COMPILERS[0].0, "tests/interface/secrets.c", Features::All);
    let options = vec!["-DSODIUM".to_owned(), "-g".to_owned()];
    let program = Program { compiler, source, options, is_static: true, features }.build();
    let text = run(Command::new("valgrind").args(["-q", "--error-limit=no"]).arg(program.get_program()));
    assert!(text.lines().count() > 35, "{text}");
    for line in text.lines() {
        let (name, count) = line.split_once(' ').expect("a name and a number");
        let count: u32 = count.parse().expect("a number");
        let expected = match name.split_once('_') {
            Some(("planted", _)) => 1..=u32::MAX,
            // Whether keys and signatures are good, which is no secret.
            Some(("declassified", _)) => 1..=4,
            _ => 0..=0,
        };
        assert!(expected.contains(&count), "{line}");
    }
}

#[test]
fn memory_is_used_as_promised() {
    let version = concat!("-DCULET_EXPECTED_VERSION=\"", env!("CARGO_PKG_VERSION"), "\"");
    for source in ["tests/interface/culet.c", "tests/interface/nacl.c"] {
        let (compiler, options) = (COMPILERS[1].0, vec![version.to_owned(), "-gdwarf-4".to_owned()]);
        // A name of its own: another test builds the same file.
        let program = Program { compiler, source, options, is_static: true, features: Features::All };
        let program = program.build_as("memory");
        run(Command::new("valgrind").args(["-q", "--error-exitcode=1"]).arg(program.get_program()));
    }
}
