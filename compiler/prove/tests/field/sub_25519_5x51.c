/* out = a - b mod 2^255 - 19, with 2 p added so that no limb is negative; no carries.
   Where out may be a, a compiler asks at run time whether it is, which is a branch on addresses: hence `restrict`. */
#include <stdint.h>

void subtract(uint64_t out[restrict 5], const uint64_t a[5], const uint64_t b[5])
{
    const uint64_t twice[5] = {
        0xfffffffffffda, 0xffffffffffffe, 0xffffffffffffe, 0xffffffffffffe, 0xffffffffffffe,
    };
    for (int i = 0; i < 5; i++)
        out[i] = a[i] + twice[i] - b[i];
}
