//! How long tests take that a harness of their own runs.

use std::time::Instant;

use crate::toolchains::report;

/// A test that reports its time as the standard harness does with `--report-time`: `test NAME ... ok <1.234s>` on stderr.
pub fn timed<E>(name: &str, test: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
    let start = Instant::now();
    let outcome = test();
    let word = if outcome.is_ok() { "ok" } else { "FAILED" };
    report(&format!("test {name} ... {word} <{:.3}s>", start.elapsed().as_secs_f64()));
    outcome
}
