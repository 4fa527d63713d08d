//! P-384, also called secp384r1: agreement on a secret by ECDH and signatures by ECDSA with SHA-384 (SP 800-56A, FIPS 186-5).
//!
//! Take it where a standard or a partner asks for more than [`p256`](crate::p256) has, which is faster.
//!
//! ```
//! use culet::p384::{Signature, SigningKey, VerifyingKey};
//!
//! # fn main() -> Result<(), culet::Error> {
//! // 48 bytes from a random number generator; `SigningKey::generate()` with the feature `getrandom`.
//! let key = SigningKey::from_bytes([1; 48])?;
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
//! use culet::p384::{PublicKey, SecretKey};
//!
//! # fn main() -> Result<(), culet::Error> {
//! let (alice, bob) = (SecretKey::from_bytes([1; 48])?, SecretKey::from_bytes([2; 48])?);
//! let to_bob = alice.public_key().to_sec1_uncompressed();
//!
//! let shared = alice.diffie_hellman(&bob.public_key())?;
//! assert_eq!(shared.as_bytes(), bob.diffie_hellman(&PublicKey::from_sec1(&to_bob)?)?.as_bytes());
//! # Ok(())
//! # }
//! ```

crate::curve::curve! {
    kernels: p384,
    hash: Sha384, HmacSha384, "SHA-384",
    bytes: 48, digest: 48,
    point: 97, 49,
    signature: 96, 104,
    out_of_range: "One of 2^190 random strings is",
    malleable: "If r and s are a good signature, r and order − s are one, too: whoever has one of them can make the other one.",
}
