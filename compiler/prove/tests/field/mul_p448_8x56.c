/* out = a * b mod 2^448 - 2^224 - 1, eight limbs of 56 bits. */
#include <stdint.h>

typedef unsigned __int128 u128;

void multiply(uint64_t out[8], const uint64_t a[8], const uint64_t b[8])
{
    const uint64_t mask = ((uint64_t)1 << 56) - 1;
    u128 t[16] = {0};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            t[i + j] += (u128)a[i] * b[j];
    /* 2^448 = 2^224 + 1: limb 8 + k counts as limbs k and 4 + k. */
    for (int k = 14; k >= 8; k--) {
        t[k - 8] += t[k];
        t[k - 4] += t[k];
    }
    uint64_t r[8];
    u128 carry = 0;
    for (int k = 0; k < 8; k++) {
        t[k] += carry;
        r[k] = (uint64_t)t[k] & mask;
        carry = t[k] >> 56;
    }
    u128 low = carry + r[0], middle = carry + r[4];
    out[0] = (uint64_t)low & mask;
    out[1] = r[1] + (uint64_t)(low >> 56);
    out[2] = r[2];
    out[3] = r[3];
    out[4] = (uint64_t)middle & mask;
    out[5] = r[5] + (uint64_t)(middle >> 56);
    out[6] = r[6];
    out[7] = r[7];
}
