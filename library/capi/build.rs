//! Gives the shared library the name that programs look for: with the part of the version that must be the same, as `Cargo.toml` tells cargo-c.

#![allow(clippy::print_stdout)] // Cargo reads what a build script prints.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let of_target = |name| env::var(name).unwrap_or_default();
    let is_elf = of_target("CARGO_CFG_TARGET_FAMILY") == "unix" && of_target("CARGO_CFG_TARGET_VENDOR") != "apple";
    if is_elf {
        let [major, minor] = ["CARGO_PKG_VERSION_MAJOR", "CARGO_PKG_VERSION_MINOR"].map(of_target);
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libculet.so.{major}.{minor}");
    }
}
