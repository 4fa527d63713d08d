/* Checks and conversions for the test programs. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program with the place of what does not hold. */
#define CHECK(condition)                                                        \
    do {                                                                        \
        if (!(condition)) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);     \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

/* Whether bytes are those that hexadecimal digits say. */
#define CHECK_BYTES(bytes, digits) CHECK(has_digits((bytes), (digits)))

static inline int digit_value(char digit) {
    const char *digits = "0123456789abcdef";
    const char *found = strchr(digits, digit);
    CHECK(found != NULL && digit != 0);
    return (int)(found - digits);
}

/* Bytes from hexadecimal digits; returns their number. */
static inline size_t from_digits(unsigned char *bytes, const char *digits) {
    size_t length = strlen(digits) / 2;
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)(digit_value(digits[2 * i]) << 4 | digit_value(digits[2 * i + 1]));
    return length;
}

static inline int has_digits(const unsigned char *bytes, const char *digits) {
    for (size_t i = 0; i < strlen(digits) / 2; i++)
        if (bytes[i] != (digit_value(digits[2 * i]) << 4 | digit_value(digits[2 * i + 1])))
            return 0;
    return 1;
}

static inline int all_are(const unsigned char *bytes, size_t length, unsigned char value) {
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != value)
            return 0;
    return 1;
}

/* A null pointer that compilers do not see. */
static inline void *null_pointer(void) {
    void *volatile pointer = NULL;
    return pointer;
}

#endif
