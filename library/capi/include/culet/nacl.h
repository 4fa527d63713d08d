/*
 * NaCl's functions, with NaCl's names, arguments and zeros (D. J. Bernstein, "Cryptography in
 * NaCl", 2009), of a library that is built with the feature `sodium`. Short names and the long
 * names that say what they stand for are both there.
 *
 * Messages of crypto_box and crypto_secretbox begin with 32 bytes that are zero, sealed ones with
 * 16; both count in the length. All functions return 0, or -1 if they refuse. Open functions leave
 * zeros in place of a message that is not right. Output may lie anywhere over the input. Null is
 * refused, but with length 0, and as a place for a length.
 *
 * Key pairs and randombytes take what the operating system gives; a program that has no randomness
 * ends there.
 */
#ifndef CULET_NACL_H
#define CULET_NACL_H

#include <stddef.h>

#ifndef CULET_CHECK
#if defined(__GNUC__) || defined(__clang__)
#define CULET_CHECK __attribute__((warn_unused_result))
#else
#define CULET_CHECK
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Secret-key boxes: XSalsa20-Poly1305. */
#define crypto_secretbox_xsalsa20poly1305_KEYBYTES 32U
#define crypto_secretbox_xsalsa20poly1305_NONCEBYTES 24U
#define crypto_secretbox_xsalsa20poly1305_ZEROBYTES 32U
#define crypto_secretbox_xsalsa20poly1305_BOXZEROBYTES 16U
#define crypto_secretbox_KEYBYTES crypto_secretbox_xsalsa20poly1305_KEYBYTES
#define crypto_secretbox_NONCEBYTES crypto_secretbox_xsalsa20poly1305_NONCEBYTES
#define crypto_secretbox_ZEROBYTES crypto_secretbox_xsalsa20poly1305_ZEROBYTES
#define crypto_secretbox_BOXZEROBYTES crypto_secretbox_xsalsa20poly1305_BOXZEROBYTES
#define crypto_secretbox_PRIMITIVE "xsalsa20poly1305"

int crypto_secretbox(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                     const unsigned char *n, const unsigned char *k);
int crypto_secretbox_xsalsa20poly1305(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                                      const unsigned char *n, const unsigned char *k);
CULET_CHECK
int crypto_secretbox_open(unsigned char *m, const unsigned char *c, unsigned long long clen,
                          const unsigned char *n, const unsigned char *k);
CULET_CHECK
int crypto_secretbox_xsalsa20poly1305_open(unsigned char *m, const unsigned char *c, unsigned long long clen,
                                           const unsigned char *n, const unsigned char *k);

/* Public-key boxes: X25519 and XSalsa20-Poly1305. Keys that agree on zero are refused. */
#define crypto_box_curve25519xsalsa20poly1305_PUBLICKEYBYTES 32U
#define crypto_box_curve25519xsalsa20poly1305_SECRETKEYBYTES 32U
#define crypto_box_curve25519xsalsa20poly1305_BEFORENMBYTES 32U
#define crypto_box_curve25519xsalsa20poly1305_NONCEBYTES 24U
#define crypto_box_curve25519xsalsa20poly1305_ZEROBYTES 32U
#define crypto_box_curve25519xsalsa20poly1305_BOXZEROBYTES 16U
#define crypto_box_PUBLICKEYBYTES crypto_box_curve25519xsalsa20poly1305_PUBLICKEYBYTES
#define crypto_box_SECRETKEYBYTES crypto_box_curve25519xsalsa20poly1305_SECRETKEYBYTES
#define crypto_box_BEFORENMBYTES crypto_box_curve25519xsalsa20poly1305_BEFORENMBYTES
#define crypto_box_NONCEBYTES crypto_box_curve25519xsalsa20poly1305_NONCEBYTES
#define crypto_box_ZEROBYTES crypto_box_curve25519xsalsa20poly1305_ZEROBYTES
#define crypto_box_BOXZEROBYTES crypto_box_curve25519xsalsa20poly1305_BOXZEROBYTES
#define crypto_box_PRIMITIVE "curve25519xsalsa20poly1305"

int crypto_box_keypair(unsigned char *pk, unsigned char *sk);
int crypto_box_curve25519xsalsa20poly1305_keypair(unsigned char *pk, unsigned char *sk);
CULET_CHECK
int crypto_box(unsigned char *c, const unsigned char *m, unsigned long long mlen, const unsigned char *n,
               const unsigned char *pk, const unsigned char *sk);
CULET_CHECK
int crypto_box_curve25519xsalsa20poly1305(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                                          const unsigned char *n, const unsigned char *pk,
                                          const unsigned char *sk);
CULET_CHECK
int crypto_box_open(unsigned char *m, const unsigned char *c, unsigned long long clen, const unsigned char *n,
                    const unsigned char *pk, const unsigned char *sk);
CULET_CHECK
int crypto_box_curve25519xsalsa20poly1305_open(unsigned char *m, const unsigned char *c,
                                               unsigned long long clen, const unsigned char *n,
                                               const unsigned char *pk, const unsigned char *sk);
CULET_CHECK
int crypto_box_beforenm(unsigned char *k, const unsigned char *pk, const unsigned char *sk);
CULET_CHECK
int crypto_box_curve25519xsalsa20poly1305_beforenm(unsigned char *k, const unsigned char *pk,
    const unsigned char *sk);
int crypto_box_afternm(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                       const unsigned char *n, const unsigned char *k);
int crypto_box_curve25519xsalsa20poly1305_afternm(unsigned char *c, const unsigned char *m,
    unsigned long long mlen, const unsigned char *n, const unsigned char *k);
CULET_CHECK
int crypto_box_open_afternm(unsigned char *m, const unsigned char *c, unsigned long long clen,
                            const unsigned char *n, const unsigned char *k);
CULET_CHECK
int crypto_box_curve25519xsalsa20poly1305_open_afternm(unsigned char *m, const unsigned char *c,
    unsigned long long clen, const unsigned char *n, const unsigned char *k);

/*
 * Signatures: Ed25519, before the message. A secret key is a seed, and its public key, which is not
 * read but computed, so that no signature is made with a foreign one. Signatures are
 * verified as culet_ed25519_verify does: points of small order are refused.
 */
#define crypto_sign_ed25519_BYTES 64U
#define crypto_sign_ed25519_PUBLICKEYBYTES 32U
#define crypto_sign_ed25519_SECRETKEYBYTES 64U
#define crypto_sign_BYTES crypto_sign_ed25519_BYTES
#define crypto_sign_PUBLICKEYBYTES crypto_sign_ed25519_PUBLICKEYBYTES
#define crypto_sign_SECRETKEYBYTES crypto_sign_ed25519_SECRETKEYBYTES
#define crypto_sign_PRIMITIVE "ed25519"

int crypto_sign_keypair(unsigned char *pk, unsigned char *sk);
int crypto_sign_ed25519_keypair(unsigned char *pk, unsigned char *sk);
int crypto_sign(unsigned char *sm, unsigned long long *smlen, const unsigned char *m, unsigned long long mlen,
                const unsigned char *sk);
int crypto_sign_ed25519(unsigned char *sm, unsigned long long *smlen, const unsigned char *m,
                        unsigned long long mlen, const unsigned char *sk);
CULET_CHECK
int crypto_sign_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm,
                     unsigned long long smlen, const unsigned char *pk);
CULET_CHECK
int crypto_sign_ed25519_open(unsigned char *m, unsigned long long *mlen, const unsigned char *sm,
                             unsigned long long smlen, const unsigned char *pk);

/* X25519. A result that is zero is refused. */
#define crypto_scalarmult_curve25519_BYTES 32U
#define crypto_scalarmult_curve25519_SCALARBYTES 32U
#define crypto_scalarmult_BYTES crypto_scalarmult_curve25519_BYTES
#define crypto_scalarmult_SCALARBYTES crypto_scalarmult_curve25519_SCALARBYTES
#define crypto_scalarmult_PRIMITIVE "curve25519"

CULET_CHECK
int crypto_scalarmult(unsigned char *q, const unsigned char *n, const unsigned char *p);
CULET_CHECK
int crypto_scalarmult_curve25519(unsigned char *q, const unsigned char *n, const unsigned char *p);
int crypto_scalarmult_base(unsigned char *q, const unsigned char *n);
int crypto_scalarmult_curve25519_base(unsigned char *q, const unsigned char *n);

/* Hashes: SHA-512 and SHA-256. */
#define crypto_hash_sha512_BYTES 64U
#define crypto_hash_sha256_BYTES 32U
#define crypto_hash_BYTES crypto_hash_sha512_BYTES
#define crypto_hash_PRIMITIVE "sha512"

int crypto_hash(unsigned char *out, const unsigned char *m, unsigned long long mlen);
int crypto_hash_sha512(unsigned char *out, const unsigned char *m, unsigned long long mlen);
int crypto_hash_sha256(unsigned char *out, const unsigned char *m, unsigned long long mlen);

/* Authentication codes: the first 32 bytes of HMAC with SHA-512; HMAC with SHA-256. */
#define crypto_auth_hmacsha512256_BYTES 32U
#define crypto_auth_hmacsha512256_KEYBYTES 32U
#define crypto_auth_BYTES crypto_auth_hmacsha512256_BYTES
#define crypto_auth_KEYBYTES crypto_auth_hmacsha512256_KEYBYTES
#define crypto_auth_hmacsha256_BYTES 32U
#define crypto_auth_hmacsha256_KEYBYTES 32U
#define crypto_auth_PRIMITIVE "hmacsha512256"

int crypto_auth(unsigned char *out, const unsigned char *m, unsigned long long mlen, const unsigned char *k);
int crypto_auth_hmacsha512256(unsigned char *out, const unsigned char *m, unsigned long long mlen,
                              const unsigned char *k);
int crypto_auth_hmacsha256(unsigned char *out, const unsigned char *m, unsigned long long mlen,
                           const unsigned char *k);
CULET_CHECK
int crypto_auth_verify(const unsigned char *h, const unsigned char *m, unsigned long long mlen,
                       const unsigned char *k);
CULET_CHECK
int crypto_auth_hmacsha512256_verify(const unsigned char *h, const unsigned char *m, unsigned long long mlen,
                                     const unsigned char *k);
CULET_CHECK
int crypto_auth_hmacsha256_verify(const unsigned char *h, const unsigned char *m, unsigned long long mlen,
                                  const unsigned char *k);

/* Codes for one message under one key: Poly1305. */
#define crypto_onetimeauth_poly1305_BYTES 16U
#define crypto_onetimeauth_poly1305_KEYBYTES 32U
#define crypto_onetimeauth_BYTES crypto_onetimeauth_poly1305_BYTES
#define crypto_onetimeauth_KEYBYTES crypto_onetimeauth_poly1305_KEYBYTES
#define crypto_onetimeauth_PRIMITIVE "poly1305"

int crypto_onetimeauth(unsigned char *out, const unsigned char *m, unsigned long long mlen,
                       const unsigned char *k);
int crypto_onetimeauth_poly1305(unsigned char *out, const unsigned char *m, unsigned long long mlen,
                                const unsigned char *k);
CULET_CHECK
int crypto_onetimeauth_verify(const unsigned char *h, const unsigned char *m, unsigned long long mlen,
                              const unsigned char *k);
CULET_CHECK
int crypto_onetimeauth_poly1305_verify(const unsigned char *h, const unsigned char *m,
                                       unsigned long long mlen, const unsigned char *k);

/* Bare stream ciphers: XSalsa20 and Salsa20. */
#define crypto_stream_xsalsa20_KEYBYTES 32U
#define crypto_stream_xsalsa20_NONCEBYTES 24U
#define crypto_stream_KEYBYTES crypto_stream_xsalsa20_KEYBYTES
#define crypto_stream_NONCEBYTES crypto_stream_xsalsa20_NONCEBYTES
#define crypto_stream_salsa20_KEYBYTES 32U
#define crypto_stream_salsa20_NONCEBYTES 8U
#define crypto_stream_PRIMITIVE "xsalsa20"

int crypto_stream(unsigned char *c, unsigned long long clen, const unsigned char *n, const unsigned char *k);
int crypto_stream_xsalsa20(unsigned char *c, unsigned long long clen, const unsigned char *n,
                           const unsigned char *k);
int crypto_stream_salsa20(unsigned char *c, unsigned long long clen, const unsigned char *n,
                          const unsigned char *k);
int crypto_stream_xor(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                      const unsigned char *n, const unsigned char *k);
int crypto_stream_xsalsa20_xor(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                               const unsigned char *n, const unsigned char *k);
int crypto_stream_salsa20_xor(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                              const unsigned char *n, const unsigned char *k);

/* Comparison in constant time: 0 if all bytes are equal, -1 if not. */
#define crypto_verify_16_BYTES 16U
#define crypto_verify_32_BYTES 32U

CULET_CHECK
int crypto_verify_16(const unsigned char *x, const unsigned char *y);
CULET_CHECK
int crypto_verify_32(const unsigned char *x, const unsigned char *y);

/* Random bytes. With null, or with a length above PTRDIFF_MAX, the program ends. */
void randombytes(unsigned char *out, unsigned long long length);

#ifdef __cplusplus
}
#endif

#endif
