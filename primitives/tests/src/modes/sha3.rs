//! SHA3-256 (FIPS 202 §4, §5.1 and §6.1).

use super::{Computes, Mode, Nodes, Sponge, padded};

pub(super) const MODES: &[Mode] = &[Mode {
    name: "SHA3-256",
    primitive: "keccak",
    nodes: &["Keccak_f1600"],
    vectors: "sha3_256.txt",
    computes: Computes::Hash(sha3_256),
}];

/// Number of bytes of the state that a block changes: all except twice the length of the digest.
const RATE: usize = 200 - 2 * 32;

/// The message is followed by the bits 01 and the padding 10…01, from the least significant bit of a byte on.
fn sha3_256(nodes: Nodes, message: &[u8]) -> Vec<u8> {
    let mut state = Sponge::new(nodes, 200, &[]);
    let blocks = padded(message, 0x06, RATE);
    for (i, block) in blocks.iter().enumerate() {
        state.add(0, block);
        if i + 1 == blocks.len() {
            state.add(RATE - 1, &[0x80]);
        }
        state.permute("Keccak_f1600");
    }
    state.bytes(0, 32).to_vec()
}
