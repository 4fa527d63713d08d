//! The notes in objects on how they were made, `culet compile --prove`, and the entries that proofs leave.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::{code, culet, directory, primitives, stderr, stdout, text};

fn rectangle() -> PathBuf {
    primitives().join("ciphers/rectangle.ua")
}

/// An object of a program's kernel, in this directory.
fn object(directory: &Path, program: &Path, options: &[&str], edit: impl Fn(String) -> String) -> PathBuf {
    let stem = program.file_stem().and_then(|stem| stem.to_str()).expect("a name");
    let fixed = ["compile", text(program), "--force", "--name", stem, "-o", text(directory)];
    let output = culet(&[&fixed[..], options].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let c = directory.join(format!("{stem}.c"));
    let written = std::fs::read_to_string(&c).expect("C");
    std::fs::write(&c, edit(written)).expect("a file");
    let object = directory.join(format!("{stem}.o"));
    run("gcc-12", &["-O2", "-mavx2", "-c", text(&c), "-o", text(&object)]);
    object
}

fn run(program: &str, arguments: &[&str]) {
    let status = Command::new(program).args(arguments).status().expect("it starts");
    assert!(status.success(), "{program} {arguments:?}");
}

fn prove(object: &Path, program: &Path, more: &[&str]) -> std::process::Output {
    culet(&[&["prove", text(object), "--source", text(program)][..], more].concat())
}

#[test]
fn an_object_says_how_it_was_made() {
    let directory = directory();
    let options = ["--target", "avx2", "--slice", "v", "--node", "Rectangle", "--schedule", "none"];
    let object = object(directory.path(), &rectangle(), &options, |c| c);
    let output = prove(&object, &rectangle(), &[]);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("proved      rectangle_sliced"), "{}", stdout(&output));
    let half = prove(&object, &rectangle(), &["--slice", "v"]);
    assert_eq!(code(&half), 2, "{}", stdout(&half));
    assert!(stderr(&half).contains("E0830") && stderr(&half).contains("--target"), "{}", stderr(&half));
}

#[test]
fn an_object_that_says_nothing_is_asked_for_more() {
    let directory = directory();
    let without = |c: String| c.replace(".note.culet", ".note.other");
    let object = object(directory.path(), &rectangle(), &["--target", "avx2", "--slice", "v"], without);
    let output = prove(&object, &rectangle(), &[]);
    assert_eq!(code(&output), 1);
    let said = stderr(&output);
    let remedies = ["E0862", "no note", "`--node`, `--slice` and `--target`", "`rectangle_sliced`", "`--contract`"];
    assert!(remedies.iter().all(|word| said.contains(word)), "{said}");
    let told = prove(&object, &rectangle(), &["--target", "avx2", "--slice", "v", "--name", "rectangle"]);
    assert_eq!(code(&told), 0, "{}{}", stdout(&told), stderr(&told));
}

#[test]
fn of_several_kernels_one_is_chosen() {
    let directory = directory();
    let first = object(directory.path(), &rectangle(), &["--target", "avx2", "--slice", "v"], |c| c);
    let ascon = primitives().join("ciphers/ascon.ua");
    let second = object(directory.path(), &ascon, &["--target", "c64", "--slice", "v", "--node", "Ascon_p12"], |c| c);
    let both = directory.path().join("both.o");
    run("ld", &["-r", text(&first), text(&second), "-o", text(&both)]);
    for program in [rectangle(), ascon] {
        let output = prove(&both, &program, &[]);
        assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    }
    let wrong = prove(&both, &rectangle(), &["--name", "gimli"]);
    assert_eq!(code(&wrong), 1);
    assert!(stderr(&wrong).contains("it has rectangle, ascon"), "{}", stderr(&wrong));
}

#[test]
fn compiling_and_proving_at_once_leaves_an_entry() {
    let directory = directory();
    let out = directory.path().join("out");
    let arguments = ["compile", text(&rectangle()), "--target", "sse", "--slice", "v", "-o", text(&out), "--prove"]
        .map(str::to_owned);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = culet(&[&arguments[..], &["--cc", "gcc-12", "--cflags", "-O2"]].concat());
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    let entry = std::fs::read_to_string(out.join("proofs/rectangle_v_sse.json")).expect("an entry");
    let entry: Value = serde_json::from_str(&entry).expect("JSON");
    assert_eq!(entry["proved"], true);
    assert_eq!(entry["options"], "--target sse --slice v");
    assert!(entry["compiled_by"].as_str().is_some_and(|by| by.contains("gcc-12") && by.ends_with("-O2")), "{entry}");
    let functions = entry["functions"].as_array().expect("a list");
    assert!(functions.len() >= 4 && functions.iter().all(|function| function["proved"] == true), "{entry}");
    // The checksum is that of the object, as another program computes it.
    let sum = Command::new("sha256sum").arg(out.join("rectangle_v_sse.o")).output().expect("sha256sum");
    let sum = String::from_utf8(sum.stdout).expect("text");
    assert_eq!(entry["image"]["sha256"].as_str(), sum.split(' ').next());

    // Proving one more function, or one again, does not change the verdicts on the others.
    let object = out.join("rectangle_v_sse.o");
    let proofs = out.join("proofs");
    let one = ["prove", text(&object), "--source", text(&rectangle()), "--symbol", "unpack", "--proofs", text(&proofs)]
        .map(str::to_owned);
    let again = culet(&one.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(code(&again), 0, "{}", stderr(&again));
    let later = std::fs::read_to_string(proofs.join("rectangle_v_sse.json")).expect("an entry");
    let later: Value = serde_json::from_str(&later).expect("JSON");
    assert_eq!(later["functions"].as_array().map(Vec::len), Some(functions.len()), "{later}");
    // The verdicts of another prover are not taken over.
    let mut other = later.clone();
    other["culet"]["sha256"] = "0".into();
    std::fs::write(proofs.join("rectangle_v_sse.json"), other.to_string()).expect("a file");
    culet(&one.iter().map(String::as_str).collect::<Vec<_>>());
    let alone = std::fs::read_to_string(proofs.join("rectangle_v_sse.json")).expect("an entry");
    let alone: Value = serde_json::from_str(&alone).expect("JSON");
    assert_eq!(alone["functions"].as_array().map(Vec::len), Some(1), "{alone}");

    let tuned = culet(&[&arguments[..], &["--time", "3"]].concat());
    assert_eq!(code(&tuned), 1 + 1, "{}", stderr(&tuned));
    assert!(stderr(&tuned).contains("E0830"), "{}", stderr(&tuned));
}

/// An entry says that a kernel is proved if all its functions are, with respect to the texts that it names.
#[test]
fn an_entry_is_of_all_functions_and_of_all_that_was_read() {
    let directory = directory();
    let part = directory.path().join("part.ua");
    let put = |operation: &str| {
        let text = format!("node mix (x, y : u<V>32) returns (z : u<V>32)\nlet\n  z = x {operation} y\ntel\n");
        std::fs::write(&part, text).expect("a file");
    };
    put("^");
    let program = directory.path().join("mixed.ua");
    let main = "include \"part.ua\"\nnode mixed (k, x : u<V>32) returns (z : u<V>32)\nlet\n  z = mix(k, x)\ntel\n";
    std::fs::write(&program, main).expect("a file");
    let object = object(directory.path(), &program, &["--target", "c64", "--slice", "v"], |c| c);
    let proofs = directory.path().join("proofs");
    let entry = |more: &[&str]| -> Value {
        let output = prove(&object, &program, &[&["--proofs", text(&proofs)][..], more].concat());
        let entry = std::fs::read_to_string(proofs.join("mixed.json"));
        serde_json::from_str(&entry.unwrap_or_else(|_| panic!("{}", stderr(&output)))).expect("JSON")
    };
    let count = |entry: &Value, list: &str| entry[list].as_array().map(Vec::len);
    let one = entry(&["--symbol", "mixed_sliced"]);
    assert_eq!(
        (&one["proved"], count(&one, "functions"), count(&one, "untried")),
        (&false.into(), Some(1), Some(5)),
        "{one}"
    );
    let all = entry(&[]);
    assert_eq!(
        (&all["proved"], count(&all, "functions"), count(&all, "untried")),
        (&true.into(), Some(6), Some(0)),
        "{all}"
    );
    assert_eq!(all["specification"]["name"], "mixed.ua");
    assert_eq!((&all["included"][0]["name"], count(&all, "included")), (&"part.ua".into(), Some(1)));
    let again = entry(&["--symbol", "mixed_sliced"]);
    assert_eq!((&again["proved"], count(&again, "functions")), (&true.into(), Some(6)), "{again}");
    // The object no longer computes what the changed program means.
    put("&");
    let changed = entry(&["--symbol", "pack_k"]);
    assert_eq!((&changed["proved"], count(&changed, "functions")), (&false.into(), Some(1)), "{changed}");
    assert_eq!(changed["functions"][0]["proved"], true, "{changed}");
}

/// Damage anywhere in the file, and to the note itself: each note that is found is a command line, and the command ends
/// with a proof of what the note still says, or with a diagnostic.
#[test]
fn damaged_notes_are_passed_over_or_refused() {
    let directory = directory();
    let object = object(directory.path(), &rectangle(), &["--target", "sse", "--slice", "v"], |c| c);
    let good = std::fs::read(&object).expect("an object");
    let whole = culet_image::note::notes(&good);
    let [note] = &whole[..] else { panic!("{whole:?}") };
    let at = good.windows(note.len()).position(|bytes| bytes == note.as_bytes()).expect("the note's text");
    let mut state = 1u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % limit
    };
    for _ in 0..5000 {
        let mut bytes = good.clone();
        for _ in 0..=below(3) {
            let place = below(good.len());
            bytes[place] = below(256) as u8;
        }
        let length = if below(2) == 0 { good.len() } else { below(good.len()) };
        assert!(culet_image::note::notes(&bytes[..length]).len() <= 1);
    }
    // The text comes after the lengths of name and text and the type, of one word each, and after the name.
    const HEADER: usize = 12 + 8;
    let (mut unreadable, mut said) = (0, 0);
    for _ in 0..60 {
        let mut bytes = good.clone();
        bytes[at - HEADER + below(HEADER + note.len())] = below(256) as u8;
        std::fs::write(&object, &bytes).expect("a file");
        let found = prove(&object, &rectangle(), &["--symbol", "pack_plain"]);
        match code(&found) {
            0 => said += 1,
            1 | 2 if stderr(&found).contains("error[E08") => unreadable += 1,
            _ => assert!(stdout(&found).contains("NOT PROVED"), "{}{}", stdout(&found), stderr(&found)),
        }
    }
    assert!(unreadable > 20, "{unreadable} are refused, {said} are not");
}

#[test]
fn a_program_with_functions_is_proved_as_one() {
    let directory = directory();
    let program = directory.path().join("cubes.ua");
    let source = "field f = GF(2^255 - 19)
_no_inline node cube (x : f) returns (r : f) let r = x * x * x tel
node cubes (x, y : f) returns (r : f) let r = cube(x) + cube(y) tel
";
    std::fs::write(&program, source).expect("a file");
    let compile = |options: &[&str]| {
        let fixed =
            ["compile", text(&program), "--target", "c64", "--prove", "--cc", "gcc-12", "-o", text(directory.path())];
        culet(&[&fixed[..], options].concat())
    };
    let kept = compile(&[]);
    assert_eq!(code(&kept), 2, "{}", stdout(&kept));
    assert!(stderr(&kept).contains("E0830") && stderr(&kept).contains("`--inline all`"), "{}", stderr(&kept));
    let whole = compile(&["--inline", "all", "--force"]);
    assert_eq!(code(&whole), 0, "{}{}", stdout(&whole), stderr(&whole));
    assert!(stdout(&whole).contains("proved      cubes"), "{}", stdout(&whole));
}
