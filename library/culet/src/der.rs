//! Signatures in DER: two numbers in a sequence that has fewer than 256 bytes.

use crate::bytes::{copy, first};

/// Reads a sequence of two numbers and nothing else: RFC 3279, section 2.2.3.
pub(crate) fn read_numbers<const LENGTH: usize>(der: &[u8]) -> Option<([u8; LENGTH], [u8; LENGTH])> {
    let (content, after) = element_of_der(SEQUENCE, der)?;
    let (r, rest) = number_of_der(content)?;
    let (s, end) = number_of_der(rest)?;
    (after.is_empty() && end.is_empty()).then_some((r, s))
}

/// Writes a sequence of two numbers, each of at most 66 bytes, and returns what is written.
pub(crate) fn write_numbers<'b>(buffer: &'b mut [u8], r: &[u8], s: &[u8]) -> &'b [u8] {
    let mut content = [0; 2 * (2 + 1 + 66)];
    let length = append_number(&mut content, 0, r);
    let length = append_number(&mut content, length, s);
    let short = [SEQUENCE, length as u8];
    let long = [SEQUENCE, ONE_BYTE_OF_LENGTH, length as u8];
    let header = if length < 0x80 { &short[..] } else { &long[..] };
    let before = copy(buffer, header);
    copy(buffer.get_mut(before..).unwrap_or_default(), &content);
    first(buffer, before + length)
}

/// Tags of X.690, section 8.1.2.
const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
/// The byte before a length that does not fit 7 bits and fits one byte: X.690, section 8.1.3.5.
const ONE_BYTE_OF_LENGTH: u8 = 0x81;

/// The content of an element of fewer than 256 bytes, and what follows it.
fn element_of_der(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&[found, length], rest) = der.split_first_chunk()?;
    let (length, rest) = match (length, rest) {
        (0..=0x7f, rest) => (length, rest),
        (ONE_BYTE_OF_LENGTH, [length @ 0x80..=0xff, rest @ ..]) => (*length, rest),
        _ => return None,
    };
    rest.split_at_checked(length.into()).filter(|_| found == tag)
}

/// An integer that is not negative in the fewest bytes, and what follows it.
fn number_of_der<const LENGTH: usize>(der: &[u8]) -> Option<([u8; LENGTH], &[u8])> {
    let (content, rest) = element_of_der(INTEGER, der)?;
    let digits = match content {
        // A byte of zeros is there only where the highest bit would say that the integer is negative.
        [0] | [1..=0x7f, ..] => content,
        [0, digits @ ..] if digits.first()? >= &0x80 => digits,
        _ => return None,
    };
    let mut number = [0; LENGTH];
    copy(number.get_mut(LENGTH.checked_sub(digits.len())?..)?, digits);
    Some((number, rest))
}

/// Writes an integer in DER at `start`, and returns where it ends.
fn append_number(der: &mut [u8], start: usize, number: &[u8]) -> usize {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    let digits = number.get(zeros..).unwrap_or_default();
    let is_padded = digits.first().is_none_or(|first| *first >= 0x80);
    let content = usize::from(is_padded) + digits.len();
    let header = [INTEGER, content as u8, 0];
    let header = first(&header, 2 + usize::from(is_padded));
    let after = start + copy(der.get_mut(start..).unwrap_or_default(), header);
    after + copy(der.get_mut(after..).unwrap_or_default(), digits)
}
