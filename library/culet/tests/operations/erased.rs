//! Secrets are zeros once their values are dropped. Memory is read after that: of two values that are made of different secrets, the bytes that
//! differed are zeros.
#![allow(unsafe_code)] // Memory is read whose value was dropped, which no reference leads to.

use std::mem::MaybeUninit;

use culet::aead::{self, secretstream, stream as segments};
use culet::x25519::SecretKey;
use culet::{ed25519, hash, kdf, mac, p224, p256, p384, p521, secp256k1, secretbox, stream};
use zeroize::ZeroizeOnDrop;

use crate::support::Random;

/// The bytes of which secrets are made.
type Secret = [u8; 200];

/// Bytes that belong to no field keep what was on the stack. They are fewer than a word's, and a secret has more.
const PADDING: usize = 8;

/// The bytes of a value's memory, before and after it is dropped. Memory that a value does not fill is 0.
fn around_drop<T>(value: T) -> [Vec<u8>; 2] {
    let mut memory = Box::new(MaybeUninit::<T>::zeroed());
    let start = memory.as_mut_ptr();
    // SAFETY: the memory has as many bytes, none of which is without a value: it was zeros, or is written whole.
    let bytes = || (0..size_of::<T>()).map(|at| unsafe { start.cast::<u8>().add(at).read_volatile() }).collect();
    // SAFETY: the memory has the size and the alignment of a value.
    unsafe { start.write(value) };
    let before = bytes();
    // SAFETY: the value was written above, and nobody uses it from here on.
    unsafe { start.drop_in_place() };
    [before, bytes()]
}

/// Checks a type by two of its values. Bytes that differ are secret, but for the public key that belongs to a secret
/// one.
fn check<T: ZeroizeOnDrop>(name: &str, make: impl Fn(&Secret) -> T, public: impl Fn(&T) -> Vec<u8>) {
    let [first, second] = [1, 2].map(|seed| make(&Random::new(seed).array()));
    let public = public(&first);
    let ([mut before, after], [other, _]) = (around_drop(first), around_drop(second));
    let place = before.windows(public.len().max(1)).position(|part| part == public);
    assert!(place.is_some() || public.is_empty(), "{name}: the public key is not in the value");
    if let Some(place) = place {
        // It is no secret.
        before[place..place + public.len()].copy_from_slice(&other[place..place + public.len()]);
    }
    let secret: Vec<usize> = (0..before.len()).filter(|&at| before[at] != other[at]).collect();
    assert!(secret.len() >= 14, "{name}: only {} bytes are secret", secret.len());
    let left: Vec<usize> = secret.iter().copied().filter(|&at| after[at] != 0).collect();
    assert!(left.len() < PADDING, "{name}: {} of {} secret bytes are left: {left:?}", left.len(), secret.len());
}

/// The first bytes of what a value is made of.
fn first<const LENGTH: usize>(secret: &Secret) -> [u8; LENGTH] {
    *secret.first_chunk().expect("there are more")
}

/// A number below the order of every curve, as its first byte is 0.
fn number<const LENGTH: usize>(secret: &Secret) -> [u8; LENGTH] {
    let mut number = first(secret);
    number[0] = 0;
    number
}

/// Keys and other bytes of a fixed length.
macro_rules! bytes {
    ($($name:ty),* $(,)?) => {
        $(check(stringify!($name), |secret| <$name>::from_bytes(first(secret)), |_| Vec::new());)*
    };
}

/// Ciphers with a key, and with the nonce of one message where there is one.
macro_rules! ciphers {
    ($($name:ty: $key:ty $(, $nonce:ty)?;)*) => {
        $(check(
            stringify!($name),
            |secret| <$name>::new(&<$key>::from_bytes(first(secret)) $(, &<$nonce>::from_bytes([7; <$nonce>::LENGTH]))?),
            |_| Vec::new(),
        );)*
    };
}

/// Functions that take a message in parts: whole blocks, and a part of one.
macro_rules! in_parts {
    ($($name:ty: $new:expr;)*) => {
        $(check(
            stringify!($name),
            |secret| {
                let mut state: $name = $new(secret);
                state.update(&secret[..190]);
                state
            },
            |_| Vec::new(),
        );)*
    };
}

/// Readers of the output of a message.
macro_rules! readers {
    ($($name:ty: $hash:ty;)*) => {
        $(check(
            stringify!($name),
            |secret| -> $name {
                let mut hash = <$hash>::new();
                hash.update(secret);
                let mut reader = hash.finalize_xof();
                reader.read(&mut [0; 5]);
                reader
            },
            |_| Vec::new(),
        );)*
    };
}

/// Keys of a curve of NIST's kind.
macro_rules! curves {
    ($($curve:ident),*) => {
        $(
            check(
                concat!(stringify!($curve), "::SecretKey"),
                |secret| $curve::SecretKey::from_bytes(number(secret)).expect("below the order"),
                |key| key.public_key().to_sec1_uncompressed().to_vec(),
            );
            check(
                concat!(stringify!($curve), "::SigningKey"),
                |secret| $curve::SigningKey::from_bytes(number(secret)).expect("below the order"),
                |key| key.verifying_key().to_sec1_uncompressed().to_vec(),
            );
            check(
                concat!(stringify!($curve), "::SharedSecret"),
                |secret| {
                    let key = $curve::SecretKey::from_bytes(number(secret)).expect("below the order");
                    key.diffie_hellman(&key.public_key()).expect("a point")
                },
                |_| Vec::new(),
            );
        )*
    };
}

#[test]
fn bytes_that_are_secret() {
    bytes!(
        aead::Aes128GcmKey,
        aead::Aes256GcmKey,
        aead::AsconAead128Key,
        aead::ChaCha20Poly1305Key,
        aead::XChaCha20Poly1305Key,
        secretstream::Key,
        kdf::MasterKey,
        mac::Poly1305Key,
        secretbox::Key,
        stream::ChaCha20Key,
        stream::XChaCha20Key,
        stream::Salsa20Key,
        stream::XSalsa20Key,
        SecretKey,
    );
    let shared = |secret: &Secret| {
        let key = SecretKey::from_bytes(first(secret));
        key.diffie_hellman(&key.public_key()).expect("not zero")
    };
    check("x25519::SharedSecret", shared, |_| Vec::new());
}

#[test]
fn keys_of_curves() {
    curves!(p224, p256, p384, p521, secp256k1);
    check(
        "ed25519::SigningKey",
        |secret| ed25519::SigningKey::from_bytes(first(secret)),
        |key| key.verifying_key().to_bytes().to_vec(),
    );
    check(
        "bip340::SigningKey",
        |secret| secp256k1::bip340::SigningKey::from_bytes(number(secret)).expect("below the order"),
        |key| key.verifying_key().to_bytes().to_vec(),
    );
}

#[test]
fn ciphers_with_keys() {
    ciphers!(
        aead::Aes128Gcm: aead::Aes128GcmKey;
        aead::Aes256Gcm: aead::Aes256GcmKey;
        aead::AsconAead128: aead::AsconAead128Key;
        aead::ChaCha20Poly1305: aead::ChaCha20Poly1305Key;
        aead::XChaCha20Poly1305: aead::XChaCha20Poly1305Key;
        secretbox::SecretBox: secretbox::Key;
        stream::ChaCha20: stream::ChaCha20Key, stream::ChaCha20Nonce;
        stream::XChaCha20: stream::XChaCha20Key, stream::XChaCha20Nonce;
        stream::Salsa20: stream::Salsa20Key, stream::Salsa20Nonce;
        stream::XSalsa20: stream::XSalsa20Key, stream::XSalsa20Nonce;
        segments::Sealer: aead::XChaCha20Poly1305Key, segments::Nonce;
        segments::Opener: aead::XChaCha20Poly1305Key, segments::Nonce;
        secretstream::Sealer: secretstream::Key, secretstream::Header;
        secretstream::Opener: secretstream::Key, secretstream::Header;
    );
}

#[test]
fn messages_in_parts() {
    in_parts!(
        hash::Sha224: |_| hash::Sha224::new();
        hash::Sha256: |_| hash::Sha256::new();
        hash::Sha384: |_| hash::Sha384::new();
        hash::Sha512: |_| hash::Sha512::new();
        hash::Sha512_256: |_| hash::Sha512_256::new();
        hash::Sha3_224: |_| hash::Sha3_224::new();
        hash::Sha3_256: |_| hash::Sha3_256::new();
        hash::Sha3_384: |_| hash::Sha3_384::new();
        hash::Sha3_512: |_| hash::Sha3_512::new();
        hash::Shake128: |_| hash::Shake128::new();
        hash::Shake256: |_| hash::Shake256::new();
        hash::AsconHash256: |_| hash::AsconHash256::new();
        hash::AsconXof128: |_| hash::AsconXof128::new();
        hash::Blake2b<32>: |_| hash::Blake2b::new();
        hash::Blake2s<32>: |_| hash::Blake2s::new();
        hash::Blake2bVar: |_| hash::Blake2bVar::new(32, &[]).expect("a length");
        hash::Blake2sVar: |_| hash::Blake2sVar::new(32, &[]).expect("a length");
        mac::Blake2bMac<32>: |secret: &Secret| mac::Blake2bMac::new(&secret[..32]).expect("a length");
        mac::Blake2sMac<32>: |secret: &Secret| mac::Blake2sMac::new(&secret[..32]).expect("a length");
        mac::HmacSha224: |secret: &Secret| mac::HmacSha224::new(&secret[..32]);
        mac::HmacSha256: |secret: &Secret| mac::HmacSha256::new(&secret[..32]);
        mac::HmacSha384: |secret: &Secret| mac::HmacSha384::new(&secret[..32]);
        mac::HmacSha512: |secret: &Secret| mac::HmacSha512::new(&secret[..32]);
        mac::Poly1305: |secret| mac::Poly1305::new(mac::Poly1305Key::from_bytes(first(secret)));
    );
    readers!(
        hash::Shake128Reader: hash::Shake128;
        hash::Shake256Reader: hash::Shake256;
        hash::AsconXof128Reader: hash::AsconXof128;
    );
    check("HkdfSha256", |secret| kdf::HkdfSha256::new(b"salt", secret), |_| Vec::new());
    check("HkdfSha384", |secret| kdf::HkdfSha384::new(b"salt", secret), |_| Vec::new());
    check("HkdfSha512", |secret| kdf::HkdfSha512::new(b"salt", secret), |_| Vec::new());
}
