//! The meaning of a target's instructions, written once and generic over [`Values`]: machine words ([`Concrete512`])
//! for co-simulation with the CPU, terms for proofs.
//!
//! Each target has a folder. So far there is only x86-64.
#![forbid(unsafe_code)]

mod concrete;
mod galois;
mod rounds;
mod terms;
mod values;
pub mod x86_64;

pub use concrete::{Concrete512, Wide};
pub use rounds::meaning;
pub use values::Values;
