//! Time that other work on the machine does not lengthen much.

use std::fs;
use std::time::Instant;

/// For how long a thread has run since the watch was started there.
pub struct Stopwatch {
    on_cpu: Option<f64>,
    start: Instant,
}

impl Stopwatch {
    pub fn start() -> Stopwatch {
        Stopwatch { on_cpu: on_cpu(), start: Instant::now() }
    }

    /// Seconds that the thread has had a CPU, or, where the system does not tell, that have gone by.
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
