/* Calls every function of sodium.h on numbers that look random, and prints all results: libsodium and culet print the same. */
#include <sodium.h>

#include <stdint.h>

#include "answers.h"
#include "check.h"

enum { ROOM = 5000 };

static uint64_t random_state = 0x9e3779b97f4a7c15;

/* Xorshift with a multiplication: S. Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016. */
static uint32_t next(void) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)((random_state * 0x2545f4914f6cdd1d) >> 32);
}

static void fill(void *memory, size_t length) {
    unsigned char *bytes = memory;
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)next();
}

static void show(const char *name, int result, const unsigned char *bytes, size_t length) {
    printf("%s %d ", name, result);
    for (size_t i = 0; i < length; i++)
        printf("%02x", bytes[i]);
    printf("\n");
}

static unsigned char key[32], nonce[24], seed[32];
static unsigned char message[ROOM], additional[ROOM], out[ROOM], back[ROOM], tag[64];

static void prepare(size_t length) {
    fill(key, sizeof key);
    fill(nonce, sizeof nonce);
    fill(seed, sizeof seed);
    fill(message, length);
    fill(additional, length % 90);
    memset(out, 0, sizeof out);
    memset(back, 0, sizeof back);
    memset(tag, 0, sizeof tag);
}

/* Changes one bit of some bytes. */
static void change(unsigned char *bytes, size_t length) {
    bytes[next() % length] ^= (unsigned char)(1 << next() % 8);
}

static void secret_boxes(size_t length) {
    int result = crypto_secretbox_easy(out, message, length, nonce, key);
    show("secretbox_easy", result, out, length + 16);
    result = crypto_secretbox_open_easy(back, out, length + 16, nonce, key);
    show("secretbox_open_easy", result, back, length);
    /* In place, and shifted by any number of bytes. */
    size_t shift = next() % 40;
    memcpy(out, message, length);
    result = crypto_secretbox_easy(out + shift, out, length, nonce, key);
    show("secretbox_easy over its message", result, out + shift, length + 16);
    result = crypto_secretbox_open_easy(out, out + shift, length + 16, nonce, key);
    show("secretbox_open_easy over its box", result, out, length);
    result = crypto_secretbox_detached(out, tag, message, length, nonce, key);
    show("secretbox_detached", result, out, length);
    show("its tag", 0, tag, 16);
    result = crypto_secretbox_open_detached(back, out, tag, length, nonce, key);
    show("secretbox_open_detached", result, back, length);
    change(tag, 16);
    show("secretbox_open_detached, changed", crypto_secretbox_open_detached(back, out, tag, length, nonce, key), tag, 0);
    crypto_secretbox_easy(out, message, length, nonce, key);
    change(out, length + 16);
    show("secretbox_open_easy, changed", crypto_secretbox_open_easy(back, out, length + 16, nonce, key), tag, 0);
    show("secretbox_open_easy, short", crypto_secretbox_open_easy(back, out, length % 16, nonce, key), tag, 0);

    /* NaCl's own: 32 zeros before the message, 16 before the box. */
    memset(back, 0, 32);
    memcpy(back + 32, message, length);
    memset(out, 1, sizeof out);
    result = crypto_secretbox(out, back, length + 32, nonce, key);
    show("secretbox", result, out, length + 32);
    memset(back, 1, sizeof back);
    result = crypto_secretbox_open(back, out, length + 32, nonce, key);
    show("secretbox_open", result, back, length + 32);
    show("secretbox_xsalsa20poly1305", crypto_secretbox_xsalsa20poly1305(back, back, length + 32, nonce, key), back,
         length + 32);
    change(out + 16, length + 16);
    show("secretbox_open, changed", crypto_secretbox_open(back, out, length + 32, nonce, key), back, 0);
    show("secretbox_xsalsa20poly1305_open, short",
         crypto_secretbox_xsalsa20poly1305_open(back, out, length % 32, nonce, key), back, 0);
    show("secretbox, short", crypto_secretbox(out, back, length % 32, nonce, key), back, 0);
}

static void boxes(size_t length) {
    unsigned char pk[32], sk[32], other_pk[32], other_sk[32], shared[32];
    int result = crypto_box_seed_keypair(pk, sk, seed);
    show("box_seed_keypair", result, pk, 32);
    show("its secret key", 0, sk, 32);
    crypto_box_seed_keypair(other_pk, other_sk, key);
    result = crypto_box_easy(out, message, length, nonce, pk, other_sk);
    show("box_easy", result, out, length + 16);
    result = crypto_box_open_easy(back, out, length + 16, nonce, other_pk, sk);
    show("box_open_easy", result, back, length);
    result = crypto_box_beforenm(shared, pk, other_sk);
    show("box_beforenm", result, shared, 32);
    result = crypto_box_easy_afternm(out, message, length, nonce, shared);
    show("box_easy_afternm", result, out, length + 16);
    result = crypto_box_open_easy_afternm(back, out, length + 16, nonce, shared);
    show("box_open_easy_afternm", result, back, length);
    change(out, length + 16);
    show("box_open_easy, changed", crypto_box_open_easy(back, out, length + 16, nonce, other_pk, sk), back, 0);
    show("box_open_easy_afternm, changed", crypto_box_open_easy_afternm(back, out, length + 16, nonce, shared), back, 0);
    result = crypto_box_detached(out, tag, message, length, nonce, pk, other_sk);
    show("box_detached", result, out, length);
    show("its tag", 0, tag, 16);
    result = crypto_box_open_detached(back, out, tag, length, nonce, other_pk, sk);
    show("box_open_detached", result, back, length);
    result = crypto_box_detached_afternm(out, tag, message, length, nonce, shared);
    show("box_detached_afternm", result, out, length);
    result = crypto_box_open_detached_afternm(back, out, tag, length, nonce, shared);
    show("box_open_detached_afternm", result, back, length);
    change(tag, 16);
    show("box_open_detached, changed", crypto_box_open_detached(back, out, tag, length, nonce, other_pk, sk), back, 0);

    memset(back, 0, 32);
    memcpy(back + 32, message, length);
    result = crypto_box(out, back, length + 32, nonce, pk, other_sk);
    show("box", result, out, length + 32);
    result = crypto_box_curve25519xsalsa20poly1305_open(back, out, length + 32, nonce, other_pk, sk);
    show("box_open", result, back, length + 32);
    result = crypto_box_afternm(out, back, length + 32, nonce, shared);
    show("box_afternm", result, out, length + 32);
    result = crypto_box_open_afternm(back, out, length + 32, nonce, shared);
    show("box_open_afternm", result, back, length + 32);
    change(out + 16, length + 16);
    show("box_open, changed", crypto_box_open(back, out, length + 32, nonce, other_pk, sk), back, 0);
    memset(pk, 0, 32);
    show("box_beforenm, zero", crypto_box_beforenm(shared, pk, sk), back, 0);
    show("box_easy, zero", crypto_box_easy(out, message, length, nonce, pk, sk), back, 0);
}

/* Keys of new pairs are random, and the message that is opened is not. */
static void sealed_boxes(size_t length) {
    unsigned char pk[32], sk[32];
    crypto_box_seed_keypair(pk, sk, seed);
    show("box_seal", crypto_box_seal(out, message, length, pk), out, 0);
    int result = crypto_box_seal_open(back, out, length + 48, pk, sk);
    show("box_seal_open", result, back, length);
    memcpy(back, out, length + 48);
    change(out, length + 48);
    show("box_seal_open, changed", crypto_box_seal_open(out, out, length + 48, pk, sk), out, 0);
    show("box_seal_open, short", crypto_box_seal_open(out, back, length % 48, pk, sk), out, 0);
    change(sk + 1, 30);
    show("box_seal_open, another key", crypto_box_seal_open(out, back, length + 48, pk, sk), out, 0);
    memset(pk, 0, 32);
    show("box_seal, zero", crypto_box_seal(out, message, length, pk), out, 0);
}

#define AEAD(name, cipher)                                                                                                          \
    static void name(size_t length) {                                                                                               \
        size_t more = length % 90;                                                                                                  \
        unsigned long long made = 1, tag_made = 1;                                                                                  \
        int result = crypto_aead_##cipher##_encrypt(out, &made, message, length, additional, more, NULL, nonce, key);               \
        show(#name "_encrypt", result, out, (size_t)made);                                                                          \
        result = crypto_aead_##cipher##_decrypt(back, &made, NULL, out, length + 16, additional, more, nonce, key);                 \
        show(#name "_decrypt", result, back, (size_t)made);                                                                         \
        memcpy(back, message, length);                                                                                              \
        result = crypto_aead_##cipher##_encrypt(back, NULL, back, length, additional, more, NULL, nonce, key);                      \
        show(#name "_encrypt in place", result, back, length + 16);                                                                 \
        result = crypto_aead_##cipher##_decrypt(back, NULL, NULL, back, length + 16, additional, more, nonce, key);                 \
        show(#name "_decrypt in place", result, back, length);                                                                      \
        result = crypto_aead_##cipher##_encrypt_detached(out, tag, &tag_made, message, length, additional, more, NULL, nonce, key); \
        show(#name "_encrypt_detached", result + (int)tag_made, out, length);                                                       \
        show("its tag", 0, tag, 16);                                                                                                \
        result = crypto_aead_##cipher##_decrypt_detached(back, NULL, out, length, tag, additional, more, nonce, key);               \
        show(#name "_decrypt_detached", result, back, length);                                                                      \
        change(tag, 16);                                                                                                            \
        result = crypto_aead_##cipher##_decrypt_detached(back, NULL, out, length, tag, additional, more, nonce, key);               \
        show(#name "_decrypt_detached, changed", result, back, length);                                                             \
        crypto_aead_##cipher##_encrypt(out, &made, message, length, additional, more, NULL, nonce, key);                            \
        change(out, length + 16);                                                                                                   \
        memset(back, 1, sizeof back);                                                                                               \
        result = crypto_aead_##cipher##_decrypt(back, &made, NULL, out, length + 16, additional, more, nonce, key);                 \
        show(#name "_decrypt, changed", result + (int)made, back, length);                                                          \
        made = 1;                                                                                                                   \
        result = crypto_aead_##cipher##_decrypt(back, &made, NULL, out, length % 16, additional, more, nonce, key);                 \
        show(#name "_decrypt, short", result + (int)made, back, 0);                                                                 \
    }

AEAD(chacha20poly1305, chacha20poly1305_ietf)
AEAD(xchacha20poly1305, xchacha20poly1305_ietf)
AEAD(aes256gcm, aes256gcm)

/* With a key that is prepared. */
static void aes256gcm_afternm(size_t length) {
    size_t more = length % 90;
    unsigned long long made = 1, tag_made = 1;
    static crypto_aead_aes256gcm_state state;
    show("aes256gcm_beforenm", crypto_aead_aes256gcm_beforenm(&state, key), out, 0);
    int result = crypto_aead_aes256gcm_encrypt_afternm(out, &made, message, length, additional, more, NULL, nonce, &state);
    show("aes256gcm_encrypt_afternm", result, out, (size_t)made);
    result = crypto_aead_aes256gcm_decrypt_afternm(back, &made, NULL, out, length + 16, additional, more, nonce, &state);
    show("aes256gcm_decrypt_afternm", result, back, (size_t)made);
    result = crypto_aead_aes256gcm_encrypt_detached_afternm(out, tag, &tag_made, message, length, additional, more, NULL, nonce, &state);
    show("aes256gcm_encrypt_detached_afternm", result + (int)tag_made, out, length);
    show("its tag", 0, tag, 16);
    result = crypto_aead_aes256gcm_decrypt_detached_afternm(back, NULL, out, length, tag, additional, more, nonce, &state);
    show("aes256gcm_decrypt_detached_afternm", result, back, length);
    change(tag, 16);
    result = crypto_aead_aes256gcm_decrypt_detached_afternm(back, NULL, out, length, tag, additional, more, nonce, &state);
    show("aes256gcm_decrypt_detached_afternm, changed", result, back, length);
    crypto_aead_aes256gcm_encrypt_afternm(out, &made, message, length, additional, more, NULL, nonce, &state);
    change(out, length + 16);
    result = crypto_aead_aes256gcm_decrypt_afternm(back, &made, NULL, out, length + 16, additional, more, nonce, &state);
    show("aes256gcm_decrypt_afternm, changed", result + (int)made, back, length);
}

/* Updates a state with a message in parts. */
#define IN_PARTS(update, state)                               \
    for (size_t done = 0, part; done < length; done += part) { \
        part = 1 + next() % (length - done);                  \
        update(state, message + done, part);                  \
    }

#define HASH(name, size)                                                               \
    static void hash_##name(size_t length) {                                           \
        crypto_hash_##name##_state state;                                              \
        show(#name, crypto_hash_##name(tag, message, length), tag, size);              \
        crypto_hash_##name##_init(&state);                                             \
        IN_PARTS(crypto_hash_##name##_update, &state)                                  \
        memset(tag, 0, sizeof tag);                                                    \
        show(#name " in parts", crypto_hash_##name##_final(&state, tag), tag, size);   \
    }

HASH(sha256, 32)
HASH(sha512, 64)

static void generic_hashes(size_t length) {
    crypto_generichash_state state;
    crypto_generichash_blake2b_state blake2b_state;
    unsigned char long_key[65];
    size_t size = 1 + next() % 64, key_size = next() % 65;
    fill(long_key, sizeof long_key);
    show("generichash", crypto_generichash(tag, size, message, length, long_key, key_size), tag, size);
    show("generichash without a key", crypto_generichash(tag, size, message, length, NULL, 0), tag, size);
    show("generichash_blake2b", crypto_generichash_blake2b(tag, 64, message, length, long_key, 64), tag, 64);
    show("generichash_init", crypto_generichash_init(&state, long_key, key_size, size), tag, 0);
    IN_PARTS(crypto_generichash_update, &state)
    memset(tag, 0, sizeof tag);
    show("generichash in parts", crypto_generichash_final(&state, tag, size), tag, size);
    crypto_generichash_blake2b_init(&blake2b_state, NULL, 0, 32);
    IN_PARTS(crypto_generichash_blake2b_update, &blake2b_state)
    show("generichash_blake2b in parts", crypto_generichash_blake2b_final(&blake2b_state, tag, 32), tag, 32);
    show("generichash of no length", crypto_generichash(tag, 0, message, length, NULL, 0), tag, 0);
    show("generichash, long", crypto_generichash(out, 65, message, length, NULL, 0), tag, 0);
    show("generichash, long key", crypto_generichash(tag, 32, message, length, long_key, 65), tag, 0);
    show("generichash_init of no length", crypto_generichash_init(&state, NULL, 0, 0), tag, 0);
    show("generichash_init, long", crypto_generichash_init(&state, NULL, 0, 65), tag, 0);
    show("generichash_init, long key", crypto_generichash_init(&state, long_key, 65, 32), tag, 0);
}

#define AUTH(name, size)                                                                               \
    static void auth_##name(size_t length) {                                                           \
        crypto_auth_##name##_state state;                                                              \
        show(#name, crypto_auth_##name(tag, message, length, key), tag, size);                         \
        show(#name "_verify", crypto_auth_##name##_verify(tag, message, length, key), tag, 0);         \
        change(tag, size);                                                                             \
        show(#name "_verify, changed", crypto_auth_##name##_verify(tag, message, length, key), tag, 0); \
        crypto_auth_##name##_init(&state, message, length);                                            \
        IN_PARTS(crypto_auth_##name##_update, &state)                                                  \
        show(#name " in parts", crypto_auth_##name##_final(&state, tag), tag, size);                   \
    }

AUTH(hmacsha256, 32)
AUTH(hmacsha512, 64)
AUTH(hmacsha512256, 32)

static void salted_hashes(size_t length) {
    crypto_generichash_blake2b_state state;
    size_t size = 1 + next() % 64;
    show("generichash_blake2b_salt_personal",
         crypto_generichash_blake2b_salt_personal(tag, size, message, length, key, length % 33, nonce, seed), tag, size);
    show("generichash_blake2b_salt_personal without them",
         crypto_generichash_blake2b_salt_personal(tag, 64, message, length, NULL, 0, NULL, NULL), tag, 64);
    crypto_generichash_blake2b_init_salt_personal(&state, key, 32, size, seed, NULL);
    IN_PARTS(crypto_generichash_blake2b_update, &state)
    show("generichash_blake2b_init_salt_personal", crypto_generichash_blake2b_final(&state, tag, size), tag, size);
}

static void derivations(void) {
    uint64_t number = (uint64_t)next() << 32 | next();
    for (size_t size = 14; size < 67; size++) {
        show("kdf_derive_from_key", crypto_kdf_derive_from_key(tag, size < 65 ? size : 65, number, (const char *)nonce, key), tag, 64);
        number++;
    }
    show("kdf_blake2b_derive_from_key", crypto_kdf_blake2b_derive_from_key(key, 32, number, (const char *)nonce, key), key, 32);
}

/* Fills what libsodium asks for. */
static const char *stream_source_name(void) { return "numbers that look random"; }
static void stream_source_fill(void *const memory, const size_t length) { fill(memory, length); }

static void secret_streams(size_t length) {
    static randombytes_implementation source = {stream_source_name, next, NULL, NULL, stream_source_fill, NULL};
    crypto_secretstream_xchacha20poly1305_state push, pull;
    unsigned char header[24], kind = 7;
    unsigned long long made = 7;
    randombytes_set_implementation(&source);
    show("secretstream_init_push", crypto_secretstream_xchacha20poly1305_init_push(&push, header, key), header, 24);
    show("secretstream_init_pull", crypto_secretstream_xchacha20poly1305_init_pull(&pull, header, key), header, 0);
    for (size_t i = 0; i < 9; i++) {
        size_t size = (length + i * 5) % (ROOM - 100), additional_size = (length + i) % 90;
        const unsigned char *data = i % 3 == 0 ? NULL : additional;
        if (data == NULL)
            additional_size = 0;
        unsigned char given = (unsigned char)(i < 4 ? i : next() % 256);
        int result =
            crypto_secretstream_xchacha20poly1305_push(&push, out, &made, message, size, data, additional_size, given);
        show("secretstream_push", result, out, (size_t)made);
        change(out, size + 17);
        result = crypto_secretstream_xchacha20poly1305_pull(&pull, back, &made, &kind, out, size + 17, data, additional_size);
        printf("secretstream_pull, changed %d %d %d\n", result, (int)made, kind);
        result = crypto_secretstream_xchacha20poly1305_pull(&pull, back, &made, &kind, out, size % 17, data, additional_size);
        printf("secretstream_pull, short %d %d %d\n", result, (int)made, kind);
        /* The change is undone by the next message's being sealed anew: both sides begin again. */
        crypto_secretstream_xchacha20poly1305_init_push(&push, header, key);
        crypto_secretstream_xchacha20poly1305_init_pull(&pull, header, key);
        for (size_t j = 0; j < 3; j++) {
            if (j == 2 && i % 2 == 0) {
                crypto_secretstream_xchacha20poly1305_rekey(&push);
                crypto_secretstream_xchacha20poly1305_rekey(&pull);
            }
            size_t shift = next() % 20;
            memcpy(out + shift, message, size);
            crypto_secretstream_xchacha20poly1305_push(&push, tag, NULL, NULL, 0, data, additional_size, given);
            show("secretstream_push of nothing", 0, tag, 17);
            result = crypto_secretstream_xchacha20poly1305_pull(&pull, NULL, NULL, NULL, tag, 17, data, additional_size);
            show("secretstream_pull of nothing", result, tag, 0);
            crypto_secretstream_xchacha20poly1305_push(&push, back, NULL, message, size, data, additional_size, given);
            show("secretstream_push again", 0, back, size + 17);
            result = crypto_secretstream_xchacha20poly1305_pull(&pull, out, &made, &kind, back, size + 17, data, additional_size);
            show("secretstream_pull", result, out, (size_t)made);
            show("its tag", result, &kind, 1);
        }
    }
    randombytes_set_implementation(null_pointer());
}

static void short_names(size_t length) {
    crypto_onetimeauth_state state;
    show("hash", crypto_hash(tag, message, length), tag, 64);
    show("auth", crypto_auth(tag, message, length, key), tag, 32);
    show("auth_verify", crypto_auth_verify(tag, message, length, key), tag, 0);
    show("onetimeauth", crypto_onetimeauth(tag, message, length, key), tag, 16);
    show("onetimeauth_verify", crypto_onetimeauth_verify(tag, message, length, key), tag, 0);
    show("onetimeauth_poly1305_verify", crypto_onetimeauth_poly1305_verify(tag, message, length, key), tag, 0);
    change(tag, 16);
    show("onetimeauth_verify, changed", crypto_onetimeauth_verify(tag, message, length, key), tag, 0);
    crypto_onetimeauth_init(&state, key);
    IN_PARTS(crypto_onetimeauth_update, &state)
    show("onetimeauth in parts", crypto_onetimeauth_final(&state, tag), tag, 16);
    show("onetimeauth_poly1305", crypto_onetimeauth_poly1305(tag, message, length, key), tag, 16);
}

#define STREAM(name)                                                                        \
    show(#name, crypto_##name(out, length, nonce, key), out, length);                       \
    show(#name "_xor", crypto_##name##_xor(out, message, length, nonce, key), out, length); \
    show(#name "_xor back", crypto_##name##_xor(out, out, length, nonce, key), out, length);

#define STREAM_FROM(name) \
    show(#name "_xor_ic", crypto_##name##_xor_ic(out, message, length, nonce, next() >> 2, key), out, length);

static void streams(size_t length) {
    STREAM(stream)
    STREAM(stream_xsalsa20)
    STREAM(stream_salsa20)
    STREAM(stream_chacha20)
    STREAM(stream_chacha20_ietf)
    STREAM(stream_xchacha20)
    STREAM_FROM(stream_xsalsa20)
    STREAM_FROM(stream_salsa20)
    STREAM_FROM(stream_chacha20)
    STREAM_FROM(stream_chacha20_ietf)
    STREAM_FROM(stream_xchacha20)
}

static void signatures(size_t length) {
    unsigned char pk[32], sk[64], other_pk[32];
    unsigned long long made = 1;
    int result = crypto_sign_seed_keypair(pk, sk, seed);
    show("sign_seed_keypair", result, pk, 32);
    show("its secret key", 0, sk, 64);
    show("sign_ed25519_pk_to_curve25519", crypto_sign_ed25519_pk_to_curve25519(out, pk), out, 32);
    show("sign_ed25519_sk_to_curve25519", crypto_sign_ed25519_sk_to_curve25519(out, sk), out, 32);
    result = crypto_sign_detached(tag, &made, message, length, sk);
    show("sign_detached", result + (int)made, tag, 64);
    show("sign_verify_detached", crypto_sign_verify_detached(tag, message, length, pk), tag, 0);
    change(tag, 64);
    show("sign_verify_detached, changed", crypto_sign_verify_detached(tag, message, length, pk), tag, 0);
    result = crypto_sign(out, &made, message, length, sk);
    show("sign", result, out, (size_t)made);
    result = crypto_sign_open(back, &made, out, length + 64, pk);
    show("sign_open", result, back, (size_t)made);
    show("sign_open, not written", crypto_sign_open(NULL, NULL, out, length + 64, pk), back, 0);
    change(out, length + 64);
    result = crypto_sign_open(back, &made, out, length + 64, pk);
    show("sign_open, changed", result + (int)made, back, length);
    made = 1;
    result = crypto_sign_open(back, &made, out, length % 64, pk);
    show("sign_open, short", result + (int)made, back, 0);
    /* Over its message, shifted by any number of bytes. */
    size_t shift = next() % 100;
    memcpy(out + shift, message, length);
    result = crypto_sign_ed25519(out, NULL, out + shift, length, sk);
    show("sign over its message", result, out, length + 64);
    result = crypto_sign_ed25519_open(out, &made, out, length + 64, pk);
    show("sign_open over its message", result, out, (size_t)made);
    show("sign_ed25519_sk_to_pk", crypto_sign_ed25519_sk_to_pk(other_pk, sk), other_pk, 32);
    show("sign_ed25519_sk_to_seed", crypto_sign_ed25519_sk_to_seed(tag, sk), tag, 32);
    /* Half of all random strings are no points. */
    fill(other_pk, 32);
    show("sign_verify_detached, another key", crypto_sign_verify_detached(tag, message, length, other_pk), tag, 0);
}

static void agreement(void) {
    unsigned char q[32], p[32];
    show("scalarmult_base", crypto_scalarmult_base(p, key), p, 32);
    show("scalarmult", crypto_scalarmult(q, seed, p), q, 32);
    show("scalarmult_curve25519", crypto_scalarmult_curve25519(q, key, seed), q, 32);
    show("scalarmult_curve25519_base", crypto_scalarmult_curve25519_base(q, seed), q, 32);
}

static void sessions(void) {
    unsigned char client_pk[32], client_sk[32], server_pk[32], server_sk[32], rx[32], tx[32];
    show("kx_seed_keypair", crypto_kx_seed_keypair(client_pk, client_sk, seed), client_pk, 32);
    show("its secret key", 0, client_sk, 32);
    crypto_kx_seed_keypair(server_pk, server_sk, key);
    show("kx_client_session_keys", crypto_kx_client_session_keys(rx, tx, client_pk, client_sk, server_pk), rx, 32);
    show("to send", 0, tx, 32);
    show("kx_server_session_keys", crypto_kx_server_session_keys(rx, tx, server_pk, server_sk, client_pk), rx, 32);
    show("to send", 0, tx, 32);
    show("kx_client, rx", crypto_kx_client_session_keys(rx, NULL, client_pk, client_sk, server_pk), rx, 32);
    show("kx_client, tx", crypto_kx_client_session_keys(NULL, tx, client_pk, client_sk, server_pk), tx, 32);
    show("kx_server, rx", crypto_kx_server_session_keys(rx, NULL, server_pk, server_sk, client_pk), rx, 32);
    show("kx_server, tx", crypto_kx_server_session_keys(NULL, tx, server_pk, server_sk, client_pk), tx, 32);
    /* A foreign public key of one's own makes other keys. */
    show("kx_client, foreign", crypto_kx_client_session_keys(rx, tx, seed, client_sk, server_pk), rx, 32);
    memset(client_pk, 0, 32);
    show("kx_server, zero", crypto_kx_server_session_keys(rx, tx, server_pk, server_sk, client_pk), rx, 0);
    show("kx_client, zero", crypto_kx_client_session_keys(rx, tx, server_pk, server_sk, client_pk), rx, 0);
}

static void comparisons(size_t length) {
    memcpy(back, message, length);
    show("memcmp", sodium_memcmp(back, message, length), back, 0);
    show("verify_16", crypto_verify_16(key, key), back, 0);
    if (length > 0) {
        change(back, length);
        show("memcmp, changed", sodium_memcmp(back, message, length), back, 0);
    }
    memcpy(back, message, 64);
    show("verify_64", crypto_verify_64(back, message), back, 0);
    show("verify_32", crypto_verify_32(back, message), back, 0);
    change(back, 64);
    show("verify_16, perhaps changed", crypto_verify_16(back, message), back, 0);
    show("verify_32, perhaps changed", crypto_verify_32(back, message), back, 0);
    show("verify_64, changed", crypto_verify_64(back, message), back, 0);
    show("is_zero", sodium_is_zero(back, length), back, 0);
    memset(back, 255, next() % 20);
    sodium_increment(back, length % 30);
    show("increment", 0, back, 30);
    memset(back, 0, 200);
    show("is_zero", sodium_is_zero(back, length % 200), back, 0);
    back[next() % 200] = 1;
    show("is_zero", sodium_is_zero(back, length % 200), back, 0);
    sodium_memzero(back + 3, 20);
    show("memzero", 0, back, 30);
}

static void numbers(size_t length) {
    unsigned char copy[ROOM];
    memcpy(copy, message, length);
    sodium_add(copy, additional, length % 90 < length ? length % 90 : length);
    show("sodium_add", 0, copy, length);
    sodium_sub(copy, message, length);
    show("sodium_sub", 0, copy, length);
    memset(copy, 255, length);
    sodium_add(copy, copy, length);
    show("sodium_add of itself", 0, copy, length);
    for (size_t i = 0; i < 5; i++) {
        memcpy(copy, message, length);
        if (i > 0 && length > 0)
            change(copy, length);
        show("sodium_compare", sodium_compare(copy, message, length), copy, 0);
        show("sodium_compare", sodium_compare(message, copy, length), copy, 0);
    }
    for (size_t block = 0; block < 40; block += 1 + block / 9) {
        size_t padded = 0, unpadded = 0;
        memcpy(copy, message, length);
        memset(copy + length, 7, 50);
        int result = sodium_pad(&padded, copy, length, block, length + 20);
        show("sodium_pad", result, copy, result == 0 ? padded : 0);
        if (result == 0) {
            result = sodium_unpad(&unpadded, copy, padded, block);
            printf("sodium_unpad %d %d\n", result, (int)unpadded);
            change(copy + padded - block, block);
            result = sodium_unpad(&unpadded, copy, padded, block);
            printf("sodium_unpad, changed %d %d\n", result, result == 0 ? (int)unpadded : 0);
        }
        show("sodium_unpad, short", sodium_unpad(&unpadded, copy, block / 2, block), copy, 0);
        show("sodium_unpad of anything", sodium_unpad(&unpadded, message, length, block), copy, 0);
    }
}

static void base64(size_t length) {
    static char text[2 * ROOM];
    static const int variants[] = {1, 3, 5, 7};
    for (size_t i = 0; i < 4; i++) {
        size_t room = sodium_base64_encoded_len(length, variants[i]), made = 0;
        printf("sodium_base64 %d %d\n", (int)room, room == sodium_base64_ENCODED_LEN(length, variants[i]));
        memset(text, 7, sizeof text);
        printf("%s\n", sodium_bin2base64(text, room + next() % 5, message, length, variants[i]));
        const char *end = NULL;
        for (size_t j = 0; j < 4; j++) {
            int result = sodium_base642bin(back, length, text, room - 1, NULL, &made, &end, variants[j]);
            printf("%d %d\n", (int)(end - text), (int)made);
            show("base642bin", result, back, made);
            show("base642bin, all", sodium_base642bin(back, length, text, room - 1, NULL, &made, NULL, variants[j]), back, made);
            show("base642bin, short", sodium_base642bin(back, length / 2, text, room - 1, NULL, &made, &end, variants[j]), back, made);
            printf("%d\n", (int)(end - text));
            show("base642bin, cut", sodium_base642bin(back, length, text, room - 1 - next() % room, "\n", &made, &end, variants[j]),
                 back, made);
            printf("%d\n", (int)(end - text));
        }
        /* Other characters among the digits. */
        for (size_t j = 0; j < 8 && room > 1; j++) {
            text[next() % (room - 1)] = "\n =A/_-+"[next() % 8];
            int result = sodium_base642bin(back, length, text, room - 1, j % 2 ? "\n " : NULL, &made, &end, variants[i]);
            show("base642bin of other characters", result, back, made);
            printf("%d %d\n", (int)(end - text), (int)made);
        }
    }
}

static void digits(size_t length) {
    char hex[2 * ROOM];
    size_t read = 1;
    const char *end = NULL;
    show("bin2hex", sodium_bin2hex(hex, 2 * length + 1, message, length) == hex, (const unsigned char *)hex, 2 * length + 1);
    int result = sodium_hex2bin(back, length, hex, 2 * length, NULL, &read, &end);
    show("hex2bin", result + (int)(end - hex), back, read);
}

static void texts_of_digits(void) {
    static const char *const texts[] = {"",     "0",     "00",     "0g",    "g0",     "12:34:AB:cd", "1:2", ": :12::34 ", "12 34x",
                                        "aF09", "fFfFf", "ab\tcd", "12345", "@A/0:9`aGg", "12:3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t room = 0; room < 5; room++)
            for (int variant = 0; variant < 4; variant++) {
                size_t read = 77;
                const char *end = texts[i];
                memset(back, 0, sizeof back);
                int result = sodium_hex2bin(back, room, texts[i], strlen(texts[i]), variant & 1 ? ": " : NULL, &read,
                                            variant & 2 ? &end : NULL);
                show(texts[i], result + 10 * (int)(end - texts[i]), back, read);
            }
}

/* Texts that look random, with characters that are ignored, ends of strings among them, and output anywhere over its input. */
static void texts_that_overlap(void) {
    static const char characters[] = "0123456789abcdefABCDEF0123456789:: =+/-_gG\n";
    static const int variants[] = {1, 3, 5, 7};
    static const char *const ignored[] = {NULL, "", ":", ": ", "\n g"};
    for (size_t i = 0; i < 60000; i++) {
        unsigned char memory[3][96];
        size_t length = next() % 40, room = next() % 30, bin = next() % 48, hex = next() % 48, made = 77, apart = 77;
        const char *end = NULL, *ignore = ignored[next() % 5];
        /* Short alphabets make long runs of digits. */
        size_t count = i % 3 == 0 ? 20 : sizeof characters;
        for (size_t j = 0; j < sizeof memory[0]; j++)
            memory[0][j] = (unsigned char)characters[next() % count];
        memcpy(memory[1], memory[0], sizeof memory[0]);
        memcpy(memory[2], memory[0], sizeof memory[0]);
        int result = sodium_hex2bin(memory[0] + bin, room, (const char *)memory[0] + hex, length, ignore, &made, i % 2 ? &end : NULL);
        show("hex2bin over its input", result, memory[0], sizeof memory[0]);
        printf("%d %d\n", (int)made, end == NULL ? -1 : (int)(end - (const char *)memory[0]));
        memset(out, 0, 40);
        result = sodium_hex2bin(out, room, (const char *)memory[1] + hex, length, ignore, &apart, NULL);
        show("hex2bin", result, out, 40);
        printf("%d\n", (int)apart);
        /* Not behind its input: libsodium takes bytes above 127 for digits. */
        result = sodium_base642bin(memory[2] + bin % (hex + 1), room, (const char *)memory[2] + hex, length, ignore, &made, i % 2 ? &end : NULL, variants[next() % 4]);
        show("base642bin over its input", result, memory[2], sizeof memory[2]);
        printf("%d %d\n", (int)made, end == NULL ? -1 : (int)(end - (const char *)memory[2]));
    }
}

/* Points of small order, which are their own negatives or not, as public keys and as R, with S = 0, which fits some messages. */
static void small_orders(void) {
    static const char *const points[] = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        /* Not canonical: 1 with a sign, p, p + 1. */
        "0100000000000000000000000000000000000000000000000000000000000080",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    };
    unsigned char pk[32], signature[64] = {0};
    for (size_t i = 0; i < 11; i++)
        for (size_t j = 0; j < 11; j++)
            for (size_t k = 0; k < 8; k++) {
                from_digits(pk, points[i]);
                from_digits(signature, points[j]);
                show("small order", crypto_sign_verify_detached(signature, message + k, 1, pk), pk, 0);
            }
    for (size_t i = 0; i < 8; i++) {
        from_digits(pk, points[i]);
        show("small order to X25519", crypto_sign_ed25519_pk_to_curve25519(out, pk), pk, 0);
    }
    /* Good by the equation, with one point of small order. */
    const unsigned char *text = (const unsigned char *)"culet";
    from_digits(pk, NEUTRAL_POINT);
    from_digits(signature, SIGNATURE_BY_NEUTRAL_POINT);
    show("by a point of small order", crypto_sign_verify_detached(signature, text, 5, pk), pk, 0);
    from_digits(pk, BASE_POINT);
    from_digits(signature, SIGNATURE_WITH_NEUTRAL_POINT);
    show("with a point of small order", crypto_sign_verify_detached(signature, text, 5, pk), pk, 0);
    /* On the curve of X25519: RFC 7748, section 6.1, and reduced ones. */
    static const char *const coordinates[] = {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "efffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "0900000000000000000000000000000000000000000000000000000000000080",
    };
    unsigned char q[32];
    for (size_t i = 0; i < 9; i++) {
        from_digits(pk, coordinates[i]);
        int result = crypto_scalarmult(q, key, pk);
        show("scalarmult of small order", result, q, result == 0 ? 32 : 0);
    }
}

static const char *source_name(void) { return "numbers that look random"; }
static void source_fill(void *const memory, const size_t length) { fill(memory, length); }
static int closed;
static int source_close(void) { return ++closed; }
static void source_stir(void) { closed = 100; }

static void randomness(void) {
    static randombytes_implementation source = {source_name, next, source_stir, NULL, source_fill, source_close};
    unsigned char pk[32], sk[64];
    show("set_implementation", randombytes_set_implementation(&source), key, 0);
    show(randombytes_implementation_name(), 0, key, 0);
    show("close", randombytes_close(), key, 0);
    randombytes_stir();
    show("close", randombytes_close(), key, 0);
    for (uint32_t bound = 0; bound < 20; bound++) {
        printf("uniform %u\n", (unsigned)randombytes_uniform(bound));
        printf("uniform %u\n", (unsigned)randombytes_uniform(bound * 0x0d000001));
    }
    printf("random %u\n", (unsigned)randombytes_random());
    randombytes_buf(out, 99);
    show("buf", 0, out, 99);
    randombytes(out, 33);
    show("randombytes", 0, out, 33);
    show("box_keypair", crypto_box_keypair(pk, sk), pk, 32);
    show("its secret key", 0, sk, 32);
    show("sign_keypair", crypto_sign_keypair(pk, sk), pk, 32);
    show("its secret key", 0, sk, 64);
    show("kx_keypair", crypto_kx_keypair(pk, sk), pk, 32);
    show("its secret key", 0, sk, 32);
    /* Sealed boxes, whose keys are chosen now. */
    for (size_t length = 0; length < 400; length += 57) {
        fill(message, length);
        int result = crypto_box_seal(out, message, length, pk);
        show("box_seal", result, out, length + 48);
    }
    crypto_generichash_keygen(key);
    show("generichash_keygen", 0, key, 32);
    crypto_kdf_keygen(key);
    show("kdf_keygen", 0, key, 32);
    crypto_secretstream_xchacha20poly1305_keygen(key);
    show("secretstream_keygen", 0, key, 32);
    crypto_secretbox_keygen(key);
    show("secretbox_keygen", 0, key, 32);
    crypto_aead_chacha20poly1305_ietf_keygen(key);
    show("aead_keygen", 0, key, 32);
    crypto_aead_aes256gcm_keygen(key);
    show("aes256gcm_keygen", 0, key, 32);
    crypto_auth_hmacsha512_keygen(key);
    show("auth_keygen", 0, key, 32);
    for (size_t length = 0; length < 200; length += 13) {
        randombytes_buf_deterministic(out, length, seed);
        show("buf_deterministic", 0, out, length);
    }
}

#define SIZES(name) printf(#name " %d %d\n", (int)name##_BYTES, (int)name##_bytes());
#define KEYS(name) printf(#name " %d %d\n", (int)name##_KEYBYTES, (int)name##_keybytes());
#define NONCES(name) printf(#name " %d %d\n", (int)name##_NONCEBYTES, (int)name##_noncebytes());
#define BOXED(name)                                                                                                  \
    printf(#name " %d %d %d %d %d %d\n", (int)name##_MACBYTES, (int)name##_macbytes(), (int)name##_ZEROBYTES,         \
           (int)name##_zerobytes(), (int)name##_BOXZEROBYTES, (int)name##_boxzerobytes());                            \
    printf("%d\n", name##_MESSAGEBYTES_MAX == name##_messagebytes_max());
#define PAIRS(name)                                                                                                  \
    printf(#name " %d %d %d %d %d %d\n", (int)name##_SEEDBYTES, (int)name##_seedbytes(), (int)name##_PUBLICKEYBYTES,  \
           (int)name##_publickeybytes(), (int)name##_SECRETKEYBYTES, (int)name##_secretkeybytes());
#define RANGES(name)                                                                                                \
    printf(#name " %d %d %d %d\n", (int)name##_BYTES_MIN, (int)name##_bytes_min(), (int)name##_BYTES_MAX,            \
           (int)name##_bytes_max());                                                                                 \
    printf("%d %d %d %d\n", (int)name##_KEYBYTES_MIN, (int)name##_keybytes_min(), (int)name##_KEYBYTES_MAX,          \
           (int)name##_keybytes_max());

static void sizes(void) {
    SIZES(crypto_auth) SIZES(crypto_auth_hmacsha256) SIZES(crypto_auth_hmacsha512) SIZES(crypto_auth_hmacsha512256)
    SIZES(crypto_hash) SIZES(crypto_hash_sha256) SIZES(crypto_hash_sha512) SIZES(crypto_onetimeauth)
    SIZES(crypto_onetimeauth_poly1305) SIZES(crypto_scalarmult) SIZES(crypto_scalarmult_curve25519) SIZES(crypto_sign)
    SIZES(crypto_sign_ed25519) SIZES(crypto_verify_16) SIZES(crypto_verify_32) SIZES(crypto_verify_64)
    KEYS(crypto_auth) KEYS(crypto_auth_hmacsha256) KEYS(crypto_auth_hmacsha512) KEYS(crypto_auth_hmacsha512256)
    KEYS(crypto_onetimeauth) KEYS(crypto_onetimeauth_poly1305) KEYS(crypto_secretbox) KEYS(crypto_secretbox_xsalsa20poly1305)
    KEYS(crypto_stream) KEYS(crypto_stream_xsalsa20) KEYS(crypto_stream_salsa20) KEYS(crypto_stream_chacha20)
    KEYS(crypto_stream_chacha20_ietf) KEYS(crypto_stream_xchacha20) KEYS(crypto_aead_chacha20poly1305_ietf)
    KEYS(crypto_aead_xchacha20poly1305_ietf) KEYS(crypto_aead_aes256gcm)
    NONCES(crypto_secretbox) NONCES(crypto_secretbox_xsalsa20poly1305) NONCES(crypto_stream) NONCES(crypto_stream_xsalsa20)
    NONCES(crypto_stream_salsa20) NONCES(crypto_stream_chacha20) NONCES(crypto_stream_chacha20_ietf)
    NONCES(crypto_stream_xchacha20) NONCES(crypto_box) NONCES(crypto_box_curve25519xsalsa20poly1305)
    BOXED(crypto_secretbox) BOXED(crypto_secretbox_xsalsa20poly1305) BOXED(crypto_box)
    PAIRS(crypto_box) PAIRS(crypto_box_curve25519xsalsa20poly1305) PAIRS(crypto_sign) PAIRS(crypto_sign_ed25519)
    printf("%d %d %d %d\n", (int)crypto_box_BEFORENMBYTES, (int)crypto_box_beforenmbytes(),
           (int)crypto_scalarmult_SCALARBYTES, (int)crypto_scalarmult_scalarbytes());
    printf("%d %d %d %d\n", (int)crypto_aead_chacha20poly1305_ietf_NPUBBYTES, (int)crypto_aead_chacha20poly1305_ietf_npubbytes(),
           (int)crypto_aead_chacha20poly1305_IETF_ABYTES, (int)crypto_aead_chacha20poly1305_ietf_abytes());
    printf("%d %d %d %d\n", (int)crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
           (int)crypto_aead_xchacha20poly1305_ietf_npubbytes(), (int)crypto_aead_xchacha20poly1305_IETF_ABYTES,
           (int)crypto_aead_xchacha20poly1305_ietf_abytes());
    printf("%d %d %d %d\n", (int)crypto_aead_aes256gcm_NPUBBYTES, (int)crypto_aead_aes256gcm_npubbytes(),
           (int)crypto_aead_aes256gcm_ABYTES, (int)crypto_aead_aes256gcm_abytes());
    printf("%d %d %d %d\n", (int)crypto_aead_aes256gcm_NSECBYTES, (int)crypto_aead_aes256gcm_nsecbytes(),
           crypto_aead_aes256gcm_MESSAGEBYTES_MAX == crypto_aead_aes256gcm_messagebytes_max(),
           sizeof(crypto_aead_aes256gcm_state) >= crypto_aead_aes256gcm_statebytes());
    printf("%d\n", crypto_aead_aes256gcm_is_available());
    printf("%d %d\n", crypto_aead_chacha20poly1305_ietf_MESSAGEBYTES_MAX == crypto_aead_chacha20poly1305_ietf_messagebytes_max(),
           crypto_stream_chacha20_ietf_MESSAGEBYTES_MAX == crypto_stream_chacha20_ietf_messagebytes_max());
    RANGES(crypto_generichash) RANGES(crypto_generichash_blake2b) SIZES(crypto_generichash) SIZES(crypto_generichash_blake2b)
    KEYS(crypto_generichash) KEYS(crypto_generichash_blake2b) PAIRS(crypto_kx)
    printf("%d %d %d %d\n", (int)crypto_kx_SESSIONKEYBYTES, (int)crypto_kx_sessionkeybytes(), (int)crypto_box_SEALBYTES,
           (int)crypto_box_sealbytes());
    printf("%d %d\n", sizeof(crypto_generichash_state) >= crypto_generichash_statebytes(),
           sizeof(crypto_generichash_blake2b_state) >= crypto_generichash_blake2b_statebytes());
    printf("%s %s %s %s\n", crypto_generichash_primitive(), crypto_generichash_PRIMITIVE, crypto_kx_primitive(), crypto_kx_PRIMITIVE);
    printf("%d %d %d %d %s %s\n", (int)crypto_kdf_BYTES_MIN, (int)crypto_kdf_bytes_min(), (int)crypto_kdf_BYTES_MAX,
           (int)crypto_kdf_bytes_max(), crypto_kdf_PRIMITIVE, crypto_kdf_primitive());
    printf("%d %d %d %d\n", (int)crypto_kdf_CONTEXTBYTES, (int)crypto_kdf_contextbytes(), (int)crypto_kdf_KEYBYTES,
           (int)crypto_kdf_keybytes());
    printf("%d %d %d %d\n", (int)crypto_kdf_blake2b_bytes_min(), (int)crypto_kdf_blake2b_bytes_max(),
           (int)crypto_kdf_blake2b_contextbytes(), (int)crypto_kdf_blake2b_keybytes());
    printf("%d %d %d %d\n", (int)crypto_generichash_blake2b_SALTBYTES, (int)crypto_generichash_blake2b_saltbytes(),
           (int)crypto_generichash_blake2b_PERSONALBYTES, (int)crypto_generichash_blake2b_personalbytes());
    printf("%d %d %d %d\n", (int)crypto_secretstream_xchacha20poly1305_ABYTES, (int)crypto_secretstream_xchacha20poly1305_abytes(),
           (int)crypto_secretstream_xchacha20poly1305_HEADERBYTES, (int)crypto_secretstream_xchacha20poly1305_headerbytes());
    printf("%d %d %d %d\n", (int)crypto_secretstream_xchacha20poly1305_KEYBYTES, (int)crypto_secretstream_xchacha20poly1305_keybytes(),
           crypto_secretstream_xchacha20poly1305_MESSAGEBYTES_MAX == crypto_secretstream_xchacha20poly1305_messagebytes_max(),
           sizeof(crypto_secretstream_xchacha20poly1305_state) >= crypto_secretstream_xchacha20poly1305_statebytes());
    printf("%d %d %d %d\n", crypto_secretstream_xchacha20poly1305_TAG_MESSAGE, crypto_secretstream_xchacha20poly1305_TAG_PUSH,
           crypto_secretstream_xchacha20poly1305_TAG_REKEY, crypto_secretstream_xchacha20poly1305_TAG_FINAL);
    printf("%d %d %d %d\n", crypto_secretstream_xchacha20poly1305_tag_message(), crypto_secretstream_xchacha20poly1305_tag_push(),
           crypto_secretstream_xchacha20poly1305_tag_rekey(), crypto_secretstream_xchacha20poly1305_tag_final());
    printf("%d %d\n", (int)randombytes_SEEDBYTES, (int)randombytes_seedbytes());
    printf("%d %d %d %d\n", sizeof(crypto_hash_sha256_state) >= crypto_hash_sha256_statebytes(),
           sizeof(crypto_hash_sha512_state) >= crypto_hash_sha512_statebytes(),
           sizeof(crypto_auth_hmacsha256_state) >= crypto_auth_hmacsha256_statebytes(),
           sizeof(crypto_auth_hmacsha512_state) >= crypto_auth_hmacsha512_statebytes());
    printf("%s %s %s %s\n", crypto_box_primitive(), crypto_box_PRIMITIVE, crypto_secretbox_primitive(), crypto_secretbox_PRIMITIVE);
    printf("%s %s %s %s\n", crypto_auth_primitive(), crypto_auth_PRIMITIVE, crypto_hash_primitive(), crypto_hash_PRIMITIVE);
    printf("%s %s %s %s\n", crypto_sign_primitive(), crypto_sign_PRIMITIVE, crypto_stream_primitive(), crypto_stream_PRIMITIVE);
    printf("%s %s\n", crypto_onetimeauth_primitive(), crypto_scalarmult_primitive());
    printf("%s %s %d %d\n", sodium_version_string(), SODIUM_VERSION_STRING, sodium_library_version_major(),
           sodium_library_version_minor());
}

static void everything(size_t length) {
    prepare(length);
    secret_boxes(length);
    boxes(length);
    sealed_boxes(length);
    chacha20poly1305(length);
    xchacha20poly1305(length);
    aes256gcm(length);
    aes256gcm_afternm(length);
    hash_sha256(length);
    hash_sha512(length);
    generic_hashes(length);
    salted_hashes(length);
    auth_hmacsha256(length);
    auth_hmacsha512(length);
    auth_hmacsha512256(length);
    short_names(length);
    streams(length);
    signatures(length);
    agreement();
    sessions();
    comparisons(length);
    digits(length);
    numbers(length);
    if (length % 4 == 0) {
        derivations();
        secret_streams(length);
        base64(length);
    }
}

static void end(void) {
    printf("misuse\n");
    exit(0);
}

/* The CPU's features, and the end of the program, which the handler makes a good one. */
static void runtime(void) {
    printf("neon %d\n", sodium_runtime_has_neon());
    printf("sse2 %d\n", sodium_runtime_has_sse2());
    printf("sse3 %d\n", sodium_runtime_has_sse3());
    printf("ssse3 %d\n", sodium_runtime_has_ssse3());
    printf("sse41 %d\n", sodium_runtime_has_sse41());
    printf("avx %d\n", sodium_runtime_has_avx());
    printf("avx2 %d\n", sodium_runtime_has_avx2());
    printf("avx512f %d\n", sodium_runtime_has_avx512f());
    printf("pclmul %d\n", sodium_runtime_has_pclmul());
    printf("aesni %d\n", sodium_runtime_has_aesni());
    printf("rdrand %d\n", sodium_runtime_has_rdrand());
    printf("handler %d\n", sodium_set_misuse_handler(end));
    sodium_misuse();
}

int main(void) {
    printf("init %d\n", sodium_init());
    printf("init %d\n", sodium_init());
    for (size_t length = 0; length <= 150; length++)
        everything(length);
    for (int i = 0; i < 10; i++)
        everything(150 + next() % 4500);
    small_orders();
    texts_of_digits();
    texts_that_overlap();
    randomness();
    sizes();
    runtime();
    return 1;
}
