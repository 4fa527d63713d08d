/* Sums and differences mod the prime of P-256. */
#include <immintrin.h>
#include <stdint.h>

typedef unsigned __int128 u128;

static const uint64_t p[4] = {0xffffffffffffffff, 0x00000000ffffffff, 0, 0xffffffff00000001};

/* The sum, the sum less p, and a choice by mask. */
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

/* The difference, and p added to it under a mask. */
void subtract(uint64_t out[4], const uint64_t a[4], const uint64_t b[4])
{
    unsigned long long d[4], s[4];
    unsigned char c = 0;
    for (int j = 0; j < 4; j++)
        c = _subborrow_u64(c, a[j], b[j], &d[j]);
    uint64_t mask = -(uint64_t)c;
    c = 0;
    for (int j = 0; j < 4; j++)
        c = _addcarry_u64(c, d[j], p[j] & mask, &s[j]);
    for (int j = 0; j < 4; j++)
        out[j] = s[j];
}
