//! A function whose arguments have a public length is proved for each value that its contract lists.
#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

use std::fs;
use std::path::Path;
use std::process::Command;

use culet_diag::SourceMap;
use culet_image::Image;
use culet_prove::contract::{self, Contract};
use culet_prove::theorem::{Limits, Rejection};

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lengths").join(name);
    fs::read_to_string(path).expect("it is there")
}

fn contracts(text: &str) -> Vec<Contract> {
    let file = SourceMap::new().add(Path::new("add.toml"), text.to_owned());
    contract::read(text, file).expect("the contract is well formed")
}

fn compile(code: &str, level: &str) -> Image {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let (source, object) = (directory.path().join("add.c"), directory.path().join("add.o"));
    fs::write(&source, code).expect("it can be written");
    let status = Command::new("cc").args([level, "-fno-pic", "-c"]).arg(&source).arg("-o").arg(&object).status();
    assert!(status.expect("there is a C compiler").success());
    Image::read(&fs::read(&object).expect("it was compiled")).expect("it is an object")
}

#[test]
fn every_length_is_proved() {
    let contracts = contracts(&text("add.toml"));
    let lengths: Vec<_> = contracts.iter().map(|contract| contract.lengths.clone()).collect();
    assert_eq!(lengths, [1, 2, 4, 7, 8].map(|n| vec![("n".to_owned(), n)]));
    for level in ["-O1", "-O2"] {
        let image = compile(&text("add.c"), level);
        let steps: Vec<_> = contracts
            .iter()
            .map(|contract| {
                let proved = contract::prove(&image, contract, &Limits::default());
                let proved = proved.unwrap_or_else(|rejection| panic!("{level} {:?}: {rejection}", contract.lengths));
                assert_eq!(proved.arguments[0].bytes, 8 * contract.lengths[0].1);
                proved.instructions
            })
            .collect();
        assert!(steps.is_sorted_by(|a, b| a < b), "longer numbers take more instructions: {steps:?}");
    }
}

#[test]
fn one_wrong_length_is_noticed() {
    let code = text("add.c").replace("i < n", "i < n - (n == 7)");
    let image = compile(&code, "-O1");
    for contract in contracts(&text("add.toml")) {
        let outcome = contract::prove(&image, &contract, &Limits::default());
        match contract.lengths[0].1 {
            7 => assert!(matches!(outcome, Err(Rejection::False { .. }))),
            _ => assert!(outcome.is_ok(), "{:?}", contract.lengths),
        }
    }
}

#[test]
fn a_bound_beyond_the_length_is_noticed() {
    let code = text("add.c").replace("i < n", "i <= n");
    let image = compile(&code, "-O1");
    for contract in contracts(&text("add.toml")) {
        let outcome = contract::prove(&image, &contract, &Limits::default());
        assert!(matches!(outcome, Err(Rejection::Violation { .. })), "{:?}", contract.lengths);
    }
}
