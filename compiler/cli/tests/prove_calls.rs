//! Contracts of functions that call others: the results that callees guarantee, and the arguments that they accept.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::path::Path;

use support::proving::compile;
use support::{code, culet, directory, stderr, stdout, text, write};

/// Writes multiplication modulo 2^61 - 1, with its contract, and elements as words.
fn module(directory: &Path) {
    let output = culet(&["field", "GF(2^61 - 1)", "--ops", "mul,square,inv", "-o", text(directory)]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
}

/// A function `f(out, a)` beside the module's.
fn with(directory: &Path, body: &str) {
    let c = format!("#include \"fe.c\"\nvoid f(uint64_t out[1], const uint64_t a[1])\n{{\n    {body}\n}}\n");
    write(directory, "f.c", c);
    compile("gcc-12", &[], directory, &["-c", "f.c", "-o", "f.o"]);
}

/// Writes the contract of `f`, with the bounds of the module's inverse.
fn contract(directory: &Path, equation: &str, calls: &str) {
    let inverse = std::fs::read_to_string(directory.join("fe_inv.toml")).expect("a contract");
    let arguments = inverse.find("\n[constants]").expect("constants");
    let head = format!("symbol = \"f\"\nequation = \"{equation}\"\ncalls = [{calls}]\n");
    write(directory, "f.toml", head + &inverse[arguments..]);
}

fn prove(directory: &Path, object: &str, contract: &str) -> (i32, String) {
    let (object, contract) = (directory.join(object), directory.join(contract));
    let output = culet(&["prove", text(&object), "--contract", text(&contract)]);
    (code(&output), stdout(&output) + &stderr(&output))
}

#[test]
fn an_inverse_is_proved_by_what_its_products_are() {
    let directory = directory();
    let path = directory.path();
    module(path);
    for compiler in ["gcc-12", "clang-19"] {
        compile(compiler, &[], path, &["-c", "fe.c", "-o", "fe.o"]);
        let (code, said) = prove(path, "fe.o", "fe_inv.toml");
        assert_eq!(code, 0, "{compiler}: {said}");
        for part in [
            "proved      fe_inv",
            "proved of fe_mul: for all arguments within the contract's bounds `out = a * b mod p` holds",
            "proved of fe_inv: for all arguments within the contract's bounds `out * a^2 = a mod p`",
        ] {
            assert!(said.contains(part), "{compiler}: {part}: {said}");
        }
    }
    // A product that is wrong: the function that uses it is not proved either.
    let c = std::fs::read_to_string(path.join("fe.c")).expect("C");
    let store = c.find("out[0] = ").expect("a result") + "out[0] = ".len();
    write(path, "fe.c", format!("{}1 + {}", &c[..store], &c[store..]));
    compile("gcc-12", &[], path, &["-c", "fe.c", "-o", "fe.o"]);
    let (code, said) = prove(path, "fe.o", "fe_inv.toml");
    assert!(code == 1 && said.contains("NOT PROVED  fe_mul") && said.contains("NOT PROVED  fe_inv"), "{said}");
}

#[test]
fn calls_are_followed_through_memory() {
    let directory = directory();
    let path = directory.path();
    module(path);
    let mul = "\"fe_mul.toml\"";
    for (body, equation, is_right) in [
        ("uint64_t t[1]; fe_mul(t, a, a); fe_mul(out, t, a);", "out = a^3 mod p", true),
        ("uint64_t t[1]; fe_mul(t, a, a); fe_mul(out, t, a);", "out = a^4 mod p", false),
        ("uint64_t t[1]; fe_mul(t, a, a); fe_mul(t, t, a); out[0] = t[0];", "out = a^3 mod p", true),
        // The result may be in the argument's memory, which the first call has then overwritten.
        ("fe_mul(out, a, a); fe_mul(out, out, a);", "out = a^3 mod p", false),
        ("uint64_t t[1]; fe_mul(t, a, a); t[0] += 1; fe_mul(out, t, a);", "out = a^3 mod p", false),
        ("uint64_t t[2]; fe_mul(t, a, a); fe_mul(t + 1, t, t); out[0] = t[1];", "out = a^4 mod p", true),
        ("uint64_t t[1] = {3}; fe_mul(out, t, a);", "out = 3 * a mod p", false),
        // A place in the stack that was never written, and a result that is changed afterwards.
        ("uint64_t t[2]; fe_mul(t, a, a); fe_mul(out, t + 1, a);", "out = a^3 mod p", false),
        ("fe_mul(out, a, a); out[0] &= 0xffffffff;", "out = a^2 mod p", false),
    ] {
        with(path, body);
        contract(path, equation, mul);
        let (code, said) = prove(path, "f.o", "f.toml");
        assert_eq!(code == 0, is_right, "{body} {equation}: {said}");
        assert!(is_right || code == 1 && said.contains("NOT PROVED  f"), "{body} {equation}: {said}");
    }
}

#[test]
fn lanes_are_numbers_of_their_own() {
    let directory = directory();
    let path = directory.path();
    module(path);
    for (second, is_right) in [("a + 1, a + 1", true), ("a, a", false), ("a + 1, a", false)] {
        with(path, &format!("fe_mul(out, a, a); fe_mul(out + 1, {second});"));
        contract(path, "out = a^2 mod p", "\"fe_mul.toml\"");
        let text = std::fs::read_to_string(path.join("f.toml")).expect("a contract");
        write(
            path,
            "f.toml",
            text.replace("limbs = 1\n", "limbs = 1\nlanes = 2\n").replace("may_alias = [\"a\"]\n", ""),
        );
        let (code, said) = prove(path, "f.o", "f.toml");
        assert_eq!(code == 0, is_right, "{second}: {said}");
    }
}

/// The C library's functions use stack that no callee's proof counts: nothing below the stack pointer stays known.
#[test]
fn what_lies_below_the_stack_is_lost_where_the_c_library_is_called() {
    let directory = directory();
    let path = directory.path();
    module(path);
    let callee = |copy: &str| {
        let c = format!(
            "#include <stdint.h>\n#include <string.h>\n#include \"fe.c\"\n\
             __attribute__((noipa)) void copied(uint64_t out[1], const uint64_t a[1])\n\
             {{ uint64_t t[1]; {copy}; fe_mul(out, t, a); }}\n\
             __asm__(\".globl f\\n.type f, @function\\nf: mov %rdi, -120(%rsp)\\nsub $8, %rsp\\ncall copied\\nadd $8, %rsp\\n\
             mov -120(%rsp), %rax\\nmov (%rax), %rax\\nret\\n.size f, . - f\\n\");\n"
        );
        write(path, "f.c", c);
        compile("gcc-12", &["-fno-builtin"], path, &["-c", "f.c", "-o", "f.o"]);
        let square = std::fs::read_to_string(path.join("fe_square.toml")).expect("a contract");
        write(path, "copied.toml", square.replace("\"fe_square\"", "\"copied\""));
        contract(path, "out = a^2 mod p", "\"copied.toml\"");
        prove(path, "f.o", "f.toml")
    };
    let (code, said) = callee("t[0] = a[0]");
    assert_eq!(code, 0, "{said}");
    let (code, said) = callee("memmove(t, a, 8)");
    assert!(code == 1 && said.contains("proved      copied") && said.contains("NOT PROVED  f"), "{said}");
}

#[test]
fn what_calls_name_are_contracts_of_functions_that_call_none() {
    let directory = directory();
    let path = directory.path();
    module(path);
    with(path, "fe_mul(out, a, a);");
    for (calls, word) in [
        ("\"fe_cube.toml\"", "cannot read"),
        ("\"f.toml\"", "is no contract of one function that calls none"),
        ("\"fe_inv.toml\"", "is no contract of one function that calls none"),
        ("\".\"", "cannot read"),
    ] {
        contract(path, "out = a^2 mod p", calls);
        let (code, said) = prove(path, "f.o", "f.toml");
        assert!(code != 0 && said.contains(word), "{calls}: {code} {said}");
    }
    contract(path, "out = a^2 mod p", "\"fe_mul.toml\"");
    let erasure = culet(&["prove", text(&path.join("f.o")), "--contract", text(&path.join("f.toml")), "--erasure"]);
    assert!(code(&erasure) == 1 && stdout(&erasure).contains("NOT PROVED  f:"), "{}", stdout(&erasure));
}
