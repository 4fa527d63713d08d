//! The traits of the crate `digest`, version 0.11.

use ::digest::array::AssocArraySize;
use ::digest::common::BlockSizeUser;
use ::digest::consts::{U8, U28, U32, U48, U64, U72, U104, U128, U136, U144, U168};
use ::digest::{
    ExtendableOutput, ExtendableOutputReset, FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset,
    Update, XofReader,
};

use crate::bytes::copy;
use crate::hash::{
    AsconHash256, AsconXof128, AsconXof128Reader, Blake2b, Blake2s, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224,
    Sha256, Sha384, Sha512, Sha512_256, Shake128, Shake128Reader, Shake256, Shake256Reader,
};

/// The traits of everything that takes a message in parts, which blocks of `$block` bytes have.
macro_rules! updated {
    ($name:ty, $block:ident $(, $length:ident)?) => {
        impl $(<const $length: usize>)? BlockSizeUser for $name {
            type BlockSize = $block;
        }

        impl $(<const $length: usize>)? HashMarker for $name {}

        impl $(<const $length: usize>)? Update for $name {
            fn update(&mut self, part: &[u8]) {
                self.update(part);
            }
        }

        impl $(<const $length: usize>)? Reset for $name {
            fn reset(&mut self) {
                *self = Self::new();
            }
        }
    };
}

/// The traits of a hash with a digest of `$size`.
macro_rules! fixed {
    ($name:ty, $block:ident, $size:ty $(, $length:ident)?) => {
        updated!($name, $block $(, $length)?);

        impl $(<const $length: usize>)? OutputSizeUser for $name
        $(where [u8; $length]: AssocArraySize)?
        {
            type OutputSize = $size;
        }

        impl $(<const $length: usize>)? FixedOutput for $name
        $(where [u8; $length]: AssocArraySize)?
        {
            fn finalize_into(self, out: &mut Output<Self>) {
                copy(out, &self.finalize());
            }
        }

        impl $(<const $length: usize>)? FixedOutputReset for $name
        $(where [u8; $length]: AssocArraySize)?
        {
            fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
                copy(out, &core::mem::take(self).finalize());
            }
        }
    };
}

/// The traits of a function with an output of any length.
macro_rules! extendable {
    ($name:ident, $reader:ident, $block:ident) => {
        updated!($name, $block);

        impl ExtendableOutput for $name {
            type Reader = $reader;

            fn finalize_xof(self) -> $reader {
                self.finalize_xof()
            }
        }

        impl ExtendableOutputReset for $name {
            fn finalize_xof_reset(&mut self) -> $reader {
                core::mem::take(self).finalize_xof()
            }
        }

        impl XofReader for $reader {
            fn read(&mut self, out: &mut [u8]) {
                self.read(out);
            }
        }
    };
}

fixed!(Sha224, U64, U28);
fixed!(Sha256, U64, U32);
fixed!(Sha384, U128, U48);
fixed!(Sha512, U128, U64);
fixed!(Sha512_256, U128, U32);
fixed!(Sha3_224, U144, U28);
fixed!(Sha3_256, U136, U32);
fixed!(Sha3_384, U104, U48);
fixed!(Sha3_512, U72, U64);
fixed!(AsconHash256, U8, U32);
fixed!(Blake2b<LENGTH>, U128, <[u8; LENGTH] as AssocArraySize>::Size, LENGTH);
fixed!(Blake2s<LENGTH>, U64, <[u8; LENGTH] as AssocArraySize>::Size, LENGTH);
extendable!(Shake128, Shake128Reader, U168);
extendable!(Shake256, Shake256Reader, U136);
extendable!(AsconXof128, AsconXof128Reader, U8);
