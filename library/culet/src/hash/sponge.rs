//! Sponges: SHA-3 and SHAKE (FIPS 202), Ascon-Hash256 and Ascon-XOF128 (NIST SP 800-232, section 5).

use crate::bytes::{Buffer, copy, first, hidden, in_parts};
use crate::low;

/// The functions that all sponges have, by their kernels and padding.
macro_rules! absorbing {
    ($name:ident, $standard:literal, $state:literal, $rate:literal, $start:expr, $absorb:path, $pad:expr) => {
        impl $name {
            #[doc = concat!("The hash of a message that comes in parts: ", $standard, ".")]
            #[must_use]
            pub fn new() -> Self {
                Self { sponge: Sponge::new($start) }
            }

            #[doc = concat!("The next part of the message, of any length: ", $standard, ".")]
            pub fn update(&mut self, part: &[u8]) {
                self.sponge.absorb(part, $absorb);
            }

            /// Pads the message, and returns the output.
            fn output(self) -> Output<$state, $rate> {
                self.sponge.finish($pad, $absorb)
            }
        }

        impl Default for $name {
            fn default() -> Self {
                Self::new()
            }
        }

        impl zeroize::ZeroizeOnDrop for $name {}

        in_parts!($name);
    };
}

/// A hash with a digest of a fixed length.
macro_rules! fixed {
    (
        $(#[$about:meta])* $name:ident, $standard:literal, $length:literal,
        $state:literal, $rate:literal, $start:expr, $absorb:path, $permute:path, $pad:expr
    ) => {
        $(#[$about])*
        #[derive(Clone)]
        pub struct $name {
            sponge: Sponge<$state, $rate>,
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

            #[doc = concat!("The digest of all parts, ", $length, " bytes: ", $standard, ".")]
            #[must_use]
            pub fn finalize(self) -> [u8; $length] {
                let mut digest = [0; $length];
                self.output().read(&mut digest, $permute);
                digest
            }
        }

        absorbing!($name, $standard, $state, $rate, $start, $absorb, $pad);
    };
}

/// A function with an output of any length.
macro_rules! extendable {
    (
        $(#[$about:meta])* $name:ident, $standard:literal, $(#[$about_reader:meta])* $reader:ident,
        $state:literal, $rate:literal, $start:expr, $absorb:path, $permute:path, $pad:expr
    ) => {
        $(#[$about])*
        #[derive(Clone)]
        pub struct $name {
            sponge: Sponge<$state, $rate>,
        }

        impl $name {
            #[doc = concat!("Fills `out`, of any length, with the output for a whole message: ", $standard, ".")]
            pub fn digest(message: &[u8], out: &mut [u8]) {
                let mut hash = Self::new();
                hash.update(message);
                hash.finalize_xof().read(out);
            }

            #[doc = concat!("The output for all parts, of any length: ", $standard, ".")]
            #[must_use]
            pub fn finalize_xof(self) -> $reader {
                $reader { output: self.output() }
            }
        }

        absorbing!($name, $standard, $state, $rate, $start, $absorb, $pad);

        $(#[$about_reader])*
        #[derive(Clone)]
        pub struct $reader {
            output: Output<$state, $rate>,
        }

        impl $reader {
            #[doc = concat!("Fills `out`, of any length, with the next bytes of the output, which has no end: ", $standard, ".")]
            pub fn read(&mut self, out: &mut [u8]) {
                self.output.read(out, $permute);
            }
        }

        impl zeroize::ZeroizeOnDrop for $reader {}

        hidden!($reader);

        /// Fills every buffer.
        #[cfg(feature = "std")]
        #[cfg_attr(docsrs, doc(cfg(feature = "std")))]
        impl std::io::Read for $reader {
            fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
                self.output.read(out, $permute);
                Ok(out.len())
            }
        }
    };
}

/// The first byte after a message, and the bits that are set in the last byte of its last block.
#[derive(Clone, Copy)]
struct Padding(u8, u8);

/// FIPS 202, sections 5.1 and 6.1.
const SHA3: Padding = Padding(0x06, 0x80);

/// FIPS 202, sections 5.1 and 6.2.
const SHAKE: Padding = Padding(0x1f, 0x80);

/// SP 800-232, section 2.1.
const ASCON: Padding = Padding(0x01, 0);

fixed!(
    /// SHA3-224: digests of 28 bytes (FIPS 202, section 6.1).
    Sha3_224, "FIPS 202, section 6.1", 28, 200, 144, [0; 200], low::keccak_absorb_144, low::keccak_permute, SHA3
);

fixed!(
    /// SHA3-256: digests of 32 bytes (FIPS 202, section 6.1).
    Sha3_256, "FIPS 202, section 6.1", 32, 200, 136, [0; 200], low::keccak_absorb_136, low::keccak_permute, SHA3
);

fixed!(
    /// SHA3-384: digests of 48 bytes (FIPS 202, section 6.1).
    Sha3_384, "FIPS 202, section 6.1", 48, 200, 104, [0; 200], low::keccak_absorb_104, low::keccak_permute, SHA3
);

fixed!(
    /// SHA3-512: digests of 64 bytes (FIPS 202, section 6.1).
    Sha3_512, "FIPS 202, section 6.1", 64, 200, 72, [0; 200], low::keccak_absorb_72, low::keccak_permute, SHA3
);

extendable!(
    /// SHAKE128: output of any length (FIPS 202, section 6.2), with 128 bits of security from 32 bytes on.
    Shake128, "FIPS 202, section 6.2",
    /// The output of [`Shake128`], of any length (FIPS 202, section 6.2).
    Shake128Reader, 200, 168, [0; 200], low::keccak_absorb_168, low::keccak_permute, SHAKE
);

extendable!(
    /// SHAKE256: output of any length (FIPS 202, section 6.2), with 256 bits of security from 64 bytes on.
    Shake256, "FIPS 202, section 6.2",
    /// The output of [`Shake256`], of any length (FIPS 202, section 6.2).
    Shake256Reader, 200, 136, [0; 200], low::keccak_absorb_136, low::keccak_permute, SHAKE
);

fixed!(
    /// Ascon-Hash256: digests of 32 bytes (NIST SP 800-232, section 5.1), with 128 bits of security.
    AsconHash256, "NIST SP 800-232, section 5.1", 32, 40, 8, started(low::ascon_hash256_start), low::ascon_hash256_absorb, low::ascon_hash256_permute,
    ASCON
);

extendable!(
    /// Ascon-XOF128: output of any length (NIST SP 800-232, section 5.2), with 128 bits of security from 32 bytes on.
    AsconXof128, "NIST SP 800-232, section 5.2",
    /// The output of [`AsconXof128`], of any length (NIST SP 800-232, section 5.2).
    AsconXof128Reader, 40, 8, started(low::ascon_xof128_start), low::ascon_hash256_absorb, low::ascon_hash256_permute,
    ASCON
);

fn started(start: fn(&mut [u8; 40])) -> [u8; 40] {
    let mut state = [0; 40];
    start(&mut state);
    state
}

/// A state of so many bytes, and blocks of `RATE` bytes of a message.
#[derive(Clone)]
struct Sponge<const STATE: usize, const RATE: usize> {
    state: [u8; STATE],
    buffer: Buffer<RATE>,
}

impl<const STATE: usize, const RATE: usize> Sponge<STATE, RATE> {
    const fn new(state: [u8; STATE]) -> Self {
        Sponge { state, buffer: Buffer::new() }
    }

    fn absorb(&mut self, part: &[u8], absorb: impl Fn(&mut [u8; STATE], &[u8; STATE], &[u8])) {
        let state = &mut self.state;
        self.buffer.update(part, |blocks| {
            let mut before = *state;
            absorb(state, &before, blocks);
            zeroize::zeroize_bytes(&mut before);
        });
    }

    /// Pads the message to whole blocks.
    fn finish(
        mut self,
        padding: Padding,
        absorb: impl Fn(&mut [u8; STATE], &[u8; STATE], &[u8]),
    ) -> Output<STATE, RATE> {
        let length = RATE.saturating_sub(self.buffer.rest().len());
        let mut bytes = [0; RATE];
        if let Some(byte) = bytes.first_mut() {
            *byte = padding.0;
        }
        if let Some(byte) = bytes.get_mut(length.saturating_sub(1)) {
            *byte |= padding.1;
        }
        self.absorb(first(&bytes, length), absorb);
        Output { state: self.state, used: 0 }
    }
}

impl<const STATE: usize, const RATE: usize> Drop for Sponge<STATE, RATE> {
    fn drop(&mut self) {
        zeroize::zeroize_bytes(&mut self.state);
    }
}

/// A state after the whole message, whose first `RATE` bytes are output; a permutation makes the next ones.
#[derive(Clone)]
struct Output<const STATE: usize, const RATE: usize> {
    state: [u8; STATE],
    /// Bytes of the state that were read.
    used: usize,
}

impl<const STATE: usize, const RATE: usize> Output<STATE, RATE> {
    fn read(&mut self, mut out: &mut [u8], permute: impl Fn(&mut [u8; STATE], &[u8; STATE])) {
        loop {
            let ready = first(&self.state, RATE).get(self.used..).unwrap_or_default();
            let taken = copy(out, ready);
            self.used = self.used.saturating_add(taken);
            out = out.get_mut(taken..).unwrap_or_default();
            if out.is_empty() {
                return;
            }
            let mut before = self.state;
            permute(&mut self.state, &before);
            zeroize::zeroize_bytes(&mut before);
            self.used = 0;
        }
    }
}

impl<const STATE: usize, const RATE: usize> Drop for Output<STATE, RATE> {
    fn drop(&mut self) {
        zeroize::zeroize_bytes(&mut self.state);
    }
}
