/* Arithmetic mod 2^521 - 1 on nine limbs of 58 bits, the last of 57. */
#include <stdint.h>

typedef unsigned __int128 u128;

static inline void reduce(uint64_t out[9], u128 t[9])
{
    const uint64_t mask = ((uint64_t)1 << 58) - 1, top = ((uint64_t)1 << 57) - 1;
    u128 carry = 0;
    uint64_t r[9];
    for (int k = 0; k < 8; k++) {
        t[k] += carry;
        r[k] = (uint64_t)t[k] & mask;
        carry = t[k] >> 58;
    }
    t[8] += carry;
    r[8] = (uint64_t)t[8] & top;
    carry = (t[8] >> 57) + r[0];
    r[0] = (uint64_t)carry & mask;
    r[1] += (uint64_t)(carry >> 58);
    for (int k = 0; k < 9; k++)
        out[k] = r[k];
}

void multiply(uint64_t out[9], const uint64_t a[9], const uint64_t b[9])
{
    u128 t[9];
    for (int k = 0; k < 9; k++) {
        t[k] = 0;
        for (int i = 0; i < 9; i++)
            t[k] += i <= k ? (u128)a[i] * b[k - i] : (u128)a[i] * (2 * b[9 + k - i]);
    }
    reduce(out, t);
}

/* Limbs i < j with i + j = k, or k + 9, twice; the square of a limb once. */
void square(uint64_t out[9], const uint64_t a[9])
{
    u128 t[9];
    for (int k = 0; k < 9; k++) {
        t[k] = 0;
        for (int i = 0; i < 9; i++) {
            int j = (9 + k - i) % 9;
            uint64_t x = i + j == k ? a[j] : 2 * a[j];
            if (i < j)
                t[k] += (u128)(2 * a[i]) * x;
            else if (i == j)
                t[k] += (u128)a[i] * x;
        }
    }
    reduce(out, t);
}
