//! Executing a kernel in a process of its own, through a command such as `qemu-aarch64`: how kernels for other machines
//! are run.
//!
//! The kernel is linked with a `main` that reads one call's inputs from stdin and writes its results to stdout, between
//! two marks. Both go through files, so that no runner can block, and none can print more than is kept.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};
use std::{fmt, thread};

use crate::build::Executable;
use crate::kernel::{Extent, check_lengths};

/// A command that executes a program, given as its last argument: an emulator, or a script that takes it elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runner {
    command: Vec<String>,
    /// A call that takes longer is stopped.
    pub time_limit: Duration,
}

/// What a runner did other than to run the kernel.
#[derive(Debug)]
pub enum RunError {
    NotStarted {
        runner: String,
        error: io::Error,
    },
    /// `output` is the end of what it said.
    Died {
        runner: String,
        status: ExitStatus,
        output: String,
    },
    Hung {
        runner: String,
        seconds: u64,
    },
    /// It printed something else than results, or fewer, or more.
    Rubbish {
        runner: String,
        output: String,
    },
    Io {
        error: io::Error,
    },
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::NotStarted { runner, error } => write!(f, "the runner `{runner}` cannot be started: {error}"),
            RunError::Died { runner, status, output } => {
                write!(f, "the kernel, or its runner `{runner}`, ended with {status}{}", said(output))
            }
            RunError::Hung { runner, seconds } => {
                write!(f, "the kernel, or its runner `{runner}`, did not end within {seconds} s")
            }
            RunError::Rubbish { runner, output } => {
                write!(f, "the runner `{runner}` printed something else than the kernel's results{}", said(output))
            }
            RunError::Io { error } => write!(f, "cannot exchange data with the kernel's runner: {error}"),
        }
    }
}

impl std::error::Error for RunError {}

/// The first of what a process said, on one line.
fn said(output: &str) -> String {
    let text: String = output.trim().chars().take(200).flat_map(char::escape_debug).collect();
    if text.is_empty() { String::new() } else { format!(": {text}") }
}

/// What the harness writes before and after the results, and expects before the inputs.
const MARK: &[u8; 8] = b"culet\r\n\0";

impl Runner {
    /// The command, with leading arguments if it has any (`qemu-ppc64le -cpu power9`).
    pub fn new(command: &str) -> Runner {
        let command = command.split_whitespace().map(str::to_owned).collect();
        Runner { command, time_limit: Duration::from_secs(120) }
    }

    /// The command as one would type it.
    pub fn name(&self) -> String {
        self.command.join(" ")
    }

    /// Runs a program to its end and gives what it printed, which should be `expected` bytes.
    fn run(&self, executable: &Executable, input: &[u8], expected: usize) -> Result<Vec<u8>, RunError> {
        let runner = self.name();
        let not_started = |error| RunError::NotStarted { runner: runner.clone(), error };
        let Some((program, arguments)) = self.command.split_first() else {
            return Err(not_started(io::Error::new(io::ErrorKind::InvalidInput, "the command is empty")));
        };
        let failed = |error| RunError::Io { error };
        let (stdin, mut stdout, mut stderr) = files(input).map_err(failed)?;
        let own = |file: &File| file.try_clone().map_err(failed);
        let mut command = Command::new(program);
        command.args(arguments).arg(&executable.path);
        command.stdin(stdin).stdout(own(&stdout)?).stderr(own(&stderr)?);
        let mut child = command.spawn().map_err(not_started)?;
        let ended = self.wait(&mut child, &stdout, expected).map_err(failed)?;
        let Ended::By(status) = ended else {
            let seconds = self.time_limit.as_secs();
            return Err(match ended {
                Ended::Late => RunError::Hung { runner, seconds },
                _ => RunError::Rubbish { runner, output: start(&mut stdout, SHOWN).map_err(failed)? },
            });
        };
        if !status.success() {
            let output = start(&mut stderr, SHOWN).map_err(failed)?;
            return Err(RunError::Died { runner, status, output });
        }
        let mut bytes = Vec::with_capacity(expected);
        stdout.seek(SeekFrom::Start(0)).map_err(failed)?;
        stdout.take(expected as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    /// Waits for the end of a process, the time limit, or too much output.
    fn wait(&self, child: &mut Child, stdout: &File, expected: usize) -> io::Result<Ended> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(500);
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Ended::By(status));
            }
            let too_much = stdout.metadata()?.len() > expected as u64;
            if too_much || start.elapsed() > self.time_limit {
                // It may have ended by itself in between; either way it is gone after `wait`.
                let _ = child.kill();
                let _ = child.wait();
                return Ok(if too_much { Ended::TooMuch } else { Ended::Late });
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

/// How a process ended.
enum Ended {
    By(ExitStatus),
    Late,
    TooMuch,
}

/// So much of what a process said is shown.
const SHOWN: u64 = 1000;

/// Files without names for stdin, which holds the input, stdout and stderr.
fn files(input: &[u8]) -> io::Result<(File, File, File)> {
    let mut stdin = tempfile::tempfile()?;
    stdin.write_all(input)?;
    stdin.seek(SeekFrom::Start(0))?;
    Ok((stdin, tempfile::tempfile()?, tempfile::tempfile()?))
}

/// The first bytes of a file as text.
fn start(file: &mut File, bytes: u64) -> io::Result<String> {
    let mut text = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(bytes).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// A kernel that a runner executes.
pub struct Executed {
    executable: Executable,
    runner: Runner,
    pub(crate) outputs: Vec<Extent>,
    pub(crate) inputs: Vec<Extent>,
}

impl Executed {
    pub(crate) fn new(executable: Executable, runner: Runner, outputs: Vec<Extent>, inputs: Vec<Extent>) -> Executed {
        Executed { executable, runner, outputs, inputs }
    }

    /// Runs the kernel.
    ///
    /// # Panics
    ///
    /// If an output or input has another length than its extent at `count`.
    pub fn call(&self, outputs: &mut [&mut [u8]], inputs: &[&[u8]], count: usize) -> Result<(), RunError> {
        check_lengths((&self.outputs, &self.inputs), outputs, inputs, count);
        let mut message = MARK.to_vec();
        message.extend((count as u64).to_le_bytes());
        inputs.iter().for_each(|input| message.extend_from_slice(input));
        let expected = 2 * MARK.len() + outputs.iter().map(|o| o.len()).sum::<usize>();
        let reply = self.runner.run(&self.executable, &message, expected)?;
        let results = reply.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(MARK));
        let Some(mut results) = results.filter(|_| reply.len() == expected) else {
            let output = String::from_utf8_lossy(&reply[..reply.len().min(SHOWN as usize)]).into_owned();
            return Err(RunError::Rubbish { runner: self.runner.name(), output });
        };
        for output in outputs {
            let (own, rest) = results.split_at(output.len());
            output.copy_from_slice(own);
            results = rest;
        }
        Ok(())
    }
}

/// The C of a program that calls the shim `symbol` once, with inputs from stdin and results to stdout.
pub(crate) fn harness(symbol: &str, outputs: &[Extent], inputs: &[Extent]) -> String {
    let mut tables = String::new();
    for (name, extents) in [("outputs", outputs), ("inputs", inputs)] {
        let _ = writeln!(tables, "#define {} {}", name.to_ascii_uppercase(), extents.len());
        // Arrays have at least one element.
        let rows: String = extents.iter().map(|e| format!("{{ {}, {} }}, ", e.fixed, e.per_count)).collect();
        let _ = writeln!(tables, "static const size_t {name}[][2] = {{ {rows}{{ 0, 0 }} }};");
    }
    let mark: Vec<String> = MARK.iter().map(u8::to_string).collect();
    HARNESS.replace("SHIM", symbol).replace("TABLES", &tables).replace("THE_MARK", &mark.join(", "))
}

const HARNESS: &str = r#"#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void SHIM(uint8_t *const *outputs, const uint8_t *const *inputs, size_t count);

TABLES
static const uint8_t mark[8] = { THE_MARK };

static void give_up(const char *what)
{
    fprintf(stderr, "the kernel's program: %s\n", what);
    exit(3);
}

static uint8_t *memory(const size_t extent[2], size_t count, size_t *size)
{
    *size = extent[0] + extent[1] * count;
    uint8_t *bytes = calloc(*size + 1, 1);
    if (bytes == NULL)
        give_up("out of memory");
    return bytes;
}

int main(void)
{
    uint8_t *out[OUTPUTS + 1] = { NULL };
    const uint8_t *in[INPUTS + 1] = { NULL };
    uint8_t head[16];
    size_t count = 0, size;
    if (fread(head, 1, 16, stdin) != 16 || memcmp(head, mark, 8) != 0)
        give_up("its input does not begin as it should");
    for (int i = 7; i >= 0; i--)
        count = count << 8 | head[8 + i];
    for (size_t i = 0; i < INPUTS; i++) {
        uint8_t *bytes = memory(inputs[i], count, &size);
        if (fread(bytes, 1, size, stdin) != size)
            give_up("its input ends early");
        in[i] = bytes;
    }
    for (size_t i = 0; i < OUTPUTS; i++)
        out[i] = memory(outputs[i], count, &size);
    SHIM(out, in, count);
    size_t written = fwrite(mark, 1, 8, stdout);
    for (size_t i = 0; i < OUTPUTS; i++) {
        size = outputs[i][0] + outputs[i][1] * count;
        if (fwrite(out[i], 1, size, stdout) != size)
            give_up("its results cannot be written");
    }
    if (written + fwrite(mark, 1, 8, stdout) != 16 || fflush(stdout) != 0)
        give_up("its results cannot be written");
    return 0;
}
"#;
