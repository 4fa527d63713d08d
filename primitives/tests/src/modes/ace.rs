//! ACE-AE-128 and ACE-H-256 (the ACE submission §2.4 and §2.5).

use super::{Computes, Message, Mode, Nodes, Sponge, padded};

pub(super) const MODES: &[Mode] = &[
    Mode {
        name: "ACE-AE-128",
        primitive: "ace",
        nodes: &["ACE"],
        vectors: "ace_ae128.txt",
        computes: Computes::Aead(encrypt),
    },
    Mode {
        name: "ACE-H-256",
        primitive: "ace",
        nodes: &["ACE"],
        vectors: "ace_h256.txt",
        computes: Computes::Hash(hash),
    },
];

/// Adds a block to the state. Its halves go to the beginning of words A and C (§2.4.1).
fn add(state: &mut Sponge, block: &[u8]) {
    state.add(0, &block[..4]);
    state.add(16, &block[4..]);
}

fn rate(state: &Sponge) -> Vec<u8> {
    [state.bytes(0, 4), state.bytes(16, 4)].concat()
}

fn encrypt(nodes: Nodes, &Message { key, nonce, associated, plain }: &Message) -> Vec<u8> {
    let start = [&key[..8], &nonce[..8], &key[8..], &[0; 8], &nonce[8..]].concat();
    let mut state = Sponge::new(nodes, 40, &start);
    state.permute("ACE");
    absorb_key(&mut state, key);
    if !associated.is_empty() {
        for block in padded(associated, 0x80, 8) {
            add(&mut state, &block);
            state.add(39, &[1]);
            state.permute("ACE");
        }
    }
    let mut cipher = Vec::new();
    for block in padded(plain, 0x80, 8) {
        add(&mut state, &block);
        cipher.extend(rate(&state));
        state.add(39, &[2]);
        state.permute("ACE");
    }
    cipher.truncate(plain.len());
    absorb_key(&mut state, key);
    cipher.extend([state.bytes(0, 8), state.bytes(16, 8)].concat());
    cipher
}

fn absorb_key(state: &mut Sponge, key: &[u8]) {
    for half in key.chunks(8) {
        add(state, half);
        state.permute("ACE");
    }
}

fn hash(nodes: Nodes, message: &[u8]) -> Vec<u8> {
    let mut state = Sponge::new(nodes, 40, &[]);
    state.add(8, &[0x80, 0x40, 0x40]);
    state.permute("ACE");
    for block in padded(message, 0x80, 8) {
        add(&mut state, &block);
        state.permute("ACE");
    }
    let mut digest = rate(&state);
    while digest.len() < 32 {
        state.permute("ACE");
        digest.extend(rate(&state));
    }
    digest
}
