/* Arithmetic mod 2^448 - 2^224 - 1 on eight limbs of 56 bits. */
#include <stdint.h>

typedef unsigned __int128 u128;

/* Carries of eight double words once around: what leaves the last one counts as limbs 0 and 4. */
static inline void carry(uint64_t out[8], u128 t[8])
{
    const uint64_t mask = ((uint64_t)1 << 56) - 1;
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

/* 2^448 = 2^224 + 1: limb 8 + k counts as limbs k and 4 + k. */
static inline void reduce(uint64_t out[8], u128 t[15])
{
    for (int k = 14; k >= 8; k--) {
        t[k - 8] += t[k];
        t[k - 4] += t[k];
    }
    carry(out, t);
}

void multiply(uint64_t out[8], const uint64_t a[8], const uint64_t b[8])
{
    u128 t[15] = {0};
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            t[i + j] += (u128)a[i] * b[j];
    reduce(out, t);
}

void square(uint64_t out[8], const uint64_t a[8])
{
    u128 t[15] = {0};
    for (int i = 0; i < 8; i++) {
        t[2 * i] += (u128)a[i] * a[i];
        for (int j = i + 1; j < 8; j++)
            t[i + j] += (u128)(2 * a[i]) * a[j];
    }
    reduce(out, t);
}

/* Karatsuba's way, with h = 2^224 and h^2 = h + 1: of a0 + h a1 and b0 + h b1 it is
   a0 b0 + a1 b1 + h ((a0 + a1) (b0 + b1) - a0 b0). */
void karatsuba(uint64_t out[8], const uint64_t a[8], const uint64_t b[8])
{
    u128 sum[8] = {0}, low[8] = {0}, cross[8] = {0}, t[8];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            u128 product = (u128)a[i] * b[j];
            low[i + j] += product;
            sum[i + j] += product + (u128)a[i + 4] * b[j + 4];
            cross[i + j] += (u128)(a[i] + a[i + 4]) * (b[j] + b[j + 4]);
        }
    for (int k = 0; k < 8; k++)
        cross[k] -= low[k];
    for (int k = 0; k < 4; k++) {
        t[k] = sum[k] + cross[k + 4];
        t[k + 4] = cross[k] + sum[k + 4] + cross[k + 4];
    }
    carry(out, t);
}
