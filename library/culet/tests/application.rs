//! An application that somebody makes as README.md says, without the line that clones the repository: that is a link.

use std::path::{Path, PathBuf};
use std::process::{self, Command, Output};
use std::{env, fs};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// The first block of code of a language on a page that has some text in it.
fn block(page: &str, language: &str, part: &str) -> String {
    let fence = format!("```{language}\n");
    let mut blocks = page.split(&fence).skip(1).filter_map(|rest| rest.split("```").next());
    blocks.find(|block| block.contains(part)).unwrap_or_else(|| panic!("no block with {part}")).to_owned()
}

fn check(application: &Path) -> Output {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["check", "--quiet", "--offline"]).current_dir(application).env_remove("RUSTC_WORKSPACE_WRAPPER");
    // Builds stay for the next run.
    cargo.env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("application"));
    cargo.output().expect("cargo runs")
}

/// The commands of the page make an application that compiles, and the repository stays as it is. Messages of the compiler name types by the
/// modules that define them.
#[test]
fn the_readme_makes_an_application() {
    let page = fs::read_to_string(root().join("README.md")).expect("the page");
    // Not in the folder of targets, which is in a workspace.
    let directory = env::temp_dir().join(format!("culet-application-{}", process::id()));
    fs::create_dir_all(&directory).expect("a folder");
    std::os::unix::fs::symlink(root(), directory.join("culet")).expect("a link");
    let manifests = || {
        ["Cargo.toml", "compiler/cli/Cargo.toml"].map(|name| fs::read_to_string(root().join(name)).expect("a manifest"))
    };
    let before = manifests();

    let commands = block(&page, "sh", "cargo add");
    let (clone, commands) = commands.split_once('\n').expect("several commands");
    assert!(clone.starts_with("git clone ") && clone.ends_with(" culet"), "{clone}");
    let mut shell = Command::new("sh");
    let made = shell.arg("-ec").arg(commands).current_dir(&directory).env("CARGO_NET_OFFLINE", "true").output();
    let made = made.expect("a shell");
    assert!(made.status.success(), "{commands}: {}", String::from_utf8_lossy(&made.stderr));
    assert_eq!(manifests(), before);

    let application = directory.join("app");
    fs::copy(root().join("Cargo.lock"), application.join("Cargo.lock")).expect("the versions");
    let source = application.join("src/main.rs");
    fs::write(&source, block(&page, "rust", "fn main")).expect("a source");
    let checked = check(&application);
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));

    let wrong = "fn main() { let key = culet::x25519::SecretKey::from_bytes([1; 32]); let _ = key == key; }";
    fs::write(&source, wrong).expect("a source");
    let checked = check(&application);
    let said = String::from_utf8_lossy(&checked.stderr);
    assert!(said.contains("applied to type `culet::x25519::SecretKey`"), "{said}");
    fs::remove_dir_all(&directory).expect("what was made goes");
}
