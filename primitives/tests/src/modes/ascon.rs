//! Ascon-AEAD128 and Ascon-Hash256 (NIST SP 800-232 §4 and §5.1); Ascon-128 and Ascon-Hash (Ascon v1.2 §2.4 and §2.5).

use super::{Computes, Message, Mode, Nodes, Sponge, padded};

pub(super) const MODES: &[Mode] = &[
    Mode {
        name: "Ascon-AEAD128",
        primitive: "ascon",
        nodes: &["Ascon_p12_le", "Ascon_p8_le"],
        vectors: "ascon_aead128.txt",
        computes: Computes::Aead(|nodes, message| ASCON_AEAD128.encrypt(nodes, message)),
    },
    Mode {
        name: "Ascon-Hash256",
        primitive: "ascon",
        nodes: &["Ascon_p12_le"],
        vectors: "ascon_hash256.txt",
        computes: Computes::Hash(|nodes, message| {
            hash(nodes, "Ascon_p12_le", &[0x02, 0x00, 0xcc, 0x00, 0x01, 0x08, 0x00, 0x00], 0x01, message)
        }),
    },
    Mode {
        name: "Ascon-128",
        primitive: "ascon",
        nodes: &["Ascon_p12", "Ascon_p6"],
        vectors: "ascon128_v12.txt",
        computes: Computes::Aead(|nodes, message| ASCON_128.encrypt(nodes, message)),
    },
    Mode {
        name: "Ascon-Hash",
        primitive: "ascon",
        nodes: &["Ascon_p12"],
        vectors: "ascon_hash_v12.txt",
        computes: Computes::Hash(|nodes, message| {
            hash(nodes, "Ascon_p12", &[0x00, 0x40, 0x0c, 0x00, 0x00, 0x00, 0x01, 0x00], 0x80, message)
        }),
    },
];

/// The parameters in which the two schemes of authenticated encryption differ.
struct Scheme {
    initial_value: [u8; 8],
    /// The permutation for initialisation and finalisation; `inner` is that for data.
    outer: &'static str,
    inner: &'static str,
    rate: usize,
    /// The byte that consists of a 1 bit and zeros. SP 800-232 counts the bits of a byte from the least significant.
    one: u8,
    /// The byte that is added to the last byte of the state to separate associated data from the message.
    separator: u8,
}

const ASCON_AEAD128: Scheme = Scheme {
    initial_value: [0x01, 0x00, 0x8c, 0x80, 0x00, 0x10, 0x00, 0x00],
    outer: "Ascon_p12_le",
    inner: "Ascon_p8_le",
    rate: 16,
    one: 0x01,
    separator: 0x80,
};

const ASCON_128: Scheme = Scheme {
    initial_value: [0x80, 0x40, 0x0c, 0x06, 0x00, 0x00, 0x00, 0x00],
    outer: "Ascon_p12",
    inner: "Ascon_p6",
    rate: 8,
    one: 0x80,
    separator: 0x01,
};

impl Scheme {
    fn encrypt(&self, nodes: Nodes, &Message { key, nonce, associated, plain }: &Message) -> Vec<u8> {
        let mut state = Sponge::new(nodes, 40, &[&self.initial_value, key, nonce].concat());
        state.permute(self.outer);
        state.add(24, key);
        if !associated.is_empty() {
            for block in padded(associated, self.one, self.rate) {
                state.add(0, &block);
                state.permute(self.inner);
            }
        }
        state.add(39, &[self.separator]);
        let mut cipher = Vec::new();
        let blocks = padded(plain, self.one, self.rate);
        for (i, block) in blocks.iter().enumerate() {
            if i > 0 {
                state.permute(self.inner);
            }
            state.add(0, block);
            cipher.extend(state.bytes(0, self.rate));
        }
        cipher.truncate(plain.len());
        state.add(self.rate, key);
        state.permute(self.outer);
        state.add(24, key);
        cipher.extend(state.bytes(24, 16));
        cipher
    }
}

fn hash(nodes: Nodes, permutation: &str, initial_value: &[u8], one: u8, message: &[u8]) -> Vec<u8> {
    let mut state = Sponge::new(nodes, 40, initial_value);
    state.permute(permutation);
    for block in padded(message, one, 8) {
        state.add(0, &block);
        state.permute(permutation);
    }
    let mut digest = state.bytes(0, 8).to_vec();
    while digest.len() < 32 {
        state.permute(permutation);
        digest.extend(state.bytes(0, 8));
    }
    digest
}
