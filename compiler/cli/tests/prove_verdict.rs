//! The verdict's description of arguments: how they are passed, the layout of their memory, and the assumptions.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::path::{Path, PathBuf};

use support::proving::{Kernel, ONE_GROUP, compile};
use support::{code, culet, directory, stderr, stdout, text, write};

/// The library's Rectangle for 16 blocks side by side, interleaved twice.
fn interleaved(directory: &Path) -> (Kernel, PathBuf) {
    let kernel = Kernel { more: &["--interleave", "2"], ..Kernel::of("rectangle.ua", "Rectangle", "v", "avx2") };
    let object = kernel.object(directory, "gcc-12", &kernel.c(directory));
    (kernel, object)
}

#[test]
fn the_layout_and_what_is_assumed_are_printed() {
    let directory = directory();
    let (kernel, object) = interleaved(directory.path());
    let arguments =
        ["--node", "Rectangle", "--slice", "v", "--target", "avx2", "--interleave", "2", "--name", "rectangle"];
    let output = culet(&[&["prove", text(&object), "--source", text(&kernel.source)], &arguments[..]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let printed = stdout(&output);
    let lanes = "atom a of block s is lane s (of 16 bits, least significant first) of register a";
    for line in [
        &format!(
            "writes 256 bytes at rdi, aligned to 32: registers of cipher; {lanes}; in group g, registers count from 4 g and blocks from 16 g on"
        ),
        &format!("reads 3328 bytes at rdx, aligned to 32: registers of round_keys; {lanes}"),
        "reads 256 bytes at rsi, aligned to 1: bytes of plain; block s from byte 8 s on, words of 16 bits in turn, each most significant byte first",
        "reads 208 bytes at rsi, aligned to 1: bytes of round_keys; words of 16 bits in turn, each most significant byte first",
        "rcx is the number of blocks; below 2^46",
    ] {
        assert!(printed.lines().any(|printed| printed.trim_start() == line), "{line}\n{printed}");
    }
    for assumption in
        ["stack pointer is 8 more than a multiple of 16", "the CPU has AVX, AVX2,", "direction flag is clear"]
    {
        let is_said = printed.lines().any(|line| line.starts_with("assumed: ") && line.contains(assumption));
        assert!(is_said, "{assumption}\n{printed}");
    }
    // The header has the same description.
    let header = std::fs::read_to_string(directory.path().join("rectangle.h")).expect("a header");
    for part in [
        lanes,
        "in group g, registers count from 4 g and blocks from 16 g on",
        "words of 16 bits in turn, each most significant byte first",
    ] {
        assert!(header.contains(part), "{part}\n{header}");
    }
    let found = kernel.prove(&object, "rectangle_sliced");
    found.assert_proved(1);
    let verdict = &found.verdicts[0];
    let argument = &verdict["arguments"][2];
    assert_eq!((&argument["place"], &argument["layout"]), (&"rdx".into(), &lanes.into()), "{verdict}");
    assert_eq!(verdict["extensions"], serde_json::json!(["AVX", "AVX2"]));
    assert!(verdict["assumed"].as_array().is_some_and(|list| list.len() >= 4), "{verdict}");
}

/// Padding bits must be zero where they are read, and the argument's line says so.
#[test]
fn padding_is_named() {
    let directory = directory();
    let program = "node padded (a : u<B>5x3) returns (b : u<B>5x3)\nlet\n  b = (a[1], a[2], a[0] ^ a[1])\ntel\n";
    let source = write(directory.path(), "padded.ua", program);
    let kernel = Kernel { source, node: "padded", slice: "b", target: "c64", more: ONE_GROUP };
    let object = kernel.object(directory.path(), "gcc-12", &kernel.c(directory.path()));
    let found = kernel.prove_with(&object, &[]);
    assert_eq!(found.code, 0, "{found:?}");
    for verdict in &found.verdicts {
        for argument in
            verdict["arguments"].as_array().expect("arguments").iter().filter(|argument| argument["word"] == false)
        {
            let (name, layout) = (argument["name"].as_str(), argument["layout"].as_str().expect("a layout"));
            // 15 bits take two bytes, so that bytes have padding, and 15 registers, which have none.
            let is_padded = name.is_some_and(|name| !name.starts_with("registers of "));
            assert_eq!(layout.ends_with("; all other bits are zero"), is_padded, "{argument}");
        }
    }
}

/// An operation on mask registers, which the second decoder does not know.
#[test]
fn what_one_decoder_says_is_named() {
    let directory = directory();
    let program = "node same (a : u<V>64) returns (b : u<V>64)\nlet\n  b = a\ntel\n";
    let source = write(directory.path(), "same.ua", program);
    let kernel = Kernel { source, node: "same", slice: "v", target: "c64", more: ONE_GROUP };
    let assembly = |body: &str| {
        format!(
            ".text\n.globl same_sliced\n.type same_sliced, @function\nsame_sliced:\n{body}\n ret\n.size same_sliced, . - same_sliced\n"
        )
    };
    for (body, expected) in [
        (" mov (%rsi), %rax\n mov %rax, (%rdi)", serde_json::json!([])),
        (" kmovq (%rsi), %k1\n kmovq %k1, (%rdi)", serde_json::json!(["kmovq"])),
    ] {
        write(directory.path(), "same.s", assembly(body));
        compile("gcc-12", &[], directory.path(), &["-c", "same.s", "-o", "same.o"]);
        let found = kernel.prove(&directory.path().join("same.o"), "same_sliced");
        found.assert_proved(1);
        assert_eq!(found.verdicts[0]["one_decoder"], expected, "{found:?}");
    }
}

#[test]
fn arguments_beyond_six_are_on_the_stack() {
    let directory = directory();
    let program = "node many (a : u<V>32, b : u<V>32, c : u<V>32, d : u<V>32, e : u<V>32, f : u<V>32, g : u<V>32)\n\
                   returns (r : u<V>32, s : u<V>32)\nlet\n  r = a + b + c;\n  s = d ^ e ^ (f & g)\ntel\n";
    let source = write(directory.path(), "many.ua", program);
    let kernel = Kernel { source, node: "many", slice: "v", target: "sse", more: ONE_GROUP };
    let good = kernel.c(directory.path());
    for compiler in ["gcc-12", "clang-19"] {
        let object = kernel.object(directory.path(), compiler, &good);
        let found = kernel.prove_with(&object, &[]);
        found.assert_kernel_proved(1 + 9);
        let sliced = found.verdicts.iter().find(|verdict| verdict["symbol"] == "many_sliced").expect("a verdict");
        let places: Vec<&str> =
            sliced["arguments"].as_array().expect("a list").iter().filter_map(|a| a["place"].as_str()).collect();
        assert_eq!(places, ["rdi", "rsi", "rdx", "rcx", "r8", "r9", "[rsp+8]", "[rsp+16]", "[rsp+24]"]);
        let start = good.find("void many_sliced(").expect("the function");
        let wrong = good[..start].to_owned() + &good[start..].replacen(" & ", " | ", 1);
        assert_ne!(wrong, good);
        let object = kernel.object(directory.path(), compiler, &wrong);
        let found = kernel.prove(&object, "many_sliced");
        let rejection = found.rejected("different");
        assert_eq!(rejection["replay"], "confirmed on this CPU", "{rejection}");
    }
}

/// A verdict names the lengths for which the proof holds.
#[test]
fn what_holds_for_some_lengths_is_said_of_these() {
    let directory = directory();
    let object = directory.path().join("copy.o");
    let code_of_copy = "void copy(unsigned long *out, const unsigned long *a, unsigned n) { *out = *a + (n == 4); }\n";
    let source = write(directory.path(), "copy.c", code_of_copy);
    let compiled =
        std::process::Command::new("gcc-12").args(["-O2", "-c", text(&source), "-o", text(&object)]).status();
    assert!(compiled.expect("it starts").success());
    let number = |name: &str, direction: &str| {
        format!("[[argument]]\nname = \"{name}\"\ndirection = \"{direction}\"\nlimbs = 1\nradix = 64\n")
    };
    let length = "[[argument]]\nname = \"n\"\ndirection = \"length\"\nbits = 32\nvalues = [3, 4, 5]\n";
    let (out, a) = (number("out", "out"), number("a", "in"));
    let contract = format!("symbol = \"copy\"\nequation = \"out = a mod 2^64\"\n{out}{a}{length}");
    let contract = write(directory.path(), "copy.toml", &contract);
    let output = culet(&["prove", text(&object), "--contract", text(&contract)]);
    let printed = stdout(&output);
    assert_eq!(code(&output), 1, "{printed}{}", stderr(&output));
    assert!(printed.contains("NOT PROVED  copy (n = 4)"), "{printed}");
    assert!(printed.contains("proved of copy (n = 3), copy (n = 5): for all arguments"), "{printed}");
    assert!(!printed.lines().any(|line| line.starts_with("proved: ")), "{printed}");
}

/// The number of instructions that a function executes depends on the number of its blocks: the given number is that of
/// a part.
#[test]
fn instructions_of_a_part_are_said_to_be() {
    let directory = directory();
    let (kernel, object) = interleaved(directory.path());
    for (symbol, is_in_parts) in [("rectangle_run", true), ("rectangle_blocks", false)] {
        let found = kernel.prove(&object, symbol);
        let verdict = found.verdicts.iter().find(|verdict| verdict["symbol"] == symbol).expect("its verdict");
        assert_eq!(verdict["in_parts"], is_in_parts, "{verdict}");
    }
}

/// A proof that is known not to exist is refused before it is searched for.
#[test]
fn choices_in_loops_over_binary_fields_are_refused() {
    let dir = directory();
    let program = "field g = GF2(x^128 + x^7 + x^2 + x + 1)
node f (a, b : g, k : u8) returns (c : g)
vars
  bit : u1[8]
let
  bit = bits(k);
  c = a;
  fold i in [0, 7] {
    c := (bit[i] ? c + b : c) * a
  }
tel
";
    let file = write(dir.path(), "choices.ua", program);
    let arguments = ["compile", text(&file), "--target", "c64", "--prove", "--cc", "gcc-12", "-o", text(dir.path())];
    let output = culet(&arguments);
    let said = stdout(&output) + &stderr(&output);
    assert_eq!(code(&output), 1, "{said}");
    assert!(said.contains("loops with choices between elements of a binary field"), "{said}");
}
