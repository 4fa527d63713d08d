//! Which kernels this CPU may run. Each function asks once, and the answer is kept in an atomic.
//!
//! With `--cfg culet_portable`, no feature is there; with `--cfg culet_narrow`, those of registers of 512 bits are not. Tests of this crate take
//! CPUs for smaller ones, see `paths.rs`.
#![forbid(unsafe_code)]

#[cfg(test)]
use super::paths::are_seen;

/// Whether features count if the CPU has them: only tests hide some.
#[cfg(not(test))]
fn are_seen(_features: &[&str]) -> bool {
    true
}

/// Functions that say whether the CPU has all features that kernels need.
macro_rules! kernels {
    ($($(#[$about:meta])* $has:ident, $detected:ident: [$($feature:tt),+], left out: $left_out:meta;)+) => {
        $(
            cpufeatures::new!($detected, $($feature),+);

            $(#[$about])*
            pub fn $has() -> bool {
                cfg!(not($left_out)) && are_seen(&[$($feature),+]) && $detected::get()
            }
        )+
    };
}

#[cfg(target_arch = "x86_64")]
kernels! {
    has_sse, sse: ["sse4.1"], left out: culet_portable;
    has_avx2, avx2: ["avx2"], left out: culet_portable;
    has_aes, aes: ["avx2", "aes"], left out: culet_portable;
    has_clmul, clmul: ["avx2", "pclmulqdq"], left out: culet_portable;
    has_sha, sha: ["sse4.1", "sha"], left out: culet_portable;
    has_ifma, ifma: ["avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512ifma"], left out: any(culet_portable, culet_narrow);
    /// Kernels for `aes` and `clmul` make keys for those for `vaes`.
    has_vaes, vaes: [
        "avx2",
        "avx512f",
        "avx512bw",
        "avx512vl",
        "avx512dq",
        "aes",
        "pclmulqdq",
        "vaes",
        "vpclmulqdq"
    ], left out: any(culet_portable, culet_narrow);
}

/// Whether kernels with SHA's instructions copy their arrays without AVX, for which an instruction of SHA waits a hundred cycles. Where
/// the whole crate is compiled for CPUs with AVX (`-C target-cpu=native`), LLVM copies with it.
#[cfg(target_arch = "x86_64")]
pub fn has_sha_without_avx() -> bool {
    cfg!(not(target_feature = "avx")) && has_sha()
}

// Every CPU that this was compiled for has Advanced SIMD, which the kernels for AES and SHA-2 have, too.
#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
kernels! {
    /// Products without carries come with it.
    has_aes, aes: ["aes"], left out: culet_portable;
    has_sha, sha2: ["sha2"], left out: culet_portable;
}

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub fn has_neon() -> bool {
    cfg!(not(culet_portable)) && are_seen(&["neon"])
}

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub use self::has_aes as has_clmul;
