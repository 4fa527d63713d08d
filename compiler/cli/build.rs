//! Lists the programs that the library's kernels are made from, so that the command has their texts.

#![allow(clippy::print_stdout)] // Cargo reads what a build script prints.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    println!("cargo::rerun-if-changed={}", root.join("primitives").display());
    let mut paths = Vec::new();
    programs(&root, Path::new("primitives"), &mut paths);
    paths.sort();
    let mut list = String::from("&[");
    for path in paths {
        let _ = write!(list, "({path:?}, include_str!({:?})),", root.join(&path));
    }
    list.push(']');
    let out = env::var_os("OUT_DIR").expect("cargo says where");
    fs::write(Path::new(&out).join("programs.rs"), list).expect("the list is written");
}

/// Adds the paths of all programs below a directory, relative to the repository's root.
fn programs(root: &Path, directory: &Path, paths: &mut Vec<String>) {
    for entry in fs::read_dir(root.join(directory)).expect("a directory").map(|entry| entry.expect("an entry")) {
        let path = directory.join(entry.file_name());
        if entry.path().is_dir() {
            programs(root, &path, paths);
        } else if path.extension().is_some_and(|extension| extension == "ua") {
            paths.push(path.to_str().expect("UTF-8").to_owned());
        }
    }
}
