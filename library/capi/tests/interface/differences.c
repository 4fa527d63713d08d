/* Where functions of sodium.h differ from libsodium's: what its first comment says. */
#include <sodium.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Functions without a result write nothing, and the program goes on. */
static void no_result(void) {
    crypto_secretstream_xchacha20poly1305_state state;
    memset(bytes, 7, sizeof bytes);
    randombytes_buf(NULL, 0);
    sodium_memzero(NULL, 32);
    sodium_memzero(bytes, SIZE_MAX);
    sodium_increment(NULL, 32);
    sodium_add(NULL, bytes, 32);
    sodium_sub(bytes, NULL, 32);
    CHECK(all_are(bytes, sizeof bytes, 7));
    memset(&state, 7, sizeof state);
    crypto_secretstream_xchacha20poly1305_rekey(NULL);
    crypto_secretstream_xchacha20poly1305_rekey(&state);
    CHECK(all_are((const unsigned char *)&state, sizeof state, 7));
}

static void end_well(void) {
    _exit(0);
}

static void at_null(void) {
    randombytes_buf(NULL, 32);
}

static void more_than_memory_has(void) {
    randombytes_buf(bytes, SIZE_MAX);
}

static void at_null_by_its_other_name(void) {
    randombytes(NULL, 32);
}

static void more_by_its_other_name(void) {
    randombytes(bytes, UINT64_MAX);
}

static void a_key_at_null(void) {
    crypto_secretbox_keygen(NULL);
}

static void a_master_key_at_null(void) {
    crypto_kdf_keygen(NULL);
}

static void deterministic_at_null(void) {
    randombytes_buf_deterministic(NULL, 32, key);
}

static void bytes_are_there(void) {
    randombytes_buf(bytes, sizeof bytes);
}

/* Whether a call ends the program as misuse does. */
static int is_misuse(void (*call)(void)) {
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        sodium_set_misuse_handler(end_well);
        call();
        _exit(7);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 7);
    return WEXITSTATUS(status) == 0;
}

/* Whoever asks for random bytes takes what is there for random. */
static void no_random_bytes(void) {
    CHECK(is_misuse(at_null));
    CHECK(is_misuse(more_than_memory_has));
    CHECK(is_misuse(at_null_by_its_other_name));
    CHECK(is_misuse(more_by_its_other_name));
    CHECK(is_misuse(a_key_at_null));
    CHECK(is_misuse(a_master_key_at_null));
    CHECK(is_misuse(deterministic_at_null));
    CHECK(!is_misuse(bytes_are_there));
}

int main(void) {
    ends_of_streams();
    limits();
    bytes_that_are_no_digits();
    lengths_that_are_too_long();
    no_result();
    no_random_bytes();
    return 0;
}
