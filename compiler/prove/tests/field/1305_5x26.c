/* Arithmetic mod 2^130 - 5 on five limbs of 26 bits in words of 32. */
#include <stdint.h>

static inline void reduce(uint32_t out[5], uint64_t t[5])
{
    const uint32_t mask = ((uint32_t)1 << 26) - 1;
    for (int k = 0; k < 4; k++) {
        t[k + 1] += t[k] >> 26;
        t[k] &= mask;
    }
    t[0] += 5 * (t[4] >> 26);
    t[4] &= mask;
    t[1] += t[0] >> 26;
    t[0] &= mask;
    for (int k = 0; k < 5; k++)
        out[k] = (uint32_t)t[k];
}

void multiply(uint32_t out[5], const uint32_t a[5], const uint32_t b[5])
{
    uint64_t t[5];
    for (int k = 0; k < 5; k++) {
        t[k] = 0;
        for (int i = 0; i < 5; i++)
            t[k] += i <= k ? (uint64_t)a[i] * b[k - i] : (uint64_t)a[i] * (5 * b[5 + k - i]);
    }
    reduce(out, t);
}

/* Limbs i < j with i + j = k, or k + 5, twice; the square of a limb once. */
void square(uint32_t out[5], const uint32_t a[5])
{
    uint64_t t[5];
    for (int k = 0; k < 5; k++) {
        t[k] = 0;
        for (int i = 0; i < 5; i++) {
            int j = (5 + k - i) % 5;
            uint32_t x = i + j == k ? a[j] : 5 * a[j];
            if (i < j)
                t[k] += (uint64_t)(2 * a[i]) * x;
            else if (i == j)
                t[k] += (uint64_t)a[i] * x;
        }
    }
    reduce(out, t);
}
