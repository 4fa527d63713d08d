//! Authenticated encryption: ChaCha20-Poly1305 (RFC 8439, section 2.8), XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), AES-GCM (NIST SP
//! 800-38D) with keys of 128 and 256 bits, and Ascon-AEAD128 (NIST SP 800-232), which is for small machines. [`stream`] has files and other
//! long messages, and [`secretstream`] those of libsodium.
//!
//! A sealed message can neither be read nor changed without the key; data that belong to it and are not secret are authenticated
//! with it. **One key must never seal two messages under one nonce.** Take [`XChaCha20Poly1305`] with random nonces, or
//! [`ChaCha20Poly1305`] with nonces that count, as [`NonceCounter`] does.
//!
//! ```
//! use culet::aead::{XChaCha20Poly1305, XChaCha20Poly1305Key, XChaCha20Poly1305Nonce};
//!
//! # fn main() -> Result<(), culet::Error> {
//! // Random bytes; `generate()` of both with the feature `getrandom`.
//! let cipher = XChaCha20Poly1305::new(&XChaCha20Poly1305Key::from_bytes([1; 32]));
//! let nonce = XChaCha20Poly1305Nonce::from_bytes([2; 24]);
//!
//! let mut buffer = *b"a secret";
//! let tag = cipher.seal_in_place(&nonce, b"header", &mut buffer)?;
//! cipher.open_in_place(&nonce, b"header", &mut buffer, &tag)?;
//! assert_eq!(&buffer, b"a secret");
//!
//! let mut forged = buffer;
//! assert!(cipher.open_in_place(&nonce, b"header", &mut forged, &tag).is_err());
//! # Ok(())
//! # }
//! ```
//!
//! The ciphers of TLS 1.3 are `AES_128_GCM`, `AES_256_GCM` and `CHACHA20_POLY1305`. A record's nonce is made of the number of the record and
//! the connection's write IV (RFC 8446, section 5.3):
//!
//! ```
//! use culet::aead::{Aes128Gcm, Aes128GcmKey, Aes128GcmNonce};
//!
//! # fn main() -> Result<(), culet::Error> {
//! let (key, mut nonce, record) = ([1; 16], [2; 12], 7u64);
//! for (byte, number) in nonce[4..].iter_mut().zip(record.to_be_bytes()) {
//!     *byte ^= number;
//! }
//! let (cipher, nonce) = (Aes128Gcm::new(&Aes128GcmKey::from_bytes(key)), Aes128GcmNonce::from_bytes(nonce));
//!
//! let mut buffer = *b"the content and its type";
//! let header = [0x17, 3, 3, 0, 40];
//! let tag = cipher.seal_in_place(&nonce, &header, &mut buffer)?;
//! cipher.open_in_place(&nonce, &header, &mut buffer, &tag)?;
//! assert_eq!(&buffer, b"the content and its type");
//! # Ok(())
//! # }
//! ```

mod ascon;
mod chacha;
mod gcm;
pub mod secretstream;
pub mod stream;

use self::ascon::Ascon;
use crate::bytes::{copy, generate, public, secret};
use crate::error::{Error, require};

/// How many bytes a message of [`ChaCha20Poly1305`] and [`XChaCha20Poly1305`] has at most: 2^38 − 64, which are 2^32 − 1 blocks, since block 0
/// makes the key of Poly1305 (RFC 8439, section 2.8).
pub const MESSAGE_LIMIT: u64 = ((1 << 32) - 1) * 64;

/// NIST SP 800-38D, section 5.2.1.1: 2^32 − 2 blocks, since the counters 0 and 1 are for other purposes.
const GCM_MESSAGE_LIMIT: u64 = ((1 << 32) - 2) * 16;

/// NIST SP 800-38D, section 5.2.1.1: fewer than 2^64 bits.
const GCM_ADDITIONAL_LIMIT: u64 = (1 << 61) - 1;

/// The lengths of the additional data and of the message, as a cipher writes them.
fn lengths(additional: &[u8], message: &[u8], written: impl Fn(u64) -> [u8; 8]) -> [u8; 16] {
    let mut lengths = [0; 16];
    let (first, second) = lengths.split_at_mut(8);
    copy(first, &written(additional.len() as u64));
    copy(second, &written(message.len() as u64));
    lengths
}

macro_rules! aead {
    (
        $(#[$about:meta])* $name:ident, $standard:literal, $limit_said:literal, $additional_limit_said:literal,
        $(#[$about_key:meta])* $key:ident, $key_length:literal,
        $(#[$about_nonce:meta])* $nonce:ident, $nonce_length:literal,
        $(#[$about_tag:meta])* $tag:ident,
        $prepared:ty, $prepare:path, $limit:expr, $additional_limit:expr, $start:path
    ) => {
        secret!($(#[$about_key])* $key, $key_length, Clone);
        generate!($key);
        public!($(#[$about_nonce])* $nonce, $nonce_length, PartialEq, Eq, Hash);
        public!($(#[$about_tag])* $tag, 16);

        $(#[$about])*
        #[derive(Clone, Debug)]
        pub struct $name {
            key: $prepared,
        }

        impl $name {
            #[doc = concat!("How many bytes a message has at most, ", $limit_said, ": ", $standard, ".")]
            pub const MESSAGE_LIMIT: u64 = $limit;

            #[doc = concat!("How many bytes the additional data of a message have at most, ", $additional_limit_said, ": ", $standard, ".")]
            pub const ADDITIONAL_LIMIT: u64 = $additional_limit;

            #[doc = concat!("The cipher with a key of ", $key_length, " bytes: ", $standard, ".")]
            #[must_use]
            pub fn new(key: &$key) -> Self {
                Self { key: $prepare(key) }
            }

            #[doc = concat!("Encrypts `buffer` in place: ", $standard, ".")]
            /// The tag of 16 bytes authenticates it and `additional`, and is sent with it.
            ///
            /// # Errors
            ///
            /// The message is longer than [`MESSAGE_LIMIT`](Self::MESSAGE_LIMIT), or `additional` than
            /// [`ADDITIONAL_LIMIT`](Self::ADDITIONAL_LIMIT): [`Reason::Limit`](crate::Reason::Limit). Nothing is changed then.
            pub fn seal_in_place(&self, nonce: &$nonce, additional: &[u8], buffer: &mut [u8]) -> Result<$tag, Error> {
                Self::accept_lengths(additional.len(), buffer.len())?;
                Ok($tag($start(&self.key, &nonce.0).seal(additional, buffer)))
            }

            #[doc = concat!("Decrypts `buffer` in place, and keeps the text only if its tag is right: ", $standard, ".")]
            /// Until the call ends, a buffer that others see may hold a text
            /// that is not authentic.
            ///
            /// # Errors
            ///
            /// The buffer, `additional`, the nonce or the tag is not what was sealed: [`Reason::Rejected`](crate::Reason::Rejected). The buffer or `additional`
            /// is longer than what can be sealed: [`Reason::Limit`](crate::Reason::Limit). The buffer is all zeros then.
            pub fn open_in_place(
                &self,
                nonce: &$nonce,
                additional: &[u8],
                buffer: &mut [u8],
                tag: &$tag,
            ) -> Result<(), Error> {
                let opened = Self::accept_lengths(additional.len(), buffer.len())
                    .and_then(|()| $start(&self.key, &nonce.0).open(additional, buffer, &tag.0));
                if opened.is_err() {
                    zeroize::Zeroize::zeroize(buffer);
                }
                opened
            }

            fn accept_lengths(additional: usize, message: usize) -> Result<(), Error> {
                let (additional, message) = (additional as u64, message as u64);
                require(message <= Self::MESSAGE_LIMIT && additional <= Self::ADDITIONAL_LIMIT, Error::LIMIT)
            }

            #[doc = concat!("The encrypted message, and 16 bytes of tag after it: ", $standard, ".")]
            ///
            /// # Errors
            ///
            /// Those of [`seal_in_place`](Self::seal_in_place).
            #[cfg(feature = "alloc")]
            #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
            pub fn seal(
                &self,
                nonce: &$nonce,
                additional: &[u8],
                message: &[u8],
            ) -> Result<alloc::vec::Vec<u8>, Error> {
                let mut sealed = alloc::vec::Vec::with_capacity(message.len().saturating_add(16));
                sealed.extend_from_slice(message);
                let tag = self.seal_in_place(nonce, additional, &mut sealed)?;
                sealed.extend_from_slice(&tag.0);
                Ok(sealed)
            }

            #[doc = concat!("The message of which [`seal`](Self::seal) made `sealed`, 16 bytes longer: ", $standard, ".")]
            ///
            /// # Errors
            ///
            /// The bytes are fewer than the 16 of a tag: [`Reason::Length`](crate::Reason::Length). Or those of [`open_in_place`](Self::open_in_place).
            #[cfg(feature = "alloc")]
            #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
            pub fn open(
                &self,
                nonce: &$nonce,
                additional: &[u8],
                sealed: &[u8],
            ) -> Result<alloc::vec::Vec<u8>, Error> {
                let (message, tag) = sealed.split_last_chunk::<16>().ok_or(Error::LENGTH)?;
                let mut message = message.to_vec();
                self.open_in_place(nonce, additional, &mut message, &$tag(*tag))?;
                Ok(message)
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}
    };
}

aead!(
    /// ChaCha20-Poly1305 with keys of 32 bytes, nonces of 12 bytes and tags of 16 bytes: RFC 8439, section 2.8.
    ChaCha20Poly1305, "RFC 8439, section 2.8", "2^38 − 64", "2^64 − 1",
    /// A key of [`ChaCha20Poly1305`], 32 bytes.
    ChaCha20Poly1305Key, 32,
    /// A nonce of [`ChaCha20Poly1305`], 12 bytes: too few to be chosen at random. [`NonceCounter`] counts them; [`XChaCha20Poly1305`] has nonces
    /// that may be random.
    ChaCha20Poly1305Nonce, 12,
    /// A tag of [`ChaCha20Poly1305`], 16 bytes.
    ChaCha20Poly1305Tag,
    ChaCha20Poly1305Key, Clone::clone, MESSAGE_LIMIT, u64::MAX, chacha::message
);

aead!(
    /// ChaCha20-Poly1305 with keys of 32 bytes, nonces of 24 bytes, which may be random, and tags of 16 bytes: draft-irtf-cfrg-xchacha-03, section 2.
    XChaCha20Poly1305, "draft-irtf-cfrg-xchacha-03, section 2", "2^38 − 64", "2^64 − 1",
    /// A key of [`XChaCha20Poly1305`], 32 bytes.
    XChaCha20Poly1305Key, 32,
    /// A nonce of [`XChaCha20Poly1305`], 24 bytes.
    XChaCha20Poly1305Nonce, 24,
    /// A tag of [`XChaCha20Poly1305`], 16 bytes.
    XChaCha20Poly1305Tag,
    XChaCha20Poly1305Key, Clone::clone, MESSAGE_LIMIT, u64::MAX, chacha::extended_message
);
generate!(XChaCha20Poly1305Nonce);

aead!(
    /// AES-128-GCM with nonces of 12 bytes: NIST SP 800-38D, section 7, and RFC 5116, section 5.1. Under one key, of which the type holds
    /// the round keys, at most 2^32 messages may have random nonces (section 8.3).
    Aes128Gcm, "NIST SP 800-38D, section 7", "2^36 − 32", "2^61 − 1",
    /// A key of [`Aes128Gcm`], 16 bytes.
    Aes128GcmKey, 16,
    /// A nonce of [`Aes128Gcm`], 12 bytes, which should count messages.
    Aes128GcmNonce, 12,
    /// A tag of [`Aes128Gcm`], 16 bytes.
    Aes128GcmTag,
    gcm::Aes128, gcm::aes128, GCM_MESSAGE_LIMIT, GCM_ADDITIONAL_LIMIT, gcm::aes128_message
);

aead!(
    /// AES-256-GCM with nonces of 12 bytes: NIST SP 800-38D, section 7, and RFC 5116, section 5.2. Under one key, of which the type holds
    /// the round keys, at most 2^32 messages may have random nonces (section 8.3).
    Aes256Gcm, "NIST SP 800-38D, section 7", "2^36 − 32", "2^61 − 1",
    /// A key of [`Aes256Gcm`], 32 bytes.
    Aes256GcmKey, 32,
    /// A nonce of [`Aes256Gcm`], 12 bytes, which should count messages.
    Aes256GcmNonce, 12,
    /// A tag of [`Aes256Gcm`], 16 bytes.
    Aes256GcmTag,
    gcm::Aes256, gcm::aes256, GCM_MESSAGE_LIMIT, GCM_ADDITIONAL_LIMIT, gcm::aes256_message
);

aead!(
    /// Ascon-AEAD128 with keys and nonces of 16 bytes: NIST SP 800-232, section 4. One key is for 2^54 bytes of messages and additional data
    /// in all.
    AsconAead128, "NIST SP 800-232, section 4.1", "2^54", "2^54",
    /// A key of [`AsconAead128`], 16 bytes.
    AsconAead128Key, 16,
    /// A nonce of [`AsconAead128`], 16 bytes, which may be random.
    AsconAead128Nonce, 16,
    /// A tag of [`AsconAead128`], 16 bytes.
    AsconAead128Tag,
    AsconAead128Key, Clone::clone, 1 << 54, 1 << 54, Ascon::new
);
generate!(AsconAead128Nonce);

/// Nonces for [`ChaCha20Poly1305`], or of the same bytes for [`Aes128Gcm`] and [`Aes256Gcm`], that do not repeat within one counter: four bytes that tell senders under one key apart, then the
/// number of the message in eight bytes, least significant first. A second counter with the same four bytes needs another key, or
/// [resumes](Self::resume) where the first one ended.
///
/// ```
/// use culet::aead::NonceCounter;
///
/// # fn main() -> Result<(), culet::Error> {
/// let mut nonces = NonceCounter::new([0, 0, 0, 1]);
/// assert_ne!(nonces.next_nonce()?, nonces.next_nonce()?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct NonceCounter {
    sender: [u8; 4],
    /// None after the last one.
    next: Option<u64>,
}

impl NonceCounter {
    /// Begins with message 0 of a sender of 4 bytes. Counters are culet's own; RFC 5116, section 3.2, recommends such nonces.
    #[must_use]
    pub const fn new(sender: [u8; 4]) -> Self {
        Self { sender, next: Some(0) }
    }

    /// Goes on with a number, after a restart of the program, which is culet's own.
    ///
    /// That is safe only if no message of this sender under this key had this number or a greater one. Store the number before a message is
    /// sealed, not after it, and never take one from a backup: a number that was used already gives messages away. If in doubt, take another
    /// key or another sender.
    #[must_use]
    pub const fn resume(sender: [u8; 4], next: u64) -> Self {
        Self { sender, next: Some(next) }
    }

    /// The number of the next message, in the last 8 bytes of its nonce (RFC 5116, section 3.2); none if there were 2^64 already.
    #[must_use]
    pub const fn next_number(&self) -> Option<u64> {
        self.next
    }

    /// The nonce of the next message, 12 bytes: RFC 5116, section 3.2.
    ///
    /// # Errors
    ///
    /// There were 2^64 already: [`Reason::Limit`](crate::Reason::Limit).
    pub fn next_nonce(&mut self) -> Result<ChaCha20Poly1305Nonce, Error> {
        let number = self.next.ok_or(Error::LIMIT)?;
        self.next = number.checked_add(1);
        let mut nonce = ChaCha20Poly1305Nonce([0; 12]);
        let (sender, counter) = nonce.0.split_at_mut(4);
        copy(sender, &self.sender);
        copy(counter, &number.to_le_bytes());
        Ok(nonce)
    }
}

#[cfg(all(test, target_pointer_width = "64"))]
mod tests {
    use super::*;

    /// RFC 8439, section 2.8, also for XChaCha20, which counts as ChaCha20 does: 2^38 - 64 bytes; RFC 5116, section 5.1: 2^36 - 32 bytes.
    #[test]
    fn messages_that_are_too_long_are_refused() {
        let is_refused = |found: Result<(), Error>| found == Err(Error::LIMIT);
        assert!(ChaCha20Poly1305::accept_lengths(usize::MAX, (1 << 38) - 64).is_ok());
        assert!(is_refused(ChaCha20Poly1305::accept_lengths(0, (1 << 38) - 63)));
        assert!(XChaCha20Poly1305::accept_lengths(usize::MAX, (1 << 38) - 64).is_ok());
        assert!(is_refused(XChaCha20Poly1305::accept_lengths(0, (1 << 38) - 63)));
        assert!(Aes128Gcm::accept_lengths((1 << 61) - 1, (1 << 36) - 32).is_ok());
        assert!(is_refused(Aes128Gcm::accept_lengths(0, (1 << 36) - 31)));
        assert!(is_refused(Aes256Gcm::accept_lengths(1 << 61, 0)));
    }
}
