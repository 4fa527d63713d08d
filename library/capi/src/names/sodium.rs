//! libsodium's names, for what the library has: `sodium.h`.
#![allow(unsafe_code)] // Functions are exported under C's names; no block of this file is unsafe.

use core::ffi::{c_char, c_int, c_ulonglong};
use std::sync::atomic::{AtomicBool, Ordering};

use culet::aead::Aes256Gcm;
use culet::hash::{Blake2bVar, Sha256, Sha512};
use culet::mac::{HmacSha256, HmacSha512, Poly1305};

use super::code;
use crate::aead::{self, TAG};
use crate::boxes::{self, Message, agreed, given};
#[cfg(unix)]
use crate::guarded::{self, Area, Guarded};
use crate::parts::{self, HmacSha512256};
use crate::pointers::{Context, In, Out, Slot, Source, choose_misuse_handler};
use crate::runtime::{self, has};
use crate::secretstream::{SEAL, Stream};
use crate::stream::{self, Zeros};
use crate::{agreement, base64, bytes, hex, random, secretstream, sign};

export! {
    crypto_secretbox_easy(c: Out, m: In, mlen: c_ulonglong, n: In, k: In) =
        boxes::seal_easy(Message::new(c, m.with(mlen), n), given(k));
    crypto_secretbox_open_easy(m: Out, c: In, clen: c_ulonglong, n: In, k: In) =
        boxes::open_easy(Message::new(m, c.with(clen), n), given(k));
    crypto_secretbox_detached(c: Out, mac: Out, m: In, mlen: c_ulonglong, n: In, k: In) =
        boxes::seal(Message::new(c, m.with(mlen), n), mac, given(k));
    crypto_secretbox_open_detached(m: Out, c: In, mac: In, clen: c_ulonglong, n: In, k: In) =
        boxes::open_or_verify(Message::new(m, c.with(clen), n), mac, given(k));

    crypto_box_seed_keypair, crypto_box_curve25519xsalsa20poly1305_seed_keypair(pk: Out, sk: Out, seed: In) =
        boxes::key_pair_of_seed(pk, sk, seed);
    crypto_box_easy(c: Out, m: In, mlen: c_ulonglong, n: In, pk: In, sk: In) =
        boxes::seal_easy(Message::new(c, m.with(mlen), n), agreed(pk, sk));
    crypto_box_open_easy(m: Out, c: In, clen: c_ulonglong, n: In, pk: In, sk: In) =
        boxes::open_easy(Message::new(m, c.with(clen), n), agreed(pk, sk));
    crypto_box_detached(c: Out, mac: Out, m: In, mlen: c_ulonglong, n: In, pk: In, sk: In) =
        boxes::seal(Message::new(c, m.with(mlen), n), mac, agreed(pk, sk));
    crypto_box_open_detached(m: Out, c: In, mac: In, clen: c_ulonglong, n: In, pk: In, sk: In) =
        boxes::open_or_verify(Message::new(m, c.with(clen), n), mac, agreed(pk, sk));
    crypto_box_easy_afternm(c: Out, m: In, mlen: c_ulonglong, n: In, k: In) =
        boxes::seal_easy(Message::new(c, m.with(mlen), n), given(k));
    crypto_box_open_easy_afternm(m: Out, c: In, clen: c_ulonglong, n: In, k: In) =
        boxes::open_easy(Message::new(m, c.with(clen), n), given(k));
    crypto_box_detached_afternm(c: Out, mac: Out, m: In, mlen: c_ulonglong, n: In, k: In) =
        boxes::seal(Message::new(c, m.with(mlen), n), mac, given(k));
    crypto_box_open_detached_afternm(m: Out, c: In, mac: In, clen: c_ulonglong, n: In, k: In) =
        boxes::open_or_verify(Message::new(m, c.with(clen), n), mac, given(k));
}

export! {
    crypto_box_seal(c: Out, m: In, mlen: c_ulonglong, pk: In) =
        boxes::seal_unnamed_easy(c, m.with(mlen), pk, random::seed_if_any().as_deref());
    // The public key is that of the secret one, and is not read.
    crypto_box_seal_open(m: Out, c: In, clen: c_ulonglong, pk: In, sk: In) = {
        let _ = pk;
        boxes::open_unnamed_easy(m, c.with(clen), sk)
    };
}

export! {
    crypto_kx_keypair(pk: Out, sk: Out) = boxes::key_pair(pk, sk, &random::seed());
    crypto_kx_seed_keypair(pk: Out, sk: Out, seed: In) = agreement::key_pair_of_seed(pk, sk, seed);
    crypto_kx_client_session_keys(rx: Out, tx: Out, client_pk: In, client_sk: In, server_pk: In) =
        agreement::client_keys(rx, tx, client_pk, client_sk, server_pk);
    crypto_kx_server_session_keys(rx: Out, tx: Out, server_pk: In, server_sk: In, client_pk: In) =
        agreement::server_keys(rx, tx, server_pk, server_sk, client_pk);
}

export! {
    crypto_kdf_derive_from_key, crypto_kdf_blake2b_derive_from_key(
        subkey: Out, subkey_len: usize, subkey_id: u64, ctx: In, key: In
    ) = parts::subkey(subkey, subkey_len, subkey_id, ctx, key);
}

export! {
    crypto_secretstream_xchacha20poly1305_init_push(state: Context<Stream>, header: Out, k: In) =
        secretstream::start_sealing_anew(state, header, k, &random::seed());
    crypto_secretstream_xchacha20poly1305_push(
        state: Context<Stream>, c: Out, clen: Slot<c_ulonglong>, m: In, mlen: c_ulonglong, ad: In, adlen: c_ulonglong, tag: u8
    ) -> c_int = {
        let done = secretstream::seal(state, c, tag, m.with(mlen), ad.with(adlen));
        with_length(done, clen, mlen.wrapping_add(SEAL as c_ulonglong))
    };
    crypto_secretstream_xchacha20poly1305_init_pull(state: Context<Stream>, header: In, k: In) =
        secretstream::start_opening(state, header, k);
    crypto_secretstream_xchacha20poly1305_pull(
        state: Context<Stream>, m: Out, mlen: Slot<c_ulonglong>, tag: Slot<u8>, c: In, clen: c_ulonglong, ad: In, adlen: c_ulonglong
    ) -> c_int = {
        let opened = secretstream::open(state, m, c.with(clen), ad.with(adlen));
        tag.set(opened.unwrap_or(u8::MAX));
        with_length(opened.map(drop), mlen, clen.wrapping_sub(SEAL as c_ulonglong))
    };
    crypto_secretstream_xchacha20poly1305_rekey(state: Context<Stream>) -> () =
        secretstream::rekey(state).unwrap_or_default();
    crypto_secretstream_xchacha20poly1305_tag_message() -> u8 = 0;
    crypto_secretstream_xchacha20poly1305_tag_push() -> u8 = 1;
    crypto_secretstream_xchacha20poly1305_tag_rekey() -> u8 = 2;
    crypto_secretstream_xchacha20poly1305_tag_final() -> u8 = 3;
}

/// Writes a length where it is wanted: of what was made, or 0.
fn with_length(done: Option<()>, length: Slot<c_ulonglong>, made: c_ulonglong) -> c_int {
    length.set(done.map_or(0, |()| made));
    code(done)
}

// `nsec` is never read. A message that goes to null is only verified.
export! {
    crypto_aead_chacha20poly1305_ietf_encrypt(
        c: Out, clen: Slot<c_ulonglong>, m: In, mlen: c_ulonglong, ad: In, adlen: c_ulonglong, nsec: In, npub: In, k: In
    ) -> c_int = {
        let (_, m) = (nsec, m.with(mlen));
        let done = aead::chacha20poly1305::seal(c, c.after(m.length), m, ad.with(adlen), npub, k);
        with_length(done, clen, mlen.wrapping_add(TAG as c_ulonglong))
    };
    crypto_aead_chacha20poly1305_ietf_decrypt(
        m: Out, mlen: Slot<c_ulonglong>, nsec: Out, c: In, clen: c_ulonglong, ad: In, adlen: c_ulonglong, npub: In, k: In
    ) -> c_int = {
        let _ = nsec;
        let opened = c.with(clen).split_end(TAG).and_then(|(sealed, tag)| {
            m.or_memory(sealed.length, |m| aead::chacha20poly1305::open(m, sealed, tag.start, ad.with(adlen), npub, k))
        });
        with_length(opened, mlen, clen.wrapping_sub(TAG as c_ulonglong))
    };
    crypto_aead_chacha20poly1305_ietf_encrypt_detached(
        c: Out, mac: Out, maclen: Slot<c_ulonglong>, m: In, mlen: c_ulonglong, ad: In, adlen: c_ulonglong, nsec: In, npub: In, k: In
    ) -> c_int = {
        let _ = nsec;
        let done = aead::chacha20poly1305::seal(c, mac, m.with(mlen), ad.with(adlen), npub, k);
        with_length(done, maclen, TAG as c_ulonglong)
    };
    crypto_aead_chacha20poly1305_ietf_decrypt_detached(
        m: Out, nsec: Out, c: In, clen: c_ulonglong, mac: In, ad: In, adlen: c_ulonglong, npub: In, k: In
    ) -> c_int = {
        let (_, c) = (nsec, c.with(clen));
        code(m.or_memory(c.length, |m| aead::chacha20poly1305::open(m, c, mac, ad.with(adlen), npub, k)))
    };
}

// `nsec` is never read.
export! {
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        c: Out, clen: Slot<c_ulonglong>, m: In, mlen: c_ulonglong, ad: In, adlen: c_ulonglong, nsec: In, npub: In, k: In
    ) -> c_int = {
        let (_, m) = (nsec, m.with(mlen));
        let done = aead::xchacha20poly1305::seal(c, c.after(m.length), m, ad.with(adlen), npub, k);
        with_length(done, clen, mlen.wrapping_add(TAG as c_ulonglong))
    };
    crypto_aead_xchacha20poly1305_ietf_decrypt(
        m: Out, mlen: Slot<c_ulonglong>, nsec: Out, c: In, clen: c_ulonglong, ad: In, adlen: c_ulonglong, npub: In, k: In
    ) -> c_int = {
        let _ = nsec;
        let opened = c.with(clen).split_end(TAG).and_then(|(sealed, tag)| {
            m.or_memory(sealed.length, |m| aead::xchacha20poly1305::open(m, sealed, tag.start, ad.with(adlen), npub, k))
        });
        with_length(opened, mlen, clen.wrapping_sub(TAG as c_ulonglong))
    };
    crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
        c: Out, mac: Out, maclen: Slot<c_ulonglong>, m: In, mlen: c_ulonglong, ad: In, adlen: c_ulonglong, nsec: In, npub: In, k: In
    ) -> c_int = {
        let _ = nsec;
        let done = aead::xchacha20poly1305::seal(c, mac, m.with(mlen), ad.with(adlen), npub, k);
        with_length(done, maclen, TAG as c_ulonglong)
    };
    crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
        m: Out, nsec: Out, c: In, clen: c_ulonglong, mac: In, ad: In, adlen: c_ulonglong, npub: In, k: In
    ) -> c_int = {
        let (_, c) = (nsec, c.with(clen));
        code(m.or_memory(c.length, |m| aead::xchacha20poly1305::open(m, c, mac, ad.with(adlen), npub, k)))
    };
}

// `nsec` is never read.
export! {
    // The portable kernels need no features of the CPU.
    crypto_aead_aes256gcm_is_available() -> c_int = 1;
    crypto_aead_aes256gcm_encrypt(
        c: Out, clen: Slot<c_ulonglong>, m: In, mlen: c_ulonglong, ad: In, adlen: c_ulonglong, nsec: In, npub: In, k: In
    ) -> c_int = {
        let (_, m) = (nsec, m.with(mlen));
        let done = aead::aes256gcm::seal(c, c.after(m.length), m, ad.with(adlen), npub, k);
        with_length(done, clen, mlen.wrapping_add(TAG as c_ulonglong))
    };
    crypto_aead_aes256gcm_decrypt(
        m: Out, mlen: Slot<c_ulonglong>, nsec: Out, c: In, clen: c_ulonglong, ad: In, adlen: c_ulonglong, npub: In, k: In
    ) -> c_int = {
        let _ = nsec;
        let opened = c.with(clen).split_end(TAG).and_then(|(sealed, tag)| {
            m.or_memory(sealed.length, |m| aead::aes256gcm::open(m, sealed, tag.start, ad.with(adlen), npub, k))
        });
        with_length(opened, mlen, clen.wrapping_sub(TAG as c_ulonglong))
    };
    crypto_aead_aes256gcm_encrypt_detached(
        c: Out, mac: Out, maclen: Slot<c_ulonglong>, m: In, mlen: c_ulonglong, ad: In, adlen: c_ulonglong, nsec: In, npub: In, k: In
    ) -> c_int = {
        let _ = nsec;
        let done = aead::aes256gcm::seal(c, mac, m.with(mlen), ad.with(adlen), npub, k);
        with_length(done, maclen, TAG as c_ulonglong)
    };
    crypto_aead_aes256gcm_decrypt_detached(
        m: Out, nsec: Out, c: In, clen: c_ulonglong, mac: In, ad: In, adlen: c_ulonglong, npub: In, k: In
    ) -> c_int = {
        let (_, c) = (nsec, c.with(clen));
        code(m.or_memory(c.length, |m| aead::aes256gcm::open(m, c, mac, ad.with(adlen), npub, k)))
    };
}

// The same with a key that was prepared; `nsec` is never read.
export! {
    crypto_aead_aes256gcm_beforenm(state: Context<Aes256Gcm>, k: In) = aead::aes256gcm::cipher(k).and_then(|cipher| state.put(cipher));
    crypto_aead_aes256gcm_encrypt_afternm(
        c: Out, clen: Slot<c_ulonglong>, m: In, mlen: c_ulonglong, ad: In, adlen: c_ulonglong, nsec: In, npub: In, state: Context<Aes256Gcm>
    ) -> c_int = {
        let (_, m) = (nsec, m.with(mlen));
        let done = state.beside(c, m.length.saturating_add(TAG)).and_then(|cipher| {
            aead::aes256gcm::seal_with(cipher, c, c.after(m.length), m, ad.with(adlen), npub)
        });
        with_length(done, clen, mlen.wrapping_add(TAG as c_ulonglong))
    };
    crypto_aead_aes256gcm_decrypt_afternm(
        m: Out, mlen: Slot<c_ulonglong>, nsec: Out, c: In, clen: c_ulonglong, ad: In, adlen: c_ulonglong, npub: In, state: Context<Aes256Gcm>
    ) -> c_int = {
        let _ = nsec;
        let opened = c.with(clen).split_end(TAG).and_then(|(sealed, tag)| {
            m.or_memory(sealed.length, |m| {
                aead::aes256gcm::open_with(state.beside(m, sealed.length)?, m, sealed, tag.start, ad.with(adlen), npub)
            })
        });
        with_length(opened, mlen, clen.wrapping_sub(TAG as c_ulonglong))
    };
    crypto_aead_aes256gcm_encrypt_detached_afternm(
        c: Out, mac: Out, maclen: Slot<c_ulonglong>, m: In, mlen: c_ulonglong, ad: In, adlen: c_ulonglong, nsec: In, npub: In,
        state: Context<Aes256Gcm>
    ) -> c_int = {
        let (_, m) = (nsec, m.with(mlen));
        let cipher = state.beside(mac, TAG).and_then(|_| state.beside(c, m.length));
        let done = cipher.and_then(|cipher| aead::aes256gcm::seal_with(cipher, c, mac, m, ad.with(adlen), npub));
        with_length(done, maclen, TAG as c_ulonglong)
    };
    crypto_aead_aes256gcm_decrypt_detached_afternm(
        m: Out, nsec: Out, c: In, clen: c_ulonglong, mac: In, ad: In, adlen: c_ulonglong, npub: In, state: Context<Aes256Gcm>
    ) -> c_int = {
        let (_, c) = (nsec, c.with(clen));
        let opened = m.or_memory(c.length, |m| {
            aead::aes256gcm::open_with(state.beside(m, c.length)?, m, c, mac, ad.with(adlen), npub)
        });
        code(opened)
    };
}

export! {
    crypto_sign_seed_keypair, crypto_sign_ed25519_seed_keypair(pk: Out, sk: Out, seed: In) =
        seed.array().and_then(|seed| sign::key_pair(pk, sk, &zeroize::Zeroizing::new(seed)));
    crypto_sign_detached, crypto_sign_ed25519_detached(
        sig: Out, siglen: Slot<c_ulonglong>, m: In, mlen: c_ulonglong, sk: In
    ) = sign::sign_detached(sig, siglen, m.with(mlen), sk);
    crypto_sign_verify_detached, crypto_sign_ed25519_verify_detached(sig: In, m: In, mlen: c_ulonglong, pk: In) =
        sign::verify(sig, m.with(mlen), pk);
    crypto_sign_ed25519_pk_to_curve25519(x25519: Out, pk: In) = sign::public_to_x25519(x25519, pk);
    crypto_sign_ed25519_sk_to_curve25519(x25519: Out, sk: In) = sign::secret_to_x25519(x25519, sk);
    crypto_sign_ed25519_sk_to_seed(seed: Out, sk: In) = sk.array::<32>().and_then(|bytes| seed.write(&bytes));
    crypto_sign_ed25519_sk_to_pk(pk: Out, sk: In) = sk.array::<64>().and_then(|bytes| pk.write(bytes.last_chunk::<32>()?));
}

export! {
    crypto_hash_sha256_init(state: Context<Sha256>) = parts::start(state, Some(Sha256::new()));
    crypto_hash_sha256_update(state: Context<Sha256>, part: In, length: c_ulonglong) =
        parts::update(state, part.with(length));
    crypto_hash_sha256_final(state: Context<Sha256>, out: Out) = parts::finish(state, out);
}

export! {
    crypto_hash_sha512_init(state: Context<Sha512>) = parts::start(state, Some(Sha512::new()));
    crypto_hash_sha512_update(state: Context<Sha512>, part: In, length: c_ulonglong) =
        parts::update(state, part.with(length));
    crypto_hash_sha512_final(state: Context<Sha512>, out: Out) = parts::finish(state, out);
}

export! {
    crypto_generichash, crypto_generichash_blake2b(
        out: Out, outlen: usize, m: In, mlen: c_ulonglong, key: In, keylen: usize
    ) = parts::whole((out, outlen), parts::blake2b(outlen, key.with(keylen)), m.with(mlen));
    crypto_generichash_init, crypto_generichash_blake2b_init(
        state: Context<Blake2bVar>, key: In, keylen: usize, outlen: usize
    ) = parts::start(state, parts::blake2b(outlen, key.with(keylen)));
    crypto_generichash_blake2b_salt_personal(
        out: Out, outlen: usize, m: In, mlen: c_ulonglong, key: In, keylen: usize, salt: In, personal: In
    ) = parts::whole((out, outlen), parts::salted_blake2b(outlen, key.with(keylen), salt, personal), m.with(mlen));
    crypto_generichash_blake2b_init_salt_personal(
        state: Context<Blake2bVar>, key: In, keylen: usize, outlen: usize, salt: In, personal: In
    ) = parts::start(state, parts::salted_blake2b(outlen, key.with(keylen), salt, personal));
    crypto_generichash_update, crypto_generichash_blake2b_update(
        state: Context<Blake2bVar>, part: In, length: c_ulonglong
    ) = parts::update(state, part.with(length));
    crypto_generichash_final, crypto_generichash_blake2b_final(state: Context<Blake2bVar>, out: Out, outlen: usize) =
        parts::finish(state, (out, outlen));
}

export! {
    crypto_auth_hmacsha256_init(state: Context<HmacSha256>, key: In, keylen: usize) = parts::start(state, parts::hmac_sha256(key.with(keylen)));
    crypto_auth_hmacsha256_update(state: Context<HmacSha256>, part: In, length: c_ulonglong) =
        parts::update(state, part.with(length));
    crypto_auth_hmacsha256_final(state: Context<HmacSha256>, out: Out) = parts::finish(state, out);
}

export! {
    crypto_auth_hmacsha512_init(state: Context<HmacSha512>, key: In, keylen: usize) = parts::start(state, parts::hmac_sha512(key.with(keylen)));
    crypto_auth_hmacsha512_update(state: Context<HmacSha512>, part: In, length: c_ulonglong) =
        parts::update(state, part.with(length));
    crypto_auth_hmacsha512_final(state: Context<HmacSha512>, out: Out) = parts::finish(state, out);
}

export! {
    crypto_auth_hmacsha512256_init(state: Context<HmacSha512256>, key: In, keylen: usize) = parts::start(state, parts::hmac_sha512256(key.with(keylen)));
    crypto_auth_hmacsha512256_update(state: Context<HmacSha512256>, part: In, length: c_ulonglong) =
        parts::update(state, part.with(length));
    crypto_auth_hmacsha512256_final(state: Context<HmacSha512256>, out: Out) = parts::finish(state, out);
}

export! {
    crypto_onetimeauth_init, crypto_onetimeauth_poly1305_init(state: Context<Poly1305>, key: In) = parts::start(state, parts::poly1305(key));
    crypto_onetimeauth_update, crypto_onetimeauth_poly1305_update(state: Context<Poly1305>, part: In, length: c_ulonglong) =
        parts::update(state, part.with(length));
    crypto_onetimeauth_final, crypto_onetimeauth_poly1305_final(state: Context<Poly1305>, out: Out) = parts::finish(state, out);
}

export! {
    crypto_auth_hmacsha512(out: Out, m: In, mlen: c_ulonglong, k: In) =
        parts::whole(out, parts::hmac_sha512(k.with(32)), m.with(mlen));
    crypto_auth_hmacsha512_verify(h: In, m: In, mlen: c_ulonglong, k: In) =
        parts::verify_hmac_sha512(h, m.with(mlen), k.with(32));
}

export! {
    crypto_stream_xsalsa20_xor_ic(c: Out, m: In, mlen: c_ulonglong, n: In, ic: u64, k: In) =
        stream::xsalsa20(c, m.with(mlen), ic, n, k);
    crypto_stream_salsa20_xor_ic(c: Out, m: In, mlen: c_ulonglong, n: In, ic: u64, k: In) =
        stream::salsa20(c, m.with(mlen), ic, n, k);

    crypto_stream_chacha20(c: Out, clen: c_ulonglong, n: In, k: In) = stream::early_chacha20(c, Zeros(clen), 0, n, k);
    crypto_stream_chacha20_xor(c: Out, m: In, mlen: c_ulonglong, n: In, k: In) =
        stream::early_chacha20(c, m.with(mlen), 0, n, k);
    crypto_stream_chacha20_xor_ic(c: Out, m: In, mlen: c_ulonglong, n: In, ic: u64, k: In) =
        stream::early_chacha20(c, m.with(mlen), ic, n, k);

    crypto_stream_chacha20_ietf(c: Out, clen: c_ulonglong, n: In, k: In) = stream::chacha20(c, Zeros(clen), 0, n, k);
    crypto_stream_chacha20_ietf_xor(c: Out, m: In, mlen: c_ulonglong, n: In, k: In) =
        stream::chacha20(c, m.with(mlen), 0, n, k);
    crypto_stream_chacha20_ietf_xor_ic(c: Out, m: In, mlen: c_ulonglong, n: In, ic: u32, k: In) =
        stream::chacha20(c, m.with(mlen), ic.into(), n, k);

    crypto_stream_xchacha20(c: Out, clen: c_ulonglong, n: In, k: In) = stream::xchacha20(c, Zeros(clen), 0, n, k);
    crypto_stream_xchacha20_xor(c: Out, m: In, mlen: c_ulonglong, n: In, k: In) =
        stream::xchacha20(c, m.with(mlen), 0, n, k);
    crypto_stream_xchacha20_xor_ic(c: Out, m: In, mlen: c_ulonglong, n: In, ic: u64, k: In) =
        stream::xchacha20(c, m.with(mlen), ic, n, k);
}

export! {
    crypto_verify_64(x: In, y: In) = bytes::equal(x, y, 64);
    sodium_memcmp(a: In, b: In, length: usize) = bytes::equal(a, b, length);
    sodium_memzero(memory: Out, length: usize) -> () = bytes::wipe(memory, length).unwrap_or_default();
    sodium_is_zero(bytes: In, length: usize) -> c_int = c_int::from(bytes::is_zero(bytes, length).is_some());
    sodium_increment(number: Out, length: usize) -> () = bytes::increment(number, length).unwrap_or_default();
    sodium_add(a: Out, b: In, length: usize) -> () = bytes::add(a, b, length).unwrap_or_default();
    sodium_sub(a: Out, b: In, length: usize) -> () = bytes::subtract(a, b, length).unwrap_or_default();
    sodium_compare(a: In, b: In, length: usize) -> c_int = bytes::compare(a, b, length).unwrap_or(-1);
    sodium_pad(padded: Slot<usize>, buf: Out, unpadded_len: usize, blocksize: usize, max_len: usize) =
        bytes::pad(buf, unpadded_len, blocksize, max_len).map(|length| padded.set(length));
    sodium_unpad(unpadded: Slot<usize>, buf: In, padded_len: usize, blocksize: usize) =
        bytes::unpadded(unpadded, buf, padded_len, blocksize);
    sodium_bin2base64(b64: Out, b64_maxlen: usize, bin: In, bin_len: usize, variant: c_int) -> Out =
        base64::from_bytes(b64, b64_maxlen, bin.with(bin_len), variant);
    sodium_base642bin(
        bin: Out, bin_maxlen: usize, b64: In, b64_len: usize, ignore: *const c_char, bin_len: Slot<usize>, b64_end: Slot<In>,
        variant: c_int
    ) -> c_int = base64::to_bytes(bin, bin_maxlen, b64.with(b64_len), ignore, bin_len, b64_end, variant);
    sodium_base64_encoded_len(bin_len: usize, variant: c_int) -> usize =
        base64::Variant::of(variant).and_then(|variant| variant.length(bin_len)).unwrap_or(0);
    sodium_bin2hex(hex: Out, hex_maxlen: usize, bin: In, bin_len: usize) -> Out =
        hex::from_bytes(hex, hex_maxlen, bin.with(bin_len));
    sodium_hex2bin(
        bin: Out, bin_maxlen: usize, hex: In, hex_len: usize, ignore: *const c_char, bin_len: Slot<usize>, hex_end: Slot<In>
    ) -> c_int = hex::to_bytes(bin, bin_maxlen, hex.with(hex_len), ignore, bin_len, hex_end);

    randombytes_buf(out: Out, length: usize) -> () = random::fill(out, length);
    randombytes_buf_deterministic(out: Out, length: usize, seed: In) -> () =
        stream::deterministic(out, Zeros(length as c_ulonglong), 0, seed, seed).unwrap_or_else(|| runtime::misuse());
    randombytes_random() -> u32 = random::number();
    randombytes_uniform(upper_bound: u32) -> u32 = random::below(upper_bound);
    randombytes_stir() -> () = random::stir();
    randombytes_close() -> c_int = random::close();
    randombytes_implementation_name() -> *const c_char = random::name();
    randombytes_set_implementation(source: Slot<Source>) -> c_int = {
        source.choose();
        0
    };

    crypto_kdf_keygen, crypto_secretstream_xchacha20poly1305_keygen, crypto_generichash_keygen, crypto_generichash_blake2b_keygen,
    crypto_secretbox_keygen, crypto_secretbox_xsalsa20poly1305_keygen, crypto_auth_keygen,
    crypto_auth_hmacsha256_keygen, crypto_auth_hmacsha512_keygen, crypto_auth_hmacsha512256_keygen,
    crypto_onetimeauth_keygen, crypto_onetimeauth_poly1305_keygen, crypto_stream_keygen, crypto_stream_xsalsa20_keygen,
    crypto_stream_salsa20_keygen, crypto_stream_chacha20_keygen, crypto_stream_chacha20_ietf_keygen,
    crypto_stream_xchacha20_keygen, crypto_aead_chacha20poly1305_ietf_keygen, crypto_aead_aes256gcm_keygen,
    crypto_aead_xchacha20poly1305_ietf_keygen(k: Out) -> () = random::fill(k, 32usize);

    sodium_init() -> c_int = c_int::from(IS_READY.swap(true, Ordering::Relaxed));
    sodium_misuse() -> () = runtime::misuse();
    sodium_set_misuse_handler(handler: Option<extern "C" fn()>) -> c_int = {
        choose_misuse_handler(handler);
        0
    };
    sodium_runtime_has_neon() -> c_int = runtime::has_neon();
    sodium_runtime_has_sse2() -> c_int = has!("sse2");
    sodium_runtime_has_sse3() -> c_int = has!("sse3");
    sodium_runtime_has_ssse3() -> c_int = has!("ssse3");
    sodium_runtime_has_sse41() -> c_int = has!("sse4.1");
    sodium_runtime_has_avx() -> c_int = has!("avx");
    sodium_runtime_has_avx2() -> c_int = has!("avx2");
    sodium_runtime_has_avx512f() -> c_int = has!("avx512f");
    sodium_runtime_has_pclmul() -> c_int = has!("pclmulqdq");
    sodium_runtime_has_aesni() -> c_int = has!("aes");
    sodium_runtime_has_rdrand() -> c_int = has!("rdrand");
    sodium_stackzero(len: usize) -> () = runtime::erase_stack(len);
    sodium_version_string() -> *const c_char = c"1.0.18".as_ptr();
    sodium_library_version_major() -> c_int = 10;
    sodium_library_version_minor() -> c_int = 3;
    sodium_library_minimal() -> c_int = 1;
}

#[cfg(unix)]
export! {
    sodium_malloc(size: usize) -> Guarded = guarded::allocate(size);
    sodium_allocarray(count: usize, size: usize) -> Guarded = guarded::allocate_items(count, size);
    sodium_free(ptr: Guarded) -> () = guarded::free(ptr);
    sodium_mprotect_noaccess(ptr: Guarded) = guarded::hide(ptr);
    sodium_mprotect_readonly(ptr: Guarded) = guarded::freeze(ptr);
    sodium_mprotect_readwrite(ptr: Guarded) = guarded::open(ptr);
    sodium_mlock(addr: Area, len: usize) = guarded::lock(&addr, len);
    sodium_munlock(addr: Area, len: usize) = guarded::erase_and_unlock(&addr, len);
}

/// Whether `sodium_init` was called: it returns 0 once, and 1 from then on. Nothing is prepared.
static IS_READY: AtomicBool = AtomicBool::new(false);

/// Names of what the short names stand for.
macro_rules! primitives {
    ($($name:ident = $primitive:literal;)*) => {
        export! { $($name() -> *const c_char = $primitive.as_ptr();)* }
    };
}

primitives! {
    crypto_auth_primitive = c"hmacsha512256";
    crypto_box_primitive = c"curve25519xsalsa20poly1305";
    crypto_generichash_primitive = c"blake2b";
    crypto_hash_primitive = c"sha512";
    crypto_kdf_primitive = c"blake2b";
    crypto_kx_primitive = c"x25519blake2b";
    crypto_onetimeauth_primitive = c"poly1305";
    crypto_scalarmult_primitive = c"curve25519";
    crypto_secretbox_primitive = c"xsalsa20poly1305";
    crypto_sign_primitive = c"ed25519";
    crypto_stream_primitive = c"xsalsa20";
}
