/* The functions that C compilers call without being asked, and the console. */
#include "board.h"

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    uint8_t *a = to;
    const uint8_t *b = from;
    if ((((uintptr_t)a | (uintptr_t)b) & 3) == 0) {
        for (; size >= 4; size -= 4, a += 4, b += 4)
            *(uint32_t *)(void *)a = *(const uint32_t *)(const void *)b;
    }
    while (size--)
        *a++ = *b++;
    return to;
}

void *memset(void *to, int byte, size_t size)
{
    uint8_t *a = to;
    while (size--)
        *a++ = (uint8_t)byte;
    return to;
}

void write_hex(const uint8_t *bytes, size_t length)
{
    char digits[3] = {0};
    for (size_t i = 0; i < length; i++) {
        digits[0] = "0123456789abcdef"[bytes[i] >> 4];
        digits[1] = "0123456789abcdef"[bytes[i] & 15];
        write_text(digits);
    }
    write_text("\n");
}
