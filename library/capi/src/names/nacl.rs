//! NaCl's names (D. J. Bernstein, "Cryptography in NaCl", 2009), short and long, as libsodium keeps them: `culet/nacl.h`.
#![allow(unsafe_code)] // Functions are exported under C's names; no block of this file is unsafe.

use core::ffi::c_ulonglong;

use culet::hash::{Sha256, Sha512};

use crate::boxes::{self, Message, agreed, given};
use crate::pointers::{In, Out, Slot};
use crate::stream::{self, Zeros};
use crate::{agreement, bytes, parts, random, sign};

export! {
    crypto_secretbox, crypto_secretbox_xsalsa20poly1305(c: Out, m: In, mlen: c_ulonglong, n: In, k: In) =
        boxes::seal_padded(Message::new(c, m.with(mlen), n), given(k));
    crypto_secretbox_open, crypto_secretbox_xsalsa20poly1305_open(m: Out, c: In, clen: c_ulonglong, n: In, k: In) =
        boxes::open_padded(Message::new(m, c.with(clen), n), given(k));

    crypto_box_keypair, crypto_box_curve25519xsalsa20poly1305_keypair(pk: Out, sk: Out) =
        boxes::key_pair(pk, sk, &random::seed());
    crypto_box_beforenm, crypto_box_curve25519xsalsa20poly1305_beforenm(k: Out, pk: In, sk: In) =
        boxes::write_agreed(k, pk, sk);
    crypto_box_afternm, crypto_box_curve25519xsalsa20poly1305_afternm(
        c: Out, m: In, mlen: c_ulonglong, n: In, k: In
    ) = boxes::seal_padded(Message::new(c, m.with(mlen), n), given(k));
    crypto_box_open_afternm, crypto_box_curve25519xsalsa20poly1305_open_afternm(
        m: Out, c: In, clen: c_ulonglong, n: In, k: In
    ) = boxes::open_padded(Message::new(m, c.with(clen), n), given(k));
    crypto_box, crypto_box_curve25519xsalsa20poly1305(
        c: Out, m: In, mlen: c_ulonglong, n: In, pk: In, sk: In
    ) = boxes::seal_padded(Message::new(c, m.with(mlen), n), agreed(pk, sk));
    crypto_box_open, crypto_box_curve25519xsalsa20poly1305_open(
        m: Out, c: In, clen: c_ulonglong, n: In, pk: In, sk: In
    ) = boxes::open_padded(Message::new(m, c.with(clen), n), agreed(pk, sk));
}

export! {
    crypto_sign_keypair, crypto_sign_ed25519_keypair(pk: Out, sk: Out) = sign::key_pair(pk, sk, &random::seed());
    crypto_sign, crypto_sign_ed25519(
        sm: Out, smlen: Slot<c_ulonglong>, m: In, mlen: c_ulonglong, sk: In
    ) = sign::sign_attached(sm, smlen, m.with(mlen), sk);
    crypto_sign_open, crypto_sign_ed25519_open(
        m: Out, mlen: Slot<c_ulonglong>, sm: In, smlen: c_ulonglong, pk: In
    ) = sign::open(m, mlen, sm.with(smlen), pk, 0);

    crypto_scalarmult, crypto_scalarmult_curve25519(q: Out, n: In, p: In) = agreement::shared(q, n, p);
    crypto_scalarmult_base, crypto_scalarmult_curve25519_base(q: Out, n: In) = agreement::public_key(q, n);
}

export! {
    crypto_hash, crypto_hash_sha512(out: Out, m: In, mlen: c_ulonglong) =
        parts::whole(out, Some(Sha512::new()), m.with(mlen));
    crypto_hash_sha256(out: Out, m: In, mlen: c_ulonglong) = parts::whole(out, Some(Sha256::new()), m.with(mlen));

    crypto_auth, crypto_auth_hmacsha512256(out: Out, m: In, mlen: c_ulonglong, k: In) =
        parts::whole(out, parts::hmac_sha512256(k.with(32)), m.with(mlen));
    crypto_auth_verify, crypto_auth_hmacsha512256_verify(h: In, m: In, mlen: c_ulonglong, k: In) =
        parts::verify_hmac_sha512256(h, m.with(mlen), k.with(32));
    crypto_auth_hmacsha256(out: Out, m: In, mlen: c_ulonglong, k: In) =
        parts::whole(out, parts::hmac_sha256(k.with(32)), m.with(mlen));
    crypto_auth_hmacsha256_verify(h: In, m: In, mlen: c_ulonglong, k: In) =
        parts::verify_hmac_sha256(h, m.with(mlen), k.with(32));

    crypto_onetimeauth, crypto_onetimeauth_poly1305(out: Out, m: In, mlen: c_ulonglong, k: In) =
        parts::whole(out, parts::poly1305(k), m.with(mlen));
    crypto_onetimeauth_verify, crypto_onetimeauth_poly1305_verify(h: In, m: In, mlen: c_ulonglong, k: In) =
        parts::verify_poly1305(h, m.with(mlen), k);
}

export! {
    crypto_stream, crypto_stream_xsalsa20(c: Out, clen: c_ulonglong, n: In, k: In) =
        stream::xsalsa20(c, Zeros(clen), 0, n, k);
    crypto_stream_xor, crypto_stream_xsalsa20_xor(c: Out, m: In, mlen: c_ulonglong, n: In, k: In) =
        stream::xsalsa20(c, m.with(mlen), 0, n, k);
    crypto_stream_salsa20(c: Out, clen: c_ulonglong, n: In, k: In) = stream::salsa20(c, Zeros(clen), 0, n, k);
    crypto_stream_salsa20_xor(c: Out, m: In, mlen: c_ulonglong, n: In, k: In) =
        stream::salsa20(c, m.with(mlen), 0, n, k);

    crypto_verify_16(x: In, y: In) = bytes::equal(x, y, 16);
    crypto_verify_32(x: In, y: In) = bytes::equal(x, y, 32);

    randombytes(out: Out, length: c_ulonglong) -> () = random::fill(out, length);
}
