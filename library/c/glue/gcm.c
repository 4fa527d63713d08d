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

/* The kernel of one length of keys, its round keys, the key of GHASH, and the nonce of a message. */
struct gcm {
    void (*encrypt)(uint8_t *to, const uint8_t *round_keys, const uint8_t counter[16], const uint8_t *from, size_t length);
    uint8_t round_keys[960], hash_key[16], nonce[12];
};

static void encrypt_aes128(uint8_t *to, const uint8_t *round_keys, const uint8_t counter[16], const uint8_t *from, size_t length)
{
    kernel_aes128_ctr(to, round_keys, counter, from, length);
}

static void encrypt_aes256(uint8_t *to, const uint8_t *round_keys, const uint8_t counter[16], const uint8_t *from, size_t length)
{
    kernel_aes256_ctr(to, round_keys, counter, from, length);
}

static void start_gcm(struct gcm *gcm, const uint8_t nonce[12])
{
    uint8_t zeros[FOUR_BLOCKS] = { 0 }, encrypted[FOUR_BLOCKS];
    gcm->encrypt(encrypted, gcm->round_keys, zeros, zeros, FOUR_BLOCKS);
    memcpy(gcm->hash_key, encrypted, 16);
    memcpy(gcm->nonce, nonce, 12);
    wipe(encrypted, sizeof encrypted);
}

static void start_aes128gcm(struct gcm *gcm, const uint8_t key[16], const uint8_t nonce[12])
{
    gcm->encrypt = encrypt_aes128;
    kernel_aes128_keys(gcm->round_keys, key);
    start_gcm(gcm, nonce);
}

static void start_aes256gcm(struct gcm *gcm, const uint8_t key[32], const uint8_t nonce[12])
{
    gcm->encrypt = encrypt_aes256;
    kernel_aes256_keys(gcm->round_keys, key);
    start_gcm(gcm, nonce);
}

/* Encrypts whole groups of four blocks, of which the first is number `group`. Counters begin with 1. */
static void encrypt_groups(const struct gcm *gcm, uint64_t group, uint8_t *to, const uint8_t *from, size_t length)
{
    uint8_t counter[16], number[8];
    store_be_64(number, 4 * group + 1);
    memcpy(counter, gcm->nonce, 12);
    memcpy(counter + 12, number + 4, 4);
    gcm->encrypt(to, gcm->round_keys, counter, from, length);
}

/* Encrypts the block that hides the hash, and as many of the message's first bytes as are encrypted with it. */
static void encrypt_head(const struct gcm *gcm, uint8_t head[FOUR_BLOCKS], const uint8_t *text, size_t length)
{
    uint8_t from[FOUR_BLOCKS] = { 0 };
    copy(from + HIDING, text, length < FOUR_BLOCKS - HIDING ? length : FOUR_BLOCKS - HIDING);
    encrypt_groups(gcm, 0, head, from, FOUR_BLOCKS);
    wipe(from, sizeof from);
}

/* Puts the first bytes in their place, and encrypts the others. */
static void encrypt_rest(const struct gcm *gcm, const uint8_t head[FOUR_BLOCKS], uint8_t *text, size_t length)
{
    uint8_t copied[1024], last[FOUR_BLOCKS] = { 0 }, encrypted[FOUR_BLOCKS];
    uint64_t group = 1;
    size_t first = length < FOUR_BLOCKS - HIDING ? length : FOUR_BLOCKS - HIDING;
    copy(text, head + HIDING, first);
    length -= first;
    if (length == 0)
        return;
    text += first;
    while (length >= FOUR_BLOCKS) {
        size_t taken = length < sizeof copied ? length / FOUR_BLOCKS * FOUR_BLOCKS : sizeof copied;
        memcpy(copied, text, taken);
        encrypt_groups(gcm, group, text, copied, taken);
        group += taken / FOUR_BLOCKS;
        text += taken;
        length -= taken;
    }
    if (length != 0) {
        memcpy(last, text, length);
        encrypt_groups(gcm, group, encrypted, last, FOUR_BLOCKS);
        memcpy(text, encrypted, length);
    }
    wipe(copied, sizeof copied);
    wipe(last, sizeof last);
    wipe(encrypted, sizeof encrypted);
}

/* Absorbs a part that is padded with zeros to whole blocks: section 6.4. */
static void absorb_ghash(const struct gcm *gcm, uint8_t hash[16], const uint8_t *part, size_t length)
{
    uint8_t before[16];
    if (length == 0)
        return;
    memcpy(before, hash, 16);
    kernel_ghash_absorb(hash, before, gcm->hash_key, part, length);
    wipe(before, 16);
}

static void tag_gcm(const struct gcm *gcm, uint8_t tag[16], const uint8_t head[FOUR_BLOCKS], const uint8_t *additional,
                    size_t additional_length, const uint8_t *sealed, size_t length)
{
    uint8_t hash[16] = { 0 }, lengths[16];
    absorb_ghash(gcm, hash, additional, additional_length);
    absorb_ghash(gcm, hash, sealed, length);
    store_be_64(lengths, 8 * (uint64_t)additional_length);
    store_be_64(lengths + 8, 8 * (uint64_t)length);
    absorb_ghash(gcm, hash, lengths, 16);
    kernel_aes_gcm_tag(tag, hash, head);
    wipe(hash, 16);
}

#define AES_GCM(name, key_bytes)                                                                   \
    int culet_##name##_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length, \
                            const uint8_t *additional, size_t additional_length, const uint8_t nonce[12], \
                            const uint8_t key[key_bytes])                                          \
    {                                                                                              \
        struct gcm gcm;                                                                            \
        uint8_t head[FOUR_BLOCKS];                                                                 \
        int is_good;                                                                               \
        if (key == NULL || nonce == NULL || tag == NULL || !is_within(length, GCM_LIMIT) ||                   \
            !is_within(additional_length, GCM_ADDITIONAL_LIMIT))                                              \
            return -1;                                                                             \
        if (!is_given(additional, additional_length) || !is_apart(tag, 16, sealed, length) ||      \
            !is_apart(additional, additional_length, sealed, length))                              \
            return -1;                                                                             \
        start_##name(&gcm, key, nonce);                                                            \
        is_good = move_text(sealed, message, length) == 0;                                         \
        if (is_good) {                                                                             \
            encrypt_head(&gcm, head, sealed, length);                                              \
            encrypt_rest(&gcm, head, sealed, length);                                              \
            tag_gcm(&gcm, tag, head, additional, additional_length, sealed, length);               \
            wipe(head, sizeof head);                                                               \
        }                                                                                          \
        wipe(&gcm, sizeof gcm);                                                                    \
        return is_good ? 0 : -1;                                                                   \
    }                                                                                              \
                                                                                                   \
    int culet_##name##_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16], \
                            const uint8_t *additional, size_t additional_length, const uint8_t nonce[12], \
                            const uint8_t key[key_bytes])                                          \
    {                                                                                              \
        struct gcm gcm;                                                                            \
        uint8_t expected[16], made[16], head[FOUR_BLOCKS];                                         \
        int is_good = 0;                                                                           \
        if (key == NULL || nonce == NULL || tag == NULL || !is_given(additional, additional_length) || \
            !is_apart(additional, additional_length, message, length))                             \
            return -1;                                                                             \
        memcpy(expected, tag, 16);                                                                 \
        start_##name(&gcm, key, nonce);                                                            \
        if (move_text(message, sealed, length) == 0) {                                             \
            if (is_within(length, GCM_LIMIT) && is_within(additional_length, GCM_ADDITIONAL_LIMIT)) {                \
                encrypt_head(&gcm, head, message, length);                                         \
                tag_gcm(&gcm, made, head, additional, additional_length, message, length);         \
                is_good = is_equal(made, expected, 16);                                            \
                if (is_good)                                                                       \
                    encrypt_rest(&gcm, head, message, length);                                     \
                wipe(made, 16);                                                                    \
                wipe(head, sizeof head);                                                           \
            }                                                                                      \
            if (!is_good)                                                                          \
                wipe(message, length);                                                             \
        }                                                                                          \
        wipe(&gcm, sizeof gcm);                                                                    \
        return is_good ? 0 : -1;                                                                   \
    }

AES_GCM(aes128gcm, 16)
AES_GCM(aes256gcm, 32)

#endif
