/* Schnorr signatures with secp256k1: BIP 340. */

#if !defined(WITHOUT_BIP340)

#include "kernels/bip340.c"
#include "kernels/bip340_mask.c"

/* A hash with a name ("Design", "Tagged Hashes"), whose `name` ends with a zero, of up to two strings of 32 bytes and a message. */
static void bip340_hash(uint8_t hash[32], const char *name, const uint8_t *first, const uint8_t *second,
                        const uint8_t *message, size_t length)
{
    culet_sha256_context context;
    uint8_t of_name[32];
    size_t name_length = 0;
    while (name[name_length] != 0)
        name_length++;
    (void)culet_sha256(of_name, (const uint8_t *)name, name_length);
    (void)culet_sha256_init(&context);
    add(&sha256_parts, context.opaque, of_name, 32);
    add(&sha256_parts, context.opaque, of_name, 32);
    if (first != NULL)
        add(&sha256_parts, context.opaque, first, 32);
    if (second != NULL)
        add(&sha256_parts, context.opaque, second, 32);
    add(&sha256_parts, context.opaque, message, length);
    (void)culet_sha256_final(&context, hash);
}

/* The number or the order minus it, of which the multiple of the base point has an even y, and x of that: -1 if the number is 0 or not below the
 * order. */
static int bip340_even(uint8_t even[32], uint8_t x[32], const uint8_t number[32])
{
    uint8_t point[65], good[1];
    kernel_secp256k1_public(point, good, number);
    kernel_bip340_even(even, number, point);
    memcpy(x, point + 1, 32);
    return good[0] == 1 ? 0 : -1;
}

int culet_bip340_public_key(uint8_t public_key[32], const uint8_t secret_key[32])
{
    uint8_t number[32], x[32];
    int result;
    if (public_key == NULL || secret_key == NULL)
        return -1;
    result = bip340_even(number, x, secret_key);
    if (result == 0)
        memcpy(public_key, x, 32);
    wipe(number, 32);
    return result;
}

/* "Default Signing". The number used once is 0 for one hash of 2^255, which is refused. */
int culet_bip340_sign(uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t secret_key[32],
                      const uint8_t entropy[32])
{
    uint8_t number[32], public_key[32], hash[32], masked[32], nonce[32], even[32], made[64];
    int result;
    if (signature == NULL || secret_key == NULL || entropy == NULL || !is_given(message, length))
        return -1;
    result = bip340_even(number, public_key, secret_key);
    if (result == 0) {
        bip340_hash(hash, "BIP0340/aux", NULL, NULL, entropy, 32);
        kernel_bip340_mask(masked, number, hash);
        bip340_hash(hash, "BIP0340/nonce", masked, public_key, message, length);
        kernel_secp256k1_reduce(nonce, hash);
        result = bip340_even(even, made, nonce);
        if (result == 0) {
            bip340_hash(hash, "BIP0340/challenge", made, public_key, message, length);
            kernel_bip340_sign(made + 32, number, even, hash);
            memcpy(signature, made, 64);
        }
        wipe(masked, 32);
        wipe(nonce, 32);
        wipe(even, 32);
    }
    wipe(number, 32);
    return result;
}

/* "Verification". A public key stands for the point with this x and an even y. */
int culet_bip340_verify(const uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t public_key[32])
{
    uint8_t hash[32], of_base[32], of_key[32], compressed[33] = { 2 }, point[65], x[32], good[1];
    if (signature == NULL || public_key == NULL || !is_given(message, length))
        return -1;
    bip340_hash(hash, "BIP0340/challenge", signature, public_key, message, length);
    kernel_bip340_multiples(of_base, of_key, good, signature + 32, hash);
    if (good[0] != 1)
        return -1;
    memcpy(compressed + 1, public_key, 32);
    kernel_secp256k1_decompress(point, good, compressed);
    if (good[0] != 1)
        return -1;
    kernel_secp256k1_even_sum(x, good, of_base, of_key, point);
    return good[0] == 1 && memcmp(x, signature, 32) == 0 ? 0 : -1;
}

#endif
