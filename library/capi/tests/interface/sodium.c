/* culet.h's functions after libsodium's, beside libsodium: both sides of streams, keys with numbers, salts, and keys of another curve. */
#include <culet.h>
#include <sodium.h>

#include "check.h"

enum { MESSAGES = 40, LONGEST = 1200 };

static uint8_t number(void) {
    static uint32_t state = 1;
    state = state * 1664525 + 1013904223;
    return (uint8_t)(state >> 24);
}

static void fill(uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++)
        bytes[i] = number();
}

static void keys(void) {
    uint8_t key[64], salt[16], personal[16], message[200], ours[64], theirs[64];
    fill(key, sizeof key);
    fill(salt, sizeof salt);
    fill(personal, sizeof personal);
    fill(message, sizeof message);
    for (size_t length = 16; length <= 64; length++) {
        CHECK(culet_kdf(ours, length, length << 40 | length, personal, key) == 0);
        CHECK(crypto_kdf_derive_from_key(theirs, length, length << 40 | length, (const char *)personal, key) == 0);
        CHECK(memcmp(ours, theirs, length) == 0);
        CHECK(culet_blake2b_salted(ours, length, key, length, salt, personal, message, 3 * length) == 0);
        CHECK(crypto_generichash_blake2b_salt_personal(theirs, length, message, 3 * length, key, length, salt, personal) == 0);
        CHECK(memcmp(ours, theirs, length) == 0);
    }
    for (int i = 0; i < 10; i++) {
        uint8_t seed[32], public_key[32], secret_key[64];
        fill(seed, sizeof seed);
        CHECK(crypto_sign_seed_keypair(public_key, secret_key, seed) == 0);
        CHECK(culet_ed25519_public_to_x25519(ours, public_key) == 0);
        CHECK(crypto_sign_ed25519_pk_to_curve25519(theirs, public_key) == 0);
        CHECK(memcmp(ours, theirs, 32) == 0);
        CHECK(culet_ed25519_secret_to_x25519(ours, seed) == 0);
        CHECK(crypto_sign_ed25519_sk_to_curve25519(theirs, secret_key) == 0);
        CHECK(memcmp(ours, theirs, 32) == 0);
    }
}

/* One side seals messages of all lengths around a block's, of all kinds, and the other one opens them. */
static void streams(void) {
    uint8_t key[32], header[24], text[LONGEST], additional[60], opened[LONGEST], sealed[LONGEST + 17], expected[LONGEST + 17];
    unsigned char kind;
    culet_secretstream sealer, opener;
    crypto_secretstream_xchacha20poly1305_state their_sealer, their_opener;
    fill(key, sizeof key);
    CHECK(crypto_secretstream_xchacha20poly1305_init_push(&their_sealer, header, key) == 0);
    CHECK(crypto_secretstream_xchacha20poly1305_init_pull(&their_opener, header, key) == 0);
    CHECK(culet_secretstream_seal_init(&sealer, header, key) == 0);
    CHECK(culet_secretstream_open_init(&opener, header, key) == 0);
    for (size_t i = 0; i < MESSAGES; i++) {
        size_t length = i < 36 ? 2 * i : i * 30;
        uint8_t sent = (uint8_t)(i % 4);
        fill(text, length);
        fill(additional, sizeof additional);
        CHECK(culet_secretstream_seal(&sealer, sealed, sent, text, length, additional, i) == 0);
        CHECK(crypto_secretstream_xchacha20poly1305_push(&their_sealer, expected, NULL, text, length, additional, i, sent) == 0);
        CHECK(memcmp(sealed, expected, length + 17) == 0);
        CHECK(crypto_secretstream_xchacha20poly1305_pull(&their_opener, opened, NULL, &kind, sealed, length + 17, additional, i) == 0);
        CHECK(memcmp(opened, text, length) == 0 && kind == sent);
        CHECK(culet_secretstream_open(&opener, opened, &kind, sealed, length + 17, additional, i) == 0);
        CHECK(memcmp(opened, text, length) == 0 && kind == sent);
        if (i % 5 == 4) {
            CHECK(culet_secretstream_rekey(&sealer) == 0);
            CHECK(culet_secretstream_rekey(&opener) == 0);
            crypto_secretstream_xchacha20poly1305_rekey(&their_sealer);
            crypto_secretstream_xchacha20poly1305_rekey(&their_opener);
        }
    }
}

int main(void) {
    CHECK(sodium_init() == 0);
    keys();
    streams();
    return 0;
}
