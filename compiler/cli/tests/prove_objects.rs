//! Objects before the final link: what relocations leave open matters where it is used, and nowhere else.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::path::{Path, PathBuf};

use support::proving::compile;
use support::{code, culet, directory, stderr, stdout, text, write};

/// `void f(uint64_t *out, const uint64_t *a)` adds seven to a word.
const CONTRACT: &str = "symbol = \"f\"\nequation = \"out = a + 7 mod 2^64\"\n\
                        [[argument]]\nname = \"out\"\ndirection = \"out\"\nlimbs = 1\nradix = 64\n\
                        [[argument]]\nname = \"a\"\ndirection = \"in\"\nlimbs = 1\nradix = 64\n";

const RIGHT: &str = "void f(uint64_t *out, const uint64_t *a) { *out = *a + 7; }\n";

fn object(directory: &Path, flags: &[&str], c: &str) -> PathBuf {
    write(directory, "f.c", format!("#include <stdint.h>\n{c}\n"));
    compile("gcc-12", &[], directory, &[flags, &["-c", "f.c", "-o", "f.o"]].concat());
    directory.join("f.o")
}

fn assembly(directory: &Path, body: &str, data: &str) -> PathBuf {
    let function =
        format!(".text\n.globl f\n.type f, @function\nf: mov (%rsi), %rax\n{body}\n mov %rax, (%rdi)\n ret\n");
    write(directory, "f.s", format!("{function}.size f, . - f\n{data}\n.section .note.GNU-stack\n"));
    compile("gcc-12", &[], directory, &["-c", "f.s", "-o", "f.o"]);
    directory.join("f.o")
}

fn prove(file: &Path) -> (i32, String) {
    let directory = directory();
    let contract = write(directory.path(), "f.toml", CONTRACT);
    let output = culet(&["prove", text(file), "--contract", text(&contract)]);
    (code(&output), stdout(&output) + &stderr(&output))
}

fn proved(file: &Path) {
    let (code, said) = prove(file);
    assert!(code == 0 && said.contains("proved      f"), "{said}");
}

fn refused(file: &Path, words: &[&str]) {
    let (code, said) = prove(file);
    assert!(code == 1 && said.contains("NOT PROVED  f"), "{said}");
    assert!(words.iter().all(|word| said.contains(word)), "{words:?} are not all in: {said}");
}

/// Functions of threads' variables, of the table of addresses and of weak symbols lie beside the one that is proved.
#[test]
fn relocations_elsewhere_do_no_harm() {
    let directory = directory();
    let others = "extern __thread int counter; int count(void) { return ++counter; }\n\
                  extern int shared; int *where(void) { return &shared; }\n\
                  __attribute__((weak)) void hook(void); void call(void) { if (hook) hook(); }\n";
    for flags in [&["-O2", "-fPIC"][..], &["-O2", "-fno-pic"], &["-O2", "-fPIC", "-fno-plt"]] {
        proved(&object(directory.path(), flags, &format!("{others}{RIGHT}")));
    }
}

#[test]
fn code_that_is_not_linked_is_refused_where_it_runs() {
    let directory = directory();
    let thread = "__thread uint64_t seven = 7; void f(uint64_t *out, const uint64_t *a) { *out = *a + seven; }";
    refused(
        &object(directory.path(), &["-O2", "-fno-pic"], thread),
        &["at f+0x", "R_X86_64_TPOFF32 to `seven`", ".text+0x"],
    );
    refused(&object(directory.path(), &["-O2", "-fPIC"], thread), &["at f+0x", "R_X86_64_", "to `seven` at .text+0x"]);
    let odd = "jmp 1f\n .reloc ., R_X86_64_GOTOFF64, elsewhere\n .quad 0\n1: add $7, %rax";
    proved(&assembly(directory.path(), odd, ""));
    refused(
        &assembly(directory.path(), &odd.replace("jmp 1f", "cmp %eax, (1f - 8)(%rip)"), ""),
        &["R_X86_64_GOTOFF64 to `elsewhere`"],
    );
}

#[test]
fn data_that_are_not_linked_are_refused_where_they_are_read() {
    let directory = directory();
    let table = ".section .rodata\n.balign 8\ntable: .quad 7\n .quad elsewhere@size, 0\n";
    proved(&assembly(directory.path(), "add table(%rip), %rax", table));
    for read in ["add 8 + table(%rip), %rax", "movdqu 1 + table(%rip), %xmm0"] {
        refused(&assembly(directory.path(), read, table), &["R_X86_64_SIZE64 to `elsewhere` at .rodata+0x8"]);
    }
}

/// The address in the slot is that of the symbol, in this image or outside it.
#[test]
fn slots_of_the_global_offset_table_hold_addresses() {
    let directory = directory();
    let data = ".section .rodata\n.globl seven\n.balign 8\nseven: .quad 7\n";
    let read = "mov seven@GOTPCREL(%rip), %rcx\n add (%rcx), %rax";
    proved(&assembly(directory.path(), read, data));
    refused(&assembly(directory.path(), read, &data.replace("7", "8")), &["does not hold"]);
    refused(&assembly(directory.path(), read, ""), &["at f+0x", "`seven`, which this image does not hold"]);
    let call = ".globl add\n.type add, @function\nadd: add $7, %rax\n ret\n";
    proved(&assembly(directory.path(), "push %rdi\n call *add@GOTPCREL(%rip)\n pop %rdi", call));
    refused(
        &assembly(directory.path(), "call *add@GOTPCREL(%rip)", ""),
        &["`add` is called, which this image does not hold"],
    );
    let copies = "#include <string.h>\nvoid f(uint64_t *out, const uint64_t *a)\n\
                  { uint64_t b[20]; memcpy(b, a, 8); memset(b + 1, 7, 152); *out = b[0] + (b[9] & 7); }";
    proved(&object(directory.path(), &["-O1", "-fPIC", "-fno-plt", "-fno-builtin"], copies));
}
