//! Spongent-π[160] (Elephant v2 §2.3), on bytes, bit by bit.

use super::{Reference, node};

pub(super) const REFERENCES: &[Reference] =
    &[node("Spongent-π[160]", "Spongent_pi_160", |parameters| permutation(parameters[0]))];

const SBOX: [u8; 16] = [14, 13, 11, 0, 2, 1, 4, 15, 7, 10, 8, 5, 9, 12, 3, 6];

fn permutation(bytes: &[u8]) -> Vec<u8> {
    let mut state = bytes.to_vec();
    let mut counter = 0x75u8;
    for _ in 0..80 {
        state[0] ^= counter;
        state[19] ^= counter.reverse_bits();
        counter = (counter << 1 | (counter >> 6 ^ counter >> 5) & 1) & 0x7f;
        let substituted = |byte: u8| SBOX[usize::from(byte >> 4)] << 4 | SBOX[usize::from(byte & 15)];
        let old: Vec<u8> = state.iter().map(|&byte| substituted(byte)).collect();
        state.fill(0);
        for i in 0..160 {
            let to = if i == 159 { 159 } else { 40 * i % 159 };
            state[to / 8] |= (old[i / 8] >> (i % 8) & 1) << (to % 8);
        }
    }
    state
}
