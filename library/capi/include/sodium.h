/*
 * libsodium's functions, with its names and arguments, for what the library has; of one that is
 * built with the feature `sodium`.
 *
 * Not there yet: pwhash, shorthash, Ed25519ph (crypto_sign_init), crypto_sign_edwards25519sha512batch, boxes with XChaCha20, ChaCha20-Poly1305 with nonces of
 * 8 bytes, AEGIS, Salsa20 with 8 and 12 rounds, crypto_core, crypto_scalarmult_ed25519, Ristretto. On Windows there is no guarded memory
 * (sodium_malloc, sodium_mlock and others).
 *
 * The headers of its parts, as sodium/crypto_box.h, are there for parts that are, and each has all of this one. An installed library is found by
 * pkg-config as culet and as libsodium.
 *
 * As there, functions that open boxes and AEADs only verify if the message is NULL; they need memory for a
 * message then.
 *
 * Programs are to be compiled with this header: the states of crypto_hash_sha256, crypto_hash_sha512,
 * crypto_secretstream and crypto_aead_aes256gcm are larger than libsodium's. All others have libsodium's
 * size and alignment, and none has less, so that a program that is compiled with this header also runs
 * with libsodium.
 *
 * Where it differs, on purpose:
 *   - Null is refused with -1 elsewhere, but with length 0; so are lengths that are too long, where libsodium
 *     ends the program.
 *   - Open functions of boxes leave zeros in place of a message that is not right, also in place.
 *   - Output may lie anywhere over the input, but additional data and detached tags must lie apart
 *     from it.
 *   - A signature is made with the public key of the seed, whatever the second half of the secret
 *     key is.
 *   - crypto_scalarmult writes zeros where it refuses, as crypto_box_seal does.
 *   - crypto_box_seal_open does not read the public key, but computes it from the secret one.
 *   - crypto_generichash_final refuses a length other than that of its init.
 *   - crypto_stream_chacha20 and crypto_stream_xchacha20 have 2^32 blocks, and their MESSAGEBYTES_MAX
 *     says so, where libsodium's is SODIUM_SIZE_MAX.
 *   - crypto_stream_salsa20 and crypto_stream_xsalsa20 have 2^64 - 1 bytes: `_xor_ic` refuses blocks
 *     from 2^58 on, where libsodium begins again at block 0 after block 2^64 - 1.
 *   - crypto_aead_xchacha20poly1305_ietf_MESSAGEBYTES_MAX is 2^38 - 64, as ChaCha20 has no more blocks
 *     (draft-irtf-cfrg-xchacha-03), where libsodium's is SODIUM_SIZE_MAX - 16.
 *   - sodium_base642bin takes no bytes above 127 for digits, as libsodium does where char is signed.
 *   - sodium_library_minimal returns 1, and SODIUM_LIBRARY_MINIMAL is defined, since functions are missing.
 *   - Functions for guarded memory do not set errno, and the program ends by abort where libsodium raises SIGSEGV.
 *   - Functions without a result write nothing with null, or with a length above PTRDIFF_MAX: sodium_memzero,
 *     sodium_increment, sodium_add, sodium_sub, and `_rekey` with null or with memory that is no state. Those
 *     that fill memory with random bytes end the program then: randombytes, randombytes_buf,
 *     randombytes_buf_deterministic and all `_keygen`.
 *   - Without randomness, crypto_box_seal returns -1 and leaves zeros. Functions that make keys, headers or
 *     random bytes end the program, as libsodium's do: programs for libsodium do not look at their
 *     results, and would go on with keys that everybody knows.
 *   - crypto_secretstream functions refuse the state of the other direction, and a message that is not
 *     right becomes zeros.
 *   - sodium_bin2hex and sodium_bin2base64 return NULL if there is no room, sodium_base64_encoded_len 0 for
 *     an unknown variant; sodium_hex2bin and sodium_base642bin do not set errno.
 */
#ifndef CULET_SODIUM_H
#define CULET_SODIUM_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "culet/nacl.h"

#if defined(__GNUC__) || defined(__clang__)
#define CULET_ALIGN(bytes) __attribute__((aligned(bytes)))
#elif defined(_MSC_VER)
#define CULET_ALIGN(bytes) __declspec(align(bytes))
#else
#define CULET_ALIGN(bytes)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define SODIUM_VERSION_STRING "1.0.18"
#define SODIUM_LIBRARY_VERSION_MAJOR 10
#define SODIUM_LIBRARY_VERSION_MINOR 3
#define SODIUM_LIBRARY_MINIMAL 1
#define SODIUM_MIN(A, B) ((A) < (B) ? (A) : (B))
#define SODIUM_SIZE_MAX SODIUM_MIN(UINT64_MAX, SIZE_MAX)

const char *sodium_version_string(void);
int sodium_library_version_major(void);
int sodium_library_version_minor(void);
int sodium_library_minimal(void);

/* 0 for the first call, 1 for others. No function needs it. */
CULET_CHECK
int sodium_init(void);

/* Calls the function that the program has chosen, if there is one, and ends the program. That is for a program without randomness, too; other
 * misuse is refused with -1. */
void sodium_misuse(void);
int sodium_set_misuse_handler(void (*handler)(void));

/* 1 if the CPU has a feature, 0 if not. */
int sodium_runtime_has_neon(void);
int sodium_runtime_has_sse2(void);
int sodium_runtime_has_sse3(void);
int sodium_runtime_has_ssse3(void);
int sodium_runtime_has_sse41(void);
int sodium_runtime_has_avx(void);
int sodium_runtime_has_avx2(void);
int sodium_runtime_has_avx512f(void);
int sodium_runtime_has_pclmul(void);
int sodium_runtime_has_aesni(void);
int sodium_runtime_has_rdrand(void);

/* Secret-key boxes. `easy` functions put the tag before the encrypted message. */
#define crypto_secretbox_xsalsa20poly1305_MACBYTES 16U
#define crypto_secretbox_xsalsa20poly1305_MESSAGEBYTES_MAX (SODIUM_SIZE_MAX - 16U)
#define crypto_secretbox_MACBYTES crypto_secretbox_xsalsa20poly1305_MACBYTES
#define crypto_secretbox_MESSAGEBYTES_MAX crypto_secretbox_xsalsa20poly1305_MESSAGEBYTES_MAX

size_t crypto_secretbox_keybytes(void);
size_t crypto_secretbox_noncebytes(void);
size_t crypto_secretbox_macbytes(void);
size_t crypto_secretbox_messagebytes_max(void);
size_t crypto_secretbox_zerobytes(void);
size_t crypto_secretbox_boxzerobytes(void);
size_t crypto_secretbox_xsalsa20poly1305_keybytes(void);
size_t crypto_secretbox_xsalsa20poly1305_noncebytes(void);
size_t crypto_secretbox_xsalsa20poly1305_macbytes(void);
size_t crypto_secretbox_xsalsa20poly1305_messagebytes_max(void);
size_t crypto_secretbox_xsalsa20poly1305_zerobytes(void);
size_t crypto_secretbox_xsalsa20poly1305_boxzerobytes(void);
const char *crypto_secretbox_primitive(void);
int crypto_secretbox_easy(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                          const unsigned char *n, const unsigned char *k);
CULET_CHECK
int crypto_secretbox_open_easy(unsigned char *m, const unsigned char *c, unsigned long long clen,
                               const unsigned char *n, const unsigned char *k);
int crypto_secretbox_detached(unsigned char *c, unsigned char *mac, const unsigned char *m,
                              unsigned long long mlen, const unsigned char *n, const unsigned char *k);
CULET_CHECK
int crypto_secretbox_open_detached(unsigned char *m, const unsigned char *c, const unsigned char *mac,
                                   unsigned long long clen, const unsigned char *n, const unsigned char *k);
void crypto_secretbox_keygen(unsigned char *k);
void crypto_secretbox_xsalsa20poly1305_keygen(unsigned char *k);

/* Public-key boxes. */
#define crypto_box_curve25519xsalsa20poly1305_SEEDBYTES 32U
#define crypto_box_curve25519xsalsa20poly1305_MACBYTES 16U
#define crypto_box_curve25519xsalsa20poly1305_MESSAGEBYTES_MAX (SODIUM_SIZE_MAX - 16U)
#define crypto_box_SEEDBYTES crypto_box_curve25519xsalsa20poly1305_SEEDBYTES
#define crypto_box_MACBYTES crypto_box_curve25519xsalsa20poly1305_MACBYTES
#define crypto_box_MESSAGEBYTES_MAX crypto_box_curve25519xsalsa20poly1305_MESSAGEBYTES_MAX

size_t crypto_box_seedbytes(void);
size_t crypto_box_publickeybytes(void);
size_t crypto_box_secretkeybytes(void);
size_t crypto_box_beforenmbytes(void);
size_t crypto_box_noncebytes(void);
size_t crypto_box_macbytes(void);
size_t crypto_box_messagebytes_max(void);
size_t crypto_box_zerobytes(void);
size_t crypto_box_boxzerobytes(void);
size_t crypto_box_curve25519xsalsa20poly1305_seedbytes(void);
size_t crypto_box_curve25519xsalsa20poly1305_publickeybytes(void);
size_t crypto_box_curve25519xsalsa20poly1305_secretkeybytes(void);
size_t crypto_box_curve25519xsalsa20poly1305_beforenmbytes(void);
size_t crypto_box_curve25519xsalsa20poly1305_noncebytes(void);
size_t crypto_box_curve25519xsalsa20poly1305_macbytes(void);
size_t crypto_box_curve25519xsalsa20poly1305_messagebytes_max(void);
size_t crypto_box_curve25519xsalsa20poly1305_zerobytes(void);
size_t crypto_box_curve25519xsalsa20poly1305_boxzerobytes(void);
const char *crypto_box_primitive(void);
int crypto_box_seed_keypair(unsigned char *pk, unsigned char *sk, const unsigned char *seed);
int crypto_box_curve25519xsalsa20poly1305_seed_keypair(unsigned char *pk, unsigned char *sk,
    const unsigned char *seed);
CULET_CHECK
int crypto_box_easy(unsigned char *c, const unsigned char *m, unsigned long long mlen, const unsigned char *n,
                    const unsigned char *pk, const unsigned char *sk);
CULET_CHECK
int crypto_box_open_easy(unsigned char *m, const unsigned char *c, unsigned long long clen,
                         const unsigned char *n, const unsigned char *pk, const unsigned char *sk);
CULET_CHECK
int crypto_box_detached(unsigned char *c, unsigned char *mac, const unsigned char *m, unsigned long long mlen,
                        const unsigned char *n, const unsigned char *pk, const unsigned char *sk);
CULET_CHECK
int crypto_box_open_detached(unsigned char *m, const unsigned char *c, const unsigned char *mac,
                             unsigned long long clen, const unsigned char *n, const unsigned char *pk,
                             const unsigned char *sk);
int crypto_box_easy_afternm(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                            const unsigned char *n, const unsigned char *k);
CULET_CHECK
int crypto_box_open_easy_afternm(unsigned char *m, const unsigned char *c, unsigned long long clen,
                                 const unsigned char *n, const unsigned char *k);
int crypto_box_detached_afternm(unsigned char *c, unsigned char *mac, const unsigned char *m,
                                unsigned long long mlen, const unsigned char *n, const unsigned char *k);
CULET_CHECK
int crypto_box_open_detached_afternm(unsigned char *m, const unsigned char *c, const unsigned char *mac,
                                     unsigned long long clen, const unsigned char *n, const unsigned char *k);

/* Sealed boxes, which do not name their sender: a public key and a tag come before the message. */
#define crypto_box_SEALBYTES 48U

size_t crypto_box_sealbytes(void);
int crypto_box_seal(unsigned char *c, const unsigned char *m, unsigned long long mlen, const unsigned char *pk);
CULET_CHECK
int crypto_box_seal_open(unsigned char *m, const unsigned char *c, unsigned long long clen,
                         const unsigned char *pk, const unsigned char *sk);

/* Authenticated encryption with additional data. `nsec` is not read. A length that is not wanted
 * may be NULL. */
#define crypto_aead_chacha20poly1305_ietf_KEYBYTES 32U
#define crypto_aead_chacha20poly1305_ietf_NSECBYTES 0U
#define crypto_aead_chacha20poly1305_ietf_NPUBBYTES 12U
#define crypto_aead_chacha20poly1305_ietf_ABYTES 16U
#define crypto_aead_chacha20poly1305_ietf_MESSAGEBYTES_MAX SODIUM_MIN(SODIUM_SIZE_MAX - 16U, 64ULL * ((1ULL << 32) - 1ULL))
#define crypto_aead_chacha20poly1305_IETF_KEYBYTES crypto_aead_chacha20poly1305_ietf_KEYBYTES
#define crypto_aead_chacha20poly1305_IETF_NSECBYTES crypto_aead_chacha20poly1305_ietf_NSECBYTES
#define crypto_aead_chacha20poly1305_IETF_NPUBBYTES crypto_aead_chacha20poly1305_ietf_NPUBBYTES
#define crypto_aead_chacha20poly1305_IETF_ABYTES crypto_aead_chacha20poly1305_ietf_ABYTES
#define crypto_aead_chacha20poly1305_IETF_MESSAGEBYTES_MAX crypto_aead_chacha20poly1305_ietf_MESSAGEBYTES_MAX
#define crypto_aead_xchacha20poly1305_ietf_KEYBYTES 32U
#define crypto_aead_xchacha20poly1305_ietf_NSECBYTES 0U
#define crypto_aead_xchacha20poly1305_ietf_NPUBBYTES 24U
#define crypto_aead_xchacha20poly1305_ietf_ABYTES 16U
#define crypto_aead_xchacha20poly1305_ietf_MESSAGEBYTES_MAX SODIUM_MIN(SODIUM_SIZE_MAX - 16U, 64ULL * ((1ULL << 32) - 1ULL))
#define crypto_aead_xchacha20poly1305_IETF_KEYBYTES crypto_aead_xchacha20poly1305_ietf_KEYBYTES
#define crypto_aead_xchacha20poly1305_IETF_NSECBYTES crypto_aead_xchacha20poly1305_ietf_NSECBYTES
#define crypto_aead_xchacha20poly1305_IETF_NPUBBYTES crypto_aead_xchacha20poly1305_ietf_NPUBBYTES
#define crypto_aead_xchacha20poly1305_IETF_ABYTES crypto_aead_xchacha20poly1305_ietf_ABYTES
#define crypto_aead_xchacha20poly1305_IETF_MESSAGEBYTES_MAX crypto_aead_xchacha20poly1305_ietf_MESSAGEBYTES_MAX

size_t crypto_aead_chacha20poly1305_ietf_keybytes(void);
size_t crypto_aead_chacha20poly1305_ietf_nsecbytes(void);
size_t crypto_aead_chacha20poly1305_ietf_npubbytes(void);
size_t crypto_aead_chacha20poly1305_ietf_abytes(void);
size_t crypto_aead_chacha20poly1305_ietf_messagebytes_max(void);
int crypto_aead_chacha20poly1305_ietf_encrypt(unsigned char *c, unsigned long long *clen,
                                              const unsigned char *m, unsigned long long mlen,
                                              const unsigned char *ad, unsigned long long adlen,
                                              const unsigned char *nsec, const unsigned char *npub,
                                              const unsigned char *k);
CULET_CHECK
int crypto_aead_chacha20poly1305_ietf_decrypt(unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
                                              const unsigned char *c, unsigned long long clen,
                                              const unsigned char *ad, unsigned long long adlen,
                                              const unsigned char *npub, const unsigned char *k);
int crypto_aead_chacha20poly1305_ietf_encrypt_detached(unsigned char *c, unsigned char *mac,
    unsigned long long *maclen, const unsigned char *m, unsigned long long mlen, const unsigned char *ad,
    unsigned long long adlen, const unsigned char *nsec, const unsigned char *npub, const unsigned char *k);
CULET_CHECK
int crypto_aead_chacha20poly1305_ietf_decrypt_detached(unsigned char *m, unsigned char *nsec,
    const unsigned char *c, unsigned long long clen, const unsigned char *mac, const unsigned char *ad,
    unsigned long long adlen, const unsigned char *npub, const unsigned char *k);
void crypto_aead_chacha20poly1305_ietf_keygen(unsigned char *k);
size_t crypto_aead_xchacha20poly1305_ietf_keybytes(void);
size_t crypto_aead_xchacha20poly1305_ietf_nsecbytes(void);
size_t crypto_aead_xchacha20poly1305_ietf_npubbytes(void);
size_t crypto_aead_xchacha20poly1305_ietf_abytes(void);
size_t crypto_aead_xchacha20poly1305_ietf_messagebytes_max(void);
int crypto_aead_xchacha20poly1305_ietf_encrypt(unsigned char *c, unsigned long long *clen,
                                               const unsigned char *m, unsigned long long mlen,
                                               const unsigned char *ad, unsigned long long adlen,
                                               const unsigned char *nsec, const unsigned char *npub,
                                               const unsigned char *k);
CULET_CHECK
int crypto_aead_xchacha20poly1305_ietf_decrypt(unsigned char *m, unsigned long long *mlen,
                                               unsigned char *nsec, const unsigned char *c,
                                               unsigned long long clen, const unsigned char *ad,
                                               unsigned long long adlen, const unsigned char *npub,
                                               const unsigned char *k);
int crypto_aead_xchacha20poly1305_ietf_encrypt_detached(unsigned char *c, unsigned char *mac,
    unsigned long long *maclen, const unsigned char *m, unsigned long long mlen, const unsigned char *ad,
    unsigned long long adlen, const unsigned char *nsec, const unsigned char *npub, const unsigned char *k);
CULET_CHECK
int crypto_aead_xchacha20poly1305_ietf_decrypt_detached(unsigned char *m, unsigned char *nsec,
    const unsigned char *c, unsigned long long clen, const unsigned char *mac, const unsigned char *ad,
    unsigned long long adlen, const unsigned char *npub, const unsigned char *k);
void crypto_aead_xchacha20poly1305_ietf_keygen(unsigned char *k);

/* AES-256-GCM, which is available on every CPU. A prepared key may be used by several threads at a
 * time; it must lie apart from the output, and has no end but sodium_memzero. */
#define crypto_aead_aes256gcm_KEYBYTES 32U
#define crypto_aead_aes256gcm_NSECBYTES 0U
#define crypto_aead_aes256gcm_NPUBBYTES 12U
#define crypto_aead_aes256gcm_ABYTES 16U
#define crypto_aead_aes256gcm_MESSAGEBYTES_MAX SODIUM_MIN(SODIUM_SIZE_MAX - 16U, 16ULL * ((1ULL << 32) - 2ULL))

typedef struct CULET_ALIGN(16) crypto_aead_aes256gcm_state {
    uint64_t opaque[160];
} crypto_aead_aes256gcm_state;

int crypto_aead_aes256gcm_is_available(void);
size_t crypto_aead_aes256gcm_keybytes(void);
size_t crypto_aead_aes256gcm_nsecbytes(void);
size_t crypto_aead_aes256gcm_npubbytes(void);
size_t crypto_aead_aes256gcm_abytes(void);
size_t crypto_aead_aes256gcm_messagebytes_max(void);
size_t crypto_aead_aes256gcm_statebytes(void);
int crypto_aead_aes256gcm_encrypt(unsigned char *c, unsigned long long *clen,
                                  const unsigned char *m, unsigned long long mlen,
                                  const unsigned char *ad, unsigned long long adlen,
                                  const unsigned char *nsec, const unsigned char *npub,
                                  const unsigned char *k);
CULET_CHECK
int crypto_aead_aes256gcm_decrypt(unsigned char *m, unsigned long long *mlen, unsigned char *nsec,
                                  const unsigned char *c, unsigned long long clen,
                                  const unsigned char *ad, unsigned long long adlen,
                                  const unsigned char *npub, const unsigned char *k);
int crypto_aead_aes256gcm_encrypt_detached(unsigned char *c, unsigned char *mac,
    unsigned long long *maclen, const unsigned char *m, unsigned long long mlen, const unsigned char *ad,
    unsigned long long adlen, const unsigned char *nsec, const unsigned char *npub, const unsigned char *k);
CULET_CHECK
int crypto_aead_aes256gcm_decrypt_detached(unsigned char *m, unsigned char *nsec,
    const unsigned char *c, unsigned long long clen, const unsigned char *mac, const unsigned char *ad,
    unsigned long long adlen, const unsigned char *npub, const unsigned char *k);
int crypto_aead_aes256gcm_beforenm(crypto_aead_aes256gcm_state *state, const unsigned char *k);
int crypto_aead_aes256gcm_encrypt_afternm(unsigned char *c, unsigned long long *clen,
    const unsigned char *m, unsigned long long mlen, const unsigned char *ad, unsigned long long adlen,
    const unsigned char *nsec, const unsigned char *npub, const crypto_aead_aes256gcm_state *state);
CULET_CHECK
int crypto_aead_aes256gcm_decrypt_afternm(unsigned char *m, unsigned long long *mlen,
    unsigned char *nsec, const unsigned char *c, unsigned long long clen, const unsigned char *ad,
    unsigned long long adlen, const unsigned char *npub, const crypto_aead_aes256gcm_state *state);
int crypto_aead_aes256gcm_encrypt_detached_afternm(unsigned char *c, unsigned char *mac,
    unsigned long long *maclen, const unsigned char *m, unsigned long long mlen, const unsigned char *ad,
    unsigned long long adlen, const unsigned char *nsec, const unsigned char *npub,
    const crypto_aead_aes256gcm_state *state);
CULET_CHECK
int crypto_aead_aes256gcm_decrypt_detached_afternm(unsigned char *m, unsigned char *nsec,
    const unsigned char *c, unsigned long long clen, const unsigned char *mac, const unsigned char *ad,
    unsigned long long adlen, const unsigned char *npub, const crypto_aead_aes256gcm_state *state);
void crypto_aead_aes256gcm_keygen(unsigned char *k);

/* Signatures. */
#define crypto_sign_ed25519_SEEDBYTES 32U
#define crypto_sign_ed25519_MESSAGEBYTES_MAX (SODIUM_SIZE_MAX - 64U)
#define crypto_sign_SEEDBYTES crypto_sign_ed25519_SEEDBYTES
#define crypto_sign_MESSAGEBYTES_MAX crypto_sign_ed25519_MESSAGEBYTES_MAX

size_t crypto_sign_bytes(void);
size_t crypto_sign_seedbytes(void);
size_t crypto_sign_publickeybytes(void);
size_t crypto_sign_secretkeybytes(void);
size_t crypto_sign_messagebytes_max(void);
size_t crypto_sign_ed25519_bytes(void);
size_t crypto_sign_ed25519_seedbytes(void);
size_t crypto_sign_ed25519_publickeybytes(void);
size_t crypto_sign_ed25519_secretkeybytes(void);
size_t crypto_sign_ed25519_messagebytes_max(void);
const char *crypto_sign_primitive(void);
int crypto_sign_seed_keypair(unsigned char *pk, unsigned char *sk, const unsigned char *seed);
int crypto_sign_ed25519_seed_keypair(unsigned char *pk, unsigned char *sk, const unsigned char *seed);
int crypto_sign_detached(unsigned char *sig, unsigned long long *siglen, const unsigned char *m,
                         unsigned long long mlen, const unsigned char *sk);
int crypto_sign_ed25519_detached(unsigned char *sig, unsigned long long *siglen, const unsigned char *m,
                                 unsigned long long mlen, const unsigned char *sk);
CULET_CHECK
int crypto_sign_verify_detached(const unsigned char *sig, const unsigned char *m, unsigned long long mlen,
                                const unsigned char *pk);
CULET_CHECK
int crypto_sign_ed25519_verify_detached(const unsigned char *sig, const unsigned char *m,
                                        unsigned long long mlen, const unsigned char *pk);
CULET_CHECK
int crypto_sign_ed25519_pk_to_curve25519(unsigned char *curve25519_pk, const unsigned char *ed25519_pk);
int crypto_sign_ed25519_sk_to_curve25519(unsigned char *curve25519_sk, const unsigned char *ed25519_sk);
int crypto_sign_ed25519_sk_to_seed(unsigned char *seed, const unsigned char *sk);
int crypto_sign_ed25519_sk_to_pk(unsigned char *pk, const unsigned char *sk);

/* X25519. */
size_t crypto_scalarmult_bytes(void);
size_t crypto_scalarmult_scalarbytes(void);
size_t crypto_scalarmult_curve25519_bytes(void);
size_t crypto_scalarmult_curve25519_scalarbytes(void);
const char *crypto_scalarmult_primitive(void);

/* Keys with numbers from a key: BLAKE2b with the number as its salt. */
#define crypto_kdf_blake2b_BYTES_MIN 16
#define crypto_kdf_blake2b_BYTES_MAX 64
#define crypto_kdf_blake2b_CONTEXTBYTES 8
#define crypto_kdf_blake2b_KEYBYTES 32
#define crypto_kdf_BYTES_MIN crypto_kdf_blake2b_BYTES_MIN
#define crypto_kdf_BYTES_MAX crypto_kdf_blake2b_BYTES_MAX
#define crypto_kdf_CONTEXTBYTES crypto_kdf_blake2b_CONTEXTBYTES
#define crypto_kdf_KEYBYTES crypto_kdf_blake2b_KEYBYTES
#define crypto_kdf_PRIMITIVE "blake2b"

size_t crypto_kdf_bytes_min(void);
size_t crypto_kdf_bytes_max(void);
size_t crypto_kdf_contextbytes(void);
size_t crypto_kdf_keybytes(void);
size_t crypto_kdf_blake2b_bytes_min(void);
size_t crypto_kdf_blake2b_bytes_max(void);
size_t crypto_kdf_blake2b_contextbytes(void);
size_t crypto_kdf_blake2b_keybytes(void);
const char *crypto_kdf_primitive(void);
int crypto_kdf_derive_from_key(unsigned char *subkey, size_t subkey_len, uint64_t subkey_id, const char *ctx,
                               const unsigned char *key);
int crypto_kdf_blake2b_derive_from_key(unsigned char *subkey, size_t subkey_len, uint64_t subkey_id,
                                       const char *ctx, const unsigned char *key);
void crypto_kdf_keygen(unsigned char *k);

/* Messages in order: each has its tag, which is a kind of message, and 17 bytes more than its own. */
#define crypto_secretstream_xchacha20poly1305_ABYTES 17U
#define crypto_secretstream_xchacha20poly1305_HEADERBYTES 24U
#define crypto_secretstream_xchacha20poly1305_KEYBYTES 32U
#define crypto_secretstream_xchacha20poly1305_MESSAGEBYTES_MAX \
    SODIUM_MIN(SODIUM_SIZE_MAX - 17U, 64ULL * ((1ULL << 32) - 2ULL))
#define crypto_secretstream_xchacha20poly1305_TAG_MESSAGE 0
#define crypto_secretstream_xchacha20poly1305_TAG_PUSH 1
#define crypto_secretstream_xchacha20poly1305_TAG_REKEY 2
#define crypto_secretstream_xchacha20poly1305_TAG_FINAL 3

typedef struct crypto_secretstream_xchacha20poly1305_state {
    uint64_t opaque[16];
} crypto_secretstream_xchacha20poly1305_state;

size_t crypto_secretstream_xchacha20poly1305_abytes(void);
size_t crypto_secretstream_xchacha20poly1305_headerbytes(void);
size_t crypto_secretstream_xchacha20poly1305_keybytes(void);
size_t crypto_secretstream_xchacha20poly1305_messagebytes_max(void);
size_t crypto_secretstream_xchacha20poly1305_statebytes(void);
unsigned char crypto_secretstream_xchacha20poly1305_tag_message(void);
unsigned char crypto_secretstream_xchacha20poly1305_tag_push(void);
unsigned char crypto_secretstream_xchacha20poly1305_tag_rekey(void);
unsigned char crypto_secretstream_xchacha20poly1305_tag_final(void);
void crypto_secretstream_xchacha20poly1305_keygen(unsigned char *k);
int crypto_secretstream_xchacha20poly1305_init_push(crypto_secretstream_xchacha20poly1305_state *state,
                                                    unsigned char *header, const unsigned char *k);
int crypto_secretstream_xchacha20poly1305_push(crypto_secretstream_xchacha20poly1305_state *state,
                                               unsigned char *c, unsigned long long *clen_p,
                                               const unsigned char *m, unsigned long long mlen,
                                               const unsigned char *ad, unsigned long long adlen,
                                               unsigned char tag);
int crypto_secretstream_xchacha20poly1305_init_pull(crypto_secretstream_xchacha20poly1305_state *state,
                                                    const unsigned char *header, const unsigned char *k);
int crypto_secretstream_xchacha20poly1305_pull(crypto_secretstream_xchacha20poly1305_state *state,
                                               unsigned char *m, unsigned long long *mlen_p,
                                               unsigned char *tag_p, const unsigned char *c,
                                               unsigned long long clen, const unsigned char *ad,
                                               unsigned long long adlen);
void crypto_secretstream_xchacha20poly1305_rekey(crypto_secretstream_xchacha20poly1305_state *state);

/* The keys of a session, for what is received (rx) and sent (tx), of a client and a server that know
 * each other's public keys. If one place is NULL, the other has one key for both directions. */
#define crypto_kx_PUBLICKEYBYTES 32
#define crypto_kx_SECRETKEYBYTES 32
#define crypto_kx_SEEDBYTES 32
#define crypto_kx_SESSIONKEYBYTES 32
#define crypto_kx_PRIMITIVE "x25519blake2b"

size_t crypto_kx_publickeybytes(void);
size_t crypto_kx_secretkeybytes(void);
size_t crypto_kx_seedbytes(void);
size_t crypto_kx_sessionkeybytes(void);
const char *crypto_kx_primitive(void);
int crypto_kx_seed_keypair(unsigned char *pk, unsigned char *sk, const unsigned char *seed);
int crypto_kx_keypair(unsigned char *pk, unsigned char *sk);
CULET_CHECK
int crypto_kx_client_session_keys(unsigned char *rx, unsigned char *tx, const unsigned char *client_pk,
                                  const unsigned char *client_sk, const unsigned char *server_pk);
CULET_CHECK
int crypto_kx_server_session_keys(unsigned char *rx, unsigned char *tx, const unsigned char *server_pk,
                                  const unsigned char *server_sk, const unsigned char *client_pk);

/* BLAKE2b with digests of 1 to 64 bytes, and with keys of at most as many, or none. A state must lie
 * apart from the parts. */
#define crypto_generichash_blake2b_BYTES_MIN 16U
#define crypto_generichash_blake2b_BYTES_MAX 64U
#define crypto_generichash_blake2b_BYTES 32U
#define crypto_generichash_blake2b_KEYBYTES_MIN 16U
#define crypto_generichash_blake2b_KEYBYTES_MAX 64U
#define crypto_generichash_blake2b_KEYBYTES 32U
#define crypto_generichash_blake2b_SALTBYTES 16U
#define crypto_generichash_blake2b_PERSONALBYTES 16U
#define crypto_generichash_BYTES_MIN crypto_generichash_blake2b_BYTES_MIN
#define crypto_generichash_BYTES_MAX crypto_generichash_blake2b_BYTES_MAX
#define crypto_generichash_BYTES crypto_generichash_blake2b_BYTES
#define crypto_generichash_KEYBYTES_MIN crypto_generichash_blake2b_KEYBYTES_MIN
#define crypto_generichash_KEYBYTES_MAX crypto_generichash_blake2b_KEYBYTES_MAX
#define crypto_generichash_KEYBYTES crypto_generichash_blake2b_KEYBYTES
#define crypto_generichash_PRIMITIVE "blake2b"

typedef struct CULET_ALIGN(64) crypto_generichash_blake2b_state {
    uint64_t opaque[48];
} crypto_generichash_blake2b_state;
typedef crypto_generichash_blake2b_state crypto_generichash_state;

size_t crypto_generichash_bytes_min(void);
size_t crypto_generichash_bytes_max(void);
size_t crypto_generichash_bytes(void);
size_t crypto_generichash_keybytes_min(void);
size_t crypto_generichash_keybytes_max(void);
size_t crypto_generichash_keybytes(void);
size_t crypto_generichash_statebytes(void);
size_t crypto_generichash_blake2b_bytes_min(void);
size_t crypto_generichash_blake2b_bytes_max(void);
size_t crypto_generichash_blake2b_bytes(void);
size_t crypto_generichash_blake2b_keybytes_min(void);
size_t crypto_generichash_blake2b_keybytes_max(void);
size_t crypto_generichash_blake2b_keybytes(void);
size_t crypto_generichash_blake2b_statebytes(void);
size_t crypto_generichash_blake2b_saltbytes(void);
size_t crypto_generichash_blake2b_personalbytes(void);
const char *crypto_generichash_primitive(void);
int crypto_generichash(unsigned char *out, size_t outlen, const unsigned char *in, unsigned long long inlen,
                       const unsigned char *key, size_t keylen);
int crypto_generichash_init(crypto_generichash_state *state, const unsigned char *key, size_t keylen,
                            size_t outlen);
int crypto_generichash_update(crypto_generichash_state *state, const unsigned char *in,
                              unsigned long long inlen);
int crypto_generichash_final(crypto_generichash_state *state, unsigned char *out, size_t outlen);
void crypto_generichash_keygen(unsigned char *k);
int crypto_generichash_blake2b(unsigned char *out, size_t outlen, const unsigned char *in,
                               unsigned long long inlen, const unsigned char *key, size_t keylen);
int crypto_generichash_blake2b_init(crypto_generichash_blake2b_state *state, const unsigned char *key,
                                    size_t keylen, size_t outlen);
int crypto_generichash_blake2b_salt_personal(unsigned char *out, size_t outlen, const unsigned char *in,
                                             unsigned long long inlen, const unsigned char *key, size_t keylen,
                                             const unsigned char *salt, const unsigned char *personal);
int crypto_generichash_blake2b_init_salt_personal(crypto_generichash_blake2b_state *state,
                                                  const unsigned char *key, const size_t keylen,
                                                  const size_t outlen, const unsigned char *salt,
                                                  const unsigned char *personal);
int crypto_generichash_blake2b_update(crypto_generichash_blake2b_state *state, const unsigned char *in,
                                      unsigned long long inlen);
int crypto_generichash_blake2b_final(crypto_generichash_blake2b_state *state, unsigned char *out,
                                     size_t outlen);
void crypto_generichash_blake2b_keygen(unsigned char *k);

/* Hashes and codes, of messages in parts, too. A state must lie apart from the parts. */
typedef struct crypto_hash_sha256_state {
    uint64_t opaque[16];
} crypto_hash_sha256_state;
typedef struct crypto_hash_sha512_state {
    uint64_t opaque[32];
} crypto_hash_sha512_state;
typedef struct crypto_auth_hmacsha256_state {
    uint64_t opaque[26];
} crypto_auth_hmacsha256_state;
typedef struct crypto_auth_hmacsha512_state {
    uint64_t opaque[52];
} crypto_auth_hmacsha512_state;
typedef crypto_auth_hmacsha512_state crypto_auth_hmacsha512256_state;
typedef struct CULET_ALIGN(16) crypto_onetimeauth_poly1305_state {
    uint64_t opaque[32];
} crypto_onetimeauth_poly1305_state;
typedef crypto_onetimeauth_poly1305_state crypto_onetimeauth_state;
#define crypto_auth_hmacsha512_BYTES 64U
#define crypto_auth_hmacsha512_KEYBYTES 32U

size_t crypto_hash_bytes(void);
size_t crypto_hash_sha256_bytes(void);
size_t crypto_hash_sha512_bytes(void);
size_t crypto_auth_bytes(void);
size_t crypto_auth_keybytes(void);
size_t crypto_auth_hmacsha256_bytes(void);
size_t crypto_auth_hmacsha256_keybytes(void);
size_t crypto_auth_hmacsha512_bytes(void);
size_t crypto_auth_hmacsha512_keybytes(void);
size_t crypto_auth_hmacsha512256_bytes(void);
size_t crypto_auth_hmacsha512256_keybytes(void);
size_t crypto_onetimeauth_bytes(void);
size_t crypto_onetimeauth_keybytes(void);
size_t crypto_onetimeauth_poly1305_bytes(void);
size_t crypto_onetimeauth_poly1305_keybytes(void);
const char *crypto_hash_primitive(void);
const char *crypto_auth_primitive(void);
const char *crypto_onetimeauth_primitive(void);
int crypto_auth_hmacsha512(unsigned char *out, const unsigned char *m, unsigned long long mlen,
                           const unsigned char *k);
CULET_CHECK
int crypto_auth_hmacsha512_verify(const unsigned char *h, const unsigned char *m, unsigned long long mlen,
                                  const unsigned char *k);
size_t crypto_hash_sha256_statebytes(void);
int crypto_hash_sha256_init(crypto_hash_sha256_state *state);
int crypto_hash_sha256_update(crypto_hash_sha256_state *state, const unsigned char *in,
                              unsigned long long inlen);
int crypto_hash_sha256_final(crypto_hash_sha256_state *state, unsigned char *out);
size_t crypto_hash_sha512_statebytes(void);
int crypto_hash_sha512_init(crypto_hash_sha512_state *state);
int crypto_hash_sha512_update(crypto_hash_sha512_state *state, const unsigned char *in,
                              unsigned long long inlen);
int crypto_hash_sha512_final(crypto_hash_sha512_state *state, unsigned char *out);
size_t crypto_auth_hmacsha256_statebytes(void);
int crypto_auth_hmacsha256_init(crypto_auth_hmacsha256_state *state, const unsigned char *key, size_t keylen);
int crypto_auth_hmacsha256_update(crypto_auth_hmacsha256_state *state, const unsigned char *in,
                                  unsigned long long inlen);
int crypto_auth_hmacsha256_final(crypto_auth_hmacsha256_state *state, unsigned char *out);
void crypto_auth_hmacsha256_keygen(unsigned char *k);
size_t crypto_auth_hmacsha512_statebytes(void);
int crypto_auth_hmacsha512_init(crypto_auth_hmacsha512_state *state, const unsigned char *key, size_t keylen);
int crypto_auth_hmacsha512_update(crypto_auth_hmacsha512_state *state, const unsigned char *in,
                                  unsigned long long inlen);
int crypto_auth_hmacsha512_final(crypto_auth_hmacsha512_state *state, unsigned char *out);
void crypto_auth_hmacsha512_keygen(unsigned char *k);
size_t crypto_auth_hmacsha512256_statebytes(void);
int crypto_auth_hmacsha512256_init(crypto_auth_hmacsha512256_state *state, const unsigned char *key,
                                   size_t keylen);
int crypto_auth_hmacsha512256_update(crypto_auth_hmacsha512256_state *state, const unsigned char *in,
                                     unsigned long long inlen);
int crypto_auth_hmacsha512256_final(crypto_auth_hmacsha512256_state *state, unsigned char *out);
void crypto_auth_hmacsha512256_keygen(unsigned char *k);
size_t crypto_onetimeauth_statebytes(void);
int crypto_onetimeauth_init(crypto_onetimeauth_state *state, const unsigned char *key);
int crypto_onetimeauth_update(crypto_onetimeauth_state *state, const unsigned char *in,
                              unsigned long long inlen);
int crypto_onetimeauth_final(crypto_onetimeauth_state *state, unsigned char *out);
void crypto_onetimeauth_keygen(unsigned char *k);
size_t crypto_onetimeauth_poly1305_statebytes(void);
int crypto_onetimeauth_poly1305_init(crypto_onetimeauth_poly1305_state *state, const unsigned char *key);
int crypto_onetimeauth_poly1305_update(crypto_onetimeauth_poly1305_state *state, const unsigned char *in,
                                       unsigned long long inlen);
int crypto_onetimeauth_poly1305_final(crypto_onetimeauth_poly1305_state *state, unsigned char *out);
void crypto_onetimeauth_poly1305_keygen(unsigned char *k);
void crypto_auth_keygen(unsigned char *k);

/* Bare stream ciphers; `_xor_ic` begins with block `ic` of 64 bytes. */
#define crypto_stream_chacha20_KEYBYTES 32U
#define crypto_stream_chacha20_NONCEBYTES 8U
#define crypto_stream_chacha20_ietf_KEYBYTES 32U
#define crypto_stream_chacha20_ietf_NONCEBYTES 12U
#define crypto_stream_xchacha20_KEYBYTES 32U
#define crypto_stream_xchacha20_NONCEBYTES 24U
#define crypto_stream_chacha20_IETF_KEYBYTES crypto_stream_chacha20_ietf_KEYBYTES
#define crypto_stream_chacha20_IETF_NONCEBYTES crypto_stream_chacha20_ietf_NONCEBYTES
#define crypto_stream_xsalsa20_MESSAGEBYTES_MAX SODIUM_SIZE_MAX
#define crypto_stream_MESSAGEBYTES_MAX crypto_stream_xsalsa20_MESSAGEBYTES_MAX
#define crypto_stream_salsa20_MESSAGEBYTES_MAX SODIUM_SIZE_MAX
#define crypto_stream_chacha20_ietf_MESSAGEBYTES_MAX SODIUM_MIN(SODIUM_SIZE_MAX, 64ULL * (1ULL << 32))
#define crypto_stream_chacha20_IETF_MESSAGEBYTES_MAX crypto_stream_chacha20_ietf_MESSAGEBYTES_MAX
#define crypto_stream_chacha20_MESSAGEBYTES_MAX crypto_stream_chacha20_ietf_MESSAGEBYTES_MAX
#define crypto_stream_xchacha20_MESSAGEBYTES_MAX crypto_stream_chacha20_ietf_MESSAGEBYTES_MAX

size_t crypto_stream_keybytes(void);
size_t crypto_stream_noncebytes(void);
size_t crypto_stream_messagebytes_max(void);
void crypto_stream_keygen(unsigned char *k);
size_t crypto_stream_xsalsa20_keybytes(void);
size_t crypto_stream_xsalsa20_noncebytes(void);
size_t crypto_stream_xsalsa20_messagebytes_max(void);
void crypto_stream_xsalsa20_keygen(unsigned char *k);
size_t crypto_stream_salsa20_keybytes(void);
size_t crypto_stream_salsa20_noncebytes(void);
size_t crypto_stream_salsa20_messagebytes_max(void);
void crypto_stream_salsa20_keygen(unsigned char *k);
size_t crypto_stream_chacha20_keybytes(void);
size_t crypto_stream_chacha20_noncebytes(void);
size_t crypto_stream_chacha20_messagebytes_max(void);
void crypto_stream_chacha20_keygen(unsigned char *k);
size_t crypto_stream_chacha20_ietf_keybytes(void);
size_t crypto_stream_chacha20_ietf_noncebytes(void);
size_t crypto_stream_chacha20_ietf_messagebytes_max(void);
void crypto_stream_chacha20_ietf_keygen(unsigned char *k);
size_t crypto_stream_xchacha20_keybytes(void);
size_t crypto_stream_xchacha20_noncebytes(void);
size_t crypto_stream_xchacha20_messagebytes_max(void);
void crypto_stream_xchacha20_keygen(unsigned char *k);
const char *crypto_stream_primitive(void);
int crypto_stream_chacha20(unsigned char *c, unsigned long long clen, const unsigned char *n,
                           const unsigned char *k);
int crypto_stream_chacha20_ietf(unsigned char *c, unsigned long long clen, const unsigned char *n,
                                const unsigned char *k);
int crypto_stream_xchacha20(unsigned char *c, unsigned long long clen, const unsigned char *n,
                            const unsigned char *k);
int crypto_stream_chacha20_xor(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                               const unsigned char *n, const unsigned char *k);
int crypto_stream_chacha20_ietf_xor(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                                    const unsigned char *n, const unsigned char *k);
int crypto_stream_xchacha20_xor(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                                const unsigned char *n, const unsigned char *k);
int crypto_stream_xsalsa20_xor_ic(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                                  const unsigned char *n, uint64_t ic, const unsigned char *k);
int crypto_stream_salsa20_xor_ic(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                                 const unsigned char *n, uint64_t ic, const unsigned char *k);
int crypto_stream_chacha20_xor_ic(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                                  const unsigned char *n, uint64_t ic, const unsigned char *k);
int crypto_stream_xchacha20_xor_ic(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                                   const unsigned char *n, uint64_t ic, const unsigned char *k);
int crypto_stream_chacha20_ietf_xor_ic(unsigned char *c, const unsigned char *m, unsigned long long mlen,
                                       const unsigned char *n, uint32_t ic, const unsigned char *k);

/* Comparison, in time that depends on the length only, and erasure. */
#define crypto_verify_64_BYTES 64U

size_t crypto_verify_16_bytes(void);
size_t crypto_verify_32_bytes(void);
size_t crypto_verify_64_bytes(void);
CULET_CHECK
int crypto_verify_64(const unsigned char *x, const unsigned char *y);
CULET_CHECK
int sodium_memcmp(const void *a, const void *b, size_t length);
void sodium_memzero(void *memory, size_t length);

/* Writes zeros over so many bytes of the stack, or some more, that functions called before have used. */
void sodium_stackzero(size_t len);

#if !defined(_WIN32)
/*
 * Memory between pages that nobody may touch; its end is the end of a page, so that addresses of it are aligned as its size is. It is filled
 * with 0xdb, kept out of swap files and dumps where the system allows that, and erased when it is freed. The program ends if it touches
 * bytes behind the memory, or if it frees memory before which it has written. NULL if there is none; sodium_free of NULL does nothing.
 */
void *sodium_malloc(size_t size);
void *sodium_allocarray(size_t count, size_t size);
void sodium_free(void *ptr);

/* Such memory may not be touched, may only be read, or may be used as before. */
int sodium_mprotect_noaccess(void *ptr);
int sodium_mprotect_readonly(void *ptr);
int sodium_mprotect_readwrite(void *ptr);

/* Keeps any memory out of swap files and dumps; and erases it, and ends that. */
int sodium_mlock(void *addr, size_t len);
int sodium_munlock(void *addr, size_t len);
#endif

/* 1 if all bytes are zero, 0 if not. */
int sodium_is_zero(const unsigned char *bytes, size_t length);

/* Adds 1 to a number, least significant byte first. */
void sodium_increment(unsigned char *number, size_t length);

/* Sums and differences of numbers of one length, least significant byte first; the first one becomes the result. */
void sodium_add(unsigned char *a, const unsigned char *b, size_t length);
void sodium_sub(unsigned char *a, const unsigned char *b, size_t length);

/* -1, 0 or 1, as the first number is less than the second one, equal or greater. */
CULET_CHECK
int sodium_compare(const unsigned char *a, const unsigned char *b, size_t length);

/* Fills a message up to whole blocks, by the byte 0x80 and zeros (ISO/IEC 7816-4), and back. */
int sodium_pad(size_t *padded_buflen_p, unsigned char *buf, size_t unpadded_buflen, size_t blocksize,
               size_t max_buflen);
int sodium_unpad(size_t *unpadded_buflen_p, const unsigned char *buf, size_t padded_buflen, size_t blocksize);

/* Base64 (RFC 4648), and zero bytes after it; and back. */
#define sodium_base64_VARIANT_ORIGINAL 1
#define sodium_base64_VARIANT_ORIGINAL_NO_PADDING 3
#define sodium_base64_VARIANT_URLSAFE 5
#define sodium_base64_VARIANT_URLSAFE_NO_PADDING 7
#define sodium_base64_ENCODED_LEN(BIN_LEN, VARIANT)                                            \
    (((BIN_LEN) / 3U) * 4U + 1U +                                                              \
     ((BIN_LEN) % 3U == 0U ? 0U : (((unsigned)(VARIANT)) & 2U) == 0U ? 4U : (BIN_LEN) % 3U + 1U))

size_t sodium_base64_encoded_len(size_t bin_len, int variant);
char *sodium_bin2base64(char *b64, size_t b64_maxlen, const unsigned char *bin, size_t bin_len, int variant);
int sodium_base642bin(unsigned char *bin, size_t bin_maxlen, const char *b64, size_t b64_len, const char *ignore,
                      size_t *bin_len, const char **b64_end, int variant);

/* Hexadecimal digits, and a zero byte after them; and back. */
char *sodium_bin2hex(char *hex, size_t hex_maxlen, const unsigned char *bin, size_t bin_len);
int sodium_hex2bin(unsigned char *bin, size_t bin_maxlen, const char *hex, size_t hex_len, const char *ignore,
                   size_t *bin_len, const char **hex_end);

/*
 * Randomness, from the operating system, or from a source that the program has chosen, which must
 * stay where it is. A program that has none ends; see the top of this file. The deterministic one is ChaCha20's key stream
 * for a seed. With null, randombytes_buf writes nothing, and the program goes on; randombytes_buf_deterministic ends it.
 */
typedef struct randombytes_implementation {
    const char *(*implementation_name)(void);
    uint32_t (*random)(void);
    void (*stir)(void);
    uint32_t (*uniform)(const uint32_t upper_bound);
    void (*buf)(void *const buf, const size_t size);
    int (*close)(void);
} randombytes_implementation;
#define randombytes_SEEDBYTES 32U
#define randombytes_BYTES_MAX SODIUM_MIN(SODIUM_SIZE_MAX, 0xffffffffUL)

size_t randombytes_seedbytes(void);
void randombytes_buf(void *buf, size_t size);
void randombytes_buf_deterministic(void *buf, size_t size, const unsigned char seed[randombytes_SEEDBYTES]);
uint32_t randombytes_random(void);
uint32_t randombytes_uniform(uint32_t upper_bound);
void randombytes_stir(void);
int randombytes_close(void);
int randombytes_set_implementation(randombytes_implementation *source);
const char *randombytes_implementation_name(void);

#ifdef __cplusplus
}
#endif

#endif
