//! Running the harness: here, or through a command that runs it elsewhere.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Where executables run: a command that is put before them, such as `qemu-aarch64 -L /usr/aarch64-linux-gnu`; empty for this
/// machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Runner {
    pub command: Vec<String>,
}

impl Runner {
    /// From a command line, words apart by spaces.
    pub fn parse(text: &str) -> Runner {
        Runner { command: text.split_whitespace().map(str::to_owned).collect() }
    }

    pub fn is_here(&self) -> bool {
        self.command.is_empty()
    }

    /// What an executable prints. The error says how it failed: it cannot be started, it died, it hung.
    pub fn run(&self, executable: &Path, arguments: &[String], limit: Duration) -> Result<String, String> {
        let mut words = self.command.clone();
        words.push(executable.display().to_string());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("`{}` cannot be started: {error}", words[0]))?;
        let (stdout, stderr) = (reader(child.stdout.take()), reader(child.stderr.take()));
        let start = Instant::now();
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if start.elapsed() > limit => {
                    // It may have ended by itself in between; either way it is gone after `wait`.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(format!("it did not end within {} s", limit.as_secs()));
                }
                Ok(None) => thread::sleep(Duration::from_millis(2)),
                Err(error) => return Err(format!("it cannot be waited for: {error}")),
            }
        };
        let text = |reader: thread::JoinHandle<Vec<u8>>| {
            String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned()
        };
        let (stdout, stderr) = (text(stdout), text(stderr));
        match status.success() {
            true => Ok(stdout),
            false => {
                let reason: String = stderr.lines().next().unwrap_or("").chars().take(100).collect();
                Err(if reason.is_empty() {
                    format!("it died: {status}")
                } else {
                    format!("it died: {status}, `{reason}`")
                })
            }
        }
    }
}

/// Reads a stream to its end, or to more than any harness prints.
fn reader(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    const MOST: u64 = 1 << 26;
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(stream) = stream {
            // A stream that breaks off is judged by what came.
            let _ = stream.take(MOST).read_to_end(&mut bytes);
        }
        bytes
    })
}
