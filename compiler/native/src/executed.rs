//! Kernels that run in a separate process for each call, as kernels for other machines do.
//!
//! The kernel is linked with a `main` that reads one call's inputs from stdin and writes its results to stdout, between
//! two marks.

use std::fmt;
use std::fmt::Write as _;
use std::time::Duration;

use crate::build::Executable;
use crate::kernel::{Extent, check_lengths};
use crate::runner::{Job, RunError, Runner};

/// The mark that the harness writes before and after the results, and expects before the inputs.
const MARK: &[u8; 8] = b"culet\r\n\0";

/// Time limit for a call, after which it is stopped.
const TIME_LIMIT: Duration = Duration::from_secs(120);

/// The reason why a call has no results.
#[derive(Debug)]
pub struct CallError {
    /// The runner's command.
    pub runner: String,
    pub error: RunError,
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the runner `{}` did not run the kernel: {}", self.runner, self.error)
    }
}

impl std::error::Error for CallError {}

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
    /// If an output or input has another length than its extent for `count`.
    pub fn call(&self, outputs: &mut [&mut [u8]], inputs: &[&[u8]], count: usize) -> Result<(), CallError> {
        check_lengths((&self.outputs, &self.inputs), outputs, inputs, count);
        let mut message = MARK.to_vec();
        message.extend((count as u64).to_le_bytes());
        inputs.iter().for_each(|input| message.extend_from_slice(input));
        let expected = 2 * MARK.len() + outputs.iter().map(|o| o.len()).sum::<usize>();
        let program = &self.executable.path;
        let (time_limit, output_limit) = (TIME_LIMIT, expected as u64);
        let job = Job { program, arguments: &[], input: &message, time_limit, output_limit };
        let failed = |error| CallError { runner: self.runner.name(), error };
        let reply = job.run(Some(&self.runner)).map_err(failed)?;
        let results = reply.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(MARK));
        let Some(mut results) = results.filter(|_| reply.len() == expected) else {
            return Err(failed(RunError::rubbish(&reply)));
        };
        for output in outputs {
            let (own, rest) = results.split_at(output.len());
            output.copy_from_slice(own);
            results = rest;
        }
        Ok(())
    }
}

/// The C text of a program that calls the shim `symbol` once, with inputs from stdin and results to stdout.
pub(crate) fn harness(symbol: &str, outputs: &[Extent], inputs: &[Extent]) -> String {
    let mut tables = String::new();
    for (name, extents) in [("outputs", outputs), ("inputs", inputs)] {
        let _ = writeln!(tables, "#define {} {}", name.to_ascii_uppercase(), extents.len());
        // An additional row, since arrays have at least one element.
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
