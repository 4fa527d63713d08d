/* out = a + b, n words each, and the carry. */
#include <stddef.h>
#include <stdint.h>

uint64_t add(uint64_t *out, const uint64_t *a, const uint64_t *b, size_t n)
{
    uint64_t carry = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned __int128 sum = (unsigned __int128)a[i] + b[i] + carry;
        out[i] = (uint64_t)sum;
        carry = (uint64_t)(sum >> 64);
    }
    return carry;
}
