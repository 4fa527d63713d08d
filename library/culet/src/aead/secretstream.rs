//! Messages in order, byte for byte as libsodium's `crypto_secretstream_xchacha20poly1305` seals them (libsodium's documentation, "Encrypted
//! streams and file encryption"): XChaCha20, with a nonce that each message changes, and Poly1305.
//!
//! A message that was changed, repeated, left out or reordered does not open. Each message has a [`Kind`]; that the stream was not cut off is known
//! once a message of the kind [`Kind::FINAL`] has opened, **which the receiver must wait for**. **Two streams under one key must have different
//! headers**, which may be random. Take [`stream`](super::stream) where no program with libsodium is on the other side.
//!
//! ```
//! use culet::aead::secretstream::{Header, Key, Kind, Opener, Sealer};
//!
//! # fn main() -> Result<(), culet::Error> {
//! // Random bytes; `generate()` of both with the feature `getrandom`. The header is sent before the messages.
//! let (key, header) = (Key::from_bytes([1; 32]), Header::from_bytes([2; 24]));
//!
//! let mut sealer = Sealer::new(&key, &header);
//! let (mut first, mut last) = (*b"the first message", *b"the last one");
//! let seal_of_first = sealer.seal_in_place(Kind::MESSAGE, b"", &mut first)?;
//! let seal_of_last = sealer.seal_in_place(Kind::FINAL, b"", &mut last)?;
//!
//! let mut opener = Opener::new(&key, &header);
//! assert_eq!(opener.open_in_place(b"", &mut first, &seal_of_first)?, Kind::MESSAGE);
//! assert_eq!(opener.open_in_place(b"", &mut last, &seal_of_last)?, Kind::FINAL);
//! assert_eq!(&last, b"the last one");
//! # Ok(())
//! # }
//! ```

use zeroize::Zeroize;

use crate::bytes::{Erased, copy, copy_if, first, generate, hidden, public, secret};
use crate::error::{Error, require};
use crate::mac::{Poly1305, Poly1305Key, Poly1305Tag};
use crate::stream::{self, ChaCha};

/// How many bytes a message has at most, 2^38 − 128: 2^32 − 2 blocks, since block 0 makes the key of Poly1305 and block 1 encrypts the kind.
pub const MESSAGE_LIMIT: u64 = ((1 << 32) - 2) * 64;

secret!(
    /// A key of a stream, 32 bytes.
    Key,
    32,
    Clone
);
generate!(Key);

public!(
    /// The first 24 bytes of a stream, which are no secret. Each stream under a key has another header.
    Header,
    24,
    PartialEq,
    Eq,
    Hash
);
generate!(Header);

public!(
    /// The 17 bytes that are sent with an encrypted message: the encrypted kind, which libsodium puts before the message, and the tag, which
    /// it puts after the message.
    Seal,
    17
);

/// The role of a message for the program that receives it, which libsodium calls its tag: a byte, which is encrypted with the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kind(u8);

/// Seals the messages of one stream, each with 17 bytes more than its own: `crypto_secretstream_xchacha20poly1305_push` of libsodium.
#[derive(Debug)]
pub struct Sealer {
    state: State,
}

/// Opens the messages of one stream: `crypto_secretstream_xchacha20poly1305_pull` of libsodium.
#[derive(Debug)]
pub struct Opener {
    state: State,
}

impl Kind {
    /// A message that says nothing more.
    pub const MESSAGE: Kind = Kind(0);

    /// The last message of several that belong together.
    pub const PUSH: Kind = Kind(1);

    /// A message after which the key changes, so that who learns the new one cannot read it.
    pub const REKEY: Kind = Kind(2);

    /// The last message of the stream; the key changes after it, too.
    pub const FINAL: Kind = Kind(3);

    /// The kind of a byte, which is libsodium's tag. If bit 1 is set, the key changes after the message.
    #[must_use]
    pub const fn from_byte(byte: u8) -> Self {
        Self(byte)
    }

    /// The byte.
    #[must_use]
    pub const fn to_byte(self) -> u8 {
        self.0
    }
}

impl Sealer {
    /// Begins a stream with a key of 32 bytes and a header of 24, as libsodium's `crypto_secretstream_xchacha20poly1305_init_push` and `_init_pull` do.
    #[must_use]
    pub fn new(key: &Key, header: &Header) -> Self {
        Self { state: State::new(key, header) }
    }

    /// Encrypts the next message in place, as libsodium's `crypto_secretstream_xchacha20poly1305_push` does; the seal of 17 bytes authenticates it, its kind, its place and `additional`, and is sent with it.
    ///
    /// # Errors
    ///
    /// The message is longer than [`MESSAGE_LIMIT`]: [`Reason::Limit`](crate::Reason::Limit). Nothing is changed then.
    pub fn seal_in_place(&mut self, kind: Kind, additional: &[u8], message: &mut [u8]) -> Result<Seal, Error> {
        require(message.len() as u64 <= MESSAGE_LIMIT, Error::LIMIT)?;
        let block = self.state.encrypted(kind.0);
        self.state.apply(message);
        let tag = self.state.authenticate(additional, &block, message).finalize();
        self.state.go_on(kind, &tag);
        let mut seal = Seal([0; 17]);
        let (encrypted, rest) = seal.0.split_at_mut(1);
        copy(encrypted, &block);
        copy(rest, tag.as_bytes());
        Ok(seal)
    }

    /// Changes the key, as libsodium's `crypto_secretstream_xchacha20poly1305_rekey` does, so that who learns the new one cannot read what was sealed before. The other side does so at the same place.
    pub fn rekey(&mut self) {
        self.state.rekey();
    }
}

impl Opener {
    /// Begins a stream with a key of 32 bytes and a header of 24, as libsodium's `crypto_secretstream_xchacha20poly1305_init_push` and `_init_pull` do.
    #[must_use]
    pub fn new(key: &Key, header: &Header) -> Self {
        Self { state: State::new(key, header) }
    }

    /// Decrypts the next message in place, as libsodium's `crypto_secretstream_xchacha20poly1305_pull` does, and returns its kind.
    ///
    /// # Errors
    ///
    /// The message, its seal or the additional data is not what was sealed at this place: [`Reason::Rejected`](crate::Reason::Rejected). The message is
    /// longer than [`MESSAGE_LIMIT`]: [`Reason::Limit`](crate::Reason::Limit). The message is all zeros then, and the opener still waits for the one
    /// that was sealed.
    pub fn open_in_place(&mut self, additional: &[u8], message: &mut [u8], seal: &Seal) -> Result<Kind, Error> {
        let (encrypted, tag) = (seal.0.first_chunk::<1>(), seal.0.last_chunk::<16>());
        let ([encrypted], tag) = (encrypted.unwrap_or(&[0]), Poly1305Tag::from_bytes(*tag.unwrap_or(&[0; 16])));
        let mut block = self.state.encrypted(*encrypted);
        let [byte] = *block.first_chunk().unwrap_or(&[0]);
        copy(&mut block, &[*encrypted]);
        let is_short = require(message.len() as u64 <= MESSAGE_LIMIT, Error::LIMIT);
        let mac = self.state.authenticate(additional, &block, message);
        is_short.and_then(|()| mac.finalize_and_verify(&tag)).inspect_err(|_| message.zeroize())?;
        self.state.apply(message);
        self.state.go_on(Kind(byte), &tag);
        Ok(Kind(byte))
    }

    /// Changes the key where [`Sealer::rekey`] did: libsodium's `crypto_secretstream_xchacha20poly1305_rekey`.
    pub fn rekey(&mut self) {
        self.state.rekey();
    }
}

impl zeroize::ZeroizeOnDrop for Sealer {}
impl zeroize::ZeroizeOnDrop for Opener {}

#[cfg(feature = "alloc")]
mod attached {
    use alloc::vec::Vec;

    use super::{Kind, Opener, Seal, Sealer};
    use crate::bytes::copy;
    use crate::error::Error;

    impl Sealer {
        /// The next message, encrypted, with its kind before it and 16 bytes of tag after it, as libsodium has it.
        ///
        /// # Errors
        ///
        /// Those of [`seal_in_place`](Self::seal_in_place).
        #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
        pub fn seal(&mut self, kind: Kind, additional: &[u8], message: &[u8]) -> Result<Vec<u8>, Error> {
            let mut sealed = Vec::with_capacity(message.len().saturating_add(Seal::LENGTH));
            sealed.push(0);
            sealed.extend_from_slice(message);
            let (encrypted, rest) = sealed.split_at_mut(1);
            let seal = self.seal_in_place(kind, additional, rest)?;
            copy(encrypted, &seal.0);
            sealed.extend_from_slice(seal.0.get(1..).unwrap_or_default());
            Ok(sealed)
        }
    }

    impl Opener {
        /// The next message, which [`Sealer::seal`] sealed, as libsodium has it, 17 bytes shorter, and its kind.
        ///
        /// # Errors
        ///
        /// The bytes are fewer than the 17 of a seal: [`Reason::Length`](crate::Reason::Length). Or those of [`open_in_place`](Self::open_in_place).
        #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
        pub fn open(&mut self, additional: &[u8], sealed: &[u8]) -> Result<(Kind, Vec<u8>), Error> {
            let (encrypted, rest) = sealed.split_first_chunk::<1>().ok_or(Error::LENGTH)?;
            let (text, tag) = rest.split_last_chunk::<16>().ok_or(Error::LENGTH)?;
            let mut seal = Seal([0; 17]);
            copy(&mut seal.0, encrypted);
            copy(seal.0.get_mut(1..).unwrap_or_default(), tag);
            let mut message = text.to_vec();
            let kind = self.open_in_place(additional, &mut message, &seal)?;
            Ok((kind, message))
        }
    }
}

/// The key and the nonce of the next message: its number, of four bytes, from 1 on, and eight bytes that each message changes.
struct State {
    cipher: ChaCha,
}

hidden!(State);

impl State {
    fn new(key: &Key, header: &Header) -> Self {
        let mut state = Self { cipher: ChaCha::extended(&key.0, &header.0) };
        state.set_number(1);
        state
    }

    /// Block 1, which the kind begins, encrypted or decrypted.
    fn encrypted(&self, kind: u8) -> [u8; 64] {
        let mut block = [0; 64];
        copy(&mut block, &[kind]);
        self.cipher.apply(1, &mut block);
        block
    }

    /// Encrypts or decrypts a message, from block 2 on.
    fn apply(&self, message: &mut [u8]) {
        stream::apply(message, 128, |block, text| self.cipher.apply(block, text));
    }

    /// Returns the code of all data and their lengths. Zeros fill the additional data up to whole blocks, and behind the message there are
    /// as many zeros as bytes in its last block, where the designers had meant to fill it up.
    fn authenticate(&self, additional: &[u8], block: &[u8; 64], encrypted: &[u8]) -> Poly1305 {
        let mut key = Poly1305Key([0; 32]);
        stream::apply(&mut key.0, 0, |block, text| self.cipher.apply(block, text));
        let mut mac = Poly1305::new(key);
        mac.update(additional);
        mac.update(first(&[0; 16], additional.len().wrapping_neg() % 16));
        mac.update(block);
        mac.update(encrypted);
        mac.update(first(&[0; 16], encrypted.len() % 16));
        mac.update(&(additional.len() as u64).to_le_bytes());
        mac.update(&(encrypted.len() as u64).wrapping_add(64).to_le_bytes());
        mac
    }

    /// Goes on to the next message. The key changes if the kind says so, and before a number is used twice.
    fn go_on(&mut self, kind: Kind, tag: &Poly1305Tag) {
        let (number, rest) = self.cipher.nonce.split_at_mut(4);
        for (byte, change) in rest.iter_mut().zip(tag.as_bytes()) {
            *byte ^= change;
        }
        let next = u32::from_le_bytes(*number.first_chunk().unwrap_or(&[0; 4])).wrapping_add(1);
        self.set_number(next);
        self.rekey_if((kind.0 & Kind::REKEY.0 != 0) | (next == 0));
    }

    /// Encrypts the key and the last bytes of the nonce with themselves; numbers begin at 1 again.
    fn rekey(&mut self) {
        self.rekey_if(true);
    }

    /// Changes the key as [`rekey`](Self::rekey) does, if it is wanted; the time does not tell whether it is.
    fn rekey_if(&mut self, is_wanted: bool) {
        let mut new = Erased([0; 40]);
        let (key, rest) = new.0.split_at_mut(32);
        copy(key, &self.cipher.key);
        copy(rest, self.cipher.nonce.get(4..).unwrap_or_default());
        stream::apply(&mut new.0, 0, |block, text| self.cipher.apply(block, text));
        let (key, rest) = new.0.split_at(32);
        copy_if(is_wanted, &mut self.cipher.key, key);
        let (number, nonce) = self.cipher.nonce.split_at_mut(4);
        copy_if(is_wanted, number, &1u32.to_le_bytes());
        copy_if(is_wanted, nonce, rest);
    }

    fn set_number(&mut self, number: u32) {
        copy(&mut self.cipher.nonce, &number.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::{Header, Key, Kind, Opener, Sealer};

    /// Before a number of four bytes comes again, the key changes.
    #[test]
    fn numbers_come_once_under_a_key() {
        let (key, header) = (Key::from_bytes([1; 32]), Header::from_bytes([2; 24]));
        let (mut sealer, mut opener) = (Sealer::new(&key, &header), Opener::new(&key, &header));
        sealer.state.set_number(u32::MAX);
        opener.state.set_number(u32::MAX);
        let before = sealer.state.cipher.key;
        for _ in 0..2 {
            let mut message = *b"message";
            let seal = sealer.seal_in_place(Kind::PUSH, b"", &mut message).expect("it is short");
            assert_eq!(opener.open_in_place(b"", &mut message, &seal).ok(), Some(Kind::PUSH));
            assert_eq!(&message, b"message");
        }
        assert_ne!(sealer.state.cipher.key, before);
        assert_eq!(sealer.state.cipher.nonce.first_chunk(), Some(&2u32.to_le_bytes()));
    }
}
