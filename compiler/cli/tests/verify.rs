//! `culet verify` finds the library's kernels in a stripped program that rustc optimised as a whole, proves them there,
//! and refuses a program in which a byte of one is changed.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{code, culet, directory, stderr, stdout, text, write};

/// A program with five kernels, which prints what they compute.
const MAIN: &str = r#"
use std::hint::black_box;

fn main() {
    let key: [u8; 32] = black_box([7; 32]);
    let (mut text, mut state, mut tag, mut same, mut point) = (black_box([9; 150]), [5; 32], [0; 16], [0; 1], [0; 32]);
    let plain = black_box([9; 150]);
    chacha20::chacha20(&mut text, &key, &[1; 4], &[2; 12]);
    sha256_update::sha256_update(&mut state, &key, &plain);
    poly1305_finish::poly1305_finish(&mut tag, &black_box([1; 17]), &key);
    let mut found = 0_u32;
    for byte in 0..17 {
        let mut other = black_box(tag);
        if let Some(byte) = other.get_mut(byte) {
            *byte ^= 1 << (*byte % 8);
        }
        equal_16::equal_16(&mut same, &tag, &other);
        found = found << 1 | u32::from(same[0]);
    }
    x25519::x25519(&mut point, &key, &state);
    println!("{text:?} {state:?} {tag:?} {found:x} {point:?}");
}
"#;
const KERNELS: [&str; 5] = ["chacha20", "equal_16", "poly1305_finish", "sha256_update", "x25519"];

/// Builds the program as applications are built for release.
fn program(directory: &Path) -> PathBuf {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../library/culet/src/kernels/c64");
    let module = |name: &&str| format!("#[path = {:?}]\nmod {name};\n", kernels.join(format!("{name}.rs")));
    compiled(directory, KERNELS.iter().map(module).collect::<String>() + MAIN)
}

fn compiled(directory: &Path, main: String) -> PathBuf {
    let source = write(directory, "main.rs", main);
    let program = directory.join("program");
    let options = ["lto=fat", "codegen-units=1", "panic=abort", "strip=symbols"].map(|option| format!("-C{option}"));
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["-O", "--edition", "2024"]).args(options).arg(&source).arg("-o").arg(&program);
    let output = command.output().expect("there is a Rust compiler");
    assert!(output.status.success(), "{}", stderr(&output));
    program
}

/// The exit code, and the kernels in the document.
fn verify(program: &Path, more: &[&str]) -> (i32, Vec<Value>) {
    verify_as(program, &[&["--json"], more].concat())
}

/// As [`verify`], where the options ask for a document.
fn verify_as(program: &Path, more: &[&str]) -> (i32, Vec<Value>) {
    let output = culet(&[&["verify", text(program)][..], more].concat());
    let document: Value = serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    (code(&output), document["kernels"].as_array().expect("kernels").clone())
}

#[test]
fn kernels_are_proved_in_a_stripped_program_and_changes_are_refused() {
    let directory = directory();
    let program = program(directory.path());
    let (exit, kernels) = verify(&program, &["--safe"]);
    assert_eq!(exit, 0, "{kernels:#?}");
    let names: Vec<&str> = kernels.iter().filter_map(|kernel| kernel["operation"].as_str()).collect();
    assert_eq!(names, KERNELS);
    for kernel in &kernels {
        assert_eq!(kernel["verdict"], "safe", "{kernel:#}");
        let has_stream = ["chacha20", "sha256_update"].contains(&kernel["operation"].as_str().expect("a name"));
        assert_eq!(kernel["lengths"], if has_stream { "any".into() } else { Value::Null }, "{kernel:#}");
    }
    let (exit, equal) = verify(&program, &["--only", "poly1305_finish"]);
    assert!(exit == 0 && equal.len() == 1 && equal[0]["verdict"] == "equal", "{equal:#?}");
    assert_eq!((&equal[0]["claim"], &kernels[0]["claim"]), (&"equal".into(), &Value::Null), "{equal:#?}");
    advice_for_wrong_names(&program);
    less_than_before_is_told(&program, &kernels);
    a_limit_ends_every_proof(&program);
    changes_are_refused(&program, &kernels);
}

/// All kernels that claim to be equal, in one program.
#[test]
fn what_kernels_claim_is_proved() {
    let directory = directory();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../library/culet/src/kernels/c64");
    let (mut names, mut modules) = (Vec::new(), String::new());
    for entry in fs::read_dir(folder).expect("kernels") {
        let path = entry.expect("a kernel").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if fs::read_to_string(&path).expect("a kernel").contains(" --claim equal\\0") {
            modules += &format!("#[path = {path:?}]\nmod {name};\n");
            names.push(name);
        }
    }
    names.sort();
    assert!(names.len() > 30, "{names:?}");
    let kept = |name: &String| format!("    std::hint::black_box({name}::{name} as *const ());\n");
    let calls: String = names.iter().map(kept).collect();
    let program = compiled(directory.path(), format!("{modules}\nfn main() {{\n{calls}}}\n"));
    let (exit, kernels) = verify(&program, &[]);
    assert_eq!(exit, 0, "{kernels:#?}");
    let found: Vec<&str> = kernels.iter().filter_map(|kernel| kernel["operation"].as_str()).collect();
    assert_eq!(found, names);
    assert!(kernels.iter().all(|kernel| kernel["verdict"] == "equal" && kernel["claim"] == "equal"), "{kernels:#?}");
}

/// The prover follows the loop of `chacha20` for safety only: claiming more is an error, but of `equal_16`, which claims it rightly.
#[test]
fn a_kernel_that_is_only_safe_does_not_claim_more() {
    let directory = directory();
    let planted = |claim: &str| {
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../library/culet/src/kernels/c64");
        let [equal, mut safe] = ["equal_16", "chacha20"]
            .map(|name| fs::read_to_string(kernels.join(format!("{name}.rs"))).expect("a kernel"));
        let start = safe.find("made_by: [u8; ").expect("a record") + "made_by: [u8; ".len();
        let end = start + safe[start..].find(']').expect("a size");
        let size: usize = safe[start..end].parse().expect("a number");
        safe.replace_range(start..end, &(size + claim.len()).to_string());
        assert_eq!(safe.matches("\\0\",\n        };").count(), 1, "one record");
        let safe = safe.replace("\\0\",\n        };", &format!("{claim}\\0\",\n        }};"));
        write(directory.path(), "equal_16.rs", equal);
        write(directory.path(), "chacha20.rs", safe);
        let main = "mod chacha20;\nmod equal_16;\nuse std::hint::black_box;\n\nfn main() {\n    \
                    let (mut text, mut same) = (black_box([9; 150]), [0; 1]);\n    \
                    chacha20::chacha20(&mut text, &black_box([7; 32]), &[1; 4], &[2; 12]);\n    \
                    equal_16::equal_16(&mut same, &black_box([1; 16]), &black_box([2; 16]));\n    \
                    println!(\"{text:?} {same:?}\");\n}\n";
        compiled(directory.path(), main.to_owned())
    };
    let run = |program: &Path, more: &[&str]| {
        let output = culet(&[&["verify", text(program)], more].concat());
        (code(&output), stderr(&output))
    };
    let honest = planted("");
    assert_eq!(run(&honest, &[]).0, 0);
    let boasting = planted(" --claim equal");
    let (exit, said) = run(&boasting, &[]);
    assert!(exit == 1 && said.contains("E0868") && said.contains("only safe: `chacha20`\n"), "{said}");
    assert_eq!(run(&boasting, &["--safe"]).0, 0);
    assert_eq!(run(&boasting, &["--only", "equal_16"]).0, 0);
}

fn advice_for_wrong_names(program: &Path) {
    let output = culet(&["verify", text(program), "--only", "x25520"]);
    assert_eq!(code(&output), 2);
    let message = stderr(&output);
    assert!(message.contains("E0865") && message.contains("it has `x25519`\n"), "{message}");
    let message = stderr(&culet(&["verify", text(program), "--only", "rsa"]));
    assert!(KERNELS.iter().all(|name| message.contains(name)), "{message}");
    assert_eq!(refused(&["verify", text(program), "--only", "rsa", "--json"]), (2, "E0865".to_owned()));
    let table = stdout(&culet(&["verify", text(program), "--only", "equal_16", "--safe"]));
    assert!(table.contains(": 1 kernel, 1 safe, 0 of them equal to their programs, 0 not proved\n"), "{table}");
    assert!(table.contains("the CPU is in its"), "{table}");
}

/// A document of before in which a kernel was equal, or which has another one.
fn less_than_before_is_told(program: &Path, kernels: &[Value]) {
    let document = program.with_extension("json");
    let run = |kernels: &str, arguments: &[&str]| {
        fs::write(&document, format!("{{\"kernels\": {kernels}}}")).expect("a document");
        let always = ["verify", text(program), "--only", "equal_16", "--expect", text(&document)];
        let output = culet(&[&always[..], arguments].concat());
        (code(&output), stderr(&output))
    };
    let kernel = |name: &str, verdict: &str| format!("[{{\"operation\": \"{name}\", \"verdict\": \"{verdict}\"}}]");
    assert_eq!(run(&Value::from(kernels.to_vec()).to_string(), &["--safe"]).0, 0);
    assert_eq!(run(&kernel("equal_16", "equal"), &["--safe"]).0, 0);
    assert_eq!(run(&kernel("equal_16", "equal"), &[]).0, 0);
    let (exit, said) = run(&kernel("equal_16 of before", "safe"), &["--safe"]);
    assert!(exit == 1 && said.contains("E0866") && said.contains("`equal_16 of before` is missing"), "{said}");
    let (exit, said) = run("1", &["--safe"]);
    assert!(exit == 1 && said.contains("E0867"), "{said}");
}

/// The exit code of a command that writes no data, and the code of its only diagnostic, which is JSON.
fn refused(arguments: &[&str]) -> (i32, String) {
    let output = culet(arguments);
    assert_eq!(stdout(&output), "");
    let diagnostic: Value = serde_json::from_str(&stderr(&output)).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    (code(&output), diagnostic["code"].as_str().expect("a code").to_owned())
}

/// The proof that X25519 is equal takes far longer than the limit. It is not known whether that it is safe takes less.
fn a_limit_ends_every_proof(program: &Path) {
    let start = Instant::now();
    let limited = ["--only", "x25519", "--time-limit", "1"];
    let (exit, kernels) = verify(program, &limited);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    let (verdict, reason) = (&kernels[0]["verdict"], kernels[0]["reason"].to_string());
    match exit {
        0 => assert!(verdict == "safe" && reason.contains("1 s"), "{verdict} {reason}"),
        _ => assert!(verdict == "unknown" && reason.contains("more than 1 s"), "{verdict} {reason}"),
    }
}

/// Changes one bit of some bytes of kernels. A change that is accepted must not change what the program prints.
fn changes_are_refused(program: &Path, kernels: &[Value]) {
    let bytes = fs::read(program).expect("the program");
    let printed = Command::new(program).output().expect("it runs").stdout;
    let (mut refused, mut accepted) = (0, 0);
    let is_quick = |kernel: &&Value| !["x25519", "sha256_update"].iter().any(|slow| kernel["operation"] == *slow);
    for kernel in kernels.iter().filter(is_quick) {
        let number = |key: &str| kernel[key].as_u64().expect("a number");
        // A comparison that leaves out bytes is no less safe.
        let trials = if kernel["operation"] == "equal_16" { 24 } else { 3 };
        for trial in 0..trials {
            let place = number("address") + (trial * 379 + 31) % number("bytes");
            let changed = program.with_extension("changed");
            let mut copy = bytes.clone();
            copy[offset(&bytes, place)] ^= 1 << ((trial + 2) % 8);
            fs::write(&changed, copy).expect("it is written");
            let name = kernel["operation"].as_str().expect("a name");
            let whole = ["--safe", "--only", name, "--message-format", "json", "--verbose"];
            let (exit, found) = verify_as(&changed, &whole);
            if exit == 1 {
                refused += 1;
                // `--verbose` adds remedies and records, which a document has, too.
                let has = |key: &str| found[0][key].as_str().is_some_and(|text| !text.is_empty());
                assert!(found[0]["verdict"] != "refused" || has("remedy") && has("made_by"), "{found:#?}");
                continue;
            }
            accepted += 1;
            fs::set_permissions(&changed, fs::metadata(program).expect("it is there").permissions()).expect("allowed");
            let output = Command::new(&changed).output().expect("it runs");
            assert_eq!(output.stdout, printed, "{place:#x}: {found:#?}");
        }
    }
    assert!(refused > accepted, "{refused} refused, {accepted} accepted");
}

/// The place in an ELF file of the byte at an address.
fn offset(file: &[u8], address: u64) -> usize {
    let number = |at: usize, bytes: usize| {
        file[at..at + bytes].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)) as usize
    };
    let (headers, size, count) = (number(0x20, 8), number(0x36, 2), number(0x38, 2));
    let loaded = (0..count).map(|index| headers + index * size).filter(|&at| number(at, 4) == 1);
    let mut found = loaded.filter_map(|at| {
        let (offset, start, length) = (number(at + 8, 8), number(at + 16, 8), number(at + 32, 8));
        (address as usize).checked_sub(start).filter(|&distance| distance < length).map(|distance| offset + distance)
    });
    found.next().expect("the address is in the file")
}

#[test]
fn a_program_without_kernels_is_an_error_with_a_remedy() {
    let output = culet(&["verify", env!("CARGO_BIN_EXE_culet")]);
    assert_eq!(code(&output), 1);
    let message = stderr(&output);
    for words in
        ["E0864", "no kernels of the library", "linked with the library", "verify libculet.so", "link `libculet.a`"]
    {
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(code(&culet(&["verify"])), 2);
}

#[test]
fn files_that_cannot_be_looked_at_have_one_exit_code_and_diagnostics_in_json() {
    let directory = directory();
    let own = fs::read(env!("CARGO_BIN_EXE_culet")).expect("the command");
    let cut = directory.path().join("cut");
    fs::write(&cut, &own[..own.len() / 2]).expect("it is written");
    let source = write(directory.path(), "main.c", "int main(void) { return 0; }\n");
    let missing = directory.path().join("missing");
    let files =
        [(&missing, "E0801"), (&source, "E0860"), (&cut, "E0860"), (&env!("CARGO_BIN_EXE_culet").into(), "E0864")];
    for (file, expected) in files {
        for json in [&["--json"][..], &["--message-format", "json"]] {
            let found = refused(&[&["verify", text(file)], json].concat());
            assert_eq!(found, (1, expected.to_owned()), "{}", file.display());
        }
        assert_eq!(code(&culet(&["verify", text(file)])), 1, "{}", file.display());
    }
    let message = stderr(&culet(&["verify", text(&source)]));
    assert!(message.contains("give the executable or the shared object that the linker wrote"), "{message}");
}
