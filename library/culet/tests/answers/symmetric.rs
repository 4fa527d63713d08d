//! Hashes, authentication codes, keys, streams and ciphers.

use core::array::from_fn;

use culet::aead::{self, secretstream, stream as segments};
use culet::{hash, kdf, mac, secretbox, stream};

use crate::hex;

/// The first examples of NIST's pages on FIPS 180-4 and FIPS 202, RFC 7693, appendices A and B, and the designers' answers of Ascon.
pub fn hashes() {
    assert_eq!(hash::Sha224::digest(b"abc"), hex("23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"));
    assert_eq!(hash::Sha256::digest(b"abc"), hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    assert_eq!(
        hash::Sha384::digest(b"abc"),
        hex("cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7")
    );
    assert_eq!(
        hash::Sha512::digest(b"abc"),
        hex("ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
             2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")
    );
    assert_eq!(
        hash::Sha512_256::digest(b"abc"),
        hex("53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23")
    );
    assert_eq!(hash::Sha3_224::digest(b""), hex("6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7"));
    assert_eq!(hash::Sha3_256::digest(b""), hex("a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"));
    assert_eq!(
        hash::Sha3_384::digest(b""),
        hex("0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004")
    );
    assert_eq!(
        hash::Sha3_512::digest(b""),
        hex("a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a6\
             15b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26")
    );
    let mut out = [0; 32];
    hash::Shake128::digest(b"", &mut out);
    assert_eq!(out, hex("7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"));
    hash::Shake256::digest(b"", &mut out);
    assert_eq!(out, hex("46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762f"));
    assert_eq!(
        hash::Blake2b::<64>::digest(b"abc"),
        hex("ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
             7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923")
    );
    assert_eq!(
        hash::Blake2s::<32>::digest(b"abc"),
        hex("508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982")
    );
    assert_eq!(
        hash::AsconHash256::digest(b""),
        hex("0b3be5850f2f6b98caf29f8fdea89b64a1fa70aa249b8f839bd53baa304d92b2")
    );
    hash::AsconXof128::digest(b"", &mut out);
    assert_eq!(out, hex("473d5e6164f58b39dfd84aacdb8ae42ec2d91fed33388ee0d960d9b3993295c6"));
}

/// RFC 4231, section 4.3; RFC 8439, section 2.5.2.
pub fn authentication_codes() {
    let (key, message) = (b"Jefe", b"what do ya want for nothing?");
    let tag = mac::HmacSha224::authenticate(key, message);
    assert_eq!(*tag.as_bytes(), hex("a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"));
    let tag = mac::HmacSha256::authenticate(key, message);
    assert_eq!(*tag.as_bytes(), hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
    let tag = mac::HmacSha384::authenticate(key, message);
    assert_eq!(
        *tag.as_bytes(),
        hex("af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649")
    );
    let tag = mac::HmacSha512::authenticate(key, message);
    assert_eq!(
        *tag.as_bytes(),
        hex("164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554\
             9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737")
    );
    let key = mac::Poly1305Key::from_bytes(hex("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b"));
    let mut poly1305 = mac::Poly1305::new(key);
    poly1305.update(b"Cryptographic Forum Research Group");
    assert_eq!(*poly1305.finalize().as_bytes(), hex("a8061dc1305136c6c22b8baf0c0127a9"));
}

/// RFC 5869, appendix A.1; libsodium, `test/default/kdf.exp`.
pub fn derived_keys() {
    let (salt, info): ([u8; 13], [u8; 10]) = (from_fn(|place| place as u8), from_fn(|place| 0xf0 + place as u8));
    let mut out = [0; 42];
    kdf::HkdfSha256::new(&salt, &[0x0b; 22]).expand(&info, &mut out).expect("short enough");
    assert_eq!(out, hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"));

    let mut derived = [0; 16];
    let key = kdf::MasterKey::from_bytes(from_fn(|place| place as u8));
    key.derive(16, b"KDF test", &mut derived).expect("16 bytes");
    assert_eq!(derived, hex("a529216624ef9161e4cf117272aafff2"));
}

/// RFC 8439, section 2.4.2: the first block.
pub fn streams() {
    let key = stream::ChaCha20Key::from_bytes(from_fn(|place| place as u8));
    let mut cipher = stream::ChaCha20::new(&key, &stream::ChaCha20Nonce::from_bytes(hex("000000000000004a00000000")));
    cipher.seek(64);
    let mut text = *b"Ladies and Gentlemen of the class of '99: If I could offer you o";
    cipher.apply(&mut text).expect("short enough");
    assert_eq!(
        text,
        hex("6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b\
             f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8")
    );
}

/// Seals a message to a published answer, opens it, and refuses it with another tag.
macro_rules! seals {
    ($cipher:ident, $key:ident, $nonce:ident, $tag:ident, $bytes:expr, $number:expr, $additional:expr, $message:expr, $sealed:expr, $of:expr) => {
        let (cipher, nonce) = (aead::$cipher::new(&aead::$key::from_bytes($bytes)), aead::$nonce::from_bytes($number));
        let mut buffer = $message;
        let tag = cipher.seal_in_place(&nonce, &$additional, &mut buffer).expect("short enough");
        assert_eq!((buffer, *tag.as_bytes()), (hex($sealed), hex($of)));
        cipher.open_in_place(&nonce, &$additional, &mut buffer, &tag).expect("it is right");
        assert_eq!(buffer, $message);
        assert!(cipher.open_in_place(&nonce, &$additional, &mut buffer, &aead::$tag::from_bytes([0; 16])).is_err());
    };
}

/// D. McGrew, J. Viega, "The Galois/Counter Mode of Operation", 2005, test cases 2 and 14; RFC 8439, section 2.8.2; the designers' answers of Ascon.
/// Boxes and files of segments, for which there are no short answers, are opened again.
pub fn ciphers() {
    seals!(
        Aes128Gcm,
        Aes128GcmKey,
        Aes128GcmNonce,
        Aes128GcmTag,
        [0; 16],
        [0; 12],
        [],
        [0; 16],
        "0388dace60b6a392f328c2b971b2fe78",
        "ab6e47d42cec13bdf53a67b21257bddf"
    );
    seals!(
        Aes256Gcm,
        Aes256GcmKey,
        Aes256GcmNonce,
        Aes256GcmTag,
        [0; 32],
        [0; 12],
        [],
        [0; 16],
        "cea7403d4d606b6e074ec5d3baf39d18",
        "d0d1c8a799996bf0265b98b5d48ab919"
    );
    seals!(
        AsconAead128,
        AsconAead128Key,
        AsconAead128Nonce,
        AsconAead128Tag,
        hex("000102030405060708090a0b0c0d0e0f"),
        hex("101112131415161718191a1b1c1d1e1f"),
        [0x30],
        [0x20],
        "96",
        "2b8016836c75a7d86866588ca245d886"
    );
    seals!(
        ChaCha20Poly1305, ChaCha20Poly1305Key, ChaCha20Poly1305Nonce, ChaCha20Poly1305Tag,
        from_fn(|place| 0x80 + place as u8), hex("070000004041424344454647"), hex::<12>("50515253c0c1c2c3c4c5c6c7"),
        *b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.",
        "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d63dbea45e8ca9671282fafb69da92728b\
         1a71de0a9e060b2905d6a5b67ecd3b3692ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc\
         3ff4def08e4b7a9de576d26586cec64b6116",
        "1ae10b594f09e26a7e902ecbd0600691"
    );

    let mut text = *b"message";
    let (cipher, nonce) =
        (secretbox::SecretBox::new(&secretbox::Key::from_bytes([1; 32])), secretbox::Nonce::from_bytes([2; 24]));
    let tag = cipher.seal_in_place(&nonce, &mut text).expect("short enough");
    cipher.open_in_place(&nonce, &mut text, &tag).expect("it is right");
    assert_eq!(&text, b"message");

    let (key, nonce) = (aead::XChaCha20Poly1305Key::from_bytes([1; 32]), segments::Nonce::from_bytes([2; 19]));
    let tag = segments::Sealer::new(&key, &nonce).seal_last_in_place(b"", &mut text).expect("short enough");
    segments::Opener::new(&key, &nonce).open_last_in_place(b"", &mut text, &tag).expect("it is right");
    assert_eq!(&text, b"message");

    let (key, header) = (secretstream::Key::from_bytes([1; 32]), secretstream::Header::from_bytes([2; 24]));
    let kind = secretstream::Kind::FINAL;
    let seal = secretstream::Sealer::new(&key, &header).seal_in_place(kind, b"", &mut text).expect("short enough");
    assert_eq!(secretstream::Opener::new(&key, &header).open_in_place(b"", &mut text, &seal), Ok(kind));
    assert_eq!(&text, b"message");
}
