//! Salsa20 by RustCrypto.

use cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use salsa20::Salsa20;

use super::{Reference, node};

pub(super) const REFERENCES: &[Reference] = &[node("Salsa20", "salsa20_block", block)];

/// A block of the key stream, from key, nonce and counter.
fn block(parameters: &[&[u8]]) -> Vec<u8> {
    let &[key, nonce, counter] = parameters else { panic!("key, nonce and counter") };
    let counter = u64::from_le_bytes(counter.try_into().expect("a counter has eight bytes"));
    let mut cipher = Salsa20::new_from_slices(key, nonce).expect("the key and the nonce have their lengths");
    cipher.seek(u128::from(counter) * 64);
    let mut block = vec![0; 64];
    cipher.apply_keystream(&mut block);
    block
}
