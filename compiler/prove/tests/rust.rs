//! Machine code that rustc makes is proved by contract, as that of C compilers is.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fs;
use std::path::Path;
use std::process::Command;

use culet_diag::SourceMap;
use culet_image::Image;
use culet_prove::contract::{self, Contract};
use culet_prove::theorem::{Limits, Proved, Rejection};
use culet_prove::violation::ViolationKind;

fn text(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(path);
    fs::read_to_string(path).expect("it can be read")
}

/// Returns the contract of the multiplication in C, except that a result may not share memory with an argument that is
/// read.
fn contract() -> Contract {
    let text = text("field/mul_25519_5x51.toml").replace("may_alias = [\"a\", \"b\"]\n", "");
    let file = SourceMap::new().add(Path::new("multiply.toml"), text.clone());
    contract::read(&text, file).expect("a contract").swap_remove(0)
}

fn prove(code: &str, options: &[&str]) -> Result<Proved, Rejection> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (source, object) = (directory.path().join("multiply.rs"), directory.path().join("multiply.o"));
    fs::write(&source, code).expect("it can be written");
    let kind = ["--crate-type", "lib", "--emit", "obj", "-C", "panic=abort", "-C", "codegen-units=1"];
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).args(kind).args(options).arg(&source).arg("-o").arg(&object).output();
    let output = output.expect("there is a Rust compiler");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let image = Image::read(&fs::read(&object).expect("it was compiled")).expect("it is an object");
    contract::prove(&image, &contract(), &Limits::default())
}

#[test]
fn a_multiplication_is_proved_and_a_wrong_one_refuted() {
    let right = text("rust/25519_5x51.rs");
    for level in ["1", "2", "3", "s"] {
        let level = format!("opt-level={level}");
        let proved = prove(&right, &["-C", &level]).expect("the product");
        assert!(proved.instructions > 100, "{}", proved.instructions);
        for (from, to) in [("FOLD: u64 = 19", "FOLD: u64 = 18"), ("+ carry as Wide", "+ carry as u32 as Wide")] {
            let wrong = right.replacen(from, to, 1);
            assert_ne!(wrong, right);
            let found = prove(&wrong, &["-C", &level]);
            assert!(matches!(&found, Err(Rejection::False { values, .. }) if !values.is_empty()), "{to}: {found:?}");
        }
    }
}

/// Checks of overflow are branches that depend on data.
#[test]
fn checks_of_overflow_are_rejected() {
    let found = prove(&text("rust/25519_5x51.rs"), &["-C", "opt-level=2", "-C", "overflow-checks=on"]);
    let is_branch = |found: &Result<Proved, Rejection>| matches!(found, Err(Rejection::Violation { violation, .. }) if matches!(violation.kind, ViolationKind::Branch(_)));
    assert!(is_branch(&found), "{found:?}");
}
