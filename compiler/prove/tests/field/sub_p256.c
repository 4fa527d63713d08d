/* out = a - b mod the prime of P-256: the difference, and p added to it under a mask. */
#include <immintrin.h>
#include <stdint.h>

static const uint64_t p[4] = {0xffffffffffffffff, 0x00000000ffffffff, 0, 0xffffffff00000001};

void subtract(uint64_t out[4], const uint64_t a[4], const uint64_t b[4])
{
    unsigned long long d[4], s[4];
    unsigned char c = 0;
    for (int j = 0; j < 4; j++)
        c = _subborrow_u64(c, a[j], b[j], &d[j]);
    uint64_t mask = -(uint64_t)c;
    c = 0;
    for (int j = 0; j < 4; j++)
        c = _addcarry_u64(c, d[j], p[j] & mask, &s[j]);
    for (int j = 0; j < 4; j++)
        out[j] = s[j];
}
