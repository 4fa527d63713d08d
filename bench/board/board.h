/* NaCl's operations on a board, composed of kernels that culet generates for words of 32 bits. */
#ifndef BOARD_H
#define BOARD_H

#include <stddef.h>
#include <stdint.h>

/* Writes text that ends with a zero byte. */
void write_text(const char *text);

/* Writes bytes as hexadecimal digits, and the end of the line. */
void write_hex(const uint8_t *bytes, size_t length);

/* SHA-512 of a message: FIPS 180-4. */
void board_sha512(uint8_t digest[64], const uint8_t *message, size_t length);

/* SHA-256 of a message: FIPS 180-4. */
void board_sha256(uint8_t digest[32], const uint8_t *message, size_t length);

/* The public key of a seed: RFC 8032, section 5.1.5. */
void board_sign_public(uint8_t public_key[32], const uint8_t seed[32]);

/* The signature of a message, with the seed and its public key: RFC 8032, section 5.1.6. */
void board_sign(uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t seed[32],
                const uint8_t public_key[32]);

/* Whether a signature is good: RFC 8032, section 5.1.7. 1 or 0. */
int board_sign_open(const uint8_t signature[64], const uint8_t *message, size_t length, const uint8_t public_key[32]);

/* The shared point of X25519: RFC 7748, section 5. */
void board_x25519(uint8_t shared[32], const uint8_t scalar[32], const uint8_t point[32]);

/* Encrypts in place and writes the tag: XSalsa20-Poly1305 of "Cryptography in NaCl", sections 9 and 10. */
void board_secretbox(uint8_t tag[16], uint8_t *text, size_t length, const uint8_t nonce[24], const uint8_t key[32]);

/* As that, between two people's keys: section 8. */
void board_box(uint8_t tag[16], uint8_t *text, size_t length, const uint8_t nonce[24], const uint8_t public_key[32],
               const uint8_t secret_key[32]);

/* Encrypts in place and writes the tag: ChaCha20-Poly1305 of RFC 8439, section 2.8. */
void board_chacha20poly1305(uint8_t tag[16], uint8_t *text, size_t length, const uint8_t *data, size_t data_length,
                            const uint8_t nonce[12], const uint8_t key[32]);

/* The signature r, s of a hash of 32 bytes with the secret key d and k, the secret number used once: FIPS 186-5, section 6.4.1. 1, or 0 and zeros if
   d or k is not in range. */
int board_p256_sign(uint8_t signature[64], const uint8_t hash[32], const uint8_t d[32], const uint8_t k[32]);

/* Whether r, s is a good signature of a hash, with the public key 4, x, y: section 6.4.2. 1 or 0. */
int board_p256_verify(const uint8_t signature[64], const uint8_t hash[32], const uint8_t public_key[65]);

#endif
