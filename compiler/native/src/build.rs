//! Compiling C text to a file of machine code.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;
use std::{fmt, fs, io};

use culet_ir::Target;

use crate::process::{self, Failure, How, Limits, MUCH};
use crate::{CCompiler, Scratch};

/// An error in compiling C text to a loaded kernel.
#[derive(Debug)]
pub enum CompileError {
    /// Neither the named compiler nor any of the usual ones can be run.
    NotFound {
        tried: Vec<String>,
    },
    /// The compiler ran and failed; `output` is its output.
    Failed {
        command: String,
        output: String,
    },
    /// The compiler did not end in time.
    Hung {
        command: String,
        seconds: u64,
    },
    /// The compiler compiles for another architecture than the target's.
    WrongArchitecture {
        compiler: String,
        machine: String,
        target: Target,
    },
    /// The compiler compiles for another machine than this one, and there is no runner.
    NoRunner {
        compiler: String,
        machine: String,
    },
    Io {
        what: String,
        error: io::Error,
    },
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::NotFound { tried } => {
                write!(f, "no C compiler answers `--version`: tried {}", tried.join(", "))
            }
            CompileError::Failed { command, output } => write!(f, "`{command}` failed:\n{output}"),
            CompileError::Hung { command, seconds } => write!(f, "`{command}` did not end within {seconds} s"),
            CompileError::WrongArchitecture { compiler, machine, target } => {
                let (name, needed) = (target.name(), target.architecture().unwrap_or("any machine"));
                write!(f, "`{compiler}` compiles for {machine}, but the target `{name}` is for {needed}")
            }
            CompileError::NoRunner { compiler, machine } => {
                write!(f, "`{compiler}` compiles for {machine}, whose programs this machine does not run")
            }
            CompileError::Io { what, error } => write!(f, "{what}: {error}"),
        }
    }
}

impl std::error::Error for CompileError {}

/// A shared object in a temporary directory that lives as long as this value.
#[derive(Debug)]
pub struct SharedObject {
    pub(crate) path: PathBuf,
    _directory: Scratch,
}

/// A program in a temporary directory that lives as long as this value.
#[derive(Debug)]
pub struct Executable {
    pub path: PathBuf,
    _directory: Scratch,
}

impl CCompiler {
    /// Compiles C files (name, text) into one shared object, with `flags` such as `-O3`, for `target`.
    pub fn shared_object(
        &self,
        files: &[(&str, &str)],
        target: Target,
        flags: &[&str],
    ) -> Result<SharedObject, CompileError> {
        let (path, directory) = self.build(files, target, &["-shared", "-fPIC", "-Wl,-Bsymbolic"], flags)?;
        Ok(SharedObject { path, _directory: directory })
    }

    /// Compiles C files into a program that needs no libraries where it runs.
    pub fn static_program(
        &self,
        files: &[(&str, &str)],
        target: Target,
        flags: &[&str],
    ) -> Result<Executable, CompileError> {
        let (path, directory) = self.build(files, target, &["-static"], flags)?;
        Ok(Executable { path, _directory: directory })
    }

    fn build(
        &self,
        files: &[(&str, &str)],
        target: Target,
        kind: &[&str],
        flags: &[&str],
    ) -> Result<(PathBuf, Scratch), CompileError> {
        self.check(target)?;
        let io_error = |what: &str| {
            let what = what.to_owned();
            move |error| CompileError::Io { what, error }
        };
        let directory = Scratch::new("culet-").map_err(io_error("cannot make a temporary directory"))?;
        let mut sources = Vec::new();
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::write(&path, text).map_err(io_error("cannot write generated C to the temporary directory"))?;
            if path.extension() == Some(OsStr::new("c")) {
                sources.push(path);
            }
        }
        // No file of a kernel has this name.
        let path = directory.path().join("kernel.built");
        let mut command = self.command(directory.path());
        command.arg("-std=c11").args(kind).args(target_flags(target)).args(flags);
        command.arg("-o").arg(&path).args(&sources);
        run(&mut command, self.time_limit)?;
        if !path.is_file() {
            return Err(CompileError::Failed { command: shown(&command), output: "it wrote no output file".into() });
        }
        Ok((path, directory))
    }
}

/// The flags that let a compiler use a target's instructions.
pub fn target_flags(target: Target) -> &'static [&'static str] {
    match target {
        Target::C32 | Target::C64 => &[],
        Target::Sse => &["-mssse3", "-msse4.1"],
        // A compiler that is told to use all of this CPU would mix in AVX.
        Target::SseSha => &["-mssse3", "-msse4.1", "-msha", "-mno-avx"],
        // Only programs with carry-less multiplication or rounds of AES use the extensions that are no vector extensions.
        Target::Avx2 => &["-mavx2", "-mpclmul", "-maes"],
        Target::Avx512 => &["-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mpclmul", "-maes"],
        Target::Avx512Ifma => {
            &["-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq", "-mavx512ifma", "-mpclmul", "-maes"]
        }
        Target::Avx512Vaes => &[
            "-mavx512f",
            "-mavx512bw",
            "-mavx512vl",
            "-mavx512dq",
            "-mavx512ifma",
            "-mpclmul",
            "-maes",
            "-mvaes",
            "-mvpclmulqdq",
            "-mgfni",
        ],
        // AArch64 always has Advanced SIMD.
        Target::Neon => &["-march=armv8-a+crypto"],
        // Little-endian POWER is POWER8 or later, and a compiler that is told which one keeps it.
        Target::Vsx => &["-mvsx", "-mcrypto"],
    }
}

/// Runs a compiler to its end, or to the time limit.
pub(crate) fn run(command: &mut Command, time: Duration) -> Result<(), CompileError> {
    let shown = shown(command);
    let ended = process::run(command, &[], Limits { time, output: MUCH }).map_err(|failure| {
        let (Failure::NotStarted(error) | Failure::Io(error)) = failure;
        CompileError::Io { what: format!("cannot run `{shown}`"), error }
    })?;
    let complaint = match ended.how {
        How::By(status) if status.success() => return Ok(()),
        How::Late => return Err(CompileError::Hung { command: shown, seconds: time.as_secs() }),
        How::By(status) => status.to_string(),
        How::TooMuch => "it did not stop to talk".to_owned(),
    };
    let output = String::from_utf8_lossy(&[ended.stderr, ended.stdout].concat()).into_owned();
    let output = output.lines().take(40).collect::<Vec<_>>().join("\n");
    Err(CompileError::Failed { command: shown, output: if output.is_empty() { complaint } else { output } })
}

/// A command as it would be typed.
pub(crate) fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}
