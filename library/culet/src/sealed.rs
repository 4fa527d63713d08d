//! Sealed boxes: messages for the owner of a public key from somebody whom the box does not name (libsodium, `crypto_box_seal`).
//!
//! Whoever seals makes a key pair for one message and forgets its secret key: nobody but the recipient can open the box afterwards, and
//! the recipient learns nothing about who sealed it. **Anybody can seal**: for messages from somebody known there is
//! [`nacl::box_`](crate::nacl).
//!
//! ```
//! use culet::sealed;
//! use culet::x25519::SecretKey;
//!
//! # fn main() -> Result<(), culet::Error> {
//! let recipient = SecretKey::from_bytes([1; 32]);
//! // 32 new random bytes for each message; `SecretKey::generate()` with the feature `getrandom`.
//! let ephemeral = SecretKey::from_bytes([2; 32]);
//!
//! let mut buffer = *b"a secret";
//! let header = sealed::seal_in_place(&mut buffer, &recipient.public_key(), ephemeral)?;
//! sealed::open_in_place(&mut buffer, &header, &recipient)?;
//! assert_eq!(&buffer, b"a secret");
//! # Ok(())
//! # }
//! ```

use crate::bytes::{copy, public};
use crate::error::Error;
use crate::hash::Blake2b;
use crate::nacl;
use crate::secretbox::{Nonce, Tag};
use crate::x25519::{PublicKey, SecretKey};

public!(
    /// The header of a sealed box, 48 bytes, which stands before the encrypted message: the public key that was made for it, and the tag.
    Header,
    48
);

/// Encrypts `buffer` in place for the owner of `recipient`, as libsodium's `crypto_box_seal` does; the header of 48 bytes is sent with it. The key `ephemeral` must be new and random for each
/// message, and is gone with it.
///
/// # Errors
///
/// Everybody knows the shared secret, since `recipient` is a point of small order: [`Reason::Key`](crate::Reason::Key), and the buffer is all zeros. The
/// message is longer than [`secretbox::MESSAGE_LIMIT`](crate::secretbox::MESSAGE_LIMIT): [`Reason::Limit`](crate::Reason::Limit), and nothing is changed.
pub fn seal_in_place(buffer: &mut [u8], recipient: &PublicKey, ephemeral: SecretKey) -> Result<Header, Error> {
    let sender = ephemeral.public_key();
    let tag = nacl::box_detached(buffer, &nonce(&sender, recipient), recipient, &ephemeral)?;
    let mut header = Header([0; 48]);
    let (key, room) = header.0.split_at_mut(32);
    copy(key, &sender.0);
    copy(room, &tag.0);
    Ok(header)
}

/// Decrypts `buffer` in place with the recipient's secret key, as libsodium's `crypto_box_seal_open` does.
///
/// # Errors
///
/// The buffer or the header is not what was sealed for this recipient: [`Reason::Rejected`](crate::Reason::Rejected), or, if the public key in the header is
/// of small order, [`Reason::Key`](crate::Reason::Key). The buffer is all zeros then.
pub fn open_in_place(buffer: &mut [u8], header: &Header, recipient: &SecretKey) -> Result<(), Error> {
    let (mut sender, mut tag) = (PublicKey([0; 32]), Tag([0; 16]));
    let (key, rest) = header.0.split_at(32);
    copy(&mut sender.0, key);
    copy(&mut tag.0, rest);
    nacl::box_open_detached(buffer, &tag, &nonce(&sender, &recipient.public_key()), &sender, recipient)
}

/// The header of 48 bytes and the encrypted message after it, as libsodium has them.
///
/// # Errors
///
/// Those of [`seal_in_place`].
#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
pub fn seal(message: &[u8], recipient: &PublicKey, ephemeral: SecretKey) -> Result<alloc::vec::Vec<u8>, Error> {
    let mut sealed = alloc::vec::Vec::with_capacity(message.len().saturating_add(48));
    sealed.extend_from_slice(&[0; 48]);
    sealed.extend_from_slice(message);
    if let Some((room, encrypted)) = sealed.split_first_chunk_mut::<48>() {
        *room = seal_in_place(encrypted, recipient, ephemeral)?.0;
    }
    Ok(sealed)
}

/// The message of which [`seal`] made `sealed`, 48 bytes longer: libsodium's `crypto_box_seal_open`.
///
/// # Errors
///
/// The bytes are fewer than the 48 of a header: [`Reason::Length`](crate::Reason::Length). Or those of [`open_in_place`].
#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
pub fn open(sealed: &[u8], recipient: &SecretKey) -> Result<alloc::vec::Vec<u8>, Error> {
    let (header, encrypted) = sealed.split_first_chunk::<48>().ok_or(Error::LENGTH)?;
    let mut message = encrypted.to_vec();
    open_in_place(&mut message, &Header(*header), recipient)?;
    Ok(message)
}

/// Returns the nonce of a box: BLAKE2b of both public keys, 24 bytes.
fn nonce(sender: &PublicKey, recipient: &PublicKey) -> Nonce {
    let mut hash = Blake2b::<24>::new();
    hash.update(&sender.0);
    hash.update(&recipient.0);
    Nonce(hash.finalize())
}
