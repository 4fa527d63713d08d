//! Options that have no effect, alone or together, are errors.

mod support;

use std::path::Path;

use culet_ir::Target;
use support::{DOUBLE, code, culet, directory, primitives, stderr, stdout, text, write};

/// Asserts that the command refuses the arguments with a message that contains all of `words`.
fn refused(arguments: &[&str], words: &[&str]) {
    let output = culet(arguments);
    assert!(matches!(code(&output), 1 | 2), "{arguments:?}");
    let said = stderr(&output);
    assert!(words.iter().all(|word| said.contains(word)), "{arguments:?}: {said}");
}

fn paths() -> (tempfile::TempDir, String, String) {
    let dir = directory();
    let fixed = text(&write(dir.path(), "double.ua", DOUBLE)).to_owned();
    let open = DOUBLE.replace("u<V>32", "u32").replace("a + a", "a ^ 1");
    let open = text(&write(dir.path(), "open.ua", open)).to_owned();
    (dir, fixed, open)
}

#[test]
fn choices_that_fit_neither_target_nor_direction() {
    let (dir, fixed, open) = paths();
    let out = dir.path().join("out");
    let compile = |program: &str, options: &[&str], words: &[&str]| {
        let mut arguments = vec!["compile", program, "-o", text(&out)];
        arguments.extend(options);
        refused(&arguments, words);
        let mut arguments = vec!["dump", program, "--after", "lower"];
        arguments.extend(options);
        refused(&arguments, words);
        assert!(!Path::new(&out).exists());
    };
    for slice in ["b", "h"] {
        for target in ["c32", "c64"] {
            compile(&open, &["--slice", slice, "--target", target, "--packed"], &["--packed", "leave"]);
        }
    }
    compile(&fixed, &["--target", "avx2", "--packed"], &["--packed", "leave"]);
    compile(&fixed, &["--target", "c64", "--width", "128"], &["128", "--width 256"]);
    compile(&fixed, &["--target", "sse", "--width", "256"], &["256", "--width 128"]);
    compile(&fixed, &["--target", "avx2", "--ternary", "none"], &["--ternary", "leave"]);
    compile(&open, &["--slice", "b", "--target", "sse", "--planes", "none"], &["--planes", "leave"]);
    compile(&fixed, &["--target", "c64", "--planes", "none"], &["--planes", "--slice b"]);
    compile(&fixed, &["--target", "c64", "--slice", "b"], &["--slice b", "leave"]);
    compile(&fixed, &["--target", "c64", "--word", "32"], &["--word", "leave"]);
    compile(&fixed, &["--target", "c64", "--interleave", "1,5"], &["grain", "leave"]);
    // All errors are reported at once.
    compile(&fixed, &["--target", "avx2", "--packed", "--planes", "none"], &["--packed", "--planes"]);
}

/// Blocks of a stream stand side by side in registers of the width that is asked for, with the same results.
#[test]
fn width_narrows_the_registers_of_blocks_side_by_side() {
    let dir = directory();
    let out = dir.path().join("out");
    let program = primitives().join("streams/chacha20_xor.ua");
    let compile = |target: &str, more: &[&str]| {
        let arguments = ["compile", text(&program), "--target", target, "-o", text(&out), "--force"];
        culet(&[&arguments[..], more].concat())
    };
    for (more, blocks) in [(&[][..], 8), (&["--width", "128"], 4)] {
        let said = stderr(&compile("avx2", more));
        assert!(said.contains(&format!("{blocks} blocks of a stream side by side")), "{said}");
    }
    for (target, width, reason) in [
        ("avx2", "256", "`--width 256` does nothing"),
        ("avx2", "64", "`avx2` has no registers of 64 bits"),
        ("c64", "128", "`c64` has no registers of 128 bits"),
    ] {
        let output = compile(target, &["--width", width]);
        assert!(code(&output) == 2 && stderr(&output).contains(reason), "{}", stderr(&output));
    }
    if !culet_native::cpu_runs(Target::Avx2) {
        return;
    }
    let (key, message) = (format!("key={}", "5c".repeat(32)), format!("text={}", "1f".repeat(1000)));
    let nonce = format!("nonce={}", "3a".repeat(12));
    let run = |more: &[&str]| {
        let inputs = ["--input", &key, "--input", &nonce, "--input", "counter=01000000", "--input", &message];
        let output = culet(&[&["run", text(&program)], &inputs[..], more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output)
    };
    assert_eq!(run(&["--target", "avx2", "--width", "128"]), run(&["--interpret"]));
}

/// Elements of a fold stand side by side from the number of groups on that is asked for, with the same results.
#[test]
fn fold_groups_changes_where_vectors_begin() {
    let dir = directory();
    let out = dir.path().join("out");
    let program = primitives().join("macs/poly1305.ua");
    let written = |more: &[&str]| {
        let arguments = ["compile", text(&program), "--target", "avx2", "--name", "p", "-o", text(&out), "--force"];
        let output = culet(&[&arguments[..], more].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        std::fs::read_to_string(out.join("p.c")).expect("it is written")
    };
    // A group is eight blocks of 16 bytes.
    for (more, bytes) in [(&[][..], 256), (&["--fold-groups", "1"], 128), (&["--fold-groups", "3"], 384)] {
        assert!(written(more).contains(&format!("if (msg_length >= {bytes}) {{")), "{more:?}");
    }
    for (target, groups, reason) in
        [("avx2", "2", "`avx2` has 2 groups by itself"), ("c64", "1", "`c64` has no vectors for them")]
    {
        refused(
            &["compile", text(&program), "--target", target, "--fold-groups", groups, "-o", text(&out)],
            &["E0830", reason],
        );
    }
    if !culet_native::cpu_runs(Target::Avx2) {
        return;
    }
    for bytes in [127, 128, 150, 700] {
        let (key, message) = (format!("key={}", "5c".repeat(32)), format!("msg={}", "e3".repeat(bytes)));
        let run = |more: &[&str]| {
            let output = culet(&[&["run", text(&program), "--input", &key, "--input", &message], more].concat());
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            stdout(&output)
        };
        assert_eq!(
            run(&["--target", "avx2", "--fold-groups", "1", "--cc", "gcc-12"]),
            run(&["--interpret"]),
            "{bytes}"
        );
    }
}

/// A program that computes one instance at a time is vertical, also where it has no words.
#[test]
fn directions_of_programs_over_fields() {
    let dir = directory();
    let field = write(
        dir.path(),
        "square.ua",
        "field f = GF(2^61 - 1)\nnode square (a : f) returns (r : f) let r = a * a tel\n",
    );
    let out = dir.path().join("out");
    for command in ["compile", "check", "dump"] {
        let more: &[&str] = match command {
            "compile" => &["-o", text(&out)],
            "dump" => &["--after", "lower"],
            _ => &[],
        };
        for slice in ["b", "h"] {
            refused(&[&[command, text(&field), "--slice", slice], more].concat(), &["--slice", "leave"]);
        }
        let output = culet(&[&[command, text(&field), "--slice", "v"], more].concat());
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
    }
}

#[test]
fn choices_that_fit_are_accepted() {
    let (dir, fixed, open) = paths();
    let out = dir.path().join("out");
    for options in [
        &[&fixed, "--target", "c64", "--packed"][..],
        &[&fixed, "--target", "c64", "--slice", "v", "--width", "64"],
        &[&fixed, "--target", "avx512", "--width", "256", "--ternary", "none"],
        &[&open, "--target", "c32", "--slice", "b", "--planes", "none"],
        &[&open, "--target", "c32", "--slice", "v", "--interleave", "1"],
    ] {
        let mut arguments = vec!["compile", "-o", text(&out)];
        arguments.extend(options);
        let output = culet(&arguments);
        assert_eq!(code(&output), 0, "{options:?}: {}", stderr(&output));
    }
}

#[test]
fn what_only_checks_or_interprets() {
    let (_dir, fixed, _) = paths();
    refused(&["check", &fixed, "--word", "32"], &["--word", "leave"]);
    refused(&["check", &fixed, "--slice", "b"], &["--slice b", "leave"]);
    refused(&["run", &fixed, "--interpret", "--slice", "b", "--input", "a=00000001"], &["--slice b", "leave"]);
    for option in [
        &["--unroll", "all"][..],
        &["--inline", "none"],
        &["--schedule", "none"],
        &["--ternary", "none"],
        &["--planes", "none"],
        &["--interleave", "2"],
        &["--width", "128"],
        &["--fold-groups", "2"],
        &["--packed"],
        &["--target", "c64"],
        &["--cc", "cc"],
    ] {
        let mut arguments = vec!["run", &fixed, "--interpret", "--input", "a=00000001"];
        arguments.extend(option);
        refused(&arguments, &["--interpret", option[0]]);
    }
}

#[test]
fn options_of_files_and_of_values() {
    let (dir, fixed, _) = paths();
    let out = dir.path().join("out");
    assert_eq!(code(&culet(&["run", &fixed, "--interpret", "--input", "a=00000001", "-o", text(&out)])), 0);
    assert_eq!(std::fs::read_to_string(&out).expect("the result"), "b = 00000002\n");
    for option in [&["--decrypt"][..], &["--iv", "00"], &["--key", "00"], &["--counter", "1"], &["data"]] {
        let mut arguments = vec!["run", &fixed, "--interpret", "--input", "a=00000001"];
        arguments.extend(option);
        refused(&arguments, &["--"]);
    }
    let aes = primitives().join("ciphers/aes128.ua");
    let ecb = ["run", text(&aes), "--interpret", "--mode", "ecb", "--key", "00", "-o", "x", "y"];
    for option in [&["--counter", "1"][..], &["--node", "AES128"], &["--iv", "00"], &["--input", "plain=00"]] {
        refused(&[&ecb[..], option].concat(), &[option[0]]);
    }
}

#[test]
fn counters_have_a_range() {
    let chacha = primitives().join("ciphers/chacha20.ua");
    let (key, nonce) = ("00".repeat(32), "00".repeat(12));
    let with = |counter: &str, words: &[&str]| {
        let common = ["run", text(&chacha), "--interpret", "--mode", "stream", "--key", &key, "--iv", &nonce];
        refused(&[&common[..], &["--counter", counter, "-o", "-", "-"]].concat(), words);
    };
    for wrong in ["-1", "x", "1.5", "18446744073709551616"] {
        with(wrong, &["--counter", "from 0 to 18446744073709551615", wrong]);
    }
    with("4294967296", &["4 bytes", "from 0 to 4294967295"]);
}

#[test]
fn a_slicing_that_nothing_tested_allows() {
    let chacha = primitives().join("ciphers/chacha20.toml");
    refused(&["test", text(&chacha), "--interpret", "--slice", "h"], &["--slice h", "slicing.allowed"]);
}

#[test]
fn proofs_of_what_is_not_for_x86_64() {
    let (dir, fixed, _) = paths();
    let out = dir.path().join("out");
    for (target, architecture) in [("vsx", "powerpc64le"), ("neon", "aarch64")] {
        refused(
            &["compile", &fixed, "--target", target, "--prove", "-o", text(&out)],
            &[target, architecture, "x86_64"],
        );
        assert!(!out.exists());
    }
}

#[test]
fn limits_that_mutants_do_not_heed() {
    let (_dir, fixed, _) = paths();
    let mutants = ["prove", "double.o", "--source", &fixed, "--mutate"];
    refused(&[&mutants[..], &["0"]].concat(), &["--mutate", "1"]);
    for limit in ["--stack", "--instructions", "--time-limit"] {
        refused(&[&mutants[..], &["1", limit, "1000000"]].concat(), &["--mutate", limit]);
    }
}

/// The help of every command ends with examples, whose options it has, and names no group of options that has none.
#[test]
fn help_is_grouped_and_has_examples() {
    let commands = [
        "check",
        "compile",
        "run",
        "test",
        "dump",
        "tune",
        "bench",
        "prove",
        "verify",
        "contract",
        "equal",
        "sbox",
        "field",
        "library",
        "explain",
        "demo",
        "completions",
        "man",
    ];
    for command in commands {
        let help = stdout(&culet(&[command, "--help"]));
        let (options, examples) = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("no examples: {help}"));
        assert!(examples.trim_start().starts_with(&format!("culet {command}")), "{examples}");
        let own =
            examples.lines().filter(|line| line.contains(&format!("culet {command}")) || line.starts_with("      "));
        let long = own.flat_map(str::split_whitespace).filter(|word| word.starts_with("--"));
        for option in long {
            assert!(
                options.contains(&format!("{option} ")) || options.contains(&format!("{option}\n")),
                "{command}: {option}"
            );
        }
        assert!(options.contains("\nMessages:\n"), "{help}");
        let lines: Vec<&str> = options.lines().collect();
        let headings = lines.windows(2).filter(|pair| pair[0].ends_with(':') && !pair[0].starts_with(' '));
        headings.for_each(|pair| assert!(pair[1].trim_start().starts_with(['-', '[', '<']), "{command}: {pair:?}"));
    }
    let groups = |command: &str| -> Vec<String> {
        let help = stdout(&culet(&[command, "--help"]));
        let is_heading = |line: &&str| line.ends_with(':') && !line.starts_with(' ') && !line.starts_with("Usage");
        help.lines().filter(is_heading).map(str::to_owned).collect()
    };
    let wanted = ["What is compiled:", "How it is compiled: speed and size only:", "Tuning:", "What is written:"];
    assert!(wanted.iter().all(|group| groups("compile").iter().any(|found| found == group)), "{:?}", groups("compile"));
    let wanted = ["What is proved:", "Limits:", "Tests of the prover:"];
    assert!(wanted.iter().all(|group| groups("prove").iter().any(|found| found == group)), "{:?}", groups("prove"));
}
