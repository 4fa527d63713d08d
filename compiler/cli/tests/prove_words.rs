//! Programs without elements of a field that compute one instance at a time: lookups at secret positions and choices by
//! secret bits, of which some compilers make branches and addresses that depend on secrets.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::path::Path;
use std::process::Output;

use culet_testing::draw;
use support::proving::compile;
use support::{code, culet, directory, stderr, stdout, text, write};

const LOOKUP: &str = "node look (t : u16[16], i : u8) returns (x : u16) let x = t[i & 15] tel\n";

/// A lookup and a choice in each of four places.
const CHOICE: &str = "node choose (t : u32[64], i : u8[4], b : u1) returns (p : u32[4])
let
  forall k in [0, 3] { p[k] = b ? t[i[k] & 63] : 1665 }
tel
";

/// Proves what a compiler makes of a program's C after an edit.
fn prove(folder: &Path, source: &str, (compiler, level): (&str, &str), edit: impl Fn(String) -> String) -> Output {
    let file = write(folder, "program.ua", source);
    let made = culet(&["compile", text(&file), "--slice", "v", "--target", "c64", "--force", "-o", text(folder)]);
    assert_eq!(code(&made), 0, "{}", stderr(&made));
    let c = std::fs::read_to_string(folder.join("program_v.c")).expect("C");
    write(folder, "program_v.c", edit(c));
    let object = folder.join("program.o");
    compile(compiler, &[level], folder, &["-c", "program_v.c", "-o", text(&object)]);
    culet(&["prove", text(&object), "--source", text(&file)])
}

const COMPILERS: [(&str, &str); 4] = [("gcc-12", "-O2"), ("gcc-12", "-O3"), ("clang-19", "-O2"), ("clang-19", "-O3")];

#[test]
fn lookups_and_choices_are_proved() {
    let folder = directory();
    for by in COMPILERS {
        for source in [LOOKUP, CHOICE] {
            let found = prove(folder.path(), source, by, |c| c);
            assert_eq!(code(&found), 0, "{by:?} {source}{}{}", stdout(&found), stderr(&found));
            assert!(stdout(&found).contains("proved      program_v: "), "{}", stdout(&found));
        }
    }
}

/// Carries, orders and amounts, which compilers take from flags and rotate by.
const COMPARISONS: [&str; 6] = [
    "node sum (a, b : u64) returns (s, c : u64) let s = a + b; c = s < a ? 1 : 0 tel\n",
    "node least (a, b, c : u32) returns (m : u32) vars t : u32 let t = a < b ? a : b; m = t < c ? t : c tel\n",
    "node rotated (x, n : u32) returns (y : u32) vars t : u32
let t = ((n & 1) == 1) ? (x <<< 1) : x; y = ((n & 2) == 2) ? (t <<< 2) : t tel\n",
    "node same (a, b : u8[16]) returns (y : u8) let y = a == b ? 1 : 0 tel\n",
    "node doubled (x : u8) returns (y : u8) let y = (x << 1) ^ (((x >> 7) == 1) ? 0x1b : 0) tel\n",
    "node reduced (x, m : u32) returns (y : u32) let y = x < m ? x : x - m tel\n",
];

/// With `CULET_ALL` by all builds, else by two.
#[test]
fn comparisons_are_proved_and_wrong_ones_are_not() {
    let folder = directory();
    let builds = if draw::wants_all() { &COMPILERS[..] } else { &[COMPILERS[0], COMPILERS[3]] };
    for &by in builds {
        for source in COMPARISONS {
            let found = prove(folder.path(), source, by, |c| c);
            assert_eq!(code(&found), 0, "{by:?} {source}{}{}", stdout(&found), stderr(&found));
        }
    }
    // A smaller word in place of one that is not larger.
    let file = write(folder.path(), "reduced.ua", COMPARISONS[5]);
    let start = "#include <stdint.h>\n#include <string.h>\nvoid reduced_v(uint8_t y[4], const uint8_t x[4], const uint8_t m[4])\n\
                 { uint32_t a, b, c; memcpy(&a, x, 4); memcpy(&b, m, 4); a = __builtin_bswap32(a); b = __builtin_bswap32(b);\n";
    for (order, verdict) in [("<", "proved"), ("<=", "NOT PROVED")] {
        for by in [COMPILERS[0], COMPILERS[2]] {
            let body = format!("c = __builtin_bswap32(a {order} b ? a : a - b); memcpy(y, &c, 4); }}\n");
            write(folder.path(), "f.c", start.to_owned() + &body);
            compile(by.0, &[by.1], folder.path(), &["-c", "f.c", "-o", "f.o"]);
            let object = folder.path().join("f.o");
            let found = culet(&["prove", text(&object), "--source", text(&file), "--slice", "v", "--target", "c64"]);
            assert!(stdout(&found).starts_with(verdict), "{order} {by:?} {}{}", stdout(&found), stderr(&found));
        }
    }
}

/// Words of six bits in lanes of eight, all that words can do; and in lanes of sixteen, since other words are wider.
const WIDTHS: [&str; 2] = [
    "table s (x : u6) returns (y : u4) { 14, 0, 4, 15, 13, 7, 1, 4, 2, 14, 15, 2, 11, 13, 8, 1, 3, 10, 10, 6, 6, 12, 12, 11, 5, 9, 9, 5,
  0, 3, 7, 8, 4, 15, 1, 12, 14, 8, 8, 2, 13, 4, 6, 9, 2, 1, 11, 7, 15, 5, 12, 11, 9, 3, 7, 14, 3, 10, 10, 0, 5, 6, 0, 13 }
node f (x : u6[2], k : u6) returns (y : u4, z : u6[2])
let y = s(x[0] ^ k); z = ((x[1] <<< 2) ^ ~(k >>! 1), (x[0] << 3) ^ (k >> 2)) tel\n",
    "node f (x : u6[2], k : u13) returns (y : u6, z : u13)
let y = ~x[0] ^ (x[1] <<< 5); z = (k <<< 7) ^ Pack(x[0], Pack(x[1], 0 : u1)) tel\n",
];

#[test]
fn words_in_lanes_are_proved_and_a_missing_mask_is_not() {
    let folder = directory();
    let (c, object) = (folder.path().join("program_v_avx2.c"), folder.path().join("program.o"));
    for (source, compiler) in WIDTHS.into_iter().flat_map(|source| [(source, "gcc-12"), (source, "clang-19")]) {
        let file = write(folder.path(), "program.ua", source);
        let made =
            culet(&["compile", text(&file), "--slice", "v", "--target", "avx2", "--force", "-o", text(folder.path())]);
        assert_eq!(code(&made), 0, "{}", stderr(&made));
        assert!(!stderr(&made).contains("one instance at a time"), "{}", stderr(&made));
        let prove = || {
            compile(compiler, &["-O2", "-mavx2"], folder.path(), &["-c", "program_v_avx2.c", "-o", text(&object)]);
            let found = culet(&["prove", text(&object), "--source", text(&file)]);
            (code(&found), stdout(&found) + &stderr(&found))
        };
        let (code, said) = prove();
        assert_eq!(code, 0, "{compiler} {source}{said}");
        let right = std::fs::read_to_string(&c).expect("C");
        let wrong = right.replacen("0x3f", "0x7f", 1);
        assert_ne!(right, wrong, "{right}");
        write(folder.path(), "program_v_avx2.c", wrong);
        let (code, said) = prove();
        assert!(code == 1 && said.contains("NOT PROVED"), "{compiler} {source}{said}");
    }
}

#[test]
fn wrong_and_leaking_lookups_are_rejected() {
    let folder = directory();
    let replaced = |from: &'static str, to: &'static str| {
        move |c: String| {
            assert!(c.contains(from), "`{from}` is not in {c}");
            c.replacen(from, to, 1)
        }
    };
    for by in [COMPILERS[0], COMPILERS[2]] {
        let rejected = |edit: &dyn Fn(String) -> String| {
            let found = prove(folder.path(), LOOKUP, by, edit);
            assert_eq!(code(&found), 1, "{by:?} {}", stdout(&found));
            stdout(&found)
        };
        let said = rejected(&replaced("(uint32_t)i[0] & 15", "(uint32_t)i[0] & 7"));
        assert!(said.contains("NOT PROVED  program_v: "), "{said}");
        // The position as an address.
        let said = rejected(&replaced("x[1] = (uint8_t)t", "x[1] = t[2 * (i[0] & 15) + 1]; (void)t"));
        assert!(said.contains("address"), "{said}");
        // The position as a branch, which no compiler can avoid.
        let call = "x[1] = (uint8_t)t";
        let said = rejected(&replaced(call, "if (i[0] == 3) __asm__ volatile(\"nop\"); x[1] = (uint8_t)t"));
        assert!(said.contains("branch"), "{said}");
    }
}

/// A fold, and a map whose result is as long as its text, of messages of any length.
#[test]
fn streams_of_words_are_proved() {
    let folder = directory();
    let sum = "node sum (m : u8[*]) returns (s : u32)
let
  s = 1;
  fold b in blocks(m, 8, 0) { s := ((s ^ be<u32>(b[0..3])) <<< 5) + be<u32>(b[4..7]) }
tel
";
    let map = "node map (k : u8, t : u8[*]) returns (r : u8[*]) let forall b in blocks(t, 4, 0) { r = b ^ k } tel\n";
    for (source, said) in [(sum, "each byte of m"), (map, "each byte of r; as long as t")] {
        let found = prove(folder.path(), source, COMPILERS[0], |c| c);
        assert_eq!(code(&found), 0, "{}{}", stdout(&found), stderr(&found));
        assert!(stdout(&found).contains(said), "{}", stdout(&found));
    }
    let found =
        prove(folder.path(), map, COMPILERS[0], |c| c.replace("if (t_length % 4 != 0)", "if (t_length % 4 > 1)"));
    assert_eq!(code(&found), 1, "{}", stdout(&found));
    assert!(stdout(&found).contains("NOT PROVED"), "{}", stdout(&found));
}

/// The search for the proof of a comparison is long, and finds none.
#[test]
fn comparisons_of_elements_are_refused_at_once() {
    let folder = directory();
    let source = "field fe = GF(2^61 - 1)
node same (a, b, c : fe) returns (y : u8)
let
  y = (a * b == c) ? 1 : 0
tel
";
    let found = prove(folder.path(), source, COMPILERS[0], |c| c);
    assert_eq!(code(&found), 1, "{}", stderr(&found));
    assert!(stdout(&found).contains("comparisons of elements of a field have no proof yet"), "{}", stdout(&found));
}

/// A result that is read again, and a fold over a field whose machine code is not proved beside a result.
const STREAMS: [(&str, &str); 2] = [
    (
        "field g = GF(2^130 - 5)
node f (k : u8[16], t : u8[*]) returns (r : u8[*], h : g)
let
  forall x in t { r = ~x }
  h = 0;
  fold b in blocks(r, 16, 1) { h := (h + g(b)) * g(k) }
tel
",
        "programs with one fold are known here",
    ),
    (
        "field g = GF(2^130 - 5)
node f (k : u8[16], t : u8[*]) returns (r : u8[*], h : g)
let
  h = g(k);
  fold b in blocks(t, 16, 0) { r = b ^ k; h := (h + g(b)) * g(k) }
tel
",
        "0 to 7 of the bytes of h = those of the program",
    ),
];

#[test]
fn results_of_any_length_are_refused() {
    let folder = directory();
    for (source, reason) in STREAMS {
        let file = write(folder.path(), "program.ua", source);
        let made =
            culet(&["compile", text(&file), "--slice", "v", "--target", "c64", "--force", "-o", text(folder.path())]);
        assert_eq!(code(&made), 0, "{}", stderr(&made));
        let object = folder.path().join("program.o");
        compile("gcc-12", &["-O2"], folder.path(), &["-c", "program_v.c", "-o", text(&object)]);
        let found = culet(&["prove", text(&object), "--source", text(&file)]);
        assert_eq!(code(&found), 1, "{source}{}{}", stdout(&found), stderr(&found));
        let text = stdout(&found) + &stderr(&found);
        assert!(text.contains(reason), "{text}");
    }
}
