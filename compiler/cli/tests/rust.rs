//! `culet compile --language rust`: programs that compute one instance at a time, with their known answers.

mod support;

use std::fmt::Write;
use std::fs;
use std::process::Command;

use support::{culet, directory, primitives, stderr, text};

/// Results and parameters in the order of the functions' arguments; a parameter that is a stream at last.
const PROGRAMS: [(&str, &str, &[&str]); 6] = [
    ("curves/x25519", "r", &["k", "u"]),
    ("macs/poly1305", "tag", &["key", "msg"]),
    ("macs/ghash", "hash", &["key", "m"]),
    ("hashes/sha256", "digest", &["message"]),
    ("hashes/sha512", "digest", &["message"]),
    ("streams/chacha20", "encrypted", &["key", "counter", "nonce", "text"]),
];

/// A program that asserts the known answers of a description.
fn assertions(description: &str, name: &str, result: &str, parameters: &[&str]) -> String {
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
            "    let mut out = [0; {}];\n    {name}::{name}(&mut out, {});\n    assert_eq!(out, {});",
            wanted.len() / 2,
            inputs.join(", "),
            bytes(&wanted)
        );
        count += 1;
    }
    assert!(count > 1, "{name} has known answers");
    format!("mod {name};\n\nfn main() {{\n{body}}}\n")
}

/// An array of bytes.
fn bytes(hexadecimal: &str) -> String {
    let digits: Vec<char> = hexadecimal.chars().collect();
    let bytes: Vec<String> = digits.chunks(2).map(|pair| format!("0x{}{}", pair[0], pair[1])).collect();
    format!("[{}]", bytes.join(", "))
}

#[test]
fn known_answers_and_no_panic() {
    for (path, result, parameters) in PROGRAMS {
        let name = path.split('/').next_back().expect("a name");
        let description = fs::read_to_string(primitives().join(format!("{path}.toml"))).expect("a description");
        for target in ["c64", "c32"] {
            let directory = directory();
            let source = primitives().join(format!("{path}.ua"));
            let folder = directory.path();
            let program = ["compile", text(&source), "--slice", "v", "--target", target];
            let output = culet(&[&program[..], &["--language", "rust", "-o", text(folder)]].concat());
            assert!(output.status.success(), "{}", stderr(&output));
            fs::write(folder.join("main.rs"), assertions(&description, name, result, parameters)).expect("a file");
            fs::write(folder.join("lib.rs"), format!("#![no_std]\npub mod {name};\n")).expect("a file");
            let rustc = |arguments: &[&str]| {
                let edition = ["--edition", "2021", "-D", "warnings"];
                let output = Command::new("rustc").args(edition).args(arguments).current_dir(folder).output();
                let output = output.expect("rustc runs");
                assert!(output.status.success(), "{name} {target}: {}", stderr(&output));
            };
            // Sums that overflow panic here.
            rustc(&["main.rs", "-C", "opt-level=1", "-C", "overflow-checks=on", "-C", "debug-assertions=on"]);
            let output = Command::new(folder.join("main")).output().expect("the program runs");
            assert!(output.status.success(), "{name} {target}: {}", stderr(&output));
            rustc(&["lib.rs", "--crate-type", "lib", "--emit", "obj", "-C", "opt-level=3", "-o", "lib.o"]);
            let object = fs::read(folder.join("lib.o")).expect("an object");
            let has = |name: &[u8]| object.windows(name.len()).any(|window| window == name);
            assert!(has(name.as_bytes()) && !has(b"panic"), "{name} {target} may panic");
        }
    }
}

#[test]
fn slices_of_many_instances_are_written_in_c() {
    let directory = directory();
    let source = primitives().join("ciphers/aes128.ua");
    let folder = directory.path().join("out");
    let output = culet(&[
        "compile",
        text(&source),
        "--slice",
        "b",
        "--target",
        "c64",
        "--language",
        "rust",
        "-o",
        text(&folder),
    ]);
    assert!(!output.status.success() && stderr(&output).contains("this one computes many"), "{}", stderr(&output));
    assert!(!folder.exists());
}
