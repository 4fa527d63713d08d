//! BLAKE2b and BLAKE2s: RFC 7693; with salts and personal strings: "BLAKE2: simpler, smaller, fast as MD5", 2013, section 2.8.

use crate::bytes::{Buffer, Erased, copy, in_parts};
use crate::error::{Error, require};
use crate::low;

macro_rules! blake2 {
    (
        $(#[$about:meta])* $name:ident, $(#[$about_var:meta])* $var:ident,
        $longest:literal, $block:literal, $salt:literal, $start:path, $update:path, $finish:path
    ) => {
        $(#[$about])*
        #[derive(Clone)]
        pub struct $name<const LENGTH: usize> {
            hash: $var,
        }

        impl<const LENGTH: usize> $name<LENGTH> {
            /// The number of a digest's bytes.
            pub const LENGTH: usize = {
                assert!(0 < LENGTH && LENGTH <= $longest, concat!("a digest has 1 to ", $longest, " bytes"));
                LENGTH
            };

            /// The digest of a whole message, `LENGTH` bytes: RFC 7693, section 3.3.
            #[must_use]
            pub fn digest(message: &[u8]) -> [u8; LENGTH] {
                let mut hash = Self::new();
                hash.update(message);
                hash.finalize()
            }

            /// The hash of a message that comes in parts: RFC 7693, section 3.3.
            #[must_use]
            pub fn new() -> Self {
                Self { hash: $var::begin(Self::LENGTH, &[], &[0; $salt], &[0; $salt]) }
            }

            /// The hash of a message with a key of 1 byte to half a block, for [`mac`](crate::mac).
            pub(crate) fn with_key(key: &[u8]) -> Result<Self, Error> {
                require(!key.is_empty(), Error::LENGTH)?;
                Ok(Self { hash: $var::new(Self::LENGTH, key)? })
            }

            /// The next part of the message, of any length: RFC 7693, section 3.3.
            pub fn update(&mut self, part: &[u8]) {
                self.hash.update(part);
            }

            /// The digest of all parts, `LENGTH` bytes: RFC 7693, section 3.3.
            #[must_use]
            pub fn finalize(self) -> [u8; LENGTH] {
                let mut digest = [0; LENGTH];
                copy(&mut digest, &*self.hash.finish());
                digest
            }
        }

        impl<const LENGTH: usize> Default for $name<LENGTH> {
            fn default() -> Self {
                Self::new()
            }
        }

        impl<const LENGTH: usize> zeroize::ZeroizeOnDrop for $name<LENGTH> {}

        in_parts!($name<const LENGTH: usize>);

        $(#[$about_var])*
        #[derive(Clone)]
        pub struct $var {
            state: [u8; $longest],
            buffer: Buffer<$block>,
            /// Number of bytes that the state has absorbed, those of the key's block among them.
            absorbed: u64,
            length: usize,
        }

        impl $var {
            #[doc = concat!("How many bytes a digest and a key have at most, ", $longest, ": RFC 7693, section 2.1.")]
            pub const LIMIT: usize = $longest;

            /// The hash of a message that comes in parts, with a digest of so many bytes: RFC 7693, section 3.3. An empty key is
            /// none.
            ///
            /// # Errors
            ///
            /// The length is 0, or it or the key's is greater than [`LIMIT`](Self::LIMIT): [`Reason::Length`](crate::Reason::Length).
            pub fn new(length: usize, key: &[u8]) -> Result<Self, Error> {
                Self::with_salt_and_personal(length, key, &[0; $salt], &[0; $salt])
            }

            #[doc = concat!("The hash that [`new`](Self::new) makes, with a salt and a personal string of ", $salt, " bytes each: another")]
            /// function for each two of them ("BLAKE2: simpler, smaller, fast as MD5", section 2.8). Zeros are none.
            ///
            /// # Errors
            ///
            /// Those of [`new`](Self::new).
            pub fn with_salt_and_personal(
                length: usize,
                key: &[u8],
                salt: &[u8; $salt],
                personal: &[u8; $salt],
            ) -> Result<Self, Error> {
                require(0 < length && length <= Self::LIMIT && key.len() <= Self::LIMIT, Error::LENGTH)?;
                Ok(Self::begin(length, key, salt, personal))
            }

            /// Begins a hash with a digest and a key whose lengths were checked.
            fn begin(length: usize, key: &[u8], salt: &[u8; $salt], personal: &[u8; $salt]) -> Self {
                let mut hash = Self { state: [0; $longest], buffer: Buffer::new(), absorbed: 0, length };
                $start(&mut hash.state, &[length as u8], &[key.len() as u8], salt, personal);
                if !key.is_empty() {
                    let mut block = Erased([0; $block]);
                    copy(&mut *block, key);
                    hash.update(&*block);
                }
                hash
            }

            /// The next part of the message, of any length: RFC 7693, section 3.3.
            pub fn update(&mut self, part: &[u8]) {
                let (state, absorbed) = (&mut self.state, &mut self.absorbed);
                self.buffer.update_but_last(part, |blocks| {
                    let before = Erased(*state);
                    $update(state, &before, &absorbed.to_le_bytes(), blocks);
                    *absorbed = absorbed.wrapping_add(blocks.len() as u64);
                });
            }

            /// Writes the digest of all parts, of as many bytes as [`new`](Self::new) was told: RFC 7693, section 3.3.
            ///
            /// # Errors
            ///
            /// `digest` has another length than [`new`](Self::new) was told: [`Reason::Length`](crate::Reason::Length). Nothing is written then.
            pub fn finalize_into(self, digest: &mut [u8]) -> Result<(), Error> {
                require(digest.len() == self.length, Error::LENGTH)?;
                copy(digest, &*self.finish());
                Ok(())
            }

            /// Returns the last state, whose first bytes are the digest.
            fn finish(self) -> Erased<$longest> {
                let (mut block, mut digest) = (Erased([0; $block]), Erased([0; $longest]));
                let length = copy(&mut *block, self.buffer.rest());
                let all = self.absorbed.wrapping_add(length as u64);
                $finish(&mut digest, &self.state, &all.to_le_bytes(), &block);
                digest
            }
        }

        impl Drop for $var {
            fn drop(&mut self) {
                zeroize::zeroize_bytes(&mut self.state);
            }
        }

        impl zeroize::ZeroizeOnDrop for $var {}

        in_parts!($var);
    };
}

blake2!(
    /// BLAKE2b (RFC 7693, section 3.3) with digests of `LENGTH` bytes, 1 to 64, of messages of fewer than 2^64 bytes. Another length does not compile. With a key it is
    /// [`Blake2bMac`](crate::mac::Blake2bMac).
    Blake2b,
    /// BLAKE2b (RFC 7693, section 3.3) with a length of digests, 1 to 64 bytes, that is known when the program runs, and with a key of at most 64 bytes or none.
    Blake2bVar,
    64, 128, 16, low::blake2b_start, low::blake2b_update, low::blake2b_finish
);

blake2!(
    /// BLAKE2s (RFC 7693, section 3.3) with digests of `LENGTH` bytes, 1 to 32, of messages of fewer than 2^64 bytes. Another length does not compile. With a key it is
    /// [`Blake2sMac`](crate::mac::Blake2sMac).
    Blake2s,
    /// BLAKE2s (RFC 7693, section 3.3) with a length of digests, 1 to 32 bytes, that is known when the program runs, and with a key of at most 32 bytes or none.
    Blake2sVar,
    32, 64, 8, low::blake2s_start, low::blake2s_update, low::blake2s_finish
);
