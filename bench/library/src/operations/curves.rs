//! Key agreement and signatures.

use ed25519_dalek::{Signer, Verifier};
use ring::signature::UnparsedPublicKey;

use super::{contender, operation};
use crate::clock::Operation;

const SECRET: [u8; 32] = [0x5a; 32];
const MESSAGE: [u8; 32] = [7; 32];

pub fn all() -> Vec<Operation> {
    vec![x25519_public(), x25519(), sign(), verify(), p256_agree(), p256_sign(), p256_verify()]
}

fn x25519_public() -> Operation {
    let ours = culet::x25519::SecretKey::from_bytes(SECRET);
    let dalek = x25519_dalek::StaticSecret::from(SECRET);
    operation(
        "X25519 public key",
        vec![
            contender("culet", move || ours.public_key().as_bytes().to_vec()),
            contender("dalek", move || x25519_dalek::PublicKey::from(&dalek).to_bytes().to_vec()),
            contender("AWS-LC", || {
                let mut public = [0; 32];
                // SAFETY: both have 32 bytes.
                unsafe { aws_lc_sys::X25519_public_from_private(public.as_mut_ptr(), SECRET.as_ptr()) };
                public.to_vec()
            }),
            contender("libsodium", || {
                let mut public = [0; 32];
                // SAFETY: both have 32 bytes.
                unsafe { libsodium_sys::crypto_scalarmult_base(public.as_mut_ptr(), SECRET.as_ptr()) };
                public.to_vec()
            }),
        ],
    )
}

fn x25519() -> Operation {
    let theirs = culet::x25519::SecretKey::from_bytes([3; 32]).public_key().to_bytes();
    let (ours, our_point) =
        (culet::x25519::SecretKey::from_bytes(SECRET), culet::x25519::PublicKey::from_bytes(theirs));
    let (dalek, dalek_point) = (x25519_dalek::StaticSecret::from(SECRET), x25519_dalek::PublicKey::from(theirs));
    operation(
        "X25519 agreement",
        vec![
            contender("culet", move || {
                ours.diffie_hellman(&our_point).expect("no point of low order").as_bytes().to_vec()
            }),
            contender("dalek", move || dalek.diffie_hellman(&dalek_point).to_bytes().to_vec()),
            contender("AWS-LC", move || {
                let mut shared = [0; 32];
                // SAFETY: all three have 32 bytes.
                unsafe { aws_lc_sys::X25519(shared.as_mut_ptr(), SECRET.as_ptr(), theirs.as_ptr()) };
                shared.to_vec()
            }),
            contender("libsodium", move || {
                let mut shared = [0; 32];
                // SAFETY: all three have 32 bytes.
                unsafe { libsodium_sys::crypto_scalarmult(shared.as_mut_ptr(), SECRET.as_ptr(), theirs.as_ptr()) };
                shared.to_vec()
            }),
        ],
    )
}

/// libsodium's secret key: the seed and the public key.
fn sodium_key() -> ([u8; 32], [u8; 64]) {
    let (mut public, mut secret) = ([0; 32], [0; 64]);
    // SAFETY: the three have 32, 64 and 32 bytes.
    unsafe { libsodium_sys::crypto_sign_seed_keypair(public.as_mut_ptr(), secret.as_mut_ptr(), SECRET.as_ptr()) };
    (public, secret)
}

fn sign() -> Operation {
    let ours = culet::ed25519::SigningKey::from_bytes(SECRET);
    let dalek = ed25519_dalek::SigningKey::from_bytes(&SECRET);
    let ring = ring::signature::Ed25519KeyPair::from_seed_unchecked(&SECRET).expect("a key");
    let aws = aws_lc_rs::signature::Ed25519KeyPair::from_seed_unchecked(&SECRET).expect("a key");
    let (_, sodium) = sodium_key();
    operation(
        "Ed25519 sign, 32 B",
        vec![
            contender("culet", move || ours.sign(&MESSAGE).to_bytes().to_vec()),
            contender("dalek", move || dalek.sign(&MESSAGE).to_bytes().to_vec()),
            contender("ring", move || ring.sign(&MESSAGE).as_ref().to_vec()),
            contender("AWS-LC", move || aws.sign(&MESSAGE).as_ref().to_vec()),
            contender("libsodium", move || {
                let mut signature = [0; 64];
                // SAFETY: the signature and the key have 64 bytes, the message its length; no length is asked for.
                unsafe {
                    libsodium_sys::crypto_sign_detached(
                        signature.as_mut_ptr(),
                        std::ptr::null_mut(),
                        MESSAGE.as_ptr(),
                        MESSAGE.len() as u64,
                        sodium.as_ptr(),
                    );
                }
                signature.to_vec()
            }),
        ],
    )
}

fn verify() -> Operation {
    let key = culet::ed25519::SigningKey::from_bytes(SECRET);
    let (public, signature) = (*key.verifying_key().as_bytes(), key.sign(&MESSAGE).to_bytes());
    let ours = (key.verifying_key(), key.sign(&MESSAGE));
    let dalek = ed25519_dalek::VerifyingKey::from_bytes(&public).expect("a point");
    let dalek_signature = ed25519_dalek::Signature::from_bytes(&signature);
    let answer = |is_good: bool| vec![u8::from(is_good)];
    operation(
        "Ed25519 verify, 32 B",
        vec![
            contender("culet", move || answer(ours.0.verify(&MESSAGE, &ours.1).is_ok())),
            contender("dalek", move || answer(dalek.verify(&MESSAGE, &dalek_signature).is_ok())),
            contender("ring", move || {
                answer(UnparsedPublicKey::new(&ring::signature::ED25519, &public).verify(&MESSAGE, &signature).is_ok())
            }),
            contender("AWS-LC", move || {
                let key = aws_lc_rs::signature::UnparsedPublicKey::new(&aws_lc_rs::signature::ED25519, &public);
                answer(key.verify(&MESSAGE, &signature).is_ok())
            }),
            contender("libsodium", move || {
                // SAFETY: the signature has 64 bytes, the key 32, the message its length.
                let failed = unsafe {
                    libsodium_sys::crypto_sign_verify_detached(
                        signature.as_ptr(),
                        MESSAGE.as_ptr(),
                        MESSAGE.len() as u64,
                        public.as_ptr(),
                    )
                };
                answer(failed == 0)
            }),
        ],
    )
}

/// P-256 keys: ours, and the bytes of the other side's public key.
fn p256_keys() -> (culet::p256::SecretKey, [u8; 65]) {
    let key = |byte| culet::p256::SecretKey::from_bytes([byte; 32]).expect("a number in range");
    (key(0x5a), key(3).public_key().to_sec1_uncompressed())
}

fn p256_agree() -> Operation {
    let (ours, theirs) = p256_keys();
    let our_point = culet::p256::PublicKey::from_sec1(&theirs).expect("a point");
    let rust_crypto = p256::SecretKey::from_slice(&SECRET).expect("a number in range");
    let their_point = p256::PublicKey::from_sec1_bytes(&theirs).expect("a point");
    let aws =
        aws_lc_rs::agreement::PrivateKey::from_private_key(&aws_lc_rs::agreement::ECDH_P256, &SECRET).expect("a key");
    operation(
        "P-256 agreement",
        vec![
            contender("culet", move || ours.diffie_hellman(&our_point).expect("keys").as_bytes().to_vec()),
            contender("RustCrypto", move || {
                let shared = p256::ecdh::diffie_hellman(rust_crypto.to_nonzero_scalar(), their_point.as_affine());
                shared.raw_secret_bytes().to_vec()
            }),
            contender("AWS-LC", move || {
                let theirs = aws_lc_rs::agreement::UnparsedPublicKey::new(&aws_lc_rs::agreement::ECDH_P256, &theirs);
                let shared = aws_lc_rs::agreement::agree(&aws, theirs, (), |shared| Ok(shared.to_vec()));
                shared.expect("keys")
            }),
        ],
    )
}

/// Some draw random numbers used once, so that signatures differ: nothing is compared.
fn p256_sign() -> Operation {
    let ours = culet::p256::SigningKey::from_bytes(SECRET).expect("a number in range");
    let public = ours.verifying_key().to_sec1_uncompressed();
    let rust_crypto = p256::ecdsa::SigningKey::from_slice(&SECRET).expect("a number in range");
    let random = ring::rand::SystemRandom::new();
    let ring_way = &ring::signature::ECDSA_P256_SHA256_FIXED_SIGNING;
    let ring = ring::signature::EcdsaKeyPair::from_private_key_and_public_key(ring_way, &SECRET, &public, &random);
    let ring = ring.expect("a key");
    let aws_way = &aws_lc_rs::signature::ECDSA_P256_SHA256_FIXED_SIGNING;
    let aws = aws_lc_rs::signature::EcdsaKeyPair::from_private_key_and_public_key(aws_way, &SECRET, &public);
    let (aws, aws_random) = (aws.expect("a key"), aws_lc_rs::rand::SystemRandom::new());
    let signed = |signature: &[u8]| vec![signature.len() as u8];
    operation(
        "P-256 sign, 32 B",
        vec![
            contender("culet", move || signed(&ours.sign(&MESSAGE).to_bytes())),
            contender("RustCrypto", move || {
                let signature: p256::ecdsa::Signature = rust_crypto.sign(&MESSAGE);
                signed(&signature.to_bytes())
            }),
            contender("ring", move || signed(ring.sign(&random, &MESSAGE).expect("randomness").as_ref())),
            contender("AWS-LC", move || signed(aws.sign(&aws_random, &MESSAGE).expect("randomness").as_ref())),
        ],
    )
}

fn p256_verify() -> Operation {
    let key = culet::p256::SigningKey::from_bytes(SECRET).expect("a number in range");
    let (public, signature) = (key.verifying_key().to_sec1_uncompressed(), key.sign(&MESSAGE).to_bytes());
    let ours = (key.verifying_key(), key.sign(&MESSAGE));
    let rust_crypto = p256::ecdsa::VerifyingKey::from_sec1_bytes(&public).expect("a point");
    let rust_crypto_signature = p256::ecdsa::Signature::from_slice(&signature).expect("a signature");
    let answer = |is_good: bool| vec![u8::from(is_good)];
    operation(
        "P-256 verify, 32 B",
        vec![
            contender("culet", move || answer(ours.0.verify(&MESSAGE, &ours.1).is_ok())),
            contender("RustCrypto", move || answer(rust_crypto.verify(&MESSAGE, &rust_crypto_signature).is_ok())),
            contender("ring", move || {
                let key = UnparsedPublicKey::new(&ring::signature::ECDSA_P256_SHA256_FIXED, &public);
                answer(key.verify(&MESSAGE, &signature).is_ok())
            }),
            contender("AWS-LC", move || {
                let way = &aws_lc_rs::signature::ECDSA_P256_SHA256_FIXED;
                let key = aws_lc_rs::signature::UnparsedPublicKey::new(way, &public);
                answer(key.verify(&MESSAGE, &signature).is_ok())
            }),
        ],
    )
}
