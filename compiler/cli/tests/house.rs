//! The house rules: dependencies point one way, down the list of rooms in ARCHITECTURE.md, and unsafe code is where the list says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The rooms in order: each may depend on those above it only.
const ROOMS: [&str; 21] = [
    "culet-filetest",
    "culet-diag",
    "culet-syntax",
    "culet-types",
    "culet-meaning",
    "culet-term",
    "culet-decide",
    "culet-ir",
    "culet-sbox",
    "culet-field",
    "culet-lower",
    "culet-passes",
    "culet-emit",
    "culet-isa",
    "culet-image",
    "culet-prove",
    "culet-native",
    "culet-driver",
    "culet-tune",
    "culet-plot",
    "culet-cli",
];

/// Rooms that hold only what tests and benchmarks need: nothing may depend on them but as a dev-dependency.
const FOR_TESTS: [&str; 3] = ["culet-testing", "culet-primitives-tests", "culet-bench"];

fn workspace() -> BTreeMap<String, Vec<(String, bool)>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo metadata runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    metadata["packages"]
        .as_array()
        .expect("packages")
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"]
                .as_array()
                .expect("dependencies")
                .iter()
                .map(|d| (text(&d["name"]), d["kind"].as_str() == Some("dev")))
                .filter(|(name, _)| name.starts_with("culet-"))
                .collect();
            (text(&package["name"]), dependencies)
        })
        .collect()
}

#[test]
fn dependencies_point_one_way() {
    let packages = workspace();
    let place = |name: &str| ROOMS.iter().position(|room| *room == name);
    for (name, dependencies) in &packages {
        if FOR_TESTS.contains(&name.as_str()) {
            continue;
        }
        let own = place(name).unwrap_or_else(|| panic!("`{name}` has no place in the list of rooms"));
        for (dependency, is_dev) in dependencies {
            if *is_dev {
                continue;
            }
            let other = place(dependency)
                .unwrap_or_else(|| panic!("`{name}` depends on `{dependency}`, which is for tests or unknown"));
            assert!(other < own, "`{name}` depends on `{dependency}`, which comes after it");
        }
    }
}

#[test]
fn every_room_exists() {
    let packages = workspace();
    for room in ROOMS {
        assert!(packages.contains_key(room), "`{room}` is in the list but not in the workspace");
    }
}

/// The files with unsafe code; each says at its top why it has some.
const UNSAFE: [&str; 13] = [
    "bench/src/clock.rs",
    "compiler/driver/src/engine.rs",
    "compiler/emit/tests/interface.rs",
    "compiler/emit/tests/support/mod.rs",
    "compiler/emit/tests/support/scalar.rs",
    "compiler/native/src/callable.rs",
    "compiler/native/src/cpu.rs",
    "compiler/native/src/kernel.rs",
    "compiler/native/src/process.rs",
    "compiler/native/src/replay.rs",
    "compiler/native/src/scratch.rs",
    "compiler/native/tests/runner.rs",
    "compiler/syntax/tests/fuzz.rs",
];

/// The Rust files below a directory of the repository, but for packages that are no members of the workspace and what was built.
fn rust_files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path()) {
        let is_other = entry.file_name().is_some_and(|name| name == "target")
            || fs::read_to_string(entry.join("Cargo.toml")).is_ok_and(|text| text.contains("[workspace]"));
        if entry.is_dir() && !is_other {
            rust_files(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
}

#[test]
fn unsafe_code_is_where_the_list_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &Path| fs::read_to_string(path).expect("a text");
    assert!(read(&root.join("Cargo.toml")).contains("[workspace.lints.rust]\nunsafe_code = \"deny\"\n"));
    let mut files = Vec::new();
    ["compiler", "bench", "primitives"].iter().for_each(|part| rust_files(&root.join(part), &mut files));
    assert!(files.len() > 400, "{}", files.len());
    // Not to be found in this file.
    let lint = ["unsafe", "_code"].concat();
    let (allowed, whole) = (format!("({lint})"), format!("#![allow({lint})] // "));
    let mut found = BTreeSet::new();
    for path in &files {
        let text = read(path);
        let name = path.strip_prefix(&root).expect("a file of the repository").display().to_string();
        let of_lint = text.lines().filter(|line| line.trim_start().starts_with("#") && line.contains(&allowed));
        for line in of_lint.filter(|line| !line.contains("forbid")) {
            assert!(
                line.strip_prefix(&whole).is_some_and(|why| why.len() > 10),
                "{name}: `{line}` is not for a file, or says not why"
            );
            found.insert(name.clone());
        }
    }
    assert_eq!(found, UNSAFE.iter().map(|name| (*name).to_owned()).collect());
}

#[test]
fn every_package_keeps_the_lints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut packages: Vec<PathBuf> =
        fs::read_dir(root.join("compiler")).expect("rooms").map(|room| room.expect("a room").path()).collect();
    packages.extend([root.join("bench"), root.join("primitives/tests")]);
    for package in packages {
        let text = fs::read_to_string(package.join("Cargo.toml")).expect("a package");
        assert!(text.contains("[lints]\nworkspace = true\n"), "{}", package.display());
    }
}
