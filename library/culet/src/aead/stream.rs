//! Files and other long messages, sealed segment by segment: STREAM (V. T. Hoang, R. Reyhanitabar, P. Rogaway, D. Vizár, "Online
//! Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance", 2015) over [`XChaCha20Poly1305`].
//!
//! A segment is as long as the caller likes, 64 KiB say. The nonce of a segment is 19 bytes of the whole message's nonce, the number of the
//! segment in four bytes, most significant first, and one byte that is 1 for the last segment and 0 for all others. So a message that was cut
//! off, or whose segments were changed, repeated, left out or reordered, does not open to its end. **Do not act on the first segments before
//! the last one is opened**: the message may have been cut off. One key must never seal two messages under one nonce.
//!
//! ```
//! use culet::aead::XChaCha20Poly1305Key;
//! use culet::aead::stream::{Nonce, Opener, Sealer};
//!
//! # fn main() -> Result<(), culet::Error> {
//! // Random bytes; `generate()` of both with the feature `getrandom`. The nonce is stored before the segments.
//! let (key, nonce) = (XChaCha20Poly1305Key::from_bytes([1; 32]), Nonce::from_bytes([2; 19]));
//! let (mut first, mut second) = (*b"a segment", *b"the last");
//! let mut sealer = Sealer::new(&key, &nonce);
//! let first_tag = sealer.seal_in_place(b"", &mut first)?;
//! let last_tag = sealer.seal_last_in_place(b"", &mut second)?;
//!
//! let mut opener = Opener::new(&key, &nonce);
//! opener.open_in_place(b"", &mut first, &first_tag)?;
//! // The segment before the end of a file must be the last one.
//! opener.open_last_in_place(b"", &mut second, &last_tag)?;
//! assert_eq!((&first, &second), (b"a segment", b"the last"));
//! # Ok(())
//! # }
//! ```

use super::{XChaCha20Poly1305, XChaCha20Poly1305Key, XChaCha20Poly1305Nonce, XChaCha20Poly1305Tag};
use crate::bytes::{copy, generate, public};
use crate::error::Error;

public!(
    /// The nonce of a whole message, 19 bytes, which may be random.
    Nonce,
    19,
    PartialEq,
    Eq,
    Hash
);
generate!(Nonce);

/// How many segments a message has at most, 2^32: their numbers have 32 bits.
pub const SEGMENT_LIMIT: u64 = 1 << 32;

/// Seals one message, segment by segment, each with a tag of 16 bytes: STREAM, as the [module](self) says.
#[derive(Debug)]
pub struct Sealer {
    cipher: XChaCha20Poly1305,
    place: Place,
}

/// Opens one message, segment by segment: STREAM, as the [module](self) says. **After an error it opens nothing any more.**
#[derive(Debug)]
pub struct Opener {
    cipher: XChaCha20Poly1305,
    place: Place,
}

/// The nonce of a message, and the number of its next segment.
#[derive(Debug)]
struct Place {
    nonce: [u8; 19],
    /// None after a segment that did not open.
    next: Option<u32>,
}

impl Sealer {
    /// Begins a message of STREAM with a key of 32 bytes and a nonce of 19.
    #[must_use]
    pub fn new(key: &XChaCha20Poly1305Key, nonce: &Nonce) -> Self {
        Self { cipher: XChaCha20Poly1305::new(key), place: Place::new(nonce) }
    }

    /// Encrypts the next segment of STREAM in place, which is not the last one; the tag of 16 bytes authenticates it and `additional`, and is stored with it.
    ///
    /// # Errors
    ///
    /// The segment is longer than [`XChaCha20Poly1305::MESSAGE_LIMIT`], or only the last segment is left of [`SEGMENT_LIMIT`]:
    /// [`Reason::Limit`](crate::Reason::Limit). Nothing is changed then.
    pub fn seal_in_place(&mut self, additional: &[u8], segment: &mut [u8]) -> Result<XChaCha20Poly1305Tag, Error> {
        let (nonce, next) = self.place.followed()?;
        let tag = self.cipher.seal_in_place(&nonce, additional, segment)?;
        self.place.next = Some(next);
        Ok(tag)
    }

    /// Encrypts the last segment of STREAM in place, which may be empty; the tag has 16 bytes.
    ///
    /// # Errors
    ///
    /// The segment is longer than [`XChaCha20Poly1305::MESSAGE_LIMIT`]: [`Reason::Limit`](crate::Reason::Limit). Nothing is changed then, but the message has no end.
    pub fn seal_last_in_place(self, additional: &[u8], segment: &mut [u8]) -> Result<XChaCha20Poly1305Tag, Error> {
        self.cipher.seal_in_place(&self.place.last()?, additional, segment)
    }
}

impl Opener {
    /// Begins a message of STREAM with a key of 32 bytes and a nonce of 19.
    #[must_use]
    pub fn new(key: &XChaCha20Poly1305Key, nonce: &Nonce) -> Self {
        Self { cipher: XChaCha20Poly1305::new(key), place: Place::new(nonce) }
    }

    /// Decrypts the next segment of STREAM in place, which is not the last one.
    ///
    /// # Errors
    ///
    /// The segment or its tag is not what was sealed at this place, or it was sealed as the last one, or one before it did not open:
    /// [`Reason::Rejected`](crate::Reason::Rejected). The segment is longer than what can be sealed, or must be the last one, since [`SEGMENT_LIMIT`] is
    /// reached: [`Reason::Limit`](crate::Reason::Limit). The segment is all zeros then.
    pub fn open_in_place(
        &mut self,
        additional: &[u8],
        segment: &mut [u8],
        tag: &XChaCha20Poly1305Tag,
    ) -> Result<(), Error> {
        let place = self.place.followed();
        self.place.next = None;
        let (nonce, next) = place.inspect_err(|_| erase(segment))?;
        self.cipher.open_in_place(&nonce, additional, segment, tag)?;
        self.place.next = Some(next);
        Ok(())
    }

    /// Decrypts the last segment of STREAM in place.
    ///
    /// # Errors
    ///
    /// The segment or its tag is not what was sealed as the last one at this place, which is so if the message was cut off, or one before it did
    /// not open: [`Reason::Rejected`](crate::Reason::Rejected). The segment is longer than what can be sealed: [`Reason::Limit`](crate::Reason::Limit). The segment is all
    /// zeros then.
    pub fn open_last_in_place(
        self,
        additional: &[u8],
        segment: &mut [u8],
        tag: &XChaCha20Poly1305Tag,
    ) -> Result<(), Error> {
        let nonce = self.place.last().inspect_err(|_| erase(segment))?;
        self.cipher.open_in_place(&nonce, additional, segment, tag)
    }
}

#[cfg(feature = "alloc")]
mod attached {
    use alloc::vec::Vec;

    use super::{Opener, Sealer};
    use crate::aead::XChaCha20Poly1305Tag;
    use crate::error::Error;

    impl Sealer {
        /// The next segment of STREAM, encrypted, and 16 bytes of tag after it. It is not the last one.
        ///
        /// # Errors
        ///
        /// Those of [`seal_in_place`](Self::seal_in_place).
        #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
        pub fn seal(&mut self, additional: &[u8], segment: &[u8]) -> Result<Vec<u8>, Error> {
            attach(segment, |segment| self.seal_in_place(additional, segment))
        }

        /// The last segment of STREAM, encrypted, and 16 bytes of tag after it.
        ///
        /// # Errors
        ///
        /// Those of [`seal_last_in_place`](Self::seal_last_in_place).
        #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
        pub fn seal_last(self, additional: &[u8], segment: &[u8]) -> Result<Vec<u8>, Error> {
            attach(segment, |segment| self.seal_last_in_place(additional, segment))
        }
    }

    impl Opener {
        /// The next segment of STREAM, which [`Sealer::seal`] sealed: it is not the last one, and 16 bytes shorter than `sealed`.
        ///
        /// # Errors
        ///
        /// Those of [`open_in_place`](Self::open_in_place).
        #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
        pub fn open(&mut self, additional: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
            detach(sealed, |segment, tag| self.open_in_place(additional, segment, tag))
        }

        /// The last segment of STREAM, which [`Sealer::seal_last`] sealed: it is 16 bytes shorter than `sealed`.
        ///
        /// # Errors
        ///
        /// Those of [`open_last_in_place`](Self::open_last_in_place).
        #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
        pub fn open_last(self, additional: &[u8], sealed: &[u8]) -> Result<Vec<u8>, Error> {
            detach(sealed, |segment, tag| self.open_last_in_place(additional, segment, tag))
        }
    }

    fn attach(
        segment: &[u8],
        seal: impl FnOnce(&mut [u8]) -> Result<XChaCha20Poly1305Tag, Error>,
    ) -> Result<Vec<u8>, Error> {
        let mut sealed = Vec::with_capacity(segment.len().saturating_add(16));
        sealed.extend_from_slice(segment);
        let tag = seal(&mut sealed)?;
        sealed.extend_from_slice(&tag.0);
        Ok(sealed)
    }

    /// Splits the tag off and opens the segment. Bytes that are too few for a tag get a tag of zeros, so that neither they nor any later segment
    /// opens.
    fn detach(
        sealed: &[u8],
        open: impl FnOnce(&mut [u8], &XChaCha20Poly1305Tag) -> Result<(), Error>,
    ) -> Result<Vec<u8>, Error> {
        let (segment, tag) = sealed.split_last_chunk::<16>().unwrap_or((&[], &[0; 16]));
        let mut segment = segment.to_vec();
        open(&mut segment, &XChaCha20Poly1305Tag(*tag))?;
        Ok(segment)
    }
}

impl zeroize::ZeroizeOnDrop for Sealer {}
impl zeroize::ZeroizeOnDrop for Opener {}

impl Place {
    fn new(nonce: &Nonce) -> Self {
        Self { nonce: nonce.0, next: Some(0) }
    }

    /// Returns the nonce of the next segment, if others follow it, and the number after it.
    fn followed(&self) -> Result<(XChaCha20Poly1305Nonce, u32), Error> {
        let number = self.next.ok_or(Error::REJECTED)?;
        Ok((self.nonce(number, 0), number.checked_add(1).ok_or(Error::LIMIT)?))
    }

    /// Returns the nonce of the next segment as the last one.
    fn last(&self) -> Result<XChaCha20Poly1305Nonce, Error> {
        Ok(self.nonce(self.next.ok_or(Error::REJECTED)?, 1))
    }

    fn nonce(&self, number: u32, last: u8) -> XChaCha20Poly1305Nonce {
        let mut nonce = XChaCha20Poly1305Nonce([0; 24]);
        let (whole, rest) = nonce.0.split_at_mut(19);
        let (counter, flag) = rest.split_at_mut(4);
        copy(whole, &self.nonce);
        copy(counter, &number.to_be_bytes());
        copy(flag, &[last]);
        nonce
    }
}

fn erase(segment: &mut [u8]) {
    zeroize::Zeroize::zeroize(segment);
}

#[cfg(test)]
mod tests {
    use super::{Nonce, Opener, Sealer};
    use crate::aead::{XChaCha20Poly1305Key, XChaCha20Poly1305Tag};

    /// Number 2^32 − 1 is for the last segment only, and no number is used twice.
    #[test]
    fn segments_end_where_their_numbers_do() {
        let (key, nonce) = (XChaCha20Poly1305Key::from_bytes([1; 32]), Nonce::from_bytes([2; 19]));
        let (mut sealer, mut opener) = (Sealer::new(&key, &nonce), Opener::new(&key, &nonce));
        sealer.place.next = Some(u32::MAX - 1);
        opener.place.next = Some(u32::MAX - 1);
        let mut segment = *b"segment";
        let tag = sealer.seal_in_place(b"", &mut segment).expect("the last but one");
        opener.open_in_place(b"", &mut segment, &tag).expect("it is right");
        assert!(sealer.seal_in_place(b"", &mut segment).is_err());
        assert_eq!(&segment, b"segment");
        let tag = sealer.seal_last_in_place(b"", &mut segment).expect("the last one");
        opener.open_last_in_place(b"", &mut segment, &tag).expect("it is right");
        assert_eq!(&segment, b"segment");

        let mut opener = Opener::new(&key, &nonce);
        opener.place.next = Some(u32::MAX);
        assert!(opener.open_in_place(b"", &mut segment, &XChaCha20Poly1305Tag::from_bytes([0; 16])).is_err());
        assert_eq!(segment, [0; 7]);
    }
}
