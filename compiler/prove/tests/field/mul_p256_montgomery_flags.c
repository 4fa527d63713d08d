/* out = a * b / 2^256 mod the prime of P-256; carries in flags, by intrinsics. */
#include <immintrin.h>
#include <stdint.h>

typedef unsigned long long word;

static const uint64_t p[4] = {0xffffffffffffffff, 0x00000000ffffffff, 0x0000000000000000, 0xffffffff00000001};

/* t += x * y, where t has one word more than y and the carry goes into a second one. */
static inline void add_product(word t[4 + 2], word x, const uint64_t y[4])
{
    word low[4], high[4];
#pragma GCC unroll 8
    for (int j = 0; j < 4; j++)
        low[j] = _mulx_u64(x, y[j], &high[j]);
    unsigned char c = 0;
#pragma GCC unroll 8
    for (int j = 0; j < 4; j++)
        c = _addcarry_u64(c, t[j], low[j], &t[j]);
    c = _addcarry_u64(c, t[4], 0, &t[4]);
    t[4 + 1] += c;
    c = 0;
#pragma GCC unroll 8
    for (int j = 0; j < 4; j++)
        c = _addcarry_u64(c, t[j + 1], high[j], &t[j + 1]);
    t[4 + 1] += c;
}

void multiply(uint64_t out[4], const uint64_t a[4], const uint64_t b[4])
{
    word t[4 + 2] = {0}, d[4];
#pragma GCC unroll 8
    for (int i = 0; i < 4; i++) {
        add_product(t, a[i], b);
        add_product(t, t[0] * 0x1, p);
#pragma GCC unroll 8
        for (int j = 0; j <= 4; j++)
            t[j] = t[j + 1];
        t[4 + 1] = 0;
    }
    unsigned char borrow = 0;
#pragma GCC unroll 8
    for (int j = 0; j < 4; j++)
        borrow = _subborrow_u64(borrow, t[j], p[j], &d[j]);
    word rest;
    borrow = _subborrow_u64(borrow, t[4], 0, &rest);
    word keep = -(word)borrow;
#pragma GCC unroll 8
    for (int j = 0; j < 4; j++)
        out[j] = (t[j] & keep) | (d[j] & ~keep);
}
