//! Keys, agreement and ECDSA on curves in short Weierstrass form: a module a curve, with functions of the same names.
#![forbid(unsafe_code)]

use super::{any, words};

/// The functions of a curve whose numbers have `$number` bytes and whose points have `$point` or, compressed, `$compressed`, from kernels
/// for words of the size `$words`.
macro_rules! curve {
    (
        $(#[$about:meta])* $curve:ident, $words:ident, $number:literal, $point:literal, $compressed:literal,
        $compress:ident, $keys:ident: $public:ident, $is_point:ident, $decompress:ident, $agree:ident, $sum:ident,
        $signatures:ident: $reduce:ident, $sign:ident, $multiples:ident, $is_same:ident, $after:ident, $before:ident, $shorten:ident
    ) => {
        $(#[$about])*
        pub mod $curve {
            use super::{any, $words as words};

            pub use any::$compress::$compress as compress;
            pub use words::$signatures::$reduce as reduce;

            type Number = [u8; $number];
            type Point = [u8; $point];

            /// The public key of a secret key, and whether the secret key is in range: SEC 1, section 3.2.1.
            pub fn public(point: &mut Point, secret: &Number) -> bool {
                let mut good = [0];
                words::$keys::$public(point, &mut good, secret);
                good == [1]
            }

            /// Whether bytes are a point: SEC 1, section 3.2.2.1.
            pub fn is_point(point: &Point) -> bool {
                let mut good = [0];
                words::$keys::$is_point(&mut good, point);
                good == [1]
            }

            /// The point of a compressed one, and whether there is one: SEC 1, section 2.3.4.
            pub fn decompress(point: &mut Point, compressed: &[u8; $compressed]) -> bool {
                let mut good = [0];
                words::$keys::$decompress(point, &mut good, compressed);
                good == [1]
            }

            /// x of a multiple of a point, and whether the factor is in range and the point is one: SEC 1, section 3.3.1.
            pub fn agree(x: &mut Number, secret: &Number, point: &Point) -> bool {
                let mut good = [0];
                words::$keys::$agree(x, &mut good, secret, point);
                good == [1]
            }

            /// x of the sum of multiples of the base point and of a point, and whether there is one: FIPS 186-5, section 6.4.2.
            pub fn sum(x: &mut Number, of_base: &Number, of_point: &Number, point: &Point) -> bool {
                let mut good = [0];
                words::$keys::$sum(x, &mut good, of_base, of_point, point);
                good == [1]
            }

            /// r and s of a signature, and whether it is one: FIPS 186-5, section 6.4.1, from x of the multiple of the base point by
            /// `nonce`.
            pub fn sign(
                r: &mut Number,
                s: &mut Number,
                secret: &Number,
                nonce: &Number,
                x: &Number,
                digest: &Number,
            ) -> bool {
                let mut good = [0];
                words::$signatures::$sign(r, s, &mut good, secret, nonce, x, digest);
                super::$after(s);
                good == [1]
            }

            /// The factors of the base point and of a public key, and whether r and s are in range: FIPS 186-5, section 6.4.2.
            pub fn multiples(
                of_base: &mut Number,
                of_key: &mut Number,
                r: &Number,
                s: &Number,
                digest: &Number,
            ) -> bool {
                let mut good = [0];
                words::$signatures::$multiples(of_base, of_key, &mut good, r, s, digest);
                super::$before(s) & (good == [1])
            }

            /// Makes a number used once of random bytes, as many bits as the order has: RFC 6979, section 2.3.2.
            pub fn shorten(bytes: &mut Number) {
                super::$shorten(bytes);
            }

            /// Whether x is r modulo the order: FIPS 186-5, section 6.4.2.
            pub fn is_same(x: &Number, r: &Number) -> bool {
                let mut good = [0];
                words::$signatures::$is_same(&mut good, x, r);
                good == [1]
            }
        }
    };
}

#[cfg(feature = "p224")]
curve!(
    /// P-224.
    p224, any, 28, 57, 29,
    p224_compress, p224: p224_public, p224_is_point, p224_decompress, p224_agree, p224_sum,
    ecdsa_p224: p224_reduce, p224_sign, p224_multiples, p224_is_same, stays, is_any, stays
);
curve!(
    /// P-256.
    p256, words, 32, 65, 33,
    p256_compress, p256: p256_public, p256_is_point, p256_decompress, p256_agree, p256_sum,
    ecdsa_p256: p256_reduce, p256_sign, p256_multiples, p256_is_same, stays, is_any, stays
);
#[cfg(feature = "p384")]
curve!(
    /// P-384.
    p384, words, 48, 97, 49,
    p384_compress, p384: p384_public, p384_is_point, p384_decompress, p384_agree, p384_sum,
    ecdsa_p384: p384_reduce, p384_sign, p384_multiples, p384_is_same, stays, is_any, stays
);
#[cfg(feature = "p521")]
curve!(
    /// P-521, whose order has 521 bits of 528.
    p521, words, 66, 133, 67,
    p521_compress, p521: p521_public, p521_is_point, p521_decompress, p521_agree, p521_sum,
    ecdsa_p521: p521_reduce, p521_sign, p521_multiples, p521_is_same, stays, is_any, shorten_521
);
#[cfg(feature = "secp256k1")]
curve!(
    /// secp256k1, whose signatures have the lower s.
    secp256k1, words, 32, 65, 33,
    secp256k1_compress, secp256k1:
    secp256k1_public, secp256k1_is_point, secp256k1_decompress, secp256k1_agree, secp256k1_sum,
    ecdsa_secp256k1: secp256k1_reduce, secp256k1_sign, secp256k1_multiples, secp256k1_is_same, lower, is_low, stays
);

/// Schnorr's signatures with secp256k1: BIP 340.
#[cfg(feature = "secp256k1")]
pub mod bip340 {
    use super::{any, secp256k1, words};

    pub use any::bip340_mask::bip340_mask as mask;
    pub use secp256k1::reduce;
    pub use words::bip340::bip340_sign as sign;

    type Number = [u8; 32];

    /// The number or the order minus it, of which the multiple of the base point has an even y, and x of that; and whether the number is in range.
    pub fn even(even: &mut Number, x: &mut Number, number: &Number) -> bool {
        let (mut point, mut compressed) = ([0; 65], [0; 33]);
        let is_good = secp256k1::public(&mut point, number);
        words::bip340::bip340_even(even, number, &point);
        secp256k1::compress(&mut compressed, &point);
        crate::bytes::copy(x, compressed.get(1..).unwrap_or_default());
        is_good
    }

    /// The point with this x and an even y, and whether there is one.
    pub fn lift(point: &mut [u8; 65], x: &Number) -> bool {
        let mut compressed = [2; 33];
        crate::bytes::copy(compressed.get_mut(1..).unwrap_or_default(), x);
        secp256k1::decompress(point, &compressed)
    }

    /// The factors of the base point and of a public key, and whether s is in range.
    pub fn multiples(of_base: &mut Number, of_key: &mut Number, s: &Number, hash: &Number) -> bool {
        let mut good = [0];
        words::bip340::bip340_multiples(of_base, of_key, &mut good, s, hash);
        good == [1]
    }

    /// x of the sum of multiples of the base point and of a point, and whether there is one with an even y.
    pub fn even_sum(x: &mut Number, of_base: &Number, of_point: &Number, point: &[u8; 65]) -> bool {
        let mut good = [0];
        words::secp256k1::secp256k1_even_sum(x, &mut good, of_base, of_point, point);
        good == [1]
    }
}

/// Leaves a number as it is.
fn stays<const LENGTH: usize>(_: &mut [u8; LENGTH]) {}

/// Takes every s.
fn is_any<const LENGTH: usize>(_: &[u8; LENGTH]) -> bool {
    true
}

/// The first 521 bits in place of 66 bytes.
#[cfg(feature = "p521")]
fn shorten_521(bytes: &mut [u8; 66]) {
    let before = crate::bytes::Erased(*bytes);
    any::p521_shorten::p521_shorten(bytes, &before.0);
}

/// Puts the lower one of s and order − s into its place: BIP 146.
#[cfg(feature = "secp256k1")]
pub fn lower(s: &mut [u8; 32]) {
    let (before, mut was_low) = (*s, [0]);
    words::ecdsa_secp256k1::secp256k1_lower(s, &mut was_low, &before);
}

/// Whether s is the lower one of s and order − s.
#[cfg(feature = "secp256k1")]
fn is_low(s: &[u8; 32]) -> bool {
    let (mut low, mut is_low) = ([0; 32], [0]);
    words::ecdsa_secp256k1::secp256k1_lower(&mut low, &mut is_low, s);
    is_low == [1]
}
