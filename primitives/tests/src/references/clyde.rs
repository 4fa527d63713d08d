//! Clyde-128 (Spook §2.2): the S-box as a table on columns, the L-box by its matrices.

use super::{Reference, block};

pub(super) const REFERENCES: &[Reference] = &[block("Clyde-128", clyde)];

/// A state: four rows.
pub(crate) type Rows = [u32; 4];

const SBOX: [u32; 16] = [0, 8, 1, 15, 2, 10, 7, 9, 4, 13, 5, 6, 14, 3, 11, 12];

/// The constants of each round, one bit for each row.
pub(crate) const CONSTANTS: [Rows; 12] = [
    [1, 0, 0, 0],
    [0, 1, 0, 0],
    [0, 0, 1, 0],
    [0, 0, 0, 1],
    [1, 1, 0, 0],
    [0, 1, 1, 0],
    [0, 0, 1, 1],
    [1, 1, 0, 1],
    [1, 0, 1, 0],
    [0, 1, 0, 1],
    [1, 1, 1, 0],
    [0, 1, 1, 1],
];

pub(crate) fn rows_of(bytes: &[u8]) -> Rows {
    std::array::from_fn(|i| u32::from_le_bytes(std::array::from_fn(|j| bytes[4 * i + j])))
}

pub(crate) fn substituted(rows: &Rows) -> Rows {
    let columns: Vec<u32> =
        (0..32).map(|c| SBOX[(0..4).fold(0, |n, r| n | (rows[r] >> c & 1) << r) as usize]).collect();
    std::array::from_fn(|r| (0..32).fold(0, |row, c| row | (columns[c] >> r & 1) << c))
}

/// The product of a circulant matrix and a row.
fn circulant(matrix: u32, row: u32) -> u32 {
    (0..32).filter(|i| matrix >> i & 1 == 1).fold(0, |sum, i| sum ^ row.rotate_right(i))
}

pub(crate) fn diffused(rows: &Rows) -> Rows {
    let pair = |x: u32, y: u32| {
        [circulant(0xec04_5008, x) ^ circulant(0x3600_0f60, y), circulant(0x1b00_07b0, x) ^ circulant(0xec04_5008, y)]
    };
    let ([a, b], [c, d]) = (pair(rows[0], rows[1]), pair(rows[2], rows[3]));
    [a, b, c, d]
}

/// Clyde-128. `key` is the key followed by the tweak.
fn clyde(key: &[u8], block: &[u8]) -> Vec<u8> {
    let (key, tweak) = (rows_of(&key[..16]), rows_of(&key[16..]));
    let mut state = rows_of(block);
    let (mut high, mut low) = ([tweak[0], tweak[1]], [tweak[2], tweak[3]]);
    for step in 0..=6 {
        (0..4).for_each(|r| state[r] ^= key[r] ^ [high, low].concat()[r]);
        // The tweak is multiplied by a root of x² + x + 1, whose third power is one.
        (high, low) = ([high[0] ^ low[0], high[1] ^ low[1]], high);
        if step == 6 {
            break;
        }
        for round in [2 * step, 2 * step + 1] {
            state = diffused(&substituted(&state));
            (0..4).for_each(|r| state[r] ^= CONSTANTS[round][r]);
        }
    }
    state.iter().flat_map(|row| row.to_le_bytes()).collect()
}
