//! ChaCha20 and Poly1305 together: RFC 8439, section 2.8.

use super::{ChaCha20Poly1305Key, XChaCha20Poly1305Key, lengths};
use crate::error::Error;
use crate::mac::Around;
use crate::stream::{self, ChaCha};

pub(super) fn message(key: &ChaCha20Poly1305Key, nonce: &[u8; 12]) -> ChaCha {
    ChaCha::new(&key.0, nonce)
}

pub(super) fn extended_message(key: &XChaCha20Poly1305Key, nonce: &[u8; 24]) -> ChaCha {
    ChaCha::extended(&key.0, nonce)
}

impl ChaCha {
    /// Encrypts a message in place, and returns the tag of it and of the additional data.
    pub(super) fn seal(&self, additional: &[u8], buffer: &mut [u8]) -> [u8; 16] {
        let lengths = lengths(additional, buffer, u64::to_le_bytes);
        let around = Around { before: additional, lengths: &lengths };
        stream::seal(buffer, 64, |block, text| self.apply(block, text), Some(around)).0
    }

    /// Decrypts a message in place, once its tag is found right.
    pub(super) fn open(&self, additional: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
        let lengths = lengths(additional, buffer, u64::to_le_bytes);
        let around = Around { before: additional, lengths: &lengths };
        stream::open(buffer, 64, |block, text| self.apply(block, text), Some(around), |found| found.accept(tag))
    }
}
