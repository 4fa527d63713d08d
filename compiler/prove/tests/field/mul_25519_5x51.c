/* out = a * b mod 2^255 - 19, five limbs of 51 bits. */
#include <stdint.h>

typedef unsigned __int128 u128;

void multiply(uint64_t out[5], const uint64_t a[5], const uint64_t b[5])
{
    const uint64_t mask = ((uint64_t)1 << 51) - 1;
    u128 t[5];
    uint64_t carry;
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
    uint64_t r[5];
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
