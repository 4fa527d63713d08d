//! Whether terms are equal whatever their inputs are, and what they may be: bit for bit ([`bits`]), as sums modulo 2 of products of
//! bits ([`parities`]), and as integers ([`field`]).
//!
//! An undecided question is reported as open, and is never taken for equality.

pub mod bits;
mod effort;
pub mod field;
pub mod parities;
