/* Files and other long messages, segment by segment: STREAM over XChaCha20-Poly1305. */

#if !defined(WITHOUT_SEGMENT)

/* After its mark, a context holds the number of the next segment, the key, and the nonce of the message. */
enum { NEXT_SEGMENT = 1, SEGMENT_KEY = 2, SEGMENT_NONCE = 6, SEGMENT_WORDS = 16 };

/* The number of the last segment at most, and what stands in place of a number after a segment was refused. */
#define LAST_SEGMENT UINT32_MAX
#define NO_SEGMENT UINT64_MAX

/* A segment and its place: where it is written, with as many bytes as it has. */
struct segment {
    uint8_t *out;
    const uint8_t *text;
    size_t length;
    const uint8_t *additional;
    size_t additional_length;
};

static int start_segments(uint64_t *context, const uint8_t nonce[19], const uint8_t key[32])
{
    uint8_t copied_key[32], copied_nonce[19];
    if (!is_context(context) || nonce == NULL || key == NULL)
        return -1;
    memcpy(copied_key, key, 32);
    memcpy(copied_nonce, nonce, 19);
    prepare(context, 8 * SEGMENT_WORDS);
    memcpy(context + SEGMENT_KEY, copied_key, 32);
    memcpy(context + SEGMENT_NONCE, copied_nonce, 19);
    wipe(copied_key, 32);
    return 0;
}

/* Whether a segment lies apart from the context, and its additional data apart from the output. */
static int is_segment(const uint64_t *context, const struct segment *segment)
{
    size_t size = 8 * SEGMENT_WORDS;
    return is_prepared(context) && is_given(segment->additional, segment->additional_length) &&
           is_apart(segment->out, segment->length, context, size) &&
           is_apart(segment->text, segment->length, context, size) &&
           is_apart(segment->additional, segment->additional_length, context, size) &&
           is_apart(segment->additional, segment->additional_length, segment->out, segment->length);
}

/* The nonce of the next segment: that of the message, the segment's number, and whether it is the last one. There is none if the numbers are
 * used up, or a segment was refused. */
static int nonce_of_segment(uint8_t nonce[24], const uint64_t *context, int is_last)
{
    uint8_t number[8];
    store_be_64(number, context[NEXT_SEGMENT]);
    memcpy(nonce, context + SEGMENT_NONCE, 19);
    memcpy(nonce + 19, number + 4, 4);
    nonce[23] = (uint8_t)is_last;
    return context[NEXT_SEGMENT] < LAST_SEGMENT || (is_last && context[NEXT_SEGMENT] == LAST_SEGMENT);
}

static int seal_segment(uint64_t *context, const struct segment *segment, uint8_t tag[16], int is_last)
{
    uint8_t nonce[24];
    uint8_t *out = segment->out;
    size_t length = segment->length;
    int result = -1;
    if (tag == NULL || !is_within(length, CHACHA20_POLY1305_LIMIT) || !is_segment(context, segment) ||
        !is_apart(tag, 16, out, length) || !is_apart(tag, 16, context, 8 * SEGMENT_WORDS))
        return -1;
    if (move_text(out, segment->text, length) != 0)
        return -1;
    if (nonce_of_segment(nonce, context, is_last))
        result = culet_xchacha20poly1305_seal(out, tag, out, length, segment->additional, segment->additional_length,
                                              nonce, (const uint8_t *)(context + SEGMENT_KEY));
    if (result != 0)
        wipe(out, length);
    if (is_last)
        wipe(context, 8 * SEGMENT_WORDS);
    else if (result == 0)
        context[NEXT_SEGMENT]++;
    return result;
}

static int open_segment(uint64_t *context, const struct segment *segment, const uint8_t tag[16], int is_last)
{
    uint8_t nonce[24], expected[16];
    uint8_t *out = segment->out;
    size_t length = segment->length;
    int result = -1;
    if (tag == NULL || !is_segment(context, segment))
        return -1;
    memcpy(expected, tag, 16);
    if (move_text(out, segment->text, length) != 0)
        return -1;
    if (nonce_of_segment(nonce, context, is_last))
        result =
            culet_xchacha20poly1305_open(out, out, length, expected, segment->additional, segment->additional_length,
                                         nonce, (const uint8_t *)(context + SEGMENT_KEY));
    if (result != 0)
        wipe(out, length);
    if (is_last)
        wipe(context, 8 * SEGMENT_WORDS);
    else
        context[NEXT_SEGMENT] = result == 0 ? context[NEXT_SEGMENT] + 1 : NO_SEGMENT;
    return result;
}

int culet_segment_sealer_init(culet_segment_sealer *context, const uint8_t nonce[19], const uint8_t key[32])
{
    return context == NULL ? -1 : start_segments(context->opaque, nonce, key);
}

int culet_segment_opener_init(culet_segment_opener *context, const uint8_t nonce[19], const uint8_t key[32])
{
    return context == NULL ? -1 : start_segments(context->opaque, nonce, key);
}

#define SEAL_SEGMENT(name, is_last)                                                                \
    int culet_segment_##name(culet_segment_sealer *context, uint8_t *sealed, uint8_t tag[16],      \
                             const uint8_t *message, size_t length, const uint8_t *additional,     \
                             size_t additional_length)                                             \
    {                                                                                              \
        struct segment segment = { sealed, message, length, additional, additional_length };       \
        return context == NULL ? -1 : seal_segment(context->opaque, &segment, tag, is_last);       \
    }

#define OPEN_SEGMENT(name, is_last)                                                                \
    int culet_segment_##name(culet_segment_opener *context, uint8_t *message, const uint8_t *sealed, \
                             size_t length, const uint8_t tag[16], const uint8_t *additional,      \
                             size_t additional_length)                                             \
    {                                                                                              \
        struct segment segment = { message, sealed, length, additional, additional_length };       \
        return context == NULL ? -1 : open_segment(context->opaque, &segment, tag, is_last);       \
    }

SEAL_SEGMENT(seal, 0)
SEAL_SEGMENT(seal_last, 1)
OPEN_SEGMENT(open, 0)
OPEN_SEGMENT(open_last, 1)

#endif
