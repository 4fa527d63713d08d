//! Programs without elements of a field that compute one instance at a time: lookups at secret positions and choices by
//! secret bits, of which some compilers make branches and addresses that depend on secrets.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::path::Path;
use std::process::Output;

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

#[test]
fn streams_without_elements_are_refused_at_once() {
    let folder = directory();
    let source = "node sum (m : u8[*]) returns (s : u8)
let
  s = 0;
  fold b in m { s := s ^ b }
tel
";
    let found = prove(folder.path(), source, COMPILERS[0], |c| c);
    assert_eq!(code(&found), 1, "{}", stderr(&found));
    assert!(stdout(&found).contains("streams without elements of a field have no proof yet"), "{}", stdout(&found));
}
