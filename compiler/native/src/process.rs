//! A process and its end: by itself, stopped at a time limit, or stopped for too much output.
//!
//! Input and output go through unnamed files, so that no process can block, and the amount of output can be limited.
#![allow(unsafe_code)] // Ending a process by its number is a call of the C library.

#[cfg(target_os = "linux")]
use std::fs;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// The limits beyond which a process is stopped.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub time: Duration,
    /// Maximum number of bytes on stdout.
    pub output: u64,
}

/// Output limit in bytes for processes without large results. No proper process exceeds it.
pub(crate) const MUCH: u64 = 1 << 26;

pub(crate) struct Ended {
    pub how: How,
    /// The output, at most one byte more than the limit.
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    By(ExitStatus),
    Late,
    TooMuch,
}

/// The reason why there was no process, or why its end is not known.
pub(crate) enum Failure {
    NotStarted(io::Error),
    Io(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Io(error)
    }
}

/// Runs a command with `input` as its stdin.
pub(crate) fn run(command: &mut Command, input: &[u8], limits: Limits) -> Result<Ended, Failure> {
    let (mut stdin, mut stdout, mut stderr) = (tempfile::tempfile()?, tempfile::tempfile()?, tempfile::tempfile()?);
    stdin.write_all(input)?;
    stdin.seek(SeekFrom::Start(0))?;
    command.stdin(stdin).stdout(stdout.try_clone()?).stderr(stderr.try_clone()?);
    let mut child = command.spawn().map_err(Failure::NotStarted)?;
    let how = wait(&mut child, (&stdout, &stderr), limits)?;
    Ok(Ended { how, stdout: start(&mut stdout, limits.output.saturating_add(1))?, stderr: start(&mut stderr, MUCH)? })
}

fn wait(child: &mut Child, (stdout, stderr): (&File, &File), limits: Limits) -> io::Result<How> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(How::By(status));
        }
        let too_much = stdout.metadata()?.len() > limits.output || stderr.metadata()?.len() > MUCH;
        if too_much || start.elapsed() > limits.time {
            end(child);
            return Ok(if too_much { How::TooMuch } else { How::Late });
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Ends a process, and, if the system lists them, the processes that it started: drivers of compilers and scripts start
/// others.
fn end(child: &mut Child) {
    let others = descendants(child.id());
    // The process may have ended by itself meanwhile; in either case it is gone after `wait`.
    let _ = child.kill();
    others.into_iter().for_each(kill);
    let _ = child.wait();
}

/// Ends all programs that this process has started, and those that they have started.
#[cfg(unix)]
pub(crate) fn end_all_started() {
    descendants(std::process::id()).into_iter().for_each(kill);
}

/// The children of each thread of a process, and their descendants.
#[cfg(target_os = "linux")]
fn descendants(id: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten();
    let children = threads.flat_map(|thread| {
        let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
        children.split_whitespace().filter_map(|child| child.parse().ok()).collect::<Vec<u32>>()
    });
    children.flat_map(|child| [vec![child], descendants(child)].concat()).collect()
}

#[cfg(target_os = "linux")]
fn kill(id: u32) {
    // 0 and negative numbers are excluded, since they mean groups of processes.
    if let Ok(id @ 1..) = i32::try_from(id) {
        // SAFETY: it takes two numbers. A process that has ended meanwhile is not affected.
        unsafe { libc::kill(id, libc::SIGKILL) };
    }
}

#[cfg(not(target_os = "linux"))]
fn descendants(_: u32) -> Vec<u32> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
fn kill(_: u32) {}

/// The first bytes of a file.
fn start(file: &mut File, bytes: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(bytes).read_to_end(&mut text)?;
    Ok(text)
}
