//! Schnorr signatures with secp256k1 and public keys that are an x-coordinate: BIP 340.
//!
//! ```
//! use culet::secp256k1::bip340::{SigningKey, VerifyingKey};
//!
//! # fn main() -> Result<(), culet::Error> {
//! // 32 bytes from a random number generator; `SigningKey::generate()` with the feature `getrandom`.
//! let key = SigningKey::from_bytes([1; 32])?;
//! // 32 fresh random bytes for each signature.
//! let signature = key.sign(b"a message", &[2; 32]);
//!
//! // Whoever has the public key:
//! let public = VerifyingKey::from_bytes(key.verifying_key().to_bytes())?;
//! public.verify(b"a message", &signature)?;
//! assert!(public.verify(b"another message", &signature).is_err());
//! # Ok(())
//! # }
//! ```

use core::fmt;

use zeroize::ZeroizeOnDrop;

use crate::bytes::{copy, copy_if, from_slice};
use crate::error::{Error, accept, both, require};
use crate::hash::Sha256;
use crate::low::bip340 as low;

/// A key that signs, 32 bytes, and the public key that belongs to it (BIP 340, "Public Key Generation"): no signature is made with another one, which would give the secret away.
#[derive(Clone)]
pub struct SigningKey {
    bytes: [u8; 32],
    /// The bytes as a number, or the order minus it: the one whose public key has an even y.
    number: [u8; 32],
    public: VerifyingKey,
}

/// A public key, 32 bytes: the x-coordinate of a point (BIP 340, "Public Key Generation"), most significant byte first. Of its two points, the one with an even y is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VerifyingKey([u8; 32]);

/// A signature, 64 bytes: the x-coordinate of a point, and a number (BIP 340, "Default Signing").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature {
    point: [u8; 32],
    number: [u8; 32],
}

impl SigningKey {
    /// The number of its bytes.
    pub const LENGTH: usize = 32;

    /// The key of 32 random bytes, most significant byte first: BIP 340, "Public Key Generation".
    ///
    /// # Errors
    ///
    /// The number is 0, or not below the order of the base point: [`Reason::Key`](crate::Reason::Key). One of 2^127 random strings is such a number: take another one then.
    pub fn from_bytes(bytes: [u8; 32]) -> Result<Self, Error> {
        let (key, is_key) = Self::judged(bytes);
        require(is_key, Error::KEY)?;
        Ok(key)
    }

    /// A new key, of 32 bytes of the operating system's randomness: BIP 340, "Public Key Generation".
    ///
    /// # Errors
    ///
    /// The operating system has no randomness: [`Reason::Randomness`](crate::Reason::Randomness). It is there with the feature `getrandom`.
    #[cfg(feature = "getrandom")]
    #[cfg_attr(docsrs, doc(cfg(feature = "getrandom")))]
    pub fn generate() -> Result<Self, Error> {
        loop {
            let mut bytes = crate::bytes::Erased([0; 32]);
            crate::bytes::fill_randomly(&mut *bytes)?;
            if let Ok(key) = Self::from_bytes(*bytes) {
                return Ok(key);
            }
        }
    }

    /// The 32 bytes, for storing them where they stay secret.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.bytes
    }

    /// The public key, 32 bytes, that verifies signatures of this one: BIP 340, "Public Key Generation".
    #[must_use]
    pub const fn verifying_key(&self) -> VerifyingKey {
        self.public
    }

    /// Signs a message of any length: BIP 340, "Default Signing". `entropy` should be fresh random bytes, which make it harder to learn the key from
    /// faults, or from the power that signatures take; without randomness, 32 zeros do, and a key signs a message always in the same way.
    /// The signature is not verified before it is returned, as BIP 340 recommends against faults; [`VerifyingKey::verify`] does that. It is zeros,
    /// which no key verifies, if the number used once is 0, as it is for one hash of 2^255.
    #[must_use]
    pub fn sign(&self, message: &[u8], entropy: &[u8; 32]) -> Signature {
        self.signature(message, entropy).0
    }

    /// Signs one message as the key of 32 bytes, most significant byte first, does by [`sign`](Self::sign): BIP 340, "Default Signing".
    ///
    /// # Errors
    ///
    /// The key is 0, or not below the order of the base point, or the number used once would be 0: [`Reason::Key`](crate::Reason::Key). The time does not
    /// tell which of these.
    pub fn sign_once(key: &[u8; 32], message: &[u8], entropy: &[u8; 32]) -> Result<Signature, Error> {
        let (key, is_key) = Self::judged(*key);
        let (signature, is_signature) = key.signature(message, entropy);
        require(both(is_key, is_signature), Error::KEY)?;
        Ok(signature)
    }

    /// The key of these bytes, and whether it is one.
    fn judged(bytes: [u8; 32]) -> (Self, bool) {
        let mut key = Self { bytes, number: [0; 32], public: VerifyingKey([0; 32]) };
        let is_key = low::even(&mut key.number, &mut key.public.0, &key.bytes);
        (key, is_key)
    }

    /// A signature, or zeros, and which of these it is.
    fn signature(&self, message: &[u8], entropy: &[u8; 32]) -> (Signature, bool) {
        let mut masked = [0; 32];
        low::mask(&mut masked, &self.number, &tagged(b"BIP0340/aux", &[entropy]));
        let mut hash = tagged(b"BIP0340/nonce", &[&masked, &self.public.0, message]);
        let (mut nonce, mut even) = ([0; 32], [0; 32]);
        low::reduce(&mut nonce, &hash);
        let mut signature = Signature { point: [0; 32], number: [0; 32] };
        let is_nonce = low::even(&mut even, &mut signature.point, &nonce);
        let challenge = self.public.challenge(&signature.point, message);
        low::sign(&mut signature.number, &self.number, &even, &challenge);
        // The number tells the key if the one used once is 0. Zeros tell nothing.
        copy_if(!is_nonce, &mut signature.point, &[0; 32]);
        copy_if(!is_nonce, &mut signature.number, &[0; 32]);
        for secret in [&mut masked, &mut hash, &mut nonce, &mut even] {
            zeroize::zeroize_bytes(secret);
        }
        (signature, is_nonce)
    }
}

impl VerifyingKey {
    /// The number of its bytes.
    pub const LENGTH: usize = 32;

    /// Reads a public key of 32 bytes: BIP 340, `lift_x`.
    ///
    /// # Errors
    ///
    /// The bytes are no x-coordinate of a point: the number is not below the prime, or no y satisfies the curve's equation: [`Reason::Encoding`](crate::Reason::Encoding).
    pub fn from_bytes(bytes: [u8; 32]) -> Result<Self, Error> {
        let mut point = [0; 65];
        require(low::lift(&mut point, &bytes), Error::ENCODING)?;
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

    /// Verifies a signature of a message of any length: BIP 340, "Verification".
    ///
    /// # Errors
    ///
    /// The message or its signature is not what the owner of the key has sent: [`Reason::Rejected`](crate::Reason::Rejected).
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), Error> {
        let (mut of_base, mut of_key, mut point, mut x) = ([0; 32], [0; 32], [0; 65], [0; 32]);
        let challenge = self.challenge(&signature.point, message);
        accept(low::multiples(&mut of_base, &mut of_key, &signature.number, &challenge))?;
        accept(low::lift(&mut point, &self.0))?;
        accept(low::even_sum(&mut x, &of_base, &of_key, &point))?;
        accept(x == signature.point)
    }

    /// The hash that a signature answers.
    fn challenge(&self, point: &[u8; 32], message: &[u8]) -> [u8; 32] {
        tagged(b"BIP0340/challenge", &[point, &self.0, message])
    }
}

impl Signature {
    /// The number of its bytes.
    pub const LENGTH: usize = 64;

    /// Takes the 64 bytes as they are; [`VerifyingKey::verify`] says whether they are good.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 64]) -> Self {
        let mut signature = Self { point: [0; 32], number: [0; 32] };
        let (point, number) = bytes.split_at(32);
        copy(&mut signature.point, point);
        copy(&mut signature.number, number);
        signature
    }

    /// The 64 bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 64] {
        let mut bytes = [0; 64];
        let (point, number) = bytes.split_at_mut(32);
        copy(point, &self.point);
        copy(number, &self.number);
        bytes
    }
}

/// The hash of data with a name: BIP 340, "Design", "Tagged Hashes".
fn tagged(name: &[u8], parts: &[&[u8]]) -> [u8; 32] {
    let name = Sha256::digest(name);
    let mut hash = Sha256::new();
    hash.update(&name);
    hash.update(&name);
    for part in parts {
        hash.update(part);
    }
    hash.finalize()
}

impl Drop for SigningKey {
    fn drop(&mut self) {
        zeroize::zeroize_bytes(&mut self.bytes);
        zeroize::zeroize_bytes(&mut self.number);
    }
}

impl ZeroizeOnDrop for SigningKey {}

/// Shows the public key only.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("public", &self.public).finish_non_exhaustive()
    }
}

impl TryFrom<&[u8]> for SigningKey {
    type Error = Error;

    /// As [`from_bytes`](Self::from_bytes); another number of bytes is an error, too: [`Reason::Length`](crate::Reason::Length).
    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        bytes.try_into().map_err(|_| Error::LENGTH).and_then(Self::from_bytes)
    }
}

impl TryFrom<&[u8]> for VerifyingKey {
    type Error = Error;

    /// As [`from_bytes`](Self::from_bytes); another number of bytes is an error, too: [`Reason::Length`](crate::Reason::Length).
    fn try_from(bytes: &[u8]) -> Result<Self, Error> {
        bytes.try_into().map_err(|_| Error::LENGTH).and_then(Self::from_bytes)
    }
}

from_slice!(Signature);
