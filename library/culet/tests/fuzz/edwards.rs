//! Keys and signatures of Ed25519, and dalek's verdicts.

use culet::ed25519::{Signature, SigningKey, VerifyingKey};
use curve25519_dalek::edwards::CompressedEdwardsY;

use crate::{Reader, fuzz};

fn again_key(input: &[u8]) -> Option<Vec<u8>> {
    VerifyingKey::try_from(input).ok().map(|key| key.to_bytes().to_vec())
}

/// dalek takes points in other forms, too.
fn is_canonical(input: &[u8]) -> bool {
    let point = CompressedEdwardsY::from_slice(input).ok().and_then(|point| point.decompress());
    point.is_some_and(|point| point.compress().as_bytes() == input)
}

/// Public key, signature and message.
fn again_signed(input: &[u8]) -> Option<Vec<u8>> {
    let (public, rest) = input.split_first_chunk()?;
    let (signature, message) = rest.split_first_chunk()?;
    let (public, signature) = (VerifyingKey::from_bytes(*public).ok()?, Signature::from_bytes(*signature));
    public.verify(message, &signature).ok()?;
    Some([&public.to_bytes()[..], &signature.to_bytes(), message].concat())
}

fn dalek_signed(input: &[u8]) -> Option<bool> {
    let verify = || {
        let (public, rest) = input.split_first_chunk()?;
        let (signature, message) = rest.split_first_chunk()?;
        let key = ed25519_dalek::VerifyingKey::from_bytes(public).ok().filter(|_| is_canonical(public))?;
        key.verify_strict(message, &ed25519_dalek::Signature::from_bytes(signature)).ok()
    };
    Some(verify().is_some())
}

#[test]
fn ed25519() {
    let keys = [0, 1, 2, 0xff].map(|byte| SigningKey::from_bytes([byte; 32]));
    let mut publics: Vec<Vec<u8>> = keys.iter().map(|key| key.verifying_key().to_bytes().to_vec()).collect();
    // The neutral element, whose x is 0.
    publics.push((0..32).map(|place| u8::from(place == 0)).collect());
    let signed = keys.iter().enumerate().map(|(turn, key)| {
        let message = vec![7; 3 * turn];
        [&key.verifying_key().to_bytes()[..], &key.sign(&message).to_bytes(), &message].concat()
    });
    let dalek_key = |input: &[u8]| Some(is_canonical(input));
    fuzz(&[
        Reader { name: "key", good: publics, rarity: 40, again: again_key, peer: dalek_key },
        Reader { name: "signature", good: signed.collect(), rarity: 200, again: again_signed, peer: dalek_signed },
    ]);
}
