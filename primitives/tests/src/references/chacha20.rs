//! ChaCha20 by RustCrypto.

use chacha20::ChaCha20;
use cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};

use super::{Reference, node};

pub(super) const REFERENCES: &[Reference] = &[node("ChaCha20", "chacha20_block", block)];

/// A block of the key stream, from key, counter and nonce.
fn block(parameters: &[&[u8]]) -> Vec<u8> {
    let &[key, counter, nonce] = parameters else { panic!("key, counter and nonce") };
    let counter = u32::from_le_bytes(counter.try_into().expect("a counter has four bytes"));
    let mut cipher = ChaCha20::new_from_slices(key, nonce).expect("the key and the nonce have their lengths");
    cipher.seek(u64::from(counter) * 64);
    let mut block = vec![0; 64];
    cipher.apply_keystream(&mut block);
    block
}
