/* P-256 and P-384: SEC 1; FIPS 186-5, section 6.4; RFC 6979. The functions of a curve are in curve.c. */

#if !defined(WITHOUT_P256) || !defined(WITHOUT_P384)
#include "der.c"
#endif

#if !defined(WITHOUT_P256)

#include "kernels/p256.c"
#include "kernels/p256_compress.c"
#include "kernels/ecdsa_p256.c"

#define CURVE(function) culet_p256_##function
#define OWN_OF_CURVE(name) p256_##name
#define KERNEL(function) kernel_p256_##function
#define HASH culet_sha256
#define HMAC_OF_CURVE culet_hmac_sha256
#define NUMBER 32
#define POINT 65
#define COMPRESSED 33
#define LONGEST_DER 72
#include "curve.c"
#undef CURVE
#undef OWN_OF_CURVE
#undef KERNEL
#undef HASH
#undef HMAC_OF_CURVE
#undef NUMBER
#undef POINT
#undef COMPRESSED
#undef LONGEST_DER

#endif
#if !defined(WITHOUT_P384)

#include "kernels/p384.c"
#include "kernels/p384_compress.c"
#include "kernels/ecdsa_p384.c"

#define CURVE(function) culet_p384_##function
#define OWN_OF_CURVE(name) p384_##name
#define KERNEL(function) kernel_p384_##function
#define HASH culet_sha384
#define HMAC_OF_CURVE culet_hmac_sha384
#define NUMBER 48
#define POINT 97
#define COMPRESSED 49
#define LONGEST_DER 104
#include "curve.c"

#endif
