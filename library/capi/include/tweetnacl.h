/*
 * TweetNaCl's functions, with its names and zeros (D. J. Bernstein, B. van Gastel, W. Janssen, T.
 * Lange, P. Schwabe, S. Smetsers, "TweetNaCl: a crypto library in 100 tweets", 2014), of a library
 * that is built with the feature `tweetnacl`. As there, the names stand for others with `_tweet` in
 * them, so that objects that were compiled with TweetNaCl's own header can be linked, too.
 *
 * Messages of crypto_box and crypto_secretbox begin with 32 bytes that are zero, sealed ones with
 * 16; both count in the length. All functions return 0, or -1 if they refuse. Open functions leave
 * zeros in place of a message that is not right.
 *
 * `_IMPLEMENTATION` names this library, and `_VERSION` is "-", as there.
 *
 * Key pairs take the operating system's randomness: `randombytes`, which a program brings for
 * TweetNaCl, is the program's own, and is not called.
 *
 * Where it differs, on purpose: signatures are verified as culet_ed25519_verify does, which refuses
 * points of small order and points that are not in their canonical form, and keys that agree on zero
 * make no box. Not there: crypto_core and crypto_hashblocks, which are parts of other functions.
 */
#ifndef TWEETNACL_H
#define TWEETNACL_H

#ifdef __cplusplus
extern "C" {
#endif

#define crypto_box_PRIMITIVE "curve25519xsalsa20poly1305"
#define crypto_box_curve25519xsalsa20poly1305_tweet_PUBLICKEYBYTES 32
#define crypto_box_curve25519xsalsa20poly1305_PUBLICKEYBYTES crypto_box_curve25519xsalsa20poly1305_tweet_PUBLICKEYBYTES
#define crypto_box_curve25519xsalsa20poly1305_tweet_SECRETKEYBYTES 32
#define crypto_box_curve25519xsalsa20poly1305_SECRETKEYBYTES crypto_box_curve25519xsalsa20poly1305_tweet_SECRETKEYBYTES
#define crypto_box_curve25519xsalsa20poly1305_tweet_BEFORENMBYTES 32
#define crypto_box_curve25519xsalsa20poly1305_BEFORENMBYTES crypto_box_curve25519xsalsa20poly1305_tweet_BEFORENMBYTES
#define crypto_box_curve25519xsalsa20poly1305_tweet_NONCEBYTES 24
#define crypto_box_curve25519xsalsa20poly1305_NONCEBYTES crypto_box_curve25519xsalsa20poly1305_tweet_NONCEBYTES
#define crypto_box_curve25519xsalsa20poly1305_tweet_ZEROBYTES 32
#define crypto_box_curve25519xsalsa20poly1305_ZEROBYTES crypto_box_curve25519xsalsa20poly1305_tweet_ZEROBYTES
#define crypto_box_curve25519xsalsa20poly1305_tweet_BOXZEROBYTES 16
#define crypto_box_curve25519xsalsa20poly1305_BOXZEROBYTES crypto_box_curve25519xsalsa20poly1305_tweet_BOXZEROBYTES
#define crypto_box_PUBLICKEYBYTES crypto_box_curve25519xsalsa20poly1305_PUBLICKEYBYTES
#define crypto_box_SECRETKEYBYTES crypto_box_curve25519xsalsa20poly1305_SECRETKEYBYTES
#define crypto_box_BEFORENMBYTES crypto_box_curve25519xsalsa20poly1305_BEFORENMBYTES
#define crypto_box_NONCEBYTES crypto_box_curve25519xsalsa20poly1305_NONCEBYTES
#define crypto_box_ZEROBYTES crypto_box_curve25519xsalsa20poly1305_ZEROBYTES
#define crypto_box_BOXZEROBYTES crypto_box_curve25519xsalsa20poly1305_BOXZEROBYTES
#define crypto_box_curve25519xsalsa20poly1305 crypto_box_curve25519xsalsa20poly1305_tweet
#define crypto_box crypto_box_curve25519xsalsa20poly1305
#define crypto_box_curve25519xsalsa20poly1305_open crypto_box_curve25519xsalsa20poly1305_tweet_open
#define crypto_box_open crypto_box_curve25519xsalsa20poly1305_open
#define crypto_box_curve25519xsalsa20poly1305_keypair crypto_box_curve25519xsalsa20poly1305_tweet_keypair
#define crypto_box_keypair crypto_box_curve25519xsalsa20poly1305_keypair
#define crypto_box_curve25519xsalsa20poly1305_beforenm crypto_box_curve25519xsalsa20poly1305_tweet_beforenm
#define crypto_box_beforenm crypto_box_curve25519xsalsa20poly1305_beforenm
#define crypto_box_curve25519xsalsa20poly1305_afternm crypto_box_curve25519xsalsa20poly1305_tweet_afternm
#define crypto_box_afternm crypto_box_curve25519xsalsa20poly1305_afternm
#define crypto_box_curve25519xsalsa20poly1305_open_afternm crypto_box_curve25519xsalsa20poly1305_tweet_open_afternm
#define crypto_box_open_afternm crypto_box_curve25519xsalsa20poly1305_open_afternm
#define crypto_box_curve25519xsalsa20poly1305_tweet_VERSION "-"
#define crypto_box_curve25519xsalsa20poly1305_VERSION crypto_box_curve25519xsalsa20poly1305_tweet_VERSION
#define crypto_box_curve25519xsalsa20poly1305_IMPLEMENTATION "crypto_box/curve25519xsalsa20poly1305/culet"
#define crypto_box_VERSION crypto_box_curve25519xsalsa20poly1305_VERSION
#define crypto_box_IMPLEMENTATION crypto_box_curve25519xsalsa20poly1305_IMPLEMENTATION
int crypto_box_curve25519xsalsa20poly1305_tweet(unsigned char *c, const unsigned char *m,
                                                unsigned long long d, const unsigned char *n,
                                                const unsigned char *pk, const unsigned char *sk);
int crypto_box_curve25519xsalsa20poly1305_tweet_open(unsigned char *m, const unsigned char *c,
    unsigned long long d, const unsigned char *n, const unsigned char *pk, const unsigned char *sk);
int crypto_box_curve25519xsalsa20poly1305_tweet_keypair(unsigned char *pk, unsigned char *sk);
int crypto_box_curve25519xsalsa20poly1305_tweet_beforenm(unsigned char *k, const unsigned char *pk,
    const unsigned char *sk);
int crypto_box_curve25519xsalsa20poly1305_tweet_afternm(unsigned char *c, const unsigned char *m,
    unsigned long long d, const unsigned char *n, const unsigned char *k);
int crypto_box_curve25519xsalsa20poly1305_tweet_open_afternm(unsigned char *m, const unsigned char *c,
    unsigned long long d, const unsigned char *n, const unsigned char *k);

#define crypto_secretbox_PRIMITIVE "xsalsa20poly1305"
#define crypto_secretbox_xsalsa20poly1305_tweet_KEYBYTES 32
#define crypto_secretbox_xsalsa20poly1305_KEYBYTES crypto_secretbox_xsalsa20poly1305_tweet_KEYBYTES
#define crypto_secretbox_xsalsa20poly1305_tweet_NONCEBYTES 24
#define crypto_secretbox_xsalsa20poly1305_NONCEBYTES crypto_secretbox_xsalsa20poly1305_tweet_NONCEBYTES
#define crypto_secretbox_xsalsa20poly1305_tweet_ZEROBYTES 32
#define crypto_secretbox_xsalsa20poly1305_ZEROBYTES crypto_secretbox_xsalsa20poly1305_tweet_ZEROBYTES
#define crypto_secretbox_xsalsa20poly1305_tweet_BOXZEROBYTES 16
#define crypto_secretbox_xsalsa20poly1305_BOXZEROBYTES crypto_secretbox_xsalsa20poly1305_tweet_BOXZEROBYTES
#define crypto_secretbox_KEYBYTES crypto_secretbox_xsalsa20poly1305_KEYBYTES
#define crypto_secretbox_NONCEBYTES crypto_secretbox_xsalsa20poly1305_NONCEBYTES
#define crypto_secretbox_ZEROBYTES crypto_secretbox_xsalsa20poly1305_ZEROBYTES
#define crypto_secretbox_BOXZEROBYTES crypto_secretbox_xsalsa20poly1305_BOXZEROBYTES
#define crypto_secretbox_xsalsa20poly1305 crypto_secretbox_xsalsa20poly1305_tweet
#define crypto_secretbox crypto_secretbox_xsalsa20poly1305
#define crypto_secretbox_xsalsa20poly1305_open crypto_secretbox_xsalsa20poly1305_tweet_open
#define crypto_secretbox_open crypto_secretbox_xsalsa20poly1305_open
#define crypto_secretbox_xsalsa20poly1305_tweet_VERSION "-"
#define crypto_secretbox_xsalsa20poly1305_VERSION crypto_secretbox_xsalsa20poly1305_tweet_VERSION
#define crypto_secretbox_xsalsa20poly1305_IMPLEMENTATION "crypto_secretbox/xsalsa20poly1305/culet"
#define crypto_secretbox_VERSION crypto_secretbox_xsalsa20poly1305_VERSION
#define crypto_secretbox_IMPLEMENTATION crypto_secretbox_xsalsa20poly1305_IMPLEMENTATION
int crypto_secretbox_xsalsa20poly1305_tweet(unsigned char *c, const unsigned char *m, unsigned long long d,
                                            const unsigned char *n, const unsigned char *k);
int crypto_secretbox_xsalsa20poly1305_tweet_open(unsigned char *m, const unsigned char *c,
                                                 unsigned long long d, const unsigned char *n,
                                                 const unsigned char *k);

#define crypto_sign_PRIMITIVE "ed25519"
#define crypto_sign_ed25519_tweet_BYTES 64
#define crypto_sign_ed25519_BYTES crypto_sign_ed25519_tweet_BYTES
#define crypto_sign_ed25519_tweet_PUBLICKEYBYTES 32
#define crypto_sign_ed25519_PUBLICKEYBYTES crypto_sign_ed25519_tweet_PUBLICKEYBYTES
#define crypto_sign_ed25519_tweet_SECRETKEYBYTES 64
#define crypto_sign_ed25519_SECRETKEYBYTES crypto_sign_ed25519_tweet_SECRETKEYBYTES
#define crypto_sign_BYTES crypto_sign_ed25519_BYTES
#define crypto_sign_PUBLICKEYBYTES crypto_sign_ed25519_PUBLICKEYBYTES
#define crypto_sign_SECRETKEYBYTES crypto_sign_ed25519_SECRETKEYBYTES
#define crypto_sign_ed25519 crypto_sign_ed25519_tweet
#define crypto_sign crypto_sign_ed25519
#define crypto_sign_ed25519_open crypto_sign_ed25519_tweet_open
#define crypto_sign_open crypto_sign_ed25519_open
#define crypto_sign_ed25519_keypair crypto_sign_ed25519_tweet_keypair
#define crypto_sign_keypair crypto_sign_ed25519_keypair
#define crypto_sign_ed25519_tweet_VERSION "-"
#define crypto_sign_ed25519_VERSION crypto_sign_ed25519_tweet_VERSION
#define crypto_sign_ed25519_IMPLEMENTATION "crypto_sign/ed25519/culet"
#define crypto_sign_VERSION crypto_sign_ed25519_VERSION
#define crypto_sign_IMPLEMENTATION crypto_sign_ed25519_IMPLEMENTATION
int crypto_sign_ed25519_tweet(unsigned char *sm, unsigned long long *smlen, const unsigned char *m,
                              unsigned long long n, const unsigned char *sk);
int crypto_sign_ed25519_tweet_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm,
                                   unsigned long long n, const unsigned char *pk);
int crypto_sign_ed25519_tweet_keypair(unsigned char *pk, unsigned char *sk);

#define crypto_scalarmult_PRIMITIVE "curve25519"
#define crypto_scalarmult_curve25519_tweet_BYTES 32
#define crypto_scalarmult_curve25519_BYTES crypto_scalarmult_curve25519_tweet_BYTES
#define crypto_scalarmult_curve25519_tweet_SCALARBYTES 32
#define crypto_scalarmult_curve25519_SCALARBYTES crypto_scalarmult_curve25519_tweet_SCALARBYTES
#define crypto_scalarmult_BYTES crypto_scalarmult_curve25519_BYTES
#define crypto_scalarmult_SCALARBYTES crypto_scalarmult_curve25519_SCALARBYTES
#define crypto_scalarmult_curve25519 crypto_scalarmult_curve25519_tweet
#define crypto_scalarmult crypto_scalarmult_curve25519
#define crypto_scalarmult_curve25519_base crypto_scalarmult_curve25519_tweet_base
#define crypto_scalarmult_base crypto_scalarmult_curve25519_base
#define crypto_scalarmult_curve25519_tweet_VERSION "-"
#define crypto_scalarmult_curve25519_VERSION crypto_scalarmult_curve25519_tweet_VERSION
#define crypto_scalarmult_curve25519_IMPLEMENTATION "crypto_scalarmult/curve25519/culet"
#define crypto_scalarmult_VERSION crypto_scalarmult_curve25519_VERSION
#define crypto_scalarmult_IMPLEMENTATION crypto_scalarmult_curve25519_IMPLEMENTATION
int crypto_scalarmult_curve25519_tweet(unsigned char *q, const unsigned char *n, const unsigned char *p);
int crypto_scalarmult_curve25519_tweet_base(unsigned char *q, const unsigned char *n);

#define crypto_hash_PRIMITIVE "sha512"
#define crypto_hash_sha512_tweet_BYTES 64
#define crypto_hash_sha512_BYTES crypto_hash_sha512_tweet_BYTES
#define crypto_hash_BYTES crypto_hash_sha512_BYTES
#define crypto_hash_sha512 crypto_hash_sha512_tweet
#define crypto_hash crypto_hash_sha512
#define crypto_hash_sha512_tweet_VERSION "-"
#define crypto_hash_sha512_VERSION crypto_hash_sha512_tweet_VERSION
#define crypto_hash_sha512_IMPLEMENTATION "crypto_hash/sha512/culet"
#define crypto_hash_VERSION crypto_hash_sha512_VERSION
#define crypto_hash_IMPLEMENTATION crypto_hash_sha512_IMPLEMENTATION
int crypto_hash_sha512_tweet(unsigned char *out, const unsigned char *m, unsigned long long n);

#define crypto_onetimeauth_PRIMITIVE "poly1305"
#define crypto_onetimeauth_poly1305_tweet_BYTES 16
#define crypto_onetimeauth_poly1305_BYTES crypto_onetimeauth_poly1305_tweet_BYTES
#define crypto_onetimeauth_poly1305_tweet_KEYBYTES 32
#define crypto_onetimeauth_poly1305_KEYBYTES crypto_onetimeauth_poly1305_tweet_KEYBYTES
#define crypto_onetimeauth_BYTES crypto_onetimeauth_poly1305_BYTES
#define crypto_onetimeauth_KEYBYTES crypto_onetimeauth_poly1305_KEYBYTES
#define crypto_onetimeauth_poly1305 crypto_onetimeauth_poly1305_tweet
#define crypto_onetimeauth crypto_onetimeauth_poly1305
#define crypto_onetimeauth_poly1305_verify crypto_onetimeauth_poly1305_tweet_verify
#define crypto_onetimeauth_verify crypto_onetimeauth_poly1305_verify
#define crypto_onetimeauth_poly1305_tweet_VERSION "-"
#define crypto_onetimeauth_poly1305_VERSION crypto_onetimeauth_poly1305_tweet_VERSION
#define crypto_onetimeauth_poly1305_IMPLEMENTATION "crypto_onetimeauth/poly1305/culet"
#define crypto_onetimeauth_VERSION crypto_onetimeauth_poly1305_VERSION
#define crypto_onetimeauth_IMPLEMENTATION crypto_onetimeauth_poly1305_IMPLEMENTATION
int crypto_onetimeauth_poly1305_tweet(unsigned char *out, const unsigned char *m, unsigned long long n,
                                      const unsigned char *k);
int crypto_onetimeauth_poly1305_tweet_verify(const unsigned char *h, const unsigned char *m,
                                             unsigned long long n, const unsigned char *k);

#define crypto_stream_PRIMITIVE "xsalsa20"
#define crypto_stream_xsalsa20_tweet_KEYBYTES 32
#define crypto_stream_xsalsa20_KEYBYTES crypto_stream_xsalsa20_tweet_KEYBYTES
#define crypto_stream_xsalsa20_tweet_NONCEBYTES 24
#define crypto_stream_xsalsa20_NONCEBYTES crypto_stream_xsalsa20_tweet_NONCEBYTES
#define crypto_stream_KEYBYTES crypto_stream_xsalsa20_KEYBYTES
#define crypto_stream_NONCEBYTES crypto_stream_xsalsa20_NONCEBYTES
#define crypto_stream_xsalsa20 crypto_stream_xsalsa20_tweet
#define crypto_stream crypto_stream_xsalsa20
#define crypto_stream_xsalsa20_xor crypto_stream_xsalsa20_tweet_xor
#define crypto_stream_xor crypto_stream_xsalsa20_xor
#define crypto_stream_xsalsa20_tweet_VERSION "-"
#define crypto_stream_xsalsa20_VERSION crypto_stream_xsalsa20_tweet_VERSION
#define crypto_stream_xsalsa20_IMPLEMENTATION "crypto_stream/xsalsa20/culet"
#define crypto_stream_VERSION crypto_stream_xsalsa20_VERSION
#define crypto_stream_IMPLEMENTATION crypto_stream_xsalsa20_IMPLEMENTATION
int crypto_stream_xsalsa20_tweet(unsigned char *c, unsigned long long d, const unsigned char *n,
                                 const unsigned char *k);
int crypto_stream_xsalsa20_tweet_xor(unsigned char *c, const unsigned char *m, unsigned long long d,
                                     const unsigned char *n, const unsigned char *k);

#define crypto_stream_salsa20_tweet_KEYBYTES 32
#define crypto_stream_salsa20_KEYBYTES crypto_stream_salsa20_tweet_KEYBYTES
#define crypto_stream_salsa20_tweet_NONCEBYTES 8
#define crypto_stream_salsa20_NONCEBYTES crypto_stream_salsa20_tweet_NONCEBYTES
#define crypto_stream_salsa20 crypto_stream_salsa20_tweet
#define crypto_stream_salsa20_xor crypto_stream_salsa20_tweet_xor
#define crypto_stream_salsa20_tweet_VERSION "-"
#define crypto_stream_salsa20_VERSION crypto_stream_salsa20_tweet_VERSION
#define crypto_stream_salsa20_IMPLEMENTATION "crypto_stream/salsa20/culet"
int crypto_stream_salsa20_tweet(unsigned char *c, unsigned long long d, const unsigned char *n,
                                const unsigned char *k);
int crypto_stream_salsa20_tweet_xor(unsigned char *c, const unsigned char *m, unsigned long long d,
                                    const unsigned char *n, const unsigned char *k);

#define crypto_verify_16_tweet_BYTES 16
#define crypto_verify_16_BYTES crypto_verify_16_tweet_BYTES
#define crypto_verify_16 crypto_verify_16_tweet
#define crypto_verify_16_tweet_VERSION "-"
#define crypto_verify_16_VERSION crypto_verify_16_tweet_VERSION
#define crypto_verify_16_IMPLEMENTATION "crypto_verify/16/culet"
int crypto_verify_16_tweet(const unsigned char *x, const unsigned char *y);

#define crypto_verify_32_tweet_BYTES 32
#define crypto_verify_32_BYTES crypto_verify_32_tweet_BYTES
#define crypto_verify_32 crypto_verify_32_tweet
#define crypto_verify_32_tweet_VERSION "-"
#define crypto_verify_32_VERSION crypto_verify_32_tweet_VERSION
#define crypto_verify_32_IMPLEMENTATION "crypto_verify/32/culet"
int crypto_verify_32_tweet(const unsigned char *x, const unsigned char *y);

#ifdef __cplusplus
}
#endif

#endif
