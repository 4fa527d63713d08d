/* P-224, P-256, P-384, P-521 and secp256k1: SEC 1; FIPS 186-5, section 6.4; RFC 6979. The functions of a curve are in curve.c. */

#if !defined(WITHOUT_P224) || !defined(WITHOUT_P256) || !defined(WITHOUT_P384) || !defined(WITHOUT_P521) || \
    !defined(WITHOUT_SECP256K1)
#include "der.c"
#endif

#if !defined(WITHOUT_P224)

#include "kernels/p224.c"
#include "kernels/p224_compress.c"
#include "kernels/ecdsa_p224.c"

#define CURVE(function) culet_p224_##function
#define OWN_OF_CURVE(name) p224_##name
#define KERNEL(function) kernel_p224_##function
#define HASH culet_sha224
#define HMAC_OF_CURVE culet_hmac_sha224
#define NUMBER 28
#define DIGEST 28
#define SHORTEN(number)
#define AFTER_SIGNING(s)
#define MAY_BE_SIGNED(s) 1
#define LONGEST_DER 64
#include "curve.c"

#endif
#if !defined(WITHOUT_P256)

#include "kernels/p256.c"
#include "kernels/p256_compress.c"
#include "kernels/ecdsa_p256.c"

#if !defined(CULET_WORDS_OF_64)
/* For small code, multiples of the base point come from a small table. */
#define kernel_p256_public kernel_p256_comb
#define kernel_p256_sum kernel_p256_comb_sum
#endif

#define CURVE(function) culet_p256_##function
#define OWN_OF_CURVE(name) p256_##name
#define KERNEL(function) kernel_p256_##function
#define HASH culet_sha256
#define HMAC_OF_CURVE culet_hmac_sha256
#define NUMBER 32
#define DIGEST 32
#define SHORTEN(number)
#define AFTER_SIGNING(s)
#define MAY_BE_SIGNED(s) 1
#define LONGEST_DER 72
#include "curve.c"

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
#define DIGEST 48
#define SHORTEN(number)
#define AFTER_SIGNING(s)
#define MAY_BE_SIGNED(s) 1
#define LONGEST_DER 104
#include "curve.c"

#endif
#if !defined(WITHOUT_P521)

#include "kernels/p521.c"
#include "kernels/p521_compress.c"
#include "kernels/p521_shorten.c"
#include "kernels/ecdsa_p521.c"

/* The first 521 bits in place of 66 bytes. */
static void shorten_521(uint8_t number[66])
{
    uint8_t before[66];
    memcpy(before, number, 66);
    kernel_p521_shorten(number, before);
    wipe(before, 66);
}

#define CURVE(function) culet_p521_##function
#define OWN_OF_CURVE(name) p521_##name
#define KERNEL(function) kernel_p521_##function
#define HASH culet_sha512
#define HMAC_OF_CURVE culet_hmac_sha512
#define NUMBER 66
#define DIGEST 64
#define SHORTEN(number) shorten_521(number)
#define AFTER_SIGNING(s)
#define MAY_BE_SIGNED(s) 1
#define LONGEST_DER 141
#include "curve.c"

#endif
#if !defined(WITHOUT_SECP256K1) || !defined(WITHOUT_BIP340)

#include "kernels/secp256k1.c"
#include "kernels/ecdsa_secp256k1.c"

#endif
#if !defined(WITHOUT_SECP256K1)

#include "kernels/secp256k1_compress.c"

/* Puts the lower one of s and the order minus s into its place, and says whether it was there: BIP 146. */
static int secp256k1_lower(uint8_t s[32])
{
    uint8_t before[32], was_low[1];
    memcpy(before, s, 32);
    kernel_secp256k1_lower(s, was_low, before);
    return was_low[0] == 1;
}

static int secp256k1_is_low(const uint8_t s[32])
{
    uint8_t copied[32];
    memcpy(copied, s, 32);
    return secp256k1_lower(copied);
}

int culet_secp256k1_with_low_s(uint8_t low[64], const uint8_t signature[64])
{
    if (low == NULL || signature == NULL)
        return -1;
    memmove(low, signature, 64);
    (void)secp256k1_lower(low + 32);
    return 0;
}

#define CURVE(function) culet_secp256k1_##function
#define OWN_OF_CURVE(name) secp256k1_##name
#define KERNEL(function) kernel_secp256k1_##function
#define HASH culet_sha256
#define HMAC_OF_CURVE culet_hmac_sha256
#define NUMBER 32
#define DIGEST 32
#define SHORTEN(number)
#define AFTER_SIGNING(s) (void)secp256k1_lower(s)
#define MAY_BE_SIGNED(s) secp256k1_is_low(s)
#define LONGEST_DER 72
#include "curve.c"

#endif
