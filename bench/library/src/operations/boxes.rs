//! Authenticated encryption in place.

use chacha20poly1305::{AeadInPlace, KeyInit};

use super::{contender, operation, size};
use crate::clock::Operation;

const KEY: [u8; 32] = [0x5a; 32];
const ADDITIONAL: [u8; 13] = [2; 13];

pub fn all() -> Vec<Operation> {
    let lengths = [64, 1400, 16384];
    let ciphers = [chacha20poly1305, aes128_gcm, aes256_gcm];
    let sealed = ciphers.into_iter().flat_map(|cipher| lengths.map(cipher));
    sealed.chain([256, 16384].map(secretbox)).chain([nacl_box(256)]).collect()
}

/// The message as it is now, and the tag. Each call encrypts the result of the one before.
fn sealed(message: &[u8], tag: &[u8]) -> Vec<u8> {
    // The ends tell all, since each byte of the tag depends on each byte of the message.
    [&message[..16], tag].concat()
}

fn chacha20poly1305(length: usize) -> Operation {
    let ours = culet::aead::ChaCha20Poly1305::new(&culet::aead::ChaCha20Poly1305Key::from_bytes(KEY));
    let our_nonce = culet::aead::ChaCha20Poly1305Nonce::from_bytes([1; 12]);
    let rust_crypto = chacha20poly1305::ChaCha20Poly1305::new(&KEY.into());
    let ring = ring::aead::UnboundKey::new(&ring::aead::CHACHA20_POLY1305, &KEY).expect("a key");
    let ring = ring::aead::LessSafeKey::new(ring);
    let aws = aws_lc_rs::aead::UnboundKey::new(&aws_lc_rs::aead::CHACHA20_POLY1305, &KEY).expect("a key");
    let aws = aws_lc_rs::aead::LessSafeKey::new(aws);
    let graviola = graviola::aead::ChaCha20Poly1305::new(KEY);
    let mut messages = vec![vec![3; length]; 7];
    let mut message = || messages.pop().expect("a message for each");
    let (mut of_ours, mut of_rust_crypto, mut of_ring, mut of_aws, mut of_sodium) =
        (message(), message(), message(), message(), message());
    let (mut of_graviola, mut of_libcrux) = (message(), message());
    let mut copy_for_libcrux = vec![0; length];
    operation(
        format!("ChaCha20-Poly1305 seal, {}", size(length)),
        vec![
            contender("culet", move || {
                let tag = ours.seal_in_place(&our_nonce, &ADDITIONAL, &mut of_ours).expect("a short message");
                sealed(&of_ours, tag.as_bytes())
            }),
            contender("RustCrypto", move || {
                let tag = rust_crypto.encrypt_in_place_detached(&[1; 12].into(), &ADDITIONAL, &mut of_rust_crypto);
                sealed(&of_rust_crypto, &tag.expect("a short message"))
            }),
            contender("ring", move || {
                let nonce = ring::aead::Nonce::assume_unique_for_key([1; 12]);
                let tag = ring.seal_in_place_separate_tag(nonce, ring::aead::Aad::from(ADDITIONAL), &mut of_ring);
                sealed(&of_ring, tag.expect("a short message").as_ref())
            }),
            contender("AWS-LC", move || {
                let nonce = aws_lc_rs::aead::Nonce::assume_unique_for_key([1; 12]);
                let tag = aws.seal_in_place_separate_tag(nonce, aws_lc_rs::aead::Aad::from(ADDITIONAL), &mut of_aws);
                sealed(&of_aws, tag.expect("a short message").as_ref())
            }),
            contender("libsodium", move || {
                let (mut tag, nonce, text) = ([0; 16], [1; 12], of_sodium.as_mut_ptr());
                // SAFETY: the text is encrypted in place and has its length; tag, nonce and key have 16, 12 and 32 bytes.
                unsafe {
                    libsodium_sys::crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                        text,
                        tag.as_mut_ptr(),
                        std::ptr::null_mut(),
                        text,
                        length as u64,
                        ADDITIONAL.as_ptr(),
                        ADDITIONAL.len() as u64,
                        std::ptr::null(),
                        nonce.as_ptr(),
                        KEY.as_ptr(),
                    );
                }
                sealed(&of_sodium, &tag)
            }),
            contender("graviola", move || {
                let mut tag = [0; 16];
                graviola.encrypt(&[1; 12], &ADDITIONAL, &mut of_graviola, &mut tag);
                sealed(&of_graviola, &tag)
            }),
            contender("libcrux", move || {
                let mut tag = [0; 16];
                let into = &mut copy_for_libcrux;
                let made = libcrux_chacha20poly1305::encrypt_detached(
                    &KEY,
                    &of_libcrux,
                    into,
                    &mut tag,
                    &ADDITIONAL,
                    &[1; 12],
                );
                assert!(made.is_ok(), "a short message");
                std::mem::swap(&mut of_libcrux, &mut copy_for_libcrux);
                sealed(&of_libcrux, &tag)
            }),
        ],
    )
}

/// AES-GCM with keys of one length.
macro_rules! aes_gcm {
    ($operation:ident, $bits:literal, $cipher:ident, $key:ident, $nonce:ident, $named:ident) => {
        fn $operation(length: usize) -> Operation {
            let key = [0x5a; $bits / 8];
            let ours = culet::aead::$cipher::new(&culet::aead::$key::from_bytes(key));
            let our_nonce = culet::aead::$nonce::from_bytes([1; 12]);
            let rust_crypto = aes_gcm::$cipher::new(&key.into());
            let ring = ring::aead::UnboundKey::new(&ring::aead::$named, &key).expect("a key");
            let ring = ring::aead::LessSafeKey::new(ring);
            let aws = aws_lc_rs::aead::UnboundKey::new(&aws_lc_rs::aead::$named, &key).expect("a key");
            let aws = aws_lc_rs::aead::LessSafeKey::new(aws);
            let graviola = graviola::aead::AesGcm::new(&key);
            let (mut of_ours, mut of_rust_crypto, mut of_ring, mut of_aws) =
                (vec![3; length], vec![3; length], vec![3; length], vec![3; length]);
            let mut of_graviola = vec![3; length];
            operation(
                format!("AES-{}-GCM seal, {}", $bits, size(length)),
                vec![
                    contender("culet", move || {
                        let tag = ours.seal_in_place(&our_nonce, &ADDITIONAL, &mut of_ours).expect("a short message");
                        sealed(&of_ours, tag.as_bytes())
                    }),
                    contender("RustCrypto", move || {
                        let tag =
                            rust_crypto.encrypt_in_place_detached(&[1; 12].into(), &ADDITIONAL, &mut of_rust_crypto);
                        sealed(&of_rust_crypto, &tag.expect("a short message"))
                    }),
                    contender("ring", move || {
                        let nonce = ring::aead::Nonce::assume_unique_for_key([1; 12]);
                        let tag =
                            ring.seal_in_place_separate_tag(nonce, ring::aead::Aad::from(ADDITIONAL), &mut of_ring);
                        sealed(&of_ring, tag.expect("a short message").as_ref())
                    }),
                    contender("AWS-LC", move || {
                        let nonce = aws_lc_rs::aead::Nonce::assume_unique_for_key([1; 12]);
                        let tag =
                            aws.seal_in_place_separate_tag(nonce, aws_lc_rs::aead::Aad::from(ADDITIONAL), &mut of_aws);
                        sealed(&of_aws, tag.expect("a short message").as_ref())
                    }),
                    contender("graviola", move || {
                        let mut tag = [0; 16];
                        graviola.encrypt(&[1; 12], &ADDITIONAL, &mut of_graviola, &mut tag);
                        sealed(&of_graviola, &tag)
                    }),
                ],
            )
        }
    };
}

aes_gcm!(aes128_gcm, 128, Aes128Gcm, Aes128GcmKey, Aes128GcmNonce, AES_128_GCM);
aes_gcm!(aes256_gcm, 256, Aes256Gcm, Aes256GcmKey, Aes256GcmNonce, AES_256_GCM);

fn secretbox(length: usize) -> Operation {
    let ours = culet::secretbox::SecretBox::new(&culet::secretbox::Key::from_bytes(KEY));
    let our_nonce = culet::secretbox::Nonce::from_bytes([1; 24]);
    let rust_crypto = crypto_secretbox::XSalsa20Poly1305::new(&KEY.into());
    let (mut of_ours, mut of_rust_crypto, mut of_sodium) = (vec![3; length], vec![3; length], vec![3; length]);
    operation(
        format!("secretbox seal, {}", size(length)),
        vec![
            contender("culet", move || {
                let tag = ours.seal_in_place(&our_nonce, &mut of_ours).expect("a short message");
                sealed(&of_ours, tag.as_bytes())
            }),
            contender("RustCrypto", move || {
                let tag = rust_crypto.encrypt_in_place_detached(&[1; 24].into(), b"", &mut of_rust_crypto);
                sealed(&of_rust_crypto, &tag.expect("a short message"))
            }),
            contender("libsodium", move || {
                let (mut tag, nonce, text) = ([0; 16], [1; 24], of_sodium.as_mut_ptr());
                // SAFETY: the text is encrypted in place and has its length; tag, nonce and key have 16, 24 and 32 bytes.
                unsafe {
                    libsodium_sys::crypto_secretbox_detached(
                        text,
                        tag.as_mut_ptr(),
                        text,
                        length as u64,
                        nonce.as_ptr(),
                        KEY.as_ptr(),
                    );
                }
                sealed(&of_sodium, &tag)
            }),
        ],
    )
}

/// NaCl's box: agreement and encryption, in place but for TweetNaCl, whose messages stand behind 32 zeros.
fn nacl_box(length: usize) -> Operation {
    const ZEROS: usize = 32;
    let secret = culet::x25519::SecretKey::from_bytes(KEY);
    let public = culet::x25519::SecretKey::from_bytes([3; 32]).public_key();
    let their_point = public.to_bytes();
    let nonce = culet::nacl::Nonce::from_bytes([1; 24]);
    let (mut of_ours, mut of_sodium, mut of_tweet) = (vec![3; length], vec![3; length], vec![3; ZEROS + length]);
    let mut from_tweet = vec![0; ZEROS + length];
    of_tweet[..ZEROS].fill(0);
    operation(
        format!("box seal, {}", size(length)),
        vec![
            contender("culet", move || {
                let tag = culet::nacl::box_detached(&mut of_ours, &nonce, &public, &secret).expect("keys");
                sealed(&of_ours, tag.as_bytes())
            }),
            contender("libsodium", move || {
                let (mut tag, nonce, text) = ([0; 16], [1; 24], of_sodium.as_mut_ptr());
                // SAFETY: the text is encrypted in place and has its length; tag, nonce and keys have 16, 24 and 32 bytes.
                unsafe {
                    libsodium_sys::crypto_box_detached(
                        text,
                        tag.as_mut_ptr(),
                        text,
                        length as u64,
                        nonce.as_ptr(),
                        their_point.as_ptr(),
                        KEY.as_ptr(),
                    );
                }
                sealed(&of_sodium, &tag)
            }),
            contender("TweetNaCl", move || {
                let nonce = [1; 24];
                // SAFETY: both texts have this length, which counts the zeros; nonce and keys have 24 and 32 bytes.
                unsafe {
                    tweetnacl_sys::crypto_box_curve25519xsalsa20poly1305_tweet(
                        from_tweet.as_mut_ptr(),
                        of_tweet.as_ptr(),
                        of_tweet.len() as u64,
                        nonce.as_ptr(),
                        their_point.as_ptr(),
                        KEY.as_ptr(),
                    );
                }
                of_tweet[ZEROS..].copy_from_slice(&from_tweet[ZEROS..]);
                sealed(&from_tweet[ZEROS..], &from_tweet[16..ZEROS])
            }),
        ],
    )
}
