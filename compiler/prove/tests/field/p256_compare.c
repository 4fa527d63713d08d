/* The prime of P-256: 2^256 - 2^224 + 2^192 + 2^96 - 1. */
#define WORDS 4
#define PRIME {0xffffffffffffffff, 0x00000000ffffffff, 0x0000000000000000, 0xffffffff00000001}
#define FACTOR 1
#include "montgomery_compare.h"
