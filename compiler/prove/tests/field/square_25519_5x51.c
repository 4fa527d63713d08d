/* out = a^2 mod 2^255 - 19, five limbs of 51 bits. */
#include <stdint.h>

typedef unsigned __int128 u128;

void square(uint64_t out[5], const uint64_t a[5])
{
    const uint64_t mask = ((uint64_t)1 << 51) - 1;
    uint64_t d0 = 2 * a[0], d1 = 2 * a[1], d2 = 2 * a[2];
    uint64_t n3 = 19 * a[3], n4 = 19 * a[4];
    u128 t0 = (u128)a[0] * a[0] + (u128)d1 * n4 + (u128)d2 * n3;
    u128 t1 = (u128)d0 * a[1] + (u128)d2 * n4 + (u128)a[3] * n3;
    u128 t2 = (u128)d0 * a[2] + (u128)a[1] * a[1] + (u128)(2 * a[3]) * n4;
    u128 t3 = (u128)d0 * a[3] + (u128)d1 * a[2] + (u128)a[4] * n4;
    u128 t4 = (u128)d0 * a[4] + (u128)d1 * a[3] + (u128)a[2] * a[2];
    t1 += t0 >> 51;
    t2 += t1 >> 51;
    t3 += t2 >> 51;
    t4 += t3 >> 51;
    uint64_t r0 = ((uint64_t)t0 & mask) + 19 * (uint64_t)(t4 >> 51);
    uint64_t r1 = ((uint64_t)t1 & mask) + (r0 >> 51);
    out[0] = r0 & mask;
    out[1] = r1;
    out[2] = (uint64_t)t2 & mask;
    out[3] = (uint64_t)t3 & mask;
    out[4] = (uint64_t)t4 & mask;
}
