/* Computes the tag of one message of as many bytes as the argument says. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

void poly1305(uint8_t tag[16], const uint8_t key[32], const uint8_t *msg, size_t length);

static uint8_t message[16384], tag[16];
static const uint8_t key[32] = { 1, 2, 3 };

int main(int count, char **arguments)
{
    poly1305(tag, key, message, count > 1 ? (size_t)atoi(arguments[1]) : 0);
    return tag[0] == 0 && tag[1] == 0 && tag[2] == 0;
}
