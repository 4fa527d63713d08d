//! Points, secret keys and signatures of the curves in short Weierstrass form, and BIP 340's.

use culet::secp256k1::bip340;

use crate::{Reader, fuzz, nobody};

/// A test of all readers of a curve. `peer: ...` has another implementation's verdicts. A number has `$bytes`, and a
/// signature's message follows its public key and the signature in `signed`.
macro_rules! curve {
    ($curve:ident, bytes: $bytes:literal, top: $top:literal, peer: $point:expr, $secret:expr, $der:expr, $signed:expr) => {
        mod $curve {
            use culet::$curve::{PublicKey, SecretKey, Signature, SigningKey, VerifyingKey};

            use super::*;

            const POINT: usize = 2 * $bytes + 1;

            fn again_point(input: &[u8]) -> Option<Vec<u8>> {
                let point = PublicKey::from_sec1(input).ok()?;
                let is_long = input.len() == POINT;
                Some(if is_long { point.to_sec1_uncompressed().into() } else { point.to_sec1_compressed().into() })
            }

            fn again_secret(input: &[u8]) -> Option<Vec<u8>> {
                SecretKey::try_from(input).ok().map(|key| key.as_bytes().to_vec())
            }

            fn again_der(input: &[u8]) -> Option<Vec<u8>> {
                let mut buffer = [0; Signature::LONGEST_DER];
                Signature::from_der(input).ok().map(|signature| signature.to_der(&mut buffer).to_vec())
            }

            fn again_signed(input: &[u8]) -> Option<Vec<u8>> {
                let (public, rest) = input.split_at_checked(POINT)?;
                let (signature, message) = rest.split_first_chunk()?;
                let public = VerifyingKey::from_sec1(public).ok()?;
                let signature = Signature::from_bytes(*signature);
                public.verify(message, &signature).ok()?;
                Some([&public.to_sec1_uncompressed()[..], &signature.to_bytes(), message].concat())
            }

            #[test]
            fn readers() {
                let secrets = [1, 0x11, 0x7f, 0xee].map(|byte| {
                    let mut bytes = [byte; $bytes];
                    bytes[0] &= $top;
                    bytes
                });
                let keys = secrets.map(|secret| SigningKey::from_bytes(secret).expect("in range"));
                let (mut points, mut der, mut signed) = (Vec::new(), Vec::new(), Vec::new());
                for (turn, key) in keys.iter().enumerate() {
                    let public = key.verifying_key();
                    points.push(public.to_sec1_uncompressed().to_vec());
                    let message = vec![7; 3 * turn];
                    let signature = key.sign(&message);
                    der.push(signature.to_der(&mut [0; Signature::LONGEST_DER]).to_vec());
                    signed.push([&public.to_sec1_uncompressed()[..], &signature.to_bytes(), &message].concat());
                }
                let short = keys.iter().map(|key| key.verifying_key().to_sec1_compressed().to_vec()).collect();
                let secrets = secrets.map(Vec::from).to_vec();
                // Numbers of few bytes, and one that fills its bytes, have other forms of DER.
                let few = [vec![0x30, 6, 2, 1, 0, 2, 1, 1], vec![0x30, 8, 2, 2, 0, 0x80, 2, 2, 0x7f, 0]];
                let full = Signature::from_bytes([0xff; 2 * $bytes]);
                der.extend(few.into_iter().chain([full.to_der(&mut [0; Signature::LONGEST_DER]).to_vec()]));
                fuzz(&[
                    Reader { name: "DER", good: der, rarity: 10, again: again_der, peer: $der },
                    Reader { name: "point", good: points, rarity: 40, again: again_point, peer: $point },
                    Reader { name: "short point", good: short, rarity: 400, again: again_point, peer: $point },
                    Reader { name: "secret key", good: secrets, rarity: 400, again: again_secret, peer: $secret },
                    Reader { name: "signature", good: signed, rarity: 1000, again: again_signed, peer: $signed },
                ]);
            }
        }
    };
}

/// Verdicts of a crate of RustCrypto.
macro_rules! verdicts {
    ($verdicts:ident, $curve:ident, $crate_name:ident, $bytes:literal) => {
        mod $verdicts {
            use $crate_name::ecdsa::signature::Verifier;
            use $crate_name::ecdsa::{Signature, VerifyingKey};

            /// It takes 5 for points of another standard.
            pub fn point(input: &[u8]) -> Option<bool> {
                Some(input.first() != Some(&5) && $crate_name::PublicKey::from_sec1_bytes(input).is_ok())
            }

            /// It takes fewer bytes, too.
            pub fn secret(input: &[u8]) -> Option<bool> {
                Some(input.len() == $bytes && $crate_name::SecretKey::from_slice(input).is_ok())
            }

            /// It refuses numbers out of range where it reads them, and not where it verifies the signature.
            pub fn der(input: &[u8]) -> Option<bool> {
                let is_accepted = Signature::from_der(input).is_ok();
                let ours = culet::$curve::Signature::from_der(input).ok();
                let is_out_of_range = ours.is_some_and(|ours| Signature::from_slice(&ours.to_bytes()).is_err());
                (is_accepted || !is_out_of_range).then_some(is_accepted)
            }

            pub fn signed(input: &[u8]) -> Option<bool> {
                let verify = || {
                    let (public, rest) = input.split_at_checked(2 * $bytes + 1)?;
                    let (signature, message) = rest.split_at_checked(2 * $bytes)?;
                    let public = VerifyingKey::from_sec1_bytes(public).ok().filter(|_| public[0] == 4)?;
                    public.verify(message, &Signature::from_slice(signature).ok()?).ok()
                };
                Some(verify().is_some())
            }
        }
    };
}

verdicts!(of_p224, p224, p224, 28);
verdicts!(of_p256, p256, p256, 32);
verdicts!(of_p384, p384, p384, 48);
verdicts!(of_k256, secp256k1, k256, 32);

curve!(p224, bytes: 28, top: 0xff, peer: of_p224::point, of_p224::secret, of_p224::der, of_p224::signed);
curve!(p256, bytes: 32, top: 0xff, peer: of_p256::point, of_p256::secret, of_p256::der, of_p256::signed);
curve!(p384, bytes: 48, top: 0xff, peer: of_p384::point, of_p384::secret, of_p384::der, of_p384::signed);
curve!(p521, bytes: 66, top: 0x01, peer: nobody, nobody, nobody, nobody);
curve!(secp256k1, bytes: 32, top: 0xff, peer: of_k256::point, of_k256::secret, of_k256::der, of_k256::signed);

fn again_key(input: &[u8]) -> Option<Vec<u8>> {
    bip340::VerifyingKey::try_from(input).ok().map(|key| key.to_bytes().to_vec())
}

fn k256_key(input: &[u8]) -> Option<bool> {
    Some(input.len() == 32 && k256::schnorr::VerifyingKey::from_bytes(input).is_ok())
}

/// Public key, signature and message.
fn again_signed(input: &[u8]) -> Option<Vec<u8>> {
    let (public, rest) = input.split_first_chunk()?;
    let (signature, message) = rest.split_first_chunk()?;
    let public = bip340::VerifyingKey::from_bytes(*public).ok()?;
    let signature = bip340::Signature::from_bytes(*signature);
    public.verify(message, &signature).ok()?;
    Some([&public.to_bytes()[..], &signature.to_bytes(), message].concat())
}

fn k256_signed(input: &[u8]) -> Option<bool> {
    let verify = || {
        let (public, rest) = input.split_at_checked(32)?;
        let (signature, message) = rest.split_at_checked(64)?;
        let public = k256::schnorr::VerifyingKey::from_bytes(public).ok()?;
        public.verify_raw(message, &k256::schnorr::Signature::try_from(signature).ok()?).ok()
    };
    Some(verify().is_some())
}

#[test]
fn bip340() {
    let keys = [1, 0x11, 0x7f].map(|byte| bip340::SigningKey::from_bytes([byte; 32]).expect("in range"));
    let publics = keys.iter().map(|key| key.verifying_key().to_bytes().to_vec()).collect();
    let signed = keys.iter().map(|key| {
        let signature = key.sign(b"message", &[9; 32]);
        [&key.verifying_key().to_bytes()[..], &signature.to_bytes(), b"message"].concat()
    });
    fuzz(&[
        Reader { name: "key", good: publics, rarity: 200, again: again_key, peer: k256_key },
        Reader { name: "signature", good: signed.collect(), rarity: 1000, again: again_signed, peer: k256_signed },
    ]);
}
