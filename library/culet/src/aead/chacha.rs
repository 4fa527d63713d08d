//! ChaCha20 and Poly1305 together: RFC 8439, section 2.8.

use super::{ChaCha20Poly1305Key, XChaCha20Poly1305Key};
use crate::bytes::copy;
use crate::error::Error;
use crate::low;
use crate::mac::{Poly1305Key, Poly1305State};
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
        let mut key = Poly1305Key([0; 32]);
        stream::apply_after_key(&mut key.0, buffer, 64, |block, to, from| self.apply(block, to, from));
        authenticate(key, additional, buffer).tag()
    }

    /// Decrypts a message in place, once its tag is found right.
    pub(super) fn open(&self, additional: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
        let mut key = Poly1305Key([0; 32]);
        low::poly1305_key(&mut key.0, &self.key, &self.nonce);
        authenticate(key, additional, buffer).verify(tag)?;
        stream::apply(buffer, 64, |block, to, from| self.apply(block, to, from));
        Ok(())
    }
}

/// Returns the state of Poly1305 after all data and their lengths, each padded to whole blocks.
fn authenticate(key: Poly1305Key, additional: &[u8], encrypted: &[u8]) -> Poly1305State {
    let mut mac = Poly1305State::new(key);
    mac.absorb_padded(additional);
    mac.absorb_padded(encrypted);
    let mut lengths = [0; 16];
    let (first, second) = lengths.split_at_mut(8);
    copy(first, &(additional.len() as u64).to_le_bytes());
    copy(second, &(encrypted.len() as u64).to_le_bytes());
    mac.absorb(&lengths);
    mac
}
