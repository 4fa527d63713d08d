//! `culet dump`: the text of every stage can be read back.

mod support;

use support::{DOUBLE, code, culet, directory, primitives, stderr, stdout, text, write};

/// The output of the command, which must succeed without diagnostics.
fn good(arguments: &[&str]) -> String {
    let output = culet(arguments);
    assert_eq!((code(&output), stderr(&output)), (0, String::new()), "{arguments:?}");
    stdout(&output)
}

const PASSES: [&str; 10] = ["inline", "unroll", "fold", "copy", "cse", "dce", "lut3", "interleave", "schedule", "tie"];

#[test]
fn every_stage_parses_back() {
    let dir = directory();
    let aes = primitives().join("ciphers/aes128.ua");
    let options = ["--slice", "b", "--target", "avx512", "--after"];
    for stage in ["ast", "program"] {
        let dump = |file: &str| good(&[&["dump", file][..], &options, &[stage]].concat());
        let first = dump(text(&aes));
        let again = write(dir.path(), "again.ua", &first);
        assert!(dump(text(&again)) == first, "the text after {stage} differs when it is read back");
    }
    for stage in ["lower"].iter().chain(&PASSES) {
        let first = good(&[&["dump", text(&aes)][..], &options, &[stage]].concat());
        let again = write(dir.path(), "again.ir", &first);
        assert!(good(&["check", text(&again)]).is_empty());
        let second = good(&["dump", text(&again), "--after", "lower"]);
        assert!(second == first, "the text after {stage} differs when it is read back");
    }
}

#[test]
fn passes_go_on_from_the_text() {
    let dir = directory();
    let present = primitives().join("ciphers/present.ua");
    for options in [&["--target", "avx512"][..], &["--target", "c64", "--interleave", "2", "--unroll", "none"]] {
        let dump = |file: &str, more: &[&str]| good(&[&["dump", file][..], options, more].concat());
        let lowered = dump(text(&present), &["--slice", "b", "--after", "lower"]);
        let lowered = write(dir.path(), "lowered.ir", lowered);
        for stage in PASSES {
            let direct = dump(text(&present), &["--slice", "b", "--after", stage]);
            assert!(dump(text(&lowered), &["--after", stage]) == direct, "{options:?}: {stage} differs");
        }
    }
}

#[test]
fn wrong_text_is_reported_with_its_place() {
    let dir = directory();
    let program = write(dir.path(), "double.ua", DOUBLE);
    let right = good(&["dump", text(&program), "--target", "c64", "--after", "lower"]);
    let cases = [
        (right.replace("store", "stow"), "E0840", right.lines().position(|line| line.contains("store"))),
        (right.replace("add.w32 v0", "add.w32 v9"), "E0840", right.lines().position(|line| line.contains("add"))),
        (right.replace("add.w32", "add.w64"), "E0841", Some(0)),
        (right.replace("w32[1]", "w32[99999999]"), "E0603", Some(0)),
        (String::new(), "E0840", Some(0)),
    ];
    for (wrong, expected, line) in cases {
        let file = write(dir.path(), "wrong.ir", &wrong);
        for arguments in [&["check", text(&file)][..], &["dump", text(&file), "--after", "fold"]] {
            let output = culet(&[arguments, &["--message-format", "json"]].concat());
            assert_eq!((code(&output), stdout(&output)), (1, String::new()), "{wrong}");
            let said = stderr(&output);
            let line = line.map_or(0, |line| line + 1);
            assert!(said.contains(expected) && said.contains(&format!("\"line\":{line},")), "{wrong}\n{said}");
        }
    }
}

#[test]
fn what_needs_a_program_says_so() {
    let dir = directory();
    let program = write(dir.path(), "double.ua", DOUBLE);
    let module = write(dir.path(), "double.ir", good(&["dump", text(&program), "--target", "c64", "--after", "lower"]));
    let (module, out) = (text(&module), dir.path().join("out"));
    for (arguments, expected) in [
        (&["compile", module, "-o", text(&out)][..], "E0842"),
        (&["run", module, "--interpret", "--input", "a=00000001"], "E0842"),
        (&["run", module, "--target", "c64", "--input", "a=00000001"], "E0842"),
        (&["dump", module, "--after", "c"], "E0842"),
        (&["dump", module, "--after", "program"], "E0842"),
        (&["dump", module, "--after", "fold", "--node", "double"], "E0830"),
        (&["check", module, "--slice", "v"], "E0830"),
    ] {
        let output = culet(arguments);
        assert!(
            matches!(code(&output), 1 | 2) && stderr(&output).contains(expected),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
    assert!(!out.exists());
}

#[test]
fn a_stage_that_does_not_occur_is_said() {
    let dir = directory();
    let program = write(dir.path(), "double.ua", DOUBLE);
    let output = culet(&["dump", text(&program), "--target", "c64", "--after", "limbs"]);
    assert_eq!((code(&output), stdout(&output)), (1, String::new()));
    assert!(stderr(&output).contains("this program is compiled without the stage `limbs`"), "{}", stderr(&output));
    let lowered = good(&["dump", text(&program), "--target", "c64", "--after", "lower"]);
    let module = write(dir.path(), "double.ir", lowered);
    for (file, stage, expected) in [
        (&module, "limbs", "without the stage `limbs`"),
        (&module, "pack", "without the stage `pack`"),
        (&module, "fould", "there is no stage `fould`"),
        (&program, "fould", "there is no stage `fould`"),
        (&program, "Fold", "there is no stage `Fold`"),
        (&program, "", "there is no stage ``"),
    ] {
        let output = culet(&["dump", text(file), "--after", stage]);
        assert!(matches!(code(&output), 1 | 2) && stdout(&output).is_empty(), "{stage}: {output:?}");
        assert!(stderr(&output).contains("E0830") && stderr(&output).contains(expected), "{}", stderr(&output));
    }
}
