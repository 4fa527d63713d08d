//! `culet.h`: names with the prefix `culet_`.
#![allow(unsafe_code)] // Functions are exported under C's names; no block of this file is unsafe.

use core::ffi::c_char;

use culet::hash::{Sha224, Sha256, Sha384, Sha512};
use culet::mac::{HmacSha256, HmacSha384, HmacSha512, Poly1305};

use crate::pointers::{Context, In, Out};
use crate::{aead, agreement, boxes, bytes, parts, random, sign, stream};

fits! {
    Sha224: 16;
    Sha256: 16;
    Sha384: 32;
    Sha512: 32;
    HmacSha256: 24;
    HmacSha384: 40;
    HmacSha512: 40;
    Poly1305: 16;
}

export! {
    culet_version() -> *const c_char = concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast();

    culet_ed25519_public_key(public: Out, seed: In) = sign::public_key(public, seed);
    culet_ed25519_sign(signature: Out, message: In, length: usize, seed: In) =
        sign::sign(signature, message.with(length), seed);
    culet_ed25519_verify(signature: In, message: In, length: usize, public: In) =
        sign::verify(signature, message.with(length), public);

    culet_x25519_public_key(public: Out, secret: In) = agreement::public_key(public, secret);
    culet_x25519(shared: Out, secret: In, public: In) = agreement::shared(shared, secret, public);
}

export! {
    culet_chacha20poly1305_seal(
        sealed: Out, tag: Out, message: In, length: usize, additional: In, additional_length: usize, nonce: In, key: In
    ) = aead::chacha20poly1305::seal(
        sealed, tag, message.with(length), additional.with(additional_length), nonce, key
    );
    culet_chacha20poly1305_open(
        message: Out, sealed: In, length: usize, tag: In, additional: In, additional_length: usize, nonce: In, key: In
    ) = aead::chacha20poly1305::open(
        message, sealed.with(length), tag, additional.with(additional_length), nonce, key
    );
}

export! {
    culet_xchacha20poly1305_seal(
        sealed: Out, tag: Out, message: In, length: usize, additional: In, additional_length: usize, nonce: In, key: In
    ) = aead::xchacha20poly1305::seal(
        sealed, tag, message.with(length), additional.with(additional_length), nonce, key
    );
    culet_xchacha20poly1305_open(
        message: Out, sealed: In, length: usize, tag: In, additional: In, additional_length: usize, nonce: In, key: In
    ) = aead::xchacha20poly1305::open(
        message, sealed.with(length), tag, additional.with(additional_length), nonce, key
    );
}

export! {
    culet_secretbox_seal(sealed: Out, tag: Out, message: In, length: usize, nonce: In, key: In) =
        boxes::seal(boxes::Message::new(sealed, message.with(length), nonce), tag, boxes::given(key));
    culet_secretbox_open(message: Out, sealed: In, length: usize, tag: In, nonce: In, key: In) =
        boxes::open(boxes::Message::new(message, sealed.with(length), nonce), tag, boxes::given(key));
    culet_box_key(key: Out, public: In, secret: In) = boxes::write_agreed(key, public, secret);
    culet_box_seal(sealed: Out, tag: Out, message: In, length: usize, nonce: In, public: In, secret: In) =
        boxes::seal(boxes::Message::new(sealed, message.with(length), nonce), tag, boxes::agreed(public, secret));
    culet_box_open(message: Out, sealed: In, length: usize, tag: In, nonce: In, public: In, secret: In) =
        boxes::open(boxes::Message::new(message, sealed.with(length), nonce), tag, boxes::agreed(public, secret));
}

export! {
    culet_chacha20(out: Out, text: In, length: usize, block: u64, nonce: In, key: In) =
        stream::chacha20(out, text.with(length), block, nonce, key);
    culet_xchacha20(out: Out, text: In, length: usize, block: u64, nonce: In, key: In) =
        stream::xchacha20(out, text.with(length), block, nonce, key);
    culet_salsa20(out: Out, text: In, length: usize, block: u64, nonce: In, key: In) =
        stream::salsa20(out, text.with(length), block, nonce, key);
    culet_xsalsa20(out: Out, text: In, length: usize, block: u64, nonce: In, key: In) =
        stream::xsalsa20(out, text.with(length), block, nonce, key);
}

export! {
    culet_sha224(digest: Out, message: In, length: usize) =
        parts::whole(digest, Some(Sha224::new()), message.with(length));
    culet_sha224_init(context: Context<Sha224>) = parts::start(context, Some(Sha224::new()));
    culet_sha224_update(context: Context<Sha224>, part: In, length: usize) =
        parts::update(context, part.with(length));
    culet_sha224_final(context: Context<Sha224>, digest: Out) = parts::finish(context, digest);
}

export! {
    culet_sha256(digest: Out, message: In, length: usize) =
        parts::whole(digest, Some(Sha256::new()), message.with(length));
    culet_sha256_init(context: Context<Sha256>) = parts::start(context, Some(Sha256::new()));
    culet_sha256_update(context: Context<Sha256>, part: In, length: usize) =
        parts::update(context, part.with(length));
    culet_sha256_final(context: Context<Sha256>, digest: Out) = parts::finish(context, digest);
}

export! {
    culet_sha384(digest: Out, message: In, length: usize) =
        parts::whole(digest, Some(Sha384::new()), message.with(length));
    culet_sha384_init(context: Context<Sha384>) = parts::start(context, Some(Sha384::new()));
    culet_sha384_update(context: Context<Sha384>, part: In, length: usize) =
        parts::update(context, part.with(length));
    culet_sha384_final(context: Context<Sha384>, digest: Out) = parts::finish(context, digest);
}

export! {
    culet_sha512(digest: Out, message: In, length: usize) =
        parts::whole(digest, Some(Sha512::new()), message.with(length));
    culet_sha512_init(context: Context<Sha512>) = parts::start(context, Some(Sha512::new()));
    culet_sha512_update(context: Context<Sha512>, part: In, length: usize) =
        parts::update(context, part.with(length));
    culet_sha512_final(context: Context<Sha512>, digest: Out) = parts::finish(context, digest);
}

export! {
    culet_hmac_sha256(tag: Out, key: In, key_length: usize, message: In, length: usize) =
        parts::whole(tag, parts::hmac_sha256(key.with(key_length)), message.with(length));
    culet_hmac_sha256_verify(tag: In, key: In, key_length: usize, message: In, length: usize) =
        parts::verify_hmac_sha256(tag, message.with(length), key.with(key_length));
    culet_hmac_sha256_init(context: Context<HmacSha256>, key: In, key_length: usize) =
        parts::start(context, parts::hmac_sha256(key.with(key_length)));
    culet_hmac_sha256_update(context: Context<HmacSha256>, part: In, length: usize) =
        parts::update(context, part.with(length));
    culet_hmac_sha256_final(context: Context<HmacSha256>, tag: Out) = parts::finish(context, tag);
    culet_hkdf_sha256(
        out: Out, length: usize, salt: In, salt_length: usize, secret: In, secret_length: usize, info: In, info_length: usize
    ) = parts::hkdf_sha256(
        out, length, salt.with(salt_length), secret.with(secret_length), info.with(info_length)
    );
}

export! {
    culet_hmac_sha384(tag: Out, key: In, key_length: usize, message: In, length: usize) =
        parts::whole(tag, parts::hmac_sha384(key.with(key_length)), message.with(length));
    culet_hmac_sha384_verify(tag: In, key: In, key_length: usize, message: In, length: usize) =
        parts::verify_hmac_sha384(tag, message.with(length), key.with(key_length));
    culet_hmac_sha384_init(context: Context<HmacSha384>, key: In, key_length: usize) =
        parts::start(context, parts::hmac_sha384(key.with(key_length)));
    culet_hmac_sha384_update(context: Context<HmacSha384>, part: In, length: usize) =
        parts::update(context, part.with(length));
    culet_hmac_sha384_final(context: Context<HmacSha384>, tag: Out) = parts::finish(context, tag);
    culet_hkdf_sha384(
        out: Out, length: usize, salt: In, salt_length: usize, secret: In, secret_length: usize, info: In, info_length: usize
    ) = parts::hkdf_sha384(
        out, length, salt.with(salt_length), secret.with(secret_length), info.with(info_length)
    );
}

export! {
    culet_hmac_sha512(tag: Out, key: In, key_length: usize, message: In, length: usize) =
        parts::whole(tag, parts::hmac_sha512(key.with(key_length)), message.with(length));
    culet_hmac_sha512_verify(tag: In, key: In, key_length: usize, message: In, length: usize) =
        parts::verify_hmac_sha512(tag, message.with(length), key.with(key_length));
    culet_hmac_sha512_init(context: Context<HmacSha512>, key: In, key_length: usize) =
        parts::start(context, parts::hmac_sha512(key.with(key_length)));
    culet_hmac_sha512_update(context: Context<HmacSha512>, part: In, length: usize) =
        parts::update(context, part.with(length));
    culet_hmac_sha512_final(context: Context<HmacSha512>, tag: Out) = parts::finish(context, tag);
    culet_hkdf_sha512(
        out: Out, length: usize, salt: In, salt_length: usize, secret: In, secret_length: usize, info: In, info_length: usize
    ) = parts::hkdf_sha512(
        out, length, salt.with(salt_length), secret.with(secret_length), info.with(info_length)
    );
}

export! {
    culet_poly1305(tag: Out, message: In, length: usize, key: In) =
        parts::whole(tag, parts::poly1305(key), message.with(length));
    culet_poly1305_verify(tag: In, message: In, length: usize, key: In) =
        parts::verify_poly1305(tag, message.with(length), key);
    culet_poly1305_init(context: Context<Poly1305>, key: In) = parts::start(context, parts::poly1305(key));
    culet_poly1305_update(context: Context<Poly1305>, part: In, length: usize) =
        parts::update(context, part.with(length));
    culet_poly1305_final(context: Context<Poly1305>, tag: Out) = parts::finish(context, tag);

    culet_compare(a: In, b: In, length: usize) = bytes::equal(a, b, length);
    culet_wipe(memory: Out, length: usize) = bytes::wipe(memory, length);
    culet_random(out: Out, length: usize) = random::from_system(out, length);
}
