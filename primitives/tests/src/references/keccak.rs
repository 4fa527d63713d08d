//! Keccak-f[1600] by RustCrypto.

use super::{Reference, node};

pub(super) const REFERENCES: &[Reference] =
    &[node("Keccak-f[1600]", "Keccak_f1600", |parameters| permutation(parameters[0]))];

fn permutation(state: &[u8]) -> Vec<u8> {
    let mut lanes = [0u64; 25];
    for (lane, bytes) in lanes.iter_mut().zip(state.chunks(8)) {
        *lane = u64::from_le_bytes(bytes.try_into().expect("200 bytes are 25 lanes"));
    }
    keccak::f1600(&mut lanes);
    lanes.iter().flat_map(|lane| lane.to_le_bytes()).collect()
}
