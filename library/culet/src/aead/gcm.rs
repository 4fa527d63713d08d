//! AES-GCM of messages in place: NIST SP 800-38D, section 7, with nonces of 12 bytes.

use zeroize::Zeroize;

use super::{Aes128GcmKey, Aes256GcmKey, lengths};
use crate::bytes::{Erased, Together, copy, first, hidden};
use crate::error::Error;
use crate::low;

/// The number of bytes that a kernel encrypts at a time at least: four blocks.
const BLOCKS: usize = 64;

/// The number of bytes that a kernel encrypts and hashes at a time: sixteen blocks.
const SIXTEEN: usize = 4 * BLOCKS;

/// The number of bytes that are put together before they are hashed.
const SHORT: usize = 320;

/// The number of a short message's bytes that are encrypted with the counter block that hides the hash. That block stands before them.
const HEAD: usize = 4 * BLOCKS;

const HIDING: usize = 16;

/// Round keys and the key of GHASH in the form of the kernels.
#[derive(Clone)]
pub struct Prepared<const LENGTH: usize> {
    round_keys: [u8; LENGTH],
    hash_key: [u8; low::GHASH_KEY],
}

pub type Aes128 = Prepared<{ low::AES128_KEYS }>;
pub type Aes256 = Prepared<{ low::AES256_KEYS }>;

/// A kernel that encrypts or decrypts whole groups of four blocks in place: `(text, round keys, first counter block)`.
type Encrypt<const LENGTH: usize> = fn(&mut [u8], &[u8; LENGTH], &[u8; 16]);

/// A kernel that encrypts whole groups of sixteen blocks in place and hashes the group before each:
/// `(text, hash, round keys, key of GHASH, first counter block, group before)`.
type Seal<const LENGTH: usize> =
    fn(&mut [u8], &mut [u8; 16], &[u8; LENGTH], &[u8; low::GHASH_KEY], &[u8; 16], &[u8; SIXTEEN]);

/// One message under a key.
pub(super) struct Message<'k, const LENGTH: usize> {
    key: &'k Prepared<LENGTH>,
    nonce: [u8; 12],
    encrypt: Encrypt<LENGTH>,
    seal: Seal<LENGTH>,
}

pub(super) fn aes128(key: &Aes128GcmKey) -> Aes128 {
    Prepared::new(|round_keys| low::aes128_keys(round_keys, &key.0), low::aes128_ctr)
}

pub(super) fn aes128_message<'k>(key: &'k Aes128, nonce: &[u8; 12]) -> Message<'k, { low::AES128_KEYS }> {
    Message { key, nonce: *nonce, encrypt: low::aes128_ctr, seal: low::aes128_gcm_encrypt }
}

pub(super) fn aes256(key: &Aes256GcmKey) -> Aes256 {
    Prepared::new(|round_keys| low::aes256_keys(round_keys, &key.0), low::aes256_ctr)
}

pub(super) fn aes256_message<'k>(key: &'k Aes256, nonce: &[u8; 12]) -> Message<'k, { low::AES256_KEYS }> {
    Message { key, nonce: *nonce, encrypt: low::aes256_ctr, seal: low::aes256_gcm_encrypt }
}

impl<const LENGTH: usize> Prepared<LENGTH> {
    fn new(schedule: impl FnOnce(&mut [u8; LENGTH]), encrypt: Encrypt<LENGTH>) -> Self {
        let mut prepared = Prepared { round_keys: [0; LENGTH], hash_key: [0; low::GHASH_KEY] };
        schedule(&mut prepared.round_keys);
        let (mut encrypted, mut hash_key) = (Erased([0; BLOCKS]), Erased([0; 16]));
        encrypt(&mut encrypted.0, &prepared.round_keys, &[0; 16]);
        copy(&mut hash_key.0, &encrypted.0);
        low::ghash_key(&mut prepared.hash_key, &hash_key.0);
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

/// The number of bytes of a message that are encrypted with the block that hides the hash: of a long one, three blocks.
fn head_length(length: usize) -> usize {
    if length <= HEAD - HIDING { length } else { BLOCKS - HIDING }
}

impl<const LENGTH: usize> Message<'_, LENGTH> {
    /// Encrypts a message in place, and returns the tag of it and of the additional data.
    pub fn seal(&self, additional: &[u8], buffer: &mut [u8]) -> [u8; 16] {
        let head = self.head(buffer);
        let (beginning, rest) = buffer.split_at_mut(head_length(buffer.len()));
        copy(beginning, head.0.get(HIDING..).unwrap_or_default());
        if rest.is_empty() {
            return self.tag(&head, additional, buffer).0;
        }
        let Some(before) = Together::<SIXTEEN>::new(&[additional, beginning]) else {
            self.apply_to_rest(1, rest);
            return self.tag(&head, additional, buffer).0;
        };
        let mut hash = Erased([0; 16]);
        let last = self.seal_rest(&mut hash.0, before, rest);
        let lengths = bits(additional, buffer);
        let (_, last) = buffer.split_at(buffer.len().saturating_sub(last));
        self.absorb(&mut hash.0, &[last, &lengths]);
        hidden_by(&head, &hash).0
    }

    /// Decrypts a message in place, once its tag is found right.
    pub fn open(&self, additional: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
        let head = self.head(buffer);
        self.tag(&head, additional, buffer).accept(tag)?;
        let (beginning, rest) = buffer.split_at_mut(head_length(buffer.len()));
        copy(beginning, head.0.get(HIDING..).unwrap_or_default());
        self.apply_to_rest(1, rest);
        Ok(())
    }

    /// Encrypts the block that hides the hash, and the message's first bytes.
    fn head(&self, buffer: &[u8]) -> Erased<HEAD> {
        let mut head = Erased([0; HEAD]);
        let length = head_length(buffer.len());
        copy(head.0.get_mut(HIDING..).unwrap_or_default(), first(buffer, length));
        let whole = HIDING.saturating_add(length).next_multiple_of(BLOCKS);
        self.apply(0, head.0.get_mut(..whole).unwrap_or_default());
        head
    }

    /// Encrypts what follows the message's first bytes, and hashes what is before it and all of it but the last bytes, whose number it returns.
    fn seal_rest(&self, hash: &mut [u8; 16], before: Together<SIXTEEN>, rest: &mut [u8]) -> usize {
        let (sixteens, last) = rest.as_chunks_mut::<SIXTEEN>();
        let (before, counter) = (before.whole(), self.counter(1));
        let text = sixteens.as_flattened_mut();
        (self.seal)(text, hash, &self.key.round_keys, &self.key.hash_key, &counter, &before);
        let group = 1 + (text.len() / BLOCKS) as u64;
        low::ghash_absorb(hash, &self.key.hash_key, sixteens.last().unwrap_or(&before));
        self.apply_to_last(group, last);
        last.len()
    }

    /// Encrypts or decrypts the end of a message, from group number `group` on.
    fn apply_to_rest(&self, group: u64, rest: &mut [u8]) {
        let (sixteens, last) = rest.as_chunks_mut::<SIXTEEN>();
        let text = sixteens.as_flattened_mut();
        self.apply(group, text);
        self.apply_to_last(group + (text.len() / BLOCKS) as u64, last);
    }

    /// Encrypts or decrypts the last bytes, fewer than sixteen blocks. What stands behind the message's end is encrypted, too, and dropped.
    fn apply_to_last(&self, group: u64, last: &mut [u8]) {
        if last.is_empty() {
            return;
        }
        let mut copied = Erased([0; SIXTEEN]);
        let whole = copy(&mut copied.0, last).next_multiple_of(BLOCKS);
        self.apply(group, copied.0.get_mut(..whole).unwrap_or_default());
        copy(last, &copied.0);
    }

    /// Encrypts whole groups of four blocks, of which the first is number `group`.
    fn apply(&self, group: u64, text: &mut [u8]) {
        (self.encrypt)(text, &self.key.round_keys, &self.counter(group));
    }

    /// The first counter block of a group of four. Counters begin with 1.
    fn counter(&self, group: u64) -> [u8; 16] {
        let mut counter = [0; 16];
        let (nonce, number) = counter.split_at_mut(12);
        copy(nonce, &self.nonce);
        copy(number, &(4 * group as u32 + 1).to_be_bytes());
        counter
    }

    /// Returns the tag of an encrypted message.
    fn tag(&self, head: &Erased<HEAD>, additional: &[u8], encrypted: &[u8]) -> Erased<16> {
        let mut hash = Erased([0; 16]);
        self.hash(&mut hash.0, &[additional, encrypted, &bits(additional, encrypted)]);
        hidden_by(head, &hash)
    }

    /// Hashes parts from the beginning, each padded to whole blocks; together if they are short, perhaps behind zeros, whose hash is zero.
    fn hash(&self, hash: &mut [u8; 16], parts: &[&[u8]]) {
        match Together::<SHORT>::new(parts) {
            Some(short) => {
                let length = low::ghash_length(short.bytes().len());
                low::ghash_absorb(hash, &self.key.hash_key, short.behind_zeros(length));
            }
            None => self.absorb(hash, parts),
        }
    }

    /// Hashes more parts, each padded to whole blocks; together if they are short.
    fn absorb(&self, hash: &mut [u8; 16], parts: &[&[u8]]) {
        if let Some(short) = Together::<SHORT>::new(parts) {
            low::ghash_absorb(hash, &self.key.hash_key, short.bytes());
            return;
        }
        for part in parts.iter().filter(|part| !part.is_empty()) {
            low::ghash_absorb(hash, &self.key.hash_key, part);
        }
    }
}

/// The numbers of bits of the additional data and of a message.
fn bits(additional: &[u8], message: &[u8]) -> [u8; 16] {
    lengths(additional, message, |length| (8 * length).to_be_bytes())
}

/// The tag: the hash, hidden by the block at the beginning of the head.
fn hidden_by(head: &Erased<HEAD>, hash: &Erased<16>) -> Erased<16> {
    let (mut mask, mut tag) = (Erased([0; HIDING]), Erased([0; 16]));
    copy(&mut mask.0, &head.0);
    low::aes_gcm_tag(&mut tag.0, &hash.0, &mask.0);
    tag
}
