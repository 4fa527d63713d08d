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

static int is(const char *line, const char *name) {
    return strcmp(line, name) == 0;
}

static void run(const char *name) {
    uint8_t (*a)[LARGEST] = arguments;
    size_t *n = lengths;
    if (is(name, "ed25519_verify"))
        print(culet_ed25519_verify(a[0], a[1], n[1], a[2]), out, 0);
    else if (is(name, "x25519"))
        print(culet_x25519(out, a[0], a[1]), out, 32);
    else if (is(name, "chacha20poly1305_open"))
        print(culet_chacha20poly1305_open(out, a[0], n[0], a[1], a[2], n[2], a[3], a[4]), out, n[0]);
    else if (is(name, "chacha20poly1305_seal")) {
        int result = culet_chacha20poly1305_seal(out, out + n[0], a[0], n[0], a[1], n[1], a[2], a[3]);
        print(result, out, n[0] + 16);
    } else if (is(name, "xchacha20poly1305_open"))
        print(culet_xchacha20poly1305_open(out, a[0], n[0], a[1], a[2], n[2], a[3], a[4]), out, n[0]);
    else if (is(name, "xchacha20poly1305_seal")) {
        int result = culet_xchacha20poly1305_seal(out, out + n[0], a[0], n[0], a[1], n[1], a[2], a[3]);
        print(result, out, n[0] + 16);
    } else if (is(name, "hmac_sha256"))
        print(culet_hmac_sha256(tag, a[0], n[0], a[1], n[1]), tag, 32);
    else if (is(name, "hmac_sha384"))
        print(culet_hmac_sha384(tag, a[0], n[0], a[1], n[1]), tag, 48);
    else if (is(name, "hmac_sha512"))
        print(culet_hmac_sha512(tag, a[0], n[0], a[1], n[1]), tag, 64);
    else if (is(name, "hkdf_sha256")) {
        size_t size = (size_t)(a[3][0] << 8 | a[3][1]);
        print(culet_hkdf_sha256(out, size, a[0], n[0], a[1], n[1], a[2], n[2]), out, size);
    } else if (is(name, "hkdf_sha512")) {
        size_t size = (size_t)(a[3][0] << 8 | a[3][1]);
        print(culet_hkdf_sha512(out, size, a[0], n[0], a[1], n[1], a[2], n[2]), out, size);
    } else {
        fprintf(stderr, "%s is no operation\n", name);
        exit(1);
    }
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
