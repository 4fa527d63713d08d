//! If erasure is asked for, nothing that reveals data may be left: in no register, on no place of the stack, by no
//! instruction.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fs;
use std::path::Path;
use std::process::Command;

use culet_diag::SourceMap;
use culet_image::Image;
use culet_prove::contract::{self, Contract};
use culet_prove::theorem::{Limits, Proved, Rejection};

/// `out = a`.
fn contract() -> Contract {
    read(
        "symbol = \"f\"\nequation = \"out = a\"\n[[argument]]\nname = \"out\"\ndirection = \"out\"\n\
         [[argument]]\nname = \"a\"\ndirection = \"in\"\n",
    )
}

fn read(text: &str) -> Contract {
    let file = SourceMap::new().add(Path::new("f.toml"), text.to_owned());
    contract::read(text, file).expect("a contract").pop().expect("one")
}

fn erased(body: &str) -> Result<Proved, Rejection> {
    proved(body, &contract(), true)
}

fn proved(body: &str, contract: &Contract, erasure: bool) -> Result<Proved, Rejection> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (source, object) = (directory.path().join("f.s"), directory.path().join("f.o"));
    let code = format!(".text\n.globl f\n.type f, @function\nf:\n{body}\n.size f, . - f\n");
    fs::write(&source, code).expect("it can be written");
    let status = Command::new("cc").arg("-c").arg(&source).arg("-o").arg(&object).status();
    assert!(status.expect("there is an assembler").success());
    let image = Image::read(&fs::read(&object).expect("it was assembled")).expect("it is an object");
    contract::prove(&image, contract, &Limits { erasure, ..Limits::default() })
}

#[test]
fn nothing_is_left() {
    let proved = erased("mov (%rsi), %rcx\n mov %rcx, (%rdi)\n xor %ecx, %ecx\n ret");
    proved.unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn what_is_left_is_found() {
    let copy = "mov (%rsi), %rcx\n mov %rcx, (%rdi)\n";
    for (what, body, place) in [
        ("what the argument tells, but for the result itself", format!("{copy} not %rcx\n ret"), "rcx"),
        ("what the result's memory held", format!("mov (%rdi), %rax\n {copy} xor %ecx, %ecx\n ret"), "rax"),
        // The shift is by more bits than the word has: no manual says what the result is.
        (
            "what the CPU makes of it",
            format!("{copy} bswap %rcx\n xor %eax, %eax\n xor %edx, %edx\n mov %cx, %dx\n shld $20, %dx, %ax\n xor %ecx, %ecx\n xor %edx, %edx\n ret"),
            "rax",
        ),
        // The return address is moved down, and lies there when the function returns.
        (
            "something in the return address's place",
            "mov (%rsi), %rax\n mov %rax, (%rdi)\n not %rax\n mov (%rsp), %rcx\n mov %rcx, -8(%rsp)\n mov %rax, (%rsp)\n \
             sub $8, %rsp\n xor %eax, %eax\n ret $8"
                .to_owned(),
            "stack+0",
        ),
    ] {
        match erased(&body) {
            Err(Rejection::Left { places, .. }) => assert!(places.iter().any(|found| found == place), "{what}: {places:?}"),
            other => panic!("{what}: {other:?}"),
        }
    }
}

/// The library's memcpy may leave anything on its stack, so erasure is refused.
#[test]
fn what_the_library_leaves_is_not_known() {
    let code = "sub $8, %rsp\n mov $8, %edx\n call memcpy\n add $8, %rsp\n xor %eax, %eax\n ret";
    let why = erased(code).expect_err("it is not known").to_string();
    assert!(why.contains("`memcpy`"), "{why}");
}

/// The bits above a word in its register are no data, and the contents of memory are data, whatever the arguments are called.
#[test]
fn names_of_arguments_do_not_decide_what_is_secret() {
    let word = read(
        "symbol = \"f\"\nequation = \"out = x\"\n[[argument]]\nname = \"out\"\ndirection = \"return\"\nbits = 32\n\
         [[argument]]\nname = \"x\"\ndirection = \"value\"\nbits = 32\n",
    );
    let above = "mov %edi, %eax\n shr $32, %rdi\n xor %ecx, %ecx\n ret";
    let below = "mov %edi, %eax\n not %rdi\n xor %ecx, %ecx\n ret";
    for name in ["x", "x]", "x[0]", "&x / 16", "undefined 1"] {
        let mut named = word.clone();
        named.equations.clear();
        name.clone_into(&mut named.arguments[1].name);
        proved(above, &named, true).unwrap_or_else(|why| panic!("{name}: {why}"));
        let left = proved(below, &named, true);
        assert!(matches!(left, Err(Rejection::Left { .. })), "{name}: {left:?}");
    }
}

/// Two arguments of one name are two numbers.
#[test]
fn arguments_of_one_name_are_not_one() {
    let mut contract = read(
        "symbol = \"f\"\nequation = \"out = a\"\n[[argument]]\nname = \"out\"\ndirection = \"out\"\n\
         [[argument]]\nname = \"a\"\ndirection = \"in\"\n[[argument]]\nname = \"b\"\ndirection = \"in\"\n",
    );
    contract.arguments[2].name = "a".to_owned();
    let copy = |register: &str| format!("mov (%{register}), %rcx\n mov %rcx, (%rdi)\n ret");
    proved(&copy("rsi"), &contract, false).unwrap_or_else(|why| panic!("{why}"));
    let other = proved(&copy("rdx"), &contract, false);
    assert!(matches!(other, Err(Rejection::False { .. })), "{other:?}");
}
