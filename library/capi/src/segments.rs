//! Files and other long messages, segment by segment: STREAM over XChaCha20-Poly1305.

use culet::aead::stream::{Nonce, Opener, Sealer};
use culet::aead::{XChaCha20Poly1305, XChaCha20Poly1305Key, XChaCha20Poly1305Tag};
use zeroize::{Zeroize, Zeroizing};

use crate::pointers::{Context, In, Out, Text};

fn key(key: In) -> Option<XChaCha20Poly1305Key> {
    Some(XChaCha20Poly1305Key::from_bytes(*Zeroizing::new(key.array()?)))
}

pub fn start_sealing(context: Context<Sealer>, nonce: In, given: In) -> Option<()> {
    context.put(Sealer::new(&key(given)?, &Nonce::from_bytes(nonce.array()?)))
}

pub fn start_opening(context: Context<Opener>, nonce: In, given: In) -> Option<()> {
    context.put(Opener::new(&key(given)?, &Nonce::from_bytes(nonce.array()?)))
}

/// A segment and its place.
pub struct Segment {
    pub out: Out,
    pub text: Text,
    pub additional: Text,
}

pub fn seal(context: Context<Sealer>, segment: Segment, tag: Out) -> Option<()> {
    let Segment { out, text, additional } = segment.checked_for(tag, &context)?;
    let made = context.work_beside(out, text, additional, |sealer, additional, segment| {
        let made = sealer.seal_in_place(additional, segment);
        made.inspect_err(|_| segment.zeroize()).ok()
    })?;
    tag.write(made.as_bytes())
}

pub fn seal_last(context: Context<Sealer>, segment: Segment, tag: Out) -> Option<()> {
    let Segment { out, text, additional } = segment.checked_for(tag, &context)?;
    let made = context.end_beside(out, text, additional, |sealer, additional, segment| {
        let made = sealer.seal_last_in_place(additional, segment);
        made.inspect_err(|_| segment.zeroize()).ok()
    })?;
    tag.write(made.as_bytes())
}

pub fn open(context: Context<Opener>, segment: Segment, tag: In) -> Option<()> {
    let Segment { out, text, additional } = segment;
    let tag = XChaCha20Poly1305Tag::from_bytes(tag.array()?);
    let open = |opener: &mut Opener, additional: &[u8], segment: &mut [u8]| {
        opener.open_in_place(additional, segment, &tag).ok()
    };
    context.work_beside(out, text, additional, open)
}

pub fn open_last(context: Context<Opener>, segment: Segment, tag: In) -> Option<()> {
    let Segment { out, text, additional } = segment;
    let tag = XChaCha20Poly1305Tag::from_bytes(tag.array()?);
    let open = |opener: Opener, additional: &[u8], segment: &mut [u8]| {
        opener.open_last_in_place(additional, segment, &tag).ok()
    };
    context.end_beside(out, text, additional, open)
}

impl Segment {
    /// The segment, if it is not too long and its tag has a place of its own.
    fn checked_for(self, tag: Out, context: &Context<Sealer>) -> Option<Segment> {
        let is_short = self.text.length as u64 <= XChaCha20Poly1305::MESSAGE_LIMIT;
        let is_apart = tag.is_apart(16, self.out, self.text.length) && context.is_apart(tag, 16);
        (is_short && is_apart && !tag.is_null()).then_some(self)
    }
}
