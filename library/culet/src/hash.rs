//! Digests of messages of any length: SHA-2 (FIPS 180-4), SHA-3 and SHAKE (FIPS 202), BLAKE2 (RFC 7693), Ascon-Hash256 and Ascon-XOF128 (NIST
//! SP 800-232).
//!
//! ```
//! use culet::hash::{Blake2b, Sha256, Shake128};
//!
//! let digest: [u8; 32] = Sha256::digest(b"abc");
//! // The same message in parts:
//! let mut hash = Sha256::new();
//! hash.update(b"a");
//! hash.update(b"bc");
//! assert_eq!(hash.finalize(), digest);
//!
//! // BLAKE2b has digests of 1 to 64 bytes.
//! let short: [u8; 20] = Blake2b::digest(b"abc");
//!
//! // SHAKE128 has as many bytes as are read.
//! let mut hash = Shake128::new();
//! hash.update(b"abc");
//! let mut output = [0; 1000];
//! hash.finalize_xof().read(&mut output);
//! # assert_ne!(output[..20], short);
//! ```
//!
//! A digest of a secret and a message is no authentication code: use [`mac`](crate::mac).

mod blake2;
mod sha2;
mod sponge;

pub use self::blake2::{Blake2b, Blake2bVar, Blake2s, Blake2sVar};
pub use self::sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_256};
pub use self::sponge::{
    AsconHash256, AsconXof128, AsconXof128Reader, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake128Reader,
    Shake256, Shake256Reader,
};
