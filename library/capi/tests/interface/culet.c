/* The functions of culet.h: published answers, changed inputs, overlaps, null and lengths. */
#include <culet.h>

#include "answers.h"
#include "check.h"

static void signatures(void) {
    uint8_t seed[32], public_key[32], signature[64], message[2];
    from_digits(seed, ED25519_SEED);
    from_digits(message, ED25519_MESSAGE);
    CHECK(culet_ed25519_public_key(public_key, seed) == 0);
    CHECK_BYTES(public_key, ED25519_PUBLIC);
    CHECK(culet_ed25519_sign(signature, message, 2, seed) == 0);
    CHECK_BYTES(signature, ED25519_SIGNATURE);
    CHECK(culet_ed25519_verify(signature, message, 2, public_key) == 0);
    CHECK(culet_ed25519_verify(signature, message, 1, public_key) == -1);
    for (int bit = 0; bit < 512; bit++) {
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK(culet_ed25519_verify(signature, message, 2, public_key) == -1);
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }

    CHECK(culet_ed25519_verify_zip215(signature, message, 2, public_key) == 0);
    CHECK(culet_ed25519_verify_zip215(signature, message, 1, public_key) == -1);
    CHECK(culet_ed25519_verify_zip215(signature, message, 2, null_pointer()) == -1);
    CHECK(culet_ed25519_verify_zip215(null_pointer(), message, 2, public_key) == -1);

    /* The public key of the secret key is the secret key's. */
    uint8_t x25519[2][32];
    CHECK(culet_ed25519_public_to_x25519(x25519[0], public_key) == 0);
    CHECK(culet_ed25519_secret_to_x25519(x25519[1], seed) == 0);
    CHECK(culet_x25519_public_key(x25519[1], x25519[1]) == 0);
    CHECK(memcmp(x25519[0], x25519[1], 32) == 0);
    CHECK(culet_ed25519_public_to_x25519(null_pointer(), public_key) == -1);
    CHECK(culet_ed25519_secret_to_x25519(x25519[0], null_pointer()) == -1);

    /* Points of small order, with which the equation holds. */
    from_digits(public_key, NEUTRAL_POINT);
    from_digits(signature, SIGNATURE_BY_NEUTRAL_POINT);
    CHECK(culet_ed25519_verify(signature, (const uint8_t *)"culet", 5, public_key) == -1);
    CHECK(culet_ed25519_verify_zip215(signature, (const uint8_t *)"culet", 5, public_key) == 0);
    CHECK(culet_ed25519_public_to_x25519(x25519[0], public_key) == -1);
    from_digits(public_key, BASE_POINT);
    from_digits(signature, SIGNATURE_WITH_NEUTRAL_POINT);
    CHECK(culet_ed25519_verify(signature, (const uint8_t *)"culet", 5, public_key) == -1);
    from_digits(public_key, ED25519_PUBLIC);

    /* A signature over the message and over the seed. */
    uint8_t buffer[64] = {0};
    memcpy(buffer + 5, message, 2);
    CHECK(culet_ed25519_sign(buffer, buffer + 5, 2, seed) == 0);
    CHECK_BYTES(buffer, ED25519_SIGNATURE);
    memcpy(buffer, seed, 32);
    CHECK(culet_ed25519_sign(buffer, message, 2, buffer) == 0);
    CHECK_BYTES(buffer, ED25519_SIGNATURE);

    uint8_t *null = null_pointer();
    CHECK(culet_ed25519_sign(signature, null, 0, seed) == 0);
    CHECK(culet_ed25519_verify(signature, null, 0, public_key) == 0);
    CHECK(culet_ed25519_sign(signature, null, 1, seed) == -1);
    CHECK(culet_ed25519_sign(signature, message, SIZE_MAX, seed) == -1);
    CHECK(culet_ed25519_sign(null, message, 2, seed) == -1);
    CHECK(culet_ed25519_sign(signature, message, 2, null) == -1);
    CHECK(culet_ed25519_verify(null, message, 2, public_key) == -1);
    CHECK(culet_ed25519_verify(signature, message, 2, null) == -1);
}

/* Numbers of signatures up to two groups of eight and some, with one that is wrong at places of the longest, or two whose errors
 * would cancel in a sum without factors. */
static void signatures_together(void) {
    enum { MOST = 19 };
    static uint8_t seed[32], keys[MOST][32], signatures[MOST][64];
    static const uint8_t message[MOST] = "several messages";
    culet_ed25519_signed all[MOST];
    for (size_t i = 0; i < MOST; i++) {
        seed[0] = (uint8_t)i;
        CHECK(culet_ed25519_public_key(keys[i], seed) == 0);
        CHECK(culet_ed25519_sign(signatures[i], message, i, seed) == 0);
        all[i] = (culet_ed25519_signed){signatures[i], message, i, keys[i]};
    }
    for (size_t count = 0; count <= MOST; count += count == 9 ? 6 : 1) {
        CHECK(culet_ed25519_verify_batch(all, count) == 0);
        CHECK(culet_ed25519_verify_batch_zip215(all, count) == 0);
    }
    for (size_t i = 0; i < MOST; i += 3) {
        uint8_t *byte = &signatures[i][i % 2 == 0 ? 5 : 40];
        *byte ^= 1;
        CHECK(culet_ed25519_verify_batch(all, MOST) == -1);
        CHECK(culet_ed25519_verify_batch(all, i) == 0);
        CHECK(culet_ed25519_verify_batch_zip215(all, MOST) == -1);
        CHECK(culet_ed25519_verify_batch_zip215(all, i) == 0);
        *byte ^= 1;
    }
    for (size_t i = 1, first = MOST; i < MOST; i++) {
        if (signatures[i][32] < 1 || signatures[i][32] > 254)
            continue;
        if (first == MOST) {
            first = i;
            signatures[first][32]++;
            continue;
        }
        signatures[i][32]--;
        CHECK(culet_ed25519_verify_batch_zip215(all, MOST) == -1);
        signatures[i][32]++;
        signatures[first][32]--;
        CHECK(culet_ed25519_verify_batch_zip215(all, MOST) == 0);
        break;
    }
    all[3].length = 4;
    CHECK(culet_ed25519_verify_batch_zip215(all, MOST) == -1);
    all[3].length = 3;
    /* Points of small order, as single signatures with them. */
    from_digits(keys[7], NEUTRAL_POINT);
    from_digits(signatures[7], SIGNATURE_BY_NEUTRAL_POINT);
    CHECK(culet_ed25519_verify_batch_zip215(all, 8) == 0);
    CHECK(culet_ed25519_verify_batch(all, 8) == -1);
    CHECK(culet_ed25519_verify_batch(all, 7) == 0);
    all[12].signature = null_pointer();
    CHECK(culet_ed25519_verify_batch(all, MOST) == -1);
    CHECK(culet_ed25519_verify_batch_zip215(all, MOST) == -1);
    all[12] = (culet_ed25519_signed){signatures[12], null_pointer(), 12, keys[12]};
    CHECK(culet_ed25519_verify_batch_zip215(all, MOST) == -1);
    all[12] = (culet_ed25519_signed){signatures[12], message, 12, null_pointer()};
    CHECK(culet_ed25519_verify_batch_zip215(all, MOST) == -1);
    culet_ed25519_signed *none = null_pointer();
    CHECK(culet_ed25519_verify_batch(none, 0) == 0);
    CHECK(culet_ed25519_verify_batch(none, 1) == -1);
    CHECK(culet_ed25519_verify_batch_zip215(none, 0) == 0);
    CHECK(culet_ed25519_verify_batch_zip215(none, 1) == -1);
    CHECK(culet_ed25519_verify_batch_zip215(all, SIZE_MAX / 8) == -1);
}

/* Numbers of messages and of pairs of keys up to a group of eight and some: each result is that of one by itself. */
static void signed_and_agreed_together(void) {
    enum { MOST = 11 };
    static const uint8_t message[MOST] = "messages", seed[32] = {7}, zeros[32 * MOST];
    static uint8_t secrets[32 * MOST], publics[32 * MOST], shared[32 * MOST], signatures[64 * MOST];
    culet_ed25519_message all[MOST];
    for (size_t i = 0; i < MOST; i++) {
        all[i] = (culet_ed25519_message){message, i};
        secrets[32 * i] = (uint8_t)(3 * i + 1);
        publics[32 * i] = (uint8_t)(9 + i);
    }
    for (size_t count = 0; count <= MOST; count += count == 5 ? 3 : 1) {
        uint8_t one[64];
        memset(signatures, 1, sizeof signatures);
        memset(shared, 1, sizeof shared);
        CHECK(culet_ed25519_sign_batch(signatures, all, count, seed) == 0);
        CHECK(culet_x25519_batch(shared, secrets, publics, count) == 0);
        for (size_t i = 0; i < count; i++) {
            CHECK(culet_ed25519_sign(one, message, i, seed) == 0);
            CHECK(memcmp(signatures + 64 * i, one, 64) == 0);
            CHECK(culet_x25519(one, secrets + 32 * i, publics + 32 * i) == 0);
            CHECK(memcmp(shared + 32 * i, one, 32) == 0);
        }
        CHECK(count == MOST || (signatures[64 * count] == 1 && shared[32 * count] == 1));
    }
    /* 1 is a point of small order. */
    publics[32 * 6] = 1;
    CHECK(culet_x25519_batch(shared, secrets, publics, MOST) == -1);
    CHECK(memcmp(shared, zeros, sizeof shared) == 0);
    CHECK(culet_x25519_batch(shared, secrets, publics, 6) == 0);
    CHECK(culet_x25519_batch(secrets, secrets, publics, 2) == -1 && secrets[0] == 1);
    CHECK(culet_x25519_batch(publics, secrets, publics, 1) == -1);
    CHECK(culet_x25519_batch(shared, secrets, publics, SIZE_MAX / 16) == -1);
    uint8_t *null = null_pointer();
    CHECK(culet_x25519_batch(null, secrets, publics, 1) == -1);
    CHECK(culet_x25519_batch(shared, null, publics, 1) == -1);
    CHECK(culet_x25519_batch(shared, secrets, null, 1) == -1);
    CHECK(culet_x25519_batch(null, null, null, 0) == 0);
    culet_ed25519_message *none = null_pointer();
    CHECK(culet_ed25519_sign_batch(null, none, 0, seed) == 0);
    CHECK(culet_ed25519_sign_batch(signatures, none, 1, seed) == -1);
    CHECK(culet_ed25519_sign_batch(null, all, 1, seed) == -1);
    CHECK(culet_ed25519_sign_batch(signatures, all, 1, null) == -1);
    CHECK(culet_ed25519_sign_batch(signatures, all, SIZE_MAX / 32, seed) == -1);
    all[1] = (culet_ed25519_message){null_pointer(), 1};
    CHECK(culet_ed25519_sign_batch(signatures, all, 2, seed) == -1);
    all[1] = (culet_ed25519_message){signatures + 100, 3};
    CHECK(culet_ed25519_sign_batch(signatures, all, 2, seed) == -1);
    /* The list lies in the room for signatures, or is shorter than the number says. */
    static union {
        uint8_t room[64 * MOST];
        culet_ed25519_message list[MOST];
    } both;
    for (size_t i = 0; i < MOST; i++)
        both.list[i] = (culet_ed25519_message){message, i};
    CHECK(culet_ed25519_sign_batch(both.room, both.list, MOST, seed) == -1);
    CHECK(both.list[0].message == message && both.list[1].length == 1);
    CHECK(culet_ed25519_sign_batch(both.room + sizeof both.room - 128, both.list, 2, seed) == 0);
    CHECK(culet_ed25519_sign_batch(signatures, both.list, (SIZE_MAX / 2 + 1) / 64, seed) == -1);
}

static void schnorr(void) {
    uint8_t secret[32], public_key[32], entropy[32], message[32], signature[64], *null = null_pointer();
    from_digits(secret, BIP340_SECRET);
    from_digits(entropy, BIP340_ENTROPY);
    from_digits(message, BIP340_MESSAGE);
    CHECK(culet_bip340_public_key(public_key, secret) == 0);
    CHECK_BYTES(public_key, BIP340_PUBLIC);
    CHECK(culet_bip340_sign(signature, message, 32, secret, entropy) == 0);
    CHECK_BYTES(signature, BIP340_SIGNATURE);
    CHECK(culet_bip340_verify(signature, message, 32, public_key) == 0);
    CHECK(culet_bip340_verify(signature, message, 31, public_key) == -1);
    for (int bit = 0; bit < 512; bit += 37) {
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK(culet_bip340_verify(signature, message, 32, public_key) == -1);
        signature[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }

    /* Over the message, the secret key and the entropy. */
    uint8_t buffer[96];
    memcpy(buffer, secret, 32);
    memcpy(buffer + 32, entropy, 32);
    memcpy(buffer + 64, message, 32);
    CHECK(culet_bip340_sign(buffer, buffer + 64, 32, buffer, buffer + 32) == 0);
    CHECK_BYTES(buffer, BIP340_SIGNATURE);
    memcpy(buffer, secret, 32);
    CHECK(culet_bip340_public_key(buffer, buffer) == 0);
    CHECK_BYTES(buffer, BIP340_PUBLIC);

    /* No key is 0, or 2^256 - 1. */
    static const uint8_t zeros[32];
    memset(buffer, 0xff, 96);
    CHECK(culet_bip340_public_key(signature, zeros) == -1 && culet_bip340_public_key(signature, buffer) == -1);
    CHECK(culet_bip340_sign(signature, message, 32, zeros, entropy) == -1);
    CHECK_BYTES(signature, BIP340_SIGNATURE);
    CHECK(culet_bip340_sign(signature, message, 32, buffer, entropy) == -1);
    CHECK(culet_bip340_verify(signature, message, 32, buffer) == -1);

    CHECK(culet_bip340_sign(signature, null, 0, secret, entropy) == 0);
    CHECK(culet_bip340_verify(signature, null, 0, public_key) == 0);
    CHECK(culet_bip340_sign(signature, null, 1, secret, entropy) == -1);
    CHECK(culet_bip340_sign(signature, message, SIZE_MAX, secret, entropy) == -1);
    CHECK(culet_bip340_sign(null, message, 32, secret, entropy) == -1);
    CHECK(culet_bip340_sign(signature, message, 32, null, entropy) == -1);
    CHECK(culet_bip340_sign(signature, message, 32, secret, null) == -1);
    CHECK(culet_bip340_public_key(null, secret) == -1 && culet_bip340_public_key(public_key, null) == -1);
    CHECK(culet_bip340_verify(null, message, 32, public_key) == -1);
    CHECK(culet_bip340_verify(signature, message, 32, null) == -1);
    CHECK(culet_bip340_verify(signature, null, 1, public_key) == -1);
}

static void agreement(void) {
    uint8_t alice[32], bob[32], public_key[32], shared[32];
    from_digits(alice, ALICE_SECRET);
    from_digits(bob, BOB_SECRET);
    CHECK(culet_x25519_public_key(public_key, bob) == 0);
    CHECK_BYTES(public_key, BOB_PUBLIC);
    CHECK(culet_x25519(shared, alice, public_key) == 0);
    CHECK_BYTES(shared, SHARED);

    /* In place, over either argument. */
    CHECK(culet_x25519(public_key, alice, public_key) == 0);
    CHECK_BYTES(public_key, SHARED);
    from_digits(public_key, BOB_PUBLIC);
    CHECK(culet_x25519(alice, alice, public_key) == 0);
    CHECK_BYTES(alice, SHARED);

    /* The point of order 1. */
    memset(public_key, 0, 32);
    memset(shared, 7, 32);
    CHECK(culet_x25519(shared, bob, public_key) == -1);
    CHECK(all_are(shared, 32, 0));
    uint8_t *null = null_pointer();
    CHECK(culet_x25519(null, bob, public_key) == -1);
    CHECK(culet_x25519(shared, null, public_key) == -1);
    CHECK(culet_x25519(shared, bob, null) == -1);
    CHECK(culet_x25519_public_key(null, bob) == -1);
}

static void ciphers(void) {
    const uint8_t *text = (const uint8_t *)SUNSCREEN;
    uint8_t key[32], nonce[24] = {0}, additional[12], out[300], tag[16], back[SUNSCREEN_LENGTH];
    from_digits(key, AEAD_KEY);
    from_digits(nonce, AEAD_NONCE);
    from_digits(additional, AEAD_ADDITIONAL);
    CHECK(culet_chacha20poly1305_seal(out, tag, text, SUNSCREEN_LENGTH, additional, 12, nonce, key) == 0);
    CHECK_BYTES(out, AEAD_SEALED);
    CHECK_BYTES(tag, AEAD_TAG);
    CHECK(culet_chacha20poly1305_open(back, out, SUNSCREEN_LENGTH, tag, additional, 12, nonce, key) == 0);
    CHECK(memcmp(back, text, SUNSCREEN_LENGTH) == 0);

    /* Any changed bit of the tag, and the message is zeros. */
    for (int bit = 0; bit < 128; bit++) {
        tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
        memset(back, 7, sizeof back);
        CHECK(culet_chacha20poly1305_open(back, out, SUNSCREEN_LENGTH, tag, additional, 12, nonce, key) == -1);
        CHECK(all_are(back, sizeof back, 0));
        tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    CHECK(culet_chacha20poly1305_open(back, out, SUNSCREEN_LENGTH - 1, tag, additional, 12, nonce, key) == -1);
    CHECK(culet_chacha20poly1305_open(back, out, SUNSCREEN_LENGTH, tag, additional, 11, nonce, key) == -1);

    /* The tag behind the message, and all shifts of input against output. */
    for (size_t from = 0; from <= 150; from++)
        for (size_t to = 0; to <= 150; to += 25) {
            memcpy(out + from, text, SUNSCREEN_LENGTH);
            CHECK(culet_chacha20poly1305_seal(out + to, out + to + SUNSCREEN_LENGTH, out + from, SUNSCREEN_LENGTH, additional,
                                              12, nonce, key) == 0);
            CHECK_BYTES(out + to, AEAD_SEALED AEAD_TAG);
            memcpy(tag, out + to + SUNSCREEN_LENGTH, 16);
            CHECK(culet_chacha20poly1305_open(out + from, out + to, SUNSCREEN_LENGTH, tag, additional, 12, nonce, key) == 0);
            CHECK(memcmp(out + from, text, SUNSCREEN_LENGTH) == 0);
        }
    /* Key and nonce in the output. */
    memcpy(out, key, 32);
    memcpy(out + 32, nonce, 12);
    CHECK(culet_chacha20poly1305_seal(out, tag, text, SUNSCREEN_LENGTH, additional, 12, out + 32, out) == 0);
    CHECK_BYTES(out, AEAD_SEALED);

    /* Additional data and tags that do not lie apart: nothing is written. */
    memset(out, 7, sizeof out);
    CHECK(culet_chacha20poly1305_seal(out, tag, text, SUNSCREEN_LENGTH, out + SUNSCREEN_LENGTH - 1, 12, nonce, key) == -1);
    CHECK(culet_chacha20poly1305_seal(out + 11, tag, text, SUNSCREEN_LENGTH, out, 12, nonce, key) == -1);
    CHECK(culet_chacha20poly1305_seal(out, out + SUNSCREEN_LENGTH - 1, text, SUNSCREEN_LENGTH, additional, 12, nonce, key) == -1);
    CHECK(culet_chacha20poly1305_open(out, out, SUNSCREEN_LENGTH, tag, out + 50, 12, nonce, key) == -1);
    CHECK(all_are(out, sizeof out, 7));
    /* Neighbours are apart. */
    CHECK(culet_chacha20poly1305_seal(out + 12, tag, text, SUNSCREEN_LENGTH, out, 12, nonce, key) == 0);

    uint8_t *null = null_pointer();
    CHECK(culet_chacha20poly1305_seal(null, tag, null, 0, null, 0, nonce, key) == 0);
    CHECK(culet_chacha20poly1305_open(null, null, 0, tag, null, 0, nonce, key) == 0);
    CHECK(culet_chacha20poly1305_seal(null, tag, text, 1, null, 0, nonce, key) == -1);
    CHECK(culet_chacha20poly1305_seal(out, tag, null, 1, null, 0, nonce, key) == -1);
    memset(out, 7, sizeof out);
    CHECK(culet_chacha20poly1305_seal(out, null, text, 1, null, 0, nonce, key) == -1);
    CHECK(culet_chacha20poly1305_seal(out, tag, text, 1, null, 0, nonce, null) == -1);
    CHECK(culet_secretbox_seal(out, null, text, 1, nonce, key) == -1);
    CHECK(all_are(out, sizeof out, 7));
    CHECK(culet_chacha20poly1305_seal(out, tag, text, 1, null, 1, nonce, key) == -1);
    CHECK(culet_chacha20poly1305_seal(out, tag, text, 1, null, 0, null, key) == -1);
    CHECK(culet_chacha20poly1305_seal(out, tag, text, 1, null, 0, nonce, null) == -1);
    CHECK(culet_chacha20poly1305_open(out, text, 1, null, null, 0, nonce, key) == -1);
    CHECK(culet_chacha20poly1305_seal(out, tag, text, SIZE_MAX, null, 0, nonce, key) == -1);
#if SIZE_MAX > 0xffffffff
    /* More than RFC 8439 allows (section 2.8), and less than what an array may have. Nothing is read or written. */
    CHECK(culet_chacha20poly1305_seal(out, tag, text, ((size_t)1 << 38) - 63, null, 0, nonce, key) == -1);
    CHECK(culet_xchacha20poly1305_seal(out, tag, text, ((size_t)1 << 38) - 63, null, 0, nonce, key) == -1);
#endif
    CHECK(culet_chacha20poly1305_seal(out, tag, text, 1, text, SIZE_MAX, nonce, key) == -1);

    CHECK(culet_xchacha20poly1305_seal(out, tag, text, SUNSCREEN_LENGTH, additional, 12, nonce, key) == 0);
    CHECK(culet_xchacha20poly1305_open(out, out, SUNSCREEN_LENGTH, tag, additional, 12, nonce, key) == 0);
    CHECK(memcmp(out, text, SUNSCREEN_LENGTH) == 0);
    nonce[23] ^= 1;
    CHECK(culet_xchacha20poly1305_open(out, out, SUNSCREEN_LENGTH, tag, additional, 12, nonce, key) == -1);
    CHECK(all_are(out, SUNSCREEN_LENGTH, 0));
}

static void ascon_aead128(void) {
    uint8_t key[16], nonce[16], additional[32], text[32], out[100], tag[16];
    from_digits(key, ASCON_KEY);
    from_digits(nonce, ASCON_NONCE);
    from_digits(additional, ASCON_ADDITIONAL);
    from_digits(text, ASCON_MESSAGE);
    CHECK(culet_ascon_aead128_seal(out, out + 32, text, 32, additional, 32, nonce, key) == 0);
    CHECK_BYTES(out, ASCON_SEALED ASCON_TAG);
    for (size_t from = 0; from <= 60; from++)
        for (size_t to = 0; to <= 60; to += 15) {
            memcpy(out + from, text, 32);
            CHECK(culet_ascon_aead128_seal(out + to, tag, out + from, 32, additional, 32, nonce, key) == 0);
            CHECK_BYTES(out + to, ASCON_SEALED);
            CHECK_BYTES(tag, ASCON_TAG);
            CHECK(culet_ascon_aead128_open(out + from, out + to, 32, tag, additional, 32, nonce, key) == 0);
            CHECK(memcmp(out + from, text, 32) == 0);
        }
    for (int bit = 0; bit < 128; bit++) {
        from_digits(out, ASCON_SEALED);
        tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK(culet_ascon_aead128_open(out, out, 32, tag, additional, 32, nonce, key) == -1);
        CHECK(all_are(out, 32, 0));
        tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    from_digits(out, ASCON_SEALED);
    CHECK(culet_ascon_aead128_open(text, out, 31, tag, additional, 32, nonce, key) == -1);
    CHECK(culet_ascon_aead128_open(text, out, 32, tag, additional, 31, nonce, key) == -1);
    CHECK(all_are(text, 32, 0));

    uint8_t *null = null_pointer();
    memset(out, 7, sizeof out);
    CHECK(culet_ascon_aead128_seal(out, tag, text, 32, out + 31, 32, nonce, key) == -1);
    CHECK(culet_ascon_aead128_seal(out, out + 31, text, 32, additional, 32, nonce, key) == -1);
    CHECK(culet_ascon_aead128_seal(out, null, text, 32, additional, 32, nonce, key) == -1);
    CHECK(culet_ascon_aead128_seal(out, tag, text, SIZE_MAX, additional, 32, nonce, key) == -1);
    CHECK(culet_ascon_aead128_seal(out, tag, text, 32, additional, 32, null, key) == -1);
    CHECK(culet_ascon_aead128_seal(out, tag, text, 32, additional, 32, nonce, null) == -1);
    CHECK(all_are(out, sizeof out, 7));
    CHECK(culet_ascon_aead128_seal(null, tag, null, 0, null, 0, nonce, key) == 0);
    CHECK(culet_ascon_aead128_open(null, null, 0, tag, null, 0, nonce, key) == 0);
}

#define AES_GCM(name, key_digits, sealed_digits, tag_digits)                                                \
    static void name(void) {                                                                                \
        uint8_t key[32], nonce[12], additional[20], text[60], out[140], tag[16];                            \
        from_digits(key, key_digits);                                                                       \
        from_digits(nonce, AES_GCM_NONCE);                                                                  \
        from_digits(additional, AES_GCM_ADDITIONAL);                                                        \
        from_digits(text, AES_GCM_MESSAGE);                                                                 \
        CHECK(culet_##name##_seal(out, out + 60, text, 60, additional, 20, nonce, key) == 0);               \
        CHECK_BYTES(out, sealed_digits tag_digits);                                                         \
        for (size_t from = 0; from <= 60; from++)                                                           \
            for (size_t to = 0; to <= 70; to += 14) {                                                       \
                memcpy(out + from, text, 60);                                                               \
                CHECK(culet_##name##_seal(out + to, tag, out + from, 60, additional, 20, nonce, key) == 0); \
                CHECK_BYTES(out + to, sealed_digits);                                                       \
                CHECK_BYTES(tag, tag_digits);                                                               \
                CHECK(culet_##name##_open(out + from, out + to, 60, tag, additional, 20, nonce, key) == 0); \
                CHECK(memcmp(out + from, text, 60) == 0);                                                   \
            }                                                                                               \
        for (int bit = 0; bit < 128; bit++) {                                                               \
            from_digits(out, sealed_digits);                                                                \
            tag[bit / 8] ^= (uint8_t)(1 << bit % 8);                                                        \
            CHECK(culet_##name##_open(out, out, 60, tag, additional, 20, nonce, key) == -1);                \
            CHECK(all_are(out, 60, 0));                                                                     \
            tag[bit / 8] ^= (uint8_t)(1 << bit % 8);                                                        \
        }                                                                                                   \
        from_digits(out, sealed_digits);                                                                    \
        CHECK(culet_##name##_open(text, out, 59, tag, additional, 20, nonce, key) == -1);                   \
        CHECK(culet_##name##_open(text, out, 60, tag, additional, 19, nonce, key) == -1);                   \
        CHECK(all_are(text, 60, 0));                                                                        \
                                                                                                            \
        uint8_t *null = null_pointer();                                                                     \
        memset(out, 7, sizeof out);                                                                         \
        CHECK(culet_##name##_seal(out, tag, text, 60, out + 59, 20, nonce, key) == -1);                     \
        CHECK(culet_##name##_seal(out, out + 59, text, 60, additional, 20, nonce, key) == -1);              \
        CHECK(culet_##name##_seal(out, null, text, 60, additional, 20, nonce, key) == -1);                  \
        CHECK(culet_##name##_seal(out, tag, text, SIZE_MAX, additional, 20, nonce, key) == -1);             \
        CHECK(culet_##name##_seal(out, tag, text, 60, additional, 20, null, key) == -1);                    \
        CHECK(culet_##name##_seal(out, tag, text, 60, additional, 20, nonce, null) == -1);                  \
        CHECK(all_are(out, sizeof out, 7));                                                                 \
        CHECK(culet_##name##_seal(null, tag, null, 0, null, 0, nonce, key) == 0);                           \
        CHECK(culet_##name##_open(null, null, 0, tag, null, 0, nonce, key) == 0);                           \
                                                                                                            \
        culet_##name##_context context;                                                                     \
        memset(&context, 0, sizeof context);                                                                \
        from_digits(text, AES_GCM_MESSAGE);                                                                 \
        memset(out, 7, sizeof out);                                                                         \
        CHECK(culet_##name##_seal_with(&context, out, tag, text, 60, additional, 20, nonce) == -1);         \
        CHECK(culet_##name##_init(&context, null) == -1);                                                   \
        CHECK(culet_##name##_init(NULL, key) == -1);                                                        \
        CHECK(culet_##name##_init(&context, key) == 0);                                                     \
        CHECK(culet_##name##_seal_with(NULL, out, tag, text, 60, additional, 20, nonce) == -1);             \
        CHECK(culet_##name##_seal_with(&context, (uint8_t *)&context, tag, text, 60, additional, 20, nonce) == -1); \
        CHECK(culet_##name##_seal_with(&context, out, (uint8_t *)&context, text, 60, additional, 20, nonce) == -1); \
        CHECK(all_are(out, sizeof out, 7));                                                                 \
        for (int count = 0; count < 2; count++) {                                                           \
            CHECK(culet_##name##_seal_with(&context, out, out + 60, text, 60, additional, 20, nonce) == 0); \
            CHECK_BYTES(out, sealed_digits tag_digits);                                                     \
            CHECK(culet_##name##_open_with(&context, out, out, 60, out + 60, additional, 20, nonce) == 0);  \
            CHECK(memcmp(out, text, 60) == 0);                                                              \
        }                                                                                                   \
        from_digits(out, sealed_digits tag_digits);                                                         \
        CHECK(culet_##name##_open_with(&context, out, out, 60, out + 60, additional, 19, nonce) == -1);     \
        CHECK(all_are(out, 60, 0));                                                                         \
        CHECK(culet_##name##_open_with(NULL, out, out, 60, out + 60, additional, 20, nonce) == -1);         \
    }

AES_GCM(aes128gcm, AES128GCM_KEY, AES128GCM_SEALED, AES128GCM_TAG)
AES_GCM(aes256gcm, AES256GCM_KEY, AES256GCM_SEALED, AES256GCM_TAG)

/* The functions of a curve whose numbers have `size` bytes, and digests `digest_size`. y of the public key is odd or even. */
#define CURVE(name, NAME, size, first, text, hash, digest_size)                                                       \
    static void name(void) {                                                                                          \
        uint8_t secret[size], point[2 * size + 1], other[2 * size + 1], compressed[size + 1];                         \
        uint8_t signature[2 * size], shared[size], der[CULET_##NAME##_DER_BYTES], *null = null_pointer();             \
        const uint8_t *sample = (const uint8_t *)(text);                                                              \
        uint8_t digest[digest_size], entropy[size], hedged[2 * size];                                                 \
        const size_t all = strlen(text);                                                                              \
        size_t length = 0;                                                                                            \
        from_digits(secret, NAME##_SECRET);                                                                           \
        CHECK(culet_##name##_public_key(point, secret) == 0);                                                         \
        CHECK_BYTES(point, "04" NAME##_X NAME##_Y);                                                                   \
        CHECK(culet_##name##_compress(compressed, point, sizeof point) == 0);                                         \
        CHECK_BYTES(compressed, first NAME##_X);                                                                      \
        CHECK(culet_##name##_decompress(other, compressed, sizeof compressed) == 0);                                  \
        CHECK(memcmp(other, point, sizeof point) == 0);                                                               \
        CHECK(culet_##name##_decompress(point, point, sizeof point) == 0);                                            \
        CHECK(culet_##name##_compress(other, compressed, sizeof compressed) == 0);                                    \
        CHECK(memcmp(other, compressed, sizeof compressed) == 0);                                                     \
                                                                                                                      \
        CHECK(culet_##name##_sign(signature, sample, all, secret) == 0);                                              \
        CHECK_BYTES(signature, NAME##_SAMPLE_R NAME##_SAMPLE_S);                                                      \
        CHECK(culet_##name##_verify(signature, sample, all, point, sizeof point) == 0);                               \
        CHECK(culet_##name##_verify(signature, sample, all, compressed, sizeof compressed) == 0);                     \
        CHECK(culet_##name##_verify(signature, sample, all - 1, point, sizeof point) == -1);                          \
        CHECK(culet_##name##_verify(signature, sample, all, point, sizeof point - 1) == -1);                          \
        CHECK(culet_##name##_sign_der(der, &length, sample, all, secret) == 0);                                       \
        CHECK(length == strlen(NAME##_SAMPLE_DER) / 2);                                                               \
        CHECK_BYTES(der, NAME##_SAMPLE_DER);                                                                          \
        CHECK(culet_##name##_verify_der(der, length, sample, all, point, sizeof point) == 0);                         \
        CHECK(culet_##name##_verify_der(der, length - 1, sample, all, point, sizeof point) == -1);                    \
        for (size_t bit = 0; bit < 16 * size; bit += 11) {                                                            \
            signature[bit / 8] ^= (uint8_t)(1 << bit % 8);                                                            \
            CHECK(culet_##name##_verify(signature, sample, all, point, sizeof point) == -1);                          \
            signature[bit / 8] ^= (uint8_t)(1 << bit % 8);                                                            \
        }                                                                                                             \
                                                                                                                      \
        /* By the digest, and with entropy. */                                                                        \
        CHECK(culet_##hash(digest, sample, all) == 0);                                                                \
        CHECK(culet_##name##_sign_prehashed(signature, digest, secret) == 0);                                         \
        CHECK_BYTES(signature, NAME##_SAMPLE_R NAME##_SAMPLE_S);                                                      \
        CHECK(culet_##name##_verify_prehashed(signature, digest, point, sizeof point) == 0);                          \
        CHECK(culet_##name##_verify_prehashed(signature, digest, compressed, sizeof compressed) == 0);                \
        digest[0] ^= 1;                                                                                               \
        CHECK(culet_##name##_verify_prehashed(signature, digest, point, sizeof point) == -1);                         \
        memset(entropy, 7, sizeof entropy);                                                                           \
        CHECK(culet_##name##_sign_hedged(hedged, sample, all, secret, entropy) == 0);                                 \
        CHECK(memcmp(hedged, signature, size) != 0);                                                                  \
        CHECK(culet_##name##_verify(hedged, sample, all, point, sizeof point) == 0);                                  \
        CHECK(culet_##name##_sign_hedged(other, sample, all, secret, entropy) == 0);                                  \
        CHECK(memcmp(other, hedged, sizeof hedged) == 0);                                                             \
        entropy[size - 1] ^= 1;                                                                                       \
        CHECK(culet_##name##_sign_hedged(other, sample, all, secret, entropy) == 0);                                  \
        CHECK(memcmp(other, hedged, size) != 0);                                                                      \
        CHECK(culet_##name##_sign_hedged(hedged, sample, all, secret, null) == -1);                                   \
        CHECK(culet_##name##_sign_hedged(null, sample, all, secret, entropy) == -1);                                  \
        CHECK(culet_##name##_sign_hedged(hedged, sample, all, null, entropy) == -1);                                  \
        CHECK(culet_##name##_sign_hedged(hedged, null, all, secret, entropy) == -1);                                  \
        CHECK(culet_##name##_sign_prehashed(null, digest, secret) == -1);                                             \
        CHECK(culet_##name##_sign_prehashed(hedged, null, secret) == -1);                                             \
        CHECK(culet_##name##_sign_prehashed(hedged, digest, null) == -1);                                             \
        CHECK(culet_##name##_verify_prehashed(null, digest, point, sizeof point) == -1);                              \
        CHECK(culet_##name##_verify_prehashed(signature, null, point, sizeof point) == -1);                           \
        CHECK(culet_##name##_verify_prehashed(signature, digest, null, 0) == -1);                                     \
                                                                                                                      \
        /* A signature over the message and over the key. */                                                          \
        memcpy(signature + 3, sample, all);                                                                           \
        CHECK(culet_##name##_sign(signature, signature + 3, all, secret) == 0);                                       \
        CHECK_BYTES(signature, NAME##_SAMPLE_R NAME##_SAMPLE_S);                                                      \
        memcpy(signature, secret, size);                                                                              \
        CHECK(culet_##name##_sign(signature, sample, all, signature) == 0);                                           \
        CHECK_BYTES(signature, NAME##_SAMPLE_R NAME##_SAMPLE_S);                                                      \
                                                                                                                      \
        CHECK(from_digits(point, NAME##_THEIRS) == sizeof point);                                                     \
        from_digits(secret, NAME##_OURS);                                                                             \
        CHECK(culet_##name##_agree(shared, secret, point, sizeof point) == 0);                                        \
        CHECK_BYTES(shared, NAME##_SHARED);                                                                           \
        CHECK(culet_##name##_compress(compressed, point, sizeof point) == 0);                                         \
        CHECK(culet_##name##_agree(secret, secret, compressed, sizeof compressed) == 0);                              \
        CHECK_BYTES(secret, NAME##_SHARED);                                                                           \
                                                                                                                      \
        /* No point, and no key. */                                                                                   \
        memcpy(other, point, sizeof point);                                                                           \
        other[sizeof point - 1] ^= 1;                                                                                 \
        from_digits(secret, NAME##_OURS);                                                                             \
        memset(shared, 7, sizeof shared);                                                                             \
        CHECK(culet_##name##_agree(shared, secret, other, sizeof other) == -1);                                       \
        CHECK(all_are(shared, sizeof shared, 0));                                                                     \
        CHECK(culet_##name##_compress(compressed, other, sizeof other) == -1);                                        \
        CHECK(culet_##name##_verify(signature, sample, all, other, sizeof other) == -1);                              \
        from_digits(secret, NAME##_ORDER);                                                                            \
        for (int i = 0; i < 2; i++) {                                                                                 \
            memset(shared, 7, sizeof shared);                                                                         \
            CHECK(culet_##name##_agree(shared, secret, point, sizeof point) == -1);                                   \
            CHECK(all_are(shared, sizeof shared, 0));                                                                 \
            CHECK(culet_##name##_public_key(other, secret) == -1);                                                    \
            CHECK(culet_##name##_sign(signature, sample, all, secret) == -1);                                         \
            CHECK(culet_##name##_sign_hedged(signature, sample, all, secret, entropy) == -1);                         \
            CHECK(culet_##name##_sign_prehashed(signature, digest, secret) == -1);                                    \
            CHECK(culet_##name##_sign_der(der, &length, sample, all, secret) == -1);                                  \
            memset(secret, 0, sizeof secret);                                                                         \
        }                                                                                                             \
                                                                                                                      \
        from_digits(secret, NAME##_SECRET);                                                                           \
        CHECK(culet_##name##_public_key(point, secret) == 0);                                                         \
        CHECK(culet_##name##_sign(signature, null, 0, secret) == 0);                                                  \
        CHECK(culet_##name##_verify(signature, null, 0, point, sizeof point) == 0);                                   \
        CHECK(culet_##name##_sign(signature, null, 1, secret) == -1);                                                 \
        CHECK(culet_##name##_sign(signature, sample, SIZE_MAX, secret) == -1);                                        \
        CHECK(culet_##name##_sign(null, sample, all, secret) == -1);                                                  \
        CHECK(culet_##name##_sign(signature, sample, all, null) == -1);                                               \
        CHECK(culet_##name##_sign_der(der, null_pointer(), sample, all, secret) == -1);                               \
        CHECK(culet_##name##_sign_der(null, &length, sample, all, secret) == -1);                                     \
        CHECK(culet_##name##_verify(null, sample, all, point, sizeof point) == -1);                                   \
        CHECK(culet_##name##_verify(signature, sample, all, null, 0) == -1);                                          \
        CHECK(culet_##name##_verify(signature, sample, all, null, sizeof point) == -1);                               \
        CHECK(culet_##name##_verify_der(null, 0, sample, all, point, sizeof point) == -1);                            \
        CHECK(culet_##name##_public_key(null, secret) == -1);                                                         \
        CHECK(culet_##name##_public_key(point, null) == -1);                                                          \
        CHECK(culet_##name##_agree(null, secret, point, sizeof point) == -1);                                         \
        CHECK(culet_##name##_agree(shared, null, point, sizeof point) == -1);                                         \
        CHECK(culet_##name##_agree(shared, secret, null, 0) == -1);                                                   \
        CHECK(culet_##name##_decompress(null, point, sizeof point) == -1);                                            \
    }

CURVE(p224, P224, 28, "02", "sample", sha224, 28)
CURVE(p256, P256, 32, "03", "sample", sha256, 32)
CURVE(p384, P384, 48, "02", "sample", sha384, 48)
CURVE(p521, P521, 66, "03", "sample", sha512, 64)
CURVE(secp256k1, SECP256K1, 32, "02", "Satoshi Nakamoto", sha256, 32)

/* Of two signatures that differ in the sign of s, one is good. */
static void lower_s(void) {
    uint8_t secret[32], point[65], high[64], low[64], *null = null_pointer();
    const uint8_t *message = (const uint8_t *)"Satoshi Nakamoto";
    from_digits(secret, SECP256K1_SECRET);
    CHECK(culet_secp256k1_public_key(point, secret) == 0);
    from_digits(high, SECP256K1_SAMPLE_R SECP256K1_SAMPLE_HIGH_S);
    CHECK(culet_secp256k1_verify(high, message, 16, point, sizeof point) == -1);
    CHECK(culet_secp256k1_with_low_s(low, high) == 0);
    CHECK_BYTES(low, SECP256K1_SAMPLE_R SECP256K1_SAMPLE_S);
    CHECK(culet_secp256k1_verify(low, message, 16, point, sizeof point) == 0);
    CHECK(culet_secp256k1_with_low_s(low, low) == 0);
    CHECK_BYTES(low, SECP256K1_SAMPLE_R SECP256K1_SAMPLE_S);
    CHECK(culet_secp256k1_with_low_s(high, high) == 0);
    CHECK(memcmp(high, low, 64) == 0);
    /* An s that is out of range stays. */
    from_digits(high, SECP256K1_SAMPLE_R SECP256K1_ORDER);
    CHECK(culet_secp256k1_with_low_s(low, high) == 0);
    CHECK(memcmp(high, low, 64) == 0);
    CHECK(culet_secp256k1_with_low_s(null, high) == -1);
    CHECK(culet_secp256k1_with_low_s(low, null) == -1);
}

/* Segments are what XChaCha20-Poly1305 makes under the nonces that culet.h describes. */
static void segments(void) {
    uint8_t key[32], nonce[24] = {0}, text[200], sealed[3][216], expected[216], back[200], *null = null_pointer();
    culet_segment_sealer sealer;
    culet_segment_opener opener;
    memset(key, 0x5a, sizeof key);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(3 * i);
    for (uint8_t i = 0; i < 19; i++)
        nonce[i] = i;
    CHECK(culet_segment_sealer_init(&sealer, nonce, key) == 0);
    CHECK(culet_segment_seal(&sealer, sealed[0], sealed[0] + 200, text, 200, key, 7) == 0);
    CHECK(culet_segment_seal(&sealer, sealed[1], sealed[1] + 50, text, 50, null, 0) == 0);
    CHECK(culet_segment_seal_last(&sealer, sealed[2], sealed[2], text, 0, null, 0) == 0);
    CHECK(culet_segment_seal(&sealer, back, back, text, 0, null, 0) == -1);
    CHECK(culet_segment_seal_last(&sealer, back, back, text, 0, null, 0) == -1);
    CHECK(all_are((const uint8_t *)&sealer, sizeof sealer.opaque[0], 0));
    CHECK(culet_xchacha20poly1305_seal(expected, expected + 200, text, 200, key, 7, nonce, key) == 0);
    CHECK(memcmp(expected, sealed[0], 216) == 0);
    nonce[22] = 1;
    CHECK(culet_xchacha20poly1305_seal(expected, expected + 50, text, 50, null, 0, nonce, key) == 0);
    CHECK(memcmp(expected, sealed[1], 66) == 0);
    nonce[22] = 2;
    nonce[23] = 1;
    CHECK(culet_xchacha20poly1305_seal(expected, expected, text, 0, null, 0, nonce, key) == 0);
    CHECK(memcmp(expected, sealed[2], 16) == 0);

    CHECK(culet_segment_opener_init(&opener, nonce, key) == 0);
    CHECK(culet_segment_open(&opener, back, sealed[0], 200, sealed[0] + 200, key, 7) == 0);
    CHECK(memcmp(back, text, 200) == 0);
    CHECK(culet_segment_open(&opener, back + 3, sealed[1], 50, sealed[1] + 50, null, 0) == 0);
    CHECK(memcmp(back + 3, text, 50) == 0);
    CHECK(culet_segment_open_last(&opener, null, null, 0, sealed[2], null, 0) == 0);
    CHECK(culet_segment_open_last(&opener, null, null, 0, sealed[2], null, 0) == -1);

    /* In another order, as the last one, with other data, and in place; after that nothing opens. */
    for (int wrong = 0; wrong < 5; wrong++) {
        CHECK(culet_segment_opener_init(&opener, nonce, key) == 0);
        memcpy(back, sealed[0], 200);
        if (wrong == 0)
            CHECK(culet_segment_open(&opener, back, sealed[1], 50, sealed[1] + 50, null, 0) == -1);
        else if (wrong == 1)
            CHECK(culet_segment_open_last(&opener, back, back, 200, sealed[0] + 200, key, 7) == -1);
        else if (wrong == 2)
            CHECK(culet_segment_open(&opener, back, back, 200, sealed[0] + 200, key, 8) == -1);
        else if (wrong == 3)
            CHECK(culet_segment_open(&opener, back, back, 199, sealed[0] + 200, key, 7) == -1);
        else
            CHECK(culet_segment_open(&opener, back, back, 200, sealed[1] + 50, key, 7) == -1);
        CHECK(all_are(back, wrong == 0 ? 50 : wrong == 3 ? 199 : 200, 0));
        CHECK(culet_segment_open(&opener, back, sealed[0], 200, sealed[0] + 200, key, 7) == -1);
    }

    /* Where contexts, tags and additional data lie, and null. */
    CHECK(culet_segment_sealer_init(&sealer, nonce, key) == 0);
    CHECK(culet_segment_seal(&sealer, (uint8_t *)&sealer, expected, text, 10, null, 0) == -1);
    CHECK(culet_segment_seal(&sealer, expected, (uint8_t *)&sealer + 8, text, 10, null, 0) == -1);
    CHECK(culet_segment_seal(&sealer, expected, expected + 10, (uint8_t *)&sealer + 8, 10, null, 0) == -1);
    CHECK(culet_segment_seal(&sealer, expected, expected + 9, text, 10, null, 0) == -1);
    CHECK(culet_segment_seal(&sealer, expected, expected + 10, text, 10, expected, 1) == -1);
    CHECK(culet_segment_seal(&sealer, expected, expected + 10, text, 10, (uint8_t *)&sealer, 1) == -1);
    CHECK(culet_segment_seal(&sealer, null, expected, text, 10, null, 0) == -1);
    CHECK(culet_segment_seal(&sealer, expected, null, text, 10, null, 0) == -1);
    CHECK(culet_segment_seal(&sealer, expected, expected + 10, null, 10, null, 0) == -1);
    CHECK(culet_segment_seal(&sealer, expected, expected + 10, text, 10, null, 1) == -1);
    CHECK(culet_segment_seal(&sealer, expected, expected + 10, text, SIZE_MAX, null, 0) == -1);
    CHECK(culet_segment_seal(null_pointer(), expected, expected + 10, text, 10, null, 0) == -1);
    CHECK(culet_segment_sealer_init(null_pointer(), nonce, key) == -1);
    CHECK(culet_segment_sealer_init(&sealer, null, key) == -1);
    CHECK(culet_segment_opener_init(&opener, nonce, null) == -1);
    /* None of these has changed the context: the next segment is still the first one. */
    CHECK(culet_segment_seal(&sealer, text, back, text, 200, key, 7) == 0);
    CHECK(memcmp(text, sealed[0], 200) == 0 && memcmp(back, sealed[0] + 200, 16) == 0);
}

static void boxes(void) {
    uint8_t alice[32], bob[32], alice_public[32], bob_public[32], key[32], nonce[24];
    uint8_t message[BOX_LENGTH], out[16 + BOX_LENGTH];
    from_digits(alice, ALICE_SECRET);
    from_digits(bob, BOB_SECRET);
    from_digits(alice_public, ALICE_PUBLIC);
    from_digits(bob_public, BOB_PUBLIC);
    from_digits(nonce, BOX_NONCE);
    CHECK(from_digits(message, BOX_MESSAGE) == BOX_LENGTH);
    CHECK(culet_box_seal(out + 16, out, message, BOX_LENGTH, nonce, bob_public, alice) == 0);
    CHECK_BYTES(out, BOX_SEALED);
    CHECK(culet_box_key(key, bob_public, alice) == 0);
    CHECK_BYTES(key, BOX_KEY);
    memset(out, 0, sizeof out);
    CHECK(culet_secretbox_seal(out + 16, out, message, BOX_LENGTH, nonce, key) == 0);
    CHECK_BYTES(out, BOX_SEALED);
    CHECK(culet_box_open(out + 16, out + 16, BOX_LENGTH, out, nonce, alice_public, bob) == 0);
    CHECK(memcmp(out + 16, message, BOX_LENGTH) == 0);

    from_digits(out, BOX_SEALED);
    CHECK(culet_secretbox_open(message, out + 16, BOX_LENGTH, out, nonce, key) == 0);
    CHECK_BYTES(message, BOX_MESSAGE);
    out[100] ^= 1;
    CHECK(culet_secretbox_open(message, out + 16, BOX_LENGTH, out, nonce, key) == -1);
    CHECK(all_are(message, BOX_LENGTH, 0));
    memset(message, 7, BOX_LENGTH);
    CHECK(culet_box_open(message, out + 16, BOX_LENGTH, out, nonce, alice_public, bob) == -1);
    CHECK(all_are(message, BOX_LENGTH, 0));

    /* Keys that agree on zero. */
    memset(bob_public, 0, 32);
    memset(key, 7, 32);
    memset(message, 7, BOX_LENGTH);
    CHECK(culet_box_key(key, bob_public, alice) == -1);
    CHECK(all_are(key, 32, 0));
    memset(out, 7, sizeof out);
    CHECK(culet_box_seal(out + 16, out, message, BOX_LENGTH, nonce, bob_public, alice) == -1);
    CHECK(all_are(out, 16, 7) && all_are(out + 16 + BOX_LENGTH, sizeof out - 16 - BOX_LENGTH, 7));
    CHECK(all_are(out + 16, BOX_LENGTH, 0));
    CHECK(culet_box_open(message, out + 16, BOX_LENGTH, out, nonce, bob_public, alice) == -1);
    CHECK(all_are(message, BOX_LENGTH, 0));
    uint8_t *null = null_pointer();
    memset(message, 7, BOX_LENGTH);
    memset(key, 7, 32);
    CHECK(culet_secretbox_open(message, out + 16, BOX_LENGTH, out, nonce, null) == -1);
    CHECK(culet_secretbox_open(message, out + 16, BOX_LENGTH, out, null, key) == -1);
    CHECK(culet_box_open(message, out + 16, BOX_LENGTH, out, nonce, null, alice) == -1);
    CHECK(culet_box_open(message, out + 16, BOX_LENGTH, out, nonce, alice_public, null) == -1);
    CHECK(culet_box_key(key, null, alice) == -1);
    CHECK(culet_box_key(key, alice_public, null) == -1);
    CHECK(all_are(message, BOX_LENGTH, 7));
    CHECK(all_are(key, 32, 7));
    CHECK(culet_secretbox_seal(null, out, null, 0, nonce, key) == 0);
    CHECK(culet_secretbox_open(null, null, 0, out, nonce, key) == 0);
    CHECK(culet_secretbox_seal(out, null, message, 1, nonce, key) == -1);
    CHECK(culet_secretbox_seal(out + 15, out, message, 1, nonce, key) == -1);
    CHECK(culet_box_key(null, alice_public, bob) == -1);
}

/* A sealed box is a box of a new key, with a digest of both public keys as its nonce. */
static void sealed_boxes(void) {
    uint8_t bob[32], bob_public[32], nonce[24], keys[64], message[BOX_LENGTH], back[BOX_LENGTH];
    uint8_t out[48 + BOX_LENGTH], again[48 + BOX_LENGTH];
    from_digits(bob, BOB_SECRET);
    from_digits(bob_public, BOB_PUBLIC);
    from_digits(message, BOX_MESSAGE);
    CHECK(culet_sealedbox_seal(out + 48, out, message, BOX_LENGTH, bob_public) == 0);
    memcpy(keys, out, 32);
    memcpy(keys + 32, bob_public, 32);
    CHECK(culet_blake2b(nonce, 24, NULL, 0, keys, 64) == 0);
    CHECK(culet_box_open(back, out + 48, BOX_LENGTH, out + 32, nonce, out, bob) == 0);
    CHECK(memcmp(back, message, BOX_LENGTH) == 0);
    memset(back, 7, BOX_LENGTH);
    CHECK(culet_sealedbox_open(back, out + 48, BOX_LENGTH, out, bob) == 0);
    CHECK(memcmp(back, message, BOX_LENGTH) == 0);
    /* Another key each time; over the message. */
    memcpy(again, message, BOX_LENGTH);
    CHECK(culet_sealedbox_seal(again + 48, again, again, BOX_LENGTH, bob_public) == 0);
    CHECK(memcmp(again, out, 32) != 0 && memcmp(again + 48, out + 48, BOX_LENGTH) != 0);
    CHECK(culet_sealedbox_open(again, again + 48, BOX_LENGTH, again, bob) == 0);
    CHECK(memcmp(again, message, BOX_LENGTH) == 0);

    /* Every byte counts, and the recipient. */
    for (size_t i = 0; i < sizeof out; i++) {
        out[i] ^= 1;
        memset(back, 7, BOX_LENGTH);
        CHECK(culet_sealedbox_open(back, out + 48, BOX_LENGTH, out, bob) == -1);
        CHECK(all_are(back, BOX_LENGTH, 0));
        out[i] ^= 1;
    }
    CHECK(culet_sealedbox_open(back, out + 48, BOX_LENGTH - 1, out, bob) == -1);
    bob[5] ^= 1;
    CHECK(culet_sealedbox_open(back, out + 48, BOX_LENGTH, out, bob) == -1);

    uint8_t *null = null_pointer();
    CHECK(culet_sealedbox_seal(null, out, null, 0, bob_public) == 0);
    memset(out, 7, sizeof out);
    CHECK(culet_sealedbox_seal(out + 47, out, message, 1, bob_public) == -1);
    CHECK(culet_sealedbox_seal(out, null, message, 1, bob_public) == -1);
    CHECK(culet_sealedbox_seal(out + 48, out, null, 1, bob_public) == -1);
    CHECK(culet_sealedbox_seal(null, out, message, 1, bob_public) == -1);
    CHECK(culet_sealedbox_seal(out + 48, out, message, SIZE_MAX, bob_public) == -1);
    CHECK(culet_sealedbox_seal(out + 48, out, message, 1, null) == -1);
    CHECK(all_are(out, sizeof out, 7));
    /* A key that agrees on zero. */
    memset(bob_public, 0, 32);
    CHECK(culet_sealedbox_seal(out + 48, out, message, BOX_LENGTH, bob_public) == -1);
    CHECK(all_are(out, 48, 7) && all_are(out + 48, BOX_LENGTH, 0));
    CHECK(culet_sealedbox_open(back, out, 1, null, bob) == -1);
    CHECK(culet_sealedbox_open(back, out, 1, out, null) == -1);
}

static void streams(void) {
    const uint8_t *text = (const uint8_t *)SUNSCREEN;
    uint8_t key[32], nonce[24] = {0}, out[SUNSCREEN_LENGTH + 1];
    from_digits(key, CHACHA20_KEY);
    from_digits(nonce, CHACHA20_NONCE);
    CHECK(culet_chacha20(out, text, SUNSCREEN_LENGTH, 1, nonce, key) == 0);
    CHECK_BYTES(out, CHACHA20_TEXT);
    CHECK(culet_chacha20(out + 1, out, SUNSCREEN_LENGTH, 1, nonce, key) == 0);
    CHECK(memcmp(out + 1, text, SUNSCREEN_LENGTH) == 0);

    /* The last block is there, and none after it. */
    memset(out, 7, sizeof out);
    CHECK(culet_chacha20(out, text, 64, 0xffffffff, nonce, key) == 0);
    memset(out, 7, sizeof out);
    CHECK(culet_chacha20(out, text, 65, 0xffffffff, nonce, key) == -1);
    CHECK(culet_xchacha20(out, text, 65, 0xffffffff, nonce, key) == -1);
    CHECK(culet_salsa20(out, text, 65, UINT64_MAX / 64, nonce, key) == -1);
    CHECK(culet_xsalsa20(out, text, 1, UINT64_MAX, nonce, key) == -1);
    CHECK(all_are(out, sizeof out, 7));
    uint8_t *null = null_pointer();
    CHECK(culet_salsa20(null, null, 0, 0, nonce, key) == 0);
    CHECK(culet_salsa20(null, text, 1, 0, nonce, key) == -1);
    CHECK(culet_salsa20(out, text, 1, 0, null, key) == -1);
}

/* A context between guards, to which nothing may happen. */
#define HASH(name, size, message_digits, expected)                                                 \
    static void name(void) {                                                                       \
        struct {                                                                                   \
            uint64_t before;                                                                       \
            culet_##name##_context context;                                                        \
            uint64_t after;                                                                        \
        } guarded = {0x0123456789abcdef, {{0}}, 0x0123456789abcdef};                               \
        culet_##name##_context *context = &guarded.context, copied;                                \
        uint8_t message[8], digest[size], *null = null_pointer();                                  \
        size_t length = from_digits(message, message_digits);                                      \
        CHECK(culet_##name(digest, message, length) == 0);                                         \
        CHECK_BYTES(digest, expected);                                                             \
        /* A context that was not prepared is refused. */                                          \
        CHECK(culet_##name##_update(context, message, length) == -1);                              \
        CHECK(culet_##name##_final(context, digest) == -1);                                        \
        CHECK(culet_##name##_init(context) == 0);                                                  \
        CHECK(culet_##name##_update(context, message, 1) == 0);                                    \
        CHECK(culet_##name##_update(context, null, 0) == 0);                                       \
        CHECK(culet_##name##_update(context, null, 1) == -1);                                      \
        CHECK(culet_##name##_update(context, (uint8_t *)context, 1) == -1);                        \
        copied = *context;                                                                         \
        CHECK(culet_##name##_update(context, message + 1, length - 1) == 0);                       \
        memset(digest, 0, size);                                                                   \
        CHECK(culet_##name##_final(context, digest) == 0);                                         \
        CHECK_BYTES(digest, expected);                                                             \
        /* It is spent, and erased; its copy is not. */                                            \
        CHECK(culet_##name##_final(context, digest) == -1);                                        \
        CHECK(all_are((uint8_t *)context, 8, 0));                                                  \
        CHECK(culet_##name##_update(&copied, message + 1, length - 1) == 0);                       \
        memset(digest, 0, size);                                                                   \
        CHECK(culet_##name##_final(&copied, digest) == 0);                                         \
        CHECK_BYTES(digest, expected);                                                             \
        CHECK(culet_##name##_init(null_pointer()) == -1);                                          \
        CHECK(culet_##name##_update(null_pointer(), message, 1) == -1);                            \
        CHECK(culet_##name(null, message, length) == -1);                                          \
        CHECK(guarded.before == 0x0123456789abcdef && guarded.after == 0x0123456789abcdef);        \
    }

HASH(sha224, 28, ABC, SHA224_ABC)
HASH(sha256, 32, ABC, SHA256_ABC)
HASH(sha384, 48, ABC, SHA384_ABC)
HASH(sha512, 64, ABC, SHA512_ABC)
HASH(sha512_256, 32, SHA512_256_MESSAGE, SHA512_256_DIGEST)
HASH(sha3_224, 28, SHA3_224_MESSAGE, SHA3_224_DIGEST)
HASH(sha3_256, 32, SHA3_256_MESSAGE, SHA3_256_DIGEST)
HASH(sha3_384, 48, SHA3_384_MESSAGE, SHA3_384_DIGEST)
HASH(sha3_512, 64, SHA3_512_MESSAGE, SHA3_512_DIGEST)
HASH(ascon_hash256, 32, ASCON_HASH256_MESSAGE, ASCON_HASH256_DIGEST)

/* Output of any length: `known` bytes of it are published. */
#define EXTENDABLE(name, known, message_digits, expected)                                          \
    static void name(void) {                                                                       \
        struct {                                                                                   \
            uint64_t before;                                                                       \
            culet_##name##_context context;                                                        \
            uint64_t after;                                                                        \
        } guarded = {0x0123456789abcdef, {{0}}, 0x0123456789abcdef};                               \
        culet_##name##_context *context = &guarded.context, copied;                                \
        uint8_t message[8], whole[1000], pieces[1000], *null = null_pointer();                     \
        size_t length = from_digits(message, message_digits), room = sizeof whole;                 \
        CHECK(culet_##name(whole, room, message, length) == 0);                                    \
        CHECK_BYTES(whole, expected);                                                              \
        CHECK(culet_##name(pieces, known, message, length) == 0);                                  \
        CHECK_BYTES(pieces, expected);                                                             \
        CHECK(culet_##name(null, 0, message, length) == 0);                                        \
        CHECK(culet_##name(null, 1, message, length) == -1);                                       \
        CHECK(culet_##name##_update(context, message, length) == -1);                              \
        CHECK(culet_##name##_read(context, pieces, 1) == -1);                                      \
        CHECK(culet_##name##_final(context, pieces, 1) == -1);                                     \
        CHECK(culet_##name##_init(context) == 0);                                                  \
        CHECK(culet_##name##_update(context, message, 1) == 0);                                    \
        CHECK(culet_##name##_update(context, message + 1, length - 1) == 0);                       \
        copied = *context;                                                                         \
        /* All of it by final. */                                                                  \
        CHECK(culet_##name##_final(context, pieces, room) == 0);                                   \
        CHECK(memcmp(pieces, whole, room) == 0);                                                   \
        CHECK(culet_##name##_final(context, pieces, room) == -1);                                  \
        CHECK(all_are((uint8_t *)context, sizeof *context, 0));                                    \
        /* Pieces of 0 to 40 bytes, then the rest. What is refused changes nothing. */             \
        *context = copied;                                                                         \
        size_t done = 0;                                                                           \
        for (size_t piece = 0; piece <= 40; done += piece++) {                                     \
            CHECK(culet_##name##_read(context, pieces + done, piece) == 0);                        \
            CHECK(culet_##name##_update(context, message, 1) == -1);                               \
            CHECK(culet_##name##_read(context, null, 1) == -1);                                    \
            CHECK(culet_##name##_read(context, (uint8_t *)context + 8, 1) == -1);                  \
        }                                                                                          \
        CHECK(culet_##name##_final(context, pieces + done, room - done) == 0);                     \
        CHECK(memcmp(pieces, whole, room) == 0);                                                   \
        CHECK(culet_##name##_read(context, pieces, 1) == -1);                                      \
        CHECK(culet_##name##_init(null_pointer()) == -1);                                          \
        CHECK(culet_##name##_read(null_pointer(), pieces, 1) == -1);                               \
        CHECK(guarded.before == 0x0123456789abcdef && guarded.after == 0x0123456789abcdef);        \
    }

EXTENDABLE(shake128, 16, SHAKE128_MESSAGE, SHAKE128_OUTPUT)
EXTENDABLE(shake256, 32, SHAKE256_MESSAGE, SHAKE256_OUTPUT)
EXTENDABLE(ascon_xof128, 64, ASCON_XOF128_MESSAGE, ASCON_XOF128_OUTPUT)

/* The bytes that RFC 7693, appendix E, hashes. */
static void sequence(uint8_t *out, size_t length) {
    uint32_t a = 0xdead4bad * (uint32_t)length, b = 1;
    for (size_t i = 0; i < length; i++) {
        uint32_t sum = a + b;
        a = b;
        b = sum;
        out[i] = (uint8_t)(sum >> 24);
    }
}

/* Digests of `most` bytes at most, and the four lengths of digests that are hashed with messages around a block's length. */
#define BLAKE2(name, most, block, first, second, third, expected, expected_of_itself)              \
    static void name(void) {                                                                       \
        struct {                                                                                   \
            uint64_t before;                                                                       \
            culet_##name##_context context;                                                        \
            uint64_t after;                                                                        \
        } guarded = {0x0123456789abcdef, {{0}}, 0x0123456789abcdef};                               \
        culet_##name##_context *context = &guarded.context, all;                                   \
        const size_t lengths[] = {first, second, third, most}, sizes[] = {0, 3, block, block + 1, 255, 1024};\
        const uint8_t *abc = (const uint8_t *)"abc";                                               \
        uint8_t digest[most + 1], key[most + 1] = {0}, message[1024], *null = null_pointer();      \
        CHECK(culet_##name(digest, most, null, 0, abc, 3) == 0);                                   \
        CHECK_BYTES(digest, expected);                                                             \
        CHECK(culet_##name##_init(&all, 32, null, 0) == 0);                                        \
        for (size_t i = 0; i < 4; i++)                                                             \
            for (size_t j = 0; j < 6; j++) {                                                       \
                size_t length = lengths[i], size = sizes[j];                                       \
                sequence(message, size);                                                           \
                CHECK(culet_##name(digest, length, null, 0, message, size) == 0);                  \
                CHECK(culet_##name##_update(&all, digest, length) == 0);                           \
                sequence(key, length);                                                             \
                CHECK(culet_##name##_init(context, length, key, length) == 0);                     \
                CHECK(culet_##name##_update(context, message, size / 3) == 0);                     \
                CHECK(culet_##name##_update(context, message + size / 3, size - size / 3) == 0);   \
                CHECK(culet_##name##_final(context, digest, length) == 0);                         \
                CHECK(culet_##name##_update(&all, digest, length) == 0);                           \
            }                                                                                      \
        CHECK(culet_##name##_final(&all, digest, 32) == 0);                                        \
        CHECK_BYTES(digest, expected_of_itself);                                                   \
                                                                                                   \
        /* Lengths that there are not. */                                                          \
        memset(digest, 7, sizeof digest);                                                          \
        CHECK(culet_##name(digest, 0, null, 0, abc, 3) == -1);                                     \
        CHECK(culet_##name(digest, most + 1, null, 0, abc, 3) == -1);                              \
        CHECK(culet_##name(digest, SIZE_MAX, null, 0, abc, 3) == -1);                              \
        CHECK(culet_##name(digest, most, key, most + 1, abc, 3) == -1);                            \
        CHECK(culet_##name(digest, most, null, 1, abc, 3) == -1);                                  \
        CHECK(culet_##name(digest, most, key, 1, null, 1) == -1);                                  \
        CHECK(culet_##name(null, most, key, 1, abc, 3) == -1);                                     \
        CHECK(culet_##name##_init(context, 0, null, 0) == -1);                                     \
        CHECK(culet_##name##_init(context, most + 1, null, 0) == -1);                              \
        CHECK(culet_##name##_init(context, most, key, most + 1) == -1);                            \
        CHECK(culet_##name##_update(context, abc, 3) == -1);                                       \
        CHECK(culet_##name##_final(context, digest, most) == -1);                                  \
        /* The length of init, and no other. */                                                    \
        CHECK(culet_##name##_init(context, 20, null, 0) == 0);                                     \
        CHECK(culet_##name##_update(context, (uint8_t *)context + 8, 1) == -1);                    \
        CHECK(culet_##name##_final(context, digest, 21) == -1);                                    \
        CHECK(culet_##name##_final(context, digest, 20) == -1);                                    \
        CHECK(culet_##name##_init(null_pointer(), most, null, 0) == -1);                           \
        CHECK(all_are(digest, sizeof digest, 7));                                                  \
        CHECK(guarded.before == 0x0123456789abcdef && guarded.after == 0x0123456789abcdef);        \
    }

BLAKE2(blake2b, 64, 128, 20, 32, 48, BLAKE2B_ABC, BLAKE2B_OF_ITSELF)
BLAKE2(blake2s, 32, 64, 16, 20, 28, BLAKE2S_ABC, BLAKE2S_OF_ITSELF)

#define MAC(name, size, expected)                                                                  \
    static void name(void) {                                                                       \
        struct {                                                                                   \
            uint64_t before;                                                                       \
            culet_##name##_context context;                                                        \
            uint64_t after;                                                                        \
        } guarded = {0x0123456789abcdef, {{0}}, 0x0123456789abcdef};                               \
        const uint8_t *key = (const uint8_t *)HMAC_KEY, *message = (const uint8_t *)HMAC_MESSAGE;  \
        uint8_t tag[size], *null = null_pointer();                                                 \
        CHECK(culet_##name(tag, key, 4, message, 28) == 0);                                        \
        CHECK_BYTES(tag, expected);                                                                \
        CHECK(culet_##name##_verify(tag, key, 4, message, 28) == 0);                               \
        CHECK(culet_##name##_verify(tag, key, 3, message, 28) == -1);                              \
        CHECK(culet_##name##_verify(tag, key, 4, message, 27) == -1);                              \
        for (size_t i = 0; i < size; i++) {                                                        \
            tag[i] ^= 1;                                                                           \
            CHECK(culet_##name##_verify(tag, key, 4, message, 28) == -1);                          \
            tag[i] ^= 1;                                                                           \
        }                                                                                          \
        CHECK(culet_##name##_update(&guarded.context, message, 28) == -1);                         \
        CHECK(culet_##name##_init(&guarded.context, null, 1) == -1);                               \
        CHECK(culet_##name##_init(&guarded.context, key, 4) == 0);                                 \
        CHECK(culet_##name##_update(&guarded.context, message, 20) == 0);                          \
        CHECK(culet_##name##_update(&guarded.context, message + 20, 8) == 0);                      \
        memset(tag, 0, size);                                                                      \
        CHECK(culet_##name##_final(&guarded.context, tag) == 0);                                   \
        CHECK_BYTES(tag, expected);                                                                \
        CHECK(culet_##name##_final(&guarded.context, tag) == -1);                                  \
        CHECK(culet_##name(tag, null, 0, null, 0) == 0);                                           \
        CHECK(guarded.before == 0x0123456789abcdef && guarded.after == 0x0123456789abcdef);        \
    }

MAC(hmac_sha224, 28, HMAC_SHA224)
MAC(hmac_sha256, 32, HMAC_SHA256)
MAC(hmac_sha384, 48, HMAC_SHA384)
MAC(hmac_sha512, 64, HMAC_SHA512)

static void poly1305(void) {
    culet_poly1305_context context;
    uint8_t key[32], tag[16];
    const uint8_t *message = (const uint8_t *)POLY1305_MESSAGE;
    from_digits(key, POLY1305_KEY);
    CHECK(culet_poly1305(tag, message, 34, key) == 0);
    CHECK_BYTES(tag, POLY1305_TAG);
    CHECK(culet_poly1305_verify(tag, message, 34, key) == 0);
    CHECK(culet_poly1305_verify(tag, message, 33, key) == -1);
    memset(tag, 0, 16);
    CHECK(culet_poly1305_init(&context, key) == 0);
    CHECK(culet_poly1305_update(&context, message, 3) == 0);
    CHECK(culet_poly1305_update(&context, message + 3, 31) == 0);
    CHECK(culet_poly1305_final(&context, tag) == 0);
    CHECK_BYTES(tag, POLY1305_TAG);
    CHECK(culet_poly1305_final(&context, tag) == -1);
    CHECK(culet_poly1305_init(&context, null_pointer()) == -1);
}

static void keys(void) {
    uint8_t secret[22], salt[13], info[10], out[16321];
    from_digits(secret, HKDF_SECRET);
    from_digits(salt, HKDF_SALT);
    from_digits(info, HKDF_INFO);
    CHECK(culet_hkdf_sha256(out, 42, salt, 13, secret, 22, info, 10) == 0);
    CHECK_BYTES(out, HKDF_SHA256);
    /* In place: over the secret and the salt, not over the information. */
    memcpy(out, secret, 22);
    memcpy(out + 22, salt, 13);
    CHECK(culet_hkdf_sha256(out, 42, out + 22, 13, out, 22, info, 10) == 0);
    CHECK_BYTES(out, HKDF_SHA256);
    CHECK(culet_hkdf_sha256(out, 42, salt, 13, secret, 22, out + 41, 10) == -1);
    CHECK(culet_hkdf_sha256(out, 8160, salt, 13, secret, 22, info, 10) == 0);
    CHECK_BYTES(out, HKDF_SHA256);
    memset(out, 7, sizeof out);
    CHECK(culet_hkdf_sha256(out, 8161, salt, 13, secret, 22, info, 10) == -1);
    CHECK(culet_hkdf_sha384(out, 12241, salt, 13, secret, 22, info, 10) == -1);
    CHECK(culet_hkdf_sha512(out, 16321, salt, 13, secret, 22, info, 10) == -1);
    CHECK(all_are(out, sizeof out, 7));
    CHECK(culet_hkdf_sha384(out, 12240, salt, 13, secret, 22, info, 10) == 0);
    CHECK(culet_hkdf_sha512(out, 16320, null_pointer(), 0, secret, 22, null_pointer(), 0) == 0);
}

/* libsodium, test/default/kdf.exp. */
static void keys_with_numbers(void) {
    uint8_t key[32], out[64];
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)i;
    const uint8_t *purpose = (const uint8_t *)"KDF test";
    CHECK(culet_kdf(out, 64, 0, purpose, key) == 0);
    CHECK_BYTES(out, "a0c724404728c8bb95e5433eb6a9716171144d61efb23e74b873fcbeda51d807"
                     "1b5d70aae12066dfc94ce943f145aa176c055040c3dd73b0a15e36254d450614");
    CHECK(culet_kdf(out, 15, 0, purpose, key) == -1);
    CHECK(culet_kdf(out, 65, 0, purpose, key) == -1);
    CHECK(culet_kdf(null_pointer(), 16, 0, purpose, key) == -1);
    CHECK(culet_kdf(out, 16, 0, null_pointer(), key) == -1);
    CHECK(culet_kdf(out, 16, 0, purpose, null_pointer()) == -1);
    CHECK(culet_kdf(key, 16, 16, purpose, key) == 0);
    CHECK_BYTES(key, "a529216624ef9161e4cf117272aafff2");

    /* A salt is another function, zeros are none. */
    uint8_t zeros[16] = {0}, salted[32], plain[32];
    CHECK(culet_blake2b(plain, 32, key, 32, purpose, 8) == 0);
    CHECK(culet_blake2b_salted(salted, 32, key, 32, zeros, NULL, purpose, 8) == 0);
    CHECK(memcmp(plain, salted, 32) == 0);
    culet_blake2b_context context;
    CHECK(culet_blake2b_salted_init(&context, 32, key, 32, NULL, out) == 0);
    CHECK(culet_blake2b_update(&context, purpose, 8) == 0);
    CHECK(culet_blake2b_final(&context, plain, 32) == 0);
    CHECK(memcmp(plain, salted, 32) != 0);
    CHECK(culet_blake2b_salted(salted, 32, key, 32, NULL, out, purpose, 8) == 0);
    CHECK(memcmp(plain, salted, 32) == 0);
    CHECK(culet_blake2b_salted(salted, 65, key, 32, NULL, out, purpose, 8) == -1);
}

static void secret_streams(void) {
    uint8_t key[32] = {1}, header[24] = {2}, text[100], sealed[3][140], kind = 9;
    uint8_t *null = null_pointer();
    culet_secretstream sealer, opener;
    memset(text, 5, sizeof text);
    CHECK(culet_secretstream_seal_init(&sealer, header, key) == 0);
    CHECK(culet_secretstream_open_init(&opener, header, key) == 0);
    CHECK(culet_secretstream_seal(&sealer, sealed[0], CULET_SECRETSTREAM_PUSH, text, 100, key, 7) == 0);
    CHECK(culet_secretstream_rekey(&sealer) == 0);
    CHECK(culet_secretstream_seal(&sealer, sealed[1], CULET_SECRETSTREAM_MESSAGE, null, 0, null, 0) == 0);
    /* In place. */
    memset(sealed[2], 5, 100);
    CHECK(culet_secretstream_seal(&sealer, sealed[2], CULET_SECRETSTREAM_FINAL, sealed[2], 100, null, 0) == 0);

    CHECK(culet_secretstream_open(&opener, text, &kind, sealed[0], 117, key, 6) == -1);
    CHECK(all_are(text, 100, 0) && kind == 9);
    CHECK(culet_secretstream_open(&opener, text, &kind, sealed[0], 116, key, 7) == -1);
    CHECK(culet_secretstream_open(&opener, text, &kind, sealed[1], 17, null, 0) == -1);
    for (size_t length = 0; length < 17; length++)
        CHECK(culet_secretstream_open(&opener, text, &kind, sealed[0], length, key, 7) == -1);
    CHECK(culet_secretstream_open(&opener, text, &kind, sealed[0], 117, key, 7) == 0);
    CHECK(all_are(text, 100, 5) && kind == CULET_SECRETSTREAM_PUSH);
    CHECK(culet_secretstream_rekey(&opener) == 0);
    CHECK(culet_secretstream_open(&opener, null, NULL, sealed[1], 17, null, 0) == 0);
    CHECK(culet_secretstream_open(&opener, sealed[2], &kind, sealed[2], 117, null, 0) == 0);
    CHECK(all_are(sealed[2], 100, 5) && kind == CULET_SECRETSTREAM_FINAL);

    /* The wrong direction, overlaps, null, and lengths: nothing goes on. */
    culet_secretstream before;
    memcpy(&before, &sealer, sizeof before);
    memset(text, 5, sizeof text);
    CHECK(culet_secretstream_seal(&opener, sealed[0], 0, text, 100, null, 0) == -1);
    CHECK(all_are(sealed[0] + 1, 100, 0));
    CHECK(culet_secretstream_open(&sealer, sealed[0], &kind, sealed[1], 17, null, 0) == -1);
    CHECK(culet_secretstream_seal(&sealer, sealed[0], 0, text, 100, sealed[0] + 116, 1) == -1);
    CHECK(culet_secretstream_seal(&sealer, sealed[0], 0, text, 100, (uint8_t *)&sealer, 1) == -1);
    CHECK(culet_secretstream_seal(&sealer, (uint8_t *)&sealer, 0, text, 10, null, 0) == -1);
    CHECK(culet_secretstream_seal(&sealer, null, 0, text, 100, null, 0) == -1);
    CHECK(culet_secretstream_seal(&sealer, sealed[0], 0, null, 100, null, 0) == -1);
    CHECK(culet_secretstream_seal(&sealer, sealed[0], 0, text, 100, null, 1) == -1);
    CHECK(culet_secretstream_seal(&sealer, sealed[0], 0, text, SIZE_MAX, null, 0) == -1);
    CHECK(culet_secretstream_seal(&sealer, sealed[0], 0, text, SIZE_MAX - 17, null, 0) == -1);
    CHECK(culet_secretstream_seal(null_pointer(), sealed[0], 0, text, 100, null, 0) == -1);
    CHECK(culet_secretstream_rekey(null_pointer()) == -1);
    CHECK(culet_secretstream_seal_init(&sealer, null, key) == -1);
    CHECK(culet_secretstream_open_init(null_pointer(), header, key) == -1);
    CHECK(memcmp(&before, &sealer, sizeof before) == 0);
}

static void bytes(void) {
    uint8_t a[200], b[200];
    CHECK(culet_random(a, sizeof a) == 0);
    CHECK(culet_random(b, sizeof b) == 0);
    CHECK(memcmp(a, b, sizeof a) != 0);
    memcpy(b, a, sizeof a);
    for (size_t length = 0; length <= 200; length++)
        CHECK(culet_compare(a, b, length) == 0);
    for (size_t i = 0; i < 200; i++) {
        b[i] ^= (uint8_t)(1 << i % 8);
        CHECK(culet_compare(a, b, 200) == -1);
        CHECK(culet_compare(a, b, i) == 0);
        b[i] ^= (uint8_t)(1 << i % 8);
    }
    CHECK(culet_compare(a, null_pointer(), 1) == -1);
    CHECK(culet_wipe(a + 1, 198) == 0);
    CHECK(all_are(a + 1, 198, 0) && a[0] == b[0] && a[199] == b[199]);
    CHECK(culet_wipe(null_pointer(), 0) == 0);
    CHECK(culet_wipe(null_pointer(), 1) == -1);
    CHECK(culet_random(null_pointer(), 1) == -1);
    CHECK(strcmp(culet_version(), CULET_EXPECTED_VERSION) == 0);
}

int main(void) {
    signatures();
    signatures_together();
    signed_and_agreed_together();
    schnorr();
    agreement();
    ciphers();
    ascon_aead128();
    aes128gcm();
    aes256gcm();
    secp256k1();
    lower_s();
    p224();
    p256();
    p384();
    p521();
    segments();
    secret_streams();
    keys_with_numbers();
    boxes();
    sealed_boxes();
    streams();
    sha224();
    sha256();
    sha384();
    sha512();
    sha512_256();
    sha3_224();
    sha3_256();
    sha3_384();
    sha3_512();
    ascon_hash256();
    shake128();
    shake256();
    ascon_xof128();
    blake2b();
    blake2s();
    hmac_sha224();
    hmac_sha256();
    hmac_sha384();
    hmac_sha512();
    poly1305();
    keys();
    bytes();
    return 0;
}
