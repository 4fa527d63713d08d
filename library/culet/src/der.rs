//! Signatures in DER: two numbers in a sequence that has fewer than 256 bytes.
//!
//! The value of a number decides where its bytes lie. They are moved there in steps of 1, 2, 4, … bytes, each of which is taken or not by a mask,
//! so that neither addresses nor branches depend on numbers.

use crate::bytes::{copy, copy_if, first};

/// Bytes of the longest number: 66, and a byte of zeros where the highest bit would say that the number is negative.
const DIGITS: usize = 67;

/// Bytes of an element before its content, of fewer than 128 bytes: X.690, sections 8.1.2 and 8.1.3.4.
const HEADER: usize = 2;

/// Bytes of the longest sequence of two numbers, whose length takes a byte more.
const LONGEST: usize = HEADER + 1 + 2 * (HEADER + DIGITS);

/// Tags of X.690, section 8.1.2.
const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;

/// The smallest length that does not fit 7 bits, and the byte before one that fits one byte: X.690, section 8.1.3.5.
const LONG: usize = 0x80;
const ONE_BYTE_OF_LENGTH: u8 = 0x81;

/// Reads a sequence of two numbers and nothing else: RFC 3279, section 2.2.3.
pub(crate) fn read_numbers<const LENGTH: usize>(der: &[u8]) -> Option<([u8; LENGTH], [u8; LENGTH])> {
    if der.len() > LONGEST {
        return None;
    }
    let mut reader = Reader { bytes: [0; LONGEST], left: 0, is_good: true };
    copy(&mut reader.bytes, der);
    let [tag, short, long, ..] = reader.bytes;
    let is_long = short == ONE_BYTE_OF_LENGTH;
    reader.left = usize::from(if is_long { long } else { short });
    let header = HEADER + usize::from(is_long);
    reader.is_good = (tag == SEQUENCE) & (is_long == (reader.left >= LONG)) & (header + reader.left == der.len());
    move_to_start(&mut reader.bytes, header);
    let (r, s) = (reader.number(), reader.number());
    (reader.is_good & (reader.left == 0)).then_some((r, s))
}

/// The bytes of a sequence that are not read yet.
struct Reader {
    /// They begin at the start.
    bytes: [u8; LONGEST],
    /// Their number; it does not count if `is_good` is not set.
    left: usize,
    /// Whether all that was read is as it should be.
    is_good: bool,
}

impl Reader {
    /// An integer that is not negative, in the fewest bytes: X.690, section 8.3.
    fn number<const LENGTH: usize>(&mut self) -> [u8; LENGTH] {
        let [tag, length, first, second, ..] = self.bytes;
        let length = usize::from(length);
        // A byte of zeros is there only where the highest bit would say that the integer is negative.
        let is_shortest = (first != 0) | (length == 1) | (second >= 0x80);
        let is_number = (tag == INTEGER) & (length >= 1) & (length <= LENGTH + 1) & (first < 0x80) & is_shortest;
        let mut digits = [0; DIGITS];
        copy(&mut digits, self.bytes.get(HEADER..).unwrap_or_default());
        move_to_end(&mut digits, DIGITS.saturating_sub(length));
        let (before, found) = digits.split_at(DIGITS.saturating_sub(LENGTH));
        self.is_good &= is_number & (before.last() == Some(&0)) & (HEADER + length <= self.left);
        self.left = self.left.wrapping_sub(HEADER + length);
        move_to_start(&mut self.bytes, HEADER + length);
        let mut number = [0; LENGTH];
        copy(&mut number, found);
        number
    }
}

/// Writes a sequence of two numbers, each of at most 66 bytes, and zeros behind it; returns how many bytes it has.
pub(crate) fn write_numbers(buffer: &mut [u8], r: &[u8], s: &[u8]) -> usize {
    let (r, s) = (Digits::of(r), Digits::of(s));
    let content = 2 * HEADER + r.length + s.length;
    let mut bytes = [0; LONGEST];
    let mut at = copy(&mut bytes, &[SEQUENCE, ONE_BYTE_OF_LENGTH, content as u8, INTEGER, r.length as u8]);
    let r_at = at;
    for part in [r.bytes(), &[INTEGER, s.length as u8], s.bytes()] {
        at += copy(bytes.get_mut(at..).unwrap_or_default(), part);
    }
    // The zeros before the digits of s go first, since those of r move s.
    let s_at = at.saturating_sub(s.bytes().len());
    for (from, zeros) in [(s_at, s.zeros), (r_at, r.zeros), (1, usize::from(content < LONG))] {
        move_to_start(bytes.get_mut(from..).unwrap_or_default(), zeros);
    }
    copy(buffer, &bytes);
    HEADER + usize::from(content >= LONG) + content
}

/// A number of at most 66 bytes behind a byte of zeros.
struct Digits {
    bytes: [u8; DIGITS],
    end: usize,
    /// Bytes of zeros that DER leaves out: all before a byte with its highest bit clear, but for the last byte.
    zeros: usize,
    /// Bytes that are left.
    length: usize,
}

impl Digits {
    fn of(number: &[u8]) -> Self {
        let mut bytes = [0; DIGITS];
        let end = 1 + copy(bytes.get_mut(1..).unwrap_or_default(), number);
        let (mut zeros, mut is_left_out) = (0, 1);
        for (byte, next) in first(&bytes, end).iter().zip(number) {
            is_left_out &= usize::from(*byte == 0) & usize::from(*next < 0x80);
            zeros += is_left_out;
        }
        Digits { bytes, end, zeros, length: end - zeros }
    }

    /// The byte of zeros and all of the number.
    fn bytes(&self) -> &[u8] {
        first(&self.bytes, self.end)
    }
}

/// Moves at most as many bytes as the longest sequence has towards the start, by fewer than 256 places. Zeros follow them.
fn move_to_start(bytes: &mut [u8], places: usize) {
    for_steps(places, |step, is_taken| {
        let mut moved = [0; LONGEST];
        copy(&mut moved, bytes.get(step..).unwrap_or_default());
        copy_if(is_taken, bytes, &moved);
    });
}

/// Moves as many bytes towards the end, by fewer than 256 places. Zeros come before them.
fn move_to_end(bytes: &mut [u8], places: usize) {
    for_steps(places, |step, is_taken| {
        let mut moved = [0; LONGEST];
        copy(moved.get_mut(step..).unwrap_or_default(), bytes);
        copy_if(is_taken, bytes, &moved);
    });
}

/// Goes through steps of 1, 2, 4, … places, and says of each whether it is taken.
fn for_steps(places: usize, mut step: impl FnMut(usize, bool)) {
    for bit in 0..u8::BITS {
        step(1 << bit, places >> bit & 1 == 1);
    }
}
