//! What the instructions of a target mean, written once and generic over [`Values`]: machine words ([`Concrete512`]) for
//! co-simulation with the CPU, terms for proofs.
//!
//! A folder holds a target. There is x86-64 now.
#![forbid(unsafe_code)]

mod concrete;
mod terms;
mod values;
pub mod x86_64;

pub use concrete::{Concrete512, Wide};
pub use values::Values;
