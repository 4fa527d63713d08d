//! SKINNY-128-256 (ePrint 2016/660), byte by byte: the S-box by its steps, the linear layer by its matrix.

use super::{Reference, block};

pub(super) const REFERENCES: &[Reference] = &[block("SKINNY-128-256", skinny)];

/// The S-box (§2.3, figure 4): two NORs and a permutation of the bits, four times; the last permutation only exchanges
/// bits 1 and 2.
fn s8(mut x: u8) -> u8 {
    let bit = |x: u8, i: u8| x >> i & 1;
    for round in 0..4 {
        x ^= (1 ^ (bit(x, 7) | bit(x, 6))) << 4;
        x ^= 1 ^ (bit(x, 3) | bit(x, 2));
        let from = if round < 3 { [5, 3, 0, 4, 6, 7, 1, 2] } else { [0, 2, 1, 3, 4, 5, 6, 7] };
        x = (0..8).fold(0, |y, i| y | bit(x, from[i]) << i);
    }
    x
}

const PT: [usize; 16] = [9, 15, 8, 13, 10, 14, 12, 11, 0, 1, 2, 3, 4, 5, 6, 7];
const MATRIX: [[u8; 4]; 4] = [[1, 0, 1, 1], [1, 0, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0]];

fn skinny(key: &[u8], block: &[u8]) -> Vec<u8> {
    let mut state = block.to_vec();
    let (mut tk1, mut tk2) = (key[..16].to_vec(), key[16..].to_vec());
    let mut rc = 0u8;
    for _ in 0..48 {
        rc = (rc << 1 | (rc >> 5 ^ rc >> 4 ^ 1) & 1) & 0x3f;
        state.iter_mut().for_each(|cell| *cell = s8(*cell));
        state[0] ^= rc & 15;
        state[4] ^= rc >> 4;
        state[8] ^= 2;
        (0..8).for_each(|i| state[i] ^= tk1[i] ^ tk2[i]);
        tk1 = PT.map(|from| tk1[from]).to_vec();
        tk2 = PT.map(|from| tk2[from]).to_vec();
        tk2[..8].iter_mut().for_each(|x| *x = *x << 1 | (*x >> 7 ^ *x >> 5) & 1);
        let shifted: Vec<u8> = (0..16).map(|i| state[i / 4 * 4 + (i % 4 + 4 - i / 4) % 4]).collect();
        let cell = |i: usize| (0..4).fold(0, |sum, row| sum ^ (MATRIX[i / 4][row] * shifted[4 * row + i % 4]));
        state = (0..16).map(cell).collect();
    }
    state
}
