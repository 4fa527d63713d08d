/* out = a * b mod 2^255 - 19, four full words; the result is below 2^256, not reduced further. */
#include <stdint.h>

typedef unsigned __int128 u128;

void multiply(uint64_t out[4], const uint64_t a[4], const uint64_t b[4])
{
    uint64_t t[8] = {0};
    for (int i = 0; i < 4; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < 4; j++) {
            u128 x = (u128)a[i] * b[j] + t[i + j] + carry;
            t[i + j] = (uint64_t)x;
            carry = (uint64_t)(x >> 64);
        }
        t[i + 4] = carry;
    }
    uint64_t r[4], carry = 0;
    for (int i = 0; i < 4; i++) {
        u128 x = (u128)38 * t[i + 4] + t[i] + carry;
        r[i] = (uint64_t)x;
        carry = (uint64_t)(x >> 64);
    }
    carry *= 38;
    for (int i = 0; i < 4; i++) {
        u128 x = (u128)r[i] + carry;
        r[i] = (uint64_t)x;
        carry = (uint64_t)(x >> 64);
    }
    /* After a carry here, the number is small: this cannot carry again. */
    r[0] += 38 * carry;
    for (int i = 0; i < 4; i++)
        out[i] = r[i];
}
