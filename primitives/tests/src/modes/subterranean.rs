//! Subterranean-SAE and Subterranean-XOF (the Subterranean 2.0 paper).

use super::{Computes, Message, Mode, Nodes, Sponge};

const NODES: &[&str] = &["Subterranean_duplex", "Subterranean_output", "Subterranean_blank"];

pub(super) const MODES: &[Mode] = &[
    Mode {
        name: "Subterranean-SAE",
        primitive: "subterranean",
        nodes: NODES,
        vectors: "subterranean_sae.txt",
        computes: Computes::Aead(encrypt),
    },
    Mode {
        name: "Subterranean-XOF",
        primitive: "subterranean",
        nodes: NODES,
        vectors: "subterranean_xof.txt",
        computes: Computes::Hash(hash),
    },
];

/// The duplex object, of 257 bits.
struct Duplex<'a>(Sponge<'a>);

impl<'a> Duplex<'a> {
    fn new(nodes: Nodes<'a>) -> Self {
        Duplex(Sponge::new(nodes, 33, &[]))
    }

    /// Absorbs at most four bytes. The programs take the first bit of a string as the most significant bit of its byte.
    fn duplex(&mut self, string: &[u8]) {
        let mut padded: Vec<u8> = string.iter().map(|byte| byte.reverse_bits()).collect();
        padded.push(0x80);
        padded.resize(5, 0);
        self.0.state = (self.0.nodes)("Subterranean_duplex", &[&self.0.state, &padded]);
    }

    fn output(&self) -> Vec<u8> {
        let bytes = (self.0.nodes)("Subterranean_output", &[&self.0.state]);
        bytes.iter().map(|byte| byte.reverse_bits()).collect()
    }

    /// Absorbs blocks of four bytes, the last one shorter. Returns the sum of each block with the output before it.
    fn absorb(&mut self, string: &[u8]) -> Vec<u8> {
        let mut sum = Vec::new();
        for at in (0..=string.len()).step_by(4) {
            let block = &string[at..string.len().min(at + 4)];
            sum.extend(block.iter().zip(self.output()).map(|(b, z)| b ^ z));
            self.duplex(block);
        }
        sum
    }

    fn blank(&mut self) {
        self.0.permute("Subterranean_blank");
    }

    fn squeeze(&mut self, count: usize) -> Vec<u8> {
        let mut output = Vec::new();
        while output.len() < count {
            output.extend(self.output());
            self.duplex(&[]);
        }
        output
    }
}

fn encrypt(nodes: Nodes, message: &Message) -> Vec<u8> {
    let mut state = Duplex::new(nodes);
    state.absorb(message.key);
    state.absorb(message.nonce);
    state.blank();
    state.absorb(message.associated);
    let mut cipher = state.absorb(message.plain);
    state.blank();
    cipher.extend(state.squeeze(16));
    cipher
}

/// The hash of a message. Without a key, a block has one byte and two rounds.
fn hash(nodes: Nodes, message: &[u8]) -> Vec<u8> {
    let mut state = Duplex::new(nodes);
    for at in 0..=message.len() {
        state.duplex(&message[at..message.len().min(at + 1)]);
        state.duplex(&[]);
    }
    state.blank();
    state.squeeze(32)
}
