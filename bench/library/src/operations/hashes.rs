//! Digests and codes that authenticate.

use hmac::Mac;
use sha2::Digest;

use super::{contender, operation, size};
use crate::clock::Operation;

const KEY: [u8; 32] = [0x5a; 32];

pub fn all() -> Vec<Operation> {
    let lengths = [64, 16384];
    lengths.map(sha256).into_iter().chain(lengths.map(sha512)).chain([64].map(hmac_sha256)).collect()
}

fn sha256(length: usize) -> Operation {
    let message: &'static [u8] = vec![3; length].leak();
    operation(
        format!("SHA-256, {}", size(length)),
        vec![
            contender("culet", move || culet::hash::Sha256::digest(message).to_vec()),
            contender("RustCrypto", move || sha2::Sha256::digest(message).to_vec()),
            contender("ring", move || ring::digest::digest(&ring::digest::SHA256, message).as_ref().to_vec()),
            contender("AWS-LC", move || {
                aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, message).as_ref().to_vec()
            }),
            contender("libsodium", move || {
                let mut digest = [0; 32];
                // SAFETY: the digest has 32 bytes, the message its length.
                unsafe {
                    libsodium_sys::crypto_hash_sha256(digest.as_mut_ptr(), message.as_ptr(), message.len() as u64);
                }
                digest.to_vec()
            }),
        ],
    )
}

fn sha512(length: usize) -> Operation {
    let message: &'static [u8] = vec![3; length].leak();
    operation(
        format!("SHA-512, {}", size(length)),
        vec![
            contender("culet", move || culet::hash::Sha512::digest(message).to_vec()),
            contender("RustCrypto", move || sha2::Sha512::digest(message).to_vec()),
            contender("ring", move || ring::digest::digest(&ring::digest::SHA512, message).as_ref().to_vec()),
            contender("AWS-LC", move || {
                aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA512, message).as_ref().to_vec()
            }),
            contender("libsodium", move || {
                let mut digest = [0; 64];
                // SAFETY: the digest has 64 bytes, the message its length.
                unsafe {
                    libsodium_sys::crypto_hash_sha512(digest.as_mut_ptr(), message.as_ptr(), message.len() as u64);
                }
                digest.to_vec()
            }),
        ],
    )
}

fn hmac_sha256(length: usize) -> Operation {
    let message: &'static [u8] = vec![3; length].leak();
    operation(
        format!("HMAC-SHA-256, {}", size(length)),
        vec![
            contender("culet", move || culet::mac::HmacSha256::authenticate(&KEY, message).as_bytes().to_vec()),
            contender("RustCrypto", move || {
                let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(&KEY).expect("a key of any length");
                mac.update(message);
                mac.finalize().into_bytes().to_vec()
            }),
            contender("ring", move || {
                let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &KEY);
                ring::hmac::sign(&key, message).as_ref().to_vec()
            }),
            contender("AWS-LC", move || {
                let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, &KEY);
                aws_lc_rs::hmac::sign(&key, message).as_ref().to_vec()
            }),
            contender("libsodium", move || {
                let mut tag = [0; 32];
                // SAFETY: tag and key have 32 bytes, the message its length.
                unsafe {
                    libsodium_sys::crypto_auth_hmacsha256(
                        tag.as_mut_ptr(),
                        message.as_ptr(),
                        message.len() as u64,
                        KEY.as_ptr(),
                    );
                }
                tag.to_vec()
            }),
        ],
    )
}
