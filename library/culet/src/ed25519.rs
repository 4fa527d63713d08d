//! Ed25519: signatures that everybody can verify (RFC 8032, section 5.1).
//!
//! ```
//! use culet::ed25519::{Signature, SigningKey, VerifyingKey};
//!
//! # fn main() -> Result<(), culet::Error> {
//! // 32 bytes from a random number generator; `SigningKey::generate()` with the feature `getrandom`.
//! let key = SigningKey::from_bytes([1; 32]);
//! let signature = key.sign(b"a message");
//!
//! // Whoever has the public key:
//! let public = VerifyingKey::from_bytes(key.verifying_key().to_bytes())?;
//! public.verify(b"a message", &signature)?;
//! assert!(public.verify(b"another message", &signature).is_err());
//! # Ok(())
//! # }
//! ```
//!
//! Who must accept exactly the signatures that everybody else accepts, as the nodes of a chain of blocks must, takes the rules of ZIP 215, by
//! [`verify_zip215`], and [`verify_batch_zip215`] for many signatures. With AVX-512 and IFMA, many signatures take less than half of the time together:
//! [`sign_batch`], [`verify_batch`].

use core::fmt;

use zeroize::ZeroizeOnDrop;

use crate::bytes::{copy, from_slice};
use crate::error::{Error, accept, require};
use crate::hash::Sha512;
use crate::{low, x25519};

mod batch;

pub use self::batch::{Signed, sign_batch, verify_batch, verify_batch_zip215};

/// A key that signs, made of a seed of 32 bytes (RFC 8032, section 5.1.5), and the public key that belongs to it: no signature is made with another one, which would give the secret away.
#[derive(Clone)]
pub struct SigningKey {
    seed: [u8; 32],
    /// The secret scalar.
    scalar: [u8; 32],
    /// What is hashed before messages.
    prefix: [u8; 32],
    public: VerifyingKey,
}

/// A public key, 32 bytes: a point of the curve (RFC 8032, section 5.1.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VerifyingKey([u8; 32]);

/// A signature, 64 bytes: R and S of RFC 8032, section 5.1.6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature {
    point: [u8; 32],
    scalar: [u8; 32],
}

impl SigningKey {
    /// The number of a seed's bytes.
    pub const LENGTH: usize = 32;

    /// The key of a seed, which is 32 random bytes: RFC 8032, section 5.1.5.
    #[must_use]
    pub fn from_bytes(mut seed: [u8; 32]) -> Self {
        let mut hash = Sha512::digest(&seed);
        let (mut scalar, mut prefix, mut public) = ([0; 32], [0; 32], [0; 32]);
        low::ed25519_expand(&mut scalar, &mut prefix, &hash);
        low::ed25519_base(&mut public, &scalar);
        let key = Self { seed, scalar, prefix, public: VerifyingKey(public) };
        zeroize::zeroize_bytes(&mut seed);
        zeroize::zeroize_bytes(&mut hash);
        zeroize::zeroize_bytes(&mut scalar);
        zeroize::zeroize_bytes(&mut prefix);
        key
    }

    /// A new key, of 32 bytes of the operating system's randomness: RFC 8032, section 5.1.5.
    ///
    /// # Errors
    ///
    /// The operating system has no randomness: [`Reason::Randomness`](crate::Reason::Randomness). It is there with the feature `getrandom`.
    #[cfg(feature = "getrandom")]
    #[cfg_attr(docsrs, doc(cfg(feature = "getrandom")))]
    pub fn generate() -> Result<Self, Error> {
        let mut seed = crate::bytes::Erased([0; 32]);
        crate::bytes::fill_randomly(&mut *seed)?;
        Ok(Self::from_bytes(*seed))
    }

    /// The seed, 32 bytes, for storing it where it stays secret.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.seed
    }

    /// The public key, 32 bytes, that verifies signatures of this one: RFC 8032, section 5.1.5.
    #[must_use]
    pub const fn verifying_key(&self) -> VerifyingKey {
        self.public
    }

    /// The secret key of X25519 that belongs to this key, with the public key that [`VerifyingKey::to_x25519`] makes: libsodium's
    /// `crypto_sign_ed25519_sk_to_curve25519`. Two keys are better than one for two purposes, where a protocol leaves the choice.
    #[must_use]
    pub fn to_x25519(&self) -> x25519::SecretKey {
        x25519::SecretKey::from_bytes(self.scalar)
    }

    /// Signs a message: RFC 8032, section 5.1.6. A key signs a message always in the same way.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature {
        let mut nonce = reduced(&[&self.prefix, message]);
        let mut signature = Signature { point: [0; 32], scalar: [0; 32] };
        let mut point = [0; 32];
        low::ed25519_base(&mut point, &nonce);
        self.finish(&mut signature, &point, &nonce, message);
        zeroize::zeroize_bytes(&mut nonce);
        signature
    }

    /// Makes the signature with a number r used once and R = r·B: RFC 8032, section 5.1.6, from step 4 on.
    fn finish(&self, signature: &mut Signature, point: &[u8; 32], nonce: &[u8; 32], message: &[u8]) {
        signature.point = *point;
        let challenge = reduced(&[point, &self.public.0, message]);
        low::ed25519_sign(&mut signature.scalar, nonce, &challenge, &self.scalar);
    }
}

impl VerifyingKey {
    /// The number of its bytes.
    pub const LENGTH: usize = 32;

    /// Reads a public key of 32 bytes: RFC 8032, section 5.1.3.
    /// A point of small order is taken here; `verify` refuses it.
    ///
    /// # Errors
    ///
    /// The bytes are no point in its canonical form (RFC 8032, section 5.1.3): [`Reason::Encoding`](crate::Reason::Encoding).
    pub fn from_bytes(bytes: [u8; 32]) -> Result<Self, Error> {
        require(low::ed25519_is_point(&bytes), Error::ENCODING)?;
        Ok(Self(bytes))
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 32 bytes.
    #[must_use]
    pub const fn to_bytes(self) -> [u8; 32] {
        self.0
    }

    /// The public key of X25519 that belongs to this key: RFC 7748, section 4.1; libsodium's `crypto_sign_ed25519_pk_to_curve25519`.
    ///
    /// # Errors
    ///
    /// The order of the point is not that of the base point: [`Reason::Key`](crate::Reason::Key). Keys that are made as the standard says have that order.
    pub fn to_x25519(&self) -> Result<x25519::PublicKey, Error> {
        let mut public = x25519::PublicKey([0; 32]);
        require(low::ed25519_to_x25519(&mut public.0, &self.0), Error::KEY)?;
        Ok(public)
    }

    /// Verifies a signature by RFC 8032, section 5.1.7, strictly: R is a point in its canonical form, S is below the order of the base
    /// point, and S·B = R + k·A, without a factor of 8.
    ///
    /// Beyond the standard, neither A nor R may be a point of small order: whoever made such a key could make one signature that is good
    /// for many messages. Keys and signatures that are made as the standard says have no such points.
    ///
    /// # Errors
    ///
    /// The message or its signature is not what the owner of the key has sent: [`Reason::Rejected`](crate::Reason::Rejected).
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), Error> {
        verify_strictly(&self.0, message, signature)
    }
}

/// Verifies as [`VerifyingKey::verify`] does. A key that is no point in its canonical form is refused.
fn verify_strictly(key: &[u8; 32], message: &[u8], signature: &Signature) -> Result<(), Error> {
    accept(!has_small_order(key) && !has_small_order(&signature.point))?;
    let challenge = reduced(&[&signature.point, key, message]);
    accept(low::ed25519_verify(key, &signature.point, &signature.scalar, &challenge))
}

/// Verifies a signature by the rules of ZIP 215, which accept all that a standard's verifier may accept: A and R are points, in canonical form or
/// not and of any order, S is below the order of the base point, and 8·S·B = 8·R + 8·k·A.
///
/// Everybody who verifies so agrees on every signature, also together by [`verify_batch_zip215`]. **Whoever made a key of small order can make
/// signatures that are good for many messages**, which [`VerifyingKey::verify`] refuses.
///
/// # Errors
///
/// The message or its signature is not what the owner of the key has sent: [`Reason::Rejected`](crate::Reason::Rejected).
pub fn verify_zip215(key: &[u8; 32], message: &[u8], signature: &Signature) -> Result<(), Error> {
    let challenge = reduced(&[&signature.point, key, message]);
    accept(low::ed25519_verify_zip215(key, &signature.point, &signature.scalar, &challenge))
}

impl Signature {
    /// The number of its bytes.
    pub const LENGTH: usize = 64;

    /// Takes the 64 bytes as they are; [`VerifyingKey::verify`] says whether they are good.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 64]) -> Self {
        let mut signature = Self { point: [0; 32], scalar: [0; 32] };
        let (point, scalar) = bytes.split_at(32);
        copy(&mut signature.point, point);
        copy(&mut signature.scalar, scalar);
        signature
    }

    /// The 64 bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 64] {
        let mut bytes = [0; 64];
        let (point, scalar) = bytes.split_at_mut(32);
        copy(point, &self.point);
        copy(scalar, &self.scalar);
        bytes
    }
}

/// The y-coordinates of the points of order 1, 2, 4 and 8, which are public; two of them have order 8. They are where
/// y·(y² − 1)·(d·y⁴ + 2·y² − 1) = 0, as doubling a point once, twice or three times gives (0, 1): RFC 8032, section 5.1.4.
const SMALL_ORDER: [[u8; 32]; 5] = [
    [
        0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    ],
    [
        0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
    ],
    [0; 32],
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
        0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
        0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
    ],
];

/// Whether a public point in its canonical form has an order that divides 8. The highest bit is the sign of x.
fn has_small_order(point: &[u8; 32]) -> bool {
    let mut y = *point;
    y[31] &= 0x7f;
    SMALL_ORDER.contains(&y)
}

/// The hash of all parts modulo the order of the base point.
fn reduced(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha512::new();
    for part in parts {
        hash.update(part);
    }
    let (mut digest, mut scalar) = (hash.finalize(), [0; 32]);
    low::ed25519_reduce(&mut scalar, &digest);
    zeroize::zeroize_bytes(&mut digest);
    scalar
}

from_slice!(SigningKey);
from_slice!(Signature);

impl TryFrom<&[u8]> for VerifyingKey {
    type Error = Error;

    /// As [`from_bytes`](Self::from_bytes); another number of bytes is an error, too: [`Reason::Length`](crate::Reason::Length).
    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        bytes.try_into().map_err(|_| Error::LENGTH).and_then(Self::from_bytes)
    }
}

impl Drop for SigningKey {
    fn drop(&mut self) {
        zeroize::zeroize_bytes(&mut self.seed);
        zeroize::zeroize_bytes(&mut self.scalar);
        zeroize::zeroize_bytes(&mut self.prefix);
    }
}

impl ZeroizeOnDrop for SigningKey {}

/// Shows the public key only.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("public", &self.public).finish_non_exhaustive()
    }
}
