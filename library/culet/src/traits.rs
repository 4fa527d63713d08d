//! The traits of RustCrypto's crates, for programs that are written against them: the same as the library's own functions.

#[cfg(feature = "aead")]
mod aead;
#[cfg(feature = "digest")]
mod digest;
#[cfg(feature = "signature")]
mod signature;
