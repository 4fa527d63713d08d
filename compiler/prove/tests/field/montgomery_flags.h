/* Montgomery arithmetic on WORDS full words, with carries in flags, by intrinsics. The file that includes this one defines
   WORDS, PRIME and FACTOR, which is -1 / PRIME mod 2^64. */
#include <immintrin.h>
#include <stdint.h>

typedef unsigned long long word;

static const uint64_t p[WORDS] = PRIME;

/* t += x * y, where t has one word more than y and the carry goes into a second one. */
static inline void add_product(word t[WORDS + 2], word x, const uint64_t y[WORDS])
{
    word low[WORDS], high[WORDS];
#pragma GCC unroll 8
    for (int j = 0; j < WORDS; j++)
        low[j] = _mulx_u64(x, y[j], &high[j]);
    unsigned char c = 0;
#pragma GCC unroll 8
    for (int j = 0; j < WORDS; j++)
        c = _addcarry_u64(c, t[j], low[j], &t[j]);
    c = _addcarry_u64(c, t[WORDS], 0, &t[WORDS]);
    t[WORDS + 1] += c;
    c = 0;
#pragma GCC unroll 8
    for (int j = 0; j < WORDS; j++)
        c = _addcarry_u64(c, t[j + 1], high[j], &t[j + 1]);
    t[WORDS + 1] += c;
}

/* t += m * p for the m that makes the lowest word zero; t moves down by this word. */
static inline void reduce(word t[WORDS + 2])
{
    add_product(t, t[0] * FACTOR, p);
#pragma GCC unroll 8
    for (int j = 0; j <= WORDS; j++)
        t[j] = t[j + 1];
    t[WORDS + 1] = 0;
}

/* out = t, less the prime unless it is below. */
static inline void subtract_once(uint64_t out[WORDS], const word t[WORDS + 1])
{
    word d[WORDS], rest;
    unsigned char borrow = 0;
#pragma GCC unroll 8
    for (int j = 0; j < WORDS; j++)
        borrow = _subborrow_u64(borrow, t[j], p[j], &d[j]);
    borrow = _subborrow_u64(borrow, t[WORDS], 0, &rest);
    word keep = -(word)borrow;
#pragma GCC unroll 8
    for (int j = 0; j < WORDS; j++)
        out[j] = (t[j] & keep) | (d[j] & ~keep);
}

/* out = a * b / 2^(64 WORDS). */
void multiply(uint64_t out[WORDS], const uint64_t a[WORDS], const uint64_t b[WORDS])
{
    word t[WORDS + 2] = {0};
#pragma GCC unroll 8
    for (int i = 0; i < WORDS; i++) {
        add_product(t, a[i], b);
        reduce(t);
    }
    subtract_once(out, t);
}

/* out = a * a / 2^(64 WORDS). */
void square(uint64_t out[WORDS], const uint64_t a[WORDS])
{
    word t[WORDS + 2] = {0};
#pragma GCC unroll 8
    for (int i = 0; i < WORDS; i++) {
        add_product(t, a[i], a);
        reduce(t);
    }
    subtract_once(out, t);
}
