/* X25519, RFC 7748; Ed25519, RFC 8032. */

#if !defined(CULET_WITHOUT_X25519)

#include "kernels/x25519.c"

/* Agrees on a secret: -1 and zeros if that is zero (RFC 7748, section 6.1). */
static int agree(uint8_t shared[32], const uint8_t secret_key[32], const uint8_t public_key[32])
{
    static const uint8_t zeros[32] = { 0 };
    kernel_x25519(shared, secret_key, public_key);
    return is_equal(shared, zeros, 32) ? -1 : 0;
}

int culet_x25519_public_key(uint8_t public_key[32], const uint8_t secret_key[32])
{
    static const uint8_t base[32] = { 9 };
    uint8_t made[32];
    if (public_key == NULL || secret_key == NULL)
        return -1;
    kernel_x25519(made, secret_key, base);
    memcpy(public_key, made, 32);
    return 0;
}

int culet_x25519(uint8_t shared[32], const uint8_t secret_key[32], const uint8_t public_key[32])
{
    uint8_t made[32];
    int result;
    if (shared == NULL || secret_key == NULL || public_key == NULL)
        return -1;
    result = agree(made, secret_key, public_key);
    memcpy(shared, made, 32);
    wipe(made, 32);
    return result;
}

int culet_x25519_batch(uint8_t *shared, const uint8_t *secret_keys, const uint8_t *public_keys, size_t count)
{
    size_t i;
    int result = 0;
    if (count == 0)
        return 0;
    if (count > PTRDIFF_MAX / 32 || shared == NULL || secret_keys == NULL || public_keys == NULL
        || !is_apart(shared, 32 * count, secret_keys, 32 * count) || !is_apart(shared, 32 * count, public_keys, 32 * count))
        return -1;
    for (i = 0; i < count; i++)
        result |= agree(shared + 32 * i, secret_keys + 32 * i, public_keys + 32 * i);
    if (result != 0)
        memset(shared, 0, 32 * count);
    return result;
}

#endif
#if !defined(WITHOUT_ED25519)

#include "kernels/ed25519_expand.c"
#include "kernels/ed25519_base.c"
#include "kernels/ed25519_verify.c"

#if defined(CULET_WORDS_OF_64)
#include "kernels/ed25519_reduce.c"
#include "kernels/ed25519_sign.c"
#include "kernels/ed25519_weigh.c"
#else
#include "kernels/ed25519_combine.c"

/* For small code, one kernel computes x0 + x1 x2 modulo the order. */
static void kernel_ed25519_sign(uint8_t S[32], const uint8_t r[32], const uint8_t k[32], const uint8_t s[32])
{
    uint8_t x[96];
    memcpy(x, r, 32);
    memcpy(x + 32, k, 32);
    memcpy(x + 64, s, 32);
    kernel_ed25519_combine(S, x);
    wipe(x, 96);
}

/* The order is 2^252 + c, with c as in RFC 8032, section 5.1, and 2^256 is the order less 16 c modulo the order. */
static void kernel_ed25519_reduce(uint8_t r[32], const uint8_t hash[64])
{
    static const uint8_t two_to_256[32] = { 0x1d, 0x95, 0x98, 0x8d, 0x74, 0x31, 0xec, 0xd6, 0x70, 0xcf, 0x7d,
                                            0x73, 0xf4, 0x5b, 0xef, 0xc6, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff,
                                            0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f };
    uint8_t x[96];
    memcpy(x, hash, 64);
    memcpy(x + 64, two_to_256, 32);
    kernel_ed25519_combine(r, x);
    wipe(x, 96);
}
#endif

/* What a seed stands for: RFC 8032, section 5.1.5. */
struct ed25519_key {
    uint8_t scalar[32], prefix[32], public_key[32];
};

static void expand_seed(struct ed25519_key *key, const uint8_t seed[32])
{
    uint8_t hash[64];
    (void)culet_sha512(hash, seed, 32);
    kernel_ed25519_expand(key->scalar, key->prefix, hash);
    kernel_ed25519_base(key->public_key, key->scalar);
    wipe(hash, 64);
}

/* The hash of up to two strings of 32 bytes and a message, modulo the order of the base point. */
static void reduced_hash(uint8_t scalar[32], const uint8_t first[32], const uint8_t *second, const uint8_t *message,
                         size_t length)
{
    culet_sha512_context context;
    uint8_t digest[64];
    (void)culet_sha512_init(&context);
    add(&sha512_parts, context.opaque, first, 32);
    if (second != NULL)
        add(&sha512_parts, context.opaque, second, 32);
    add(&sha512_parts, context.opaque, message, length);
    (void)culet_sha512_final(&context, digest);
    kernel_ed25519_reduce(scalar, digest);
    wipe(digest, 64);
}

int culet_ed25519_public_key(uint8_t public_key[32], const uint8_t seed[32])
{
    struct ed25519_key key;
    if (public_key == NULL || seed == NULL)
        return -1;
    expand_seed(&key, seed);
    memcpy(public_key, key.public_key, 32);
    wipe(&key, sizeof key);
    return 0;
}

/* RFC 8032, section 5.1.6. */
static void sign_with(uint8_t signature[64], const uint8_t *message, size_t length, const struct ed25519_key *key)
{
    uint8_t nonce[32], challenge[32], made[64];
    reduced_hash(nonce, key->prefix, NULL, message, length);
    kernel_ed25519_base(made, nonce);
    reduced_hash(challenge, made, key->public_key, message, length);
    kernel_ed25519_sign(made + 32, nonce, challenge, key->scalar);
    memcpy(signature, made, 64);
    wipe(nonce, 32);
}

int culet_ed25519_sign(uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t seed[32])
{
    struct ed25519_key key;
    if (signature == NULL || seed == NULL || !is_given(message, length))
        return -1;
    expand_seed(&key, seed);
    sign_with(signature, message, length, &key);
    wipe(&key, sizeof key);
    return 0;
}

int culet_ed25519_sign_batch(uint8_t *signatures, const culet_ed25519_message *messages, size_t count,
                             const uint8_t seed[32])
{
    struct ed25519_key key;
    size_t i;
    if (seed == NULL || (count != 0 && (signatures == NULL || messages == NULL || count > PTRDIFF_MAX / 64)))
        return -1;
    if (!is_apart(signatures, 64 * count, messages, count * sizeof *messages))
        return -1;
    for (i = 0; i < count; i++)
        if (!is_given(messages[i].message, messages[i].length)
            || !is_apart(signatures, 64 * count, messages[i].message, messages[i].length))
            return -1;
    expand_seed(&key, seed);
    for (i = 0; i < count; i++)
        sign_with(signatures + 64 * i, messages[i].message, messages[i].length, &key);
    wipe(&key, sizeof key);
    return 0;
}

/* The y-coordinates of the points of order 1, 2, 4 and 8; two of them have order 8. They are where
 * y (y^2 - 1) (d y^4 + 2 y^2 - 1) = 0, as doubling a point once, twice or three times gives (0, 1): RFC 8032, section
 * 5.1.4. */
static const uint8_t small_order[5][32] = {
    { 1 },
    { 0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
      0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f },
    { 0 },
    { 0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0,
      0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05 },
    { 0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f,
      0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a },
};

/* Whether a public point in its canonical form has an order that divides 8. The highest bit is the sign of x. */
static int has_small_order(const uint8_t point[32])
{
    uint8_t y[32];
    int i;
    memcpy(y, point, 32);
    y[31] &= 0x7f;
    for (i = 0; i < 5; i++)
        if (memcmp(small_order[i], y, 32) == 0)
            return 1;
    return 0;
}

/* RFC 8032, section 5.1.7. The kernel says that nothing is good if a point is not one in its canonical form. */
int culet_ed25519_verify(const uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t public_key[32])
{
    uint8_t challenge[32], good[1];
    if (signature == NULL || public_key == NULL || !is_given(message, length))
        return -1;
    if (has_small_order(public_key) || has_small_order(signature))
        return -1;
    reduced_hash(challenge, signature, public_key, message, length);
    kernel_ed25519_verify(good, public_key, signature, signature + 32, challenge);
    return good[0] == 1 ? 0 : -1;
}

/* The rules of ZIP 215, which the kernel has: points of any order and in any form, and a factor of 8. */
int culet_ed25519_verify_zip215(const uint8_t signature[64], const uint8_t *message, size_t length,
                                const uint8_t public_key[32])
{
    uint8_t challenge[32], good[1];
    if (signature == NULL || public_key == NULL || !is_given(message, length))
        return -1;
    reduced_hash(challenge, signature, public_key, message, length);
    kernel_ed25519_verify_zip215(good, public_key, signature, signature + 32, challenge);
    return good[0] == 1 ? 0 : -1;
}

#if defined(CULET_WORDS_OF_64)
/* A factor for each of eight signatures: 127 bits of a hash of all keys, signatures and challenges. */
static void make_factors(uint8_t factors[8 * 16], const uint8_t keys[8 * 32], const uint8_t points[8 * 32],
                         const uint8_t scalars[8 * 32], const uint8_t challenges[8 * 32])
{
    static const uint8_t name[] = "culet: numbers for eight signatures of Ed25519";
    culet_sha512_context context;
    uint8_t seed[65], digest[64];
    int i;
    (void)culet_sha512_init(&context);
    add(&sha512_parts, context.opaque, name, sizeof name - 1);
    for (i = 0; i < 8; i++) {
        add(&sha512_parts, context.opaque, keys + 32 * i, 32);
        add(&sha512_parts, context.opaque, points + 32 * i, 32);
        add(&sha512_parts, context.opaque, scalars + 32 * i, 32);
        add(&sha512_parts, context.opaque, challenges + 32 * i, 32);
    }
    (void)culet_sha512_final(&context, seed);
    for (i = 0; i < 8; i++) {
        seed[64] = (uint8_t)i;
        (void)culet_sha512(digest, seed, 65);
        digest[0] |= 1;
        memcpy(factors + 16 * i, digest, 16);
    }
}

/* The sum of eight equations of ZIP 215, each times a factor. */
static int verify_eight(const culet_ed25519_signed signatures[8])
{
    uint8_t keys[8 * 32], points[8 * 32], scalars[8 * 32], challenges[8 * 32], factors[8 * 16];
    uint8_t sum[32] = { 0 }, before[32], challenge[32], good[1];
    int i;
    for (i = 0; i < 8; i++) {
        const culet_ed25519_signed *one = signatures + i;
        memcpy(keys + 32 * i, one->public_key, 32);
        memcpy(points + 32 * i, one->signature, 32);
        memcpy(scalars + 32 * i, one->signature + 32, 32);
        reduced_hash(challenges + 32 * i, one->signature, one->public_key, one->message, one->length);
    }
    make_factors(factors, keys, points, scalars, challenges);
    for (i = 0; i < 8; i++) {
        memcpy(before, sum, 32);
        memcpy(challenge, challenges + 32 * i, 32);
        kernel_ed25519_weigh(sum, challenges + 32 * i, good, before, scalars + 32 * i, challenge, factors + 16 * i);
        if (good[0] != 1)
            return -1;
    }
    kernel_ed25519_verify_eight(good, keys, points, sum, challenges, factors);
    return good[0] == 1 ? 0 : -1;
}
#endif

/* Whether all pointers lead somewhere. */
static int are_given(const culet_ed25519_signed *signatures, size_t count)
{
    size_t i;
    if (count != 0 && (signatures == NULL || count > PTRDIFF_MAX / sizeof *signatures))
        return 0;
    for (i = 0; i < count; i++)
        if (signatures[i].signature == NULL || signatures[i].public_key == NULL
            || !is_given(signatures[i].message, signatures[i].length))
            return 0;
    return 1;
}

int culet_ed25519_verify_batch(const culet_ed25519_signed *signatures, size_t count)
{
    size_t i;
    if (!are_given(signatures, count))
        return -1;
    for (i = 0; i < count; i++)
        if (culet_ed25519_verify(signatures[i].signature, signatures[i].message, signatures[i].length,
                                 signatures[i].public_key)
            != 0)
            return -1;
    return 0;
}

/* With words of 32 bits, where code is to be small, one by one. */
int culet_ed25519_verify_batch_zip215(const culet_ed25519_signed *signatures, size_t count)
{
    size_t i;
    if (!are_given(signatures, count))
        return -1;
#if defined(CULET_WORDS_OF_64)
    for (; count >= 8; count -= 8, signatures += 8)
        if (verify_eight(signatures) != 0)
            return -1;
#endif
    for (i = 0; i < count; i++)
        if (culet_ed25519_verify_zip215(signatures[i].signature, signatures[i].message, signatures[i].length,
                                        signatures[i].public_key)
            != 0)
            return -1;
    return 0;
}

/* RFC 7748, section 4.1. The kernel says that nothing is good if the key's order is not that of the base point. */
int culet_ed25519_public_to_x25519(uint8_t x25519[32], const uint8_t public_key[32])
{
    uint8_t made[32], good[1];
    if (x25519 == NULL || public_key == NULL)
        return -1;
    kernel_ed25519_to_x25519(made, good, public_key);
    if (good[0] != 1)
        return -1;
    memcpy(x25519, made, 32);
    return 0;
}

/* The secret key of X25519 is the scalar that the seed stands for. */
int culet_ed25519_secret_to_x25519(uint8_t x25519[32], const uint8_t seed[32])
{
    uint8_t hash[64], scalar[32], prefix[32];
    if (x25519 == NULL || seed == NULL)
        return -1;
    (void)culet_sha512(hash, seed, 32);
    kernel_ed25519_expand(scalar, prefix, hash);
    memcpy(x25519, scalar, 32);
    wipe(hash, 64);
    wipe(scalar, 32);
    wipe(prefix, 32);
    return 0;
}

#endif
