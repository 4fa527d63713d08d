//! P-256, also called secp256r1 and prime256v1: agreement on a secret by ECDH and signatures by ECDSA with SHA-256 (SP 800-56A, FIPS 186-5).
//!
//! Take it where a standard or a partner asks for it; [`x25519`](crate::x25519) and [`ed25519`](crate::ed25519) are faster and have fewer
//! ways to be used wrongly.
//!
//! ```
//! use culet::p256::{Signature, SigningKey, VerifyingKey};
//!
//! # fn main() -> Result<(), culet::Error> {
//! // 32 bytes from a random number generator; `SigningKey::generate()` with the feature `getrandom`.
//! let key = SigningKey::from_bytes([1; 32])?;
//! let signature = key.sign(b"a message");
//!
//! // Whoever has the public key:
//! let public = VerifyingKey::from_sec1(&key.verifying_key().to_sec1_compressed())?;
//! public.verify(b"a message", &signature)?;
//! assert!(public.verify(b"another message", &signature).is_err());
//!
//! // Certificates and many protocols have signatures in DER.
//! let mut buffer = [0; Signature::LONGEST_DER];
//! let der = signature.to_der(&mut buffer);
//! assert_eq!(Signature::from_der(der)?, signature);
//! # Ok(())
//! # }
//! ```
//!
//! A secret that two share:
//!
//! ```
//! use culet::p256::{PublicKey, SecretKey};
//!
//! # fn main() -> Result<(), culet::Error> {
//! let (alice, bob) = (SecretKey::from_bytes([1; 32])?, SecretKey::from_bytes([2; 32])?);
//! let to_bob = alice.public_key().to_sec1_uncompressed();
//!
//! let shared = alice.diffie_hellman(&bob.public_key())?;
//! assert_eq!(shared.as_bytes(), bob.diffie_hellman(&PublicKey::from_sec1(&to_bob)?)?.as_bytes());
//! # Ok(())
//! # }
//! ```

use core::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::bytes::{copy, first, secret};
use crate::error::{Error, accept};
use crate::hash::Sha256;
use crate::low;
use crate::mac::HmacSha256;

/// A key for agreement on secrets, which is a number from 1 to the order of the base point minus 1, and its public key.
#[derive(Clone)]
pub struct SecretKey {
    number: [u8; 32],
    public: PublicKey,
}

/// A point of the curve, but for the neutral element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PublicKey {
    /// The byte 4, x and y: SEC 1, section 2.3.3.
    point: [u8; 65],
}

secret!(
    /// The secret of an agreement, 32 bytes, which both sides know: the x-coordinate of SEC 1, section 3.3.1. It is no key yet: derive keys
    /// from it.
    SharedSecret,
    32
);

/// A key that signs, and the public key that verifies its signatures.
#[derive(Clone)]
pub struct SigningKey(SecretKey);

/// A public key for signatures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct VerifyingKey(PublicKey);

/// A signature, 64 bytes: r and s of FIPS 186-5, section 6.4.1, most significant byte first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature {
    r: [u8; 32],
    s: [u8; 32],
}

impl SecretKey {
    /// The number of its bytes.
    pub const LENGTH: usize = 32;

    /// The key of 32 random bytes, most significant byte first.
    ///
    /// # Errors
    ///
    /// The number is 0, or not below the order of the base point. One of 2^32 random strings is such a number: take another one then.
    pub fn from_bytes(bytes: [u8; 32]) -> Result<Self, Error> {
        let mut key = Self { number: bytes, public: PublicKey { point: [0; 65] } };
        accept(low::p256_public(&mut key.public.point, &key.number))?;
        Ok(key)
    }

    /// A new key, from the operating system's randomness.
    ///
    /// # Errors
    ///
    /// The operating system has no randomness.
    #[cfg(feature = "getrandom")]
    #[cfg_attr(docsrs, doc(cfg(feature = "getrandom")))]
    pub fn generate() -> Result<Self, Error> {
        loop {
            let mut bytes = zeroize::Zeroizing::new([0; 32]);
            crate::bytes::fill_randomly(&mut *bytes)?;
            if let Ok(key) = Self::from_bytes(*bytes) {
                return Ok(key);
            }
        }
    }

    /// The bytes, for storing them where they stay secret.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.number
    }

    /// The public key that belongs to it.
    #[must_use]
    pub const fn public_key(&self) -> PublicKey {
        self.public
    }

    /// The secret that is shared with the owner of `theirs`: SEC 1, section 3.3.1.
    ///
    /// # Errors
    ///
    /// There are none for keys that are what their types say.
    pub fn diffie_hellman(&self, theirs: &PublicKey) -> Result<SharedSecret, Error> {
        let mut shared = SharedSecret([0; 32]);
        accept(low::p256_agree(&mut shared.0, &self.number, &theirs.point))?;
        Ok(shared)
    }
}

impl PublicKey {
    /// Reads a public key of 65 or 33 bytes: SEC 1, section 2.3.4.
    ///
    /// # Errors
    ///
    /// The bytes are no point: their number or the first byte is wrong, a coordinate is not below the prime, or they do not satisfy the
    /// curve's equation. The neutral element, which is one byte, is no public key.
    pub fn from_sec1(bytes: &[u8]) -> Result<Self, Error> {
        if let Ok(compressed) = bytes.try_into() {
            let mut public = Self { point: [0; 65] };
            accept(low::p256_decompress(&mut public.point, compressed))?;
            return Ok(public);
        }
        let point = bytes.try_into().map_err(|_| Error::NEW)?;
        accept(low::p256_is_point(&point))?;
        Ok(Self { point })
    }

    /// The byte 4, x and y: SEC 1, section 2.3.3.
    #[must_use]
    pub const fn to_sec1_uncompressed(self) -> [u8; 65] {
        self.point
    }

    /// The byte 2 or 3, and x: SEC 1, section 2.3.3.
    #[must_use]
    pub fn to_sec1_compressed(self) -> [u8; 33] {
        let mut compressed = [0; 33];
        low::p256_compress(&mut compressed, &self.point);
        compressed
    }

    /// The x-coordinate.
    fn x(&self) -> [u8; 32] {
        let mut x = [0; 32];
        copy(&mut x, self.point.get(1..).unwrap_or_default());
        x
    }
}

impl SigningKey {
    /// The number of its bytes.
    pub const LENGTH: usize = SecretKey::LENGTH;

    /// The key of 32 random bytes, most significant byte first.
    ///
    /// # Errors
    ///
    /// The number is 0, or not below the order of the base point. One of 2^32 random strings is such a number: take another one then.
    pub fn from_bytes(bytes: [u8; 32]) -> Result<Self, Error> {
        SecretKey::from_bytes(bytes).map(Self)
    }

    /// A new key, from the operating system's randomness.
    ///
    /// # Errors
    ///
    /// The operating system has no randomness.
    #[cfg(feature = "getrandom")]
    #[cfg_attr(docsrs, doc(cfg(feature = "getrandom")))]
    pub fn generate() -> Result<Self, Error> {
        SecretKey::generate().map(Self)
    }

    /// The bytes, for storing them where they stay secret.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// The public key that verifies signatures of this one.
    #[must_use]
    pub const fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey(self.0.public)
    }

    /// Signs a message by its digest of SHA-256. The number used once comes from the key and the digest, as in RFC 6979, section 3.2: a key
    /// signs a message always in the same way.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> Signature {
        self.sign_prehashed(&Sha256::digest(message))
    }

    /// Signs as [`sign`](Self::sign) does, but the number used once depends on `entropy`, too: RFC 6979, section 3.6. Random bytes make it
    /// harder to learn the key from faults, or from the power that signatures of one message take. No bytes make a signature less secure.
    #[must_use]
    pub fn sign_hedged(&self, message: &[u8], entropy: &[u8; 32]) -> Signature {
        self.signature(&Sha256::digest(message), entropy)
    }

    /// Signs a message by its digest, as [`sign`](Self::sign) does by that of SHA-256. Of a longer digest, the first 32 bytes are signed: FIPS
    /// 186-5, section 6.4.1, step 2. The hash function must resist collisions.
    #[must_use]
    pub fn sign_prehashed(&self, digest: &[u8; 32]) -> Signature {
        self.signature(digest, &[])
    }

    /// FIPS 186-5, section 6.4.1. A number used once that is not below the order, as one in 2^32 is, is replaced by another one. The time tells
    /// that this happened, and nothing of the number that is used.
    fn signature(&self, digest: &[u8; 32], entropy: &[u8]) -> Signature {
        let mut nonces = Nonces::new(&self.0.number, digest, entropy);
        let mut signature = Signature { r: [0; 32], s: [0; 32] };
        loop {
            let mut nonce = nonces.next();
            let mut point = PublicKey { point: [0; 65] };
            let is_nonce = low::p256_public(&mut point.point, &nonce);
            let is_signature =
                low::p256_sign(&mut signature.r, &mut signature.s, &self.0.number, &nonce, &point.x(), digest);
            nonce.zeroize();
            if is_nonce & is_signature {
                return signature;
            }
        }
    }
}

/// Numbers that are used once: RFC 6979, section 3.2, with HMAC-SHA-256.
struct Nonces {
    key: [u8; 32],
    value: [u8; 32],
    is_first: bool,
}

impl Nonces {
    /// Steps a to g; `entropy` is what section 3.6 appends.
    fn new(number: &[u8; 32], digest: &[u8; 32], entropy: &[u8]) -> Self {
        let mut reduced = [0; 32];
        low::p256_reduce(&mut reduced, digest);
        let mut nonces = Self { key: [0; 32], value: [1; 32], is_first: true };
        nonces.update(&[&[0], number, &reduced, entropy]);
        nonces.update(&[&[1], number, &reduced, entropy]);
        reduced.zeroize();
        nonces
    }

    /// Step h: a number as long as the order, which may be too large.
    fn next(&mut self) -> [u8; 32] {
        if !self.is_first {
            self.update(&[&[0]]);
        }
        self.is_first = false;
        self.value = self.hmac(&[]);
        self.value
    }

    /// K = HMAC(K, V || data), V = HMAC(K, V).
    fn update(&mut self, data: &[&[u8]]) {
        self.key = self.hmac(data);
        self.value = self.hmac(&[]);
    }

    /// HMAC(K, V || data).
    fn hmac(&self, data: &[&[u8]]) -> [u8; 32] {
        let mut mac = HmacSha256::new(&self.key);
        mac.update(&self.value);
        for part in data {
            mac.update(part);
        }
        mac.finalize().to_bytes()
    }
}

impl Drop for Nonces {
    fn drop(&mut self) {
        self.key.zeroize();
        self.value.zeroize();
    }
}

impl VerifyingKey {
    /// Reads a public key of 65 or 33 bytes: SEC 1, section 2.3.4.
    ///
    /// # Errors
    ///
    /// The bytes are no point; see [`PublicKey::from_sec1`].
    pub fn from_sec1(bytes: &[u8]) -> Result<Self, Error> {
        PublicKey::from_sec1(bytes).map(Self)
    }

    /// The byte 4, x and y: SEC 1, section 2.3.3.
    #[must_use]
    pub const fn to_sec1_uncompressed(self) -> [u8; 65] {
        self.0.to_sec1_uncompressed()
    }

    /// The byte 2 or 3, and x: SEC 1, section 2.3.3.
    #[must_use]
    pub fn to_sec1_compressed(self) -> [u8; 33] {
        self.0.to_sec1_compressed()
    }

    /// Verifies a signature of a message by its digest of SHA-256: FIPS 186-5, section 6.4.2.
    ///
    /// If r and s are a good signature, r and order − s are one, too: whoever has one of them can make the other one.
    ///
    /// # Errors
    ///
    /// The message or its signature is not what the owner of the key has sent.
    pub fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), Error> {
        self.verify_prehashed(&Sha256::digest(message), signature)
    }

    /// Verifies a signature of a message by its digest, as [`verify`](Self::verify) does by that of SHA-256. Of a longer digest, the first 32
    /// bytes are signed.
    ///
    /// # Errors
    ///
    /// The digest or its signature is not what the owner of the key has sent.
    pub fn verify_prehashed(&self, digest: &[u8; 32], signature: &Signature) -> Result<(), Error> {
        let (mut of_base, mut of_key, mut x) = ([0; 32], [0; 32], [0; 32]);
        accept(low::p256_multiples(&mut of_base, &mut of_key, &signature.r, &signature.s, digest))?;
        accept(low::p256_sum(&mut x, &of_base, &of_key, &self.0.point))?;
        accept(low::p256_is_same(&x, &signature.r))
    }
}

impl Signature {
    /// The number of its bytes.
    pub const LENGTH: usize = 64;

    /// The largest number of bytes that it has in DER.
    pub const LONGEST_DER: usize = 72;

    /// Takes the bytes as they are; [`VerifyingKey::verify`] says whether they are good.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 64]) -> Self {
        let mut signature = Self { r: [0; 32], s: [0; 32] };
        let (r, s) = bytes.split_at(32);
        copy(&mut signature.r, r);
        copy(&mut signature.s, s);
        signature
    }

    /// The bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 64] {
        let mut bytes = [0; 64];
        let (r, s) = bytes.split_at_mut(32);
        copy(r, &self.r);
        copy(s, &self.s);
        bytes
    }

    /// Reads a signature in DER, which is a sequence of two integers: RFC 3279, section 2.2.3.
    ///
    /// # Errors
    ///
    /// The bytes are not the one encoding of two numbers from 0 to 2^256 − 1 in DER: X.690, sections 8.1, 8.3, 8.9 and 10.1.
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        let read = || {
            let (content, after) = element_of_der(SEQUENCE, der)?;
            let (r, rest) = number_of_der(content)?;
            let (s, end) = number_of_der(rest)?;
            (after.is_empty() && end.is_empty()).then_some(Self { r, s })
        };
        read().ok_or(Error::NEW)
    }

    /// Writes the signature in DER to the beginning of `buffer`, and returns what is written: 8 to 72 bytes.
    pub fn to_der<'b>(&self, buffer: &'b mut [u8; Self::LONGEST_DER]) -> &'b [u8] {
        let mut content = [0; 70];
        let length = append_number(&mut content, 0, &self.r);
        let length = append_number(&mut content, length, &self.s);
        copy(buffer, &[SEQUENCE, length as u8]);
        copy(buffer.get_mut(2..).unwrap_or_default(), &content);
        first(buffer, 2 + length)
    }
}

/// Tags of X.690, section 8.1.2.
const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;

/// The content of an element of fewer than 128 bytes, and what follows it.
fn element_of_der(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&[found, length], rest) = der.split_first_chunk()?;
    let is_short = found == tag && length < 0x80;
    rest.split_at_checked(length.into()).filter(|_| is_short)
}

/// An integer from 0 to 2^256 − 1 in the fewest bytes, and what follows it.
fn number_of_der(der: &[u8]) -> Option<([u8; 32], &[u8])> {
    let (content, rest) = element_of_der(INTEGER, der)?;
    let digits = match content {
        // A byte of zeros is there only where the highest bit would say that the integer is negative.
        [0] | [1..=0x7f, ..] => content,
        [0, digits @ ..] if digits.first()? >= &0x80 => digits,
        _ => return None,
    };
    let mut number = [0; 32];
    copy(number.get_mut(32_usize.checked_sub(digits.len())?..)?, digits);
    Some((number, rest))
}

/// Writes an integer in DER at `start`, and returns where it ends.
fn append_number(der: &mut [u8], start: usize, number: &[u8; 32]) -> usize {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    let digits = number.get(zeros..).unwrap_or_default();
    let is_padded = digits.first().is_none_or(|first| *first >= 0x80);
    let content = usize::from(is_padded) + digits.len();
    let header = [INTEGER, content as u8, 0];
    let header = first(&header, 2 + usize::from(is_padded));
    let after = start + copy(der.get_mut(start..).unwrap_or_default(), header);
    after + copy(der.get_mut(after..).unwrap_or_default(), digits)
}

impl Drop for SecretKey {
    fn drop(&mut self) {
        self.number.zeroize();
    }
}

impl From<&SecretKey> for PublicKey {
    fn from(secret: &SecretKey) -> PublicKey {
        secret.public_key()
    }
}

impl ZeroizeOnDrop for SecretKey {}
impl ZeroizeOnDrop for SigningKey {}

/// Shows the public key only.
impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey").field("public", &self.public).finish_non_exhaustive()
    }
}

/// Shows the public key only.
impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("public", &self.0.public).finish_non_exhaustive()
    }
}
