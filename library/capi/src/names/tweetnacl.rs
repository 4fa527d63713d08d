//! `tweetnacl.h`: the names that TweetNaCl's header gives its functions (D. J. Bernstein, B. van Gastel, W. Janssen, T. Lange,
//! P. Schwabe, S. Smetsers, "TweetNaCl: a crypto library in 100 tweets", 2014).
#![allow(unsafe_code)] // Functions are exported under C's names; no block of this file is unsafe.

use core::ffi::c_ulonglong;

use culet::hash::Sha512;

use crate::boxes::{self, Message, agreed, given};
use crate::pointers::{In, Out, Slot};
use crate::stream::{self, Zeros};
use crate::{agreement, bytes, parts, random, sign};

export! {
    crypto_secretbox_xsalsa20poly1305_tweet(c: Out, m: In, d: c_ulonglong, n: In, k: In) =
        boxes::seal_padded(Message::new(c, m.with(d), n), given(k));
    crypto_secretbox_xsalsa20poly1305_tweet_open(m: Out, c: In, d: c_ulonglong, n: In, k: In) =
        boxes::open_padded(Message::new(m, c.with(d), n), given(k));

    crypto_box_curve25519xsalsa20poly1305_tweet_keypair(pk: Out, sk: Out) =
        random::seed_from_system().and_then(|secret| boxes::key_pair(pk, sk, &secret));
    crypto_box_curve25519xsalsa20poly1305_tweet_beforenm(k: Out, pk: In, sk: In) = boxes::write_agreed(k, pk, sk);
    crypto_box_curve25519xsalsa20poly1305_tweet_afternm(c: Out, m: In, d: c_ulonglong, n: In, k: In) =
        boxes::seal_padded(Message::new(c, m.with(d), n), given(k));
    crypto_box_curve25519xsalsa20poly1305_tweet_open_afternm(m: Out, c: In, d: c_ulonglong, n: In, k: In) =
        boxes::open_padded(Message::new(m, c.with(d), n), given(k));
    crypto_box_curve25519xsalsa20poly1305_tweet(c: Out, m: In, d: c_ulonglong, n: In, pk: In, sk: In) =
        boxes::seal_padded(Message::new(c, m.with(d), n), agreed(pk, sk));
    crypto_box_curve25519xsalsa20poly1305_tweet_open(m: Out, c: In, d: c_ulonglong, n: In, pk: In, sk: In) =
        boxes::open_padded(Message::new(m, c.with(d), n), agreed(pk, sk));
}

export! {
    crypto_sign_ed25519_tweet_keypair(pk: Out, sk: Out) =
        random::seed_from_system().and_then(|seed| sign::key_pair(pk, sk, &seed));
    crypto_sign_ed25519_tweet(sm: Out, smlen: Slot<c_ulonglong>, m: In, n: c_ulonglong, sk: In) =
        sign::sign_attached(sm, smlen, m.with(n), sk);
    crypto_sign_ed25519_tweet_open(m: Out, mlen: Slot<c_ulonglong>, sm: In, n: c_ulonglong, pk: In) =
        sign::open(m, mlen, sm.with(n), pk, c_ulonglong::MAX);

    crypto_scalarmult_curve25519_tweet(q: Out, n: In, p: In) = agreement::unchecked(q, n, p);
    crypto_scalarmult_curve25519_tweet_base(q: Out, n: In) = agreement::public_key(q, n);

    crypto_hash_sha512_tweet(out: Out, m: In, n: c_ulonglong) = parts::whole(out, Some(Sha512::new()), m.with(n));
    crypto_onetimeauth_poly1305_tweet(out: Out, m: In, n: c_ulonglong, k: In) =
        parts::whole(out, parts::poly1305(k), m.with(n));
    crypto_onetimeauth_poly1305_tweet_verify(h: In, m: In, n: c_ulonglong, k: In) =
        parts::verify_poly1305(h, m.with(n), k);
}

export! {
    crypto_stream_xsalsa20_tweet(c: Out, d: c_ulonglong, n: In, k: In) =
        stream::xsalsa20(c, Zeros(d), 0, n, k);
    crypto_stream_xsalsa20_tweet_xor(c: Out, m: In, d: c_ulonglong, n: In, k: In) =
        stream::xsalsa20(c, m.with(d), 0, n, k);
    crypto_stream_salsa20_tweet(c: Out, d: c_ulonglong, n: In, k: In) =
        stream::salsa20(c, Zeros(d), 0, n, k);
    crypto_stream_salsa20_tweet_xor(c: Out, m: In, d: c_ulonglong, n: In, k: In) =
        stream::salsa20(c, m.with(d), 0, n, k);

    crypto_verify_16_tweet(x: In, y: In) = bytes::equal(x, y, 16);
    crypto_verify_32_tweet(x: In, y: In) = bytes::equal(x, y, 32);
}
