/* Generated and hand-written packing of 128-bit blocks, interleaved; medians in ticks of the time-stamp counter. */
#define COPY128_SLICED_API
#include "copy128.h"
#include "hand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#define SAMPLES 2001
#define REGISTER_BYTES (COPY128_INSTANCES / 8)

static _Alignas(64) uint8_t bytes[16 * COPY128_INSTANCES], other_bytes[sizeof bytes];
static _Alignas(64) uint8_t registers[128 * REGISTER_BYTES], other_registers[sizeof registers];

static void generated_pack(void) { copy128_pack_plain((void *)registers, bytes); }
static void generated_unpack(void) { copy128_unpack_cipher(bytes, (const void *)registers); }
static void by_hand_pack(void) { hand_pack(other_registers, bytes); }
static void by_hand_unpack(void) { hand_unpack(other_bytes, registers); }

static uint64_t ticks(void)
{
    _mm_lfence();
    const uint64_t now = __rdtsc();
    _mm_lfence();
    return now;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void compare(const char *what, void (*generated)(void), void (*by_hand)(void))
{
    static uint64_t samples[2][SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        const uint64_t start = ticks();
        generated();
        const uint64_t middle = ticks();
        by_hand();
        const uint64_t end = ticks();
        samples[0][i] = middle - start;
        samples[1][i] = end - middle;
    }
    for (int k = 0; k < 2; k++)
        qsort(samples[k], SAMPLES, sizeof samples[k][0], by_value);
    const double g = (double)samples[0][SAMPLES / 2] / sizeof bytes, h = (double)samples[1][SAMPLES / 2] / sizeof bytes;
    printf("%-7s generated %6.3f ticks/byte, by hand %6.3f, ratio %5.2f\n", what, g, h, g / h);
}

int main(void)
{
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(rand() >> 7);
    generated_pack();
    by_hand_pack();
    by_hand_unpack();
    if (memcmp(registers, other_registers, sizeof registers) != 0 || memcmp(bytes, other_bytes, sizeof bytes) != 0) {
        fprintf(stderr, "the two disagree\n");
        return 1;
    }
    compare("pack", generated_pack, by_hand_pack);
    compare("unpack", generated_unpack, by_hand_unpack);
    return 0;
}
