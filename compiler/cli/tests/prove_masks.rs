//! Masked moves: a move with a constant mask touches exactly the lanes that the mask selects; with any other mask, all
//! lanes that it could select count as touched.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use support::proving::compile;
use support::{code, culet, directory, stderr, stdout, text, write};

/// `void f(uint64_t *out, const uint64_t *a)` copies a word.
const CONTRACT: &str = "symbol = \"f\"\nequation = \"out = a\"\n\
                        [[argument]]\nname = \"out\"\ndirection = \"out\"\nbits = 64\n\
                        [[argument]]\nname = \"a\"\ndirection = \"in\"\nbits = 64\n";

fn said(body: &str) -> (i32, String) {
    let directory = directory();
    let assembly =
        format!(".text\n.globl f\n.type f, @function\nf: {body}\n ret\n.size f, . - f\n.section .note.GNU-stack\n");
    write(directory.path(), "f.s", assembly);
    compile("gcc-12", &[], directory.path(), &["-c", "f.s", "-o", "f.o"]);
    let contract = write(directory.path(), "f.toml", CONTRACT);
    let output = culet(&["prove", text(&directory.path().join("f.o")), "--contract", text(&contract)]);
    (code(&output), stdout(&output) + &stderr(&output))
}

#[test]
fn constant_masks_are_exact() {
    let copy = "kmovd %ecx, %k1\n vmovdqu64 (%rsi), %zmm0{%k1}{z}\n vmovdqu64 %zmm0, (%rdi){%k1}";
    let (code, printed) = said(&format!("mov $1, %ecx\n {copy}"));
    assert_eq!(code, 0, "{printed}");
    for mask in ["mov $3, %ecx", "mov (%rsi), %rcx", "mov %edx, %ecx"] {
        let (code, printed) = said(&format!("{mask}\n {copy}"));
        assert!(code == 1 && printed.contains("bytes at *a+") && printed.contains("are accessed"), "{mask}: {printed}");
    }
}
