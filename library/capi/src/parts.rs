//! Hashes and authentication codes of messages that come in parts, or whole.

use culet::hash::{
    self, AsconHash256, Blake2bVar, Blake2sVar, Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha256, Sha384, Sha512,
    Sha512_256,
};
use culet::mac::{HmacSha224, HmacSha256, HmacSha384, HmacSha512, Poly1305};

use crate::pointers::{Context, In, Out, Text};

/// A message that comes in parts, and a result of it.
pub trait Parts: Sized {
    /// Where the result goes: a place, and a number of bytes if that is not fixed.
    type Place;

    /// Takes the next part.
    fn add(&mut self, part: &[u8]) -> Option<()>;

    /// Writes the result of all parts.
    fn end(self, place: Self::Place) -> Option<()>;
}

macro_rules! parts {
    ($($name:ident, $finish:expr;)*) => {
        $(impl Parts for $name {
            type Place = Out;

            fn add(&mut self, part: &[u8]) -> Option<()> {
                self.update(part);
                Some(())
            }

            fn end(self, out: Out) -> Option<()> {
                out.write(&$finish(self))
            }
        })*
    };
}

parts! {
    Sha224, Sha224::finalize;
    Sha256, Sha256::finalize;
    Sha384, Sha384::finalize;
    Sha512, Sha512::finalize;
    Sha512_256, Sha512_256::finalize;
    Sha3_224, Sha3_224::finalize;
    Sha3_256, Sha3_256::finalize;
    Sha3_384, Sha3_384::finalize;
    Sha3_512, Sha3_512::finalize;
    AsconHash256, AsconHash256::finalize;
    HmacSha224, |mac: HmacSha224| mac.finalize().to_bytes();
    HmacSha256, |mac: HmacSha256| mac.finalize().to_bytes();
    HmacSha384, |mac: HmacSha384| mac.finalize().to_bytes();
    HmacSha512, |mac: HmacSha512| mac.finalize().to_bytes();
    Poly1305, |mac: Poly1305| mac.finalize().to_bytes();
}

macro_rules! blake2 {
    ($start:ident, $name:ident) => {
        impl Parts for $name {
            type Place = (Out, usize);

            fn add(&mut self, part: &[u8]) -> Option<()> {
                self.update(part);
                Some(())
            }

            fn end(self, (out, length): (Out, usize)) -> Option<()> {
                self.finalize_into(out.room(length)?).ok()
            }
        }

        /// The hash with digests of `length` bytes, and with a key if that is not empty.
        pub fn $start(length: usize, key: Text) -> Option<$name> {
            $name::new(length, key.bytes()?).ok()
        }
    };
}

blake2!(blake2b, Blake2bVar);
blake2!(blake2s, Blake2sVar);

/// A function with an output of any length. It takes no more parts once its output is read.
pub enum Extendable<Hash, Reader> {
    Message(Hash),
    Output(Reader),
}

macro_rules! extendable {
    ($($hash:ident, $reader:ident;)*) => {
        $(pub type $hash = Extendable<hash::$hash, hash::$reader>;

        impl $hash {
            pub fn new() -> Self {
                Extendable::Message(hash::$hash::new())
            }

            /// Fills `out` with the next bytes of the output.
            pub fn read(&mut self, out: &mut [u8]) -> Option<()> {
                match self {
                    Extendable::Message(hash) => {
                        let mut reader = hash.clone().finalize_xof();
                        reader.read(out);
                        *self = Extendable::Output(reader);
                    }
                    Extendable::Output(reader) => reader.read(out),
                }
                Some(())
            }
        }

        impl Parts for $hash {
            type Place = (Out, usize);

            fn add(&mut self, part: &[u8]) -> Option<()> {
                match self {
                    Extendable::Message(hash) => hash.update(part),
                    Extendable::Output(_) => return None,
                }
                Some(())
            }

            fn end(mut self, (out, length): (Out, usize)) -> Option<()> {
                self.read(out.room(length)?)
            }
        })*
    };
}

extendable! {
    Shake128, Shake128Reader;
    Shake256, Shake256Reader;
    AsconXof128, AsconXof128Reader;
}

pub fn whole<T: Parts>(place: T::Place, start: Option<T>, message: Text) -> Option<()> {
    let mut state = start?;
    state.add(message.bytes()?)?;
    state.end(place)
}

pub fn start<T: Parts>(context: Context<T>, start: Option<T>) -> Option<()> {
    context.put(start?)
}

pub fn update<T: Parts>(context: Context<T>, part: Text) -> Option<()> {
    context.change(part, T::add)
}

/// The context is spent, whether there is room for the result or not.
pub fn finish<T: Parts>(context: Context<T>, place: T::Place) -> Option<()> {
    context.take()?.end(place)
}

/// Poly1305 with a key of 32 bytes.
pub fn poly1305(key: In) -> Option<Poly1305> {
    key.array().map(|key| Poly1305::new(culet::mac::Poly1305Key::from_bytes(key)))
}

pub fn verify_poly1305(tag: In, message: Text, key: In) -> Option<()> {
    let mut state = poly1305(key)?;
    state.update(message.bytes()?);
    state.finalize_and_verify(&culet::mac::Poly1305Tag::from_bytes(tag.array()?)).ok()
}

macro_rules! hmac {
    ($start:ident, $verify:ident, $mac:ident, $tag:ident) => {
        pub fn $start(key: Text) -> Option<$mac> {
            key.bytes().map($mac::new)
        }

        pub fn $verify(tag: In, message: Text, key: Text) -> Option<()> {
            let mut state = $start(key)?;
            state.update(message.bytes()?);
            state.finalize_and_verify(&culet::mac::$tag::from_bytes(tag.array()?)).ok()
        }
    };
}

hmac!(hmac_sha224, verify_hmac_sha224, HmacSha224, HmacSha224Tag);
hmac!(hmac_sha256, verify_hmac_sha256, HmacSha256, HmacSha256Tag);
hmac!(hmac_sha384, verify_hmac_sha384, HmacSha384, HmacSha384Tag);
hmac!(hmac_sha512, verify_hmac_sha512, HmacSha512, HmacSha512Tag);

macro_rules! hkdf {
    ($name:ident, $kdf:ident) => {
        /// Fills `length` bytes from a secret, a salt and information about their purpose: RFC 5869.
        pub fn $name(out: Out, length: usize, salt: Text, secret: Text, info: Text) -> Option<()> {
            let derived = culet::kdf::$kdf::new(salt.bytes()?, secret.bytes()?);
            let info = info.beside(out, length)?;
            derived.expand(info, out.room(length)?).ok()
        }
    };
}

/// BLAKE2b with a salt and a personal string of 16 bytes; null is none.
pub fn salted_blake2b(length: usize, key: Text, salt: In, personal: In) -> Option<Blake2bVar> {
    let or_none = |given: In| given.array().unwrap_or([0; 16]);
    Blake2bVar::with_salt_and_personal(length, key.bytes()?, &or_none(salt), &or_none(personal)).ok()
}

/// Fills 16 to 64 bytes with the key of a number and a context, from a key of 32 bytes.
pub fn subkey(out: Out, length: usize, number: u64, context: In, key: In) -> Option<()> {
    let key = culet::kdf::MasterKey::from_bytes(*zeroize::Zeroizing::new(key.array()?));
    key.derive(number, &context.array()?, out.room(length)?).ok()
}

hkdf!(hkdf_sha256, HkdfSha256);
hkdf!(hkdf_sha384, HkdfSha384);
hkdf!(hkdf_sha512, HkdfSha512);

#[cfg(feature = "sodium")]
pub use short::{HmacSha512256, hmac_sha512256, verify_hmac_sha512256};

/// HMAC with SHA-512 cut off after 32 bytes: `crypto_auth`.
#[cfg(feature = "sodium")]
mod short {
    use super::{HmacSha512, In, Out, Parts, Text, hmac_sha512};

    pub struct HmacSha512256(HmacSha512);

    impl HmacSha512256 {
        fn finalize(self) -> Option<[u8; 32]> {
            self.0.finalize().to_bytes().first_chunk().copied()
        }
    }

    impl Parts for HmacSha512256 {
        type Place = Out;

        fn add(&mut self, part: &[u8]) -> Option<()> {
            self.0.add(part)
        }

        fn end(self, out: Out) -> Option<()> {
            out.write(&self.finalize()?)
        }
    }

    pub fn hmac_sha512256(key: Text) -> Option<HmacSha512256> {
        hmac_sha512(key).map(HmacSha512256)
    }

    pub fn verify_hmac_sha512256(tag: In, message: Text, key: Text) -> Option<()> {
        let mut state = hmac_sha512256(key)?;
        state.add(message.bytes()?)?;
        culet::verify::equal_32(&state.finalize()?, &tag.array()?).then_some(())
    }
}
