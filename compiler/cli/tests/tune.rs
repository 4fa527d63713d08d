//! `culet tune` and `culet compile --tune`: verdicts, the cache, and runners that misbehave.

mod support;

use std::process::Output;

use culet_ir::Target;
use culet_testing::draw;
use support::{code, culet_with_cache as culet, directory, stderr, stdout, text, write};

const ADD: &str = "node add (a : u32[4], b : u32[4]) returns (c : u32[4])\nlet\n  c = (a + b) ^ a\ntel\n";

#[test]
fn a_search_goes_on_until_nothing_is_left_and_its_verdict_is_kept() {
    let dir = directory();
    let file = write(dir.path(), "add.ua", ADD);
    let arguments = ["tune", text(&file), "--slice", "v", "--target", "c64", "--time", "1", "--cc", "gcc-12"];
    let first = culet(dir.path(), &arguments);
    assert_eq!(code(&first), 0, "{}", stderr(&first));
    let said = stdout(&first);
    assert!(said.starts_with("add on ") && said.contains("1.000  --target c64"), "{said}");
    assert!(said.contains("gcc-12 -O3"), "{said}");
    let measured = |output: &Output| -> u64 {
        let line = stdout(output).lines().find(|line| line.contains(" measured, ")).map(str::to_owned);
        line.and_then(|line| line.split(' ').next()?.parse().ok()).expect("the number of measured choices")
    };
    let second = culet(dir.path(), &arguments);
    assert!(measured(&second) > measured(&first), "{}{}", stdout(&first), stdout(&second));
    // A whole search takes a minute and more.
    if !draw::wants_all() {
        return;
    }
    let mut last = second;
    let longer = arguments.map(|argument| if argument == "1" { "10" } else { argument });
    for _ in 0..60 {
        last = culet(dir.path(), &longer);
        if stdout(&last).contains("; measured before (") {
            break;
        }
    }
    assert!(stdout(&last).contains("; measured before ("), "{}", stdout(&last));
    let json = culet(dir.path(), &[&arguments[..], &["--message-format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&stdout(&json)).expect("one JSON object");
    assert_eq!(json["from_cache"], true);
    assert!(json["ranking"][0]["ticks_a_byte"].as_f64().is_some_and(|ticks| ticks > 0.0));
    let again = culet(dir.path(), &[&arguments[..], &["--again"]].concat());
    assert!(!stdout(&again).contains("measured before"), "{}", stdout(&again));
}

#[test]
fn compile_takes_the_verdict() {
    let dir = directory();
    let file = write(dir.path(), "add.ua", ADD);
    let out = dir.path().join("out");
    let arguments =
        ["compile", text(&file), "--target", "c64", "--slice", "auto", "--tune", "--time", "1", "--cc", "gcc-12"];
    let output = culet(dir.path(), &[&arguments[..], &["-o", text(&out)]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("compiled by `gcc-12 -O3"), "{}", stderr(&output));
    let header = std::fs::read_to_string(out.join("add.h")).expect("the header is written");
    let slicing = header.split("--slice ").nth(1).and_then(|rest| rest.chars().next());
    assert!(matches!(slicing, Some('v' | 'b')), "{header}");
}

#[test]
fn options_of_the_tuner_alone_are_errors() {
    let dir = directory();
    let file = write(dir.path(), "add.ua", ADD);
    let out = dir.path().join("out");
    for more in [["--slice", "auto"], ["--time", "3"], ["--cflags", "-O1"], ["--runner", "env"], ["--cc", "gcc-12"]] {
        let output = culet(dir.path(), &[&["compile", text(&file), "-o", text(&out)][..], &more].concat());
        assert_eq!(code(&output), 1 + 1, "{more:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("E0830") && stderr(&output).contains("--tune"), "{}", stderr(&output));
    }
    let both = culet(dir.path(), &["compile", text(&file), "-o", text(&out), "--tune", "--unroll", "all"]);
    assert_eq!(code(&both), 2, "{}", stderr(&both));
}

#[test]
fn runners_that_fail_are_named_with_the_reason() {
    let dir = directory();
    let file = write(dir.path(), "add.ua", ADD);
    for (runner, reason) in [
        ("/no/such/runner", "cannot be started"),
        ("false", "it died"),
        ("echo hello", "it printed `hello"),
        ("true", "it printed nothing instead of samples"),
        ("", "the command is empty"),
    ] {
        let output = culet(
            dir.path(),
            &["tune", text(&file), "--slice", "v", "--target", "c64", "--cc", "gcc-12", "--runner", runner],
        );
        assert_eq!(code(&output), 2, "{runner}: {}", stderr(&output));
        let said = stderr(&output);
        assert!(said.contains("E0850") && said.contains(reason) && said.contains(runner), "{said}");
    }
}

/// Needs the compilers and emulators that the whole suite installs.
#[test]
fn kernels_of_other_machines_are_tuned_under_emulation() {
    let dir = directory();
    let file = write(dir.path(), "add.ua", ADD);
    for target in [Target::Neon, Target::Vsx] {
        for compiler in culet_testing::compilers(target) {
            let Some(runner) = &compiler.runner else { continue };
            let (cc, runner) = (compiler.name(), runner.name());
            let tune = ["tune", text(&file), "--slice", "v", "--target", target.name(), "--time", "3"];
            let output = culet(
                dir.path(),
                &[&tune[..], &["--cc", &cc, "--runner", &runner, "--message-format", "json"]].concat(),
            );
            assert_eq!(code(&output), 0, "{}", stderr(&output));
            let verdict: serde_json::Value = serde_json::from_str(&stdout(&output)).expect("one JSON object");
            // Emulators provide this clock for every machine.
            assert_eq!(verdict["clock"], "nanoseconds");
            assert_eq!(verdict["failed"], serde_json::json!([]), "{verdict}");
            assert!(verdict["measured"].as_u64().is_some_and(|measured| measured > 0), "{verdict}");
            let winner = &verdict["ranking"][0];
            assert!(winner["options"].as_str().is_some_and(|options| options.contains(target.name())), "{verdict}");
            assert!(winner["cc"].as_str().is_some_and(|used| used.starts_with(&cc)), "{verdict}");
            assert!(winner["ticks_a_byte"].as_f64().is_some_and(|ticks| ticks > 0.0), "{verdict}");

            let refused = culet(dir.path(), &[&tune[..], &["--cc", &cc]].concat());
            assert!(code(&refused) == 2 && stderr(&refused).contains("E0823"), "{}", stderr(&refused));
            // The usual compilers are for this machine, not for that of the runner.
            let refused = culet(dir.path(), &[&tune[..], &["--runner", &runner]].concat());
            assert!(code(&refused) == 2 && stderr(&refused).contains("E0826"), "{}", stderr(&refused));
        }
    }
}

#[test]
fn wrong_programs_and_missing_compilers_are_reported() {
    let dir = directory();
    let wrong = write(dir.path(), "wrong.ua", "node f (a : u32) returns (b : u32)\nlet\n  b = c\ntel\n");
    let output = culet(dir.path(), &["tune", text(&wrong), "--slice", "v"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let file = write(dir.path(), "add.ua", ADD);
    let output = culet(dir.path(), &["tune", text(&file), "--slice", "v", "--cc", "no-such-cc"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert!(stderr(&output).contains("no-such-cc"), "{}", stderr(&output));
}

#[test]
fn bench_measures_every_slicing_alone_and_with_packing() {
    let dir = directory();
    let description = support::primitives().join("ciphers/chacha20.toml");
    let arguments = ["bench", text(&description), "--target", "c64", "--cc", "gcc-12", "--slice", "v"];
    let output = culet(dir.path(), &[&arguments[..], &["--message-format", "json"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let rows: Vec<serde_json::Value> =
        stdout(&output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(rows.len(), 1);
    for figure in ["ticks_a_byte", "ticks_a_byte_with_packing"] {
        assert!(rows[0][figure].as_f64().is_some_and(|ticks| ticks > 0.0), "{}", rows[0]);
    }
    assert_eq!(rows[0]["failed"], serde_json::Value::Null);
    let people = stdout(&culet(dir.path(), &arguments));
    assert!(people.contains("v  c64     gcc-12"), "{people}");
    let none = culet(dir.path(), &["bench", text(&description), "--slice", "h"]);
    assert_eq!(code(&none), 2, "{}", stderr(&none));
}

#[test]
fn a_compiler_whose_objects_do_not_link_is_named() {
    let dir = directory();
    let file = write(dir.path(), "tiny.ua", "node f (a : u16x4) returns (b : u16x4)\nlet\n  b = (a <<< 3) ^ a\ntel\n");
    // One compiler makes objects for an executable at a fixed address, the other one does not.
    let arguments = ["tune", text(&file), "--slice", "v", "--target", "c64", "--time", "1"];
    let compilers = ["--cc", "gcc-12 -fsanitize=undefined -fno-pic", "--cc", "gcc-12"];
    let output = culet(dir.path(), &[&arguments[..], &compilers[..]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("failed: --target c64 --slice v (gcc-12 -fsanitize=undefined"),
        "{}",
        stdout(&output)
    );
    assert!(stdout(&output).contains("(gcc-12 -O3)"), "{}", stdout(&output));
}

/// The processes whose temporary directory is this one.
#[cfg(target_os = "linux")]
fn who_uses(directory: &str) -> Vec<u32> {
    let wanted = format!("TMPDIR={directory}").into_bytes();
    let processes = std::fs::read_dir("/proc").expect("the list of processes");
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(|id: &u32| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable.starts_with(&wanted))
    })
    .collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_leaves_neither_files_nor_programs_behind() {
    use std::os::unix::process::ExitStatusExt;
    use std::time::{Duration, Instant};

    let (dir, temporary) = (directory(), directory());
    let file = write(dir.path(), "add.ua", ADD);
    let mut search = std::process::Command::new(env!("CARGO_BIN_EXE_culet"))
        .args(["tune", text(&file), "--slice", "v", "--target", "c64", "--time", "60", "--cc", "gcc-12"])
        .env("XDG_CACHE_HOME", dir.path())
        .env("TMPDIR", temporary.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("it starts");
    let is_empty = || std::fs::read_dir(temporary.path()).expect("it is there").next().is_none();
    let start = Instant::now();
    // The command works while C compilers run.
    while is_empty() || who_uses(text(temporary.path())).len() < 2 {
        assert!(start.elapsed() < Duration::from_secs(60), "it makes no files, or starts no compiler");
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = search.id().to_string();
    assert!(std::process::Command::new("kill").arg(&id).status().expect("there is `kill`").success());
    let status = search.wait().expect("it ends");
    assert_eq!(status.signal(), Some(15), "{status}");
    assert!(is_empty(), "temporary files are left");
    let start = Instant::now();
    while !who_uses(text(temporary.path())).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(30), "programs go on without it");
        std::thread::sleep(Duration::from_millis(5));
    }
}
