//! Peers in C and assembly, by the crates that build them from source. The cost of their interfaces is included:
//! OpenSSL and ring make keys of bytes each time. ring does not export Poly1305.

use openssl::derive::Deriver;
use openssl::pkey::{Id, PKey};
use openssl::sign::Signer;

/// Initializes the libraries that require it.
pub fn begin() {
    // SAFETY: it may be called at any time.
    assert!(unsafe { libsodium_sys::sodium_init() } >= 0, "libsodium begins");
}

pub fn aws_lc_x25519(scalar: &[u8; 32], point: &[u8; 32]) -> [u8; 32] {
    let mut shared = [0; 32];
    // SAFETY: all three have 32 bytes.
    let is_good = unsafe { aws_lc_sys::X25519(shared.as_mut_ptr(), scalar.as_ptr(), point.as_ptr()) };
    assert_eq!(is_good, 1, "no point of low order");
    shared
}

pub fn libsodium_x25519(scalar: &[u8; 32], point: &[u8; 32]) -> [u8; 32] {
    let mut shared = [0; 32];
    // SAFETY: all three have 32 bytes.
    let failed =
        unsafe { libsodium_sys::crypto_scalarmult_curve25519(shared.as_mut_ptr(), scalar.as_ptr(), point.as_ptr()) };
    assert_eq!(failed, 0, "no point of low order");
    shared
}

pub fn openssl_x25519(scalar: &[u8; 32], point: &[u8; 32]) -> [u8; 32] {
    let derive = || {
        let private = PKey::private_key_from_raw_bytes(scalar, Id::X25519)?;
        let public = PKey::public_key_from_raw_bytes(point, Id::X25519)?;
        let mut deriver = Deriver::new(&private)?;
        deriver.set_peer(&public)?;
        let mut shared = [0; 32];
        deriver.derive(&mut shared).map(|_| shared)
    };
    derive().expect("no point of low order")
}

/// ring makes private keys only from a source of random bytes; its source for tests provides ours.
#[allow(deprecated, reason = "ring has no other way to a key that is known")]
pub fn ring_x25519(scalar: &[u8; 32], point: &[u8; 32]) -> [u8; 32] {
    use ring::agreement::{EphemeralPrivateKey, UnparsedPublicKey, X25519, agree_ephemeral};
    let random = ring::test::rand::FixedSliceRandom { bytes: scalar };
    let private = EphemeralPrivateKey::generate(&X25519, &random).expect("a scalar");
    let shared = agree_ephemeral(private, &UnparsedPublicKey::new(&X25519, point), |shared| {
        shared.try_into().expect("32 bytes")
    });
    shared.expect("no point of low order")
}

type HaclX25519 = unsafe extern "C" fn(*mut u8, *mut u8, *mut u8) -> bool;

unsafe extern "C" {
    fn Hacl_Curve25519_51_ecdh_gcc(out: *mut u8, scalar: *mut u8, point: *mut u8) -> bool;
    fn Hacl_Curve25519_51_ecdh_clang(out: *mut u8, scalar: *mut u8, point: *mut u8) -> bool;
    fn Hacl_MAC_Poly1305_Simd256_mac(tag: *mut u8, message: *mut u8, length: u32, key: *mut u8);
}

fn hacl_x25519(function: HaclX25519, scalar: &[u8; 32], point: &[u8; 32]) -> [u8; 32] {
    let mut shared = [0; 32];
    // SAFETY: all three have 32 bytes, and the function does not write to its inputs.
    let is_good = unsafe { function(shared.as_mut_ptr(), scalar.as_ptr().cast_mut(), point.as_ptr().cast_mut()) };
    assert!(is_good, "no point of low order");
    shared
}

pub fn hacl_x25519_gcc(scalar: &[u8; 32], point: &[u8; 32]) -> [u8; 32] {
    hacl_x25519(Hacl_Curve25519_51_ecdh_gcc, scalar, point)
}

pub fn hacl_x25519_clang(scalar: &[u8; 32], point: &[u8; 32]) -> [u8; 32] {
    hacl_x25519(Hacl_Curve25519_51_ecdh_clang, scalar, point)
}

/// For CPUs with ADX and BMI2, which all CPUs with AVX-512 have.
pub fn hacl_x25519_assembly(scalar: &[u8; 32], point: &[u8; 32]) -> [u8; 32] {
    hacl_x25519(libcrux_hacl::Hacl_Curve25519_64_ecdh, scalar, point)
}

pub fn hacl_poly1305(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let (mut tag, length) = ([0; 16], u32::try_from(message.len()).expect("a message below 2^32 bytes"));
    // SAFETY: the tag has 16 bytes, the key 32, and the message its own length; the function does not write to it. This
    // is measured on CPUs with AVX2.
    unsafe {
        let (message, key) = (message.as_ptr().cast_mut(), key.as_ptr().cast_mut());
        Hacl_MAC_Poly1305_Simd256_mac(tag.as_mut_ptr(), message, length, key);
    }
    tag
}

pub fn libcrux_poly1305(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mut tag = [0; 16];
    assert!(libcrux_poly1305::mac(key, message, &mut tag).is_ok(), "the message is short enough");
    tag
}

pub fn libjade_poly1305(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mut tag = [0; 16];
    // SAFETY: the tag has 16 bytes, the key 32, and the message its own length. This is measured on CPUs with AVX2.
    let failed = unsafe {
        // The function does not write to its inputs.
        libjade_sys::jade_onetimeauth_poly1305_amd64_avx2(
            tag.as_mut_ptr(),
            message.as_ptr().cast_mut(),
            message.len() as u64,
            key.as_ptr().cast_mut(),
        )
    };
    assert_eq!(failed, 0, "it has no way to fail");
    tag
}

pub fn aws_lc_poly1305(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mut tag = [0; 16];
    // SAFETY: any bytes are a valid state before initialization; the key has 32 bytes, the tag 16, and the message its
    // own length.
    unsafe {
        let mut state = std::mem::zeroed();
        aws_lc_sys::CRYPTO_poly1305_init(&mut state, key.as_ptr());
        aws_lc_sys::CRYPTO_poly1305_update(&mut state, message.as_ptr(), message.len());
        aws_lc_sys::CRYPTO_poly1305_finish(&mut state, tag.as_mut_ptr());
    }
    tag
}

pub fn libsodium_poly1305(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mut tag = [0; 16];
    // SAFETY: the tag has 16 bytes, the key 32, and the message its own length.
    let failed = unsafe {
        libsodium_sys::crypto_onetimeauth_poly1305(
            tag.as_mut_ptr(),
            message.as_ptr(),
            message.len() as u64,
            key.as_ptr(),
        )
    };
    assert_eq!(failed, 0, "it has no way to fail");
    tag
}

pub fn openssl_poly1305(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
    let mac = || {
        let key = PKey::private_key_from_raw_bytes(key, Id::POLY1305)?;
        let mut tag = [0; 16];
        Signer::new_without_digest(&key)?.sign_oneshot(&mut tag, message).map(|_| tag)
    };
    mac().expect("a tag")
}
