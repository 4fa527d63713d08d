/*
 * Operations whose secrets valgrind's memcheck takes for undefined: it reports each branch and each address that depends on them. Prints a line
 * for each operation, with the number of reports.
 */
#include <culet.h>
#ifdef SODIUM
#include <sodium.h>
#endif
#include <valgrind/memcheck.h>

#include "check.h"

static uint8_t key[32], message[300], additional[40], out[700], tag[64];
static const uint8_t nonce[24];
/* A public key: the base point of X25519. */
static const uint8_t recipient[32] = {9};
static volatile uint8_t sink;

static void hide(void) {
    (void)VALGRIND_MAKE_MEM_UNDEFINED(key, sizeof key);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(message, sizeof message);
    (void)VALGRIND_MAKE_MEM_UNDEFINED(additional, sizeof additional);
}

#define REPORT(name, operation)                                                     \
    do {                                                                            \
        unsigned before = VALGRIND_COUNT_ERRORS;                                    \
        hide();                                                                     \
        operation;                                                                  \
        printf("%s %u\n", name, (unsigned)(VALGRIND_COUNT_ERRORS - before));        \
    } while (0)

#define MUST(call)                                  \
    do {                                            \
        int result = call;                          \
        (void)VALGRIND_MAKE_MEM_DEFINED(&result, sizeof result); \
        CHECK(result == 0);                         \
    } while (0)

int main(void) {
    /* Both must be reported, or nothing is seen. */
    REPORT("planted_branch", sink = key[0] & 1 ? 3 : sink);
    REPORT("planted_address", sink = message[key[1]]);

    REPORT("ed25519_public_key", MUST(culet_ed25519_public_key(out, key)));
    REPORT("ed25519_sign", MUST(culet_ed25519_sign(out, message, sizeof message, key)));
    /* Whether a secret key is good, and a number that is used once, is no secret: it decides a branch, once or twice. */
    static uint8_t number[66], points[5][133];
    memset(number + 1, 0x5a, sizeof number - 1);
    MUST(culet_p224_public_key(points[0], number + 1));
    MUST(culet_p256_public_key(points[1], number + 1));
    MUST(culet_p384_public_key(points[2], number + 1));
    MUST(culet_p521_public_key(points[3], number));
    MUST(culet_secp256k1_public_key(points[4], number + 1));
    (void)VALGRIND_MAKE_MEM_UNDEFINED(number, sizeof number);
    REPORT("declassified_p224_sign", MUST(culet_p224_sign(out, message, sizeof message, number + 1)));
    REPORT("declassified_p224_agree", MUST(culet_p224_agree(out, number + 1, points[0], 57)));
    REPORT("declassified_p256_sign", MUST(culet_p256_sign(out, message, sizeof message, number + 1)));
    REPORT("declassified_p256_agree", MUST(culet_p256_agree(out, number + 1, points[1], 65)));
    REPORT("declassified_p384_sign", MUST(culet_p384_sign(out, message, sizeof message, number + 1)));
    REPORT("declassified_p384_agree", MUST(culet_p384_agree(out, number + 1, points[2], 97)));
    REPORT("declassified_p521_sign", MUST(culet_p521_sign(out, message, sizeof message, number)));
    REPORT("declassified_p521_agree", MUST(culet_p521_agree(out, number, points[3], 133)));
    REPORT("declassified_secp256k1_sign", MUST(culet_secp256k1_sign(out, message, sizeof message, number + 1)));
    REPORT("declassified_secp256k1_agree", MUST(culet_secp256k1_agree(out, number + 1, points[4], 65)));
    REPORT("declassified_p256_sign_hedged",
           MUST(culet_p256_sign_hedged(out, message, sizeof message, number + 1, number + 1)));
    REPORT("declassified_p256_sign_prehashed", MUST(culet_p256_sign_prehashed(out, message, number + 1)));
    REPORT("declassified_bip340_public_key", MUST(culet_bip340_public_key(out, number + 1)));
    REPORT("declassified_bip340_sign", MUST(culet_bip340_sign(out, message, sizeof message, number + 1, key)));
    REPORT("x25519_public_key", MUST(culet_x25519_public_key(out, key)));
    REPORT("chacha20poly1305_seal",
           MUST(culet_chacha20poly1305_seal(out, tag, message, sizeof message, additional, sizeof additional, nonce, key)));
    REPORT("xchacha20poly1305_seal",
           MUST(culet_xchacha20poly1305_seal(message, tag, message, sizeof message, NULL, 0, nonce, key)));
    culet_segment_sealer sealer;
    REPORT("segment_seal", {
        MUST(culet_segment_sealer_init(&sealer, nonce, key));
        MUST(culet_segment_seal(&sealer, out, tag, message, sizeof message, additional, sizeof additional));
        MUST(culet_segment_seal_last(&sealer, out, tag, message, sizeof message, NULL, 0));
    });
    culet_secretstream stream;
    REPORT("secretstream_seal", {
        MUST(culet_secretstream_seal_init(&stream, nonce, key));
        MUST(culet_secretstream_seal(&stream, out, 2, message, sizeof message, additional, sizeof additional));
        MUST(culet_secretstream_seal(&stream, out, 0, message, sizeof message, NULL, 0));
    });
    REPORT("kdf", MUST(culet_kdf(out, 64, 1, nonce, key)));
    REPORT("secretbox_seal", MUST(culet_secretbox_seal(out, tag, message, sizeof message, nonce, key)));
    REPORT("aes128gcm_seal",
           MUST(culet_aes128gcm_seal(out, tag, message, sizeof message, additional, sizeof additional, nonce, key)));
    REPORT("aes256gcm_seal", MUST(culet_aes256gcm_seal(message, tag, message, sizeof message, NULL, 0, nonce, key)));
    REPORT("ascon_aead128_seal",
           MUST(culet_ascon_aead128_seal(out, tag, message, sizeof message, additional, sizeof additional, nonce, key)));
    /* The key that seals is new each time, and not among those that are hidden. */
    REPORT("sealedbox_seal", MUST(culet_sealedbox_seal(out, tag, message, sizeof message, recipient)));
    REPORT("chacha20", MUST(culet_chacha20(out, message, sizeof message, 0, nonce, key)));
    REPORT("xsalsa20", MUST(culet_xsalsa20(out, message, sizeof message, 0, nonce, key)));
    REPORT("sha256", MUST(culet_sha256(tag, message, sizeof message)));
    REPORT("sha512", MUST(culet_sha512(tag, message, sizeof message)));
    REPORT("sha512_256", MUST(culet_sha512_256(tag, message, sizeof message)));
    REPORT("sha3_224", MUST(culet_sha3_224(tag, message, sizeof message)));
    REPORT("sha3_256", MUST(culet_sha3_256(tag, message, sizeof message)));
    REPORT("sha3_384", MUST(culet_sha3_384(tag, message, sizeof message)));
    REPORT("sha3_512", MUST(culet_sha3_512(tag, message, sizeof message)));
    REPORT("shake128", MUST(culet_shake128(out, sizeof out, message, sizeof message)));
    REPORT("shake256", MUST(culet_shake256(out, sizeof out, message, sizeof message)));
    REPORT("ascon_hash256", MUST(culet_ascon_hash256(tag, message, sizeof message)));
    REPORT("blake2b", MUST(culet_blake2b(tag, 50, key, sizeof key, message, sizeof message)));
    REPORT("blake2s", MUST(culet_blake2s(tag, 20, key, sizeof key, message, sizeof message)));
    REPORT("hmac_sha256", MUST(culet_hmac_sha256(tag, key, sizeof key, message, sizeof message)));
    REPORT("hkdf_sha512", MUST(culet_hkdf_sha512(out, 200, message, 20, key, sizeof key, additional, sizeof additional)));
    REPORT("poly1305", MUST(culet_poly1305(tag, message, sizeof message, key)));
    culet_hmac_sha512_context context;
    REPORT("hmac_sha512_in_parts", {
        MUST(culet_hmac_sha512_init(&context, key, sizeof key));
        MUST(culet_hmac_sha512_update(&context, message, 100));
        MUST(culet_hmac_sha512_update(&context, message + 100, 200));
        MUST(culet_hmac_sha512_final(&context, tag));
    });
    culet_ascon_xof128_context extendable;
    REPORT("ascon_xof128_in_parts", {
        MUST(culet_ascon_xof128_init(&extendable));
        MUST(culet_ascon_xof128_update(&extendable, message, 100));
        MUST(culet_ascon_xof128_update(&extendable, message + 100, 200));
        MUST(culet_ascon_xof128_read(&extendable, out, 100));
        MUST(culet_ascon_xof128_final(&extendable, out, 200));
    });
    uint8_t same[300];
    memcpy(same, message, sizeof same);
    REPORT("compare", {
        int result = culet_compare(same, message, sizeof same);
        (void)VALGRIND_MAKE_MEM_DEFINED(&result, sizeof result);
    });
    REPORT("wipe", MUST(culet_wipe(key, sizeof key)));
#ifdef SODIUM
    char digits[65];
    REPORT("bin2hex", CHECK(sodium_bin2hex(digits, sizeof digits, key, sizeof key) == digits));
    char text[sodium_base64_ENCODED_LEN(32, 1)];
    REPORT("bin2base64", CHECK(sodium_bin2base64(text, sizeof text, key, sizeof key, 1) == text));
    REPORT("numbers", {
        memcpy(out, message, 100);
        sodium_add(out, message, 100);
        sodium_sub(out, message + 100, 100);
        int order = sodium_compare(out, message, 100);
        (void)VALGRIND_MAKE_MEM_DEFINED(&order, sizeof order);
    });
    REPORT("declassified_unpad", {
        size_t length = 0;
        int result = sodium_unpad(&length, message, 96, 16);
        (void)VALGRIND_MAKE_MEM_DEFINED(&result, sizeof result);
        (void)VALGRIND_MAKE_MEM_DEFINED(&length, sizeof length);
    });
    REPORT("box_seed_keypair", MUST(crypto_box_seed_keypair(out, out + 32, key)));
    REPORT("kx_seed_keypair", MUST(crypto_kx_seed_keypair(out, out + 32, key)));
    REPORT("generichash", MUST(crypto_generichash(tag, 32, message, sizeof message, key, sizeof key)));
    REPORT("sign_seed_keypair", MUST(crypto_sign_seed_keypair(out, out + 32, key)));
    REPORT("stream", MUST(crypto_stream(out, 200, nonce, key)));
    REPORT("auth", MUST(crypto_auth(tag, message, sizeof message, key)));
    REPORT("secretbox_easy", MUST(crypto_secretbox_easy(out, message, sizeof message, nonce, key)));
#endif
    return 0;
}
