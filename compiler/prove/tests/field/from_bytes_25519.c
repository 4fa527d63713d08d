/* 32 bytes, the lowest first, as five limbs of 51 bits; the highest bit is returned. */
#include <stdint.h>
#include <string.h>

uint64_t from_bytes(uint64_t out[5], const unsigned char bytes[32])
{
    const uint64_t mask = ((uint64_t)1 << 51) - 1;
    uint64_t w[4];
    memcpy(w, bytes, 32);
    out[0] = w[0] & mask;
    out[1] = (w[0] >> 51 | w[1] << 13) & mask;
    out[2] = (w[1] >> 38 | w[2] << 26) & mask;
    out[3] = (w[2] >> 25 | w[3] << 39) & mask;
    out[4] = w[3] >> 12 & mask;
    return w[3] >> 63;
}
