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

/// Adds 1 to a number, least significant byte first, as nonces count.
#[cfg(feature = "sodium")]
pub fn increment(number: Out, length: usize) -> Option<()> {
    let mut carry = true;
    for byte in number.room(length)? {
        (*byte, carry) = byte.overflowing_add(u8::from(carry));
    }
    Some(())
}
