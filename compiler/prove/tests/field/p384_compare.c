/* The prime of P-384: 2^384 - 2^128 - 2^96 + 2^32 - 1. */
#define WORDS 6
#define PRIME {0x00000000ffffffff, 0xffffffff00000000, 0xfffffffffffffffe, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff}
#define FACTOR 0x100000001
#include "montgomery_compare.h"
