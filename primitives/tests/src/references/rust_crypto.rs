//! RustCrypto's block ciphers.

use aes::{Aes128, Aes192, Aes256};
use cipher::generic_array::GenericArray;
use cipher::{BlockEncrypt, KeyInit};
use des::{Des, TdesEde3};
use serpent::Serpent;

use super::{Reference, block};

pub(super) const REFERENCES: &[Reference] = &[
    block("AES-128", encrypt::<Aes128>),
    block("AES-128, fixsliced", encrypt::<Aes128>),
    block("AES-192", encrypt::<Aes192>),
    block("AES-192, fixsliced", encrypt::<Aes192>),
    block("AES-256", encrypt::<Aes256>),
    block("AES-256, fixsliced", encrypt::<Aes256>),
    block("DES", encrypt::<Des>),
    block("TDEA", encrypt::<TdesEde3>),
    block("Serpent-128", encrypt::<Serpent>),
    block("Serpent-192", encrypt::<Serpent>),
    block("Serpent-256", encrypt::<Serpent>),
];

fn encrypt<C: BlockEncrypt + KeyInit>(key: &[u8], block: &[u8]) -> Vec<u8> {
    let mut block = GenericArray::clone_from_slice(block);
    C::new_from_slice(key).expect("the key has a permitted length").encrypt_block(&mut block);
    block.to_vec()
}
