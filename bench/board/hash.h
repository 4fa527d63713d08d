/* SHA-512 in parts. */
#ifndef HASH_H
#define HASH_H

#include "board.h"
#include "kernels.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);

struct sha512 {
    uint8_t state[64], block[128];
    size_t length;
};

void hash_start(struct sha512 *hash);
void hash_add(struct sha512 *hash, const uint8_t *part, size_t length);
void hash_end(struct sha512 *hash, uint8_t digest[64]);

#endif
