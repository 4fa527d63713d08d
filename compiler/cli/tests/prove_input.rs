//! Wrong inputs to `culet prove`: each ends in a diagnostic with a place, a reason and a remedy, never in a panic or a
//! proof.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::path::{Path, PathBuf};

use culet_image::Image;
use support::proving::compile;
use support::{code, culet, directory, stderr, stdout, text, write};

/// `void f(uint64_t *out, const uint64_t *a)` copies a word.
const CONTRACT: &str = "symbol = \"f\"\nequation = \"out = a\"\n\
                        [[argument]]\nname = \"out\"\ndirection = \"out\"\nlimbs = 1\nradix = 64\n\
                        [[argument]]\nname = \"a\"\ndirection = \"in\"\nlimbs = 1\nradix = 64\n";

const RIGHT: &str = "void f(uint64_t *out, const uint64_t *a) { *out = *a; }";

fn object(directory: &Path, flags: &[&str], c: &str) -> PathBuf {
    write(directory, "f.c", format!("#include <stdint.h>\n{c}\n"));
    compile("gcc-12", &[], directory, &[flags, &["-c", "f.c", "-o", "f.o"]].concat());
    directory.join("f.o")
}

fn assembly(directory: &Path, body: &str) -> PathBuf {
    write(directory, "f.s", format!("{body}\n.section .note.GNU-stack\n"));
    compile("gcc-12", &[], directory, &["-c", "f.s", "-o", "f.o"]);
    directory.join("f.o")
}

/// The exit code and the output of the command on a file and a contract.
fn said(file: &Path, contract: &str, more: &[&str]) -> (i32, String) {
    let directory = directory();
    let contract = write(directory.path(), "f.toml", contract);
    let output = culet(&[&["prove", text(file), "--contract", text(&contract)][..], more].concat());
    (code(&output), stdout(&output) + &stderr(&output))
}

/// Asserts that the exit code is 1 and each of the words is in the output.
fn refused(file: &Path, more: &[&str], words: &[&str]) {
    let (code, said) = said(file, CONTRACT, more);
    assert_eq!(code, 1, "{said}");
    assert!(!said.contains("proved      "), "{said}");
    for word in words {
        assert!(said.contains(word), "`{word}` is not in: {said}");
    }
}

#[test]
fn files_that_are_no_machine_code() {
    let directory = directory();
    let good = object(directory.path(), &[], RIGHT);
    assert_eq!(said(&good, CONTRACT, &[]).0, 0);
    let bytes = std::fs::read(&good).expect("an object");
    let file = |bytes: &[u8]| write(directory.path(), "file", bytes);
    refused(&file(b""), &[], &["E0860", "it is empty"]);
    refused(&file(b"int main(void) { return 0; }\n"), &[], &["E0860", "an object, a shared object or an executable"]);
    refused(&file(b"!<arch>\n"), &[], &["E0860", "`ar x`"]);
    refused(&file(&bytes[..bytes.len() / 2]), &[], &["E0860", "ELF"]);
    let mut narrow = bytes.clone();
    narrow[4] = 1; // EI_CLASS: 32 bits
    refused(&file(&narrow), &[], &["E0860", "32 bits"]);
    let mut other = bytes.clone();
    other[18] = 183; // e_machine: AArch64
    refused(&file(&other), &[], &["E0860", "Aarch64", "x86-64"]);
    for (file, why) in [(directory.path(), "it is a directory"), (Path::new("/dev/zero"), "it is not a regular file")] {
        refused(file, &[], &["E0801", why]);
    }
    refused(Path::new("/no/such/file"), &[], &["E0801", "no such file or directory"]);
    for (contract, why) in
        [("/dev/zero", "it is not a regular file"), ("/no/such.toml", "no such file"), (text(&good), "it is not UTF-8")]
    {
        let output = culet(&["prove", text(&good), "--contract", contract]);
        assert!(code(&output) == 1 && stderr(&output).contains("E0801") && stderr(&output).contains(why), "{output:?}");
    }
}

#[test]
fn names_that_are_no_functions() {
    let directory = directory();
    let good = object(directory.path(), &[], RIGHT);
    refused(&good, &["--symbol", "g"], &["no function `g`", "it has f"]);
    let status = std::process::Command::new("strip").arg(&good).status().expect("strip");
    assert!(status.success());
    refused(&good, &[], &["no function `f`", "stripped"]);
    let data = object(directory.path(), &[], "int f = 5;");
    refused(&data, &[], &["no function `f`", "symbol of that name is no function"]);
    let label = assembly(directory.path(), ".text\n.globl f\nf: mov (%rsi),%rax\n mov %rax,(%rdi)\n ret");
    refused(&label, &[], &["`.type NAME, @function`"]);
}

#[test]
fn code_that_leaves_the_file_or_its_path() {
    let directory = directory();
    let external = "extern void g(void); extern uint64_t other;";
    let calls = object(
        directory.path(),
        &[],
        &format!("{external} void f(uint64_t *o, const uint64_t *a) {{ g(); *o = *a; }}"),
    );
    refused(&calls, &[], &["at f+0x", "`g` is called", "`ld -r`"]);
    compile("gcc-12", &["-shared", "-fPIC"], directory.path(), &["f.c", "-o", "f.so"]);
    refused(&directory.path().join("f.so"), &[], &["at f+0x", "(call ", "`g` is called", "`ld -r`"]);
    let reads = object(
        directory.path(),
        &["-fno-pic"],
        &format!("{external} void f(uint64_t *o, const uint64_t *a) {{ *o = *a + other; }}"),
    );
    refused(&reads, &[], &["at f+0x", "`other`, which this image does not hold"]);
    let indirect =
        object(directory.path(), &[], "void f(uint64_t *o, const uint64_t *a) { ((void (*)(void))*a)(); *o = *a; }");
    refused(&indirect, &[], &["at f+0x", "address that is not known", "depends on a[0]"]);
    let function =
        |body: &str| format!(".globl f\n.type f, @function\nf: {body}\n mov (%rsi),%rax\n mov %rax,(%rdi)\n ret");
    let writes = "movb $0x90, 1f(%rip)\n1: nop";
    let itself = assembly(directory.path(), &format!(".text\n{}", function(writes)));
    refused(&itself, &[], &["at f+0x0", "in the image itself, is written"]);
    let writable = assembly(directory.path(), &format!(".section .code, \"awx\", @progbits\n{}", function(writes)));
    refused(&writable, &[], &["the program may change the code"]);
    let beyond = assembly(directory.path(), &format!(".text\n{}", function("jmp . + 0x1000")));
    refused(&beyond, &[], &["at f+0x0", "(jmp ", "where there is no code"]);
}

/// Before the final link such objects hold no machine code, only the compiler's intermediate form.
#[test]
fn objects_that_are_compiled_when_they_are_linked() {
    let directory = directory();
    for (compiler, words) in [("gcc-12", "no function `f`"), ("clang-19", "E0860")] {
        write(directory.path(), "f.c", format!("#include <stdint.h>\n{RIGHT}\n"));
        compile(compiler, &[], directory.path(), &["-flto", "-c", "f.c", "-o", "f.o"]);
        refused(&directory.path().join("f.o"), &[], &[words, "the final link", "`-fno-lto`"]);
    }
}

/// A function that other files see may be replaced by another one when the program runs.
#[test]
fn calls_that_the_loader_may_send_elsewhere_are_named() {
    let directory = directory();
    let callee = "__attribute__((noinline)) uint64_t other(uint64_t x) { __asm__(\"\"); return x; }";
    let c = format!("#include <stdint.h>\n{callee}\nvoid f(uint64_t *o, const uint64_t *a) {{ *o = other(*a); }}\n");
    write(directory.path(), "f.c", c);
    let link = |more: &[&str]| {
        let arguments = [&["-shared", "-fPIC", "f.c", "-o", "f.so"], more].concat();
        compile("gcc-12", &[], directory.path(), &arguments);
        directory.path().join("f.so")
    };
    refused(&link(&[]), &[], &["the address of `other`, which the loader may take from another file", "`-Bsymbolic`"]);
    assert_eq!(said(&link(&["-Wl,-Bsymbolic"]), CONTRACT, &[]).0, 0);
}

/// Memory that is initialized to zero is not allocated by the prover.
#[test]
fn large_variables_take_no_memory() {
    let directory = directory();
    let object = object(directory.path(), &[], &format!("char large[1000000000];\n{RIGHT}"));
    compile("gcc-12", &["-shared", "-fPIC"], directory.path(), &["f.c", "-o", "f.so"]);
    for file in [object, directory.path().join("f.so")] {
        let image = Image::read(&std::fs::read(&file).expect("a file")).expect("an image");
        assert!(image.parts().map(|(_, bytes)| bytes.len()).sum::<usize>() < 1 << 20);
        assert_eq!(said(&file, CONTRACT, &[]).0, 0);
    }
}

/// Whatever a function's name, its entry is a file in the directory, and the entry of another file's function stays.
#[test]
fn entries_of_the_manifest_stay_in_their_directory() {
    let directory = directory();
    let proofs = directory.path().join("in/proofs");
    let keep = |name: &str, symbol: &str| {
        let function = format!(
            ".text\n.globl \"{symbol}\"\n.type \"{symbol}\", @function\n\"{symbol}\": mov (%rsi),%rax\n mov %rax,(%rdi)\n ret"
        );
        let object = directory.path().join(name);
        std::fs::rename(assembly(directory.path(), &function), &object).expect("an object");
        let (code, said) = said(&object, CONTRACT, &["--symbol", symbol, "--proofs", text(&proofs)]);
        assert_eq!(code, 0, "{said}");
    };
    for (name, symbol) in [
        ("a.o", "../../evil"),
        ("a.o", "/evil"),
        ("a.o", ".."),
        ("a.o", "f"),
        ("a.o", "f"),
        ("b.o", "f"),
        ("b.o", "f"),
        ("b.o", "_ZN1f1gEv.part.0"),
    ] {
        keep(name, symbol);
    }
    let mut found: Vec<String> = std::fs::read_dir(&proofs)
        .expect("the directory of proofs")
        .map(|entry| entry.expect("it can be listed").file_name().into_string().expect("a name"))
        .collect();
    found.sort();
    assert_eq!(
        found,
        ["%2E.%2F..%2Fevil.json", "%2E..json", "%2Fevil.json", "_ZN1f1gEv.part.0.json", "f.json", "f@b.o.json"]
    );
    assert!(!directory.path().join("evil.json").exists());
}

#[test]
fn formulas_without_end() {
    let directory = directory();
    let good = object(directory.path(), &[], RIGHT);
    for (formula, words) in [
        (format!("out = a{}", " + 0".repeat(40_000)), "more than 2000"),
        (format!("out = a{}", " * 1".repeat(40_000)), "more than 2000"),
        (format!("out = a + 0 * {}", "9".repeat(1_000_000)), "more than 10000 characters"),
        (format!("out = {}a", "- ".repeat(40_000)), "more than"),
    ] {
        let contract = CONTRACT.replace("out = a", &formula);
        let (code, said) = said(&good, &contract, &[]);
        assert!(code == 1 && said.contains("E0872") && said.contains(words), "{}", &said[..said.len().min(2000)]);
    }
    let long =
        CONTRACT.replace("limbs = 1\nradix = 64", "limbs = 80\nradix = 51").replace("out = a", "out = a * a * a * a");
    let (code_of_long, said_of_long) = said(&good, &long, &[]);
    assert!(code_of_long == 1 && said_of_long.contains("products of limbs"), "{said_of_long}");
    let (code, said) = said(&good, &CONTRACT.replace("out = a", &format!("out = a{}", " + 0".repeat(900))), &[]);
    assert_eq!(code, 0, "{said}");
}

/// The final link turns the `mov` that reads a slot into `lea`, so that its opcode is no constant.
#[test]
fn opcodes_that_the_final_link_changes_are_not_known() {
    let directory = directory();
    let body = ".globl f\n.type f,@function\nf:\n.Lf: mov g@GOTPCREL(%rip),%rax\n movzbl .Lf+1(%rip),%eax\n mov %rax,(%rdi)\n ret\n\
                .size f,.-f\n.globl g\n.type g,@function\ng: ret\n.size g,.-g";
    let contract = "symbol = \"f\"\nequation = \"out = 139\"\n[[argument]]\nname = \"out\"\ndirection = \"out\"\n";
    let (code, said) = said(&assembly(directory.path(), body), contract, &[]);
    assert!(code == 1 && said.contains("the final link may make another instruction"), "{said}");
}

/// The radix is used exactly as written: limb 5 of 38.4 bits each begins at bit 192.
#[test]
fn a_radix_is_what_is_written() {
    let directory = directory();
    let copy = object(
        directory.path(),
        &[],
        "void f(uint64_t *out, const uint64_t *a) { for (int i = 0; i < 6; i++) out[i] = a[i]; }",
    );
    let (code, said) = said(&copy, &CONTRACT.replace("limbs = 1\nradix = 64", "limbs = 6\nradix = 38.4"), &[]);
    assert!(code == 0 && said.contains("2^192") && !said.contains("2^193"), "{said}");
}

/// Memory of an argument is never at address zero, but a word of which a pointer is made may be.
#[test]
fn pointers_that_are_compared_with_null() {
    let directory = directory();
    let checked = |condition: &str| {
        let c = format!("int f(uint64_t *o, const uint64_t *a) {{ if ({condition}) return -1; *o = *a; return 0; }}");
        object(directory.path(), &["-O2"], &c)
    };
    for condition in ["!o || !a", "a == 0", "a + 1 == 0"] {
        for compiler in ["gcc-12", "clang-19"] {
            let file = checked(condition);
            compile(compiler, &[], directory.path(), &["-O2", "-c", "f.c", "-o", "f.o"]);
            let (code, said) = said(&file, CONTRACT, &[]);
            assert!(code == 0 && said.contains("none is at address zero"), "{compiler}, {condition}: {said}");
        }
    }
    for condition in
        ["!((uintptr_t)o & 64)", "!(uint32_t)(uintptr_t)o", "!*a", "(uintptr_t)a + 16 == 0", "(uintptr_t)a == 8"]
    {
        refused(&checked(condition), &[], &["a branch depends on what is not known"]);
    }
    refused(&checked("!o || a"), &[], &["out = a does not hold"]);
}

/// Clang assumes that callers extend words of 8 and 16 bits. The ABI does not say so, but a contract can.
#[test]
fn words_that_callers_extend() {
    let directory = directory();
    let contract = |bits: u32, extended: &str| {
        format!(
            "symbol = \"f\"\nequation = \"sum = a + b mod 2^64\"\n[[argument]]\nname = \"a\"\ndirection = \"value\"\nbits = {bits}\n{extended}\n\
             [[argument]]\nname = \"b\"\ndirection = \"value\"\n[[argument]]\nname = \"sum\"\ndirection = \"return\"\n"
        )
    };
    let zero = "extended = \"zero\"";
    for bits in [8, 16] {
        write(
            directory.path(),
            "f.c",
            format!("#include <stdint.h>\nuint64_t f(uint{bits}_t a, uint64_t b) {{ return a + b; }}\n"),
        );
        compile("clang-19", &[], directory.path(), &["-O2", "-c", "f.c", "-o", "f.o"]);
        let file = directory.path().join("f.o");
        let (code, plain) = said(&file, &contract(bits, ""), &[]);
        assert!(code == 1 && plain.contains("does not hold") && plain.contains("bits above a"), "{plain}");
        let (code, proved) = said(&file, &contract(bits, zero), &[]);
        assert!(code == 0 && proved.contains("which the caller extends to 32 bits by zeros"), "{proved}");
        let (code, wrong) = said(&file, &contract(bits, &zero.replace("zero", "sign")), &[]);
        assert!(code == 1 && wrong.contains("does not hold") && wrong.contains("confirmed"), "{wrong}");
    }
    // A sign-extended word is equal modulo 2^32 to the signed number.
    write(
        directory.path(),
        "f.c",
        "#include <stdint.h>\nuint64_t f(int8_t a, uint64_t b) { return (uint32_t)(a >> 31 & 1) + b; }\n",
    );
    compile("clang-19", &[], directory.path(), &["-O2", "-c", "f.c", "-o", "f.o"]);
    let sign = contract(8, "below = 128\nextended = \"sign\"").replace("a + b", "b");
    assert_eq!(said(&directory.path().join("f.o"), &sign, &[]).0, 0);
    for (bits, extended) in [(32, zero), (64, zero), (8, "extended = \"both\"")] {
        let (code, refused) = said(&directory.path().join("f.o"), &contract(bits, extended), &[]);
        assert!(code == 1 && refused.contains("E0870"), "{refused}");
    }
}

#[test]
fn budgets_can_be_raised() {
    let directory = directory();
    let endless = object(
        directory.path(),
        &[],
        "void f(uint64_t *o, const uint64_t *a) { *o = *a; for (;;) __asm__ volatile(\"\"); }",
    );
    refused(&endless, &["--instructions", "1000"], &["at f+0x", "more than 1000 instructions", "`--instructions`"]);
    let large = "void f(uint64_t *o, const uint64_t *a) { volatile char b[SIZE]; b[0] = 1; *o = *a + b[0] - 1; }";
    let huge = object(directory.path(), &[], &large.replace("SIZE", "100000000"));
    refused(&huge, &[], &["at f+0x", "stack", "`--stack`"]);
    let more = object(directory.path(), &[], &large.replace("SIZE", "20000000"));
    refused(&more, &[], &["`--stack`"]);
    let (code, said) = said(&more, CONTRACT, &["--stack", "30000000"]);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn contracts_that_are_none() {
    let directory = directory();
    let good = object(directory.path(), &[], RIGHT);
    for (contract, words) in [
        ("symbol = \"f", &["E0870", "f.toml:1:"][..]),
        ("just some text", &["E0870", "f.toml:1:"]),
        ("", &["E0870"]),
        (&CONTRACT.replace("radix", "radiks"), &["E0870", "unknown entry `radiks`"]),
        (&CONTRACT.replace("limbs = 1", "bits = \"64\""), &["E0870", "found the text \"64\", expected a whole number"]),
        (&CONTRACT.replace("limbs = 1", "lanes = -1"), &["E0870", "expected a whole number"]),
        (&CONTRACT.replace("limbs = 1", "below = true"), &["E0870", "a formula in quotes"]),
        (&CONTRACT.replace("limbs = 1", "limbs = [1]"), &["E0870", "expected a whole number, or a formula in quotes"]),
        (&CONTRACT.replace("radix = 64", "radix = [64]"), &["E0870", "expected bits a limb"]),
        (&CONTRACT.replace("\"out = a\"", "5"), &["E0870", "expected an equation in quotes"]),
        (&CONTRACT.replace("limbs = 1", "may_alias = \"a\""), &["E0870", "expected a list"]),
        (&CONTRACT.replace("symbol = \"f\"\n", ""), &["E0870", "there is no `symbol`"]),
        (&CONTRACT.replace("out = a", "out = b"), &["E0871", "`b`", "f.toml:2:"]),
        (&CONTRACT.replace("limbs = 1", "limbs = 1\nbelow = 0"), &["E0873", "f.toml:"]),
        (
            &CONTRACT.replace("out = a", "out = a + 1"),
            &[
                "NOT PROVED",
                "does not hold",
                "a[0] =",
                "computed:",
                "out[0] =",
                "expected:",
                "a + 1 =",
                "was written at f+0x",
            ],
        ),
        (&CONTRACT.replace("limbs = 1", "limbs = 2"), &["NOT PROVED"]),
    ] {
        let (code, said) = said(&good, contract, &[]);
        assert_eq!(code, 1, "{contract}: {said}");
        assert!(words.iter().all(|word| said.contains(word)), "{words:?}: {said}");
        // The directory has a name at random.
        let said = said.replace(text(directory.path()), "");
        let jargon = ["u64", "u32", "usize", "untagged", "struct"];
        assert!(jargon.iter().all(|word| !said.contains(word)), "{contract}: {said}");
    }
    let output = culet(&["prove", text(&good)]);
    assert!(code(&output) == 2 && stderr(&output).contains("--contract"), "{}", stderr(&output));
}

/// Objects with bytes changed anywhere or cut anywhere give an image or an error, and no proof unless it is right.
#[test]
fn damaged_objects_are_images_or_errors() {
    let directory = directory();
    object(directory.path(), &["-g"], RIGHT);
    compile("gcc-12", &["-g", "-shared", "-fPIC"], directory.path(), &["f.c", "-o", "f.so"]);
    let mut state = 1u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % limit
    };
    for file in ["f.o", "f.so"] {
        let good = std::fs::read(directory.path().join(file)).expect("a file");
        let mut images = 0;
        for _ in 0..3000 {
            let mut bytes = good.clone();
            for _ in 0..=below(4) {
                let at = if below(2) == 0 { below(good.len()) } else { good.len() - 1 - below(64 * 30) };
                bytes[at] = below(256) as u8;
            }
            let length = if below(4) == 0 { below(good.len()) } else { good.len() };
            if let Ok(image) = Image::read(&bytes[..length]) {
                images += 1;
                let addresses = [0, 0x1000, 0x10_0000, u64::MAX];
                assert!(addresses.iter().all(|&address| image.line(address).is_none_or(|(_, line)| line < u64::MAX)));
            }
        }
        assert!(images > 500, "{images} of {file}");
    }
}

#[test]
fn what_a_contract_has_no_use_for_is_refused() {
    let directory = directory();
    let object = object(directory.path(), &[], RIGHT);
    for options in
        [&["--mutate", "3"][..], &["--node", "f"], &["--slice", "b"], &["--target", "avx2"], &["--interleave", "2"]]
    {
        let (code, said) = said(&object, CONTRACT, options);
        assert!(code == 2 && said.contains("--contract"), "{options:?}: {said}");
    }
}

#[test]
fn verdicts_name_what_was_proved() {
    let directory = directory();
    let file = object(directory.path(), &[], RIGHT);
    let (_, printed) = said(&file, CONTRACT, &[]);
    assert!(printed.contains("`out = a` holds"), "{printed}");
    assert!(!printed.contains("addresses to which it is linked"), "{printed}");
    let program = write(
        directory.path(),
        "toy.ua",
        "node Same (x : u32) returns (y : u32)\nlet\n  y = x\ntel\n\nnode Not (x : u32) returns (y : u32)\nlet\n  y = ~x\ntel\n",
    );
    let out = directory.path().join("out");
    let chosen = ["--slice", "v", "--target", "sse", "--node", "Same", "--name", "toy"];
    let compiled = culet(&[&["compile", text(&program), "-o", text(&out)], &chosen[..]].concat());
    assert_eq!(code(&compiled), 0, "{}", stderr(&compiled));
    compile("gcc-12", &[], &out, &["-O2", "-msse4.1", "-c", "toy.c", "-o", "toy.o"]);
    for more in [&[][..], &["--message-format", "json"]] {
        let output = culet(&[&["prove", text(&out.join("toy.o")), "--source", text(&program)], more].concat());
        let printed = stdout(&output);
        assert!(code(&output) == 0 && printed.contains("node Same of"), "{printed}{}", stderr(&output));
    }
}

#[test]
fn keys_left_behind_are_found_by_contract() {
    let directory = directory();
    let leaking = "void f(uint64_t *out, const uint64_t *a) { volatile uint64_t kept = *a + 1; *out = kept - 1; }";
    let leaking = object(directory.path(), &["-O2"], leaking);
    assert_eq!(said(&leaking, CONTRACT, &[]).0, 0);
    let (code, printed) = said(&leaking, CONTRACT, &["--erasure"]);
    assert!(code == 1 && printed.contains("NOT PROVED") && printed.contains("is left in stack"), "{printed}");
    assert!(printed.contains("first by f+0x") && printed.contains("(mov "), "{printed}");
    let clean = object(directory.path(), &["-O2"], RIGHT);
    let (code, printed) = said(&clean, CONTRACT, &["--erasure"]);
    assert!(code == 0 && printed.contains("nothing that depends on data is left"), "{printed}");
}

/// A proof that exceeds the time limit ends the command with its name; a proof that takes a while is reported in lines
/// of progress.
#[test]
fn long_proofs_are_told_of_and_can_be_given_up() {
    let directory = directory();
    let endless = "void f(uint64_t *o, const uint64_t *a) { *o = *a; for (;;) __asm__ volatile(\"\"); }";
    let file = object(directory.path(), &[], endless);
    let start = std::time::Instant::now();
    let (code, said) = said(&file, CONTRACT, &["--time-limit", "4", "--instructions", "1000000000000"]);
    assert_eq!(code, 1, "{said}");
    for words in ["NOT PROVED  f: given up after 4 s", "stays open", "`--time-limit`", "proving f, for 2 s so far"] {
        assert!(said.contains(words), "`{words}` is not in: {said}");
    }
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    let (code, said) = self::said(&file, CONTRACT, &["--cpu-limit", "1", "--instructions", "1000000000000"]);
    assert!(code == 1 && said.contains("NOT PROVED  f: given up after 1 s"), "{said}");
    let json = ["--time-limit", "1", "--instructions", "1000000000000", "--message-format", "json"];
    let (code, said) = self::said(&file, CONTRACT, &json);
    assert!(code == 1 && said.contains("\"kind\":\"limit\"") && !said.contains("so far"), "{said}");
    let (code, _) = self::said(&object(directory.path(), &[], RIGHT), CONTRACT, &["--time-limit", "60"]);
    assert_eq!(code, 0);
}
