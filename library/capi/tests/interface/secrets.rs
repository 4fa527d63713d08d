//! No branch and no address of the exported functions depends on secrets: valgrind's memcheck takes them for undefined.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::process::Command;

use crate::library::{COMPILERS, Features, Program, run};

#[test]
fn secrets_decide_no_branch_and_no_address() {
    let (compiler, source, features) = (COMPILERS[0].0, "tests/interface/secrets.c", Features::All);
    let options = vec!["-DSODIUM".to_owned(), "-g".to_owned()];
    let program = Program { compiler, source, options, is_static: true, features }.build();
    let text = run(Command::new("valgrind").args(["-q", "--error-limit=no"]).arg(program.get_program()));
    assert!(text.lines().count() > 20, "{text}");
    for line in text.lines() {
        let (name, count) = line.split_once(' ').expect("a name and a number");
        assert_eq!(count != "0", name.starts_with("planted"), "{line}");
    }
}
