/* BLAKE2b and BLAKE2s: RFC 7693. */

#define BLAKE2(name, longest, block_bytes, salt_bytes)                                             \
    static void absorb_##name(uint64_t *context, const uint8_t *blocks, size_t length)             \
    {                                                                                              \
        uint8_t count[8];                                                                          \
        store_le_64(count, context[ABSORBED]);                                                     \
        NEXT_STATE(context, longest, kernel_##name##_update(next, before, count, blocks, length)); \
        context[ABSORBED] += length;                                                               \
    }                                                                                              \
                                                                                                   \
    static const struct parts name##_parts = { longest, block_bytes, 1, absorb_##name };           \
                                                                                                   \
    /* A key is a block of its own before the message. */                                          \
    static int begin_##name(culet_##name##_context *context, size_t digest_length, const uint8_t *key, \
                            size_t key_length, const uint8_t *salt, const uint8_t *personal)       \
    {                                                                                              \
        uint8_t block[block_bytes] = { 0 }, lengths[2], strings[2][salt_bytes] = { { 0 }, { 0 } }; \
        if (context == NULL || !is_context(context->opaque) || !is_given(key, key_length))         \
            return -1;                                                                             \
        if (digest_length == 0 || digest_length > longest || key_length > longest)                 \
            return -1;                                                                             \
        copy(block, key, key_length);                                                              \
        copy(strings[0], salt, salt == NULL ? 0 : salt_bytes);                                     \
        copy(strings[1], personal, personal == NULL ? 0 : salt_bytes);                             \
        lengths[0] = (uint8_t)digest_length;                                                       \
        lengths[1] = (uint8_t)key_length;                                                          \
        prepare(context->opaque, sizeof *context);                                                 \
        context->opaque[OWN] = digest_length;                                                      \
        kernel_##name##_start(state_of(context->opaque), lengths, lengths + 1, strings[0], strings[1]); \
        if (key_length != 0)                                                                       \
            add(&name##_parts, context->opaque, block, block_bytes);                               \
        wipe(block, sizeof block);                                                                 \
        return 0;                                                                                  \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_init(culet_##name##_context *context, size_t digest_length,                 \
                            const uint8_t *key, size_t key_length)                                 \
    {                                                                                              \
        return begin_##name(context, digest_length, key, key_length, NULL, NULL);                  \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_update(culet_##name##_context *context, const uint8_t *part, size_t length) \
    {                                                                                              \
        return context == NULL ? -1 : update(&name##_parts, context->opaque, sizeof *context, part, length); \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_final(culet_##name##_context *context, uint8_t *digest, size_t digest_length) \
    {                                                                                              \
        uint8_t made[longest], block[block_bytes] = { 0 }, count[8];                               \
        int is_right;                                                                              \
        if (context == NULL || !is_prepared(context->opaque))                                      \
            return -1;                                                                             \
        is_right = digest != NULL && digest_length == context->opaque[OWN];                        \
        copy(block, waiting_in(&name##_parts, context->opaque), (size_t)context->opaque[WAITING]); \
        store_le_64(count, context->opaque[ABSORBED] + context->opaque[WAITING]);                  \
        kernel_##name##_finish(made, state_of(context->opaque), count, block);                     \
        wipe(context, sizeof *context);                                                            \
        if (is_right)                                                                              \
            memcpy(digest, made, digest_length);                                                   \
        wipe(made, sizeof made);                                                                   \
        wipe(block, sizeof block);                                                                 \
        return is_right ? 0 : -1;                                                                  \
    }                                                                                              \
                                                                                                   \
    static int whole_##name(uint8_t *digest, size_t digest_length, const uint8_t *key, size_t key_length, \
                            const uint8_t *salt, const uint8_t *personal, const uint8_t *message, size_t length) \
    {                                                                                              \
        culet_##name##_context context;                                                            \
        if (digest == NULL || !is_given(message, length))                                          \
            return -1;                                                                             \
        if (begin_##name(&context, digest_length, key, key_length, salt, personal) != 0)           \
            return -1;                                                                             \
        add(&name##_parts, context.opaque, message, length);                                       \
        return culet_##name##_final(&context, digest, digest_length);                              \
    }                                                                                              \
                                                                                                   \
    int culet_##name(uint8_t *digest, size_t digest_length, const uint8_t *key, size_t key_length, \
                     const uint8_t *message, size_t length)                                        \
    {                                                                                              \
        return whole_##name(digest, digest_length, key, key_length, NULL, NULL, message, length);  \
    }

#if !defined(CULET_WITHOUT_BLAKE2B)

#include "kernels/blake2b_start.c"
#include "kernels/blake2b_update.c"
#include "kernels/blake2b_finish.c"

BLAKE2(blake2b, 64, 128, 16)

int culet_blake2b_salted_init(culet_blake2b_context *context, size_t digest_length, const uint8_t *key, size_t key_length,
                              const uint8_t *salt, const uint8_t *personal)
{
    return begin_blake2b(context, digest_length, key, key_length, salt, personal);
}

int culet_blake2b_salted(uint8_t *digest, size_t digest_length, const uint8_t *key, size_t key_length, const uint8_t *salt,
                         const uint8_t *personal, const uint8_t *message, size_t length)
{
    return whole_blake2b(digest, digest_length, key, key_length, salt, personal, message, length);
}

/* Keys with numbers: the number is the salt, the purpose is the personal string, and there is no message. */
int culet_kdf(uint8_t *out, size_t length, uint64_t number, const uint8_t purpose[8], const uint8_t key[32])
{
    uint8_t salt[16] = { 0 }, personal[16] = { 0 };
    if (purpose == NULL || key == NULL || length < 16 || length > 64)
        return -1;
    store_le_64(salt, number);
    memcpy(personal, purpose, 8);
    return whole_blake2b(out, length, key, 32, salt, personal, NULL, 0);
}

#endif
#if !defined(CULET_WITHOUT_BLAKE2S)

#include "kernels/blake2s_start.c"
#include "kernels/blake2s_update.c"
#include "kernels/blake2s_finish.c"

BLAKE2(blake2s, 32, 64, 8)

#endif
