//! The house rules: dependencies point one way, down the list of rooms in ARCHITECTURE.md; the library has none on the compiler;
//! modules of a room make no circle; unsafe code is only where the list says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The rooms in order: each may depend only on those above it.
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

/// Rooms for tests and benchmarks only: other rooms may depend on them only by dev-dependencies.
const FOR_TESTS: [&str; 3] = ["culet-testing", "culet-primitives-tests", "culet-bench"];

/// The crates in `tools/`, which run what the compiler makes and know nothing of it.
const TOOLS: [&str; 1] = ["culet-rv32sim"];

/// The crates in `library/`: they depend on one another only, in tests, too.
const LIBRARY: [&str; 2] = ["culet", "culet-capi"];

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
        if TOOLS.contains(&name.as_str()) {
            let is_free = dependencies.iter().all(|(_, is_dev)| *is_dev);
            assert!(is_free, "`{name}` is a tool, and depends on the compiler");
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
    for room in ROOMS.into_iter().chain(LIBRARY).chain(TOOLS) {
        assert!(packages.contains_key(room), "`{room}` is in the list but not in the workspace");
    }
}

/// The rooms whose modules import one another in one direction only. A module is a file of the crate's root with the
/// files below it.
const WITHOUT_CIRCLES: [&str; 3] = ["driver", "field", "prove"];

/// The code of each module of a room, without its comments.
fn modules(room: &str) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(room).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    let mut modules: BTreeMap<String, String> = BTreeMap::new();
    for path in files {
        let first = path.strip_prefix(&root).expect("a file of the room").iter().next().expect("a name");
        let name = Path::new(first).file_stem().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a text");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        modules.entry(name).or_default().extend(code.flat_map(|line| [line, "\n"]));
    }
    modules.remove("lib");
    modules
}

/// The modules that code names, all by their paths from the crate.
fn imports(code: &str) -> BTreeSet<String> {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = |rest: &str| rest.chars().take_while(|&c| is_of_name(c)).collect();
    code.split("crate::").skip(1).map(name).collect()
}

#[test]
fn modules_make_no_circle() {
    for room in WITHOUT_CIRCLES {
        let mut left: BTreeMap<String, BTreeSet<String>> =
            modules(room).into_iter().map(|(name, code)| (name, imports(&code))).collect();
        assert!(left.len() > 10, "{room}: {left:?}");
        for (name, imports) in &mut left {
            imports.remove(name);
        }
        for (name, imports) in &left {
            for import in imports {
                assert!(left.contains_key(import), "`{name}` of {room} imports `{import}`, which is no module");
            }
        }
        while !left.is_empty() {
            let is_free = |imports: &BTreeSet<String>| imports.iter().all(|import| !left.contains_key(import));
            let free: Vec<String> =
                left.iter().filter(|(_, imports)| is_free(imports)).map(|(name, _)| name.clone()).collect();
            assert!(!free.is_empty(), "these modules of {room}, or some of them, import one another: {left:?}");
            free.iter().for_each(|name| drop(left.remove(name)));
        }
    }
}

/// Nobody else asks whether a program becomes slices or words.
#[test]
fn the_route_is_decided_in_one_place() {
    let modules = modules("driver");
    let deciding: Vec<&String> =
        modules.iter().filter(|(_, code)| code.contains("is_per_instance")).map(|(name, _)| name).collect();
    assert_eq!(deciding, ["route"]);
}

/// The files with unsafe code; each says at its top why it has some.
const UNSAFE: [&str; 27] = [
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
    "library/capi/src/guarded.rs",
    "library/capi/src/names/nacl.rs",
    "library/capi/src/names/prefixed.rs",
    "library/capi/src/names/sizes.rs",
    "library/capi/src/names/sodium.rs",
    "library/capi/src/names/tweetnacl.rs",
    "library/capi/src/pointers.rs",
    "library/capi/tests/pointers/calls.rs",
    "library/culet/examples/undefined_secrets.rs",
    "library/culet/src/low.rs",
    "library/culet/tests/answers/board.rs",
    "library/culet/tests/kernels_compared/compared.rs",
    "library/culet/tests/no_panic/calls.rs",
    "library/culet/tests/operations/erased.rs",
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
    ["compiler", "bench", "primitives", "library", "tools"]
        .iter()
        .for_each(|part| rust_files(&root.join(part), &mut files));
    assert!(files.len() > 400, "{}", files.len());
    // Not to be found in this file.
    let lint = ["unsafe", "_code"].concat();
    let whole = format!("#![allow({lint})] // ");
    let lowers =
        |line: &str| line.contains(&lint) && ["allow(", "expect(", "warn("].iter().any(|level| line.contains(level));
    let mut found = BTreeSet::new();
    for path in &files {
        let text = read(path);
        let name = path.strip_prefix(&root).expect("a file of the repository").display().to_string();
        for line in text.lines().filter(|line| line.trim_start().starts_with('#') && lowers(line)) {
            assert!(
                line.strip_prefix(&whole).is_some_and(|why| why.len() > 10),
                "{name}: `{line}` is not for a file, or says not why"
            );
            found.insert(name.clone());
        }
    }
    assert_eq!(found, UNSAFE.iter().map(|name| (*name).to_owned()).collect());
}

/// The folders of the workspace's packages.
fn packages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut packages: Vec<PathBuf> =
        fs::read_dir(root.join("compiler")).expect("rooms").map(|room| room.expect("a room").path()).collect();
    packages.extend(
        ["bench", "primitives/tests", "library/culet", "library/capi", "tools/rv32sim"]
            .map(|package| root.join(package)),
    );
    packages
}

#[test]
fn every_package_keeps_the_lints() {
    for package in packages() {
        let text = fs::read_to_string(package.join("Cargo.toml")).expect("a package");
        assert!(text.contains("[lints]\nworkspace = true\n"), "{}", package.display());
    }
}

/// Libraries that are not built a second time for unit tests have none.
#[test]
fn every_unit_test_is_run() {
    let is_left_out =
        |package: &PathBuf| fs::read_to_string(package.join("Cargo.toml")).expect("a package").contains("test = false");
    let left_out: Vec<PathBuf> = packages().into_iter().filter(is_left_out).collect();
    assert!(left_out.len() > 4, "{left_out:?}");
    for package in left_out {
        let mut files = Vec::new();
        rust_files(&package.join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).expect("a text");
            assert!(!text.contains("#[test]"), "{} has tests that nothing runs", file.display());
        }
    }
}
