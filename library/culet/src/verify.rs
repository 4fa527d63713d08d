//! Comparing secrets in constant time.
//!
//! `==` on bytes ends at the first difference, and so tells by its duration how much of a guess is right. These functions take
//! the same time for all inputs.
//!
//! ```
//! let (ours, theirs) = ([7; 32], [7; 32]);
//! assert!(culet::verify::equal_32(&ours, &theirs));
//! ```

use crate::low;

/// Whether two strings of 16 bytes are equal, in a time that does not depend on them; culet's own, for tags of any standard.
#[must_use]
pub fn equal_16(a: &[u8; 16], b: &[u8; 16]) -> bool {
    low::equal_16(a, b)
}

/// Whether two strings of 32 bytes are equal, in a time that does not depend on them; culet's own, for tags of any standard.
#[must_use]
pub fn equal_32(a: &[u8; 32], b: &[u8; 32]) -> bool {
    low::equal_32(a, b)
}

/// Whether two strings of 64 bytes are equal, in a time that does not depend on them; culet's own, for tags of any standard.
#[must_use]
pub fn equal_64(a: &[u8; 64], b: &[u8; 64]) -> bool {
    low::equal_64(a, b)
}
