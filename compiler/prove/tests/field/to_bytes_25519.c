/* The one number below p, as 32 bytes, the lowest first. */
#include <stdint.h>
#include <string.h>

void to_bytes(unsigned char bytes[32], const uint64_t a[5])
{
    const uint64_t mask = ((uint64_t)1 << 51) - 1;
    uint64_t t[5];
    memcpy(t, a, sizeof t);
    /* Below 2^255 + 19: then p is taken off once at most. */
    for (int i = 0; i < 4; i++) {
        t[i + 1] += t[i] >> 51;
        t[i] &= mask;
    }
    t[0] += 19 * (t[4] >> 51);
    t[4] &= mask;
    uint64_t q = (t[0] + 19) >> 51;
    for (int i = 1; i < 5; i++)
        q = (t[i] + q) >> 51;
    t[0] += 19 * q;
    for (int i = 0; i < 4; i++) {
        t[i + 1] += t[i] >> 51;
        t[i] &= mask;
    }
    t[4] &= mask;
    uint64_t w[4] = {t[0] | t[1] << 51, t[1] >> 13 | t[2] << 38, t[2] >> 26 | t[3] << 25, t[3] >> 39 | t[4] << 12};
    memcpy(bytes, w, 32);
}
