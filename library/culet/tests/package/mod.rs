//! Packages that depend on the library as applications do, and build nothing else.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A number that the commit, or `CULET_SEED`, gives.
pub fn seed() -> usize {
    let commit = || {
        let git = Command::new("git").args(["rev-parse", "HEAD"]).current_dir(env!("CARGO_MANIFEST_DIR")).output();
        git.map(|output| output.stdout).unwrap_or_default()
    };
    let seed = env::var("CULET_SEED").map_or_else(|_| commit(), String::into_bytes);
    seed.iter().map(|byte| usize::from(*byte)).sum()
}

/// Features of the library whose curves take long to compile.
pub const CURVES: [&str; 4] = ["p224", "p384", "p521", "secp256k1"];

/// Writes a package with this name into a folder for tests. `targets` is the part of its manifest after `[package]` that says what is
/// built and how. `library` holds the features of the library that it depends on, with this workspace's versions of dependencies;
/// without it the package depends on nothing.
pub fn package(name: &str, targets: &str, library: Option<&[&str]>) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&package).expect("a folder");
    let mut manifest =
        format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n{targets}\n[workspace]\n");
    if let Some(features) = library {
        manifest += &format!("\n[dependencies]\nculet = {{ path = {here:?}, features = {features:?} }}\n");
        fs::copy(here.join("../../Cargo.lock"), package.join("Cargo.lock")).expect("the versions");
    }
    fs::write(package.join("Cargo.toml"), manifest).expect("a manifest");
    package
}
