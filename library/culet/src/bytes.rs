//! Strings of bytes with names: secret ones and public ones; copying and buffering.

use core::hint::black_box;

/// A secret of a fixed length: zero after use, never shown or compared, and copied only by `clone`, if `Clone` is derived.
macro_rules! secret {
    ($(#[$about:meta])* $name:ident, $length:literal $(, $derived:ident)*) => {
        $(#[$about])*
        $(#[derive($derived)])*
        pub struct $name(pub(crate) [u8; $length]);

        impl $name {
            /// The number of its bytes.
            pub const LENGTH: usize = $length;

            #[doc = concat!("Takes the ", $length, " bytes as they are.")]
            #[must_use]
            pub const fn from_bytes(bytes: [u8; $length]) -> Self {
                Self(bytes)
            }

            #[doc = concat!("The ", $length, " bytes, for storing them where they stay secret.")]
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $length] {
                &self.0
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                zeroize::zeroize_bytes(&mut self.0);
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}

        crate::bytes::from_slice!($name);
        crate::bytes::hidden!($name);
    };
}

/// A `Debug` that shows the name only, because the contents are secret or may be.
macro_rules! hidden {
    ($name:ident $(< $(const $generic:ident: $kind:ty),+ >)?) => {
        /// Shows the name only.
        impl $(< $(const $generic: $kind),+ >)? core::fmt::Debug for $name $(< $($generic),+ >)? {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(concat!(stringify!($name), "(..)"))
            }
        }
    };
}

/// `Debug` and `std::io::Write` for a type that takes a message in parts by `update`.
macro_rules! in_parts {
    ($name:ident $(< $(const $generic:ident: $kind:ty),+ >)?) => {
        crate::bytes::hidden!($name $(< $(const $generic: $kind),+ >)?);

        /// Takes every byte.
        #[cfg(feature = "std")]
        #[cfg_attr(docsrs, doc(cfg(feature = "std")))]
        impl $(< $(const $generic: $kind),+ >)? std::io::Write for $name $(< $($generic),+ >)? {
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

/// Conversion from a slice of the right length.
macro_rules! from_slice {
    ($name:ident) => {
        impl TryFrom<&[u8]> for $name {
            type Error = crate::LengthError;

            fn try_from(bytes: &[u8]) -> Result<Self, crate::LengthError> {
                crate::LengthError::check(bytes).map(Self::from_bytes)
            }
        }
    };
}

/// A new secret from the operating system.
macro_rules! generate {
    ($name:ident) => {
        #[cfg(feature = "getrandom")]
        impl $name {
            /// [`LENGTH`](Self::LENGTH) random bytes from the operating system: culet's own.
            ///
            /// # Errors
            ///
            /// The operating system has no randomness: [`Reason::Randomness`](crate::Reason::Randomness). It is there with the feature `getrandom`.
            #[cfg_attr(docsrs, doc(cfg(feature = "getrandom")))]
            pub fn generate() -> Result<Self, crate::Error> {
                let mut new = Self([0; Self::LENGTH]);
                crate::bytes::fill_randomly(&mut new.0)?;
                Ok(new)
            }
        }
    };
}

/// Bytes of a fixed length that are no secret.
macro_rules! public {
    ($(#[$about:meta])* $name:ident, $length:literal $(, $derived:ident)*) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy $(, $derived)*)]
        pub struct $name(pub(crate) [u8; $length]);

        impl $name {
            /// The number of its bytes.
            pub const LENGTH: usize = $length;

            #[doc = concat!("Takes the ", $length, " bytes as they are.")]
            #[must_use]
            pub const fn from_bytes(bytes: [u8; $length]) -> Self {
                Self(bytes)
            }

            #[doc = concat!("The ", $length, " bytes.")]
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $length] {
                &self.0
            }

            #[doc = concat!("The ", $length, " bytes.")]
            #[must_use]
            pub const fn to_bytes(self) -> [u8; $length] {
                self.0
            }
        }

        crate::bytes::from_slice!($name);
    };
}

pub(crate) use {from_slice, generate, hidden, in_parts, public, secret};

#[cfg(feature = "getrandom")]
pub(crate) fn fill_randomly(bytes: &mut [u8]) -> Result<(), crate::Error> {
    getrandom::fill(bytes).map_err(|_| crate::Error::RANDOMNESS)
}

/// Copies as many bytes as both have, and says how many.
pub(crate) fn copy(to: &mut [u8], from: &[u8]) -> usize {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
    to.len().min(from.len())
}

/// Copies as [`copy`] does, if that is wanted. Neither time nor addresses tell whether it is.
pub(crate) fn copy_if(is_wanted: bool, to: &mut [u8], from: &[u8]) {
    // A compiler that knew the mask to be 0 or 255 might branch.
    let mask = black_box(u8::from(is_wanted).wrapping_neg());
    for (to, from) in to.iter_mut().zip(from) {
        *to = (*to & !mask) | (*from & mask);
    }
}

/// The first bytes, at most as many as there are.
pub(crate) fn first(bytes: &[u8], length: usize) -> &[u8] {
    bytes.get(..length).unwrap_or(bytes)
}

/// The number of bytes of a block of the codes that authenticate encrypted messages.
const CODE_BLOCK: usize = 16;

/// Parts of a message, each padded with zeros to whole blocks of 16 bytes, together.
pub(crate) struct Together<const LENGTH: usize> {
    bytes: [u8; LENGTH],
    filled: usize,
}

impl<const LENGTH: usize> Together<LENGTH> {
    /// Puts parts together, none of them secret; nothing if they are longer than `LENGTH`.
    pub fn new(parts: &[&[u8]]) -> Option<Self> {
        let mut filled: usize = 0;
        for part in parts {
            filled = part.len().checked_next_multiple_of(CODE_BLOCK)?.checked_add(filled)?;
        }
        let mut together = Together { bytes: [0; LENGTH], filled };
        let mut at = LENGTH.checked_sub(filled)?;
        for part in parts {
            let end = part.len().next_multiple_of(CODE_BLOCK).saturating_add(at);
            copy(together.bytes.get_mut(at..end)?, part);
            at = end;
        }
        Some(together)
    }

    /// All parts.
    pub fn bytes(&self) -> &[u8] {
        self.behind_zeros(self.filled)
    }

    /// All parts behind zeros.
    pub fn whole(self) -> [u8; LENGTH] {
        self.bytes
    }

    /// All parts behind as many zeros as there must be for this many bytes, of which there are at most `LENGTH`.
    pub fn behind_zeros(&self, length: usize) -> &[u8] {
        self.bytes.get(LENGTH.saturating_sub(length)..).unwrap_or_default()
    }
}

/// Bytes that become zeros when they are dropped, all at once, where `zeroize::Zeroizing` of an array goes byte by byte.
pub(crate) struct Erased<const LENGTH: usize>(pub [u8; LENGTH]);

impl Erased<16> {
    /// Whether a tag that came with a message is this one.
    pub fn accept(&self, tag: &[u8; 16]) -> Result<(), crate::Error> {
        crate::error::accept(crate::low::equal_16(&self.0, tag))
    }
}

impl<const LENGTH: usize> core::ops::Deref for Erased<LENGTH> {
    type Target = [u8; LENGTH];

    fn deref(&self) -> &[u8; LENGTH] {
        &self.0
    }
}

impl<const LENGTH: usize> core::ops::DerefMut for Erased<LENGTH> {
    fn deref_mut(&mut self) -> &mut [u8; LENGTH] {
        &mut self.0
    }
}

impl<const LENGTH: usize> Drop for Erased<LENGTH> {
    fn drop(&mut self) {
        zeroize::zeroize_bytes(&mut self.0);
    }
}

/// The bytes of a message that make no whole block yet, or that may be its last ones.
#[derive(Clone)]
pub(crate) struct Buffer<const BLOCK: usize> {
    bytes: [u8; BLOCK],
    /// Fewer than a block has, or a whole block if the last one is kept.
    filled: usize,
}

impl<const BLOCK: usize> Buffer<BLOCK> {
    pub const fn new() -> Self {
        Buffer { bytes: [0; BLOCK], filled: 0 }
    }

    /// The bytes that wait.
    pub fn rest(&self) -> &[u8] {
        first(&self.bytes, self.filled)
    }

    /// Hands all whole blocks of what waits and `data` on, in order, and keeps the rest.
    pub fn update(&mut self, mut data: &[u8], mut absorb: impl FnMut(&[u8])) {
        if self.filled != 0 {
            let taken = copy(self.bytes.get_mut(self.filled..).unwrap_or_default(), data);
            self.filled += taken;
            data = data.get(taken..).unwrap_or_default();
            if self.filled < BLOCK {
                return;
            }
            absorb(&self.bytes);
        }
        let (blocks, rest) = data.as_chunks::<BLOCK>();
        if !blocks.is_empty() {
            absorb(blocks.as_flattened());
        }
        self.filled = copy(&mut self.bytes, rest);
    }

    /// Hands whole blocks on as [`update`](Self::update) does, but keeps a block at most until more comes: it may be the last one.
    pub fn update_but_last(&mut self, mut data: &[u8], mut absorb: impl FnMut(&[u8])) {
        let taken = copy(self.bytes.get_mut(self.filled..).unwrap_or_default(), data);
        self.filled += taken;
        data = data.get(taken..).unwrap_or_default();
        if data.is_empty() {
            return;
        }
        absorb(&self.bytes);
        let before_last = data.len().saturating_sub(1) / BLOCK * BLOCK;
        let blocks = first(data, before_last);
        if !blocks.is_empty() {
            absorb(blocks);
        }
        self.filled = copy(&mut self.bytes, data.get(before_last..).unwrap_or_default());
    }
}

impl<const BLOCK: usize> Drop for Buffer<BLOCK> {
    fn drop(&mut self) {
        zeroize::zeroize_bytes(&mut self.bytes);
    }
}
