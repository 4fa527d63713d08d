/* Opens messages to null, where libsodium only verifies them, and prints what is returned: libsodium and culet print the same. */
#include <sodium.h>

#include "check.h"

enum { ROOM = 1200 };

static unsigned char message[ROOM], sealed[ROOM], additional[ROOM], tag[32], key[32], nonce[32], pk[32], sk[32];
static size_t length;

/* Prints the result of an expression for what was sealed, then for three changes of it: the first byte, the last one, the tag. */
#define SHOW(expression, bytes)                                                                      \
    do {                                                                                             \
        size_t places[] = {0, (bytes) == 0 ? 0 : (bytes) - 1};                                       \
        printf("%s %zu: %d", #expression, length, (expression));                                     \
        for (size_t i = 0; i < 2; i++) {                                                             \
            sealed[places[i]] ^= 1;                                                                  \
            printf(" %d", (expression));                                                             \
            sealed[places[i]] ^= 1;                                                                  \
        }                                                                                            \
        tag[3] ^= 4;                                                                                 \
        printf(" %d\n", (expression));                                                               \
        tag[3] ^= 4;                                                                                 \
    } while (0)

#define AEAD(cipher)                                                                                                         \
    static void cipher(void) {                                                                                               \
        unsigned long long made = 77;                                                                                        \
        crypto_aead_##cipher##_encrypt(sealed, NULL, message, length, additional, 30, NULL, nonce, key);                     \
        SHOW(crypto_aead_##cipher##_decrypt(NULL, NULL, NULL, sealed, length + 16, additional, 30, nonce, key), length + 16); \
        SHOW(crypto_aead_##cipher##_decrypt(NULL, &made, NULL, sealed, length + 16, additional, 30, nonce, key), length + 16); \
        CHECK(crypto_aead_##cipher##_decrypt(NULL, &made, NULL, sealed, length + 16, additional, 30, nonce, key) == 0);      \
        printf("%llu\n", made);                                                                                              \
        crypto_aead_##cipher##_encrypt_detached(sealed, tag, NULL, message, length, additional, 30, NULL, nonce, key);       \
        SHOW(crypto_aead_##cipher##_decrypt_detached(NULL, NULL, sealed, length, tag, additional, 30, nonce, key), length);  \
    }

AEAD(chacha20poly1305_ietf)
AEAD(xchacha20poly1305_ietf)
AEAD(aes256gcm)

static void prepared(void) {
    crypto_aead_aes256gcm_state state;
    crypto_aead_aes256gcm_beforenm(&state, key);
    crypto_aead_aes256gcm_encrypt(sealed, NULL, message, length, additional, 30, NULL, nonce, key);
    SHOW(crypto_aead_aes256gcm_decrypt_afternm(NULL, NULL, NULL, sealed, length + 16, additional, 30, nonce, &state), length + 16);
    crypto_aead_aes256gcm_encrypt_detached(sealed, tag, NULL, message, length, additional, 30, NULL, nonce, key);
    SHOW(crypto_aead_aes256gcm_decrypt_detached_afternm(NULL, NULL, sealed, length, tag, additional, 30, nonce, &state), length);
}

static void boxes(void) {
    unsigned char shared[32];
    CHECK(crypto_box_beforenm(shared, pk, sk) == 0);
    CHECK(crypto_secretbox_detached(sealed, tag, message, length, nonce, key) == 0);
    SHOW(crypto_secretbox_open_detached(NULL, sealed, tag, length, nonce, key), length);
    CHECK(crypto_secretbox_easy(sealed, message, length, nonce, key) == 0);
    SHOW(crypto_secretbox_open_easy(NULL, sealed, length + 16, nonce, key), length + 16);
    CHECK(crypto_box_detached(sealed, tag, message, length, nonce, pk, sk) == 0);
    SHOW(crypto_box_open_detached(NULL, sealed, tag, length, nonce, pk, sk), length);
    SHOW(crypto_box_open_detached_afternm(NULL, sealed, tag, length, nonce, shared), length);
    CHECK(crypto_box_easy(sealed, message, length, nonce, pk, sk) == 0);
    SHOW(crypto_box_open_easy(NULL, sealed, length + 16, nonce, pk, sk), length + 16);
    SHOW(crypto_box_open_easy_afternm(NULL, sealed, length + 16, nonce, shared), length + 16);
    CHECK(crypto_box_seal(sealed, message, length, pk) == 0);
    SHOW(crypto_box_seal_open(NULL, sealed, length + 48, pk, sk), length + 48);
}

int main(void) {
    CHECK(sodium_init() == 0);
    for (size_t i = 0; i < ROOM; i++)
        message[i] = (unsigned char)(i * i);
    for (size_t i = 0; i < 32; i++)
        key[i] = nonce[i] = (unsigned char)(5 * i + 1);
    CHECK(crypto_box_seed_keypair(pk, sk, key) == 0);
    static const size_t lengths[] = {0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 500, 511, 512, 513, 1000, 1023, 1024};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        length = lengths[i];
        chacha20poly1305_ietf();
        xchacha20poly1305_ietf();
        aes256gcm();
        prepared();
        boxes();
    }
    return 0;
}
