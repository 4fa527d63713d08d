//! Whatever is changed, nothing opens, and nothing can be read.

use culet::aead::{Aes128Gcm, Aes128GcmKey, Aes128GcmNonce, Aes128GcmTag};
use culet::aead::{Aes256Gcm, Aes256GcmKey, Aes256GcmNonce, Aes256GcmTag};
use culet::aead::{AsconAead128, AsconAead128Key, AsconAead128Nonce, AsconAead128Tag};
use culet::aead::{XChaCha20Poly1305, XChaCha20Poly1305Key, XChaCha20Poly1305Nonce};
use culet::ed25519::{Signature, SigningKey, VerifyingKey};
use culet::mac::{Blake2bMac, Blake2bTag, Blake2sMac, Blake2sTag};
use culet::mac::{
    HmacSha224, HmacSha224Tag, HmacSha256, HmacSha256Tag, HmacSha384, HmacSha384Tag, HmacSha512, HmacSha512Tag,
};
use culet::mac::{Poly1305, Poly1305Key, Poly1305Tag};
use culet::nacl;
use culet::sealed;
use culet::secretbox::{Key, Nonce, SecretBox, Tag};
use culet::x25519::{PublicKey, SecretKey};

use super::support::Random;

/// The bytes with one bit changed, for every bit.
fn changed(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..8 * bytes.len()).map(|bit| {
        let mut other = bytes.to_vec();
        other[bit / 8] ^= 1 << (bit % 8);
        other
    })
}

fn array<const N: usize>(bytes: Vec<u8>) -> [u8; N] {
    bytes.try_into().expect("N bytes")
}

#[test]
pub fn sealed_messages() {
    let random = &mut Random::new(30);
    for length in [0, 1, 15, 16, 17, 40] {
        let (key, nonce, tag, additional, message) =
            (random.array(), random.array(), 16, random.vector(9), random.vector(length));
        let cipher = XChaCha20Poly1305::new(&XChaCha20Poly1305Key::from_bytes(key));
        let number = XChaCha20Poly1305Nonce::from_bytes(nonce);
        let sealed = cipher.seal(&number, &additional, &message).expect("short enough");
        assert_eq!(cipher.open(&number, &additional, &sealed).expect("it is right"), message);

        for other in changed(&sealed) {
            assert!(cipher.open(&number, &additional, &other).is_err());
        }
        for other in changed(&additional) {
            assert!(cipher.open(&number, &other, &sealed).is_err());
        }
        for other in changed(&nonce).step_by(5) {
            assert!(cipher.open(&XChaCha20Poly1305Nonce::from_bytes(array(other)), &additional, &sealed).is_err());
        }
        for other in changed(&key).step_by(7) {
            let cipher = XChaCha20Poly1305::new(&XChaCha20Poly1305Key::from_bytes(array(other)));
            assert!(cipher.open(&number, &additional, &sealed).is_err());
        }
        // Cut off, lengthened, and bytes that move from one part to the other.
        for end in 0..sealed.len() {
            assert!(cipher.open(&number, &additional, &sealed[..end]).is_err());
        }
        assert!(cipher.open(&number, &additional, &[&sealed[..], &[0]].concat()).is_err());
        assert!(cipher.open(&number, &[&additional[..], &[0]].concat(), &sealed).is_err());
        assert!(cipher.open(&number, &additional[..8], &[&additional[8..], &sealed].concat()).is_err());

        // The buffer of what does not open is zero.
        let mut buffer = sealed[..sealed.len() - tag].to_vec();
        let wrong = culet::aead::XChaCha20Poly1305Tag::from_bytes([0; 16]);
        assert!(cipher.open_in_place(&number, &additional, &mut buffer, &wrong).is_err());
        assert_eq!(buffer, vec![0; length]);
    }
}

/// Every bit, and the buffer of what does not open is zero. Ascon decrypts before it knows whether the tag is right, and AES-GCM encrypts its
/// first blocks.
macro_rules! nothing_opens {
    ($test:ident, $seed:literal, $cipher:ident, $key:ident, $nonce:ident, $tag:ident) => {
        #[test]
        pub fn $test() {
            let random = &mut Random::new($seed);
            for length in [0, 1, 15, 16, 17, 40, 49] {
                let (key, nonce, additional, message) =
                    (random.array(), random.array(), random.vector(17), random.vector(length));
                let cipher = $cipher::new(&$key::from_bytes(key));
                let number = $nonce::from_bytes(nonce);
                let sealed = cipher.seal(&number, &additional, &message).expect("short enough");
                for other in changed(&sealed) {
                    let (encrypted, tag) = other.split_last_chunk::<16>().expect("a tag");
                    let (mut buffer, tag) = (encrypted.to_vec(), $tag::from_bytes(*tag));
                    assert!(cipher.open_in_place(&number, &additional, &mut buffer, &tag).is_err());
                    assert_eq!(buffer, vec![0; length]);
                }
                for other in changed(&additional) {
                    assert!(cipher.open(&number, &other, &sealed).is_err());
                }
                for other in changed(&nonce) {
                    assert!(cipher.open(&$nonce::from_bytes(array(other)), &additional, &sealed).is_err());
                }
                for other in changed(&key) {
                    let cipher = $cipher::new(&$key::from_bytes(array(other)));
                    assert!(cipher.open(&number, &additional, &sealed).is_err());
                }
                for end in 0..sealed.len() {
                    assert!(cipher.open(&number, &additional, &sealed[..end]).is_err());
                }
                assert!(cipher.open(&number, &additional, &[&sealed[..], &[0]].concat()).is_err());
                assert!(cipher.open(&number, &[&additional[..], &[0]].concat(), &sealed).is_err());
                assert!(cipher.open(&number, &additional[..16], &[&additional[16..], &sealed].concat()).is_err());
            }
        }
    };
}

nothing_opens!(sealed_messages_of_ascon, 35, AsconAead128, AsconAead128Key, AsconAead128Nonce, AsconAead128Tag);
nothing_opens!(sealed_messages_of_aes128_gcm, 37, Aes128Gcm, Aes128GcmKey, Aes128GcmNonce, Aes128GcmTag);
nothing_opens!(sealed_messages_of_aes256_gcm, 38, Aes256Gcm, Aes256GcmKey, Aes256GcmNonce, Aes256GcmTag);

#[test]
pub fn sealed_boxes() {
    let random = &mut Random::new(36);
    for length in [0, 1, 40] {
        let (recipient, message) = (SecretKey::from_bytes(random.array()), random.vector(length));
        let sealed = sealed::seal(&message, &recipient.public_key(), SecretKey::from_bytes(random.array()));
        let sealed = sealed.expect("a good key");
        assert_eq!(sealed::open(&sealed, &recipient).expect("it is right"), message);
        for other in changed(&sealed).step_by(3) {
            assert!(sealed::open(&other, &recipient).is_err());
        }
        for end in 0..sealed.len() {
            assert!(sealed::open(&sealed[..end], &recipient).is_err());
        }
        assert!(sealed::open(&sealed, &SecretKey::from_bytes(random.array())).is_err());
    }
}

#[test]
pub fn boxes() {
    let random = &mut Random::new(31);
    for length in [0, 1, 31, 32, 33, 64] {
        let (key, nonce, message) = (random.array(), random.array(), random.vector(length));
        let (cipher, number) = (SecretBox::new(&Key::from_bytes(key)), Nonce::from_bytes(nonce));
        let sealed = cipher.seal(&number, &message).expect("short enough");
        for other in changed(&sealed) {
            assert!(cipher.open(&number, &other).is_err());
        }
        for other in changed(&nonce).step_by(5) {
            assert!(cipher.open(&Nonce::from_bytes(array(other)), &sealed).is_err());
        }
        for other in changed(&key).step_by(7) {
            assert!(SecretBox::new(&Key::from_bytes(array(other))).open(&number, &sealed).is_err());
        }
        for end in 0..sealed.len() {
            assert!(cipher.open(&number, &sealed[..end]).is_err());
        }
        let mut buffer = sealed[16..].to_vec();
        assert!(cipher.open_in_place(&number, &mut buffer, &Tag::from_bytes([0; 16])).is_err());
        assert_eq!(buffer, vec![0; length]);
    }
}

#[test]
pub fn tags() {
    let random = &mut Random::new(32);
    let (key, message): ([u8; 32], _) = (random.array(), random.vector(50));
    macro_rules! rejected {
        ($mac:ident, $tag:ident) => {
            let tag = $mac::authenticate(&key, &message);
            $mac::verify(&key, &message, &tag).expect("it is right");
            for other in changed(tag.as_bytes()) {
                assert!($mac::verify(&key, &message, &$tag::from_bytes(array(other))).is_err());
            }
            for other in changed(&message) {
                assert!($mac::verify(&key, &other, &tag).is_err());
            }
            assert!($mac::verify(&key, &message[1..], &tag).is_err());
            assert!($mac::verify(&key[1..], &message, &tag).is_err());
        };
    }
    rejected!(HmacSha224, HmacSha224Tag);
    rejected!(HmacSha256, HmacSha256Tag);
    rejected!(HmacSha384, HmacSha384Tag);
    rejected!(HmacSha512, HmacSha512Tag);
    macro_rules! rejected_by_blake2 {
        ($mac:ident, $tag:ident, $length:literal) => {
            let tag = $mac::<$length>::authenticate(&key, &message).expect("a key");
            $mac::verify(&key, &message, &tag).expect("it is right");
            for other in changed(tag.as_bytes()) {
                assert!($mac::verify(&key, &message, &$tag::<$length>::from_bytes(array(other))).is_err());
            }
            for other in changed(&message) {
                assert!($mac::verify(&key, &other, &tag).is_err());
            }
            for other in changed(&key) {
                assert!($mac::verify(&other, &message, &tag).is_err());
            }
            assert!($mac::verify(&key[1..], &message, &tag).is_err());
        };
    }
    rejected_by_blake2!(Blake2bMac, Blake2bTag, 64);
    rejected_by_blake2!(Blake2bMac, Blake2bTag, 33);
    rejected_by_blake2!(Blake2sMac, Blake2sTag, 16);
    let with = |message: &[u8]| {
        let mut mac = Poly1305::new(Poly1305Key::from_bytes(key));
        mac.update(message);
        mac
    };
    let tag = with(&message).finalize();
    with(&message).finalize_and_verify(&tag).expect("it is right");
    for other in changed(tag.as_bytes()) {
        assert!(with(&message).finalize_and_verify(&Poly1305Tag::from_bytes(array(other))).is_err());
    }
    for other in changed(&message) {
        assert!(with(&other).finalize_and_verify(&tag).is_err());
    }
}

#[test]
pub fn signatures() {
    let (random, message) = (&mut Random::new(34), b"signed");
    let key = SigningKey::from_bytes(random.array());
    let (public, signature) = (key.verifying_key(), key.sign(message));
    public.verify(message, &signature).expect("it is right");
    for other in changed(&signature.to_bytes()).step_by(3) {
        assert!(public.verify(message, &Signature::from_bytes(array(other))).is_err());
    }
    for other in changed(message) {
        assert!(public.verify(&other, &signature).is_err());
    }
    for other in changed(public.as_bytes()).step_by(3) {
        // About half of them are no points.
        let verified = VerifyingKey::from_bytes(array(other)).and_then(|other| other.verify(message, &signature));
        assert!(verified.is_err());
    }
}

/// S and S + L stand for one scalar, of which only S is a signature's: RFC 8032, section 5.1.7.
#[test]
pub fn signatures_are_not_malleable() {
    let order: [u8; 32] = super::support::bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010");
    let key = SigningKey::from_bytes([5; 32]);
    let mut bytes = key.sign(b"signed").to_bytes();
    let mut carry = 0;
    for (byte, more) in bytes[32..].iter_mut().zip(order) {
        let sum = u16::from(*byte) + u16::from(more) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
    assert_eq!(carry, 0);
    assert!(key.verifying_key().verify(b"signed", &Signature::from_bytes(bytes)).is_err());
}

/// RFC 8032, section 5.1.3: y is not below p, or x is 0 and its sign is not, or no x fits.
#[test]
pub fn public_keys_that_are_no_points() {
    let mut one = [0; 32];
    one[0] = 1;
    assert!(VerifyingKey::from_bytes(one).is_ok(), "a point, though of small order");
    one[31] = 0x80;
    let (mut prime, mut beyond, mut two) = ([0xff; 32], [0xff; 32], [0; 32]);
    (prime[0], prime[31]) = (0xed, 0x7f);
    (beyond[0], beyond[31]) = (0xee, 0x7f);
    two[0] = 2;
    for bytes in [one, prime, beyond, two] {
        assert!(VerifyingKey::from_bytes(bytes).is_err(), "{bytes:?}");
    }
}

/// The points of small order that are their own canonical form: RFC 7748, section 6.1, and D. J. Bernstein's page on curve25519, "How do I
/// validate Curve25519 public keys?".
#[test]
pub fn public_keys_of_small_order() {
    let secret = SecretKey::from_bytes(Random::new(33).array());
    let mut one = [0; 32];
    one[0] = 1;
    let order_8 = super::support::bytes("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800");
    for bytes in [[0; 32], one, order_8] {
        let public = PublicKey::from_bytes(bytes);
        assert!(secret.diffie_hellman(&public).is_err());
        assert_eq!(nacl::scalarmult(secret.as_bytes(), &bytes), [0; 32]);
        assert!(nacl::box_(b"message", &Nonce::from_bytes([0; 24]), &public, &secret).is_err());
        let mut buffer = *b"message";
        let tag = Tag::from_bytes([0; 16]);
        assert!(nacl::box_open_detached(&mut buffer, &tag, &Nonce::from_bytes([0; 24]), &public, &secret).is_err());
        assert_eq!(buffer, [0; 7]);
    }
}
