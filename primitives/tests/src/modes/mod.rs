//! Modes of operation that carry published known answers to a primitive that has none, or few, of its own. Each is
//! written from its specification and calls nodes; one file a family, [`FAMILIES`] is the registry.

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

/// A mode, and the answers published for it.
pub struct Mode {
    pub name: &'static str,
    /// The description's file name without extension.
    pub primitive: &'static str,
    /// The nodes that the mode calls.
    pub nodes: &'static [&'static str],
    /// A file of `vectors/`; its lines are a test's name and the inputs and the output of [`Computes`].
    pub vectors: &'static str,
    pub computes: Computes,
}

/// What a mode does with the bytes of a line.
pub enum Computes {
    /// key, nonce, associated data, message → ciphertext, followed by the tag; the two may be words of their own.
    Aead(fn(nodes: Nodes, message: &Message) -> Vec<u8>),
    /// message → digest
    Hash(fn(nodes: Nodes, message: &[u8]) -> Vec<u8>),
}

/// What authenticated encryption works on.
pub struct Message<'a> {
    pub key: &'a [u8],
    pub nonce: &'a [u8],
    pub associated: &'a [u8],
    pub plain: &'a [u8],
}

/// The one result of a node, from its parameters, for one instance.
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
    /// A state of `size` bytes that begins with `start` and goes on with zeros.
    fn new(nodes: Nodes<'a>, size: usize, start: &[u8]) -> Sponge<'a> {
        let mut state = start.to_vec();
        state.resize(size, 0);
        Sponge { state, nodes }
    }

    fn permute(&mut self, node: &str) {
        self.state = (self.nodes)(node, &[&self.state]);
    }

    /// Adds bytes to those of the state from `at` on.
    fn add(&mut self, at: usize, bytes: &[u8]) {
        self.state[at..at + bytes.len()].iter_mut().zip(bytes).for_each(|(s, b)| *s ^= b);
    }

    fn bytes(&self, at: usize, count: usize) -> &[u8] {
        &self.state[at..at + count]
    }
}

/// Blocks of `size` bytes: the message, the byte `one`, zeros.
fn padded(message: &[u8], one: u8, size: usize) -> Vec<Vec<u8>> {
    let mut message = message.to_vec();
    message.push(one);
    message.resize(message.len().next_multiple_of(size), 0);
    message.chunks(size).map(<[u8]>::to_vec).collect()
}
