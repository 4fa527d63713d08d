//! `culet bench` and `culet tune` of programs that compute one instance at a time: messages of several lengths, and calls.

mod support;

use std::path::Path;

use serde_json::Value;
use support::{code, culet_with_cache as culet, directory, stderr, stdout, text, write};

/// A map over blocks of 16 bytes, beside a stream of bytes.
const MASK: &str = "\
node mask (key : u32, beside : u8[*], text : u32x4[*]) returns (masked : u32x4[*], sum : u8)
vars s : u8, number : u32
let
  s = 0;
  fold byte in beside { s := s + byte };
  number = key;
  fold block in text { masked = block ^ (number, number, number, number); number := number + 1 };
  sum = s
tel
";

/// A function without streams.
const ONCE: &str = "field q = GF(2^61 - 1)\nnode once (a, b : q) returns (c : q)\nlet\n  c = a * b\ntel\n";

fn json(output: &std::process::Output) -> Vec<Value> {
    stdout(output).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

fn is_time(value: &Value) -> bool {
    value.as_f64().is_some_and(|ticks| ticks > 0.0)
}

#[test]
fn bench_measures_messages_of_several_lengths() {
    let dir = directory();
    let file = write(dir.path(), "mask.ua", MASK);
    let arguments = ["bench", text(&file), "--cc", "gcc-12", "--target", "c64", "--message-format", "json"];
    let output = culet(dir.path(), &arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let [row] = &json(&output)[..] else { panic!("{}", stdout(&output)) };
    assert_eq!((&row["primitive"], &row["target"], &row["failed"]), (&"mask".into(), &"c64".into(), &Value::Null));
    let figures = row["figures"].as_array().expect("figures");
    let lengths: Vec<Option<u64>> = figures.iter().map(|figure| figure["bytes"].as_u64()).collect();
    // 1400 bytes have 87 whole blocks.
    assert_eq!(lengths, [64, 256, 1392, 16384].map(Some));
    assert!(figures.iter().all(|figure| is_time(&figure["ticks_a_byte"])), "{row}");
}

#[test]
fn bench_measures_a_node_of_a_primitive() {
    let dir = directory();
    let description = support::primitives().join("aead/chacha20_poly1305.toml");
    let node = ["--node", "chacha20_poly1305_seal", "--bytes", "64"];
    let arguments = ["bench", text(&description), "--target", "c64,c32", "--cc", "gcc-12", "--cflags", "-O1"];
    let output = culet(dir.path(), &[&arguments[..], &node].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let people = stdout(&output);
    assert!(people.starts_with("ChaCha20-Poly1305 (chacha20_poly1305_seal) on "), "{people}");
    assert!(people.contains(" a byte; the message is `text`; `data` has 16 bytes; 64 bytes\n  c64 "), "{people}");
    assert!(
        people.lines().nth(2).is_some_and(|row| row.starts_with("  c32 ")) && people.lines().count() == 3,
        "{people}"
    );
}

#[test]
fn bench_measures_calls_of_functions_without_streams() {
    let dir = directory();
    let file = write(dir.path(), "once.ua", ONCE);
    let arguments = ["bench", text(&file), "--target", "c64", "--cc", "gcc-12", "--message-format", "json"];
    let output = culet(dir.path(), &arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(is_time(&json(&output)[0]["figures"][0]["ticks_a_call"]), "{}", stdout(&output));
    let refused = culet(dir.path(), &[&arguments[..], &["--bytes", "64"]].concat());
    assert!(code(&refused) == 2 && stderr(&refused).contains("`--bytes` does nothing"), "{}", stderr(&refused));
}

#[test]
fn tune_finds_the_fastest_at_each_length() {
    let dir = directory();
    let file = write(dir.path(), "mask.ua", MASK);
    let arguments = ["tune", text(&file), "--cc", "gcc-12", "--bytes", "64,1400", "--time", "2"];
    let output = culet(dir.path(), &[&arguments[..], &["--message-format", "json"]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let verdicts = json(&output);
    assert_eq!(verdicts.iter().map(|verdict| verdict["bytes"].as_u64()).collect::<Vec<_>>(), [Some(64), Some(1392)]);
    for verdict in &verdicts {
        let winner = &verdict["ranking"][0];
        assert!(is_time(&winner["ticks_a_byte"]) && verdict["measured"].as_u64() > Some(1), "{verdict}");
        assert_eq!(verdict["failed"], serde_json::json!([]), "{verdict}");
        let options = winner["options"].as_str().expect("options");
        assert!(verdict["compile"].as_str().is_some_and(|command| command.contains(options)), "{verdict}");
        compiles(dir.path(), &file, options);
    }
    let arguments = ["tune", text(&file), "--cc", "gcc-12", "--bytes", "65", "--time", "1", "--target", "c64"];
    let people = stdout(&culet(dir.path(), &arguments));
    let summary = people.split_once("the fastest:\n  64 bytes (whole elements of 65): `culet compile ");
    assert!(summary.is_some_and(|(_, rest)| rest.contains("-o DIR`, compiled by `gcc-12 -O3")), "{people}");
}

/// The options that the tuner prints make a kernel.
fn compiles(directory: &Path, file: &Path, options: &str) {
    let out = directory.join("out");
    let options: Vec<&str> = options.split(' ').collect();
    let output = culet(directory, &[&["compile", text(file), "-o", text(&out), "--force"][..], &options].concat());
    assert_eq!(code(&output), 0, "{options:?}: {}", stderr(&output));
}

#[test]
fn compile_takes_the_tuner_s_choice_for_a_target() {
    let dir = directory();
    let file = write(dir.path(), "mask.ua", MASK);
    let out = dir.path().join("out");
    let arguments =
        ["compile", text(&file), "--target", "c64", "--tune", "--time", "1", "--cc", "gcc-12", "-o", text(&out)];
    let output = culet(dir.path(), &arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("compiled by `gcc-12 -O3"), "{}", stderr(&output));
}

#[test]
fn lengths_and_targets_that_cannot_be_measured_are_refused() {
    let dir = directory();
    let file = write(dir.path(), "mask.ua", MASK);
    for command in ["bench", "tune"] {
        let refused = |more: &[&str], texts: &[&str]| {
            let output = culet(dir.path(), &[&[command, text(&file), "--cc", "gcc-12"], more].concat());
            assert_eq!((code(&output), stdout(&output).as_str()), (2, ""), "{command} {more:?}: {}", stderr(&output));
            texts
                .iter()
                .for_each(|text| assert!(stderr(&output).contains(text), "{command} {more:?}: {}", stderr(&output)));
        };
        refused(
            &["--bytes", "64,15"],
            &["E0830", "15 bytes are no whole element of `text`", "`--bytes` takes lengths from 16"],
        );
        // No CPU runs both of these.
        let other = if cfg!(target_arch = "aarch64") { "vsx" } else { "neon" };
        refused(&["--target", other], &["E0823", &format!("`{other}`")]);
    }
    let slices = write(dir.path(), "add.ua", "node add (a : u32, b : u32) returns (c : u32)\nlet\n  c = a + b\ntel\n");
    let three = culet(dir.path(), &["tune", text(&slices), "--slice", "v", "--target", "c64", "--bytes", "1,2,3"]);
    assert!(code(&three) == 2 && stderr(&three).contains("by the mean of two"), "{}", stderr(&three));
    let registers = culet(dir.path(), &["tune", text(&file), "--target", "c64", "--measure", "registers"]);
    assert!(code(&registers) == 1 && stderr(&registers).contains("E0757"), "{}", stderr(&registers));
}
