/*
 * culet: cryptography that is compiled from programs that read like its standards.
 *
 *     #include <culet.h>
 *     cc program.c -lculet             the library of library/capi, which is faster
 *     cc -O2 program.c culet.c         or the one file of library/c, which is portable
 *
 * OF ALL FUNCTIONS
 *
 *   Results. Functions that return int return 0 if all is good, and -1 if they refuse; there is no
 *   other value. They do not say why: whoever makes them fail must not learn more than that they
 *   did.
 *
 *   Arguments. Sizes are in bytes. An array `key[32]` is 32 bytes; beside a pointer without a size
 *   stands its length. A null pointer is refused, but with length 0, where a pointer may be
 *   anything. Lengths above PTRDIFF_MAX are refused.
 *
 *   Overlap. Keys, nonces, tags and messages are read before anything is written that could lie
 *   over them, so that output may be written in place, or anywhere over its input. This file says
 *   which arguments must lie apart; overlaps of those are refused.
 *
 *   Refusal. Open functions leave zeros in place of a message that is not right. Other functions
 *   that refuse write nothing, but for zeros where this file says so; a context is erased by the
 *   function that finishes it, also if that refuses.
 *
 *   Threads. Functions keep nothing between calls but in the contexts that they are given; two
 *   threads may not use one context at once.
 *
 *   Secrets. No branch and no address depends on them, but on whether a tag, a key or a signature
 *   is good. That is proved of libculet.so for x86-64, of the functions and lengths that
 *   library/capi/operations.txt lists; of culet.c it is tested, on x86-64. The stack and registers
 *   are not erased when a function returns. Erase your own secrets with culet_wipe.
 */
#ifndef CULET_H
#define CULET_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) || defined(__clang__)
#define CULET_CHECK __attribute__((warn_unused_result))
#else
#define CULET_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The library's version, such as "0.1.0". */
const char *culet_version(void);

/*
 * ED25519 SIGNATURES: RFC 8032, section 5.1
 *
 * A secret key is a seed, 32 random bytes. Whoever has the public key that belongs to it verifies
 * what it has signed.
 */
#define CULET_ED25519_SEED_BYTES 32
#define CULET_ED25519_PUBLIC_KEY_BYTES 32
#define CULET_ED25519_SIGNATURE_BYTES 64

/* Writes the public key of a seed. */
int culet_ed25519_public_key(uint8_t public_key[32], const uint8_t seed[32]);

/* Signs a message. A seed signs a message always in the same way. The public key is computed
 * each time, so that no signature is made with a foreign one, which would give the seed away. */
int culet_ed25519_sign(uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t seed[32]);

/* Verifies a signature: -1 if the message or its signature is not what the owner of the key has
 * sent, or the key is no point in its canonical form. The equation is that of RFC 8032, section
 * 5.1.7, without a factor of 8. Beyond the standard, neither the key nor the signature's point may
 * have a small order: whoever made such a key could make one signature that is good for many
 * messages. */
CULET_CHECK
int culet_ed25519_verify(const uint8_t signature[64], const uint8_t *message, size_t length,
                         const uint8_t public_key[32]);

/* Verifies a signature by the rules of ZIP 215, so that everybody who does agrees on it: the key and the
 * signature's point may have any order and any form, and the equation has a factor of 8. */
CULET_CHECK
int culet_ed25519_verify_zip215(const uint8_t signature[64], const uint8_t *message, size_t length,
                                const uint8_t public_key[32]);

/* Functions for many signatures or keys at once: from two signatures or four pairs of keys on, each takes less than half
 * of the time where the CPU has AVX-512 with IFMA. Elsewhere, and in culet.c, they take as long as one by one, unless it
 * says otherwise below. */

/* One of several messages. */
typedef struct culet_ed25519_message {
    const uint8_t *message;
    size_t length;
} culet_ed25519_message;

/* Signs messages as culet_ed25519_sign signs each, and writes 64 bytes for each, one after another. The public key is
 * computed once. Neither the list nor a message may lie in the signatures. */
int culet_ed25519_sign_batch(uint8_t *signatures, const culet_ed25519_message *messages, size_t count,
                             const uint8_t seed[32]);

/* One of several signatures: 64 bytes, the message and its length, and the public key, 32 bytes. */
typedef struct culet_ed25519_signed {
    const uint8_t *signature;
    const uint8_t *message;
    size_t length;
    const uint8_t *public_key;
} culet_ed25519_signed;

/* Verifies signatures as culet_ed25519_verify verifies each: -1 if one of them is not good; 0 if there are none. Entries
 * may share memory. */
CULET_CHECK
int culet_ed25519_verify_batch(const culet_ed25519_signed *signatures, size_t count);

/* Verifies signatures as culet_ed25519_verify_zip215 verifies each: -1 if one of them is not good; 0 if there are none.
 * Entries may share memory. On CPUs without IFMA, eight go together, which takes about nine tenths of the time, and is
 * right but for one chance in 2^127; in culet.c only with words of 64 bits. */
CULET_CHECK
int culet_ed25519_verify_batch_zip215(const culet_ed25519_signed *signatures, size_t count);

/* Writes the public key of X25519 that belongs to one of Ed25519: RFC 7748, section 4.1; -1 if the order
 * of the point is not that of the base point. And the secret key that belongs to a seed. */
CULET_CHECK
int culet_ed25519_public_to_x25519(uint8_t x25519[32], const uint8_t public_key[32]);
int culet_ed25519_secret_to_x25519(uint8_t x25519[32], const uint8_t seed[32]);

/*
 * X25519 AGREEMENT: RFC 7748
 *
 * Each side has a secret key, 32 random bytes, and sends its public key to the other one. Both
 * compute the same secret, which is no key yet: derive keys from it and both public keys, by
 * culet_hkdf_sha256.
 */
#define CULET_X25519_SECRET_KEY_BYTES 32
#define CULET_X25519_PUBLIC_KEY_BYTES 32
#define CULET_X25519_SHARED_BYTES 32

/* Writes the public key of a secret key. */
int culet_x25519_public_key(uint8_t public_key[32], const uint8_t secret_key[32]);

/* Writes the secret that is shared with the owner of a public key: -1 and zeros if that is zero,
 * so that everybody knows it (RFC 7748, section 6.1). */
CULET_CHECK
int culet_x25519(uint8_t shared[32], const uint8_t secret_key[32], const uint8_t public_key[32]);

/* Writes the secrets that several pairs of keys share, 32 bytes for each, one after another, as the keys are. Where
 * culet_x25519 would refuse one of the pairs, -1, and zeros in all places. The secrets lie apart from the keys. */
CULET_CHECK
int culet_x25519_batch(uint8_t *shared, const uint8_t *secret_keys, const uint8_t *public_keys, size_t count);

/*
 * P-256, P-384, P-521 AND P-224: SP 800-186; secp256k1: SEC 2, section 2.4.1; agreement by ECDH, SEC 1, section 3.3.1;
 * signatures by ECDSA, FIPS 186-5, section 6.4, with SHA-256, SHA-384, SHA-512, SHA-224, and SHA-256 for secp256k1
 *
 * Take them where a standard or a partner asks for them, as chains of blocks do for secp256k1; Ed25519 and X25519 are faster and simpler. P-224 is for
 * partners that have nothing better: NIST allows its 112 bits of security until 2030 (SP 800-57, part 1, table 4).
 * Reading its compressed keys takes longer than an agreement.
 *
 * A secret key is a random number below the order of the base point, most significant byte first. Functions
 * refuse a secret key that is 0 or not below the order; of random bytes, one in 2^32 is so (P-256), or fewer: take others
 * then. For P-521, whose keys have 521 bits in 66 bytes, set the first 7 bits of random bytes to 0: `key[0] &= 1`. Else 127
 * of 128 are refused. A public key is a point, as SEC 1,
 * section 2.3.3, writes it: the byte 4, x and y; or compressed, the byte 2 or 3, and x. Functions that read a public key take
 * both, by its length, and refuse what is no point.
 *
 * A signature is r and s, most significant byte first, or both in DER (RFC 3279, section 2.2.3), as in
 * certificates: DER_BYTES at most. The number used once comes from the key and the message (RFC 6979,
 * section 3.2): a key signs a message always in the same way.
 */
#define CULET_P256_SECRET_KEY_BYTES 32
#define CULET_P256_PUBLIC_KEY_BYTES 65
#define CULET_P256_COMPRESSED_BYTES 33
#define CULET_P256_SHARED_BYTES 32
#define CULET_P256_SIGNATURE_BYTES 64
#define CULET_P256_DER_BYTES 72
#define CULET_P384_SECRET_KEY_BYTES 48
#define CULET_P384_PUBLIC_KEY_BYTES 97
#define CULET_P384_COMPRESSED_BYTES 49
#define CULET_P384_SHARED_BYTES 48
#define CULET_P384_SIGNATURE_BYTES 96
#define CULET_P384_DER_BYTES 104
#define CULET_P521_SECRET_KEY_BYTES 66
#define CULET_P521_PUBLIC_KEY_BYTES 133
#define CULET_P521_COMPRESSED_BYTES 67
#define CULET_P521_SHARED_BYTES 66
#define CULET_P521_SIGNATURE_BYTES 132
#define CULET_P521_DER_BYTES 141
#define CULET_P224_SECRET_KEY_BYTES 28
#define CULET_P224_PUBLIC_KEY_BYTES 57
#define CULET_P224_COMPRESSED_BYTES 29
#define CULET_P224_SHARED_BYTES 28
#define CULET_P224_SIGNATURE_BYTES 56
#define CULET_P224_DER_BYTES 64
#define CULET_SECP256K1_SECRET_KEY_BYTES 32
#define CULET_SECP256K1_PUBLIC_KEY_BYTES 65
#define CULET_SECP256K1_COMPRESSED_BYTES 33
#define CULET_SECP256K1_SHARED_BYTES 32
#define CULET_SECP256K1_SIGNATURE_BYTES 64
#define CULET_SECP256K1_DER_BYTES 72

/* Writes the public key of a secret key, uncompressed. */
CULET_CHECK
int culet_p256_public_key(uint8_t public_key[65], const uint8_t secret_key[32]);

/* Writes a public key in its short form, and in its long one. */
CULET_CHECK
int culet_p256_compress(uint8_t compressed[33], const uint8_t *public_key, size_t public_key_length);
CULET_CHECK
int culet_p256_decompress(uint8_t uncompressed[65], const uint8_t *public_key, size_t public_key_length);

/* Writes the secret that is shared with the owner of a public key: -1 and zeros if a key is none. The secret
 * is no key yet: derive keys from it, by culet_hkdf_sha256. */
CULET_CHECK
int culet_p256_agree(uint8_t shared[32], const uint8_t secret_key[32], const uint8_t *public_key,
                     size_t public_key_length);

/* Signs a message, and verifies a signature. */
CULET_CHECK
int culet_p256_sign(uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t secret_key[32]);
CULET_CHECK
int culet_p256_verify(const uint8_t signature[64], const uint8_t *message, size_t length,
                      const uint8_t *public_key, size_t public_key_length);

/* The same in DER. The number of bytes that are written goes to `der_length`. Signatures that are not encoded
 * in the one way that DER allows are refused. */
CULET_CHECK
int culet_p256_sign_der(uint8_t der[72], size_t *der_length, const uint8_t *message, size_t length,
                        const uint8_t secret_key[32]);
CULET_CHECK
int culet_p256_verify_der(const uint8_t *der, size_t der_length, const uint8_t *message, size_t length,
                          const uint8_t *public_key, size_t public_key_length);

/* Signs as above, but the number used once depends on `entropy`, too (RFC 6979, section 3.6). Random bytes make it harder to
 * learn the key from faults, or from the power that signatures of one message take. */
CULET_CHECK
int culet_p256_sign_hedged(uint8_t signature[64], const uint8_t *message, size_t length,
                           const uint8_t secret_key[32], const uint8_t entropy[32]);

/* Signs a message by its digest, and verifies that. Of a longer digest, the first bytes are signed (FIPS 186-5,
 * section 6.4.1, step 2). The hash function must resist collisions. */
CULET_CHECK
int culet_p256_sign_prehashed(uint8_t signature[64], const uint8_t digest[32], const uint8_t secret_key[32]);
CULET_CHECK
int culet_p256_verify_prehashed(const uint8_t signature[64], const uint8_t digest[32], const uint8_t *public_key,
                                size_t public_key_length);

/* The functions of P-384. */
CULET_CHECK
int culet_p384_public_key(uint8_t public_key[97], const uint8_t secret_key[48]);

CULET_CHECK
int culet_p384_compress(uint8_t compressed[49], const uint8_t *public_key, size_t public_key_length);
CULET_CHECK
int culet_p384_decompress(uint8_t uncompressed[97], const uint8_t *public_key, size_t public_key_length);

CULET_CHECK
int culet_p384_agree(uint8_t shared[48], const uint8_t secret_key[48], const uint8_t *public_key,
                     size_t public_key_length);

CULET_CHECK
int culet_p384_sign(uint8_t signature[96], const uint8_t *message, size_t length, const uint8_t secret_key[48]);
CULET_CHECK
int culet_p384_verify(const uint8_t signature[96], const uint8_t *message, size_t length,
                      const uint8_t *public_key, size_t public_key_length);

CULET_CHECK
int culet_p384_sign_der(uint8_t der[104], size_t *der_length, const uint8_t *message, size_t length,
                        const uint8_t secret_key[48]);
CULET_CHECK
int culet_p384_verify_der(const uint8_t *der, size_t der_length, const uint8_t *message, size_t length,
                          const uint8_t *public_key, size_t public_key_length);

CULET_CHECK
int culet_p384_sign_hedged(uint8_t signature[96], const uint8_t *message, size_t length,
                          const uint8_t secret_key[48], const uint8_t entropy[48]);
CULET_CHECK
int culet_p384_sign_prehashed(uint8_t signature[96], const uint8_t digest[48], const uint8_t secret_key[48]);
CULET_CHECK
int culet_p384_verify_prehashed(const uint8_t signature[96], const uint8_t digest[48], const uint8_t *public_key,
                               size_t public_key_length);

/* The functions of P-521. */
CULET_CHECK
int culet_p521_public_key(uint8_t public_key[133], const uint8_t secret_key[66]);

CULET_CHECK
int culet_p521_compress(uint8_t compressed[67], const uint8_t *public_key, size_t public_key_length);
CULET_CHECK
int culet_p521_decompress(uint8_t uncompressed[133], const uint8_t *public_key, size_t public_key_length);

CULET_CHECK
int culet_p521_agree(uint8_t shared[66], const uint8_t secret_key[66], const uint8_t *public_key,
                     size_t public_key_length);

CULET_CHECK
int culet_p521_sign(uint8_t signature[132], const uint8_t *message, size_t length, const uint8_t secret_key[66]);
CULET_CHECK
int culet_p521_verify(const uint8_t signature[132], const uint8_t *message, size_t length,
                      const uint8_t *public_key, size_t public_key_length);

CULET_CHECK
int culet_p521_sign_der(uint8_t der[141], size_t *der_length, const uint8_t *message, size_t length,
                        const uint8_t secret_key[66]);
CULET_CHECK
int culet_p521_verify_der(const uint8_t *der, size_t der_length, const uint8_t *message, size_t length,
                          const uint8_t *public_key, size_t public_key_length);

CULET_CHECK
int culet_p521_sign_hedged(uint8_t signature[132], const uint8_t *message, size_t length,
                          const uint8_t secret_key[66], const uint8_t entropy[66]);
CULET_CHECK
int culet_p521_sign_prehashed(uint8_t signature[132], const uint8_t digest[64], const uint8_t secret_key[66]);
CULET_CHECK
int culet_p521_verify_prehashed(const uint8_t signature[132], const uint8_t digest[64], const uint8_t *public_key,
                               size_t public_key_length);

/* The functions of P-224. */
CULET_CHECK
int culet_p224_public_key(uint8_t public_key[57], const uint8_t secret_key[28]);

CULET_CHECK
int culet_p224_compress(uint8_t compressed[29], const uint8_t *public_key, size_t public_key_length);
CULET_CHECK
int culet_p224_decompress(uint8_t uncompressed[57], const uint8_t *public_key, size_t public_key_length);

CULET_CHECK
int culet_p224_agree(uint8_t shared[28], const uint8_t secret_key[28], const uint8_t *public_key,
                     size_t public_key_length);

CULET_CHECK
int culet_p224_sign(uint8_t signature[56], const uint8_t *message, size_t length, const uint8_t secret_key[28]);
CULET_CHECK
int culet_p224_verify(const uint8_t signature[56], const uint8_t *message, size_t length,
                      const uint8_t *public_key, size_t public_key_length);

CULET_CHECK
int culet_p224_sign_der(uint8_t der[64], size_t *der_length, const uint8_t *message, size_t length,
                        const uint8_t secret_key[28]);
CULET_CHECK
int culet_p224_verify_der(const uint8_t *der, size_t der_length, const uint8_t *message, size_t length,
                          const uint8_t *public_key, size_t public_key_length);

CULET_CHECK
int culet_p224_sign_hedged(uint8_t signature[56], const uint8_t *message, size_t length,
                          const uint8_t secret_key[28], const uint8_t entropy[28]);
CULET_CHECK
int culet_p224_sign_prehashed(uint8_t signature[56], const uint8_t digest[28], const uint8_t secret_key[28]);
CULET_CHECK
int culet_p224_verify_prehashed(const uint8_t signature[56], const uint8_t digest[28], const uint8_t *public_key,
                               size_t public_key_length);

/* The functions of secp256k1. Signatures have the lower one of s and the order minus s (BIP 146), and others are refused:
 * others' signatures may be good but for that, and culet_secp256k1_with_low_s makes them good. */
CULET_CHECK
int culet_secp256k1_public_key(uint8_t public_key[65], const uint8_t secret_key[32]);

CULET_CHECK
int culet_secp256k1_compress(uint8_t compressed[33], const uint8_t *public_key, size_t public_key_length);
CULET_CHECK
int culet_secp256k1_decompress(uint8_t uncompressed[65], const uint8_t *public_key, size_t public_key_length);

CULET_CHECK
int culet_secp256k1_agree(uint8_t shared[32], const uint8_t secret_key[32], const uint8_t *public_key,
                     size_t public_key_length);

CULET_CHECK
int culet_secp256k1_sign(uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t secret_key[32]);
CULET_CHECK
int culet_secp256k1_verify(const uint8_t signature[64], const uint8_t *message, size_t length,
                      const uint8_t *public_key, size_t public_key_length);

CULET_CHECK
int culet_secp256k1_sign_der(uint8_t der[72], size_t *der_length, const uint8_t *message, size_t length,
                        const uint8_t secret_key[32]);
CULET_CHECK
int culet_secp256k1_verify_der(const uint8_t *der, size_t der_length, const uint8_t *message, size_t length,
                          const uint8_t *public_key, size_t public_key_length);

CULET_CHECK
int culet_secp256k1_sign_hedged(uint8_t signature[64], const uint8_t *message, size_t length,
                          const uint8_t secret_key[32], const uint8_t entropy[32]);
CULET_CHECK
int culet_secp256k1_sign_prehashed(uint8_t signature[64], const uint8_t digest[32], const uint8_t secret_key[32]);
CULET_CHECK
int culet_secp256k1_verify_prehashed(const uint8_t signature[64], const uint8_t digest[32], const uint8_t *public_key,
                               size_t public_key_length);

CULET_CHECK
int culet_secp256k1_with_low_s(uint8_t low[64], const uint8_t signature[64]);

/*
 * SCHNORR SIGNATURES with secp256k1: BIP 340
 *
 * A secret key is a random number below the order of the base point, most significant byte first. Functions refuse
 * a secret key that is 0 or not below the order; of random bytes, one in 2^127 is so. A public key is the x-coordinate of a point.
 */
#define CULET_BIP340_SECRET_KEY_BYTES 32
#define CULET_BIP340_PUBLIC_KEY_BYTES 32
#define CULET_BIP340_ENTROPY_BYTES 32
#define CULET_BIP340_SIGNATURE_BYTES 64

/* Writes the public key of a secret key. */
CULET_CHECK
int culet_bip340_public_key(uint8_t public_key[32], const uint8_t secret_key[32]);

/* Signs a message: -1 if the secret key is refused, or the number used once is 0, as it is for one hash of 2^255. The signature
 * is not verified before it is written. `entropy` should be fresh random bytes, which make it harder to learn the key from
 * faults, or from the power that signatures take; with 32 zeros, a key signs a message always in the same way. */
CULET_CHECK
int culet_bip340_sign(uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t secret_key[32],
                      const uint8_t entropy[32]);

/* Verifies a signature: -1 if the message or its signature is not what the owner of the key has sent, or the key
 * is the x-coordinate of no point. */
CULET_CHECK
int culet_bip340_verify(const uint8_t signature[64], const uint8_t *message, size_t length,
                        const uint8_t public_key[32]);

/*
 * AUTHENTICATED ENCRYPTION: ChaCha20-Poly1305, RFC 8439, section 2.8; XChaCha20-Poly1305,
 * draft-irtf-cfrg-xchacha-03; AES-GCM, NIST SP 800-38D; Ascon-AEAD128, NIST SP 800-232, section 4
 *
 * A sealed message can neither be read nor changed without the key; additional data are
 * authenticated with it, and are not secret. ONE KEY MUST NEVER SEAL TWO MESSAGES UNDER ONE NONCE.
 * Count the messages for nonces of 12 bytes; those of 16 and 24 may be random.
 *
 * A sealed message has the length of the message, and a tag beside it. They may go to one array:
 * `seal(sealed, sealed + length, message, length, ...)`. The additional data and the tag must lie
 * apart from the output.
 */
#define CULET_CHACHA20POLY1305_KEY_BYTES 32
#define CULET_CHACHA20POLY1305_NONCE_BYTES 12
#define CULET_CHACHA20POLY1305_TAG_BYTES 16
#define CULET_XCHACHA20POLY1305_KEY_BYTES 32
#define CULET_XCHACHA20POLY1305_NONCE_BYTES 24
#define CULET_XCHACHA20POLY1305_TAG_BYTES 16
#define CULET_AES128GCM_KEY_BYTES 16
#define CULET_AES128GCM_NONCE_BYTES 12
#define CULET_AES128GCM_TAG_BYTES 16
#define CULET_AES256GCM_KEY_BYTES 32
#define CULET_AES256GCM_NONCE_BYTES 12
#define CULET_AES256GCM_TAG_BYTES 16
#define CULET_ASCON_AEAD128_KEY_BYTES 16
#define CULET_ASCON_AEAD128_NONCE_BYTES 16
#define CULET_ASCON_AEAD128_TAG_BYTES 16

/* Seals a message of at most 2^38 - 64 bytes. */
CULET_CHECK
int culet_chacha20poly1305_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length,
                                const uint8_t *additional, size_t additional_length, const uint8_t nonce[12],
                                const uint8_t key[32]);

/* Opens a sealed message: -1 and zeros if the message, its tag, the additional data, the nonce or
 * the key is another one. Until it returns, `message` may hold a text that is not authentic. */
CULET_CHECK
int culet_chacha20poly1305_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16],
                                const uint8_t *additional, size_t additional_length, const uint8_t nonce[12],
                                const uint8_t key[32]);

/* Both functions with nonces of 24 bytes. */
CULET_CHECK
int culet_xchacha20poly1305_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length,
                                 const uint8_t *additional, size_t additional_length, const uint8_t nonce[24],
                                 const uint8_t key[32]);
CULET_CHECK
int culet_xchacha20poly1305_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16],
                                 const uint8_t *additional, size_t additional_length, const uint8_t nonce[24],
                                 const uint8_t key[32]);

/* Both functions of AES-128-GCM and AES-256-GCM, for messages of at most 2^36 - 32 bytes. */
CULET_CHECK
int culet_aes128gcm_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length,
                         const uint8_t *additional, size_t additional_length, const uint8_t nonce[12],
                         const uint8_t key[16]);
CULET_CHECK
int culet_aes128gcm_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16],
                         const uint8_t *additional, size_t additional_length, const uint8_t nonce[12],
                         const uint8_t key[16]);
CULET_CHECK
int culet_aes256gcm_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length,
                         const uint8_t *additional, size_t additional_length, const uint8_t nonce[12],
                         const uint8_t key[32]);
CULET_CHECK
int culet_aes256gcm_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16],
                         const uint8_t *additional, size_t additional_length, const uint8_t nonce[12],
                         const uint8_t key[32]);

/* Keys of AES-GCM that are prepared for many messages: each call of the functions above spreads its key anew.
 *
 *   init       prepares a context, whatever was in it: -1 if it or the key is NULL;
 *   seal_with  and
 *   open_with  do as `seal` and `open` do with that key. They only read the context, which several threads
 *              may do at once, and refuse one that is not prepared. It must lie apart from the output and the tag.
 *
 * A context is as secret as its key. Erase it with culet_wipe when it is used no more. */
typedef struct culet_aes128gcm_context {
    uint64_t opaque[160];
} culet_aes128gcm_context;
typedef struct culet_aes256gcm_context {
    uint64_t opaque[160];
} culet_aes256gcm_context;

int culet_aes128gcm_init(culet_aes128gcm_context *context, const uint8_t key[16]);
CULET_CHECK
int culet_aes128gcm_seal_with(const culet_aes128gcm_context *context, uint8_t *sealed, uint8_t tag[16],
                              const uint8_t *message, size_t length, const uint8_t *additional,
                              size_t additional_length, const uint8_t nonce[12]);
CULET_CHECK
int culet_aes128gcm_open_with(const culet_aes128gcm_context *context, uint8_t *message, const uint8_t *sealed,
                              size_t length, const uint8_t tag[16], const uint8_t *additional,
                              size_t additional_length, const uint8_t nonce[12]);
int culet_aes256gcm_init(culet_aes256gcm_context *context, const uint8_t key[32]);
CULET_CHECK
int culet_aes256gcm_seal_with(const culet_aes256gcm_context *context, uint8_t *sealed, uint8_t tag[16],
                              const uint8_t *message, size_t length, const uint8_t *additional,
                              size_t additional_length, const uint8_t nonce[12]);
CULET_CHECK
int culet_aes256gcm_open_with(const culet_aes256gcm_context *context, uint8_t *message, const uint8_t *sealed,
                              size_t length, const uint8_t tag[16], const uint8_t *additional,
                              size_t additional_length, const uint8_t nonce[12]);

/* Both functions of Ascon-AEAD128, which is for small machines, with keys and nonces of 16 bytes. One
 * key is for 2^54 bytes of messages and additional data in all. */
CULET_CHECK
int culet_ascon_aead128_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length,
                             const uint8_t *additional, size_t additional_length, const uint8_t nonce[16],
                             const uint8_t key[16]);
CULET_CHECK
int culet_ascon_aead128_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16],
                             const uint8_t *additional, size_t additional_length, const uint8_t nonce[16],
                             const uint8_t key[16]);

/*
 * FILES AND OTHER LONG MESSAGES: STREAM (Hoang, Reyhanitabar, Rogaway, Vizar, 2015) over
 * XChaCha20-Poly1305
 *
 * A message is sealed segment by segment, each as long as the caller likes, 64 KiB say. A message that was
 * cut off, or whose segments were changed, repeated, left out or reordered, does not open to its end. DO NOT
 * ACT ON THE FIRST SEGMENTS BEFORE THE LAST ONE IS OPENED: the message may have been cut off. ONE KEY MUST
 * NEVER SEAL TWO MESSAGES UNDER ONE NONCE, which may be random, and is stored before the segments.
 *
 *   init  prepares a context, whatever was in it;
 *   seal  seals the next segment, which is not the last one; a message has at most 2^32;
 *   last  seals the last segment, which may be empty, and erases the context.
 *
 * Opening has the same functions. After one has refused a segment, the context opens nothing any more. The nonce
 * of a segment is that of the message, the segment's number in four bytes, most significant first, and 1 for
 * the last segment, else 0. The additional data and the tag must lie apart from the output, and all of them
 * from the context. A context must not be copied: two segments would have one nonce.
 */
#define CULET_SEGMENT_KEY_BYTES 32
#define CULET_SEGMENT_NONCE_BYTES 19
#define CULET_SEGMENT_TAG_BYTES 16

typedef struct culet_segment_sealer {
    uint64_t opaque[16];
} culet_segment_sealer;
typedef struct culet_segment_opener {
    uint64_t opaque[16];
} culet_segment_opener;

int culet_segment_sealer_init(culet_segment_sealer *context, const uint8_t nonce[19], const uint8_t key[32]);
CULET_CHECK
int culet_segment_seal(culet_segment_sealer *context, uint8_t *sealed, uint8_t tag[16], const uint8_t *message,
                       size_t length, const uint8_t *additional, size_t additional_length);
CULET_CHECK
int culet_segment_seal_last(culet_segment_sealer *context, uint8_t *sealed, uint8_t tag[16], const uint8_t *message,
                            size_t length, const uint8_t *additional, size_t additional_length);

/* Opening: -1 and zeros if a segment is not what was sealed at its place. */
int culet_segment_opener_init(culet_segment_opener *context, const uint8_t nonce[19], const uint8_t key[32]);
CULET_CHECK
int culet_segment_open(culet_segment_opener *context, uint8_t *message, const uint8_t *sealed, size_t length,
                       const uint8_t tag[16], const uint8_t *additional, size_t additional_length);
CULET_CHECK
int culet_segment_open_last(culet_segment_opener *context, uint8_t *message, const uint8_t *sealed, size_t length,
                            const uint8_t tag[16], const uint8_t *additional, size_t additional_length);

/*
 * MESSAGES IN ORDER, as libsodium's secretstream: XChaCha20-Poly1305 with a nonce that changes
 *
 * A sealed message has 17 bytes more than the message: its kind, encrypted, before it, and a tag after it. A
 * message that was changed, repeated, left out or reordered does not open. The stream was not cut off once a
 * message of the kind CULET_SECRETSTREAM_FINAL has opened. A key must never seal two streams under one header,
 * which may be random, is no secret, and is sent first.
 *
 *   seal_init   begins a stream, whatever was in the context;
 *   seal        seals the next message, which may overlap `sealed`; it has at most 2^38 - 128 bytes;
 *   open_init   begins a stream on the other side;
 *   open        opens the next message from all `length` bytes that seal wrote, and writes its kind; -1 and
 *               zeros if it is not what was sealed there, and the context still waits for that;
 *   rekey       changes the key, on both sides at the same place. Bit 1 of a kind does so, too.
 *
 * The additional data must lie apart from the output, and all of them from the context.
 */
#define CULET_SECRETSTREAM_KEY_BYTES 32
#define CULET_SECRETSTREAM_HEADER_BYTES 24
#define CULET_SECRETSTREAM_SEAL_BYTES 17
#define CULET_SECRETSTREAM_MESSAGE 0
#define CULET_SECRETSTREAM_PUSH 1
#define CULET_SECRETSTREAM_REKEY 2
#define CULET_SECRETSTREAM_FINAL 3

typedef struct culet_secretstream {
    uint64_t opaque[16];
} culet_secretstream;

int culet_secretstream_seal_init(culet_secretstream *context, const uint8_t header[24], const uint8_t key[32]);
CULET_CHECK
int culet_secretstream_seal(culet_secretstream *context, uint8_t *sealed, uint8_t kind, const uint8_t *message,
                            size_t length, const uint8_t *additional, size_t additional_length);
int culet_secretstream_open_init(culet_secretstream *context, const uint8_t header[24], const uint8_t key[32]);
CULET_CHECK
int culet_secretstream_open(culet_secretstream *context, uint8_t *message, uint8_t *kind, const uint8_t *sealed,
                            size_t length, const uint8_t *additional, size_t additional_length);
int culet_secretstream_rekey(culet_secretstream *context);

/*
 * NACL'S BOXES: XSalsa20-Poly1305, and X25519 with it; D. J. Bernstein, "Cryptography in NaCl",
 * 2009
 *
 * Boxes are authenticated encryption without additional data. ONE KEY MUST NEVER SEAL TWO MESSAGES
 * UNDER ONE NONCE; nonces of 24 bytes may be random. NaCl puts the tag before the encrypted message:
 * `seal(sealed + 16, sealed, message, ...)`. The tag must lie apart from the output.
 */
#define CULET_SECRETBOX_KEY_BYTES 32
#define CULET_SECRETBOX_NONCE_BYTES 24
#define CULET_SECRETBOX_TAG_BYTES 16
#define CULET_BOX_PUBLIC_KEY_BYTES 32
#define CULET_BOX_SECRET_KEY_BYTES 32

/* Seals a message with a key that both sides have, and opens it: -1 and zeros if the message, its
 * tag, the nonce or the key is another one. */
CULET_CHECK
int culet_secretbox_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length,
                         const uint8_t nonce[24], const uint8_t key[32]);
CULET_CHECK
int culet_secretbox_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16],
                         const uint8_t nonce[24], const uint8_t key[32]);

/* Seals a message for the owner of a public key; opens a message that its owner has sealed. Key
 * pairs are those of X25519. Both refuse two keys that agree on zero, and write zeros then. */
CULET_CHECK
int culet_box_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length,
                   const uint8_t nonce[24], const uint8_t public_key[32], const uint8_t secret_key[32]);
CULET_CHECK
int culet_box_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16],
                   const uint8_t nonce[24], const uint8_t public_key[32], const uint8_t secret_key[32]);

/* Writes the key that culet_box_seal computes each time, so that culet_secretbox_seal can use it for
 * many messages: -1 and zeros if the two keys agree on zero. */
CULET_CHECK
int culet_box_key(uint8_t key[32], const uint8_t public_key[32], const uint8_t secret_key[32]);

/*
 * SEALED BOXES: libsodium's crypto_box_seal
 *
 * A sealed box is a message for the owner of a public key of X25519 from somebody whom it does not
 * name. ANYBODY CAN SEAL. The key pair that seals is random, serves for one message and is forgotten,
 * so that the recipient alone can open the box. The header is that public key and a tag. libsodium
 * puts it before the encrypted message: `seal(sealed + 48, sealed, message, ...)`. The header must lie
 * apart from the output.
 */
#define CULET_SEALEDBOX_HEADER_BYTES 48

/* Seals a message: -1 if the operating system has no randomness; -1 and zeros in place of the sealed
 * message if the public key agrees on zero with all others. */
CULET_CHECK
int culet_sealedbox_seal(uint8_t *sealed, uint8_t header[48], const uint8_t *message, size_t length,
                         const uint8_t public_key[32]);

/* Opens a sealed box: -1 and zeros if the message or its header is another one, or it is not for the
 * owner of the secret key. */
CULET_CHECK
int culet_sealedbox_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t header[48],
                         const uint8_t secret_key[32]);

/*
 * BARE STREAM CIPHERS: ChaCha20, RFC 8439, section 2.4; XChaCha20, draft-irtf-cfrg-xchacha-03;
 * Salsa20 and XSalsa20, D. J. Bernstein, "Salsa20 specification", 2005, and "Extending the Salsa20
 * nonce", 2011
 *
 * NOTHING HERE NOTICES CHANGED MESSAGES. Each function adds a key stream to a text, so that it both
 * encrypts and decrypts. The stream begins with the block that is asked for, of 64 bytes; the first
 * one is block 0. ChaCha20 and XChaCha20 have 2^32 blocks, the others 2^64 - 1 bytes; a text that
 * goes beyond the end is refused.
 */
#define CULET_CHACHA20_KEY_BYTES 32
#define CULET_CHACHA20_NONCE_BYTES 12
#define CULET_XCHACHA20_KEY_BYTES 32
#define CULET_XCHACHA20_NONCE_BYTES 24
#define CULET_SALSA20_KEY_BYTES 32
#define CULET_SALSA20_NONCE_BYTES 8
#define CULET_XSALSA20_KEY_BYTES 32
#define CULET_XSALSA20_NONCE_BYTES 24

CULET_CHECK
int culet_chacha20(uint8_t *out, const uint8_t *text, size_t length, uint64_t block,
                   const uint8_t nonce[12], const uint8_t key[32]);
CULET_CHECK
int culet_xchacha20(uint8_t *out, const uint8_t *text, size_t length, uint64_t block,
                    const uint8_t nonce[24], const uint8_t key[32]);
CULET_CHECK
int culet_salsa20(uint8_t *out, const uint8_t *text, size_t length, uint64_t block,
                  const uint8_t nonce[8], const uint8_t key[32]);
CULET_CHECK
int culet_xsalsa20(uint8_t *out, const uint8_t *text, size_t length, uint64_t block,
                   const uint8_t nonce[24], const uint8_t key[32]);

/*
 * HASHES: SHA-2, FIPS 180-4
 *
 * culet_sha256 writes the digest of a whole message. Messages that come in parts need a context:
 *
 *   init    prepares a context, whatever was in it;
 *   update  takes the next part of the message, which must lie apart from the context;
 *   final   writes the digest of all parts, and erases the context.
 *
 * A context that is not prepared is refused, also after final. It may be copied by assignment: both
 * copies have the parts that were taken so far. A digest of a secret and a message is no
 * authentication code: see culet_hmac_sha256.
 */
#define CULET_SHA224_BYTES 28
#define CULET_SHA256_BYTES 32
#define CULET_SHA384_BYTES 48
#define CULET_SHA512_BYTES 64
#define CULET_SHA512_256_BYTES 32

typedef struct culet_sha224_context {
    uint64_t opaque[16];
} culet_sha224_context;
typedef struct culet_sha256_context {
    uint64_t opaque[16];
} culet_sha256_context;
typedef struct culet_sha384_context {
    uint64_t opaque[32];
} culet_sha384_context;
typedef struct culet_sha512_context {
    uint64_t opaque[32];
} culet_sha512_context;
typedef struct culet_sha512_256_context {
    uint64_t opaque[32];
} culet_sha512_256_context;

int culet_sha224(uint8_t digest[28], const uint8_t *message, size_t length);
int culet_sha224_init(culet_sha224_context *context);
int culet_sha224_update(culet_sha224_context *context, const uint8_t *part, size_t length);
int culet_sha224_final(culet_sha224_context *context, uint8_t digest[28]);

int culet_sha256(uint8_t digest[32], const uint8_t *message, size_t length);
int culet_sha256_init(culet_sha256_context *context);
int culet_sha256_update(culet_sha256_context *context, const uint8_t *part, size_t length);
int culet_sha256_final(culet_sha256_context *context, uint8_t digest[32]);

int culet_sha384(uint8_t digest[48], const uint8_t *message, size_t length);
int culet_sha384_init(culet_sha384_context *context);
int culet_sha384_update(culet_sha384_context *context, const uint8_t *part, size_t length);
int culet_sha384_final(culet_sha384_context *context, uint8_t digest[48]);

int culet_sha512(uint8_t digest[64], const uint8_t *message, size_t length);
int culet_sha512_init(culet_sha512_context *context);
int culet_sha512_update(culet_sha512_context *context, const uint8_t *part, size_t length);
int culet_sha512_final(culet_sha512_context *context, uint8_t digest[64]);

int culet_sha512_256(uint8_t digest[32], const uint8_t *message, size_t length);
int culet_sha512_256_init(culet_sha512_256_context *context);
int culet_sha512_256_update(culet_sha512_256_context *context, const uint8_t *part, size_t length);
int culet_sha512_256_final(culet_sha512_256_context *context, uint8_t digest[32]);

/*
 * HASHES: SHA-3, FIPS 202, section 6.1, and Ascon-Hash256, NIST SP 800-232, section 5.1
 *
 * These functions are like those of SHA-2. Ascon-Hash256 is for small machines.
 */
#define CULET_SHA3_224_BYTES 28
#define CULET_SHA3_256_BYTES 32
#define CULET_SHA3_384_BYTES 48
#define CULET_SHA3_512_BYTES 64
#define CULET_ASCON_HASH256_BYTES 32

typedef struct culet_sha3_224_context {
    uint64_t opaque[48];
} culet_sha3_224_context;
typedef struct culet_sha3_256_context {
    uint64_t opaque[48];
} culet_sha3_256_context;
typedef struct culet_sha3_384_context {
    uint64_t opaque[48];
} culet_sha3_384_context;
typedef struct culet_sha3_512_context {
    uint64_t opaque[48];
} culet_sha3_512_context;
typedef struct culet_ascon_hash256_context {
    uint64_t opaque[16];
} culet_ascon_hash256_context;

int culet_sha3_224(uint8_t digest[28], const uint8_t *message, size_t length);
int culet_sha3_224_init(culet_sha3_224_context *context);
int culet_sha3_224_update(culet_sha3_224_context *context, const uint8_t *part, size_t length);
int culet_sha3_224_final(culet_sha3_224_context *context, uint8_t digest[28]);

int culet_sha3_256(uint8_t digest[32], const uint8_t *message, size_t length);
int culet_sha3_256_init(culet_sha3_256_context *context);
int culet_sha3_256_update(culet_sha3_256_context *context, const uint8_t *part, size_t length);
int culet_sha3_256_final(culet_sha3_256_context *context, uint8_t digest[32]);

int culet_sha3_384(uint8_t digest[48], const uint8_t *message, size_t length);
int culet_sha3_384_init(culet_sha3_384_context *context);
int culet_sha3_384_update(culet_sha3_384_context *context, const uint8_t *part, size_t length);
int culet_sha3_384_final(culet_sha3_384_context *context, uint8_t digest[48]);

int culet_sha3_512(uint8_t digest[64], const uint8_t *message, size_t length);
int culet_sha3_512_init(culet_sha3_512_context *context);
int culet_sha3_512_update(culet_sha3_512_context *context, const uint8_t *part, size_t length);
int culet_sha3_512_final(culet_sha3_512_context *context, uint8_t digest[64]);

int culet_ascon_hash256(uint8_t digest[32], const uint8_t *message, size_t length);
int culet_ascon_hash256_init(culet_ascon_hash256_context *context);
int culet_ascon_hash256_update(culet_ascon_hash256_context *context, const uint8_t *part, size_t length);
int culet_ascon_hash256_final(culet_ascon_hash256_context *context, uint8_t digest[32]);

/*
 * OUTPUT OF ANY LENGTH: SHAKE128 and SHAKE256, FIPS 202, section 6.2, and Ascon-XOF128, NIST SP
 * 800-232, section 5.2
 *
 * culet_shake128 fills `out_length` bytes with the output for a whole message. Two outputs for one
 * message begin with the same bytes. SHAKE128 and Ascon-XOF128 have 128 bits of security from 32
 * bytes of output on, SHAKE256 has 256 bits from 64 bytes on. Messages that come in parts, and output
 * that is read piece by piece, need a context:
 *
 *   init    prepares a context, whatever was in it;
 *   update  takes the next part of the message, which must lie apart from the context; it is refused
 *           once output was read;
 *   read    writes the next bytes of the output, which must lie apart from the context;
 *   final   writes the next bytes of the output, or all of it, and erases the context.
 */
typedef struct culet_shake128_context {
    uint64_t opaque[56];
} culet_shake128_context;
typedef struct culet_shake256_context {
    uint64_t opaque[56];
} culet_shake256_context;
typedef struct culet_ascon_xof128_context {
    uint64_t opaque[16];
} culet_ascon_xof128_context;

int culet_shake128(uint8_t *out, size_t out_length, const uint8_t *message, size_t length);
int culet_shake128_init(culet_shake128_context *context);
int culet_shake128_update(culet_shake128_context *context, const uint8_t *part, size_t length);
int culet_shake128_read(culet_shake128_context *context, uint8_t *out, size_t length);
int culet_shake128_final(culet_shake128_context *context, uint8_t *out, size_t length);

int culet_shake256(uint8_t *out, size_t out_length, const uint8_t *message, size_t length);
int culet_shake256_init(culet_shake256_context *context);
int culet_shake256_update(culet_shake256_context *context, const uint8_t *part, size_t length);
int culet_shake256_read(culet_shake256_context *context, uint8_t *out, size_t length);
int culet_shake256_final(culet_shake256_context *context, uint8_t *out, size_t length);

int culet_ascon_xof128(uint8_t *out, size_t out_length, const uint8_t *message, size_t length);
int culet_ascon_xof128_init(culet_ascon_xof128_context *context);
int culet_ascon_xof128_update(culet_ascon_xof128_context *context, const uint8_t *part, size_t length);
int culet_ascon_xof128_read(culet_ascon_xof128_context *context, uint8_t *out, size_t length);
int culet_ascon_xof128_final(culet_ascon_xof128_context *context, uint8_t *out, size_t length);

/*
 * HASHES AND AUTHENTICATION CODES: BLAKE2b and BLAKE2s, RFC 7693
 *
 * A digest has the length that is asked for: 1 to 64 bytes of BLAKE2b, 1 to 32 of BLAKE2s. Digests of
 * two lengths have nothing in common. With a key, which has as many bytes at most, the digest is an
 * authentication code: compare it by culet_compare. An empty key is none. Other lengths are refused.
 *
 * The functions for messages in parts are like those of SHA-2. `final` must be asked for the length
 * that `init` was told: another one is refused, and the context is erased all the same.
 *
 * `salted` BLAKE2b is another function for each salt and each personal string ("BLAKE2: simpler, smaller,
 * fast as MD5", 2013, section 2.8); NULL and 16 zeros are none.
 */
#define CULET_BLAKE2B_BYTES_MAX 64
#define CULET_BLAKE2B_KEY_BYTES_MAX 64
#define CULET_BLAKE2S_BYTES_MAX 32
#define CULET_BLAKE2S_KEY_BYTES_MAX 32

typedef struct culet_blake2b_context {
    uint64_t opaque[32];
} culet_blake2b_context;
typedef struct culet_blake2s_context {
    uint64_t opaque[24];
} culet_blake2s_context;

CULET_CHECK
int culet_blake2b(uint8_t *digest, size_t digest_length, const uint8_t *key, size_t key_length,
                  const uint8_t *message, size_t length);
CULET_CHECK
int culet_blake2b_salted(uint8_t *digest, size_t digest_length, const uint8_t *key, size_t key_length,
                         const uint8_t *salt, const uint8_t *personal, const uint8_t *message, size_t length);
CULET_CHECK
int culet_blake2b_salted_init(culet_blake2b_context *context, size_t digest_length, const uint8_t *key,
                              size_t key_length, const uint8_t *salt, const uint8_t *personal);
CULET_CHECK
int culet_blake2b_init(culet_blake2b_context *context, size_t digest_length, const uint8_t *key, size_t key_length);
int culet_blake2b_update(culet_blake2b_context *context, const uint8_t *part, size_t length);
CULET_CHECK
int culet_blake2b_final(culet_blake2b_context *context, uint8_t *digest, size_t digest_length);

CULET_CHECK
int culet_blake2s(uint8_t *digest, size_t digest_length, const uint8_t *key, size_t key_length,
                  const uint8_t *message, size_t length);
CULET_CHECK
int culet_blake2s_init(culet_blake2s_context *context, size_t digest_length, const uint8_t *key, size_t key_length);
int culet_blake2s_update(culet_blake2s_context *context, const uint8_t *part, size_t length);
CULET_CHECK
int culet_blake2s_final(culet_blake2s_context *context, uint8_t *digest, size_t digest_length);

/*
 * AUTHENTICATION CODES: HMAC with SHA-2, RFC 2104 and FIPS 198-1
 *
 * A tag shows whoever has the key that a message is as it was sent. Keys may have any length; as
 * many random bytes as a tag has are enough. Compare tags by the verify functions, or by
 * culet_compare, never by memcmp. The functions for messages in parts are like those of hashes.
 */
#define CULET_HMAC_SHA224_BYTES 28
#define CULET_HMAC_SHA256_BYTES 32
#define CULET_HMAC_SHA384_BYTES 48
#define CULET_HMAC_SHA512_BYTES 64

typedef struct culet_hmac_sha224_context {
    uint64_t opaque[24];
} culet_hmac_sha224_context;
typedef struct culet_hmac_sha256_context {
    uint64_t opaque[24];
} culet_hmac_sha256_context;
typedef struct culet_hmac_sha384_context {
    uint64_t opaque[40];
} culet_hmac_sha384_context;
typedef struct culet_hmac_sha512_context {
    uint64_t opaque[40];
} culet_hmac_sha512_context;

int culet_hmac_sha224(uint8_t tag[28], const uint8_t *key, size_t key_length, const uint8_t *message,
                      size_t length);
CULET_CHECK
int culet_hmac_sha224_verify(const uint8_t tag[28], const uint8_t *key, size_t key_length, const uint8_t *message,
                             size_t length);
int culet_hmac_sha224_init(culet_hmac_sha224_context *context, const uint8_t *key, size_t key_length);
int culet_hmac_sha224_update(culet_hmac_sha224_context *context, const uint8_t *part, size_t length);
int culet_hmac_sha224_final(culet_hmac_sha224_context *context, uint8_t tag[28]);

int culet_hmac_sha256(uint8_t tag[32], const uint8_t *key, size_t key_length, const uint8_t *message,
                      size_t length);
CULET_CHECK
int culet_hmac_sha256_verify(const uint8_t tag[32], const uint8_t *key, size_t key_length, const uint8_t *message,
                             size_t length);
int culet_hmac_sha256_init(culet_hmac_sha256_context *context, const uint8_t *key, size_t key_length);
int culet_hmac_sha256_update(culet_hmac_sha256_context *context, const uint8_t *part, size_t length);
int culet_hmac_sha256_final(culet_hmac_sha256_context *context, uint8_t tag[32]);

int culet_hmac_sha384(uint8_t tag[48], const uint8_t *key, size_t key_length, const uint8_t *message,
                      size_t length);
CULET_CHECK
int culet_hmac_sha384_verify(const uint8_t tag[48], const uint8_t *key, size_t key_length, const uint8_t *message,
                             size_t length);
int culet_hmac_sha384_init(culet_hmac_sha384_context *context, const uint8_t *key, size_t key_length);
int culet_hmac_sha384_update(culet_hmac_sha384_context *context, const uint8_t *part, size_t length);
int culet_hmac_sha384_final(culet_hmac_sha384_context *context, uint8_t tag[48]);

int culet_hmac_sha512(uint8_t tag[64], const uint8_t *key, size_t key_length, const uint8_t *message,
                      size_t length);
CULET_CHECK
int culet_hmac_sha512_verify(const uint8_t tag[64], const uint8_t *key, size_t key_length, const uint8_t *message,
                             size_t length);
int culet_hmac_sha512_init(culet_hmac_sha512_context *context, const uint8_t *key, size_t key_length);
int culet_hmac_sha512_update(culet_hmac_sha512_context *context, const uint8_t *part, size_t length);
int culet_hmac_sha512_final(culet_hmac_sha512_context *context, uint8_t tag[64]);

/*
 * POLY1305: RFC 8439, section 2.5
 *
 * Poly1305 is an authentication code FOR ONE MESSAGE under one key: two tags under one key give it
 * away. The functions for messages in parts are like those of hashes.
 */
#define CULET_POLY1305_KEY_BYTES 32
#define CULET_POLY1305_BYTES 16

typedef struct culet_poly1305_context {
    uint64_t opaque[16];
} culet_poly1305_context;

int culet_poly1305(uint8_t tag[16], const uint8_t *message, size_t length, const uint8_t key[32]);
CULET_CHECK
int culet_poly1305_verify(const uint8_t tag[16], const uint8_t *message, size_t length, const uint8_t key[32]);
int culet_poly1305_init(culet_poly1305_context *context, const uint8_t key[32]);
int culet_poly1305_update(culet_poly1305_context *context, const uint8_t *part, size_t length);
int culet_poly1305_final(culet_poly1305_context *context, uint8_t tag[16]);

/*
 * KEYS FROM SECRETS: HKDF, RFC 5869
 *
 * HKDF fills `length` bytes of `out` with bytes that depend on a secret that is hard to guess, on a
 * salt, which need not be secret and may be empty, and on information about their purpose. NOT FOR
 * PASSWORDS. The output has at most 255 times as many bytes as a digest: 8160, 12240 and 16320. The
 * information must lie apart from it.
 */
CULET_CHECK
int culet_hkdf_sha256(uint8_t *out, size_t length, const uint8_t *salt, size_t salt_length, const uint8_t *secret,
                      size_t secret_length, const uint8_t *info, size_t info_length);
CULET_CHECK
int culet_hkdf_sha384(uint8_t *out, size_t length, const uint8_t *salt, size_t salt_length, const uint8_t *secret,
                      size_t secret_length, const uint8_t *info, size_t info_length);
CULET_CHECK
int culet_hkdf_sha512(uint8_t *out, size_t length, const uint8_t *salt, size_t salt_length, const uint8_t *secret,
                      size_t secret_length, const uint8_t *info, size_t info_length);

/*
 * KEYS WITH NUMBERS FROM A KEY: libsodium's crypto_kdf, which is BLAKE2b
 *
 * Fills `length` bytes, 16 to 64, with the key of a number and of eight bytes that say what such keys are for.
 * `out` may be `key`.
 */
#define CULET_KDF_KEY_BYTES 32
#define CULET_KDF_PURPOSE_BYTES 8

CULET_CHECK
int culet_kdf(uint8_t *out, size_t length, uint64_t number, const uint8_t purpose[8], const uint8_t key[32]);

/*
 * BYTES
 */

/* Compares bytes in time that depends on their number only: 0 if all are equal, -1 if not. */
CULET_CHECK
int culet_compare(const void *a, const void *b, size_t length);

/* Fills memory with zeros, which no compiler leaves out. */
int culet_wipe(void *memory, size_t length);

/* Fills memory with random bytes from the operating system: -1 and zeros if it has none. */
CULET_CHECK
int culet_random(void *out, size_t length);

#ifdef __cplusplus
}
#endif

#endif
