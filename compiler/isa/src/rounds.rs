//! Instructions that compute a whole round of a cipher or hash function, or a product without carries: what each does with registers of
//! 128 bits, whatever processor has it.

use std::sync::LazyLock;

use culet_types::program::{Instruction, Table};

use crate::Values;
use crate::galois::{affine, byte_table, double, inverse, look_up, multiply};

/// The result of an instruction for the words of its operands.
///
/// # Panics
///
/// If there are not as many operands as the instruction has.
pub fn meaning<V: Values>(values: &mut V, instruction: Instruction, operands: &[V::Word]) -> V::Word {
    match (instruction, operands) {
        (Instruction::AesEnc, [state, key]) => aes_round(values, Round::Encrypt, state, key),
        (Instruction::AesEncLast, [state, key]) => aes_round(values, Round::EncryptLast, state, key),
        (Instruction::AesDec, [state, key]) => aes_round(values, Round::Decrypt, state, key),
        (Instruction::AesDecLast, [state, key]) => aes_round(values, Round::DecryptLast, state, key),
        (Instruction::AesImc, [key]) => aes_inverse_mix_columns(values, key),
        (Instruction::AesKeyGenAssist, [key]) => aes_key_assist(values, key, 0),
        (Instruction::ClmulLowLow, [a, b]) => product(values, [a, b], [false, false]),
        (Instruction::ClmulLowHigh, [a, b]) => product(values, [a, b], [false, true]),
        (Instruction::ClmulHighHigh, [a, b]) => product(values, [a, b], [true, true]),
        (Instruction::Gf2p8Affine, [bytes, matrices]) => {
            of_parts(values, 64, bytes, matrices, |values, bytes, matrix| affine(values, bytes, matrix, false, 0))
        }
        (Instruction::Gf2p8AffineInverse, [bytes, matrices]) => {
            of_parts(values, 64, bytes, matrices, |values, bytes, matrix| affine(values, bytes, matrix, true, 0))
        }
        (Instruction::Gf2p8Multiply, [a, b]) => of_parts(values, 8, a, b, |values, a, b| multiply(values, 8, a, b)),
        (Instruction::Sha256Rnds2, [cdgh, abef, words]) => sha256_two_rounds(values, cdgh, abef, words),
        (Instruction::Sha256Msg1, [first, next]) => sha256_schedule_first(values, first, next),
        (Instruction::Sha256Msg2, [sums, last]) => sha256_schedule_last(values, sums, last),
        (Instruction::Sha256H, [abcd, efgh, words]) => {
            let [abcd, _] = sha256_four_rounds(values, abcd, efgh, words);
            abcd
        }
        (Instruction::Sha256H2, [efgh, abcd, words]) => {
            let [_, efgh] = sha256_four_rounds(values, abcd, efgh, words);
            efgh
        }
        (Instruction::Sha256Su1, [sums, w8, w12]) => sha256_schedule_rest(values, sums, w8, w12),
        _ => panic!("`{}` has {} operands", instruction.name(), instruction.operands()),
    }
}

/// An operation on each two parts of so many bits.
fn of_parts<V: Values>(
    values: &mut V,
    bits: u32,
    a: &V::Word,
    b: &V::Word,
    operation: impl Fn(&mut V, &V::Word, &V::Word) -> V::Word,
) -> V::Word {
    let (a, b) = (values.split(128, a, bits), values.split(128, b, bits));
    let parts: Vec<_> = a.iter().zip(&b).map(|(a, b)| operation(values, a, b)).collect();
    values.join(bits, &parts)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    Encrypt,
    EncryptLast,
    Decrypt,
    DecryptLast,
}

/// A round of AES (FIPS 197): byte r + 4c of a block is row r of column c.
pub(crate) fn aes_round<V: Values>(values: &mut V, round: Round, state: &V::Word, key: &V::Word) -> V::Word {
    let forward = matches!(round, Round::Encrypt | Round::EncryptLast);
    let table = if forward { &*SUBSTITUTION } else { &*INVERSE_SUBSTITUTION };
    let bytes: Vec<_> = values.split(128, state, 8).iter().map(|byte| look_up(values, table, byte)).collect();
    let shifted: Vec<_> = (0..16).map(|place| bytes[shifted_from(place, forward)].clone()).collect();
    let mixed = match round {
        Round::Encrypt => mix_columns(values, &shifted, [2, 3, 1, 1]),
        Round::Decrypt => mix_columns(values, &shifted, INVERSE),
        _ => shifted,
    };
    let mixed = values.join(8, &mixed);
    values.xor(128, &mixed, key)
}

pub(crate) fn aes_inverse_mix_columns<V: Values>(values: &mut V, key: &V::Word) -> V::Word {
    let bytes = values.split(128, key, 8);
    let mixed = mix_columns(values, &bytes, INVERSE);
    values.join(8, &mixed)
}

/// `aeskeygenassist`: of the words 1 and 3, SubWord, and RotWord of that plus the constant (FIPS 197, section 5.2).
pub(crate) fn aes_key_assist<V: Values>(values: &mut V, key: &V::Word, constant: u32) -> V::Word {
    let constant = values.constant(32, u64::from(constant));
    let words = values.split(128, key, 32);
    let mut result = Vec::with_capacity(4);
    for word in [&words[1], &words[3]] {
        let bytes = values.split(32, word, 8);
        let bytes: Vec<_> = bytes.iter().map(|byte| look_up(values, &SUBSTITUTION, byte)).collect();
        let word = values.join(8, &bytes);
        let rotated = values.rotl(32, &word, 24);
        result.push(word);
        result.push(values.xor(32, &rotated, &constant));
    }
    values.join(32, &result)
}

const INVERSE: [u32; 4] = [14, 11, 13, 9];

/// The place of the byte that ShiftRows, or its inverse, moves to `place`.
fn shifted_from(place: usize, forward: bool) -> usize {
    let (row, column) = (place % 4, place / 4);
    let column = if forward { column + row } else { column + 4 - row };
    row + 4 * (column % 4)
}

/// Byte r of a column is the sum of byte r + k times coefficient k.
fn mix_columns<V: Values>(values: &mut V, bytes: &[V::Word], coefficients: [u32; 4]) -> Vec<V::Word> {
    let mut mixed = Vec::with_capacity(16);
    for place in 0..16 {
        let (row, column) = (place % 4, place / 4 * 4);
        let mut sum = values.constant(8, 0);
        for (distance, coefficient) in coefficients.into_iter().enumerate() {
            let mut multiple = bytes[column + (row + distance) % 4].clone();
            for bit in 0..4 {
                if coefficient >> bit & 1 == 1 {
                    sum = values.xor(8, &sum, &multiple);
                }
                multiple = double(values, &multiple);
            }
        }
        mixed.push(sum);
    }
    mixed
}

/// The S-box of AES (FIPS 197, section 5.1.1).
fn substitution(byte: u8) -> u8 {
    let b = inverse(byte);
    b ^ b.rotate_left(1) ^ b.rotate_left(2) ^ b.rotate_left(3) ^ b.rotate_left(4) ^ 0x63
}

/// The S-box as a table.
pub(crate) static SUBSTITUTION: LazyLock<Table> = LazyLock::new(|| byte_table(substitution));

/// The S-box's inverse (FIPS 197, section 5.3.2).
static INVERSE_SUBSTITUTION: LazyLock<Table> = LazyLock::new(|| {
    let mut inverse = [0; 256];
    for byte in 0..=255 {
        inverse[usize::from(substitution(byte))] = byte;
    }
    byte_table(|byte| inverse[usize::from(byte)])
});

/// The product without carries of a word of 64 bits of each operand: the low one, or the high one if true.
pub(crate) fn product<V: Values>(values: &mut V, operands: [&V::Word; 2], is_high: [bool; 2]) -> V::Word {
    let [a, b] = [0, 1].map(|side| values.extract(128, operands[side], 64 * u32::from(is_high[side]), 64));
    let (low, high) = values.clmul(64, &a, &b);
    values.concat(64, &high, 64, &low)
}

/// A round of SHA-256 (FIPS 180-4, section 6.2.2) on a, …, h; the word is one of the message schedule and the round's constant.
fn sha256_round<V: Values>(values: &mut V, [a, b, c, d, e, f, g, h]: [V::Word; 8], word: &V::Word) -> [V::Word; 8] {
    let choice = {
        let (then, otherwise) = (values.and(32, &e, &f), values.andn(32, &g, &e));
        values.xor(32, &then, &otherwise)
    };
    let majority = {
        let (ab, ac, bc) = (values.and(32, &a, &b), values.and(32, &a, &c), values.and(32, &b, &c));
        let sum = values.xor(32, &ab, &ac);
        values.xor(32, &sum, &bc)
    };
    let of_e = rotated(values, &e, [6, 11, 25]);
    let of_a = rotated(values, &a, [2, 13, 22]);
    let first = [&of_e, &choice, word].into_iter().fold(h, |sum, term| values.add(32, &sum, term));
    let second = values.add(32, &of_a, &majority);
    let next_e = values.add(32, &d, &first);
    [values.add(32, &first, &second), a, b, c, next_e, e, f, g]
}

/// `sha256rnds2`: two rounds. The highest words are a and b of the state, then e and f; and c and d, then g and h. The result is
/// what a, b, e and f are then; c, d, g and h are what these were before.
fn sha256_two_rounds<V: Values>(values: &mut V, cdgh: &V::Word, abef: &V::Word, words: &V::Word) -> V::Word {
    let (cdgh, abef) = (values.split(128, cdgh, 32), values.split(128, abef, 32));
    let mut state = [(&abef, 3), (&abef, 2), (&cdgh, 3), (&cdgh, 2), (&abef, 1), (&abef, 0), (&cdgh, 1), (&cdgh, 0)]
        .map(|(words, lane): (&Vec<V::Word>, usize)| words[lane].clone());
    for word in &values.split(128, words, 32)[..2] {
        state = sha256_round(values, state, word);
    }
    let [a, b, _, _, e, f, _, _] = state;
    values.join(32, &[f, e, b, a])
}

/// `sha256h` and `sha256h2`: four rounds. The lowest words are a and e. The results are a, b, c, d and e, f, g, h.
fn sha256_four_rounds<V: Values>(values: &mut V, abcd: &V::Word, efgh: &V::Word, words: &V::Word) -> [V::Word; 2] {
    let (abcd, efgh) = (values.split(128, abcd, 32), values.split(128, efgh, 32));
    let mut state =
        [0, 1, 2, 3, 4, 5, 6, 7].map(|number| abcd.iter().chain(&efgh).nth(number).cloned().expect("8 words"));
    for word in &values.split(128, words, 32) {
        state = sha256_round(values, state, word);
    }
    [values.join(32, &state[..4]), values.join(32, &state[4..])]
}

/// `sha256msg1`, which is `sha256su0`: words of the message schedule (FIPS 180-4, section 6.2.2) and σ0 of their successors.
fn sha256_schedule_first<V: Values>(values: &mut V, first: &V::Word, next: &V::Word) -> V::Word {
    let mut words = values.split(128, first, 32);
    words.push(values.extract(128, next, 0, 32));
    let sums: Vec<_> = words
        .windows(2)
        .map(|pair| {
            let successor = small_sigma(values, &pair[1], [7, 18], 3);
            values.add(32, &pair[0], &successor)
        })
        .collect();
    values.join(32, &sums)
}

/// `sha256msg2`: words of the message schedule from sums that lack σ1 of the word two places before.
fn sha256_schedule_last<V: Values>(values: &mut V, sums: &V::Word, last: &V::Word) -> V::Word {
    let mut words: Vec<_> = values.split(128, last, 32)[2..].to_vec();
    for (place, sum) in values.split(128, sums, 32).iter().enumerate() {
        let before = small_sigma(values, &words[place], [17, 19], 10);
        words.push(values.add(32, sum, &before));
    }
    values.join(32, &words[2..])
}

/// `sha256su1`: as `sha256msg2`, from sums that lack the words seven places before, too.
fn sha256_schedule_rest<V: Values>(values: &mut V, sums: &V::Word, w8: &V::Word, w12: &V::Word) -> V::Word {
    let mut before = values.split(128, w8, 32);
    before.push(values.extract(128, w12, 0, 32));
    let sums = values.split(128, sums, 32);
    let sums: Vec<_> = sums.iter().zip(&before[1..]).map(|(sum, word)| values.add(32, sum, word)).collect();
    let sums = values.join(32, &sums);
    sha256_schedule_last(values, &sums, w12)
}

/// The sum modulo 2 of a word's rotations to the right.
fn rotated<V: Values>(values: &mut V, word: &V::Word, amounts: [u32; 3]) -> V::Word {
    let [first, second, third] = amounts.map(|amount| values.rotl(32, word, 32 - amount));
    let sum = values.xor(32, &first, &second);
    values.xor(32, &sum, &third)
}

/// The sum modulo 2 of two rotations and a shift, all to the right.
fn small_sigma<V: Values>(values: &mut V, word: &V::Word, rotations: [u32; 2], shift: u32) -> V::Word {
    let [first, second] = rotations.map(|amount| values.rotl(32, word, 32 - amount));
    let shifted = values.shr(32, word, shift);
    let sum = values.xor(32, &first, &second);
    values.xor(32, &sum, &shifted)
}
