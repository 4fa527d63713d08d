//! Proofs that machine code is equal to its source: the bytes of a function are executed symbolically, and their
//! results are compared with the meaning of the source.
//!
//! Everything that optimises is untrusted: this crate looks at the bytes, at the meaning of the program, and at
//! circuits of tables, which it checks on every input.

mod arguments;
mod attempt;
mod call;
pub mod contract;
pub mod decoded;
mod effort;
pub mod elements;
mod erasure;
pub mod execute;
pub mod hints;
pub mod limbs;
mod loops;
pub mod memory;
pub mod registers;
pub mod rejection;
pub mod run;
pub mod safe;
mod samples;
pub mod single;
pub mod source;
pub mod symbolic;
pub mod theorem;
pub mod unknown;
pub mod violation;
pub mod wires;
