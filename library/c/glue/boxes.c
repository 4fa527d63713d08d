/* NaCl's boxes: "Cryptography in NaCl"; libsodium's sealed boxes. */

#if !defined(WITHOUT_BOX)

/* The key of a box: "Cryptography in NaCl", section 7. */
static int key_of_box(uint8_t key[32], const uint8_t public_key[32], const uint8_t secret_key[32])
{
    static const uint8_t zeros[16] = { 0 };
    uint8_t shared[32];
    int result = agree(shared, secret_key, public_key);
    if (result == 0)
        kernel_hsalsa20(key, shared, zeros);
    else
        memset(key, 0, 32);
    wipe(shared, 32);
    return result;
}

int culet_box_key(uint8_t key[32], const uint8_t public_key[32], const uint8_t secret_key[32])
{
    uint8_t made[32];
    int result;
    if (key == NULL || public_key == NULL || secret_key == NULL)
        return -1;
    result = key_of_box(made, public_key, secret_key);
    memcpy(key, made, 32);
    wipe(made, 32);
    return result;
}

int culet_box_seal(uint8_t *sealed, uint8_t tag[16], const uint8_t *message, size_t length, const uint8_t nonce[24],
                   const uint8_t public_key[32], const uint8_t secret_key[32])
{
    uint8_t key[32];
    int result;
    if (public_key == NULL || secret_key == NULL)
        return -1;
    if (key_of_box(key, public_key, secret_key) == 0) {
        result = culet_secretbox_seal(sealed, tag, message, length, nonce, key);
    } else {
        if (nonce != NULL && tag != NULL && is_given(sealed, length))
            wipe(sealed, length);
        result = -1;
    }
    wipe(key, 32);
    return result;
}

int culet_box_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t tag[16], const uint8_t nonce[24],
                   const uint8_t public_key[32], const uint8_t secret_key[32])
{
    uint8_t key[32];
    int result;
    if (public_key == NULL || secret_key == NULL)
        return -1;
    if (key_of_box(key, public_key, secret_key) == 0) {
        result = culet_secretbox_open(message, sealed, length, tag, nonce, key);
    } else {
        if (nonce != NULL && tag != NULL && is_given(message, length))
            wipe(message, length);
        result = -1;
    }
    wipe(key, 32);
    return result;
}

#endif
#if !defined(WITHOUT_SEALEDBOX)

/* The nonce of a sealed box: BLAKE2b of both public keys, 24 bytes. */
static void nonce_of_sealed_box(uint8_t nonce[24], const uint8_t sender[32], const uint8_t recipient[32])
{
    uint8_t keys[64];
    memcpy(keys, sender, 32);
    memcpy(keys + 32, recipient, 32);
    (void)!culet_blake2b(nonce, 24, NULL, 0, keys, 64);
}

int culet_sealedbox_seal(uint8_t *sealed, uint8_t header[48], const uint8_t *message, size_t length,
                         const uint8_t public_key[32])
{
    uint8_t secret_key[32], made[48], nonce[24], recipient[32];
    int result = -1;
    if (header == NULL || public_key == NULL || !is_apart(header, 48, sealed, length))
        return -1;
    memcpy(recipient, public_key, 32);
    if (culet_random(secret_key, 32) != 0)
        return -1;
    if (move_text(sealed, message, length) == 0) {
        (void)culet_x25519_public_key(made, secret_key);
        nonce_of_sealed_box(nonce, made, recipient);
        result = culet_box_seal(sealed, made + 32, sealed, length, nonce, recipient, secret_key);
        if (result == 0)
            memcpy(header, made, 48);
        else
            wipe(sealed, length);
    }
    wipe(secret_key, 32);
    return result;
}

int culet_sealedbox_open(uint8_t *message, const uint8_t *sealed, size_t length, const uint8_t header[48],
                         const uint8_t secret_key[32])
{
    uint8_t public_key[32], nonce[24], copied[48];
    if (header == NULL || secret_key == NULL)
        return -1;
    memcpy(copied, header, 48);
    (void)culet_x25519_public_key(public_key, secret_key);
    nonce_of_sealed_box(nonce, copied, public_key);
    return culet_box_open(message, sealed, length, copied + 32, nonce, copied, secret_key);
}

#endif
