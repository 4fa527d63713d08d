//! Messages in order: libsodium's secretstream, with the kind before each message and the tag after it.

use culet::aead::secretstream::{Header, Key, Kind, MESSAGE_LIMIT, Opener, Seal, Sealer};
use zeroize::{Zeroize, Zeroizing};

use crate::pointers::{Context, In, Out, Text};

/// Bytes of a sealed message beside its own, of which one comes before it.
pub const SEAL: usize = Seal::LENGTH;

/// One side of a stream.
pub enum Stream {
    Sealer(Sealer),
    Opener(Opener),
}

fn given(header: In, key: In) -> Option<(Key, Header)> {
    Some((Key::from_bytes(*Zeroizing::new(key.array()?)), Header::from_bytes(header.array()?)))
}

pub fn start_sealing(context: Context<Stream>, header: In, key: In) -> Option<()> {
    let (key, header) = given(header, key)?;
    context.put(Stream::Sealer(Sealer::new(&key, &header)))
}

/// Begins with a header that is made for this stream, and writes it.
#[cfg(feature = "sodium")]
pub fn start_sealing_anew(context: Context<Stream>, header: Out, key: In, random: &[u8; 24]) -> Option<()> {
    let key = Key::from_bytes(*Zeroizing::new(key.array()?));
    let made = Header::from_bytes(*random);
    if header.is_null() || !context.is_apart(header, Header::LENGTH) {
        return None;
    }
    context.put(Stream::Sealer(Sealer::new(&key, &made)))?;
    header.write(made.as_bytes())
}

pub fn start_opening(context: Context<Stream>, header: In, key: In) -> Option<()> {
    let (key, header) = given(header, key)?;
    context.put(Stream::Opener(Opener::new(&key, &header)))
}

/// Writes 17 bytes more than the message has, which may overlap it.
pub fn seal(context: Context<Stream>, sealed: Out, kind: u8, message: Text, additional: Text) -> Option<()> {
    let length = message.length.checked_add(SEAL)?;
    if message.length as u64 > MESSAGE_LIMIT || sealed.is_null() || !context.is_apart(sealed, length) {
        return None;
    }
    additional.beside(sealed, length)?;
    let place = sealed.after(1);
    let made = context.work_beside(place, message, additional, |stream, additional, message| {
        let made = match stream {
            Stream::Sealer(sealer) => sealer.seal_in_place(Kind::from_byte(kind), additional, message).ok(),
            Stream::Opener(_) => None,
        };
        if made.is_none() {
            message.zeroize();
        }
        made
    })?;
    let (first, rest) = made.as_bytes().split_first_chunk::<1>()?;
    sealed.write(first)?;
    place.after(message.length).write(rest)
}

/// Writes 17 bytes fewer than the sealed message has, and returns its kind; zeros if it is not right.
pub fn open(context: Context<Stream>, message: Out, sealed: Text, additional: Text) -> Option<u8> {
    let (kind, rest) = sealed.split(1)?;
    let (text, tag) = rest.split_end(SEAL.checked_sub(1)?)?;
    let mut seal = [0; SEAL];
    let (first, last) = seal.split_first_chunk_mut::<1>()?;
    *first = kind.start.array()?;
    *last.first_chunk_mut()? = tag.start.array::<16>()?;
    context.work_beside(message, text, additional, |stream, additional, message| match stream {
        Stream::Opener(opener) => {
            opener.open_in_place(additional, message, &Seal::from_bytes(seal)).ok().map(Kind::to_byte)
        }
        Stream::Sealer(_) => {
            message.zeroize();
            None
        }
    })
}

pub fn rekey(context: Context<Stream>) -> Option<()> {
    let nothing = In::NULL.with(0usize);
    context.change(nothing, |stream, _| {
        match stream {
            Stream::Sealer(sealer) => sealer.rekey(),
            Stream::Opener(opener) => opener.rekey(),
        }
        Some(())
    })
}
