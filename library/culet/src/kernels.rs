//! Code that culet generated from the programs in `primitives/`, as `library/kernels.toml` says; nothing in its directories is
//! written by hand.

/// Plain words of 64 bits, and programs whose text is the same for all words.
pub mod c64;

/// Plain words of 32 bits, for machines that have no others.
#[cfg(not(target_pointer_width = "64"))]
pub mod c32;

#[cfg(target_arch = "x86_64")]
pub mod sse;

#[cfg(target_arch = "x86_64")]
pub mod avx2;

#[cfg(target_arch = "x86_64")]
pub mod ssesha;

#[cfg(target_arch = "x86_64")]
pub mod avx512ifma;

#[cfg(target_arch = "x86_64")]
pub mod avx512vaes;

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
pub mod neon;
