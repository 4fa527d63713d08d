//! Authentication codes: HMAC with SHA-2 (RFC 2104, FIPS 198-1) and Poly1305 (RFC 8439, section 2.5).
//!
//! A tag shows whoever has the key that a message is as it was sent. Compare tags with `verify` only, which takes the same time for all
//! of them: tags have no `==`.
//!
//! ```
//! use culet::mac::{HmacSha256, HmacSha256Tag};
//!
//! # fn main() -> Result<(), culet::Error> {
//! let key = [7; 32];
//! let tag = HmacSha256::authenticate(&key, b"a message");
//! // Whoever receives the message and the bytes of its tag:
//! let received = HmacSha256Tag::from_bytes(*tag.as_bytes());
//! HmacSha256::verify(&key, b"a message", &received)?;
//! # Ok(())
//! # }
//! ```

use zeroize::Zeroize;

use crate::bytes::{Buffer, copy, generate, public, secret};
use crate::error::{Error, accept};
use crate::hash::{Sha256, Sha384, Sha512};
use crate::low::{self, Accumulator};

macro_rules! hmac {
    (
        $(#[$about:meta])* $name:ident, $(#[$about_tag:meta])* $tag:ident,
        $hash:ident, $block:literal, $state:literal, $length:literal, $key:path, $finish:path, $equal:path
    ) => {
        public!($(#[$about_tag])* $tag, $length);

        $(#[$about])*
        #[derive(Clone)]
        pub struct $name {
            inner: $hash,
            outer: [u8; $state],
        }

        impl $name {
            /// The tag of a whole message.
            #[must_use]
            pub fn authenticate(key: &[u8], message: &[u8]) -> $tag {
                let mut mac = Self::new(key);
                mac.update(message);
                mac.finalize()
            }

            /// Whether a whole message has this tag.
            ///
            /// # Errors
            ///
            /// The message or its tag is not what the owner of the key has sent.
            pub fn verify(key: &[u8], message: &[u8], tag: &$tag) -> Result<(), Error> {
                let mut mac = Self::new(key);
                mac.update(message);
                mac.finalize_and_verify(tag)
            }

            /// The code of a message that comes in parts. Keys may have any length; as many random bytes as a tag has are enough, and
            /// keys longer than a block of the hash are hashed first.
            #[must_use]
            pub fn new(key: &[u8]) -> Self {
                let mut block = [0; $block];
                if key.len() > block.len() {
                    let mut digest = $hash::digest(key);
                    copy(&mut block, &digest);
                    digest.zeroize();
                } else {
                    copy(&mut block, key);
                }
                let (mut inner, mut outer) = ([0; $state], [0; $state]);
                $key(&mut inner, &mut outer, &block);
                block.zeroize();
                let mac = Self { inner: $hash::after_a_block(inner), outer };
                inner.zeroize();
                outer.zeroize();
                mac
            }

            /// The next part of the message.
            pub fn update(&mut self, part: &[u8]) {
                self.inner.update(part);
            }

            /// The tag of all parts.
            #[must_use]
            pub fn finalize(self) -> $tag {
                let mut tag = $tag([0; $length]);
                let mut digest = self.inner.clone().finalize();
                $finish(&mut tag.0, &self.outer, &digest);
                digest.zeroize();
                tag
            }

            /// Whether all parts have this tag.
            ///
            /// # Errors
            ///
            /// The message or its tag is not what the owner of the key has sent.
            pub fn finalize_and_verify(self, tag: &$tag) -> Result<(), Error> {
                let mut ours = self.finalize();
                let is_equal = $equal(&ours.0, &tag.0);
                ours.0.zeroize();
                accept(is_equal)
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                self.outer.zeroize();
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}

        in_parts!($name);
    };
}

/// What takes messages in parts and has secrets.
macro_rules! in_parts {
    ($name:ident) => {
        /// Shows the name only.
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }

        /// Takes every byte.
        #[cfg(feature = "std")]
        #[cfg_attr(docsrs, doc(cfg(feature = "std")))]
        impl std::io::Write for $name {
            fn write(&mut self, part: &[u8]) -> std::io::Result<usize> {
                self.update(part);
                Ok(part.len())
            }

            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
    };
}

hmac!(
    /// HMAC with SHA-256: tags of 32 bytes.
    HmacSha256,
    /// A tag of [`HmacSha256`], 32 bytes.
    HmacSha256Tag,
    Sha256, 64, 32, 32, low::hmac_sha256_key, low::hmac_sha256_finish, low::equal_32
);

hmac!(
    /// HMAC with SHA-384: tags of 48 bytes.
    HmacSha384,
    /// A tag of [`HmacSha384`], 48 bytes.
    HmacSha384Tag,
    Sha384, 128, 64, 48, low::hmac_sha384_key, low::hmac_sha384_finish, equal_48
);

hmac!(
    /// HMAC with SHA-512: tags of 64 bytes.
    HmacSha512,
    /// A tag of [`HmacSha512`], 64 bytes.
    HmacSha512Tag,
    Sha512, 128, 64, 64, low::hmac_sha512_key, low::hmac_sha512_finish, low::equal_64
);

fn equal_48(a: &[u8; 48], b: &[u8; 48]) -> bool {
    let (mut long_a, mut long_b) = ([0; 64], [0; 64]);
    copy(&mut long_a, a);
    copy(&mut long_b, b);
    low::equal_64(&long_a, &long_b)
}

secret!(
    /// A key of [`Poly1305`], 32 bytes, **for one message**: two tags under one key give it away.
    Poly1305Key,
    32
);
generate!(Poly1305Key);

public!(
    /// A tag of [`Poly1305`], 16 bytes.
    Poly1305Tag,
    16
);

/// Poly1305: a code for one message under one key. Ciphers make a key of it for each message; [`aead`](crate::aead) does so.
///
/// ```
/// use culet::mac::{Poly1305, Poly1305Key};
///
/// let mut mac = Poly1305::new(Poly1305Key::from_bytes([3; 32]));
/// mac.update(b"one message, ");
/// mac.update(b"in parts");
/// let tag = mac.finalize();
/// assert_eq!(tag.as_bytes().len(), 16);
/// ```
pub struct Poly1305 {
    state: Poly1305State,
    buffer: Buffer<16>,
}

impl Poly1305 {
    /// The code of a message that comes in parts. The key is gone with it.
    #[must_use]
    pub fn new(key: Poly1305Key) -> Self {
        Self { state: Poly1305State::new(key), buffer: Buffer::new() }
    }

    /// The next part of the message.
    pub fn update(&mut self, part: &[u8]) {
        let state = &mut self.state;
        self.buffer.update(part, |blocks| state.absorb(blocks));
    }

    /// The tag of all parts.
    #[must_use]
    pub fn finalize(mut self) -> Poly1305Tag {
        self.state.absorb(self.buffer.rest());
        Poly1305Tag(self.state.tag())
    }

    /// Whether all parts have this tag.
    ///
    /// # Errors
    ///
    /// The message or its tag is not what the owner of the key has sent.
    pub fn finalize_and_verify(mut self, tag: &Poly1305Tag) -> Result<(), Error> {
        self.state.absorb(self.buffer.rest());
        self.state.verify(&tag.0)
    }
}

impl zeroize::ZeroizeOnDrop for Poly1305 {}

in_parts!(Poly1305);

/// Poly1305 of whole blocks.
pub(crate) struct Poly1305State {
    accumulator: Accumulator,
    key: Poly1305Key,
}

impl Poly1305State {
    pub fn new(key: Poly1305Key) -> Self {
        Self { accumulator: [0; 17], key }
    }

    /// Whole blocks, or the last part.
    pub fn absorb(&mut self, part: &[u8]) {
        if !part.is_empty() {
            low::poly1305_absorb(&mut self.accumulator, &self.key.0, part);
        }
    }

    /// A part that is padded with zeros to whole blocks.
    pub fn absorb_padded(&mut self, part: &[u8]) {
        if !part.is_empty() {
            low::poly1305_absorb_padded(&mut self.accumulator, &self.key.0, part);
        }
    }

    pub fn tag(&self) -> [u8; 16] {
        let mut tag = [0; 16];
        low::poly1305_finish(&mut tag, &self.accumulator, &self.key.0);
        tag
    }

    pub fn verify(&self, tag: &[u8; 16]) -> Result<(), Error> {
        let mut ours = self.tag();
        let is_equal = low::equal_16(&ours, tag);
        ours.zeroize();
        accept(is_equal)
    }
}

impl Drop for Poly1305State {
    fn drop(&mut self) {
        self.accumulator.zeroize();
    }
}
