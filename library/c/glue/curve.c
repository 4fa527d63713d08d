/* What a curve has, whose numbers have NUMBER bytes, and whose digests have as many or fewer, DIGEST. */

#define POINT (2 * NUMBER + 1)
#define COMPRESSED (NUMBER + 1)

/* Reads a public key in either form: SEC 1, section 2.3.4. */
static int OWN_OF_CURVE(point)(uint8_t point[POINT], const uint8_t *public_key, size_t length)
{
    uint8_t good[1] = { 0 };
    if (public_key == NULL)
        return -1;
    if (length == COMPRESSED) {
        KERNEL(decompress)(point, good, public_key);
    } else if (length == POINT) {
        memcpy(point, public_key, POINT);
        KERNEL(is_point)(good, point);
    }
    return good[0] == 1 ? 0 : -1;
}

int CURVE(public_key)(uint8_t public_key[POINT], const uint8_t secret_key[NUMBER])
{
    uint8_t point[POINT], good[1];
    if (public_key == NULL || secret_key == NULL)
        return -1;
    KERNEL(public)(point, good, secret_key);
    if (good[0] != 1)
        return -1;
    memcpy(public_key, point, POINT);
    return 0;
}

int CURVE(compress)(uint8_t compressed[COMPRESSED], const uint8_t *public_key, size_t public_key_length)
{
    uint8_t point[POINT], made[COMPRESSED];
    if (compressed == NULL || OWN_OF_CURVE(point)(point, public_key, public_key_length) != 0)
        return -1;
    KERNEL(compress)(made, point);
    memcpy(compressed, made, COMPRESSED);
    return 0;
}

int CURVE(decompress)(uint8_t uncompressed[POINT], const uint8_t *public_key, size_t public_key_length)
{
    uint8_t point[POINT];
    if (uncompressed == NULL || OWN_OF_CURVE(point)(point, public_key, public_key_length) != 0)
        return -1;
    memcpy(uncompressed, point, POINT);
    return 0;
}

/* SEC 1, section 3.3.1. */
int CURVE(agree)(uint8_t shared[NUMBER], const uint8_t secret_key[NUMBER], const uint8_t *public_key,
                 size_t public_key_length)
{
    uint8_t point[POINT], made[NUMBER], good[1] = { 0 };
    if (shared == NULL)
        return -1;
    if (secret_key != NULL && OWN_OF_CURVE(point)(point, public_key, public_key_length) == 0)
        KERNEL(agree)(made, good, secret_key, point);
    if (good[0] == 1)
        memcpy(shared, made, NUMBER);
    else
        memset(shared, 0, NUMBER);
    wipe(made, NUMBER);
    return good[0] == 1 ? 0 : -1;
}

/* The digest of a message as a number, with zeros before it: FIPS 186-5, section 6.4.1, step 2. */
static int OWN_OF_CURVE(digest)(uint8_t digest[NUMBER], const uint8_t *message, size_t length)
{
    memset(digest, 0, NUMBER - DIGEST);
    return HASH(digest + NUMBER - DIGEST, message, length);
}

/* Numbers that are used once: RFC 6979, section 3.2, with the names K and V of the section. The bytes that are hashed are V, a byte, the secret
 * key, the digest and entropy, if there is some. */
struct OWN_OF_CURVE(nonces) {
    uint8_t K[DIGEST], V_and_rest[DIGEST + 1 + 3 * NUMBER], number[NUMBER];
};

/* V = HMAC(K, V). */
static void OWN_OF_CURVE(next_V)(struct OWN_OF_CURVE(nonces) *nonces)
{
    (void)HMAC_OF_CURVE(nonces->V_and_rest, nonces->K, DIGEST, nonces->V_and_rest, DIGEST);
}

/* Steps d and e with the byte 0, f and g with 1; and what step h does to find another number, by V and the byte alone. */
static void OWN_OF_CURVE(update_nonces)(struct OWN_OF_CURVE(nonces) *nonces, uint8_t byte, size_t length)
{
    nonces->V_and_rest[DIGEST] = byte;
    (void)HMAC_OF_CURVE(nonces->K, nonces->K, DIGEST, nonces->V_and_rest, length);
    OWN_OF_CURVE(next_V)(nonces);
}

/* Step h: as many bits as the order has. */
static void OWN_OF_CURVE(make_nonce)(struct OWN_OF_CURVE(nonces) *nonces)
{
    size_t made, left;
    for (made = 0; made < NUMBER; made += DIGEST) {
        OWN_OF_CURVE(next_V)(nonces);
        left = NUMBER - made;
        memcpy(nonces->number + made, nonces->V_and_rest, left < DIGEST ? left : DIGEST);
    }
    SHORTEN(nonces->number);
}

static void OWN_OF_CURVE(start_nonces)(struct OWN_OF_CURVE(nonces) *nonces, const uint8_t secret_key[NUMBER],
                                       const uint8_t digest[NUMBER], const uint8_t *entropy)
{
    size_t hashed = DIGEST + 1 + 2 * NUMBER;
    memset(nonces->K, 0, DIGEST);
    memset(nonces->V_and_rest, 1, DIGEST);
    memcpy(nonces->V_and_rest + DIGEST + 1, secret_key, NUMBER);
    KERNEL(reduce)(nonces->V_and_rest + DIGEST + 1 + NUMBER, digest);
    /* Section 3.6. */
    if (entropy != NULL) {
        memcpy(nonces->V_and_rest + hashed, entropy, NUMBER);
        hashed += NUMBER;
    }
    OWN_OF_CURVE(update_nonces)(nonces, 0, hashed);
    OWN_OF_CURVE(update_nonces)(nonces, 1, hashed);
    OWN_OF_CURVE(make_nonce)(nonces);
}

/* Step h of RFC 6979 after a number that is not below the order, as one in 2^32 or fewer is. The time tells that this happened. */
static void OWN_OF_CURVE(next_nonce)(struct OWN_OF_CURVE(nonces) *nonces)
{
    OWN_OF_CURVE(update_nonces)(nonces, 0, DIGEST + 1);
    OWN_OF_CURVE(make_nonce)(nonces);
}

/* FIPS 186-5, section 6.4.1. The secret key was looked at. */
static void OWN_OF_CURVE(sign)(uint8_t signature[2 * NUMBER], const uint8_t digest[NUMBER],
                               const uint8_t secret_key[NUMBER], const uint8_t *entropy)
{
    struct OWN_OF_CURVE(nonces) nonces;
    uint8_t point[POINT], is_nonce[1], is_signature[1];
    OWN_OF_CURVE(start_nonces)(&nonces, secret_key, digest, entropy);
    for (;;) {
        KERNEL(public)(point, is_nonce, nonces.number);
        KERNEL(sign)(signature, signature + NUMBER, is_signature, secret_key, nonces.number, point + 1, digest);
        if (is_nonce[0] & is_signature[0])
            break;
        OWN_OF_CURVE(next_nonce)(&nonces);
    }
    AFTER_SIGNING(signature + NUMBER);
    wipe(&nonces, sizeof nonces);
    wipe(point, sizeof point);
}

/* Looks at the secret key, and signs. */
static int OWN_OF_CURVE(sign_number)(uint8_t signature[2 * NUMBER], const uint8_t digest[NUMBER],
                                     const uint8_t secret_key[NUMBER], const uint8_t *entropy)
{
    uint8_t copied[NUMBER], of_caller[NUMBER], first[NUMBER], second[NUMBER], good[1];
    memcpy(copied, secret_key, NUMBER);
    if (entropy != NULL)
        memcpy(of_caller, entropy, NUMBER);
    /* As factors of points, numbers are good if they are in the range of secret keys. */
    KERNEL(multiples)(first, second, good, copied, copied, digest);
    if (good[0] == 1)
        OWN_OF_CURVE(sign)(signature, digest, copied, entropy == NULL ? NULL : of_caller);
    wipe(copied, NUMBER);
    wipe(of_caller, NUMBER);
    wipe(first, NUMBER);
    wipe(second, NUMBER);
    return good[0] == 1 ? 0 : -1;
}

int CURVE(sign)(uint8_t signature[2 * NUMBER], const uint8_t *message, size_t length, const uint8_t secret_key[NUMBER])
{
    uint8_t digest[NUMBER];
    if (signature == NULL || secret_key == NULL || OWN_OF_CURVE(digest)(digest, message, length) != 0)
        return -1;
    return OWN_OF_CURVE(sign_number)(signature, digest, secret_key, NULL);
}

int CURVE(sign_hedged)(uint8_t signature[2 * NUMBER], const uint8_t *message, size_t length,
                       const uint8_t secret_key[NUMBER], const uint8_t entropy[NUMBER])
{
    uint8_t digest[NUMBER];
    if (signature == NULL || secret_key == NULL || entropy == NULL)
        return -1;
    if (OWN_OF_CURVE(digest)(digest, message, length) != 0)
        return -1;
    return OWN_OF_CURVE(sign_number)(signature, digest, secret_key, entropy);
}

/* A digest as a number, with zeros before it. */
static void OWN_OF_CURVE(number_of)(uint8_t number[NUMBER], const uint8_t digest[DIGEST])
{
    memset(number, 0, NUMBER - DIGEST);
    memcpy(number + NUMBER - DIGEST, digest, DIGEST);
}

int CURVE(sign_prehashed)(uint8_t signature[2 * NUMBER], const uint8_t digest[DIGEST], const uint8_t secret_key[NUMBER])
{
    uint8_t number[NUMBER];
    if (signature == NULL || digest == NULL || secret_key == NULL)
        return -1;
    OWN_OF_CURVE(number_of)(number, digest);
    return OWN_OF_CURVE(sign_number)(signature, number, secret_key, NULL);
}

/* FIPS 186-5, section 6.4.2. */
static int OWN_OF_CURVE(verify_number)(const uint8_t signature[2 * NUMBER], const uint8_t digest[NUMBER],
                                       const uint8_t *public_key, size_t public_key_length)
{
    uint8_t point[POINT], of_base[NUMBER], of_key[NUMBER], x[NUMBER], good[1];
    if (OWN_OF_CURVE(point)(point, public_key, public_key_length) != 0 || !MAY_BE_SIGNED(signature + NUMBER))
        return -1;
    KERNEL(multiples)(of_base, of_key, good, signature, signature + NUMBER, digest);
    if (good[0] != 1)
        return -1;
    KERNEL(sum)(x, good, of_base, of_key, point);
    if (good[0] != 1)
        return -1;
    KERNEL(is_same)(good, x, signature);
    return good[0] == 1 ? 0 : -1;
}

int CURVE(verify)(const uint8_t signature[2 * NUMBER], const uint8_t *message, size_t length,
                  const uint8_t *public_key, size_t public_key_length)
{
    uint8_t digest[NUMBER];
    if (signature == NULL || OWN_OF_CURVE(digest)(digest, message, length) != 0)
        return -1;
    return OWN_OF_CURVE(verify_number)(signature, digest, public_key, public_key_length);
}

int CURVE(verify_prehashed)(const uint8_t signature[2 * NUMBER], const uint8_t digest[DIGEST], const uint8_t *public_key,
                            size_t public_key_length)
{
    uint8_t number[NUMBER];
    if (signature == NULL || digest == NULL)
        return -1;
    OWN_OF_CURVE(number_of)(number, digest);
    return OWN_OF_CURVE(verify_number)(signature, number, public_key, public_key_length);
}

int CURVE(sign_der)(uint8_t der[LONGEST_DER], size_t *der_length, const uint8_t *message, size_t length,
                    const uint8_t secret_key[NUMBER])
{
    uint8_t signature[2 * NUMBER];
    if (der == NULL || der_length == NULL || CURVE(sign)(signature, message, length, secret_key) != 0)
        return -1;
    *der_length = write_signature(der, signature, NUMBER);
    return 0;
}

int CURVE(verify_der)(const uint8_t *der, size_t der_length, const uint8_t *message, size_t length,
                      const uint8_t *public_key, size_t public_key_length)
{
    uint8_t signature[2 * NUMBER];
    if (!is_given(der, der_length) || read_signature(signature, NUMBER, der, der_length) != 0)
        return -1;
    return CURVE(verify)(signature, message, length, public_key, public_key_length);
}

#undef CURVE
#undef OWN_OF_CURVE
#undef KERNEL
#undef HASH
#undef HMAC_OF_CURVE
#undef NUMBER
#undef DIGEST
#undef SHORTEN
#undef AFTER_SIGNING
#undef MAY_BE_SIGNED
#undef LONGEST_DER
#undef POINT
#undef COMPRESSED
