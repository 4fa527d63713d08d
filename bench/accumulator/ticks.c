/* Medians of ticks of the time-stamp counter for one message each, of samples that alternate. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

typedef void poly1305(uint8_t tag[16], const uint8_t key[32], const uint8_t *msg, size_t length);
poly1305 in_registers, in_memory;

enum { SAMPLES = 2001 };
static uint8_t message[16384];
static uint64_t ticks[2][SAMPLES];

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int main(int count, char **arguments)
{
    poly1305 *const both[2] = { in_registers, in_memory };
    const size_t length = count > 1 ? (size_t)atoi(arguments[1]) : sizeof message;
    uint8_t key[32] = { 1, 2, 3 }, tag[2][16];
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)(7 * i + 3);
    for (int sample = 0; sample < SAMPLES; sample++) {
        for (int which = 0; which < 2; which++) {
            const uint64_t before = __rdtsc();
            both[which](tag[which], key, message, length);
            ticks[which][sample] = __rdtsc() - before;
        }
        for (int i = 0; i < 16; i++) {
            if (tag[0][i] != tag[1][i])
                return 1;
            key[i] ^= tag[0][i];
        }
    }
    for (int which = 0; which < 2; which++) {
        qsort(ticks[which], SAMPLES, sizeof ticks[which][0], compare);
        printf("%llu ", (unsigned long long)ticks[which][SAMPLES / 2]);
    }
    return 0;
}
