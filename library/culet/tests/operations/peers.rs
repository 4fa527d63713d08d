//! Random inputs of all lengths, and other implementations.

use chacha20::cipher::{KeyIvInit, StreamCipher};
use chacha20poly1305::KeyInit;
use chacha20poly1305::aead::{Aead, AeadInPlace};
use culet::aead;
use culet::ed25519;
use culet::hash::{Sha224, Sha256, Sha384, Sha512};
use culet::kdf::{HkdfSha256, HkdfSha384, HkdfSha512};
use culet::mac::{HmacSha224, HmacSha256, HmacSha384, HmacSha512, Poly1305, Poly1305Key};
use culet::nacl;
use culet::sealed;
use culet::secretbox;
use culet::stream;
use culet::x25519;
use hmac::Mac;
use sha2::Digest;

use super::support::Random;

/// Every length up to a few blocks, around the ends of what is put together, and some longer ones.
fn lengths(random: &mut Random) -> Vec<usize> {
    let more: Vec<usize> = (0..24).map(|_| 300 + random.below(4000)).collect();
    (0..=400).chain(957..=1030).chain([2047, 2048, 2049]).chain(more).collect()
}

#[test]
pub fn x25519_agrees() {
    let random = &mut Random::new(1);
    for _ in 0..100 {
        let (ours, theirs) = (random.array(), random.array());
        let peer = x25519_dalek::StaticSecret::from(ours);
        let key = x25519::SecretKey::from_bytes(ours);
        assert_eq!(key.public_key().as_bytes(), x25519_dalek::PublicKey::from(&peer).as_bytes());
        let shared = key.diffie_hellman(&x25519::PublicKey::from_bytes(theirs)).expect("not of small order");
        assert_eq!(shared.as_bytes(), peer.diffie_hellman(&x25519_dalek::PublicKey::from(theirs)).as_bytes());
    }
}

#[test]
pub fn ed25519_agrees() {
    use ed25519_dalek::Signer;
    let random = &mut Random::new(12);
    for length in (0..40).chain([111, 112, 127, 128, 200, 1000]) {
        let (seed, message): ([u8; 32], _) = (random.array(), random.vector(length));
        let (ours, theirs) = (ed25519::SigningKey::from_bytes(seed), ed25519_dalek::SigningKey::from_bytes(&seed));
        assert_eq!(ours.verifying_key().to_bytes(), theirs.verifying_key().to_bytes());
        let signature = ours.sign(&message);
        assert_eq!(signature.to_bytes(), theirs.sign(&message).to_bytes(), "{length} bytes");
        ours.verifying_key().verify(&message, &signature).expect("it is right");
    }
}

/// Whether random bytes are points: half of them are.
#[test]
pub fn public_keys_agree() {
    let random = &mut Random::new(13);
    let mut points = 0;
    for _ in 0..200 {
        let bytes: [u8; 32] = random.array();
        let is_point = ed25519_dalek::VerifyingKey::from_bytes(&bytes).is_ok();
        assert_eq!(ed25519::VerifyingKey::from_bytes(bytes).is_ok(), is_point, "{bytes:?}");
        points += u32::from(is_point);
    }
    assert!((50..150).contains(&points), "{points} of 200 are points");
}

#[test]
pub fn hashes_agree() {
    let random = &mut Random::new(2);
    for length in lengths(random) {
        let message = random.vector(length);
        assert_eq!(Sha224::digest(&message)[..], sha2::Sha224::digest(&message)[..], "{length} bytes");
        assert_eq!(Sha256::digest(&message)[..], sha2::Sha256::digest(&message)[..], "{length} bytes");
        assert_eq!(Sha384::digest(&message)[..], sha2::Sha384::digest(&message)[..], "{length} bytes");
        assert_eq!(Sha512::digest(&message)[..], sha2::Sha512::digest(&message)[..], "{length} bytes");
    }
}

/// A key of any length.
fn peer<M: Mac + hmac::digest::KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = <M as Mac>::new_from_slice(key).expect("any length");
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

#[test]
pub fn hmac_agrees_for_keys_and_messages_of_any_length() {
    let random = &mut Random::new(3);
    for length in 0..=300 {
        let (key, message) = (random.vector(length), random.vector(300 - length));
        let [shortest, first, second, third] = [
            peer::<hmac::Hmac<sha2::Sha224>>(&key, &message),
            peer::<hmac::Hmac<sha2::Sha256>>(&key, &message),
            peer::<hmac::Hmac<sha2::Sha384>>(&key, &message),
            peer::<hmac::Hmac<sha2::Sha512>>(&key, &message),
        ];
        assert_eq!(HmacSha224::authenticate(&key, &message).as_bytes()[..], shortest, "a key of {length} bytes");
        assert_eq!(HmacSha256::authenticate(&key, &message).as_bytes()[..], first, "a key of {length} bytes");
        assert_eq!(HmacSha384::authenticate(&key, &message).as_bytes()[..], second, "a key of {length} bytes");
        assert_eq!(HmacSha512::authenticate(&key, &message).as_bytes()[..], third, "a key of {length} bytes");
    }
}

#[test]
pub fn hkdf_agrees_for_all_lengths() {
    let random = &mut Random::new(4);
    for length in (0..=200).chain([255 * 32, 255 * 48, 255 * 64]) {
        let (salt, secret) = (random.vector(length % 90), random.vector(1 + length % 70));
        let info = random.vector(length % 33);
        let (mut ours, mut theirs) = (vec![0; length], vec![0; length]);
        if length <= HkdfSha256::LIMIT {
            HkdfSha256::new(&salt, &secret).expand(&info, &mut ours).expect("short enough");
            hkdf::Hkdf::<sha2::Sha256>::new(Some(&salt), &secret).expand(&info, &mut theirs).expect("short enough");
            assert_eq!(ours, theirs, "{length} bytes");
        }
        if length <= HkdfSha384::LIMIT {
            HkdfSha384::new(&salt, &secret).expand(&info, &mut ours).expect("short enough");
            hkdf::Hkdf::<sha2::Sha384>::new(Some(&salt), &secret).expand(&info, &mut theirs).expect("short enough");
            assert_eq!(ours, theirs, "{length} bytes");
        }
        HkdfSha512::new(&salt, &secret).expand(&info, &mut ours).expect("short enough");
        hkdf::Hkdf::<sha2::Sha512>::new(Some(&salt), &secret).expand(&info, &mut theirs).expect("short enough");
        assert_eq!(ours, theirs, "{length} bytes");
        let key: [u8; 64] = random.array();
        HkdfSha512::from_key(&key).expand(&info, &mut ours).expect("short enough");
        hkdf::Hkdf::<sha2::Sha512>::from_prk(&key).expect("a key").expand(&info, &mut theirs).expect("short enough");
        assert_eq!(ours, theirs, "{length} bytes");
    }
}

#[test]
pub fn poly1305_agrees() {
    let random = &mut Random::new(5);
    for length in lengths(random) {
        let (key, message): ([u8; 32], _) = (random.array(), random.vector(length));
        let mut mac = Poly1305::new(Poly1305Key::from_bytes(key));
        mac.update(&message);
        let theirs = poly1305::Poly1305::new(&key.into()).compute_unpadded(&message);
        assert_eq!(mac.finalize().as_bytes()[..], theirs[..], "{length} bytes");
    }
}

macro_rules! stream_agrees {
    ($test:ident, $ours:ident, $key:ident, $nonce:ident, $theirs:ty, $seed:literal) => {
        #[test]
        pub fn $test() {
            let random = &mut Random::new($seed);
            for length in lengths(random) {
                let (key, nonce, mut ours): ([u8; 32], _, _) = (random.array(), random.array(), random.vector(length));
                let mut theirs = ours.clone();
                <$theirs>::new(&key.into(), &nonce.into()).apply_keystream(&mut theirs);
                let (key, nonce) = (stream::$key::from_bytes(key), stream::$nonce::from_bytes(nonce));
                stream::$ours::new(&key, &nonce).apply(&mut ours).expect("short enough");
                assert_eq!(ours, theirs, "{length} bytes");
            }
        }
    };
}

stream_agrees!(chacha20_agrees, ChaCha20, ChaCha20Key, ChaCha20Nonce, chacha20::ChaCha20, 6);
stream_agrees!(xchacha20_agrees, XChaCha20, XChaCha20Key, XChaCha20Nonce, chacha20::XChaCha20, 7);
stream_agrees!(salsa20_agrees, Salsa20, Salsa20Key, Salsa20Nonce, salsa20::Salsa20, 8);
stream_agrees!(xsalsa20_agrees, XSalsa20, XSalsa20Key, XSalsa20Nonce, salsa20::XSalsa20, 9);

#[test]
pub fn aead_agrees() {
    let random = &mut Random::new(10);
    for length in lengths(random) {
        let (key, nonce, long): ([u8; 32], [u8; 12], [u8; 24]) = (random.array(), random.array(), random.array());
        let (additional, message) = (random.vector(length % 67), random.vector(length));

        let mut theirs = message.clone();
        let tag = chacha20poly1305::ChaCha20Poly1305::new(&key.into())
            .encrypt_in_place_detached(&nonce.into(), &additional, &mut theirs)
            .expect("short enough");
        let cipher = aead::ChaCha20Poly1305::new(&aead::ChaCha20Poly1305Key::from_bytes(key));
        let sealed = cipher.seal(&aead::ChaCha20Poly1305Nonce::from_bytes(nonce), &additional, &message);
        assert_eq!(sealed.expect("short enough"), [&theirs[..], &tag[..]].concat(), "{length} bytes");

        let mut theirs = message.clone();
        let tag = chacha20poly1305::XChaCha20Poly1305::new(&key.into())
            .encrypt_in_place_detached(&long.into(), &additional, &mut theirs)
            .expect("short enough");
        let cipher = aead::XChaCha20Poly1305::new(&aead::XChaCha20Poly1305Key::from_bytes(key));
        let nonce = aead::XChaCha20Poly1305Nonce::from_bytes(long);
        let sealed = cipher.seal(&nonce, &additional, &message).expect("short enough");
        assert_eq!(sealed, [&theirs[..], &tag[..]].concat(), "{length} bytes");
        assert_eq!(cipher.open(&nonce, &additional, &sealed).expect("it is right"), message, "{length} bytes");
    }
}

/// Every length, one by one, up to several groups of blocks; some that are longer; and buffers at every place of a word.
#[test]
pub fn aes_gcm_agrees() {
    macro_rules! agrees {
        ($random:ident, $length:ident, $ours:ident, $key:ident, $nonce:ident, $theirs:ident) => {
            let (key, nonce) = ($random.array(), $random.array());
            let (additional, message) = ($random.vector(7 * $length % 71), $random.vector($length));
            let mut theirs = message.clone();
            let tag = aes_gcm::$theirs::new(&key.into())
                .encrypt_in_place_detached(&nonce.into(), &additional, &mut theirs)
                .expect("short enough");
            let (cipher, nonce) = (aead::$ours::new(&aead::$key::from_bytes(key)), aead::$nonce::from_bytes(nonce));
            let sealed = cipher.seal(&nonce, &additional, &message).expect("short enough");
            assert_eq!(sealed, [&theirs[..], &tag[..]].concat(), "{} bytes", $length);
            assert_eq!(cipher.open(&nonce, &additional, &sealed).expect("it is right"), message, "{} bytes", $length);

            let offset = $length % 8;
            let mut shifted = [&vec![0; offset], &message[..]].concat();
            let ours = cipher.seal_in_place(&nonce, &additional, &mut shifted[offset..]).expect("short enough");
            assert_eq!((&shifted[offset..], &ours.as_bytes()[..]), (&theirs[..], &tag[..]), "{} bytes", $length);
        };
    }
    let random = &mut Random::new(16);
    for length in (0..=600).chain([1007, 1008, 1024, 1072, 1073, 4096, 16384, 20000]) {
        agrees!(random, length, Aes128Gcm, Aes128GcmKey, Aes128GcmNonce, Aes128Gcm);
        agrees!(random, length, Aes256Gcm, Aes256GcmKey, Aes256GcmNonce, Aes256Gcm);
    }
    // Additional data of all lengths, without a message and with a long one.
    for length in 0..=300 {
        let (key, nonce, additional) = (random.array(), random.array(), random.vector(length));
        let message = random.vector(length % 2 * (241 + length));
        let (mut theirs, mut ours) = (message.clone(), message.clone());
        let tag = aes_gcm::Aes128Gcm::new(&key.into())
            .encrypt_in_place_detached(&nonce.into(), &additional, &mut theirs)
            .expect("short enough");
        let cipher = aead::Aes128Gcm::new(&aead::Aes128GcmKey::from_bytes(key));
        let nonce = aead::Aes128GcmNonce::from_bytes(nonce);
        let found = cipher.seal_in_place(&nonce, &additional, &mut ours).expect("short enough");
        assert_eq!((&found.as_bytes()[..], &ours), (&tag[..], &theirs), "{length} bytes");
        assert!(cipher.open_in_place(&nonce, &additional, &mut ours, &found).is_ok());
        assert_eq!(ours, message, "{length} bytes");
    }
}

#[test]
pub fn ascon_agrees() {
    use ascon_aead::aead::{Aead, KeyInit, Payload};
    let random = &mut Random::new(14);
    for length in lengths(random) {
        let (key, nonce): ([u8; 16], [u8; 16]) = (random.array(), random.array());
        let (additional, message) = (random.vector(length % 67), random.vector(length));
        let payload = Payload { msg: &message, aad: &additional };
        let theirs = ascon_aead::AsconAead128::new(&key.into()).encrypt(&nonce.into(), payload);
        let cipher = aead::AsconAead128::new(&aead::AsconAead128Key::from_bytes(key));
        let nonce = aead::AsconAead128Nonce::from_bytes(nonce);
        let sealed = cipher.seal(&nonce, &additional, &message).expect("short enough");
        assert_eq!(sealed, theirs.expect("short enough"), "{length} bytes");
        assert_eq!(cipher.open(&nonce, &additional, &sealed).expect("it is right"), message, "{length} bytes");
    }
}

#[test]
pub fn segments_agree() {
    use chacha20poly1305::aead::stream::EncryptorBE32;
    let random = &mut Random::new(15);
    for count in 1..20 {
        let (key, nonce): ([u8; 32], [u8; 19]) = (random.array(), random.array());
        let mut theirs =
            EncryptorBE32::<chacha20poly1305::XChaCha20Poly1305>::new(&key.into(), nonce.as_slice().into());
        let (key, nonce) = (aead::XChaCha20Poly1305Key::from_bytes(key), aead::stream::Nonce::from_bytes(nonce));
        let mut sealer = aead::stream::Sealer::new(&key, &nonce);
        let mut opener = aead::stream::Opener::new(&key, &nonce);
        for _ in 1..count {
            let length = random.below(300);
            let message = random.vector(length);
            let sealed = sealer.seal(b"", &message).expect("short enough");
            assert_eq!(sealed, theirs.encrypt_next(&message[..]).expect("short enough"), "{length} bytes");
            assert_eq!(opener.open(b"", &sealed).expect("it is right"), message);
        }
        let message = random.vector(count);
        let sealed = sealer.seal_last(b"", &message).expect("short enough");
        assert_eq!(sealed, theirs.encrypt_last(&message[..]).expect("short enough"), "the last of {count}");
        assert_eq!(opener.open_last(b"", &sealed).expect("it is right"), message);
    }
}

/// The other implementation opens what is sealed here, and the other way round.
#[test]
pub fn sealed_boxes_agree() {
    let random = &mut Random::new(16);
    for length in [0, 1, 31, 32, 33, 300] {
        let (recipient, message): ([u8; 32], _) = (random.array(), random.vector(length));
        let (ours, theirs) = (nacl::SecretKey::from_bytes(recipient), crypto_box::SecretKey::from(recipient));
        let sealed = theirs.public_key().seal(&mut crypto_box::aead::OsRng, &message).expect("short enough");
        assert_eq!(nacl::box_seal_open(&sealed, &ours).expect("it is right"), message, "{length} bytes");
        let sealed = nacl::box_seal(&message, &ours.public_key()).expect("a good key");
        assert_eq!(theirs.unseal(&sealed).expect("it is right"), message, "{length} bytes");

        let ephemeral = nacl::SecretKey::from_bytes(random.array());
        let mut buffer = message.clone();
        let header = sealed::seal_in_place(&mut buffer, &ours.public_key(), ephemeral).expect("a good key");
        assert_eq!(theirs.unseal(&[header.as_bytes(), &buffer[..]].concat()).expect("it is right"), message);
        sealed::open_in_place(&mut buffer, &header, &ours).expect("it is right");
        assert_eq!(buffer, message, "{length} bytes");
    }
}

#[test]
pub fn boxes_agree() {
    let random = &mut Random::new(11);
    for length in lengths(random) {
        let (key, nonce, message): ([u8; 32], [u8; 24], _) = (random.array(), random.array(), random.vector(length));
        let theirs = crypto_secretbox::XSalsa20Poly1305::new(&key.into()).encrypt(&nonce.into(), &message[..]);
        let (key, number) = (secretbox::Key::from_bytes(key), secretbox::Nonce::from_bytes(nonce));
        let sealed = nacl::secretbox(&message, &number, &key).expect("short enough");
        assert_eq!(sealed, theirs.expect("short enough"), "{length} bytes");
        assert_eq!(nacl::secretbox_open(&sealed, &number, &key).expect("it is right"), message, "{length} bytes");
    }
    for length in [0, 1, 31, 32, 33, 300] {
        let (alice, bob, nonce): ([u8; 32], [u8; 32], [u8; 24]) = (random.array(), random.array(), random.array());
        let message = random.vector(length);
        let bob_public = crypto_box::SecretKey::from(bob).public_key();
        let theirs = crypto_box::SalsaBox::new(&bob_public, &alice.into()).encrypt(&nonce.into(), &message[..]);
        let (alice, bob) = (nacl::SecretKey::from_bytes(alice), nacl::SecretKey::from_bytes(bob));
        let nonce = nacl::Nonce::from_bytes(nonce);
        let sealed = nacl::box_(&message, &nonce, &bob.public_key(), &alice).expect("a good key");
        assert_eq!(sealed, theirs.expect("short enough"), "{length} bytes");
        let opened = nacl::box_open(&sealed, &nonce, &alice.public_key(), &bob).expect("it is right");
        assert_eq!(opened, message, "{length} bytes");
        let mut buffer = message.clone();
        let tag = nacl::box_detached(&mut buffer, &nonce, &bob.public_key(), &alice).expect("a good key");
        assert_eq!([tag.as_bytes(), &buffer[..]].concat(), sealed, "{length} bytes");
        nacl::box_open_detached(&mut buffer, &tag, &nonce, &alice.public_key(), &bob).expect("it is right");
        assert_eq!(buffer, message, "{length} bytes");
    }
}
