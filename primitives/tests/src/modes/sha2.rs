//! SHA-256 and SHA-512 (FIPS 180-4 §5.1, §6.2 and §6.4).

use super::{Computes, Mode, Nodes};

pub(super) const MODES: &[Mode] = &[
    Mode {
        name: "SHA-256",
        primitive: "sha256",
        nodes: &["SHA256_compress"],
        vectors: "sha256.txt",
        computes: Computes::Hash(|nodes, message| {
            let initial = SHA256_INITIAL.iter().flat_map(|word| word.to_be_bytes()).collect();
            hash(nodes, "SHA256_compress", initial, 64, message)
        }),
    },
    Mode {
        name: "SHA-512",
        primitive: "sha512",
        nodes: &["SHA512_compress"],
        vectors: "sha512.txt",
        computes: Computes::Hash(|nodes, message| {
            let initial = SHA512_INITIAL.iter().flat_map(|word| word.to_be_bytes()).collect();
            hash(nodes, "SHA512_compress", initial, 128, message)
        }),
    },
];

/// FIPS 180-4 §5.3.3.
const SHA256_INITIAL: [u32; 8] =
    [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/// FIPS 180-4 §5.3.5.
const SHA512_INITIAL: [u64; 8] = [
    0x6a09e667f3bcc908,
    0xbb67ae8584caa73b,
    0x3c6ef372fe94f82b,
    0xa54ff53a5f1d36f1,
    0x510e527fade682d1,
    0x9b05688c2b3e6c1f,
    0x1f83d9abfb41bd6b,
    0x5be0cd19137e2179,
];

/// The hash of a message. Every block changes the hash value. The last one is filled with a 1 bit, zeros, and the
/// length in bits, which takes an eighth of a block.
fn hash(nodes: Nodes, compress: &str, initial: Vec<u8>, block: usize, message: &[u8]) -> Vec<u8> {
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + block / 8).next_multiple_of(block) - 8, 0);
    padded.extend((8 * message.len() as u64).to_be_bytes());
    padded.chunks(block).fold(initial, |value, block| nodes(compress, &[&value, block]))
}
