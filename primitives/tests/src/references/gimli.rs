//! Gimli (the Gimli submission §2.5 to §2.9), bit by bit.

use super::{Reference, node};

pub(super) const REFERENCES: &[Reference] = &[node("Gimli", "Gimli", |parameters| permutation(parameters[0]))];

/// Rows of words of bits, with the least significant bit first.
type State = [[[bool; 32]; 4]; 3];

fn permutation(state: &[u8]) -> Vec<u8> {
    let mut s: State = std::array::from_fn(|row| {
        std::array::from_fn(|column| std::array::from_fn(|k| state[16 * row + 4 * column + k / 8] >> (k % 8) & 1 == 1))
    });
    for round in (1..=24u32).rev() {
        s = sp_boxes(&s);
        match round % 4 {
            0 => {
                s[0] = [1, 0, 3, 2].map(|column: usize| s[0][column]);
                (0..32).for_each(|k| s[0][0][k] ^= (0x9e37_7900 ^ round) >> k & 1 == 1);
            }
            2 => s[0] = [2, 3, 0, 1].map(|column: usize| s[0][column]),
            _ => {}
        }
    }
    let bits: Vec<bool> = s.into_iter().flatten().flatten().collect();
    bits.chunks(8).map(|byte| byte.iter().rev().fold(0, |b, &bit| b << 1 | u8::from(bit))).collect()
}

fn sp_boxes(s: &State) -> State {
    let bit = |row: usize, column: usize, k: usize| s[row][column][k % 32];
    std::array::from_fn(|row| {
        std::array::from_fn(|column| {
            let (x, y, z) = (|k| bit(0, column, k + 8), |k| bit(1, column, k + 23), |k| bit(2, column, k));
            std::array::from_fn(|k| {
                let shifted = |by: usize, f: &dyn Fn(usize) -> bool| k >= by && f(k - by);
                match row {
                    2 => x(k) ^ shifted(1, &z) ^ shifted(2, &|i| y(i) && z(i)),
                    1 => y(k) ^ x(k) ^ shifted(1, &|i| x(i) || z(i)),
                    _ => z(k) ^ y(k) ^ shifted(3, &|i| x(i) && y(i)),
                }
            })
        })
    })
}
