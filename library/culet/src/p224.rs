//! P-224, also called secp224r1: agreement on a secret by ECDH and signatures by ECDSA with SHA-224 (SP 800-56A, FIPS 186-5).
//!
//! Take it only where a partner has nothing better: its 112 bits of security are fewer than those of [`p256`](crate::p256), and NIST's
//! table of key sizes gives them until 2030 (SP 800-57, part 1, revision 5, table 4). Reading a compressed point takes longer than an agreement.
//! The kernels multiply words of 64 bits on all CPUs, which CPUs of 32 bits do slowly. Nonces of signatures are RFC 6979's with SHA-224, also where
//! the digest that is signed is another hash's.
//!
//! ```
//! use culet::p224::{Signature, SigningKey, VerifyingKey};
//!
//! # fn main() -> Result<(), culet::Error> {
//! // 28 bytes from a random number generator; `SigningKey::generate()` with the feature `getrandom`.
//! let key = SigningKey::from_bytes([1; 28])?;
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
//! use culet::p224::{PublicKey, SecretKey};
//!
//! # fn main() -> Result<(), culet::Error> {
//! let (alice, bob) = (SecretKey::from_bytes([1; 28])?, SecretKey::from_bytes([2; 28])?);
//! let to_bob = alice.public_key().to_sec1_uncompressed();
//!
//! let shared = alice.diffie_hellman(&bob.public_key())?;
//! assert_eq!(shared.as_bytes(), bob.diffie_hellman(&PublicKey::from_sec1(&to_bob)?)?.as_bytes());
//! # Ok(())
//! # }
//! ```

crate::curve::curve! {
    kernels: p224,
    hash: Sha224, HmacSha224, "SHA-224",
    bytes: 28, digest: 28,
    point: 57, 29,
    signature: 56, 64,
    out_of_range: "One of 2^112 random strings is",
    malleable: "If r and s are a good signature, r and order − s are one, too: whoever has one of them can make the other one.",
}
