//! NaCl's secret-key boxes: XSalsa20-Poly1305 (D. J. Bernstein, "Cryptography in NaCl", 2009, sections 7, 9 and 10).
//!
//! A sealed message can neither be read nor changed without the key. **One key must never seal two messages under one nonce**; nonces of
//! 24 bytes may be random. For data beside the message there is [`aead`](crate::aead).
//!
//! ```
//! use culet::secretbox::{Key, Nonce, SecretBox};
//!
//! # fn main() -> Result<(), culet::Error> {
//! // Random bytes; `generate()` of both with the feature `getrandom`.
//! let cipher = SecretBox::new(&Key::from_bytes([1; 32]));
//! let nonce = Nonce::from_bytes([2; 24]);
//!
//! let mut buffer = *b"a secret";
//! let tag = cipher.seal_in_place(&nonce, &mut buffer)?;
//! cipher.open_in_place(&nonce, &mut buffer, &tag)?;
//! assert_eq!(&buffer, b"a secret");
//! # Ok(())
//! # }
//! ```

use zeroize::Zeroize;

use crate::bytes::{Erased, generate, public, secret};
use crate::error::{Error, accept, both, require};
use crate::low;
use crate::stream::{self, Salsa};

/// How many bytes a message has at most, 2^64 − 33: those of the key stream but the first 32, which are the key of Poly1305.
pub const MESSAGE_LIMIT: u64 = u64::MAX - 32;

secret!(
    /// A key of [`SecretBox`], 32 bytes.
    Key,
    32,
    Clone
);
generate!(Key);

public!(
    /// A nonce of [`SecretBox`], 24 bytes.
    Nonce,
    24,
    PartialEq,
    Eq,
    Hash
);
generate!(Nonce);

public!(
    /// A tag of [`SecretBox`], 16 bytes. NaCl puts it before the encrypted message.
    Tag,
    16
);

/// XSalsa20-Poly1305 with a key of 32 bytes, nonces of 24 and tags of 16: "Cryptography in NaCl", sections 7, 9 and 10.
#[derive(Clone, Debug)]
pub struct SecretBox {
    key: Key,
}

impl SecretBox {
    /// The cipher with a key of 32 bytes: "Cryptography in NaCl", section 7.
    #[must_use]
    pub fn new(key: &Key) -> Self {
        Self { key: key.clone() }
    }

    /// Encrypts `buffer` in place: "Cryptography in NaCl", sections 9 and 10. The tag of 16 bytes authenticates it, and is sent with it.
    ///
    /// # Errors
    ///
    /// The message is longer than [`MESSAGE_LIMIT`]: [`Reason::Limit`](crate::Reason::Limit). Nothing is changed then.
    pub fn seal_in_place(&self, nonce: &Nonce, buffer: &mut [u8]) -> Result<Tag, Error> {
        require(buffer.len() as u64 <= MESSAGE_LIMIT, Error::LIMIT)?;
        let cipher = Salsa::extended(&self.key.0, &nonce.0);
        let tag = stream::seal(buffer, 32, |block, text| cipher.apply(block, text), None);
        Ok(Tag(tag.0))
    }

    /// Decrypts `buffer` in place, once its tag is found right: "Cryptography in NaCl", sections 9 and 10.
    ///
    /// # Errors
    ///
    /// The buffer, the nonce or the tag is not what was sealed: [`Reason::Rejected`](crate::Reason::Rejected). The message is longer than
    /// [`MESSAGE_LIMIT`]: [`Reason::Limit`](crate::Reason::Limit). The buffer is all zeros then.
    pub fn open_in_place(&self, nonce: &Nonce, buffer: &mut [u8], tag: &Tag) -> Result<(), Error> {
        self.open_in_place_if(true, nonce, buffer, tag)
    }

    /// As [`open_in_place`](Self::open_in_place); the message is rejected if the key is not good, in the time of another tag.
    pub(crate) fn open_in_place_if(
        &self,
        is_good: bool,
        nonce: &Nonce,
        buffer: &mut [u8],
        tag: &Tag,
    ) -> Result<(), Error> {
        let cipher = Salsa::extended(&self.key.0, &nonce.0);
        let accepts = |found: &Erased<16>| accept(both(is_good, low::equal_16(&found.0, &tag.0)));
        let opened = require(buffer.len() as u64 <= MESSAGE_LIMIT, Error::LIMIT)
            .and_then(|()| stream::open(buffer, 32, |block, text| cipher.apply(block, text), None, accepts));
        if opened.is_err() {
            buffer.zeroize();
        }
        opened
    }

    /// The tag, 16 bytes, and the encrypted message after it, as NaCl has them: "Cryptography in NaCl", sections 9 and 10.
    ///
    /// # Errors
    ///
    /// The message is longer than [`MESSAGE_LIMIT`]: [`Reason::Limit`](crate::Reason::Limit).
    #[cfg(feature = "alloc")]
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    pub fn seal(&self, nonce: &Nonce, message: &[u8]) -> Result<alloc::vec::Vec<u8>, Error> {
        let mut sealed = alloc::vec::Vec::with_capacity(message.len().saturating_add(16));
        sealed.extend_from_slice(&[0; 16]);
        sealed.extend_from_slice(message);
        if let Some((room, encrypted)) = sealed.split_first_chunk_mut::<16>() {
            *room = self.seal_in_place(nonce, encrypted)?.0;
        }
        Ok(sealed)
    }

    /// The message of which [`seal`](Self::seal) made `sealed`, 16 bytes longer: "Cryptography in NaCl", sections 9 and 10.
    ///
    /// # Errors
    ///
    /// The bytes are fewer than the 16 of a tag: [`Reason::Length`](crate::Reason::Length). Or those of [`open_in_place`](Self::open_in_place).
    #[cfg(feature = "alloc")]
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    pub fn open(&self, nonce: &Nonce, sealed: &[u8]) -> Result<alloc::vec::Vec<u8>, Error> {
        let (tag, encrypted) = sealed.split_first_chunk::<16>().ok_or(Error::LENGTH)?;
        let mut message = encrypted.to_vec();
        self.open_in_place(nonce, &mut message, &Tag(*tag))?;
        Ok(message)
    }
}

impl zeroize::ZeroizeOnDrop for SecretBox {}
