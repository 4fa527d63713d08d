//! One error that says nothing about secrets, and one about lengths.

use core::fmt;

/// An operation failed. It does not say why: whoever makes it fail must not learn more than that it did.
///
/// Every function that returns it says when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Error(());

impl Error {
    pub(crate) const NEW: Error = Error(());
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cryptographic operation failed")
    }
}

impl core::error::Error for Error {}

/// A slice has another number of bytes than the key, nonce or tag that it should become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LengthError {
    expected: usize,
    found: usize,
}

impl LengthError {
    /// The number of bytes that there should be.
    #[must_use]
    pub const fn expected(&self) -> usize {
        self.expected
    }

    /// The number of bytes that there are.
    #[must_use]
    pub const fn found(&self) -> usize {
        self.found
    }

    /// Copies a slice of the right length.
    pub(crate) fn check<const LENGTH: usize>(bytes: &[u8]) -> Result<[u8; LENGTH], LengthError> {
        bytes.try_into().map_err(|_| LengthError { expected: LENGTH, found: bytes.len() })
    }
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes are expected, but there are {}", self.expected, self.found)
    }
}

impl core::error::Error for LengthError {}

/// Nothing, or the error.
pub(crate) fn accept(is_good: bool) -> Result<(), Error> {
    if is_good { Ok(()) } else { Err(Error::NEW) }
}
