//! `culet prove`: kernels that a C compiler made are proved; what computes something else is rejected.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{code, culet, directory, stderr, stdout, text};

const RECTANGLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../primitives/ciphers/rectangle.ua");
const CHACHA20: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../primitives/ciphers/chacha20.ua");

/// The object of a kernel, after a change in its C text.
fn object(dir: &Path, source: &str, node: &str, slice: &str, change: impl Fn(&str) -> String) -> PathBuf {
    let arguments = ["compile", source, "--node", node, "--slice", slice, "--target", "c64", "-o", text(dir)];
    let output = culet(&arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let stem = Path::new(source).file_stem().expect("a name").to_str().expect("UTF-8");
    let file = dir.join(format!("{stem}.c"));
    let changed = change(&fs::read_to_string(&file).expect("the kernel"));
    fs::write(&file, changed).expect("a file");
    let object = dir.join(format!("{stem}.o"));
    let compiled = Command::new("gcc-12").args(["-O2", "-c", text(&file), "-o", text(&object)]).status();
    assert!(compiled.is_ok_and(|status| status.success()), "gcc-12 compiles the kernel");
    object
}

fn prove(object: &Path, source: &str, node: &str, slice: &str) -> (i32, String) {
    let arguments = ["prove", text(object), "--source", source, "--node", node, "--slice", slice, "--target", "c64"];
    let output = culet(&arguments);
    (code(&output), stdout(&output) + &stderr(&output))
}

#[test]
fn kernels_are_proved() {
    for (source, node, slice, functions) in
        [(RECTANGLE, "Rectangle", "b", 4), (RECTANGLE, "Rectangle", "v", 4), (CHACHA20, "chacha20_permutation", "v", 3)]
    {
        let dir = directory();
        let object = object(dir.path(), source, node, slice, str::to_owned);
        let (code, said) = prove(&object, source, node, slice);
        assert_eq!(code, 0, "{node} {slice}: {said}");
        let proved = said.lines().filter(|line| line.starts_with("proved  ")).count();
        assert_eq!(proved, functions, "{said}");
    }
}

#[test]
fn a_changed_kernel_is_rejected_with_a_counterexample() {
    let dir = directory();
    let object = object(dir.path(), CHACHA20, "chacha20_permutation", "v", |c| {
        assert!(c.contains(", 12);"), "a rotation by 12");
        c.replacen(", 12);", ", 11);", 1)
    });
    let (code, said) = prove(&object, CHACHA20, "chacha20_permutation", "v");
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains("NOT PROVED  chacha20_sliced: byte ") && said.contains("is not what the source computes"),
        "{said}"
    );
    assert!(said.contains("input[0] = "), "{said}");
    assert!(said.contains("proved      chacha20_pack_input"), "{said}");
}

#[test]
fn another_program_is_not_what_was_compiled() {
    let dir = directory();
    let object = object(dir.path(), RECTANGLE, "Rectangle", "v", str::to_owned);
    let (code, said) = prove(&object, RECTANGLE, "Rectangle_inverse", "v");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("NOT PROVED  rectangle_sliced"), "{said}");
}

#[test]
fn what_is_no_image_is_refused() {
    let dir = directory();
    let file = dir.path().join("no.o");
    fs::write(&file, "not an object").expect("a file");
    let (code, said) = prove(&file, RECTANGLE, "Rectangle", "v");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("E0860"), "{said}");
    let (code, said) = prove(&dir.path().join("missing.o"), RECTANGLE, "Rectangle", "v");
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("E0810"), "{said}");
}
