/* Arithmetic mod 2^255 - 19 on eight numbers side by side: five limbs of 52 bits; limb i of all numbers is one register. */
#include <immintrin.h>
#include <stdint.h>

static __m512i low(__m512i sum, __m512i x, __m512i y) { return _mm512_madd52lo_epu64(sum, x, y); }
static __m512i high(__m512i sum, __m512i x, __m512i y) { return _mm512_madd52hi_epu64(sum, x, y); }

/* From sums of ten limbs, with carries once around. */
static inline void reduce(uint64_t out[40], __m512i t[10])
{
    const __m512i mask = _mm512_set1_epi64(((uint64_t)1 << 52) - 1);
    /* 2^260 = 32 * 2^255 is 32 * 19. */
    const __m512i fold = _mm512_set1_epi64(608);
    __m512i r[5];
#pragma GCC unroll 16
    for (int k = 5; k < 9; k++) {
        t[k + 1] = _mm512_add_epi64(t[k + 1], _mm512_srli_epi64(t[k], 52));
        t[k] = _mm512_and_si512(t[k], mask);
    }
#pragma GCC unroll 16
    for (int k = 0; k < 5; k++)
        t[k] = low(t[k], t[k + 5], fold);
#pragma GCC unroll 16
    for (int k = 0; k < 4; k++)
        t[k + 1] = high(t[k + 1], t[k + 5], fold);
    __m512i top = high(_mm512_setzero_si512(), t[9], fold);
    t[0] = low(t[0], top, fold);
#pragma GCC unroll 16
    for (int k = 0; k < 4; k++) {
        t[k + 1] = _mm512_add_epi64(t[k + 1], _mm512_srli_epi64(t[k], 52));
        r[k] = _mm512_and_si512(t[k], mask);
    }
    r[4] = _mm512_and_si512(t[4], mask);
    r[0] = low(r[0], _mm512_srli_epi64(t[4], 52), fold);
#pragma GCC unroll 16
    for (int k = 0; k < 5; k++)
        _mm512_storeu_si512(out + 8 * k, r[k]);
}

void multiply(uint64_t out[40], const uint64_t a[40], const uint64_t b[40])
{
    __m512i x[5], y[5], t[10];
#pragma GCC unroll 16
    for (int i = 0; i < 5; i++) {
        x[i] = _mm512_loadu_si512(a + 8 * i);
        y[i] = _mm512_loadu_si512(b + 8 * i);
    }
#pragma GCC unroll 16
    for (int k = 0; k < 10; k++)
        t[k] = _mm512_setzero_si512();
#pragma GCC unroll 16
    for (int i = 0; i < 5; i++)
    #pragma GCC unroll 16
    for (int j = 0; j < 5; j++) {
            t[i + j] = low(t[i + j], x[i], y[j]);
            t[i + j + 1] = high(t[i + j + 1], x[i], y[j]);
        }
    reduce(out, t);
}

/* Different limbs once, and doubled; then the squares of limbs. */
void square(uint64_t out[40], const uint64_t a[40])
{
    __m512i x[5], t[10];
#pragma GCC unroll 16
    for (int i = 0; i < 5; i++)
        x[i] = _mm512_loadu_si512(a + 8 * i);
#pragma GCC unroll 16
    for (int k = 0; k < 10; k++)
        t[k] = _mm512_setzero_si512();
#pragma GCC unroll 16
    for (int i = 0; i < 5; i++)
    #pragma GCC unroll 16
    for (int j = i + 1; j < 5; j++) {
            t[i + j] = low(t[i + j], x[i], x[j]);
            t[i + j + 1] = high(t[i + j + 1], x[i], x[j]);
        }
#pragma GCC unroll 16
    for (int k = 0; k < 10; k++)
        t[k] = _mm512_add_epi64(t[k], t[k]);
#pragma GCC unroll 16
    for (int i = 0; i < 5; i++) {
        t[2 * i] = low(t[2 * i], x[i], x[i]);
        t[2 * i + 1] = high(t[2 * i + 1], x[i], x[i]);
    }
    reduce(out, t);
}
