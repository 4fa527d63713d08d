//! Time in cycles of the time-stamp counter, and the number of core cycles in one of them.
#![allow(unsafe_code)] // The counter of cycles is read.

/// The time-stamp counter, read after all earlier instructions are done.
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: both instructions exist on every x86-64 CPU and touch no memory.
    unsafe {
        core::arch::x86_64::_mm_lfence();
        let ticks = core::arch::x86_64::_rdtsc();
        core::arch::x86_64::_mm_lfence();
        ticks
    }
    #[cfg(not(target_arch = "x86_64"))]
    compile_error!("the benchmarks read the x86 time-stamp counter");
}

/// Number of multiplications in one calibration.
const CHAIN: u64 = 200_000;

/// Latency in core cycles of a 64-bit multiplication, on the CPUs in question.
const LATENCY: u64 = 3;

/// Core cycles for each tick, measured by a chain of dependent multiplications.
pub fn core_cycles_per_tick() -> f64 {
    let mut best = u64::MAX;
    for _ in 0..5 {
        let mut x = std::hint::black_box(3u64);
        let start = ticks();
        for _ in 0..CHAIN / 8 {
            // Eight steps that cannot be combined: the multiplier is opaque.
            let y = std::hint::black_box(5u64);
            for _ in 0..8 {
                x = x.wrapping_mul(y) ^ 1;
            }
        }
        std::hint::black_box(x);
        best = best.min(ticks() - start);
    }
    // Each step is a multiplication and an exclusive or of latency 1.
    (CHAIN * (LATENCY + 1)) as f64 / best as f64
}

/// The median of some numbers; 0 if there are none.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
