//! Nodes that stand for instructions: one that means something else is refused, and programs of them compute what the interpreter
//! does, on targets with the instructions and without.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use culet_diag::Diagnostics;
use culet_driver::{Engine, Kernel, Options, Reader, check, elaborate, load};
use culet_ir::Target;
use culet_testing::{Rng, compilers, draw};
use culet_types::program::Slicing;

/// A source with this text.
struct Text<'t>(&'t str);

impl Reader for Text<'_> {
    fn read(&self, _: &Path) -> std::io::Result<Vec<u8>> {
        Ok(self.0.as_bytes().to_vec())
    }
}

/// The text of primitives, included files first.
fn primitives(paths: [&str; 2]) -> String {
    let read = |path| std::fs::read_to_string(Path::new("../../primitives").join(path)).expect("a primitive");
    let lines = paths.map(read).concat();
    lines.lines().filter(|line| !line.starts_with("include")).fold(String::new(), |text, line| text + line + "\n")
}

fn sha256() -> String {
    primitives(["ciphers/sha256.ua", "hashes/sha256.ua"])
}

fn sha256_of_aarch64() -> String {
    let own = std::fs::read_to_string("../../primitives/hashes/sha256_armv8.ua").expect("a primitive");
    sha256() + &own.replace("include \"sha256.ua\"", "")
}

fn aes() -> String {
    primitives(["ciphers/aes128.ua", "streams/aes_rounds.ua"])
}

fn products() -> String {
    std::fs::read_to_string("../../primitives/macs/ghash_products.ua").expect("a primitive")
}

fn options(target: Target) -> Options {
    Options { slicing: Some(Slicing::Vertical), ..Options::new(target) }
}

fn kernel(text: &str, target: Target) -> (Option<Kernel>, Diagnostics) {
    let (source, found) = load(Path::new("example.ua"), &[], &Text(text));
    Kernel::of(&source, "example", &options(target), &found)
}

/// A text with one part replaced, which must be there.
fn planted(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn nodes_that_are_not_their_instruction_are_refused() {
    let of_sha = [
        // Σ1 and σ0 rotate by other amounts.
        ("(x >>> 6) ^ (x >>> 11)", "(x >>> 6) ^ (x >>> 12)"),
        ("(x >>> 18) ^ (x >> 3)", "(x >>> 18) ^ (x >>> 3)"),
        // A majority of three is one of two, the lanes are in another order, a round is left out, the last word is another one.
        ("(x & z) ^ (y & z)", "(x & z) ^ (y & ~z)"),
        ("(h, g, d, c) = hgdc", "(c, d, g, h) = hgdc"),
        ("forall i in [0, 1] {\n    t1", "forall i in [0, 0] {\n    t1"),
        ("t1 = h + Sigma1(e) + Ch(e, f, g) + words[i]", "t1 = h + Sigma1(e) + Ch(e, f, g) + words[i + 2]"),
        ("(w0[1..3], w4[0])", "(w0[1..3], w4[1])"),
        ("sigma1(w16[0, 1])", "sigma1(w12[0, 1])"),
    ];
    let of_aes = [
        // One entry of the S-box, a row of ShiftRows, MixColumns in the last round, a key that is not added, a byte that is.
        ("0x01, 0x67, 0x2b", "0x01, 0x67, 0x2a"),
        (
            "[0, 5, 10, 15,  4, 9, 14, 3,  8, 13, 2, 7,  12, 1, 6, 11]",
            "[0, 5, 10, 15,  4, 9, 14, 3,  8, 13, 2, 7,  12, 1, 11, 6]",
        ),
        (
            "bytes_of(ShiftRows(SubBytes(planes_of(state)))) ^ key",
            "bytes_of(MixColumns(ShiftRows(SubBytes(planes_of(state))))) ^ key",
        ),
        ("planes_of(state))))) ^ key", "planes_of(state))))) ^ (key[0..14], state[15])"),
        ("_instruction(aesenclast)", "_instruction(aesdeclast)"),
    ];
    let of_aarch64 = [
        ("next = all[4..7]", "next = all[0..3]"),
        ("round(next, words[i], 0)", "round(next, words[3 - i], 0)"),
        ("sums + (w8[1..3], w12[0])", "sums + (w8[1..3], w12[1])"),
    ];
    let of_products = [
        // Sums that carry, a product of other words, a coefficient that is left out, the words of the product exchanged.
        ("x[i] & y[j]", "x[i] | y[j]"),
        ("le<u64>(a)[0], le<u64>(b)[1]", "le<u64>(a)[1], le<u64>(b)[0]"),
        ("_instruction(pclmulhqhqdq)", "_instruction(pclmullqlqdq)"),
        ("forall j in [0, 63] {\n      sums", "forall j in [0, 62] {\n      sums"),
        ("words = le<u64>(sums)", "words = le<u64>(sums[64..127], sums[0..63])"),
    ];
    let texts = of_sha.map(|(from, to)| planted(&sha256(), from, to)).into_iter();
    let texts = texts.chain(of_aarch64.map(|(from, to)| planted(&sha256_of_aarch64(), from, to)));
    let texts = texts.chain(of_aes.map(|(from, to)| planted(&aes(), from, to)));
    let texts = texts.chain(of_products.map(|(from, to)| planted(&products(), from, to)));
    // The target plays no part in what a node means.
    for (text, target) in texts.zip([Target::C64, Target::Avx2, Target::SseSha].into_iter().cycle()) {
        let (kernel, found) = kernel(&text, target);
        assert!(kernel.is_none());
        let wrong: Vec<_> = found.iter().filter(|d| d.code.id == "E0758").collect();
        assert!(!wrong.is_empty(), "{found:?}");
        for diagnostic in wrong {
            let notes = diagnostic.notes.join("\n");
            assert!(notes.contains("they first differ where") && notes.contains("of the result"), "{diagnostic:?}");
        }
    }
    let (source, found) = load(Path::new("example.ua"), &[], &Text(&planted(&sha256(), ">>> 11", ">>> 12")));
    assert!(!found.has_errors());
    assert!(check(&source, &options(Target::C64), &found).iter().any(|d| d.code.id == "E0758"));
}

#[test]
fn nodes_without_the_registers_of_their_instruction_are_refused() {
    for text in [
        "_instruction(aesenc) node f (a : u8[16]) returns (b : u8[16]) let b = a tel",
        "_instruction(aesenc) node f (a, k : u8[15]) returns (b : u8[15]) let b = a ^ k tel",
        "_instruction(aesenc) node f (a, k : u1[128]) returns (b : u1[128]) let b = a ^ k tel",
        "_instruction(aesimc) node f (a : u8[16]) returns (b, c : u8[8]) let (b, c) = a tel",
        "_instruction(sha256msg1) node f (a, b, c : u32x4) returns (d : u32x4) let d = a ^ b ^ c tel",
    ] {
        let (source, found) = load(Path::new("example.ua"), &[], &Text(text));
        let found: Vec<_> = found.iter().cloned().chain(elaborate(&source, &options(Target::C64)).1).collect();
        assert!(found.iter().any(|d| d.code.id == "E0211"), "{text}: {found:?}");
    }
    for text in [
        "_instruction(aesencc) node f (a, k : u8[16]) returns (b : u8[16]) let b = a ^ k tel",
        "_instruction(aesenc) table f (a : b1) returns (b : b1) {1, 0}",
        "_instruction node f (a : b1) returns (b : b1) let b = a tel",
    ] {
        let (_, found) = load(Path::new("example.ua"), &[], &Text(text));
        assert!(found.has_errors(), "{text}");
    }
}

/// The instructions of AES's inverse, the one for its key schedule, and those on bytes.
const OTHERS: &str = "
_instruction(aesdec) node inverse_round (state, key : u8[16]) returns (next : u8[16])
let
  next = bytes_of(InvMixColumns(InvSubBytes(InvShiftRows(planes_of(state))))) ^ key
tel

_instruction(aesdeclast) node inverse_last_round (state, key : u8[16]) returns (next : u8[16])
let
  next = bytes_of(InvSubBytes(InvShiftRows(planes_of(state)))) ^ key
tel

_instruction(aesimc) node inverse_mixed (key : u8[16]) returns (next : u8[16])
let
  next = bytes_of(InvMixColumns(planes_of(key)))
tel

_instruction(aeskeygenassist) node assisted (key : u8[16]) returns (words : u8[16])
vars
  bytes : u8[16]
let
  bytes = bytes_of(SubBytes(planes_of(key)));
  words = bytes[4, 5, 6, 7, 5, 6, 7, 4, 12, 13, 14, 15, 13, 14, 15, 12]
tel

node image (byte : u8, matrix : u8[8]) returns (result : u8)
vars
  rows : u1[8][8], bits, sums : u1[8]
let
  rows = le<u1>(matrix);
  bits = le<u1>(byte);
  sums = 0;
  forall i in [0, 7] {
    forall j in [0, 7] {
      sums[i] := sums[i] ^ (rows[7 - i][j] & bits[j])
    }
  }
  result = le<u8>(sums)
tel

node images (bytes, matrix : u8[8]) returns (results : u8[8])
let
  forall i in [0, 7] {
    results[i] = image(bytes[i], matrix)
  }
tel

_instruction(gf2p8affineqb) node affine (bytes, matrices : u8[16]) returns (results : u8[16])
let
  results = (images(bytes[0..7], matrices[0..7]), images(bytes[8..15], matrices[8..15]))
tel

_instruction(gf2p8affineinvqb) node affine_inverse (bytes, matrices : u8[16]) returns (results : u8[16])
vars
  inverses : u8[16]
let
  inverses = bytes_of(inverse(planes_of(bytes)));
  results = (images(inverses[0..7], matrices[0..7]), images(inverses[8..15], matrices[8..15]))
tel

node byte_product (a, b : u8) returns (product : u8)
vars
  multiple : u8
let
  product = 0;
  multiple = a;
  forall place in [0, 7] {
    product := product ^ (multiple & (0 - ((b >> place) & 1)));
    multiple := (multiple << 1) ^ (0x1b & (0 - (multiple >> 7)))
  }
tel

_instruction(gf2p8mulb) node byte_products (a, b : u8[16]) returns (products : u8[16])
let
  products = byte_product(a, b)
tel
";

/// The source of [`OTHERS`], with the table of inverses modulo x^8 + x^4 + x^3 + x + 1.
fn others() -> String {
    let double = |a: u8| a << 1 ^ if a & 0x80 != 0 { 0x1b } else { 0 };
    let product = |a: u8, b: u8| {
        let multiples = std::iter::successors(Some(a), |&a| Some(double(a))).take(8).enumerate();
        multiples.filter(|(place, _)| b >> place & 1 == 1).fold(0, |sum, (_, multiple)| sum ^ multiple)
    };
    let inverse = |a: u8| (0..=255).find(|&b| product(a, b) == 1).unwrap_or(0);
    let entries = (0..=255).map(|a| inverse(a).to_string()).collect::<Vec<String>>().join(", ");
    format!("table inverse (a : v8) returns (b : v8) {{ {entries} }}\n{OTHERS}")
}

/// A call of each instruction of AES, of each product, and of each on bytes, with the same operands.
const EACH: &str = "
node main (a, b : u8[32][16]) returns (results : u8[32][12][16])
let
  forall i in [0, 31] {
    results[i][0] = aes_round(a[i], b[i]);
    results[i][1] = aes_last_round(a[i], b[i]);
    results[i][2] = inverse_round(a[i], b[i]);
    results[i][3] = inverse_last_round(a[i], b[i]);
    results[i][4] = inverse_mixed(a[i]);
    results[i][5] = assisted(a[i]);
    results[i][6] = low_product(a[i], b[i]);
    results[i][7] = cross_product(a[i], b[i]);
    results[i][8] = high_product(a[i], b[i]);
    results[i][9] = affine(a[i], b[i]);
    results[i][10] = affine_inverse(a[i], b[i]);
    results[i][11] = byte_products(a[i], b[i])
  }
tel
";

/// Bytes of the words 1 and 3 go through all values, and so do those of the words 0 and 2.
#[test]
fn each_instruction_computes_what_its_node_means() {
    let text = aes() + &others() + &products() + EACH;
    let (source, found) = load(Path::new("example.ua"), &[], &Text(&text));
    assert!(!found.has_errors(), "{found:?}");
    let meaning = elaborate(&source, &options(Target::C64)).0.expect("a program");
    let meaning = Engine::interpreter(meaning).expect("an interpreter");
    let a: Vec<u8> = (0..512).map(|at| (at / 16 * 8 + at % 4 + at / 8 % 2 * 4) as u8).collect();
    let b = Rng::new(23).bytes(512);
    let expected = meaning.run(&[&a, &b], 1);
    for (target, own) in [
        (Target::Avx512Vaes, ["aeskeygenassist", "gf2p8affineinvqb"]),
        (Target::Neon, ["aeskeygenassist", "aesdec"]),
        (Target::Vsx, ["aeskeygenassist", "aesdec"]),
    ] {
        let (kernel, found) = kernel(&text, target);
        let kernel = kernel.unwrap_or_else(|| panic!("{found:?}"));
        for name in own {
            assert!(kernel.text().contains(&format!("example_{name}(example_pair a")), "{}", kernel.text());
        }
        for compiler in draw::compilers(target) {
            let flags = ["-O1", "-Wall", "-Wextra", "-Wno-unused-function", "-Werror"];
            let engine = Engine::native(&kernel, &compiler, &flags);
            let engine = engine.unwrap_or_else(|why| panic!("{why} {:?}", why.notes));
            assert_eq!(engine.run(&[&a, &b], 1), expected, "{} {}", target.name(), compiler.name());
        }
        if culet_native::cpu_runs(target) {
            assert_eq!(in_rust(&kernel, [&a, &b]), expected.concat(), "{} in Rust", target.name());
        }
    }
}

/// Calls `main` of [`EACH`] with the bytes of two files, and writes the results.
const CALL_IN_RUST: &str = "
mod example;
fn main() {
    let mut results = [0; 6144];
    // The test asked the CPU.
    unsafe { example::FUNCTION(&mut results, include_bytes!(\"a\"), include_bytes!(\"b\")) };
    std::io::Write::write_all(&mut std::io::stdout(), &results).expect(\"stdout\");
}
";

/// The results of [`EACH`] in Rust on this CPU.
fn in_rust(kernel: &Kernel, [a, b]: [&[u8]; 2]) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("each_in_rust");
    std::fs::create_dir_all(&folder).expect("a folder");
    let text = kernel.rust().unwrap_or_else(|found| panic!("{found:?}"));
    let main = CALL_IN_RUST.replace("FUNCTION", &kernel.functions()[0]);
    let files: [(&str, &[u8]); 4] = [("example.rs", text.as_bytes()), ("main.rs", main.as_bytes()), ("a", a), ("b", b)];
    for (name, bytes) in files {
        std::fs::write(folder.join(name), bytes).expect("a file");
    }
    let mut rustc = Command::new("rustc");
    let made = rustc.current_dir(&folder).args(["--edition=2021", "-O", "main.rs"]).output().expect("it runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Command::new(folder.join("main")).output().expect("it runs").stdout
}

/// Nodes with the first operands for which they are not their instruction, and the lowest bit of the results that differs.
#[test]
fn the_first_difference_is_named() {
    let operation = |instruction: &str, body: &str| {
        format!("_instruction({instruction}) node f (a, b : u64x2) returns (r : u64x2) let r = {body} tel")
    };
    let of_aes = aes() + "_instruction(aesdec) node f (a, b : u8[16]) returns (r : u8[16]) let r = aes_round(a, b) tel";
    for (text, operands, bit) in [
        // SubBytes of zero is 0x63, and its inverse 0x52.
        (of_aes, [("a", 0), ("b", 0)], 0),
        (operation("aesenclast", "b"), [("a", 0), ("b", 0)], 0),
        // The entry of the S-box that is wrong is the one of 11.
        (planted(&aes(), "0x01, 0x67, 0x2b", "0x01, 0x67, 0x2a"), [("state", 11), ("key", 0)], 1),
        (operation("pclmullqlqdq", "(0, 0)"), [("a", 1), ("b", 1)], 0),
        (operation("pclmullqhqdq", "(0, 0)"), [("a", 1), ("b", 1 << 64)], 0),
        (operation("pclmullqlqdq", "a & b"), [("a", 1), ("b", 2)], 1),
        // A factor of 2 shifts the other one, whose highest bit is lost in a word.
        (operation("pclmulhqhqdq", "(a[1] * b[1], 0)"), [("a", 2 << 64), ("b", 1 << 127)], 64),
        // σ0 of 1 has the bits 14 and 25, and is added to the highest word.
        (operation("sha256msg1", "a"), [("a", 0), ("b", 1_u128)], 110),
    ] {
        let (_, found) = kernel(&text, Target::C64);
        let found = found.iter().find(|d| d.code.id == "E0758").unwrap_or_else(|| panic!("{found:?}"));
        let notes = found.notes.join("\n");
        let [(a, first), (b, second)] = operands;
        let operands = format!("{a} = {first:#034x}, {b} = {second:#034x}");
        let expected = format!("they first differ where {operands}\nbit {bit} of the result");
        assert!(notes.contains(&expected), "{text}: {notes}");
    }
}

#[test]
fn a_target_has_the_instruction_or_the_equations() {
    for (text, name, target, features) in [
        (sha256(), "sha256rnds2", Target::SseSha, "sse4.1,sha"),
        (aes(), "aesenc", Target::Avx2, "avx2,aes"),
        (aes(), "aesenc_x4", Target::Avx512Vaes, "vaes"),
        (aes(), "aesenc", Target::Neon, "neon,aes"),
        (sha256_of_aarch64(), "sha256h2", Target::Neon, "neon,sha2"),
    ] {
        let (call, call_in_c) = (format!(" = {name}("), format!(" = example_{name}("));
        let written = |target| kernel(&text, target).0.expect("a kernel");
        let with = written(target);
        assert!(with.text().contains(&call_in_c), "{}", with.text());
        assert!(with.text().contains("#error"), "{}", with.text());
        let rust = with.rust().expect("Rust");
        assert!(rust.contains(&call) && rust.contains(features), "{rust}");
        let without = written(Target::C64);
        assert!(!without.text().contains(&call_in_c));
        assert!(!without.rust().expect("Rust").contains("target_feature"));
    }
    assert!(!kernel(&sha256(), Target::Avx2).0.expect("a kernel").text().contains("sha256rnds2("));
    // POWER has them in C alone.
    let of_power = kernel(&aes(), Target::Vsx).0.expect("a kernel");
    assert!(of_power.text().contains(" = example_aesenc(") && of_power.text().contains("-mcpu=power8"));
    assert!(of_power.header().contains("-mcpu=power8"), "{}", of_power.header());
    assert!(of_power.rust().is_err());
    assert!(of_power.text().contains("_Pragma(\"GCC unroll 13\") for ("), "{}", of_power.text());
}

/// Operations that registers go through: by instructions, side by side, and one by one. `#` is another variable.
const OPERATIONS: [&str; 14] = [
    "two_rounds(#, #, #)",
    "schedule_first(#, #)",
    "schedule_last(#, #)",
    "# + #",
    "# ^ #",
    "(# & #) + #",
    "# + (1, 0, 0xffffffff, 7)",
    "(#[1..3], #[0])",
    "#[2, 3, 2, 3] + #",
    "(#[3], #[0], #[3], #[1])",
    "#[3, 2, 1, 0] ^ (0, 0, 5, 0)",
    "# <<< 1",
    "(#[0] * 3, #[1] >>> 7, #[2] + #[1], ~#[3])",
    "be<u32>(le<u8>(#))",
];

/// A random program over a stream, whose state are four registers, with a loop in the loop.
fn program(rng: &mut Rng) -> String {
    let mut text =
        sha256() + "\nnode main (state : u32x4[4], words : u32x4[*]) returns (next : u32x4[4], all : u32x4[*])\n";
    text.push_str("vars a, b, c, d : u32x4\nlet\n  (a, b, c, d) = state;\n  fold w in words {\n");
    let line = |rng: &mut Rng, indent: &str, names: &[&str]| {
        let mut operation: String = rng.pick::<&str>(&OPERATIONS).to_string();
        while let Some(at) = operation.find('#') {
            let name: &str = rng.pick::<&str>(names);
            operation.replace_range(at..=at, name);
        }
        format!("{indent}{} := {operation};\n", rng.pick::<&str>(&["a", "b", "c", "d"]))
    };
    let with_word = ["a", "b", "c", "d", "w", "w"];
    (0..rng.between(2, 5)).for_each(|_| text.push_str(&line(rng, "    ", &with_word)));
    let _ = writeln!(text, "    forall i in [0, {}] {{", rng.between(1, 4));
    (0..rng.between(1, 6)).for_each(|_| text.push_str(&line(rng, "      ", &with_word)));
    text.push_str("    }\n");
    (0..rng.between(0, 3)).for_each(|_| text.push_str(&line(rng, "    ", &with_word)));
    let _ = writeln!(text, "    all = {} ^ w", rng.pick::<&str>(&["a", "b", "c", "d"]));
    text.push_str("  }\n  next = (a, b, c, d)\ntel\n");
    text
}

/// Operations that four registers go through. `#` is another variable, and `w` a block.
const OPERATIONS_ON_FOUR: [&str; 19] = [
    "#",
    "aes_round(#, #)",
    "aes_round(#, w)",
    "aes_last_round(#, #)",
    "inverse_round(#, #)",
    "inverse_last_round(#, w)",
    "affine(#, #)",
    "byte_products(#, w)",
    "low_product(#, #)",
    "cross_product(#, #)",
    "high_product(#, #)",
    "# ^ #",
    "(# & #) ^ #",
    "# ^ (w, w, w, w)",
    "turned(#)",
    "(#[1..3], #[0])",
    "(#[0] ^ w, #[1..3])",
    "(#[0] ^ w, #[1], aes_round(#[2], w), #[0])",
    "(#[3], #[0], #[0], #[2])",
];

/// As [`program`], on four registers a variable.
fn program_on_fours(rng: &mut Rng) -> String {
    let mut text = aes() + &others() + &products();
    text.push_str("\nnode main (state : u8[4][64], words : u8x16[*]) returns (next : u8[4][64], all : u8x64[*])\n");
    text.push_str("vars a, b, c, d : u8[4][16]\nlet\n  (a, b, c, d) = state;\n  fold w in words {\n");
    let line = |rng: &mut Rng, indent: &str| {
        let mut operation: String = rng.pick::<&str>(&OPERATIONS_ON_FOUR).to_string();
        while let Some(at) = operation.find('#') {
            operation.replace_range(at..=at, rng.pick::<&str>(&["a", "b", "c", "d"]));
        }
        format!("{indent}{} := {operation};\n", rng.pick::<&str>(&["a", "b", "c", "d"]))
    };
    (0..rng.between(1, 4)).for_each(|_| text.push_str(&line(rng, "    ")));
    let _ = writeln!(text, "    forall i in [0, {}] {{", rng.between(1, 3));
    (0..rng.between(1, 4)).for_each(|_| text.push_str(&line(rng, "      ")));
    text.push_str("    }\n");
    (0..rng.between(0, 3)).for_each(|_| text.push_str(&line(rng, "    ")));
    let _ = writeln!(text, "    all = {} ^ (w, w, w, w)", rng.pick::<&str>(&["a", "b", "c", "d"]));
    text.push_str("  }\n  next = (a, b, c, d)\ntel\n");
    text
}

#[test]
fn programs_on_fours_of_registers_compute_what_the_interpreter_does() {
    let mut rng = Rng::new(21);
    let programs: Vec<String> = (0..40).map(|_| program_on_fours(&mut rng)).collect();
    let compilers = compilers(Target::Avx512Vaes);
    let programs = draw::some("programs on fours", programs, 4, |program| program.len().to_string());
    for (text, compiler) in programs.iter().zip(compilers.iter().cycle()) {
        let (source, found) = load(Path::new("example.ua"), &[], &Text(text));
        assert!(!found.has_errors(), "{found:?}\n{text}");
        let meaning = elaborate(&source, &options(Target::C64)).0.expect("a program");
        let meaning = Engine::interpreter(meaning).expect("an interpreter");
        let kernel = kernel(text, Target::Avx512Vaes).0.expect("a kernel");
        let flags = ["-O2", "-Wall", "-Wextra", "-Wno-unused-function", "-Werror"];
        let engine = Engine::native(&kernel, compiler, &flags);
        let engine = engine.unwrap_or_else(|why| panic!("{why} {:?}\n{text}", why.notes));
        for blocks in [0, 1, 3] {
            let (state, words) = (rng.bytes(256), rng.bytes(16 * blocks));
            let (expected, computed) = (meaning.run(&[&state, &words], 1), engine.run(&[&state, &words], 1));
            assert_eq!(computed, expected, "{}, {blocks} blocks\n{text}", compiler.name());
        }
    }
}

/// Results that are read back while others of their four are not there yet.
const READ_BACK: &str = "
node main (x : u8[4][16], k : u8[16]) returns (y : u8[4][16], s, u : u8[16])
let
  y[0] = aes_round(x[0], k);
  y[1] = aes_round(x[1], k);
  s = y[0] ^ k;
  y[2] = aes_round(x[2], k);
  y[3] = aes_round(x[3], s);
  u := k;
  fold i in [0, 3] {
    u := u ^ y[i]
  }
tel
";

/// A four that is only moved: no operation is on fours.
const ONLY_MOVED: &str = "
node main (x : u8[4][16], k : u8[16]) returns (y : u8[4][16], s, u : u8[16])
vars a, b : u8[4][16]
let
  a = x;
  b = x;
  fold i in [0, 2] {
    b := b;
    a := aes_round((b[1..3], b[0]), a)
  }
  y = b;
  s = a[0];
  u = a[3] ^ k
tel
";

/// An input that is read as a four after a result that may have its place was written.
const IN_PLACE: &str = "
node main (x : u8[4][16], k : u8[16]) returns (y, t : u8[4][16])
vars z : u8[16]
let
  z = x[0] ^ x[1] ^ x[2] ^ x[3];
  forall i in [0, 3] {
    y[i] = z
  }
  t = (aes_round(x[0], k), aes_round(x[1], k), aes_round(x[2], k), aes_round(x[3], k))
tel
";

/// Calls `main_run` with the first result in the place of the first parameter, and prints all results.
const CALL_IN_PLACE: &str = "
#include <stdio.h>
int main(void)
{
    unsigned char x[64], k[16], t[64];
    for (int i = 0; i < 64; i++)
        x[i] = (unsigned char)(7 * i + 1);
    for (int i = 0; i < 16; i++)
        k[i] = (unsigned char)(i * i);
    FUNCTION(x, t, x, k);
    for (int i = 0; i < 64; i++)
        printf(\"%02x\", x[i]);
    for (int i = 0; i < 64; i++)
        printf(\"%02x\", t[i]);
    return 0;
}
";

#[test]
fn fours_read_memory_as_it_was_where_their_lanes_read_it() {
    compiled_and_interpreted(READ_BACK);
}

#[test]
fn fours_without_an_operation_on_them_are_loaded_and_stored() {
    compiled_and_interpreted(ONLY_MOVED);
}

/// Compiles a program with two inputs by each compiler, and compares what it computes with the interpreter.
fn compiled_and_interpreted(program: &str) {
    let text = aes() + &products() + program;
    let (source, _) = load(Path::new("example.ua"), &[], &Text(&text));
    let meaning = elaborate(&source, &options(Target::C64)).0.expect("a program");
    let meaning = Engine::interpreter(meaning).expect("an interpreter");
    let mut rng = Rng::new(22);
    let (x, k) = (rng.bytes(64), rng.bytes(16));
    for compiler in compilers(Target::Avx512Vaes) {
        let (kernel, found) = kernel(&text, Target::Avx512Vaes);
        let engine = Engine::native(&kernel.unwrap_or_else(|| panic!("{found:?}")), &compiler, &["-O2"]);
        let engine = engine.unwrap_or_else(|why| panic!("{why} {:?}", why.notes));
        assert_eq!(engine.run(&[&x, &k], 1), meaning.run(&[&x, &k], 1), "{}", compiler.name());
    }

    let text = aes() + &products() + IN_PLACE;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, _) = load(Path::new("example.ua"), &[], &Text(&text));
    let meaning = elaborate(&source, &options(Target::C64)).0.expect("a program");
    let meaning = Engine::interpreter(meaning).expect("an interpreter");
    let x: Vec<u8> = (0..64_u8).map(|i| i.wrapping_mul(7).wrapping_add(1)).collect();
    let k: Vec<u8> = (0..16_u8).map(|i| i * i).collect();
    let expected: String = meaning.run(&[&x, &k], 1).concat().iter().map(|byte| format!("{byte:02x}")).collect();
    for compiler in compilers(Target::Avx512Vaes) {
        let (kernel, found) = kernel(&text, Target::Avx512Vaes);
        let kernel = kernel.unwrap_or_else(|| panic!("{found:?}"));
        let (file, program) = (folder.join("f.c"), folder.join("f"));
        let call = CALL_IN_PLACE.replace("FUNCTION", &kernel.functions()[0]);
        std::fs::write(&file, format!("{}{call}", kernel.text())).expect("a file");
        std::fs::write(folder.join("example.h"), kernel.header()).expect("a file");
        let flags = ["-std=c11", "-O1", "-march=native", "-o"];
        let made = Command::new(compiler.name()).args(flags).args([&program, &file]).output().expect("it runs");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let printed = Command::new(&program).output().expect("it runs").stdout;
        assert_eq!(String::from_utf8_lossy(&printed), expected, "{}", compiler.name());
    }
}

#[test]
fn programs_of_instructions_compute_what_the_interpreter_does() {
    let mut rng = Rng::new(20);
    let programs: Vec<String> = (0..40).map(|_| program(&mut rng)).collect();
    let targets = [Target::SseSha, Target::C64];
    let ways: Vec<_> = targets
        .into_iter()
        .flat_map(|target| compilers(target).into_iter().map(move |compiler| (target, compiler)))
        .collect();
    let programs = draw::some("programs of instructions", programs, 5, |program| program.len().to_string());
    for (number, text) in programs.iter().enumerate() {
        let (source, found) = load(Path::new("example.ua"), &[], &Text(text));
        assert!(!found.has_errors(), "{found:?}\n{text}");
        let meaning = elaborate(&source, &options(Target::C64)).0.expect("a program");
        let meaning = Engine::interpreter(meaning).expect("an interpreter");
        for (target, compiler) in &ways {
            // The target without the instructions takes turns.
            if *target == Target::C64 && number % ways.len() != 0 {
                continue;
            }
            let kernel = kernel(text, *target).0.expect("a kernel");
            let flags = ["-O2", "-Wall", "-Wextra", "-Wno-unused-function", "-Werror"];
            let engine = Engine::native(&kernel, compiler, &flags);
            let engine = engine.unwrap_or_else(|why| panic!("{why} {:?}\n{text}", why.notes));
            for blocks in [0, 1, 2, 7] {
                let (state, words) = (rng.bytes(64), rng.bytes(16 * blocks));
                let (expected, computed) = (meaning.run(&[&state, &words], 1), engine.run(&[&state, &words], 1));
                assert_eq!(computed, expected, "{} {}, {blocks} blocks\n{text}", target.name(), compiler.name());
            }
        }
    }
}
