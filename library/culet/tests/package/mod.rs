//! Packages that depend on the library as applications do, and build nothing else.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes a package with this name into a folder for tests, with this workspace's versions of dependencies. `targets` is the part of its
/// manifest after `[package]` that says what is built and how.
pub fn package(name: &str, targets: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&package).expect("a folder");
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         {targets}\n\
         [profile.release]\npanic = \"abort\"\n\n\
         [dependencies]\nculet = {{ path = {here:?}, features = [\"p384\", \"secp256k1\"] }}\n\n\
         [workspace]\n"
    );
    fs::write(package.join("Cargo.toml"), manifest).expect("a manifest");
    fs::copy(here.join("../../Cargo.lock"), package.join("Cargo.lock")).expect("the versions");
    package
}

/// Builds such a package in release mode for a target, and returns the folder of what is built. Packages that name one folder share the
/// library that is built there. Rust's own linker links for all targets.
pub fn build(package: &Path, folder: &str, target: &str, arguments: &[&str], variables: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    let build = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--offline", "--target", target])
        .args(arguments)
        .current_dir(package)
        .env("CARGO_TARGET_DIR", &folder)
        .env("RUSTFLAGS", "-Clinker=rust-lld -Clinker-flavor=ld.lld")
        .envs(variables.iter().copied())
        .output()
        .expect("cargo runs");
    assert!(build.status.success(), "{}", String::from_utf8_lossy(&build.stderr));
    folder.join(target).join("release")
}
