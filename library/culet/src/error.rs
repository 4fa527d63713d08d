//! The error of operations, whose reason is public, and the error of types that are made from slices.

use core::fmt;
use core::hint::black_box;

/// An operation failed.
///
/// Every function that returns it says when. Its [`reason`](Self::reason) is about what everybody knows, such as lengths and encodings. Of what
/// secrets decide, it says only that it was rejected: whoever makes an operation fail must not learn more.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(Reason);

/// The reason why an operation failed. It depends on public data only, but for [`Rejected`](Self::Rejected) itself, and for keys out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// A message, its tag or its signature is not what the owner of the key has sent, or the key is another one. Nothing says which of these.
    Rejected,
    /// A slice has another number of bytes than the operation takes.
    Length,
    /// A message is longer than the operation allows, or a counter or a stream has nothing left to give.
    Limit,
    /// Bytes are no public key, point or signature in this encoding.
    Encoding,
    /// A secret key is 0 or not below the order of the base point, or a public key is a point of another order than the base point, as those of
    /// small order are.
    Key,
    /// The operating system has no randomness.
    Randomness,
}

impl Error {
    pub(crate) const REJECTED: Error = Error(Reason::Rejected);
    pub(crate) const LENGTH: Error = Error(Reason::Length);
    pub(crate) const LIMIT: Error = Error(Reason::Limit);
    pub(crate) const ENCODING: Error = Error(Reason::Encoding);
    pub(crate) const KEY: Error = Error(Reason::Key);
    #[cfg(feature = "getrandom")]
    pub(crate) const RANDOMNESS: Error = Error(Reason::Randomness);

    /// The reason, which is no secret.
    #[must_use]
    pub const fn reason(&self) -> Reason {
        self.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Reason::Rejected => "the message, its tag or signature, or the key is not the right one",
            Reason::Length => "a slice has a wrong number of bytes",
            Reason::Limit => "the message is too long, or nothing is left of a counter or a stream",
            Reason::Encoding => "the bytes are no public key, point or signature in this encoding",
            Reason::Key => "a key is not valid: a secret key is 0 or too large, or a public key is a point of small order, or not of the base point's order",
            Reason::Randomness => "the operating system has no randomness",
        })
    }
}

/// The reason's name and text, which `main` prints of an error that it returns.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {self}", self.0)
    }
}

impl core::error::Error for Error {}

/// A slice has another number of bytes than the key, nonce or tag that it should become. It becomes an [`Error`] by `?`.
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

/// The reason is [`Reason::Length`], so that `?` works where a function returns [`Error`].
impl From<LengthError> for Error {
    fn from(_: LengthError) -> Error {
        Error::LENGTH
    }
}

/// Whether both are so, as one decision: a compiler that branched on each would tell by the time which one is not.
pub(crate) fn both(one: bool, other: bool) -> bool {
    black_box(one & other)
}

/// Nothing, or the error that does not say why.
pub(crate) fn accept(is_good: bool) -> Result<(), Error> {
    require(is_good, Error::REJECTED)
}

/// Nothing, or an error about what everybody knows.
pub(crate) fn require(is_good: bool, otherwise: Error) -> Result<(), Error> {
    if is_good { Ok(()) } else { Err(otherwise) }
}
