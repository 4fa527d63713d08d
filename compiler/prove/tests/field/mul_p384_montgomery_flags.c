/* out = a * b / 2^384 mod the prime of P-384; carries in flags, by intrinsics. */
#include <immintrin.h>
#include <stdint.h>

typedef unsigned long long word;

static const uint64_t p[6] = {0x00000000ffffffff, 0xffffffff00000000, 0xfffffffffffffffe, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff};

/* t += x * y, where t has one word more than y and the carry goes into a second one. */
static inline void add_product(word t[6 + 2], word x, const uint64_t y[6])
{
    word low[6], high[6];
#pragma GCC unroll 8
    for (int j = 0; j < 6; j++)
        low[j] = _mulx_u64(x, y[j], &high[j]);
    unsigned char c = 0;
#pragma GCC unroll 8
    for (int j = 0; j < 6; j++)
        c = _addcarry_u64(c, t[j], low[j], &t[j]);
    c = _addcarry_u64(c, t[6], 0, &t[6]);
    t[6 + 1] += c;
    c = 0;
#pragma GCC unroll 8
    for (int j = 0; j < 6; j++)
        c = _addcarry_u64(c, t[j + 1], high[j], &t[j + 1]);
    t[6 + 1] += c;
}

void multiply(uint64_t out[6], const uint64_t a[6], const uint64_t b[6])
{
    word t[6 + 2] = {0}, d[6];
#pragma GCC unroll 8
    for (int i = 0; i < 6; i++) {
        add_product(t, a[i], b);
        add_product(t, t[0] * 0x100000001, p);
#pragma GCC unroll 8
        for (int j = 0; j <= 6; j++)
            t[j] = t[j + 1];
        t[6 + 1] = 0;
    }
    unsigned char borrow = 0;
#pragma GCC unroll 8
    for (int j = 0; j < 6; j++)
        borrow = _subborrow_u64(borrow, t[j], p[j], &d[j]);
    word rest;
    borrow = _subborrow_u64(borrow, t[6], 0, &rest);
    word keep = -(word)borrow;
#pragma GCC unroll 8
    for (int j = 0; j < 6; j++)
        out[j] = (t[j] & keep) | (d[j] & ~keep);
}
