//! From syntax trees to a [`Program`]: names, types, monomorphisation, static expressions, single assignment, totality
//! and order. Everything that can be wrong with a program at its source is found here.

pub mod program;

pub use program::Program;
