//! Ascon-AEAD128 of messages in place: NIST SP 800-232, section 4.

use super::AsconAead128Key;
use crate::bytes::{Erased, copy};
use crate::error::{Error, accept};
use crate::low;

/// Size of a block, in bytes.
const BLOCK: usize = 16;

type State = [u8; 40];

/// A kernel for whole blocks of a text, in their place, and one for the last block.
struct Direction {
    blocks: fn(&mut State, &mut [u8], &State),
    last: fn(&mut State, &mut [u8; BLOCK], &State, &[u8; BLOCK], &[u8; 1]),
}

/// The state of one message.
pub(super) struct Ascon {
    key: [u8; 16],
    state: State,
}

impl Ascon {
    pub fn new(key: &AsconAead128Key, nonce: &[u8; 16]) -> Self {
        let mut ascon = Ascon { key: key.0, state: [0; 40] };
        low::ascon_aead128_start(&mut ascon.state, &key.0, nonce);
        ascon
    }

    /// Encrypts a message in place, and returns the tag of it and of the additional data.
    pub fn seal(mut self, additional: &[u8], buffer: &mut [u8]) -> [u8; 16] {
        let encrypt = Direction { blocks: low::ascon_aead128_encrypt, last: low::ascon_aead128_encrypt_last };
        self.absorb(additional);
        self.crypt(buffer, &encrypt);
        self.tag()
    }

    /// Decrypts a message in place and compares its tag. The tag depends on the decrypted message, so the caller erases the buffer after an
    /// error.
    pub fn open(mut self, additional: &[u8], buffer: &mut [u8], tag: &[u8; 16]) -> Result<(), Error> {
        let decrypt = Direction { blocks: low::ascon_aead128_decrypt, last: low::ascon_aead128_decrypt_last };
        self.absorb(additional);
        self.crypt(buffer, &decrypt);
        accept(low::equal_16(&Erased(self.tag()), tag))
    }

    /// Runs a kernel that makes the next state of this one.
    fn step<R>(&mut self, next: impl FnOnce(&mut State, &State) -> R) -> R {
        let before = Erased(self.state);
        next(&mut self.state, &before)
    }

    /// Absorbs the associated data: section 4.1.1, step 3. The byte 0x01 follows them, and zeros fill the last block. Empty data have no block.
    fn absorb(&mut self, additional: &[u8]) {
        if !additional.is_empty() {
            let (whole, rest) = additional.as_chunks::<BLOCK>();
            self.step(|next, state| low::ascon_aead128_absorb(next, state, whole.as_flattened()));
            let mut last = [0; BLOCK];
            let length = copy(&mut last, rest);
            if let Some(end) = last.get_mut(length) {
                *end = 1;
            }
            self.step(|next, state| low::ascon_aead128_absorb(next, state, &last));
        }
        self.step(low::ascon_aead128_separate);
    }

    /// Encrypts or decrypts whole blocks and a last one, which has fewer bytes than a block, maybe none: section 4.1.1, step 4.
    fn crypt(&mut self, text: &mut [u8], direction: &Direction) {
        let (whole, rest) = text.as_chunks_mut::<BLOCK>();
        self.step(|next, state| (direction.blocks)(next, whole.as_flattened_mut(), state));
        let (mut from, mut to) = (Erased([0; BLOCK]), Erased([0; BLOCK]));
        let length = copy(&mut *from, rest);
        self.step(|next, state| (direction.last)(next, &mut to, state, &from, &[length as u8]));
        copy(rest, &*to);
    }

    /// Returns the tag: section 4.1.1, step 5.
    fn tag(&self) -> [u8; 16] {
        let mut tag = [0; 16];
        low::ascon_aead128_finish(&mut tag, &self.state, &self.key);
        tag
    }
}

impl Drop for Ascon {
    fn drop(&mut self) {
        zeroize::zeroize_bytes(&mut self.key);
        zeroize::zeroize_bytes(&mut self.state);
    }
}
