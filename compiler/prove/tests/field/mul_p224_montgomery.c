/* out = a * b / 2^256 mod the prime of P-224, word by word, with one subtraction by mask at the end. */
#include <stdint.h>

typedef unsigned __int128 u128;

static const uint64_t p[4] = {0x0000000000000001, 0xffffffff00000000, 0xffffffffffffffff, 0x00000000ffffffff};

void multiply(uint64_t out[4], const uint64_t a[4], const uint64_t b[4])
{
    uint64_t t[4 + 1] = {0};
    for (int i = 0; i < 4; i++) {
        uint64_t carry = 0, m;
        for (int j = 0; j < 4; j++) {
            u128 x = (u128)a[i] * b[j] + t[j] + carry;
            t[j] = (uint64_t)x;
            carry = (uint64_t)(x >> 64);
        }
        u128 top = (u128)t[4] + carry;
        m = t[0] * 0xffffffffffffffff;
        u128 y = (u128)m * p[0] + t[0];
        carry = (uint64_t)(y >> 64);
        for (int j = 1; j < 4; j++) {
            y = (u128)m * p[j] + t[j] + carry;
            t[j - 1] = (uint64_t)y;
            carry = (uint64_t)(y >> 64);
        }
        top += carry;
        t[4 - 1] = (uint64_t)top;
        t[4] = (uint64_t)(top >> 64);
    }
    uint64_t d[4], borrow = 0;
    for (int j = 0; j < 4; j++) {
        u128 x = (u128)t[j] - p[j] - borrow;
        d[j] = (uint64_t)x;
        borrow = (uint64_t)(x >> 64) & 1;
    }
    uint64_t keep = t[4] - borrow;
    for (int j = 0; j < 4; j++)
        out[j] = (t[j] & keep) | (d[j] & ~keep);
}
