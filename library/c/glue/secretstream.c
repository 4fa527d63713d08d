/* Messages in order, as libsodium's secretstream: XChaCha20 with a nonce that each message changes, and Poly1305. */

#if !defined(WITHOUT_SECRETSTREAM)

/* After its mark, a context holds its side, the key, and the nonce of the next message: its number, of four bytes, and eight bytes that each
 * message changes. */
enum { SIDE = 1, SECRETSTREAM_KEY = 2, SECRETSTREAM_NONCE = 6, SECRETSTREAM_WORDS = 16 };

enum { SEALS, OPENS };

/* Block 0 makes the key of Poly1305, block 1 encrypts the kind, and the message has the rest of 2^32 blocks. */
#define SECRETSTREAM_LIMIT ((UINT64_C(1) << 38) - 128)

static void take_stream(struct stream *stream, const uint64_t *context)
{
    start_chacha20(stream, (const uint8_t *)(context + SECRETSTREAM_KEY), (const uint8_t *)(context + SECRETSTREAM_NONCE));
}

/* Keeps the key and the nonce, and erases the copy. */
static void keep_stream(struct stream *stream, uint64_t *context)
{
    memcpy(context + SECRETSTREAM_KEY, stream->key, 32);
    memcpy(context + SECRETSTREAM_NONCE, stream->nonce, 12);
    wipe(stream, sizeof *stream);
}

static void set_number(struct stream *stream, uint32_t number)
{
    uint8_t bytes[8];
    store_le_64(bytes, number);
    memcpy(stream->nonce, bytes, 4);
}

static int start_secretstream(uint64_t *context, uint64_t side, const uint8_t header[24], const uint8_t key[32])
{
    struct stream stream;
    if (!is_context(context) || header == NULL || key == NULL)
        return -1;
    start_xchacha20(&stream, key, header);
    set_number(&stream, 1);
    prepare(context, 8 * SECRETSTREAM_WORDS);
    context[SIDE] = side;
    keep_stream(&stream, context);
    return 0;
}

/* Encrypts the key and the last bytes of the nonce with themselves; numbers begin at 1 again. */
static void rekey(struct stream *stream)
{
    uint8_t made[40];
    memcpy(made, stream->key, 32);
    memcpy(made + 32, stream->nonce + 4, 8);
    apply(stream, 0, made, 40);
    memcpy(stream->key, made, 32);
    memcpy(stream->nonce + 4, made + 32, 8);
    set_number(stream, 1);
    wipe(made, 40);
}

/* Goes on to the next message. The key changes if the kind says so, and before a number is used twice. */
static void go_on(struct stream *stream, uint8_t kind, const uint8_t tag[16])
{
    uint32_t number = 0;
    int i;
    for (i = 0; i < 4; i++)
        number |= (uint32_t)stream->nonce[i] << 8 * i;
    for (i = 0; i < 8; i++)
        stream->nonce[4 + i] ^= tag[i];
    number = (number + 1) & UINT32_MAX;
    set_number(stream, number);
    if ((kind & CULET_SECRETSTREAM_REKEY) != 0 || number == 0)
        rekey(stream);
}

/* Block 1, which the kind begins, encrypted or decrypted. */
static void encrypt_kind(const struct stream *stream, uint8_t block[64], uint8_t kind)
{
    memset(block, 0, 64);
    block[0] = kind;
    chacha20_blocks(stream, 1, block, 64);
}

/* The state of Poly1305 after all data and their lengths. Zeros fill the additional data up to whole blocks, and behind the message there are as
 * many zeros as bytes in its last block. */
static void authenticate_secretstream(const struct stream *stream, struct poly1305 *state, const uint8_t *additional,
                                      size_t additional_length, const uint8_t block[64], const uint8_t *sealed, size_t length)
{
    uint8_t last_of_additional[16] = { 0 }, last[48] = { 0 };
    size_t rest = additional_length % 16;
    memset(state, 0, sizeof *state);
    apply(stream, 0, state->key, 32);
    absorb_poly1305(state, additional, additional_length - rest);
    if (rest != 0) {
        memcpy(last_of_additional, additional + (additional_length - rest), rest);
        absorb_poly1305(state, last_of_additional, 16);
    }
    absorb_poly1305(state, block, 64);
    rest = length % 16;
    absorb_poly1305(state, sealed, length - rest);
    if (rest != 0)
        memcpy(last, sealed + (length - rest), rest);
    store_le_64(last + 2 * rest, additional_length);
    store_le_64(last + 2 * rest + 8, (uint64_t)length + 64);
    absorb_poly1305(state, last, 2 * rest + 16);
}

/* Whether a text and its additional data lie where they may: apart from the context, and the latter from the output. */
static int is_message(const uint64_t *context, const uint8_t *out, size_t out_length, const uint8_t *text, size_t text_length,
                      const uint8_t *additional, size_t additional_length)
{
    size_t size = 8 * SECRETSTREAM_WORDS;
    return is_prepared(context) && is_given(additional, additional_length) && is_apart(out, out_length, context, size) &&
           is_apart(text, text_length, context, size) && is_apart(additional, additional_length, context, size) &&
           is_apart(additional, additional_length, out, out_length);
}

int culet_secretstream_seal_init(culet_secretstream *context, const uint8_t header[24], const uint8_t key[32])
{
    return context == NULL ? -1 : start_secretstream(context->opaque, SEALS, header, key);
}

int culet_secretstream_open_init(culet_secretstream *context, const uint8_t header[24], const uint8_t key[32])
{
    return context == NULL ? -1 : start_secretstream(context->opaque, OPENS, header, key);
}

int culet_secretstream_seal(culet_secretstream *context, uint8_t *sealed, uint8_t kind, const uint8_t *message, size_t length,
                            const uint8_t *additional, size_t additional_length)
{
    struct stream stream;
    struct poly1305 state;
    uint8_t block[64], tag[16];
    if (context == NULL || sealed == NULL || !is_within(length, SECRETSTREAM_LIMIT) || length > PTRDIFF_MAX - 17)
        return -1;
    if (!is_message(context->opaque, sealed, length + 17, message, length, additional, additional_length))
        return -1;
    if (move_text(sealed + 1, message, length) != 0)
        return -1;
    if (context->opaque[SIDE] != SEALS) {
        wipe(sealed + 1, length);
        return -1;
    }
    take_stream(&stream, context->opaque);
    encrypt_kind(&stream, block, kind);
    apply(&stream, 128, sealed + 1, length);
    authenticate_secretstream(&stream, &state, additional, additional_length, block, sealed + 1, length);
    end_poly1305(&state, tag);
    sealed[0] = block[0];
    memcpy(sealed + 1 + length, tag, 16);
    go_on(&stream, kind, tag);
    keep_stream(&stream, context->opaque);
    wipe(block, 64);
    return 0;
}

/* Opens a message of so many bytes in place, between its encrypted kind and its tag: -1 if it is not right. */
static int open_in_secretstream(uint64_t *context, uint8_t *kind, uint8_t *message, size_t length, uint8_t encrypted,
                                const uint8_t tag[16], const uint8_t *additional, size_t additional_length)
{
    struct stream stream;
    struct poly1305 state;
    uint8_t block[64];
    int result;
    if (context[SIDE] != OPENS || !is_within(length, SECRETSTREAM_LIMIT))
        return -1;
    take_stream(&stream, context);
    encrypt_kind(&stream, block, encrypted);
    *kind = block[0];
    block[0] = encrypted;
    authenticate_secretstream(&stream, &state, additional, additional_length, block, message, length);
    result = verify_poly1305(&state, tag);
    if (result == 0) {
        apply(&stream, 128, message, length);
        go_on(&stream, *kind, tag);
    }
    keep_stream(&stream, context);
    wipe(block, 64);
    return result;
}

int culet_secretstream_open(culet_secretstream *context, uint8_t *message, uint8_t *kind, const uint8_t *sealed, size_t length,
                            const uint8_t *additional, size_t additional_length)
{
    uint8_t encrypted, opened = 0, tag[16];
    size_t text;
    if (context == NULL || length < 17 || !is_given(sealed, length))
        return -1;
    text = length - 17;
    if (!is_message(context->opaque, message, text, sealed, length, additional, additional_length))
        return -1;
    encrypted = sealed[0];
    memcpy(tag, sealed + 1 + text, 16);
    if (move_text(message, sealed + 1, text) != 0)
        return -1;
    if (open_in_secretstream(context->opaque, &opened, message, text, encrypted, tag, additional, additional_length) != 0) {
        wipe(message, text);
        return -1;
    }
    if (kind != NULL)
        *kind = opened;
    return 0;
}

int culet_secretstream_rekey(culet_secretstream *context)
{
    struct stream stream;
    if (context == NULL || !is_prepared(context->opaque))
        return -1;
    take_stream(&stream, context->opaque);
    rekey(&stream);
    keep_stream(&stream, context->opaque);
    return 0;
}

#endif
