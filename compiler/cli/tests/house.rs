//! The house rules: dependencies point one way, down the list of rooms in ARCHITECTURE.md, and the library has none on the compiler.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

/// The rooms in order: each may depend on those above it only.
const ROOMS: [&str; 19] = [
    "culet-filetest",
    "culet-diag",
    "culet-syntax",
    "culet-types",
    "culet-meaning",
    "culet-term",
    "culet-ir",
    "culet-sbox",
    "culet-field",
    "culet-lower",
    "culet-passes",
    "culet-emit",
    "culet-isa",
    "culet-prove",
    "culet-native",
    "culet-driver",
    "culet-tune",
    "culet-plot",
    "culet-cli",
];

/// Rooms that hold only what tests and benchmarks need: nothing may depend on them but as a dev-dependency.
const FOR_TESTS: [&str; 3] = ["culet-testing", "culet-primitives-tests", "culet-bench"];

/// The crates in `library/`: they depend on one another only, in tests, too.
const LIBRARY: [&str; 1] = ["culet"];

/// Each package with those of ours that it depends on, and whether only its tests do.
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
                .filter(|(name, _)| name == "culet" || name.starts_with("culet-"))
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
        if FOR_TESTS.contains(&name.as_str()) || LIBRARY.contains(&name.as_str()) {
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
fn the_library_depends_on_no_compiler() {
    let packages = workspace();
    for name in LIBRARY {
        for (dependency, _) in &packages[name] {
            assert!(LIBRARY.contains(&dependency.as_str()), "`{name}` of the library depends on `{dependency}`");
        }
    }
}

#[test]
fn every_room_exists() {
    let packages = workspace();
    for room in ROOMS.into_iter().chain(LIBRARY) {
        assert!(packages.contains_key(room), "`{room}` is in the list but not in the workspace");
    }
}
