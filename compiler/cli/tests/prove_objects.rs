//! Objects before the final link: bytes that relocations leave open matter only where they are used.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::path::{Path, PathBuf};
use std::time::Instant;

use support::loaded::Elf;
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

/// Functions with thread-local variables, the global offset table and weak symbols lie beside the function that is
/// proved.
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

/// A slot holds the address of its symbol, in this image or outside it.
#[test]
fn slots_of_the_global_offset_table_hold_addresses() {
    let directory = directory();
    let data = ".section .rodata\n.globl seven\n.balign 8\nseven: .quad 7\n";
    let read = "mov seven@GOTPCREL(%rip), %rcx\n add (%rcx), %rax";
    proved(&assembly(directory.path(), read, data));
    refused(&assembly(directory.path(), read, &data.replace("7", "8")), &["does not hold"]);
    // Symbols that are used in another order than they are defined in.
    let three = "mov later@GOTPCREL(%rip), %r8\n mov seven@GOTPCREL(%rip), %rcx\n mov elsewhere@GOTPCREL(%rip), %r9\n add (%rcx), %rax";
    proved(&assembly(directory.path(), three, &format!("{data}later: .quad 8\n")));
    refused(&assembly(directory.path(), read, ""), &["at f+0x", "`seven`, which this image does not hold"]);
    // Each symbol has its own slot, even if it has the same address as another one.
    let apart = |other: &str| {
        format!(
            "lea seven@GOTPCREL(%rip), %rcx\n lea {other}@GOTPCREL(%rip), %rdx\n sub %rcx, %rdx\n lea 7(%rax,%rdx), %rax"
        )
    };
    let two = format!(".globl also\n{data}").replace("seven:", "also: seven:");
    proved(&assembly(directory.path(), &apart("seven"), &two));
    refused(&assembly(directory.path(), &apart("also"), &two), &["out = a + 7 mod 2^64"]);
    // The target of a call may be code that jumps on.
    let add = ".globl add\n.type add, @function\nadd: add $7, %rax\n ret\nlocal = add\n";
    let calls = |body: &str| assembly(directory.path(), body, add);
    proved(&calls("call add@PLT"));
    proved(&calls("jmp 1f\n2: mov %rax, (%rdi)\n ret\n1: push %rdi\n call add@PLT\n pop %rdi\n jmp 2b"));
    refused(&calls("call add@PLT + 4"), &["code that jumps there"]);
    refused(
        &calls("lea add@PLT(%rip), %rcx\n lea local(%rip), %rdx\n sub %rdx, %rcx\n lea 7(%rax,%rcx), %rax"),
        &["another part"],
    );
    refused(
        &calls(
            "movslq 1f(%rip), %rcx\n lea 7(%rax), %rax\n jmp 2f\n1: .reloc ., R_X86_64_PLT32, add - 4\n .long 0\n2:",
        ),
        &["a distance there"],
    );
    // Two names that are printed alike are two names.
    let names = |body: &str, other: &str| {
        let object = assembly(directory.path(), body, "");
        let mut objcopy = std::process::Command::new("objcopy");
        let names = ["--redefine-sym", "one=a\u{1}", "--redefine-sym", &format!("two={other}")].map(str::to_owned);
        assert!(objcopy.args(names).arg(&object).status().expect("objcopy").success());
        object
    };
    let apart = "lea one(%rip), %rcx\n lea two(%rip), %rdx\n sub %rcx, %rdx\n lea 7(%rax,%rdx), %rax";
    proved(&names(&apart.replace("two", "one"), "b"));
    refused(&names(apart, "a\\u{1}"), &["out = a + 7 mod 2^64"]);
    let call = ".globl add\n.type add, @function\nadd: add $7, %rax\n ret\n";
    proved(&assembly(directory.path(), "push %rdi\n call *add@GOTPCREL(%rip)\n pop %rdi", call));
    // The final link makes the call a byte shorter, and its return address may or may not include the spare byte.
    let returned = |how: &str| {
        let body = format!(
            "push %rdi\n call {how}\n1: lea 1b(%rip), %rdx\n sub %rdx, %rcx\n lea 7(%rax,%rcx), %rax\n pop %rdi"
        );
        assembly(directory.path(), &body, &call.replace("add $7, %rax", "mov (%rsp), %rcx"))
    };
    proved(&returned("add"));
    refused(&returned("*add@GOTPCREL(%rip)"), &["out = a + 7 mod 2^64"]);
    refused(
        &assembly(directory.path(), "call *add@GOTPCREL(%rip)", ""),
        &["`add` is called, which this image does not hold"],
    );
    let copies = "#include <string.h>\nvoid f(uint64_t *out, const uint64_t *a)\n\
                  { uint64_t b[20]; memcpy(b, a, 8); memset(b + 1, 7, 152); *out = b[0] + (b[9] & 7); }";
    proved(&object(directory.path(), &["-O1", "-fPIC", "-fno-plt", "-fno-builtin"], copies));
}

/// The proof holds wherever the code is loaded: a function whose result depends on an address is not proved, whatever
/// the address is here.
#[test]
fn results_do_not_depend_on_where_the_code_is() {
    let directory = directory();
    let here = "0: lea 0b(%rip), %rcx\n";
    for (body, is_right) in [
        // The low bits of an address are known as far as the section is aligned, here to 16 bytes.
        (".p2align 4\n1: lea 1b(%rip), %rcx\n and $15, %ecx\n lea 7(%rax,%rcx), %rax", true),
        (".p2align 4\n1: lea 1b(%rip), %rcx\n and $16, %ecx\n lea 7(%rax,%rcx), %rax", false),
        ("mov %rcx, %rdx\n sub %rdx, %rcx\n lea 7(%rax,%rcx), %rax", true),
        ("lea 0b(%eip), %edx\n sub %edx, %ecx\n lea 7(%rax,%rcx), %rax", true),
        ("call 1f\n1: pop %rdx\n lea 1b(%rip), %rcx\n sub %rdx, %rcx\n lea 7(%rax,%rcx), %rax", true),
        ("shr $63, %rcx\n lea 7(%rax,%rcx), %rax", false),
        ("and $4096, %ecx\n  lea 7(%rax,%rcx), %rax", false),
    ] {
        let file = assembly(directory.path(), &format!("{here}{body}"), "");
        compile("gcc-12", &["-shared", "-nostdlib"], directory.path(), &["f.o", "-o", "f.so"]);
        for file in [&file, &directory.path().join("f.so")] {
            if is_right { proved(file) } else { refused(file, &["out = a + 7 mod 2^64"]) }
        }
    }
}

/// Sections are apart by any distance, and the final link may put either of them first.
#[test]
fn results_do_not_depend_on_distances_between_sections() {
    let directory = directory();
    let data = ".section .rodata\nhere: .quad here, 7, far - here\n.section .other, \"a\"\nfar: .quad 0\n";
    for (body, words) in [
        (
            "lea here(%rip), %rcx\n lea far(%rip), %rdx\n sub %rcx, %rdx\n shr $63, %rdx\n lea 7(%rax,%rdx), %rax",
            "out = a + 7 mod 2^64",
        ),
        ("lea here(%rip), %rcx\n lea far(%rip), %rdx\n cmp %rcx, %rdx\n jb 1f\n1: add $7, %rax", "a branch depends"),
        ("add far - 16(%rip), %rax", "outside it"),
        ("add 16 + here(%rip), %rax", "the distance between two sections"),
    ] {
        refused(&assembly(directory.path(), body, data), &[words]);
    }
    let own = "mov here(%rip), %rcx\n sub $here - f, %rcx\n";
    refused(&assembly(directory.path(), own, data), &["another part of the instruction"]);
    proved(&assembly(directory.path(), "mov here(%rip), %rcx\n add 8(%rcx), %rax", data));
    refused(
        &assembly(directory.path(), "mov 1 + here(%rip), %rcx\n add 8(%rcx), %rax", data),
        &["constant nor at a known place"],
    );
}

/// The final link keeps one of several equal entries of mergeable sections, at any place: nothing is known of an
/// entry's neighbours.
#[test]
fn entries_of_mergeable_sections_move_by_themselves() {
    let directory = directory();
    let constants = ".section .rodata.cst16, \"aM\", @progbits, 16\n.balign 16\none: .quad 1, 2\nseven: .quad 5, 7\nhalf = seven + 8\n";
    let strings = ".section .rodata.str1.1, \"aMS\", @progbits, 1\n.asciz \"ab\"\nseven: .asciz \"\\7\\1\\1\\1\\1\"\n.asciz \"c\"\n";
    let plain = |data: &str| data.replace("M", "").replace("S", "").replace(", 16", "").replace(", 1\n", "\n");
    for (body, data) in [
        ("add 8 + seven(%rip), %rax", constants),
        ("add half(%rip), %rax", constants),
        ("movdqa seven(%rip), %xmm0\n pextrq $1, %xmm0, %rcx\n add %rcx, %rax", constants),
        ("add 8 + seven, %rax", constants),
        ("mov $.rodata.cst16 + 24, %rcx\n add (%rcx), %rax", constants),
        ("mov seven@GOTPCREL(%rip), %rcx\n add 8(%rcx), %rax", constants),
        ("movzbl seven(%rip), %ecx\n add %rcx, %rax", strings),
        ("mov $.rodata.str1.1 + 4, %rcx\n movzbl -1(%rcx), %ecx\n add %rcx, %rax", strings),
    ] {
        proved(&assembly(directory.path(), body, data));
    }
    for (body, data) in [
        ("add 24 + one(%rip), %rax", constants),
        ("lea one(%rip), %rcx\n add 24(%rcx), %rax", constants),
        ("movdqu 8 + one(%rip), %xmm0\n pextrq $1, %xmm0, %rcx\n lea 2(%rax,%rcx), %rax", constants),
        ("mov $.rodata.cst16, %rcx\n add 24(%rcx), %rax", constants),
        ("mov $.rodata.cst16 + 40, %rcx\n add -16(%rcx), %rax", constants),
        ("mov seven@GOTPCREL(%rip), %rcx\n add -8(%rcx), %rax\n add $5, %rax", constants),
        ("mov $.rodata.str1.1, %rcx\n movzbl 3(%rcx), %ecx\n add %rcx, %rax", strings),
        ("movzbl seven + 6(%rip), %ecx\n lea -92(%rax, %rcx), %rax", strings),
    ] {
        refused(&assembly(directory.path(), body, data), &["mergeable section"]);
        proved(&assembly(directory.path(), body, &plain(data)));
    }
    // However many relocations point into one long string, the ends of the string are searched for once.
    let pointers = ".section .other, \"ax\"\n.rept 20000\n.long .rodata.str1.1 + 100 - .\n.endr\n";
    let long = format!("{strings}.fill 1000000, 1, 0x61\n.byte 0\n{}", pointers.replace("100", "900000"));
    let start = Instant::now();
    proved(&assembly(directory.path(), "movzbl seven(%rip), %ecx\n add %rcx, %rax", &long));
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
    // The alignment of an entry's address is known, but not which of two entries comes first.
    proved(&assembly(directory.path(), "lea seven(%rip), %rcx\n and $15, %ecx\n lea 7(%rax,%rcx), %rax", constants));
    let order = "lea one(%rip), %rcx\n lea seven(%rip), %rdx\n cmp %rcx, %rdx\n jb 1f\n1: add $7, %rax";
    refused(&assembly(directory.path(), order, constants), &["a branch depends"]);
}

/// A program that is not position-independent is at the addresses in its file. An object for such a program may still
/// be anywhere: the final link fills in addresses where there is room for them.
#[test]
fn absolute_addresses_are_what_the_final_link_makes_them() {
    let directory = directory();
    let data = ".section .rodata\n.balign 8\nseven: .quad 7\n.long seven\n.text\n.globl _start\n_start: hlt\n";
    for body in [
        "mov $seven, %ecx\n add (%rcx), %rax",
        "movabs $seven, %rcx\n add (%rcx), %rax",
        "mov $1, %ecx\n add seven - 8(,%rcx,8), %rax",
        "mov $seven, %rcx\n cmp $seven + 8, %rcx\n je 1f\n add (%rcx), %rax\n1:",
        "lea seven(%rip), %rcx\n sub $seven, %rcx\n lea 7(%rax,%rcx), %rax",
        "push $seven\n pop %rcx\n add (%rcx), %rax",
    ] {
        let object = assembly(directory.path(), body, data);
        proved(&object);
        compile("gcc-12", &["-static", "-no-pie", "-nostdlib"], directory.path(), &["f.o", "-o", "f"]);
        let (code, said) = prove(&directory.path().join("f"));
        assert!(code == 0 && said.contains("addresses to which it is linked"), "{said}");
    }
    for (body, words) in [
        ("mov $seven, %ecx\n shr $30, %ecx\n lea 7(%rax,%rcx), %rax", "out = a + 7 mod 2^64"),
        ("mov $1, %ecx\n add seven - 16(,%rcx,8), %rax", "outside it"),
        ("mov 8 + seven(%rip), %ecx\n add (%rcx), %rax", "R_X86_64_32 to `.rodata` at .rodata+0x8"),
        ("movw $seven, %cx\n add $7, %rax", "R_X86_64_16"),
        (
            ".byte 0x48, 0xc7, 0xc1\n .reloc ., R_X86_64_32, seven\n .long 0\n add (%rcx), %rax",
            "another part of the instruction",
        ),
        ("mov $0x100000, %ecx\n mov (%rcx), %cl\n add $7, %rax", "the code may be anywhere"),
    ] {
        refused(&assembly(directory.path(), body, data), &[words]);
    }
}

/// The final link rewrites instructions that read the place of a thread-local variable, and the call that asks for it.
/// The bytes around the relocated ones are not known, whether they are read or executed.
#[test]
fn bytes_that_linkers_rewrite_are_not_known() {
    let directory = directory();
    let variable = ".section .tbss, \"awT\", @nobits\n.globl x\n.type x, @object\nx: .zero 8\n";
    let read = |code: &str, distance: u64, byte: u64| {
        format!(
            "jmp 2f\n1: {code}\n.zero 1\n2: movzbl 1b + {distance}(%rip), %ecx\n sub ${byte}, %ecx\n lea 7(%rax,%rcx), %rax"
        )
    };
    let get = ".byte 0x66\n lea x@tlsgd(%rip), %rdi\n .byte 0x66, 0x66, 0x48\n call __tls_get_addr@PLT\n";
    let local = "lea x@tlsld(%rip), %rdi\n call __tls_get_addr@PLT\n";
    let descriptor = "lea x@tlsdesc(%rip), %rax\n call *x@tlscall(%rax)\n";
    let slot = "mov x@gottpoff(%rip), %rcx\n";
    for (code, distance, byte) in [
        (slot, 0, 0x48),
        (slot, 1, 0x8b),
        (slot, 2, 0x0d),
        (descriptor, 1, 0x8d),
        (descriptor, 7, 0xff),
        (get, 0, 0x66),
        (get, 10, 0x48),
        (get, 11, 0xe8),
        (local, 0, 0x48),
        (local, 7, 0xe8),
    ] {
        refused(&assembly(directory.path(), &read(code, distance, byte), variable), &["another instruction"]);
        let known = code.replace("x@tlscall(%rax)", "(%rax)").replace("__tls_get_addr@PLT", "1b");
        let known =
            ["x@tlsgd", "x@tlsld", "x@tlsdesc", "x@gottpoff"].iter().fold(known, |c, name| c.replace(name, "1b"));
        proved(&assembly(directory.path(), &read(&known, distance, byte), variable));
    }
    // Bytes beyond the rewritten ones are known.
    proved(&assembly(directory.path(), &read(&format!("nop\n{slot} nop"), 0, 0x90), variable));
    proved(&assembly(directory.path(), &read(&format!("nop\n{slot} nop"), 8, 0x90), variable));
    // For an unknown type of relocation, the extent of the rewriting is not known.
    const SHT_RELA: u64 = 4;
    let mut later = Elf(std::fs::read(assembly(directory.path(), &read(&format!("nop\n{slot}"), 0, 0x90), variable))
        .expect("an object"));
    let first = later.word(later.section(SHT_RELA) + 24) as usize;
    later.set(first + 8, 4, 44);
    later.refused("relocation 44 to `x`");
    // A jump over the first of two instructions that become one.
    let add = ".globl __tls_get_addr\n.type __tls_get_addr, @function\n__tls_get_addr: add $7, %rax\n ret\n";
    let call = |lea: &str| {
        format!(
            "push %rdi\n jmp 1f\n .byte 0x66\n {lea}\n1: .byte 0x66, 0x66, 0x48\n call __tls_get_addr@PLT\n pop %rdi"
        )
    };
    let (thread, plain) = (call("lea x@tlsgd(%rip), %rdi"), call("lea 1b(%rip), %rdi\n1:"));
    refused(&assembly(directory.path(), &thread, &format!("{add}{variable}")), &["R_X86_64_TLSGD to `x`"]);
    proved(&assembly(directory.path(), &plain.replace("1b(", "0("), &format!("{add}{variable}")));
}

/// Where a relocation promises an instruction that reads a slot, linkers change the bytes before the relocated ones,
/// whatever they are.
#[test]
fn slots_are_read_by_instructions_that_linkers_know() {
    let directory = directory();
    let data = ".section .rodata\n.globl seven\n.balign 8\nseven: .quad 7\n";
    let reads = |r_type: &str, before: &str, after: &str| {
        let field = format!(".reloc ., R_X86_64_{r_type}, seven - 4\n .long 0");
        assembly(directory.path(), &format!("push %rax\n pop %r8\n{before}\n{field}\n{after}\n lea 7(%r8), %rax"), data)
    };
    let words = "around the address of a slot";
    for (r_type, before, is_right) in [
        ("GOTPCRELX", ".byte 0x8b, 0x0d", true),
        ("REX_GOTPCRELX", ".byte 0x48, 0x8b, 0x0d", true),
        ("GOTPCREL", ".byte 0x48, 0x8b, 0x0d", true),
        // The prefix belongs to another instruction, or there is one prefix too many, or none.
        ("REX_GOTPCRELX", "mov $0x4c000000, %ecx\n .byte 0x8b, 0x0d", false),
        ("REX_GOTPCRELX", ".byte 0x66, 0x44, 0x8b, 0x0d", false),
        ("GOTPCRELX", ".byte 0x66, 0x8b, 0x0d", false),
        ("GOTPCRELX", ".byte 0x4c, 0x8b, 0x0d", false),
        // `pmovsxwd`, whose last opcode byte is that of an addition.
        ("GOTPCREL", ".byte 0x66, 0x0f, 0x38, 0x23, 0x05", true),
        ("GOTPCRELX", ".byte 0x66, 0x0f, 0x38, 0x23, 0x05", false),
        // `lea`, and an addition of bytes.
        ("GOTPCREL", ".byte 0x48, 0x8d, 0x0d", true),
        ("REX_GOTPCRELX", ".byte 0x48, 0x8d, 0x0d", false),
        ("REX_GOTPCRELX", ".byte 0x48, 0x02, 0x0d", false),
        ("REX_GOTPCRELX", ".byte 0x48, 0x03, 0x0d", true),
    ] {
        let object = reads(r_type, before, "");
        if is_right { proved(&object) } else { refused(&object, &[words]) }
    }
}

/// Linkers read only the whole relocations of a section that ends in the middle of one.
#[test]
fn relocations_that_not_all_linkers_read_are_refused() {
    const SHT_RELA: u64 = 4;
    let directory = directory();
    let data = ".section .rodata\n.balign 8\nseven: .quad 7\n";
    let right = Elf(std::fs::read(assembly(directory.path(), "add seven(%rip), %rax", data)).expect("an object"));
    right.proved();
    let header = right.section(SHT_RELA);
    for (at, length, value) in [(32, 8, 25), (32, 8, 1 << 40), (56, 8, 48), (40, 4, 1), (44, 4, 0)] {
        let (code, said) = right.changed(|elf| elf.set(header + at, length, value)).said();
        assert!(code == 1 && said.contains("E0860"), "{at}: {said}");
    }
}

/// The final link creates some sections anew, and puts data where an object's sections end.
#[test]
fn what_linkers_make_anew_is_not_known() {
    let directory = directory();
    let note = |name: &str| format!(".section {name}, \"a\"\n.balign 8\nseven: .quad 7\n");
    proved(&assembly(directory.path(), "add seven(%rip), %rax", &note(".note.own")));
    for name in [".note.gnu.property", ".sframe", ".dtors", ".ctors.65000"] {
        refused(&assembly(directory.path(), "add seven(%rip), %rax", &note(name)), &["in no section that is loaded"]);
    }
    let (code, said) =
        prove(&assembly(directory.path(), "add $7, %rax", ".section .note.GNU-split-stack, \"\", @progbits"));
    assert!(code == 1 && said.contains("E0860") && said.contains("-fno-split-stack"), "{said}");
    let beyond = |start: &str| {
        let other = "other: mov (%rsi), %rax\n add $7, %rax\n mov %rax, (%rdi)\n ret\n";
        let text = format!(
            ".globl f\n.type f, @function\n.text\nstart: .zero 16\nf = {start}\n.section .text.b, \"ax\"\n{other}"
        );
        write(directory.path(), "f.s", format!("{text}.section .note.GNU-stack\n"));
        compile("gcc-12", &[], directory.path(), &["-c", "f.s", "-o", "f.o"]);
        directory.path().join("f.o")
    };
    proved(&beyond("other"));
    for distance in [16, 17] {
        refused(&beyond(&format!("start + {distance}")), &["no function `f`"]);
    }
}
