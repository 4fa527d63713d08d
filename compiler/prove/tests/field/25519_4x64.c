/* Arithmetic mod 2^255 - 19 on four full words; results are below 2^256, not reduced further. */
#include "words.h"

/* 2^256 = 38: the upper words 38 times into the lower ones, and likewise the carries. */
static inline void reduce(uint64_t out[4], const uint64_t t[8])
{
    uint64_t r[4], carry = 0;
    for (int i = 0; i < 4; i++) {
        u128 x = (u128)38 * t[i + 4] + t[i] + carry;
        r[i] = (uint64_t)x;
        carry = (uint64_t)(x >> 64);
    }
    carry *= 38;
    for (int i = 0; i < 4; i++) {
        u128 x = (u128)r[i] + carry;
        r[i] = (uint64_t)x;
        carry = (uint64_t)(x >> 64);
    }
    /* After a carry here, the number is small: this cannot carry again. */
    r[0] += 38 * carry;
    for (int i = 0; i < 4; i++)
        out[i] = r[i];
}

void multiply(uint64_t out[4], const uint64_t a[4], const uint64_t b[4])
{
    uint64_t t[8] = {0};
    product(t, a, b, 4);
    reduce(out, t);
}

void square(uint64_t out[4], const uint64_t a[4])
{
    uint64_t t[8] = {0};
    product_with_itself(t, a, 4);
    reduce(out, t);
}
