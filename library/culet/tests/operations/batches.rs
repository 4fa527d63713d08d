//! Many keys and signatures at once: each result is that of one by itself, and another implementation's.

use culet::Reason;
use culet::ed25519::{Signature, Signed, SigningKey, sign_batch, verify_batch, verify_batch_zip215};
use culet::x25519::{PublicKey, SecretKey, SharedSecret, diffie_hellman_batch};
use ed25519_dalek::Signer;

use super::support::Random;

/// Numbers of items: none, those around groups of eight, and some more.
const LENGTHS: [usize; 9] = [0, 1, 2, 3, 4, 7, 8, 9, 20];

/// Whether a batch of signatures of keys in their canonical form is good, by both sets of rules alike.
fn are_good(batch: &[Signed]) -> bool {
    let is_good = verify_batch_zip215(batch).is_ok();
    assert_eq!(verify_batch(batch).is_ok(), is_good, "{batch:?}");
    is_good
}

/// Batches of all lengths, with one signature that is changed, or none.
#[test]
pub fn batches_are_good_if_all_signatures_are() {
    let random = &mut Random::new(95);
    for length in LENGTHS {
        let signed: Vec<_> = (0..length)
            .map(|_| {
                let (key, size) = (SigningKey::from_bytes(random.array()), random.below(200));
                let message = random.vector(size);
                (key.verifying_key().to_bytes(), key.sign(&message), message)
            })
            .collect();
        let mut batch: Vec<Signed> = signed.iter().map(|(key, signature, text)| (key, &text[..], signature)).collect();
        assert!(are_good(&batch), "{length}");
        if length == 0 {
            continue;
        }
        let place = random.below(length);
        let mut changed = signed[place].1.to_bytes();
        changed[random.below(64)] ^= 1 << random.below(8);
        let changed = Signature::from_bytes(changed);
        batch[place].2 = &changed;
        assert!(!are_good(&batch), "{place} of {length}");
        batch[place] = (batch[place].0, b"another message", &signed[place].1);
        assert!(!are_good(&batch), "{place} of {length}");
    }
}

/// Each signature of a batch has a factor of its own: one more and one less do not cancel.
#[test]
pub fn errors_in_a_batch_do_not_cancel() {
    let random = &mut Random::new(98);
    for length in [2, 8, 19] {
        let keys: Vec<SigningKey> = (0..length).map(|_| SigningKey::from_bytes(random.array())).collect();
        let publics: Vec<[u8; 32]> = keys.iter().map(|key| key.verifying_key().to_bytes()).collect();
        let mut signatures: Vec<[u8; 64]> = keys.iter().map(|key| key.sign(b"message").to_bytes()).collect();
        let is_good = |signatures: &[[u8; 64]]| {
            let all: Vec<Signature> = signatures.iter().map(|bytes| Signature::from_bytes(*bytes)).collect();
            let batch: Vec<Signed> = publics.iter().zip(&all).map(|(key, all)| (key, &b"message"[..], all)).collect();
            are_good(&batch)
        };
        assert!(is_good(&signatures));
        // The lowest bytes of S have room in most signatures.
        let mut room = (0..length).filter(|&i| (1..255).contains(&signatures[i][32]));
        let (first, second) = (room.next().expect("one"), room.next().expect("another"));
        signatures[first][32] += 1;
        assert!(!is_good(&signatures));
        signatures[second][32] -= 1;
        assert!(!is_good(&signatures));
    }
}

#[test]
pub fn signatures_are_those_of_single_messages() {
    let random = &mut Random::new(101);
    for length in LENGTHS {
        let seeds: Vec<[u8; 32]> = (0..length).map(|_| random.array()).collect();
        let keys: Vec<SigningKey> = seeds.iter().map(|seed| SigningKey::from_bytes(*seed)).collect();
        let texts: Vec<Vec<u8>> = (0..length)
            .map(|_| {
                let size = random.below(300);
                random.vector(size)
            })
            .collect();
        let messages: Vec<(&SigningKey, &[u8])> = keys.iter().zip(&texts).map(|(key, text)| (key, &text[..])).collect();
        let mut made = vec![Signature::from_bytes([0; 64]); length];
        sign_batch(&messages, &mut made).expect("as many places");
        for ((seed, text), made) in seeds.iter().zip(&texts).zip(&made) {
            assert_eq!(
                made.to_bytes(),
                ed25519_dalek::SigningKey::from_bytes(seed).sign(text).to_bytes(),
                "of {length}"
            );
        }
        made.push(Signature::from_bytes([0; 64]));
        let error = sign_batch(&messages, &mut made).expect_err("one place more");
        assert_eq!(error.reason(), Reason::Length);
    }
}

#[test]
pub fn secrets_are_those_of_single_pairs() {
    let random = &mut Random::new(102);
    for length in LENGTHS {
        let secrets: Vec<[u8; 32]> = (0..length).map(|_| random.array()).collect();
        let publics: Vec<[u8; 32]> = (0..length).map(|_| random.array()).collect();
        let ours: Vec<SecretKey> = secrets.iter().map(|bytes| SecretKey::from_bytes(*bytes)).collect();
        let mut theirs: Vec<PublicKey> = publics.iter().map(|bytes| PublicKey::from_bytes(*bytes)).collect();
        let mut shared = vec![SharedSecret::from_bytes([1; 32]); length];
        let pairs: Vec<_> = ours.iter().zip(&theirs).collect();
        diffie_hellman_batch(&pairs, &mut shared).expect("none is zero");
        for ((secret, public), shared) in secrets.into_iter().zip(publics).zip(&shared) {
            let (secret, public) = (x25519_dalek::StaticSecret::from(secret), x25519_dalek::PublicKey::from(public));
            assert_eq!(shared.as_bytes(), secret.diffie_hellman(&public).as_bytes(), "of {length}");
        }
        if length == 0 {
            continue;
        }
        let reason = diffie_hellman_batch(&pairs[1..], &mut shared).expect_err("one place more").reason();
        assert_eq!(reason, Reason::Length);
        // The points 0 and 1, and their other forms p and p + 1.
        let mut order = [0xff; 32];
        (order[0], order[31]) = (0xed + (random.below(2) as u8), 0x7f);
        let small = [[0; 32], order, {
            let mut one = [0; 32];
            one[0] = 1;
            one
        }];
        theirs[random.below(length)] = PublicKey::from_bytes(small[random.below(3)]);
        let pairs: Vec<_> = ours.iter().zip(&theirs).collect();
        let error = diffie_hellman_batch(&pairs, &mut shared).expect_err("one is zero");
        assert_eq!(error.reason(), Reason::Key);
        assert!(shared.iter().all(|shared| shared.as_bytes() == &[0; 32]), "of {length}");
    }
}
