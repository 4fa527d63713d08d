//! Sealed messages, boxes and streams. What opens must be what sealing its message gives.

use chacha20poly1305::KeyInit;
use chacha20poly1305::aead::{Aead, Payload};
use culet::aead::{self, secretstream, stream};
use culet::{sealed, secretbox, x25519};

use crate::{Reader, fuzz, nobody};

const KEY: [u8; 32] = [3; 32];
const ADDITIONAL: &[u8] = b"additional";

/// Messages of several lengths.
fn messages() -> Vec<Vec<u8>> {
    [0, 1, 15, 16, 17, 65, 260].map(|length| (0..length).map(|place| place as u8).collect()).to_vec()
}

/// A cipher that opens and seals, and another implementation; the nonce is before what is sealed.
macro_rules! cipher {
    ($module:ident, $cipher:ident, $key:ident, $nonce:ident, $open:expr) => {
        mod $module {
            use super::*;

            fn cipher() -> aead::$cipher {
                aead::$cipher::new(&aead::$key::try_from(&KEY[..aead::$key::LENGTH]).expect("its length"))
            }

            fn seal(nonce: [u8; aead::$nonce::LENGTH], message: &[u8]) -> Vec<u8> {
                let sealed = cipher().seal(&aead::$nonce::from_bytes(nonce), ADDITIONAL, message);
                [&nonce[..], &sealed.expect("short enough")].concat()
            }

            pub fn again(input: &[u8]) -> Option<Vec<u8>> {
                let (nonce, sealed) = input.split_first_chunk()?;
                let message = cipher().open(&aead::$nonce::from_bytes(*nonce), ADDITIONAL, sealed).ok()?;
                Some(seal(*nonce, &message))
            }

            pub fn reader() -> Reader {
                let good = messages().iter().map(|message| seal([5; aead::$nonce::LENGTH], message)).collect();
                Reader { name: stringify!($cipher), good, rarity: 20, again, peer: $open }
            }
        }
    };
}

/// Whether a cipher of RustCrypto opens it.
fn opens<C: KeyInit + Aead>(input: &[u8]) -> Option<bool> {
    let (key, nonce) = (&KEY[..C::key_size()], std::mem::size_of::<aead_nonce::Of<C>>());
    let opened = input.split_at_checked(nonce).and_then(|(nonce, msg)| {
        C::new_from_slice(key).expect("its length").decrypt(nonce.into(), Payload { msg, aad: ADDITIONAL }).ok()
    });
    Some(opened.is_some())
}

mod aead_nonce {
    pub type Of<C> = chacha20poly1305::aead::Nonce<C>;
}

cipher!(
    chacha,
    ChaCha20Poly1305,
    ChaCha20Poly1305Key,
    ChaCha20Poly1305Nonce,
    opens::<chacha20poly1305::ChaCha20Poly1305>
);
cipher!(
    xchacha,
    XChaCha20Poly1305,
    XChaCha20Poly1305Key,
    XChaCha20Poly1305Nonce,
    opens::<chacha20poly1305::XChaCha20Poly1305>
);
cipher!(aes128, Aes128Gcm, Aes128GcmKey, Aes128GcmNonce, opens::<aes_gcm::Aes128Gcm>);
cipher!(aes256, Aes256Gcm, Aes256GcmKey, Aes256GcmNonce, opens::<aes_gcm::Aes256Gcm>);
cipher!(ascon, AsconAead128, AsconAead128Key, AsconAead128Nonce, nobody);

#[test]
fn messages_with_additional_data() {
    fuzz(&[chacha::reader(), xchacha::reader(), aes128::reader(), aes256::reader(), ascon::reader()]);
}

fn seal_secret(nonce: [u8; 24], message: &[u8]) -> Vec<u8> {
    let cipher = secretbox::SecretBox::new(&secretbox::Key::from_bytes(KEY));
    let sealed = cipher.seal(&secretbox::Nonce::from_bytes(nonce), message);
    [&nonce[..], &sealed.expect("short enough")].concat()
}

fn again_secret(input: &[u8]) -> Option<Vec<u8>> {
    let (nonce, sealed) = input.split_first_chunk()?;
    let cipher = secretbox::SecretBox::new(&secretbox::Key::from_bytes(KEY));
    Some(seal_secret(*nonce, &cipher.open(&secretbox::Nonce::from_bytes(*nonce), sealed).ok()?))
}

fn secret_opens(input: &[u8]) -> Option<bool> {
    let opened = input.split_first_chunk::<24>().and_then(|(nonce, sealed)| {
        crypto_secretbox::XSalsa20Poly1305::new(&KEY.into()).decrypt(nonce.into(), sealed).ok()
    });
    Some(opened.is_some())
}

/// A sealed box cannot be made again, since its key is gone.
fn again_box(input: &[u8]) -> Option<Vec<u8>> {
    sealed::open(input, &x25519::SecretKey::from_bytes(KEY)).ok().map(|_| input.to_vec())
}

fn box_opens(input: &[u8]) -> Option<bool> {
    Some(crypto_box::SecretKey::from(KEY).unseal(input).is_ok())
}

#[test]
fn boxes() {
    let secret = messages().iter().map(|message| seal_secret([5; 24], message)).collect();
    let recipient = x25519::SecretKey::from_bytes(KEY).public_key();
    let seal = |message: &Vec<u8>| sealed::seal(message, &recipient, x25519::SecretKey::from_bytes([6; 32]));
    let sealed = messages().iter().map(|message| seal(message).expect("a good key")).collect();
    fuzz(&[
        Reader { name: "secret box", good: secret, rarity: 20, again: again_secret, peer: secret_opens },
        Reader { name: "sealed box", good: sealed, rarity: 400, again: again_box, peer: box_opens },
    ]);
}

/// A nonce and three segments of 20 bytes at most, of which the last one may have fewer; 16 bytes of tag follow each.
fn seal_segments(nonce: [u8; 19], message: &[u8]) -> Vec<u8> {
    let mut sealer =
        stream::Sealer::new(&aead::XChaCha20Poly1305Key::from_bytes(KEY), &stream::Nonce::from_bytes(nonce));
    let mut out = nonce.to_vec();
    let mut left = message;
    while let Some((segment, rest)) = left.split_at_checked(20) {
        out.extend(sealer.seal(ADDITIONAL, segment).expect("short enough"));
        left = rest;
    }
    out.extend(sealer.seal_last(ADDITIONAL, left).expect("short enough"));
    out
}

fn again_segments(input: &[u8]) -> Option<Vec<u8>> {
    let (nonce, mut left) = input.split_first_chunk()?;
    let mut opener =
        stream::Opener::new(&aead::XChaCha20Poly1305Key::from_bytes(KEY), &stream::Nonce::from_bytes(*nonce));
    let mut message = Vec::new();
    while let Some((sealed, rest)) = left.split_at_checked(36) {
        message.extend(opener.open(ADDITIONAL, sealed).ok()?);
        left = rest;
    }
    message.extend(opener.open_last(ADDITIONAL, left).ok()?);
    Some(seal_segments(*nonce, &message))
}

/// A header, and messages of 10 bytes with 17 more each; a kind comes from the message's first byte.
fn seal_stream(header: [u8; 24], messages: &[(secretstream::Kind, Vec<u8>)]) -> Vec<u8> {
    let header = secretstream::Header::from_bytes(header);
    let mut sealer = secretstream::Sealer::new(&secretstream::Key::from_bytes(KEY), &header);
    let mut out = header.as_bytes().to_vec();
    for (kind, message) in messages {
        out.extend(sealer.seal(*kind, ADDITIONAL, message).expect("short enough"));
    }
    out
}

fn again_stream(input: &[u8]) -> Option<Vec<u8>> {
    let (header, mut left) = input.split_first_chunk()?;
    let opened = secretstream::Header::from_bytes(*header);
    let mut opener = secretstream::Opener::new(&secretstream::Key::from_bytes(KEY), &opened);
    let mut messages = Vec::new();
    while !left.is_empty() {
        let (sealed, rest) = left.split_at_checked(27).unwrap_or((left, &[]));
        messages.push(opener.open(ADDITIONAL, sealed).ok()?);
        left = rest;
    }
    Some(seal_stream(*header, &messages))
}

#[test]
fn streams() {
    use secretstream::Kind;
    let segments = messages().iter().map(|message| seal_segments([5; 19], message)).collect();
    let kinds = [Kind::MESSAGE, Kind::PUSH, Kind::REKEY, Kind::FINAL, Kind::from_byte(0x80)];
    let streams = (0..5).map(|count| {
        let messages: Vec<_> = (0..count).map(|place| (kinds[place], vec![place as u8; 10])).collect();
        seal_stream([5; 24], &messages)
    });
    fuzz(&[
        Reader { name: "segments", good: segments, rarity: 40, again: again_segments, peer: nobody },
        Reader { name: "secretstream", good: streams.collect(), rarity: 40, again: again_stream, peer: nobody },
    ]);
}
