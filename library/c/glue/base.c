/* Bytes, and what callers give: lengths, null pointers and overlaps. */

#include "kernels/equal_64.c"

/* The bytes are there, so far as that can be seen. */
static int is_given(const void *bytes, size_t length)
{
    return length == 0 || (bytes != NULL && length <= PTRDIFF_MAX);
}

/* Whether a length is within a limit, which may be beyond what a size_t holds. */
static int is_within(uint64_t length, uint64_t limit)
{
    return length <= limit;
}

/* Whether two arrays have no byte in common. */
static int is_apart(const void *a, size_t a_length, const void *b, size_t b_length)
{
    uintptr_t a_start = (uintptr_t)a, b_start = (uintptr_t)b;
    if (a_length == 0 || b_length == 0)
        return 1;
    return a_start < b_start ? b_start - a_start >= a_length : a_start - b_start >= b_length;
}

/* Copies bytes, of which there may be none. */
static void copy(uint8_t *to, const uint8_t *from, size_t length)
{
    if (length != 0)
        memcpy(to, from, length);
}

/* Moves a text to where its result will be: -1 if one of both is not there. */
static int move_text(uint8_t *to, const uint8_t *from, size_t length)
{
    if (!is_given(to, length) || !is_given(from, length))
        return -1;
    if (length != 0)
        memmove(to, from, length);
    return 0;
}

/* Overwrites memory in a way that compilers keep. */
static void wipe(void *memory, size_t length)
{
#if defined(__GNUC__)
    if (length != 0)
        memset(memory, 0, length);
    __asm__ __volatile__("" : : "r"(memory) : "memory");
#else
    volatile uint8_t *byte = (volatile uint8_t *)memory;
    while (length-- > 0)
        *byte++ = 0;
#endif
}

/* Copies a secret result to its place and erases it here: -1 if there is no place. */
static int give(uint8_t *place, uint8_t *made, size_t length)
{
    if (place != NULL)
        memcpy(place, made, length);
    wipe(made, length);
    return place == NULL ? -1 : 0;
}

static void store_le_64(uint8_t bytes[8], uint64_t word)
{
    int i;
    for (i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
}

static void store_be_64(uint8_t bytes[8], uint64_t word)
{
    int i;
    for (i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(word >> (56 - 8 * i));
}

/* Whether so many bytes are equal, in time that depends on their number only. */
static int is_equal(const uint8_t *a, const uint8_t *b, size_t length)
{
    uint8_t a_part[64], b_part[64], part_is_equal[1];
    unsigned all_are_equal = 1;
    do {
        size_t taken = length < 64 ? length : 64;
        memset(a_part, 0, 64);
        memset(b_part, 0, 64);
        copy(a_part, a, taken);
        copy(b_part, b, taken);
        kernel_equal_64(part_is_equal, a_part, b_part);
        all_are_equal &= part_is_equal[0];
        length -= taken;
        if (length != 0) {
            a += taken;
            b += taken;
        }
    } while (length != 0);
    wipe(a_part, 64);
    wipe(b_part, 64);
    return all_are_equal == 1;
}

const char *culet_version(void)
{
    return "0.1.0";
}

int culet_compare(const void *a, const void *b, size_t length)
{
    if (!is_given(a, length) || !is_given(b, length))
        return -1;
    return is_equal((const uint8_t *)a, (const uint8_t *)b, length) ? 0 : -1;
}

int culet_wipe(void *memory, size_t length)
{
    if (!is_given(memory, length))
        return -1;
    wipe(memory, length);
    return 0;
}

/* Random bytes, as the operating system has them. Without one, with -DCULET_WITHOUT_RANDOM, the program
 * defines culet_random, as culet.h declares it. */
#if !defined(CULET_WITHOUT_RANDOM)
#if defined(_WIN32)

static int random_from_system(uint8_t *out, size_t length)
{
    while (length != 0) {
        ULONG taken = length < 0x10000000 ? (ULONG)length : 0x10000000;
        if (BCryptGenRandom(NULL, out, taken, BCRYPT_USE_SYSTEM_PREFERRED_RNG) != 0)
            return -1;
        out += taken;
        length -= taken;
    }
    return 0;
}

#elif defined(__linux__)

static int random_from_system(uint8_t *out, size_t length)
{
    while (length != 0) {
        ssize_t taken = getrandom(out, length, 0);
        if (taken < 0 && errno == EINTR)
            continue;
        if (taken <= 0)
            return -1;
        out += taken;
        length -= (size_t)taken;
    }
    return 0;
}

#else

/* POSIX 2024, which the BSDs and macOS have had for long: 256 bytes at most. */
static int random_from_system(uint8_t *out, size_t length)
{
    while (length != 0) {
        size_t taken = length < 256 ? length : 256;
        if (getentropy(out, taken) != 0)
            return -1;
        out += taken;
        length -= taken;
    }
    return 0;
}

#endif

int culet_random(void *out, size_t length)
{
    if (!is_given(out, length))
        return -1;
    if (random_from_system((uint8_t *)out, length) == 0)
        return 0;
    wipe(out, length);
    return -1;
}
#endif
