/* Authenticated encryption: ChaCha20-Poly1305, RFC 8439, section 2.8; XChaCha20-Poly1305; Ascon-AEAD128, NIST SP 800-232,
 * section 4; NaCl's secret boxes, XSalsa20-Poly1305. */

#if !defined(WITHOUT_CHACHA20POLY1305)

#include "kernels/poly1305_absorb_padded.c"

/* Absorbs a part that is padded with zeros to whole blocks: RFC 8439, section 2.8. */
static void absorb_padded_poly1305(struct poly1305 *state, const uint8_t *part, size_t length)
{
    uint8_t before[17];
    if (length == 0)
        return;
    memcpy(before, state->accumulator, 17);
    kernel_poly1305_absorb_padded(state->accumulator, before, state->key, part, length);
    wipe(before, 17);
}

/* ChaCha20 and Poly1305: the state of Poly1305 after all data and their lengths, each padded to whole blocks. */
static void authenticate_chacha20(const struct stream *stream, struct poly1305 *state, const uint8_t *additional,
                                  size_t additional_length, const uint8_t *sealed, size_t length)
{
    uint8_t lengths[16];
    memset(state, 0, sizeof *state);
    apply(stream, 0, state->key, 32);
    absorb_padded_poly1305(state, additional, additional_length);
    absorb_padded_poly1305(state, sealed, length);
    store_le_64(lengths, additional_length);
    store_le_64(lengths + 8, length);
    absorb_poly1305(state, lengths, 16);
}

/* Block 0 of the key stream is the key of Poly1305. */
#define CHACHA20_POLY1305_LIMIT ((UINT64_C(1) << 38) - 64)

#define CHACHA20_POLY1305(name, start, nonce_bytes)                                                \
    int culet_##name##_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length, \
                            const uint8_t *additional, size_t additional_length,                   \
                            const uint8_t nonce[nonce_bytes], const uint8_t key[32])               \
    {                                                                                              \
        struct stream stream;                                                                      \
        struct poly1305 state;                                                                     \
        int is_good;                                                                               \
        if (key == NULL || nonce == NULL || tag == NULL || !is_within(length, CHACHA20_POLY1305_LIMIT))       \
            return -1;                                                                             \
        if (!is_given(additional, additional_length) || !is_apart(tag, 16, sealed, length) ||      \
            !is_apart(additional, additional_length, sealed, length))                              \
            return -1;                                                                             \
        start(&stream, key, nonce);                                                                \
        is_good = move_text(sealed, message, length) == 0;                                         \
        if (is_good) {                                                                             \
            apply(&stream, 64, sealed, length);                                                    \
            authenticate_chacha20(&stream, &state, additional, additional_length, sealed, length); \
            end_poly1305(&state, tag);                                                             \
        }                                                                                          \
        wipe(&stream, sizeof stream);                                                              \
        return is_good ? 0 : -1;                                                                   \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16], \
                            const uint8_t *additional, size_t additional_length,                   \
                            const uint8_t nonce[nonce_bytes], const uint8_t key[32])               \
    {                                                                                              \
        struct stream stream;                                                                      \
        struct poly1305 state;                                                                     \
        uint8_t expected[16];                                                                      \
        int is_good = 0;                                                                           \
        if (key == NULL || nonce == NULL || tag == NULL || !is_given(additional, additional_length) || \
            !is_apart(additional, additional_length, message, length))                             \
            return -1;                                                                             \
        memcpy(expected, tag, 16);                                                                 \
        start(&stream, key, nonce);                                                                \
        if (move_text(message, sealed, length) == 0) {                                             \
            if (is_within(length, CHACHA20_POLY1305_LIMIT)) {                                               \
                authenticate_chacha20(&stream, &state, additional, additional_length, message, length); \
                is_good = verify_poly1305(&state, expected) == 0;                                  \
            }                                                                                      \
            if (is_good)                                                                           \
                apply(&stream, 64, message, length);                                               \
            else                                                                                   \
                wipe(message, length);                                                             \
        }                                                                                          \
        wipe(&stream, sizeof stream);                                                              \
        return is_good ? 0 : -1;                                                                   \
    }

CHACHA20_POLY1305(chacha20poly1305, start_chacha20, 12)
CHACHA20_POLY1305(xchacha20poly1305, start_xchacha20, 24)

#endif
#if !defined(CULET_WITHOUT_ASCON_AEAD)

#include "kernels/ascon_aead128_start.c"
#include "kernels/ascon_aead128_absorb.c"
#include "kernels/ascon_aead128_separate.c"
#include "kernels/ascon_aead128_encrypt.c"
#include "kernels/ascon_aead128_encrypt_last.c"
#include "kernels/ascon_aead128_decrypt.c"
#include "kernels/ascon_aead128_decrypt_last.c"
#include "kernels/ascon_aead128_finish.c"

/* Section 4: one key is for so many bytes. */
#define ASCON_LIMIT (UINT64_C(1) << 54)

/* Ascon-AEAD128: the state of one message, and its key. */
struct ascon {
    uint8_t state[40], key[16];
};

/* A kernel for whole blocks of a text, and one for the last block. */
struct direction {
    void (*blocks)(uint8_t next[40], uint8_t *out, const uint8_t state[40], const uint8_t *text, size_t text_length);
    void (*last)(uint8_t next[40], uint8_t out[16], const uint8_t state[40], const uint8_t text[16], const uint8_t length[1]);
};

static const struct direction ascon_encryption = { kernel_ascon_aead128_encrypt, kernel_ascon_aead128_encrypt_last };
static const struct direction ascon_decryption = { kernel_ascon_aead128_decrypt, kernel_ascon_aead128_decrypt_last };

/* Absorbs the associated data: section 4.1.1, step 3. The byte 1 follows them, and zeros fill the last block. Empty
 * data have no block. */
static void absorb_ascon_data(struct ascon *ascon, const uint8_t *additional, size_t length)
{
    uint8_t before[40], last[16] = { 0 };
    size_t whole = length / 16 * 16;
    if (length != 0) {
        if (whole != 0) {
            memcpy(before, ascon->state, 40);
            kernel_ascon_aead128_absorb(ascon->state, before, additional, whole);
        }
        copy(last, additional + whole, length - whole);
        last[length - whole] = 1;
        memcpy(before, ascon->state, 40);
        kernel_ascon_aead128_absorb(ascon->state, before, last, 16);
    }
    memcpy(before, ascon->state, 40);
    kernel_ascon_aead128_separate(ascon->state, before);
    wipe(before, 40);
}

/* Encrypts or decrypts whole blocks in place, and a last one, which has fewer bytes than a block, maybe none: section
 * 4.1.1, step 4. */
static void crypt_ascon(struct ascon *ascon, const struct direction *direction, uint8_t *text, size_t length)
{
    uint8_t before[40], copied[1024], from[16] = { 0 }, to[16], count[1];
    while (length >= 16) {
        size_t taken = length < sizeof copied ? length / 16 * 16 : sizeof copied;
        memcpy(copied, text, taken);
        memcpy(before, ascon->state, 40);
        direction->blocks(ascon->state, text, before, copied, taken);
        text += taken;
        length -= taken;
    }
    copy(from, text, length);
    count[0] = (uint8_t)length;
    memcpy(before, ascon->state, 40);
    direction->last(ascon->state, to, before, from, count);
    copy(text, to, length);
    wipe(before, 40);
    wipe(copied, sizeof copied);
    wipe(from, 16);
    wipe(to, 16);
}

static void start_ascon(struct ascon *ascon, const uint8_t key[16], const uint8_t nonce[16])
{
    memcpy(ascon->key, key, 16);
    kernel_ascon_aead128_start(ascon->state, key, nonce);
}

int culet_ascon_aead128_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length,
                             const uint8_t *additional, size_t additional_length, const uint8_t nonce[16],
                             const uint8_t key[16])
{
    struct ascon ascon;
    int is_good;
    if (key == NULL || nonce == NULL || tag == NULL || !is_within(length, ASCON_LIMIT))
        return -1;
    if (!is_given(additional, additional_length) || !is_apart(tag, 16, sealed, length) ||
        !is_apart(additional, additional_length, sealed, length))
        return -1;
    start_ascon(&ascon, key, nonce);
    is_good = move_text(sealed, message, length) == 0;
    if (is_good) {
        absorb_ascon_data(&ascon, additional, additional_length);
        crypt_ascon(&ascon, &ascon_encryption, sealed, length);
        kernel_ascon_aead128_finish(tag, ascon.state, ascon.key);
    }
    wipe(&ascon, sizeof ascon);
    return is_good ? 0 : -1;
}

int culet_ascon_aead128_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16],
                             const uint8_t *additional, size_t additional_length, const uint8_t nonce[16],
                             const uint8_t key[16])
{
    struct ascon ascon;
    uint8_t expected[16], made[16];
    int is_good = 0;
    if (key == NULL || nonce == NULL || tag == NULL || !is_given(additional, additional_length) ||
        !is_apart(additional, additional_length, message, length))
        return -1;
    memcpy(expected, tag, 16);
    start_ascon(&ascon, key, nonce);
    if (move_text(message, sealed, length) == 0) {
        if (is_within(length, ASCON_LIMIT)) {
            absorb_ascon_data(&ascon, additional, additional_length);
            crypt_ascon(&ascon, &ascon_decryption, message, length);
            kernel_ascon_aead128_finish(made, ascon.state, ascon.key);
            is_good = is_equal(made, expected, 16);
            wipe(made, 16);
        }
        if (!is_good)
            wipe(message, length);
    }
    wipe(&ascon, sizeof ascon);
    return is_good ? 0 : -1;
}

#endif
#if !defined(WITHOUT_SECRETBOX)

/* Secret boxes: the first 32 bytes of the key stream are the key of Poly1305. */
#define SECRETBOX_LIMIT (UINT64_MAX - 32)

static void authenticate_xsalsa20(const struct stream *stream, struct poly1305 *state, const uint8_t *sealed, size_t length)
{
    memset(state, 0, sizeof *state);
    apply(stream, 0, state->key, 32);
    absorb_poly1305(state, sealed, length);
}

int culet_secretbox_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length, const uint8_t nonce[24],
                         const uint8_t key[32])
{
    struct stream stream;
    struct poly1305 state;
    int is_good;
    if (key == NULL || nonce == NULL || tag == NULL || !is_within(length, SECRETBOX_LIMIT) || !is_apart(tag, 16, sealed, length))
        return -1;
    start_xsalsa20(&stream, key, nonce);
    is_good = move_text(sealed, message, length) == 0;
    if (is_good) {
        apply(&stream, 32, sealed, length);
        authenticate_xsalsa20(&stream, &state, sealed, length);
        end_poly1305(&state, tag);
    }
    wipe(&stream, sizeof stream);
    return is_good ? 0 : -1;
}

int culet_secretbox_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16],
                         const uint8_t nonce[24], const uint8_t key[32])
{
    struct stream stream;
    struct poly1305 state;
    uint8_t expected[16];
    int is_good = 0;
    if (key == NULL || nonce == NULL || tag == NULL)
        return -1;
    memcpy(expected, tag, 16);
    start_xsalsa20(&stream, key, nonce);
    if (move_text(message, sealed, length) == 0) {
        if (is_within(length, SECRETBOX_LIMIT)) {
            authenticate_xsalsa20(&stream, &state, message, length);
            is_good = verify_poly1305(&state, expected) == 0;
        }
        if (is_good)
            apply(&stream, 32, message, length);
        else
            wipe(message, length);
    }
    wipe(&stream, sizeof stream);
    return is_good ? 0 : -1;
}

#endif
