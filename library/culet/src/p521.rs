//! P-521, also called secp521r1: agreement on a secret by ECDH and signatures by ECDSA with SHA-512 (SP 800-56A, FIPS 186-5). Secret keys
//! are numbers of 521 bits in 66 bytes: the first 7 bits are 0.
//!
//! Take it where a standard or a partner asks for more than [`p256`](crate::p256) has, which is faster.
//!
//! ```
//! use culet::p521::{Signature, SigningKey, VerifyingKey};
//!
//! # fn main() -> Result<(), culet::Error> {
//! // 66 bytes from a random number generator, less the first 7 bits; `SigningKey::generate()` with the feature `getrandom`.
//! let mut bytes = [1; 66];
//! bytes[0] = 0;
//! let key = SigningKey::from_bytes(bytes)?;
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
//! use culet::p521::{PublicKey, SecretKey};
//!
//! # fn main() -> Result<(), culet::Error> {
//! let key = |byte: u8| SecretKey::from_bytes(std::array::from_fn(|place| if place < 2 { 0 } else { byte }));
//! let (alice, bob) = (key(1)?, key(2)?);
//! let to_bob = alice.public_key().to_sec1_uncompressed();
//!
//! let shared = alice.diffie_hellman(&bob.public_key())?;
//! assert_eq!(shared.as_bytes(), bob.diffie_hellman(&PublicKey::from_sec1(&to_bob)?)?.as_bytes());
//! # Ok(())
//! # }
//! ```

crate::curve::curve! {
    kernels: p521,
    hash: Sha512, HmacSha512, "SHA-512",
    bytes: 66, digest: 64,
    point: 133, 67,
    signature: 132, 141,
    out_of_range: "Every string whose first 7 bits are not all 0, and one of 2^262 others, is",
    malleable: "If r and s are a good signature, r and order − s are one, too: whoever has one of them can make the other one.",
}
