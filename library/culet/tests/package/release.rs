//! The crate as a release build has it, and programs that `rustc` alone makes with it.
//!
//! The tests of the C interface build the same crate in the same folder, with the same features, so that one build serves them all.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::emulated::Emulated;
use crate::package::CURVES;

/// RustCrypto's traits, which compile without allocation.
const TRAITS: [&str; 3] = ["aead", "digest", "signature"];

/// The crate for a machine: that of the tests, or an emulated one.
pub struct Release {
    machine: Option<&'static Emulated>,
    /// The files of the crate and of what it depends on, which all lie in one folder.
    libraries: Vec<PathBuf>,
}

fn succeeds(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

impl Release {
    /// Builds the crate, if it is not built.
    pub fn build(machine: Option<&'static Emulated>) -> Release {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("release");
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(["build", "--quiet", "--release", "--offline", "--lib", "--package", "culet", "--features"])
            .arg([&CURVES[..], &TRAITS].concat().join(","))
            .args(["--message-format", "json", "--target-dir"])
            .arg(folder)
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .env_remove("RUSTC_WORKSPACE_WRAPPER");
        if let Some(machine) = machine {
            machine.choose(&mut cargo);
        }
        let said = succeeds(&mut cargo).stdout;
        let messages = String::from_utf8(said).expect("JSON");
        let of_message = |line: &str| {
            let message: Value = serde_json::from_str(line).expect("JSON");
            let files = message["filenames"].as_array().cloned().unwrap_or_default();
            files.iter().filter_map(|file| file.as_str().map(PathBuf::from)).collect::<Vec<_>>()
        };
        let files = messages.lines().flat_map(of_message);
        // The crate itself is in another folder, too; what only compilers read is beside each library.
        let is_read = |file: &PathBuf| file.extension().is_some_and(|end| end == "rmeta");
        Release { machine, libraries: files.filter(is_read).map(|file| file.with_extension("rlib")).collect() }
    }

    /// Compiles a file that uses crates of the build, and returns the path of what is made.
    pub fn compile(&self, source: &str, arguments: &[&str], name: &str) -> PathBuf {
        let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let mut rustc = Command::new("rustc");
        rustc.args(["--edition", "2024", "-Copt-level=3"]).args(arguments);
        rustc.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(source)).arg("-o").arg(&made);
        for library in ["culet"].iter().chain(&TRAITS) {
            let start = format!("lib{library}-");
            let is_it = |file: &&PathBuf| {
                file.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(&start))
            };
            let file = self.libraries.iter().find(is_it).expect("a crate of the build");
            rustc.arg("--extern").arg(format!("{library}={}", file.display()));
        }
        let folder = self.libraries[0].parent().expect("a folder");
        rustc.arg("-L").arg(format!("dependency={}", folder.display()));
        if let Some(machine) = self.machine {
            machine.choose_for_rustc(&mut rustc);
        }
        succeeds(&mut rustc);
        made
    }
}
