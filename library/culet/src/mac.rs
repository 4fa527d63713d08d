//! Authentication codes: HMAC with SHA-2 (RFC 2104, FIPS 198-1), keyed BLAKE2 (RFC 7693) and Poly1305 (RFC 8439, section 2.5).
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

use crate::bytes::{Buffer, Erased, Together, copy, generate, in_parts, public, secret};
use crate::error::{Error, LengthError, accept};
use crate::hash::{Blake2b, Blake2s, Sha224, Sha256, Sha384, Sha512};
use crate::low;

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
            #[doc = concat!("The tag of a whole message, ", $length, " bytes: FIPS 198-1, section 4. [`new`](Self::new) says what keys there are.")]
            #[must_use]
            pub fn authenticate(key: &[u8], message: &[u8]) -> $tag {
                let mut mac = Self::new(key);
                mac.update(message);
                mac.finalize()
            }

            #[doc = concat!("Whether a whole message has this tag of ", $length, " bytes: FIPS 198-1, section 4.")]
            ///
            /// # Errors
            ///
            /// The message or its tag is not what the owner of the key has sent: [`Reason::Rejected`](crate::Reason::Rejected).
            pub fn verify(key: &[u8], message: &[u8], tag: &$tag) -> Result<(), Error> {
                let mut mac = Self::new(key);
                mac.update(message);
                mac.finalize_and_verify(tag)
            }

            /// The code of a message that comes in parts: FIPS 198-1, section 4. Keys may have any length; as many random bytes as a tag has are enough, and
            /// keys longer than a block of the hash are hashed first.
            #[must_use]
            pub fn new(key: &[u8]) -> Self {
                let mut block = [0; $block];
                if key.len() > block.len() {
                    let mut digest = $hash::digest(key);
                    copy(&mut block, &digest);
                    zeroize::zeroize_bytes(&mut digest);
                } else {
                    copy(&mut block, key);
                }
                let (mut inner, mut outer) = ([0; $state], [0; $state]);
                $key(&mut inner, &mut outer, &block);
                zeroize::zeroize_bytes(&mut block);
                let mac = Self { inner: $hash::after_a_block(inner), outer };
                zeroize::zeroize_bytes(&mut inner);
                zeroize::zeroize_bytes(&mut outer);
                mac
            }

            /// The next part of the message, of any length: FIPS 198-1, section 4.
            pub fn update(&mut self, part: &[u8]) {
                self.inner.update(part);
            }

            #[doc = concat!("The tag of all parts, ", $length, " bytes: FIPS 198-1, section 4.")]
            #[must_use]
            pub fn finalize(self) -> $tag {
                $tag(*self.finalize_secret())
            }

            /// Returns the tag of all parts as a secret.
            pub(crate) fn finalize_secret(self) -> Erased<$length> {
                let mut tag = Erased([0; $length]);
                let digest = Erased(self.inner.clone().finalize());
                $finish(&mut tag, &self.outer, &digest);
                tag
            }

            #[doc = concat!("Whether all parts have this tag of ", $length, " bytes: FIPS 198-1, section 4.")]
            ///
            /// # Errors
            ///
            /// The message or its tag is not what the owner of the key has sent: [`Reason::Rejected`](crate::Reason::Rejected).
            pub fn finalize_and_verify(self, tag: &$tag) -> Result<(), Error> {
                accept($equal(&self.finalize_secret(), &tag.0))
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                zeroize::zeroize_bytes(&mut self.outer);
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}

        in_parts!($name);
    };
}

hmac!(
    /// HMAC with SHA-224: tags of 28 bytes (FIPS 198-1, section 4).
    HmacSha224,
    /// A tag of [`HmacSha224`], 28 bytes.
    HmacSha224Tag,
    Sha224, 64, 32, 28, low::hmac_sha224_key, low::hmac_sha224_finish, equal_up_to_64
);

hmac!(
    /// HMAC with SHA-256: tags of 32 bytes (FIPS 198-1, section 4).
    HmacSha256,
    /// A tag of [`HmacSha256`], 32 bytes.
    HmacSha256Tag,
    Sha256, 64, 32, 32, low::hmac_sha256_key, low::hmac_sha256_finish, low::equal_32
);

hmac!(
    /// HMAC with SHA-384: tags of 48 bytes (FIPS 198-1, section 4).
    HmacSha384,
    /// A tag of [`HmacSha384`], 48 bytes.
    HmacSha384Tag,
    Sha384, 128, 64, 48, low::hmac_sha384_key, low::hmac_sha384_finish, equal_up_to_64
);

hmac!(
    /// HMAC with SHA-512: tags of 64 bytes (FIPS 198-1, section 4).
    HmacSha512,
    /// A tag of [`HmacSha512`], 64 bytes.
    HmacSha512Tag,
    Sha512, 128, 64, 64, low::hmac_sha512_key, low::hmac_sha512_finish, low::equal_64
);

/// Whether two strings of one length, 64 bytes at most, are equal.
fn equal_up_to_64<const LENGTH: usize>(a: &[u8; LENGTH], b: &[u8; LENGTH]) -> bool {
    let (mut long_a, mut long_b) = (Erased([0; 64]), Erased([0; 64]));
    copy(&mut *long_a, a);
    copy(&mut *long_b, b);
    low::equal_64(&long_a, &long_b)
}

macro_rules! blake2 {
    ($(#[$about:meta])* $name:ident, $(#[$about_tag:meta])* $tag:ident, $hash:ident) => {
        $(#[$about_tag])*
        #[derive(Debug, Clone, Copy)]
        pub struct $tag<const LENGTH: usize>([u8; LENGTH]);

        impl<const LENGTH: usize> $tag<LENGTH> {
            /// Takes the `LENGTH` bytes as they are.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; LENGTH]) -> Self {
                Self(bytes)
            }

            /// The `LENGTH` bytes.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; LENGTH] {
                &self.0
            }

            /// The `LENGTH` bytes.
            #[must_use]
            pub const fn to_bytes(self) -> [u8; LENGTH] {
                self.0
            }
        }

        impl<const LENGTH: usize> TryFrom<&[u8]> for $tag<LENGTH> {
            type Error = LengthError;

            fn try_from(bytes: &[u8]) -> Result<Self, LengthError> {
                LengthError::check(bytes).map(Self)
            }
        }

        $(#[$about])*
        #[derive(Clone)]
        pub struct $name<const LENGTH: usize> {
            hash: $hash<LENGTH>,
        }

        impl<const LENGTH: usize> $name<LENGTH> {
            /// The tag of a whole message, `LENGTH` bytes: RFC 7693, section 3.3.
            ///
            /// # Errors
            ///
            /// Those of [`new`](Self::new).
            pub fn authenticate(key: &[u8], message: &[u8]) -> Result<$tag<LENGTH>, Error> {
                let mut mac = Self::new(key)?;
                mac.update(message);
                Ok(mac.finalize())
            }

            /// Whether a whole message has this tag of `LENGTH` bytes: RFC 7693, section 3.3.
            ///
            /// # Errors
            ///
            /// The message or its tag is not what the owner of the key has sent: [`Reason::Rejected`](crate::Reason::Rejected). Or those of [`new`](Self::new).
            pub fn verify(key: &[u8], message: &[u8], tag: &$tag<LENGTH>) -> Result<(), Error> {
                let mut mac = Self::new(key)?;
                mac.update(message);
                mac.finalize_and_verify(tag)
            }

            /// The code of a message that comes in parts: RFC 7693, section 3.3. A key should have 16 random bytes at least.
            ///
            /// # Errors
            ///
            /// The key is empty, or longer than the longest digest: [`Reason::Length`](crate::Reason::Length).
            pub fn new(key: &[u8]) -> Result<Self, Error> {
                Ok(Self { hash: $hash::with_key(key)? })
            }

            /// The next part of the message, of any length: RFC 7693, section 3.3.
            pub fn update(&mut self, part: &[u8]) {
                self.hash.update(part);
            }

            /// The tag of all parts, `LENGTH` bytes: RFC 7693, section 3.3.
            #[must_use]
            pub fn finalize(self) -> $tag<LENGTH> {
                $tag(self.hash.finalize())
            }

            /// Whether all parts have this tag of `LENGTH` bytes: RFC 7693, section 3.3.
            ///
            /// # Errors
            ///
            /// The message or its tag is not what the owner of the key has sent: [`Reason::Rejected`](crate::Reason::Rejected).
            pub fn finalize_and_verify(self, tag: &$tag<LENGTH>) -> Result<(), Error> {
                let ours = Erased(self.hash.finalize());
                accept(equal_up_to_64(&*ours, &tag.0))
            }
        }

        impl<const LENGTH: usize> zeroize::ZeroizeOnDrop for $name<LENGTH> {}

        in_parts!($name<const LENGTH: usize>);
    };
}

blake2!(
    /// BLAKE2b with a key of 1 to 64 bytes (RFC 7693, section 3.3), and tags of `LENGTH` bytes, 1 to 64: fewer than 16 are easily guessed.
    ///
    /// ```
    /// use culet::mac::Blake2bMac;
    ///
    /// # fn main() -> Result<(), culet::Error> {
    /// let tag = Blake2bMac::<32>::authenticate(&[7; 32], b"a message")?;
    /// Blake2bMac::verify(&[7; 32], b"a message", &tag)
    /// # }
    /// ```
    Blake2bMac,
    /// A tag of [`Blake2bMac`], `LENGTH` bytes.
    Blake2bTag,
    Blake2b
);

blake2!(
    /// BLAKE2s with a key of 1 to 32 bytes (RFC 7693, section 3.3), and tags of `LENGTH` bytes, 1 to 32: fewer than 16 are easily guessed.
    Blake2sMac,
    /// A tag of [`Blake2sMac`], `LENGTH` bytes.
    Blake2sTag,
    Blake2s
);

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

/// Poly1305: a code of 16 bytes for one message under one key (RFC 8439, section 2.5). Ciphers make a key of it for each message; [`aead`](crate::aead) does so.
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
    /// The code of a message that comes in parts: RFC 8439, section 2.5. The key is gone with it.
    #[must_use]
    pub fn new(key: Poly1305Key) -> Self {
        Self { state: Poly1305State::new(key), buffer: Buffer::new() }
    }

    /// The next part of the message, of any length: RFC 8439, section 2.5.
    pub fn update(&mut self, part: &[u8]) {
        let state = &mut self.state;
        self.buffer.update(part, |blocks| state.absorb(blocks));
    }

    /// The tag of all parts, 16 bytes: RFC 8439, section 2.5.
    #[must_use]
    pub fn finalize(mut self) -> Poly1305Tag {
        self.state.absorb(self.buffer.rest());
        Poly1305Tag(self.state.tag().0)
    }

    /// Whether all parts have this tag of 16 bytes: RFC 8439, section 2.5.
    ///
    /// # Errors
    ///
    /// The message or its tag is not what the owner of the key has sent: [`Reason::Rejected`](crate::Reason::Rejected).
    pub fn finalize_and_verify(mut self, tag: &Poly1305Tag) -> Result<(), Error> {
        self.state.absorb(self.buffer.rest());
        self.state.tag().accept(&tag.0)
    }
}

impl zeroize::ZeroizeOnDrop for Poly1305 {}

in_parts!(Poly1305);

/// The number of bytes of messages that Poly1305 takes at once and on plain words: powers of the key are not worth it there.
const SHORT: usize = 384;

/// Poly1305 of a whole message.
pub(crate) fn poly1305(key: Poly1305Key, message: &[u8]) -> Erased<16> {
    if message.len() > SHORT {
        let mut state = Poly1305State::new(key);
        state.absorb(message);
        return state.tag();
    }
    let mut tag = Erased([0; 16]);
    low::poly1305(&mut tag.0, &key.0, message);
    tag
}

/// The data that are authenticated around an encrypted message. Each part is padded with zeros to whole blocks.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub before: &'a [u8],
    /// The lengths of what is before and of the message, behind it.
    pub lengths: &'a [u8; 16],
}

/// The tag of an encrypted message and what is around it.
pub(crate) fn tag(key: Poly1305Key, encrypted: &[u8], around: Option<Around<'_>>) -> Erased<16> {
    let Some(Around { before, lengths }) = around else { return poly1305(key, encrypted) };
    if let Some(short) = Together::<SHORT>::new(&[before, encrypted, lengths]) {
        return poly1305(key, short.bytes());
    }
    let mut state = Poly1305State::new(key);
    state.absorb_padded(before);
    state.absorb_padded(encrypted);
    state.absorb(lengths);
    state.tag()
}

/// Poly1305 of whole blocks.
pub(crate) struct Poly1305State {
    accumulator: Erased<17>,
    key: Poly1305Key,
}

impl Poly1305State {
    pub fn new(key: Poly1305Key) -> Self {
        Self { accumulator: Erased([0; 17]), key }
    }

    /// Whole blocks, or the last part.
    pub fn absorb(&mut self, part: &[u8]) {
        if !part.is_empty() {
            low::poly1305_absorb(&mut self.accumulator.0, &self.key.0, part);
        }
    }

    /// A part that is padded with zeros to whole blocks.
    pub fn absorb_padded(&mut self, part: &[u8]) {
        if !part.is_empty() {
            low::poly1305_absorb_padded(&mut self.accumulator.0, &self.key.0, part);
        }
    }

    pub fn tag(&self) -> Erased<16> {
        let mut tag = Erased([0; 16]);
        low::poly1305_finish(&mut tag.0, &self.accumulator.0, &self.key.0);
        tag
    }
}
