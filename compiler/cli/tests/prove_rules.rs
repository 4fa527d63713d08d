//! Inputs that `culet prove` must not accept: small functions that each break one rule of the theorem, and files that
//! are no images.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::path::{Path, PathBuf};

use support::proving::{Kernel, ONE_GROUP, Verdicts, assert_counterexample, compile};
use support::{code, culet, directory, stderr, text, write};

const RULES: &str = "node rules (a : u<V>32x2) returns (b : u<V>32x2)\n\
                     let\n  b = (a[0] + a[1], a[0] ^ a[1])\ntel\n";

fn rules(directory: &Path) -> Kernel {
    let source = write(directory, "rules.ua", RULES);
    Kernel { source, node: "rules", slice: "v", target: "c64", more: ONE_GROUP }
}

/// Proves `void rules_sliced(uint32_t *b, const uint32_t *a)` with this body, after these definitions.
fn body(compiler: &str, before: &str, statements: &str) -> Verdicts {
    let c = format!(
        "#include <stdint.h>\n#include <string.h>\n{before}\nvoid rules_sliced(uint32_t *b, const uint32_t *a)\n{{\n{statements}\n}}\n"
    );
    let directory = directory();
    let kernel = rules(directory.path());
    let object = kernel.object(directory.path(), compiler, &c);
    kernel.prove_with(&object, &["--symbol", "sliced", "--instructions", "100000"])
}

/// Proves `rules_sliced` in assembly, AT&T syntax. The macro `right` computes the right result; it needs rax and rcx.
fn assembly(instructions: &str) -> Verdicts {
    let directory = directory();
    let kernel = rules(directory.path());
    let object = assemble(directory.path(), &function(instructions));
    kernel.prove_with(&object, &["--symbol", "sliced", "--instructions", "100000"])
}

const RIGHT: &str = ".macro right\n mov (%rsi), %eax\n mov 4(%rsi), %ecx\n lea (%rax,%rcx), %edx\n xor %ecx, %eax\n\
                     mov %edx, (%rdi)\n mov %eax, 4(%rdi)\n.endm\n";

fn function(instructions: &str) -> String {
    format!(
        "{RIGHT}.text\n.globl rules_sliced\n.type rules_sliced, @function\nrules_sliced:\n{instructions}\n\
         .size rules_sliced, . - rules_sliced\n.section .note.GNU-stack\n"
    )
}

fn assemble(directory: &Path, assembly: &str) -> PathBuf {
    write(directory, "kernel.s", assembly);
    compile("gcc-12", &[], directory, &["-c", "kernel.s", "-o", "kernel.o"]);
    directory.join("kernel.o")
}

const GOOD: &str = "    uint32_t x = a[0], y = a[1]; b[0] = x + y; b[1] = x ^ y;";

#[test]
fn what_is_right_is_proved() {
    for compiler in ["gcc-12", "clang-19"] {
        body(compiler, "", GOOD).assert_proved(1);
    }
    assembly("right\n ret").assert_proved(1);
    assembly("cld\n right\n ret").assert_proved(1);
}

/// Compilers test whether parts of one array overlap, and whether their addresses wrap around. Neither happens.
#[test]
fn addresses_in_one_argument_are_in_order() {
    for (instructions, is_right) in [
        ("lea 8(%rdi), %rdx\n cmp %rdi, %rdx\n jb 1f\n right\n1: ret", true),
        ("lea 8(%rdi), %rdx\n cmp %rdx, %rdi\n jae 1f\n right\n1: ret", true),
        (
            "lea 1(%rsi), %rdx\n lea 4(%rsi), %rcx\n cmp %rdx, %rcx\n setb %al\n test %al, %al\n jnz 1f\n right\n1: ret",
            true,
        ),
        ("lea 8(%rdi), %rdx\n cmp %rdi, %rdx\n jbe 1f\n right\n1: ret", true),
        ("lea 8(%rdi), %rdx\n sub %rdi, %rdx\n jc 1f\n right\n1: ret", true),
        ("mov %rdi, %rdx\n cmp %rdi, %rdx\n jb 1f\n right\n1: ret", true),
        ("lea 8(%rdi), %rdx\n cmp %rdi, %rdx\n jae 1f\n right\n1: ret", false),
        ("lea 8(%rdi), %rdx\n cmp %rdx, %rdi\n jb 1f\n right\n1: ret", false),
    ] {
        let found = assembly(instructions);
        if is_right {
            found.assert_proved(1);
        } else {
            found.rejected("different");
        }
    }
}

#[test]
fn functions_that_break_a_rule_are_rejected() {
    let barrier = "__asm__ volatile(\"nop\");";
    let table = "static const uint32_t table[4] = {7, 1, 9, 4};";
    let opaque = "void *rules_copy(void *, const void *, size_t);";
    let cases = [
        ("branch", "", format!("{GOOD} if (x & 1) {{ {barrier} b[0] = x + y; }}")),
        ("address", table, format!("{GOOD} b[0] += table[x & 3] - table[x & 3] + table[y & 3];")),
        ("memory", "", format!("{GOOD} b[0] = a[2];")),
        ("memory", "", format!("{GOOD} b[2] = 0;")),
        ("memory", "", format!("{GOOD} b[-1] = 0;")),
        ("memory", "", format!("{GOOD} ((uint32_t *)a)[0] = x;")),
        ("memory", "uint32_t state;", format!("{GOOD} state = x;")),
        ("memory", "static uint32_t state = 1; void set(uint32_t s) { state = s; }", format!("{GOOD} b[0] += state;")),
        ("time", "", format!("{GOOD} b[1] = x / y;")),
        ("endless", "", format!("{GOOD} for (;;) {{ {barrier} }}")),
        ("external", opaque, format!("rules_copy(b, a, 8); {GOOD}")),
        ("different", "", "    b[0] = a[0] + a[1]; b[1] = a[0] | a[1];".to_owned()),
        ("different", "", "    b[0] = a[0] + a[1];".to_owned()),
    ];
    for (kind, before, statements) in &cases {
        for compiler in ["gcc-12", "clang-19"] {
            body(compiler, before, statements).rejected(kind);
        }
    }
}

#[test]
fn instructions_that_break_a_rule_are_rejected() {
    for (kind, instructions) in [
        ("abi", "right\n mov %eax, %ebx\n ret"),
        ("abi", "right\n xor %ebp, %ebp\n ret"),
        ("abi", "right\n inc %r12\n ret"),
        ("abi", "right\n pop %rcx\n push %rcx\n push %rcx\n ret $0"),
        ("branch", "right\n push %rax\n ret"),
        ("branch", "right\n jmp *%rax"),
        ("branch", "right\n test $1, %al\n jz 1f\n nop\n1: ret"),
        ("branch", "right\n cmp %rsi, %rdi\n jb 1f\n nop\n1: ret"),
        ("branch", "right\n lea 9(%rdi), %rdx\n cmp %rdi, %rdx\n jb 1f\n nop\n1: ret"),
        ("branch", "right\n lea -1(%rdi), %rdx\n cmp %rdi, %rdx\n jb 1f\n nop\n1: ret"),
        ("branch", "right\n lea -128(%rsp), %rdx\n cmp %rsp, %rdx\n jb 1f\n nop\n1: ret"),
        ("branch", "right\n lea 8(%rdi), %edx\n cmp %edi, %edx\n jb 1f\n nop\n1: ret"),
        ("branch", "right\n lea 8(%rdi), %rdx\n cmp %rdi, %rdx\n jl 1f\n nop\n1: ret"),
        ("memory", "right\n mov 8(%rsp), %rax\n ret"),
        ("memory", "right\n mov %rax, 8(%rsp)\n ret"),
        ("memory", "right\n mov (%rip), %eax\n mov %eax, rules_sliced(%rip)\n ret"),
        ("memory", "right\n mov 4(%rsi), %rax\n ret"),
        ("memory", "right\n mov -1(%rsi), %al\n ret"),
        ("memory", "right\n movdqa (%rsp), %xmm0\n ret"),
        ("memory", "right\n mov 0x10, %eax\n ret"),
        ("address", "right\n mov (%rsi,%rax), %al\n ret"),
        ("address", "right\n mov %al, -64(%rsp,%rax)\n ret"),
        ("address", "right\n mov (%r10), %al\n ret"),
        ("address", "right\n lea (%rsi,%rdi), %rax\n mov (%rax), %al\n ret"),
        ("time", "right\n div %ecx\n ret"),
        ("unsupported", "right\n mov %edi, %edi\n rdtsc\n ret"),
        ("time", "right\n bsr %eax, %ecx\n ret"),
        ("time", "right\n pext %rax, %rcx, %rdx\n ret"),
        ("time", "right\n repne scasb\n ret"),
        ("address", "right\n rep stosb\n ret"),
        ("address", "right\n rep movsb\n ret"),
        ("address", "right\n and $31, %eax\n bt %eax, (%rsi)\n ret"),
        (
            "address",
            "right\n vpcmpeqd %xmm2, %xmm2, %xmm2\n vmovd %eax, %xmm1\n vpgatherdd %xmm1, (%rsi,%xmm2), %xmm0\n ret",
        ),
        ("unsupported", "right\n mov $1, %eax\n bt %eax, (%rsi)\n ret"),
        ("time", "right\n sqrtsd %xmm0, %xmm0\n ret"),
        ("unsupported", "right\n cpuid\n ret"),
        ("endless", "right\n1: jmp 1b"),
        ("endless", "1: lea -64(%rsp), %rdi\n xor %eax, %eax\n mov $64, %ecx\n rep stosb\n jmp 1b"),
        ("endless", "lea -64(%rsp), %rdi\n mov $-1, %rcx\n rep stosb\n ret"),
        ("endless", "right\n call rules_sliced\n ret"),
        ("external", "right\n jmp puts"),
        ("address", "right\n jmp memset"),
        ("address", "right\n jmp memcpy"),
        ("unsupported", "right\n mov $-1, %rdx\n jmp memcpy"),
        ("code", "right\n .byte 0x06\n ret"),
        ("code", "right"),
        ("unsupported", "right\n mov %fs:0, %rax\n ret"),
        ("unsupported", "right\n lock orl $0, (%rdi)\n ret"),
        ("unsupported", "setc %al\n right\n ret"),
        ("different", "right\n mov %r10d, (%rdi)\n ret"),
        ("different", "right\n mov -8(%rsp), %eax\n mov %eax, (%rdi)\n ret"),
    ] {
        let found = assembly(instructions);
        let is_kind = found.verdicts.iter().any(|verdict| verdict["kind"] == kind);
        assert!(is_kind, "{instructions}: not {kind}: {found:?}");
        found.rejected(kind);
    }
}

/// Each repetition of a string instruction counts as an instruction, and the message names the value that decides the
/// number of repetitions.
#[test]
fn repetitions_count() {
    let fill =
        "push %rdi\n sub $4096, %rsp\n mov %rsp, %rdi\n mov $4096, %ecx\n rep stosb\n add $4096, %rsp\n pop %rdi\n";
    let repeated = |times: usize| format!("{}right\n ret", fill.repeat(times));
    assembly(&repeated(20)).assert_proved(1);
    let reason = assembly(&repeated(25)).rejected("endless")["reason"].to_string();
    assert!(reason.contains("more than 100000 instructions"), "{reason}");
    for (words, instructions) in [
        ("how often it repeats is not known; it depends on a[", "right\n rep stosb\n ret"),
        ("how many bytes are copied or filled is not known; it depends on a[", "right\n jmp memset"),
        ("which word of memory holds the bit is not known; it depends on a[", "right\n bt %rax, (%rsi)\n ret"),
    ] {
        let reason = assembly(instructions).rejected("address")["reason"].to_string();
        assert!(reason.contains(words), "{instructions}: {reason}");
    }
}

/// Instructions that are not supported are distinguished from those whose time may depend on data.
#[test]
fn what_is_not_supported_is_named() {
    for (words, instructions) in [
        ("x87", "right\n fld1\n ret"),
        ("x87", "right\n fstp %st(0)\n ret"),
        ("MMX", "right\n pxor %mm0, %mm0\n ret"),
        ("MMX", "right\n emms\n ret"),
        ("direction flag", "right\n std\n ret"),
        ("copies and fills", "right\n lodsb\n ret"),
        ("the instruction is not supported", "right\n rdtsc\n ret"),
        ("the instruction is not supported", "right\n addsd %xmm0, %xmm0\n ret"),
    ] {
        let found = assembly(instructions);
        let reason = found.rejected("unsupported")["reason"].to_string();
        assert!(reason.contains(words) && !reason.contains("time"), "{instructions}: {reason}");
    }
    for (words, instructions) in
        [("may depend on its operands", "right\n div %ecx\n ret"), ("no list", "right\n rcr %eax\n ret")]
    {
        let reason = assembly(instructions).rejected("time")["reason"].to_string();
        assert!(reason.contains(words), "{instructions}: {reason}");
    }
}

#[test]
fn counterexamples_are_real() {
    let directory = directory();
    let kernel = rules(directory.path());
    let good = kernel.c(directory.path());
    let object = kernel.object(directory.path(), "gcc-12", &good);
    let proof = kernel.prove(&object, "sliced");
    proof.assert_proved(1);
    for (from, to) in [("v0 + v1", "v0 - v1"), ("v0 ^ v1", "v0 | v1"), ("v0 + v1", "(v0 + v1) | (v0 == 0x12345678)")] {
        let wrong = good.replace(from, to);
        assert_ne!(wrong, good, "{good}");
        let object = kernel.object(directory.path(), "gcc-12", &wrong);
        let found = kernel.prove(&object, "sliced");
        let rejection = found.rejected("different");
        assert_counterexample(&kernel, [&good, &wrong], "rules_sliced", &proof.verdicts[0], rejection);
    }
}

/// The number of bytes of stack in a proof covers reads as well as writes.
#[test]
fn all_stack_that_is_used_is_counted() {
    for (bytes, instructions) in
        [(0, "right\n ret"), (64, "right\n mov -64(%rsp), %rax\n ret"), (32, "right\n mov %rax, -32(%rsp)\n ret")]
    {
        let found = assembly(instructions);
        found.assert_proved(1);
        assert_eq!(found.verdicts[0]["stack"], bytes, "{instructions}");
    }
}

/// From several alignments of the stack, executions read bytes that were never written, at one place in pieces of
/// several sizes.
#[test]
fn stack_that_was_never_written_is_read_in_several_ways() {
    let pieces = "right\n mov -64(%rsp), %rax\n mov -80(%rsp), %ecx\n push %rbp\n mov %rsp, %rbp\n and $-64, %rsp\n\
                  mov %rax, -8(%rsp)\n mov -8(%rsp), %al\n leave\n ret";
    let found = assembly(pieces);
    found.assert_proved(1);
    assert_eq!(found.verdicts[0]["phases"], 4);
}

/// A constant that is aligned here by accident need not be aligned after linking.
#[test]
fn alignment_by_luck_is_no_alignment() {
    let directory = directory();
    let kernel = rules(directory.path());
    for (alignment, is_right) in [(1, false), (8, false), (16, true), (64, true)] {
        let data = format!(".section .rodata\n.balign {alignment}\nvalue: .zero 64\n");
        let object =
            assemble(directory.path(), &format!("{data}{}", function("right\n movdqa value(%rip), %xmm0\n ret")));
        let found = kernel.prove(&object, "sliced");
        if is_right {
            found.assert_proved(1);
        } else {
            found.rejected("memory");
        }
    }
}

/// If a static function and a global one have the same name, the global one is meant.
#[test]
fn static_functions_do_not_stand_in_for_others() {
    let directory = directory();
    let kernel = rules(directory.path());
    let run = |assembly: &str, object: &str| {
        write(directory.path(), "part.s", assembly);
        compile("gcc-12", &[], directory.path(), &["-c", "part.s", "-o", object]);
    };
    let right = function("right\n ret");
    let own = right.replace(".globl rules_sliced\n", "");
    run(&own, "own.o");
    run(&function("right\n movl $0, (%rdi)\n ret"), "seen.o");
    compile("gcc-12", &["-r", "-nostdlib"], directory.path(), &["own.o", "seen.o", "-o", "both.o"]);
    kernel.prove(&directory.path().join("both.o"), "sliced").rejected("different");
    compile("gcc-12", &["-r", "-nostdlib"], directory.path(), &["own.o", "-o", "alone.o"]);
    kernel.prove(&directory.path().join("alone.o"), "sliced").assert_proved(1);
    run(&own.replace("right\n ret", "right\n movl $0, (%rdi)\n ret"), "other.o");
    compile("gcc-12", &["-r", "-nostdlib"], directory.path(), &["own.o", "other.o", "-o", "two.o"]);
    kernel.prove(&directory.path().join("two.o"), "sliced").rejected("missing");
}

/// A name whose function is chosen by code of the program at load time is not a function.
#[test]
fn functions_that_the_loader_chooses_are_none() {
    let directory = directory();
    let kernel = rules(directory.path());
    let chosen = function("right\n ret").replace("@function", "@gnu_indirect_function");
    kernel.prove(&assemble(directory.path(), &chosen), "sliced").rejected("missing");
    let called = chosen.replace("rules_sliced", "chosen") + &function("jmp chosen").replace(RIGHT, "");
    unlinked(&kernel.prove(&assemble(directory.path(), &called), "sliced"), &["R_X86_64_PLT32", "`chosen`", "decided"]);
}

/// Whether a weak symbol is defined is known only after linking.
#[test]
fn weak_symbols_are_not_decided_here() {
    let directory = directory();
    let kernel = rules(directory.path());
    let code = "right\n mov $somewhere, %eax\n test %eax, %eax\n jnz 1f\n movl $0, (%rdi)\n1: ret";
    let object = assemble(directory.path(), &format!(".weak somewhere\n{}", function(code)));
    unlinked(&kernel.prove(&object, "sliced"), &["R_X86_64_32", "`somewhere`", ".text+0x", "decided"]);
}

/// If the loader changes code, the file does not hold the code that is executed: here the bytes in the file add zero,
/// but the running program does not.
#[test]
fn text_that_is_relocated_is_refused() {
    let directory = directory();
    let kernel = rules(directory.path());
    let code = "right\n movabs $rules_sliced, %rax\n sub %eax, (%rdi)\n ret";
    assemble(directory.path(), &function(code));
    let link = ["kernel.o", "-shared", "-nostdlib", "-Wl,-z,notext", "-o", "kernel.so"];
    compile("gcc-12", &["-Wno-error"], directory.path(), &link);
    refused(&kernel.prove(&directory.path().join("kernel.so"), "sliced"), "loader");
}

/// Asserts that the rejection is because of a relocation that is not applied.
fn unlinked(found: &Verdicts, words: &[&str]) {
    let reason = found.rejected("relocation")["reason"].to_string();
    assert!(words.iter().all(|word| reason.contains(word)), "{words:?}: {reason}");
}

fn refused(found: &Verdicts, word: &str) {
    assert!(found.code == 1 && found.verdicts.is_empty(), "{found:?}");
    assert!(found.stderr.contains("E0860") && found.stderr.contains(word), "{found:?}");
}

#[test]
fn a_shared_object_and_a_program_are_images() {
    let directory = directory();
    let kernel = rules(directory.path());
    let c = kernel.c(directory.path());
    write(directory.path(), "kernel.c", &c);
    let link = ["kernel.c", "-Wl,-Bsymbolic", "-o", "kernel.so"];
    compile("gcc-12", &["-fPIC", "-shared"], directory.path(), &link);
    write(directory.path(), "main.c", format!("{c}int main(void) {{ return 0; }}\n"));
    compile("clang-19", &[], directory.path(), &["main.c", "-o", "main"]);
    for file in ["kernel.so", "main"] {
        let found = kernel.prove(&directory.path().join(file), "rules_");
        assert!(found.verdicts.len() == 5 && found.verdicts.iter().all(|v| v["proved"] == true), "{found:?}");
    }
}

#[test]
fn files_that_are_no_images() {
    let directory = directory();
    let kernel = rules(directory.path());
    let c = kernel.c(directory.path());
    let object = kernel.object(directory.path(), "gcc-12", &c);
    let bytes = std::fs::read(&object).expect("an object");
    let try_file = |bytes: &[u8]| {
        let file = write(directory.path(), "file", bytes);
        kernel.prove(&file, "sliced")
    };
    for text in ["", "\u{7f}ELF", "#!/bin/sh\n", "!<arch>\n"] {
        refused(&try_file(text.as_bytes()), "ELF");
    }
    let lengths = (0..bytes.len()).step_by(bytes.len() / 40);
    for length in lengths.chain([bytes.len() - 1]) {
        let found = try_file(&bytes[..length]);
        assert!(matches!(found.code, 1 | 2), "{length}: {found:?}");
    }
    let mut other = bytes.clone();
    other[18] = 183; // e_machine: AArch64
    refused(&try_file(&other), "Aarch64");
    let missing = kernel.prove(Path::new("/no/such/file"), "sliced");
    assert!(missing.code == 1 && missing.stderr.contains("E0801"), "{missing:?}");
    let known = std::fs::read(assemble(directory.path(), ".text\nother: ret\n")).expect("an object");
    try_file(&known).rejected("missing");
}

#[test]
fn damaged_objects_do_not_stop_the_command() {
    let directory = directory();
    let kernel = rules(directory.path());
    let c = kernel.c(directory.path());
    let object = kernel.object(directory.path(), "gcc-12", &c);
    let good = std::fs::read(&object).expect("an object");
    let mut state = 1u64;
    for _ in 0..60 {
        let mut bytes = good.clone();
        for _ in 0..3 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] ^= 1 << (state >> 24 & 7);
        }
        let file = write(directory.path(), "damaged.o", &bytes);
        let found = kernel.prove(&file, "sliced");
        assert!(matches!(found.code, 0..=2), "{found:?}");
    }
}

#[test]
fn another_program_has_another_kernel() {
    let directory = directory();
    let kernel = rules(directory.path());
    let c = kernel.c(directory.path());
    let object = kernel.object(directory.path(), "gcc-12", &c);
    write(directory.path(), "rules.ua", RULES.replace("a[0] ^ a[1]", "a[0] & a[1]"));
    kernel.prove(&object, "sliced").rejected("different");
    write(directory.path(), "rules.ua", RULES.replace("32x2) returns", "32x3) returns"));
    kernel.prove(&object, "sliced").assert_proved(1);
    write(
        directory.path(),
        "rules.ua",
        RULES.replace("32x2)\nlet", "32x3)\nlet").replace("a[1])\ntel", "a[1], 0)\ntel"),
    );
    kernel.prove(&object, "sliced").rejected("different");
    let output = culet(&["prove", text(&object), "--source", "/no/such.ua", "--target", "c64"]);
    assert!(matches!(code(&output), 1 | 2), "{}", stderr(&output));
}

/// Scratch memory is not a result: its contents must not be left in registers.
#[test]
fn what_is_left_beside_scratch_memory_is_found() {
    let directory = directory();
    let source =
        write(directory.path(), "rules.ua", "node rules (a : u<B>8) returns (b : u<B>8)\nlet\n  b = ~a\ntel\n");
    let kernel = Kernel { source, node: "rules", slice: "b", target: "c64", more: ONE_GROUP };
    let c = kernel.c(directory.path());
    let (general, vectors): (Vec<&str>, Vec<String>) =
        (vec!["rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r11"], (0..16).map(|n| format!("xmm{n}")).collect());
    let clear: String = general.iter().map(|name| format!("xor %%{name}, %%{name}; ")).collect();
    let clear_vectors: String = vectors.iter().map(|name| format!("pxor %%{name}, %%{name}; ")).collect();
    let clobbers: Vec<String> = vectors.iter().map(|name| format!("\"{name}\"")).collect();
    let group = "        rules_unpack_b_group(bytes + group * 64, registers + group * 8, scratch);\n";
    assert_eq!(c.matches(group).count(), 1, "{c}");
    let verdicts = ["xor %%r10, %%r10", "mov (%0), %%r10", "mov (%0), %%r10; mov %%r10, (%1)"].map(|last| {
        let statement = format!(
            "    register const uint64_t *from __asm__(\"rbx\") = registers; register uint64_t *to __asm__(\"r12\") = scratch;\n    \
             __asm__ volatile(\"{clear_vectors}{clear}{last}\" : : \"r\"(from), \"r\"(to) : \"memory\", \"cc\", \
             \"rax\", \"rcx\", \"rdx\", \"rsi\", \"rdi\", \"r8\", \"r9\", \"r10\", \"r11\", {});\n",
            clobbers.join(", ")
        );
        let object = kernel.object(directory.path(), "gcc-12", &c.replace(group, &format!("{group}{statement}")));
        kernel.prove_with(&object, &["--symbol", "unpack_b_with", "--erasure"])
    });
    verdicts[0].assert_proved(1);
    for found in &verdicts[1..] {
        let said = found.rejected("erasure")["reason"].as_str().expect("a reason");
        assert!(said.contains("left in r10, first by rules_unpack_b_with+"), "{said}");
    }
}
