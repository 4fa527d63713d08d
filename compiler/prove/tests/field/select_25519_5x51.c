/* out is a if the flag is 1, b if it is 0. */
#include <stdint.h>

void choose(uint64_t out[restrict 5], const uint64_t a[5], const uint64_t b[5], uint64_t flag)
{
    uint64_t mask = -flag;
    for (int i = 0; i < 5; i++)
        out[i] = b[i] ^ (mask & (a[i] ^ b[i]));
}
