//! The commands, one file each.

pub mod bench;
pub mod check;
pub mod compile;
mod compile_cipher;
pub mod contract;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod cosim;
pub mod demo;
mod descriptions;
pub mod dump;
pub mod equal;
pub mod explain;
pub mod field;
mod generated;
pub mod library;
mod made;
mod messages;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod mutate;
mod named;
pub mod pages;
mod proofs;
pub mod prove;
pub mod run;
pub mod sbox;
pub mod test;
pub mod tune;
mod verdict;
pub mod verify;
mod watch;

use std::path::{Path, PathBuf};

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{DiskReader, Source, load};

use crate::output::{Failure, Output};

fn make_directory(path: &Path, output: Output) -> Result<(), Failure> {
    std::fs::create_dir_all(path).map_err(|error| {
        if path.is_file() {
            let message = format!("`{}` is a file, and a directory is wanted here", path.display());
            return output.fail(Diagnostic::error_without_place(&world::E0810, message).note("name a directory"));
        }
        let message = format!("cannot make the directory `{}`: {error}", path.display());
        output.fail(Diagnostic::error_without_place(&world::E0810, message))
    })
}

/// Reads a program. Errors in its text are kept for the stages that follow.
fn read(file: &Path, include: &[PathBuf], output: Output) -> Result<(Source, Diagnostics), Failure> {
    descriptions::expect_program(file, output)?;
    let (mut source, diagnostics) = load(file, include, &DiskReader);
    source.given = named::arguments(file, include);
    if source.main.is_none() {
        output.diagnostics(&diagnostics, &source.map);
        return Err(Failure::Input);
    }
    Ok((source, diagnostics))
}

/// A progress bar for work that may take more than two seconds. It is shown on a terminal only, and only after a
/// moment. `length` is `None` if the amount of work is unknown.
fn progress_bar(length: Option<u64>, output: Output) -> indicatif::ProgressBar {
    if output.format == crate::args::MessageFormat::Json || output.is_quiet {
        return indicatif::ProgressBar::hidden();
    }
    let bar = length.map_or_else(indicatif::ProgressBar::no_length, indicatif::ProgressBar::new);
    bar.set_draw_target(indicatif::ProgressDrawTarget::stderr_with_hz(4));
    bar
}

/// A progress indicator for work of unknown length, with a message that may change.
fn spinner(what: &str, output: Output) -> indicatif::ProgressBar {
    let bar = progress_bar(None, output);
    bar.set_style(indicatif::ProgressStyle::default_spinner());
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(std::time::Duration::from_millis(250));
    bar
}

/// Does `work`, which may take more than two seconds, and shows `what` on a terminal meanwhile.
fn working<T>(what: &str, output: Output, work: impl FnOnce() -> T) -> T {
    let bar = spinner(what, output);
    let result = work();
    bar.finish_and_clear();
    result
}

/// The directory for results that took long to find: `$XDG_CACHE_HOME/culet`, else `~/.cache/culet`; `None` without a
/// home.
fn cache_directory() -> Option<PathBuf> {
    // The XDG base directory specification demands that relative paths are ignored.
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    Some(base.join("culet"))
}
