//! `culet equal`: what it says, as text and as JSON, and its exit codes.

mod support;

use support::{code, culet, directory, primitives, stderr, stdout, text, write};

#[test]
fn ladders() {
    let curve = |name: &str| text(&primitives().join("curves").join(name)).to_owned();
    let (rfc, lanes) = (curve("x25519.ua"), curve("x25519_lanes.ua"));
    let output = culet(&["equal", &rfc, &lanes, "--relation", "carried"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = "proved: x25519 and x25519_lanes compute the same, by an induction over the 255 iterations of their loops; 513 cases\n";
    assert_eq!(stdout(&output), said);
    let json = culet(&["equal", &rfc, &lanes, "--relation", "carried", "--message-format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&json)).expect("JSON");
    assert_eq!(
        json,
        serde_json::json!({ "nodes": ["x25519", "x25519_lanes"], "proved": true, "turns": 255, "cases": 513 })
    );
    let without = culet(&["equal", &rfc, &lanes]);
    assert_eq!(code(&without), 1);
    assert!(stdout(&without).contains("NOT PROVED") && stdout(&without).contains("`w`"), "{}", stdout(&without));
    assert!(stdout(&without).contains("E0923: `--relation`"), "{}", stdout(&without));
}

#[test]
fn differences_and_mistakes() {
    let directory = directory();
    let program = "field f = GF(7)\nnode a (x : f) returns (y : f)\nlet\n  y = x * x\ntel\nnode b (x : f) returns (y : f)\nlet\n  y = x + x\ntel\n";
    let program = text(&write(directory.path(), "p.ua", program)).to_owned();
    let output = culet(&["equal", &program, &program, "--node", "a", "--other-node", "b"]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    let said = stdout(&output);
    assert!(said.contains("a and b differ in `y`") && said.contains("x = ") && said.contains("y of b = "), "{said}");
    let json = culet(&["equal", &program, &program, "--node", "a", "--other-node", "b", "--message-format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&stdout(&json)).expect("JSON");
    assert!(
        json["proved"] == false
            && json["code"] == "E0922"
            && json["inputs"]["x"].is_string()
            && json["values"][1].is_string(),
        "{json}"
    );
    for (arguments, words) in [
        (&["--relation", "c"][..], "E0"),
        (&["--other-node", "nothing"], "nothing"),
        (&["--target", "avx2"], "--target"),
    ] {
        let output = culet(&[&["equal", &program, &program][..], arguments].concat());
        assert!(
            matches!(code(&output), 1 | 2) && stderr(&output).contains(words),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
    let output = culet(&["equal", &program, "no/such/file.ua"]);
    assert!(code(&output) == 1 && stderr(&output).contains("file.ua"), "{}", stderr(&output));
}
