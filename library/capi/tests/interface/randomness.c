/*
 * Functions that draw randomness, with an operating system that has none: a function `getrandom` that fails is linked with this program. They
 * refuse and leave no part of what they drew; functions of libsodium's whose results nobody looks at end the program.
 */
#define _POSIX_C_SOURCE 200809L
#if defined(WITH_SODIUM)
#include <sodium.h>
#elif defined(WITH_TWEETNACL)
#include <tweetnacl.h>
#endif
#include <culet.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* Room for the largest request and a byte on each side, which stay. */
enum { LARGEST = 300 };

static void random_bytes(void) {
    unsigned char bytes[LARGEST + 2];
    for (size_t length = 1; length <= LARGEST; length++) {
        memset(bytes, 0xaa, sizeof bytes);
        CHECK(culet_random(bytes + 1, length) == -1);
        CHECK(all_are(bytes + 1, length, 0));
        CHECK(bytes[0] == 0xaa && bytes[length + 1] == 0xaa);
    }
    CHECK(culet_random(bytes, 0) == 0);
}

static void sealed_boxes(void) {
    unsigned char secret[32] = {1}, public[32], header[48], sealed[7];
    CHECK(culet_x25519_public_key(public, secret) == 0);
    memset(header, 0xaa, sizeof header);
    memset(sealed, 0xaa, sizeof sealed);
    CHECK(culet_sealedbox_seal(sealed, header, (const unsigned char *)"message", 7, public) == -1);
    CHECK(all_are(header, sizeof header, 0xaa) && all_are(sealed, sizeof sealed, 0xaa));
}

#if defined(WITH_TWEETNACL)
static void key_pairs(void) {
    unsigned char public[32], secret[64];
    memset(public, 0xaa, sizeof public);
    memset(secret, 0xaa, sizeof secret);
    CHECK(crypto_box_keypair(public, secret) == -1);
    CHECK(crypto_sign_keypair(public, secret) == -1);
    CHECK(all_are(public, sizeof public, 0xaa) && all_are(secret, sizeof secret, 0xaa));
}
#elif defined(WITH_SODIUM)
static unsigned char public[32], secret[64], sealed[100];

static void box_key_pair(void) { (void)!crypto_box_keypair(public, secret); }
static void sign_key_pair(void) { (void)!crypto_sign_keypair(public, secret); }
static void kx_key_pair(void) { (void)!crypto_kx_keypair(public, secret); }
static void key(void) { crypto_aead_xchacha20poly1305_ietf_keygen(secret); }
static void buffer(void) { randombytes_buf(secret, sizeof secret); }
static void number(void) { (void)randombytes_random(); }
static void bounded_number(void) { (void)randombytes_uniform(1000); }
static void header(void) {
    static crypto_secretstream_xchacha20poly1305_state stream;
    (void)!crypto_secretstream_xchacha20poly1305_init_push(&stream, public, secret);
}

/* In a process of its own. */
static void ends(void (*function)(void)) {
    pid_t child = fork();
    int status = 0;
    CHECK(child >= 0);
    if (child == 0) {
        function();
        _exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void key_pairs(void) {
    void (*functions[])(void) = {box_key_pair, sign_key_pair, kx_key_pair, key, buffer, number, bounded_number, header};
    CHECK(crypto_scalarmult_base(public, secret) == 0);
    memset(sealed, 0xaa, sizeof sealed);
    CHECK(crypto_box_seal(sealed, secret, 7, public) == -1);
    CHECK(all_are(sealed, 48 + 7, 0) && all_are(sealed + 48 + 7, sizeof sealed - 48 - 7, 0xaa));
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        ends(functions[i]);
}
#else
static void key_pairs(void) {}
#endif

int main(void) {
    random_bytes();
    sealed_boxes();
    key_pairs();
    return 0;
}
