//! The command's exit codes, and what it says.

mod support;

use std::path::Path;
use std::process::{Command, Output};

use support::EXIT;

fn rv32sim(arguments: &[&str], program: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rv32sim")).args(arguments).arg(program).output().expect("it runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A program whose exit code is the first byte of `input`.
fn program() -> support::Built {
    let text = format!(
        ".globl start\n.type start, @function\nstart: la a0, input\nlbu t0, 0(a0)\n{EXIT}
        .data\n.type input, @object\ninput: .byte 3, 4\n.size input, 2\n"
    );
    support::link(&[("program.s", &text)])
}

#[test]
fn a_program_has_its_exit_code_its_input_and_its_counts() {
    if !support::has_tools() {
        return;
    }
    let built = program();
    let plain = rv32sim(&[], &built.path);
    assert_eq!((plain.status.code(), said(&plain)), (Some(3), String::new()));
    assert_eq!(rv32sim(&["--set", "input=2a00"], &built.path).status.code(), Some(42));
    assert_eq!(rv32sim(&["--set", "input=ff00"], &built.path).status.code(), Some(124));
    let counted = rv32sim(&["--counts", "--trace", "--cache"], &built.path);
    let text = said(&counted);
    let all = text.lines().find(|line| line.starts_with("(all)\t")).expect("a row");
    let start = text.lines().find(|line| line.starts_with("start\t")).expect("a row");
    assert_eq!(all.strip_prefix("(all)"), start.strip_prefix("start"));
    assert!(text.lines().any(|line| line.starts_with("trace\t") && line.len() == 22), "{text}");
}

#[test]
fn mistakes_have_codes_and_messages_of_their_own() {
    if !support::has_tools() {
        return;
    }
    let built = program();
    let cases = [
        (vec!["--set", "input=00"], 127, "`input` has 2 bytes, not 1"),
        (vec!["--set", "other=00"], 127, "the program has no object `other`"),
        (vec!["--set", "input=0"], 127, "two hexadecimal digits are expected"),
        (vec!["--call", "other"], 127, "the program has no function `other`"),
        (
            vec!["--limit", "2"],
            125,
            "no end after 2 instructions; `--limit` raises the maximum\nat 0x20010008, start + 0x8",
        ),
        (vec!["--ram", "0"], 126, "`--ram` makes RAM larger"),
        (vec!["--ram", "4294967295"], 127, "4294967295 is not in 0..=67108864"),
        (vec!["--cache=18446744073709551615"], 127, "18446744073709551615 is not in 0..=1000000"),
    ];
    for (arguments, code, message) in cases {
        let output = rv32sim(&arguments, &built.path);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(message), "{arguments:?}: {}", said(&output));
    }
    let none = rv32sim(&[], Path::new("/nonexistent"));
    assert_eq!(none.status.code(), Some(126), "{}", said(&none));
    let source = rv32sim(&[], &Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    assert_eq!(source.status.code(), Some(126));
    assert!(said(&source).contains("this is no ELF file for a 32-bit machine"), "{}", said(&source));
}

#[test]
fn what_was_written_before_a_fault_is_printed() {
    if !support::has_tools() {
        return;
    }
    let text = ".globl start
.type start, @function
start: li a0, 4
la a1, text
.balign 4
.option push
.option norvc
slli zero, zero, 0x1f
ebreak
srai zero, zero, 7
.option pop
li a0, 0x100
lw a0, 0(a0)
.data
text: .asciz \"hello\\n\"
";
    let output = rv32sim(&[], &support::link(&[("program.s", text)]).path);
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(125), &b"hello\n"[..]), "{}", said(&output));
}
