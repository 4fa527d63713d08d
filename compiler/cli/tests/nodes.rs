//! `culet compile --node a,b`: several nodes of a program as functions of one file.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;

use support::{code, culet, directory, stderr, stdout, text, write};

/// Two nodes that call a third, and one on slices.
const PROGRAM: &str = "field fe = GF(2^255 - 19)\n\n\
    node cubed_and_more (x, y : fe) returns (z : fe)\nlet\n  z = x * x * x + y\ntel\n\n\
    node curve_first (x : fe) returns (z : fe)\nlet\n  z = cubed_and_more(x, 5)\ntel\n\n\
    node second (x, y : fe) returns (z : fe, is_it : u8)\nlet\n  z = cubed_and_more(cubed_and_more(x, y), y);\n  \
    is_it = 7\ntel\n\nnode sliced (a, b : u32) returns (c : u32)\nlet\n  c = a ^ b\ntel\n";

fn compile(file: &Path, out: &Path, nodes: &str, more: &[&str]) -> std::process::Output {
    culet(&[&["compile", text(file), "--node", nodes, "-o", text(out), "--inline", "none"], more].concat())
}

/// The bytes of `z` by the interpreter, in hexadecimal.
fn meant(file: &Path, node: &str, inputs: &[&str]) -> String {
    let inputs: Vec<&str> = inputs.iter().flat_map(|input| ["--input", input]).collect();
    let output = culet(&[&["run", text(file), "--node", node, "--interpret"], &inputs[..]].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let said = stdout(&output);
    let line = said.lines().find_map(|line| line.trim().strip_prefix("z")).unwrap_or_else(|| panic!("{said}"));
    line.trim_start_matches([' ', '=', ':']).trim().to_owned()
}

/// 32 bytes that begin with one, in hexadecimal.
fn number(first: u8) -> String {
    format!("{first:02x}") + &"00".repeat(31)
}

const MAIN: &str = "#include <stdio.h>\n#include \"curve.h\"\nint main(void) {\n    \
    uint8_t x[32] = {9}, y[32] = {77}, z[32], is_it[1];\n    curve_first(z, x);\n    \
    for (int i = 0; i < 32; i++) printf(\"%02x\", z[i]);\n    curve_second(z, is_it, x, y);\n    printf(\"\\n\");\n    \
    for (int i = 0; i < 32; i++) printf(\"%02x\", z[i]);\n    printf(\"\\n%d\\n\", is_it[0]);\n    return 0;\n}\n";

const MAIN_IN_RUST: &str = "mod curve;\nfn main() {\n    let (mut x, mut y, mut z, mut is_it) = ([0; 32], [0; 32], [0; 32], [0]);\n    \
    (x[0], y[0]) = (9, 77);\n    curve::curve_first(&mut z, &x);\n    \
    let text = |z: &[u8]| z.iter().map(|byte| format!(\"{byte:02x}\")).collect::<String>();\n    println!(\"{}\", text(&z));\n    \
    curve::curve_second(&mut z, &mut is_it, &x, &y);\n    println!(\"{}\\n{}\", text(&z), is_it[0]);\n}\n";

#[test]
fn functions_of_several_nodes_compute_what_they_mean_and_share_what_they_call() {
    let dir = directory();
    let (file, out) = (write(dir.path(), "curve.ua", PROGRAM), dir.path().join("out"));
    let inputs = [format!("x={}", number(9)), format!("y={}", number(77))];
    let first = meant(&file, "curve_first", &[&inputs[0]]);
    let second = meant(&file, "second", &[&inputs[0], &inputs[1]]);
    let wanted = format!("{first}\n{second}\n7\n");
    let run = |command: &mut Command, program: &Path| {
        let made = command.current_dir(&out).output().expect("a compiler");
        assert!(made.status.success(), "{}", stderr(&made));
        assert_eq!(stderr(&made), "");
        assert_eq!(stdout(&Command::new(program).output().expect("it runs")), wanted);
    };
    for target in ["c64", "c32"] {
        let named = ["--target", target, "--name", "curve", "--force"];
        let output = compile(&file, &out, "curve_first,second", &named);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let (c, header) = (fs::read_to_string(out.join("curve.c")), fs::read_to_string(out.join("curve.h")));
        let (c, header) = (c.expect("C"), header.expect("a header"));
        let shared = c.lines().filter(|line| !line.starts_with(' ') && line.contains("cubed_and_more(")).count();
        assert_eq!(shared, 1, "{c}");
        assert!(header.contains("Node `curve_first`") && header.contains("Node `second`"), "{header}");
        assert!(header.contains("--node curve_first,second"), "{header}");
        fs::write(out.join("main.c"), MAIN).expect("it is written");
        for compiler in ["gcc-12", "clang-19"] {
            let program = out.join("main");
            let flags = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-O1", "main.c", "curve.c", "-o"];
            run(Command::new(compiler).args(flags).arg(&program), &program);
        }
        let output = compile(&file, &out, "curve_first,second", &[&named[..], &["--language", "rust"]].concat());
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        fs::write(out.join("main.rs"), MAIN_IN_RUST).expect("it is written");
        let program = out.join("main_rs");
        run(Command::new("rustc").args(["--edition", "2024", "-O", "main.rs", "-o"]).arg(&program), &program);
    }
}

#[test]
fn what_does_not_fit_several_nodes_is_refused() {
    let dir = directory();
    let (file, out) = (write(dir.path(), "curve.ua", PROGRAM), dir.path().join("out"));
    let cases: [(&str, &[&str], i32, &str); 8] = [
        ("curve_first,curve_first", &[], 2, "names two functions `curve_first`"),
        ("curve_first,CURVE_FIRST", &[], 2, "names two functions `curve_first`"),
        ("curve_first,none", &[], 2, "no node `none`"),
        ("curve_first,", &[], 2, "no node ``"),
        ("curve_first,sliced", &[], 2, "`sliced` computes many instances"),
        ("curve_first,second", &["--prove"], 2, "`--prove` is for one node"),
        ("curve_first,second", &["--max-code", "20k"], 2, "a budget is for one node"),
        ("curve_first,second", &["--explain-choices"], 2, "`--explain-choices` is for one node"),
    ];
    for (nodes, more, wanted, message) in cases {
        let output = compile(&file, &out, nodes, &[&["--target", "c64"], more].concat());
        assert_eq!(code(&output), wanted, "{nodes}: {}", stderr(&output));
        assert!(stderr(&output).contains("E0830") && stderr(&output).contains(message), "{nodes}: {}", stderr(&output));
        assert!(!out.exists(), "{nodes}");
    }
    let output = compile(&file, &out, "curve_first,second", &["--target", "avx512ifma", "--batch", "8"]);
    assert!(code(&output) == 2 && stderr(&output).contains("`--batch`"), "{}", stderr(&output));
}

/// A warning about what several nodes call is said once.
#[test]
fn warnings_are_said_once() {
    let dir = directory();
    let program = PROGRAM.replace(
        "(z : fe)\nlet\n  z = x * x * x + y",
        "(z : fe)\nvars unused : fe\nlet\n  unused = x;\n  z = x * x * x + y",
    );
    let (file, out) = (write(dir.path(), "curve.ua", program), dir.path().join("out"));
    let output = compile(&file, &out, "curve_first,second", &["--target", "c64"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stderr(&output).matches("warning").count(), 1, "{}", stderr(&output));
}
