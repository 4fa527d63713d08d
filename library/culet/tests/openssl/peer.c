/*
 * OpenSSL's answers to lines `operation name argument ...`, where the name is OpenSSL's one of an algorithm or a curve, and arguments are
 * hexadecimal digits after a letter, so that none is empty. For each line it prints `yes output`, or `no ` where OpenSSL refuses.
 */
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/objects.h>
#include <openssl/param_build.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 14, MOST = 5, TAG = 16 };

static unsigned char a[MOST][LARGEST], out[LARGEST + TAG];
static size_t n[MOST];

/* Ends the program where a question is wrong, so that no mistake looks like a refusal. */
static void must(int condition, const char *what) {
    if (!condition) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

/* A number of two bytes. */
static size_t number(const unsigned char bytes[2]) {
    return (size_t)(bytes[0] << 8 | bytes[1]);
}

/* Message, and for digests of any length their length: the number of bytes of the digest, or -1. */
static int digest(const char *name, int is_extendable) {
    EVP_MD *md = EVP_MD_fetch(NULL, name, NULL);
    must(md != NULL, name);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    unsigned length = 0;
    int good = EVP_DigestInit_ex(context, md, NULL) == 1 && EVP_DigestUpdate(context, a[0], n[0]) == 1;
    if (is_extendable) {
        length = (unsigned)number(a[1]);
        good = good && EVP_DigestFinalXOF(context, out, length) == 1;
    } else {
        good = good && EVP_DigestFinal_ex(context, out, &length) == 1;
    }
    EVP_MD_CTX_free(context);
    EVP_MD_free(md);
    return good ? (int)length : -1;
}

/* Key and message; for `HMAC/SHA256` the digest is named, too, and for others the length of the tag is the third argument. */
static int mac(char *name) {
    char *of_hmac = strchr(name, '/');
    OSSL_PARAM parameters[2] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};
    size_t length = 0;
    if (of_hmac != NULL) {
        *of_hmac = 0;
        parameters[0] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, of_hmac + 1, 0);
    } else if (strcmp(name, "POLY1305") != 0) {
        length = number(a[2]);
        parameters[0] = OSSL_PARAM_construct_size_t(OSSL_MAC_PARAM_SIZE, &length);
    }
    EVP_MAC *algorithm = EVP_MAC_fetch(NULL, name, NULL);
    must(algorithm != NULL, name);
    EVP_MAC_CTX *context = EVP_MAC_CTX_new(algorithm);
    int good = EVP_MAC_init(context, a[0], n[0], parameters) == 1 && EVP_MAC_update(context, a[1], n[1]) == 1 &&
               EVP_MAC_final(context, out, &length, sizeof out) == 1;
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(algorithm);
    return good ? (int)length : -1;
}

/* Salt, secret, information and the length of the output. */
static int hkdf(char *name) {
    EVP_KDF *algorithm = EVP_KDF_fetch(NULL, "HKDF", NULL);
    must(algorithm != NULL, "HKDF");
    EVP_KDF_CTX *context = EVP_KDF_CTX_new(algorithm);
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, name, 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, a[0], n[0]),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, a[1], n[1]),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, a[2], n[2]),
        OSSL_PARAM_construct_end(),
    };
    size_t length = number(a[3]);
    int good = EVP_KDF_derive(context, out, length, parameters) == 1;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(algorithm);
    return good ? (int)length : -1;
}

/* Key, nonce, additional data and a message, or what was sealed with its tag. The block's number is part of the nonce of a bare stream. */
static int cipher(const char *name, int is_sealing, int has_tag) {
    EVP_CIPHER *algorithm = EVP_CIPHER_fetch(NULL, name, NULL);
    must(algorithm != NULL && n[0] == (size_t)EVP_CIPHER_get_key_length(algorithm), name);
    must(n[1] == (size_t)EVP_CIPHER_get_iv_length(algorithm) && (is_sealing || n[3] >= TAG), name);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    size_t message = n[3] - (is_sealing ? 0 : TAG);
    int written = 0, last = 0;
    int good = EVP_CipherInit_ex2(context, algorithm, a[0], a[1], is_sealing, NULL) == 1;
    if (!is_sealing)
        good = good && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, a[3] + message) == 1;
    if (n[2] != 0)
        good = good && EVP_CipherUpdate(context, NULL, &written, a[2], (int)n[2]) == 1;
    written = 0;
    if (message != 0)
        good = good && EVP_CipherUpdate(context, out, &written, a[3], (int)message) == 1;
    good = good && EVP_CipherFinal_ex(context, out + written, &last) == 1;
    written += last;
    if (is_sealing && has_tag) {
        good = good && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, out + written) == 1;
        written += TAG;
    }
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(algorithm);
    return good ? written : -1;
}

/* Whether a name is of a curve whose keys are bytes that OpenSSL takes as they are. */
static int has_raw_keys(const char *name) {
    return strcmp(name, "X25519") == 0 || strcmp(name, "ED25519") == 0;
}

static EC_GROUP *group_of(const char *name) {
    int identity = EC_curve_nist2nid(name);
    if (identity == NID_undef)
        identity = OBJ_sn2nid(name);
    EC_GROUP *group = identity == NID_undef ? NULL : EC_GROUP_new_by_curve_name(identity);
    must(group != NULL, name);
    return group;
}

/* A point's bytes in the long form: their number, or -1. */
static int write_point(const EC_GROUP *group, const EC_POINT *point) {
    size_t length = EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, out, sizeof out, NULL);
    return length == 0 ? -1 : (int)length;
}

/* The bytes of a point in either form. */
static int point(const char *name) {
    EC_GROUP *group = group_of(name);
    EC_POINT *found = EC_POINT_new(group);
    int length = EC_POINT_oct2point(group, found, a[0], n[0], NULL) == 1 ? write_point(group, found) : -1;
    EC_POINT_free(found);
    EC_GROUP_free(group);
    return length;
}

/* A key, or NULL if it is none. */
static EVP_PKEY *key_of(char *name, const unsigned char *bytes, size_t length, int is_secret) {
    if (has_raw_keys(name))
        return is_secret ? EVP_PKEY_new_raw_private_key_ex(NULL, name, NULL, bytes, length)
                         : EVP_PKEY_new_raw_public_key_ex(NULL, name, NULL, bytes, length);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    BIGNUM *scalar = is_secret ? BN_bin2bn(bytes, (int)length, NULL) : NULL;
    OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, name, 0);
    if (is_secret)
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, scalar);
    else
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, bytes, length);
    OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    EVP_PKEY *key = NULL;
    must(EVP_PKEY_fromdata_init(context) == 1, "EC");
    if (EVP_PKEY_fromdata(context, &key, is_secret ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, parameters) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(parameters);
    OSSL_PARAM_BLD_free(builder);
    BN_free(scalar);
    return key;
}

/* A secret key's public one. */
static int public_key(char *name) {
    if (!has_raw_keys(name)) {
        EC_GROUP *group = group_of(name);
        EC_POINT *product = EC_POINT_new(group);
        BIGNUM *scalar = BN_bin2bn(a[0], (int)n[0], NULL);
        must(EC_POINT_mul(group, product, scalar, NULL, NULL, NULL) == 1, "a multiple of the base point");
        int length = write_point(group, product);
        BN_free(scalar);
        EC_POINT_free(product);
        EC_GROUP_free(group);
        return length;
    }
    EVP_PKEY *key = key_of(name, a[0], n[0], 1);
    size_t length = sizeof out;
    int good = key != NULL && EVP_PKEY_get_raw_public_key(key, out, &length) == 1;
    EVP_PKEY_free(key);
    return good ? (int)length : -1;
}

/* Secret key and public key. */
static int agree(char *name) {
    EVP_PKEY *ours = key_of(name, a[0], n[0], 1), *theirs = key_of(name, a[1], n[1], 0);
    EVP_PKEY_CTX *context = ours == NULL ? NULL : EVP_PKEY_CTX_new_from_pkey(NULL, ours, NULL);
    size_t length = sizeof out;
    int good = theirs != NULL && context != NULL && EVP_PKEY_derive_init(context) == 1 &&
               EVP_PKEY_derive_set_peer(context, theirs) == 1 && EVP_PKEY_derive(context, out, &length) == 1;
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(ours);
    EVP_PKEY_free(theirs);
    return good ? (int)length : -1;
}

/* The digest's name stands after the curve's, as in `P-256/SHA256`; Ed25519 has its own. */
static char *split(char *name) {
    char *digest = strchr(name, '/');
    if (digest != NULL)
        *digest++ = 0;
    return digest;
}

/* Secret key and message. */
static int sign(char *name) {
    const char *hash = split(name);
    EVP_PKEY *key = key_of(name, a[0], n[0], 1);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t length = sizeof out;
    int good = key != NULL && EVP_DigestSignInit_ex(context, NULL, hash, NULL, NULL, key, NULL) == 1 &&
               EVP_DigestSign(context, out, &length, a[1], n[1]) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return good ? (int)length : -1;
}

/* Public key, message and signature. */
static int verify(char *name) {
    const char *hash = split(name);
    EVP_PKEY *key = key_of(name, a[0], n[0], 0);
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    int good = key != NULL && EVP_DigestVerifyInit_ex(context, NULL, hash, NULL, NULL, key, NULL) == 1 &&
               EVP_DigestVerify(context, a[2], n[2], a[1], n[1]) == 1;
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    return good ? 0 : -1;
}

/* The number of bytes of the output, or -1. */
static int answer(const char *operation, char *name) {
    if (strcmp(operation, "digest") == 0)
        return digest(name, 0);
    if (strcmp(operation, "extendable") == 0)
        return digest(name, 1);
    if (strcmp(operation, "mac") == 0)
        return mac(name);
    if (strcmp(operation, "hkdf") == 0)
        return hkdf(name);
    if (strcmp(operation, "stream") == 0)
        return cipher(name, 1, 0);
    if (strcmp(operation, "seal") == 0)
        return cipher(name, 1, 1);
    if (strcmp(operation, "open") == 0)
        return cipher(name, 0, 1);
    if (strcmp(operation, "point") == 0)
        return point(name);
    if (strcmp(operation, "public") == 0)
        return public_key(name);
    if (strcmp(operation, "agree") == 0)
        return agree(name);
    if (strcmp(operation, "sign") == 0)
        return sign(name);
    must(strcmp(operation, "verify") == 0, operation);
    return verify(name);
}

/* Bytes from hexadecimal digits. */
static size_t from_digits(unsigned char *bytes, const char *digits) {
    size_t length = strlen(digits) / 2;
    must(length <= LARGEST, "an argument is too long");
    for (size_t i = 0; i < length; i++) {
        unsigned byte;
        must(sscanf(digits + 2 * i, "%2x", &byte) == 1, digits);
        bytes[i] = (unsigned char)byte;
    }
    return length;
}

int main(void) {
    static char line[2 * MOST * LARGEST];
    while (fgets(line, sizeof line, stdin) != NULL) {
        must(strchr(line, '\n') != NULL, "a line is too long");
        char *operation = strtok(line, " \n"), *name = strtok(NULL, " \n"), *word;
        must(operation != NULL && name != NULL, "a line without a name");
        for (int i = 0; (word = strtok(NULL, " \n")) != NULL; i++) {
            must(i < MOST, "too many arguments");
            n[i] = from_digits(a[i], word + 1);
        }
        int length = answer(operation, name);
        printf(length < 0 ? "no " : "yes ");
        for (int i = 0; i < length; i++)
            printf("%02x", out[i]);
        printf("\n");
    }
    return 0;
}
