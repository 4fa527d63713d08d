//! The theorem without an equation: `culet prove --safe` accepts what is constant-time and stays within its memory,
//! whatever it computes, and refuses functions that each break one rule.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::path::{Path, PathBuf};

use support::proving::{Verdicts, compile};
use support::{code, culet, directory, primitives, stderr, stdout, text, write};

fn prove(file: &Path, symbol: &str, arguments: &str) -> Verdicts {
    let command = ["prove", text(file), "--safe", "--symbol", symbol, "--arguments", arguments];
    let output = culet(&[&command[..], &["--instructions", "1000000", "--message-format", "json"]].concat());
    let verdicts = stdout(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    Verdicts { code: code(&output), verdicts, stderr: stderr(&output) }
}

/// Compiles `void f(uint8_t *r, const uint8_t *k, uint64_t n)` with this body to an object.
fn object(directory: &Path, compiler: &str, before: &str, body: &str) -> PathBuf {
    let c = format!(
        "#include <stdint.h>\n#include <string.h>\n{before}\nvoid f(uint8_t *r, const uint8_t *k, uint64_t n)\n{{\n{body}\n}}\n"
    );
    write(directory, "f.c", c);
    compile(compiler, &["-O1"], directory, &["-c", "f.c", "-o", "f.o"]);
    directory.join("f.o")
}

const ARGUMENTS: &str = "r: out 16, k: in 16*n, n: length 1..3";
const SUM: &str = "memset(r, 0, 16); for (uint64_t i = 0; i < 16 * n; i++) r[i % 16] += k[i];";

#[test]
fn what_is_safe_is_accepted_for_each_length() {
    for compiler in ["gcc-12", "clang-19"] {
        let directory = directory();
        let found = prove(&object(directory.path(), compiler, "", SUM), "f", ARGUMENTS);
        found.assert_proved(3);
        let lengths: Vec<u64> = found.verdicts.iter().filter_map(|verdict| verdict["lengths"]["n"].as_u64()).collect();
        assert_eq!(lengths, [1, 2, 3]);
    }
}

#[test]
fn what_breaks_a_rule_is_refused() {
    let table = "static const uint8_t table[16] = {7, 1, 9, 4};";
    let barrier = "__asm__ volatile(\"nop\");";
    let early =
        "uint8_t same = 1; for (uint64_t i = 0; i < 16; i++) if (k[i] != k[15 - i]) { same = 0; break; } r[0] = same;";
    let cases = [
        ("branch", "", format!("{SUM} if (k[3] & 1) {{ {barrier} r[0] = 1; }}")),
        ("branch", "", early.to_owned()),
        ("address", table, format!("{SUM} r[1] = table[k[2] & 15];")),
        ("address", "", format!("{SUM} r[k[2] & 15] = 0;")),
        ("memory", "", format!("{SUM} r[2] = k[16 * n];")),
        ("memory", "", format!("{SUM} r[16] = 0;")),
        ("memory", "", format!("{SUM} r[-1] = 0;")),
        ("memory", "", format!("{SUM} ((uint8_t *)k)[0] = 0;")),
        ("memory", "uint8_t state;", format!("{SUM} state = r[0];")),
        ("time", "", format!("{SUM} r[1] = k[1] / (k[2] | 1);")),
        ("endless", "", format!("{SUM} for (;;) {{ {barrier} }}")),
        ("external", "void g(uint8_t *);", format!("{SUM} g(r);")),
    ];
    for (kind, before, body) in &cases {
        for compiler in ["gcc-12", "clang-19"] {
            let directory = directory();
            prove(&object(directory.path(), compiler, before, body), "f", "r: out 16, k: in 16*n, n: length 2")
                .rejected(kind);
        }
    }
}

#[test]
fn assembly_that_breaks_a_rule_is_refused() {
    let cases = [
        (None, "mov (%rsi), %rax\n mov %rax, (%rdi)\n ret"),
        (None, "xor %eax, %eax\n mov (%rsi), %cl\n xor %ecx, %ecx\n mov (%rsi,%rcx), %dl\n ret"),
        // One byte of a register that holds data is a flag, which is kept in memory.
        (None, "mov (%rsi), %rcx\n mov $1, %cl\n mov %ecx, -8(%rsp)\n testb $1, -8(%rsp)\n jne 1f\n nop\n1: ret"),
        (None, "mov (%rsi), %rcx\n mov $1, %ch\n mov %rcx, -8(%rsp)\n testb $1, -7(%rsp)\n jne 1f\n nop\n1: ret"),
        (
            Some("branch"),
            "mov (%rsi), %rcx\n mov $1, %cl\n mov %ecx, -8(%rsp)\n testb $1, -7(%rsp)\n jne 1f\n nop\n1: ret",
        ),
        (
            Some("branch"),
            "mov (%rsi), %rcx\n mov $1, %ch\n mov %rcx, -8(%rsp)\n cmpw $1, -7(%rsp)\n jne 1f\n nop\n1: ret",
        ),
        (Some("abi"), "mov (%rsi), %rbx\n ret"),
        (Some("abi"), "push %rbp\n mov (%rsi), %rbp\n pop %rax\n ret"),
        (Some("memory"), "add $8, %rsp\n ret"),
        (Some("branch"), "push %rdi\n ret"),
        (Some("branch"), "mov (%rsi), %rax\n mov %rax, (%rsp)\n ret"),
        (Some("branch"), "mov (%rsi), %rax\n jmp *%rax"),
        (Some("time"), "mov (%rsi), %rax\n xor %edx, %edx\n mov $3, %ecx\n div %rcx\n ret"),
        (Some("address"), "mov (%rsi), %rcx\n rep movsb\n ret"),
        (Some("branch"), "test %rdx, %rdx\n jz 1f\n nop\n1: ret"),
        (Some("memory"), "mov 9(%rsi), %rax\n ret"),
        (Some("memory"), "mov -16(%rsp), %rax\n sub $16, %rsp\n mov %rax, 24(%rsp)\n add $16, %rsp\n ret"),
    ];
    for (kind, instructions) in cases {
        let directory = directory();
        let function =
            format!(".globl f\n.type f, @function\nf:\n{instructions}\n.size f, . - f\n.section .note.GNU-stack\n");
        write(directory.path(), "f.s", format!(".text\n{function}"));
        compile("gcc-12", &[], directory.path(), &["-c", "f.s", "-o", "f.o"]);
        let found = prove(&directory.path().join("f.o"), "f", "r: out 16, k: in 16, w: secret 64");
        match kind {
            None => found.assert_proved(1),
            Some(kind) => {
                found.rejected(kind);
            }
        }
    }
}

#[test]
fn whole_scalar_multiplications_and_signatures_are_safe() {
    let sign = "r: out 32, s: out 32, good: out 1, d: in 32, k: in 32, x: in 32, hash: in 32";
    for (program, node, compiler, arguments) in [
        ("curves/x25519.ua", "x25519", "clang-19", "r: out 32, k: in 32, u: in 32"),
        ("signatures/ed25519_base.ua", "ed25519_base", "gcc-12", "point: out 32, scalar: in 32"),
        ("signatures/ecdsa_p256.ua", "p256_sign", "clang-19", sign),
    ] {
        let directory = directory();
        let (program, at) = (primitives().join(program), text(directory.path()));
        let made = culet(&["compile", text(&program), "--node", node, "--target", "c64", "--name", "kernel", "-o", at]);
        assert_eq!(code(&made), 0, "{}", stderr(&made));
        compile(compiler, &["-O1"], directory.path(), &["-c", "kernel.c", "-o", "f.o"]);
        prove(&directory.path().join("f.o"), "kernel", arguments).assert_proved(1);
    }
}

#[test]
fn arguments_that_are_not_understood_are_errors_of_usage() {
    let directory = directory();
    let object = object(directory.path(), "gcc-12", "", SUM);
    for wrong in [
        "r",
        "r: out",
        "r: out x",
        "r: to 4",
        "r: in 4, r: in 4",
        "n: length 3..1",
        "w: secret 7",
        "r: in 4 align 3",
        "r: in 99999999",
    ] {
        let found = prove(&object, "f", wrong);
        assert!(found.code == 2 && found.stderr.contains("E0830"), "{wrong}: {found:?}");
    }
    assert_eq!(code(&culet(&["prove", text(&object), "--safe", "--symbol", "f"])), 2, "arguments are missing");
}
