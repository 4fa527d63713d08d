//! Every node of the shipped ciphers, in every direction that it allows, against the interpreter.

use std::fs;
use std::path::Path;

use culet_diag::FileId;
use culet_filetest::repository;
use culet_ir::Target;
use culet_lower::{Bits, lower_for};
use culet_syntax::ast::Item;
use culet_testing::{Slicing, check_module, program_of_node};

/// The file's text, included files in their places.
fn read(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut spliced = String::new();
    for line in text.lines() {
        match line.strip_prefix("include \"").and_then(|rest| rest.strip_suffix('"')) {
            Some(name) => spliced.push_str(&read(&path.with_file_name(name))),
            None => spliced.push_str(line),
        }
        spliced.push('\n');
    }
    spliced
}

fn names(text: &str) -> Vec<String> {
    let (tree, _) = culet_syntax::parse(FileId(0), text);
    let name = |item: &Item| match item {
        Item::Node(node) => Some(node.name.name.clone()),
        Item::Table(table) => Some(table.name.name.clone()),
        _ => None,
    };
    tree.items.iter().filter_map(name).collect()
}

/// Number of nodes that were lowered.
fn check(file: &str, slicings: &[Slicing]) -> usize {
    let text = read(&repository().join("primitives/ciphers").join(file));
    let mut count = 0;
    for name in names(&text) {
        for &slicing in slicings {
            // Nodes of open width, or of one direction only, have no program of their own.
            let Ok(program) = program_of_node(&text, Some(&name), Some(slicing), None) else { continue };
            let Ok(module) = culet_lower::lower(&program) else { continue };
            // Words of any width are computed one instance at a time.
            if culet_lower::is_per_instance(&program) {
                continue;
            }
            check_module(&program, &module, 2).unwrap_or_else(|error| panic!("{file}, {name}, {slicing:?}: {error}"));
            if slicing == Slicing::Bitslice {
                let together =
                    lower_for(&program, Target::C64, Bits::Together).expect("what can be apart can be together");
                check_module(&program, &together, 2).unwrap_or_else(|error| panic!("{file}, {name}, planes: {error}"));
            }
            count += 1;
        }
    }
    count
}

const ALL: [Slicing; 3] = [Slicing::Vertical, Slicing::Horizontal, Slicing::Bitslice];

#[test]
fn aes() {
    assert!(check("aes128.ua", &ALL) >= 20);
    assert!(check("aes128_fixsliced.ua", &ALL) >= 20);
    assert!(check("aes192_fixsliced.ua", &ALL) >= 20);
    assert!(check("aes256_fixsliced.ua", &ALL) >= 20);
}

#[test]
fn chacha20() {
    assert!(check("chacha20.ua", &ALL) >= 6);
}

#[test]
fn rectangle() {
    assert!(check("rectangle.ua", &ALL) >= 15);
}

#[test]
fn serpent() {
    assert!(check("serpent.ua", &ALL) >= 15);
}

#[test]
fn present() {
    assert!(check("present.ua", &ALL) >= 15);
}

#[test]
fn ascon() {
    assert!(check("ascon.ua", &ALL) >= 15);
}

#[test]
fn permutations() {
    assert!(check("ace.ua", &ALL) >= 8);
    assert!(check("gimli.ua", &ALL) >= 4);
    assert!(check("xoodoo.ua", &ALL) >= 4);
    assert!(check("subterranean.ua", &[Slicing::Bitslice]) >= 4);
}

#[test]
fn des() {
    assert!(check("tdea.ua", &[Slicing::Bitslice]) >= 7);
}

#[test]
fn salsa20() {
    assert!(check("salsa20.ua", &ALL) >= 14);
}

#[test]
fn trivium() {
    assert!(check("trivium.ua", &ALL) >= 8);
}

#[test]
fn keccak() {
    assert!(check("keccak.ua", &ALL) >= 8);
}

#[test]
fn sha2() {
    assert!(check("sha256.ua", &ALL) >= 18);
    assert!(check("sha512.ua", &ALL) >= 18);
}

#[test]
fn gift() {
    assert!(check("gift64.ua", &ALL) >= 20);
    assert!(check("gift128_fixsliced.ua", &ALL) >= 15);
}

#[test]
fn skinny() {
    assert!(check("skinny128.ua", &ALL) >= 15);
}

#[test]
fn photon_and_spongent() {
    assert!(check("photon256.ua", &ALL) >= 8);
    assert!(check("spongent160.ua", &ALL) >= 4);
}

#[test]
fn pyjamask() {
    assert!(check("pyjamask.ua", &ALL) >= 10);
}

#[test]
fn clyde() {
    assert!(check("clyde128.ua", &ALL) >= 10);
}
