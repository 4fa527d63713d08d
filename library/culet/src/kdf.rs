//! Keys from secrets: HKDF (RFC 5869), and libsodium's `crypto_kdf`, which is BLAKE2b.
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
//!
//! [`MasterKey`] makes keys with numbers from one key:
//!
//! ```
//! use culet::kdf::MasterKey;
//!
//! # fn main() -> Result<(), culet::Error> {
//! // 32 random bytes; `MasterKey::generate()` with the feature `getrandom`.
//! let master = MasterKey::from_bytes([1; 32]);
//! let (mut first, mut second) = ([0; 32], [0; 64]);
//! master.derive(1, b"examples", &mut first)?;
//! master.derive(2, b"examples", &mut second)?;
//! assert_ne!(first, second[..32]);
//! # Ok(())
//! # }
//! ```

use crate::bytes::{Erased, copy, generate, secret};
use crate::error::{Error, require};
use crate::hash::Blake2bVar;
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
            #[doc = concat!("How many bytes [`expand`](Self::expand) makes at most, 255 times ", $length, ": RFC 5869, section 2.3.")]
            pub const LIMIT: usize = 255 * $length;

            /// Concentrates a secret: RFC 5869, section 2.2. The salt need not be secret and may be empty; random bytes are best.
            #[must_use]
            pub fn new(salt: &[u8], secret: &[u8]) -> Self {
                let mut extract = $mac::new(salt);
                extract.update(secret);
                Self::from_key(&*extract.finalize_secret())
            }

            #[doc = concat!("Takes a secret that is a key already, ", $length, " uniformly random bytes or more, without the step that concentrates it:")]
            /// RFC 5869, section 3.3.
            #[must_use]
            pub fn from_key(key: &[u8]) -> Self {
                Self { mac: $mac::new(key) }
            }

            /// Fills `out` with bytes that depend on the secret, the salt and `info`, which says what they are for: RFC 5869,
            /// section 2.3.
            ///
            /// # Errors
            ///
            /// `out` is longer than [`LIMIT`](Self::LIMIT): [`Reason::Length`](crate::Reason::Length). Nothing is written then.
            pub fn expand(&self, info: &[u8], out: &mut [u8]) -> Result<(), Error> {
                require(out.len() <= Self::LIMIT, Error::LENGTH)?;
                let mut block = Erased([0; $length]);
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
    /// HKDF with SHA-256: RFC 5869, section 2. It makes 8160 bytes at most.
    HkdfSha256, HmacSha256, 32
);

hkdf!(
    /// HKDF with SHA-384: RFC 5869, section 2. It makes 12240 bytes at most.
    HkdfSha384, HmacSha384, 48
);

hkdf!(
    /// HKDF with SHA-512: RFC 5869, section 2. It makes 16320 bytes at most.
    HkdfSha512, HmacSha512, 64
);

secret!(
    /// A key, 32 bytes, from which keys with numbers are made: `crypto_kdf` of libsodium (its documentation, "Key derivation").
    MasterKey,
    32,
    Clone
);
generate!(MasterKey);

impl MasterKey {
    /// How many bytes [`derive`](Self::derive) makes at least: 16.
    pub const SHORTEST: usize = 16;

    /// How many bytes [`derive`](Self::derive) makes at most: 64.
    pub const LONGEST: usize = 64;

    /// Fills `out` with the key of a number and a context, which says what such keys are for: the BLAKE2b of no message, with this key, the
    /// number as the salt and the context as the personal string (libsodium's documentation, "Key derivation").
    ///
    /// # Errors
    ///
    /// `out` has fewer than 16 bytes or more than 64: [`Reason::Length`](crate::Reason::Length). Nothing is written then.
    pub fn derive(&self, number: u64, context: &[u8; 8], out: &mut [u8]) -> Result<(), Error> {
        require((Self::SHORTEST..=Self::LONGEST).contains(&out.len()), Error::LENGTH)?;
        let (mut salt, mut personal) = ([0; 16], [0; 16]);
        copy(&mut salt, &number.to_le_bytes());
        copy(&mut personal, context);
        Blake2bVar::with_salt_and_personal(out.len(), &self.0, &salt, &personal)?.finalize_into(out)
    }
}
