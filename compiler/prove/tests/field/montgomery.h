/* Montgomery arithmetic on WORDS full words, with carries in double words. The file that includes this one defines
   WORDS, PRIME and FACTOR, which is -1 / PRIME mod 2^64. */
#include "words.h"

static const uint64_t p[WORDS] = PRIME;

/* out = t + 2^(64 WORDS) * top, less the prime unless it is below. */
static inline void subtract_once(uint64_t out[WORDS], const uint64_t t[WORDS], uint64_t top)
{
    uint64_t d[WORDS], borrow = 0;
    for (int j = 0; j < WORDS; j++) {
        u128 x = (u128)t[j] - p[j] - borrow;
        d[j] = (uint64_t)x;
        borrow = (uint64_t)(x >> 64) & 1;
    }
    uint64_t keep = top - borrow;
    for (int j = 0; j < WORDS; j++)
        out[j] = (t[j] & keep) | (d[j] & ~keep);
}

/* out = a * b / 2^(64 WORDS): a word of a, then a multiple of the prime that makes a word zero. */
void multiply(uint64_t out[WORDS], const uint64_t a[WORDS], const uint64_t b[WORDS])
{
    uint64_t t[2 * WORDS] = {0}, top = 0;
    for (int i = 0; i < WORDS; i++) {
        u128 sum = (u128)add_product(t + i, a[i], b, WORDS) + top;
        sum += add_product(t + i, t[i] * FACTOR, p, WORDS);
        t[i + WORDS] = (uint64_t)sum;
        top = (uint64_t)(sum >> 64);
    }
    subtract_once(out, t + WORDS, top);
}

/* out = a * a / 2^(64 WORDS): the whole square first, then the multiples of the prime. */
void square(uint64_t out[WORDS], const uint64_t a[WORDS])
{
    uint64_t t[2 * WORDS] = {0}, top = 0;
    product_with_itself(t, a, WORDS);
    for (int i = 0; i < WORDS; i++) {
        u128 sum = (u128)t[i + WORDS] + add_product(t + i, t[i] * FACTOR, p, WORDS) + top;
        t[i + WORDS] = (uint64_t)sum;
        top = (uint64_t)(sum >> 64);
    }
    subtract_once(out, t + WORDS, top);
}
