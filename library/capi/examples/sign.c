/*
 * Signs files, and verifies them: each signature is a file of its own.
 *
 *     sign key SECRET PUBLIC               makes a key pair
 *     sign sign SECRET FILE SIGNATURE      signs a file
 *     sign verify PUBLIC FILE SIGNATURE    verifies it: 0 if it is good, 1 if not, 2 if a file cannot be read
 *
 *     cc sign.c -lculet -o sign
 */
#include <culet.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GOOD = 0, BAD = 1, TROUBLE = 2 };

static int trouble(const char *name) {
    perror(name);
    return TROUBLE;
}

/* Reads a whole file; the caller frees it. Null if that is not possible. */
static uint8_t *read_file(const char *name, size_t *length) {
    FILE *file = fopen(name, "rb");
    uint8_t *bytes = NULL;
    long size;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
        rewind(file);
        *length = (size_t)size;
        bytes = malloc(*length + 1);
        if (bytes != NULL && fread(bytes, 1, *length, file) != *length) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file != NULL)
        fclose(file);
    return bytes;
}

/* Reads a file that has to have this length. */
static int read_exactly(const char *name, uint8_t *bytes, size_t length) {
    size_t found = 0;
    uint8_t *read = read_file(name, &found);
    int is_right = read != NULL && found == length;
    if (is_right)
        memcpy(bytes, read, length);
    if (read != NULL)
        culet_wipe(read, found);
    free(read);
    return is_right;
}

static int write_file(const char *name, const uint8_t *bytes, size_t length) {
    FILE *file = fopen(name, "wb");
    if (file == NULL)
        return 0;
    size_t written = fwrite(bytes, 1, length, file);
    return fclose(file) == 0 && written == length;
}

static int make_keys(const char *secret, const char *public) {
    uint8_t seed[CULET_ED25519_SEED_BYTES], public_key[CULET_ED25519_PUBLIC_KEY_BYTES];
    int made = culet_random(seed, sizeof seed) == 0 && culet_ed25519_public_key(public_key, seed) == 0;
    int written = made && write_file(secret, seed, sizeof seed) && write_file(public, public_key, sizeof public_key);
    culet_wipe(seed, sizeof seed);
    return written ? GOOD : trouble(secret);
}

static int sign(const char *secret, const char *name, const char *signature_name) {
    uint8_t seed[CULET_ED25519_SEED_BYTES], signature[CULET_ED25519_SIGNATURE_BYTES];
    size_t length = 0;
    if (!read_exactly(secret, seed, sizeof seed))
        return trouble(secret);
    uint8_t *message = read_file(name, &length);
    int is_signed = message != NULL && culet_ed25519_sign(signature, message, length, seed) == 0;
    culet_wipe(seed, sizeof seed);
    free(message);
    if (!is_signed)
        return trouble(name);
    return write_file(signature_name, signature, sizeof signature) ? GOOD : trouble(signature_name);
}

static int verify(const char *public, const char *name, const char *signature_name) {
    uint8_t public_key[CULET_ED25519_PUBLIC_KEY_BYTES], signature[CULET_ED25519_SIGNATURE_BYTES];
    size_t length = 0;
    if (!read_exactly(public, public_key, sizeof public_key))
        return trouble(public);
    if (!read_exactly(signature_name, signature, sizeof signature))
        return trouble(signature_name);
    uint8_t *message = read_file(name, &length);
    if (message == NULL)
        return trouble(name);
    int verified = culet_ed25519_verify(signature, message, length, public_key);
    free(message);
    puts(verified == 0 ? "good" : "BAD");
    return verified == 0 ? GOOD : BAD;
}

int main(int count, char **words) {
    if (count == 4 && strcmp(words[1], "key") == 0)
        return make_keys(words[2], words[3]);
    if (count == 5 && strcmp(words[1], "sign") == 0)
        return sign(words[2], words[3], words[4]);
    if (count == 5 && strcmp(words[1], "verify") == 0)
        return verify(words[2], words[3], words[4]);
    fputs("usage: sign key SECRET PUBLIC | sign sign SECRET FILE SIGNATURE | sign verify PUBLIC FILE SIGNATURE\n", stderr);
    return TROUBLE;
}
