//! Temporary directories that end with the process, also where a signal ends it.
#![allow(unsafe_code)] // The C library is asked whether a signal is ignored.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io};

/// Where they all are.
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
    /// If it cannot be made.
    pub fn new(prefix: &str) -> io::Result<Scratch> {
        // No signal is acted on between the two.
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
        // It cannot be told to anybody.
        let _ = fs::remove_dir_all(&self.0);
        live().retain(|path| *path != self.0);
    }
}

/// From now on, where a signal asks the process to end, it ends the programs that it has started and removes its temporary
/// directories first.
///
/// # Errors
///
/// If the system does not let it.
#[cfg(unix)]
pub fn clean_up_on_signals() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

    let heeded = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|&signal| !is_ignored(signal));
    let mut signals = signal_hook::iterator::Signals::new(heeded)?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            // Who holds the lock waits for ever: no directory is made any more.
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

/// Whether who started the process does not want it to be ended by this signal, as `nohup` does not.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    // SAFETY: with no new action, `sigaction` only fills in the present one, which zeros are valid for.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        libc::sigaction(signal, std::ptr::null(), &raw mut action) == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

/// Nothing, here.
///
/// # Errors
///
/// None.
#[cfg(not(unix))]
pub fn clean_up_on_signals() -> io::Result<()> {
    Ok(())
}
