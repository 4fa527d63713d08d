//! The machine we are on: its C compilers, the shared objects they make, and the targets its CPU can run.
//!
//! Everything that compiles generated C and runs it goes through here: the command, tests and benchmarks.

mod compiler;
mod kernel;
mod program;

pub use compiler::{CCompiler, CompileError, SharedObject};
pub use kernel::{Extent, Kernel, LoadError};

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
        Target::Avx512 => {
            is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512dq")
        }
        #[cfg(not(target_arch = "x86_64"))]
        _ => false,
    }
}

/// The widest target that this CPU runs.
pub fn best_target() -> Target {
    Target::ALL.into_iter().filter(|&t| cpu_runs(t)).max_by_key(|t| t.register_bits()).unwrap_or(Target::C64)
}
