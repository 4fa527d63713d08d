//! Numbers that programs for libsodium ask for: sizes of states, keys, nonces and messages. `sodium.h` has the same numbers as types and macros.
#![allow(unsafe_code)] // Functions are exported under C's names; no block of this file is unsafe.

use culet::aead::Aes256Gcm;
use culet::hash::{Blake2bVar, Sha256, Sha512};
use culet::mac::{HmacSha256, HmacSha512, Poly1305};

use crate::aead::TAG;
use crate::parts::HmacSha512256;
use crate::secretstream::{SEAL, Stream};

/// States of the header, as `fits!` has them, with the function that returns the number of bytes of each: of the whole type, since a program that
/// asks for it may copy the type.
macro_rules! states {
    ($($state:ident[$words:literal]: $kept:ty, $name:ident;)*) => {
        fits! { $($state[$words]: $kept;)* }
        export! { $($name() -> usize = 8 * $words;)* }
    };
}

states! {
    crypto_aead_aes256gcm_state[160]: Aes256Gcm, crypto_aead_aes256gcm_statebytes;
    crypto_secretstream_xchacha20poly1305_state[16]: Stream, crypto_secretstream_xchacha20poly1305_statebytes;
    crypto_hash_sha256_state[16]: Sha256, crypto_hash_sha256_statebytes;
    crypto_hash_sha512_state[32]: Sha512, crypto_hash_sha512_statebytes;
    crypto_generichash_blake2b_state[48]: Blake2bVar, crypto_generichash_blake2b_statebytes;
    crypto_generichash_state[48]: Blake2bVar, crypto_generichash_statebytes;
    crypto_auth_hmacsha256_state[26]: HmacSha256, crypto_auth_hmacsha256_statebytes;
    crypto_auth_hmacsha512_state[52]: HmacSha512, crypto_auth_hmacsha512_statebytes;
    crypto_auth_hmacsha512256_state[52]: HmacSha512256, crypto_auth_hmacsha512256_statebytes;
    crypto_onetimeauth_poly1305_state[32]: Poly1305, crypto_onetimeauth_poly1305_statebytes;
    crypto_onetimeauth_state[32]: Poly1305, crypto_onetimeauth_statebytes;
}

/// Sizes, by the names of their macros in small letters.
macro_rules! sizes {
    ($($size:expr => $($name:ident)*;)*) => {
        $(export! { $($name),*() -> usize = $size; })*
    };
}

sizes! {
    32 =>
        crypto_box_seedbytes crypto_box_publickeybytes crypto_box_secretkeybytes crypto_box_beforenmbytes
        crypto_box_zerobytes crypto_box_curve25519xsalsa20poly1305_seedbytes
        crypto_box_curve25519xsalsa20poly1305_publickeybytes crypto_box_curve25519xsalsa20poly1305_secretkeybytes
        crypto_box_curve25519xsalsa20poly1305_beforenmbytes crypto_box_curve25519xsalsa20poly1305_zerobytes
        crypto_secretbox_keybytes crypto_secretbox_zerobytes crypto_secretbox_xsalsa20poly1305_keybytes
        crypto_secretbox_xsalsa20poly1305_zerobytes crypto_aead_chacha20poly1305_ietf_keybytes crypto_aead_aes256gcm_keybytes
        crypto_aead_xchacha20poly1305_ietf_keybytes crypto_auth_bytes crypto_auth_keybytes
        crypto_auth_hmacsha512256_bytes crypto_auth_hmacsha512256_keybytes crypto_auth_hmacsha256_bytes
        crypto_auth_hmacsha256_keybytes crypto_auth_hmacsha512_keybytes crypto_hash_sha256_bytes
        crypto_onetimeauth_keybytes crypto_onetimeauth_poly1305_keybytes crypto_scalarmult_bytes
        crypto_scalarmult_scalarbytes crypto_scalarmult_curve25519_bytes crypto_scalarmult_curve25519_scalarbytes
        crypto_generichash_bytes crypto_generichash_keybytes crypto_generichash_blake2b_bytes
        crypto_generichash_blake2b_keybytes crypto_kx_publickeybytes crypto_kx_secretkeybytes crypto_kx_seedbytes
        crypto_kx_sessionkeybytes crypto_sign_seedbytes crypto_sign_publickeybytes crypto_sign_ed25519_seedbytes
        crypto_sign_ed25519_publickeybytes crypto_stream_keybytes crypto_stream_xsalsa20_keybytes
        crypto_stream_salsa20_keybytes crypto_stream_chacha20_keybytes crypto_stream_chacha20_ietf_keybytes
        crypto_stream_xchacha20_keybytes crypto_kdf_keybytes crypto_kdf_blake2b_keybytes
        crypto_secretstream_xchacha20poly1305_keybytes crypto_verify_32_bytes randombytes_seedbytes;
    24 =>
        crypto_box_noncebytes crypto_box_curve25519xsalsa20poly1305_noncebytes crypto_secretbox_noncebytes
        crypto_secretbox_xsalsa20poly1305_noncebytes crypto_aead_xchacha20poly1305_ietf_npubbytes
        crypto_stream_noncebytes crypto_stream_xsalsa20_noncebytes crypto_stream_xchacha20_noncebytes
        crypto_secretstream_xchacha20poly1305_headerbytes;
    17 =>
        crypto_secretstream_xchacha20poly1305_abytes;
    16 =>
        crypto_box_macbytes crypto_box_boxzerobytes crypto_box_curve25519xsalsa20poly1305_macbytes
        crypto_box_curve25519xsalsa20poly1305_boxzerobytes crypto_secretbox_macbytes crypto_secretbox_boxzerobytes
        crypto_secretbox_xsalsa20poly1305_macbytes crypto_secretbox_xsalsa20poly1305_boxzerobytes
        crypto_aead_chacha20poly1305_ietf_abytes crypto_aead_xchacha20poly1305_ietf_abytes crypto_aead_aes256gcm_abytes
        crypto_onetimeauth_bytes
        crypto_onetimeauth_poly1305_bytes crypto_verify_16_bytes crypto_generichash_bytes_min
        crypto_generichash_keybytes_min crypto_generichash_blake2b_bytes_min crypto_generichash_blake2b_keybytes_min
        crypto_generichash_blake2b_saltbytes crypto_generichash_blake2b_personalbytes crypto_kdf_bytes_min
        crypto_kdf_blake2b_bytes_min;
    48 =>
        crypto_box_sealbytes;
    usize::MAX - 16 =>
        crypto_box_messagebytes_max crypto_box_curve25519xsalsa20poly1305_messagebytes_max
        crypto_secretbox_messagebytes_max crypto_secretbox_xsalsa20poly1305_messagebytes_max
       ;
    0 =>
        crypto_aead_chacha20poly1305_ietf_nsecbytes crypto_aead_xchacha20poly1305_ietf_nsecbytes
        crypto_aead_aes256gcm_nsecbytes;
    12 =>
        crypto_aead_chacha20poly1305_ietf_npubbytes crypto_aead_aes256gcm_npubbytes crypto_stream_chacha20_ietf_noncebytes;
    AEAD_LIMIT =>
        crypto_aead_chacha20poly1305_ietf_messagebytes_max crypto_aead_xchacha20poly1305_ietf_messagebytes_max;
    SECRETSTREAM_LIMIT =>
        crypto_secretstream_xchacha20poly1305_messagebytes_max;
    AES_GCM_LIMIT =>
        crypto_aead_aes256gcm_messagebytes_max;
    64 =>
        crypto_auth_hmacsha512_bytes crypto_hash_bytes crypto_hash_sha512_bytes crypto_sign_bytes
        crypto_sign_secretkeybytes crypto_sign_ed25519_bytes crypto_sign_ed25519_secretkeybytes
        crypto_verify_64_bytes crypto_generichash_bytes_max crypto_generichash_keybytes_max
        crypto_generichash_blake2b_bytes_max crypto_generichash_blake2b_keybytes_max crypto_kdf_bytes_max
        crypto_kdf_blake2b_bytes_max;
    usize::MAX - 64 =>
        crypto_sign_messagebytes_max crypto_sign_ed25519_messagebytes_max;
    usize::MAX =>
        crypto_stream_messagebytes_max crypto_stream_xsalsa20_messagebytes_max
        crypto_stream_salsa20_messagebytes_max;
    8 =>
        crypto_kdf_contextbytes crypto_kdf_blake2b_contextbytes
        crypto_stream_salsa20_noncebytes crypto_stream_chacha20_noncebytes;
    STREAM_LIMIT =>
        crypto_stream_chacha20_messagebytes_max crypto_stream_chacha20_ietf_messagebytes_max
        crypto_stream_xchacha20_messagebytes_max;
}

/// How many bytes ChaCha20-Poly1305 and AES-GCM seal at most, and ChaCha20 encrypts.
const AEAD_LIMIT: usize = lesser(usize::MAX - TAG, culet::aead::MESSAGE_LIMIT);
const SECRETSTREAM_LIMIT: usize = lesser(usize::MAX - SEAL, culet::aead::secretstream::MESSAGE_LIMIT);
const AES_GCM_LIMIT: usize = lesser(usize::MAX - TAG, Aes256Gcm::MESSAGE_LIMIT);
const STREAM_LIMIT: usize = lesser(usize::MAX, culet::stream::ChaCha20::LIMIT);

const fn lesser(a: usize, b: u64) -> usize {
    if (a as u64) < b { a } else { b as usize }
}
