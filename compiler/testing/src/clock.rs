//! Time measurement that other work on the machine hardly affects.

use std::fs;
use std::time::Instant;

/// Measures the time for which a thread has run since the watch was started in it.
pub struct Stopwatch {
    on_cpu: Option<f64>,
    start: Instant,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch { on_cpu: on_cpu(), start: Instant::now() }
    }

    /// The seconds for which the thread has had a CPU, or, if the system does not tell, the elapsed seconds.
    pub fn seconds(&self) -> f64 {
        match (self.on_cpu, on_cpu()) {
            (Some(before), Some(now)) => now - before,
            _ => self.start.elapsed().as_secs_f64(),
        }
    }
}

fn on_cpu() -> Option<f64> {
    let statistics = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(statistics.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}
