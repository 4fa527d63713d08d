//! One error, which says nothing.

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

/// Nothing, or the error.
pub(crate) fn accept(is_good: bool) -> Result<(), Error> {
    if is_good { Ok(()) } else { Err(Error::NEW) }
}
