//! The theorem without an equation: `culet prove --safe` accepts what is constant-time and stays within its memory,
//! whatever it computes, and refuses functions that each break one rule.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::path::{Path, PathBuf};

use support::proving::{Verdicts, compile};
use support::{code, culet, directory, primitives, stderr, stdout, text, write};

fn prove(file: &Path, symbol: &str, arguments: &str) -> Verdicts {
    prove_with(file, symbol, arguments, &[])
}

fn prove_with(file: &Path, symbol: &str, arguments: &str, options: &[&str]) -> Verdicts {
    let command = ["prove", text(file), "--safe", "--symbol", symbol, "--arguments", arguments];
    let limits = ["--instructions", "1000000", "--message-format", "json"];
    let output = culet(&[&command[..], &limits, options].concat());
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

/// Assembles the function `f` of these instructions, and proves it.
fn prove_assembly(instructions: &str, arguments: &str) -> Verdicts {
    let directory = directory();
    let function =
        format!(".globl f\n.type f, @function\nf:\n{instructions}\n.size f, . - f\n.section .note.GNU-stack\n");
    write(directory.path(), "f.s", format!(".text\n{function}"));
    compile("gcc-12", &[], directory.path(), &["-c", "f.s", "-o", "f.o"]);
    prove(&directory.path().join("f.o"), "f", arguments)
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
        // The high half of a product follows from a bit of which the low half says nothing.
        (
            Some("address"),
            "xor %eax, %eax\n cmpb $7, (%rsi)\n sete %al\n ror $1, %rax\n movabs $0x2000, %rdx\n mul %rdx\n mov %al, (%rdi,%rdx)\n ret",
        ),
        (
            Some("address"),
            "xor %eax, %eax\n cmpb $7, (%rsi)\n sete %al\n ror $1, %eax\n mov $2, %edx\n mul %edx\n mov (%rsi,%rdx), %al\n ret",
        ),
        (Some("memory"), "mov 9(%rsi), %rax\n ret"),
        (Some("memory"), "mov -16(%rsp), %rax\n sub $16, %rsp\n mov %rax, 24(%rsp)\n add $16, %rsp\n ret"),
    ];
    for (kind, instructions) in cases {
        let found = prove_assembly(instructions, "r: out 16, k: in 16, w: secret 64");
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

/// Compiles C to an object, with both compilers, and proves `f` in it.
fn prove_c(c: &str, arguments: &str) -> [Verdicts; 2] {
    ["gcc-12", "clang-19"].map(|compiler| {
        let directory = directory();
        write(directory.path(), "f.c", format!("#include <stdint.h>\n#include <string.h>\n{c}"));
        compile(compiler, &["-O1", "-fno-stack-protector"], directory.path(), &["-c", "f.c", "-o", "f.o"]);
        prove(&directory.path().join("f.o"), "f", arguments)
    })
}

/// Says whether two tags are equal, without a branch.
const IS_EQUAL: &str = "static int is_equal(const uint8_t *a, const uint8_t *b)
{
    uint8_t difference = 0;
    for (int i = 0; i < 16; i++)
        difference |= a[i] ^ b[i];
    return ((uint32_t)difference - 1) >> 31;
}
";

const OPEN: &str = "r: out 16, text: in 16, tag: in 16, key: in 16";

#[test]
fn a_public_result_may_tell_the_way() {
    let open = |body: &str| {
        format!(
            "{IS_EQUAL}\nint f(uint8_t *r, const uint8_t *text, const uint8_t *tag, const uint8_t *key)\n{{\n{body}\n}}\n"
        )
    };
    let good = "if (!is_equal(tag, key)) { memset(r, 0, 16); return -1; } memcpy(r, text, 16); return 0;";
    for found in prove_c(&open(good), &format!("{OPEN} -> public")) {
        found.assert_proved(1);
        assert_eq!(found.verdicts[0]["ways"], 2);
    }
    // The result is not said to be public.
    for found in prove_c(&open(good), OPEN) {
        found.rejected("branch");
    }
    let barrier = "__asm__ volatile(\"\" ::: \"memory\");";
    let refused = [
        // A comparison that stops early.
        format!(
            "for (int i = 0; i < 16; i++) {{ {barrier} if (tag[i] != key[i]) return -1; }} memcpy(r, text, 16); return 0;"
        ),
        // One result comes out on both sides.
        format!("if (key[0] & 1) {{ {barrier} memset(r, 0, 16); }} return 0;"),
        // A byte of the key decides before the tag does.
        format!("if (key[0] == 0) {{ {barrier} r[0] = 1; return -1; }} {good}"),
        // The result tells the way only for some data.
        format!("if (key[0] & 1) {{ {barrier} return text[0]; }} return -1;"),
    ];
    for body in refused {
        let arguments = format!("{OPEN} -> public");
        for found in prove_c(&open(&body), &arguments) {
            found.rejected("branch");
            assert!(found.verdicts[0]["reason"].to_string().contains("depends on secrets"), "{body}: {found:?}");
        }
    }
    // An address is no branch.
    let lookup = "static const uint8_t table[16] = {3}; r[0] = table[key[0] & 15]; return 0;";
    for found in prove_c(&open(lookup), &format!("{OPEN} -> public")) {
        found.rejected("address");
    }
}

/// Compilers make a result of a condition before they branch on it, or on a word that was made of it.
#[test]
fn a_result_that_the_condition_of_a_branch_decides_is_a_constant_on_each_way() {
    let end = "movb $1, (%rdi)\n1: ret";
    let cases = [
        (true, format!("cmpb $1, (%rsi)\n sete %al\n movzbl %al, %eax\n jne 1f\n {end}")),
        (true, format!("xor %eax, %eax\n mov $-1, %ecx\n cmpb $1, (%rsi)\n cmovne %ecx, %eax\n jne 1f\n {end}")),
        (true, format!("xor %eax, %eax\n cmpb $1, (%rsi)\n setne %al\n neg %eax\n test %eax, %eax\n jne 1f\n {end}")),
        (true, format!("xor %eax, %eax\n btl $3, (%rsi)\n sbb %eax, %eax\n not %eax\n jc 1f\n {end}")),
        // The flag is kept in a byte of a register whose other bytes are what they were at the entry, and which is not returned.
        (true, format!("cmpb $1, (%rsi)\n sete %cl\n movzbl %cl, %eax\n test %cl, %cl\n jne 1f\n {end}")),
        // A bit of data is what is returned, and decides the branch.
        (true, format!("mov (%rsi), %eax\n mov %eax, %ecx\n shr $31, %eax\n and $0x80000000, %ecx\n je 1f\n {end}")),
        (true, format!("mov (%rsi), %eax\n sub $1, %eax\n shr $8, %eax\n and $1, %eax\n je 1f\n {end}")),
        (false, format!("mov (%rsi), %eax\n mov %eax, %ecx\n shr $31, %eax\n and $0x40000000, %ecx\n je 1f\n {end}")),
        // High halves of products and products without carries are other numbers than products are.
        (
            false,
            format!("xor %eax, %eax\n cmpb $7, (%rsi)\n sete %al\n mov $5, %edx\n mulq %rdx\n test $1, %al\n je 1f\n {end}")
                .replace("1: ret", "1: mov %edx, %eax\n ret"),
        ),
        (
            false,
            format!(
                "xor %eax, %eax\n cmpb $7, (%rsi)\n sete %al\n lea 1(%rax,%rax), %rcx\n mov $3, %edx\n movq %rcx, %xmm0\n \
                 movq %rdx, %xmm1\n pclmulqdq $0, %xmm1, %xmm0\n movq %xmm0, %rdx\n test %eax, %eax\n je 1f\n {end}"
            )
            .replace("1: ret", "1: mov %edx, %eax\n and $8, %eax\n ret"),
        ),
        // Another condition decides the branch.
        (false, format!("cmpb $1, (%rsi)\n sete %al\n movzbl %al, %eax\n cmpb $1, 1(%rsi)\n jne 1f\n {end}")),
        // The result is one number whichever way the branch goes.
        (
            false,
            format!("cmpb $1, (%rsi)\n sete %al\n movzbl %al, %eax\n or $1, %eax\n cmpb $1, (%rsi)\n jne 1f\n {end}"),
        ),
        (
            false,
            format!(
                "xor %eax, %eax\n cmpb $1, (%rsi)\n setne %al\n mov %eax, %ecx\n shr $1, %eax\n test %ecx, %ecx\n jne 1f\n {end}"
            ),
        ),
        // Other data are in the result, too.
        (
            false,
            format!(
                "cmpb $1, (%rsi)\n sete %al\n movzbl %al, %eax\n movzbl 1(%rsi), %ecx\n jne 1f\n add %ecx, %eax\n {end}"
            ),
        ),
        // The result has bits of the register that nobody set since the entry.
        (false, format!("cmpb $1, (%rsi)\n sete %al\n jne 1f\n {end}")),
    ];
    for (is_safe, instructions) in cases {
        let found = prove_assembly(&instructions, "r: out 16, k: in 16 -> public");
        if is_safe {
            found.assert_proved(1);
            assert_eq!(found.verdicts[0]["ways"], 2, "{instructions}");
        } else {
            found.rejected("branch");
        }
    }
}

#[test]
fn branches_on_public_memory_are_allowed_and_others_are_not() {
    let c = |condition: &str| {
        format!(
            "void f(uint8_t *r, const uint8_t *key, const uint8_t *header)\n{{\n    memcpy(r, key, 16);\n    \
             if ({condition}) {{ __asm__ volatile(\"\" ::: \"memory\"); r[0] = 1; }}\n}}\n"
        )
    };
    let arguments = "r: out 16, key: in 16, header: public 4";
    for found in prove_c(&c("header[0] == 4"), arguments) {
        found.assert_proved(1);
        assert_eq!(found.verdicts[0]["ways"], 2);
    }
    for secret in ["key[0] == 4", "(header[0] ^ key[0]) == 4", "r[1] == 4"] {
        for found in prove_c(&c(secret), arguments) {
            found.rejected("branch");
        }
    }
}

/// A secret that chooses among public bytes makes a secret of them.
#[test]
fn public_bytes_that_a_secret_permutes_are_secret() {
    let c = |numbers: &str| {
        format!(
            "#include <immintrin.h>\n__attribute__((target(\"ssse3\"))) int f(uint8_t *r, const uint8_t *k, const uint8_t *p)\n{{\n    \
             __m128i bytes = _mm_loadu_si128((const __m128i *)p), numbers = {numbers};\n    \
             if (_mm_cvtsi128_si32(_mm_shuffle_epi8(bytes, numbers)) & 1) {{ __asm__ volatile(\"\" ::: \"memory\"); r[0] = k[0]; }}\n    \
             return 0;\n}}\n"
        )
    };
    let arguments = "r: out 1, k: in 16, p: public 16 -> public";
    for found in prove_c(&c("_mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)"), arguments) {
        found.assert_proved(1);
    }
    for numbers in ["_mm_loadu_si128((const __m128i *)k)", "_mm_set1_epi8(k[3])"] {
        for found in prove_c(&c(numbers), arguments) {
            found.rejected("branch");
        }
    }
}

#[test]
fn a_loop_that_tries_again_is_followed_as_often_as_is_said() {
    // The index is hidden, so that compilers do not take the first turn out of the loop.
    let c = "int f(uint8_t *r, const uint8_t *k)\n{\n    unsigned i = 0;\n    do {\n        r[0] = k[0] ^ i++;\n        \
             __asm__ volatile(\"\" : \"+r\"(i) :: \"memory\");\n    } while (!(r[0] & 1));\n    return 0;\n}\n";
    for found in prove_c(c, "r: out 1, k: in 1 -> public in 2 turns") {
        found.assert_proved(1);
        assert_eq!(found.verdicts[0]["ways"], 2);
        assert!(found.verdicts[0]["assumed"].to_string().contains("no branch more than 2 times"), "{found:?}");
    }
    prove_c(c, "r: out 1, k: in 1 -> public").iter().for_each(|found| assert_eq!(found.code, 1, "{found:?}"));
    // A branch that secrets always decide more often proves nothing, and one that they decide twice and no more is of no such loop.
    for (times, why) in [(3, "nothing would be proved"), (2, "depends on secrets")] {
        let always = format!(
            "int f(uint8_t *r, const uint8_t *k)\n{{\n    for (unsigned i = 0; i < {times}; i++) {{\n        \
             __asm__ volatile(\"\" : \"+r\"(i));\n        \
             if (k[i] & 1) {{ __asm__ volatile(\"\" ::: \"memory\"); r[0] = 1; }}\n    }}\n    return 0;\n}}\n"
        );
        for found in prove_c(&always, "r: out 1, k: in 3 -> public in 2 turns") {
            assert_eq!(found.code, 1, "{found:?}");
            assert!(found.verdicts[0]["reason"].to_string().contains(why), "{found:?}");
        }
    }
    // The code after the loop is looked at, too.
    let beyond = c.replace("return 0;", "r[i] = 0;\n    return 0;");
    for found in prove_c(&beyond, "r: out 1, k: in 1 -> public in 2 turns") {
        found.rejected("memory");
    }
}

/// Compiles C to a shared object.
fn shared(directory: &Path, c: &str, options: &[&str]) -> PathBuf {
    write(directory, "f.c", format!("#include <stdint.h>\n#include <string.h>\n{c}"));
    compile("gcc-12", &["-O1", "-shared", "-fPIC"], directory, &[&["f.c", "-o", "f.so"], options].concat());
    directory.join("f.so")
}

#[test]
fn variables_hold_what_is_said_of_them() {
    let c = "static uint8_t kind = 255;\nvoid set(uint8_t to) { kind = to; }\nvoid f(uint8_t *r, const uint8_t *k)\n{\n    \
             r[0] = k[0];\n    if (kind == 1) { __asm__ volatile(\"\" ::: \"memory\"); r[16] = 1; }\n}\n";
    let directory = directory();
    let file = shared(directory.path(), c, &[]);
    let arguments = "r: out 16, k: in 1";
    prove(&file, "f", arguments).rejected("memory");
    let found = prove_with(&file, "f", arguments, &["--variable", "kind=0"]);
    found.assert_proved(1);
    assert!(found.verdicts[0]["assumed"].to_string().contains("`kind` is 0"), "{found:?}");
    prove_with(&file, "f", arguments, &["--variable", "kind=1"]).rejected("memory");
    for wrong in ["kind", "kind=x", "kind=256", "absent=1"] {
        let found = prove_with(&file, "f", arguments, &["--variable", wrong]);
        assert!(found.code == 2 && found.stderr.contains("E0830"), "{wrong}: {found:?}");
    }
}

/// Impossible contents of variables are not taken for granted, and nothing but contents is.
#[test]
fn variables_that_cannot_hold_what_is_said_are_refused() {
    let data = ".data\n.p2align 4\n.quad 0\nfirst: .quad 1\nsecond: .quad 2\n.set across, first + 4\n.section .rodata\nfixed: .quad 5\n.text\n";
    let symbols =
        ["first", "second", "across", "fixed"].map(|name| format!(".type {name}, @object\n.size {name}, 8\n")).concat();
    let load = "mov first(%rip), %rax\n mov fixed(%rip), %rcx\n ret";
    // Both variables are in one word of 16 bytes, 8 bytes beside its place.
    let (far, near) = ("movaps first(%rip), %xmm0\n ret", "movups first(%rip), %xmm0\n ret");
    for (instructions, variables, kind) in [
        (load, &["first=1"][..], None),
        (load, &["first=1", "first=2"], Some("unsupported")),
        (load, &["first=1", "across=7"], Some("unsupported")),
        (load, &["first=1", "fixed=1"], Some("unsupported")),
        (near, &["first=1", "second=2"], None),
        (far, &["first=1", "second=2"], Some("memory")),
    ] {
        let directory = directory();
        let function = format!("{data}{symbols}.globl f\n.type f, @function\nf:\n{instructions}\n.size f, . - f\n");
        write(directory.path(), "f.s", format!("{function}.section .note.GNU-stack\n"));
        compile("gcc-12", &["-shared"], directory.path(), &["f.s", "-o", "f.so"]);
        let options: Vec<&str> = variables.iter().flat_map(|variable| ["--variable", *variable]).collect();
        let found = prove_with(&directory.path().join("f.so"), "f", "r: out 16, k: in 16", &options);
        match kind {
            None => found.assert_proved(1),
            Some(kind) => {
                found.rejected(kind);
            }
        }
    }
}

/// Calls by pointers in memory that the loader makes read-only, as position-independent code has them.
#[test]
fn what_the_loader_makes_read_only_is_a_constant() {
    let c = "static void one(uint8_t *r, const uint8_t *k) { r[0] = k[0]; }\n\
             static void two(uint8_t *r, const uint8_t *k) { r[1] = k[1]; }\n\
             typedef void (*step)(uint8_t *, const uint8_t *);\n\
             struct part { step step; uint64_t number; };\n\
             CONST struct part parts[] = {{one, 1}, {two, 2}};\n\
             void f(uint8_t *r, const uint8_t *k)\n{\n    for (int i = 0; i < 2; i++) {\n        __asm__ (\"\" : \"+r\"(i));\n        \
             parts[i].step(r, k);\n        r[parts[i].number] = 0;\n    }\n}\n";
    let arguments = "r: out 16, k: in 16";
    // A last page that is not whole is not read-only for certain: the table lies before others.
    let filled = format!("{c}\nvolatile const void *const others[1024] = {{f, f, others}};\n");
    for (constant, options, is_proved) in [
        ("static const", &["-Wl,-z,relro,-z,now"][..], true),
        ("static const", &["-Wl,-z,norelro"], false),
        ("", &["-Wl,-z,relro,-z,now"], false),
    ] {
        let directory = directory();
        let file = shared(directory.path(), &filled.replace("CONST", constant), options);
        let found = prove(&file, "f", arguments);
        match is_proved {
            true => found.assert_proved(1),
            false => {
                found.rejected("memory");
            }
        }
    }
}

/// Loaders add the size of what they make read-only to its start without a look at a carry: a size of nearly 2^64 protects nothing.
#[test]
fn what_is_read_only_ends_before_the_addresses_do() {
    let c = "__attribute__((section(\".data.rel.ro\"))) static volatile uint64_t place = 3;\nvolatile uint64_t fill[1024] \
             __attribute__((section(\".data.rel.ro\")));\nvoid f(uint8_t *r, const uint8_t *k) { r[place] = k[0]; }\n";
    let directory = directory();
    let file = shared(directory.path(), c, &["-Wl,-z,relro,-z,now"]);
    prove(&file, "f", "r: out 16, k: in 16").assert_proved(1);
    let mut bytes = std::fs::read(&file).expect("a file");
    // The program header of the type PT_GNU_RELRO, and the size in memory in it.
    let header = (64..).step_by(56).find(|&at| bytes[at..at + 4] == 0x6474_e552_u32.to_le_bytes()).expect("a header");
    bytes[header + 40..header + 48].copy_from_slice(&u64::MAX.to_le_bytes());
    write(directory.path(), "f.so", bytes);
    let found = prove(&file, "f", "r: out 16, k: in 16");
    assert!(found.code == 1 && found.stderr.contains("E0860"), "{found:?}");
}

/// The loader asks a function of the file before it makes memory read-only, and that function may write there.
#[test]
fn what_a_function_chooses_before_is_no_constant() {
    let c = "__attribute__((section(\".data.rel.ro\"))) static volatile uint64_t place = 3;\nvolatile uint64_t fill[1024] \
             __attribute__((section(\".data.rel.ro\")));\nstatic void one(void) {}\n\
             static void (*choose(void))(void) { WRITE return one; }\nATTRIBUTE\nvoid call(void) { chosen(); }\n\
             void f(uint8_t *r, const uint8_t *k) { r[place] = k[0]; }\n";
    let chosen = "static void chosen(void) __attribute__((ifunc(\"choose\")));";
    let global = "void chosen(void) __attribute__((ifunc(\"choose\")));";
    let plain = "static void chosen(void) { choose()(); }";
    for (attribute, is_proved) in [(plain, true), (chosen, false), (global, false)] {
        let directory = directory();
        let write = if is_proved { "" } else { "place = 1000000;" };
        let c = c.replace("WRITE", write).replace("ATTRIBUTE", attribute);
        let found = prove(&shared(directory.path(), &c, &["-Wl,-z,relro,-z,now"]), "f", "r: out 16, k: in 16");
        match is_proved {
            true => found.assert_proved(1),
            false => {
                found.rejected("memory");
            }
        }
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
        "r: in 4 -> secret",
        "r: in 4 -> public in 0 turns",
    ] {
        let found = prove(&object, "f", wrong);
        assert!(found.code == 2 && found.stderr.contains("E0830"), "{wrong}: {found:?}");
    }
    assert_eq!(code(&culet(&["prove", text(&object), "--safe", "--symbol", "f"])), 2, "arguments are missing");
}
