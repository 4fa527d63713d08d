//! SHA-2: FIPS 180-4.

use crate::bytes::{Buffer, copy, first, in_parts};
use crate::low;

macro_rules! hash {
    ($(#[$about:meta])* $name:ident, $standard:literal, $block:literal, $state:literal, $length:literal, $start:path, $update:path) => {
        $(#[$about])*
        #[derive(Clone)]
        pub struct $name {
            state: [u8; $state],
            buffer: Buffer<$block>,
            /// Bytes so far.
            length: u64,
        }

        impl $name {
            /// The number of a digest's bytes.
            pub const LENGTH: usize = $length;

            #[doc = concat!("The digest of a whole message, ", $length, " bytes: ", $standard, ".")]
            #[must_use]
            pub fn digest(message: &[u8]) -> [u8; $length] {
                let mut hash = Self::new();
                hash.update(message);
                hash.finalize()
            }

            #[doc = concat!("The hash of a message that comes in parts: ", $standard, ".")]
            #[must_use]
            pub fn new() -> Self {
                let mut state = [0; $state];
                $start(&mut state);
                Self { state, buffer: Buffer::new(), length: 0 }
            }

            /// The hash of a message whose first block has made a state of the empty one.
            #[allow(dead_code)] // Not all of them have an HMAC here.
            pub(crate) const fn after_a_block(state: [u8; $state]) -> Self {
                Self { state, buffer: Buffer::new(), length: $block }
            }

            #[doc = concat!("The next part of the message, of any length: ", $standard, ".")]
            pub fn update(&mut self, part: &[u8]) {
                self.length = self.length.wrapping_add(part.len() as u64);
                let state = &mut self.state;
                self.buffer.update(part, |blocks| {
                    let mut before = *state;
                    $update(state, &before, blocks);
                    zeroize::zeroize_bytes(&mut before);
                });
            }

            #[doc = concat!("The digest of all parts, ", $length, " bytes: ", $standard, ".")]
            #[must_use]
            pub fn finalize(mut self) -> [u8; $length] {
                self.pad();
                let mut digest = [0; $length];
                copy(&mut digest, &self.state);
                digest
            }

            /// Appends the byte 0x80, zeros, and the number of the message's bits: FIPS 180-4, section 5.1.
            fn pad(&mut self) {
                let bits = self.length.wrapping_mul(8).to_be_bytes();
                let rest = self.buffer.rest().len();
                // The number takes the last eighth of a block.
                let zeros = (2 * $block - 1 - $block / 8 - rest) % $block;
                let mut padding = [0; 2 * $block];
                padding[0] = 0x80;
                let end = zeros + 1 + $block / 8;
                copy(padding.get_mut(end.saturating_sub(8)..).unwrap_or_default(), &bits);
                self.update(first(&padding, end));
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                zeroize::zeroize_bytes(&mut self.state);
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}

        in_parts!($name);
    };
}

hash!(
    /// SHA-256: digests of 32 bytes (FIPS 180-4, section 6.2) of messages of fewer than 2^61 bytes.
    Sha256, "FIPS 180-4, section 6.2", 64, 32, 32, low::sha256_start, low::sha256_update
);

hash!(
    /// SHA-224: digests of 28 bytes (FIPS 180-4, section 6.3) of messages of fewer than 2^61 bytes.
    Sha224, "FIPS 180-4, section 6.3", 64, 32, 28, low::sha224_start, low::sha256_update
);

hash!(
    /// SHA-512: digests of 64 bytes (FIPS 180-4, section 6.4) of messages of fewer than 2^61 bytes.
    Sha512, "FIPS 180-4, section 6.4", 128, 64, 64, low::sha512_start, low::sha512_update
);

hash!(
    /// SHA-512/256: digests of 32 bytes (FIPS 180-4, section 6.7) of messages of fewer than 2^61 bytes.
    Sha512_256, "FIPS 180-4, section 6.7", 128, 64, 32, low::sha512_256_start, low::sha512_update
);

hash!(
    /// SHA-384: digests of 48 bytes (FIPS 180-4, section 6.5) of messages of fewer than 2^61 bytes.
    Sha384, "FIPS 180-4, section 6.5", 128, 64, 48, low::sha384_start, low::sha512_update
);
