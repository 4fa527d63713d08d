/* Ed25519, as RFC 8032 composes it of hashes, multiples of points, and numbers modulo the group's order. */
#include "hash.h"

/* The scalar and the prefix of a seed: RFC 8032, section 5.1.5. */
static __attribute__((noinline)) void expand(uint8_t scalar[32], uint8_t prefix[32], const uint8_t seed[32])
{
    uint8_t digest[64];
    board_sha512(digest, seed, 32);
    ed25519_expand(scalar, prefix, digest);
}

/* The hash of R, A and M, or of a prefix and M, modulo the group's order; `b` may be no place. What it keeps in memory is none of its callers'. */
static __attribute__((noinline)) void reduced_hash(uint8_t scalar[32], const uint8_t a[32], const uint8_t *b, const uint8_t *message, size_t length)
{
    struct sha512 hash;
    uint8_t digest[64];
    hash_start(&hash);
    hash_add(&hash, a, 32);
    if (b)
        hash_add(&hash, b, 32);
    hash_add(&hash, message, length);
    hash_end(&hash, digest);
    ed25519_reduce(scalar, digest);
}

void board_sign_public(uint8_t public_key[32], const uint8_t seed[32])
{
    uint8_t scalar[32], prefix[32];
    expand(scalar, prefix, seed);
    ed25519_base(public_key, scalar);
}

void board_sign(uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t seed[32],
                const uint8_t public_key[32])
{
    uint8_t scalar[32], prefix[32], r[32], k[32];
    expand(scalar, prefix, seed);
    reduced_hash(r, prefix, 0, message, length);
    ed25519_base(signature, r);
    reduced_hash(k, signature, public_key, message, length);
    ed25519_sign(signature + 32, r, k, scalar);
}
