//! `culet compile --language rust`: programs that compute one instance at a time, with their known answers.

mod support;

use std::fmt::Write;
use std::fs;
use std::process::Command;

use culet_ir::Target;
use culet_native::cpu_runs;
use culet_testing::report;
use support::{culet, directory, primitives, stderr, text};

/// Names of the result and of the parameters in the order of the functions' arguments, with a stream parameter last;
/// and the targets on whose vectors the program computes, beside those of plain words.
const PROGRAMS: [(&str, &str, &[&str], &[&str]); 7] = [
    ("curves/x25519", "r", &["k", "u"], &[]),
    ("curves/x25519_lanes", "r", &["k", "u"], &["avx512ifma"]),
    ("macs/poly1305", "tag", &["key", "msg"], &["sse", "avx2", "avx512ifma"]),
    ("macs/ghash", "hash", &["key", "m"], &[]),
    ("hashes/sha256", "digest", &["message"], &[]),
    ("hashes/sha512", "digest", &["message"], &[]),
    ("streams/chacha20", "encrypted", &["key", "counter", "nonce", "text"], &[]),
];

/// A program that asserts the known answers of a description. If it uses vectors, it requires a CPU that has them.
fn assertions(description: &str, name: &str, result: &str, parameters: &[&str], has_vectors: bool) -> String {
    let call = if has_vectors { "unsafe { CALL }" } else { "CALL" };
    let table: toml::Table = description.parse().expect("a description");
    let answers = table["known_answer"].as_array().expect("known answers");
    let mut body = String::new();
    let mut count = 0;
    for answer in answers.iter().filter(|answer| answer["node"].as_str() == Some(name)) {
        let hexadecimal = |table: &str, key: &str| answer[table][key].as_str().expect("bytes").to_owned();
        let inputs = parameters.iter().map(|parameter| format!("&{}", bytes(&hexadecimal("inputs", parameter))));
        let inputs: Vec<String> = inputs.collect();
        let wanted = hexadecimal("outputs", result);
        let _ = writeln!(
            body,
            "    let mut out = [0; {}];\n    {};\n    assert_eq!(out, {});",
            wanted.len() / 2,
            call.replace("CALL", &format!("{name}::{name}(&mut out, {})", inputs.join(", "))),
            bytes(&wanted)
        );
        count += 1;
    }
    assert!(count > 1, "{name} has known answers");
    format!("mod {name};\n\nfn main() {{\n{body}}}\n")
}

/// An array literal of bytes.
fn bytes(hexadecimal: &str) -> String {
    let digits: Vec<char> = hexadecimal.chars().collect();
    let bytes: Vec<String> = digits.chunks(2).map(|pair| format!("0x{}{}", pair[0], pair[1])).collect();
    format!("[{}]", bytes.join(", "))
}

#[test]
fn known_answers_and_no_panic() {
    for (path, result, parameters, vectors) in PROGRAMS {
        let name = path.split('/').next_back().expect("a name");
        let description = fs::read_to_string(primitives().join(format!("{path}.toml"))).expect("a description");
        for target in ["c64", "c32"].iter().chain(vectors).copied() {
            if !cpu_runs(Target::find(target).expect("a target")) {
                report(&format!("UNTESTED: this CPU does not run {target}"));
                continue;
            }
            let directory = directory();
            let source = primitives().join(format!("{path}.ua"));
            let folder = directory.path();
            let program = ["compile", text(&source), "--slice", "v", "--target", target];
            let output = culet(&[&program[..], &["--language", "rust", "--name", name, "-o", text(folder)]].concat());
            assert!(output.status.success(), "{}", stderr(&output));
            let has_vectors = !matches!(target, "c64" | "c32");
            let main = assertions(&description, name, result, parameters, has_vectors);
            fs::write(folder.join("main.rs"), main).expect("a file");
            let module = fs::read_to_string(folder.join(format!("{name}.rs"))).expect("a module");
            assert_eq!(module.contains("#[target_feature"), has_vectors, "{name} {target}");
            assert!(module.contains("#![forbid(unsafe_code)]"), "{name} {target}");
            fs::write(folder.join("lib.rs"), format!("#![no_std]\npub mod {name};\n")).expect("a file");
            let rustc = |arguments: &[&str]| {
                let edition = ["--edition", "2021", "-D", "warnings"];
                let output = Command::new("rustc")
                    .env_remove("RUSTC_BOOTSTRAP")
                    .args(edition)
                    .args(arguments)
                    .current_dir(folder)
                    .output();
                let output = output.expect("rustc runs");
                assert!(output.status.success(), "{name} {target}: {}", stderr(&output));
            };
            // With these options, sums that overflow panic.
            rustc(&["main.rs", "-C", "opt-level=1", "-C", "overflow-checks=on", "-C", "debug-assertions=on"]);
            let output = Command::new(folder.join("main")).output().expect("the program runs");
            assert!(output.status.success(), "{name} {target}: {}", stderr(&output));
            rustc(&["lib.rs", "--crate-type", "lib", "--emit", "obj", "-C", "opt-level=3", "-o", "lib.o"]);
            let object = fs::read(folder.join("lib.o")).expect("an object");
            let has = |name: &[u8]| object.windows(name.len()).any(|window| window == name);
            assert!(has(name.as_bytes()));
            // A slice for a result of any length may be too short, which is asked at the beginning.
            let asks = name == "chacha20";
            assert_eq!(module.contains("/// # Panics"), asks);
            assert_eq!(has(b"is too short"), asks);
            let panics: &[&[u8]] = if asks { &OTHER_PANICS } else { &[b"panic"] };
            assert!(!panics.iter().any(|panic| has(panic)), "{name} {target} may panic");
        }
    }
}

/// Parts of the names of functions in `core` that panic, but for the one that `assert!` calls.
const OTHER_PANICS: [&[u8]; 6] =
    [b"bounds_check", b"panic_const", b"slice_", b"index_fail", b"unwrap_failed", b"len_mismatch"];

/// A call of eight instances has the results of eight calls.
#[test]
fn a_batch() {
    if !cpu_runs(Target::Avx512Ifma) {
        return report("UNTESTED: this CPU does not run avx512ifma");
    }
    let directory = directory();
    let source = primitives().join("curves/x25519.ua");
    for (name, arguments) in [("one", &["--target", "c64"][..]), ("eight", &["--target", "avx512ifma", "--batch", "8"])]
    {
        let folder = directory.path().join(name);
        let program =
            ["compile", text(&source), "--slice", "v", "--language", "rust", "--name", "x25519", "-o", text(&folder)];
        let output = culet(&[&program[..], arguments].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let main = "#[path = \"one/x25519.rs\"]\nmod one;\n#[path = \"eight/x25519.rs\"]\nmod eight;\n
fn main() {
    let mut k: [u8; 256] = core::array::from_fn(|i| (i * 89 + i / 3) as u8);
    let mut u: [u8; 256] = core::array::from_fn(|i| (i * 61 + i / 5) as u8);
    for _ in 0..10 {
        let (mut together, mut each) = ([0; 256], [0; 256]);
        unsafe { eight::x25519(&mut together, &k, &u) };
        for (r, (k, u)) in each.as_chunks_mut().0.iter_mut().zip(k.as_chunks().0.iter().zip(u.as_chunks().0)) {
            one::x25519(r, k, u);
        }
        assert_eq!(together, each);
        (k, u) = (u, together);
    }
}
";
    fs::write(directory.path().join("main.rs"), main).expect("a file");
    let arguments = ["--edition", "2021", "-D", "warnings", "main.rs", "-C", "opt-level=1", "-C", "overflow-checks=on"];
    let output = Command::new("rustc")
        .env_remove("RUSTC_BOOTSTRAP")
        .args(arguments)
        .current_dir(directory.path())
        .output()
        .expect("rustc runs");
    assert!(output.status.success(), "{}", stderr(&output));
    let output = Command::new(directory.path().join("main")).output().expect("the program runs");
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn vectors_of_power_are_written_in_c() {
    let directory = directory();
    let folder = directory.path().join("out");
    let compile = |program: &str| {
        let source = primitives().join(program);
        culet(&["compile", text(&source), "--target", "vsx", "--language", "rust", "-o", text(&folder)])
    };
    let output = compile("macs/poly1305.ua");
    assert!(!output.status.success() && !folder.exists());
    for part in ["E0752", "stable Rust has no vectors for the target `vsx`", "`--target c64`"] {
        assert!(stderr(&output).contains(part), "{}", stderr(&output));
    }
    // Code on plain words is the same on every target.
    let output = compile("curves/x25519.ua");
    assert!(output.status.success(), "{}", stderr(&output));
}

/// Names that Rust keeps for itself, or warns about.
#[test]
fn names_are_those_of_rust() {
    let directory = directory();
    let folder = directory.path();
    let parameters = ["ref", "__x", "a__b", "type'", "self"];
    for parameter in parameters {
        let program = format!(
            "node f ({parameter} : u8[*], k : u8) returns (out : u8[*]) let forall x in {parameter} {{ out = x ^ k }} tel\n"
        );
        let source = folder.join("f.ua");
        fs::write(&source, program).expect("a program");
        let output =
            culet(&["compile", text(&source), "--language", "rust", "--name", "f", "--force", "-o", text(folder)]);
        assert!(output.status.success(), "{}", stderr(&output));
        fs::write(folder.join("lib.rs"), "#![deny(warnings)]\npub mod f;\n").expect("a file");
        let library = folder.join("lib.rs");
        let mut rustc = std::process::Command::new("rustc");
        let rustc = rustc.args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "--out-dir"]);
        let said = rustc.arg(folder).arg(&library).output().expect("rustc runs");
        assert!(said.status.success(), "{parameter}: {}", stderr(&said));
    }
    for name in ["self", "Self", "crate", "match"] {
        let source = primitives().join("macs/poly1305.ua");
        let output = culet(&["compile", text(&source), "--language", "rust", "--name", name, "-o", text(folder)]);
        assert!(!output.status.success() && stderr(&output).contains("is a word of Rust"), "{}", stderr(&output));
        assert!(!folder.join(format!("{name}.rs")).exists());
    }
}

/// A node that says what an instruction means is written as any other where it is the entry, and calls no instruction then.
#[test]
fn an_instruction_by_itself_needs_no_features() {
    let directory = directory();
    let source = primitives().join("streams/aes_rounds.ua");
    let arguments = ["compile", text(&source), "--node", "aes_last_round", "--slice", "v", "--target", "avx2"];
    let arguments = [&arguments[..], &["--language", "rust", "--name", "last", "-o", text(directory.path())]].concat();
    let output = culet(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    let module = fs::read_to_string(directory.path().join("last.rs")).expect("a module");
    assert!(!module.contains("core::arch") && !module.contains("target_feature"), "{module}");
}

/// A result that is a stream, read again alone and as a part of a longer one, by folds in lanes.
const FOLDED: &str = "field f = GF(2^127 - 1)
node mac (m : u8[*], r : f) returns (h : f)
let
  h = r;
  _lanes(4) fold b in blocks(m, 15, 1) { h := (h + f(b)) * r }
tel
node whole (m : u8[*], key : u8[5], r : f) returns (c : u8[*], h, g : f)
let
  forall b in blocks(m, 8, 0) { c = b ^ 0x5c }
  h = mac(c, r);
  g = mac((key, m, c), r)
tel
";

const FOLDED_IN_RUST: &str = "mod mac;
mod whole;

fn main() {
    let (key, r): ([u8; 5], [u8; 16]) = (*b\"joint\", core::array::from_fn(|i| (i * 7) as u8));
    for length in 0..200 {
        let m: Vec<u8> = (0..length).map(|i| (i * i + length) as u8).collect();
        let (mut c, mut results, mut wanted) = (vec![0xee; length + 1], [[0; 16]; 2], [[0; 16]; 2]);
        let [h, g] = &mut results;
        whole::whole(&mut c, h, g, &m, &key, &r);
        assert_eq!(c.pop(), Some(0xee));
        assert!(c.iter().zip(&m).all(|(c, m)| *c == m ^ 0x5c));
        mac::mac(&mut wanted[0], &c, &r);
        mac::mac(&mut wanted[1], &[&key[..], &m, &c].concat(), &r);
        assert_eq!(results, wanted);
        if length > 0 {
            let mut short = vec![0xee; length - 1];
            let call = std::panic::AssertUnwindSafe(|| whole::whole(&mut short, &mut [0; 16], &mut [0; 16], &m, &key, &r));
            let said = std::panic::catch_unwind(call).expect_err(\"it is too short\");
            assert_eq!(said.downcast_ref(), Some(&\"`c` is too short\"));
            assert!(short.iter().all(|byte| *byte == 0xee));
        }
    }
}
";

#[test]
fn results_of_any_length() {
    let directory = directory();
    let folder = directory.path();
    let source = folder.join("folded.ua");
    fs::write(&source, FOLDED).expect("a program");
    for node in ["mac", "whole"] {
        let output = culet(&[
            "compile",
            text(&source),
            "--node",
            node,
            "--target",
            "c64",
            "--language",
            "rust",
            "--name",
            node,
            "-o",
            text(folder),
        ]);
        assert!(output.status.success(), "{}", stderr(&output));
        let module = fs::read_to_string(folder.join(format!("{node}.rs"))).expect("a module");
        // The folds are divided: in groups of blocks, the first of which begins them.
        assert!(module.contains("30]") || module.contains("::<30>"), "{module}");
    }
    fs::write(folder.join("main.rs"), FOLDED_IN_RUST).expect("a file");
    let arguments =
        ["--edition", "2021", "-D", "warnings", "main.rs", "-C", "opt-level=1", "-C", "debug-assertions=off"];
    let output = Command::new("rustc").env_remove("RUSTC_BOOTSTRAP").args(arguments).current_dir(folder).output();
    let output = output.expect("rustc runs");
    assert!(output.status.success(), "{}", stderr(&output));
    let output = Command::new(folder.join("main")).output().expect("the program runs");
    assert!(output.status.success(), "{}", stderr(&output));
}
