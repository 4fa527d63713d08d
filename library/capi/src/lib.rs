//! The C interface of the crate `culet`. `include/culet.h` documents it; `README.md` says how to link.
//!
//! `names/` has the exported functions, a line each; the other files say what they do, once for all names of an operation. Every
//! operation is the crate's: here bytes are copied, pointers and overlaps are looked at, and results become 0 and -1. `pointers.rs` alone
//! follows pointers, but those to memory that `guarded.rs` has made.

#![deny(unsafe_code, missing_docs)]
// Some parts of operations have only names that features add.
#![cfg_attr(not(feature = "compat"), allow(dead_code))]

mod aead;
mod agreement;
#[cfg(feature = "sodium")]
mod base64;
mod bip340;
mod boxes;
mod bytes;
mod curves;
#[cfg(all(feature = "sodium", unix))]
mod guarded;
#[cfg(feature = "sodium")]
mod hex;
mod names;
mod parts;
mod pointers;
mod random;
#[cfg(feature = "sodium")]
mod runtime;
mod secretstream;
mod segments;
mod sign;
mod stream;
