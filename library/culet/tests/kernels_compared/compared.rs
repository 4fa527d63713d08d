//! Every kernel of an operation computes the same: words of 64 and of 32 bits, and vectors where this CPU has them.
//!
//! `tests/kernels.rs` builds and runs these tests with the features of the curves that it wants. The file is no `main.rs`, which cargo would build
//! with all curves in each run of all tests.
#![allow(unsafe_code)] // Kernels for CPU features are called where the CPU has them.
#![allow(clippy::all, dead_code, unused_parens)] // Clippy takes exponential time for kernels, see `src/lib.rs`.

#[rustfmt::skip]
#[path = "../../src/kernels/c64/mod.rs"]
mod c64;
#[rustfmt::skip]
#[path = "../../src/kernels/c32/mod.rs"]
mod c32;
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
#[path = "../../src/kernels/sse/mod.rs"]
mod sse;
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
#[path = "../../src/kernels/avx2/mod.rs"]
mod avx2;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
#[rustfmt::skip]
#[path = "../../src/kernels/neon/mod.rs"]
mod neon;
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
#[path = "../../src/kernels/ssesha/mod.rs"]
mod ssesha;
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
#[path = "../../src/kernels/avx512ifma/mod.rs"]
mod avx512ifma;
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
#[path = "../../src/kernels/avx512vaes/mod.rs"]
mod avx512vaes;
#[path = "../operations/bytes.rs"]
mod hexadecimal;

use hexadecimal::Random;

/// Edges of fields and words as well as random bytes.
fn bytes<const N: usize>(random: &mut Random) -> [u8; N] {
    match random.below(6) {
        0 => [0; N],
        1 => [0xff; N],
        2 => {
            let mut top = [0xff; N];
            top[0] = random.next() as u8;
            top
        }
        _ => random.array(),
    }
}

#[test]
fn x25519() {
    let random = &mut Random::new(40);
    for _ in 0..60 {
        let (k, u): ([u8; 32], [u8; 32]) = (bytes(random), bytes(random));
        let (mut wide, mut narrow) = ([0; 32], [1; 32]);
        c64::x25519::x25519(&mut wide, &k, &u);
        c32::x25519::x25519(&mut narrow, &k, &u);
        assert_eq!(wide, narrow);
        // The base point's multiples come from a table.
        let mut base = [0; 32];
        base[0] = 9;
        let (mut public, mut wide_public, mut narrow_public) = ([0; 32], [1; 32], [2; 32]);
        c64::x25519::x25519(&mut public, &k, &base);
        c64::ed25519_base::x25519_base(&mut wide_public, &k);
        c32::ed25519_base::x25519_base(&mut narrow_public, &k);
        assert!(public == wide_public && public == narrow_public, "{k:?}");
        #[cfg(target_arch = "x86_64")]
        if has_ifma() {
            let mut lanes = [2; 32];
            // SAFETY: this CPU has the features.
            unsafe { avx512ifma::x25519::x25519(&mut lanes, &k, &u) };
            assert_eq!(wide, lanes);
            // SAFETY: this CPU has the features.
            unsafe { avx512ifma::ed25519_base::x25519_base(&mut lanes, &k) };
            assert_eq!(public, lanes);
        }
    }
}

#[test]
fn ed25519() {
    let random = &mut Random::new(42);
    let mut verified = 0;
    for turn in 0..40 {
        let (hash, r, k, mut s): ([u8; 64], [u8; 32], [u8; 32], [u8; 32]) =
            (bytes(random), bytes(random), bytes(random), bytes(random));
        let (mut wide, mut narrow) = ([0; 32], [1; 32]);
        c64::ed25519_reduce::ed25519_reduce(&mut wide, &hash);
        c32::ed25519_reduce::ed25519_reduce(&mut narrow, &hash);
        assert_eq!(wide, narrow);
        c64::ed25519_sign::ed25519_sign(&mut wide, &r, &k, &s);
        c32::ed25519_sign::ed25519_sign(&mut narrow, &r, &k, &s);
        assert_eq!(wide, narrow);
        s[31] &= 0x7f;
        let mut point = [0; 32];
        c64::ed25519_base::ed25519_base(&mut point, &s);
        c32::ed25519_base::ed25519_base(&mut narrow, &s);
        assert_eq!(point, narrow, "{s:?}");
        // Zero times any key is added to the point, or something else.
        let key = if turn % 2 == 0 { point } else { bytes(random) };
        let other = if turn % 4 == 0 { [0; 32] } else { k };
        let (mut good, mut also_good) = ([0], [0]);
        c64::ed25519_verify::ed25519_is_point(&mut good, &key);
        c32::ed25519_verify::ed25519_is_point(&mut also_good, &key);
        assert_eq!(good, also_good, "{key:?}");
        c64::ed25519_sign::ed25519_sign(&mut wide, &s, &[0; 32], &[0; 32]);
        c64::ed25519_verify::ed25519_verify(&mut good, &key, &point, &wide, &other);
        c32::ed25519_verify::ed25519_verify(&mut also_good, &key, &point, &wide, &other);
        assert_eq!(good, also_good, "{key:?} {point:?} {wide:?} {other:?}");
        verified += good[0];
        #[cfg(target_arch = "x86_64")]
        if has_ifma() {
            let (mut lanes, mut good_in_lanes, mut by_zip215, mut also_by_zip215) = ([3; 32], [2], [2], [3]);
            // SAFETY: this CPU has the features.
            unsafe {
                avx512ifma::ed25519_base::ed25519_base(&mut lanes, &s);
                avx512ifma::ed25519_verify_lanes::ed25519_verify_lanes(
                    &mut good_in_lanes, &mut by_zip215, &key, &point, &wide, &other,
                );
            }
            c64::ed25519_verify::ed25519_verify_zip215(&mut also_by_zip215, &key, &point, &wide, &other);
            assert_eq!((point, good, also_by_zip215), (lanes, good_in_lanes, by_zip215), "{key:?} {wide:?} {other:?}");
        }
        c64::ed25519_verify::ed25519_verify_zip215(&mut good, &key, &point, &wide, &other);
        c32::ed25519_verify::ed25519_verify_zip215(&mut also_good, &key, &point, &wide, &other);
        assert_eq!(good, also_good, "{key:?} {point:?} {wide:?} {other:?}");
        let (mut u, mut also_u) = ([0; 32], [1; 32]);
        c64::ed25519_verify::ed25519_to_x25519(&mut u, &mut good, &key);
        c32::ed25519_verify::ed25519_to_x25519(&mut also_u, &mut also_good, &key);
        assert_eq!((u, good), (also_u, also_good), "{key:?}");
        let (mut weighted, mut also_weighted) = ([0; 32], [1; 32]);
        let z = *hash.first_chunk().expect("16 bytes");
        c64::ed25519_weigh::ed25519_weigh(&mut u, &mut weighted, &mut good, &r, &wide, &k, &z);
        c32::ed25519_weigh::ed25519_weigh(&mut also_u, &mut also_weighted, &mut also_good, &r, &wide, &k, &z);
        assert_eq!((u, weighted, good), (also_u, also_weighted, also_good));
    }
    assert!(verified >= 10, "{verified}");
}

/// Sums of eight equations: with points that are multiples of the base point, and with one that is changed.
#[test]
fn eight_signatures() {
    let random = &mut Random::new(51);
    let reduced = |random: &mut Random| {
        let mut number = [0; 32];
        c64::ed25519_reduce::ed25519_reduce(&mut number, &random.array());
        number
    };
    for _ in 0..3 {
        let (mut keys, mut points, mut challenges, mut factors) = ([0; 256], [0; 256], [0; 256], [0; 128]);
        let mut sum = [0; 32];
        for place in 0..8 {
            let (secret, nonce, challenge): ([u8; 32], [u8; 32], [u8; 32]) =
                (reduced(random), reduced(random), reduced(random));
            let (mut factor, mut point, own) = ([0; 32], [0; 32], 32 * place..32 * place + 32);
            factor[..16].copy_from_slice(&random.array::<16>());
            factor[0] |= 1;
            factors[16 * place..16 * place + 16].copy_from_slice(&factor[..16]);
            challenges[own.clone()].copy_from_slice(&challenge);
            c64::ed25519_base::ed25519_base(&mut point, &secret);
            keys[own.clone()].copy_from_slice(&point);
            c64::ed25519_base::ed25519_base(&mut point, &nonce);
            points[own].copy_from_slice(&point);
            for (times, number) in [(factor, nonce), (challenge, secret)] {
                let before = sum;
                c64::ed25519_sign::ed25519_sign(&mut sum, &before, &times, &number);
            }
        }
        for changed in [None, Some(random.below(256))] {
            if let Some(place) = changed {
                points[place] ^= 1;
            }
            let (mut wide, mut narrow) = ([0], [2]);
            c64::ed25519_verify::ed25519_verify_eight(&mut wide, &keys, &points, &sum, &challenges, &factors);
            c32::ed25519_verify::ed25519_verify_eight(&mut narrow, &keys, &points, &sum, &challenges, &factors);
            assert_eq!([wide, narrow], [[u8::from(changed.is_none())]; 2], "{changed:?}");
        }
    }
}

/// Numbers at the ends of what is in range, too.
fn number<const N: usize>(random: &mut Random, order: &str) -> [u8; N] {
    let mut order: [u8; N] = hexadecimal::bytes(order);
    match random.below(8) {
        0 => {
            order[N - 1] = order[N - 1].saturating_sub(random.below(20) as u8);
            order
        }
        1 => {
            let mut small = [0; N];
            small[N - 1] = random.below(20) as u8;
            small
        }
        _ => {
            let mut number: [u8; N] = bytes(random);
            number[0] &= 0xff >> order[0].leading_zeros();
            number
        }
    }
}

/// Keys, points and signatures of a curve with numbers of `$number` bytes.
macro_rules! curve {
    (
        $test:ident, $seed:literal, $turns:literal, $order:literal, $number:literal, $point:literal, $compressed:literal,
        $public:ident, $is_point:ident, $decompress:ident, $agree:ident, $sum:ident,
        $signatures:ident: $sign:ident, $multiples:ident, $reduce:ident, $is_same:ident
    ) => {
        #[test]
        fn $test() {
            let random = &mut Random::new($seed);
            let mut agreed = 0;
            for turn in 0..$turns {
                let numbers: [[u8; $number]; 4] = [(); 4].map(|()| number(random, $order));
                let [a, b, c, d] = &numbers;
                let (mut good, mut also_good) = ([0], [1]);
                let (mut point, mut narrow) = ([0; $point], [1; $point]);
                c64::$test::$public(&mut point, &mut good, a);
                c32::$test::$public(&mut narrow, &mut also_good, a);
                assert_eq!((point, good), (narrow, also_good), "{numbers:02x?}");
                if turn % 4 == 0 {
                    point[1 + random.below($point - 1)] ^= 1;
                }
                c64::$test::$is_point(&mut good, &point);
                c32::$test::$is_point(&mut also_good, &point);
                assert_eq!(good, also_good, "{numbers:02x?}");
                let (mut x, mut narrow_x) = ([0; $number], [1; $number]);
                c64::$test::$agree(&mut x, &mut good, b, &point);
                c32::$test::$agree(&mut narrow_x, &mut also_good, b, &point);
                assert_eq!((x, good), (narrow_x, also_good), "{numbers:02x?}");
                agreed += u32::from(good[0]);
                c64::$test::$sum(&mut x, &mut good, b, c, &point);
                c32::$test::$sum(&mut narrow_x, &mut also_good, b, c, &point);
                assert_eq!((x, good), (narrow_x, also_good), "{numbers:02x?}");
                let mut compressed = [2; $compressed];
                compressed[1..].copy_from_slice(d);
                c64::$test::$decompress(&mut point, &mut good, &compressed);
                c32::$test::$decompress(&mut narrow, &mut also_good, &compressed);
                assert_eq!((point, good), (narrow, also_good), "{numbers:02x?}");

                let (mut r, mut narrow_r, mut s, mut narrow_s) =
                    ([0; $number], [1; $number], [0; $number], [1; $number]);
                c64::$signatures::$sign(&mut r, &mut s, &mut good, a, b, c, d);
                c32::$signatures::$sign(&mut narrow_r, &mut narrow_s, &mut also_good, a, b, c, d);
                assert_eq!((r, s, good), (narrow_r, narrow_s, also_good), "{numbers:02x?}");
                c64::$signatures::$multiples(&mut r, &mut s, &mut good, a, b, c);
                c32::$signatures::$multiples(&mut narrow_r, &mut narrow_s, &mut also_good, a, b, c);
                assert_eq!((r, s, good), (narrow_r, narrow_s, also_good), "{numbers:02x?}");
                c64::$signatures::$reduce(&mut r, a);
                c32::$signatures::$reduce(&mut narrow_r, a);
                assert_eq!(r, narrow_r, "{numbers:02x?}");
                for other in [b, &r] {
                    c64::$signatures::$is_same(&mut good, a, other);
                    c32::$signatures::$is_same(&mut also_good, a, other);
                    assert_eq!(good, also_good, "{numbers:02x?}");
                }
            }
            assert!(agreed > $turns / 6, "{agreed}");
        }
    };
}

curve!(
    p256, 43, 60, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 32, 65, 33,
    p256_public, p256_is_point, p256_decompress, p256_agree, p256_sum,
    ecdsa_p256: p256_sign, p256_multiples, p256_reduce, p256_is_same
);
#[cfg(feature = "p384")]
curve!(
    p384, 44, 20,
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973", 48, 97, 49,
    p384_public, p384_is_point, p384_decompress, p384_agree, p384_sum,
    ecdsa_p384: p384_sign, p384_multiples, p384_reduce, p384_is_same
);
#[cfg(feature = "p521")]
curve!(
    p521, 48, 12,
    "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
    66, 133, 67, p521_public, p521_is_point, p521_decompress, p521_agree, p521_sum,
    ecdsa_p521: p521_sign, p521_multiples, p521_reduce, p521_is_same
);
#[cfg(feature = "secp256k1")]
curve!(
    secp256k1, 45, 30, "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 32, 65, 33,
    secp256k1_public, secp256k1_is_point, secp256k1_decompress, secp256k1_agree, secp256k1_sum,
    ecdsa_secp256k1: secp256k1_sign, secp256k1_multiples, secp256k1_reduce, secp256k1_is_same
);

/// Schnorr's signatures: numbers at the ends of what is in range, too.
#[cfg(feature = "secp256k1")]
#[test]
fn bip340() {
    const ORDER: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    let random = &mut Random::new(47);
    for turn in 0..30 {
        let numbers: [[u8; 32]; 3] = [(); 3].map(|()| number(random, ORDER));
        let [a, b, c] = &numbers;
        let (mut point, mut good) = ([0; 65], [0]);
        c64::secp256k1::secp256k1_public(&mut point, &mut good, a);
        let (mut wide, mut narrow, mut other, mut also_other, mut also_good) =
            ([0; 32], [1; 32], [0; 32], [1; 32], [1]);
        c64::bip340::bip340_even(&mut wide, a, &point);
        c32::bip340::bip340_even(&mut narrow, a, &point);
        assert_eq!(wide, narrow, "{numbers:02x?}");
        c64::bip340::bip340_sign(&mut wide, a, b, c);
        c32::bip340::bip340_sign(&mut narrow, a, b, c);
        assert_eq!(wide, narrow, "{numbers:02x?}");
        c64::bip340::bip340_multiples(&mut wide, &mut other, &mut good, b, c);
        c32::bip340::bip340_multiples(&mut narrow, &mut also_other, &mut also_good, b, c);
        assert_eq!((wide, other, good), (narrow, also_other, also_good), "{numbers:02x?}");
        if turn % 3 == 0 {
            c64::secp256k1::secp256k1_even_sum(&mut wide, &mut good, b, c, &point);
            c32::secp256k1::secp256k1_even_sum(&mut narrow, &mut also_good, b, c, &point);
            assert_eq!((wide, good), (narrow, also_good), "{numbers:02x?}");
        }
    }
}

#[cfg(feature = "secp256k1")]
#[test]
fn lower_s() {
    let random = &mut Random::new(46);
    for _ in 0..60 {
        let s: [u8; 32] = number(random, "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141");
        let (mut wide, mut narrow, mut is_low, mut also_low) = ([0; 32], [1; 32], [0], [1]);
        c64::ecdsa_secp256k1::secp256k1_lower(&mut wide, &mut is_low, &s);
        c32::ecdsa_secp256k1::secp256k1_lower(&mut narrow, &mut also_low, &s);
        assert_eq!((wide, is_low), (narrow, also_low), "{s:02x?}");
    }
}

#[cfg(target_arch = "x86_64")]
use avx2 as aes_rounds;
#[cfg(target_arch = "x86_64")]
use ssesha as sha_rounds;
#[cfg(all(target_arch = "aarch64", target_endian = "little"))]
use {neon as aes_rounds, neon as sha_rounds};

/// Whether this CPU has instructions for rounds of SHA-256.
fn has_sha() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("sse4.1") && std::arch::is_x86_feature_detected!("sha");
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    return std::arch::is_aarch64_feature_detected!("sha2");
}

/// Whether this CPU has instructions for rounds of AES.
fn has_aes() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("aes");
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    return std::arch::is_aarch64_feature_detected!("aes");
}

/// Whether this CPU has instructions for four blocks of AES at once.
#[cfg(target_arch = "x86_64")]
fn has_vaes() -> bool {
    has_aes()
        && std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("vaes")
        && std::arch::is_x86_feature_detected!("vpclmulqdq")
}

#[test]
fn sha256_by_instructions() {
    if !has_sha() {
        return;
    }
    let random = &mut Random::new(44);
    for blocks in (0..40).chain([255]) {
        let state: [u8; 32] = bytes(random);
        // The kernel does not read the bytes after the last whole block.
        let message: Vec<u8> = (0..64 * blocks + blocks % 64).map(|_| random.next() as u8).collect();
        let (mut plain, mut fast) = ([0; 32], [1; 32]);
        c64::sha256_update::sha256_update(&mut plain, &state, &message);
        // SAFETY: this CPU has the features.
        unsafe { sha_rounds::sha256_update::sha256_update(&mut fast, &state, &message) };
        assert_eq!(plain, fast, "{blocks} blocks");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn sha512_with_vectors() {
    if !std::arch::is_x86_feature_detected!("avx2") {
        return;
    }
    let random = &mut Random::new(48);
    for blocks in (0..20).chain([130]) {
        let state: [u8; 64] = bytes(random);
        // The kernel does not read the bytes after the last whole block.
        let message: Vec<u8> = (0..128 * blocks + blocks % 128).map(|_| random.next() as u8).collect();
        let (mut plain, mut fast) = ([0; 64], [1; 64]);
        c64::sha512_update::sha512_update(&mut plain, &state, &message);
        // SAFETY: this CPU has the features.
        unsafe { avx2::sha512_update::sha512_update(&mut fast, &state, &message) };
        assert_eq!(plain, fast, "{blocks} blocks");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn hmac_sha256_by_instructions() {
    if !has_sha() {
        return;
    }
    let random = &mut Random::new(47);
    for _ in 0..40 {
        let (state, digest, key): ([u8; 32], [u8; 32], [u8; 64]) = (bytes(random), bytes(random), bytes(random));
        let (mut plain, mut fast) = ([0; 32], [1; 32]);
        c64::hmac_sha256_finish::hmac_sha256_finish(&mut plain, &state, &digest);
        // SAFETY: this CPU has the features.
        unsafe { ssesha::hmac_sha256_finish::hmac_sha256_finish(&mut fast, &state, &digest) };
        assert_eq!(plain, fast);
        let (mut inner, mut outer, mut also_inner, mut also_outer) = ([0; 32], [0; 32], [1; 32], [1; 32]);
        c64::hmac_sha256_key::hmac_sha256_key(&mut inner, &mut outer, &key);
        // SAFETY: this CPU has the features.
        unsafe { ssesha::hmac_sha256_key::hmac_sha256_key(&mut also_inner, &mut also_outer, &key) };
        assert_eq!((inner, outer), (also_inner, also_outer));
    }
}

type Absorb = fn(&mut [u8; 17], &[u8; 17], &[u8; 32], &[u8]);

/// Each kernel, and whether it is the one that pads.
fn absorbing() -> Vec<(&'static str, bool, Absorb)> {
    let mut kernels: Vec<(&str, bool, Absorb)> = vec![
        ("c64", false, c64::poly1305_absorb::poly1305_absorb),
        ("c64, padded", true, c64::poly1305_absorb_padded::poly1305_absorb_padded),
        ("c32", false, c32::poly1305_absorb::poly1305_absorb),
        ("c32, padded", true, c32::poly1305_absorb_padded::poly1305_absorb_padded),
    ];
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            kernels.push(("avx2", false, |next, accumulator, key, part| {
                // SAFETY: this CPU has the feature.
                unsafe { avx2::poly1305_absorb::poly1305_absorb(next, accumulator, key, part) }
            }));
            kernels.push(("avx2, padded", true, |next, accumulator, key, part| {
                // SAFETY: this CPU has the feature.
                unsafe { avx2::poly1305_absorb_padded::poly1305_absorb_padded(next, accumulator, key, part) }
            }));
        }
        if has_ifma() {
            kernels.push(("avx512ifma", false, |next, accumulator, key, part| {
                // SAFETY: this CPU has the features.
                unsafe { avx512ifma::poly1305_absorb::poly1305_absorb(next, accumulator, key, part) }
            }));
            kernels.push(("avx512ifma, padded", true, |next, accumulator, key, part| {
                // SAFETY: this CPU has the features.
                unsafe { avx512ifma::poly1305_absorb_padded::poly1305_absorb_padded(next, accumulator, key, part) }
            }));
        }
    }
    kernels
}

#[test]
fn poly1305() {
    let random = &mut Random::new(41);
    let kernels = absorbing();
    for length in (0..=700).chain([1023, 1024, 1025, 4096, 5000]) {
        let (key, accumulator): ([u8; 32], [u8; 17]) = (bytes(random), bytes(random));
        let mut part = random.vector(length);
        if length % 3 == 0 {
            part.fill(0xff);
        }
        for is_padded in [false, true] {
            let mut expected = None;
            for (name, _, kernel) in kernels.iter().filter(|(_, pads, _)| *pads == is_padded) {
                let mut next = [0; 17];
                kernel(&mut next, &accumulator, &key, &part);
                assert_eq!(next, *expected.get_or_insert(next), "{name}, {length} bytes");
            }
        }
        let (mut wide, mut narrow) = ([0; 16], [1; 16]);
        c64::poly1305_finish::poly1305_finish(&mut wide, &accumulator, &key);
        c32::poly1305_finish::poly1305_finish(&mut narrow, &accumulator, &key);
        assert_eq!(wide, narrow);
    }
}

/// Counters pass 2^32, too.
#[test]
fn aes_by_instructions() {
    if !has_aes() {
        return;
    }
    macro_rules! same {
        ($random:ident, $groups:ident, $keys:ident, $ctr:ident, $length:literal, $rounds:literal) => {
            let (key, counter): ([u8; $length], [u8; 16]) = (bytes($random), bytes($random));
            let text = $random.vector(64 * $groups + $groups % 64);
            let (mut plain, mut fast) = (text.clone(), text.clone());
            let mut round_keys = [0; 64 * ($rounds + 1)];
            c64::$keys::$keys(&mut round_keys, &key);
            c64::$ctr::$ctr(&mut plain, &round_keys, &counter);
            let mut round_keys = [0; 16 * ($rounds + 1)];
            // SAFETY: this CPU has the features.
            unsafe {
                aes_rounds::$keys::$keys(&mut round_keys, &key);
                aes_rounds::$ctr::$ctr(&mut fast, &round_keys, &counter);
            }
            assert_eq!(plain, fast, "{} groups, {counter:02x?}", $groups);
            #[cfg(target_arch = "x86_64")]
            if has_vaes() {
                fast.clone_from(&text);
                // SAFETY: this CPU has the features.
                unsafe { avx512vaes::$ctr::$ctr(&mut fast, &round_keys, &counter) };
                assert_eq!(plain, fast, "{} groups, {counter:02x?}", $groups);
            }
        };
    }
    let random = &mut Random::new(45);
    for groups in (0..20).flat_map(|groups| [groups; 4]).chain([255]) {
        same!(random, groups, aes128_keys, aes128_ctr, 16, 10);
        same!(random, groups, aes256_keys, aes256_ctr, 32, 14);
    }
}

type Hash = fn(&mut [u8; 16], &[u8; 16], &[u8; 256], &[u8], &[u8], &[u8]);

/// Kernels that hash with powers of the key, and the one that makes these.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn hashes_by_products() -> Vec<(&'static str, Hash)> {
    let mut kernels: Vec<(&str, Hash)> = Vec::new();
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("pclmulqdq") {
        kernels.push(("avx2", |next, hash, powers, sixteens, fours, ones| {
            // SAFETY: this CPU has the features.
            unsafe { avx2::ghash_parts::ghash_parts(next, hash, powers, sixteens, fours, ones) }
        }));
    }
    #[cfg(target_arch = "x86_64")]
    if has_vaes() {
        kernels.push(("avx512vaes", |next, hash, powers, sixteens, fours, ones| {
            // SAFETY: this CPU has the features.
            unsafe { avx512vaes::ghash_parts::ghash_parts(next, hash, powers, sixteens, fours, ones) }
        }));
    }
    #[cfg(target_arch = "aarch64")]
    if has_aes() {
        kernels.push(("neon", |next, hash, powers, sixteens, fours, ones| {
            // SAFETY: this CPU has the features.
            unsafe { neon::ghash_parts::ghash_parts(next, hash, powers, sixteens, fours, ones) }
        }));
    }
    kernels
}

#[test]
fn ghash() {
    let random = &mut Random::new(44);
    let kernels = hashes_by_products();
    for length in (0..=300).chain([511, 512, 1023, 1024, 5000]) {
        let (key, hash): ([u8; 16], [u8; 16]) = (bytes(random), bytes(random));
        let part = random.vector(length);
        let (mut expected, mut narrow) = ([0; 16], [1; 16]);
        c64::ghash_absorb::ghash_absorb(&mut expected, &hash, &key, &part);
        c32::ghash_absorb::ghash_absorb(&mut narrow, &hash, &key, &part);
        assert_eq!(narrow, expected, "{length} bytes");
        for (name, kernel) in &kernels {
            let (mut next, mut powers) = ([1; 16], [2; 256]);
            // SAFETY: this CPU has the features, since it has those of a kernel that hashes.
            unsafe { aes_rounds::ghash_powers::ghash_powers(&mut powers, &key) };
            for sixteens in [0, length / 256 * 256] {
                let (first, rest) = part.split_at(sixteens);
                let (second, third) = rest.split_at(random.below(rest.len() / 64 + 1) * 64);
                kernel(&mut next, &hash, &powers, first, second, third);
                assert_eq!(next, expected, "{name}, {length} bytes, the first {sixteens} in groups");
            }
        }
    }
}

/// Counters pass 2^32, too.
#[cfg(target_arch = "x86_64")]
#[test]
fn aes_gcm_by_instructions() {
    if !has_vaes() {
        return;
    }
    macro_rules! same {
        ($random:ident, $groups:ident, $keys:ident, $ctr:ident, $seal:ident, $open:ident, $length:literal, $rounds:literal) => {
            let (key, counter): ([u8; $length], [u8; 16]) = (bytes($random), bytes($random));
            let (hash_key, hash): ([u8; 16], [u8; 16]) = (bytes($random), bytes($random));
            let (older, newer): ([u8; 256], [u8; 256]) = ($random.array(), $random.array());
            let text = $random.vector(256 * $groups + $groups);
            let (mut plain, mut fast) = (text.clone(), text.clone());
            let (mut expected, mut next, mut powers) = ([0; 16], [1; 16], [2; 256]);
            let mut round_keys = [0; 16 * ($rounds + 1)];
            // SAFETY: this CPU has the features.
            unsafe {
                avx2::$keys::$keys(&mut round_keys, &key);
                avx2::$ctr::$ctr(&mut plain[..256 * $groups], &round_keys, &counter);
                avx2::ghash_powers::ghash_powers(&mut powers, &hash_key);
                avx512vaes::$seal::$seal(&mut fast, &mut next, &round_keys, &powers, &counter, &hash, &older, &newer);
            }
            let hashed = [&older[..], &newer, &plain].concat();
            let hashed = &hashed[..256 * $groups];
            c64::ghash_absorb::ghash_absorb(&mut expected, &hash, &hash_key, hashed);
            assert_eq!((&plain, expected), (&fast, next), "{} groups, {counter:02x?}", $groups);
            // SAFETY: this CPU has the features.
            unsafe { avx512vaes::$open::$open(&mut fast, &mut next, &round_keys, &powers, &counter, &hash) };
            c64::ghash_absorb::ghash_absorb(&mut expected, &hash, &hash_key, &plain[..256 * $groups]);
            assert_eq!((&text, expected), (&fast, next), "{} groups, {counter:02x?}", $groups);
        };
    }
    let random = &mut Random::new(47);
    for groups in 0..12 {
        same!(random, groups, aes128_keys, aes128_ctr, aes128_gcm_encrypt, aes128_gcm_decrypt, 16, 10);
        same!(random, groups, aes256_keys, aes256_ctr, aes256_gcm_encrypt, aes256_gcm_decrypt, 32, 14);
    }
}

/// Whole blocks of a stream cipher in place: text, key, counter, nonce.
type Stream<const COUNTER: usize, const NONCE: usize> = fn(&mut [u8], &[u8; 32], &[u8; COUNTER], &[u8; NONCE]);

/// The kernels of both stream ciphers in a module whose features this CPU has.
macro_rules! streams {
    ($chacha:ident, $salsa:ident, $target:ident) => {
        $chacha.push((stringify!($target), |text, key, counter, nonce| {
            // SAFETY: this CPU has the features.
            unsafe { $target::chacha20::chacha20(text, key, counter, nonce) }
        }));
        $salsa.push((stringify!($target), |text, key, counter, nonce| {
            // SAFETY: this CPU has the features.
            unsafe { $target::salsa20::salsa20(text, key, nonce, counter) }
        }));
    };
}

#[test]
fn streams() {
    let (mut chacha, mut salsa): (Vec<(&str, Stream<4, 12>)>, Vec<(&str, Stream<8, 8>)>) = (Vec::new(), Vec::new());
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("sse4.1") {
            streams!(chacha, salsa, sse);
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            streams!(chacha, salsa, avx2);
        }
        if has_ifma() {
            streams!(chacha, salsa, avx512ifma);
        }
    }
    #[cfg(all(target_arch = "aarch64", target_endian = "little"))]
    streams!(chacha, salsa, neon);
    let random = &mut Random::new(43);
    for length in (0..=1100).chain([2047, 2048, 4096, 5000]) {
        let key: [u8; 32] = random.array();
        check_stream(
            &chacha,
            |text, counter, nonce| c64::chacha20::chacha20(text, &key, counter, nonce),
            &key,
            length,
            random,
        );
        check_stream(
            &salsa,
            |text, counter, nonce| c64::salsa20::salsa20(text, &key, nonce, counter),
            &key,
            length,
            random,
        );
    }
}

/// Compares kernels on a text of this length at some alignment, with a counter near the carry out of its halves.
fn check_stream<const COUNTER: usize, const NONCE: usize>(
    kernels: &[(&str, Stream<COUNTER, NONCE>)],
    words: impl Fn(&mut [u8], &[u8; COUNTER], &[u8; NONCE]),
    key: &[u8; 32],
    length: usize,
    random: &mut Random,
) {
    let mut counter: [u8; COUNTER] = random.array();
    if length % 3 > 0 {
        counter[..4 * (length % 3).min(COUNTER / 4)].fill(0xff);
        counter[0] = 0xe8 + random.below(24) as u8;
    }
    let nonce: [u8; NONCE] = random.array();
    // A part of a block stays as it is.
    let text = random.vector(length);
    let mut expected = text.clone();
    words(&mut expected, &counter, &nonce);
    assert_eq!(expected[length / 64 * 64..], text[length / 64 * 64..]);
    for (name, kernel) in kernels {
        let start = random.below(64);
        let mut found = [&vec![0; start][..], &text].concat();
        kernel(&mut found[start..], key, &counter, &nonce);
        assert!(found[start..] == expected, "{name}, {length} bytes");
    }
}

#[cfg(target_arch = "x86_64")]
fn has_ifma() -> bool {
    std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw")
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512ifma")
}
