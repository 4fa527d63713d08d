//! Cryptography that is written once, as programs that read like their standards, and compiled by culet to constant-time Rust.
//!
//! | I want to … | call |
//! |---|---|
//! | encrypt a message, so that nobody reads or changes it | [`aead::XChaCha20Poly1305::seal_in_place`] and `open_in_place` |
//! | the same as TLS, SSH and WireGuard do, with nonces that count | [`aead::ChaCha20Poly1305`], [`aead::Aes128Gcm`], [`aead::Aes256Gcm`], [`aead::NonceCounter`] |
//! | the same on a small machine | [`aead::AsconAead128`] |
//! | encrypt a file, segment by segment | [`aead::stream::Sealer`] and [`Opener`](aead::stream::Opener) |
//! | encrypt messages in order, as libsodium's secretstream does | [`aead::secretstream::Sealer`] and [`Opener`](aead::secretstream::Opener) |
//! | encrypt a message for the owner of a public key | [`sealed::seal_in_place`] and [`open_in_place`](sealed::open_in_place) |
//! | agree on a secret with somebody | [`x25519::SecretKey::diffie_hellman`] |
//! | derive keys from an agreed secret | [`kdf::HkdfSha256::expand`] |
//! | many keys from one key | [`kdf::MasterKey::derive`] |
//! | a digest of a message | [`hash::Sha256::digest`], or [`new`](hash::Sha256::new), `update`, `finalize`; [`hash`] has more |
//! | as many bytes of digest as I like | [`hash::Shake256`] |
//! | sign a message, for everybody to verify | [`ed25519::SigningKey::sign`], [`ed25519::VerifyingKey::verify`] |
//! | verify as all others do, one or many signatures | [`ed25519::verify_zip215`], [`ed25519::verify_batch_zip215`] |
//! | many signatures or agreements at once, several times as fast with AVX-512 and IFMA | [`ed25519::sign_batch`], [`ed25519::verify_batch`], [`x25519::diffie_hellman_batch`] |
//! | agree on a secret, or sign, with P-256, as TLS and many standards do | [`p256::SecretKey::diffie_hellman`], [`p256::SigningKey::sign`] |
//! | the same with P-384, with P-521, or with secp256k1, as chains of blocks do | `p384`, `p521` and `secp256k1`, with the features of these names |
//! | the same with P-224, where what is there already asks for it | `p224`, with the feature of this name |
//! | sign as BIP 340 says (Schnorr, Taproot) | `secp256k1::bip340`, with the feature `secp256k1` |
//! | authenticate a message, among those who share a key | [`mac::HmacSha256::authenticate`] and [`verify`](mac::HmacSha256::verify), [`mac::Blake2bMac`] |
//! | boxes of NaCl and libsodium | [`nacl`], [`secretbox::SecretBox`] |
//! | compare two secrets | [`verify::equal_32`] |
//! | a bare stream cipher | [`stream::XChaCha20`] |
//! | any of these through RustCrypto's traits | `AeadInOut` (with `alloc` also `Aead`), `Digest` and `ExtendableOutput`, `Signer` and `Verifier`, with the features `aead`, `digest`, `signature` |
//!
//! ```
//! use culet::{aead, ed25519, kdf, x25519};
//!
//! # fn main() -> Result<(), culet::Error> {
//! // 32 random bytes each; `SecretKey::generate()` with the feature `getrandom`.
//! let alice = x25519::SecretKey::from_bytes([1; 32]);
//! let bob = x25519::SecretKey::from_bytes([2; 32]);
//!
//! // Alice knows Bob's public key. A secret that both share becomes a key.
//! let shared = alice.diffie_hellman(&bob.public_key())?;
//! let mut key = [0; 32];
//! kdf::HkdfSha256::new(b"", shared.as_bytes()).expand(b"example: from Alice to Bob", &mut key)?;
//!
//! let cipher = aead::ChaCha20Poly1305::new(&aead::ChaCha20Poly1305Key::from_bytes(key));
//! let mut nonces = aead::NonceCounter::new([0; 4]);
//! let (nonce, mut message) = (nonces.next_nonce()?, *b"Meet me at the quarry.");
//! let tag = cipher.seal_in_place(&nonce, b"", &mut message)?;
//! # cipher.open_in_place(&nonce, b"", &mut message, &tag)?;
//! # assert_eq!(&message, b"Meet me at the quarry.");
//!
//! // Alice signs what everybody may read.
//! let alice = ed25519::SigningKey::from_bytes([3; 32]);
//! let signature = alice.sign(b"I was at the quarry.");
//! alice.verifying_key().verify(b"I was at the quarry.", &signature)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Of all modules
//!
//! - Nothing allocates, and nothing needs the standard library. The features `alloc` (functions that return vectors), `std`
//!   (`std::io::Write`), `getrandom` (`generate`), `p224`, `p384`, `p521` and `secp256k1` (these curves, which take long to compile), and
//!   `aead`, `digest`, `signature` (the traits of RustCrypto's crates of these names, versions 0.6, 0.11 and 2) add to that.
//! - Every function returns for every input, with an [`Error`] where there is no result. The function says when, and the error gives a
//!   [`Reason`] that is no secret. No panic can be reached in the release
//!   build of what needs no allocation: that is tested on what the linker keeps.
//! - Keys, nonces, tags and signatures come from arrays by `from_bytes`, and from slices by `try_from`. Where every array of the right length is
//!   good, `try_from` has a [`LengthError`], which `?` turns into an [`Error`]. Where the bytes are looked at, as those of public keys of Ed25519 and of
//!   all keys of `p224` to `p521`, `secp256k1` and `bip340`, it has an [`Error`], whose reason is [`Reason::Length`] for another length.
//! - Each kind of key, nonce and tag has a type of its own. Secrets become zeros when they are dropped; no `Debug` shows them, and `==`
//!   does not compare them.
//! - No branch and no address depends on secrets, but on whether a tag, a key, a number used once or a signature is good and whether an
//!   agreed secret is zero. That is tested on the release build for x86-64, and not proved. On x86-64, kernels for AVX2, AES, PCLMULQDQ and
//!   AVX-512 with IFMA are taken where the CPU has them, and on AArch64 those for PMULL.
//! - What functions leave on the stack and in registers is not erased.

//!
//! # What does not compile
//!
//! A key of one cipher in place of another's:
//!
//! ```compile_fail,E0308
//! let key = culet::aead::XChaCha20Poly1305Key::from_bytes([1; 32]);
//! culet::aead::ChaCha20Poly1305::new(&key);
//! ```
//!
//! An agreed secret as a key:
//!
//! ```compile_fail,E0308
//! let secret = culet::x25519::SecretKey::from_bytes([1; 32]);
//! let shared = secret.diffie_hellman(&culet::x25519::PublicKey::from_bytes([9; 32])).unwrap();
//! culet::aead::ChaCha20Poly1305::new(&shared);
//! ```
//!
//! Comparing tags, or secrets, in time that depends on them:
//!
//! ```compile_fail,E0369
//! use culet::mac::HmacSha256;
//! let is_equal = HmacSha256::authenticate(b"key", b"message") == HmacSha256::authenticate(b"key", b"other");
//! ```
//!
//! ```compile_fail,E0369
//! use culet::x25519::SecretKey;
//! let is_equal = SecretKey::from_bytes([1; 32]) == SecretKey::from_bytes([2; 32]);
//! ```
//!
//! Two messages under one key of Poly1305:
//!
//! ```compile_fail,E0382
//! use culet::mac::{Poly1305, Poly1305Key};
//! let key = Poly1305Key::from_bytes([1; 32]);
//! let (first, second) = (Poly1305::new(key), Poly1305::new(key));
//! ```
//!
//! ```compile_fail,E0599
//! let key = culet::mac::Poly1305Key::from_bytes([1; 32]);
//! let second = key.clone();
//! ```
//!
//! Two messages under one part of a key stream, by a copy of the cipher:
//!
//! ```compile_fail,E0599
//! use culet::stream::{XChaCha20, XChaCha20Key, XChaCha20Nonce};
//! let cipher = XChaCha20::new(&XChaCha20Key::from_bytes([1; 32]), &XChaCha20Nonce::from_bytes([2; 24]));
//! let second = cipher.clone();
//! ```
//!
//! Two sealed boxes with one key pair, and a segment after the last one:
//!
//! ```compile_fail,E0382
//! use culet::{sealed, x25519::SecretKey};
//! let (recipient, ephemeral) = (SecretKey::from_bytes([1; 32]).public_key(), SecretKey::from_bytes([2; 32]));
//! let first = sealed::seal_in_place(&mut [0; 5], &recipient, ephemeral);
//! let second = sealed::seal_in_place(&mut [1; 5], &recipient, ephemeral);
//! ```
//!
//! ```compile_fail,E0382
//! use culet::aead::{XChaCha20Poly1305Key, stream::{Nonce, Sealer}};
//! let mut sealer = Sealer::new(&XChaCha20Poly1305Key::from_bytes([1; 32]), &Nonce::from_bytes([2; 19]));
//! let last = sealer.seal_last_in_place(b"", &mut [0; 5]);
//! let more = sealer.seal_in_place(b"", &mut [0; 5]);
//! ```
//!
//! A digest that BLAKE2 does not have:
//!
//! ```compile_fail,E0080
//! let digest: [u8; 65] = culet::hash::Blake2b::digest(b"message");
//! ```
//!
//! A signature with somebody else's public key, which would give the secret away, is not there to be written: a
//! [`SigningKey`](ed25519::SigningKey) has its own.

#![cfg_attr(not(test), no_std)]
#![deny(unsafe_code, missing_docs)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Clippy's pass over casts follows locals to what they are made of, in time exponential in the kernels' length. It is skipped if all of its
// lints are allowed here; in `mod kernels` that does not help.
#![allow(
    clippy::cast_abs_to_unsigned,
    clippy::cast_enum_constructor,
    clippy::cast_enum_truncation,
    clippy::cast_nan_to_int,
    clippy::cast_slice_different_sizes,
    clippy::cast_slice_from_raw_parts,
    clippy::char_lit_as_u8,
    clippy::confusing_method_to_numeric_cast,
    clippy::fn_to_numeric_cast,
    clippy::fn_to_numeric_cast_with_truncation,
    clippy::manual_dangling_ptr,
    clippy::unnecessary_cast,
    clippy::zero_ptr
)]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(feature = "std")]
extern crate std;

// Tests of operations call the crate that hides features of the CPU, see `low/paths.rs`.
#[cfg(test)]
extern crate self as culet;

pub mod aead;
mod bytes;
mod curve;
mod der;
pub mod ed25519;
mod error;
pub mod hash;
pub mod kdf;
#[rustfmt::skip]
#[allow(clippy::all, dead_code, missing_docs, unused_parens)]
mod kernels;
mod low;
pub mod mac;
#[cfg(feature = "p224")]
#[cfg_attr(docsrs, doc(cfg(feature = "p224")))]
pub mod p224;
pub mod p256;
#[cfg(feature = "p384")]
#[cfg_attr(docsrs, doc(cfg(feature = "p384")))]
pub mod p384;
#[cfg(feature = "p521")]
#[cfg_attr(docsrs, doc(cfg(feature = "p521")))]
pub mod p521;
pub mod sealed;
#[cfg(feature = "secp256k1")]
#[cfg_attr(docsrs, doc(cfg(feature = "secp256k1")))]
pub mod secp256k1;
pub mod secretbox;
pub mod stream;
mod traits;
pub mod verify;
pub mod x25519;

// Behind the modules whose types it names again: messages of rustc name a type by the first module that has it.
pub mod nacl;

pub use error::{Error, LengthError, Reason};

/// The examples of the page for those who come from another library, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/migration.md")]
struct Migration;
