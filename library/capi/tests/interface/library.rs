//! The library as `cargo build --release` makes it, and programs that C compilers make with it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::{fs, io::Write};

/// The C compilers, each with that for C++.
pub const COMPILERS: [(&str, &str); 2] = [("gcc-12", "g++-12"), ("clang-19", "clang++-19")];

/// Options with which every program and every header is compiled.
pub const STRICT: [&str; 6] = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror", "-O1"];

/// The name of the shared library that linked programs ask the loader for.
pub const SONAME: &str = concat!("libculet.so.", env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));

/// A built library's features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Features {
    None,
    TweetNaCl,
    All,
}

impl Features {
    const EACH: [(Features, &str); 3] =
        [(Features::None, ""), (Features::TweetNaCl, "tweetnacl"), (Features::All, "compat")];

    /// The directory with `libculet.a` and `libculet.so`.
    pub fn directory(self) -> &'static Path {
        static DIRECTORIES: OnceLock<Vec<(Features, PathBuf)>> = OnceLock::new();
        let build_all = || Features::EACH.map(|(features, name)| (features, build(name))).to_vec();
        let directories = DIRECTORIES.get_or_init(build_all);
        let directory = directories.iter().find(|(features, _)| *features == self);
        &directory.expect("each is built").1
    }
}

/// Features of the crate `culet` that nothing in C has: the tests of the crate's release build need them, and share its build.
pub const TRAITS: &str = "culet/aead,culet/digest,culet/signature";

/// Builds the library, and copies what was made: the next build writes to the same place.
fn build(features: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("release");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "build",
        "--quiet",
        "--release",
        "--package",
        "culet-capi",
        "--features",
        features,
        "--features",
        TRAITS,
    ]);
    cargo.arg("--target-dir").arg(&target).current_dir(env!("CARGO_MANIFEST_DIR"));
    // Tests of linked operations build another library in the same place.
    fs::create_dir_all(&target).expect("a directory");
    let alone = fs::File::create(target.join("one-at-a-time")).expect("a file");
    alone.lock().expect("a lock");
    run(cargo.env_remove("RUSTC_WORKSPACE_WRAPPER"));
    let directory = target.join(format!("lib-{features}"));
    fs::create_dir_all(&directory).expect("a directory");
    for file in ["libculet.a", "libculet.so"] {
        fs::copy(target.join("release").join(file), directory.join(file)).expect("the library is built");
    }
    // Programs look for it by the name that it has inside.
    fs::copy(directory.join("libculet.so"), directory.join(SONAME)).expect("the library is built");
    directory
}

/// The path of a file of the package.
pub fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Runs a command that must succeed, and returns what it prints.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    text(&format!("{command:?}"), &output)
}

/// Runs a command that must succeed with an input.
pub fn run_with(command: &mut Command, input: &str) -> String {
    let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = spawned.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut stdin = child.stdin.take().expect("a pipe");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("no panic").expect("it reads all");
    text(&format!("{command:?}"), &output)
}

fn text(command: &str, output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command}: {}\n{errors}", output.status);
    String::from_utf8(output.stdout.clone()).expect("text")
}

/// A program and what it is made with.
pub struct Program<'a> {
    pub compiler: &'a str,
    /// Its file, as the package has it.
    pub source: &'a str,
    pub options: Vec<String>,
    /// Linked with the static library, or the shared one.
    pub is_static: bool,
    pub features: Features,
}

impl Program<'_> {
    /// Compiles and links it, and returns the command that runs it.
    pub fn build(&self) -> Command {
        self.build_as("program")
    }

    /// The command under another name, for a test that builds what another one builds.
    pub fn build_as(&self, purpose: &str) -> Command {
        let Program { compiler, source, options, is_static, features } = self;
        let directory = features.directory();
        let stem = Path::new(source).file_stem().expect("a name").to_string_lossy();
        let program = directory.join(format!("{stem}-{purpose}-{compiler}-{is_static}"));
        let mut command = Command::new(compiler);
        command.arg("-std=c99").args(STRICT).args(options).arg("-I").arg(path("include"));
        command.arg(path(source)).arg("-o").arg(&program);
        if *is_static {
            command.arg(directory.join("libculet.a"));
        } else {
            command.arg(format!("-Wl,-rpath,{}", directory.display())).arg("-L").arg(directory).arg("-lculet");
        }
        run(&mut command);
        Command::new(program)
    }
}
