//! Modes of operation with published known answers, for primitives that have no or few answers of their own. Each is
//! written from its specification and calls nodes. There is one file for each family; [`FAMILIES`] is the registry.

mod ace;
mod ascon;
mod elephant;
mod gimli;
mod photon_beetle;
mod sha2;
mod sha3;
mod spook;
mod subterranean;
mod xoodyak;

/// A mode, and its published answers.
pub struct Mode {
    pub name: &'static str,
    /// The description's file name without extension.
    pub primitive: &'static str,
    /// The nodes that the mode calls.
    pub nodes: &'static [&'static str],
    /// A file of `vectors/`. Each line has the name of a test, the inputs of [`Computes`], and the output.
    pub vectors: &'static str,
    pub computes: Computes,
}

/// The computation of a mode on the bytes of a line.
pub enum Computes {
    /// Key, nonce, associated data, message → ciphertext, followed by the tag, which may be separate words in the file.
    Aead(fn(nodes: Nodes, message: &Message) -> Vec<u8>),
    /// message → digest
    Hash(fn(nodes: Nodes, message: &[u8]) -> Vec<u8>),
}

/// The input of authenticated encryption.
pub struct Message<'a> {
    pub key: &'a [u8],
    pub nonce: &'a [u8],
    pub associated: &'a [u8],
    pub plain: &'a [u8],
}

/// Computes the single result of a node for one instance, from its parameters.
pub type Nodes<'a> = &'a dyn Fn(&str, &[&[u8]]) -> Vec<u8>;

const FAMILIES: &[&[Mode]] = &[
    ace::MODES,
    ascon::MODES,
    elephant::MODES,
    gimli::MODES,
    photon_beetle::MODES,
    sha2::MODES,
    sha3::MODES,
    spook::MODES,
    subterranean::MODES,
    xoodyak::MODES,
];

/// Every mode.
pub fn all() -> impl Iterator<Item = &'static Mode> {
    FAMILIES.iter().flat_map(|family| family.iter())
}

/// The state of a sponge.
struct Sponge<'a> {
    state: Vec<u8>,
    nodes: Nodes<'a>,
}

impl<'a> Sponge<'a> {
    /// A state of `size` bytes that begins with `start` and is filled up with zeros.
    fn new(nodes: Nodes<'a>, size: usize, start: &[u8]) -> Sponge<'a> {
        let mut state = start.to_vec();
        state.resize(size, 0);
        Sponge { state, nodes }
    }

    fn permute(&mut self, node: &str) {
        self.state = (self.nodes)(node, &[&self.state]);
    }

    /// Adds bytes to those of the state, from position `at` on.
    fn add(&mut self, at: usize, bytes: &[u8]) {
        self.state[at..at + bytes.len()].iter_mut().zip(bytes).for_each(|(s, b)| *s ^= b);
    }

    fn bytes(&self, at: usize, count: usize) -> &[u8] {
        &self.state[at..at + count]
    }
}

/// The message, the byte `one`, and zeros, in blocks of `size` bytes.
fn padded(message: &[u8], one: u8, size: usize) -> Vec<Vec<u8>> {
    let mut message = message.to_vec();
    message.push(one);
    message.resize(message.len().next_multiple_of(size), 0);
    message.chunks(size).map(<[u8]>::to_vec).collect()
}
