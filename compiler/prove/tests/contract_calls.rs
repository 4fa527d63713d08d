//! Calls of functions that were proved by contracts of their own: they leave unknown words, each call others.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fs;
use std::path::Path;
use std::process::Command;

use culet_diag::SourceMap;
use culet_image::Image;
use culet_prove::contract::{self, Callee, Contract};
use culet_prove::theorem::{Limits, Proved, Rejection};
use culet_prove::violation::ViolationKind;

/// `out = a * a` modulo a prime, for a word below 2^32.
fn contract(symbol: &str) -> Contract {
    let text = format!(
        "symbol = \"{symbol}\"\nequation = \"out = a * a mod 8191\"\n\
         [[argument]]\nname = \"out\"\ndirection = \"out\"\nlimbs = 1\nradix = 64\n\
         [[argument]]\nname = \"a\"\ndirection = \"in\"\nlimbs = 1\nradix = 64\nbelow = \"2^32\"\n"
    );
    let file = SourceMap::new().add(Path::new("square.toml"), text.clone());
    let mut contracts = contract::read(&text, file).expect("a contract");
    contracts.pop().expect("one")
}

/// Proves a function that calls a squaring, keeps what that leaves in rcx, copies the operand to its stack, and does
/// something more.
fn squared_by_a_call(more: &str) -> Result<Proved, Rejection> {
    let code = format!(
        ".text\n.globl square\n.type square, @function\nsquare:\n \
         mov (%rsi), %rax\n imul %rax, %rax\n mov %rax, (%rdi)\n ret\n.size square, . - square\n\
         .globl again\n.type again, @function\nagain:\n \
         push %rbx\n push %r12\n sub $24, %rsp\n mov %rsi, %r12\n call square\n mov %rcx, %rbx\n \
         mov %rsp, %rdi\n mov %r12, %rsi\n mov $8, %edx\n call memcpy\n {more}\n \
         add $24, %rsp\n pop %r12\n pop %rbx\n ret\n.size again, . - again\n"
    );
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (source, object) = (directory.path().join("square.s"), directory.path().join("square.o"));
    fs::write(&source, code).expect("it can be written");
    let status = Command::new("cc").arg("-c").arg(&source).arg("-o").arg(&object).status();
    assert!(status.expect("there is a C compiler").success());
    let image = Image::read(&fs::read(&object).expect("it was compiled")).expect("it is an object");
    let callee = contract("square");
    let proved = contract::prove(&image, &callee, &Limits::default()).expect("it squares");
    let callees = [Callee { contract: callee, proved }];
    contract::prove_with(&image, &contract("again"), &callees, &Limits::default())
}

#[test]
fn a_result_of_a_call_is_a_result() {
    squared_by_a_call("").unwrap_or_else(|why| panic!("{why}"));
}

/// A register after the first call of a proved function is not what it is after the first call of the C library.
#[test]
fn each_call_leaves_other_words() {
    let why = squared_by_a_call("cmp %rcx, %rbx\n je 1f\n add $8, %rdi\n1:").expect_err("the branch may go either way");
    let Rejection::Violation { violation, .. } = why else { panic!("{why}") };
    assert!(matches!(violation.kind, ViolationKind::Branch(_)), "{violation}");
}
