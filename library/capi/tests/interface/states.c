/* Prints the size and the alignment of each state that sodium.h has, of whoever's it is. */
#include <sodium.h>

#include <stdio.h>

#define STATE(name) printf(#name " %zu %zu\n", sizeof(name##_state), _Alignof(name##_state));

int main(void) {
    STATE(crypto_aead_aes256gcm)
    STATE(crypto_auth_hmacsha256)
    STATE(crypto_auth_hmacsha512)
    STATE(crypto_auth_hmacsha512256)
    STATE(crypto_generichash)
    STATE(crypto_generichash_blake2b)
    STATE(crypto_hash_sha256)
    STATE(crypto_hash_sha512)
    STATE(crypto_onetimeauth)
    STATE(crypto_onetimeauth_poly1305)
    STATE(crypto_secretstream_xchacha20poly1305)
}
