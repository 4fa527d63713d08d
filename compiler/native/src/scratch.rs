//! Temporary directories that are removed when the process ends, also if a signal ends it.
#![allow(unsafe_code)] // The C library is asked whether a signal is ignored.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};

/// The paths of all temporary directories.
static LIVE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn live() -> MutexGuard<'static, Vec<PathBuf>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A temporary directory that lives as long as this value.
#[derive(Debug)]
pub struct Scratch(PathBuf);

impl Scratch {
    /// # Errors
    ///
    /// If the directory cannot be made.
    pub fn new(prefix: &str) -> io::Result<Scratch> {
        // While the lock is held, no signal is acted on.
        let mut live = live();
        let path = tempfile::Builder::new().prefix(prefix).tempdir()?.keep();
        live.push(path.clone());
        Ok(Scratch(path))
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // An error cannot be reported to anybody.
        let _ = fs::remove_dir_all(&self.0);
        live().retain(|path| *path != self.0);
    }
}

/// Installs a handler for signals that ask the process to end. It ends the programs that the process has started and
/// removes its temporary directories first.
///
/// # Errors
///
/// If the system refuses the handler.
#[cfg(unix)]
pub fn clean_up_on_signals() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|&signal| !is_ignored(signal));
    let mut signals = signal_hook::iterator::Signals::new(heeded)?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // The lock is never released, so that no further directory is made.
            let live = live();
            crate::process::end_all_started();
            for path in live.iter() {
                let _ = fs::remove_dir_all(path);
            }
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// Whether the signal is ignored on the wish of the process's starter, as with `nohup`.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    // SAFETY: with no new action, `sigaction` only fills in the present one, which zeros are valid for.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Does nothing on this system.
///
/// # Errors
///
/// There are none.
#[cfg(not(unix))]
pub fn clean_up_on_signals() -> io::Result<()> {
    Ok(())
}
