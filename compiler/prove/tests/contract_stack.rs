//! Arguments beyond the sixth are on the stack, above the return address: words and pointers, and nothing beyond them.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use culet_diag::SourceMap;
use culet_image::Image;
use culet_prove::contract::{self, Contract};
use culet_prove::theorem::{Limits, Proved, Rejection};
use culet_prove::violation::ViolationKind;

/// `out = v0 + … + v6 + p`: a pointer, seven words and another pointer; three of them are on the stack.
fn contract() -> Contract {
    let number = |name: &str, direction: &str| {
        format!("[[argument]]\nname = \"{name}\"\ndirection = \"{direction}\"\nlimbs = 1\nradix = 64\n")
    };
    let mut text = "symbol = \"sum\"\nequation = \"out = v0 + v1 + v2 + v3 + v4 + v5 + v6 + p mod 2^64\"\n".to_owned();
    text += &number("out", "out");
    for index in 0..7 {
        let _ = write!(
            text,
            "[[argument]]\nname = \"v{index}\"\ndirection = \"value\"\nbits = {}\n",
            if index == 5 { 32 } else { 64 }
        );
    }
    text += &number("p", "in");
    let file = SourceMap::new().add(Path::new("sum.toml"), text.clone());
    let mut contracts = contract::read(&text, file).expect("a contract");
    contracts.pop().expect("one")
}

fn compile(name: &str, code: &str) -> Image {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (source, object) = (directory.path().join(name), directory.path().join("sum.o"));
    fs::write(&source, code).expect("it can be written");
    let status = Command::new("cc").args(["-O2", "-fno-pic", "-c"]).arg(&source).arg("-o").arg(&object).status();
    assert!(status.expect("there is a C compiler").success());
    Image::read(&fs::read(&object).expect("it was compiled")).expect("it is an object")
}

fn c(sum: &str) -> Result<Proved, Rejection> {
    let code = format!(
        "#include <stdint.h>\nvoid sum(uint64_t *out, uint64_t v0, uint64_t v1, uint64_t v2, uint64_t v3, uint64_t v4, uint32_t v5, \
         uint64_t v6, const uint64_t *p)\n{{\n    *out = {sum};\n}}\n"
    );
    contract::prove(&compile("sum.c", &code), &contract(), &Limits::default())
}

fn assembly(body: &str) -> Result<Proved, Rejection> {
    let sum = "add %rsi, %rdx\n add %rdx, %rcx\n add %rcx, %r8\n add %r9, %r8\n mov 8(%rsp), %eax\n add %rax, %r8\n add 16(%rsp), %r8\n\
               mov 24(%rsp), %rax\n add (%rax), %r8\n mov %r8, (%rdi)\n";
    let code = format!(".text\n.globl sum\n.type sum, @function\nsum:\n {sum}{body}\n ret\n.size sum, . - sum\n");
    contract::prove(&compile("sum.s", &code), &contract(), &Limits::default())
}

#[test]
fn words_and_pointers_on_the_stack_are_arguments() {
    let proved = c("v0 + v1 + v2 + v3 + v4 + v5 + v6 + *p").expect("it is right");
    let places: Vec<&str> = proved.arguments.iter().map(|argument| argument.place.as_str()).collect();
    assert_eq!(places, ["rdi", "rsi", "rdx", "rcx", "r8", "r9", "[rsp+8]", "[rsp+16]", "[rsp+24]"]);
    // One argument is forgotten, and one is taken for another.
    for wrong in ["v0 + v1 + v2 + v3 + v4 + v5 + v6", "v0 + v1 + v2 + v3 + v4 + v5 + v5 + *p"] {
        assert!(matches!(c(wrong), Err(Rejection::False { .. })), "{wrong}");
    }
}

#[test]
fn the_caller_lends_the_memory_of_arguments_and_no_more() {
    assert!(assembly("").is_ok());
    // Data that is left in arguments on the stack counts as left on the stack.
    let written = assembly("mov %r8, 16(%rsp)").expect("arguments are the function's own");
    assert_eq!((written.stack, written.residue), (0, 8));
    for body in ["mov 32(%rsp), %rax", "mov %rax, 32(%rsp)", "mov %rax, 25(%rsp)"] {
        let Err(Rejection::Violation { violation, .. }) = assembly(body) else { panic!("{body}") };
        assert!(matches!(violation.kind, ViolationKind::Memory(_)), "{body}: {violation}");
    }
    // The bits above a word of 32 bits may be anything.
    assert!(assembly("mov 8(%rsp), %rax\n shr $32, %rax\n add %rax, (%rdi)").is_err());
    // The return address is no argument.
    assert!(assembly("mov %rax, (%rsp)").is_err());
}

/// Signal handlers keep 128 bytes below the stack pointer, and no more.
#[test]
fn memory_below_the_red_zone_is_refused() {
    for body in [
        "mov %rax, -128(%rsp)",
        "sub $0x1000, %rsp\n mov %rax, -128(%rsp)\n add $0x1000, %rsp",
        "lea 8(%rsp), %r10\n and $-64, %rsp\n push -8(%r10)\n mov %rax, -64(%rsp)\n lea -8(%r10), %rsp",
    ] {
        assembly(body).unwrap_or_else(|why| panic!("{body}: {why}"));
    }
    for body in ["mov %rax, -136(%rsp)", "mov -65536(%rsp), %rax", "sub $8, %rsp\n add $8, %rsp\n mov %al, -129(%rsp)"]
    {
        let why = assembly(body).expect_err(body).to_string();
        assert!(why.contains("bytes below the stack pointer"), "{body}: {why}");
    }
}

/// Memory that was far below the stack pointer for a time may have been changed by signal handlers.
#[test]
fn what_signals_may_have_changed_is_not_read() {
    let (down, up) = ("sub $0x400, %rsp", "add $0x400, %rsp");
    for body in [
        // Memory that was written again, and memory within the 128 bytes.
        format!("{down}\n mov %rax, (%rsp)\n {up}\n {down}\n mov %rdx, (%rsp)\n mov (%rsp), %rdx\n {up}"),
        "sub $64, %rsp\n mov %rax, (%rsp)\n add $64, %rsp\n sub $64, %rsp\n mov (%rsp), %rax\n add $64, %rsp".into(),
        "sub $0x88, %rsp\n mov %rax, 8(%rsp)\n add $0x88, %rsp\n mov -128(%rsp), %rax".into(),
    ] {
        assembly(&body).unwrap_or_else(|why| panic!("{body}: {why}"));
    }
    for body in [
        format!("{down}\n mov %rax, (%rsp)\n {up}\n {down}\n mov (%rsp), %rax\n {up}"),
        // Only a part was written again; a pop moves the pointer, too; memory that nobody wrote may change as well.
        format!("{down}\n mov %rax, (%rsp)\n {up}\n {down}\n mov %eax, (%rsp)\n mov (%rsp), %rax\n {up}"),
        "sub $0x80, %rsp\n push %rax\n pop %rcx\n add $0x80, %rsp\n sub $0x88, %rsp\n mov 7(%rsp), %al\n add $0x88, %rsp"
            .into(),
        format!("{down}\n {up}\n {down}\n mov 0x40(%rsp), %rax\n {up}"),
    ] {
        let why = assembly(&body).expect_err(&body).to_string();
        assert!(why.contains("signal handlers may have changed it"), "{body}: {why}");
    }
}

/// A signal's frame goes to the place of the stack pointer.
#[test]
fn the_stack_pointer_is_in_the_stack() {
    let no_place = "the stack pointer is not at a known place of the stack";
    for (body, reason) in [
        ("mov %rsi, %rsp", no_place),
        ("xor %esp, %esp", no_place),
        ("lea 24(%rdi), %rsp\n push %rax", no_place),
        ("movabs $0x7fffffffffffff00, %r10\n add %r10, %rsp", no_place),
        // Above the return address is the caller's memory, even where arguments are.
        ("add $16, %rsp", "the stack pointer is above the function's own stack"),
        ("add $64, %rsp", "the stack pointer is above the function's own stack"),
        ("sub $0x1000000, %rsp", "goes 16777216 bytes down, and at most 8388608 bytes of stack are there"),
    ] {
        let body = format!("mov %rsp, %rcx\n {body}\n mov %rcx, %rsp");
        let why = assembly(&body).expect_err(&body).to_string();
        assert!(why.contains(reason), "{body}: {why}");
    }
}

/// Where the stack pointer goes there must be memory for signal handlers, whether or not the function accesses it.
#[test]
fn stack_that_is_only_pointed_to_counts() {
    let proved = assembly("sub $0x8000, %rsp\n add $0x8000, %rsp").expect("it is right");
    assert_eq!(proved.stack, 0x8000);
}

/// A return address may be changed by signals like any other word.
#[test]
fn calls_return_to_what_is_kept() {
    let contract = "symbol = \"f\"\nequation = \"out = a\"\n[[argument]]\nname = \"out\"\ndirection = \"out\"\n\
                    [[argument]]\nname = \"a\"\ndirection = \"in\"\n";
    let file = SourceMap::new().add(Path::new("f.toml"), contract.to_owned());
    let contract = contract::read(contract, file).expect("a contract").pop().expect("one");
    let prove = |raised: &str| {
        let code = format!(
            ".text\n.globl f\n.type f, @function\nf:\n lea back(%rip), %rax\n sub $520, %rsp\n mov %rax, 216(%rsp)\n {raised}\n \
             add $216, %rsp\n mov $8, %edx\n jmp memcpy\nback:\n add $296, %rsp\n ret\n.size f, . - f\n"
        );
        contract::prove(&compile("f.s", &code), &contract, &Limits::default())
    };
    prove("").unwrap_or_else(|why| panic!("{why}"));
    let why = prove("add $520, %rsp\n sub $520, %rsp").expect_err("it is lost").to_string();
    assert!(why.contains("signal handlers may have changed it"), "{why}");
}
