/* 256 blocks: rows of two blocks that are 128 apart, bytes transposed by four rounds of unpacking, then bits by three
 * rounds of masked swaps. */
#include "hand.h"

#include <immintrin.h>

#define UNPACK(d, s)                                   \
    do {                                               \
        for (int k = 0; k < 8; k++) {                  \
            d[2 * k] = _mm256_unpacklo_epi8(s[k], s[k + 8]);     \
            d[2 * k + 1] = _mm256_unpackhi_epi8(s[k], s[k + 8]); \
        }                                              \
    } while (0)

static inline void transpose_bytes(__m256i a[16])
{
    __m256i b[16];
    UNPACK(b, a);
    UNPACK(a, b);
    UNPACK(b, a);
    UNPACK(a, b);
}

#define SWAP(x, y, k, m)                                                            \
    do {                                                                            \
        const __m256i t = _mm256_and_si256(_mm256_xor_si256(_mm256_srli_epi16(x, k), y), m); \
        y = _mm256_xor_si256(y, t);                                                 \
        x = _mm256_xor_si256(x, _mm256_slli_epi16(t, k));                           \
    } while (0)

static inline void transpose_bits(__m256i r[8])
{
    const __m256i m4 = _mm256_set1_epi8(0x0f), m2 = _mm256_set1_epi8(0x33), m1 = _mm256_set1_epi8(0x55);
    for (int q = 0; q < 4; q++)
        SWAP(r[q], r[q + 4], 4, m4);
    SWAP(r[0], r[2], 2, m2);
    SWAP(r[1], r[3], 2, m2);
    SWAP(r[4], r[6], 2, m2);
    SWAP(r[5], r[7], 2, m2);
    for (int q = 0; q < 8; q += 2)
        SWAP(r[q], r[q + 1], 1, m1);
}

void hand_pack(void *registers, const uint8_t *bytes)
{
    __m256i *out = registers;
    for (int q = 0; q < 8; q++) {
        __m256i a[16];
        for (int i = 0; i < 16; i++) {
            const uint8_t *p = bytes + 16 * (8 * i + q);
            a[i] = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)p)),
                                           _mm_loadu_si128((const __m128i *)(p + 2048)), 1);
        }
        transpose_bytes(a);
        for (int j = 0; j < 16; j++)
            out[8 * j + q] = a[j];
    }
    for (int j = 0; j < 16; j++) {
        __m256i r[8];
        for (int q = 0; q < 8; q++)
            r[q] = out[8 * j + q];
        transpose_bits(r);
        for (int t = 0; t < 8; t++)
            out[8 * j + 7 - t] = r[t];
    }
}

void hand_unpack(uint8_t *bytes, const void *registers)
{
    const __m256i *in = registers;
    __m256i work[128];
    for (int j = 0; j < 16; j++) {
        __m256i r[8];
        for (int t = 0; t < 8; t++)
            r[t] = in[8 * j + 7 - t];
        transpose_bits(r);
        for (int q = 0; q < 8; q++)
            work[8 * j + q] = r[q];
    }
    for (int q = 0; q < 8; q++) {
        __m256i a[16];
        for (int j = 0; j < 16; j++)
            a[j] = work[8 * j + q];
        transpose_bytes(a);
        for (int i = 0; i < 16; i++) {
            uint8_t *p = bytes + 16 * (8 * i + q);
            _mm_storeu_si128((__m128i *)p, _mm256_castsi256_si128(a[i]));
            _mm_storeu_si128((__m128i *)(p + 2048), _mm256_extracti128_si256(a[i], 1));
        }
    }
}
