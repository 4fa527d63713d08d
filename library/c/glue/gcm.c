/* AES-GCM: NIST SP 800-38D, section 7, with nonces of 12 bytes. */

#if !defined(CULET_WITHOUT_AES_GCM)

#include "kernels/aes128_keys.c"
#include "kernels/aes256_keys.c"
#include "kernels/aes128_ctr.c"
#include "kernels/aes256_ctr.c"
#include "kernels/ghash_absorb.c"
#include "kernels/aes_gcm_tag.c"

/* Number of bytes that the kernels encrypt at a time: four blocks. */
#define FOUR_BLOCKS 64

/* The block that hides the hash stands before a message's first bytes, which are encrypted with it. */
#define HIDING 16

/* Section 5.2.1.1: 2^32 - 2 blocks, and fewer than 2^64 bits of additional data. */
#define GCM_LIMIT (((UINT64_C(1) << 32) - 2) * 16)
#define GCM_ADDITIONAL_LIMIT ((UINT64_C(1) << 61) - 1)

/* A key of so many bytes: its round keys, and the key of GHASH. */
struct gcm_key {
    size_t bytes;
    uint8_t round_keys[960], hash_key[16];
};

/* After its mark, a context holds a key. */
#define GCM_WORDS 160

static void encrypt_gcm(const struct gcm_key *key, uint8_t *to, const uint8_t counter[16], const uint8_t *from, size_t length)
{
    if (key->bytes == 16)
        kernel_aes128_ctr(to, key->round_keys, counter, from, length);
    else
        kernel_aes256_ctr(to, key->round_keys, counter, from, length);
}

static void spread_gcm(struct gcm_key *spread, const uint8_t *key, size_t bytes)
{
    uint8_t zeros[FOUR_BLOCKS] = { 0 }, encrypted[FOUR_BLOCKS];
    memset(spread, 0, sizeof *spread);
    spread->bytes = bytes;
    if (bytes == 16)
        kernel_aes128_keys(spread->round_keys, key);
    else
        kernel_aes256_keys(spread->round_keys, key);
    encrypt_gcm(spread, encrypted, zeros, zeros, FOUR_BLOCKS);
    memcpy(spread->hash_key, encrypted, 16);
    wipe(encrypted, sizeof encrypted);
}

static int start_gcm(uint64_t *context, const uint8_t *key, size_t bytes)
{
    struct gcm_key spread;
    if (!is_context(context) || key == NULL)
        return -1;
    spread_gcm(&spread, key, bytes);
    prepare(context, 8 * GCM_WORDS);
    memcpy(context + 1, &spread, sizeof spread);
    wipe(&spread, sizeof spread);
    return 0;
}

/* The key in a context for keys of so many bytes, apart from which an output lies. */
static int key_in(struct gcm_key *key, const uint64_t *context, size_t bytes, const uint8_t *out, size_t length)
{
    if (!is_prepared(context) || !is_apart(out, length, context, 8 * GCM_WORDS))
        return -1;
    memcpy(key, context + 1, sizeof *key);
    if (key->bytes == bytes)
        return 0;
    wipe(key, sizeof *key);
    return -1;
}

/* A message under its nonce, and its additional data. */
struct gcm_text {
    const uint8_t *text;
    size_t length;
    const uint8_t *additional;
    size_t additional_length;
    const uint8_t *nonce;
};

/* Encrypts whole groups of four blocks, of which the first is number `group`. Counters begin with 1. */
static void encrypt_groups(const struct gcm_key *key, const uint8_t nonce[12], uint64_t group, uint8_t *to, const uint8_t *from,
                           size_t length)
{
    uint8_t counter[16], number[8];
    store_be_64(number, 4 * group + 1);
    memcpy(counter, nonce, 12);
    memcpy(counter + 12, number + 4, 4);
    encrypt_gcm(key, to, counter, from, length);
}

/* Encrypts the block that hides the hash, and as many of the message's first bytes as are encrypted with it. */
static void encrypt_head(const struct gcm_key *key, const uint8_t nonce[12], uint8_t head[FOUR_BLOCKS], const uint8_t *text,
                         size_t length)
{
    uint8_t from[FOUR_BLOCKS] = { 0 };
    copy(from + HIDING, text, length < FOUR_BLOCKS - HIDING ? length : FOUR_BLOCKS - HIDING);
    encrypt_groups(key, nonce, 0, head, from, FOUR_BLOCKS);
    wipe(from, sizeof from);
}

/* Puts the first bytes in their place, and encrypts the others. */
static void encrypt_rest(const struct gcm_key *key, const uint8_t nonce[12], const uint8_t head[FOUR_BLOCKS], uint8_t *text,
                         size_t length)
{
    uint8_t last[FOUR_BLOCKS] = { 0 }, encrypted[FOUR_BLOCKS];
    size_t whole, first = length < FOUR_BLOCKS - HIDING ? length : FOUR_BLOCKS - HIDING;
    copy(text, head + HIDING, first);
    length -= first;
    if (length == 0)
        return;
    text += first;
    whole = length / FOUR_BLOCKS * FOUR_BLOCKS;
    encrypt_groups(key, nonce, 1, text, text, whole);
    if (length != whole) {
        memcpy(last, text + whole, length - whole);
        encrypt_groups(key, nonce, 1 + whole / FOUR_BLOCKS, encrypted, last, FOUR_BLOCKS);
        memcpy(text + whole, encrypted, length - whole);
    }
    wipe(last, sizeof last);
    wipe(encrypted, sizeof encrypted);
}

/* Absorbs a part that is padded with zeros to whole blocks: section 6.4. */
static void absorb_ghash(const struct gcm_key *key, uint8_t hash[16], const uint8_t *part, size_t length)
{
    uint8_t before[16];
    if (length == 0)
        return;
    memcpy(before, hash, 16);
    kernel_ghash_absorb(hash, before, key->hash_key, part, length);
    wipe(before, 16);
}

static void tag_gcm(const struct gcm_key *key, uint8_t tag[16], const uint8_t head[FOUR_BLOCKS], const uint8_t *additional,
                    size_t additional_length, const uint8_t *sealed, size_t length)
{
    uint8_t hash[16] = { 0 }, lengths[16];
    absorb_ghash(key, hash, additional, additional_length);
    absorb_ghash(key, hash, sealed, length);
    store_be_64(lengths, 8 * (uint64_t)additional_length);
    store_be_64(lengths + 8, 8 * (uint64_t)length);
    absorb_ghash(key, hash, lengths, 16);
    kernel_aes_gcm_tag(tag, hash, head);
    wipe(hash, 16);
}

/* Whether a message and its additional data can be sealed, the tag beside them. */
static int is_sealable(const uint8_t *sealed, const uint8_t *tag, const struct gcm_text *message)
{
    return message->nonce != NULL && tag != NULL && is_within(message->length, GCM_LIMIT) &&
           is_within(message->additional_length, GCM_ADDITIONAL_LIMIT) &&
           is_given(message->additional, message->additional_length) && is_apart(tag, 16, sealed, message->length) &&
           is_apart(message->additional, message->additional_length, sealed, message->length);
}

static int seal_gcm(const struct gcm_key *key, uint8_t *sealed, uint8_t tag[16], const struct gcm_text *message)
{
    uint8_t head[FOUR_BLOCKS], nonce[12];
    memcpy(nonce, message->nonce, 12);
    if (move_text(sealed, message->text, message->length) != 0)
        return -1;
    encrypt_head(key, nonce, head, sealed, message->length);
    encrypt_rest(key, nonce, head, sealed, message->length);
    tag_gcm(key, tag, head, message->additional, message->additional_length, sealed, message->length);
    wipe(head, sizeof head);
    return 0;
}

/* Whether a tag, a nonce and the additional data are given, those beside the message. */
static int is_openable(const uint8_t *message, const uint8_t *tag, const struct gcm_text *sealed)
{
    return sealed->nonce != NULL && tag != NULL && is_given(sealed->additional, sealed->additional_length) &&
           is_apart(sealed->additional, sealed->additional_length, message, sealed->length);
}

static int open_gcm(const struct gcm_key *key, uint8_t *message, const uint8_t tag[16], const struct gcm_text *sealed)
{
    uint8_t expected[16], made[16], head[FOUR_BLOCKS], nonce[12];
    size_t length = sealed->length;
    int is_good = 0;
    memcpy(expected, tag, 16);
    memcpy(nonce, sealed->nonce, 12);
    if (move_text(message, sealed->text, length) != 0)
        return -1;
    if (is_within(length, GCM_LIMIT) && is_within(sealed->additional_length, GCM_ADDITIONAL_LIMIT)) {
        encrypt_head(key, nonce, head, message, length);
        tag_gcm(key, made, head, sealed->additional, sealed->additional_length, message, length);
        is_good = is_equal(made, expected, 16);
        if (is_good)
            encrypt_rest(key, nonce, head, message, length);
        wipe(made, 16);
        wipe(head, sizeof head);
    }
    if (!is_good)
        wipe(message, length);
    return is_good ? 0 : -1;
}

#define AES_GCM(name, key_bytes)                                                                              \
    int culet_##name##_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length,          \
                            const uint8_t *additional, size_t additional_length, const uint8_t nonce[12],     \
                            const uint8_t key[key_bytes])                                                     \
    {                                                                                                         \
        struct gcm_text text = { message, length, additional, additional_length, nonce };                     \
        struct gcm_key spread;                                                                                \
        int result;                                                                                           \
        if (key == NULL || !is_sealable(sealed, tag, &text))                                                  \
            return -1;                                                                                        \
        spread_gcm(&spread, key, key_bytes);                                                                  \
        result = seal_gcm(&spread, sealed, tag, &text);                                                       \
        wipe(&spread, sizeof spread);                                                                         \
        return result;                                                                                        \
    }                                                                                                         \
                                                                                                              \
    int culet_##name##_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16],    \
                            const uint8_t *additional, size_t additional_length, const uint8_t nonce[12],     \
                            const uint8_t key[key_bytes])                                                     \
    {                                                                                                         \
        struct gcm_text text = { sealed, length, additional, additional_length, nonce };                      \
        struct gcm_key spread;                                                                                \
        int result;                                                                                           \
        if (key == NULL || !is_openable(message, tag, &text))                                                 \
            return -1;                                                                                        \
        spread_gcm(&spread, key, key_bytes);                                                                  \
        result = open_gcm(&spread, message, tag, &text);                                                      \
        wipe(&spread, sizeof spread);                                                                         \
        return result;                                                                                        \
    }                                                                                                         \
                                                                                                              \
    int culet_##name##_init(culet_##name##_context *context, const uint8_t key[key_bytes])                    \
    {                                                                                                         \
        return start_gcm(context == NULL ? NULL : context->opaque, key, key_bytes);                           \
    }                                                                                                         \
                                                                                                              \
    int culet_##name##_seal_with(const culet_##name##_context *context, uint8_t *sealed, uint8_t tag[16],     \
                                 const uint8_t *message, size_t length, const uint8_t *additional,            \
                                 size_t additional_length, const uint8_t nonce[12])                           \
    {                                                                                                         \
        struct gcm_text text = { message, length, additional, additional_length, nonce };                     \
        struct gcm_key key;                                                                                   \
        int result;                                                                                           \
        if (context == NULL || !is_sealable(sealed, tag, &text) || !is_apart(tag, 16, context, sizeof *context) || \
            key_in(&key, context->opaque, key_bytes, sealed, length) != 0)                                    \
            return -1;                                                                                        \
        result = seal_gcm(&key, sealed, tag, &text);                                                          \
        wipe(&key, sizeof key);                                                                               \
        return result;                                                                                        \
    }                                                                                                         \
                                                                                                              \
    int culet_##name##_open_with(const culet_##name##_context *context, uint8_t *message, const uint8_t *sealed, \
                                 size_t length, const uint8_t tag[16], const uint8_t *additional,             \
                                 size_t additional_length, const uint8_t nonce[12])                           \
    {                                                                                                         \
        struct gcm_text text = { sealed, length, additional, additional_length, nonce };                      \
        struct gcm_key key;                                                                                   \
        int result;                                                                                           \
        if (context == NULL || !is_openable(message, tag, &text) ||                                           \
            key_in(&key, context->opaque, key_bytes, message, length) != 0)                                   \
            return -1;                                                                                        \
        result = open_gcm(&key, message, tag, &text);                                                         \
        wipe(&key, sizeof key);                                                                               \
        return result;                                                                                        \
    }

AES_GCM(aes128gcm, 16)
AES_GCM(aes256gcm, 32)

#endif
