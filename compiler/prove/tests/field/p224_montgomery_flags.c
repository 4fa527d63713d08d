/* The prime of P-224: 2^224 - 2^96 + 1. */
#define WORDS 4
#define PRIME {0x0000000000000001, 0xffffffff00000000, 0xffffffffffffffff, 0x00000000ffffffff}
#define FACTOR 0xffffffffffffffff
#include "montgomery_flags.h"
