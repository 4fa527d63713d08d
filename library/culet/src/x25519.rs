//! X25519: agreement on a secret over a channel that others read (RFC 7748).
//!
//! Each side has a secret key of 32 random bytes, sends its public key to the other one, and both compute the same secret of 32 bytes.
//! The secret is not uniformly random: derive keys from it, together with both public keys, by
//! [`HkdfSha256`](crate::kdf::HkdfSha256) or another key derivation function.
//!
//! ```
//! use culet::x25519::{PublicKey, SecretKey};
//!
//! # fn main() -> Result<(), culet::Error> {
//! // 32 bytes from a random number generator; `SecretKey::generate()` with the feature `getrandom`.
//! let (alice, bob) = (SecretKey::from_bytes([1; 32]), SecretKey::from_bytes([2; 32]));
//! let (to_bob, to_alice) = (alice.public_key(), bob.public_key());
//!
//! let shared = alice.diffie_hellman(&to_alice)?;
//! assert_eq!(shared.as_bytes(), bob.diffie_hellman(&to_bob)?.as_bytes());
//! # Ok(())
//! # }
//! ```

use crate::bytes::{generate, public, secret};
use crate::error::{Error, require};
use crate::low;

secret!(
    /// 32 bytes that are known to their owner only. All are allowed: RFC 7748, section 5, says which bits of them do not count.
    SecretKey,
    32,
    Clone
);
generate!(SecretKey);

public!(
    /// A u-coordinate, 32 bytes. All are allowed: the highest bit does not count, and what is not less than
    /// 2^255 − 19 is reduced (RFC 7748, section 5).
    PublicKey,
    32,
    PartialEq,
    Eq,
    Hash
);

secret!(
    /// The secret of an agreement, 32 bytes, which both sides know (RFC 7748, section 6.1). It is no key yet: derive keys from it.
    SharedSecret,
    32,
    Clone
);

impl SecretKey {
    /// The public key that belongs to it, 32 bytes: RFC 7748, section 6.1.
    #[must_use]
    pub fn public_key(&self) -> PublicKey {
        let mut public = [0; 32];
        low::x25519_base(&mut public, &self.0);
        PublicKey(public)
    }

    /// The secret of 32 bytes that is shared with the owner of `theirs`: RFC 7748, section 6.1.
    ///
    /// # Errors
    ///
    /// The secret is zero, so that everybody knows it, since `theirs` is a point of small order (RFC 7748, section 6.1):
    /// [`Reason::Key`](crate::Reason::Key).
    pub fn diffie_hellman(&self, theirs: &PublicKey) -> Result<SharedSecret, Error> {
        let mut shared = SharedSecret([0; 32]);
        low::x25519(&mut shared.0, &self.0, &theirs.0);
        require(!low::equal_32(&shared.0, &[0; 32]), Error::KEY)?;
        Ok(shared)
    }
}

impl From<&SecretKey> for PublicKey {
    fn from(secret: &SecretKey) -> PublicKey {
        secret.public_key()
    }
}
