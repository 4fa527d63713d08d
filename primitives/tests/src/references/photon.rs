//! PHOTON-256 (CRYPTO 2011) on a matrix of nibbles. The mixing matrix is the eighth power of the serial one.

use super::{Reference, node};

pub(super) const REFERENCES: &[Reference] = &[node("PHOTON-256", "PHOTON_256", |parameters| photon256(parameters[0]))];

const SBOX: [u8; 16] = [12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2];
const LAST_ROW: [u8; 8] = [2, 4, 2, 11, 2, 8, 5, 6];
const ROUND: [u8; 12] = [1, 3, 7, 14, 13, 11, 6, 12, 9, 2, 5, 10];
const INTERNAL: [u8; 8] = [0, 1, 3, 7, 15, 14, 12, 8];

type Matrix = [[u8; 8]; 8];

/// The product in GF(2)[x] / (x⁴ + x + 1).
fn times(a: u8, b: u8) -> u8 {
    let product = (0..4).fold(0, |sum, i| sum ^ ((b >> i & 1) * (a << i)));
    (4..7).rev().fold(product, |p, i| if p >> i & 1 == 1 { p ^ 0x13 << (i - 4) } else { p })
}

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| std::array::from_fn(|j| (0..8).fold(0, |sum, k| sum ^ times(a[i][k], b[k][j]))))
}

fn photon256(bytes: &[u8]) -> Vec<u8> {
    let serial: Matrix =
        std::array::from_fn(|i| if i == 7 { LAST_ROW } else { std::array::from_fn(|j| u8::from(j == i + 1)) });
    let square = product(&serial, &serial);
    let fourth = product(&square, &square);
    let mixing = product(&fourth, &fourth);
    let mut state: Matrix =
        std::array::from_fn(|r| std::array::from_fn(|c| bytes[4 * r + c / 2] >> (4 * (c % 2)) & 15));
    for constant in ROUND {
        (0..8).for_each(|r| state[r][0] ^= constant ^ INTERNAL[r]);
        state.iter_mut().flatten().for_each(|cell| *cell = SBOX[usize::from(*cell)]);
        (0..8).for_each(|r| state[r].rotate_left(r));
        state = product(&mixing, &state);
    }
    state.iter().flat_map(|row| row.chunks(2).map(|pair| pair[0] | pair[1] << 4)).collect()
}
