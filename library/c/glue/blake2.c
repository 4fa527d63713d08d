/* BLAKE2b and BLAKE2s: RFC 7693. */

#define BLAKE2(name, longest, block_bytes)                                                         \
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
    int culet_##name##_init(culet_##name##_context *context, size_t digest_length,                 \
                            const uint8_t *key, size_t key_length)                                 \
    {                                                                                              \
        uint8_t block[block_bytes] = { 0 }, lengths[2];                                            \
        if (context == NULL || !is_context(context->opaque) || !is_given(key, key_length))         \
            return -1;                                                                             \
        if (digest_length == 0 || digest_length > longest || key_length > longest)                 \
            return -1;                                                                             \
        copy(block, key, key_length);                                                              \
        lengths[0] = (uint8_t)digest_length;                                                       \
        lengths[1] = (uint8_t)key_length;                                                          \
        prepare(context->opaque, sizeof *context);                                                 \
        context->opaque[OWN] = digest_length;                                                      \
        kernel_##name##_start(state_of(context->opaque), lengths, lengths + 1);                    \
        if (key_length != 0)                                                                       \
            add(&name##_parts, context->opaque, block, block_bytes);                               \
        wipe(block, sizeof block);                                                                 \
        return 0;                                                                                  \
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
    int culet_##name(uint8_t *digest, size_t digest_length, const uint8_t *key, size_t key_length, \
                     const uint8_t *message, size_t length)                                        \
    {                                                                                              \
        culet_##name##_context context;                                                            \
        if (digest == NULL || !is_given(message, length))                                          \
            return -1;                                                                             \
        if (culet_##name##_init(&context, digest_length, key, key_length) != 0)                    \
            return -1;                                                                             \
        add(&name##_parts, context.opaque, message, length);                                       \
        return culet_##name##_final(&context, digest, digest_length);                              \
    }

#if !defined(CULET_WITHOUT_BLAKE2B)

#include "kernels/blake2b_start.c"
#include "kernels/blake2b_update.c"
#include "kernels/blake2b_finish.c"

BLAKE2(blake2b, 64, 128)

#endif
#if !defined(CULET_WITHOUT_BLAKE2S)

#include "kernels/blake2s_start.c"
#include "kernels/blake2s_update.c"
#include "kernels/blake2s_finish.c"

BLAKE2(blake2s, 32, 64)

#endif
