//! Writing: diagnostics to stderr, data to stdout and files.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics, SourceMap, render};

use crate::args::{Color, MessageFormat};
use crate::files::{Sink, Unwritten, finish_all};

/// Why a command ends other than well. What is to be said has been said when it is returned.
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

/// How to talk to the person.
#[derive(Debug, Clone, Copy)]
pub struct Output {
    pub color: Color,
    pub format: MessageFormat,
}

impl Output {
    /// Writes diagnostics to stderr; for people, [`SHOWN`] errors and warnings each at most. Where stderr is gone there is
    /// nobody to tell.
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

    /// Reports one diagnostic without a place and gives the failure its code stands for.
    pub fn fail(&self, diagnostic: Diagnostic) -> Failure {
        self.report(&diagnostic.into(), &SourceMap::new())
    }

    /// Reports diagnostics and gives the failure they stand for: the environment's only if all of them are about it.
    pub fn report(&self, diagnostics: &Diagnostics, sources: &SourceMap) -> Failure {
        self.diagnostics(diagnostics, sources);
        let is_environment = |d: &Diagnostic| {
            let codes = ["E0810", "E0820", "E0821", "E0822", "E0823", "E0824", "E0825", "E0826", "E0830", "E0850"];
            codes.contains(&d.code.id)
        };
        let mut errors = diagnostics.iter().filter(|d| d.is_error()).peekable();
        if errors.peek().is_some() && errors.all(is_environment) { Failure::Environment } else { Failure::Input }
    }

    /// A line of progress on stderr, for people only.
    pub fn progress(&self, text: &str) {
        if self.format == MessageFormat::Human {
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

    /// Writes files; none is replaced before all data are on the disk. See [`finish_all`] for what is certain.
    pub fn write_files(&self, files: &[(PathBuf, &[u8])]) -> Result<(), Failure> {
        let write = |(path, bytes): &(PathBuf, &[u8])| {
            let mut sink = Sink::file(path)?;
            sink.write(bytes).map(|()| sink)
        };
        let sinks: Result<Vec<Sink>, Unwritten> = files.iter().map(write).collect();
        sinks.and_then(finish_all).map_err(|unwritten| self.unwritten(&unwritten))
    }

    /// Fails now if a file could not be written later, after long work.
    pub fn can_write(&self, path: &Path) -> Result<(), Failure> {
        Sink::file(path).map(drop).map_err(|unwritten| self.unwritten(&unwritten))
    }

    pub fn unwritten(&self, Unwritten { path, error, replaced }: &Unwritten) -> Failure {
        // The temporary neighbour's name would only confuse.
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

/// Nobody reads more than this many errors or warnings at once, and showing each with its line takes time.
const SHOWN: usize = 100;

/// The first diagnostics of each severity, and a line about those left out.
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
