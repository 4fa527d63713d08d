/* Encryption of messages: XSalsa20-Poly1305 with a shared key, and between two people's keys. */
#include "hash.h"

void board_x25519(uint8_t shared[32], const uint8_t scalar[32], const uint8_t point[32])
{
    x25519(shared, scalar, point);
}

/* Encrypts 64 bytes in a place of their own. */
static void encrypt_block(uint8_t block[64], const uint8_t key[32], const uint8_t nonce[8], uint32_t number)
{
    uint8_t encrypted[64], counter[8] = {0};
    for (int i = 0; i < 4; i++)
        counter[i] = (uint8_t)(number >> 8 * i);
    salsa20(encrypted, key, nonce, counter, block, 64);
    memcpy(block, encrypted, 64);
}

/* The key stream's first 32 bytes are the key of Poly1305, and the text is encrypted with what follows. */
void board_secretbox(uint8_t tag[16], uint8_t *text, size_t length, const uint8_t nonce[24], const uint8_t key[32])
{
    uint8_t subkey[32], block[64], one_time_key[32], accumulator[17] = {0}, next[17];
    hsalsa20(subkey, key, nonce);
    size_t at = 0, used = 32;
    for (uint32_t number = 0; number == 0 || at < length; number++, used = 0) {
        size_t taken = length - at < 64 - used ? length - at : 64 - used;
        memset(block, 0, 64);
        memcpy(block + used, text + at, taken);
        encrypt_block(block, subkey, nonce + 16, number);
        memcpy(text + at, block + used, taken);
        if (number == 0)
            memcpy(one_time_key, block, 32);
        at += taken;
    }
    poly1305_absorb(next, accumulator, one_time_key, text, length);
    poly1305_finish(tag, next, one_time_key);
}

void board_box(uint8_t tag[16], uint8_t *text, size_t length, const uint8_t nonce[24], const uint8_t public_key[32],
               const uint8_t secret_key[32])
{
    static const uint8_t zeros[16];
    uint8_t shared[32], key[32];
    x25519(shared, secret_key, public_key);
    hsalsa20(key, shared, zeros);
    board_secretbox(tag, text, length, nonce, key);
}
