/* Authentication codes: HMAC with SHA-2, RFC 2104; HKDF, RFC 5869; Poly1305, RFC 8439, section 2.5. */

/* An HMAC's context is that of its hash after the inner key's block; the state after the outer key's block is its own. */
#define HMAC(name, hash, parts, block_bytes, state_bytes, bytes)                                   \
    static void key_##name(uint64_t *context, size_t size, const uint8_t *key, size_t length)      \
    {                                                                                              \
        uint8_t block[block_bytes] = { 0 };                                                        \
        if (length > block_bytes)                                                                  \
            (void)culet_##hash(block, key, length);                                                \
        else                                                                                       \
            copy(block, key, length);                                                              \
        prepare(context, size);                                                                    \
        kernel_##name##_key(state_of(context), own_in(&parts, context), block);                    \
        context[ABSORBED] = block_bytes;                                                           \
        wipe(block, sizeof block);                                                                 \
    }                                                                                              \
                                                                                                   \
    static void end_##name(uint64_t *context, size_t size, uint8_t tag[bytes])                     \
    {                                                                                              \
        uint8_t digest[bytes], outer[state_bytes];                                                 \
        finish_sha2(&parts, context);                                                              \
        memcpy(digest, state_of(context), bytes);                                                  \
        memcpy(outer, own_in(&parts, context), state_bytes);                                       \
        wipe(context, size);                                                                       \
        kernel_##name##_finish(tag, outer, digest);                                                \
        wipe(digest, sizeof digest);                                                               \
        wipe(outer, sizeof outer);                                                                 \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_init(culet_##name##_context *context, const uint8_t *key, size_t key_length) \
    {                                                                                              \
        culet_##name##_context made;                                                               \
        if (context == NULL || !is_context(context->opaque) || !is_given(key, key_length))         \
            return -1;                                                                             \
        key_##name(made.opaque, sizeof made, key, key_length);                                     \
        *context = made;                                                                           \
        wipe(&made, sizeof made);                                                                  \
        return 0;                                                                                  \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_update(culet_##name##_context *context, const uint8_t *part, size_t length) \
    {                                                                                              \
        return context == NULL ? -1 : update(&parts, context->opaque, sizeof *context, part, length); \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_final(culet_##name##_context *context, uint8_t tag[bytes])                  \
    {                                                                                              \
        uint8_t made[bytes];                                                                       \
        if (context == NULL || !is_prepared(context->opaque))                                      \
            return -1;                                                                             \
        end_##name(context->opaque, sizeof *context, made);                                        \
        return give(tag, made, bytes);                                                             \
    }                                                                                              \
                                                                                                   \
    int culet_##name(uint8_t tag[bytes], const uint8_t *key, size_t key_length, const uint8_t *message, \
                     size_t length)                                                                \
    {                                                                                              \
        culet_##name##_context context;                                                            \
        if (tag == NULL || !is_given(key, key_length) || !is_given(message, length))               \
            return -1;                                                                             \
        key_##name(context.opaque, sizeof context, key, key_length);                               \
        add(&parts, context.opaque, message, length);                                              \
        return culet_##name##_final(&context, tag);                                                \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_verify(const uint8_t tag[bytes], const uint8_t *key, size_t key_length,     \
                              const uint8_t *message, size_t length)                               \
    {                                                                                              \
        uint8_t made[bytes];                                                                       \
        int is_right;                                                                              \
        if (tag == NULL || culet_##name(made, key, key_length, message, length) != 0)              \
            return -1;                                                                             \
        is_right = is_equal(made, tag, bytes);                                                     \
        wipe(made, bytes);                                                                         \
        return is_right ? 0 : -1;                                                                  \
    }

#if !defined(WITHOUT_HMAC_SHA224)

#include "kernels/hmac_sha224_key.c"
#include "kernels/hmac_sha224_finish.c"

HMAC(hmac_sha224, sha224, sha256_parts, 64, 32, 28)

#endif
#if !defined(WITHOUT_HMAC_SHA256)

#include "kernels/hmac_sha256_key.c"
#include "kernels/hmac_sha256_finish.c"

HMAC(hmac_sha256, sha256, sha256_parts, 64, 32, 32)

#endif
#if !defined(WITHOUT_HMAC_SHA512)

#include "kernels/hmac_sha384_key.c"
#include "kernels/hmac_sha384_finish.c"
#include "kernels/hmac_sha512_key.c"
#include "kernels/hmac_sha512_finish.c"

HMAC(hmac_sha384, sha384, sha512_parts, 128, 64, 48)
HMAC(hmac_sha512, sha512, sha512_parts, 128, 64, 64)

#endif

/* The salt and the secret are read before anything is written, and the information lies apart from the output. */
#define HKDF(name, hmac, parts, bytes)                                                             \
    int culet_##name(uint8_t *out, size_t length, const uint8_t *salt, size_t salt_length,         \
                     const uint8_t *secret, size_t secret_length, const uint8_t *info, size_t info_length) \
    {                                                                                              \
        culet_##hmac##_context keyed, context;                                                     \
        uint8_t block[bytes], number = 0;                                                          \
        if (length > 255 * (size_t)bytes || !is_given(out, length) || !is_given(info, info_length)) \
            return -1;                                                                             \
        if (!is_apart(info, info_length, out, length))                                             \
            return -1;                                                                             \
        if (culet_##hmac(block, salt, salt_length, secret, secret_length) != 0)                    \
            return -1;                                                                             \
        key_##hmac(keyed.opaque, sizeof keyed, block, bytes);                                      \
        while (length != 0) {                                                                      \
            size_t taken = length < bytes ? length : bytes;                                        \
            context = keyed;                                                                       \
            if (number != 0)                                                                       \
                add(&parts, context.opaque, block, bytes);                                         \
            add(&parts, context.opaque, info, info_length);                                        \
            number = (uint8_t)(number + 1);                                                        \
            add(&parts, context.opaque, &number, 1);                                               \
            end_##hmac(context.opaque, sizeof context, block);                                     \
            memcpy(out, block, taken);                                                             \
            out += taken;                                                                          \
            length -= taken;                                                                       \
        }                                                                                          \
        wipe(&keyed, sizeof keyed);                                                                \
        wipe(block, sizeof block);                                                                 \
        return 0;                                                                                  \
    }

#if !defined(WITHOUT_HKDF_SHA256)
HKDF(hkdf_sha256, hmac_sha256, sha256_parts, 32)
#endif

#if !defined(WITHOUT_HKDF_SHA512)
HKDF(hkdf_sha384, hmac_sha384, sha512_parts, 48)
HKDF(hkdf_sha512, hmac_sha512, sha512_parts, 64)
#endif

#if !defined(CULET_WITHOUT_POLY1305)

#include "kernels/poly1305_absorb.c"
#include "kernels/poly1305_finish.c"

/* The accumulator of Poly1305 between the parts of a message, and its key. */
struct poly1305 {
    uint8_t accumulator[17], key[32];
};

/* Absorbs whole blocks, or the last part. */
static void absorb_poly1305(struct poly1305 *state, const uint8_t *part, size_t length)
{
    uint8_t before[17];
    if (length == 0)
        return;
    memcpy(before, state->accumulator, 17);
    kernel_poly1305_absorb(state->accumulator, before, state->key, part, length);
    wipe(before, 17);
}

static void end_poly1305(struct poly1305 *state, uint8_t tag[16])
{
    kernel_poly1305_finish(tag, state->accumulator, state->key);
    wipe(state, sizeof *state);
}

static int verify_poly1305(struct poly1305 *state, const uint8_t tag[16])
{
    uint8_t made[16];
    int is_right;
    end_poly1305(state, made);
    is_right = is_equal(made, tag, 16);
    wipe(made, 16);
    return is_right ? 0 : -1;
}

/* In a context, the key follows the bytes that wait. */
static void absorb_in_context(uint64_t *context, const uint8_t *blocks, size_t length);

static const struct parts poly1305_parts = { 17, 16, 0, absorb_in_context };

static void absorb_in_context(uint64_t *context, const uint8_t *blocks, size_t length)
{
    const uint8_t *key = own_in(&poly1305_parts, context);
    NEXT_STATE(context, 17, kernel_poly1305_absorb(next, before, key, blocks, length));
}

int culet_poly1305_init(culet_poly1305_context *context, const uint8_t key[32])
{
    uint8_t copied[32];
    if (context == NULL || !is_context(context->opaque) || key == NULL)
        return -1;
    memcpy(copied, key, 32);
    prepare(context->opaque, sizeof *context);
    memcpy(own_in(&poly1305_parts, context->opaque), copied, 32);
    wipe(copied, 32);
    return 0;
}

int culet_poly1305_update(culet_poly1305_context *context, const uint8_t *part, size_t length)
{
    return context == NULL ? -1 : update(&poly1305_parts, context->opaque, sizeof *context, part, length);
}

int culet_poly1305_final(culet_poly1305_context *context, uint8_t tag[16])
{
    struct poly1305 state;
    uint8_t made[16], rest[16];
    size_t waits;
    if (context == NULL || !is_prepared(context->opaque))
        return -1;
    memcpy(state.accumulator, state_of(context->opaque), 17);
    memcpy(state.key, own_in(&poly1305_parts, context->opaque), 32);
    memcpy(rest, waiting_in(&poly1305_parts, context->opaque), 16);
    waits = (size_t)context->opaque[WAITING];
    wipe(context, sizeof *context);
    absorb_poly1305(&state, rest, waits);
    wipe(rest, 16);
    end_poly1305(&state, made);
    return give(tag, made, 16);
}

int culet_poly1305(uint8_t tag[16], const uint8_t *message, size_t length, const uint8_t key[32])
{
    struct poly1305 state = { { 0 }, { 0 } };
    uint8_t made[16];
    if (tag == NULL || key == NULL || !is_given(message, length))
        return -1;
    memcpy(state.key, key, 32);
    absorb_poly1305(&state, message, length);
    end_poly1305(&state, made);
    memcpy(tag, made, 16);
    wipe(made, 16);
    return 0;
}

int culet_poly1305_verify(const uint8_t tag[16], const uint8_t *message, size_t length, const uint8_t key[32])
{
    struct poly1305 state = { { 0 }, { 0 } };
    if (tag == NULL || key == NULL || !is_given(message, length))
        return -1;
    memcpy(state.key, key, 32);
    absorb_poly1305(&state, message, length);
    return verify_poly1305(&state, tag);
}

#endif
