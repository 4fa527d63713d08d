//! Dumbo of Elephant v1 (submission to NIST, second round, §2), over Spongent-π[160]; v2 has the same permutation.

use super::{Computes, Message, Mode, Nodes, padded};

pub(super) const MODES: &[Mode] = &[Mode {
    name: "Dumbo v1",
    primitive: "spongent160",
    nodes: &["Spongent_pi_160"],
    vectors: "elephant_dumbo_v1.txt",
    computes: Computes::Aead(encrypt),
}];

const BLOCK: usize = 20;

type Block = [u8; BLOCK];

fn encrypt(nodes: Nodes, message: &Message) -> Vec<u8> {
    let permutation = |block: &Block| -> Block {
        nodes("Spongent_pi_160", &[block]).try_into().expect("the permutation keeps the length")
    };
    let masked = |block: &[u8], mask: &Block| sum(&permutation(&sum(&filled(block), mask)), mask);
    // The submission's implementation, which made the published answers, keeps 16 bytes of the expanded key.
    let expanded = filled(&permutation(&filled(message.key))[..16]);
    // φ₁ⁱ of the expanded key; φ₂ is φ₁ plus the identity.
    let phi = |i: usize| (0..i).fold(expanded, |mask, _| step(&mask));

    let mut cipher = Vec::new();
    for (i, block) in message.plain.chunks(BLOCK).enumerate() {
        cipher.extend(block.iter().zip(masked(message.nonce, &phi(i))).map(|(m, s)| m ^ s));
    }
    let mut tag = [0; BLOCK];
    let blocks = if cipher.is_empty() { Vec::new() } else { padded(&cipher, 1, BLOCK) };
    for (i, block) in blocks.iter().enumerate() {
        tag = sum(&tag, &masked(block, &sum(&phi(i), &phi(i + 1))));
    }
    for (i, block) in padded(&[message.nonce, message.associated].concat(), 1, BLOCK).iter().enumerate() {
        tag = sum(&tag, &masked(block, &sum(&phi(i), &phi(i + 2))));
    }
    [&cipher, &tag[..8]].concat()
}

/// A block that begins with these bytes and is filled up with zeros.
fn filled(bytes: &[u8]) -> Block {
    std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(0))
}

fn sum(a: &Block, b: &Block) -> Block {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// φ₁: a shift register of bytes.
fn step(mask: &Block) -> Block {
    let new = mask[0].rotate_left(3) ^ mask[3] << 7 ^ mask[13] >> 7;
    std::array::from_fn(|i| if i + 1 < BLOCK { mask[i + 1] } else { new })
}
