//! The vectors of Project Wycheproof, all of them.

use culet::aead::{
    Aes128Gcm, Aes128GcmKey, Aes128GcmNonce, Aes128GcmTag, Aes256Gcm, Aes256GcmKey, Aes256GcmNonce, Aes256GcmTag,
    AsconAead128, AsconAead128Key, AsconAead128Nonce, AsconAead128Tag, ChaCha20Poly1305, ChaCha20Poly1305Key,
    ChaCha20Poly1305Nonce, ChaCha20Poly1305Tag, XChaCha20Poly1305, XChaCha20Poly1305Key, XChaCha20Poly1305Nonce,
    XChaCha20Poly1305Tag,
};
use culet::ed25519::{Signature, VerifyingKey, verify_batch};
use culet::kdf::{HkdfSha256, HkdfSha384, HkdfSha512};
use culet::mac::{
    HmacSha224, HmacSha224Tag, HmacSha256, HmacSha256Tag, HmacSha384, HmacSha384Tag, HmacSha512, HmacSha512Tag,
};
use culet::x25519::{PublicKey, SecretKey, SharedSecret, diffie_hellman_batch};

use super::ecdsa::{self, Question};
use super::support::{hex, wycheproof};

/// Answers that are called acceptable have a secret that is zero, which is an error here, or a public key on the curve's twist or one that
/// is not reduced, which is none.
#[test]
pub fn x25519() {
    let mut agreed = Vec::new();
    for vector in wycheproof("x25519") {
        let secret = SecretKey::from_bytes(vector.hex("private").try_into().expect("32 bytes"));
        let public = PublicKey::from_bytes(vector.hex("public").try_into().expect("32 bytes"));
        let expected = vector.hex("shared");
        assert_eq!(culet::nacl::scalarmult(secret.as_bytes(), public.as_bytes())[..], expected, "{vector}");
        assert!(vector.is_valid() || vector.result() == "acceptable", "{vector}");
        match secret.diffie_hellman(&public) {
            Ok(shared) => {
                assert_eq!(shared.as_bytes()[..], expected, "{vector}");
                agreed.push((secret, public, expected));
            }
            Err(_) => assert!(!vector.is_valid() && expected == [0; 32], "{vector}"),
        }
    }
    let pairs: Vec<_> = agreed.iter().map(|(secret, public, _)| (secret, public)).collect();
    let mut together = vec![SharedSecret::from_bytes([0; 32]); pairs.len()];
    diffie_hellman_batch(&pairs, &mut together).expect("none is zero");
    for ((.., expected), shared) in agreed.iter().zip(&together) {
        assert_eq!(shared.as_bytes()[..], expected[..]);
    }
}

#[test]
pub fn ed25519() {
    for vector in wycheproof("ed25519") {
        let key = hex(vector.group("publicKey")["pk"].as_str().expect("a key"));
        let key = VerifyingKey::from_bytes(key.try_into().expect("32 bytes")).expect("a point");
        let verified = match <[u8; 64]>::try_from(vector.hex("sig")) {
            Ok(signature) => {
                let (message, signature) = (vector.hex("msg"), Signature::from_bytes(signature));
                let is_good = key.verify(&message, &signature).is_ok();
                assert_eq!(verify_batch(&[(key.as_bytes(), &message[..], &signature); 3]).is_ok(), is_good, "{vector}");
                is_good
            }
            // Another length cannot be written.
            Err(_) => false,
        };
        assert_eq!(verified, vector.is_valid(), "{vector}");
    }
}

macro_rules! aead {
    ($test:ident, $file:literal, $least:literal, $cipher:ident, $key:ident, $nonce:ident, $tag:ident) => {
        #[test]
        pub fn $test() {
            let mut valid = 0;
            for vector in wycheproof($file) {
                // AES has keys of other lengths in the same file.
                let Ok(key) = vector.hex("key").try_into() else { continue };
                // Another length of the nonce cannot be written. AES-GCM has others, too.
                let Ok(nonce) = vector.hex("iv").try_into() else {
                    assert!(!vector.is_valid() || $file == "aes_gcm", "{vector}");
                    continue;
                };
                let cipher = $cipher::new(&$key::from_bytes(key));
                let nonce = $nonce::from_bytes(nonce);
                let tag = $tag::from_bytes(vector.hex("tag").try_into().expect("a tag"));
                let (message, encrypted, additional) = (vector.hex("msg"), vector.hex("ct"), vector.hex("aad"));

                let mut buffer = encrypted.clone();
                let opened = cipher.open_in_place(&nonce, &additional, &mut buffer, &tag);
                assert_eq!(opened.is_ok(), vector.is_valid(), "{vector}");
                if !vector.is_valid() {
                    assert!(buffer.iter().all(|byte| *byte == 0), "{vector}");
                    continue;
                }
                valid += 1;
                assert_eq!(buffer, message, "{vector}");
                let ours = cipher.seal_in_place(&nonce, &additional, &mut buffer).expect("it is short");
                assert_eq!((&buffer, ours.as_bytes()), (&encrypted, tag.as_bytes()), "{vector}");
                let sealed = cipher.seal(&nonce, &additional, &message).expect("it is short");
                assert_eq!(sealed, [&encrypted[..], tag.as_bytes()].concat(), "{vector}");
                assert_eq!(cipher.open(&nonce, &additional, &sealed).expect("it is right"), message, "{vector}");
            }
            assert!(valid > $least, "only {valid} are valid");
        }
    };
}

aead!(
    chacha20_poly1305,
    "chacha20_poly1305",
    100,
    ChaCha20Poly1305,
    ChaCha20Poly1305Key,
    ChaCha20Poly1305Nonce,
    ChaCha20Poly1305Tag
);

aead!(
    xchacha20_poly1305,
    "xchacha20_poly1305",
    100,
    XChaCha20Poly1305,
    XChaCha20Poly1305Key,
    XChaCha20Poly1305Nonce,
    XChaCha20Poly1305Tag
);

aead!(aes128_gcm, "aes_gcm", 35, Aes128Gcm, Aes128GcmKey, Aes128GcmNonce, Aes128GcmTag);
aead!(aes256_gcm, "aes_gcm", 35, Aes256Gcm, Aes256GcmKey, Aes256GcmNonce, Aes256GcmTag);

aead!(ascon_aead128, "ascon_sp800_232_aead128", 100, AsconAead128, AsconAead128Key, AsconAead128Nonce, AsconAead128Tag);

macro_rules! gmac {
    ($test:ident, $cipher:ident, $key:ident, $nonce:ident, $tag:ident) => {
        /// GMAC is AES-GCM of additional data alone.
        #[test]
        pub fn $test() {
            let mut valid = 0;
            for vector in wycheproof("aes_gmac") {
                let Ok(key) = vector.hex("key").try_into() else { continue };
                // Another length of the nonce cannot be written.
                let Ok(nonce) = vector.hex("iv").try_into() else { continue };
                let (cipher, nonce) = ($cipher::new(&$key::from_bytes(key)), $nonce::from_bytes(nonce));
                let (data, tag) = (vector.hex("msg"), vector.hex("tag"));
                let tag = $tag::from_bytes(tag.try_into().expect("a tag"));
                let opened = cipher.open_in_place(&nonce, &data, &mut [], &tag);
                assert_eq!(opened.is_ok(), vector.is_valid(), "{vector}");
                let ours = cipher.seal_in_place(&nonce, &data, &mut []).expect("it is short");
                assert_eq!(ours.as_bytes() == tag.as_bytes(), vector.is_valid(), "{vector}");
                valid += u32::from(vector.is_valid());
            }
            assert_eq!(valid, 15);
        }
    };
}

gmac!(aes128_gmac, Aes128Gcm, Aes128GcmKey, Aes128GcmNonce, Aes128GcmTag);
gmac!(aes256_gmac, Aes256Gcm, Aes256GcmKey, Aes256GcmNonce, Aes256GcmTag);

/// Signatures of digests, by the functions of all files.
#[test]
pub fn ecdsa() {
    for file in ecdsa::FILES {
        let mut valid = 0;
        for vector in wycheproof(file) {
            let key = hex(vector.group("publicKey")["uncompressed"].as_str().expect("a key"));
            let function = vector.group("sha").as_str().expect("a hash function");
            let asked = Question::new(file, function, &vector.hex("msg"), &vector.hex("sig"));
            macro_rules! verifies {
                ($curve:ident, $signature:expr) => {{
                    let key = culet::$curve::VerifyingKey::from_sec1(&key).expect("a point");
                    let signature = culet::$curve::Signature::try_from(&$signature[..]).expect("its bytes");
                    let digest = asked.digest.as_slice().try_into().expect("a digest");
                    key.verify_prehashed(digest, &signature).is_ok()
                }};
            }
            let is_good = asked.signature.as_ref().is_some_and(|signature| match asked.curve {
                "p224" => verifies!(p224, signature),
                "p256" => verifies!(p256, signature),
                "p384" => verifies!(p384, signature),
                "p521" => verifies!(p521, signature),
                _ => verifies!(secp256k1, signature),
            });
            assert_eq!(is_good, vector.is_valid(), "{file}, {vector}");
            valid += u32::from(is_good);
        }
        assert!(valid > 100, "{file} has {valid} good signatures");
    }
}

/// All files are read.
#[cfg(not(target_os = "wasi"))] // It opens files by name only.
#[test]
fn files_of_ecdsa() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/wycheproof");
    let names = std::fs::read_dir(folder).expect("the vectors").map(|entry| entry.expect("a file").file_name());
    let mut names: Vec<String> = names.map(|name| name.into_string().expect("a name")).collect();
    names.retain(|name| name.starts_with("ecdsa"));
    names.sort();
    let mut read = ecdsa::FILES.map(|file| format!("{file}_test.json"));
    read.sort();
    assert_eq!(names, read);
}

macro_rules! hmac {
    ($test:ident, $mac:ident, $tag:ident, $length:literal) => {
        #[test]
        pub fn $test() {
            for vector in wycheproof(stringify!($test)) {
                let (key, message, expected) = (vector.hex("key"), vector.hex("msg"), vector.hex("tag"));
                let tag = $mac::authenticate(&key, &message);
                // Tags that are cut off are compared here, since the crate has none.
                assert_eq!(tag.as_bytes().starts_with(&expected), vector.is_valid(), "{vector}");
                if vector.number("tagSize") == 8 * $length {
                    let theirs = $tag::from_bytes(expected.try_into().expect("a tag"));
                    assert_eq!($mac::verify(&key, &message, &theirs).is_ok(), vector.is_valid(), "{vector}");
                }
            }
        }
    };
}

hmac!(hmac_sha224, HmacSha224, HmacSha224Tag, 28);
hmac!(hmac_sha256, HmacSha256, HmacSha256Tag, 32);
hmac!(hmac_sha384, HmacSha384, HmacSha384Tag, 48);
hmac!(hmac_sha512, HmacSha512, HmacSha512Tag, 64);

macro_rules! hkdf {
    ($test:ident, $kdf:ident) => {
        #[test]
        pub fn $test() {
            for vector in wycheproof(stringify!($test)) {
                let mut out = vec![0; vector.number("size")];
                let derived = $kdf::new(&vector.hex("salt"), &vector.hex("ikm")).expand(&vector.hex("info"), &mut out);
                // The invalid ones ask for too much.
                assert_eq!(derived.is_ok(), vector.is_valid(), "{vector}");
                assert!(!vector.is_valid() || out == vector.hex("okm"), "{vector}");
            }
        }
    };
}

hkdf!(hkdf_sha256, HkdfSha256);
hkdf!(hkdf_sha384, HkdfSha384);
hkdf!(hkdf_sha512, HkdfSha512);
