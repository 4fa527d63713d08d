//! Ciphers through the traits of the crate `aead`: its own tests, with the vectors of Project Wycheproof and with what other crates seal.

use aead::dev::{TestVector, fail_test, pass_test};
use aead::inout::InOutBuf;
use aead::{Aead, AeadInOut, KeyInit, Payload};
use culet::aead::{Aes128Gcm, Aes256Gcm, AsconAead128, ChaCha20Poly1305, XChaCha20Poly1305};

use crate::support::{Random, wycheproof};

/// Bytes for the rest of the program, as the crate's tests want them.
fn kept(bytes: Vec<u8>) -> &'static [u8] {
    bytes.leak()
}

/// The vectors for keys of `key` bytes and nonces of `nonce` bytes; the type has no others.
fn vectors<C: AeadInOut + KeyInit>(file: &str, key: usize, nonce: usize) {
    let mut passed = 0;
    for vector in wycheproof(file) {
        let test = TestVector {
            key: kept(vector.hex("key")),
            nonce: kept(vector.hex("iv")),
            aad: kept(vector.hex("aad")),
            plaintext: kept(vector.hex("msg")),
            ciphertext: kept([vector.hex("ct"), vector.hex("tag")].concat()),
        };
        if (test.key.len(), test.nonce.len()) != (key, nonce) {
            continue;
        }
        if vector.is_valid() {
            pass_test::<C>(&test).unwrap_or_else(|reason| panic!("{vector}: {reason}"));
            passed += 1;
        } else {
            fail_test::<C>(&test).unwrap_or_else(|reason| panic!("{vector}: {reason}"));
        }
    }
    assert!(passed > 30, "{file}: {passed}");
}

#[test]
fn published_messages() {
    vectors::<ChaCha20Poly1305>("chacha20_poly1305", 32, 12);
    vectors::<XChaCha20Poly1305>("xchacha20_poly1305", 32, 24);
    vectors::<Aes128Gcm>("aes_gcm", 16, 12);
    vectors::<Aes256Gcm>("aes_gcm", 32, 12);
}

/// With a wrong tag, the place of the message is all zeros, and the encrypted message is as it was.
#[test]
fn nothing_is_left_of_what_is_refused() {
    let cipher = <ChaCha20Poly1305 as KeyInit>::new(&[7; 32].into());
    for length in [1, 64, 1000] {
        let mut encrypted = vec![5; length];
        let mut tag =
            cipher.encrypt_inout_detached(&[1; 12].into(), b"", encrypted.as_mut_slice().into()).expect("a tag");
        tag[15] ^= 1;
        let mut message = vec![9; length];
        let buffer = InOutBuf::new(&encrypted, &mut message).expect("equal lengths");
        assert!(cipher.decrypt_inout_detached(&[1; 12].into(), b"", buffer, &tag).is_err());
        assert_eq!(message, vec![0; length]);
        let mut in_place = encrypted.clone();
        assert!(cipher.decrypt_inout_detached(&[1; 12].into(), b"", in_place.as_mut_slice().into(), &tag).is_err());
        assert_eq!(in_place, vec![0; length]);
    }
}

/// Another implementation has the same trait.
#[test]
fn ascon_seals_as_another_does() {
    let random = &mut Random::new(60);
    for length in 0..80 {
        let (key, nonce): ([u8; 16], [u8; 16]) = (random.array(), random.array());
        let (message, additional) = (random.vector(length), random.vector(80 - length));
        let [ours, theirs] = [
            sealed(&<AsconAead128 as KeyInit>::new(&key.into()), &nonce, &message, &additional),
            sealed(&ascon_aead::AsconAead128::new(&key.into()), &nonce, &message, &additional),
        ];
        assert_eq!(ours, theirs, "{length} bytes");
        let [key, nonce, aad, plaintext, ciphertext] =
            [key.to_vec(), nonce.to_vec(), additional, message, theirs].map(kept);
        pass_test::<AsconAead128>(&TestVector { key, nonce, aad, plaintext, ciphertext }).expect("it is right");
        let mut changed = ciphertext.to_vec();
        changed[random.below(ciphertext.len())] ^= 1;
        let ciphertext = kept(changed);
        fail_test::<AsconAead128>(&TestVector { key, nonce, aad, plaintext, ciphertext }).expect("it is wrong");
    }
}

fn sealed<C: Aead>(cipher: &C, nonce: &[u8], msg: &[u8], aad: &[u8]) -> Vec<u8> {
    cipher.encrypt(nonce.try_into().expect("a nonce"), Payload { msg, aad }).expect("it is short")
}
