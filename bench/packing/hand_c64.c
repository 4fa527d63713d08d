/* 64 blocks: two squares of 64 bits, each in two passes over eight words at a time, three rounds of masked swaps a pass. */
#include "hand.h"

#include <string.h>

#define SWAP(x, y, k, m)                              \
    do {                                              \
        const uint64_t t = (((x) >> (k)) ^ (y)) & (m); \
        (y) ^= t;                                     \
        (x) ^= t << (k);                              \
    } while (0)

static inline void rounds(uint64_t *a, int step, int k4, uint64_t m4, uint64_t m2, uint64_t m1)
{
    uint64_t r[8];
    for (int q = 0; q < 8; q++)
        r[q] = a[q * step];
    for (int q = 0; q < 4; q++)
        SWAP(r[q], r[q + 4], k4, m4);
    for (int q = 0; q < 8; q += 4) {
        SWAP(r[q], r[q + 2], k4 / 2, m2);
        SWAP(r[q + 1], r[q + 3], k4 / 2, m2);
    }
    for (int q = 0; q < 8; q += 2)
        SWAP(r[q], r[q + 1], k4 / 4, m1);
    for (int q = 0; q < 8; q++)
        a[q * step] = r[q];
}

static void transpose(uint64_t a[64])
{
    for (int k = 0; k < 8; k++)
        rounds(a + k, 8, 32, 0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff);
    for (int k = 0; k < 64; k += 8)
        rounds(a + k, 1, 4, 0x0f0f0f0f0f0f0f0f, 0x3333333333333333, 0x5555555555555555);
}

void hand_pack(void *registers, const uint8_t *bytes)
{
    uint64_t *out = registers;
    for (int half = 0; half < 2; half++) {
        uint64_t a[64];
        for (int s = 0; s < 64; s++)
            memcpy(&a[s], bytes + 16 * s + 8 * half, 8);
        transpose(a);
        for (int j = 0; j < 8; j++)
            for (int t = 0; t < 8; t++)
                out[64 * half + 8 * j + 7 - t] = a[8 * j + t];
    }
}

void hand_unpack(uint8_t *bytes, const void *registers)
{
    const uint64_t *in = registers;
    for (int half = 0; half < 2; half++) {
        uint64_t a[64];
        for (int j = 0; j < 8; j++)
            for (int t = 0; t < 8; t++)
                a[8 * j + t] = in[64 * half + 8 * j + 7 - t];
        transpose(a);
        for (int s = 0; s < 64; s++)
            memcpy(bytes + 16 * s + 8 * half, &a[s], 8);
    }
}
