//! The permutation of Ascon by RustCrypto.

use super::{Reference, node};

pub(super) const REFERENCES: &[Reference] = &[
    node("Ascon-p", "Ascon_p12", |parameters| permutation(12, parameters[0])),
    node("Ascon-p", "Ascon_p8", |parameters| permutation(8, parameters[0])),
    node("Ascon-p", "Ascon_p6", |parameters| permutation(6, parameters[0])),
];

/// The last `rounds` rounds of the permutation of 12, on bytes most significant first.
fn permutation(rounds: usize, state: &[u8]) -> Vec<u8> {
    let words: Vec<u64> =
        state.chunks(8).map(|b| u64::from_be_bytes(b.try_into().expect("40 bytes are five words"))).collect();
    let mut state = ascon::State::new(words[0], words[1], words[2], words[3], words[4]);
    state.permute_n(rounds);
    state.as_bytes().to_vec()
}
