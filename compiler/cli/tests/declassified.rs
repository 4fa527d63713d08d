//! Values that a program makes public are listed: by `culet check --declassified`, in headers, and in the documentation of functions in Rust.

mod support;

use std::fs;

use support::{culet, culet_in, directory, stderr, stdout, write};

const VERIFY: &str = "node verdict (is_right : pub u1) returns (said : u8)
let
  said = is_right ? 1 : 0
tel

node verify (tag, given : u8[2]) returns (said : u8)
let
  said = verdict(declassify(tag == given))
tel

node unused (a : u8) returns (b : u8)
let
  b = declassify(a)
tel

node masked (a : b8) returns (c : b8)
let
  c = declassify(a ^ 1)
tel

node f (tag, given : u8[2], m : u8[*]) returns (said : u8, n : u64)
let
  said = verify(tag, given);
  n = length(m)
tel
";

#[test]
fn a_program_is_checked() {
    let directory = directory();
    write(directory.path(), "verify.ua", VERIFY);
    let list = |arguments: &[&str]| {
        let output = culet_in(directory.path(), &[&["check", "verify.ua", "--declassified"], arguments].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    assert_eq!(list(&[]), "verify.ua:8:10: node `verify` makes `tag == given` public\n");
    assert_eq!(list(&["--node", "verdict"]), "nothing is made public\n");
    let json: serde_json::Value = serde_json::from_str(&list(&["--message-format", "json"])).expect("JSON");
    let value = serde_json::json!({
        "file": "verify.ua", "line": 8, "column": 10, "node": "verify", "expression": "tag == given"
    });
    assert_eq!(json, serde_json::json!({ "declassified": [value] }));
    write(directory.path(), "wrong.ua", VERIFY.replace("declassify(tag == given)", "tag == given"));
    let output = culet_in(directory.path(), &["check", "wrong.ua", "--declassified"]);
    assert!(!output.status.success() && stderr(&output).contains("E0343"), "{}", stderr(&output));
    assert!(stdout(&output).is_empty());
}

#[test]
fn generated_files_say_so() {
    let directory = directory();
    let file = write(directory.path(), "verify.ua", VERIFY);
    let out = directory.path().join("out");
    let [file, out] = [&file, &out].map(|path| support::text(path));
    let [of_verify, of_masked] = ["by node `verify`: `tag == given`.", "by node `masked`: `a ^ 1`."];
    for (name, node, options, value) in [
        ("alone.h", "f", &["--name", "alone"][..], of_verify),
        ("alone.rs", "f", &["--name", "alone", "--language", "rust"], of_verify),
        ("sliced.h", "masked", &["--name", "sliced", "--slice", "b", "--target", "c64"], of_masked),
    ] {
        let output = culet(&[&["compile", file, "--node", node, "-o", out], options].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let text = fs::read_to_string(directory.path().join("out").join(name)).expect("a file");
        assert!(text.contains(&format!("Made public, {value}")), "{name}: {text}");
    }
    let output = culet(&["compile", file, "--node", "verdict", "--slice", "b", "--name", "none", "-o", out]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = fs::read_to_string(directory.path().join("out/none.h")).expect("a header");
    assert!(!text.contains("Made public"), "{text}");
}
