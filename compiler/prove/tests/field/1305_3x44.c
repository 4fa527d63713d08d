/* Arithmetic mod 2^130 - 5 on limbs of 44, 44 and 42 bits. */
#include <stdint.h>

typedef unsigned __int128 u128;

static inline void reduce(uint64_t out[3], u128 t0, u128 t1, u128 t2)
{
    const uint64_t mask44 = ((uint64_t)1 << 44) - 1, mask42 = ((uint64_t)1 << 42) - 1;
    t1 += (uint64_t)(t0 >> 44);
    t2 += (uint64_t)(t1 >> 44);
    uint64_t r0 = ((uint64_t)t0 & mask44) + 5 * (uint64_t)(t2 >> 42);
    out[0] = r0 & mask44;
    out[1] = ((uint64_t)t1 & mask44) + (r0 >> 44);
    out[2] = (uint64_t)t2 & mask42;
}

void multiply(uint64_t out[3], const uint64_t a[3], const uint64_t b[3])
{
    uint64_t s1 = b[1] * 20, s2 = b[2] * 20;
    u128 t0 = (u128)a[0] * b[0] + (u128)a[1] * s2 + (u128)a[2] * s1;
    u128 t1 = (u128)a[0] * b[1] + (u128)a[1] * b[0] + (u128)a[2] * s2;
    u128 t2 = (u128)a[0] * b[2] + (u128)a[1] * b[1] + (u128)a[2] * b[0];
    reduce(out, t0, t1, t2);
}

void square(uint64_t out[3], const uint64_t a[3])
{
    uint64_t d0 = a[0] * 2, s2 = a[2] * 20;
    u128 t0 = (u128)a[0] * a[0] + (u128)(2 * a[1]) * s2;
    u128 t1 = (u128)d0 * a[1] + (u128)a[2] * s2;
    u128 t2 = (u128)d0 * a[2] + (u128)a[1] * a[1];
    reduce(out, t0, t1, t2);
}
