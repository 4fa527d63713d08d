/* Arithmetic mod 2^255 - 19 on five limbs of 51 bits. */
#include <stdint.h>

typedef unsigned __int128 u128;

static const uint64_t mask = ((uint64_t)1 << 51) - 1;

/* Carries of double words once around. */
static inline void reduce(uint64_t out[5], u128 t[5])
{
    uint64_t r[5], carry;
    t[1] += (uint64_t)(t[0] >> 51); r[0] = (uint64_t)t[0] & mask;
    t[2] += (uint64_t)(t[1] >> 51); r[1] = (uint64_t)t[1] & mask;
    t[3] += (uint64_t)(t[2] >> 51); r[2] = (uint64_t)t[2] & mask;
    t[4] += (uint64_t)(t[3] >> 51); r[3] = (uint64_t)t[3] & mask;
    carry = (uint64_t)(t[4] >> 51); r[4] = (uint64_t)t[4] & mask;
    r[0] += 19 * carry;
    carry = r[0] >> 51; r[0] &= mask;
    r[1] += carry;
    for (int i = 0; i < 5; i++)
        out[i] = r[i];
}

void multiply(uint64_t out[5], const uint64_t a[5], const uint64_t b[5])
{
    u128 t[5];
    for (int k = 0; k < 5; k++) {
        u128 low = 0, high = 0;
        for (int i = 0; i < 5; i++) {
            if (i <= k)
                low += (u128)a[i] * b[k - i];
            else
                high += (u128)a[i] * (19 * b[5 + k - i]);
        }
        t[k] = low + high;
    }
    reduce(out, t);
}

void square(uint64_t out[5], const uint64_t a[5])
{
    uint64_t d0 = 2 * a[0], d1 = 2 * a[1], d2 = 2 * a[2], n3 = 19 * a[3], n4 = 19 * a[4];
    u128 t[5] = {
        (u128)a[0] * a[0] + (u128)d1 * n4 + (u128)d2 * n3,
        (u128)d0 * a[1] + (u128)d2 * n4 + (u128)a[3] * n3,
        (u128)d0 * a[2] + (u128)a[1] * a[1] + (u128)(2 * a[3]) * n4,
        (u128)d0 * a[3] + (u128)d1 * a[2] + (u128)a[4] * n4,
        (u128)d0 * a[4] + (u128)d1 * a[3] + (u128)a[2] * a[2],
    };
    reduce(out, t);
}

/* With 2 p added so that no limb is negative; no carries. Where out may be a, a compiler asks at run time whether it is,
   which is a branch on addresses: hence `restrict`. */
void subtract(uint64_t out[restrict 5], const uint64_t a[5], const uint64_t b[5])
{
    const uint64_t twice[5] = {
        0xfffffffffffda, 0xffffffffffffe, 0xffffffffffffe, 0xffffffffffffe, 0xffffffffffffe,
    };
    for (int i = 0; i < 5; i++)
        out[i] = a[i] + twice[i] - b[i];
}

/* Carries limbs of 64 bits down to 51 and a little, in place. */
void carry(uint64_t x[5])
{
    uint64_t c[5];
    for (int i = 0; i < 5; i++) {
        c[i] = x[i] >> 51;
        x[i] &= mask;
    }
    x[0] += 19 * c[4];
    for (int i = 1; i < 5; i++)
        x[i] += c[i - 1];
}

/* out is a if the flag is 1, b if it is 0. */
void choose(uint64_t out[restrict 5], const uint64_t a[5], const uint64_t b[5], uint64_t flag)
{
    uint64_t all = -flag;
    for (int i = 0; i < 5; i++)
        out[i] = b[i] ^ (all & (a[i] ^ b[i]));
}
