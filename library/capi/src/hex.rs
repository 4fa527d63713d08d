//! Hexadecimal digits, without tables and without branches that depend on their values: bytes may be keys.

use core::ffi::c_int;

use crate::pointers::{In, Out, Slot, Text, string};

/// Writes two digits a byte, and a zero byte after them; null if there is no room for that.
pub fn from_bytes(hex: Out, room: usize, bytes: Text) -> Out {
    write_digits(hex, room, bytes).map_or(Out::NULL, |()| hex)
}

fn write_digits(hex: Out, room: usize, bytes: Text) -> Option<()> {
    let length = bytes.length.checked_mul(2)?.checked_add(1).filter(|length| *length <= room)?;
    let bytes = bytes.beside(hex, length)?;
    let (end, digits) = hex.room(length)?.split_last_mut()?;
    for (pair, byte) in digits.as_chunks_mut().0.iter_mut().zip(bytes) {
        *pair = [digit(byte >> 4), digit(byte & 15)];
    }
    *end = 0;
    Some(())
}

/// The digit of a number below 16. From 10 on, 9 − n is negative, and the letters are 39 places after the character behind `9`.
fn digit(number: u8) -> u8 {
    let is_letter = 9i8.wrapping_sub_unsigned(number) >> 7;
    b'0'.wrapping_add(number).wrapping_add(is_letter.cast_unsigned() & 39)
}

/// The number of a digit, which is chosen by masks; whether there is one may be known.
fn number(digit: u8) -> Option<u8> {
    let (figure, letter) = (digit.wrapping_sub(b'0'), (digit | 0x20).wrapping_sub(b'a'));
    let mask = |is_right: bool| 0u8.wrapping_sub(u8::from(is_right));
    let (is_figure, is_letter) = (mask(figure < 10), mask(letter < 6));
    (is_figure | is_letter != 0).then_some(figure & is_figure | letter.wrapping_add(10) & is_letter)
}

/// Reads digits up to the first character that is none and not to be ignored. Ignored ones may stand between bytes, not within; if any are,
/// so is the zero byte, which ends the string of what is. Without a place for the end, all characters must be read. Bytes are written as soon as
/// they are read, so that the output may lie over the digits.
pub fn to_bytes(
    out: Out,
    room: usize,
    hex: Text,
    ignored: *const core::ffi::c_char,
    length: Slot<usize>,
    end: Slot<In>,
) -> c_int {
    let ignored = string(ignored);
    let is_ignored = |character: u8| ignored.is_some_and(|ignored| character == 0 || ignored.contains(&character));
    if !hex.fits() {
        return -1;
    }
    let (mut read, mut written, mut is_good) = (0, 0, true);
    while let Some(first) = hex.byte(read) {
        let Some(high) = number(first) else {
            if !is_ignored(first) {
                break;
            }
            read += 1;
            continue;
        };
        let low = hex.byte(read + 1).and_then(number);
        let (Some(low), true) = (low, written < room) else {
            is_good = false;
            break;
        };
        if out.after(written).write(&[high << 4 | low]).is_none() {
            return -1;
        }
        read += 2;
        written += 1;
    }
    length.set(if is_good { written } else { 0 });
    is_good &= !end.is_null() || read == hex.length;
    end.set_end(hex.start, read);
    if is_good { 0 } else { -1 }
}
