//! AES-GCM of messages in place: NIST SP 800-38D, section 7, with nonces of 12 bytes.

use zeroize::Zeroize;

use super::{Aes128GcmKey, Aes256GcmKey, lengths};
use crate::bytes::{Erased, Together, copy, first, hidden};
use crate::error::Error;
use crate::low;

/// The number of bytes that a kernel encrypts at a time: four blocks.
const BLOCKS: usize = 64;

/// The number of bytes that are copied at a time: kernels read from one place and write to another.
const CHUNK: usize = 16 * BLOCKS;

/// The number of bytes that are put together before they are hashed.
const SHORT: usize = 384;

/// The number of the first bytes that are encrypted with the counter block that hides the hash. That block stands before them.
const HEAD: usize = 4 * BLOCKS;

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
        let mut encrypted = Erased([0; BLOCKS]);
        encrypt(&mut encrypted.0, &prepared.round_keys, &[0; 16], &[0; BLOCKS]);
        copy(&mut prepared.hash_key, &encrypted.0);
        prepared
    }
}

impl<const LENGTH: usize> Drop for Prepared<LENGTH> {
    fn drop(&mut self) {
        self.round_keys.as_mut_slice().zeroize();
        self.hash_key.as_mut_slice().zeroize();
    }
}

hidden!(Prepared<const LENGTH: usize>);

impl<const LENGTH: usize> Message<'_, LENGTH> {
    /// Encrypts a message in place, and returns the tag of it and of the additional data.
    pub fn seal(&self, additional: &[u8], buffer: &mut [u8]) -> [u8; 16] {
        let head = self.head(buffer);
        self.finish(&head, buffer);
        self.tag(&head, additional, buffer).0
    }

    /// Decrypts a message in place, once its tag is found right.
    pub fn open(&self, additional: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
        let head = self.head(buffer);
        self.tag(&head, additional, buffer).accept(tag)?;
        self.finish(&head, buffer);
        Ok(())
    }

    /// Encrypts the block that hides the hash, and the message's first bytes.
    fn head(&self, buffer: &[u8]) -> Erased<HEAD> {
        let (mut from, mut to) = (Erased([0; HEAD]), Erased([0; HEAD]));
        let length = copy(from.0.get_mut(HIDING..).unwrap_or_default(), buffer);
        let whole = HIDING.saturating_add(length).next_multiple_of(BLOCKS);
        self.apply(0, to.0.get_mut(..whole).unwrap_or_default(), first(&from.0, whole));
        to
    }

    /// Puts the first bytes in their place, and encrypts the others.
    fn finish(&self, head: &Erased<HEAD>, buffer: &mut [u8]) {
        let length = copy(buffer, head.0.get(HIDING..).unwrap_or_default());
        let rest = buffer.get_mut(length..).unwrap_or_default();
        if !rest.is_empty() {
            self.finish_rest(rest);
        }
    }

    fn finish_rest(&self, rest: &mut [u8]) {
        let mut copied = Erased([0; CHUNK]);
        let mut group = (HEAD / BLOCKS) as u64;
        for chunk in rest.chunks_mut(CHUNK) {
            copy(&mut copied.0, chunk);
            let (whole, last) = chunk.as_chunks_mut::<BLOCKS>();
            let whole = whole.as_flattened_mut();
            let from = first(&copied.0, whole.len());
            self.apply(group, whole, from);
            group += (whole.len() / BLOCKS) as u64;
            if !last.is_empty() {
                // What stands behind the message's end is encrypted, too, and dropped.
                let mut to = Erased([0; BLOCKS]);
                self.apply(group, &mut to.0, copied.0.get(whole.len()..).unwrap_or_default());
                copy(last, &to.0);
            }
        }
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
    fn tag(&self, head: &Erased<HEAD>, additional: &[u8], encrypted: &[u8]) -> Erased<16> {
        let (mut hash, mut mask, mut tag) = (Erased([0; 16]), Erased([0; HIDING]), Erased([0; 16]));
        self.hash(&mut hash.0, additional, encrypted);
        copy(&mut mask.0, &head.0);
        low::aes_gcm_tag(&mut tag.0, &hash.0, &mask.0);
        tag
    }

    /// Hashes the additional data, the encrypted message, and their lengths in bits, each padded to whole blocks; as one part if they are short.
    fn hash(&self, hash: &mut [u8; 16], additional: &[u8], encrypted: &[u8]) {
        let lengths = lengths(additional, encrypted, |length| (8 * length).to_be_bytes());
        if let Some(short) = Together::<SHORT>::new(&[additional, encrypted, &lengths]) {
            low::ghash_absorb(hash, &self.key.hash_key, short.bytes());
            return;
        }
        for part in [additional, encrypted, &lengths] {
            if !part.is_empty() {
                low::ghash_absorb(hash, &self.key.hash_key, part);
            }
        }
    }
}
