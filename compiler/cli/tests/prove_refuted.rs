//! Functions with bugs that are common in arithmetic on large integers. Most of them are wrong for few arguments only.
//! Each is refuted by arguments on which this CPU, too, computes a wrong result.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use support::proving::compile;
use support::{code, culet, directory, stderr, stdout, text, write};

/// A contract: the equation, constants, and arguments with their entries.
fn contract(equation: &str, arguments: &[(&str, &str, &str)]) -> String {
    let mut text = format!("symbol = \"f\"\nequation = \"{equation}\"\n[constants]\np = \"2^255 - 19\"\n");
    for (name, direction, entries) in arguments {
        let entries = entries.replace("; ", "\n");
        text += &format!("[[argument]]\nname = \"{name}\"\ndirection = \"{direction}\"\n{entries}\n");
    }
    text
}

/// Asserts that the function is refuted, and that its contract is proved after the replacement.
fn refuted(what: &str, contract: &str, wrong: &str, (from, to): (&str, &str)) {
    assert!(wrong.contains(from), "{what}");
    for (body, is_right) in [(wrong.replacen(from, to, 1), true), (wrong.to_owned(), false)] {
        let directory = directory();
        write(directory.path(), "f.c", format!("#include <stdint.h>\ntypedef unsigned __int128 wide;\n{body}\n"));
        compile("gcc-12", &["-O1"], directory.path(), &["-c", "f.c", "-o", "f.o"]);
        let file = write(directory.path(), "f.toml", contract);
        let output = culet(&["prove", text(&directory.path().join("f.o")), "--contract", text(&file)]);
        let said = stdout(&output) + &stderr(&output);
        if is_right {
            assert!(!said.contains("does not hold"), "{what}: {said}");
        } else {
            assert_eq!(code(&output), 1, "{what}: {said}");
            assert!(said.contains("does not hold (confirmed on this CPU)"), "{what}: {said}");
        }
    }
}

const FULL: &str = "limbs = 4; radix = 64";
const REDUCED: &str = "limbs = 4; radix = 64; value_below = \"p\"";

#[test]
fn a_carry_that_is_lost_where_a_word_is_full() {
    let sum = contract(
        "out + 2^256 * carry = a + b",
        &[("out", "out", FULL), ("a", "in", FULL), ("b", "in", FULL), ("carry", "return", "below = 2")],
    );
    let add = "uint64_t f(uint64_t *out, const uint64_t *a, const uint64_t *b)\n{ uint64_t c = 0;\n\
               for (int i = 0; i < 4; i++) { uint64_t s = a[i] + b[i], k = s < a[i]; s += c; c = k; out[i] = s; }\nreturn c; }";
    refuted("the second carry of each word", &sum, add, ("c = k;", "c = k | (s < c);"));
}

#[test]
fn a_borrow_that_is_lost_where_words_are_equal() {
    let less = contract(
        "out - 2^256 * less = a - b",
        &[("out", "out", FULL), ("a", "in", FULL), ("b", "in", FULL), ("less", "return", "below = 2")],
    );
    let sub = "uint64_t f(uint64_t *out, const uint64_t *a, const uint64_t *b)\n{ uint64_t c = 0;\n\
               for (int i = 0; i < 4; i++) { uint64_t k = a[i] < b[i]; out[i] = a[i] - b[i] - c; c = k; }\nreturn c; }";
    refuted("a borrow through equal words", &less, sub, ("c = k;", "c = k | ((a[i] == b[i]) & c);"));
}

#[test]
fn a_last_subtraction_that_is_missing_for_one_number() {
    let reduced = contract("out = a + b mod p", &[("out", "out", REDUCED), ("a", "in", REDUCED), ("b", "in", REDUCED)]);
    // The result 2^255 - 19 is not reduced: 18 instead of 19 is added to find out whether the sum is at least the
    // prime.
    let add = "void f(uint64_t *out, const uint64_t *a, const uint64_t *b)\n{ uint64_t s[4], t[4]; wide c = 0;\n\
               for (int i = 0; i < 4; i++) { c += (wide)a[i] + b[i]; s[i] = (uint64_t)c; c >>= 64; }\nc = 18;\n\
               for (int i = 0; i < 4; i++) { c += s[i]; t[i] = (uint64_t)c; c >>= 64; }\nuint64_t over = t[3] >> 63; c = 19 * over;\n\
               for (int i = 0; i < 4; i++) { c += s[i]; out[i] = (uint64_t)c; c >>= 64; }\nout[3] &= ~(over << 63); }";
    refuted("the sum that is the prime", &reduced, add, ("c = 18;", "c = 19;"));
}

#[test]
fn numbers_that_are_not_reduced() {
    let bytes = contract(
        "out = a mod p",
        &[("out", "out", REDUCED), ("a", "in", "limbs = 4; radix = 64; value_below = \"2^255\"")],
    );
    let copy = "void f(uint64_t *out, const uint64_t *a)\n{ uint64_t over = 0; wide c = 19; (void)c;\n\
                for (int i = 0; i < 4; i++) { c += a[i]; over = (uint64_t)c >> 63; c >>= 64; }\nover = 0; c = 19 * over;\n\
                for (int i = 0; i < 4; i++) { c += a[i]; out[i] = (uint64_t)c; c >>= 64; }\nout[3] &= ~(over << 63); }";
    refuted("numbers from the prime to 2^255", &bytes, copy, ("over = 0; c = 19 * over", "c = 19 * over"));
}

#[test]
fn a_carry_that_is_left_in_a_limb() {
    let limbs = "limbs = 5; radix = 51; below = \"2^51\"";
    let carried = contract(
        "out = a mod p",
        &[
            ("out", "out", "limbs = 5; radix = 51; below = [\"2^51\", \"2^51 + 1\", \"2^51\", \"2^51\", \"2^51\"]"),
            ("a", "in", &limbs.replace("\"2^51\"", "\"2^52\"")),
        ],
    );
    let carry = "void f(uint64_t *out, const uint64_t *a)\n{ const uint64_t m = ((uint64_t)1 << 51) - 1; uint64_t t[5], c = 0;\n\
                 for (int i = 0; i < 5; i++) { t[i] = a[i] + c; c = t[i] >> 51; t[i] &= m; }\nt[0] += 19 * c;\n\
                 ;\nfor (int i = 0; i < 5; i++) out[i] = t[i]; }";
    refuted("the carry after the fold", &carried, carry, ("\n;\n", "\nt[1] += t[0] >> 51; t[0] &= m;\n"));
}

#[test]
fn the_upper_half_of_a_register() {
    let scaled = contract(
        "out = a * x + y mod 2^64",
        &[
            ("out", "out", "bits = 64"),
            ("a", "in", "bits = 64"),
            ("x", "value", "bits = 32"),
            ("y", "value", "bits = 8"),
        ],
    );
    let scale = "void f(uint64_t *out, const uint64_t *a, uint64_t x, uint64_t y) { *out = *a * x + (uint8_t)y; }";
    refuted("a word of 32 bits that is taken for one of 64", &scaled, scale, ("* x +", "* (uint32_t)x +"));
    let add = scale.replace("* x +", "* (uint32_t)x +").replace("(uint8_t)y", "y");
    refuted("a byte that is taken for a word", &scaled, &add, ("+ y", "+ (uint8_t)y"));
}
