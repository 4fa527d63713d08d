//! Misuse that types do not refuse is an error: lengths, numbers that end, segments in another order, keys of small order.

use culet::aead::stream::{Nonce, Opener, Sealer};
use culet::aead::{NonceCounter, XChaCha20Poly1305Key};
use culet::ed25519::{Signature, SigningKey, VerifyingKey};
use culet::hash::{Blake2b, Blake2bVar, Blake2s, Blake2sVar};
use culet::mac::{Blake2bMac, Blake2sMac};
use culet::x25519::SecretKey;
use culet::{LengthError, Reason};
use curve25519_dalek::constants::{ED25519_BASEPOINT_POINT, EIGHT_TORSION};
use curve25519_dalek::scalar::Scalar;

use crate::support::Random;

#[test]
fn slices_of_other_lengths() {
    for length in [0, 31, 33] {
        let error: LengthError = SecretKey::try_from(&vec![1; length][..]).expect_err("another length");
        assert_eq!((error.expected(), error.found()), (32, length));
        assert_eq!(error.to_string(), format!("32 bytes are expected, but there are {length}"));
        assert!(VerifyingKey::try_from(&vec![1; length][..]).is_err());
    }
    let secret = SecretKey::try_from(&[7; 32][..]).expect("32 bytes");
    assert_eq!(secret.as_bytes(), &[7; 32]);
    let key = SigningKey::try_from(&[7; 32][..]).expect("32 bytes");
    let signature = key.sign(b"message");
    let read = Signature::try_from(&signature.to_bytes()[..]).expect("64 bytes");
    let public = VerifyingKey::try_from(&key.verifying_key().to_bytes()[..]).expect("a point");
    public.verify(b"message", &read).expect("it is right");
    assert!(VerifyingKey::try_from(&[2; 32][..]).is_err(), "no point");
}

/// One function reads keys whose bytes are looked at, and others, by `?`.
#[test]
fn errors_of_lengths_are_errors() {
    let read = |public: &[u8], signature: &[u8]| -> Result<(VerifyingKey, Signature), culet::Error> {
        Ok((VerifyingKey::try_from(public)?, Signature::try_from(signature)?))
    };
    let key = SigningKey::from_bytes([7; 32]).verifying_key().to_bytes();
    assert!(read(&key, &[0; 64]).is_ok());
    assert_eq!(read(&key[..31], &[0; 64]).map_err(|error| error.reason()), Err(Reason::Length));
    assert_eq!(read(&key, &[0; 63]).map_err(|error| error.reason()), Err(Reason::Length));
}

/// An error says what everybody knows, and nothing else: whatever is wrong with something sealed or signed, the reason is one.
#[test]
fn errors_say_what_everybody_knows() {
    let reason = |error: culet::Error| error.reason();
    let key = SigningKey::from_bytes([7; 32]);
    let (public, signature) = (key.verifying_key(), key.sign(b"message").to_bytes());
    for place in [0, 31, 32, 63] {
        let mut changed = signature;
        changed[place] ^= 0x80;
        let verdict = public.verify(b"message", &Signature::from_bytes(changed));
        assert_eq!(verdict.map_err(reason), Err(Reason::Rejected), "{place}");
    }
    assert_eq!(VerifyingKey::from_bytes([2; 32]).map_err(reason), Err(Reason::Encoding));
    assert_eq!(VerifyingKey::try_from(&[1; 31][..]).map_err(reason), Err(Reason::Length));
    assert_eq!(culet::p256::SigningKey::from_bytes([0; 32]).map(drop).map_err(reason), Err(Reason::Key));
    assert_eq!(culet::p256::PublicKey::from_sec1(&[4; 65]).map_err(reason), Err(Reason::Encoding));
    assert_eq!(culet::p256::PublicKey::from_sec1(&[4; 64]).map_err(reason), Err(Reason::Length));
    assert_eq!(culet::p256::Signature::from_der(&[0x30, 0]).map_err(reason), Err(Reason::Encoding));
    let small = culet::x25519::PublicKey::from_bytes([0; 32]);
    let error = SecretKey::from_bytes([7; 32]).diffie_hellman(&small).expect_err("zeros");
    assert_eq!(error.reason(), Reason::Key);
    assert!(error.to_string().contains("small order"), "{error}");
    let hash = Blake2bVar::new(0, &[]).map(drop);
    assert_eq!(hash.map_err(reason), Err(Reason::Length));
}

/// RFC 5116, sections 5.1 and 5.2.
#[test]
fn limits_of_aes_gcm() {
    use culet::aead::{Aes128Gcm, Aes128GcmKey, Aes128GcmNonce, Aes256Gcm};
    assert_eq!(Aes128Gcm::MESSAGE_LIMIT, (1 << 36) - 32);
    assert_eq!(Aes256Gcm::MESSAGE_LIMIT, (1 << 36) - 32);
    assert_eq!(Aes128Gcm::ADDITIONAL_LIMIT, (1 << 61) - 1);
    let (cipher, nonce) = (Aes128Gcm::new(&Aes128GcmKey::from_bytes([1; 16])), Aes128GcmNonce::from_bytes([2; 12]));
    for length in 0..16 {
        assert!(cipher.open(&nonce, b"", &vec![0; length]).is_err());
    }
    for length in [0, 11, 13, 16] {
        assert!(Aes128GcmNonce::try_from(&vec![1; length][..]).is_err());
    }
}

#[test]
fn lengths_of_blake2() {
    assert_eq!((Blake2b::<64>::LENGTH, Blake2s::<1>::LENGTH), (64, 1));
    for length in [0, 65, usize::MAX] {
        assert!(Blake2bVar::new(length, &[]).is_err());
    }
    assert!(Blake2sVar::new(33, &[]).is_err() && Blake2sVar::new(32, &[0; 32]).is_ok());
    assert!(Blake2bVar::new(64, &[0; 65]).is_err() && Blake2sVar::new(32, &[0; 33]).is_err());
    assert!(Blake2bMac::<32>::new(&[]).is_err() && Blake2sMac::<32>::new(&[]).is_err());
    assert!(Blake2bMac::<32>::new(&[1; 65]).is_err() && Blake2sMac::<32>::new(&[1; 33]).is_err());
    let mut digest = [7; 33];
    assert!(Blake2bVar::new(32, &[]).expect("a length").finalize_into(&mut digest).is_err());
    assert_eq!(digest, [7; 33]);
}

#[test]
fn nonces_resume() {
    let (mut first, mut second) = (NonceCounter::new([1, 2, 3, 4]), NonceCounter::resume([1, 2, 3, 4], 300));
    assert_eq!(first.next_number(), Some(0));
    for _ in 0..300 {
        first.next_nonce().expect("not the last");
    }
    assert_eq!((first.next_number(), second.next_number()), (Some(300), Some(300)));
    assert_eq!(first.next_nonce(), second.next_nonce());
    let mut last = NonceCounter::resume([0; 4], u64::MAX);
    assert!(last.next_nonce().is_ok() && last.next_nonce().is_err() && last.next_nonce().is_err());
    assert_eq!(last.next_number(), None);
}

/// A message of three segments opens in its order and to its end only.
#[test]
fn segments() {
    let random = &mut Random::new(60);
    let (key, nonce) = (XChaCha20Poly1305Key::from_bytes(random.array()), Nonce::from_bytes(random.array()));
    let messages = [random.vector(40), random.vector(40), random.vector(7)];
    let mut sealer = Sealer::new(&key, &nonce);
    let first = sealer.seal(b"about", &messages[0]).expect("short enough");
    let second = sealer.seal(b"", &messages[1]).expect("short enough");
    let last = sealer.seal_last(b"", &messages[2]).expect("short enough");
    let opener = || Opener::new(&key, &nonce);
    let after_first = || {
        let mut opener = opener();
        assert_eq!(opener.open(b"about", &first).expect("it is right"), messages[0]);
        opener
    };
    let after_second = || {
        let mut opener = after_first();
        assert_eq!(opener.open(b"", &second).expect("it is right"), messages[1]);
        opener
    };
    assert_eq!(after_second().open_last(b"", &last).expect("it is right"), messages[2]);

    // Cut off: what is there is no last segment.
    assert!(after_first().open_last(b"", &second).is_err());
    assert!(opener().open_last(b"about", &first).is_err());
    // Lengthened: the last segment is followed by none.
    assert!(after_second().open(b"", &last).is_err());
    // Left out, repeated, in another order, with other data.
    assert!(opener().open(b"", &second).is_err());
    assert!(after_first().open_last(b"", &last).is_err());
    assert!(after_first().open(b"about", &first).is_err());
    assert!(opener().open(b"other", &first).is_err());
    // Of another message, and too short for a tag.
    let mut other = Sealer::new(&key, &Nonce::from_bytes(random.array()));
    assert!(opener().open(b"about", &other.seal(b"about", &messages[0]).expect("short enough")).is_err());
    assert!(opener().open(b"", &[0; 15]).is_err() && opener().open_last(b"", &[]).is_err());
    // After an error nothing opens, and the buffer is zero.
    let mut opener = after_first();
    assert!(opener.open(b"other", &second).is_err());
    // The reason is no limit: the message was changed.
    assert_eq!(opener.open(b"", &second).map_err(|error| error.reason()), Err(Reason::Rejected));
    let (segment, tag) = second.split_last_chunk::<16>().expect("a tag");
    let mut segment = segment.to_vec();
    let tag = culet::aead::XChaCha20Poly1305Tag::from_bytes(*tag);
    let opened = opener.open_last_in_place(b"", &mut segment, &tag);
    assert_eq!(opened.map_err(|error| error.reason()), Err(Reason::Rejected));
    assert_eq!(segment, [0; 40]);
}

/// Keys and points of signatures with parts of small order: verification is what ed25519-dalek calls strict.
#[test]
fn signatures_with_small_order() {
    let random = &mut Random::new(61);
    let mut scalar = || Scalar::from_bytes_mod_order_wide(&random.array());
    let (mut accepted, mut refused) = (0, 0);
    for secret in [Scalar::ZERO, scalar()] {
        for nonce in [Scalar::ZERO, scalar()] {
            for (a, r) in EIGHT_TORSION.iter().flat_map(|a| EIGHT_TORSION.iter().map(move |r| (a, r))) {
                let public = (secret * ED25519_BASEPOINT_POINT + a).compress().to_bytes();
                let point = (nonce * ED25519_BASEPOINT_POINT + r).compress().to_bytes();
                let message = [a.compress().to_bytes(), r.compress().to_bytes()].concat();
                let hash = sha2::Digest::chain_update(sha2::Sha512::default(), point);
                let hash = sha2::Digest::finalize(sha2::Digest::chain_update(hash, [&public[..], &message].concat()));
                let challenge = Scalar::from_bytes_mod_order_wide(&hash.into());
                let bytes: [u8; 64] =
                    [point, (nonce + challenge * secret).to_bytes()].concat().try_into().expect("64 bytes");

                let theirs = ed25519_dalek::VerifyingKey::from_bytes(&public).expect("a point");
                let signature = ed25519_dalek::Signature::from_bytes(&bytes);
                let is_good = theirs.verify_strict(&message, &signature).is_ok();
                let is_equal = ed25519_dalek::Verifier::verify(&theirs, &message, &signature).is_ok();
                let ours = VerifyingKey::from_bytes(public).expect("a point");
                assert_eq!(
                    ours.verify(&message, &Signature::from_bytes(bytes)).is_ok(),
                    is_good,
                    "{public:?} {bytes:?}"
                );
                accepted += u32::from(is_good);
                refused += u32::from(is_equal && !is_good);
            }
        }
    }
    assert!(accepted > 5 && refused > 20, "{accepted} accepted, {refused} refused though the equation holds");
}
