//! Other implementations of the primitives: RustCrypto's if there is one, otherwise a simple one of our own from the
//! specification. It works on whole numbers, bit by bit or column by column, and shares nothing with the programs.
//! There is one file for each family; [`FAMILIES`] is the registry.

mod ace;
mod ascon;
mod chacha20;
pub(crate) mod clyde;
mod gift;
mod gimli;
mod keccak;
mod photon;
mod present;
mod pyjamask;
mod rectangle;
mod rust_crypto;
mod salsa20;
mod sha2;
mod skinny;
mod spongent;
mod subterranean;
mod trivium;
mod xoodoo;

/// Another implementation of a primitive.
pub struct Reference {
    /// The primitive's name.
    pub primitive: &'static str,
    pub computes: Computes,
}

pub enum Computes {
    /// The image of a block under a key, by the cipher of the table `[block]`.
    Block(fn(key: &[u8], block: &[u8]) -> Vec<u8>),
    /// The single result of a node, from the parameters of one instance in the node's order.
    Node(&'static str, fn(parameters: &[&[u8]]) -> Vec<u8>),
}

const fn block(primitive: &'static str, encrypt: fn(&[u8], &[u8]) -> Vec<u8>) -> Reference {
    Reference { primitive, computes: Computes::Block(encrypt) }
}

const fn node(primitive: &'static str, node: &'static str, image: fn(&[&[u8]]) -> Vec<u8>) -> Reference {
    Reference { primitive, computes: Computes::Node(node, image) }
}

const FAMILIES: &[&[Reference]] = &[
    rust_crypto::REFERENCES,
    ace::REFERENCES,
    ascon::REFERENCES,
    chacha20::REFERENCES,
    clyde::REFERENCES,
    gift::REFERENCES,
    gimli::REFERENCES,
    keccak::REFERENCES,
    photon::REFERENCES,
    present::REFERENCES,
    pyjamask::REFERENCES,
    rectangle::REFERENCES,
    salsa20::REFERENCES,
    sha2::REFERENCES,
    skinny::REFERENCES,
    spongent::REFERENCES,
    subterranean::REFERENCES,
    trivium::REFERENCES,
    xoodoo::REFERENCES,
];

/// All implementations of a primitive, or of parts of it.
pub fn of(primitive: &str) -> Vec<&'static Computes> {
    let all = FAMILIES.iter().flat_map(|family| family.iter());
    all.filter(|reference| reference.primitive == primitive).map(|reference| &reference.computes).collect()
}

/// The number with these bytes, most significant first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |n, &b| n << 8 | u64::from(b))
}
