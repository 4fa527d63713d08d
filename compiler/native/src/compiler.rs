//! Finding and running a C compiler.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fmt, fs, io, thread};

use culet_ir::Target;

/// An installed C compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CCompiler {
    /// The command, with leading arguments if it had any (`CC="ccache gcc"`).
    command: Vec<String>,
    /// The first line of `--version`.
    pub version: String,
}

/// What went wrong between C text and a loaded kernel.
#[derive(Debug)]
pub enum CompileError {
    /// The named compiler, or any of the usual ones, cannot be run.
    NotFound {
        tried: Vec<String>,
    },
    /// It ran and failed; `output` is what it printed.
    Failed {
        command: String,
        output: String,
    },
    /// It did not end in time.
    Hung {
        command: String,
        seconds: u64,
    },
    Io {
        what: String,
        error: io::Error,
    },
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompileError::NotFound { tried } => write!(f, "no C compiler: tried {}", tried.join(", ")),
            CompileError::Failed { command, output } => write!(f, "`{command}` failed:\n{output}"),
            CompileError::Hung { command, seconds } => write!(f, "`{command}` did not end within {seconds} s"),
            CompileError::Io { what, error } => write!(f, "{what}: {error}"),
        }
    }
}

impl std::error::Error for CompileError {}

/// A compiler that takes longer is stopped.
const TIME_LIMIT: Duration = Duration::from_secs(600);

const USUAL: [&str; 5] = ["clang-19", "clang", "gcc-12", "gcc", "cc"];

/// A shared object in a temporary directory that lives as long as this value.
#[derive(Debug)]
pub struct SharedObject {
    pub path: PathBuf,
    _directory: tempfile::TempDir,
}

impl CCompiler {
    /// The compiler called `name`; without a name `$CC`, then the usual ones.
    pub fn find(name: Option<&str>) -> Result<CCompiler, CompileError> {
        let candidates: Vec<String> = match name {
            Some(name) => vec![name.to_owned()],
            None => env::var("CC")
                .ok()
                .filter(|cc| !cc.trim().is_empty())
                .into_iter()
                .chain(USUAL.map(str::to_owned))
                .collect(),
        };
        for candidate in &candidates {
            let command: Vec<String> = candidate.split_whitespace().map(str::to_owned).collect();
            let Some((program, arguments)) = command.split_first() else { continue };
            let output = Command::new(program).args(arguments).arg("--version").stdin(Stdio::null()).output();
            if let Ok(output) = output
                && output.status.success()
            {
                let version = String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("").to_owned();
                return Ok(CCompiler { command, version });
            }
        }
        Err(CompileError::NotFound { tried: candidates })
    }

    /// All of the usual compilers that are installed, each once.
    pub fn installed() -> Vec<CCompiler> {
        let mut found: Vec<CCompiler> = Vec::new();
        // The version line starts with the name it was called by.
        let release = |compiler: &CCompiler| compiler.version.split_once(' ').map(|(_, rest)| rest.to_owned());
        for compiler in USUAL.iter().filter_map(|name| CCompiler::find(Some(name)).ok()) {
            if found.iter().all(|other| release(other) != release(&compiler)) {
                found.push(compiler);
            }
        }
        found
    }

    /// The command as one would type it.
    pub fn name(&self) -> String {
        self.command.join(" ")
    }

    pub(crate) fn command(&self) -> Command {
        let (program, leading) = self.command.split_first().expect("`find` refuses empty commands");
        let mut command = Command::new(program);
        command.args(leading);
        command
    }

    pub fn is_clang(&self) -> bool {
        self.version.contains("clang")
    }

    /// Compiles C files (name, text) into one shared object, with `flags` such as `-O3`, for `target`.
    pub fn shared_object(
        &self,
        files: &[(&str, &str)],
        target: Target,
        flags: &[&str],
    ) -> Result<SharedObject, CompileError> {
        let io_error = |what: &str| {
            let what = what.to_owned();
            move |error| CompileError::Io { what, error }
        };
        let directory = tempfile::Builder::new()
            .prefix("culet-")
            .tempdir()
            .map_err(io_error("cannot make a temporary directory"))?;
        let mut sources = Vec::new();
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::write(&path, text).map_err(io_error("cannot write generated C to the temporary directory"))?;
            if path.extension() == Some(OsStr::new("c")) {
                sources.push(path);
            }
        }
        let path = directory.path().join("kernel.so");
        let mut command = self.command();
        command.args(["-std=c11", "-shared", "-fPIC"]).args(target_flags(target)).args(flags);
        command.arg("-o").arg(&path).args(&sources);
        run(&mut command, &directory.path().join("log"), TIME_LIMIT)?;
        if !path.is_file() {
            return Err(CompileError::Failed { command: shown(&command), output: "it wrote no output file".into() });
        }
        Ok(SharedObject { path, _directory: directory })
    }
}

/// The flags that let a compiler use a target's instructions.
pub fn target_flags(target: Target) -> &'static [&'static str] {
    match target {
        Target::C32 | Target::C64 => &[],
        Target::Sse => &["-mssse3", "-msse4.1"],
        Target::Avx2 => &["-mavx2"],
        Target::Avx512 => &["-mavx512f", "-mavx512bw", "-mavx512vl", "-mavx512dq"],
    }
}

/// Runs a compiler to its end or the time limit, its output kept in the file `log` so that it cannot block.
pub(crate) fn run(command: &mut Command, log: &Path, limit: Duration) -> Result<(), CompileError> {
    let shown = shown(command);
    let io_error = |error| CompileError::Io { what: format!("cannot run `{shown}`"), error };
    let log_file = fs::File::create(log).map_err(io_error)?;
    let log_file2 = log_file.try_clone().map_err(io_error)?;
    let mut child = command.stdin(Stdio::null()).stdout(log_file).stderr(log_file2).spawn().map_err(io_error)?;
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    let status = loop {
        if let Some(status) = child.try_wait().map_err(io_error)? {
            break status;
        }
        if start.elapsed() > limit {
            // The process may have ended by itself in between; either way it is gone after `wait`.
            let _ = child.kill();
            let _ = child.wait();
            return Err(CompileError::Hung { command: shown, seconds: limit.as_secs() });
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    };
    if status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned();
    let mut output: String = output.lines().take(40).collect::<Vec<_>>().join("\n");
    if output.is_empty() {
        output = status.to_string();
    }
    Err(CompileError::Failed { command: shown, output })
}

/// A command as one would type it.
fn shown(command: &Command) -> String {
    format!("{command:?}").replace('"', "")
}
