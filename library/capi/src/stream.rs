//! Stream ciphers: ChaCha20 (RFC 8439, section 2.4), XChaCha20, Salsa20, XSalsa20.

use crate::pointers::{In, Out, Text};

/// Bytes to which a key stream is added.
pub trait Plain {
    /// The number of its bytes.
    fn length(&self) -> usize;

    /// Puts the bytes where the result will be.
    fn put<'a>(self, out: Out) -> Option<&'a mut [u8]>;
}

impl Plain for Text {
    fn length(&self) -> usize {
        self.length
    }

    fn put<'a>(self, out: Out) -> Option<&'a mut [u8]> {
        out.moved(self)
    }
}

/// Zeros, by their number: the result is the key stream.
#[cfg(any(feature = "sodium", feature = "tweetnacl"))]
pub struct Zeros(pub core::ffi::c_ulonglong);

#[cfg(any(feature = "sodium", feature = "tweetnacl"))]
impl Plain for Zeros {
    fn length(&self) -> usize {
        self.0.try_into().unwrap_or(usize::MAX)
    }

    fn put<'a>(self, out: Out) -> Option<&'a mut [u8]> {
        let room = out.room(self.length())?;
        room.fill(0);
        Some(room)
    }
}

macro_rules! stream {
    ($(#[$about:meta])* $name:ident, $cipher:ident, $key:ident, $nonce:ident, $read:expr) => {
        $(#[$about])*
        pub fn $name(out: Out, plain: impl Plain, block: u64, nonce: In, key: In) -> Option<()> {
            use culet::stream::{$cipher, $key, $nonce};
            let read: fn(In) -> Option<[u8; $nonce::LENGTH]> = $read;
            let mut cipher = $cipher::new(&$key::from_bytes(key.array()?), &$nonce::from_bytes(read(nonce)?));
            let position = block.checked_mul(64)?;
            // Nothing is put there that is not encrypted then.
            position.checked_add(plain.length() as u64).filter(|end| *end <= $cipher::LIMIT)?;
            cipher.seek(position);
            cipher.apply(plain.put(out)?).ok()
        }
    };
}

stream!(
    /// Nonces of 12 bytes.
    chacha20, ChaCha20, ChaCha20Key, ChaCha20Nonce, In::array
);

stream!(
    /// Nonces of 24 bytes.
    xchacha20, XChaCha20, XChaCha20Key, XChaCha20Nonce, In::array
);

stream!(
    /// Nonces of 8 bytes.
    salsa20, Salsa20, Salsa20Key, Salsa20Nonce, In::array
);

stream!(
    /// Nonces of 24 bytes.
    xsalsa20, XSalsa20, XSalsa20Key, XSalsa20Nonce, In::array
);

#[cfg(feature = "sodium")]
stream!(
    /// Nonces of 8 bytes (D. J. Bernstein, "ChaCha, a variant of Salsa20", 2008), and 2^32 blocks: the upper half of their number is zero.
    early_chacha20, ChaCha20, ChaCha20Key, ChaCha20Nonce, |nonce| {
        let mut long = [0; 12];
        *long.last_chunk_mut()? = nonce.array::<8>()?;
        Some(long)
    }
);

#[cfg(feature = "sodium")]
stream!(
    /// The nonce of libsodium's `randombytes_buf_deterministic`, whatever is given.
    deterministic, ChaCha20, ChaCha20Key, ChaCha20Nonce, |_| Some(*b"LibsodiumDRG")
);
