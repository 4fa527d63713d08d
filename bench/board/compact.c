/* The numbers modulo the group's order as calls of one kernel, which computes x0 + x1 x2. */
#include "hash.h"

void ed25519_sign(uint8_t S[32], const uint8_t r[32], const uint8_t k[32], const uint8_t s[32])
{
    uint8_t x[96];
    memcpy(x, r, 32);
    memcpy(x + 32, k, 32);
    memcpy(x + 64, s, 32);
    ed25519_combine(S, x);
}

/* The order is 2^252 + c, with c as in RFC 8032, section 5.1, and 2^256 is the order less 16 c modulo the order. */
void ed25519_reduce(uint8_t r[32], const uint8_t hash[64])
{
    static const uint8_t two_to_256[32] = {0x1d, 0x95, 0x98, 0x8d, 0x74, 0x31, 0xec, 0xd6, 0x70, 0xcf, 0x7d,
                                           0x73, 0xf4, 0x5b, 0xef, 0xc6, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff,
                                           0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f};
    uint8_t x[96];
    memcpy(x, hash, 64);
    memcpy(x + 64, two_to_256, 32);
    ed25519_combine(r, x);
}
