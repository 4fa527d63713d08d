//! secp256k1: agreement on a secret by ECDH and signatures by ECDSA with SHA-256 (SEC 1, SEC 2, FIPS 186-5), whose s is the lower one of two (BIP 146).
//!
//! Take it where a chain of blocks or a partner asks for it; [`x25519`](crate::x25519) and [`ed25519`](crate::ed25519) are faster and have
//! fewer ways to be used wrongly.
//!
//! ```
//! use culet::secp256k1::{Signature, SigningKey, VerifyingKey};
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
//! Schnorr signatures are in [`bip340`].
//!
//! A secret that two share:
//!
//! ```
//! use culet::secp256k1::{PublicKey, SecretKey};
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

pub mod bip340;

crate::curve::curve! {
    kernels: secp256k1,
    hash: Sha256, HmacSha256, "SHA-256",
    bytes: 32, digest: 32,
    point: 65, 33,
    signature: 64, 72,
    out_of_range: "One of 2^127 random strings is",
    malleable: "A signature whose s is not the lower one of s and order − s is not good: see [`Signature::with_low_s`].",
}

impl Signature {
    /// The signature with the lower one of s and order − s in place of s: BIP 146. It is good if the signature is good but for that, as those
    /// of others may be.
    #[must_use]
    pub fn with_low_s(mut self) -> Self {
        low::lower(&mut self.s);
        self
    }
}
