//! Through the traits of RustCrypto's crates, operations are what they are by the library's own functions.

mod aead;
mod digest;
mod signature;
