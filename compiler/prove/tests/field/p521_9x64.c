/* Arithmetic mod 2^521 - 1 on nine full words; results are below 2^521. */
#include "words.h"

/* 2^521 = 1: what is above is added to what is below, and so is the bit that this may carry. */
static inline void reduce(uint64_t out[9], const uint64_t t[18])
{
    uint64_t r[9];
    u128 sum = 0;
    for (int k = 0; k < 9; k++) {
        uint64_t low = k < 8 ? t[k] : t[8] & 0x1ff;
        sum += (u128)low + (t[k + 8] >> 9 | t[k + 9] << 55);
        r[k] = (uint64_t)sum;
        sum >>= 64;
    }
    sum = r[8] >> 9;
    r[8] &= 0x1ff;
    for (int k = 0; k < 9; k++) {
        sum += r[k];
        out[k] = (uint64_t)sum;
        sum >>= 64;
    }
}

void multiply(uint64_t out[9], const uint64_t a[9], const uint64_t b[9])
{
    uint64_t t[18] = {0};
    product(t, a, b, 9);
    reduce(out, t);
}

void square(uint64_t out[9], const uint64_t a[9])
{
    uint64_t t[18] = {0};
    product_with_itself(t, a, 9);
    reduce(out, t);
}
