//! This machine: its C compilers, their programs, and the targets that its CPU can run; and runners for other targets.
//!
//! The command, tests and benchmarks compile and run generated C only through this crate.

mod build;
mod callable;
mod compiler;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod cpu;
mod executed;
mod kernel;
mod process;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod processor;
mod program;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub mod replay;
mod runner;
mod scratch;
mod size;

pub use build::{CompileError, Executable, SharedObject};
pub use callable::{BuildError, Callable, KernelSource};
pub use compiler::CCompiler;
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
pub use cpu::{Cpu, CpuRun, CpuState, MEMORY_BYTES};
pub use executed::{CallError, Executed};
pub use kernel::{Extent, Kernel, LoadError};
pub use runner::{Job, RunError, Runner};
pub use scratch::{Scratch, clean_up_on_signals};
pub use size::Size;

use culet_ir::Target;

/// Whether this CPU has the instructions of a target.
pub fn cpu_runs(target: Target) -> bool {
    match target {
        Target::C32 | Target::C64 => true,
        #[cfg(target_arch = "x86_64")]
        Target::Sse => is_x86_feature_detected!("ssse3") && is_x86_feature_detected!("sse4.1"),
        #[cfg(target_arch = "x86_64")]
        Target::Avx2 => is_x86_feature_detected!("avx2"),
        #[cfg(target_arch = "x86_64")]
        Target::SseSha => cpu_runs(Target::Sse) && is_x86_feature_detected!("sha"),
        #[cfg(target_arch = "x86_64")]
        Target::Avx512 => {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
        }
        #[cfg(target_arch = "x86_64")]
        Target::Avx512Ifma => cpu_runs(Target::Avx512) && is_x86_feature_detected!("avx512ifma"),
        #[cfg(target_arch = "x86_64")]
        Target::Avx512Vaes => {
            cpu_runs(Target::Avx512Ifma)
                && is_x86_feature_detected!("vaes")
                && is_x86_feature_detected!("vpclmulqdq")
                && is_x86_feature_detected!("gfni")
        }
        // Every CPU of these architectures has the instructions.
        _ => target.architecture() == Some(architecture_here()) && !cfg!(target_arch = "x86_64"),
    }
}

/// This machine's architecture, as the first part of a target triple.
pub fn architecture_here() -> &'static str {
    match std::env::consts::ARCH {
        "powerpc64" if cfg!(target_endian = "little") => "powerpc64le",
        "aarch64" if cfg!(target_endian = "big") => "aarch64_be",
        architecture => architecture,
    }
}

/// The widest target that this CPU runs.
pub fn best_target() -> Target {
    widest(Target::ALL.into_iter().filter(|&t| cpu_runs(t))).unwrap_or(Target::C64)
}

/// The target with the widest registers. Of two with the same instructions for slices, it is the one that runs on more
/// CPUs.
pub(crate) fn widest(targets: impl IntoIterator<Item = Target>) -> Option<Target> {
    targets.into_iter().max_by_key(|target| (target.register_bits(), Target::for_slices().any(|one| one == *target)))
}
