//! Operations whose secrets valgrind's memcheck takes for undefined: it reports each branch and each address that depends on them.
//!
//! `tests/constant_time.rs` builds this program, runs it under valgrind and reads what it prints: a line an operation, with the number of
//! reports. Without valgrind every number is 0.
#![allow(unsafe_code)] // A request to valgrind is a sequence of instructions.

use std::hint::black_box;
use std::io::Write;

use culet::{
    aead, ed25519, hash, kdf, mac, nacl, p224, p256, p384, p521, secp256k1, secretbox, stream, verify, x25519,
};

/// Requests of valgrind and of memcheck, by their numbers in `valgrind.h` and `memcheck.h`.
const COUNT_ERRORS: u64 = 0x1201;
const MAKE_MEM_UNDEFINED: u64 = 0x4d43_0001;

/// Makes a request; 0 without valgrind.
#[cfg(target_arch = "x86_64")]
fn request(number: u64, first: u64, second: u64) -> u64 {
    let arguments = [number, first, second, 0, 0, 0];
    let mut answer = 0u64;
    // SAFETY: the rotations and the exchange leave everything as it is; valgrind reads the arguments and writes RDX.
    unsafe {
        std::arch::asm!(
            "rol rdi, 3",
            "rol rdi, 13",
            "rol rdi, 61",
            "rol rdi, 51",
            "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") answer,
            out("rdi") _,
        );
    }
    answer
}

#[cfg(not(target_arch = "x86_64"))]
fn request(_: u64, _: u64, _: u64) -> u64 {
    0
}

/// Bytes that valgrind takes for undefined.
fn secret<const N: usize>() -> [u8; N] {
    let bytes = black_box([0x5a; N]);
    request(MAKE_MEM_UNDEFINED, bytes.as_ptr() as u64, N as u64);
    bytes
}

/// Runs an operation, and prints its name with the number of reports about it. An operation that may be refused is `declassified`: there are
/// reports about the branch on whether it was.
fn check<R>(name: &str, operation: impl FnOnce() -> R) {
    let before = request(COUNT_ERRORS, 0, 0);
    black_box(operation());
    let reports = request(COUNT_ERRORS, 0, 0) - before;
    writeln!(std::io::stdout(), "{name} {reports}").expect("stdout");
}

/// Keys, agreement and signatures of a curve.
macro_rules! weierstrass {
    ($module:ident, $name:literal, $number:literal, $key:expr, $message:ident) => {
        let key: [u8; $number] = $key;
        check(concat!($name, "_key"), || $module::SecretKey::from_bytes(key).is_ok());
        let signing = $module::SigningKey::from_bytes(key).expect("it is in range");
        check(concat!($name, "_sign"), || signing.sign(&$message));
        check(concat!($name, "_sign_hedged"), || signing.sign_hedged(&$message, &secret()));
        let ours = $module::SecretKey::from_bytes(key).expect("it is in range");
        let theirs = $module::SecretKey::from_bytes(std::array::from_fn(|place| u8::from(place > 1)))
            .expect("it is in range")
            .public_key();
        check(concat!($name, "_agree"), || ours.diffie_hellman(&theirs).is_ok());
    };
}

fn main() {
    let key: [u8; 32] = secret();
    let mut message: [u8; 300] = secret();
    // Both must be reported, or nothing is seen.
    check("planted_branch", || if black_box(key)[0] & 1 == 1 { black_box(1) } else { black_box(2) });
    check("planted_address", || black_box([0u8; 256])[usize::from(black_box(key)[1])]);

    check("ed25519_key", || ed25519::SigningKey::from_bytes(key));
    let signing = ed25519::SigningKey::from_bytes(key);
    check("ed25519_to_x25519", || signing.to_x25519());
    check("ed25519_sign", || signing.sign(&message));
    weierstrass!(p224, "declassified_p224", 28, secret(), message);
    weierstrass!(p256, "declassified_p256", 32, key, message);
    weierstrass!(p384, "declassified_p384", 48, secret(), message);
    let mut number: [u8; 66] = secret();
    number[..2].fill(0);
    weierstrass!(p521, "declassified_p521", 66, number, message);
    weierstrass!(secp256k1, "declassified_secp256k1", 32, key, message);
    check("declassified_bip340_key", || secp256k1::bip340::SigningKey::from_bytes(key).is_ok());
    let schnorr = secp256k1::bip340::SigningKey::from_bytes(key).expect("it is in range");
    check("bip340_sign", || schnorr.sign(&message, &secret()));
    check("x25519_public_key", || x25519::SecretKey::from_bytes(key).public_key());
    check("x25519_scalarmult", || nacl::scalarmult(&key, &secret()));
    let nonce = aead::ChaCha20Poly1305Nonce::from_bytes([0; 12]);
    let cipher = aead::ChaCha20Poly1305::new(&aead::ChaCha20Poly1305Key::from_bytes(key));
    check("chacha20poly1305_seal", || cipher.seal_in_place(&nonce, &secret::<40>(), &mut message).is_ok());
    let nonce = aead::XChaCha20Poly1305Nonce::from_bytes([0; 24]);
    let cipher = aead::XChaCha20Poly1305::new(&aead::XChaCha20Poly1305Key::from_bytes(key));
    check("xchacha20poly1305_seal", || cipher.seal_in_place(&nonce, b"", &mut message).is_ok());
    let mut sealer = aead::stream::Sealer::new(
        &aead::XChaCha20Poly1305Key::from_bytes(key),
        &aead::stream::Nonce::from_bytes([0; 19]),
    );
    check("segment_seal", || sealer.seal_in_place(b"", &mut message).is_ok());
    let mut sealer = aead::secretstream::Sealer::new(
        &aead::secretstream::Key::from_bytes(key),
        &aead::secretstream::Header::from_bytes([0; 24]),
    );
    let kind = aead::secretstream::Kind::REKEY;
    check("secretstream_seal", || sealer.seal_in_place(kind, &secret::<40>(), &mut message).is_ok());
    check("aes128_gcm_key", || aead::Aes128Gcm::new(&aead::Aes128GcmKey::from_bytes(secret())));
    let nonce = aead::Aes128GcmNonce::from_bytes([0; 12]);
    let cipher = aead::Aes128Gcm::new(&aead::Aes128GcmKey::from_bytes(secret()));
    check("aes128_gcm_seal", || cipher.seal_in_place(&nonce, &secret::<40>(), &mut message).is_ok());
    let tag = aead::Aes128GcmTag::from_bytes(secret());
    check("declassified_aes128_gcm_open", || cipher.open_in_place(&nonce, &secret::<40>(), &mut message, &tag).is_ok());
    check("aes256_gcm_key", || aead::Aes256Gcm::new(&aead::Aes256GcmKey::from_bytes(key)));
    let nonce = aead::Aes256GcmNonce::from_bytes([0; 12]);
    let cipher = aead::Aes256Gcm::new(&aead::Aes256GcmKey::from_bytes(key));
    message = secret();
    check("aes256_gcm_seal", || cipher.seal_in_place(&nonce, &secret::<40>(), &mut message).is_ok());
    let nonce = aead::AsconAead128Nonce::from_bytes([0; 16]);
    let cipher = aead::AsconAead128::new(&aead::AsconAead128Key::from_bytes(secret()));
    check("ascon_aead128_seal", || cipher.seal_in_place(&nonce, &secret::<40>(), &mut message).is_ok());
    let boxed = secretbox::SecretBox::new(&secretbox::Key::from_bytes(key));
    let nonce = secretbox::Nonce::from_bytes([1; 24]);
    check("secretbox_seal", || boxed.seal_in_place(&nonce, &mut message).is_ok());
    check("sha256", || hash::Sha256::digest(&message));
    check("sha512", || hash::Sha512::digest(&message));
    check("sha512_256", || hash::Sha512_256::digest(&message));
    check("sha3_224", || hash::Sha3_224::digest(&message));
    check("sha3_256", || hash::Sha3_256::digest(&message));
    check("sha3_384", || hash::Sha3_384::digest(&message));
    check("sha3_512", || hash::Sha3_512::digest(&message));
    check("shake128", || hash::Shake128::digest(&message, &mut [0; 500]));
    check("shake256", || hash::Shake256::digest(&message, &mut [0; 500]));
    check("blake2b", || hash::Blake2b::<64>::digest(&message));
    check("blake2s", || hash::Blake2s::<32>::digest(&message));
    check("ascon_hash256", || hash::AsconHash256::digest(&message));
    check("ascon_xof128", || hash::AsconXof128::digest(&message, &mut [0; 100]));
    check("blake2b_mac", || mac::Blake2bMac::<32>::authenticate(&key, &message).is_ok());
    check("blake2s_mac", || mac::Blake2sMac::<32>::authenticate(&key, &message).is_ok());
    check("hmac_sha224", || mac::HmacSha224::authenticate(&key, &message));
    check("hmac_sha256", || mac::HmacSha256::authenticate(&key, &message));
    check("hmac_sha512", || mac::HmacSha512::authenticate(&key, &message));
    let mut output = [0; 500];
    check("hkdf_sha256", || kdf::HkdfSha256::new(&key, &message).expand(&message, &mut output).is_ok());
    check("kdf", || kdf::MasterKey::from_bytes(key).derive(1, b"examples", &mut output[..64]).is_ok());
    check("poly1305", || {
        let mut poly1305 = mac::Poly1305::new(mac::Poly1305Key::from_bytes(key));
        poly1305.update(&message);
        poly1305.finalize()
    });
    let (stream_key, nonce) = (stream::XSalsa20Key::from_bytes(key), stream::XSalsa20Nonce::from_bytes([1; 24]));
    check("xsalsa20", || stream::XSalsa20::new(&stream_key, &nonce).apply(&mut message).is_ok());
    check("equal_32", || verify::equal_32(&secret(), &secret()));
}
