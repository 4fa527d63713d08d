//! Kernels by the CPU that they run on: the only unsafe code of this crate.
//!
//! Every other module calls kernels through this one. Operations with kernels for several CPUs ask `cpu` which features
//! this CPU has. Where the features are missing, or with `--cfg culet_portable`, the portable
//! kernel computes the same; with `--cfg culet_narrow`, kernels for registers of 512 bits are left out.
//!
//! What a kernel says of its input, equal or not, good or not, is the only thing about secrets that the crate branches on.
//!
//! Hazard: a function for CPU features that are not there. Each unsafe block below calls one function with
//! `#[target_feature]` and nothing else, after asking for the features that the generated module names in its first lines.
#![allow(unsafe_code)] // Kernels for CPU features are called where the CPU has them.

#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")))]
mod cpu;
mod curves;
#[cfg(all(
    test,
    any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))
))]
mod paths;

#[cfg(feature = "p224")]
pub use curves::p224;
pub use curves::p256;
#[cfg(feature = "p384")]
pub use curves::p384;
#[cfg(feature = "p521")]
pub use curves::p521;
#[cfg(feature = "secp256k1")]
pub use curves::{bip340, lower, secp256k1};

use crate::bytes::{Erased, copy};
use crate::kernels::c64 as any;

#[cfg(not(target_pointer_width = "64"))]
use crate::kernels::c32 as words;
#[cfg(target_pointer_width = "64")]
use crate::kernels::c64 as words;

/// The accumulator of Poly1305 between the parts of a message.
pub type Accumulator = [u8; 17];

/// Sizes of the round keys of AES in the form of its kernels, which is larger for plain words than for CPUs with instructions.
pub const AES128_KEYS: usize = 704;
pub const AES256_KEYS: usize = 960;

/// Calls a kernel for the first kind of CPU that this one is, or else the portable one, and returns.
macro_rules! dispatch {
    (
        $name:ident $arguments:tt,
        x86_64: [$($has_on_x86_64:ident => $x86_64:ident),*], aarch64: [$($has_on_aarch64:ident => $aarch64:ident),*],
        $portable:ident
    ) => {
        dispatch!(
            $name::$name $arguments,
            x86_64: [$($has_on_x86_64 => $x86_64),*], aarch64: [$($has_on_aarch64 => $aarch64),*],
            $portable
        );
    };
    (
        $module:ident::$name:ident $arguments:tt,
        x86_64: [$($has_on_x86_64:ident => $x86_64:ident),*], aarch64: [$($has_on_aarch64:ident => $aarch64:ident),*],
        $portable:ident
    ) => {
        $(
            #[cfg(target_arch = "x86_64")]
            if cpu::$has_on_x86_64() {
                // SAFETY: this CPU has the features of the kernel's module.
                unsafe {
                    crate::kernels::$x86_64::$module::$name $arguments;
                }
                return;
            }
        )*
        $(
            #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
            if cpu::$has_on_aarch64() {
                // SAFETY: this CPU has the features of the kernel's module.
                unsafe {
                    crate::kernels::$aarch64::$module::$name $arguments;
                }
                return;
            }
        )*
        $portable::$module::$name $arguments;
    };
}

/// The u-coordinate of k times the point with coordinate u: RFC 7748, section 5.
pub fn x25519(r: &mut [u8; 32], k: &[u8; 32], u: &[u8; 32]) {
    dispatch!(x25519(r, k, u), x86_64: [has_ifma => avx512ifma], aarch64: [], words);
}

/// The u-coordinate of k times the base point: RFC 7748, section 6.1.
pub fn x25519_base(u: &mut [u8; 32], k: &[u8; 32]) {
    dispatch!(ed25519_base::x25519_base(u, k), x86_64: [has_ifma => avx512ifma], aarch64: [], words);
}

/// The multiple of the base point of edwards25519: RFC 8032, section 5.1.5.
pub fn ed25519_base(point: &mut [u8; 32], scalar: &[u8; 32]) {
    dispatch!(ed25519_base(point, scalar), x86_64: [has_ifma => avx512ifma], aarch64: [], words);
}

/// How many instances a kernel in lanes computes at once.
pub const LANES: usize = 8;

/// 32 bytes of each lane, one after the other.
pub type Lanes = [u8; 32 * LANES];

/// Whether this CPU has kernels in lanes.
pub fn has_lanes() -> bool {
    #[cfg(target_arch = "x86_64")]
    return cpu::has_ifma();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Calls a kernel in lanes, or does nothing where this CPU has none, which callers ask before.
macro_rules! in_lanes {
    ($name:ident $arguments:tt) => {
        #[cfg(target_arch = "x86_64")]
        if cpu::has_ifma() {
            // SAFETY: this CPU has the features of the kernel's module.
            unsafe {
                crate::kernels::avx512ifma::$name::$name $arguments;
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = $arguments;
    };
}

/// As [`x25519`], in each lane.
pub fn x25519_x8(r: &mut Lanes, k: &Lanes, u: &Lanes) {
    in_lanes!(x25519_x8(r, k, u));
}

/// As [`ed25519_base`], in each lane.
pub fn ed25519_base_x8(point: &mut Lanes, scalar: &Lanes) {
    in_lanes!(ed25519_base_x8(point, scalar));
}

/// As [`ed25519_verify`] and [`ed25519_verify_zip215`], in each lane: 1 where a signature is good.
pub fn ed25519_verify_x8(a: &Lanes, r: &Lanes, s: &Lanes, k: &Lanes) -> ([u8; LANES], [u8; LANES]) {
    let (mut good, mut good_by_zip215) = ([0; LANES], [0; LANES]);
    in_lanes!(ed25519_verify_x8(&mut good, &mut good_by_zip215, a, r, s, k));
    (good, good_by_zip215)
}

/// Whole blocks of a message, or its last part: RFC 8439, section 2.5.1.
pub fn poly1305_absorb(accumulator: &mut Accumulator, key: &[u8; 32], part: &[u8]) {
    let mut before = *accumulator;
    absorb(accumulator, &before, key, part);
    zeroize::zeroize_bytes(&mut before);
}

fn absorb(next: &mut Accumulator, accumulator: &Accumulator, key: &[u8; 32], part: &[u8]) {
    dispatch!(
        poly1305_absorb(next, accumulator, key, part),
        x86_64: [has_ifma => avx512ifma, has_avx2 => avx2], aarch64: [],
        words
    );
}

/// A part of a message, padded with zeros to whole blocks: RFC 8439, section 2.8.
pub fn poly1305_absorb_padded(accumulator: &mut Accumulator, key: &[u8; 32], part: &[u8]) {
    let mut before = *accumulator;
    absorb_padded(accumulator, &before, key, part);
    zeroize::zeroize_bytes(&mut before);
}

fn absorb_padded(next: &mut Accumulator, accumulator: &Accumulator, key: &[u8; 32], part: &[u8]) {
    dispatch!(
        poly1305_absorb_padded(next, accumulator, key, part),
        x86_64: [has_ifma => avx512ifma, has_avx2 => avx2], aarch64: [],
        words
    );
}

/// Size of the key of GHASH in the form of its kernels: powers of it, or itself and zeros.
pub const GHASH_KEY: usize = 256;

/// Brings a key of GHASH into the form of this CPU's kernels.
pub fn ghash_key(prepared: &mut [u8; GHASH_KEY], key: &[u8; 16]) {
    #[cfg(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
    ))]
    if cpu::has_clmul() {
        // SAFETY: this CPU has vectors and products without carries.
        unsafe {
            rounds::ghash_powers::ghash_powers(prepared, key);
        }
        return;
    }
    copy(prepared, key);
}

/// A part of the data, padded with zeros to whole blocks: NIST SP 800-38D, section 6.4.
pub fn ghash_absorb(hash: &mut [u8; 16], key: &[u8; GHASH_KEY], part: &[u8]) {
    let before = Erased(*hash);
    if ghash_parts(hash, &before.0, key, part) {
        return;
    }
    if let Some(key) = key.first_chunk() {
        words::ghash_absorb::ghash_absorb(hash, &before.0, key, part);
    }
}

/// The number of bytes, zeros in front included, with which `length` bytes are hashed in the least time: 256 for 129 to 256 bytes, else the next
/// multiple of 64; without products of this CPU, `length`.
pub fn ghash_length(length: usize) -> usize {
    #[cfg(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
    ))]
    if cpu::has_clmul() {
        return if (129..=256).contains(&length) { 256 } else { length.next_multiple_of(64) };
    }
    length
}

/// Says whether this CPU has products without carries, with which it did what [`ghash_absorb`] does.
fn ghash_parts(next: &mut [u8; 16], hash: &[u8; 16], key: &[u8; GHASH_KEY], part: &[u8]) -> bool {
    let (sixteens, rest) = part.as_chunks::<256>();
    let (fours, ones) = rest.as_chunks::<64>();
    let (sixteens, fours) = (sixteens.as_flattened(), fours.as_flattened());
    #[cfg(target_arch = "x86_64")]
    if cpu::has_vaes() {
        // SAFETY: this CPU has the features of the kernel's module.
        unsafe {
            crate::kernels::avx512vaes::ghash_parts::ghash_parts(next, hash, key, sixteens, fours, ones);
        }
        return true;
    }
    #[cfg(any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
    ))]
    if cpu::has_clmul() {
        // SAFETY: this CPU has vectors and products without carries.
        unsafe {
            rounds::ghash_parts::ghash_parts(next, hash, key, sixteens, fours, ones);
        }
        return true;
    }
    let _ = (next, hash, key, sixteens, fours, ones);
    false
}

/// The number of blocks for which the kernels of a stream cipher take the least time, if `count` blocks of a key stream are
/// wanted: at least as many. Kernels go through blocks side by side, and one by one through those that are left over.
pub fn stream_blocks(count: usize) -> usize {
    let mut left = count;
    for &(group, least) in groups() {
        left &= group.saturating_sub(1);
        if left >= least {
            return count.saturating_sub(left).saturating_add(group);
        }
    }
    count
}

/// Blocks that the kernels of this CPU take side by side, powers of two with the greatest first, and the least number of blocks in whose
/// place that many take less time, as measured on x86-64.
fn groups() -> &'static [(usize, usize)] {
    #[cfg(target_arch = "x86_64")]
    if cpu::has_ifma() {
        return &[(16, 9), (8, 5), (4, 2)];
    }
    #[cfg(target_arch = "x86_64")]
    if cpu::has_avx2() {
        return &[(8, 5), (4, 2)];
    }
    #[cfg(target_arch = "x86_64")]
    if cpu::has_sse() {
        return &[(4, 2)];
    }
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    if cpu::has_neon() {
        return &[(4, 2)];
    }
    &[]
}

/// A stream cipher's kernel for this CPU.
macro_rules! stream {
    ($(#[$about:meta])* $name:ident ( $($argument:ident : $ty:ty),+ )) => {
        $(#[$about])*
        pub fn $name(text: &mut [u8], $($argument: $ty),+) {
            dispatch!(
                $name(text, $($argument),+),
                x86_64: [has_ifma => avx512ifma, has_avx2 => avx2, has_sse => sse], aarch64: [has_neon => neon],
                any
            );
        }
    };
}

stream!(
    /// Whole blocks in place, of which the first is number `counter`: RFC 8439, section 2.4.
    chacha20(key: &[u8; 32], counter: &[u8; 4], nonce: &[u8; 12])
);

stream!(
    /// Whole blocks in place, of which the first is number `counter`: "Salsa20 specification", section 10.
    salsa20(key: &[u8; 32], nonce: &[u8; 8], counter: &[u8; 8])
);

pub use any::aes_gcm_tag::aes_gcm_tag;
pub use any::ascon_aead128_absorb::ascon_aead128_absorb;
pub use any::ascon_aead128_decrypt::ascon_aead128_decrypt;
pub use any::ascon_aead128_decrypt_last::ascon_aead128_decrypt_last;
pub use any::ascon_aead128_encrypt::ascon_aead128_encrypt;
pub use any::ascon_aead128_encrypt_last::ascon_aead128_encrypt_last;
pub use any::ascon_aead128_finish::ascon_aead128_finish;
pub use any::ascon_aead128_separate::ascon_aead128_separate;
pub use any::ascon_aead128_start::ascon_aead128_start;
pub use any::ascon_hash256_absorb::ascon_hash256_absorb;
pub use any::ascon_hash256_permute::ascon_hash256_permute;
pub use any::ascon_hash256_start::ascon_hash256_start;
pub use any::ascon_xof128_start::ascon_xof128_start;
pub use any::blake2b_finish::blake2b_finish;
pub use any::blake2b_start::blake2b_start;
pub use any::blake2b_update::blake2b_update;
pub use any::blake2s_finish::blake2s_finish;
pub use any::blake2s_start::blake2s_start;
pub use any::blake2s_update::blake2s_update;
pub use any::ed25519_expand::ed25519_expand;
pub use any::hchacha20::hchacha20;
pub use any::hmac_sha224_finish::hmac_sha224_finish;
pub use any::hmac_sha224_key::hmac_sha224_key;
pub use any::hmac_sha384_key::hmac_sha384_key;
pub use any::hmac_sha512_key::hmac_sha512_key;
pub use any::hsalsa20::hsalsa20;
pub use any::keccak_absorb_72::keccak_absorb_72;
pub use any::keccak_absorb_104::keccak_absorb_104;
pub use any::keccak_absorb_136::keccak_absorb_136;
pub use any::keccak_absorb_144::keccak_absorb_144;
pub use any::keccak_absorb_168::keccak_absorb_168;
pub use any::keccak_permute::keccak_permute;
pub use any::sha224_start::sha224_start;
pub use any::sha256_start::sha256_start;
pub use any::sha384_start::sha384_start;
pub use any::sha512_256_start::sha512_256_start;
pub use any::sha512_start::sha512_start;
pub use words::ed25519_reduce::ed25519_reduce;
pub use words::ed25519_sign::ed25519_sign;
pub use words::hmac_sha384_finish::hmac_sha384_finish;
pub use words::hmac_sha512_finish::hmac_sha512_finish;
pub use words::poly1305::poly1305;
pub use words::poly1305_finish::poly1305_finish;

/// The state of SHA-256 or SHA-224 after more blocks: FIPS 180-4, section 6.2.2.
pub fn sha256_update(next: &mut [u8; 32], state: &[u8; 32], blocks: &[u8]) {
    dispatch!(sha256_update(next, state, blocks), x86_64: [has_sha => ssesha], aarch64: [has_sha => neon], any);
}

/// The state of SHA-512, SHA-384 or SHA-512/256 after more blocks: FIPS 180-4, section 6.4.2.
pub fn sha512_update(next: &mut [u8; 64], state: &[u8; 64], blocks: &[u8]) {
    dispatch!(sha512_update(next, state, blocks), x86_64: [has_avx2 => avx2], aarch64: [], words);
}

/// The states of the inner and the outer hash after the key: RFC 2104, section 4.
pub fn hmac_sha256_key(inner: &mut [u8; 32], outer: &mut [u8; 32], key: &[u8; 64]) {
    dispatch!(hmac_sha256_key(inner, outer, key), x86_64: [has_sha_without_avx => ssesha], aarch64: [], any);
}

/// The tag, from the state of the outer hash after the key and the digest of the inner hash: RFC 2104, section 2.
pub fn hmac_sha256_finish(tag: &mut [u8; 32], outer: &[u8; 32], digest: &[u8; 32]) {
    dispatch!(hmac_sha256_finish(tag, outer, digest), x86_64: [has_sha_without_avx => ssesha], aarch64: [], any);
}

/// Whether bytes are a point of edwards25519: RFC 8032, section 5.1.3.
pub fn ed25519_is_point(point: &[u8; 32]) -> bool {
    let mut good = [0];
    words::ed25519_verify::ed25519_is_point(&mut good, point);
    good == [1]
}

/// Whether R and S are a signature by A of what hashes to k with them: RFC 8032, section 5.1.7.
pub fn ed25519_verify(a: &[u8; 32], r: &[u8; 32], s: &[u8; 32], k: &[u8; 32]) -> bool {
    let mut good = [0];
    if has_lanes() {
        let mut good_by_zip215 = [0];
        in_lanes!(ed25519_verify_lanes(&mut good, &mut good_by_zip215, a, r, s, k));
        return good == [1];
    }
    words::ed25519_verify::ed25519_verify(&mut good, a, r, s, k);
    good == [1]
}

/// Whether R and S are a signature by A of what hashes to k with them, by the rules of ZIP 215.
pub fn ed25519_verify_zip215(a: &[u8; 32], r: &[u8; 32], s: &[u8; 32], k: &[u8; 32]) -> bool {
    let mut good = [0];
    if has_lanes() {
        let mut good_by_rfc8032 = [0];
        in_lanes!(ed25519_verify_lanes(&mut good_by_rfc8032, &mut good, a, r, s, k));
        return good == [1];
    }
    words::ed25519_verify::ed25519_verify_zip215(&mut good, a, r, s, k);
    good == [1]
}

/// Whether eight signatures are good together by the rules of ZIP 215, with the sum of their S and their k, all times z.
pub fn ed25519_verify_eight(a: &[u8; 256], r: &[u8; 256], s: &[u8; 32], k: &[u8; 256], z: &[u8; 128]) -> bool {
    let mut good = [0];
    words::ed25519_verify::ed25519_verify_eight(&mut good, a, r, s, k, z);
    good == [1]
}

/// The next sum of S times z, k times z, and whether S is below the order.
pub fn ed25519_weigh(sum: &mut [u8; 32], k: &mut [u8; 32], s: &[u8; 32], z: &[u8; 16]) -> bool {
    let (sum_before, k_before, mut good) = (*sum, *k, [0]);
    words::ed25519_weigh::ed25519_weigh(sum, k, &mut good, &sum_before, s, &k_before, z);
    good == [1]
}

/// The public key of X25519 that belongs to one of Ed25519, and whether there is one: RFC 7748, section 4.1.
pub fn ed25519_to_x25519(u: &mut [u8; 32], point: &[u8; 32]) -> bool {
    let mut good = [0];
    words::ed25519_verify::ed25519_to_x25519(u, &mut good, point);
    good == [1]
}

#[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
use crate::kernels::neon as rounds;

#[cfg(target_arch = "x86_64")]
use crate::kernels::avx2 as rounds;

/// AES with keys of one length: FIPS 197, section 5, and NIST SP 800-38D, section 6.5. The form of the round keys is that of the CPU's
/// kernels, and the CPU of a process stays the same.
macro_rules! aes {
    ($keys:ident, $ctr:ident, $gcm_encrypt:ident, $gcm_decrypt:ident, $key_length:literal, $length:expr) => {
        /// Makes the round keys.
        pub fn $keys(round_keys: &mut [u8; $length], key: &[u8; $key_length]) {
            #[cfg(any(
                target_arch = "x86_64",
                all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
            ))]
            if let (true, Some(round_keys)) = (cpu::has_aes(), round_keys.first_chunk_mut()) {
                // SAFETY: this CPU has vectors and instructions for AES.
                unsafe {
                    rounds::$keys::$keys(round_keys, key);
                }
                return;
            }
            any::$keys::$keys(round_keys, key);
        }

        /// Encrypts or decrypts groups of four blocks in place. The last four bytes of the counter block count, most significant first.
        pub fn $ctr(text: &mut [u8], round_keys: &[u8; $length], counter: &[u8; 16]) {
            #[cfg(target_arch = "x86_64")]
            if let (true, Some(round_keys)) = (cpu::has_vaes(), round_keys.first_chunk()) {
                // SAFETY: this CPU has the features of the kernel's module.
                unsafe {
                    crate::kernels::avx512vaes::$ctr::$ctr(text, round_keys, counter);
                }
                return;
            }
            #[cfg(any(
                target_arch = "x86_64",
                all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
            ))]
            if let (true, Some(round_keys)) = (cpu::has_aes(), round_keys.first_chunk()) {
                // SAFETY: this CPU has vectors and instructions for AES.
                unsafe {
                    rounds::$ctr::$ctr(text, round_keys, counter);
                }
                return;
            }
            any::$ctr::$ctr(text, round_keys, counter);
        }

        /// Encrypts groups of sixteen blocks in place: NIST SP 800-38D, section 7.1. Also hashes the two groups before them and what they
        /// become, but for the last two groups of all. Without a group, nothing is done.
        pub fn $gcm_encrypt(
            text: &mut [u8],
            hash: &mut [u8; 16],
            round_keys: &[u8; $length],
            hash_key: &[u8; GHASH_KEY],
            counter: &[u8; 16],
            [older, newer]: [&[u8; 256]; 2],
        ) {
            if text.is_empty() {
                return;
            }
            #[cfg(target_arch = "x86_64")]
            if let (true, Some(round_keys)) = (cpu::has_vaes(), round_keys.first_chunk()) {
                let first = Erased(*hash);
                // SAFETY: this CPU has the features of the kernel's module.
                unsafe {
                    crate::kernels::avx512vaes::$gcm_encrypt::$gcm_encrypt(
                        text, hash, round_keys, hash_key, counter, &first.0, older, newer,
                    );
                }
                return;
            }
            $ctr(text, round_keys, counter);
            ghash_absorb(hash, hash_key, older);
            if let Some(hashed) = text.len().checked_sub(2 * newer.len()) {
                ghash_absorb(hash, hash_key, newer);
                ghash_absorb(hash, hash_key, text.get(..hashed).unwrap_or_default());
            }
        }

        /// Decrypts groups of sixteen blocks in place, and hashes them before: NIST SP 800-38D, section 7.2.
        pub fn $gcm_decrypt(
            text: &mut [u8],
            hash: &mut [u8; 16],
            round_keys: &[u8; $length],
            hash_key: &[u8; GHASH_KEY],
            counter: &[u8; 16],
        ) {
            #[cfg(target_arch = "x86_64")]
            if let (true, Some(round_keys)) = (cpu::has_vaes(), round_keys.first_chunk()) {
                let first = Erased(*hash);
                // SAFETY: this CPU has the features of the kernel's module.
                unsafe {
                    crate::kernels::avx512vaes::$gcm_decrypt::$gcm_decrypt(
                        text, hash, round_keys, hash_key, counter, &first.0,
                    );
                }
                return;
            }
            ghash_absorb(hash, hash_key, text);
            $ctr(text, round_keys, counter);
        }
    };
}

aes!(aes128_keys, aes128_ctr, aes128_gcm_encrypt, aes128_gcm_decrypt, 16, AES128_KEYS);
aes!(aes256_keys, aes256_ctr, aes256_gcm_encrypt, aes256_gcm_decrypt, 32, AES256_KEYS);

/// Whether two strings of bytes are equal.
macro_rules! equal {
    ($name:ident, $length:literal) => {
        pub fn $name(a: &[u8; $length], b: &[u8; $length]) -> bool {
            let mut equal = [0];
            any::$name::$name(&mut equal, a, b);
            equal == [1]
        }
    };
}

equal!(equal_16, 16);
equal!(equal_32, 32);
equal!(equal_64, 64);
