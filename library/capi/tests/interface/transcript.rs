//! One program, compiled with libsodium's header and library, and with ours, prints the same.

use std::process::Command;

use crate::library::{COMPILERS, Features, Program, path, run};

const SOURCE: &str = "tests/interface/transcript.c";

#[test]
fn programs_for_libsodium_compute_the_same() {
    for (compiler, _) in COMPILERS {
        let theirs = Features::All.directory().join(format!("libsodium-{compiler}"));
        let mut command = Command::new(compiler);
        command.args(["-std=c99", "-Wall", "-Werror", "-O1"]).arg(path(SOURCE)).arg("-o").arg(&theirs).arg("-lsodium");
        run(&mut command);
        let expected = run(&mut Command::new(theirs));
        assert!(expected.lines().count() > 5000, "only {} lines", expected.lines().count());
        for is_static in [true, false] {
            let program = Program { compiler, source: SOURCE, options: vec![], is_static, features: Features::All };
            let ours = run(&mut program.build());
            let differing = ours.lines().zip(expected.lines()).find(|(ours, expected)| ours != expected);
            assert_eq!(differing, None, "{compiler}");
            assert_eq!(ours.len(), expected.len());
        }
    }
}
