//! NaCl's functions, with its names and the order of its arguments (D. J. Bernstein, "Cryptography in NaCl", 2009).
//!
//! Names that are words of Rust end with an underscore. Sealed messages are those of `crypto_secretbox` and `crypto_box` in their easy form:
//! a tag of 16 bytes, then the encrypted message. The functions that return vectors need the feature `alloc`.
//!
//! ```
//! # #[cfg(feature = "alloc")]
//! # fn main() -> Result<(), culet::Error> {
//! use culet::nacl::{Nonce, PublicKey, SecretKey, box_, box_open};
//!
//! let (alice, bob) = (SecretKey::from_bytes([1; 32]), SecretKey::from_bytes([2; 32]));
//! let nonce = Nonce::from_bytes([3; 24]);
//! let sealed = box_(b"a secret", &nonce, &bob.public_key(), &alice)?;
//! assert_eq!(box_open(&sealed, &nonce, &alice.public_key(), &bob)?, b"a secret");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "alloc"))]
//! # fn main() {}
//! ```

use zeroize::Zeroize;

use crate::error::{Error, require};
use crate::low;
use crate::secretbox::SecretBox;
pub use crate::secretbox::{Key, Nonce, Tag};
pub use crate::x25519::{PublicKey, SecretKey};

/// `crypto_scalarmult`: X25519 as it is (RFC 7748, section 5), of any two strings of 32 bytes. Its result may be zero;
/// [`SecretKey::diffie_hellman`] finds that.
#[must_use]
pub fn scalarmult(n: &[u8; 32], p: &[u8; 32]) -> [u8; 32] {
    let mut q = [0; 32];
    low::x25519(&mut q, n, p);
    q
}

/// `crypto_scalarmult_base`: the public key of n, 32 bytes (RFC 7748, section 6.1).
#[must_use]
pub fn scalarmult_base(n: &[u8; 32]) -> [u8; 32] {
    SecretKey::from_bytes(*n).public_key().to_bytes()
}

/// `crypto_box_beforenm`: the key of 32 bytes that two owners of keys share ("Cryptography in NaCl", sections 6 to 8), for [`SecretBox`], in place of the functions below
/// where there are many messages.
///
/// # Errors
///
/// Everybody knows the shared secret, since `pk` is a point of small order: [`Reason::Key`](crate::Reason::Key).
pub fn box_beforenm(pk: &PublicKey, sk: &SecretKey) -> Result<Key, Error> {
    let (key, is_secret) = shared_key(pk, sk);
    require(is_secret, Error::KEY)?;
    Ok(key)
}

/// The key that two owners of keys share, and whether not everybody knows it.
fn shared_key(pk: &PublicKey, sk: &SecretKey) -> (Key, bool) {
    let mut shared = Key::from_bytes([0; 32]);
    low::x25519(&mut shared.0, &sk.0, &pk.0);
    let mut key = Key::from_bytes([0; 32]);
    low::hsalsa20(&mut key.0, &shared.0, &[0; 16]);
    (key, !low::equal_32(&shared.0, &[0; 32]))
}

/// libsodium's `crypto_box_detached`: encrypts m in place for the owner of `pk`; the tag has 16 bytes.
///
/// # Errors
///
/// As [`box_beforenm`]; m is all zeros then. And those of [`SecretBox::seal_in_place`](crate::secretbox::SecretBox::seal_in_place).
pub fn box_detached(m: &mut [u8], n: &Nonce, pk: &PublicKey, sk: &SecretKey) -> Result<Tag, Error> {
    // The key is judged last, so that the time tells nothing of it but what the result says.
    let (key, is_secret) = shared_key(pk, sk);
    let tag = SecretBox::new(&key).seal_in_place(n, m)?;
    if !is_secret {
        m.zeroize();
    }
    require(is_secret, Error::KEY)?;
    Ok(tag)
}

/// libsodium's `crypto_box_open_detached`: decrypts c in place from the owner of `pk`.
///
/// # Errors
///
/// The arguments are not what was sealed: [`Reason::Rejected`](crate::Reason::Rejected). Or those of [`box_beforenm`]. The buffer is all zeros then.
pub fn box_open_detached(c: &mut [u8], mac: &Tag, n: &Nonce, pk: &PublicKey, sk: &SecretKey) -> Result<(), Error> {
    let (key, is_secret) = shared_key(pk, sk);
    let opened = SecretBox::new(&key).open_in_place_if(is_secret, n, c, mac);
    opened.map_err(|error| if is_secret { error } else { Error::KEY })
}

#[cfg(feature = "alloc")]
mod attached {
    use alloc::vec::Vec;

    use super::{Key, Nonce, PublicKey, SecretKey, box_beforenm};
    use crate::error::Error;
    use crate::sealed;
    use crate::secretbox::SecretBox;

    /// NaCl's `crypto_secretbox`: m, sealed, with 16 bytes of tag before it ("Cryptography in NaCl", sections 9 and 10).
    ///
    /// # Errors
    ///
    /// Those of [`SecretBox::seal`].
    pub fn secretbox(m: &[u8], n: &Nonce, k: &Key) -> Result<Vec<u8>, Error> {
        SecretBox::new(k).seal(n, m)
    }

    /// NaCl's `crypto_secretbox_open`: the message that was sealed as c, 16 bytes shorter ("Cryptography in NaCl", sections 9 and 10).
    ///
    /// # Errors
    ///
    /// Those of [`SecretBox::open`].
    pub fn secretbox_open(c: &[u8], n: &Nonce, k: &Key) -> Result<Vec<u8>, Error> {
        SecretBox::new(k).open(n, c)
    }

    /// NaCl's `crypto_box`: m, sealed by the owner of `sk` for the owner of `pk`, with 16 bytes of tag before it ("Cryptography in NaCl", sections 6 to
    /// 10).
    ///
    /// # Errors
    ///
    /// Those of [`box_beforenm`] and [`SecretBox::seal`].
    pub fn box_(m: &[u8], n: &Nonce, pk: &PublicKey, sk: &SecretKey) -> Result<Vec<u8>, Error> {
        SecretBox::new(&box_beforenm(pk, sk)?).seal(n, m)
    }

    /// NaCl's `crypto_box_open`: the message that the owner of `pk` sealed as c for the owner of `sk`, 16 bytes shorter ("Cryptography in NaCl", sections
    /// 6 to 10).
    ///
    /// # Errors
    ///
    /// Those of [`box_beforenm`] and [`SecretBox::open`].
    pub fn box_open(c: &[u8], n: &Nonce, pk: &PublicKey, sk: &SecretKey) -> Result<Vec<u8>, Error> {
        SecretBox::new(&box_beforenm(pk, sk)?).open(n, c)
    }

    /// libsodium's `crypto_box_seal`: m, sealed for the owner of `pk` with a key pair from the operating system's randomness.
    ///
    /// # Errors
    ///
    /// Those of [`sealed::seal`], or the operating system has no randomness: [`Reason::Randomness`](crate::Reason::Randomness).
    #[cfg(feature = "getrandom")]
    pub fn box_seal(m: &[u8], pk: &PublicKey) -> Result<Vec<u8>, Error> {
        sealed::seal(m, pk, SecretKey::generate()?)
    }

    /// libsodium's `crypto_box_seal_open`: the message that somebody sealed as c for the owner of `sk`.
    ///
    /// # Errors
    ///
    /// Those of [`sealed::open`].
    pub fn box_seal_open(c: &[u8], sk: &SecretKey) -> Result<Vec<u8>, Error> {
        sealed::open(c, sk)
    }
}

#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
pub use attached::{box_, box_open, box_seal_open, secretbox, secretbox_open};

#[cfg(all(feature = "alloc", feature = "getrandom"))]
#[cfg_attr(docsrs, doc(cfg(all(feature = "alloc", feature = "getrandom"))))]
pub use attached::box_seal;
