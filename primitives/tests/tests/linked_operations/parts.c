/* Operations in parts, each as one function: what is kept between the parts is on its stack. They are proved as programs are that use the
 * library, and not run. */

#include <stddef.h>
#include <stdint.h>

#include "culet.h"

/* A hash of two texts that follow each other. */
#define HASH(name)                                                                                                      \
    int name##_in_parts(uint8_t *digest, const uint8_t *message, size_t length, const uint8_t *rest, size_t rest_length) \
    {                                                                                                                   \
        culet_##name##_context context;                                                                                 \
        if (culet_##name##_init(&context) != 0 || culet_##name##_update(&context, message, length) != 0 ||              \
            culet_##name##_update(&context, rest, rest_length) != 0)                                                    \
            return -1;                                                                                                  \
        return culet_##name##_final(&context, digest);                                                                  \
    }

HASH(sha224)
HASH(sha256)
HASH(sha384)
HASH(sha512)
HASH(sha512_256)
HASH(sha3_224)
HASH(sha3_256)
HASH(sha3_384)
HASH(sha3_512)
HASH(ascon_hash256)

/* Output of any length of two texts that follow each other, in two parts. */
#define OUTPUT(name)                                                                                                     \
    int name##_in_parts(uint8_t *out, size_t length, uint8_t *more, size_t more_length, const uint8_t *message,          \
                        size_t message_length, const uint8_t *rest, size_t rest_length)                                 \
    {                                                                                                                   \
        culet_##name##_context context;                                                                                 \
        if (culet_##name##_init(&context) != 0 || culet_##name##_update(&context, message, message_length) != 0 ||      \
            culet_##name##_update(&context, rest, rest_length) != 0 || culet_##name##_read(&context, out, length) != 0) \
            return -1;                                                                                                  \
        return culet_##name##_final(&context, more, more_length);                                                       \
    }

OUTPUT(shake128)
OUTPUT(shake256)
OUTPUT(ascon_xof128)

/* A hash with a key, of two texts that follow each other. */
#define KEYED_HASH(name)                                                                                                \
    int name##_in_parts(uint8_t *digest, size_t digest_length, const uint8_t *key, size_t key_length,                   \
                        const uint8_t *message, size_t length, const uint8_t *rest, size_t rest_length)                 \
    {                                                                                                                   \
        culet_##name##_context context;                                                                                 \
        if (culet_##name##_init(&context, digest_length, key, key_length) != 0 ||                                       \
            culet_##name##_update(&context, message, length) != 0 ||                                                    \
            culet_##name##_update(&context, rest, rest_length) != 0)                                                    \
            return -1;                                                                                                  \
        return culet_##name##_final(&context, digest, digest_length);                                                   \
    }

KEYED_HASH(blake2b)
KEYED_HASH(blake2s)

/* A tag of two texts that follow each other. */
#define TAG(name)                                                                                                       \
    int name##_in_parts(uint8_t *tag, const uint8_t *key, size_t key_length, const uint8_t *message, size_t length,     \
                        const uint8_t *rest, size_t rest_length)                                                        \
    {                                                                                                                   \
        culet_##name##_context context;                                                                                 \
        if (culet_##name##_init(&context, key, key_length) != 0 ||                                                      \
            culet_##name##_update(&context, message, length) != 0 ||                                                    \
            culet_##name##_update(&context, rest, rest_length) != 0)                                                    \
            return -1;                                                                                                  \
        return culet_##name##_final(&context, tag);                                                                     \
    }

TAG(hmac_sha224)
TAG(hmac_sha256)
TAG(hmac_sha384)
TAG(hmac_sha512)

int poly1305_in_parts(uint8_t tag[16], const uint8_t key[32], const uint8_t *message, size_t length,
                      const uint8_t *rest, size_t rest_length)
{
    culet_poly1305_context context;
    if (culet_poly1305_init(&context, key) != 0 || culet_poly1305_update(&context, message, length) != 0 ||
        culet_poly1305_update(&context, rest, rest_length) != 0)
        return -1;
    return culet_poly1305_final(&context, tag);
}

/* A message that is sealed with a prepared key, and one that is opened. */
#define PREPARED(name, bytes)                                                                                           \
    int name##_seal_prepared(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length,                   \
                             const uint8_t *additional, size_t additional_length, const uint8_t nonce[12],              \
                             const uint8_t key[bytes])                                                                  \
    {                                                                                                                   \
        culet_##name##_context context;                                                                                 \
        if (culet_##name##_init(&context, key) != 0)                                                                    \
            return -1;                                                                                                  \
        return culet_##name##_seal_with(&context, sealed, tag, message, length, additional, additional_length, nonce);  \
    }                                                                                                                   \
    int name##_open_prepared(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16],             \
                             const uint8_t *additional, size_t additional_length, const uint8_t nonce[12],              \
                             const uint8_t key[bytes])                                                                  \
    {                                                                                                                   \
        culet_##name##_context context;                                                                                 \
        if (culet_##name##_init(&context, key) != 0)                                                                    \
            return -1;                                                                                                  \
        return culet_##name##_open_with(&context, message, sealed, length, tag, additional, additional_length, nonce);  \
    }

PREPARED(aes128gcm, 16)
PREPARED(aes256gcm, 32)

/* The two segments of a file, sealed and opened. */
int segments_sealed(uint8_t *sealed, uint8_t tag[16], uint8_t *last, uint8_t last_tag[16], const uint8_t *message,
                    size_t length, const uint8_t *rest, size_t rest_length, const uint8_t *additional,
                    size_t additional_length, const uint8_t nonce[19], const uint8_t key[32])
{
    culet_segment_sealer context;
    if (culet_segment_sealer_init(&context, nonce, key) != 0 ||
        culet_segment_seal(&context, sealed, tag, message, length, additional, additional_length) != 0)
        return -1;
    return culet_segment_seal_last(&context, last, last_tag, rest, rest_length, additional, additional_length);
}

int segments_opened(uint8_t *message, uint8_t *rest, const uint8_t *sealed, size_t length, const uint8_t tag[16],
                    const uint8_t *last, size_t last_length, const uint8_t last_tag[16], const uint8_t *additional,
                    size_t additional_length, const uint8_t nonce[19], const uint8_t key[32])
{
    culet_segment_opener context;
    if (culet_segment_opener_init(&context, nonce, key) != 0 ||
        culet_segment_open(&context, message, sealed, length, tag, additional, additional_length) != 0)
        return -1;
    return culet_segment_open_last(&context, rest, last, last_length, last_tag, additional, additional_length) == 0 ? 0 : -2;
}

/* Two signatures, each several times, verified together. */
#define TOGETHER(name, verify)                                                                                          \
    int name(const uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t public_key[32],          \
             const uint8_t other_signature[64], const uint8_t other_message[7], const uint8_t other_key[32],            \
             size_t pairs)                                                                                              \
    {                                                                                                                   \
        culet_ed25519_signed all[16];                                                                                   \
        for (size_t i = 0; i < pairs; i++) {                                                                            \
            all[2 * i] = (culet_ed25519_signed){ signature, message, length, public_key };                              \
            all[2 * i + 1] = (culet_ed25519_signed){ other_signature, other_message, 7, other_key };                    \
        }                                                                                                               \
        return verify(all, 2 * pairs);                                                                                  \
    }

TOGETHER(ed25519_batch, culet_ed25519_verify_batch)
TOGETHER(ed25519_batch_zip215, culet_ed25519_verify_batch_zip215)

/* Two messages, signed together. */
int ed25519_two_signed(uint8_t signatures[128], const uint8_t *message, size_t length, const uint8_t other_message[7],
                       const uint8_t seed[32])
{
    culet_ed25519_message all[2] = { { message, length }, { other_message, 7 } };
    return culet_ed25519_sign_batch(signatures, all, 2, seed);
}

/* Nine secrets: eight of them together, where the CPU has kernels for that. */
int x25519_nine(uint8_t shared[288], const uint8_t secret_keys[288], const uint8_t public_keys[288])
{
    return culet_x25519_batch(shared, secret_keys, public_keys, 9);
}

/* Two messages in order, sealed and opened, with a change of the key between them. What is sealed has 17 bytes more than its message. */
int secretstream_sealed(uint8_t *sealed, uint8_t *last, const uint8_t *message, size_t length, const uint8_t *rest,
                        size_t rest_length, const uint8_t kind[1], const uint8_t header[24], const uint8_t key[32])
{
    culet_secretstream context;
    if (culet_secretstream_seal_init(&context, header, key) != 0 ||
        culet_secretstream_seal(&context, sealed, kind[0], message, length, NULL, 0) != 0 ||
        culet_secretstream_rekey(&context) != 0)
        return -1;
    return culet_secretstream_seal(&context, last, CULET_SECRETSTREAM_FINAL, rest, rest_length, NULL, 0);
}

int secretstream_opened(uint8_t *message, uint8_t kind[1], uint8_t *rest, uint8_t last_kind[1], const uint8_t *sealed,
                        size_t length, const uint8_t *last, size_t last_length, const uint8_t *additional,
                        size_t additional_length, const uint8_t header[24], const uint8_t key[32])
{
    culet_secretstream context;
    if (culet_secretstream_open_init(&context, header, key) != 0 ||
        culet_secretstream_open(&context, message, kind, sealed, length, additional, additional_length) != 0 ||
        culet_secretstream_rekey(&context) != 0)
        return -1;
    return culet_secretstream_open(&context, rest, last_kind, last, last_length, additional, additional_length) == 0 ? 0 : -2;
}
