//! Xoodyak: the mode Cyclist with Xoodoo[12] (the Xoodyak submission).

use super::{Computes, Message, Mode, Nodes, Sponge};

pub(super) const MODES: &[Mode] = &[
    Mode {
        name: "Xoodyak",
        primitive: "xoodoo",
        nodes: &["Xoodoo"],
        vectors: "xoodyak.txt",
        computes: Computes::Aead(|nodes, message| {
            let mut cyclist = Cyclist::keyed(nodes, message.key, message.nonce);
            cyclist.encrypt(message)
        }),
    },
    // The version of round 2 absorbs the nonce as associated data instead of as the key's identifier.
    Mode {
        name: "Xoodyak, round 2",
        primitive: "xoodoo",
        nodes: &["Xoodoo"],
        vectors: "xoodyak_round2.txt",
        computes: Computes::Aead(|nodes, message| {
            let mut cyclist = Cyclist::keyed(nodes, message.key, &[]);
            cyclist.absorb(message.nonce, KEYED_INPUT, 0x03);
            cyclist.encrypt(message)
        }),
    },
    Mode {
        name: "Xoodyak hash",
        primitive: "xoodoo",
        nodes: &["Xoodoo"],
        vectors: "xoodyak_hash.txt",
        computes: Computes::Hash(|nodes, message| {
            let mut cyclist = Cyclist::new(nodes, false);
            cyclist.absorb(message, HASH, 0x03);
            cyclist.squeeze(32, HASH)
        }),
    },
];

/// Rates in bytes.
const HASH: usize = 16;
const KEYED_INPUT: usize = 44;
const KEYED_OUTPUT: usize = 24;

struct Cyclist<'a> {
    state: Sponge<'a>,
    keyed: bool,
    up: bool,
}

impl<'a> Cyclist<'a> {
    fn new(nodes: Nodes<'a>, keyed: bool) -> Self {
        Cyclist { state: Sponge::new(nodes, 48, &[]), keyed, up: true }
    }

    fn keyed(nodes: Nodes<'a>, key: &[u8], identifier: &[u8]) -> Self {
        let mut cyclist = Cyclist::new(nodes, true);
        cyclist.absorb(&[key, identifier, &[identifier.len() as u8]].concat(), KEYED_INPUT, 0x02);
        cyclist
    }

    fn up(&mut self, colour: u8) {
        if self.keyed {
            self.state.add(47, &[colour]);
        }
        self.state.permute("Xoodoo");
        self.up = true;
    }

    fn down(&mut self, block: &[u8], colour: u8) {
        self.state.add(0, block);
        self.state.add(block.len(), &[1]);
        self.state.add(47, &[if self.keyed { colour } else { colour & 1 }]);
        self.up = false;
    }

    fn absorb(&mut self, string: &[u8], rate: usize, colour: u8) {
        for (i, block) in blocks(string, rate).into_iter().enumerate() {
            if !self.up {
                self.up(0);
            }
            self.down(block, if i == 0 { colour } else { 0 });
        }
    }

    fn encrypt(&mut self, message: &Message) -> Vec<u8> {
        self.absorb(message.associated, KEYED_INPUT, 0x03);
        let mut cipher = Vec::new();
        for (i, block) in blocks(message.plain, KEYED_OUTPUT).into_iter().enumerate() {
            self.up(if i == 0 { 0x80 } else { 0 });
            cipher.extend(block.iter().zip(self.state.bytes(0, block.len())).map(|(m, s)| m ^ s));
            self.down(block, 0);
        }
        cipher.extend(self.squeeze(16, KEYED_OUTPUT));
        cipher
    }

    fn squeeze(&mut self, count: usize, rate: usize) -> Vec<u8> {
        self.up(0x40);
        let mut output = self.state.bytes(0, rate).to_vec();
        while output.len() < count {
            self.down(&[], 0);
            self.up(0);
            output.extend(self.state.bytes(0, rate));
        }
        output.truncate(count);
        output
    }
}

/// The blocks of a string. The empty string has one empty block.
fn blocks(string: &[u8], size: usize) -> Vec<&[u8]> {
    if string.is_empty() { vec![string] } else { string.chunks(size).collect() }
}
