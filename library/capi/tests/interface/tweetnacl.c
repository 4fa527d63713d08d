/* The functions of tweetnacl.h, in a program that brings its own randomness: published answers, changed inputs, zeros before messages. */
#include <tweetnacl.h>

#include "answers.h"
#include "check.h"

/* The source of randomness that TweetNaCl wants of a program; the library does not call it. */
void randombytes(unsigned char *out, unsigned long long length);

void randombytes(unsigned char *out, unsigned long long length) {
    for (unsigned long long i = 0; i < length; i++)
        out[i] = (unsigned char)rand();
}

enum { PADDED = 32 + BOX_LENGTH };

static unsigned char alice[32], bob[32], alice_public[32], bob_public[32], nonce[24];
static unsigned char message[PADDED], boxed[PADDED], opened[PADDED];

static void prepare(void) {
    from_digits(alice, ALICE_SECRET);
    from_digits(bob, BOB_SECRET);
    CHECK(crypto_scalarmult_base(alice_public, alice) == 0);
    CHECK(crypto_scalarmult_curve25519_base(bob_public, bob) == 0);
    CHECK_BYTES(alice_public, ALICE_PUBLIC);
    CHECK_BYTES(bob_public, BOB_PUBLIC);
    from_digits(nonce, BOX_NONCE);
    from_digits(message + crypto_box_ZEROBYTES, BOX_MESSAGE);
}

static void boxes(void) {
    unsigned char key[crypto_box_BEFORENMBYTES], fresh_public[32], fresh[32];
    CHECK(crypto_box(boxed, message, PADDED, nonce, bob_public, alice) == 0);
    CHECK(all_are(boxed, crypto_box_BOXZEROBYTES, 0));
    CHECK_BYTES(boxed + crypto_box_BOXZEROBYTES, BOX_SEALED);
    CHECK(crypto_box_open(opened, boxed, PADDED, nonce, alice_public, bob) == 0);
    CHECK(memcmp(opened, message, PADDED) == 0);
    CHECK(crypto_box_beforenm(key, bob_public, alice) == 0);
    CHECK_BYTES(key, BOX_KEY);
    CHECK(crypto_box_afternm(opened, message, PADDED, nonce, key) == 0);
    CHECK(memcmp(opened, boxed, PADDED) == 0);
    CHECK(crypto_secretbox(opened, message, PADDED, nonce, key) == 0);
    CHECK(memcmp(opened, boxed, PADDED) == 0);
    /* In place. */
    CHECK(crypto_secretbox_open(opened, opened, PADDED, nonce, key) == 0);
    CHECK(memcmp(opened, message, PADDED) == 0);
    for (size_t i = crypto_box_BOXZEROBYTES; i < PADDED; i++) {
        boxed[i] ^= 4;
        memset(opened, 7, PADDED);
        CHECK(crypto_box_open_afternm(opened, boxed, PADDED, nonce, key) == -1);
        CHECK(all_are(opened, PADDED, 0));
        CHECK(crypto_secretbox_open(opened, boxed, PADDED, nonce, key) == -1);
        boxed[i] ^= 4;
    }
    CHECK(crypto_box_open(opened, boxed, PADDED, nonce, bob_public, bob) == -1);
    CHECK(all_are(opened, PADDED, 0));
    /* Shorter than their zeros. */
    CHECK(crypto_secretbox(opened, message, 31, nonce, key) == -1);
    CHECK(crypto_secretbox_open(opened, boxed, 31, nonce, key) == -1);
    CHECK(crypto_secretbox(opened, message, 32, nonce, key) == 0);
    CHECK(crypto_secretbox_open(opened, opened, 32, nonce, key) == 0);
    CHECK(crypto_secretbox(opened, message, ~0ULL, nonce, key) == -1);
    CHECK(crypto_secretbox(null_pointer(), message, PADDED, nonce, key) == -1);
    CHECK(crypto_secretbox(opened, null_pointer(), PADDED, nonce, key) == -1);
    CHECK(crypto_secretbox_open(opened, null_pointer(), PADDED, nonce, key) == -1);
    CHECK(crypto_box(opened, message, PADDED, nonce, null_pointer(), alice) == -1);
    /* Keys from the operating system. */
    CHECK(crypto_box_keypair(fresh_public, fresh) == 0);
    CHECK(crypto_box(opened, message, PADDED, nonce, fresh_public, alice) == 0);
    CHECK(crypto_box_open(opened, opened, PADDED, nonce, alice_public, fresh) == 0);
    CHECK(memcmp(opened, message, PADDED) == 0);
}

static void signatures(void) {
    unsigned char public_key[32], secret_key[64], text[2], signed_text[66], back[2];
    unsigned long long length = 0;
    from_digits(secret_key, ED25519_SEED);
    from_digits(secret_key + 32, ED25519_PUBLIC);
    from_digits(public_key, ED25519_PUBLIC);
    from_digits(text, ED25519_MESSAGE);
    CHECK(crypto_sign(signed_text, &length, text, 2, secret_key) == 0);
    CHECK(length == 66);
    CHECK_BYTES(signed_text, ED25519_SIGNATURE ED25519_MESSAGE);
    CHECK(crypto_sign_open(back, &length, signed_text, 66, public_key) == 0);
    CHECK(length == 2 && memcmp(back, text, 2) == 0);
    for (size_t i = 0; i < 66; i++) {
        signed_text[i] ^= 32;
        memset(back, 7, 2);
        CHECK(crypto_sign_open(back, &length, signed_text, 66, public_key) == -1);
        CHECK(length == ~0ULL && all_are(back, 2, 0));
        signed_text[i] ^= 32;
    }
    /* A key of small order, with which the equation holds. */
    unsigned char small_key[32], small_signed[69], small_back[5];
    from_digits(small_key, NEUTRAL_POINT);
    memcpy(small_signed + 64, "culet", 5);
    from_digits(small_signed, SIGNATURE_BY_NEUTRAL_POINT);
    CHECK(crypto_sign_open(small_back, &length, small_signed, 69, small_key) == -1 && length == ~0ULL);
    /* A foreign public key in the secret key makes no other signature. */
    memset(secret_key + 32, 0, 32);
    CHECK(crypto_sign_ed25519(signed_text, &length, text, 2, secret_key) == 0);
    CHECK_BYTES(signed_text, ED25519_SIGNATURE);
    CHECK(crypto_sign(null_pointer(), &length, text, 2, secret_key) == -1);
    CHECK(crypto_sign(signed_text, &length, null_pointer(), 2, secret_key) == -1);
    CHECK(crypto_sign_open(back, &length, null_pointer(), 66, public_key) == -1);
    CHECK(crypto_sign_open(back, &length, signed_text, 63, public_key) == -1);
    CHECK(crypto_sign_keypair(public_key, secret_key) == 0);
    CHECK(memcmp(public_key, secret_key + 32, 32) == 0);
    CHECK(crypto_sign(signed_text, &length, text, 2, secret_key) == 0);
    CHECK(crypto_sign_open(back, &length, signed_text, 66, public_key) == 0);
}

static void others(void) {
    unsigned char out[crypto_hash_BYTES], key[32], other[32];
    const unsigned char *abc = (const unsigned char *)"abc", *text = (const unsigned char *)POLY1305_MESSAGE;
    CHECK(crypto_hash(out, abc, 3) == 0);
    CHECK_BYTES(out, SHA512_ABC);
    from_digits(key, POLY1305_KEY);
    CHECK(crypto_onetimeauth(out, text, 34, key) == 0);
    CHECK_BYTES(out, POLY1305_TAG);
    CHECK(crypto_onetimeauth_verify(out, text, 34, key) == 0);
    CHECK(crypto_onetimeauth_verify(out, text, 33, key) == -1);
    CHECK(crypto_scalarmult(out, alice, bob_public) == 0);
    CHECK_BYTES(out, SHARED);
    /* As TweetNaCl has it: zero is a result. */
    memset(other, 0, 32);
    CHECK(crypto_scalarmult(out, alice, other) == 0);
    CHECK(all_are(out, 32, 0));
    /* The key stream of a box begins with the key of its code, and goes on with what is added to the message. */
    unsigned char stream[PADDED], box_key[32];
    from_digits(box_key, BOX_KEY);
    CHECK(crypto_stream(stream, PADDED, nonce, box_key) == 0);
    CHECK(crypto_stream_xor(opened, message, PADDED, nonce, box_key) == 0);
    CHECK(crypto_box(boxed, message, PADDED, nonce, bob_public, alice) == 0);
    CHECK(memcmp(opened + 32, boxed + 32, BOX_LENGTH) == 0);
    CHECK(memcmp(opened, stream, 32) == 0);
    CHECK(crypto_onetimeauth(out, boxed + 32, BOX_LENGTH, stream) == 0);
    CHECK(crypto_verify_16(out, boxed + 16) == 0);
    out[15] ^= 1;
    CHECK(crypto_verify_16(out, boxed + 16) == -1);
    memcpy(other, key, 32);
    CHECK(crypto_verify_32(key, other) == 0);
    other[0] ^= 1;
    CHECK(crypto_verify_32(key, other) == -1);
    randombytes(key, 32);
    randombytes(other, 32);
    CHECK(memcmp(key, other, 32) != 0);
}

/* NaCl's programs print which implementation they use. */
static void implementations(void) {
    CHECK(strcmp(crypto_box_IMPLEMENTATION, "crypto_box/curve25519xsalsa20poly1305/culet") == 0);
    CHECK(strcmp(crypto_secretbox_IMPLEMENTATION, "crypto_secretbox/xsalsa20poly1305/culet") == 0);
    CHECK(strcmp(crypto_sign_IMPLEMENTATION, "crypto_sign/ed25519/culet") == 0);
    CHECK(strcmp(crypto_scalarmult_IMPLEMENTATION, "crypto_scalarmult/curve25519/culet") == 0);
    CHECK(strcmp(crypto_hash_IMPLEMENTATION, "crypto_hash/sha512/culet") == 0);
    CHECK(strcmp(crypto_onetimeauth_IMPLEMENTATION, "crypto_onetimeauth/poly1305/culet") == 0);
    CHECK(strcmp(crypto_stream_IMPLEMENTATION, "crypto_stream/xsalsa20/culet") == 0);
    CHECK(strcmp(crypto_stream_salsa20_IMPLEMENTATION, "crypto_stream/salsa20/culet") == 0);
    CHECK(strcmp(crypto_verify_16_IMPLEMENTATION, "crypto_verify/16/culet") == 0);
    CHECK(strcmp(crypto_verify_32_IMPLEMENTATION, "crypto_verify/32/culet") == 0);
    CHECK(strcmp(crypto_box_VERSION crypto_secretbox_VERSION crypto_sign_VERSION crypto_scalarmult_VERSION, "----") == 0);
    CHECK(strcmp(crypto_hash_VERSION crypto_onetimeauth_VERSION crypto_stream_VERSION, "---") == 0);
    CHECK(strcmp(crypto_stream_salsa20_VERSION crypto_verify_16_VERSION crypto_verify_32_VERSION, "---") == 0);
}

int main(void) {
    prepare();
    implementations();
    boxes();
    signatures();
    others();
    return 0;
}
