/* SHA-2: FIPS 180-4. */

#if !defined(CULET_WITHOUT_SHA256)

#include "kernels/sha224_start.c"
#include "kernels/sha256_start.c"
#include "kernels/sha256_update.c"

static void absorb_sha256(uint64_t *context, const uint8_t *blocks, size_t length)
{
    NEXT_STATE(context, 32, kernel_sha256_update(next, before, blocks, length));
    context[ABSORBED] += length;
}

static const struct parts sha256_parts = { 32, 64, 0, absorb_sha256 };

#endif
#if !defined(CULET_WITHOUT_SHA512)

#include "kernels/sha384_start.c"
#include "kernels/sha512_start.c"
#include "kernels/sha512_256_start.c"
#include "kernels/sha512_update.c"

static void absorb_sha512(uint64_t *context, const uint8_t *blocks, size_t length)
{
    NEXT_STATE(context, 64, kernel_sha512_update(next, before, blocks, length));
    context[ABSORBED] += length;
}

static const struct parts sha512_parts = { 64, 128, 0, absorb_sha512 };

#endif

/* Appends the byte 0x80, zeros, and the number of the message's bits, which takes the last eighth of a block:
 * section 5.1. Then the state begins with the digest. */
static void finish_sha2(const struct parts *parts, uint64_t *context)
{
    uint64_t bits = 8 * (context[ABSORBED] + context[WAITING]);
    size_t block = parts->block, waits = (size_t)context[WAITING];
    size_t end = (2 * block - 1 - block / 8 - waits) % block + 1 + block / 8;
    uint8_t padding[256] = { 0x80 };
    store_be_64(padding + end - 8, bits);
    add(parts, context, padding, end);
}

#define SHA2(name, parts, bytes)                                                                   \
    int culet_##name##_init(culet_##name##_context *context)                                       \
    {                                                                                              \
        if (context == NULL || !is_context(context->opaque))                                       \
            return -1;                                                                             \
        prepare(context->opaque, sizeof *context);                                                 \
        kernel_##name##_start(state_of(context->opaque));                                          \
        return 0;                                                                                  \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_update(culet_##name##_context *context, const uint8_t *part, size_t length) \
    {                                                                                              \
        return context == NULL ? -1 : update(&parts, context->opaque, sizeof *context, part, length); \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_final(culet_##name##_context *context, uint8_t digest[bytes])               \
    {                                                                                              \
        uint8_t made[bytes];                                                                       \
        if (context == NULL || !is_prepared(context->opaque))                                      \
            return -1;                                                                             \
        finish_sha2(&parts, context->opaque);                                                      \
        memcpy(made, state_of(context->opaque), bytes);                                            \
        wipe(context, sizeof *context);                                                            \
        return give(digest, made, bytes);                                                          \
    }                                                                                              \
                                                                                                   \
    int culet_##name(uint8_t digest[bytes], const uint8_t *message, size_t length)                 \
    {                                                                                              \
        culet_##name##_context context;                                                            \
        if (digest == NULL || !is_given(message, length))                                          \
            return -1;                                                                             \
        (void)culet_##name##_init(&context);                                                       \
        add(&parts, context.opaque, message, length);                                              \
        return culet_##name##_final(&context, digest);                                             \
    }

#if !defined(CULET_WITHOUT_SHA256)
SHA2(sha224, sha256_parts, 28)
SHA2(sha256, sha256_parts, 32)
#endif

#if !defined(CULET_WITHOUT_SHA512)
SHA2(sha384, sha512_parts, 48)
SHA2(sha512, sha512_parts, 64)
SHA2(sha512_256, sha512_parts, 32)
#endif
