/* Carries limbs of 64 bits down to 51 and a little, in place. */
#include <stdint.h>

void carry(uint64_t x[5])
{
    const uint64_t mask = ((uint64_t)1 << 51) - 1;
    uint64_t c[5];
    for (int i = 0; i < 5; i++) {
        c[i] = x[i] >> 51;
        x[i] &= mask;
    }
    x[0] += 19 * c[4];
    for (int i = 1; i < 5; i++)
        x[i] += c[i - 1];
}
