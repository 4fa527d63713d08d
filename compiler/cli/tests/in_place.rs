//! `culet compile --in-place`: a result of any length where its text is, in C and in Rust, against the result elsewhere.

mod support;

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use culet_ir::Target;
use culet_native::cpu_runs;
use culet_testing::draw;
use support::{code, culet, directory, primitives, stderr, text, write};

/// A program, its node, bytes of an element, bytes of the other results and of the parameters but the text, and targets.
type Case = (&'static str, &'static str, usize, &'static [usize], &'static [usize], &'static [&'static str]);

const CASES: [Case; 6] = [
    ("nacl/secretbox.ua", "secretbox", 1, &[16], &[32, 24], &["c64", "c32", "sse", "avx2", "avx512ifma"]),
    ("nacl/sign_open.ua", "sign_open", 1, &[1], &[32, 64], &["c64", "c32"]),
    ("streams/chacha20.ua", "chacha20", 64, &[], &[32, 4, 12], &["c64", "c32", "sse", "avx2", "avx512ifma"]),
    ("streams/salsa20.ua", "salsa20", 64, &[], &[32, 8, 8], &["c64", "sse", "avx2", "avx512ifma"]),
    ("streams/aes_rounds.ua", "aes128_ctr", 64, &[], &[176, 16], &["c64", "avx2", "avx512vaes"]),
    ("aead/aes_gcm_products.ua", "aes128_gcm_encrypt", 256, &[16], &[176, 256, 16, 16, 256, 256], &["avx512vaes"]),
];

/// All cases with a target that this CPU runs.
fn cases() -> Vec<(Case, &'static str)> {
    let all = CASES.into_iter().flat_map(|case| case.5.iter().map(move |target| (case, *target)));
    all.filter(|(_, target)| Target::find(target).is_some_and(cpu_runs)).collect()
}

fn compile((path, node, ..): &Case, target: &str, to: &Path, arguments: &[&str]) {
    let source = primitives().join(path);
    let program = ["compile", text(&source), "--node", node, "--slice", "v", "--target", target, "-o", text(to)];
    let output = culet(&[&program[..], arguments].concat());
    assert!(output.status.success(), "{node} {target}: {}", stderr(&output));
}

/// Every length from 0 to 1100, at eight alignments. `P` are parameters, and `A` and `B` the other results of the two calls.
const CALL_IN_C: &str = "
#include \"k.h\"
#include <string.h>
int main(void)
{
    static unsigned char text[1200], apart[1200], place[1200];
DECLARED
    for (size_t length = 0; length <= 1100; length++) {
        size_t at = length % 8, whole = length / ELEMENT * ELEMENT;
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = (unsigned char)(i * i + 31 * length + i / 5);
        memcpy(place, text, sizeof text);
        memcpy(apart, text, sizeof text);
        k(apart + at, A P text + at, length);
        k(place + at, B P place + at, length);
        if (memcmp(apart, place, sizeof text) || (whole && !memcmp(text + at, place + at, whole)) || DIFFER)
            return 1;
    }
    return 0;
}
";

#[test]
fn in_c() {
    for (case, target) in draw::some("places in C", cases(), 2, |(case, target)| format!("{} {target}", case.1)) {
        let directory = directory();
        let folder = directory.path();
        compile(&case, target, folder, &["--name", "k", "--in-place"]);
        let (_, node, element, results, parameters, _) = case;
        let (mut declared, mut names) = (String::new(), String::new());
        for (number, bytes) in parameters.iter().enumerate() {
            let _ = writeln!(declared, "    static unsigned char p{number}[{bytes}];");
            let _ = writeln!(
                declared,
                "    for (int i = 0; i < {bytes}; i++) p{number}[i] = (unsigned char)(i * 89 + {number});"
            );
            let _ = write!(names, "p{number}, ");
        }
        let [mut a, mut b, mut differ] = [(); 3].map(|()| String::new());
        for (number, bytes) in results.iter().enumerate() {
            let _ = writeln!(declared, "    static unsigned char a{number}[{bytes}], b{number}[{bytes}];");
            let _ = write!(a, "a{number}, ");
            let _ = write!(b, "b{number}, ");
            let _ = write!(differ, "memcmp(a{number}, b{number}, {bytes}) || ");
        }
        let main = CALL_IN_C
            .replace("DECLARED", &declared)
            .replace("ELEMENT", &element.to_string())
            .replace("A P", &(a + &names))
            .replace("B P", &(b + &names))
            .replace("DIFFER", &(differ + "0"));
        let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
        let files = [("k.h", &*read("k.h")), ("k.c", &*read("k.c")), ("main.c", &*main)];
        let target = Target::find(target).expect("a target");
        for compiler in draw::compilers(target) {
            let built = compiler.static_program(&files, target, &["-O2"]);
            let built = built.unwrap_or_else(|why| panic!("{node} {}: {why}", target.name()));
            let output = Command::new(&built.path).output().expect("the program runs");
            assert!(output.status.success(), "{node} {} {}", target.name(), compiler.name());
        }
    }
}

/// As [`CALL_IN_C`].
const CALL_IN_RUST: &str = "
mod apart;
mod place;
fn main() {
DECLARED
    for length in 0..=1100usize {
        let (at, whole) = (length % 8, length / ELEMENT * ELEMENT);
        let text: Vec<u8> = (0..1200).map(|i| (i * i + 31 * length + i / 5) as u8).collect();
        let (mut apart, mut place) = (text.clone(), text.clone());
        unsafe {
            apart::apart(&mut apart[at..][..length], A P &text[at..][..length]);
            place::place(&mut place[at..][..length], B Q);
        }
        assert_eq!(apart, place, \"{length} bytes\");
        assert!(whole == 0 || apart[at..][..whole] != text[at..][..whole]);
        SAME
    }
}
";

#[test]
fn in_rust() {
    for (case, target) in draw::some("places in Rust", cases(), 2, |(case, target)| format!("{} {target}", case.1)) {
        let directory = directory();
        let folder = directory.path();
        compile(&case, target, folder, &["--name", "apart", "--language", "rust"]);
        compile(&case, target, folder, &["--name", "place", "--language", "rust", "--in-place"]);
        let (_, node, element, results, parameters, _) = case;
        let (mut declared, mut names) = (String::new(), String::new());
        for (number, bytes) in parameters.iter().enumerate() {
            let _ = writeln!(
                declared,
                "    let p{number}: [u8; {bytes}] = core::array::from_fn(|i| (i * 89 + {number}) as u8);"
            );
            let _ = write!(names, "&p{number}, ");
        }
        let [mut a, mut b, mut same] = [(); 3].map(|()| String::new());
        for (number, bytes) in results.iter().enumerate() {
            let _ = writeln!(declared, "    let (mut a{number}, mut b{number}) = ([0; {bytes}], [0; {bytes}]);");
            let _ = write!(a, "&mut a{number}, ");
            let _ = write!(b, "&mut b{number}, ");
            let _ = write!(same, "assert_eq!(a{number}, b{number});");
        }
        let main = CALL_IN_RUST
            .replace("DECLARED", &declared)
            .replace("ELEMENT", &element.to_string())
            .replace("A P", &(a + &names))
            .replace("B Q", &(b + names.trim_end_matches(", ")))
            .replace("SAME", &same);
        write(folder, "main.rs", main);
        let output = Command::new("rustc")
            .env_remove("RUSTC_BOOTSTRAP")
            .args(["--edition", "2021", "-D", "warnings", "-A", "unused-unsafe", "main.rs", "-C", "opt-level=1"])
            .current_dir(folder)
            .output()
            .expect("rustc runs");
        assert!(output.status.success(), "{node} {target}: {}", stderr(&output));
        let output = Command::new(folder.join("main")).output().expect("the program runs");
        assert!(output.status.success(), "{node} {target}: {}", stderr(&output));
    }
}

/// Refused programs, with a part of the reason.
const REFUSED: [(&str, &str); 4] = [
    (
        "node f(key:u8, text:u8[*]) returns (out:u8[*], check:u8)
let
  check = 0;
  forall byte in text { out = byte ^ key }
  fold byte in text { check := check ^ byte }
tel
",
        "`text` is read after `out` was written there",
    ),
    (
        "node f(text:u8[*]) returns (out:u8x2[*]) let forall byte in text { out = (byte, ~byte) } tel\n",
        "`out` has elements of another size than `text`",
    ),
    (
        "node f(text:u8[*]) returns (a, b:u8[*]) let forall byte in text { a = ~byte; b = byte } tel\n",
        "and another result would stand in one place",
    ),
    (
        "node f(key:u8[4], text:u8[*]) returns (out:u8[*], check:u8)
let
  check = 0;
  forall byte in text { out = byte ^ key[0] }
  fold byte in (key, text) { check := check ^ byte }
tel
",
        "`text` is read after `out` was written there",
    ),
];

#[test]
fn a_text_that_is_read_after_its_place_was_written_is_refused() {
    let directory = directory();
    for (program, reason) in REFUSED {
        let source = write(directory.path(), "f.ua", program);
        for language in ["c", "rust"] {
            let (to, apart) = (directory.path().join(language), directory.path().join("apart"));
            let arguments = ["compile", text(&source), "--slice", "v", "--language", language];
            let output = culet(&[&arguments[..], &["--in-place", "-o", text(&to)]].concat());
            assert_eq!(code(&output), 1, "{program}");
            let found = stderr(&output);
            assert!(found.contains("E0759") && found.contains(reason), "{found}");
            assert!(!to.exists(), "no file of a refused program");
            assert!(culet(&[&arguments[..], &["-o", text(&apart)]].concat()).status.success(), "{program}");
        }
    }
}

/// The loops of a refused program in the other order may read and write one place, as the header says.
#[test]
fn a_text_that_is_read_before_is_not_refused() {
    let directory = directory();
    let program = "node f(key:u8, text:u8[*]) returns (out:u8[*], check:u8)
let
  check = 0;
  fold byte in text { check := check ^ byte }
  forall byte in text { out = byte ^ key }
tel
";
    let source = write(directory.path(), "f.ua", program);
    let arguments = ["compile", text(&source), "--slice", "v", "--target", "c64", "--in-place", "-o"];
    let output = culet(&[&arguments[..], &[text(directory.path())]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let header = fs::read_to_string(directory.path().join("f_v.h")).expect("a header");
    assert!(header.contains("out may be where text is, exactly"), "{header}");
}

#[test]
fn the_option_does_nothing_without_a_result_of_any_length() {
    let directory = directory();
    for (path, slice) in [("hashes/sha256.ua", "v"), ("ciphers/aes128.ua", "b")] {
        let source = primitives().join(path);
        let output = culet(&["compile", text(&source), "--slice", slice, "--in-place", "-o", text(directory.path())]);
        assert_eq!(code(&output), 2, "{path}");
        let said = stderr(&output);
        assert!(said.contains("E0830") && said.contains("does nothing for a program without a result"), "{said}");
    }
}

/// Words that are made of single bytes of the block in whose place they are written: Rust lends the block once at a time.
#[test]
fn single_bytes_are_read_before_their_block_is_written() {
    let directory = directory();
    let program = "node f (k : u32, text : u8x4[*]) returns (out : le u32[*])
let
  forall b in text { out = le<u32>(b[2], b[0], b[1], b[3]) + k }
tel
";
    let source = write(directory.path(), "f.ua", program);
    let arguments = ["compile", text(&source), "--slice", "v", "--target", "c64", "--language", "rust"];
    let output = culet(&[&arguments[..], &["--in-place", "-o", text(directory.path())]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let output = Command::new("rustc")
        .env_remove("RUSTC_BOOTSTRAP")
        .args(["--edition", "2021", "--crate-type", "lib", "--emit", "metadata", "f_v.rs"])
        .current_dir(directory.path())
        .output()
        .expect("rustc runs");
    assert!(output.status.success(), "{}", stderr(&output));
}
