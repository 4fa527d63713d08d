/*
 * An operating system whose randomness ends, in place of the C library's function: of each request it gives the first half, and then an error.
 * Requests with flags are those of Rust's runtime, for seeds of tables, and are answered.
 */
#include <errno.h>
#include <string.h>
#include <sys/types.h>

ssize_t getrandom(void *out, size_t length, unsigned flags);

ssize_t getrandom(void *out, size_t length, unsigned flags) {
    static int is_second = 0;
    memset(out, 0x5a, flags != 0 ? length : is_second ? 0 : length / 2);
    if (flags != 0 || length == 0)
        return (ssize_t)length;
    is_second = !is_second;
    if (is_second && length / 2 != 0)
        return (ssize_t)(length / 2);
    is_second = 0;
    errno = EIO;
    return -1;
}
