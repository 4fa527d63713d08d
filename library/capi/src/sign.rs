//! Ed25519: RFC 8032, section 5.1. Secret keys are seeds; NaCl and libsodium put the public key after them, which is not read here, since
//! a signature with a foreign one gives the secret away.

use culet::ed25519::{Signature, Signed, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

use crate::pointers::{In, Message, Messages, Out, Signatures, Text};

fn key(seed: In) -> Option<SigningKey> {
    Some(SigningKey::from_bytes(*Zeroizing::new(seed.array()?)))
}

pub fn public_key(public: Out, seed: In) -> Option<()> {
    public.write(key(seed)?.verifying_key().as_bytes())
}

pub fn sign(signature: Out, message: Text, seed: In) -> Option<()> {
    signature.write(&key(seed)?.sign(message.bytes()?).to_bytes())
}

pub fn verify(signature: In, message: Text, public: In) -> Option<()> {
    let public = VerifyingKey::from_bytes(public.array()?).ok()?;
    public.verify(message.bytes()?, &Signature::from_bytes(signature.array()?)).ok()
}

/// By the rules of ZIP 215.
pub fn verify_zip215(signature: In, message: Text, public: In) -> Option<()> {
    let signature = Signature::from_bytes(signature.array()?);
    culet::ed25519::verify_zip215(&public.array()?, message.bytes()?, &signature).ok()
}

/// How many signatures are made or verified together.
const EIGHT: usize = 8;

/// Signs messages with one key, and writes the signatures one after another.
pub fn sign_batch(signatures: Out, messages: Messages, count: usize, seed: In) -> Option<()> {
    let room = count.checked_mul(Signature::LENGTH)?;
    let key = key(seed)?;
    let is_apart = |given: Message| given.message.with(given.length).beside(signatures, room).map(drop);
    messages.items_beside(count, signatures, room)?.try_for_each(is_apart)?;
    let mut messages = messages.items(count)?;
    for places in signatures.room(room)?.as_chunks_mut().0.chunks_mut(EIGHT) {
        let (mut all, mut made) = ([(&key, &[][..]); EIGHT], [Signature::from_bytes([0; 64]); EIGHT]);
        for ((_, message), given) in all.iter_mut().zip(&mut messages) {
            *message = given.message.with(given.length).bytes()?;
        }
        culet::ed25519::sign_batch(all.get(..places.len())?, made.get_mut(..places.len())?).ok()?;
        for (place, made) in places.iter_mut().zip(&made) {
            *place = made.to_bytes();
        }
    }
    Some(())
}

/// All of them.
pub fn verify_batch(signatures: Signatures, count: usize) -> Option<()> {
    verify_all(signatures, count, culet::ed25519::verify_batch)
}

/// By the rules of ZIP 215, all of them.
pub fn verify_batch_zip215(signatures: Signatures, count: usize) -> Option<()> {
    verify_all(signatures, count, culet::ed25519::verify_batch_zip215)
}

fn verify_all(
    signatures: Signatures,
    count: usize,
    verify: impl Fn(&[Signed<'_>]) -> Result<(), culet::Error>,
) -> Option<()> {
    let mut signatures = signatures.items(count)?;
    loop {
        let (mut keys, mut messages) = ([[0; 32]; EIGHT], [&[][..]; EIGHT]);
        let mut made = [Signature::from_bytes([0; 64]); EIGHT];
        let mut length = 0;
        let places = keys.iter_mut().zip(&mut messages).zip(&mut made);
        for (((key, message), signature), given) in places.zip(&mut signatures) {
            (*key, *message) = (given.public.array()?, given.message.with(given.length).bytes()?);
            *signature = Signature::from_bytes(given.signature.array()?);
            length += 1;
        }
        let none = Signature::from_bytes([0; 64]);
        let mut all = [(&[0; 32], &[][..], &none); EIGHT];
        for (((all, key), message), signature) in all.iter_mut().zip(&keys).zip(&messages).zip(&made) {
            *all = (key, *message, signature);
        }
        verify(all.get(..length)?).ok()?;
        if length < EIGHT {
            return Some(());
        }
    }
}

/// Writes the public key of X25519 that belongs to one of Ed25519.
pub fn public_to_x25519(out: Out, public: In) -> Option<()> {
    out.write(VerifyingKey::from_bytes(public.array()?).ok()?.to_x25519().ok()?.as_bytes())
}

/// Writes the secret key of X25519 that belongs to a seed.
pub fn secret_to_x25519(out: Out, seed: In) -> Option<()> {
    out.write(key(seed)?.to_x25519().as_bytes())
}

#[cfg(feature = "sodium")]
pub use attached::sign_detached;
#[cfg(any(feature = "sodium", feature = "tweetnacl"))]
pub use attached::{key_pair, open, sign_attached};

/// Signatures with their messages after them, and secret keys with their public keys after them.
#[cfg(any(feature = "sodium", feature = "tweetnacl"))]
mod attached {
    use core::ffi::c_ulonglong;

    use zeroize::Zeroize;

    use super::{In, Out, SigningKey, Text, key};
    use crate::pointers::Slot;

    /// Bytes of a signature.
    const SIGNATURE: usize = 64;

    /// Writes the key pair of a seed.
    pub fn key_pair(public: Out, secret: Out, seed: &[u8; 32]) -> Option<()> {
        let verifying = SigningKey::from_bytes(*seed).verifying_key();
        secret.write(seed)?;
        secret.after(32).write(verifying.as_bytes())?;
        public.write(verifying.as_bytes())
    }

    #[cfg(feature = "sodium")]
    pub fn sign_detached(signature: Out, length: Slot<c_ulonglong>, message: Text, secret: In) -> Option<()> {
        super::sign(signature, message, secret)?;
        length.set(SIGNATURE as c_ulonglong);
        Some(())
    }

    pub fn sign_attached(signed: Out, length: Slot<c_ulonglong>, message: Text, secret: In) -> Option<()> {
        let key = key(secret)?;
        let signature = key.sign(signed.after(SIGNATURE).moved(message)?);
        signed.write(&signature.to_bytes())?;
        length.set((message.length + SIGNATURE) as c_ulonglong);
        Some(())
    }

    /// Verifies, and writes the message with its length; zeros and `lost` if the signature is not good. A message that goes to null is
    /// only verified.
    pub fn open(message: Out, length: Slot<c_ulonglong>, signed: Text, public: In, lost: c_ulonglong) -> Option<()> {
        let opened = signed.split(SIGNATURE).and_then(|(signature, text)| {
            if super::verify(signature.start, text, public).is_some() {
                return if message.is_null() { Some(text.length) } else { message.moved(text).map(|text| text.len()) };
            }
            message.room(text.length)?.zeroize();
            None
        });
        length.set(opened.map_or(lost, |length| length as c_ulonglong));
        opened.map(drop)
    }
}
