//! `--max-code`, `--max-stack` and `--max-table` of `culet compile` and `culet tune`.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use support::{code, culet, culet_with_cache, directory, primitives, stderr, stdout, text, write};

/// Products of elements: functions that are kept are smaller, and copies are faster.
const POWER: &str = "field fe = GF(2^255 - 19)\n\nnode step (a, b : fe) returns (c : fe)\nlet\n  c = (a * b + a) * (a - b)\ntel\n\n\
    node power (a, b : fe) returns (r : fe)\nvars\n  x : fe[5]\nlet\n  x[0] = a;\n  x[1] = step(x[0], b);\n  \
    x[2] = step(x[1], x[0]);\n  x[3] = step(x[2], x[1]);\n  x[4] = step(x[3], x[2]);\n  r = x[4]\ntel\n";

/// Rounds on slices.
const ROUNDS: &str = "node round (a, b : u32) returns (c, d : u32)\nlet\n  c = (a + b) <<< 7;\n  d = b ^ c\ntel\n\n\
    node rounds (a, b : u32) returns (c, d : u32)\nvars\n  x, y : u32[41]\nlet\n  x[0] = a;\n  y[0] = b;\n  \
    forall i in [0, 39] {\n    (x[i + 1], y[i + 1]) = round(x[i], y[i])\n  }\n  c = x[40];\n  d = y[40]\ntel\n";

/// The bytes that a message says, before a word.
fn bytes_of(said: &str, what: &str) -> u64 {
    let before = said.split(&format!(" bytes of {what}")).next().expect("some text");
    before.rsplit(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok()).expect(said)
}

fn compile(file: &Path, out: &Path, more: &[&str]) -> std::process::Output {
    let start =
        ["compile", text(file), "--target", "c64", "--force", "-o", text(out), "--cc", "gcc-12", "--cflags", "-O1"];
    culet(&[&start[..], more].concat())
}

#[test]
fn a_budget_leaves_out_the_fastest_choices_and_what_is_written_fits() {
    let dir = directory();
    let (file, out) = (write(dir.path(), "power.ua", POWER), dir.path().join("out"));
    let options = || {
        let header = fs::read_to_string(out.join("power.h")).expect("a header");
        header.lines().find(|line| line.contains("culet compile")).expect("a command").to_owned()
    };
    let all = compile(&file, &out, &["--max-code", "1000k"]);
    assert_eq!(code(&all), 0, "{}", stderr(&all));
    let (fast, fast_options) = (bytes_of(&stderr(&all), "code"), options());
    assert!(stderr(&all).contains("as `gcc-12 -O1` makes it"), "{}", stderr(&all));
    let less = (fast - 1).to_string();
    let small = compile(&file, &out, &["--max-code", &less]);
    assert_eq!(code(&small), 0, "{}", stderr(&small));
    let (size, small_options) = (bytes_of(&stderr(&small), "code"), options());
    assert!(size < fast && small_options != fast_options, "{size} {fast} {small_options}");
    // The command in the file makes the same code without a search.
    let again = directory();
    let arguments = small_options.split("culet compile ").nth(1).expect("arguments");
    let arguments: Vec<&str> = arguments.split_whitespace().skip(1).take_while(|word| *word != "#").collect();
    let given = culet(&[&["compile", text(&file), "-o", text(again.path())][..], &arguments].concat());
    assert_eq!(code(&given), 0, "{}", stderr(&given));
    let body =
        |path: &Path| fs::read_to_string(path).expect("C").lines().skip(6).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(body(&again.path().join("power.c")), body(&out.join("power.c")));

    // Functions that call one another take more stack than one function.
    let stack = bytes_of(&stderr(&small), "stack");
    let shallow = compile(&file, &out, &["--max-stack", &(stack - 1).to_string()]);
    assert!(code(&shallow) == 1 || bytes_of(&stderr(&shallow), "stack") < stack, "{}", stderr(&shallow));
}

#[test]
fn a_budget_that_cannot_be_met_says_the_least_of_each_kind() {
    let dir = directory();
    let (file, out) = (write(dir.path(), "power.ua", POWER), dir.path().join("out"));
    let output = compile(&file, &out, &["--max-code", "100", "--max-table", "3k"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let said = stderr(&output);
    for part in [
        "E0852",
        "power.ua:",
        "`--max-code 100 --max-table 3072`",
        "(100 allowed), by `--target c64 ",
        "(gcc-12 -O1)",
        "stack: the fewest found are ",
        "(no limit)",
        "constants: the fewest found are 0 bytes (3072 allowed)",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!out.exists() || fs::read_dir(&out).expect("a directory").next().is_none());
    // A choice that is given stays, though another one would fit.
    let least = said
        .split("code: the fewest found are ")
        .nth(1)
        .and_then(|rest| rest.split(' ').next())
        .expect("the least code");
    let fits = compile(&file, &out, &["--max-code", least]);
    assert_eq!(code(&fits), 0, "{}", stderr(&fits));
    let given = compile(&file, &out, &["--max-code", least, "--inline", "all"]);
    assert_eq!(code(&given), 1, "{}", stderr(&given));
}

#[test]
fn budgets_that_are_no_numbers_or_fit_nothing_else_are_refused() {
    let dir = directory();
    let (file, out) = (write(dir.path(), "power.ua", POWER), dir.path().join("out"));
    for wrong in ["", "k", "20x", "-1", "1.5k", "20 k", "99999999999999999999", "18446744073709551615k"] {
        let output = compile(&file, &out, &[&format!("--max-code={wrong}")]);
        assert_eq!(code(&output), 2, "{wrong}: {}", stderr(&output));
        assert!(stderr(&output).contains("expected a number of bytes"), "{wrong}: {}", stderr(&output));
    }
    let rust = culet(&["compile", text(&file), "--max-code", "20k", "--language", "rust", "-o", text(&out)]);
    assert_eq!(code(&rust), 2, "{}", stderr(&rust));
    let several = compile(&file, &out, &["--max-code", "20k", "--cc", "clang-19"]);
    assert!(code(&several) == 2 && stderr(&several).contains("`--cc` names several"), "{}", stderr(&several));
    let misfit =
        culet(&["compile", text(&file), "--target", "neon", "--max-code", "20k", "--cc", "gcc-12", "-o", text(&out)]);
    assert!(code(&misfit) == 2 && stderr(&misfit).contains("E0826"), "{}", stderr(&misfit));
    let description = primitives().join("ciphers/chacha20.toml");
    let of_description =
        culet(&["compile", text(&description), "--max-stack", "4k", "-o", text(&dir.path().join("c"))]);
    assert!(
        code(&of_description) == 2 && stderr(&of_description).contains("a budget is for one kernel"),
        "{}",
        stderr(&of_description)
    );
}

/// Compilers that do not say what is asked for are named with the reason: nothing is taken to fit.
#[test]
fn compilers_that_do_not_say_what_a_kernel_takes_are_refused() {
    let dir = directory();
    let (file, out) = (write(dir.path(), "power.ua", POWER), dir.path().join("out"));
    let without_stacks = "case \"$1\" in --version|-dumpmachine) exec gcc-12 \"$1\";; esac\n\
        for a; do shift; [ \"$a\" = -fstack-usage ] || set -- \"$@\" \"$a\"; done\nexec gcc-12 \"$@\"";
    let without_object = "case \"$1\" in --version|-dumpmachine) exec gcc-12 \"$1\";; esac\nexit 0";
    for (script, reason) in
        [(without_stacks, "how much stack each function takes"), (without_object, "it wrote no object")]
    {
        let cc = write(dir.path(), "cc.sh", format!("#!/bin/sh\n{script}\n"));
        fs::set_permissions(&cc, fs::Permissions::from_mode(0o755)).expect("it becomes a program");
        let output = culet(&[
            "compile",
            text(&file),
            "--target",
            "c64",
            "--max-code",
            "1000k",
            "--cc",
            text(&cc),
            "-o",
            text(&out),
        ]);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains("E0821") && stderr(&output).contains(reason), "{}", stderr(&output));
    }
}

/// A kernel that the C compiler refuses is left out, and the command says so.
#[test]
fn a_choice_that_is_not_compiled_is_named() {
    let dir = directory();
    let (file, out) = (write(dir.path(), "power.ua", POWER), dir.path().join("out"));
    let script = "for a; do case \"$a\" in *.c) grep -q 'power_product(' \"$a\" && { echo 'error: no such thing' >&2; exit 1; };; esac; done\n\
        exec gcc-12 \"$@\"";
    let cc = write(dir.path(), "cc.sh", format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(&cc, fs::Permissions::from_mode(0o755)).expect("it becomes a program");
    let compile = |most: &str| {
        culet(&["compile", text(&file), "--target", "c64", "--max-code", most, "--cc", text(&cc), "-o", text(&out)])
    };
    let output = compile("1000k");
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = stderr(&output);
    assert!(said.contains("`--target c64 --optimise size` is left out: error: no such thing"), "{said}");
    let none = compile("10");
    assert!(code(&none) == 1 && stderr(&none).contains("one way to compile it was tried"), "{}", stderr(&none));
}

#[test]
fn the_tuner_leaves_out_what_does_not_fit() {
    let dir = directory();
    let file = write(dir.path(), "rounds.ua", ROUNDS);
    let tune = |time: &str, more: &[&str]| {
        let start = ["tune", text(&file), "--slice", "v", "--target", "c64", "--cc", "gcc-12", "--time", time];
        culet_with_cache(dir.path(), &[&start[..], &["--message-format", "json"], more].concat())
    };
    let code_of = |ranked: &serde_json::Value| ranked["size"]["code"].as_u64().expect("bytes of code");
    let verdict = |time: &str, most: u64| -> serde_json::Value {
        let output = tune(time, &["--max-code", &most.to_string()]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        serde_json::from_str(&stdout(&output)).expect("one JSON object")
    };
    // The default choices are the first that a search tries, however little time it has.
    let all = verdict("2", 1_000_000);
    let ranking = all["ranking"].as_array().expect("a ranking");
    let default = ranking.iter().find(|ranked| ranked["options"] == "--target c64 --slice v").expect("the default");
    let most = code_of(default);
    let some = verdict("15", most - 1);
    let ranking = some["ranking"].as_array().expect("a ranking");
    assert!(!ranking.is_empty() && ranking.iter().all(|ranked| code_of(ranked) < most), "{some}");
    assert!(some["too_large"].as_u64().is_some_and(|count| count > 0), "{some}");
    // A second search of this kind has the first one's error.
    for _ in 0..2 {
        let none = tune("4", &["--max-code", "10"]);
        assert_eq!(code(&none), 1, "{}", stderr(&none));
        let said = stderr(&none);
        assert!(
            said.contains("E0852") && said.contains("code: the fewest found are ") && said.contains("gcc-12 -O3"),
            "{said}"
        );
    }
}
