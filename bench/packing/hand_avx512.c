/* 512 blocks: whole registers of four neighbouring blocks are loaded, bytes transposed within the 128-bit parts by four
 * rounds of unpacking, parts transposed by shuffles, bits by three rounds of merging under a mask. */
#include "hand.h"

#include <immintrin.h>

#define UNPACK(d, s)                                   \
    do {                                               \
        for (int k = 0; k < 8; k++) {                  \
            d[2 * k] = _mm512_unpacklo_epi8(s[k], s[k + 8]);     \
            d[2 * k + 1] = _mm512_unpackhi_epi8(s[k], s[k + 8]); \
        }                                              \
    } while (0)

static inline void transpose_bytes(__m512i a[16])
{
    __m512i b[16];
    UNPACK(b, a);
    UNPACK(a, b);
    UNPACK(b, a);
    UNPACK(a, b);
}

/* Part l of register k becomes part k of register l. */
static inline void transpose_parts(__m512i r[4])
{
    const __m512i a = _mm512_shuffle_i32x4(r[0], r[1], 0x44), b = _mm512_shuffle_i32x4(r[0], r[1], 0xee);
    const __m512i c = _mm512_shuffle_i32x4(r[2], r[3], 0x44), d = _mm512_shuffle_i32x4(r[2], r[3], 0xee);
    r[0] = _mm512_shuffle_i32x4(a, c, 0x88);
    r[1] = _mm512_shuffle_i32x4(a, c, 0xdd);
    r[2] = _mm512_shuffle_i32x4(b, d, 0x88);
    r[3] = _mm512_shuffle_i32x4(b, d, 0xdd);
}

#define MERGE(x, y, k, m)                                                             \
    do {                                                                              \
        const __m512i low = _mm512_ternarylogic_epi64(m, x, _mm512_slli_epi16(y, k), 0xca); \
        y = _mm512_ternarylogic_epi64(m, _mm512_srli_epi16(x, k), y, 0xca);           \
        x = low;                                                                      \
    } while (0)

static inline void transpose_bits(__m512i r[8])
{
    const __m512i m4 = _mm512_set1_epi8(0x0f), m2 = _mm512_set1_epi8(0x33), m1 = _mm512_set1_epi8(0x55);
    for (int q = 0; q < 4; q++)
        MERGE(r[q], r[q + 4], 4, m4);
    MERGE(r[0], r[2], 2, m2);
    MERGE(r[1], r[3], 2, m2);
    MERGE(r[4], r[6], 2, m2);
    MERGE(r[5], r[7], 2, m2);
    for (int q = 0; q < 8; q += 2)
        MERGE(r[q], r[q + 1], 1, m1);
}

/* Instance 128 p + 8 i + 4 h + l: work[p][h][j] holds it in part l, byte i. */
void hand_pack(void *registers, const uint8_t *bytes)
{
    __m512i *out = registers;
    __m512i work[4][2][16];
    for (int p = 0; p < 4; p++)
        for (int h = 0; h < 2; h++) {
            __m512i a[16];
            for (int i = 0; i < 16; i++)
                a[i] = _mm512_loadu_si512(bytes + 16 * (128 * p + 8 * i + 4 * h));
            transpose_bytes(a);
            for (int j = 0; j < 16; j++)
                work[p][h][j] = a[j];
        }
    for (int j = 0; j < 16; j++) {
        __m512i r[8];
        for (int h = 0; h < 2; h++) {
            for (int p = 0; p < 4; p++)
                r[4 * h + p] = work[p][h][j];
            transpose_parts(r + 4 * h);
        }
        transpose_bits(r);
        for (int t = 0; t < 8; t++)
            out[8 * j + 7 - t] = r[t];
    }
}

void hand_unpack(uint8_t *bytes, const void *registers)
{
    const __m512i *in = registers;
    __m512i work[4][2][16];
    for (int j = 0; j < 16; j++) {
        __m512i r[8];
        for (int t = 0; t < 8; t++)
            r[t] = in[8 * j + 7 - t];
        transpose_bits(r);
        for (int h = 0; h < 2; h++) {
            transpose_parts(r + 4 * h);
            for (int p = 0; p < 4; p++)
                work[p][h][j] = r[4 * h + p];
        }
    }
    for (int p = 0; p < 4; p++)
        for (int h = 0; h < 2; h++) {
            __m512i a[16];
            for (int j = 0; j < 16; j++)
                a[j] = work[p][h][j];
            transpose_bytes(a);
            for (int i = 0; i < 16; i++)
                _mm512_storeu_si512(bytes + 16 * (128 * p + 8 * i + 4 * h), a[i]);
        }
}
