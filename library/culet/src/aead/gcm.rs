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

/// The numbers of bytes that are put together before they are hashed.
const SHORT: usize = 320;
const FEW: usize = 128;

/// The number of bytes at most that are encrypted together at the beginning: the counter block that hides the hash, and a message's first bytes.
const HEAD: usize = SIXTEEN;

const BLOCK: usize = 16;

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

/// A kernel that encrypts whole groups of sixteen blocks in place and hashes the last but one of the groups before each:
/// `(text, hash, round keys, key of GHASH, first counter block, two groups before)`.
type Seal<const LENGTH: usize> =
    fn(&mut [u8], &mut [u8; 16], &[u8; LENGTH], &[u8; low::GHASH_KEY], &[u8; 16], [&[u8; SIXTEEN]; 2]);

/// A kernel that hashes whole groups of sixteen blocks and decrypts them in place: `(text, hash, round keys, key of GHASH, first counter block)`.
type Open<const LENGTH: usize> = fn(&mut [u8], &mut [u8; 16], &[u8; LENGTH], &[u8; low::GHASH_KEY], &[u8; 16]);

/// One message under a key.
pub(super) struct Message<'k, const LENGTH: usize> {
    key: &'k Prepared<LENGTH>,
    nonce: [u8; 12],
    encrypt: Encrypt<LENGTH>,
    seal: Seal<LENGTH>,
    open: Open<LENGTH>,
}

pub(super) fn aes128(key: &Aes128GcmKey) -> Aes128 {
    Prepared::new(|round_keys| low::aes128_keys(round_keys, &key.0), low::aes128_ctr)
}

pub(super) fn aes128_message<'k>(key: &'k Aes128, nonce: &[u8; 12]) -> Message<'k, { low::AES128_KEYS }> {
    Message {
        key,
        nonce: *nonce,
        encrypt: low::aes128_ctr,
        seal: low::aes128_gcm_encrypt,
        open: low::aes128_gcm_decrypt,
    }
}

pub(super) fn aes256(key: &Aes256GcmKey) -> Aes256 {
    Prepared::new(|round_keys| low::aes256_keys(round_keys, &key.0), low::aes256_ctr)
}

pub(super) fn aes256_message<'k>(key: &'k Aes256, nonce: &[u8; 12]) -> Message<'k, { low::AES256_KEYS }> {
    Message {
        key,
        nonce: *nonce,
        encrypt: low::aes256_ctr,
        seal: low::aes256_gcm_encrypt,
        open: low::aes256_gcm_decrypt,
    }
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

/// The number of bytes of a message that are encrypted with the block that hides the hash: all, or so many blocks that those behind them and the
/// one with the lengths are whole groups of sixteen.
fn head_length(length: usize) -> usize {
    if length <= HEAD - BLOCK { length } else { (length.div_ceil(BLOCK) + 1) % (SIXTEEN / BLOCK) * BLOCK }
}

/// A message behind its head: whole groups of sixteen blocks, and the bytes of the last group, of which the lengths are the last block.
struct Rest<'b> {
    groups: &'b mut [[u8; SIXTEEN]],
    last: &'b mut [u8],
}

impl<const LENGTH: usize> Message<'_, LENGTH> {
    /// Encrypts a message in place, and returns the tag of it and of the additional data.
    pub fn seal(&self, additional: &[u8], buffer: &mut [u8]) -> [u8; 16] {
        let (head, lengths) = (self.head(buffer), bits(additional, buffer));
        let (beginning, rest) = buffer.split_at_mut(head_length(buffer.len()));
        copy(beginning, head.0.get(BLOCK..).unwrap_or_default());
        if rest.is_empty() {
            return self.tag(&head, additional, buffer).0;
        }
        let number = counter_behind(beginning);
        let Some(before) = Together::<SIXTEEN>::new(&[additional, beginning]) else {
            self.apply_to_rest(number, rest);
            return self.tag(&head, additional, buffer).0;
        };
        let (mut hash, before) = (Erased([0; 16]), before.whole());
        self.seal_rest(&mut hash.0, &before, Rest::of(rest), number, &lengths);
        hidden_by(&head, &hash).0
    }

    /// Decrypts a message in place and compares its tag: a long one is decrypted while it is hashed. The caller erases the buffer after an error.
    pub fn open(&self, additional: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
        let (head, lengths) = (self.head(buffer), bits(additional, buffer));
        let length = head_length(buffer.len());
        let decrypted = head.0.get(BLOCK..).and_then(|head| head.get(..length)).unwrap_or_default();
        if length == buffer.len() {
            self.tag(&head, additional, buffer).accept(tag)?;
            copy(buffer, decrypted);
            return Ok(());
        }
        let (beginning, rest) = buffer.split_at_mut(length);
        let number = counter_behind(beginning);
        let Some(before) = Together::<SIXTEEN>::new(&[additional, beginning]) else {
            self.tag(&head, additional, buffer).accept(tag)?;
            let (beginning, rest) = buffer.split_at_mut(length);
            copy(beginning, decrypted);
            self.apply_to_rest(number, rest);
            return Ok(());
        };
        let mut hash = Erased([0; 16]);
        low::ghash_absorb(&mut hash.0, &self.key.hash_key, &before.whole());
        self.open_rest(&mut hash.0, Rest::of(rest), number, &lengths);
        copy(beginning, decrypted);
        hidden_by(&head, &hash).accept(tag)
    }

    /// Encrypts the block that hides the hash, and the message's first bytes.
    fn head(&self, buffer: &[u8]) -> Erased<HEAD> {
        let mut head = Erased([0; HEAD]);
        let length = head_length(buffer.len());
        copy(head.0.get_mut(BLOCK..).unwrap_or_default(), first(buffer, length));
        let whole = BLOCK.saturating_add(length).next_multiple_of(BLOCKS);
        self.apply(1, head.0.get_mut(..whole).unwrap_or_default());
        head
    }

    /// Encrypts what follows the head, from counter block `number` on, and hashes the group before it, it and the lengths.
    fn seal_rest(&self, hash: &mut [u8; 16], before: &[u8; SIXTEEN], rest: Rest<'_>, number: u32, lengths: &[u8; 16]) {
        let Prepared { round_keys, hash_key } = self.key;
        let Rest { groups, last } = rest;
        // Zeros at the beginning change no hash.
        let first = [&[0; SIXTEEN], before];
        (self.seal)(groups.as_flattened_mut(), hash, round_keys, hash_key, &self.counter(number), first);
        let mut copied = Erased([0; SIXTEEN]);
        copy(&mut copied.0, last);
        let counter = self.counter(number.wrapping_add(blocks_of(groups)));
        let before = match groups {
            [.., older, newer] => [&*older, &*newer],
            [only] => [before, &*only],
            [] => first,
        };
        (self.seal)(&mut copied.0, hash, round_keys, hash_key, &counter, before);
        copy(last, &copied.0);
        low::ghash_absorb(hash, hash_key, before[1]);
        low::ghash_absorb(hash, hash_key, &with_lengths(last, lengths));
    }

    /// Hashes what follows the head and the lengths, and decrypts it from counter block `number` on.
    fn open_rest(&self, hash: &mut [u8; 16], rest: Rest<'_>, number: u32, lengths: &[u8; 16]) {
        let Prepared { round_keys, hash_key } = self.key;
        let Rest { groups, last } = rest;
        (self.open)(groups.as_flattened_mut(), hash, round_keys, hash_key, &self.counter(number));
        let mut copied = Erased(with_lengths(last, lengths));
        let counter = self.counter(number.wrapping_add(blocks_of(groups)));
        (self.open)(&mut copied.0, hash, round_keys, hash_key, &counter);
        copy(last, &copied.0);
    }

    /// Encrypts or decrypts the end of a message, from counter block `number` on.
    fn apply_to_rest(&self, number: u32, rest: &mut [u8]) {
        let Rest { groups, last } = Rest::of(rest);
        self.apply(number, groups.as_flattened_mut());
        let mut copied = Erased([0; SIXTEEN]);
        copy(&mut copied.0, last);
        self.apply(number.wrapping_add(blocks_of(groups)), &mut copied.0);
        copy(last, &copied.0);
    }

    /// Encrypts whole groups of four blocks in place, of which the first counter block is number `number`.
    fn apply(&self, number: u32, text: &mut [u8]) {
        (self.encrypt)(text, &self.key.round_keys, &self.counter(number));
    }

    /// The counter block with a number. Numbers begin with 1.
    fn counter(&self, number: u32) -> [u8; 16] {
        let mut counter = [0; 16];
        let (nonce, end) = counter.split_at_mut(12);
        copy(nonce, &self.nonce);
        copy(end, &number.to_be_bytes());
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
        if let Some(few) = Together::<FEW>::new(parts) {
            self.absorb_behind_zeros(hash, &few);
        } else if let Some(short) = Together::<SHORT>::new(parts) {
            self.absorb_behind_zeros(hash, &short);
        } else {
            self.absorb(hash, parts);
        }
    }

    fn absorb_behind_zeros<const SIZE: usize>(&self, hash: &mut [u8; 16], parts: &Together<SIZE>) {
        let length = low::ghash_length(parts.bytes().len());
        low::ghash_absorb(hash, &self.key.hash_key, parts.behind_zeros(length));
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

impl Rest<'_> {
    fn of(rest: &mut [u8]) -> Rest<'_> {
        let (groups, last) = rest.as_chunks_mut();
        Rest { groups, last }
    }
}

/// The number of the counter block behind those of the head.
fn counter_behind(beginning: &[u8]) -> u32 {
    2 + (beginning.len() / BLOCK) as u32
}

fn blocks_of(groups: &[[u8; SIXTEEN]]) -> u32 {
    (groups.as_flattened().len() / BLOCK) as u32
}

/// The last group to hash: the message's last bytes, zeros and the lengths.
fn with_lengths(last: &[u8], lengths: &[u8; 16]) -> [u8; SIXTEEN] {
    let mut group = [0; SIXTEEN];
    let (text, end) = group.split_at_mut(SIXTEEN - BLOCK);
    copy(text, last);
    copy(end, lengths);
    group
}

/// The numbers of bits of the additional data and of a message.
fn bits(additional: &[u8], message: &[u8]) -> [u8; 16] {
    lengths(additional, message, |length| (8 * length).to_be_bytes())
}

/// The tag: the hash, hidden by the block at the beginning of the head.
fn hidden_by(head: &Erased<HEAD>, hash: &Erased<16>) -> Erased<16> {
    let (mut mask, mut tag) = (Erased([0; BLOCK]), Erased([0; 16]));
    copy(&mut mask.0, &head.0);
    low::aes_gcm_tag(&mut tag.0, &hash.0, &mask.0);
    tag
}
