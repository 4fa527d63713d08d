/*
 * Signs files, and verifies them: each signature is a file of its own.
 *
 *     sign key SECRET PUBLIC               makes a key pair; neither file may be there, and nobody else may read the secret one
 *     sign sign SECRET FILE SIGNATURE      signs a file
 *     sign verify PUBLIC FILE SIGNATURE    verifies it: 0 if it is good, 1 if not, 2 if a file is not what it must be
 *
 *     cc sign.c -lculet -o sign
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <culet.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GOOD = 0, BAD = 1, TROUBLE = 2 };

/* Says what the operating system said of a file, or else what is wrong with it. */
static int trouble(const char *name, const char *wrong) {
    fprintf(stderr, "%s: %s\n", name, errno != 0 ? strerror(errno) : wrong);
    return TROUBLE;
}

/* Reads a whole file; the caller frees it. Null if that is not possible. */
static uint8_t *read_file(const char *name, size_t *length) {
    errno = 0;
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

/* Reads a key, which has 32 bytes. */
static int read_key(const char *name, uint8_t key[32]) {
    size_t found = 0;
    uint8_t *read = read_file(name, &found);
    int is_right = read != NULL && found == 32;
    if (is_right)
        memcpy(key, read, 32);
    if (read != NULL)
        culet_wipe(read, found);
    free(read);
    return is_right;
}

static int write_file(int descriptor, const uint8_t *bytes, size_t length) {
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (file == NULL)
        return 0;
    size_t written = fwrite(bytes, 1, length, file);
    return fclose(file) == 0 && written == length;
}

/* Makes a file that is not there yet, and writes it, or leaves none. */
static int write_new_file(const char *name, mode_t mode, const uint8_t bytes[32]) {
    errno = 0;
    int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL, mode);
    int is_written = write_file(descriptor, bytes, 32);
    if (descriptor >= 0 && !is_written)
        unlink(name);
    return is_written;
}

static int make_keys(const char *secret, const char *public) {
    uint8_t seed[CULET_ED25519_SEED_BYTES], public_key[CULET_ED25519_PUBLIC_KEY_BYTES];
    const char *refused = NULL;
    errno = 0;
    if (culet_random(seed, sizeof seed) != 0 || culet_ed25519_public_key(public_key, seed) != 0) {
        refused = "random bytes";
    } else if (!write_new_file(secret, 0600, seed)) {
        refused = secret;
    } else if (!write_new_file(public, 0644, public_key)) {
        refused = public;
    }
    culet_wipe(seed, sizeof seed);
    if (refused == NULL)
        return GOOD;
    int result = trouble(refused, "there are none");
    if (refused == public)
        unlink(secret);
    return result;
}

static int sign(const char *secret, const char *name, const char *signature_name) {
    uint8_t seed[CULET_ED25519_SEED_BYTES], signature[CULET_ED25519_SIGNATURE_BYTES];
    size_t length = 0;
    if (!read_key(secret, seed))
        return trouble(secret, "no secret key, which has 32 bytes");
    uint8_t *message = read_file(name, &length);
    int is_signed = message != NULL && culet_ed25519_sign(signature, message, length, seed) == 0;
    culet_wipe(seed, sizeof seed);
    free(message);
    if (!is_signed)
        return trouble(name, "it cannot be signed");
    errno = 0;
    int descriptor = open(signature_name, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    return write_file(descriptor, signature, sizeof signature) ? GOOD : trouble(signature_name, "it cannot be written");
}

/* What has not as many bytes as a signature is none. */
static int verify(const char *public, const char *name, const char *signature_name) {
    uint8_t public_key[CULET_ED25519_PUBLIC_KEY_BYTES];
    size_t length = 0, signature_length = 0;
    if (!read_key(public, public_key))
        return trouble(public, "no public key, which has 32 bytes");
    uint8_t *signature = read_file(signature_name, &signature_length);
    if (signature == NULL)
        return trouble(signature_name, "it cannot be read");
    uint8_t *message = read_file(name, &length);
    int is_read = message != NULL;
    int is_good = is_read && signature_length == CULET_ED25519_SIGNATURE_BYTES &&
                  culet_ed25519_verify(signature, message, length, public_key) == 0;
    free(signature);
    if (!is_read)
        return trouble(name, "it cannot be read");
    free(message);
    puts(is_good ? "good" : "BAD");
    return is_good ? GOOD : BAD;
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
