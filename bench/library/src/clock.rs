//! Ticks of the time-stamp counter for calls of several contenders that alternate.

use std::arch::x86_64::_rdtsc;
use std::hint::black_box;

/// Number of samples of each contender.
const SAMPLES: usize = 301;

/// Ticks that a sample takes at least, so that reading the counter costs nothing beside it.
const TICKS: f64 = 200_000.0;

/// One library's way to do an operation. It returns what the operation gives, for comparison.
pub struct Contender {
    pub library: &'static str,
    pub call: Box<dyn FnMut() -> Vec<u8>>,
}

/// An operation, on messages of a stated length if it has messages. Ours comes first.
pub struct Operation {
    pub name: String,
    pub contenders: Vec<Contender>,
}

/// The median ticks of each library for an operation.
pub struct Measured {
    pub name: String,
    pub ticks: Vec<(&'static str, f64)>,
}

impl Measured {
    /// Ticks of the fastest other library.
    pub fn best_peer(&self) -> Option<(&'static str, f64)> {
        self.ticks.iter().skip(1).copied().min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// Measures all contenders of an operation, a sample of each in turn.
///
/// # Panics
///
/// If two contenders give different results.
pub fn measure(operation: Operation) -> Measured {
    let Operation { name, mut contenders } = operation;
    let results: Vec<Vec<u8>> = contenders.iter_mut().map(|contender| (contender.call)()).collect();
    for (contender, result) in contenders.iter().zip(&results) {
        assert_eq!(result, &results[0], "{name}: {} gives something else", contender.library);
    }
    let calls: Vec<u32> = contenders.iter_mut().map(|contender| calls_in_a_sample(&mut contender.call)).collect();
    let mut samples = vec![Vec::with_capacity(SAMPLES); contenders.len()];
    for _ in 0..SAMPLES {
        for ((contender, &calls), samples) in contenders.iter_mut().zip(&calls).zip(&mut samples) {
            samples.push(ticks(&mut contender.call, calls));
        }
    }
    let median = |samples: &mut Vec<f64>| {
        samples.sort_by(f64::total_cmp);
        samples[SAMPLES / 2]
    };
    let libraries = contenders.iter().map(|contender| contender.library);
    Measured { name, ticks: libraries.zip(samples.iter_mut().map(median)).collect() }
}

fn calls_in_a_sample(call: &mut dyn FnMut() -> Vec<u8>) -> u32 {
    let one = ticks(call, 8);
    (TICKS / one).ceil() as u32
}

/// Ticks of one call, over some calls in a row.
fn ticks(call: &mut dyn FnMut() -> Vec<u8>, calls: u32) -> f64 {
    // SAFETY: reading the counter has no preconditions.
    let before = unsafe { _rdtsc() };
    for _ in 0..calls {
        black_box(call());
    }
    // SAFETY: as above.
    (unsafe { _rdtsc() } - before) as f64 / f64::from(calls)
}
