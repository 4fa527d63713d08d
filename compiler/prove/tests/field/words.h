/* Products of numbers in full words, with carries in double words. */
#include <stdint.h>

typedef unsigned __int128 u128;

/* t += x * y; the carry out of it. */
static inline uint64_t add_product(uint64_t *t, uint64_t x, const uint64_t *y, int words)
{
    uint64_t carry = 0;
    for (int j = 0; j < words; j++) {
        u128 sum = (u128)x * y[j] + t[j] + carry;
        t[j] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    return carry;
}

/* t = a * b, where t is zero before and has twice as many words. */
static inline void product(uint64_t *t, const uint64_t *a, const uint64_t *b, int words)
{
    for (int i = 0; i < words; i++)
        t[i + words] = add_product(t + i, a[i], b, words);
}

/* t = a * a, where t is zero before: different words once and doubled, then the squares of words. */
static inline void product_with_itself(uint64_t *t, const uint64_t *a, int words)
{
    uint64_t carry = 0;
    for (int i = 0; i + 1 < words; i++)
        t[i + words] = add_product(t + 2 * i + 1, a[i], a + i + 1, words - 1 - i);
    for (int k = 2 * words - 1; k > 0; k--)
        t[k] = t[k] << 1 | t[k - 1] >> 63;
    for (int i = 0; i < words; i++) {
        u128 sum = (u128)a[i] * a[i] + t[2 * i] + carry;
        t[2 * i] = (uint64_t)sum;
        sum = (sum >> 64) + t[2 * i + 1];
        t[2 * i + 1] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
}
