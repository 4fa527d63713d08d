//! Xoodoo[12] (the Xoodyak submission), on bits at coordinates x, y and z, with constants computed from their two
//! sequences.

use super::{Reference, node};

pub(super) const REFERENCES: &[Reference] = &[node("Xoodoo[12]", "Xoodoo", |parameters| permutation(parameters[0]))];

fn permutation(state: &[u8]) -> Vec<u8> {
    let mut a: Vec<bool> = (0..384).map(|i| state[i / 8] >> (i % 8) & 1 == 1).collect();
    let at = |x: usize, y: usize, z: usize| 128 * (y % 3) + 32 * (x % 4) + z % 32;
    // Makes a state from the bit at each of its coordinates.
    let all = |bit: &dyn Fn(usize, usize, usize) -> bool| -> Vec<bool> {
        (0..384).map(|i| bit(i / 32 % 4, i / 128, i % 32)).collect()
    };
    for constant in constants() {
        let column = |x: usize, z: usize| (0..3).fold(false, |sum, y| sum ^ a[at(x, y, z)]);
        let theta = all(&|x, y, z| a[at(x, y, z)] ^ column(x + 3, z + 27) ^ column(x + 3, z + 18));
        let west = all(&|x, y, z| match y {
            0 => theta[at(x, 0, z)] ^ (x == 0 && constant >> z & 1 == 1),
            1 => theta[at(x + 3, 1, z)],
            _ => theta[at(x, 2, z + 21)],
        });
        let chi = all(&|x, y, z| west[at(x, y, z)] ^ (!west[at(x, y + 1, z)] && west[at(x, y + 2, z)]));
        a = all(&|x, y, z| match y {
            0 => chi[at(x, 0, z)],
            1 => chi[at(x, 1, z + 31)],
            _ => chi[at(x + 2, 2, z + 24)],
        });
    }
    a.chunks(8).map(|byte| byte.iter().rev().fold(0, |b, &bit| b << 1 | u8::from(bit))).collect()
}

/// The constants. From round 0 backwards, they are 1 and the powers of the inverse of t in the field of t^3 + t + 1,
/// shifted by the powers of 5 modulo 7.
fn constants() -> impl Iterator<Item = u32> {
    let (mut element, mut shift) = (1u32, 1);
    let mut backwards = Vec::new();
    for _ in 0..12 {
        backwards.push((8 | element) << shift);
        element = element >> 1 ^ if element & 1 == 1 { 5 } else { 0 };
        shift = 5 * shift % 7;
    }
    backwards.into_iter().rev()
}
