//! AES-GCM of messages in place: NIST SP 800-38D, section 7, with nonces of 12 bytes.

use zeroize::{Zeroize, Zeroizing};

use super::{Aes128GcmKey, Aes256GcmKey};
use crate::bytes::{copy, hidden};
use crate::error::{Error, accept};
use crate::low;
use crate::stream;

/// The number of bytes that a kernel encrypts at a time: four blocks.
const BLOCKS: usize = 64;

/// A message's first bytes, which are encrypted with the counter block that hides the hash. That block stands before them.
type Head = [u8; BLOCKS];

const HIDING: usize = 16;

/// Round keys in the form of the kernels, and the key of GHASH.
#[derive(Clone)]
pub struct Prepared<const LENGTH: usize> {
    round_keys: [u8; LENGTH],
    hash_key: [u8; 16],
}

pub type Aes128 = Prepared<{ low::AES128_KEYS }>;
pub type Aes256 = Prepared<{ low::AES256_KEYS }>;

/// A kernel that encrypts or decrypts whole blocks: `(to, round keys, first counter block, from)`.
type Encrypt<const LENGTH: usize> = fn(&mut [u8], &[u8; LENGTH], &[u8; 16], &[u8]);

/// One message under a key.
pub(super) struct Message<'k, const LENGTH: usize> {
    key: &'k Prepared<LENGTH>,
    nonce: [u8; 12],
    encrypt: Encrypt<LENGTH>,
}

pub(super) fn aes128(key: &Aes128GcmKey) -> Aes128 {
    Prepared::new(|round_keys| low::aes128_keys(round_keys, &key.0), low::aes128_ctr)
}

pub(super) fn aes128_message<'k>(key: &'k Aes128, nonce: &[u8; 12]) -> Message<'k, { low::AES128_KEYS }> {
    Message { key, nonce: *nonce, encrypt: low::aes128_ctr }
}

pub(super) fn aes256(key: &Aes256GcmKey) -> Aes256 {
    Prepared::new(|round_keys| low::aes256_keys(round_keys, &key.0), low::aes256_ctr)
}

pub(super) fn aes256_message<'k>(key: &'k Aes256, nonce: &[u8; 12]) -> Message<'k, { low::AES256_KEYS }> {
    Message { key, nonce: *nonce, encrypt: low::aes256_ctr }
}

impl<const LENGTH: usize> Prepared<LENGTH> {
    fn new(schedule: impl FnOnce(&mut [u8; LENGTH]), encrypt: Encrypt<LENGTH>) -> Self {
        let mut prepared = Prepared { round_keys: [0; LENGTH], hash_key: [0; 16] };
        schedule(&mut prepared.round_keys);
        let mut encrypted = Zeroizing::new([0; BLOCKS]);
        encrypt(&mut *encrypted, &prepared.round_keys, &[0; 16], &[0; BLOCKS]);
        copy(&mut prepared.hash_key, &*encrypted);
        prepared
    }
}

impl<const LENGTH: usize> Drop for Prepared<LENGTH> {
    fn drop(&mut self) {
        self.round_keys.zeroize();
        self.hash_key.zeroize();
    }
}

hidden!(Prepared<const LENGTH: usize>);

impl<const LENGTH: usize> Message<'_, LENGTH> {
    /// Encrypts a message in place, and returns the tag of it and of the additional data.
    pub fn seal(&self, additional: &[u8], buffer: &mut [u8]) -> [u8; 16] {
        let head = self.head(buffer);
        self.finish(&head, buffer);
        self.tag(&head, additional, buffer)
    }

    /// Decrypts a message in place, once its tag is found right.
    pub fn open(&self, additional: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
        let head = self.head(buffer);
        accept(low::equal_16(&Zeroizing::new(self.tag(&head, additional, buffer)), tag))?;
        self.finish(&head, buffer);
        Ok(())
    }

    /// Encrypts the block that hides the hash, and as many of the message's first bytes as are encrypted with it.
    fn head(&self, buffer: &[u8]) -> Zeroizing<Head> {
        let (mut from, mut to) = (Zeroizing::new([0; BLOCKS]), Zeroizing::new([0; BLOCKS]));
        copy(from.get_mut(HIDING..).unwrap_or_default(), buffer);
        self.apply(0, &mut *to, &*from);
        to
    }

    /// Puts the first bytes in their place, and encrypts the others.
    fn finish(&self, head: &Head, buffer: &mut [u8]) {
        let length = copy(buffer, head.get(HIDING..).unwrap_or_default());
        let rest = buffer.get_mut(length..).unwrap_or_default();
        stream::apply(rest, BLOCKS as u64, |number, to, from| self.apply(number, to, from));
    }

    /// Encrypts whole groups of four blocks, of which the first is number `group`. Counters begin with 1.
    fn apply(&self, group: u64, to: &mut [u8], from: &[u8]) {
        let mut counter = [0; 16];
        let (nonce, number) = counter.split_at_mut(12);
        copy(nonce, &self.nonce);
        copy(number, &(4 * group as u32 + 1).to_be_bytes());
        (self.encrypt)(to, &self.key.round_keys, &counter, from);
    }

    /// Returns the tag of an encrypted message.
    fn tag(&self, head: &Head, additional: &[u8], encrypted: &[u8]) -> [u8; 16] {
        let mut hash = Zeroizing::new([0; 16]);
        for part in [additional, encrypted] {
            if !part.is_empty() {
                low::ghash_absorb(&mut hash, &self.key.hash_key, part);
            }
        }
        let mut lengths = [0; 16];
        let (first, second) = lengths.split_at_mut(8);
        copy(first, &(8 * additional.len() as u64).to_be_bytes());
        copy(second, &(8 * encrypted.len() as u64).to_be_bytes());
        low::ghash_absorb(&mut hash, &self.key.hash_key, &lengths);
        let (mut mask, mut tag) = (Zeroizing::new([0; HIDING]), [0; 16]);
        copy(&mut *mask, head);
        low::aes_gcm_tag(&mut tag, &hash, &mask);
        tag
    }
}
