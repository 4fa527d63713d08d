//! Writing diagnostics to stderr, and data to stdout and files.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics, SourceMap, render};

use crate::args::{Color, MessageFormat};
use crate::files::{Sink, Unwritten, finish_all};

/// The reason why a command fails. When it is returned, all messages have been written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The input is wrong, or a test failed.
    Input,
    /// Wrong usage, or the environment lacks something.
    Environment,
}

impl From<Failure> for ExitCode {
    fn from(failure: Failure) -> ExitCode {
        match failure {
            Failure::Input => ExitCode::from(1),
            Failure::Environment => ExitCode::from(2),
        }
    }
}

/// The settings for messages to the user.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    pub color: Color,
    pub format: MessageFormat,
    /// Whether to say nothing about progress.
    pub is_quiet: bool,
}

impl Output {
    /// Writes diagnostics to stderr; in human format, at most [`SHOWN`] errors and [`SHOWN`] warnings. An error in
    /// writing to stderr is ignored, since nobody could be told of it.
    pub fn diagnostics(&self, diagnostics: &Diagnostics, sources: &SourceMap) {
        let text = match self.format {
            MessageFormat::Json => render::json(diagnostics, sources),
            MessageFormat::Human => {
                let (shown, more) = first(diagnostics);
                render::text(&shown, sources, self.use_color()) + &more
            }
        };
        let _ = io::stderr().write_all(text.as_bytes());
    }

    fn use_color(&self) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        }
    }

    /// Reports one diagnostic without a place and returns the failure that its code stands for.
    pub fn fail(&self, diagnostic: Diagnostic) -> Failure {
        self.report(&diagnostic.into(), &SourceMap::new())
    }

    /// Reports diagnostics and returns the failure that they stand for: `Environment` only if all of them are about the
    /// environment.
    pub fn report(&self, diagnostics: &Diagnostics, sources: &SourceMap) -> Failure {
        self.diagnostics(diagnostics, sources);
        let is_environment = |d: &Diagnostic| ENVIRONMENT.contains(&d.code.id);
        let mut errors = diagnostics.iter().filter(|d| d.is_error()).peekable();
        if errors.peek().is_some() && errors.all(is_environment) { Failure::Environment } else { Failure::Input }
    }

    /// Writes a line of progress to stderr, in human format only.
    pub fn progress(&self, text: &str) {
        if self.format == MessageFormat::Human && !self.is_quiet {
            let _ = writeln!(io::stderr(), "{text}");
        }
    }

    /// Writes data to stdout. A closed pipe ends the command quietly, as a reader that has seen enough expects.
    pub fn data(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => {
                Err(self
                    .fail(Diagnostic::error_without_place(&world::E0810, format!("cannot write to stdout: {error}"))))
            }
        }
    }

    /// Writes files. None of them is replaced before the data of all are on the disk. See [`finish_all`] for the
    /// guarantees.
    pub fn write_files<B: AsRef<[u8]>>(&self, files: &[(PathBuf, B)]) -> Result<(), Failure> {
        let write = |(path, bytes): &(PathBuf, B)| {
            let mut sink = Sink::file(path)?;
            sink.write(bytes.as_ref()).map(|()| sink)
        };
        let sinks: Result<Vec<Sink>, Unwritten> = files.iter().map(write).collect();
        sinks.and_then(finish_all).map_err(|unwritten| self.unwritten(&unwritten))
    }

    /// Fails now, before long work, if a file could not be written later.
    pub fn can_write(&self, path: &Path) -> Result<(), Failure> {
        Sink::file(path).map(drop).map_err(|unwritten| self.unwritten(&unwritten))
    }

    pub fn unwritten(&self, Unwritten { path, error, replaced }: &Unwritten) -> Failure {
        // The temporary file's name would only confuse, so that it is removed from the reason.
        let reason = error.to_string();
        let reason = reason.split(" at path ").next().unwrap_or_default();
        let mut diagnostic =
            Diagnostic::error_without_place(&world::E0810, format!("cannot write `{}`: {reason}", path.display()));
        for path in replaced {
            diagnostic = diagnostic.note(format!("`{}` was written before", path.display()));
        }
        self.fail(diagnostic)
    }
}

/// Codes of wrong usage, and of what the environment lacks.
const ENVIRONMENT: [&str; 12] =
    ["E0810", "E0813", "E0820", "E0821", "E0822", "E0823", "E0824", "E0825", "E0826", "E0830", "E0850", "E0865"];

/// Maximum number of errors, and of warnings, that are shown. Nobody reads more at once, and showing each with its line
/// takes time.
const SHOWN: usize = 100;

/// The first diagnostics of each severity, and a line about the number left out.
fn first(diagnostics: &Diagnostics) -> (Diagnostics, String) {
    let (mut errors, mut warnings) = (0, 0);
    let mut shown = Diagnostics::new();
    for diagnostic in diagnostics.iter() {
        let count = if diagnostic.is_error() { &mut errors } else { &mut warnings };
        *count += 1;
        if *count <= SHOWN {
            shown.push(diagnostic.clone());
        }
    }
    let left_out: Vec<String> = [(errors, "error"), (warnings, "warning")]
        .iter()
        .filter(|(count, _)| *count > SHOWN)
        .map(|(count, what)| match count - SHOWN {
            1 => format!("1 more {what}"),
            more => format!("{more} more {what}s"),
        })
        .collect();
    let more = match left_out.as_slice() {
        [] => String::new(),
        some => format!("\nand {}; `--message-format json` shows all\n", some.join(", ")),
    };
    (shown, more)
}
