//! A dynamic library that calls every public function of the crate that needs no allocation, on bytes that the compiler does not know.
//!
//! `tests/no_panic.rs` builds it. The linker drops what cannot be reached, so functions that panic are left only if a panic can be reached.
#![no_std]
#![allow(unsafe_code)] // A function with a name for the linker, and one that is declared only.

use core::hint::black_box;

use ::aead::{AeadInOut, KeyInit, inout::InOutBuf};
use ::digest::{
    Digest, ExtendableOutput, ExtendableOutputReset, FixedOutput, FixedOutputReset, Output, Reset, Update, XofReader,
};
use ::signature::{Keypair, SignatureEncoding, Signer, Verifier};
use culet::{
    aead, ed25519, hash, kdf, mac, nacl, p224, p256, p384, p521, sealed, secp256k1, secretbox, stream, verify, x25519,
};

unsafe extern "C" {
    fn culet_panicked() -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: nothing calls this library.
    unsafe { culet_panicked() }
}

/// An array of the first bytes of a slice, filled up with zeros.
fn array<const N: usize>(from: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    array
}

/// Calls the functions of types that are bytes of a fixed length.
macro_rules! types {
    ($data:ident, $($module:ident::$name:ident),* $(,)?) => {
        $(
            let value = $module::$name::from_bytes(array($data));
            black_box(value.as_bytes());
            black_box($module::$name::try_from($data).is_ok());
        )*
    };
}

/// Calls them for types that are no secrets, which give copies of their bytes.
macro_rules! public_types {
    ($data:ident, $($module:ident::$name:ident),* $(,)?) => {
        types!($data, $($module::$name),*);
        $(black_box($module::$name::from_bytes(array($data)).to_bytes());)*
    };
}

macro_rules! hashes {
    ($data:ident, $($name:ty),* $(,)?) => {
        $(
            black_box(<$name>::digest($data));
            let mut hash = <$name>::new();
            hash.update($data);
            hash.update($data);
            black_box(hash.clone().finalize());
            black_box(<$name>::default());
        )*
    };
}

macro_rules! outputs {
    ($data:ident, $out:ident, $($name:ident, $reader:ident),* $(,)?) => {
        $(
            hash::$name::digest($data, $out);
            let mut hash = hash::$name::default();
            hash.update($data);
            let mut reader: hash::$reader = hash.clone().finalize_xof();
            reader.read($out);
            reader.read($out);
        )*
    };
}

macro_rules! lengths_at_run_time {
    ($data:ident, $out:ident, $($name:ident),*) => {
        $(
            if let Ok(mut hash) = hash::$name::new($out.len(), $data) {
                hash.update($data);
                hash.update($data);
                black_box(hash.clone().finalize_into($out).is_ok());
            }
            black_box(
                hash::$name::with_salt_and_personal($out.len(), $data, &array($data), &array($data)).is_ok()
            );
        )*
    };
}

macro_rules! macs {
    ($data:ident, $($name:ident, $tag:ident),* $(,)?) => {
        $(
            let tag = mac::$name::authenticate($data, $data);
            black_box(mac::$name::verify($data, $data, &tag).is_ok());
            let mut mac = mac::$name::new($data);
            mac.update($data);
            black_box(mac.clone().finalize());
            black_box(mac.finalize_and_verify(&mac::$tag::from_bytes(array($data))).is_ok());
        )*
    };
}

macro_rules! keyed_blake2 {
    ($data:ident, $($name:ident, $tag:ident, $length:literal),* $(,)?) => {
        $(
            let tag = mac::$tag::<$length>::from_bytes(array($data));
            black_box((tag.as_bytes(), tag.to_bytes(), mac::$tag::<$length>::try_from($data).is_ok()));
            black_box(mac::$name::<$length>::authenticate($data, $data).is_ok());
            black_box(mac::$name::verify($data, $data, &tag).is_ok());
            if let Ok(mut mac) = mac::$name::<$length>::new($data) {
                mac.update($data);
                black_box(mac.clone().finalize());
                black_box(mac.finalize_and_verify(&tag).is_ok());
            }
        )*
    };
}

macro_rules! ciphers {
    ($data:ident, $out:ident, $($name:ident, $key:ident, $nonce:ident, $tag:ident),* $(,)?) => {
        $(
            types!($data, aead::$key);
            public_types!($data, aead::$nonce, aead::$tag);
            let cipher = aead::$name::new(&aead::$key::from_bytes(array($data))).clone();
            let nonce = aead::$nonce::from_bytes(array($data));
            black_box(cipher.seal_in_place(&nonce, $data, $out).is_ok());
            black_box(cipher.open_in_place(&nonce, $data, $out, &aead::$tag::from_bytes(array($data))).is_ok());
        )*
    };
}

macro_rules! streams {
    ($data:ident, $out:ident, $($name:ident, $key:ident, $nonce:ident),* $(,)?) => {
        $(
            types!($data, stream::$key);
            public_types!($data, stream::$nonce);
            let key = stream::$key::from_bytes(array($data));
            let mut cipher = stream::$name::new(&key, &stream::$nonce::from_bytes(array($data)));
            black_box(cipher.apply($out).is_ok());
            cipher.seek(u64::from_le_bytes(array($data)));
            black_box(cipher.apply($out).is_ok());
        )*
    };
}

macro_rules! derivations {
    ($data:ident, $out:ident, $($name:ident),*) => {
        $(
            black_box(kdf::$name::new($data, $data).clone().expand($data, $out).is_ok());
            black_box(kdf::$name::from_key($data).expand($data, $out).is_ok());
        )*
    };
}

macro_rules! weierstrass {
    ($data:ident, $($module:ident),*) => {
        $(
            let signature = $module::Signature::from_bytes(array($data));
            black_box(signature.to_bytes());
            black_box(signature.to_der(&mut [0; $module::Signature::LONGEST_DER]));
            black_box(signature.to_padded_der(&mut [0; $module::Signature::LONGEST_DER]));
            black_box($module::Signature::from_der($data).is_ok());
            black_box($module::Signature::try_from($data).is_ok());
            black_box($module::SecretKey::try_from($data).is_ok());
            black_box($module::SigningKey::try_from($data).is_ok());
            black_box($module::PublicKey::try_from($data).is_ok());
            black_box($module::VerifyingKey::try_from($data).is_ok());
            if let Ok(public) = $module::PublicKey::from_sec1($data) {
                black_box(public.diffie_hellman_with(&array($data)).is_ok());
            }
            if let (Ok(secret), Ok(public)) =
                ($module::SecretKey::from_bytes(array($data)), $module::PublicKey::from_sec1($data))
            {
                black_box(secret.clone().as_bytes());
                black_box($module::PublicKey::from(&secret) == secret.public_key());
                black_box((public.to_sec1_compressed(), public.to_sec1_uncompressed()));
                if let Ok(shared) = secret.diffie_hellman(&public) {
                    let shared: $module::SharedSecret = shared;
                    black_box(shared.as_bytes());
                }
            }
            if let (Ok(key), Ok(other)) =
                ($module::SigningKey::from_bytes(array($data)), $module::VerifyingKey::from_sec1($data))
            {
                black_box(key.clone().as_bytes());
                black_box((key.verifying_key().to_sec1_compressed(), other.to_sec1_uncompressed()));
                black_box((key.sign($data), key.sign_hedged($data, &array($data)), key.sign_prehashed(&array($data))));
                black_box(key.sign_prehashed_with_dangerous_nonce(&array($data), &array($data)).is_ok());
                black_box(other.verify($data, &signature).is_ok());
                black_box(other.verify_prehashed(&array($data), &signature).is_ok());
            }
        )*
    };
}

/// Calls the functions of ciphers through RustCrypto's traits, with keys and nonces of so many bytes.
macro_rules! ciphers_by_traits {
    ($data:ident, $out:ident, $($name:ident, $key:literal, $nonce:literal),* $(,)?) => {
        $(
            let cipher = <aead::$name as KeyInit>::new(&array::<$key>($data).into());
            let (nonce, tag) = (array::<$nonce>($data).into(), array::<16>($data).into());
            black_box(cipher.encrypt_inout_detached(&nonce, $data, InOutBuf::from(&mut *$out)).is_ok());
            black_box(cipher.decrypt_inout_detached(&nonce, $data, InOutBuf::from(&mut *$out), &tag).is_ok());
        )*
    };
}

macro_rules! hashes_by_traits {
    ($data:ident, $($name:ty),* $(,)?) => {
        $(
            let (mut hash, mut output) = (<$name>::default(), Output::<$name>::default());
            Update::update(&mut hash, $data);
            FixedOutputReset::finalize_into_reset(&mut hash, &mut output);
            black_box(&output);
            Reset::reset(&mut hash);
            black_box(FixedOutput::finalize_fixed(hash));
            black_box(<$name as Digest>::digest($data));
        )*
    };
}

macro_rules! outputs_by_traits {
    ($data:ident, $out:ident, $($name:ident),* $(,)?) => {
        $(
            let mut hash = hash::$name::default();
            Update::update(&mut hash, $data);
            XofReader::read(&mut ExtendableOutputReset::finalize_xof_reset(&mut hash), $out);
            Reset::reset(&mut hash);
            XofReader::read(&mut ExtendableOutput::finalize_xof(hash), $out);
        )*
    };
}

macro_rules! signatures_by_traits {
    ($data:ident, $($module:ident),*) => {
        $(
            if let Ok(key) = $module::SigningKey::try_from($data) {
                let signature = Signer::sign(&key, $data);
                black_box(Signer::<$module::Signature>::try_sign(&key, $data).is_ok());
                black_box(Verifier::verify(&Keypair::verifying_key(&key), $data, &signature).is_ok());
                black_box(SignatureEncoding::to_bytes(&signature));
                black_box(SignatureEncoding::encoded_len(&signature));
            }
        )*
    };
}

/// Calls everything.
#[unsafe(no_mangle)]
pub fn culet_calls(data: &[u8], out: &mut [u8]) {
    digests(data, out);
    codes(data, out);
    encryption(data, out);
    boxes(data, out);
    curves(data);
    equality(data);
    by_traits(data, out);
    #[cfg(feature = "planted")]
    black_box(data[out.len()]);
}

fn digests(data: &[u8], out: &mut [u8]) {
    hashes!(data, hash::Sha224, hash::Sha256, hash::Sha384, hash::Sha512, hash::Sha512_256);
    hashes!(data, hash::Sha3_224, hash::Sha3_256, hash::Sha3_384, hash::Sha3_512, hash::AsconHash256);
    hashes!(data, hash::Blake2b<1>, hash::Blake2b<33>, hash::Blake2b<64>, hash::Blake2s<1>, hash::Blake2s<32>);
    outputs!(data, out, Shake128, Shake128Reader, Shake256, Shake256Reader, AsconXof128, AsconXof128Reader);
    lengths_at_run_time!(data, out, Blake2bVar, Blake2sVar);
}

fn codes(data: &[u8], out: &mut [u8]) {
    public_types!(data, mac::HmacSha224Tag, mac::HmacSha256Tag, mac::HmacSha384Tag, mac::HmacSha512Tag, mac::Poly1305Tag);
    types!(data, mac::Poly1305Key);
    macs!(data, HmacSha224, HmacSha224Tag, HmacSha256, HmacSha256Tag, HmacSha384, HmacSha384Tag, HmacSha512, HmacSha512Tag);
    keyed_blake2!(data, Blake2bMac, Blake2bTag, 64, Blake2bMac, Blake2bTag, 17, Blake2sMac, Blake2sTag, 32);
    for is_checked in [false, true] {
        let mut mac = mac::Poly1305::new(mac::Poly1305Key::from_bytes(array(data)));
        mac.update(data);
        mac.update(data);
        if is_checked {
            black_box(mac.finalize_and_verify(&mac::Poly1305Tag::from_bytes(array(data))).is_ok());
        } else {
            black_box(mac.finalize());
        }
    }
    derivations!(data, out, HkdfSha256, HkdfSha384, HkdfSha512);
    types!(data, kdf::MasterKey);
    black_box(kdf::MasterKey::from_bytes(array(data)).derive(data.len() as u64, &array(data), out).is_ok());
}

fn encryption(data: &[u8], out: &mut [u8]) {
    ciphers!(data, out, ChaCha20Poly1305, ChaCha20Poly1305Key, ChaCha20Poly1305Nonce, ChaCha20Poly1305Tag);
    ciphers!(data, out, XChaCha20Poly1305, XChaCha20Poly1305Key, XChaCha20Poly1305Nonce, XChaCha20Poly1305Tag);
    ciphers!(data, out, Aes128Gcm, Aes128GcmKey, Aes128GcmNonce, Aes128GcmTag);
    ciphers!(data, out, Aes256Gcm, Aes256GcmKey, Aes256GcmNonce, Aes256GcmTag);
    ciphers!(data, out, AsconAead128, AsconAead128Key, AsconAead128Nonce, AsconAead128Tag);
    let mut nonces = [aead::NonceCounter::new(array(data)), aead::NonceCounter::resume(array(data), data.len() as u64)];
    for nonces in &mut nonces {
        black_box((nonces.next_nonce().is_ok(), nonces.next_number()));
    }
    let (key, tag) =
        (aead::XChaCha20Poly1305Key::from_bytes(array(data)), aead::XChaCha20Poly1305Tag::from_bytes(array(data)));
    let nonce = aead::stream::Nonce::from_bytes(array(data));
    black_box((nonce.as_bytes(), nonce.to_bytes(), aead::stream::Nonce::try_from(data).is_ok()));
    let (mut sealer, mut opener) = (aead::stream::Sealer::new(&key, &nonce), aead::stream::Opener::new(&key, &nonce));
    black_box(sealer.seal_in_place(data, out).is_ok());
    black_box(sealer.seal_last_in_place(data, out).is_ok());
    black_box(opener.open_in_place(data, out, &tag).is_ok());
    black_box(opener.open_last_in_place(data, out, &tag).is_ok());
    secretstream(data, out);
    streams!(data, out, ChaCha20, ChaCha20Key, ChaCha20Nonce, XChaCha20, XChaCha20Key, XChaCha20Nonce);
    streams!(data, out, Salsa20, Salsa20Key, Salsa20Nonce, XSalsa20, XSalsa20Key, XSalsa20Nonce);
}

fn secretstream(data: &[u8], out: &mut [u8]) {
    use aead::secretstream;
    types!(data, secretstream::Key);
    public_types!(data, secretstream::Header, secretstream::Seal);
    let (key, header) = (secretstream::Key::from_bytes(array(data)), secretstream::Header::from_bytes(array(data)));
    let mut sealer = secretstream::Sealer::new(&key, &header);
    let mut opener = secretstream::Opener::new(&key, &header);
    let [kind] = array(data);
    black_box(sealer.seal_in_place(secretstream::Kind::from_byte(kind), data, out).is_ok());
    let opened = opener.open_in_place(data, out, &secretstream::Seal::from_bytes(array(data)));
    black_box(opened.map(secretstream::Kind::to_byte).is_ok());
    sealer.rekey();
    opener.rekey();
}

fn boxes(data: &[u8], out: &mut [u8]) {
    types!(data, secretbox::Key);
    public_types!(data, secretbox::Nonce, secretbox::Tag, sealed::Header);
    let (nonce, tag) = (secretbox::Nonce::from_bytes(array(data)), secretbox::Tag::from_bytes(array(data)));
    let cipher = secretbox::SecretBox::new(&secretbox::Key::from_bytes(array(data))).clone();
    black_box(cipher.seal_in_place(&nonce, out).is_ok());
    black_box(cipher.open_in_place(&nonce, out, &tag).is_ok());
    let (public, secret) = (nacl::PublicKey::from_bytes(array(data)), nacl::SecretKey::from_bytes(array(data)));
    black_box(nacl::scalarmult(&array(data), &array(data)));
    black_box(nacl::scalarmult_base(&array(data)));
    black_box(nacl::box_beforenm(&public, &secret).is_ok());
    black_box(nacl::box_detached(out, &nonce, &public, &secret).is_ok());
    black_box(nacl::box_open_detached(out, &tag, &nonce, &public, &secret).is_ok());
    black_box(sealed::open_in_place(out, &sealed::Header::from_bytes(array(data)), &secret).is_ok());
    black_box(sealed::seal_in_place(out, &public, secret).is_ok());
}

fn schnorr(data: &[u8]) {
    use secp256k1::bip340::{Signature, SigningKey, VerifyingKey};
    let signature = Signature::from_bytes(array(data));
    black_box(signature.to_bytes());
    black_box(Signature::try_from(data).is_ok());
    black_box(SigningKey::from_bytes(array(data)).is_ok());
    black_box(SigningKey::sign_once(&array(data), data, &array(data)).is_ok());
    if let Ok(key) = SigningKey::try_from(data) {
        black_box(key.clone().as_bytes());
        black_box(key.verifying_key().to_bytes());
        black_box(key.sign(data, &array(data)));
    }
    black_box(VerifyingKey::from_bytes(array(data)).is_ok());
    if let Ok(key) = VerifyingKey::try_from(data) {
        black_box(key.as_bytes());
        black_box(key.verify(data, &signature).is_ok());
    }
}

fn curves(data: &[u8]) {
    weierstrass!(data, p224, p256, p384, p521, secp256k1);
    black_box(secp256k1::Signature::from_bytes(array(data)).with_low_s());
    schnorr(data);
    types!(data, x25519::SecretKey, x25519::SharedSecret);
    public_types!(data, x25519::PublicKey);
    let (public, secret) = (x25519::PublicKey::from_bytes(array(data)), x25519::SecretKey::from_bytes(array(data)));
    black_box(x25519::PublicKey::from(&secret));
    black_box(secret.public_key());
    if let Ok(shared) = secret.diffie_hellman(&public) {
        black_box(shared.as_bytes());
    }
    let mut shared = [const { x25519::SharedSecret::from_bytes([0; 32]) }; 20];
    let pairs = [(&secret, &public); 20];
    black_box(x25519::diffie_hellman_batch(black_box(&pairs[..]), black_box(&mut shared[..])).is_ok());
    types!(data, ed25519::SigningKey);
    let key = ed25519::SigningKey::from_bytes(array(data)).clone();
    black_box(key.verifying_key().to_bytes());
    black_box(key.sign(data));
    black_box(key.to_x25519());
    let signature = ed25519::Signature::from_bytes(array(data));
    black_box(signature.to_bytes());
    black_box(ed25519::Signature::try_from(data).is_ok());
    if let Ok(key) = ed25519::VerifyingKey::from_bytes(array(data)) {
        black_box(key.as_bytes());
        black_box(key.verify(data, &signature).is_ok());
        black_box(key.to_x25519().is_ok());
    }
    let signed: ed25519::Signed<'_> = (&array(data), data, &signature);
    black_box(ed25519::verify_zip215(signed.0, data, &signature).is_ok());
    // Of lengths that the compiler does not know.
    black_box(ed25519::verify_batch_zip215(black_box(&[signed; 20][..])).is_ok());
    black_box(ed25519::verify_batch(black_box(&[signed; 20][..])).is_ok());
    black_box(ed25519::sign_batch(black_box(&[(&key, data); 20][..]), black_box(&mut [signature; 20][..])).is_ok());
    match ed25519::VerifyingKey::try_from(data) {
        Ok(key) => drop(black_box(key)),
        Err(error) => drop(black_box::<culet::Reason>(culet::Error::reason(&error))),
    }
    if let Err(error) = x25519::SecretKey::try_from(data) {
        let error: culet::LengthError = error;
        black_box((error.expected(), error.found()));
    }
}

fn equality(data: &[u8]) {
    black_box(verify::equal_16(&array(data), &array(data)));
    black_box(verify::equal_32(&array(data), &array(data)));
    black_box(verify::equal_64(&array(data), &array(data)));
}

fn by_traits(data: &[u8], out: &mut [u8]) {
    ciphers_by_traits!(data, out, ChaCha20Poly1305, 32, 12, XChaCha20Poly1305, 32, 24);
    ciphers_by_traits!(data, out, Aes128Gcm, 16, 12, Aes256Gcm, 32, 12, AsconAead128, 16, 16);
    hashes_by_traits!(data, hash::Sha224, hash::Sha256, hash::Sha384, hash::Sha512, hash::Sha512_256);
    hashes_by_traits!(data, hash::Sha3_224, hash::Sha3_256, hash::Sha3_384, hash::Sha3_512, hash::AsconHash256);
    hashes_by_traits!(data, hash::Blake2b<20>, hash::Blake2b<64>, hash::Blake2s<32>);
    outputs_by_traits!(data, out, Shake128, Shake256, AsconXof128);
    signatures_by_traits!(data, ed25519, p224, p256, p384, p521, secp256k1);
}
