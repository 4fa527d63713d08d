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

/* BIP 340, the second of the test vectors. */
#define BIP340_SECRET "b7e151628aed2a6abf7158809cf4f3c762e7160f38b4da56a784d9045190cfef"
#define BIP340_PUBLIC "dff1d77f2a671c5f36183726db2341be58feae1da2deced843240f7b502ba659"
#define BIP340_ENTROPY "0000000000000000000000000000000000000000000000000000000000000001"
#define BIP340_MESSAGE "243f6a8885a308d313198a2e03707344a4093822299f31d0082efa98ec4e6c89"
#define BIP340_SIGNATURE                                                       \
    "6896bd60eeae296db48a229ff71dfe071bde413e6d43f917dc8dcf8c78de3341"         \
    "8906d11ac976abccb20b091292bff4ea897efcb639ea871cfa95f6de339e4b0a"

/* RFC 7748, section 6.1; also in "Cryptography in NaCl". */
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

/* D. McGrew, J. Viega, "The Galois/Counter Mode of Operation (GCM)", test cases 4 and 16. */
#define AES128GCM_KEY "feffe9928665731c6d6a8f9467308308"
#define AES256GCM_KEY AES128GCM_KEY AES128GCM_KEY
#define AES_GCM_NONCE "cafebabefacedbaddecaf888"
#define AES_GCM_ADDITIONAL "feedfacedeadbeeffeedfacedeadbeefabaddad2"
#define AES_GCM_MESSAGE                                                                             \
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525" \
    "b16aedf5aa0de657ba637b39"
#define AES128GCM_SEALED                                                                            \
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa05" \
    "1ba30b396a0aac973d58e091"
#define AES128GCM_TAG "5bc94fbc3221a5db94fae95ae7121a47"
#define AES256GCM_SEALED                                                                            \
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838" \
    "c5f61e6393ba7a0abcc9f662"
#define AES256GCM_TAG "76fc6ece0f4e1768cddf8853bb2d551b"

/* RFC 8439, section 2.5.2. */
#define POLY1305_KEY "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b"
#define POLY1305_MESSAGE "Cryptographic Forum Research Group"
#define POLY1305_TAG "a8061dc1305136c6c22b8baf0c0127a9"

/* NIST, "Cryptographic Standards and Guidelines: Examples with Intermediate Values": the digests of abc. */
#define ABC "616263"
#define SHA224_ABC "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"
#define SHA256_ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define SHA384_ABC                                                                                  \
    "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"
#define SHA512_ABC                                                             \
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"         \
    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"

/* NIST, CAVP, "SHA Test Vectors for Hashing Byte-Oriented Messages": messages of 24 bits and their digests. */
#define SHA512_256_MESSAGE "6f63b4"
#define SHA512_256_DIGEST "a9e2427cec314b2814aaba87039485fc8d3ade992fa1d9acbb7f6769460a7317"

/* NIST, CAVP, "SHA-3 Test Vectors for Hashing Byte-Oriented Messages" and those for SHAKE, as well. */
#define SHA3_224_MESSAGE "bf5831"
#define SHA3_224_DIGEST "1bb36bebde5f3cb6d8e4672acf6eec8728f31a54dacc2560da2a00cc"
#define SHA3_256_MESSAGE "b053fa"
#define SHA3_256_DIGEST "9d0ff086cd0ec06a682c51c094dc73abdc492004292344bd41b82a60498ccfdb"
#define SHA3_384_MESSAGE "6ab7d6"
#define SHA3_384_DIGEST                                                                             \
    "ea12d6d32d69ad2154a57e0e1be481a45add739ee7dd6e2a27e544b6c8b5ad122654bbf95134d567987156295d5e57db"
#define SHA3_512_MESSAGE "37d518"
#define SHA3_512_DIGEST                                                        \
    "4aa96b1547e6402c0eee781acaa660797efe26ec00b4f2e0aec4a6d10688dd64"         \
    "cbd7f12b3b6c7f802e2096c041208b9289aec380d1a748fdfcd4128553d781e3"
#define SHAKE128_MESSAGE "1b3b6e"
#define SHAKE128_OUTPUT "d7335497e4cd3666885edbb0824d7a75"
#define SHAKE256_MESSAGE "21eda6"
#define SHAKE256_OUTPUT "f7d02b4512be5ddcc25d148c71664dfd34e16abea26d6e7287f45e08ed6fcd87"

/* ascon-c of the designers of Ascon: test 8 of LWC_HASH_KAT_128_256, test 9 of LWC_XOF_KAT_128_512, test 1089 of LWC_AEAD_KAT_128_128. */
#define ASCON_HASH256_MESSAGE "00010203040506"
#define ASCON_HASH256_DIGEST "3e4d273ba69b3b9c53216107e88b75cdbeedbcbf8faf0219c3928ab62b116577"
#define ASCON_XOF128_MESSAGE "0001020304050607"
#define ASCON_XOF128_OUTPUT                                                    \
    "8d1886f5d3ec4af8d15b44bc62b74da6ea91bc28fb82f9c34079b5ed6e38b6c9"         \
    "51803d7dfb3c5e512a0ef5e4060062a6fd067f9c73ef9bee527411bda67fc896"
#define ASCON_KEY "000102030405060708090a0b0c0d0e0f"
#define ASCON_NONCE "101112131415161718191a1b1c1d1e1f"
#define ASCON_ADDITIONAL "303132333435363738393a3b3c3d3e3f404142434445464748494a4b4c4d4e4f"
#define ASCON_MESSAGE "202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f"
#define ASCON_SEALED "cb34d04660a66dbfbe9c856601f5b8aa51a499b55ac8f7fbefbc331a613ee9cd"
#define ASCON_TAG "fd191750a47f211c0a15ed28173d7caa"

/* RFC 7693, appendices A and B: the digests of abc; appendix E: the digests of digests of several lengths. */
#define BLAKE2B_ABC                                                            \
    "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"         \
    "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
#define BLAKE2S_ABC "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"
#define BLAKE2B_OF_ITSELF "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475"
#define BLAKE2S_OF_ITSELF "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe"

/* RFC 4231, section 4.3. */
#define HMAC_KEY "Jefe"
#define HMAC_MESSAGE "what do ya want for nothing?"
#define HMAC_SHA224 "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"
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

/* P-256: RFC 6979, appendix A.2.5, with SHA-256, and RFC 5903, section 8.1. */
#define P256_SECRET "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"
#define P256_X "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
#define P256_Y "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
#define P256_ORDER "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
#define P256_SAMPLE_R "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
#define P256_SAMPLE_S "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
#define P256_SAMPLE_DER "3046022100" P256_SAMPLE_R "022100" P256_SAMPLE_S
#define P256_OURS "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433"
#define P256_THEIRS \
    "04d12dfb5289c8d4f81208b70270398c342296970a0bccb74c736fc7554494bf6356fbf3ca366cc23e8157854c13c58d6aac23f046ada30f8353e74f33039872ab"
#define P256_SHARED "d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de"

/* P-384: RFC 6979, appendix A.2.6, with SHA-384, and RFC 5903, section 8.2. */
#define P384_SECRET "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5"
#define P384_X "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13"
#define P384_Y "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720"
#define P384_ORDER "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973"
#define P384_SAMPLE_R "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46"
#define P384_SAMPLE_S "99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8"
#define P384_SAMPLE_DER "3066023100" P384_SAMPLE_R "023100" P384_SAMPLE_S
#define P384_OURS "099f3c7034d4a2c699884d73a375a67f7624ef7c6b3c0f160647b67414dce655e35b538041e649ee3faef896783ab194"
#define P384_THEIRS                                                                                       \
    "04e558dbef53eecde3d3fccfc1aea08a89a987475d12fd950d83cfa41732bc509d0d1ac43a0336def96fda41d0774a3571"   \
    "dcfbec7aacf3196472169e838430367f66eebe3c6e70c416dd5f0c68759dd1fff83fa40142209dff5eaad96db9e6386c"
#define P384_SHARED "11187331c279962d93d604243fd592cb9d0a926f422e47187521287e7156c5c4d603135569b9e9d09cf5d4a270f59746"

/* P-521: RFC 6979, appendix A.2.7, with SHA-512, and RFC 5903, section 8.3. The first byte of s is left out in DER. */
#define P521_SECRET                                                            \
    "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75ca"       \
    "a896eb32f1f47c70855836a6d16fcc1466f6d8fbec67db89ec0c08b0e996b83538"
#define P521_X                                                                 \
    "01894550d0785932e00eaa23b694f213f8c3121f86dc97a04e5a7167db4e5bcd37"       \
    "1123d46e45db6b5d5370a7f20fb633155d38ffa16d2bd761dcac474b9a2f5023a4"
#define P521_Y                                                                 \
    "00493101c962cd4d2fddf782285e64584139c2f91b47f87ff82354d6630f746a28"       \
    "a0db25741b5b34a828008b22acc23f924faafbd4d33f81ea66956dfeaa2bfdfcf5"
#define P521_ORDER                                                             \
    "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"       \
    "fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409"
#define P521_SAMPLE_R                                                          \
    "00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f17"       \
    "4e25a1ee9017b5d450606add152b534931d7d4e8455cc91f9b15bf05ec36e377fa"
#define P521_SAMPLE_REST_OF_S                                                  \
    "617cce7cf5064806c467f678d3b4080d6f1cc50af26ca209417308281b"               \
    "68af282623eaa63e5b5c0723d8b8c37ff0777b1a20f8ccb1dccc43997f1ee0e44da4a67a"
#define P521_SAMPLE_S "00" P521_SAMPLE_REST_OF_S
#define P521_SAMPLE_DER "3081870242" P521_SAMPLE_R "0241" P521_SAMPLE_REST_OF_S
#define P521_OURS                                                              \
    "0037ade9319a89f4dabdb3ef411aaccca5123c61acab57b5393dce47608172a095"       \
    "aa85a30fe1c2952c6771d937ba9777f5957b2639bab072462f68c27a57382d4a52"
#define P521_THEIRS                                                            \
    "04"                                                                       \
    "00d0b3975ac4b799f5bea16d5e13e9af971d5e9b984c9f39728b5e5739735a219b"       \
    "97c356436adc6e95bb0352f6be64a6c2912d4ef2d0433ced2b6171640012d9460f"       \
    "015c68226383956e3bd066e797b623c27ce0eac2f551a10c2c724d9852077b8722"       \
    "0b6536c5c408a1d2aebb8e86d678ae49cb57091f4732296579ab44fcd17f0fc56a"
#define P521_SHARED                                                            \
    "01144c7d79ae6956bc8edb8e7c787c4521cb086fa64407f97894e5e6b2d79b04d1"       \
    "427e73ca4baa240a34786859810c06b3c715a3a8cc3151f2bee417996d19f3ddea"

/* P-224: RFC 6979, appendix A.2.4, with SHA-224, and the first vector of NIST's CAVP for ECC CDH with this curve. */
#define P224_SECRET "f220266e1105bfe3083e03ec7a3a654651f45e37167e88600bf257c1"
#define P224_X "00cf08da5ad719e42707fa431292dea11244d64fc51610d94b130d6c"
#define P224_Y "eeab6f3debe455e3dbf85416f7030cbd94f34f2d6f232c69f3c1385a"
#define P224_ORDER "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d"
#define P224_SAMPLE_R "1cdfe6662dde1e4a1ec4cdedf6a1f5a2fb7fbd9145c12113e6abfd3e"
#define P224_SAMPLE_S "a6694fd7718a21053f225d3f46197ca699d45006c06f871808f43ebc"
#define P224_SAMPLE_DER "303d021c" P224_SAMPLE_R "021d00" P224_SAMPLE_S
#define P224_OURS "8346a60fc6f293ca5a0d2af68ba71d1dd389e5e40837942df3e43cbd"
#define P224_THEIRS                                                            \
    "04"                                                                       \
    "af33cd0629bc7e996320a3f40368f74de8704fa37b8fab69abaae280"                 \
    "882092ccbba7930f419a8a4f9bb16978bbc3838729992559a6f2e2d7"
#define P224_SHARED "7d96f9a3bd3c05cf5cc37feb8b9d5209d5c2597464dec3e9983743e8"

/*
 * secp256k1: the secret key 1, of which the base point is the public key (SEC 2, section 2.4.1), with the signature that many implementations test
 * RFC 6979 by, first in https://bitcointalk.org/index.php?topic=285142, with the lower s; and the agreement of the first vector of Wycheproof.
 */
#define SECP256K1_SECRET "0000000000000000000000000000000000000000000000000000000000000001"
#define SECP256K1_X "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
#define SECP256K1_Y "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
#define SECP256K1_ORDER "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
#define SECP256K1_SAMPLE_R "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8"
#define SECP256K1_SAMPLE_S "2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5"
#define SECP256K1_SAMPLE_HIGH_S "dbbd3162d46e9f9bef7feb87c16dc13b4f6568a87f4e83f728e2443ba586675c"
#define SECP256K1_SAMPLE_DER "3045022100" SECP256K1_SAMPLE_R "0220" SECP256K1_SAMPLE_S
#define SECP256K1_OURS "f4b7ff7cccc98813a69fae3df222bfe3f4e28f764bf91b4a10d8096ce446b254"
#define SECP256K1_THEIRS                                                       \
    "04d8096af8a11e0b80037e1ee68246b5dcbb0aeb1cf1244fd767db80f3fa27da2b"       \
    "396812ea1686e7472e9692eaf3e958e50e9500d3b4c77243db1f2acd67ba9cc4"
#define SECP256K1_SHARED "544dfae22af6af939042b1d85b71a1e49e9a5614123c4d6ad0c8af65baf87d65"

#endif
