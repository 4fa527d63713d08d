/* Hashes of whole messages. */
#include "hash.h"

/* Adds whole blocks. A kernel's results overlap none of its parameters. */
static void add_blocks(struct sha512 *hash, const uint8_t *blocks, size_t length)
{
    uint8_t next[64];
    sha512_update(next, hash->state, blocks, length);
    memcpy(hash->state, next, 64);
}

void hash_start(struct sha512 *hash)
{
    sha512_start(hash->state);
    hash->length = 0;
}

void hash_add(struct sha512 *hash, const uint8_t *part, size_t length)
{
    size_t used = hash->length % 128;
    hash->length += length;
    if (used > 0 || length < 128) {
        size_t taken = length < 128 - used ? length : 128 - used;
        memcpy(hash->block + used, part, taken);
        part += taken;
        length -= taken;
        if (used + taken < 128)
            return;
        add_blocks(hash, hash->block, 128);
    }
    size_t whole = length - length % 128;
    if (whole > 0)
        add_blocks(hash, part, whole);
    memcpy(hash->block, part + whole, length - whole);
}

/* FIPS 180-4, 5.1.2: a bit 1, zeros, and the number of bits in 128 bits; messages here are below 2^32 bytes. */
void hash_end(struct sha512 *hash, uint8_t digest[64])
{
    size_t used = hash->length % 128;
    hash->block[used++] = 0x80;
    if (used > 112) {
        memset(hash->block + used, 0, 128 - used);
        add_blocks(hash, hash->block, 128);
        used = 0;
    }
    memset(hash->block + used, 0, 128 - used);
    uint64_t bits = (uint64_t)hash->length * 8;
    for (int i = 0; i < 8; i++)
        hash->block[127 - i] = (uint8_t)(bits >> 8 * i);
    sha512_update(digest, hash->state, hash->block, 128);
}

void board_sha512(uint8_t digest[64], const uint8_t *message, size_t length)
{
    struct sha512 hash;
    hash_start(&hash);
    hash_add(&hash, message, length);
    hash_end(&hash, digest);
}

/* FIPS 180-4, 5.1.1, with the number of bits in 64 bits. */
void board_sha256(uint8_t digest[32], const uint8_t *message, size_t length)
{
    uint8_t state[32], next[32], block[64];
    size_t whole = length - length % 64, used = length - whole;
    sha256_start(state);
    sha256_update(next, state, message, whole);
    memcpy(state, next, 32);
    memcpy(block, message + whole, used);
    block[used++] = 0x80;
    if (used > 56) {
        memset(block + used, 0, 64 - used);
        sha256_update(next, state, block, 64);
        memcpy(state, next, 32);
        used = 0;
    }
    memset(block + used, 0, 64 - used);
    uint64_t bits = (uint64_t)length * 8;
    for (int i = 0; i < 8; i++)
        block[63 - i] = (uint8_t)(bits >> 8 * i);
    sha256_update(digest, state, block, 64);
}
