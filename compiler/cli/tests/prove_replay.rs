//! Counterexamples to contracts are run on this CPU for every kind of argument: words, lengths, and memory that may be
//! shared with another argument.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use support::proving::compile;
use support::{code, culet, directory, stderr, stdout, text, write};

/// An argument of a contract.
fn argument(name: &str, more: &str) -> String {
    format!("[[argument]]\nname = \"{name}\"\n{more}\n")
}

/// The output of the command for a function that violates its contract.
fn said(c: &str, equation: &str, arguments: &[String]) -> String {
    let directory = directory();
    write(directory.path(), "f.c", format!("#include <stdint.h>\n{c}\n"));
    compile("gcc-12", &[], directory.path(), &["-O1", "-c", "f.c", "-o", "f.o"]);
    let contract = format!("symbol = \"f\"\nequation = \"{equation}\"\n{}", arguments.concat());
    let contract = write(directory.path(), "f.toml", contract);
    let output = culet(&["prove", text(&directory.path().join("f.o")), "--contract", text(&contract)]);
    assert_eq!(code(&output), 1, "{}", stdout(&output) + &stderr(&output));
    stdout(&output)
}

const NUMBER: &str = "limbs = 2\nradix = 64";

#[test]
fn what_is_wrong_is_wrong_on_this_cpu() {
    let word = |name| argument(name, "direction = \"value\"");
    let memory = |name, direction| argument(name, &format!("direction = \"{direction}\"\n{NUMBER}"));
    let returned = argument("sum", "direction = \"return\"\nbits = 32\nbelow = \"2^32\"");
    let aliased = argument("out", &format!("direction = \"out\"\n{NUMBER}\nmay_alias = [\"a\"]"));
    let length = argument("n", "direction = \"length\"\nvalues = [2]");
    let cases = [
        // Words; exchanged limbs, perhaps in place; a public length; memory that is both read and written.
        (
            "uint32_t f(uint32_t a, uint64_t b) { return a + (uint32_t)b + (b == 5 ? 1u : 2u) - 1; }",
            "sum = a + b mod 2^32",
            vec![argument("a", "direction = \"value\"\nbits = 32"), word("b"), returned],
        ),
        (
            "void f(uint64_t *out, const uint64_t *a) { out[0] = a[1]; out[1] = a[0]; }",
            "out = a",
            vec![aliased.clone(), memory("a", "in")],
        ),
        (
            "void f(uint64_t *out, const uint64_t *a, uint64_t n) { for (uint64_t i = 0; i < n; i++) out[i] = a[0]; }",
            "out = a",
            vec![aliased, memory("a", "in"), length],
        ),
        ("void f(uint64_t *x) { x[0] ^= x[1]; }", "x' = x", vec![memory("x", "inout")]),
    ];
    for (c, equation, arguments) in cases {
        let said = said(c, equation, &arguments);
        assert!(said.starts_with("NOT PROVED  f") && said.contains("(confirmed on this CPU)"), "{c}\n{said}");
    }
}

#[test]
fn what_the_caller_leaves_is_not_in_the_model() {
    let c = "uint64_t f(uint64_t a) { uint64_t kept; __asm__(\"mov %%rbx, %0\" : \"=r\"(kept)); return a + kept + 1; }";
    let arguments = [argument("a", "direction = \"value\""), argument("b", "direction = \"return\"")];
    let said = said(c, "b = a mod 2^64", &arguments);
    assert!(said.contains("not confirmed on this CPU") && said.contains("what the caller leaves"), "{said}");
}
