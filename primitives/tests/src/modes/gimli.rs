//! Gimli-24-Cipher and Gimli-24-Hash (the Gimli submission §2.10 and §2.11).

use super::{Computes, Message, Mode, Nodes, Sponge, padded};

pub(super) const MODES: &[Mode] = &[
    Mode {
        name: "Gimli-24-Cipher",
        primitive: "gimli",
        nodes: &["Gimli"],
        vectors: "gimli24_cipher.txt",
        computes: Computes::Aead(encrypt),
    },
    Mode {
        name: "Gimli-24-Hash",
        primitive: "gimli",
        nodes: &["Gimli"],
        vectors: "gimli24_hash.txt",
        computes: Computes::Hash(hash),
    },
];

/// Absorbs a string and returns its sum with the state.
fn absorb(state: &mut Sponge, string: &[u8]) -> Vec<u8> {
    let mut sum = Vec::new();
    let blocks = padded(string, 0x01, 16);
    for (i, block) in blocks.iter().enumerate() {
        state.add(0, block);
        sum.extend(state.bytes(0, 16));
        if i + 1 == blocks.len() {
            state.add(47, &[1]);
        }
        state.permute("Gimli");
    }
    sum.truncate(string.len());
    sum
}

fn encrypt(nodes: Nodes, &Message { key, nonce, associated, plain }: &Message) -> Vec<u8> {
    let mut state = Sponge::new(nodes, 48, &[nonce, key].concat());
    state.permute("Gimli");
    absorb(&mut state, associated);
    let mut cipher = absorb(&mut state, plain);
    cipher.extend(state.bytes(0, 16));
    cipher
}

fn hash(nodes: Nodes, message: &[u8]) -> Vec<u8> {
    let mut state = Sponge::new(nodes, 48, &[]);
    absorb(&mut state, message);
    let mut digest = state.bytes(0, 16).to_vec();
    state.permute("Gimli");
    digest.extend(state.bytes(0, 16));
    digest
}
