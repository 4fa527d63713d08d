/* Montgomery arithmetic on WORDS full words, with carries by comparisons. The file that includes this one defines
   WORDS, PRIME and FACTOR, which is -1 / PRIME mod 2^64. */
#include <stdint.h>

static const uint64_t p[WORDS] = PRIME;

/* The high word of x * y + *sum + carry; the low one stays in *sum. */
static inline uint64_t multiply_add(uint64_t *sum, uint64_t x, uint64_t y, uint64_t carry)
{
    unsigned __int128 product = (unsigned __int128)x * y;
    uint64_t low = (uint64_t)product, high = (uint64_t)(product >> 64);
    low += carry;
    high += low < carry;
    *sum += low;
    return high + (*sum < low);
}

/* t += x * y; the carry goes into a word more, and out of that into another. */
static inline void add_product(uint64_t t[WORDS + 2], uint64_t x, const uint64_t y[WORDS])
{
    uint64_t carry = 0;
    for (int j = 0; j < WORDS; j++)
        carry = multiply_add(&t[j], x, y[j], carry);
    t[WORDS] += carry;
    t[WORDS + 1] += t[WORDS] < carry;
}

/* out = a * b / 2^(64 WORDS). */
void multiply(uint64_t out[WORDS], const uint64_t a[WORDS], const uint64_t b[WORDS])
{
    uint64_t t[2 * WORDS + 2] = {0}, d[WORDS], borrow = 0;
    for (int i = 0; i < WORDS; i++) {
        add_product(t + i, a[i], b);
        add_product(t + i, t[i] * FACTOR, p);
    }
    const uint64_t *r = t + WORDS;
    for (int j = 0; j < WORDS; j++) {
        uint64_t x = r[j] - p[j];
        d[j] = x - borrow;
        borrow = (r[j] < p[j]) | (x < borrow);
    }
    /* Whether p was too much: only if there is no word more. */
    uint64_t keep = -(borrow & (r[WORDS] ^ 1));
    for (int j = 0; j < WORDS; j++)
        out[j] = d[j] ^ (keep & (d[j] ^ r[j]));
}
