/*
 * Runs operations on lines `operation argument ...`, arguments as hexadecimal digits after a letter, so that none is empty, and prints a line
 * `result output` for each.
 */
#include <culet.h>

#include "check.h"

enum { LARGEST = 1 << 17, MOST = 8 };

static uint8_t arguments[MOST][LARGEST];
static size_t lengths[MOST];
static uint8_t out[LARGEST], tag[64];

static void print(int result, const uint8_t *bytes, size_t length) {
    printf("%d ", result);
    for (size_t i = 0; i < length; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}

/* Each runs an operation if it is asked for, and returns; arguments are in the order of the line's words. */
#define RUN(operation, call, bytes, length)     \
    if (strcmp(asked, #operation) == 0) {       \
        int result = call;                      \
        print(result, bytes, length);           \
        return;                                 \
    }
#define AEAD(name)                                                                                                   \
    RUN(name##_seal, culet_##name##_seal(out, out + n[0], a[0], n[0], a[1], n[1], a[2], a[3]), out, n[0] + 16)       \
    RUN(name##_open, culet_##name##_open(out, a[0], n[0], a[1], a[2], n[2], a[3], a[4]), out, n[0])
#define CURVE(name, size)                                                                                 \
    RUN(name##_agree, culet_##name##_agree(out, a[0], a[1], n[1]), out, size)                             \
    RUN(name##_verify_prehashed, culet_##name##_verify_prehashed(a[0], a[1], a[2], n[2]), out, 0)         \
    RUN(name##_verify, culet_##name##_verify(a[0], a[1], n[1], a[2], n[2]), out, 0)                       \
    RUN(name##_verify_der, culet_##name##_verify_der(a[0], n[0], a[1], n[1], a[2], n[2]), out, 0)
#define HASH(name, size) RUN(name, culet_##name(tag, a[0], n[0]), tag, size)
#define EXTENDABLE(name) RUN(name, culet_##name(out, size(a[1]), a[0], n[0]), out, size(a[1]))
#define HMAC(name, size) RUN(name, culet_##name(tag, a[0], n[0], a[1], n[1]), tag, size)
#define HKDF(name) RUN(name, culet_##name(out, size(a[3]), a[0], n[0], a[1], n[1], a[2], n[2]), out, size(a[3]))

/* A number of two bytes. */
static size_t size(const uint8_t bytes[2]) {
    return (size_t)(bytes[0] << 8 | bytes[1]);
}

static void run(const char *asked) {
    uint8_t (*a)[LARGEST] = arguments;
    size_t *n = lengths;
    RUN(ed25519_verify, culet_ed25519_verify(a[0], a[1], n[1], a[2]), out, 0)
    RUN(bip340_public_key, culet_bip340_public_key(out, a[0]), out, 32)
    RUN(bip340_sign, culet_bip340_sign(out, a[0], n[0], a[1], a[2]), out, 64)
    RUN(bip340_verify, culet_bip340_verify(a[0], a[1], n[1], a[2]), out, 0)
    RUN(x25519, culet_x25519(out, a[0], a[1]), out, 32)
    CURVE(p224, 28)
    CURVE(p256, 32)
    CURVE(p384, 48)
    CURVE(p521, 66)
    CURVE(secp256k1, 32)
    RUN(secp256k1_verify_lowered,
        culet_secp256k1_with_low_s(out, a[0]) == 0 ? culet_secp256k1_verify(out, a[1], n[1], a[2], n[2]) : -2, out, 0)
    AEAD(chacha20poly1305)
    AEAD(xchacha20poly1305)
    AEAD(aes128gcm)
    AEAD(aes256gcm)
    AEAD(ascon_aead128)
    HASH(sha512_256, 32)
    HASH(sha3_224, 28)
    HASH(sha3_256, 32)
    HASH(sha3_384, 48)
    HASH(sha3_512, 64)
    HASH(ascon_hash256, 32)
    EXTENDABLE(shake128)
    EXTENDABLE(shake256)
    EXTENDABLE(ascon_xof128)
    HMAC(hmac_sha224, 28)
    HMAC(hmac_sha256, 32)
    HMAC(hmac_sha384, 48)
    HMAC(hmac_sha512, 64)
    HKDF(hkdf_sha256)
    HKDF(hkdf_sha384)
    HKDF(hkdf_sha512)
    fprintf(stderr, "%s is no operation\n", asked);
    exit(1);
}

int main(void) {
    static char line[2 * LARGEST];
    while (fgets(line, sizeof line, stdin) != NULL) {
        CHECK(strchr(line, '\n') != NULL);
        char *name = strtok(line, " \n"), *word;
        for (int i = 0; (word = strtok(NULL, " \n")) != NULL; i++) {
            CHECK(i < MOST && strlen(word) < 2 * LARGEST);
            lengths[i] = from_digits(arguments[i], word + 1);
        }
        run(name);
    }
    return 0;
}
