//! Whether terms are equal whatever their inputs are, and what they may be: bit for bit ([`bits`]), as sums modulo 2 of products of
//! bits ([`parities`]), and as integers ([`field`]).
//!
//! What is not decided is said to be open, and never taken for equal.

pub mod bits;
pub mod field;
pub mod parities;
