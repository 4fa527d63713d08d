/* Numbers mod 2^255 - 19 in five limbs of 51 bits from 32 bytes, the lowest first, and back. */
#include <stdint.h>
#include <string.h>

static const uint64_t mask = ((uint64_t)1 << 51) - 1;

/* The highest bit is returned. */
uint64_t from_bytes(uint64_t out[5], const unsigned char bytes[32])
{
    uint64_t w[4];
    memcpy(w, bytes, 32);
    out[0] = w[0] & mask;
    out[1] = (w[0] >> 51 | w[1] << 13) & mask;
    out[2] = (w[1] >> 38 | w[2] << 26) & mask;
    out[3] = (w[2] >> 25 | w[3] << 39) & mask;
    out[4] = w[3] >> 12 & mask;
    return w[3] >> 63;
}

/* The one number below p. */
void to_bytes(unsigned char bytes[32], const uint64_t a[5])
{
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
