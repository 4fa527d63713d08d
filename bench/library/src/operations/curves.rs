//! Key agreement and signatures with Curve25519.

use ed25519_dalek::{Signer, Verifier};
use ring::signature::UnparsedPublicKey;

use super::{contender, operation};
use crate::clock::Operation;

const SECRET: [u8; 32] = [0x5a; 32];
const MESSAGE: [u8; 32] = [7; 32];

pub fn all() -> Vec<Operation> {
    vec![x25519_public(), x25519(), agree_64(), sign(), sign_64(), verify(), verify_zip215(), verify_64()]
}

fn x25519_public() -> Operation {
    let ours = culet::x25519::SecretKey::from_bytes(SECRET);
    let dalek = x25519_dalek::StaticSecret::from(SECRET);
    let graviola = graviola::key_agreement::x25519::StaticPrivateKey::from_array(&SECRET);
    operation(
        "X25519 public key",
        vec![
            contender("culet", move || ours.public_key().as_bytes().to_vec()),
            contender("dalek", move || x25519_dalek::PublicKey::from(&dalek).to_bytes().to_vec()),
            contender("AWS-LC", || {
                let mut public = [0; 32];
                // SAFETY: both have 32 bytes.
                unsafe { aws_lc_sys::X25519_public_from_private(public.as_mut_ptr(), SECRET.as_ptr()) };
                public.to_vec()
            }),
            contender("libsodium", || {
                let mut public = [0; 32];
                // SAFETY: both have 32 bytes.
                unsafe { libsodium_sys::crypto_scalarmult_base(public.as_mut_ptr(), SECRET.as_ptr()) };
                public.to_vec()
            }),
            contender("graviola", move || graviola.public_key().as_bytes().to_vec()),
            contender("libcrux", || {
                let mut public = [0; 32];
                libcrux_curve25519::secret_to_public(&mut public, &SECRET);
                public.to_vec()
            }),
            contender("TweetNaCl", || {
                let mut public = [0; 32];
                // SAFETY: both have 32 bytes.
                unsafe {
                    tweetnacl_sys::crypto_scalarmult_curve25519_tweet_base(public.as_mut_ptr(), SECRET.as_ptr());
                }
                public.to_vec()
            }),
        ],
    )
}

fn x25519() -> Operation {
    let theirs = culet::x25519::SecretKey::from_bytes([3; 32]).public_key().to_bytes();
    let (ours, our_point) =
        (culet::x25519::SecretKey::from_bytes(SECRET), culet::x25519::PublicKey::from_bytes(theirs));
    let (dalek, dalek_point) = (x25519_dalek::StaticSecret::from(SECRET), x25519_dalek::PublicKey::from(theirs));
    let graviola = graviola::key_agreement::x25519::StaticPrivateKey::from_array(&SECRET);
    let graviola_point = graviola::key_agreement::x25519::PublicKey::from_array(&theirs);
    operation(
        "X25519 agreement",
        vec![
            contender("culet", move || {
                ours.diffie_hellman(&our_point).expect("no point of low order").as_bytes().to_vec()
            }),
            contender("dalek", move || dalek.diffie_hellman(&dalek_point).to_bytes().to_vec()),
            contender("AWS-LC", move || {
                let mut shared = [0; 32];
                // SAFETY: all three have 32 bytes.
                unsafe { aws_lc_sys::X25519(shared.as_mut_ptr(), SECRET.as_ptr(), theirs.as_ptr()) };
                shared.to_vec()
            }),
            contender("libsodium", move || {
                let mut shared = [0; 32];
                // SAFETY: all three have 32 bytes.
                unsafe { libsodium_sys::crypto_scalarmult(shared.as_mut_ptr(), SECRET.as_ptr(), theirs.as_ptr()) };
                shared.to_vec()
            }),
            contender("graviola", move || {
                graviola.diffie_hellman(&graviola_point).expect("no point of low order").0.to_vec()
            }),
            contender("libcrux", move || {
                let mut shared = [0; 32];
                let agreed = libcrux_curve25519::ecdh(&mut shared, &theirs, &SECRET);
                assert!(agreed.is_ok(), "no point of low order");
                shared.to_vec()
            }),
            contender("TweetNaCl", move || {
                let mut shared = [0; 32];
                // SAFETY: all three have 32 bytes.
                unsafe {
                    tweetnacl_sys::crypto_scalarmult_curve25519_tweet(
                        shared.as_mut_ptr(),
                        SECRET.as_ptr(),
                        theirs.as_ptr(),
                    );
                }
                shared.to_vec()
            }),
        ],
    )
}

/// libsodium's secret key: the seed and the public key.
fn sodium_key() -> ([u8; 32], [u8; 64]) {
    let (mut public, mut secret) = ([0; 32], [0; 64]);
    // SAFETY: the three have 32, 64 and 32 bytes.
    unsafe { libsodium_sys::crypto_sign_seed_keypair(public.as_mut_ptr(), secret.as_mut_ptr(), SECRET.as_ptr()) };
    (public, secret)
}

fn sign() -> Operation {
    let ours = culet::ed25519::SigningKey::from_bytes(SECRET);
    let dalek = ed25519_dalek::SigningKey::from_bytes(&SECRET);
    let ring = ring::signature::Ed25519KeyPair::from_seed_unchecked(&SECRET).expect("a key");
    let aws = aws_lc_rs::signature::Ed25519KeyPair::from_seed_unchecked(&SECRET).expect("a key");
    let (_, sodium) = sodium_key();
    let graviola = graviola::signing::eddsa::Ed25519SigningKey::from_bytes(&SECRET).expect("a key");
    operation(
        "Ed25519 sign, 32 B",
        vec![
            contender("culet", move || ours.sign(&MESSAGE).to_bytes().to_vec()),
            contender("dalek", move || dalek.sign(&MESSAGE).to_bytes().to_vec()),
            contender("ring", move || ring.sign(&MESSAGE).as_ref().to_vec()),
            contender("AWS-LC", move || aws.sign(&MESSAGE).as_ref().to_vec()),
            contender("libsodium", move || {
                let mut signature = [0; 64];
                // SAFETY: the signature and the key have 64 bytes, the message its length; no length is asked for.
                unsafe {
                    libsodium_sys::crypto_sign_detached(
                        signature.as_mut_ptr(),
                        std::ptr::null_mut(),
                        MESSAGE.as_ptr(),
                        MESSAGE.len() as u64,
                        sodium.as_ptr(),
                    );
                }
                signature.to_vec()
            }),
            contender("graviola", move || graviola.sign(&MESSAGE).to_vec()),
            contender("libcrux", || libcrux_ed25519::sign(&MESSAGE, &SECRET).expect("a short message").to_vec()),
            contender("TweetNaCl", move || {
                let (mut signed, mut length) = ([0; 64 + MESSAGE.len()], 0);
                // SAFETY: there is room for a signature and the message; libsodium's secret key of 64 bytes is TweetNaCl's.
                unsafe {
                    tweetnacl_sys::crypto_sign_ed25519_tweet(
                        signed.as_mut_ptr(),
                        &mut length,
                        MESSAGE.as_ptr(),
                        MESSAGE.len() as u64,
                        sodium.as_ptr(),
                    );
                }
                signed[..64].to_vec()
            }),
        ],
    )
}

fn verify() -> Operation {
    let key = culet::ed25519::SigningKey::from_bytes(SECRET);
    let (public, signature) = (*key.verifying_key().as_bytes(), key.sign(&MESSAGE).to_bytes());
    let ours = (key.verifying_key(), key.sign(&MESSAGE));
    let dalek = ed25519_dalek::VerifyingKey::from_bytes(&public).expect("a point");
    let dalek_signature = ed25519_dalek::Signature::from_bytes(&signature);
    let graviola = graviola::signing::eddsa::Ed25519VerifyingKey::from_bytes(&public).expect("a point");
    let signed: Vec<u8> = [&signature[..], &MESSAGE].concat();
    let answer = |is_good: bool| vec![u8::from(is_good)];
    operation(
        "Ed25519 verify, 32 B",
        vec![
            contender("culet", move || answer(ours.0.verify(&MESSAGE, &ours.1).is_ok())),
            contender("dalek", move || answer(dalek.verify(&MESSAGE, &dalek_signature).is_ok())),
            contender("ring", move || {
                answer(UnparsedPublicKey::new(&ring::signature::ED25519, &public).verify(&MESSAGE, &signature).is_ok())
            }),
            contender("AWS-LC", move || {
                let key = aws_lc_rs::signature::UnparsedPublicKey::new(&aws_lc_rs::signature::ED25519, &public);
                answer(key.verify(&MESSAGE, &signature).is_ok())
            }),
            contender("libsodium", move || {
                // SAFETY: the signature has 64 bytes, the key 32, the message its length.
                let failed = unsafe {
                    libsodium_sys::crypto_sign_verify_detached(
                        signature.as_ptr(),
                        MESSAGE.as_ptr(),
                        MESSAGE.len() as u64,
                        public.as_ptr(),
                    )
                };
                answer(failed == 0)
            }),
            contender("graviola", move || answer(graviola.verify(&signature, &MESSAGE).is_ok())),
            contender("libcrux", move || answer(libcrux_ed25519::verify(&MESSAGE, &public, &signature).is_ok())),
            contender("TweetNaCl", move || {
                let (mut message, mut length) = ([0; 64 + MESSAGE.len()], 0);
                // SAFETY: there is room for the signature and the message, as TweetNaCl asks for; the key has 32 bytes.
                let failed = unsafe {
                    tweetnacl_sys::crypto_sign_ed25519_tweet_open(
                        message.as_mut_ptr(),
                        &mut length,
                        signed.as_ptr(),
                        signed.len() as u64,
                        public.as_ptr(),
                    )
                };
                answer(failed == 0)
            }),
        ],
    )
}

/// By rules that no other library here has, for comparison with 64 at once.
fn verify_zip215() -> Operation {
    let key = culet::ed25519::SigningKey::from_bytes(SECRET);
    let (public, signature) = (*key.verifying_key().as_bytes(), key.sign(&MESSAGE));
    let call = move || vec![u8::from(culet::ed25519::verify_zip215(&public, &MESSAGE, &signature).is_ok())];
    operation("Ed25519 verify by ZIP 215, 32 B", vec![contender("culet", call)])
}

/// 64 signatures at once, by 64 keys of messages of 32 bytes.
fn verify_64() -> Operation {
    let keys: Vec<_> = (1..=64).map(|byte| culet::ed25519::SigningKey::from_bytes([byte; 32])).collect();
    let publics: Vec<[u8; 32]> = keys.iter().map(|key| *key.verifying_key().as_bytes()).collect();
    let signatures: Vec<_> = keys.iter().map(|key| key.sign(&MESSAGE)).collect();
    let dalek_keys: Vec<_> =
        publics.iter().map(|public| ed25519_dalek::VerifyingKey::from_bytes(public).expect("a point")).collect();
    let dalek_signatures: Vec<_> =
        signatures.iter().map(|signature| ed25519_dalek::Signature::from_bytes(&signature.to_bytes())).collect();
    let answer = |is_good: bool| vec![u8::from(is_good)];
    operation(
        "Ed25519 verify, 64 together",
        vec![
            contender("culet", move || {
                let all: Vec<culet::ed25519::Signed<'_>> = publics
                    .iter()
                    .zip(&signatures)
                    .map(|(public, signature)| (public, &MESSAGE[..], signature))
                    .collect();
                answer(culet::ed25519::verify_batch(&all).is_ok())
            }),
            contender("dalek", move || {
                let messages = [&MESSAGE[..]; 64];
                answer(ed25519_dalek::verify_batch(&messages, &dalek_signatures, &dalek_keys).is_ok())
            }),
        ],
    )
}

/// 64 signatures at once, by 64 keys of messages of 32 bytes; no other library here makes several at once.
fn sign_64() -> Operation {
    let keys: Vec<_> = (1..=64).map(|byte| culet::ed25519::SigningKey::from_bytes([byte; 32])).collect();
    let call = move || {
        let messages: Vec<_> = keys.iter().map(|key| (key, &MESSAGE[..])).collect();
        let mut signatures = vec![culet::ed25519::Signature::from_bytes([0; 64]); 64];
        culet::ed25519::sign_batch(&messages, &mut signatures).expect("as many places");
        signatures.iter().flat_map(|signature| signature.to_bytes()).collect()
    };
    operation("Ed25519 sign, 64 together", vec![contender("culet", call)])
}

/// 64 agreements at once.
fn agree_64() -> Operation {
    let secrets: Vec<_> = (1..=64).map(|byte| culet::x25519::SecretKey::from_bytes([byte; 32])).collect();
    let publics: Vec<_> = secrets.iter().map(culet::x25519::SecretKey::public_key).collect();
    let call = move || {
        let pairs: Vec<_> = secrets.iter().zip(&publics).collect();
        let mut shared = vec![culet::x25519::SharedSecret::from_bytes([0; 32]); 64];
        culet::x25519::diffie_hellman_batch(&pairs, &mut shared).expect("none is zero");
        shared.iter().flat_map(|shared| *shared.as_bytes()).collect()
    };
    operation("X25519 agreement, 64 together", vec![contender("culet", call)])
}
