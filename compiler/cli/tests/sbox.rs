//! `culet sbox`: circuits are right, kept, and refused for input that is no table.

mod support;

use std::fs;
use std::process::Output;

use support::{code, culet_with_cache as culet, directory, stderr, stdout, text, write};

const PRESENT: &str = "12,5,6,11,9,0,10,13,3,14,15,8,4,7,1,2";

#[test]
fn the_circuit_computes_the_table() {
    let dir = directory();
    let output = culet(dir.path(), &["sbox", PRESENT, "--time", "0", "--target", "avx2", "--target", "avx512"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = stdout(&output);
    assert!(said.starts_with("# 14 gates, depth "), "{said}");
    let operations = |target: &str| -> usize {
        let line = said.lines().find(|line| line.contains(target)).expect("a line a target");
        line.split_whitespace().nth(2).and_then(|count| count.parse().ok()).expect("a number of operations")
    };
    assert!(operations("avx512 ") < operations("avx2 "), "{said}");
    // The output is a program.
    let file = write(dir.path(), "box.ua", &said);
    for (index, value) in PRESENT.split(',').enumerate() {
        let input = format!("x={:02x}", index << 4);
        let run = culet(dir.path(), &["run", text(&file), "--interpret", "--slice", "b", "--input", &input]);
        let value: u8 = value.parse().expect("a number");
        assert!(stdout(&run).contains(&format!("{:02x}", value << 4)), "{input}: {}{}", stdout(&run), stderr(&run));
    }
}

#[test]
fn a_search_goes_on_and_damage_is_noticed() {
    let dir = directory();
    let arguments = ["sbox", "0x3,0,1,2,5,4,7,6", "--time", "1", "--message-format", "json"];
    let searches = |output: &Output| -> u64 {
        let json: serde_json::Value = serde_json::from_str(&stdout(output)).expect("one JSON object");
        json["searches"].as_u64().expect("a number")
    };
    let first = searches(&culet(dir.path(), &arguments));
    assert!(first >= 1);
    assert!(searches(&culet(dir.path(), &arguments)) > first);
    let kept =
        fs::read_dir(dir.path().join("culet/sbox")).expect("a cache").next().expect("a file").expect("it is there");
    let good = fs::read_to_string(kept.path()).expect("text");
    for bad in ["", "# searches 7\n", &good.replace("table", "tabel"), &good.replace("out g0", "out i0")] {
        if bad == good {
            continue;
        }
        fs::write(kept.path(), bad).expect("written");
        let output = culet(dir.path(), &["sbox", "0x3,0,1,2,5,4,7,6", "--time", "0"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert!(stderr(&output).contains("damaged"), "{bad}: {}", stderr(&output));
    }
}

#[test]
fn what_is_no_table_is_refused() {
    let dir = directory();
    for (table, more, why) in [
        ("1,2,3", "", "not 3"),
        ("nonsense", "", "neither a number nor the name"),
        ("0,1,2,4", "--outputs=2", "does not fit in 2 output bits"),
        ("", "", "a value is missing"),
        ("1,,2", "", "a value is missing"),
    ] {
        let arguments: Vec<&str> = ["sbox", table, more].into_iter().filter(|word| !word.is_empty()).collect();
        let output = culet(dir.path(), if table.is_empty() { &["sbox", ""] } else { &arguments });
        assert_eq!(code(&output), 1, "{table}: {}", stderr(&output));
        assert!(stderr(&output).contains("E0851") && stderr(&output).contains(why), "{}", stderr(&output));
    }
}

#[test]
fn a_table_may_have_one_input() {
    let dir = directory();
    let output = culet(dir.path(), &["sbox", "1,0", "--time", "0", "--target", "c64"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let file = write(dir.path(), "not.ua", stdout(&output));
    for (input, expected) in [("x=00", "80"), ("x=80", "00")] {
        let run = culet(dir.path(), &["run", text(&file), "--interpret", "--slice", "b", "--input", input]);
        assert!(stdout(&run).contains(expected), "{input}: {}{}", stdout(&run), stderr(&run));
    }
}
