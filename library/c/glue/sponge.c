/* Sponges: SHA-3 and SHAKE, FIPS 202; Ascon-Hash256 and Ascon-XOF128, NIST SP 800-232, section 5. */

/* A sponge: how it absorbs, what makes the next output, the first byte after a message, and the bits that are
 * set in the last byte of its last block. */
struct sponge {
    struct parts parts;
    void (*permute)(uint64_t *context);
    uint8_t first, last;
};

#if !defined(CULET_WITHOUT_SHA3)

#include "kernels/keccak_absorb_72.c"
#include "kernels/keccak_absorb_104.c"
#include "kernels/keccak_absorb_136.c"
#include "kernels/keccak_absorb_144.c"
#include "kernels/keccak_absorb_168.c"
#include "kernels/keccak_permute.c"

#define ABSORB_KECCAK(rate)                                                                     \
    static void absorb_keccak_##rate(uint64_t *context, const uint8_t *blocks, size_t length)   \
    {                                                                                           \
        NEXT_STATE(context, 200, kernel_keccak_absorb_##rate(next, before, blocks, length));    \
    }

ABSORB_KECCAK(72)
ABSORB_KECCAK(104)
ABSORB_KECCAK(136)
ABSORB_KECCAK(144)
ABSORB_KECCAK(168)

static void permute_keccak(uint64_t *context)
{
    NEXT_STATE(context, 200, kernel_keccak_permute(next, before));
}

static void start_keccak(uint8_t state[200])
{
    memset(state, 0, 200);
}

static const struct sponge sha3_224_sponge = { { 200, 144, 0, absorb_keccak_144 }, permute_keccak, 0x06, 0x80 };
static const struct sponge sha3_256_sponge = { { 200, 136, 0, absorb_keccak_136 }, permute_keccak, 0x06, 0x80 };
static const struct sponge sha3_384_sponge = { { 200, 104, 0, absorb_keccak_104 }, permute_keccak, 0x06, 0x80 };
static const struct sponge sha3_512_sponge = { { 200, 72, 0, absorb_keccak_72 }, permute_keccak, 0x06, 0x80 };
static const struct sponge shake128_sponge = { { 200, 168, 0, absorb_keccak_168 }, permute_keccak, 0x1f, 0x80 };
static const struct sponge shake256_sponge = { { 200, 136, 0, absorb_keccak_136 }, permute_keccak, 0x1f, 0x80 };

#endif
#if !defined(CULET_WITHOUT_ASCON_HASH)

#include "kernels/ascon_hash256_start.c"
#include "kernels/ascon_xof128_start.c"
#include "kernels/ascon_hash256_absorb.c"
#include "kernels/ascon_hash256_permute.c"

static void absorb_ascon(uint64_t *context, const uint8_t *blocks, size_t length)
{
    NEXT_STATE(context, 40, kernel_ascon_hash256_absorb(next, before, blocks, length));
}

static void permute_ascon(uint64_t *context)
{
    NEXT_STATE(context, 40, kernel_ascon_hash256_permute(next, before));
}

static const struct sponge ascon_sponge = { { 40, 8, 0, absorb_ascon }, permute_ascon, 0x01, 0 };

#endif

/* The word of a context for the operation's own use: nothing while the message is absorbed, and then 1 more than
 * the number of output bytes that were read since the last permutation. */
static int is_reading(const uint64_t *context)
{
    return context[OWN] != 0;
}

/* Pads the message to whole blocks. */
static void end_message(const struct sponge *sponge, uint64_t *context)
{
    size_t length = sponge->parts.block - (size_t)context[WAITING];
    uint8_t padding[168] = { 0 };
    padding[0] = sponge->first;
    padding[length - 1] |= sponge->last;
    add(&sponge->parts, context, padding, length);
    context[OWN] = 1;
}

/* Writes the next bytes of the output. */
static void squeeze(const struct sponge *sponge, uint64_t *context, uint8_t *out, size_t length)
{
    size_t used, taken;
    if (!is_reading(context))
        end_message(sponge, context);
    for (;;) {
        used = (size_t)context[OWN] - 1;
        taken = sponge->parts.block - used < length ? sponge->parts.block - used : length;
        copy(out, state_of(context) + used, taken);
        context[OWN] += taken;
        length -= taken;
        if (length == 0)
            return;
        out += taken;
        sponge->permute(context);
        context[OWN] = 1;
    }
}

static int update_sponge(const struct sponge *sponge, uint64_t *context, size_t size, const uint8_t *part, size_t length)
{
    if (!is_prepared(context) || is_reading(context))
        return -1;
    return update(&sponge->parts, context, size, part, length);
}

static int read_sponge(const struct sponge *sponge, uint64_t *context, size_t size, uint8_t *out, size_t length)
{
    if (!is_prepared(context) || !is_given(out, length) || !is_apart(out, length, context, size))
        return -1;
    squeeze(sponge, context, out, length);
    return 0;
}

/* The output may lie over the context, which is erased before that is written. */
static int end_sponge(const struct sponge *sponge, uint64_t *context, size_t size, uint8_t *out, size_t length)
{
    uint64_t taken[64];
    if (!is_prepared(context))
        return -1;
    memcpy(taken, context, size);
    wipe(context, size);
    if (is_given(out, length))
        squeeze(sponge, taken, out, length);
    wipe(taken, sizeof taken);
    return is_given(out, length) ? 0 : -1;
}

#define SPONGE(name, start, sponge)                                                                \
    int culet_##name##_init(culet_##name##_context *context)                                       \
    {                                                                                              \
        if (context == NULL || !is_context(context->opaque))                                       \
            return -1;                                                                             \
        prepare(context->opaque, sizeof *context);                                                 \
        start(state_of(context->opaque));                                                          \
        return 0;                                                                                  \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_update(culet_##name##_context *context, const uint8_t *part, size_t length) \
    {                                                                                              \
        return context == NULL ? -1 : update_sponge(&sponge, context->opaque, sizeof *context, part, length); \
    }

#define FIXED(name, start, sponge, bytes)                                                          \
    SPONGE(name, start, sponge)                                                                    \
                                                                                                   \
    int culet_##name##_final(culet_##name##_context *context, uint8_t digest[bytes])               \
    {                                                                                              \
        return context == NULL ? -1 : end_sponge(&sponge, context->opaque, sizeof *context, digest, bytes); \
    }                                                                                              \
                                                                                                   \
    int culet_##name(uint8_t digest[bytes], const uint8_t *message, size_t length)                 \
    {                                                                                              \
        culet_##name##_context context;                                                            \
        if (digest == NULL || !is_given(message, length))                                          \
            return -1;                                                                             \
        (void)culet_##name##_init(&context);                                                       \
        add(&sponge.parts, context.opaque, message, length);                                       \
        return culet_##name##_final(&context, digest);                                             \
    }

#define EXTENDABLE(name, start, sponge)                                                            \
    SPONGE(name, start, sponge)                                                                    \
                                                                                                   \
    int culet_##name##_read(culet_##name##_context *context, uint8_t *out, size_t length)          \
    {                                                                                              \
        return context == NULL ? -1 : read_sponge(&sponge, context->opaque, sizeof *context, out, length); \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_final(culet_##name##_context *context, uint8_t *out, size_t length)         \
    {                                                                                              \
        return context == NULL ? -1 : end_sponge(&sponge, context->opaque, sizeof *context, out, length); \
    }                                                                                              \
                                                                                                   \
    int culet_##name(uint8_t *out, size_t out_length, const uint8_t *message, size_t length)       \
    {                                                                                              \
        culet_##name##_context context;                                                            \
        if (!is_given(out, out_length) || !is_given(message, length))                              \
            return -1;                                                                             \
        (void)culet_##name##_init(&context);                                                       \
        add(&sponge.parts, context.opaque, message, length);                                       \
        return culet_##name##_final(&context, out, out_length);                                    \
    }

#if !defined(CULET_WITHOUT_SHA3)
FIXED(sha3_224, start_keccak, sha3_224_sponge, 28)
FIXED(sha3_256, start_keccak, sha3_256_sponge, 32)
FIXED(sha3_384, start_keccak, sha3_384_sponge, 48)
FIXED(sha3_512, start_keccak, sha3_512_sponge, 64)
EXTENDABLE(shake128, start_keccak, shake128_sponge)
EXTENDABLE(shake256, start_keccak, shake256_sponge)
#endif

#if !defined(CULET_WITHOUT_ASCON_HASH)
FIXED(ascon_hash256, kernel_ascon_hash256_start, ascon_sponge, 32)
EXTENDABLE(ascon_xof128, kernel_ascon_xof128_start, ascon_sponge)
#endif
