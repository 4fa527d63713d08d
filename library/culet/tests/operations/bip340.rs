//! Schnorr signatures: what is published with BIP 340, another implementation, and signatures that differ from good ones.

use culet::secp256k1::bip340::{Signature, SigningKey, VerifyingKey};
use k256::schnorr;

use crate::support::{Random, bytes, hex, rows};

/// The order of the base point: SEC 2, section 2.4.1.
const ORDER: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

#[test]
fn published_signatures() {
    let rows = rows("bip340.txt");
    let mut signed = 0;
    for (index, row) in rows.iter().enumerate() {
        let words: Vec<&str> = row.iter().map(String::as_str).collect();
        let [secret, public, entropy, message, signature, verdict] = words[..] else { panic!("{row:?}") };
        let (message, signature) = (hex(message), Signature::from_bytes(bytes(signature)));
        if !secret.is_empty() {
            let key = SigningKey::from_bytes(bytes(secret)).expect("in range");
            assert_eq!(key.verifying_key().to_bytes(), bytes(public), "{index}");
            assert_eq!(key.sign(&message, &bytes(entropy)), signature, "{index}");
            signed += 1;
        }
        let verified = VerifyingKey::from_bytes(bytes(public)).and_then(|key| key.verify(&message, &signature));
        assert_eq!(verified.is_ok(), verdict == "true", "{index}");
    }
    assert_eq!((rows.len(), signed), (19, 8));
}

#[test]
fn signatures_of_another_implementation() {
    let random = &mut Random::new(70);
    for _ in 0..20 {
        let (secret, entropy) = (random.array(), random.array());
        let length = random.below(200);
        let message = random.vector(length);
        let ours = SigningKey::from_bytes(secret).expect("in range");
        let theirs = schnorr::SigningKey::from_bytes(&secret).expect("in range");
        assert_eq!(ours.verifying_key().to_bytes()[..], theirs.verifying_key().to_bytes()[..]);
        let signature = ours.sign(&message, &entropy);
        assert_eq!(signature.to_bytes(), theirs.sign_raw(&message, &entropy).expect("a signature").to_bytes());
        let read = schnorr::Signature::try_from(&signature.to_bytes()[..]).expect("a signature");
        assert_eq!(Signature::try_from(&read.to_bytes()[..]), Ok(signature));
        assert!(ours.verifying_key().verify(&message, &signature).is_ok());

        let mut changed = signature.to_bytes();
        changed[random.below(64)] ^= 1 << random.below(8);
        assert!(ours.verifying_key().verify(&message, &Signature::from_bytes(changed)).is_err());
        let other = SigningKey::from_bytes(random.array()).expect("in range").verifying_key();
        assert!(other.verify(&message, &signature).is_err());
        let their_verdict = theirs.verifying_key().verify_raw(&message, &read);
        assert!(their_verdict.is_ok());
    }
}

#[test]
fn keys_out_of_range_are_errors() {
    for secret in [[0; 32], bytes(ORDER), [0xff; 32]] {
        assert!(SigningKey::from_bytes(secret).is_err());
    }
    for secret in [&[1; 31][..], &[1; 33], &[]] {
        assert!(SigningKey::try_from(secret).is_err() && VerifyingKey::try_from(secret).is_err());
    }
    // No point has this x; that of the base point is one.
    assert!(VerifyingKey::from_bytes([0; 32]).is_err() && VerifyingKey::from_bytes([0xff; 32]).is_err());
    let one = std::array::from_fn(|place| u8::from(place == 31));
    let key = SigningKey::from_bytes(one).expect("in range");
    assert_eq!(key.as_bytes(), &one);
    assert!(VerifyingKey::from_bytes(key.verifying_key().to_bytes()).is_ok());
    let mut last: [u8; 32] = bytes(ORDER);
    last[31] -= 1;
    // The number and its negative are one key.
    assert_eq!(SigningKey::from_bytes(last).expect("in range").verifying_key(), key.verifying_key());
    let shown = format!("{key:?}");
    assert!(!shown.contains("number") && !shown.contains("bytes"), "{shown}");
}
