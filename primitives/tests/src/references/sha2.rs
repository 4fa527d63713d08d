//! The compression functions of SHA-2 by RustCrypto.

use cipher::generic_array::GenericArray;

use super::{Reference, node};

pub(super) const REFERENCES: &[Reference] = &[
    node("SHA-256 compression", "SHA256_compress", |parameters| compress256(parameters[0], parameters[1])),
    node("SHA-512 compression", "SHA512_compress", |parameters| compress512(parameters[0], parameters[1])),
];

fn compress256(hash: &[u8], block: &[u8]) -> Vec<u8> {
    let word = |i: usize| u32::from_be_bytes(hash[4 * i..4 * i + 4].try_into().expect("four bytes"));
    let mut state = std::array::from_fn(word);
    sha2::compress256(&mut state, &[GenericArray::clone_from_slice(block)]);
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

fn compress512(hash: &[u8], block: &[u8]) -> Vec<u8> {
    let word = |i: usize| u64::from_be_bytes(hash[8 * i..8 * i + 8].try_into().expect("eight bytes"));
    let mut state = std::array::from_fn(word);
    sha2::compress512(&mut state, &[GenericArray::clone_from_slice(block)]);
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}
