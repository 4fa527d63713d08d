//! NaCl's boxes (D. J. Bernstein, "Cryptography in NaCl", 2009), with the tag apart; before the message, as `easy` functions have it; and
//! behind zeros, as NaCl's own have it. And libsodium's sealed boxes, which do not name their sender.

use culet::nacl;
use culet::sealed::{self, Header};
use culet::secretbox::{Key, Nonce, SecretBox, Tag};
use culet::x25519::{PublicKey, SecretKey};
use zeroize::Zeroize;

use crate::pointers::{In, Out, Text};

/// Bytes of a tag.
const TAG: usize = 16;

/// Bytes before the message of a sealed box: a public key and a tag.
const HEADER: usize = Header::LENGTH;

/// Zeros before a message of NaCl's own functions.
const ZEROS: usize = 32;

/// A message that is sealed or opened under a nonce.
#[derive(Clone, Copy)]
pub struct Message {
    pub out: Out,
    pub text: Text,
    pub nonce: In,
}

impl Message {
    pub fn new(out: Out, text: Text, nonce: In) -> Message {
        Message { out, text, nonce }
    }

    /// Without its first bytes, before and after.
    fn without(self, first: usize) -> Option<Message> {
        let (_, text) = self.text.split(first)?;
        Some(Message { out: self.out.after(first), text, ..self })
    }
}

/// The key or keys that seal a message and open it.
pub enum Shared {
    Key(SecretBox),
    /// The public key of one side and the secret key of the other one.
    Keys(PublicKey, SecretKey),
}

impl Shared {
    fn seal(&self, nonce: &Nonce, buffer: &mut [u8]) -> Option<Tag> {
        match self {
            Shared::Key(cipher) => cipher.seal_in_place(nonce, buffer).ok(),
            Shared::Keys(public, secret) => nacl::box_detached(buffer, nonce, public, secret).ok(),
        }
    }

    fn open(&self, nonce: &Nonce, buffer: &mut [u8], tag: &Tag) -> Option<()> {
        match self {
            Shared::Key(cipher) => cipher.open_in_place(nonce, buffer, tag).ok(),
            Shared::Keys(public, secret) => nacl::box_open_detached(buffer, tag, nonce, public, secret).ok(),
        }
    }
}

/// The keys of two owners. None if a pointer is null.
pub fn agreed(public: In, secret: In) -> Option<Shared> {
    Some(Shared::Keys(PublicKey::from_bytes(public.array()?), SecretKey::from_bytes(secret.array()?)))
}

/// A key that is there. None if the pointer is null.
pub fn given(key: In) -> Option<Shared> {
    Some(Shared::Key(SecretBox::new(&Key::from_bytes(key.array()?))))
}

/// Writes the key that two owners of keys share; zeros if they agree on zero.
pub fn write_agreed(out: Out, public: In, secret: In) -> Option<()> {
    let (public, secret) = (PublicKey::from_bytes(public.array()?), SecretKey::from_bytes(secret.array()?));
    let key = nacl::box_beforenm(&public, &secret).ok();
    out.write(key.as_ref().map_or(&[0; 32][..], |key| key.as_bytes()))?;
    key.map(drop)
}

/// Seals, and writes the tag where it is wanted; the output is zeros if two keys agree on zero.
pub fn seal(message: Message, tag: Out, key: Option<Shared>) -> Option<()> {
    let Message { out, text, nonce } = message;
    let nonce = Nonce::from_bytes(nonce.array()?);
    let key = key?;
    if tag.is_null() || !tag.is_apart(TAG, out, text.length) {
        return None;
    }
    let made = key.seal(&nonce, out.moved(text)?)?;
    tag.write(made.as_bytes())
}

/// Opens; the message is zeros if that fails, or if two keys agree on zero.
pub fn open(message: Message, tag: In, key: Option<Shared>) -> Option<()> {
    let Message { out, text, nonce } = message;
    let (nonce, tag) = (Nonce::from_bytes(nonce.array()?), Tag::from_bytes(tag.array()?));
    key?.open(&nonce, out.moved(text)?, &tag)
}

/// Opens; a message that goes to null is only verified.
#[cfg(feature = "sodium")]
pub fn open_or_verify(message: Message, tag: In, key: Option<Shared>) -> Option<()> {
    message.out.or_memory(message.text.length, |out| open(Message { out, ..message }, tag, key))
}

/// Seals a message; the tag comes before it.
pub fn seal_easy(message: Message, key: Option<Shared>) -> Option<()> {
    seal(Message { out: message.out.after(TAG), ..message }, message.out, key)
}

/// Opens what begins with its tag; a message that goes to null is only verified.
#[cfg(feature = "sodium")]
pub fn open_easy(message: Message, key: Option<Shared>) -> Option<()> {
    let (tag, text) = message.text.split(TAG)?;
    open_or_verify(Message { text, ..message }, tag.start, key)
}

/// Seals a message behind 32 zeros; 16 zeros come before the tag.
pub fn seal_padded(message: Message, key: Option<Shared>) -> Option<()> {
    seal(message.without(ZEROS)?, message.out.after(TAG), key)?;
    message.out.write(&[0; ZEROS - TAG])
}

/// Opens what begins with 16 bytes that do not count and a tag; 32 zeros come before the message, and nothing but zeros if it is not right.
pub fn open_padded(message: Message, key: Option<Shared>) -> Option<()> {
    let (key, (_, text)) = (key?, message.text.split(ZEROS - TAG)?);
    let opened = open(message.without(ZEROS)?, text.start, Some(key));
    message.out.write(&[0; ZEROS])?;
    opened
}

/// Seals a message for the owner of a public key by a key pair that is made for this message, so that nothing names the sender; the header goes
/// where it is wanted. The output is zeros if the two keys agree on zero.
pub fn seal_unnamed(out: Out, header: Out, text: Text, public: In, ephemeral: &[u8; 32]) -> Option<()> {
    let public = PublicKey::from_bytes(public.array()?);
    if header.is_null() || !header.is_apart(HEADER, out, text.length) {
        return None;
    }
    let buffer = out.moved(text)?;
    match sealed::seal_in_place(buffer, &public, SecretKey::from_bytes(*ephemeral)) {
        Ok(made) => header.write(made.as_bytes()),
        Err(_) => {
            buffer.zeroize();
            None
        }
    }
}

/// Opens a message that somebody sealed; the message is zeros if that fails.
pub fn open_unnamed(out: Out, text: Text, header: In, secret: In) -> Option<()> {
    let (header, secret) = (Header::from_bytes(header.array()?), SecretKey::from_bytes(secret.array()?));
    sealed::open_in_place(out.moved(text)?, &header, &secret).ok()
}

/// Seals a message behind its header. All of the output is zeros if there is no randomness for a key pair.
#[cfg(feature = "sodium")]
pub fn seal_unnamed_easy(out: Out, text: Text, public: In, ephemeral: Option<&[u8; 32]>) -> Option<()> {
    let Some(ephemeral) = ephemeral else {
        out.room(text.length.checked_add(HEADER)?)?.zeroize();
        return None;
    };
    seal_unnamed(out.after(HEADER), out, text, public, ephemeral)
}

/// Opens what begins with its header; a message that goes to null is only verified.
#[cfg(feature = "sodium")]
pub fn open_unnamed_easy(out: Out, text: Text, secret: In) -> Option<()> {
    let (header, text) = text.split(HEADER)?;
    out.or_memory(text.length, |out| open_unnamed(out, text, header.start, secret))
}

/// A public key and the secret key of a seed, which is the start of its SHA-512.
#[cfg(feature = "sodium")]
pub fn key_pair_of_seed(public: Out, secret: Out, seed: In) -> Option<()> {
    let seed = zeroize::Zeroizing::new(seed.array::<32>()?);
    let hash = zeroize::Zeroizing::new(culet::hash::Sha512::digest(&*seed));
    key_pair(public, secret, hash.first_chunk()?)
}

/// Writes a secret key and its public key.
#[cfg(any(feature = "sodium", feature = "tweetnacl"))]
pub fn key_pair(public: Out, secret: Out, bytes: &[u8; 32]) -> Option<()> {
    secret.write(bytes)?;
    public.write(SecretKey::from_bytes(*bytes).public_key().as_bytes())
}
