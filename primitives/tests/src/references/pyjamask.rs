//! Pyjamask-96 and Pyjamask-128 (§2), with rows as bits, column 0 first, and matrices given by their first rows.

use super::{Reference, block};

pub(super) const REFERENCES: &[Reference] = &[block("Pyjamask-96", pyjamask), block("Pyjamask-128", pyjamask)];

const S3: [u8; 8] = [1, 3, 6, 5, 2, 4, 7, 0];
const S4: [u8; 16] = [2, 13, 3, 9, 7, 11, 10, 6, 14, 0, 15, 4, 8, 5, 1, 12];
const MATRICES: [u32; 4] = [0xa386_1085, 0x6341_7021, 0x692c_f280, 0x48a5_4813];
const KEY_MATRIX: u32 = 0xb881_b9ca;
const CONSTANTS: [u32; 4] = [0x80, 0x6a00, 0x003f_0000, 0x2400_0000];

type Row = [bool; 32];

fn row(bits: u32) -> Row {
    std::array::from_fn(|column| bits >> (31 - column) & 1 == 1)
}

fn rows(bytes: &[u8]) -> Vec<Row> {
    bytes.chunks(4).map(|b| row(u32::from_be_bytes(b.try_into().expect("rows have four bytes")))).collect()
}

fn add(a: &mut Row, b: &Row) {
    a.iter_mut().zip(b).for_each(|(a, b)| *a ^= b);
}

/// The product of the circulant matrix whose first column is `first` and a row.
fn product(first: u32, row_: &Row) -> Row {
    let first = row(first);
    std::array::from_fn(|i| (0..32).filter(|&j| first[(32 + i - j) % 32] & row_[j]).count() % 2 == 1)
}

fn pyjamask(key: &[u8], block: &[u8]) -> Vec<u8> {
    let (mut key, mut state) = (rows(key), rows(block));
    for round in 0..=14 {
        state.iter_mut().zip(&key).for_each(|(row, key)| add(row, key));
        if round == 14 {
            break;
        }
        let count = state.len();
        for column in 0..32 {
            let input = state.iter().fold(0, |n, row| n << 1 | usize::from(row[column]));
            let output = if count == 3 { S3[input] } else { S4[input] };
            (0..count).for_each(|r| state[r][column] = output >> (count - 1 - r) & 1 == 1);
        }
        state = state.iter().zip(MATRICES).map(|(row, matrix)| product(matrix, row)).collect();

        let sum = key.iter().fold([false; 32], |mut sum, row| {
            add(&mut sum, row);
            sum
        });
        key.iter_mut().for_each(|row| add(row, &sum));
        key[0] = product(KEY_MATRIX, &key[0]);
        [8, 15, 18].iter().zip(&mut key[1..]).for_each(|(&by, row)| row.rotate_right(by));
        key.iter_mut().zip(CONSTANTS).for_each(|(key, constant)| add(key, &row(constant)));
        add(&mut key[0], &row(round));
    }
    let number = |row: &Row| row.iter().fold(0u32, |n, &bit| n << 1 | u32::from(bit));
    state.iter().flat_map(|row| number(row).to_be_bytes()).collect()
}
