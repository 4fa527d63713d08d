/* The prime of secp256k1: 2^256 - 2^32 - 977. */
#define WORDS 4
#define PRIME {0xfffffffefffffc2f, 0xffffffffffffffff, 0xffffffffffffffff, 0xffffffffffffffff}
#define FACTOR 0xd838091dd2253531
#include "montgomery_compare.h"
