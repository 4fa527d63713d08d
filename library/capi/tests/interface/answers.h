/* Published answers, as hexadecimal digits. */
#ifndef ANSWERS_H
#define ANSWERS_H

/* RFC 8032, section 7.1, test 3. */
#define ED25519_SEED "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7"
#define ED25519_PUBLIC "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"
#define ED25519_MESSAGE "af82"
#define ED25519_SIGNATURE                                                      \
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"         \
    "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"

/* The base point, RFC 8032, section 5.1, is the public key of the scalar 1; the neutral point is that of 0. Signatures by the equation: R = B and S = 1
 * for the neutral point and any message; R = 0 and S = k for the base point and the message "culet", where k is its hash. */
#define BASE_POINT "5866666666666666666666666666666666666666666666666666666666666666"
#define NEUTRAL_POINT "0100000000000000000000000000000000000000000000000000000000000000"
#define SIGNATURE_BY_NEUTRAL_POINT BASE_POINT NEUTRAL_POINT
#define SIGNATURE_WITH_NEUTRAL_POINT \
    NEUTRAL_POINT "bfecd3f879f0831930dcd75a0d2f9aa59d83a24a8fe60305f34f437cf55d4005"

/* RFC 7748, section 6.1; also "Cryptography in NaCl", section 7. */
#define ALICE_SECRET "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
#define ALICE_PUBLIC "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
#define BOB_SECRET "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
#define BOB_PUBLIC "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
#define SHARED "4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"

/* "Cryptography in NaCl", sections 8 to 10: the key, the nonce, the message, the sealed message with its tag before it. */
#define BOX_KEY "1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389"
#define BOX_NONCE "69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37"
#define BOX_MESSAGE                                                                                 \
    "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c6129" \
    "6cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde" \
    "048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705"
#define BOX_LENGTH 131
#define BOX_SEALED                                                                                  \
    "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a" \
    "c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae" \
    "90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74" \
    "e355a5"

/* RFC 8439, sections 2.4.2 and 2.8.2. */
#define SUNSCREEN                                                                                   \
    "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "  \
    "sunscreen would be it."
#define SUNSCREEN_LENGTH 114
#define CHACHA20_KEY "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define CHACHA20_NONCE "000000000000004a00000000"
#define CHACHA20_TEXT                                                                               \
    "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357" \
    "1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736" \
    "5af90bbf74a35be6b40b8eedf2785e42874d"
#define AEAD_KEY "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f"
#define AEAD_NONCE "070000004041424344454647"
#define AEAD_ADDITIONAL "50515253c0c1c2c3c4c5c6c7"
#define AEAD_SEALED                                                                                 \
    "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b" \
    "1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc" \
    "3ff4def08e4b7a9de576d26586cec64b6116"
#define AEAD_TAG "1ae10b594f09e26a7e902ecbd0600691"

/* RFC 8439, section 2.5.2. */
#define POLY1305_KEY "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b"
#define POLY1305_MESSAGE "Cryptographic Forum Research Group"
#define POLY1305_TAG "a8061dc1305136c6c22b8baf0c0127a9"

/* NIST, "Cryptographic Standards and Guidelines: Examples with Intermediate Values": the digests of abc. */
#define SHA224_ABC "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"
#define SHA256_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define SHA384_ABC                                                                                  \
    "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
#define SHA512_ABC                                                             \
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"         \
    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"

/* RFC 4231, section 4.3. */
#define HMAC_KEY "Jefe"
#define HMAC_MESSAGE "what do ya want for nothing?"
#define HMAC_SHA256 "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
#define HMAC_SHA384                                                                                 \
    "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
#define HMAC_SHA512                                                            \
    "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"         \
    "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"

/* RFC 5869, appendix A.1. */
#define HKDF_SECRET "0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"
#define HKDF_SALT "000102030405060708090a0b0c"
#define HKDF_INFO "f0f1f2f3f4f5f6f7f8f9"
#define HKDF_SHA256 "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"

#endif
