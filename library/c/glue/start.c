/* What the rest needs of the machine, the compiler and the operating system; and what is left out. */

/* Declarations of getrandom and getentropy. */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif

#include "culet.h"

#include <stddef.h>
#include <stdint.h>

/* Compilers may call these four functions anyway, also on machines without a C library. */
#if defined(__STDC_HOSTED__) && __STDC_HOSTED__ == 0
void *memcpy(void *to, const void *from, size_t length);
void *memmove(void *to, const void *from, size_t length);
void *memset(void *memory, int byte, size_t length);
int memcmp(const void *a, const void *b, size_t length);
#if !defined(CULET_WITHOUT_RANDOM)
#define CULET_WITHOUT_RANDOM
#endif
#else
#include <string.h>
#endif

#if !defined(CULET_WITHOUT_RANDOM)
#if defined(_WIN32)
#include <windows.h>

#include <bcrypt.h>
#else
#include <errno.h>
#include <sys/random.h>
#include <sys/types.h>
#include <unistd.h>
#endif
#endif

/* Kernels that multiply are there for words of 64 bits and for words of 32 bits. The former need products of 128 bits.
 * -DCULET_WORDS_OF_32 takes the latter all the same, which are smaller. */
#if defined(__SIZEOF_INT128__) && !defined(CULET_WORDS_OF_32)
#define CULET_WORDS_OF_64
#endif

/* What is left out leaves out what needs it. */
#if defined(CULET_WITHOUT_SHA256) || defined(CULET_WITHOUT_HMAC)
#define WITHOUT_HMAC_SHA256
#endif
#if defined(WITHOUT_HMAC_SHA256) || defined(CULET_WITHOUT_HMAC_SHA224)
#define WITHOUT_HMAC_SHA224
#endif
#if defined(CULET_WITHOUT_SHA512) || defined(CULET_WITHOUT_HMAC)
#define WITHOUT_HMAC_SHA512
#endif
#if defined(WITHOUT_HMAC_SHA256) || defined(CULET_WITHOUT_HKDF)
#define WITHOUT_HKDF_SHA256
#endif
#if defined(WITHOUT_HMAC_SHA512) || defined(CULET_WITHOUT_HKDF)
#define WITHOUT_HKDF_SHA512
#endif
#if defined(CULET_WITHOUT_SHA512) || defined(CULET_WITHOUT_ED25519)
#define WITHOUT_ED25519
#endif
#if defined(CULET_WITHOUT_CHACHA20) || defined(CULET_WITHOUT_POLY1305) || defined(CULET_WITHOUT_CHACHA20POLY1305)
#define WITHOUT_CHACHA20POLY1305
#endif
#if defined(WITHOUT_CHACHA20POLY1305) || defined(CULET_WITHOUT_SEGMENT)
#define WITHOUT_SEGMENT
#endif
#if defined(CULET_WITHOUT_CHACHA20) || defined(CULET_WITHOUT_POLY1305) || defined(CULET_WITHOUT_SECRETSTREAM)
#define WITHOUT_SECRETSTREAM
#endif
#if defined(CULET_WITHOUT_SALSA20) || defined(CULET_WITHOUT_POLY1305) || defined(CULET_WITHOUT_SECRETBOX)
#define WITHOUT_SECRETBOX
#endif
#if defined(WITHOUT_SECRETBOX) || defined(CULET_WITHOUT_X25519) || defined(CULET_WITHOUT_BOX)
#define WITHOUT_BOX
#endif
#if defined(WITHOUT_BOX) || defined(CULET_WITHOUT_BLAKE2B) || defined(CULET_WITHOUT_SEALEDBOX)
#define WITHOUT_SEALEDBOX
#endif
#if defined(CULET_WITHOUT_SHA256) || defined(CULET_WITHOUT_BIP340)
#define WITHOUT_BIP340
#endif
#if defined(WITHOUT_HMAC_SHA224) || defined(CULET_WITHOUT_P224)
#define WITHOUT_P224
#endif
#if defined(WITHOUT_HMAC_SHA256) || defined(CULET_WITHOUT_P256)
#define WITHOUT_P256
#endif
#if defined(WITHOUT_HMAC_SHA512) || defined(CULET_WITHOUT_P384)
#define WITHOUT_P384
#endif
#if defined(WITHOUT_HMAC_SHA512) || defined(CULET_WITHOUT_P521)
#define WITHOUT_P521
#endif
#if defined(WITHOUT_HMAC_SHA256) || defined(CULET_WITHOUT_SECP256K1)
#define WITHOUT_SECP256K1
#endif

/* Functions that only parts call which are left out are no mistake. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
