//! Helpers for the tests of the command.
#![allow(dead_code)] // Each test uses a part of it.

pub mod loaded;
pub mod proving;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub const DOUBLE: &str = "node double (a : u<V>32) returns (b : u<V>32)\nlet\n  b = a + a\ntel\n";

pub fn culet(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_culet"))
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("CC")
        .output()
        .expect("the command runs")
}

/// Runs the command in a directory.
pub fn culet_in(directory: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_culet"))
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .env_remove("CC")
        .output()
        .expect("the command runs")
}

/// Runs the command with a cache directory of its own.
pub fn culet_with_cache(cache: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_culet"))
        .args(arguments)
        .stdin(Stdio::null())
        .env_remove("CC")
        .env("XDG_CACHE_HOME", cache)
        .output()
        .expect("the command runs")
}

pub fn code(output: &Output) -> i32 {
    output.status.code().expect("no signal")
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// A temporary directory for one test.
pub fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

pub fn write(directory: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, text).expect("a file is written");
    path
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

pub fn primitives() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../primitives")
}

pub fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).expect("hex")).collect()
}
