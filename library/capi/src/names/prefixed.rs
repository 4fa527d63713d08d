//! `culet.h`: names with the prefix `culet_`.
#![allow(unsafe_code)] // Functions are exported under C's names; no block of this file is unsafe.

use core::ffi::c_char;

use culet::aead::stream::{Opener, Sealer};
use culet::aead::{Aes128Gcm, Aes256Gcm};
use culet::hash::{
    AsconHash256, Blake2bVar, Blake2sVar, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha256, Sha384, Sha512,
    Sha512_256,
};
use culet::mac::{HmacSha224, HmacSha256, HmacSha384, HmacSha512, Poly1305};

use crate::parts::{AsconXof128, Shake128, Shake256};
use crate::pointers::{Context, In, Messages, Out, Signatures, Slot};
use crate::secretstream::{self, Stream};
use crate::segments::{self, Segment};
use crate::{aead, agreement, bip340, boxes, bytes, curves, parts, random, sign, stream};

fits! {
    culet_aes128gcm_context[160]: Aes128Gcm;
    culet_aes256gcm_context[160]: Aes256Gcm;
    culet_sha224_context[16]: Sha224;
    culet_sha256_context[16]: Sha256;
    culet_sha384_context[32]: Sha384;
    culet_sha512_context[32]: Sha512;
    culet_sha512_256_context[32]: Sha512_256;
    culet_sha3_224_context[48]: Sha3_224;
    culet_sha3_256_context[48]: Sha3_256;
    culet_sha3_384_context[48]: Sha3_384;
    culet_sha3_512_context[48]: Sha3_512;
    culet_shake128_context[56]: Shake128;
    culet_shake256_context[56]: Shake256;
    culet_blake2b_context[32]: Blake2bVar;
    culet_blake2s_context[24]: Blake2sVar;
    culet_ascon_hash256_context[16]: AsconHash256;
    culet_ascon_xof128_context[16]: AsconXof128;
    culet_hmac_sha224_context[24]: HmacSha224;
    culet_hmac_sha256_context[24]: HmacSha256;
    culet_hmac_sha384_context[40]: HmacSha384;
    culet_hmac_sha512_context[40]: HmacSha512;
    culet_poly1305_context[16]: Poly1305;
    culet_segment_sealer[16]: Sealer;
    culet_segment_opener[16]: Opener;
    culet_secretstream[16]: Stream;
}

export! {
    culet_version() -> *const c_char = concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast();

    culet_ed25519_public_key(public: Out, seed: In) = sign::public_key(public, seed);
    culet_ed25519_sign(signature: Out, message: In, length: usize, seed: In) =
        sign::sign(signature, message.with(length), seed);
    culet_ed25519_verify(signature: In, message: In, length: usize, public: In) =
        sign::verify(signature, message.with(length), public);
    culet_ed25519_verify_zip215(signature: In, message: In, length: usize, public: In) =
        sign::verify_zip215(signature, message.with(length), public);
    culet_ed25519_sign_batch(signatures: Out, messages: Messages, count: usize, seed: In) =
        sign::sign_batch(signatures, messages, count, seed);
    culet_ed25519_verify_batch(signatures: Signatures, count: usize) = sign::verify_batch(signatures, count);
    culet_ed25519_verify_batch_zip215(signatures: Signatures, count: usize) =
        sign::verify_batch_zip215(signatures, count);
    culet_ed25519_public_to_x25519(x25519: Out, public: In) = sign::public_to_x25519(x25519, public);
    culet_ed25519_secret_to_x25519(x25519: Out, seed: In) = sign::secret_to_x25519(x25519, seed);

    culet_x25519_public_key(public: Out, secret: In) = agreement::public_key(public, secret);
    culet_x25519(shared: Out, secret: In, public: In) = agreement::shared(shared, secret, public);
    culet_x25519_batch(shared: Out, secrets: In, publics: In, count: usize) =
        agreement::shared_batch(shared, secrets, publics, count);

    culet_bip340_public_key(public: Out, secret: In) = bip340::public_key(public, secret);
    culet_bip340_sign(signature: Out, message: In, length: usize, secret: In, entropy: In) =
        bip340::sign(signature, message.with(length), secret, entropy);
    culet_bip340_verify(signature: In, message: In, length: usize, public: In) =
        bip340::verify(signature, message.with(length), public);
}

/// The functions of a curve.
macro_rules! curves {
    (
        $($curve:ident: $public_key:ident $compress:ident $decompress:ident $agree:ident
        $sign:ident $verify:ident $sign_der:ident $verify_der:ident
        $sign_hedged:ident $sign_prehashed:ident $verify_prehashed:ident;)*
    ) => {
        $(export! {
            $public_key(public: Out, secret: In) = curves::$curve::public_key(public, secret);
            $compress(compressed: Out, public: In, public_length: usize) =
                curves::$curve::compress(compressed, public.with(public_length));
            $decompress(point: Out, public: In, public_length: usize) =
                curves::$curve::decompress(point, public.with(public_length));
            $agree(shared: Out, secret: In, public: In, public_length: usize) =
                curves::$curve::agree(shared, secret, public.with(public_length));
            $sign(signature: Out, message: In, length: usize, secret: In) =
                curves::$curve::sign(signature, message.with(length), secret);
            $verify(signature: In, message: In, length: usize, public: In, public_length: usize) =
                curves::$curve::verify(signature, message.with(length), public.with(public_length));
            $sign_der(der: Out, der_length: Slot<usize>, message: In, length: usize, secret: In) =
                curves::$curve::sign_der(der, der_length, message.with(length), secret);
            $verify_der(
                der: In, der_length: usize, message: In, length: usize, public: In, public_length: usize
            ) = curves::$curve::verify_der(der.with(der_length), message.with(length), public.with(public_length));
            $sign_hedged(signature: Out, message: In, length: usize, secret: In, entropy: In) =
                curves::$curve::sign_hedged(signature, message.with(length), secret, entropy);
            $sign_prehashed(signature: Out, digest: In, secret: In) =
                curves::$curve::sign_prehashed(signature, digest, secret);
            $verify_prehashed(signature: In, digest: In, public: In, public_length: usize) =
                curves::$curve::verify_prehashed(signature, digest, public.with(public_length));
        })*
    };
}

curves! {
    p224: culet_p224_public_key culet_p224_compress culet_p224_decompress culet_p224_agree
        culet_p224_sign culet_p224_verify culet_p224_sign_der culet_p224_verify_der
        culet_p224_sign_hedged culet_p224_sign_prehashed culet_p224_verify_prehashed;
    p256: culet_p256_public_key culet_p256_compress culet_p256_decompress culet_p256_agree
        culet_p256_sign culet_p256_verify culet_p256_sign_der culet_p256_verify_der
        culet_p256_sign_hedged culet_p256_sign_prehashed culet_p256_verify_prehashed;
    p384: culet_p384_public_key culet_p384_compress culet_p384_decompress culet_p384_agree
        culet_p384_sign culet_p384_verify culet_p384_sign_der culet_p384_verify_der
        culet_p384_sign_hedged culet_p384_sign_prehashed culet_p384_verify_prehashed;
    p521: culet_p521_public_key culet_p521_compress culet_p521_decompress culet_p521_agree
        culet_p521_sign culet_p521_verify culet_p521_sign_der culet_p521_verify_der
        culet_p521_sign_hedged culet_p521_sign_prehashed culet_p521_verify_prehashed;
    secp256k1: culet_secp256k1_public_key culet_secp256k1_compress culet_secp256k1_decompress culet_secp256k1_agree
        culet_secp256k1_sign culet_secp256k1_verify culet_secp256k1_sign_der culet_secp256k1_verify_der
        culet_secp256k1_sign_hedged culet_secp256k1_sign_prehashed culet_secp256k1_verify_prehashed;
}

export! {
    culet_secp256k1_with_low_s(low: Out, signature: In) = curves::with_low_s(low, signature);
}

export! {
    culet_segment_sealer_init(context: Context<Sealer>, nonce: In, key: In) =
        segments::start_sealing(context, nonce, key);
    culet_segment_seal(
        context: Context<Sealer>, sealed: Out, tag: Out, message: In, length: usize, additional: In, additional_length: usize
    ) = segments::seal(
        context, Segment { out: sealed, text: message.with(length), additional: additional.with(additional_length) }, tag
    );
    culet_segment_seal_last(
        context: Context<Sealer>, sealed: Out, tag: Out, message: In, length: usize, additional: In, additional_length: usize
    ) = segments::seal_last(
        context, Segment { out: sealed, text: message.with(length), additional: additional.with(additional_length) }, tag
    );
}

export! {
    culet_segment_opener_init(context: Context<Opener>, nonce: In, key: In) =
        segments::start_opening(context, nonce, key);
    culet_segment_open(
        context: Context<Opener>, message: Out, sealed: In, length: usize, tag: In, additional: In, additional_length: usize
    ) = segments::open(
        context, Segment { out: message, text: sealed.with(length), additional: additional.with(additional_length) }, tag
    );
    culet_segment_open_last(
        context: Context<Opener>, message: Out, sealed: In, length: usize, tag: In, additional: In, additional_length: usize
    ) = segments::open_last(
        context, Segment { out: message, text: sealed.with(length), additional: additional.with(additional_length) }, tag
    );
}

export! {
    culet_secretstream_seal_init(context: Context<Stream>, header: In, key: In) =
        secretstream::start_sealing(context, header, key);
    culet_secretstream_seal(
        context: Context<Stream>, sealed: Out, kind: u8, message: In, length: usize, additional: In, additional_length: usize
    ) = secretstream::seal(context, sealed, kind, message.with(length), additional.with(additional_length));
    culet_secretstream_open_init(context: Context<Stream>, header: In, key: In) =
        secretstream::start_opening(context, header, key);
    culet_secretstream_open(
        context: Context<Stream>, message: Out, kind: Slot<u8>, sealed: In, length: usize, additional: In, additional_length: usize
    ) = secretstream::open(context, message, sealed.with(length), additional.with(additional_length)).map(|byte| kind.set(byte));
    culet_secretstream_rekey(context: Context<Stream>) = secretstream::rekey(context);
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

/// The functions of AES-GCM with one length of keys.
macro_rules! aes_gcm {
    ($($module:ident, $cipher:ident: $seal:ident $open:ident $init:ident $seal_with:ident $open_with:ident;)*) => {
        $(export! {
            $seal(
                sealed: Out, tag: Out, message: In, length: usize, additional: In, additional_length: usize, nonce: In, key: In
            ) = aead::$module::seal(
                sealed, tag, message.with(length), additional.with(additional_length), nonce, key
            );
            $open(
                message: Out, sealed: In, length: usize, tag: In, additional: In, additional_length: usize, nonce: In, key: In
            ) = aead::$module::open(
                message, sealed.with(length), tag, additional.with(additional_length), nonce, key
            );
            $init(context: Context<$cipher>, key: In) = aead::$module::cipher(key).and_then(|cipher| context.put(cipher));
            $seal_with(
                context: Context<$cipher>, sealed: Out, tag: Out, message: In, length: usize, additional: In, additional_length: usize, nonce: In
            ) = context.beside(tag, aead::TAG).and_then(|_| context.beside(sealed, length)).and_then(|cipher| {
                aead::$module::seal_with(cipher, sealed, tag, message.with(length), additional.with(additional_length), nonce)
            });
            $open_with(
                context: Context<$cipher>, message: Out, sealed: In, length: usize, tag: In, additional: In, additional_length: usize, nonce: In
            ) = context.beside(message, length).and_then(|cipher| {
                aead::$module::open_with(cipher, message, sealed.with(length), tag, additional.with(additional_length), nonce)
            });
        })*
    };
}

aes_gcm! {
    aes128gcm, Aes128Gcm: culet_aes128gcm_seal culet_aes128gcm_open culet_aes128gcm_init culet_aes128gcm_seal_with
        culet_aes128gcm_open_with;
    aes256gcm, Aes256Gcm: culet_aes256gcm_seal culet_aes256gcm_open culet_aes256gcm_init culet_aes256gcm_seal_with
        culet_aes256gcm_open_with;
}

export! {
    culet_ascon_aead128_seal(
        sealed: Out, tag: Out, message: In, length: usize, additional: In, additional_length: usize, nonce: In, key: In
    ) = aead::ascon_aead128::seal(
        sealed, tag, message.with(length), additional.with(additional_length), nonce, key
    );
    culet_ascon_aead128_open(
        message: Out, sealed: In, length: usize, tag: In, additional: In, additional_length: usize, nonce: In, key: In
    ) = aead::ascon_aead128::open(
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

    culet_sealedbox_seal(sealed: Out, header: Out, message: In, length: usize, public: In) =
        random::seed_from_system()
            .and_then(|ephemeral| boxes::seal_unnamed(sealed, header, message.with(length), public, &ephemeral));
    culet_sealedbox_open(message: Out, sealed: In, length: usize, header: In, secret: In) =
        boxes::open_unnamed(message, sealed.with(length), header, secret);
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

/// The functions of hashes with digests of a fixed length: of a whole message, and of parts.
macro_rules! hashes {
    ($($hash:ident: $whole:ident $init:ident $update:ident $finish:ident;)*) => {
        $(export! {
            $whole(digest: Out, message: In, length: usize) =
                parts::whole(digest, Some($hash::new()), message.with(length));
            $init(context: Context<$hash>) = parts::start(context, Some($hash::new()));
            $update(context: Context<$hash>, part: In, length: usize) = parts::update(context, part.with(length));
            $finish(context: Context<$hash>, digest: Out) = parts::finish(context, digest);
        })*
    };
}

hashes! {
    Sha224: culet_sha224 culet_sha224_init culet_sha224_update culet_sha224_final;
    Sha256: culet_sha256 culet_sha256_init culet_sha256_update culet_sha256_final;
    Sha384: culet_sha384 culet_sha384_init culet_sha384_update culet_sha384_final;
    Sha512: culet_sha512 culet_sha512_init culet_sha512_update culet_sha512_final;
    Sha512_256: culet_sha512_256 culet_sha512_256_init culet_sha512_256_update culet_sha512_256_final;
    Sha3_224: culet_sha3_224 culet_sha3_224_init culet_sha3_224_update culet_sha3_224_final;
    Sha3_256: culet_sha3_256 culet_sha3_256_init culet_sha3_256_update culet_sha3_256_final;
    Sha3_384: culet_sha3_384 culet_sha3_384_init culet_sha3_384_update culet_sha3_384_final;
    Sha3_512: culet_sha3_512 culet_sha3_512_init culet_sha3_512_update culet_sha3_512_final;
    AsconHash256: culet_ascon_hash256 culet_ascon_hash256_init culet_ascon_hash256_update culet_ascon_hash256_final;
}

/// The functions of hashes with an output of any length, which is also read piece by piece.
macro_rules! extendable_hashes {
    ($($hash:ident: $whole:ident $init:ident $update:ident $read:ident $finish:ident;)*) => {
        $(export! {
            $whole(out: Out, out_length: usize, message: In, length: usize) =
                parts::whole((out, out_length), Some($hash::new()), message.with(length));
            $init(context: Context<$hash>) = parts::start(context, Some($hash::new()));
            $update(context: Context<$hash>, part: In, length: usize) = parts::update(context, part.with(length));
            $read(context: Context<$hash>, out: Out, length: usize) = context.fill(out, length, $hash::read);
            $finish(context: Context<$hash>, out: Out, length: usize) = parts::finish(context, (out, length));
        })*
    };
}

extendable_hashes! {
    Shake128: culet_shake128 culet_shake128_init culet_shake128_update culet_shake128_read culet_shake128_final;
    Shake256: culet_shake256 culet_shake256_init culet_shake256_update culet_shake256_read culet_shake256_final;
    AsconXof128:
        culet_ascon_xof128 culet_ascon_xof128_init culet_ascon_xof128_update culet_ascon_xof128_read
        culet_ascon_xof128_final;
}

export! {
    culet_blake2b(digest: Out, digest_length: usize, key: In, key_length: usize, message: In, length: usize) =
        parts::whole(
            (digest, digest_length), parts::blake2b(digest_length, key.with(key_length)), message.with(length)
        );
    culet_blake2b_salted(
        digest: Out, digest_length: usize, key: In, key_length: usize, salt: In, personal: In, message: In, length: usize
    ) = parts::whole(
        (digest, digest_length),
        parts::salted_blake2b(digest_length, key.with(key_length), salt, personal),
        message.with(length)
    );
    culet_blake2b_salted_init(
        context: Context<Blake2bVar>, digest_length: usize, key: In, key_length: usize, salt: In, personal: In
    ) = parts::start(context, parts::salted_blake2b(digest_length, key.with(key_length), salt, personal));
    culet_blake2b_init(context: Context<Blake2bVar>, digest_length: usize, key: In, key_length: usize) =
        parts::start(context, parts::blake2b(digest_length, key.with(key_length)));
    culet_blake2b_update(context: Context<Blake2bVar>, part: In, length: usize) =
        parts::update(context, part.with(length));
    culet_blake2b_final(context: Context<Blake2bVar>, digest: Out, digest_length: usize) =
        parts::finish(context, (digest, digest_length));
}

export! {
    culet_blake2s(digest: Out, digest_length: usize, key: In, key_length: usize, message: In, length: usize) =
        parts::whole(
            (digest, digest_length), parts::blake2s(digest_length, key.with(key_length)), message.with(length)
        );
    culet_blake2s_init(context: Context<Blake2sVar>, digest_length: usize, key: In, key_length: usize) =
        parts::start(context, parts::blake2s(digest_length, key.with(key_length)));
    culet_blake2s_update(context: Context<Blake2sVar>, part: In, length: usize) =
        parts::update(context, part.with(length));
    culet_blake2s_final(context: Context<Blake2sVar>, digest: Out, digest_length: usize) =
        parts::finish(context, (digest, digest_length));
}

export! {
    culet_hmac_sha224(tag: Out, key: In, key_length: usize, message: In, length: usize) =
        parts::whole(tag, parts::hmac_sha224(key.with(key_length)), message.with(length));
    culet_hmac_sha224_verify(tag: In, key: In, key_length: usize, message: In, length: usize) =
        parts::verify_hmac_sha224(tag, message.with(length), key.with(key_length));
    culet_hmac_sha224_init(context: Context<HmacSha224>, key: In, key_length: usize) =
        parts::start(context, parts::hmac_sha224(key.with(key_length)));
    culet_hmac_sha224_update(context: Context<HmacSha224>, part: In, length: usize) =
        parts::update(context, part.with(length));
    culet_hmac_sha224_final(context: Context<HmacSha224>, tag: Out) = parts::finish(context, tag);
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
    culet_kdf(out: Out, length: usize, number: u64, purpose: In, key: In) = parts::subkey(out, length, number, purpose, key);
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
