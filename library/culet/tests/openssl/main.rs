//! Random inputs and OpenSSL: both compute the same, each takes what the other one has made, and both refuse it when it is changed.

#[path = "../operations/bytes.rs"]
mod bytes;
mod curves;
mod peer;

use culet::aead;
use culet::hash;
use culet::kdf;
use culet::mac;
use culet::stream;

use bytes::Random;
use peer::Questions;

/// Lengths up to a few blocks, most of which are odd or end within a block, and some longer ones.
fn lengths(random: &mut Random) -> Vec<usize> {
    let more: Vec<usize> = (0..8).map(|_| 300 + random.below(4000)).collect();
    (0..=80).chain([111, 112, 127, 128, 129, 143, 144, 200, 255, 256, 257, 289, 511, 513]).chain(more).collect()
}

/// A length for OpenSSL's program.
fn of_two_bytes(length: usize) -> [u8; 2] {
    u16::try_from(length).expect("a short output").to_be_bytes()
}

/// One bit of the bytes is another one.
pub fn change(random: &mut Random, bytes: &mut [u8]) {
    let bit = random.below(8 * bytes.len());
    bytes[bit / 8] ^= 1 << (bit % 8);
}

#[test]
fn hashes() {
    let (random, mut questions) = (&mut Random::new(1), Questions::default());
    for length in lengths(random) {
        let message = &random.vector(length);
        let mut same = |name: &str, digest: &[u8]| questions.same("digest", name, &[message], digest);
        same("SHA224", &hash::Sha224::digest(message));
        same("SHA256", &hash::Sha256::digest(message));
        same("SHA384", &hash::Sha384::digest(message));
        same("SHA512", &hash::Sha512::digest(message));
        same("SHA512-256", &hash::Sha512_256::digest(message));
        same("SHA3-224", &hash::Sha3_224::digest(message));
        same("SHA3-256", &hash::Sha3_256::digest(message));
        same("SHA3-384", &hash::Sha3_384::digest(message));
        same("SHA3-512", &hash::Sha3_512::digest(message));
        same("BLAKE2B512", &hash::Blake2b::<64>::digest(message));
        same("BLAKE2S256", &hash::Blake2s::<32>::digest(message));

        let mut out = vec![0; 1 + random.below(400)];
        let asked = of_two_bytes(out.len());
        hash::Shake128::digest(message, &mut out);
        questions.same("extendable", "SHAKE128", &[message, &asked], &out);
        hash::Shake256::digest(message, &mut out);
        questions.same("extendable", "SHAKE256", &[message, &asked], &out);
    }
    questions.ask();
}

#[test]
fn authentication_codes() {
    let (random, mut questions) = (&mut Random::new(2), Questions::default());
    for length in lengths(random) {
        let (key, message) = (&random.vector(length % 151), &random.vector(length));
        let mut same = |name: &str, tag: &[u8]| questions.same("mac", name, &[key, message], tag);
        same("HMAC/SHA224", mac::HmacSha224::authenticate(key, message).as_bytes());
        same("HMAC/SHA256", mac::HmacSha256::authenticate(key, message).as_bytes());
        same("HMAC/SHA384", mac::HmacSha384::authenticate(key, message).as_bytes());
        same("HMAC/SHA512", mac::HmacSha512::authenticate(key, message).as_bytes());

        let key: [u8; 32] = random.array();
        let mut poly1305 = mac::Poly1305::new(mac::Poly1305Key::from_bytes(key));
        poly1305.update(message);
        questions.same("mac", "POLY1305", &[&key, message], poly1305.finalize().as_bytes());

        let key = &random.vector(1 + length % 64);
        let tag = mac::Blake2bMac::<37>::authenticate(key, message).expect("a key");
        questions.same("mac", "BLAKE2BMAC", &[key, message, &of_two_bytes(37)], tag.as_bytes());
        let key = &random.vector(1 + length % 32);
        let tag = mac::Blake2sMac::<16>::authenticate(key, message).expect("a key");
        questions.same("mac", "BLAKE2SMAC", &[key, message, &of_two_bytes(16)], tag.as_bytes());
    }
    questions.ask();
}

#[test]
fn keys_from_secrets() {
    let (random, mut questions) = (&mut Random::new(3), Questions::default());
    for length in (1..=150).chain([1000, 8159, 8160]) {
        let (salt, secret, info) =
            (&random.vector(length % 140), &random.vector(1 + length % 70), &random.vector(length % 33));
        let (mut out, asked) = (vec![0; length], &of_two_bytes(length));
        kdf::HkdfSha256::new(salt, secret).expand(info, &mut out).expect("short enough");
        questions.same("hkdf", "SHA256", &[salt, secret, info, asked], &out);
        kdf::HkdfSha384::new(salt, secret).expand(info, &mut out).expect("short enough");
        questions.same("hkdf", "SHA384", &[salt, secret, info, asked], &out);
        kdf::HkdfSha512::new(salt, secret).expand(info, &mut out).expect("short enough");
        questions.same("hkdf", "SHA512", &[salt, secret, info, asked], &out);
    }
    // One byte more than 255 digests.
    let asked = of_two_bytes(8161);
    assert!(kdf::HkdfSha256::new(b"", b"secret").expand(b"", &mut [0; 8161]).is_err());
    questions.refused("hkdf", "SHA256", &[b"", b"secret", b"", &asked]);
    questions.ask();
}

/// OpenSSL's nonce begins with the number of the first block, least significant byte first.
#[test]
fn bare_streams() {
    let (random, mut questions) = (&mut Random::new(4), Questions::default());
    for length in lengths(random) {
        let (key, nonce, mut data) = (random.array(), random.array(), random.vector(length));
        let (block, start) = (random.below(1 << 20) as u32, data.clone());
        let mut cipher =
            stream::ChaCha20::new(&stream::ChaCha20Key::from_bytes(key), &stream::ChaCha20Nonce::from_bytes(nonce));
        cipher.seek(64 * u64::from(block));
        cipher.apply(&mut data).expect("short enough");
        let theirs = [&block.to_le_bytes()[..], &nonce].concat();
        questions.same("stream", "ChaCha20", &[&key, &theirs, b"", &start], &data);
    }
    questions.ask();
}

macro_rules! sealed {
    ($test:ident, $seed:literal, $name:literal, $cipher:ident, $key:ident, $nonce:ident) => {
        #[test]
        fn $test() {
            let (random, mut questions) = (&mut Random::new($seed), Questions::default());
            for length in lengths(random) {
                let (key, nonce) = (random.array(), random.array());
                let (additional, message) = (&mut random.vector(1 + 7 * length % 71), &random.vector(length));
                let (cipher, number) =
                    (aead::$cipher::new(&aead::$key::from_bytes(key)), aead::$nonce::from_bytes(nonce));
                let mut sealed = cipher.seal(&number, additional, message).expect("short enough");
                questions.same("seal", $name, &[&key, &nonce, additional, message], &sealed);
                questions.same("open", $name, &[&key, &nonce, additional, &sealed], message);

                // The message, its tag, or what is authenticated with it is another one.
                let changed: &mut [u8] = if length % 3 == 0 { additional } else { &mut sealed };
                change(random, changed);
                assert!(cipher.open(&number, additional, &sealed).is_err(), "{length} bytes");
                questions.refused("open", $name, &[&key, &nonce, additional, &sealed]);
            }
            questions.ask();
        }
    };
}

sealed!(chacha20_poly1305, 5, "ChaCha20-Poly1305", ChaCha20Poly1305, ChaCha20Poly1305Key, ChaCha20Poly1305Nonce);
sealed!(aes_128_gcm, 6, "AES-128-GCM", Aes128Gcm, Aes128GcmKey, Aes128GcmNonce);
sealed!(aes_256_gcm, 7, "AES-256-GCM", Aes256Gcm, Aes256GcmKey, Aes256GcmNonce);
