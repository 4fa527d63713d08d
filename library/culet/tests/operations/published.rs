//! Answers that are published with the standards.

use culet::aead::{ChaCha20Poly1305, ChaCha20Poly1305Key, ChaCha20Poly1305Nonce};
use culet::ed25519::{Signature, SigningKey, VerifyingKey};
use culet::hash::{Sha224, Sha256, Sha384, Sha512};
use culet::kdf::{HkdfSha256, MasterKey};
use culet::mac::{HmacSha256, HmacSha384, HmacSha512, Poly1305, Poly1305Key};
use culet::nacl;
use culet::stream::{ChaCha20, ChaCha20Key, ChaCha20Nonce};
use culet::x25519::{PublicKey, SecretKey};

use super::support::{bytes, hex};

/// RFC 7748, section 5.2.
#[test]
pub fn x25519() {
    let answers = [
        (
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552",
        ),
        (
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957",
        ),
    ];
    for (k, u, expected) in answers {
        let shared = SecretKey::from_bytes(bytes(k)).diffie_hellman(&PublicKey::from_bytes(bytes(u)));
        assert_eq!(shared.expect("not zero").as_bytes()[..], hex(expected));
    }
    let (mut k, mut u) = ([0; 32], [0; 32]);
    (k[0], u[0]) = (9, 9);
    for turn in 1..=1000 {
        (k, u) = (nacl::scalarmult(&k, &u), k);
        match turn {
            1 => assert_eq!(k[..], hex("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079")),
            1000 => assert_eq!(k[..], hex("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")),
            _ => {}
        }
    }
}

/// RFC 7748, section 6.1.
#[test]
pub fn x25519_agreement() {
    let alice = SecretKey::from_bytes(bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"));
    let bob = SecretKey::from_bytes(bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"));
    let alice_public = PublicKey::from(&alice);
    assert_eq!(alice_public.as_bytes()[..], hex("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"));
    let bob_public = bob.public_key();
    assert_eq!(bob_public.as_bytes()[..], hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"));
    let expected = hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742");
    assert_eq!(alice.diffie_hellman(&bob_public).expect("not zero").as_bytes()[..], expected);
    assert_eq!(bob.diffie_hellman(&alice_public).expect("not zero").as_bytes()[..], expected);
}

/// RFC 8032, section 7.1, tests 1 to 3.
#[test]
pub fn ed25519() {
    let answers = [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b\
             d25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c\
             387b2eaeb4302aeeb00d291612bb0c00",
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659\
             4a7c15e9716ed28dc027beceea1ec40a",
        ),
    ];
    for (seed, public, message, signature) in answers {
        let key = SigningKey::from_bytes(bytes(seed));
        assert_eq!(key.verifying_key().as_bytes()[..], hex(public));
        assert_eq!(key.sign(&hex(message)).to_bytes()[..], hex(signature));
        let public = VerifyingKey::from_bytes(bytes(public)).expect("a point");
        public.verify(&hex(message), &Signature::from_bytes(bytes(signature))).expect("it is right");
    }
}

const TWO_BLOCKS: &[u8] = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
const TWO_LONG_BLOCKS: &[u8] = b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn\
                                 hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu";

/// NIST, "Cryptographic Standards and Guidelines: Examples with Intermediate Values", SHA224.pdf to SHA512.pdf.
#[test]
pub fn hashes() {
    assert_eq!(Sha224::digest(b"abc")[..], hex("23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"));
    assert_eq!(Sha224::digest(TWO_BLOCKS)[..], hex("75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"));
    assert_eq!(Sha256::digest(b"abc")[..], hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    assert_eq!(Sha256::digest(TWO_BLOCKS)[..], hex("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    assert_eq!(
        Sha384::digest(b"abc")[..],
        hex("cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7")
    );
    assert_eq!(
        Sha384::digest(TWO_LONG_BLOCKS)[..],
        hex("09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039")
    );
    assert_eq!(
        Sha512::digest(b"abc")[..],
        hex("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    );
    assert_eq!(
        Sha512::digest(TWO_LONG_BLOCKS)[..],
        hex("8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018\
             501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909")
    );
}

/// A million times the letter a: NIST, "Descriptions of SHA-256, SHA-384, and SHA-512", the third example of each.
#[test]
pub fn hashes_of_a_million_bytes() {
    let (mut short, mut long) = (Sha256::new(), Sha512::new());
    for _ in 0..1000 {
        short.update(&[b'a'; 1000]);
        long.update(&[b'a'; 1000]);
    }
    assert_eq!(short.finalize()[..], hex("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
    assert_eq!(
        long.finalize()[..],
        hex("e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb\
             de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b")
    );
}

/// RFC 4231, sections 4.2 to 4.5, 4.7 and 4.8: key, message, tags of SHA-256, SHA-384 and SHA-512.
#[test]
pub fn hmac() {
    let larger = "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be \
                  hashed before being used by the HMAC algorithm.";
    let counted: Vec<u8> = (1..=25).collect();
    let answers: [(&[u8], &[u8], [&str; 3]); 6] = [
        (
            &[0x0b; 20],
            b"Hi There",
            [
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
                "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde\
                 daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
            ],
        ),
        (
            b"Jefe",
            b"what do ya want for nothing?",
            [
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
                 9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
            ],
        ),
        (
            &[0xaa; 20],
            &[0xdd; 50],
            [
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
                "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101a34f27",
                "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39\
                 bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
            ],
        ),
        (
            &counted,
            &[0xcd; 50],
            [
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
                "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e6801dd23c4a7d679ccf8a386c674cffb",
                "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3db\
                 a91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
            ],
        ),
        (
            &[0xaa; 131],
            b"Test Using Larger Than Block-Size Key - Hash Key First",
            [
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
                "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
                "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352\
                 6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
            ],
        ),
        (
            &[0xaa; 131],
            larger.as_bytes(),
            [
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
                "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5a678cc31e799176d3860e6110c46523e",
                "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944\
                 b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58",
            ],
        ),
    ];
    for (key, message, [first, second, third]) in answers {
        assert_eq!(HmacSha256::authenticate(key, message).as_bytes()[..], hex(first));
        assert_eq!(HmacSha384::authenticate(key, message).as_bytes()[..], hex(second));
        assert_eq!(HmacSha512::authenticate(key, message).as_bytes()[..], hex(third));
    }
}

/// RFC 5869, appendices A.1 to A.3.
#[test]
pub fn hkdf() {
    let first: Vec<u8> = (0..=0x0c).collect();
    let info: Vec<u8> = (0xf0..=0xf9).collect();
    let (secret, salt, long_info): (Vec<u8>, Vec<u8>, Vec<u8>) =
        ((0..=0x4f).collect(), (0x60..=0xaf).collect(), (0xb0..=0xff).collect());
    // Salt, secret, info.
    let answers: [([&[u8]; 3], &str); 3] = [
        (
            [&first, &[0x0b; 22], &info],
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
        ),
        (
            [&salt, &secret, &long_info],
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09\
             da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87",
        ),
        (
            [&[], &[0x0b; 22], &[]],
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
        ),
    ];
    for ([salt, secret, info], expected) in answers {
        let expected = hex(expected);
        let mut out = vec![0; expected.len()];
        HkdfSha256::new(salt, secret).expand(info, &mut out).expect("short enough");
        assert_eq!(out, expected);
    }
}

const SUNSCREEN: &[u8] =
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
                           sunscreen would be it.";

/// RFC 8439, section 2.4.2, whose counter begins with 1.
#[test]
pub fn chacha20() {
    let key: Vec<u8> = (0..32).collect();
    let key = ChaCha20Key::from_bytes(key.try_into().expect("32 bytes"));
    let mut cipher = ChaCha20::new(&key, &ChaCha20Nonce::from_bytes([0, 0, 0, 0, 0, 0, 0, 0x4a, 0, 0, 0, 0]));
    cipher.seek(64);
    let mut text = SUNSCREEN.to_vec();
    cipher.apply(&mut text).expect("short enough");
    let expected = "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0bf91b65c5524733ab8f593dabcd62b357\
                    1639d624e65152ab8f530c359f0861d807ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736\
                    5af90bbf74a35be6b40b8eedf2785e42874d";
    assert_eq!(text, hex(expected));
}

/// RFC 8439, section 2.5.2.
#[test]
pub fn poly1305() {
    let mut mac = Poly1305::new(Poly1305Key::from_bytes(bytes(
        "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b",
    )));
    mac.update(b"Cryptographic Forum Research Group");
    assert_eq!(mac.finalize().as_bytes()[..], hex("a8061dc1305136c6c22b8baf0c0127a9"));
}

/// RFC 8439, section 2.8.2.
#[test]
pub fn chacha20_poly1305() {
    let key: Vec<u8> = (0x80..0xa0).collect();
    let cipher = ChaCha20Poly1305::new(&ChaCha20Poly1305Key::from_bytes(key.try_into().expect("32 bytes")));
    let nonce = ChaCha20Poly1305Nonce::from_bytes(bytes("070000004041424344454647"));
    let sealed = cipher.seal(&nonce, &hex("50515253c0c1c2c3c4c5c6c7"), SUNSCREEN).expect("short enough");
    let expected = "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b\
                    1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc\
                    3ff4def08e4b7a9de576d26586cec64b61161ae10b594f09e26a7e902ecbd0600691";
    assert_eq!(sealed, hex(expected));
}

/// D. J. Bernstein, "Cryptography in NaCl", 2009, sections 8 to 10: the key that two share, and a sealed message.
#[test]
pub fn boxes_of_nacl() {
    let alice = nacl::SecretKey::from_bytes(bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"));
    let bob = nacl::SecretKey::from_bytes(bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"));
    let key = nacl::box_beforenm(&bob.public_key(), &alice).expect("not zero");
    assert_eq!(key.as_bytes()[..], hex("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389"));
    let nonce = nacl::Nonce::from_bytes(bytes("69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37"));
    let message =
        hex("be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c6129\
                       6cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde\
                       048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705");
    let sealed =
        hex("f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a\
                      c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae\
                      90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74\
                      e355a5");
    assert_eq!(nacl::box_(&message, &nonce, &bob.public_key(), &alice).expect("not zero"), sealed);
    assert_eq!(nacl::secretbox(&message, &nonce, &key).expect("short enough"), sealed);
    assert_eq!(nacl::box_open(&sealed, &nonce, &alice.public_key(), &bob).expect("it is right"), message);
}

/// libsodium, `test/default/kdf.exp`: the key is 0 to 31, the context "KDF test".
#[test]
pub fn keys_with_numbers() {
    let key = MasterKey::from_bytes(std::array::from_fn(|place| place as u8));
    let published = [
        (
            0,
            "a0c724404728c8bb95e5433eb6a9716171144d61efb23e74b873fcbeda51d8071b5d70aae12066dfc94ce943f145aa176c055040c3dd73b0a15e36254d450614",
        ),
        (
            1,
            "02507f144fa9bf19010bf7c70b235b4c2663cc00e074f929602a5e2c10a780757d2a3993d06debc378a90efdac196dd841817b977d67b786804f6d3cd585bab5",
        ),
        (
            9,
            "70f9b83e463fb441e7a4c43275125cd5b19d8e2e4a5d179a39f5db10bbce745a199104563d308cf8d4c6b27bbb759ded232f5bdb7c367dd632a9677320dfe416",
        ),
        (16, "a529216624ef9161e4cf117272aafff2"),
        (33, "e9dd395570e09ebb523ffc6ba098a38b17bc4944f14bd3725bdd7edbd8bcff54fb"),
    ];
    for (number, expected) in published {
        let mut derived = vec![0; expected.len() / 2];
        key.derive(number, b"KDF test", &mut derived).expect("16 to 64 bytes");
        assert_eq!(derived, hex(expected), "number {number}");
    }
    for length in [0, 15, 65, 1000] {
        let mut derived = vec![7; length];
        assert!(key.derive(0, b"KDF test", &mut derived).is_err());
        assert_eq!(derived, vec![7; length]);
    }
}
