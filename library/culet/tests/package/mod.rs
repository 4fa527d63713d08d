//! Packages that depend on the library as applications do, and build nothing else.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes a package with this name into a folder for tests, with this workspace's versions of dependencies. `targets` is the part of its
/// manifest after `[package]` that says what is built and how.
pub fn package(name: &str, targets: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&package).expect("a folder");
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         {targets}\n\
         [dependencies]\nculet = {{ path = {here:?}, features = [\"p384\", \"p521\", \"secp256k1\"] }}\n\n\
         [workspace]\n"
    );
    fs::write(package.join("Cargo.toml"), manifest).expect("a manifest");
    fs::copy(here.join("../../Cargo.lock"), package.join("Cargo.lock")).expect("the versions");
    package
}
