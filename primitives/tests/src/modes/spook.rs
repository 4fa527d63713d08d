//! Spook-128-512-su v1 (submission to NIST, 2019, §2.4), over Clyde-128. Its other permutation, Shadow-512, is no
//! primitive of the repository; it is implemented here, with the layers of Clyde.

use super::{Computes, Message, Mode, Nodes};
use crate::references::clyde::{CONSTANTS, Rows, diffused, rows_of, substituted};

pub(super) const MODES: &[Mode] = &[Mode {
    name: "Spook-128-512-su",
    primitive: "clyde128",
    nodes: &["Clyde128_key_schedule", "Clyde128"],
    vectors: "spook_128_512_su.txt",
    computes: Computes::Aead(encrypt),
}];

const RATE: usize = 32;

fn encrypt(nodes: Nodes, message: &Message) -> Vec<u8> {
    let clyde = |tweak: &[u8], block: &[u8]| {
        let tweakeys = nodes("Clyde128_key_schedule", &[&[message.key, tweak].concat()]);
        nodes("Clyde128", &[block, &tweakeys])
    };
    let mut state = [&[0; 16], message.nonce, &[0; 16], &clyde(&[0; 16], message.nonce)].concat();
    state = shadow(&state);
    for block in message.associated.chunks(RATE) {
        absorb(&mut state, block);
    }
    if !message.plain.is_empty() {
        state[RATE] ^= 1;
    }
    let mut cipher = Vec::new();
    for block in message.plain.chunks(RATE) {
        cipher.extend(block.iter().zip(&state).map(|(m, s)| m ^ s));
        absorb(&mut state, block);
    }
    state[31] |= 0x80;
    cipher.extend(clyde(&state[16..32], &state[..16]));
    cipher
}

fn absorb(state: &mut Vec<u8>, block: &[u8]) {
    state.iter_mut().zip(block).for_each(|(s, b)| *s ^= b);
    if block.len() < RATE {
        state[block.len()] ^= 1;
        state[RATE] ^= 2;
    }
    *state = shadow(state);
}

/// Shadow-512: six steps on four bundles, each a state of Clyde.
fn shadow(bytes: &[u8]) -> Vec<u8> {
    let mut bundles: Vec<Rows> = bytes.chunks(16).map(rows_of).collect();
    let add_constant = |bundle: usize, rows: &mut Rows, round: usize| {
        rows.iter_mut().zip(CONSTANTS[round]).for_each(|(row, bit)| *row ^= bit << bundle);
    };
    for step in 0..6 {
        for (i, bundle) in bundles.iter_mut().enumerate() {
            *bundle = diffused(&substituted(bundle));
            add_constant(i, bundle, 2 * step);
            *bundle = substituted(bundle);
        }
        // The D-box: each bundle becomes the sum of the others.
        let all: Rows = std::array::from_fn(|row| bundles.iter().fold(0, |sum, bundle| sum ^ bundle[row]));
        for (i, bundle) in bundles.iter_mut().enumerate() {
            bundle.iter_mut().zip(all).for_each(|(row, sum)| *row ^= sum);
            add_constant(i, bundle, 2 * step + 1);
        }
    }
    bundles.iter().flatten().flat_map(|row| row.to_le_bytes()).collect()
}
