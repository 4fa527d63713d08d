//! Keys from secrets: HKDF (RFC 5869).
//!
//! HKDF makes keys of any number from one secret that is hard to guess, such as an agreed one. **It is not for passwords**, which are
//! easy to guess.
//!
//! ```
//! use culet::kdf::HkdfSha256;
//! use culet::x25519::{PublicKey, SecretKey};
//!
//! # fn main() -> Result<(), culet::Error> {
//! let (ours, theirs) = (SecretKey::from_bytes([1; 32]), SecretKey::from_bytes([2; 32]).public_key());
//! let shared = ours.diffie_hellman(&theirs)?;
//! let derived = HkdfSha256::new(b"a salt that need not be secret", shared.as_bytes());
//! let (mut to_them, mut from_them) = ([0; 32], [0; 32]);
//! derived.expand(b"my protocol, to the server", &mut to_them)?;
//! derived.expand(b"my protocol, to the client", &mut from_them)?;
//! assert_ne!(to_them, from_them);
//! # Ok(())
//! # }
//! ```

use crate::bytes::copy;
use crate::error::{Error, accept};
use crate::mac::{HmacSha256, HmacSha384, HmacSha512};

macro_rules! hkdf {
    ($(#[$about:meta])* $name:ident, $mac:ident, $length:literal) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub struct $name {
            /// Keyed with the pseudorandom key.
            mac: $mac,
        }

        impl $name {
            /// How many bytes [`expand`](Self::expand) makes at most.
            pub const LIMIT: usize = 255 * $length;

            /// Concentrates a secret: RFC 5869, section 2.2. The salt need not be secret and may be empty; random bytes are best.
            #[must_use]
            pub fn new(salt: &[u8], secret: &[u8]) -> Self {
                let mut extract = $mac::new(salt);
                extract.update(secret);
                Self::from_key(&*extract.finalize_secret())
            }

            /// Skips that step, for a secret that is a key already: as many uniformly random bytes as the hash has, or more.
            #[must_use]
            pub fn from_key(key: &[u8]) -> Self {
                Self { mac: $mac::new(key) }
            }

            /// Fills `out` with bytes that depend on the secret, the salt and `info`, which says what they are for: RFC 5869,
            /// section 2.3.
            ///
            /// # Errors
            ///
            /// `out` is longer than [`LIMIT`](Self::LIMIT). Nothing is written then.
            pub fn expand(&self, info: &[u8], out: &mut [u8]) -> Result<(), Error> {
                accept(out.len() <= Self::LIMIT)?;
                let mut block = zeroize::Zeroizing::new([0; $length]);
                for (number, part) in (1..=255u8).zip(out.chunks_mut($length)) {
                    let mut mac = self.mac.clone();
                    if number != 1 {
                        mac.update(&*block);
                    }
                    mac.update(info);
                    mac.update(&[number]);
                    block = mac.finalize_secret();
                    copy(part, &*block);
                }
                Ok(())
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}
    };
}

hkdf!(
    /// HKDF with SHA-256.
    HkdfSha256, HmacSha256, 32
);

hkdf!(
    /// HKDF with SHA-384.
    HkdfSha384, HmacSha384, 48
);

hkdf!(
    /// HKDF with SHA-512.
    HkdfSha512, HmacSha512, 64
);
