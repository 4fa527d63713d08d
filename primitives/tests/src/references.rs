//! Other implementations of the primitives: RustCrypto's where there is one, else a plain one of our own that works on
//! 64-bit numbers bit by bit or column by column and shares nothing with the programs.

use aes::Aes128;
use chacha20::ChaCha20;
use cipher::generic_array::GenericArray;
use cipher::{BlockEncrypt, KeyInit, KeyIvInit, StreamCipher, StreamCipherSeek};
use serpent::Serpent;

/// The image of a block under a key, by the primitive's name.
pub fn encrypt(primitive: &str, key: &[u8], block: &[u8]) -> Vec<u8> {
    match primitive {
        "AES-128" | "AES-128, fixsliced" => rust_crypto::<Aes128>(key, block),
        "Serpent-128" | "Serpent-192" | "Serpent-256" => rust_crypto::<Serpent>(key, block),
        "PRESENT-80" | "PRESENT-128" => present(key, block),
        "RECTANGLE-80" | "RECTANGLE-128" => rectangle(key, block),
        _ => panic!("no other implementation of {primitive}"),
    }
}

fn rust_crypto<C: BlockEncrypt + KeyInit>(key: &[u8], block: &[u8]) -> Vec<u8> {
    let mut block = GenericArray::clone_from_slice(block);
    C::new_from_slice(key).expect("the key has a permitted length").encrypt_block(&mut block);
    block.to_vec()
}

/// A block of the key stream.
pub fn chacha20(key: &[u8], nonce: &[u8], counter: u32) -> Vec<u8> {
    let mut cipher = ChaCha20::new_from_slices(key, nonce).expect("the key and the nonce have their lengths");
    cipher.seek(u64::from(counter) * 64);
    let mut block = vec![0; 64];
    cipher.apply_keystream(&mut block);
    block
}

/// The last `rounds` rounds of the permutation of 12, on bytes most significant first.
pub fn ascon(rounds: usize, state: &[u8]) -> Vec<u8> {
    let words: Vec<u64> =
        state.chunks(8).map(|b| u64::from_be_bytes(b.try_into().expect("40 bytes are five words"))).collect();
    let mut state = ascon::State::new(words[0], words[1], words[2], words[3], words[4]);
    state.permute_n(rounds);
    state.as_bytes().to_vec()
}

const PRESENT_SBOX: [u64; 16] = [12, 5, 6, 11, 9, 0, 10, 13, 3, 14, 15, 8, 4, 7, 1, 2];

/// PRESENT (CHES 2007), the state one number.
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
        state = (0..16).fold(0, |s, n| s | PRESENT_SBOX[(state >> (4 * n) & 15) as usize] << (4 * n));
        state = (0..64).fold(0, |s, i| s | (state >> i & 1) << if i == 63 { 63 } else { 16 * i % 63 });
        register = (register << 61 | register >> (bits - 61)) & mask;
        for nibble in 0..if bits == 128 { 2 } else { 1 } {
            let at = bits - 4 - 4 * nibble;
            let old = register >> at & 15;
            register ^= (old ^ u128::from(PRESENT_SBOX[old as usize])) << at;
        }
        register ^= counter << if bits == 128 { 62 } else { 15 };
    }
    state.to_be_bytes().to_vec()
}

const RECTANGLE_SBOX: [u8; 16] = [6, 5, 12, 10, 1, 14, 7, 9, 11, 0, 3, 13, 8, 15, 4, 2];

/// RECTANGLE (ePrint 2014/084): rows of bits, row 0 first, column 0 first in a row; an S-box a column.
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
            (0..4).for_each(|row| rows[row][column] = RECTANGLE_SBOX[input] >> row & 1 == 1);
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

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |n, &b| n << 8 | u64::from(b))
}
