//! Base64 (RFC 4648, sections 4 and 5), without tables and without branches that depend on digits: bytes may be keys.

use core::ffi::{c_char, c_int};
use core::hint::black_box;

use crate::pointers::{In, Out, Slot, Text, string};

/// The alphabet and whether texts are filled up with `=`: libsodium's numbers of variants.
#[derive(Clone, Copy)]
pub struct Variant {
    /// The digits 62 and 63.
    last: [u8; 2],
    is_padded: bool,
}

impl Variant {
    /// None if the number is not 1, 3, 5 or 7.
    pub fn of(number: c_int) -> Option<Variant> {
        let last = if number & 4 == 0 { *b"+/" } else { *b"-_" };
        (number & !6 == 1).then_some(Variant { last, is_padded: number & 2 == 0 })
    }

    /// How many digits and zero bytes a text of so many bytes has.
    pub fn length(self, bytes: usize) -> Option<usize> {
        let (whole, rest) = (bytes / 3, bytes % 3);
        let last = match rest {
            0 => 0,
            _ if self.is_padded => 4,
            rest => rest + 1,
        };
        whole.checked_mul(4)?.checked_add(last)?.checked_add(1)
    }

    /// The digit of a number below 64.
    fn digit(self, number: u8) -> u8 {
        let from = |least: u8| black_box(0u8.wrapping_sub(u8::from(number >= least)));
        let step = |least: u8, first: u8, before: u8| from(least) & first.wrapping_sub(before);
        // From each least number on, the digit is so much more than it would be without that step.
        let [minus, slash] = self.last;
        b'A'.wrapping_add(number)
            .wrapping_add(step(26, b'a', b'Z' + 1))
            .wrapping_add(step(52, b'0', b'z' + 1))
            .wrapping_add(step(62, minus, b'9' + 1))
            .wrapping_add(step(63, slash, minus.wrapping_add(1)))
    }

    /// The number of a digit, which is chosen by masks; whether there is one may be known.
    fn number(self, digit: u8) -> Option<u8> {
        let mut number = 0;
        let mut is_digit = 0;
        let [minus, slash] = self.last;
        for (first, count, least) in [(b'A', 26, 0), (b'a', 26, 26), (b'0', 10, 52), (minus, 1, 62), (slash, 1, 63)] {
            let place = digit.wrapping_sub(first);
            let mask = black_box(0u8.wrapping_sub(u8::from(place < count)));
            number |= mask & place.wrapping_add(least);
            is_digit |= mask;
        }
        (is_digit != 0).then_some(number)
    }
}

/// Writes the digits, and zero bytes after them up to the end of the room; null if there is no room for one.
pub fn from_bytes(text: Out, room: usize, bytes: Text, variant: c_int) -> Out {
    write_digits(text, room, bytes, variant).map_or(Out::NULL, |()| text)
}

fn write_digits(text: Out, room: usize, bytes: Text, variant: c_int) -> Option<()> {
    let variant = Variant::of(variant)?;
    let length = variant.length(bytes.length)?;
    if length > room {
        return None;
    }
    let bytes = bytes.beside(text, room)?;
    let text = text.room(room)?;
    text.fill(0);
    let (digits, _) = text.split_at_mut_checked(length.checked_sub(1)?)?;
    let (mut digits, mut left) = (digits.iter_mut(), bytes);
    while !left.is_empty() {
        let (group, rest) = left.split_at_checked(3).unwrap_or((left, &[]));
        left = rest;
        let mut three = [0; 3];
        three.iter_mut().zip(group).for_each(|(to, from)| *to = *from);
        let [a, b, c] = three;
        let numbers = [a >> 2, (a & 3) << 4 | b >> 4, (b & 15) << 2 | c >> 6, c & 63];
        for (place, (number, digit)) in numbers.into_iter().zip(&mut digits).enumerate() {
            *digit = if place <= group.len() { variant.digit(number) } else { b'=' };
        }
    }
    Some(())
}

/// A text of digits, with the number of characters that were read.
struct Reader<'t> {
    text: Text,
    read: usize,
    ignored: &'t [u8],
    /// Whether nothing is ignored, not even zero bytes, which end the string of what is.
    is_strict: bool,
}

impl Reader<'_> {
    fn is_ignored(&self, character: u8) -> bool {
        !self.is_strict && (character == 0 || self.ignored.contains(&character))
    }

    /// The next digit's number; characters that are ignored are passed over, and a character that is no digit stays.
    fn digit(&mut self, variant: Variant) -> Option<u8> {
        while let Some(character) = self.text.byte(self.read) {
            let number = variant.number(character);
            if number.is_some() || self.is_ignored(character) {
                self.read += 1;
            }
            if number.is_some() || !self.is_ignored(character) {
                return number;
            }
        }
        None
    }

    /// Passes over so many `=`, and what is ignored before them.
    fn padding(&mut self, mut count: usize) -> Option<()> {
        while count > 0 {
            let character = self.text.byte(self.read)?;
            if character == b'=' {
                count -= 1;
            } else if !self.is_ignored(character) {
                return None;
            }
            self.read += 1;
        }
        Some(())
    }
}

/// Reads digits up to the first character that is none and not to be ignored. The bits behind the last byte must be zero. Without a place
/// for the end, all characters must be read. Bytes are written as soon as they are read, so that the output may lie over the digits.
#[allow(clippy::too_many_arguments)] // They are C's.
pub fn to_bytes(
    out: Out,
    room: usize,
    text: Text,
    ignored: *const c_char,
    length: Slot<usize>,
    end: Slot<In>,
    variant: c_int,
) -> c_int {
    let Some(variant) = Variant::of(variant).filter(|_| text.fits()) else { return -1 };
    let is_strict = ignored.is_null();
    let mut reader = Reader { text, read: 0, ignored: string(ignored).unwrap_or_default(), is_strict };
    let written = read_bytes(&mut reader, out, room, variant);
    let mut is_good = written.is_some();
    while is_good && reader.text.byte(reader.read).is_some_and(|character| reader.is_ignored(character)) {
        reader.read += 1;
    }
    is_good &= !end.is_null() || reader.read == text.length;
    length.set(written.unwrap_or(0));
    end.set_end(text.start, reader.read);
    if is_good { 0 } else { -1 }
}

/// Returns the number of bytes that were written; none if there is no room for them, or the text ends within one.
fn read_bytes(reader: &mut Reader, out: Out, room: usize, variant: Variant) -> Option<usize> {
    let (mut bits, mut count, mut written) = (0u16, 0, 0);
    while let Some(number) = reader.digit(variant) {
        bits = bits << 6 | u16::from(number);
        count += 6;
        if count >= 8 {
            count -= 8;
            if written >= room {
                // This digit is not read.
                reader.read = reader.read.saturating_sub(1);
                return None;
            }
            out.after(written).write(&[(bits >> count) as u8])?;
            written += 1;
        }
        bits &= (1 << count) - 1;
    }
    if count > 4 || bits != 0 {
        return None;
    }
    if variant.is_padded {
        reader.padding(count / 2)?;
    }
    Some(written)
}
