/* ChaCha20-Poly1305: RFC 8439, section 2.8. */
#include "hash.h"

/* Absorbs a part that is padded with zeros to whole blocks. */
static void absorb(uint8_t accumulator[17], const uint8_t key[32], const uint8_t *part, size_t length)
{
    uint8_t next[17];
    poly1305_absorb_padded(next, accumulator, key, part, length);
    memcpy(accumulator, next, 17);
}

void board_chacha20poly1305(uint8_t tag[16], uint8_t *text, size_t length, const uint8_t *data, size_t data_length,
                            const uint8_t nonce[12], const uint8_t key[32])
{
    uint8_t block[64], encrypted[64], accumulator[17] = {0}, one_time_key[32];
    uint8_t counter[4] = {0}, lengths[16] = {0};
    memset(block, 0, 64);
    chacha20(encrypted, key, counter, nonce, block, 64);
    memcpy(one_time_key, encrypted, 32);
    for (size_t at = 0; at < length; at += 64) {
        size_t taken = length - at < 64 ? length - at : 64;
        uint32_t number = (uint32_t)(at / 64) + 1;
        for (int i = 0; i < 4; i++)
            counter[i] = (uint8_t)(number >> 8 * i);
        memcpy(block, text + at, taken);
        chacha20(encrypted, key, counter, nonce, block, 64);
        memcpy(text + at, encrypted, taken);
    }
    for (int i = 0; i < 4; i++) {
        lengths[i] = (uint8_t)(data_length >> 8 * i);
        lengths[8 + i] = (uint8_t)(length >> 8 * i);
    }
    absorb(accumulator, one_time_key, data, data_length);
    absorb(accumulator, one_time_key, text, length);
    absorb(accumulator, one_time_key, lengths, 16);
    poly1305_finish(tag, accumulator, one_time_key);
}
