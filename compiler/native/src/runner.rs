//! Executing a program: here, or through a command such as `qemu-aarch64` that executes it for another machine.
//!
//! Kernels for other machines and the tuner's measuring program are run in this way.

use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::Duration;
use std::{fmt, io};

use crate::process::{self, Failure, How, Limits};

/// A command that executes a program. The program follows the command's own arguments and precedes those for the
/// program. The command is an emulator, or a script that runs the program elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runner {
    command: Vec<String>,
}

impl Runner {
    /// A runner with this command, which may have leading arguments (`qemu-ppc64le -cpu power9`).
    pub fn new(command: &str) -> Runner {
        Runner { command: command.split_whitespace().map(str::to_owned).collect() }
    }

    /// The command as it would be typed.
    pub fn name(&self) -> String {
        self.command.join(" ")
    }
}

/// One execution of a program.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    pub program: &'a Path,
    pub arguments: &'a [String],
    /// The contents of its stdin.
    pub input: &'a [u8],
    /// Time limit, after which it is stopped.
    pub time_limit: Duration,
    /// Maximum number of bytes on its stdout, beyond which it is stopped.
    pub output_limit: u64,
}

/// A failure of a program, or of the runner that should execute it.
#[derive(Debug)]
pub enum RunError {
    NotStarted {
        command: String,
        error: io::Error,
    },
    /// `output` is the beginning of its output.
    Died {
        status: ExitStatus,
        output: String,
    },
    Hung {
        limit: Duration,
    },
    /// The output is not that of results, or is too short or too long.
    Rubbish {
        output: String,
    },
    Io {
        error: io::Error,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::NotStarted { command, error } => write!(f, "`{command}` cannot be started: {error}"),
            RunError::Died { status, output } => write!(f, "it died: {status}{}", said(output)),
            RunError::Hung { limit } => write!(f, "it did not end within {} s", limit.as_secs_f64()),
            RunError::Rubbish { output } if output.trim().is_empty() => f.write_str("it printed nothing, not results"),
            RunError::Rubbish { output } => write!(f, "it printed something else than results{}", said(output)),
            RunError::Io { error } => write!(f, "no data can be exchanged with it: {error}"),
        }
    }
}

impl std::error::Error for RunError {}

/// The beginning of a process's output, on one line.
fn said(output: &str) -> String {
    let text: String = output.trim().chars().take(200).flat_map(char::escape_debug).collect();
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

impl RunError {
    /// The error for a program that printed this in place of results.
    pub(crate) fn rubbish(printed: &[u8]) -> RunError {
        RunError::Rubbish { output: beginning(printed) }
    }
}

/// The part of a process's output that is kept, of at most 1000 bytes.
fn beginning(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(1000)]).into_owned()
}

impl Job<'_> {
    /// Runs the program to its end, here if there is no runner, and returns its output on stdout.
    pub fn run(&self, runner: Option<&Runner>) -> Result<Vec<u8>, RunError> {
        let mut command = self.command(runner)?;
        let limits = Limits { time: self.time_limit, output: self.output_limit };
        let ended = process::run(&mut command, self.input, limits).map_err(|failure| match failure {
            Failure::NotStarted(error) => {
                RunError::NotStarted { command: command.get_program().to_string_lossy().into_owned(), error }
            }
            Failure::Io(error) => RunError::Io { error },
        })?;
        match ended.how {
            How::By(status) if status.success() => Ok(ended.stdout),
            How::By(status) => Err(RunError::Died { status, output: beginning(&ended.stderr) }),
            How::Late => Err(RunError::Hung { limit: self.time_limit }),
            How::TooMuch => Err(RunError::rubbish(&ended.stdout)),
        }
    }

    fn command(&self, runner: Option<&Runner>) -> Result<Command, RunError> {
        let mut command = match runner.map(|runner| runner.command.split_first()) {
            None => Command::new(self.program),
            Some(Some((first, others))) => {
                let mut command = Command::new(first);
                command.args(others).arg(self.program);
                command
            }
            Some(None) => {
                let error = io::Error::new(io::ErrorKind::InvalidInput, "the command is empty");
                return Err(RunError::NotStarted { command: String::new(), error });
            }
        };
        command.args(self.arguments);
        Ok(command)
    }
}
