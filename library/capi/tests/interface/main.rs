//! The C interface as C programs use it: headers, names, published answers, and libsodium beside it.

mod amalgamation;
mod exports;
mod library;
mod packages;
mod programs;
mod secrets;
mod sizes;
mod transcript;
mod vectors;
