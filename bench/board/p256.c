/* ECDSA with P-256: FIPS 186-5, section 6.4. */
#include "hash.h"

int board_p256_sign(uint8_t signature[64], const uint8_t hash[32], const uint8_t d[32], const uint8_t k[32])
{
    uint8_t point[65], good, is_in_range;
    p256_public(point, &is_in_range, k);
    p256_sign(signature, signature + 32, &good, d, k, point + 1, hash);
    return good & is_in_range;
}

int board_p256_verify(const uint8_t signature[64], const uint8_t hash[32], const uint8_t public_key[65])
{
    uint8_t u1[32], u2[32], x[32], in_range, is_there, is_same;
    p256_multiples(u1, u2, &in_range, signature, signature + 32, hash);
    p256_sum(x, &is_there, u1, u2, public_key);
    p256_is_same(&is_same, x, signature);
    return in_range & is_there & is_same;
}
