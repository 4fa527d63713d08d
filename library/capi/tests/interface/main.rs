//! The C interface as C programs use it: headers, names, published answers, and libsodium beside it.

mod amalgamation;
mod exports;
mod library;
#[path = "../../../culet/tests/package/mod.rs"]
#[allow(dead_code)] // Only its number is needed.
mod package;
mod packages;
mod programs;
mod secrets;
mod sizes;
mod transcript;
mod vectors;
