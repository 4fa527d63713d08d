/* out = a + b mod the prime of P-256: the sum, the sum less p, and a choice by mask. */
#include <stdint.h>

typedef unsigned __int128 u128;

static const uint64_t p[4] = {0xffffffffffffffff, 0x00000000ffffffff, 0, 0xffffffff00000001};

void add(uint64_t out[4], const uint64_t a[4], const uint64_t b[4])
{
    uint64_t s[4], d[4];
    u128 carry = 0;
    for (int j = 0; j < 4; j++) {
        carry += (u128)a[j] + b[j];
        s[j] = (uint64_t)carry;
        carry >>= 64;
    }
    uint64_t borrow = 0;
    for (int j = 0; j < 4; j++) {
        u128 x = (u128)s[j] - p[j] - borrow;
        d[j] = (uint64_t)x;
        borrow = (uint64_t)(x >> 64) & 1;
    }
    uint64_t keep = (uint64_t)carry - borrow;
    for (int j = 0; j < 4; j++)
        out[j] = d[j] ^ ((d[j] ^ s[j]) & keep);
}
