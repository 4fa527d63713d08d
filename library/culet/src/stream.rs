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

use crate::bytes::{copy, first, generate, hidden, public, secret};
use crate::error::Error;
use crate::low;

/// Bytes of a block of each of these ciphers.
const BLOCK: usize = 64;

/// Bytes that are copied at a time, and the same for short messages.
const CHUNK: usize = 32 * BLOCK;
const SHORT: usize = 4 * BLOCK;

macro_rules! stream {
    (
        $(#[$about:meta])* $name:ident,
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
            /// How many bytes one key and one nonce encrypt at most.
            pub const LIMIT: u64 = $blocks.saturating_mul(BLOCK as u64);

            /// The cipher at the first byte of its key stream.
            #[must_use]
            pub fn new(key: &$key, nonce: &$nonce) -> Self {
                let start: fn(&[u8; 32], &[u8; $nonce_length]) -> $state = $start;
                Self { state: start(&key.0, &nonce.0), position: 0 }
            }

            /// Goes to another byte of the key stream. Block i begins at byte 64 · i.
            pub fn seek(&mut self, position: u64) {
                self.position = position;
            }

            /// Encrypts or decrypts the next bytes in place.
            ///
            /// # Errors
            ///
            /// The key stream has fewer bytes left, as [`LIMIT`](Self::LIMIT) says. Nothing is changed then.
            pub fn apply(&mut self, data: &mut [u8]) -> Result<(), Error> {
                let end = self.position.checked_add(data.len() as u64);
                let end = end.filter(|end| *end <= Self::LIMIT).ok_or(Error::NEW)?;
                apply(data, self.position, |block, to, from| self.state.apply(block, to, from));
                self.position = end;
                Ok(())
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}

        hidden!($name);
    };
}

stream!(
    /// ChaCha20 with a nonce of 12 bytes and 2^32 blocks.
    ChaCha20,
    /// A key of [`ChaCha20`], 32 bytes.
    ChaCha20Key,
    /// A nonce of [`ChaCha20`], 12 bytes: too few to be chosen at random; count messages.
    ChaCha20Nonce, 12,
    ChaCha, 1u64 << 32, ChaCha::new
);

stream!(
    /// ChaCha20 with a nonce of 24 bytes, which may be random, and 2^32 blocks.
    XChaCha20,
    /// A key of [`XChaCha20`], 32 bytes.
    XChaCha20Key,
    /// A nonce of [`XChaCha20`], 24 bytes.
    XChaCha20Nonce, 24,
    ChaCha, 1u64 << 32, ChaCha::extended
);
generate!(XChaCha20Nonce);

stream!(
    /// Salsa20 with a nonce of 8 bytes, and 2^64 − 1 bytes.
    Salsa20,
    /// A key of [`Salsa20`], 32 bytes.
    Salsa20Key,
    /// A nonce of [`Salsa20`], 8 bytes: too few to be chosen at random; count messages.
    Salsa20Nonce, 8,
    Salsa, u64::MAX, Salsa::new
);

stream!(
    /// Salsa20 with a nonce of 24 bytes, which may be random, and 2^64 − 1 bytes.
    XSalsa20,
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

    /// Whole blocks, of which the first is number `block`.
    pub fn apply(&self, block: u64, to: &mut [u8], from: &[u8]) {
        low::chacha20(to, &self.key, &(block as u32).to_le_bytes(), &self.nonce, from);
    }
}

impl Drop for ChaCha {
    fn drop(&mut self) {
        self.key.zeroize();
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

    /// Whole blocks, of which the first is number `block`.
    pub fn apply(&self, block: u64, to: &mut [u8], from: &[u8]) {
        low::salsa20(to, &self.key, &self.nonce, &block.to_le_bytes(), from);
    }
}

impl Drop for Salsa {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

/// Applies a key stream to bytes that begin at a position in it. `blocks(i, to, from)` does so with whole blocks, of which the first is
/// number i.
pub(crate) fn apply(data: &mut [u8], position: u64, blocks: impl Fn(u64, &mut [u8], &[u8])) {
    if !data.is_empty() {
        apply_after(&mut [], data, (position / BLOCK as u64, (position % BLOCK as u64) as usize), blocks);
    }
}

/// As [`apply`], for bytes at a position up to 64. The key stream before them begins with the bytes that `key` becomes.
pub(crate) fn apply_after_key(
    key: &mut [u8; 32],
    data: &mut [u8],
    position: usize,
    blocks: impl Fn(u64, &mut [u8], &[u8]),
) {
    apply_after(key, data, (0, position), blocks);
}

fn apply_after(key: &mut [u8], data: &mut [u8], start: (u64, usize), blocks: impl Fn(u64, &mut [u8], &[u8])) {
    if data.len() <= SHORT.saturating_sub(start.1) {
        apply_in_chunks::<SHORT>(key, data, start, blocks);
    } else {
        apply_in_chunks::<CHUNK>(key, data, start, blocks);
    }
}

/// Bytes that begin at an offset behind the start of block `number`, and the first bytes of that block's key stream if the offset is
/// not 0. Bytes are copied, since kernels read from one place and write to another; more blocks are computed than there are where
/// that takes less time.
fn apply_in_chunks<const SIZE: usize>(
    key: &mut [u8],
    data: &mut [u8],
    (mut number, mut offset): (u64, usize),
    blocks: impl Fn(u64, &mut [u8], &[u8]),
) {
    let (mut from, mut to) = ([0; SIZE], [0; SIZE]);
    let (mut read, mut written) = (0, 0);
    let mut left = data;
    loop {
        let length = left.len().min(SIZE.saturating_sub(offset));
        let Some((chunk, rest)) = left.split_at_mut_checked(length) else { break };
        left = rest;
        let count = offset.saturating_add(length).div_ceil(BLOCK);
        let whole = low::stream_blocks(count).saturating_mul(BLOCK).min(SIZE);
        copy(from.get_mut(offset..).unwrap_or_default(), chunk);
        read = whole.max(read);
        let text = first(&from, whole);
        if length == whole {
            blocks(number, chunk, text);
        } else {
            blocks(number, to.get_mut(..whole).unwrap_or_default(), text);
            copy(chunk, to.get(offset..).unwrap_or_default());
            written = whole.max(written);
        }
        if offset > 0 {
            copy(key, &to);
        }
        if left.is_empty() {
            break;
        }
        number = number.wrapping_add(count as u64);
        offset = 0;
    }
    from.get_mut(..read).unwrap_or_default().zeroize();
    to.get_mut(..written).unwrap_or_default().zeroize();
}
