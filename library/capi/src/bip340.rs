//! Schnorr signatures with secp256k1: BIP 340.

use culet::secp256k1::bip340::{Signature, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use crate::pointers::{In, Out, Text};

fn key(secret: In) -> Option<SigningKey> {
    SigningKey::from_bytes(*Zeroizing::new(secret.array()?)).ok()
}

pub fn public_key(public: Out, secret: In) -> Option<()> {
    public.write(key(secret)?.verifying_key().as_bytes())
}

pub fn sign(signature: Out, message: Text, secret: In, entropy: In) -> Option<()> {
    let (secret, entropy) = (Zeroizing::new(secret.array()?), Zeroizing::new(entropy.array()?));
    signature.write(&SigningKey::sign_once(&secret, message.bytes()?, &entropy).ok()?.to_bytes())
}

pub fn verify(signature: In, message: Text, public: In) -> Option<()> {
    let public = VerifyingKey::from_bytes(public.array()?).ok()?;
    public.verify(message.bytes()?, &Signature::from_bytes(signature.array()?)).ok()
}
