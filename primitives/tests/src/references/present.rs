//! PRESENT (CHES 2007), with the state as one number.

use super::{Reference, block, number};

pub(super) const REFERENCES: &[Reference] = &[block("PRESENT-80", present), block("PRESENT-128", present)];

const SBOX: [u64; 16] = [12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2];

fn present(key: &[u8], block: &[u8]) -> Vec<u8> {
    let bits = 8 * key.len();
    let mut register = key.iter().fold(0u128, |k, &b| k << 8 | u128::from(b));
    let mask = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
    let mut state = number(block);
    for counter in 1..=32u128 {
        state ^= (register >> (bits - 64)) as u64;
        if counter == 32 {
            break;
        }
        state = (0..16).fold(0, |s, n| s | SBOX[(state >> (4 * n) & 15) as usize] << (4 * n));
        state = (0..64).fold(0, |s, i| s | (state >> i & 1) << if i == 63 { 63 } else { 16 * i % 63 });
        register = (register << 61 | register >> (bits - 61)) & mask;
        for nibble in 0..if bits == 128 { 2 } else { 1 } {
            let at = bits - 4 - 4 * nibble;
            let old = register >> at & 15;
            register ^= (old ^ u128::from(SBOX[old as usize])) << at;
        }
        register ^= counter << if bits == 128 { 62 } else { 15 };
    }
    state.to_be_bytes().to_vec()
}
