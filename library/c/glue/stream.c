/* Stream ciphers: ChaCha20, RFC 8439, section 2.4; XChaCha20, draft-irtf-cfrg-xchacha-03; Salsa20 and XSalsa20. */

/* A key stream: its kernel, which changes whole blocks in place, key and nonce, and the number of its bytes. */
struct stream {
    void (*blocks)(const struct stream *stream, uint64_t block, uint8_t *text, size_t length);
    uint8_t key[32], nonce[12];
    uint64_t limit;
};

/* Applies a part of one block, which begins at an offset in it. */
static void apply_to_part(const struct stream *stream, uint64_t block, size_t offset, uint8_t *part, size_t length)
{
    uint8_t whole[64] = { 0 };
    memcpy(whole + offset, part, length);
    stream->blocks(stream, block, whole, 64);
    memcpy(part, whole + offset, length);
    wipe(whole, 64);
}

/* Adds the key stream from a position on to bytes in place. */
static void apply(const struct stream *stream, uint64_t position, uint8_t *data, size_t length)
{
    uint64_t block = position / 64;
    size_t offset = (size_t)(position % 64), whole;
    if (offset != 0 && length != 0) {
        size_t taken = 64 - offset < length ? 64 - offset : length;
        apply_to_part(stream, block, offset, data, taken);
        block++;
        length -= taken;
        if (length != 0)
            data += taken;
    }
    if (length == 0)
        return;
    whole = length / 64 * 64;
    stream->blocks(stream, block, data, whole);
    if (length != whole)
        apply_to_part(stream, block + whole / 64, 0, data + whole, length - whole);
}

#define STREAM_CIPHER(name, nonce_bytes)                                                           \
    int culet_##name(uint8_t *out, const uint8_t *text, size_t length, uint64_t block,             \
                     const uint8_t nonce[nonce_bytes], const uint8_t key[32])                      \
    {                                                                                              \
        struct stream stream;                                                                      \
        int is_good;                                                                               \
        if (nonce == NULL || key == NULL || block > UINT64_MAX / 64)                               \
            return -1;                                                                             \
        start_##name(&stream, key, nonce);                                                         \
        is_good = 64 * block <= stream.limit && length <= stream.limit - 64 * block;               \
        if (is_good && move_text(out, text, length) == 0)                                          \
            apply(&stream, 64 * block, out, length);                                               \
        else                                                                                       \
            is_good = 0;                                                                           \
        wipe(&stream, sizeof stream);                                                              \
        return is_good ? 0 : -1;                                                                   \
    }

#if !defined(CULET_WITHOUT_CHACHA20)

#include "kernels/chacha20.c"
#include "kernels/hchacha20.c"

static void chacha20_blocks(const struct stream *stream, uint64_t block, uint8_t *text, size_t length)
{
    uint8_t counter[8];
    store_le_64(counter, block);
    kernel_chacha20(text, stream->key, counter, stream->nonce, text, length);
}

static void start_chacha20(struct stream *stream, const uint8_t key[32], const uint8_t nonce[12])
{
    stream->blocks = chacha20_blocks;
    stream->limit = UINT64_C(1) << 38;
    memcpy(stream->key, key, 32);
    memcpy(stream->nonce, nonce, 12);
}

/* draft-irtf-cfrg-xchacha-03, section 2.3. */
static void start_xchacha20(struct stream *stream, const uint8_t key[32], const uint8_t nonce[24])
{
    stream->blocks = chacha20_blocks;
    stream->limit = UINT64_C(1) << 38;
    kernel_hchacha20(stream->key, key, nonce);
    memset(stream->nonce, 0, 4);
    memcpy(stream->nonce + 4, nonce + 16, 8);
}

STREAM_CIPHER(chacha20, 12)
STREAM_CIPHER(xchacha20, 24)

#endif
#if !defined(CULET_WITHOUT_SALSA20)

#include "kernels/salsa20.c"
#include "kernels/hsalsa20.c"

static void salsa20_blocks(const struct stream *stream, uint64_t block, uint8_t *text, size_t length)
{
    uint8_t counter[8];
    store_le_64(counter, block);
    kernel_salsa20(text, stream->key, stream->nonce, counter, text, length);
}

static void start_salsa20(struct stream *stream, const uint8_t key[32], const uint8_t nonce[8])
{
    stream->blocks = salsa20_blocks;
    stream->limit = UINT64_MAX;
    memcpy(stream->key, key, 32);
    memcpy(stream->nonce, nonce, 8);
}

/* "Extending the Salsa20 nonce", section 2. */
static void start_xsalsa20(struct stream *stream, const uint8_t key[32], const uint8_t nonce[24])
{
    stream->blocks = salsa20_blocks;
    stream->limit = UINT64_MAX;
    kernel_hsalsa20(stream->key, key, nonce);
    memcpy(stream->nonce, nonce + 16, 8);
}

STREAM_CIPHER(salsa20, 8)
STREAM_CIPHER(xsalsa20, 24)

#endif
