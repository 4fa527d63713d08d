//! Comparing and wiping bytes.

use culet::verify::equal_64;
use zeroize::Zeroize;

use crate::pointers::{In, Out};

/// Whether two strings of bytes are equal, in time that depends on their length only.
pub fn equal(a: In, b: In, length: usize) -> Option<()> {
    let (a, b) = (a.with(length).bytes()?, b.with(length).bytes()?);
    let ((a, last_a), (b, last_b)) = (a.as_chunks::<64>(), b.as_chunks::<64>());
    let mut is_equal = equal_64(&padded(last_a), &padded(last_b));
    for (a, b) in a.iter().zip(b) {
        is_equal &= equal_64(a, b);
    }
    is_equal.then_some(())
}

/// Fewer than 64 bytes, and zeros.
fn padded(bytes: &[u8]) -> [u8; 64] {
    let mut padded = [0; 64];
    padded.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    padded
}

/// Fills memory with zeros that no compiler leaves out.
pub fn wipe(memory: Out, length: usize) -> Option<()> {
    memory.room(length)?.zeroize();
    Some(())
}

/// Whether all bytes are zero, in time that depends on their number only; none is if the pointer is null.
#[cfg(feature = "sodium")]
pub fn is_zero(bytes: In, length: usize) -> Option<()> {
    let (whole, last) = bytes.with(length).bytes()?.as_chunks::<64>();
    let mut is_zero = equal_64(&padded(last), &[0; 64]);
    for part in whole {
        is_zero &= equal_64(part, &[0; 64]);
    }
    is_zero.then_some(())
}

#[cfg(feature = "sodium")]
pub use numbers::{add, compare, increment, pad, subtract, unpadded};

/// Numbers of any length, least significant byte first, and lengths of padded messages.
#[cfg(feature = "sodium")]
mod numbers {
    use core::ffi::c_int;
    use core::hint::black_box;

    use crate::pointers::{In, Out, Slot};

    /// Adds 1 to a number, as nonces count.
    pub fn increment(number: Out, length: usize) -> Option<()> {
        let mut carry = true;
        for byte in number.room(length)? {
            (*byte, carry) = byte.overflowing_add(u8::from(carry));
        }
        Some(())
    }

    /// Adds another number of the same length; what is more than the bytes hold is lost.
    pub fn add(number: Out, other: In, length: usize) -> Option<()> {
        combine(number, other, length, |a, b, carry| {
            let (sum, first) = a.overflowing_add(b);
            let (sum, second) = sum.overflowing_add(u8::from(carry));
            (sum, first | second)
        })
    }

    /// Subtracts another number of the same length; below zero it begins again at the largest number.
    pub fn subtract(number: Out, other: In, length: usize) -> Option<()> {
        combine(number, other, length, |a, b, borrow| {
            let (difference, first) = a.overflowing_sub(b);
            let (difference, second) = difference.overflowing_sub(u8::from(borrow));
            (difference, first | second)
        })
    }

    /// Goes through both numbers byte by byte, with what is carried. They may be the same.
    fn combine(number: Out, other: In, length: usize, step: impl Fn(u8, u8, bool) -> (u8, bool)) -> Option<()> {
        if !other.with(length).fits() {
            return None;
        }
        let mut carry = false;
        for place in 0..length {
            let (place, other) = (number.after(place), other.with(length).split(place)?.1.start);
            let [a] = place.read::<1>()?;
            let [b] = other.array()?;
            let byte;
            (byte, carry) = step(a, b, carry);
            place.write(&[byte])?;
        }
        Some(())
    }

    /// -1, 0 or 1, as the first number is less than the second one, equal, or greater, in time that depends on their length only.
    pub fn compare(a: In, b: In, length: usize) -> Option<c_int> {
        let (a, b) = (a.with(length).bytes()?, b.with(length).bytes()?);
        let mut order = 0i16;
        for (a, b) in a.iter().zip(b) {
            let difference = i16::from(*a) - i16::from(*b);
            let (is_less, is_greater) = (black_box(difference >> 15), black_box(difference.wrapping_neg() >> 15));
            order = order & !(is_less | is_greater) | is_less | is_greater & 1;
        }
        Some(order.into())
    }

    /// Fills a message up to whole blocks: the byte 0x80 and zeros (ISO/IEC 7816-4). Returns its length then.
    pub fn pad(message: Out, length: usize, block: usize, room: usize) -> Option<usize> {
        let padded = length.checked_add(block)?.checked_sub(length.checked_rem(block)?)?;
        if padded > room {
            return None;
        }
        let padding = message.after(length).room(padded.checked_sub(length)?)?;
        padding.fill(0);
        *padding.first_mut()? = 0x80;
        Some(padded)
    }

    /// Writes the length of a message that was padded so, in time that depends on the length of a block only.
    pub fn unpadded(unpadded: Slot<usize>, message: In, length: usize, block: usize) -> Option<()> {
        let (_, last) = message.with(length).split_end(block).filter(|_| block > 0)?;
        let (mut count, mut is_message, mut is_padded) = (0usize, 0u8, 0u8);
        for (place, byte) in (1..).zip(last.bytes()?.iter().rev()) {
            let is_mark = black_box(mask(*byte ^ 0x80) & !is_message);
            is_padded |= is_mark;
            is_message |= !mask(*byte);
            count |= place & usize::from(is_mark & 1).wrapping_neg();
        }
        unpadded.set(length.checked_sub(count)?);
        (is_padded != 0).then_some(())
    }

    /// 255 for 0, else 0.
    fn mask(byte: u8) -> u8 {
        black_box((u16::from(byte).wrapping_sub(1) >> 8) as u8)
    }
}
