/* Verification of Ed25519's signatures: RFC 8032, section 5.1.7. */
#include "hash.h"

int board_sign_open(const uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t public_key[32])
{
    struct sha512 hash;
    uint8_t digest[64], k[32], good;
    hash_start(&hash);
    hash_add(&hash, signature, 32);
    hash_add(&hash, public_key, 32);
    hash_add(&hash, message, length);
    hash_end(&hash, digest);
    ed25519_reduce(k, digest);
    ed25519_verify(&good, public_key, signature, signature + 32, k);
    return good;
}
