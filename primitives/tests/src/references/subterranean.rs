//! Subterranean 2.0 (ToSC 2020, special issue 1). Each bit of a round's result is computed from nine bits of its
//! argument.

use super::{Reference, node};

pub(super) const REFERENCES: &[Reference] = &[
    node("Subterranean 2.0", "Subterranean_round", |parameters| bytes(&round(&bits(parameters[0], 257)))),
    node("Subterranean 2.0", "Subterranean_duplex", |parameters| {
        bytes(&duplex(&bits(parameters[0], 257), &bits(parameters[1], 33)))
    }),
    node("Subterranean 2.0", "Subterranean_output", |parameters| {
        let state = bits(parameters[0], 257);
        let output: Vec<bool> = places().take(32).map(|place| state[place] ^ state[257 - place]).collect();
        bytes(&output)
    }),
    node("Subterranean 2.0", "Subterranean_blank", |parameters| {
        let mut padded = [false; 33];
        padded[0] = true;
        bytes(&(0..8).fold(bits(parameters[0], 257), |state, _| duplex(&state, &padded)))
    }),
];

fn round(s: &[bool]) -> Vec<bool> {
    let chi_iota = |i: usize| {
        let [a, b, c] = [i, i + 1, i + 2].map(|i| s[i % 257]);
        a ^ (!b && c) ^ i.is_multiple_of(257)
    };
    (0..257).map(|i| 12 * i).map(|i| chi_iota(i) ^ chi_iota(i + 3) ^ chi_iota(i + 8)).collect()
}

fn duplex(state: &[bool], padded: &[bool]) -> Vec<bool> {
    let mut state = round(state);
    places().zip(padded).for_each(|(place, bit)| state[place] ^= bit);
    state
}

/// The powers of 12^4 modulo 257.
fn places() -> impl Iterator<Item = usize> {
    std::iter::successors(Some(1), |place| Some(place * 12 * 12 * 12 * 12 % 257))
}

/// The first bits of bytes, most significant first.
fn bits(bytes: &[u8], count: usize) -> Vec<bool> {
    (0..count).map(|i| bytes[i / 8] >> (7 - i % 8) & 1 == 1).collect()
}

fn bytes(bits: &[bool]) -> Vec<u8> {
    bits.chunks(8).map(|byte| byte.iter().enumerate().fold(0, |b, (i, &bit)| b | u8::from(bit) << (7 - i))).collect()
}
