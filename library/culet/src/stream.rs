//! Stream ciphers: ChaCha20 (RFC 8439, section 2.4), XChaCha20 (draft-irtf-cfrg-xchacha-03), Salsa20 and XSalsa20 (D. J. Bernstein,
//! "Salsa20 specification", 2005, and "Extending the Salsa20 nonce", 2011).
//!
//! Encrypting and decrypting are the same: `apply` to the same bytes twice gives them back.
//! **Nothing here notices changed messages.** Use [`aead`](crate::aead) or [`secretbox`](crate::secretbox), unless a protocol asks for the bare
//! cipher. A key and a nonce together must never be used for two messages.
//!
//! ```
//! use culet::stream::{XChaCha20, XChaCha20Key, XChaCha20Nonce};
//!
//! # fn main() -> Result<(), culet::Error> {
//! let (key, nonce) = (XChaCha20Key::from_bytes([1; 32]), XChaCha20Nonce::from_bytes([2; 24]));
//! let mut message = *b"in any number of parts";
//! let mut cipher = XChaCha20::new(&key, &nonce);
//! cipher.apply(&mut message[..10])?;
//! cipher.apply(&mut message[10..])?;
//!
//! XChaCha20::new(&key, &nonce).apply(&mut message)?;
//! assert_eq!(&message, b"in any number of parts");
//! # Ok(())
//! # }
//! ```

use zeroize::Zeroize;

use crate::bytes::{Erased, copy, generate, hidden, public, secret};
use crate::error::Error;
use crate::low;
use crate::mac::{self, Around, Poly1305Key};

/// Bytes of a block of each of these ciphers.
const BLOCK: usize = 64;

/// Bytes of groups that every kernel goes through side by side, and of short messages.
const CHUNK: usize = 16 * BLOCK;
const SHORT: usize = 4 * BLOCK;

/// Short messages, and what is authenticated behind them.
const SHORT_HEAD: usize = SHORT + 32;

macro_rules! stream {
    (
        $(#[$about:meta])* $name:ident, $standard:literal, $limit_said:literal,
        $(#[$about_key:meta])* $key:ident,
        $(#[$about_nonce:meta])* $nonce:ident, $nonce_length:literal,
        $state:ident, $blocks:expr, $start:expr
    ) => {
        secret!($(#[$about_key])* $key, 32, Clone);
        generate!($key);
        public!($(#[$about_nonce])* $nonce, $nonce_length, PartialEq, Eq, Hash);

        $(#[$about])*
        pub struct $name {
            state: $state,
            /// Of the next byte.
            position: u64,
        }

        impl $name {
            #[doc = concat!("How many bytes one key and one nonce encrypt at most, ", $limit_said, ": ", $standard, ".")]
            pub const LIMIT: u64 = $blocks.saturating_mul(BLOCK as u64);

            #[doc = concat!("The cipher at the first byte of its key stream, with a key of 32 bytes and a nonce of ", $nonce_length, ": ", $standard, ".")]
            #[must_use]
            pub fn new(key: &$key, nonce: &$nonce) -> Self {
                let start: fn(&[u8; 32], &[u8; $nonce_length]) -> $state = $start;
                Self { state: start(&key.0, &nonce.0), position: 0 }
            }

            #[doc = concat!("Goes to another byte of the key stream: ", $standard, ".")]
            /// Block i begins at byte 64 · i.
            pub fn seek(&mut self, position: u64) {
                self.position = position;
            }

            #[doc = concat!("Encrypts or decrypts the next bytes in place: ", $standard, ".")]
            ///
            /// # Errors
            ///
            /// The key stream has fewer bytes left, as [`LIMIT`](Self::LIMIT) says: [`Reason::Limit`](crate::Reason::Limit). Nothing is changed then.
            pub fn apply(&mut self, data: &mut [u8]) -> Result<(), Error> {
                let end = self.position.checked_add(data.len() as u64);
                let end = end.filter(|end| *end <= Self::LIMIT).ok_or(Error::LIMIT)?;
                apply(data, self.position, |block, text| self.state.apply(block, text));
                self.position = end;
                Ok(())
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}

        hidden!($name);
    };
}

stream!(
    /// ChaCha20 with a key of 32 bytes, a nonce of 12 bytes and 2^32 blocks: RFC 8439, section 2.4.
    ChaCha20, "RFC 8439, section 2.4", "2^38",
    /// A key of [`ChaCha20`], 32 bytes.
    ChaCha20Key,
    /// A nonce of [`ChaCha20`], 12 bytes: too few to be chosen at random; count messages.
    ChaCha20Nonce, 12,
    ChaCha, 1u64 << 32, ChaCha::new
);

stream!(
    /// ChaCha20 with a key of 32 bytes, a nonce of 24 bytes, which may be random, and 2^32 blocks: draft-irtf-cfrg-xchacha-03, section 2.3.
    XChaCha20, "draft-irtf-cfrg-xchacha-03, section 2.3", "2^38",
    /// A key of [`XChaCha20`], 32 bytes.
    XChaCha20Key,
    /// A nonce of [`XChaCha20`], 24 bytes.
    XChaCha20Nonce, 24,
    ChaCha, 1u64 << 32, ChaCha::extended
);
generate!(XChaCha20Nonce);

stream!(
    /// Salsa20 with a key of 32 bytes, a nonce of 8 bytes, and 2^64 − 1 bytes: "Salsa20 specification", section 10.
    Salsa20, "\"Salsa20 specification\", section 10", "2^64 − 1",
    /// A key of [`Salsa20`], 32 bytes.
    Salsa20Key,
    /// A nonce of [`Salsa20`], 8 bytes: too few to be chosen at random; count messages.
    Salsa20Nonce, 8,
    Salsa, u64::MAX, Salsa::new
);

stream!(
    /// Salsa20 with a key of 32 bytes, a nonce of 24 bytes, which may be random, and 2^64 − 1 bytes: "Extending the Salsa20 nonce", section 2.
    XSalsa20, "\"Extending the Salsa20 nonce\", section 2", "2^64 − 1",
    /// A key of [`XSalsa20`], 32 bytes.
    XSalsa20Key,
    /// A nonce of [`XSalsa20`], 24 bytes.
    XSalsa20Nonce, 24,
    Salsa, u64::MAX, Salsa::extended
);
generate!(XSalsa20Nonce);

/// Key and nonce of ChaCha20.
pub(crate) struct ChaCha {
    pub key: [u8; 32],
    pub nonce: [u8; 12],
}

impl ChaCha {
    pub fn new(key: &[u8; 32], nonce: &[u8; 12]) -> Self {
        ChaCha { key: *key, nonce: *nonce }
    }

    /// Of XChaCha20: draft-irtf-cfrg-xchacha-03, section 2.3.
    pub fn extended(key: &[u8; 32], nonce: &[u8; 24]) -> Self {
        let mut state = ChaCha { key: [0; 32], nonce: [0; 12] };
        let mut prefix = [0; 16];
        let length = copy(&mut prefix, nonce);
        low::hchacha20(&mut state.key, key, &prefix);
        let (_, end) = state.nonce.split_at_mut(4);
        copy(end, nonce.get(length..).unwrap_or_default());
        state
    }

    /// Whole blocks in place, of which the first is number `block`.
    pub fn apply(&self, block: u64, text: &mut [u8]) {
        debug_assert!(text.len().is_multiple_of(BLOCK), "whole blocks only");
        low::chacha20(text, &self.key, &(block as u32).to_le_bytes(), &self.nonce);
    }
}

impl Drop for ChaCha {
    fn drop(&mut self) {
        zeroize::zeroize_bytes(&mut self.key);
    }
}

/// Key and nonce of Salsa20.
pub(crate) struct Salsa {
    key: [u8; 32],
    nonce: [u8; 8],
}

impl Salsa {
    pub fn new(key: &[u8; 32], nonce: &[u8; 8]) -> Self {
        Salsa { key: *key, nonce: *nonce }
    }

    /// Of XSalsa20: "Extending the Salsa20 nonce", section 2.
    pub fn extended(key: &[u8; 32], nonce: &[u8; 24]) -> Self {
        let mut state = Salsa { key: [0; 32], nonce: [0; 8] };
        let mut prefix = [0; 16];
        let length = copy(&mut prefix, nonce);
        low::hsalsa20(&mut state.key, key, &prefix);
        copy(&mut state.nonce, nonce.get(length..).unwrap_or_default());
        state
    }

    /// Whole blocks in place, of which the first is number `block`.
    pub fn apply(&self, block: u64, text: &mut [u8]) {
        debug_assert!(text.len().is_multiple_of(BLOCK), "whole blocks only");
        low::salsa20(text, &self.key, &self.nonce, &block.to_le_bytes());
    }
}

impl Drop for Salsa {
    fn drop(&mut self) {
        zeroize::zeroize_bytes(&mut self.key);
    }
}

/// Encrypts a message at an offset into block 0, 64 at most, and returns its tag. `blocks(i, text)` applies the key stream to whole blocks
/// in place, of which the first is number i. The tag is that of the encrypted message and what is around it, by [`mac::tag`].
pub(crate) fn seal(
    data: &mut [u8],
    offset: usize,
    blocks: impl Fn(u64, &mut [u8]),
    around: Option<Around<'_>>,
) -> Erased<16> {
    if data.len() <= SHORT.saturating_sub(offset) {
        let mut head = Head::<SHORT_HEAD>::new(data, offset, &blocks);
        let key = head.key();
        head.write(data);
        return match head.among(data.len(), around) {
            Some(whole) => mac::poly1305(key, whole),
            None => mac::tag(key, data, around),
        };
    }
    let head = Head::<CHUNK>::new(data, offset, &blocks);
    head.write(data);
    head.apply_to_rest(data, blocks);
    mac::tag(head.key(), data, around)
}

/// Decrypts what [`seal`] encrypts, if its tag is accepted.
pub(crate) fn open(
    data: &mut [u8],
    offset: usize,
    blocks: impl Fn(u64, &mut [u8]),
    around: Option<Around<'_>>,
    accept: impl Fn(&Erased<16>) -> Result<(), Error>,
) -> Result<(), Error> {
    if data.len() <= SHORT.saturating_sub(offset) {
        let head = Head::<SHORT_HEAD>::new(data, offset, &blocks);
        accept(&mac::tag(head.key(), data, around))?;
        head.write(data);
        return Ok(());
    }
    let head = Head::<CHUNK>::new(data, offset, &blocks);
    accept(&mac::tag(head.key(), data, around))?;
    head.write(data);
    head.apply_to_rest(data, blocks);
    Ok(())
}

/// The key stream's first bytes, and a message's first bytes encrypted or decrypted behind them.
struct Head<const SIZE: usize> {
    bytes: [u8; SIZE],
    offset: usize,
    /// The number of bytes that were computed.
    computed: usize,
}

impl<const SIZE: usize> Head<SIZE> {
    /// The number of bytes of whole blocks.
    const ROOM: usize = SIZE / BLOCK * BLOCK;

    fn new(data: &[u8], offset: usize, blocks: impl Fn(u64, &mut [u8])) -> Self {
        let count = offset.saturating_add(data.len()).min(Self::ROOM).div_ceil(BLOCK);
        let computed = low::stream_blocks(count).saturating_mul(BLOCK).min(Self::ROOM);
        let mut head = Head { bytes: [0; SIZE], offset, computed };
        copy(head.bytes.get_mut(offset..Self::ROOM).unwrap_or_default(), data);
        blocks(0, head.bytes.get_mut(..computed).unwrap_or_default());
        head
    }

    /// The key of Poly1305.
    fn key(&self) -> Poly1305Key {
        Poly1305Key(self.bytes.first_chunk().copied().unwrap_or_default())
    }

    /// Writes the message's first bytes in their place.
    fn write(&self, data: &mut [u8]) {
        copy(data, self.bytes.get(self.offset..Self::ROOM).unwrap_or_default());
    }

    /// The message, which is `length` bytes, and what is around it, where that has place: behind the key, and behind the message.
    fn among(&mut self, length: usize, around: Option<Around<'_>>) -> Option<&[u8]> {
        let end = self.offset.checked_add(length)?;
        let Some(Around { before, lengths }) = around else { return self.bytes.get(self.offset..end) };
        let start = self.offset.checked_sub(before.len().checked_next_multiple_of(16)?).filter(|start| *start >= 32)?;
        let end_of_before = start.checked_add(before.len())?;
        copy(self.bytes.get_mut(start..end_of_before)?, before);
        self.bytes.get_mut(end_of_before..self.offset)?.fill(0);
        let padded = end.checked_next_multiple_of(16)?;
        self.bytes.get_mut(end..padded)?.fill(0);
        let end = padded.checked_add(lengths.len())?;
        copy(self.bytes.get_mut(padded..end)?, lengths);
        self.bytes.get(start..end)
    }

    /// Applies the key stream to the other bytes.
    fn apply_to_rest(&self, data: &mut [u8], blocks: impl Fn(u64, &mut [u8])) {
        let rest = data.get_mut(Self::ROOM.saturating_sub(self.offset)..).unwrap_or_default();
        apply(rest, Self::ROOM as u64, blocks);
    }
}

impl<const SIZE: usize> Drop for Head<SIZE> {
    fn drop(&mut self) {
        self.bytes.get_mut(..self.computed).unwrap_or_default().zeroize();
    }
}

/// Applies a key stream to bytes that begin at a position in it. The last bytes, and the first ones of a block whose beginning is not among them, are
/// copied, since kernels take whole blocks, and take less time for more of them than there may be.
pub(crate) fn apply(data: &mut [u8], position: u64, blocks: impl Fn(u64, &mut [u8])) {
    let (number, offset) = (position / BLOCK as u64, (position % BLOCK as u64) as usize);
    let length = if offset == 0 { 0 } else { data.len().min(CHUNK.saturating_sub(offset)) };
    let (beginning, rest) = data.split_at_mut(length);
    let number = number.wrapping_add(apply_to_copy(beginning, number, offset, &blocks));
    let (chunks, last) = rest.as_chunks_mut::<CHUNK>();
    if !chunks.is_empty() {
        blocks(number, chunks.as_flattened_mut());
    }
    let number = number.wrapping_add((chunks.len() * (CHUNK / BLOCK)) as u64);
    if last.len() == low::stream_blocks(last.len().div_ceil(BLOCK)).saturating_mul(BLOCK) && !last.is_empty() {
        blocks(number, last);
    } else {
        apply_to_copy(last, number, 0, &blocks);
    }
}

/// Applies a key stream to bytes that begin at an offset behind the start of block `number`. Returns the number of blocks.
fn apply_to_copy(data: &mut [u8], number: u64, offset: usize, blocks: &impl Fn(u64, &mut [u8])) -> u64 {
    let end = offset.saturating_add(data.len());
    match (data.is_empty(), end <= SHORT) {
        (true, _) => return 0,
        (_, true) => apply_to_copy_of::<SHORT>(data, number, offset, blocks),
        (_, false) => apply_to_copy_of::<CHUNK>(data, number, offset, blocks),
    }
    end.div_ceil(BLOCK) as u64
}

fn apply_to_copy_of<const SIZE: usize>(data: &mut [u8], number: u64, offset: usize, blocks: &impl Fn(u64, &mut [u8])) {
    let mut copied = [0; SIZE];
    let count = offset.saturating_add(data.len()).div_ceil(BLOCK);
    let whole = low::stream_blocks(count).saturating_mul(BLOCK).min(SIZE);
    copy(copied.get_mut(offset..).unwrap_or_default(), data);
    blocks(number, copied.get_mut(..whole).unwrap_or_default());
    copy(data, copied.get(offset..).unwrap_or_default());
    copied.get_mut(..whole).unwrap_or_default().zeroize();
}
