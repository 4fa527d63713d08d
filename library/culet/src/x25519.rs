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

use crate::bytes::{Erased, copy_if, generate, public, secret};
use crate::error::{Error, require};
use crate::low::{self, LANES};

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
        require(!shared.is_zero(), Error::KEY)?;
        Ok(shared)
    }
}

impl SharedSecret {
    /// Whether it is zero, so that everybody knows it.
    fn is_zero(&self) -> bool {
        low::equal_32(&self.0, &[0; 32])
    }
}

/// From this number on, the kernel in lanes takes less time than one computation after the other.
const FEWEST_IN_LANES: usize = 4;

/// Computes the secrets of 32 bytes that several pairs of keys share (RFC 7748, section 6.1), each as [`SecretKey::diffie_hellman`] computes it, and writes them to places in the same
/// order. From four pairs on, a secret takes less than half of the time where the CPU has AVX-512 with IFMA; elsewhere it takes as long as by itself.
///
/// # Errors
///
/// There are not as many places as pairs: [`Reason::Length`](crate::Reason::Length). One of the secrets is zero, so that everybody knows it:
/// [`Reason::Key`](crate::Reason::Key); then all places are set to zero, and [`SecretKey::diffie_hellman`] tells which key was at fault.
pub fn diffie_hellman_batch(pairs: &[(&SecretKey, &PublicKey)], shared: &mut [SharedSecret]) -> Result<(), Error> {
    require(pairs.len() == shared.len(), Error::LENGTH)?;
    let mut groups = pairs.chunks(LANES);
    for shared in shared.chunks_mut(LANES) {
        let pairs = groups.next().unwrap_or_default();
        if pairs.len() >= FEWEST_IN_LANES && low::has_lanes() {
            agree_in_lanes(pairs, shared);
        } else {
            for ((secret, public), shared) in pairs.iter().zip(shared) {
                low::x25519(&mut shared.0, &secret.0, &public.0);
            }
        }
    }
    let is_one_zero = shared.iter().fold(false, |is_one_zero, shared| is_one_zero | shared.is_zero());
    for shared in shared {
        copy_if(is_one_zero, &mut shared.0, &[0; 32]);
    }
    require(!is_one_zero, Error::KEY)
}

/// Computes the secrets of eight pairs at most. Lanes without a pair have zeros.
fn agree_in_lanes(pairs: &[(&SecretKey, &PublicKey)], shared: &mut [SharedSecret]) {
    let (mut secrets, mut publics, mut made) = (Erased([0; 256]), [0; 256], Erased([0; 256]));
    let places = secrets.0.as_chunks_mut().0.iter_mut().zip(publics.as_chunks_mut().0);
    for ((secret_place, public_place), (secret, public)) in places.zip(pairs) {
        (*secret_place, *public_place) = (secret.0, public.0);
    }
    low::x25519_x8(&mut made.0, &secrets.0, &publics);
    for (shared, made) in shared.iter_mut().zip(made.0.as_chunks().0) {
        shared.0 = *made;
    }
}

impl From<&SecretKey> for PublicKey {
    fn from(secret: &SecretKey) -> PublicKey {
        secret.public_key()
    }
}
