//! Key agreement and signatures with P-256, P-384, P-521 and secp256k1.

use ed25519_dalek::{Signer, Verifier};
use ring::signature::UnparsedPublicKey;

use super::{contender, operation};
use crate::clock::Operation;

const MESSAGE: [u8; 32] = [7; 32];

pub fn all() -> Vec<Operation> {
    p256::all().into_iter().chain(p384::all()).chain(p521::all()).chain(secp256k1::all()).collect()
}

/// ECDH and ECDSA on a curve by the libraries that have it, with secret keys of `$number` bytes. AWS-LC, ring and graviola have some of the curves: an
/// operation of theirs is made by one of the macros below.
macro_rules! weierstrass {
    ($curve:ident, $name:literal, $number:literal, $rust_crypto:ident, $more_agree:ident, $more_sign:ident, $more_verify:ident) => {
        mod $curve {
            use super::*;

            const SECRET: [u8; $number] = secret();

            /// A number below the order of each curve.
            const fn secret() -> [u8; $number] {
                let mut secret = [0x5a; $number];
                secret[0] = 0;
                secret
            }

            pub fn all() -> [Operation; 3] {
                [agree(), sign(), verify()]
            }

            fn agree() -> Operation {
                let ours = culet::$curve::SecretKey::from_bytes(SECRET).expect("a number in range");
                let mut other = SECRET;
                other[$number - 1] = 3;
                let other = culet::$curve::SecretKey::from_bytes(other).expect("a number in range");
                let theirs = other.public_key().to_sec1_uncompressed();
                let our_point = culet::$curve::PublicKey::from_sec1(&theirs).expect("a point");
                let rust_crypto = ::$rust_crypto::SecretKey::from_slice(&SECRET).expect("a number in range");
                let their_point = ::$rust_crypto::PublicKey::from_sec1_bytes(&theirs).expect("a point");
                let mut contenders = vec![
                    contender("culet", move || ours.diffie_hellman(&our_point).expect("keys").as_bytes().to_vec()),
                    contender("RustCrypto", move || {
                        let secret = rust_crypto.to_nonzero_scalar();
                        let shared = ::$rust_crypto::ecdh::diffie_hellman(secret, their_point.as_affine());
                        shared.raw_secret_bytes().to_vec()
                    }),
                ];
                contenders.extend($more_agree!(SECRET, theirs));
                operation(concat!($name, " agreement"), contenders)
            }

            /// Some draw random numbers used once, so that signatures differ: nothing is compared.
            fn sign() -> Operation {
                let ours = culet::$curve::SigningKey::from_bytes(SECRET).expect("a number in range");
                let public = ours.verifying_key().to_sec1_uncompressed();
                let rust_crypto = ::$rust_crypto::ecdsa::SigningKey::from_slice(&SECRET).expect("a number in range");
                let mut contenders = vec![
                    contender("culet", move || signed(&ours.sign(&MESSAGE).to_bytes())),
                    contender("RustCrypto", move || {
                        let signature: ::$rust_crypto::ecdsa::Signature = rust_crypto.sign(&MESSAGE);
                        signed(&signature.to_bytes())
                    }),
                ];
                contenders.extend($more_sign!(SECRET, public));
                operation(concat!($name, " sign, 32 B"), contenders)
            }

            fn verify() -> Operation {
                let key = culet::$curve::SigningKey::from_bytes(SECRET).expect("a number in range");
                let (public, signature) = (key.verifying_key().to_sec1_uncompressed(), key.sign(&MESSAGE).to_bytes());
                let ours = (key.verifying_key(), key.sign(&MESSAGE));
                let rust_crypto = ::$rust_crypto::ecdsa::VerifyingKey::from_sec1_bytes(&public).expect("a point");
                let theirs = ::$rust_crypto::ecdsa::Signature::from_slice(&signature).expect("a signature");
                let mut contenders = vec![
                    contender("culet", move || answer(ours.0.verify(&MESSAGE, &ours.1).is_ok())),
                    contender("RustCrypto", move || answer(rust_crypto.verify(&MESSAGE, &theirs).is_ok())),
                ];
                contenders.extend($more_verify!(public, signature));
                operation(concat!($name, " verify, 32 B"), contenders)
            }
        }
    };
}

fn answer(is_good: bool) -> Vec<u8> {
    vec![u8::from(is_good)]
}

/// How long a signature is.
fn signed(signature: &[u8]) -> Vec<u8> {
    vec![signature.len() as u8]
}

/// SEC 1's form of a secret key in DER: RFC 5915.
fn sec1_der(secret: &[u8]) -> Vec<u8> {
    let length = secret.len() as u8;
    [&[0x30, length + 5, 2, 1, 1, 4, length], secret].concat()
}

macro_rules! aws_agree {
    ($way:ident, $secret:ident, $theirs:ident) => {{
        let way = &aws_lc_rs::agreement::$way;
        let aws = aws_lc_rs::agreement::PrivateKey::from_private_key(way, &$secret).expect("a key");
        contender("AWS-LC", move || {
            let theirs = aws_lc_rs::agreement::UnparsedPublicKey::new(way, &$theirs);
            aws_lc_rs::agreement::agree(&aws, theirs, (), |shared| Ok(shared.to_vec())).expect("keys")
        })
    }};
}

macro_rules! aws_sign {
    ($way:ident, $secret:ident, $public:ident) => {{
        let way = &aws_lc_rs::signature::$way;
        let key = aws_lc_rs::signature::EcdsaKeyPair::from_private_key_and_public_key(way, &$secret, &$public);
        let (key, random) = (key.expect("a key"), aws_lc_rs::rand::SystemRandom::new());
        contender("AWS-LC", move || signed(key.sign(&random, &MESSAGE).expect("randomness").as_ref()))
    }};
}

macro_rules! aws_verify {
    ($way:ident, $public:ident, $signature:ident) => {
        contender("AWS-LC", move || {
            let key = aws_lc_rs::signature::UnparsedPublicKey::new(&aws_lc_rs::signature::$way, &$public);
            answer(key.verify(&MESSAGE, &$signature).is_ok())
        })
    };
}

macro_rules! ring_sign {
    ($way:ident, $secret:ident, $public:ident) => {{
        let random = ring::rand::SystemRandom::new();
        let way = &ring::signature::$way;
        let key = ring::signature::EcdsaKeyPair::from_private_key_and_public_key(way, &$secret, &$public, &random);
        let key = key.expect("a key");
        contender("ring", move || signed(key.sign(&random, &MESSAGE).expect("randomness").as_ref()))
    }};
}

macro_rules! ring_verify {
    ($way:ident, $public:ident, $signature:ident) => {
        contender("ring", move || {
            answer(UnparsedPublicKey::new(&ring::signature::$way, &$public).verify(&MESSAGE, &$signature).is_ok())
        })
    };
}

macro_rules! graviola_agree {
    ($curve:ident, $secret:ident, $theirs:ident) => {{
        use graviola::key_agreement::$curve::{PublicKey, StaticPrivateKey};
        let key = StaticPrivateKey::from_bytes(&$secret).expect("a key");
        contender("graviola", move || {
            let theirs = PublicKey::from_x962_uncompressed(&$theirs).expect("a point");
            key.diffie_hellman(&theirs).expect("keys").0.to_vec()
        })
    }};
}

macro_rules! graviola_sign {
    ($curve:ident, $hash:ident, $secret:ident) => {{
        use graviola::signing::ecdsa::{SigningKey, $curve};
        let key = SigningKey::<$curve>::from_sec1_der(&sec1_der(&$secret)).expect("a key");
        contender("graviola", move || {
            let mut signature = [0; 96];
            signed(key.sign::<graviola::hashing::$hash>(&[&MESSAGE], &mut signature).expect("randomness"))
        })
    }};
}

macro_rules! graviola_verify {
    ($curve:ident, $hash:ident, $public:ident, $signature:ident) => {{
        use graviola::signing::ecdsa::{VerifyingKey, $curve};
        let key = VerifyingKey::<$curve>::from_x962_uncompressed(&$public).expect("a point");
        contender("graviola", move || answer(key.verify::<graviola::hashing::$hash>(&[&MESSAGE], &$signature).is_ok()))
    }};
}

macro_rules! p256_agree {
    ($secret:ident, $theirs:ident) => {
        [aws_agree!(ECDH_P256, $secret, $theirs), graviola_agree!(p256, $secret, $theirs)]
    };
}
macro_rules! p256_sign {
    ($secret:ident, $public:ident) => {
        [
            ring_sign!(ECDSA_P256_SHA256_FIXED_SIGNING, $secret, $public),
            aws_sign!(ECDSA_P256_SHA256_FIXED_SIGNING, $secret, $public),
            graviola_sign!(P256, Sha256, $secret),
        ]
    };
}
macro_rules! p256_verify {
    ($public:ident, $signature:ident) => {
        [
            ring_verify!(ECDSA_P256_SHA256_FIXED, $public, $signature),
            aws_verify!(ECDSA_P256_SHA256_FIXED, $public, $signature),
            graviola_verify!(P256, Sha256, $public, $signature),
        ]
    };
}
weierstrass!(p256, "P-256", 32, p256, p256_agree, p256_sign, p256_verify);

macro_rules! p384_agree {
    ($secret:ident, $theirs:ident) => {
        [aws_agree!(ECDH_P384, $secret, $theirs), graviola_agree!(p384, $secret, $theirs)]
    };
}
macro_rules! p384_sign {
    ($secret:ident, $public:ident) => {
        [
            ring_sign!(ECDSA_P384_SHA384_FIXED_SIGNING, $secret, $public),
            aws_sign!(ECDSA_P384_SHA384_FIXED_SIGNING, $secret, $public),
            graviola_sign!(P384, Sha384, $secret),
        ]
    };
}
macro_rules! p384_verify {
    ($public:ident, $signature:ident) => {
        [
            ring_verify!(ECDSA_P384_SHA384_FIXED, $public, $signature),
            aws_verify!(ECDSA_P384_SHA384_FIXED, $public, $signature),
            graviola_verify!(P384, Sha384, $public, $signature),
        ]
    };
}
weierstrass!(p384, "P-384", 48, p384, p384_agree, p384_sign, p384_verify);

macro_rules! p521_agree {
    ($secret:ident, $theirs:ident) => {
        [aws_agree!(ECDH_P521, $secret, $theirs)]
    };
}
macro_rules! p521_sign {
    ($secret:ident, $public:ident) => {
        [aws_sign!(ECDSA_P521_SHA512_FIXED_SIGNING, $secret, $public)]
    };
}
macro_rules! p521_verify {
    ($public:ident, $signature:ident) => {
        [aws_verify!(ECDSA_P521_SHA512_FIXED, $public, $signature)]
    };
}
weierstrass!(p521, "P-521", 66, p521, p521_agree, p521_sign, p521_verify);

macro_rules! no_agreement {
    ($secret:ident, $theirs:ident) => {
        []
    };
}
macro_rules! secp256k1_sign {
    ($secret:ident, $public:ident) => {
        [aws_sign!(ECDSA_P256K1_SHA256_FIXED_SIGNING, $secret, $public)]
    };
}
macro_rules! secp256k1_verify {
    ($public:ident, $signature:ident) => {
        [aws_verify!(ECDSA_P256K1_SHA256_FIXED, $public, $signature)]
    };
}
weierstrass!(secp256k1, "secp256k1", 32, k256, no_agreement, secp256k1_sign, secp256k1_verify);
