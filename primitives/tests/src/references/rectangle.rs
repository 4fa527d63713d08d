//! RECTANGLE (ePrint 2014/084): rows of bits, with row 0 and column 0 first; one S-box for each column.

use super::{Reference, block};

pub(super) const REFERENCES: &[Reference] = &[block("RECTANGLE-80", rectangle), block("RECTANGLE-128", rectangle)];

const SBOX: [u8; 16] = [6, 5, 12, 10, 1, 14, 7, 9, 11, 0, 3, 13, 8, 15, 4, 2];

fn rectangle(key: &[u8], block: &[u8]) -> Vec<u8> {
    let rows = |bytes: &[u8], width: usize| -> Vec<Vec<bool>> {
        bytes
            .chunks(width / 8)
            .map(|row| (0..width).map(|c| row[row.len() - 1 - c / 8] >> (c % 8) & 1 == 1).collect())
            .collect()
    };
    let substitute = |rows: &mut [Vec<bool>], columns: usize| {
        (0..columns).for_each(|column| {
            let input = (0..4).fold(0, |n, row| n | usize::from(rows[row][column]) << row);
            (0..4).for_each(|row| rows[row][column] = SBOX[input] >> row & 1 == 1);
        });
    };
    let rotated = |row: &[bool], by: usize| {
        let mut row = row.to_vec();
        row.rotate_right(by);
        row
    };
    let sum = |a: &[bool], b: &[bool]| -> Vec<bool> { a.iter().zip(b).map(|(a, b)| a ^ b).collect() };

    let (width, columns) = if key.len() == 10 { (16, 4) } else { (32, 8) };
    let mut key = rows(key, width);
    let mut state = rows(block, 16);
    let mut constant = 1u32;
    for round in 0..26 {
        (0..4).for_each(|row| state[row] = sum(&state[row], &key[row][..16]));
        if round == 25 {
            break;
        }
        substitute(&mut state, 16);
        state = [0, 1, 12, 13].iter().zip(&state).map(|(&by, row)| rotated(row, by)).collect();

        substitute(&mut key, columns);
        let row0 = sum(&rotated(&key[0], 8), &key[1]);
        key = match key.len() {
            5 => {
                let row3 = sum(&rotated(&key[3], 12), &key[4]);
                vec![row0, key[2].clone(), key[3].clone(), row3, key[0].clone()]
            }
            _ => vec![row0, key[2].clone(), sum(&rotated(&key[2], 16), &key[3]), key[0].clone()],
        };
        (0..5).for_each(|bit| key[0][bit] ^= constant >> bit & 1 == 1);
        constant = (constant << 1 | (constant >> 4 ^ constant >> 2) & 1) & 31;
    }
    state
        .iter()
        .flat_map(|row| [1, 0].map(|byte| (0..8).fold(0u8, |b, bit| b | u8::from(row[8 * byte + bit]) << bit)))
        .collect()
}
