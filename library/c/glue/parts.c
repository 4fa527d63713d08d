/* Messages that come in parts: what all hashes and authentication codes do with their contexts.
 *
 * A context is an array of words: a mark that it is prepared, the number of bytes that were absorbed, the
 * number of bytes that wait, and a word for the operation's own use. The state follows, then as many bytes
 * as wait at most, then the operation's own bytes.
 */

enum { MARK, ABSORBED, WAITING, OWN, STATE };

/* The letters `culet` and the number of a layout. */
#define PREPARED UINT64_C(0x63756c6574000001)

/* An operation on messages that come in parts. */
struct parts {
    /* Bytes of a state, and of a block of the message. */
    size_t state, block;
    /* Whether a whole block waits until more comes, since the last one is absorbed otherwise. */
    int keeps_last;
    /* Absorbs whole blocks. */
    void (*absorb)(uint64_t *context, const uint8_t *blocks, size_t length);
};

struct place_of_word {
    char before;
    uint64_t word;
};

static uint8_t *state_of(uint64_t *context)
{
    return (uint8_t *)(context + STATE);
}

static uint8_t *waiting_in(const struct parts *parts, uint64_t *context)
{
    return state_of(context) + parts->state;
}

/* The operation's own bytes. */
static uint8_t *own_in(const struct parts *parts, uint64_t *context)
{
    return state_of(context) + parts->state + parts->block;
}

/* Whether a context can be prepared here. */
static int is_context(const uint64_t *context)
{
    return context != NULL && (uintptr_t)context % offsetof(struct place_of_word, word) == 0;
}

static int is_prepared(const uint64_t *context)
{
    return is_context(context) && context[MARK] == PREPARED;
}

/* Prepares a context of so many bytes. */
static void prepare(uint64_t *context, size_t size)
{
    memset(context, 0, size);
    context[MARK] = PREPARED;
}

/* Hands whole blocks of what waits and of `data` on, in order, and keeps the rest. */
static void add(const struct parts *parts, uint64_t *context, const uint8_t *data, size_t length)
{
    size_t block = parts->block, waits = (size_t)context[WAITING], whole;
    uint8_t *waiting = waiting_in(parts, context);
    if (waits != 0) {
        size_t taken = block - waits < length ? block - waits : length;
        copy(waiting + waits, data, taken);
        waits += taken;
        length -= taken;
        if (length != 0)
            data += taken;
        context[WAITING] = waits;
        if (waits < block || (parts->keeps_last && length == 0))
            return;
        parts->absorb(context, waiting, block);
    }
    whole = parts->keeps_last && length != 0 ? (length - 1) / block * block : length / block * block;
    if (whole != 0) {
        parts->absorb(context, data, whole);
        data += whole;
    }
    copy(waiting, data, length - whole);
    context[WAITING] = length - whole;
}

/* The next part of a message, as callers give it. */
static int update(const struct parts *parts, uint64_t *context, size_t size, const uint8_t *part, size_t length)
{
    if (!is_prepared(context) || !is_given(part, length) || !is_apart(part, length, context, size))
        return -1;
    add(parts, context, part, length);
    return 0;
}

/* Lets a kernel make the next state of the one in a context. */
#define NEXT_STATE(context, size, kernel_call)            \
    do {                                                  \
        uint8_t before[200], *next = state_of(context);   \
        memcpy(before, next, size);                       \
        kernel_call;                                      \
        wipe(before, size);                               \
    } while (0)
