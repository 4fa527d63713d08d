//! GIFT-128 by RustCrypto; GIFT-64 (ePrint 2017/622), with the state and the key as one number each.

use gift_cipher::Gift128;
use gift_cipher::cipher::{Array, BlockCipherEncrypt, KeyInit};

use super::{Reference, block, number};

pub(super) const REFERENCES: &[Reference] =
    &[block("GIFT-64-128", gift64), block("GIFT-128-128", gift128), block("GIFT-128-128, fixsliced", gift128)];

fn gift128(key: &[u8], block: &[u8]) -> Vec<u8> {
    let mut block = Array::try_from(block).expect("a block has 16 bytes");
    Gift128::new_from_slice(key).expect("a key has 16 bytes").encrypt_block(&mut block);
    block.to_vec()
}

const SBOX: [u64; 16] = [1, 10, 4, 12, 6, 15, 3, 9, 2, 13, 11, 7, 5, 0, 8, 14];

fn gift64(key: &[u8], block: &[u8]) -> Vec<u8> {
    let mut key = key.iter().fold(0u128, |k, &b| k << 8 | u128::from(b));
    let mut state = number(block);
    let mut constant = 0u64;
    for _ in 0..28 {
        state = (0..16).fold(0, |s, n| s | SBOX[(state >> (4 * n) & 15) as usize] << (4 * n));
        state = (0..64).fold(0, |s, i| {
            let to = 4 * (i / 16) + 16 * ((3 * (i % 16 / 4) + i % 4) % 4) + i % 4;
            s | (state >> i & 1) << to
        });
        constant = (constant << 1 | (constant >> 5 ^ constant >> 4 ^ 1) & 1) & 63;
        for i in 0..16 {
            state ^= (key as u64 >> i & 1) << (4 * i) ^ (key as u64 >> (16 + i) & 1) << (4 * i + 1);
        }
        (0..6).for_each(|i| state ^= (constant >> i & 1) << (4 * i + 3));
        state ^= 1 << 63;
        let (k0, k1) = (key as u16, (key >> 16) as u16);
        key = key >> 32 | u128::from(k1.rotate_right(2)) << 112 | u128::from(k0.rotate_right(12)) << 96;
    }
    state.to_be_bytes().to_vec()
}
