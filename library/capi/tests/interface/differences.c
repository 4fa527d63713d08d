/* Where functions of sodium.h differ from libsodium's: what its first comment says. */
#include <sodium.h>

#include "check.h"

static unsigned char key[32], nonce[24], bytes[100];

/* The last blocks of key streams, and those behind them. */
static void ends_of_streams(void) {
    const uint64_t last = UINT64_MAX / 64;
    CHECK(crypto_stream_salsa20_xor_ic(bytes, bytes, 63, nonce, last, key) == 0);
    CHECK(crypto_stream_xsalsa20_xor_ic(bytes, bytes, 63, nonce, last, key) == 0);
    memset(bytes, 7, sizeof bytes);
    CHECK(crypto_stream_salsa20_xor_ic(bytes, bytes, 64, nonce, last, key) == -1);
    CHECK(crypto_stream_xsalsa20_xor_ic(bytes, bytes, 1, nonce, last + 1, key) == -1);
    CHECK(crypto_stream_chacha20_xor_ic(bytes, bytes, 1, nonce, 1ULL << 32, key) == -1);
    CHECK(crypto_stream_xchacha20_xor_ic(bytes, bytes, 1, nonce, 1ULL << 32, key) == -1);
    CHECK(all_are(bytes, sizeof bytes, 7));
}

static void limits(void) {
    const unsigned long long blocks = 1ULL << 32;
    CHECK(crypto_stream_chacha20_MESSAGEBYTES_MAX == 64 * blocks);
    CHECK(crypto_stream_xchacha20_MESSAGEBYTES_MAX == 64 * blocks);
    CHECK(crypto_stream_chacha20_messagebytes_max() == 64 * blocks);
    CHECK(crypto_stream_xchacha20_messagebytes_max() == 64 * blocks);
    CHECK(crypto_aead_xchacha20poly1305_ietf_MESSAGEBYTES_MAX == 64 * (blocks - 1));
    CHECK(crypto_aead_xchacha20poly1305_ietf_messagebytes_max() == 64 * (blocks - 1));
    CHECK(sodium_library_minimal() == SODIUM_LIBRARY_MINIMAL);
}

static void bytes_that_are_no_digits(void) {
    CHECK(sodium_base642bin(bytes, 10, "AAAA", 4, NULL, NULL, NULL, sodium_base64_VARIANT_ORIGINAL) == 0);
    CHECK(sodium_base642bin(bytes, 10, "AAA\x80", 4, NULL, NULL, NULL, sodium_base64_VARIANT_ORIGINAL) == -1);
    CHECK(sodium_base642bin(bytes, 10, "AAA\xff", 4, NULL, NULL, NULL, sodium_base64_VARIANT_URLSAFE) == -1);
}

static void lengths_that_are_too_long(void) {
    memset(bytes, 7, sizeof bytes);
    sodium_add(bytes, key, SIZE_MAX);
    sodium_sub(bytes, key, SIZE_MAX);
    sodium_increment(bytes, SIZE_MAX);
    CHECK(sodium_hex2bin(bytes, 10, "00", SIZE_MAX, NULL, NULL, NULL) == -1);
    CHECK(sodium_base642bin(bytes, 10, "AAAA", SIZE_MAX, NULL, NULL, NULL, sodium_base64_VARIANT_ORIGINAL) == -1);
    CHECK(all_are(bytes, sizeof bytes, 7));
}

int main(void) {
    ends_of_streams();
    limits();
    bytes_that_are_no_digits();
    lengths_that_are_too_long();
    return 0;
}
