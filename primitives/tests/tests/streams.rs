//! Programs whose results are streams, by the interpreter and as C, compared with other implementations.

use aes::{Aes128, Aes256};
use chacha20::{ChaCha20, XChaCha20, hchacha};
use cipher::consts::U10;
use cipher::{Block, BlockEncrypt, KeyInit, KeyIvInit, StreamCipher, StreamCipherSeek};
use culet_driver::parse_hex;
use culet_ir::Target;
use culet_primitives_tests::references::{self, Computes};
use culet_primitives_tests::{Bytes, shelf};
use culet_testing::draw;
use salsa20::{Salsa20, hsalsa};

#[test]
fn chacha20_of_every_number_of_blocks() {
    for (name, engine) in shelf::engines("streams", "chacha20") {
        let mut bytes = Bytes::new("chacha20");
        for blocks in 0..20 {
            let (key, nonce, text) = (bytes.take(32), bytes.take(12), bytes.take(64 * blocks));
            let counter = blocks as u32 * 1000;
            let mut expected = text.clone();
            let mut cipher = ChaCha20::new(key.as_slice().into(), nonce.as_slice().into());
            cipher.seek(u64::from(counter) * 64);
            cipher.apply_keystream(&mut expected);
            let found = engine.run(&[&key, &counter.to_le_bytes(), &nonce, &text], 1).concat();
            assert_eq!(found, expected, "{name}, {blocks} blocks");
        }
    }
}

/// The counter passes 2^32, where its second word begins to count.
#[test]
fn salsa20_of_every_number_of_blocks() {
    for (name, engine) in shelf::engines("streams", "salsa20") {
        let mut bytes = Bytes::new("salsa20");
        for blocks in 0..20 {
            for counter in [blocks as u64 * 1000, (1 << 32) - 3] {
                let (key, nonce, text) = (bytes.take(32), bytes.take(8), bytes.take(64 * blocks));
                let mut expected = text.clone();
                let mut cipher = Salsa20::new(key.as_slice().into(), nonce.as_slice().into());
                cipher.seek(counter * 64);
                cipher.apply_keystream(&mut expected);
                let found = engine.run(&[&key, &nonce, &counter.to_le_bytes(), &text], 1).concat();
                assert_eq!(found, expected, "{name}, {blocks} blocks from {counter} on");
            }
        }
    }
}

/// AES in counter mode: NIST SP 800-38A, F.5.1 and F.5.5, and random blocks whose counters pass 2^32, after which the last 32 bits of a
/// counter block begin with zero.
#[test]
fn aes_ctr_of_every_number_of_blocks() {
    let plain = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                 30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
    aes_ctr(
        ["aes128_keys", "aes128_ctr"],
        16,
        |key, block| aes::Aes128::new(key.into()).encrypt_block(block.into()),
        [
            "2b7e151628aed2a6abf7158809cf4f3c",
            plain,
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
             5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
        ],
    );
    aes_ctr(
        ["aes256_keys", "aes256_ctr"],
        32,
        |key, block| aes::Aes256::new(key.into()).encrypt_block(block.into()),
        [
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            plain,
            "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
             2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
        ],
    );
}

fn aes_ctr(nodes: [&str; 2], key_bytes: usize, encrypt: fn(&[u8], &mut [u8]), published: [&str; 3]) {
    let [key, plain, encrypted] = published.map(|digits| parse_hex(digits).expect("hex"));
    let counter = parse_hex("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff").expect("hex");
    for (name, [keys, ctr]) in shelf::engines_of_nodes(nodes.map(|node| ("streams", "aes_ctr", node))) {
        let crypt = |key: &[u8], counter: &[u8], text: &[u8]| {
            let round_keys = keys.run(&[key], 1).concat();
            ctr.run(&[&round_keys, counter, text], 1).concat()
        };
        assert_eq!(crypt(&key, &counter, &plain), encrypted, "{name}");
        let mut bytes = Bytes::new("aes_ctr");
        for groups in 0..12 {
            let (key, text) = (bytes.take(key_bytes), bytes.take(64 * groups));
            let (nonce, number) = (bytes.take(12), (groups as u32).wrapping_mul(3).wrapping_sub(20));
            let block = |index: usize| [&nonce[..], &number.wrapping_add(index as u32).to_be_bytes()].concat();
            let mut expected: Vec<Vec<u8>> = (0..4 * groups).map(block).collect();
            expected.iter_mut().for_each(|block| encrypt(&key, block));
            let expected: Vec<u8> = expected.concat().iter().zip(&text).map(|(mask, byte)| mask ^ byte).collect();
            assert_eq!(crypt(&key, &block(0), &text), expected, "{name}, {groups} groups");
        }
    }
}

/// The last word of the counter passes 2^32, which leaves the other words as they are.
#[test]
fn aes_in_counter_mode_by_instructions() {
    fn every_number_of_blocks<C: BlockEncrypt + KeyInit>(bits: usize, targets: &[Target]) {
        let names = [format!("aes{bits}_keys"), format!("aes{bits}_ctr")];
        let [keys, ctr] = names.map(|node| shelf::engines_by_instructions(("streams", "aes_rounds", &node), targets));
        assert_eq!(keys.len(), ctr.len());
        for ((_, keys), (name, ctr)) in keys.iter().zip(&ctr) {
            let mut bytes = Bytes::new("aes");
            for elements in 0..12 {
                let (key, mut counter, text) = (bytes.take(bits / 8), bytes.take(16), bytes.take(64 * elements));
                if elements % 2 == 0 {
                    counter[12..].copy_from_slice(&(u32::MAX - 5).to_be_bytes());
                }
                let cipher = C::new_from_slice(&key).expect("a key");
                let first = u32::from_be_bytes(counter[12..].try_into().expect("a word"));
                let mut expected = text.clone();
                for (block, number) in expected.chunks_mut(16).zip(0..) {
                    let mut stream = Block::<C>::clone_from_slice(&counter);
                    stream[12..].copy_from_slice(&first.wrapping_add(number).to_be_bytes());
                    cipher.encrypt_block(&mut stream);
                    block.iter_mut().zip(stream).for_each(|(byte, other)| *byte ^= other);
                }
                let round_keys = keys.run(&[&key], 1).concat();
                let found = ctr.run(&[&round_keys, &counter, &text], 1).concat();
                assert_eq!(found, expected, "{name}, {elements} elements");
            }
        }
    }
    every_number_of_blocks::<Aes128>(128, &[Target::Avx2, Target::Avx512Vaes, Target::Neon, Target::Vsx]);
    every_number_of_blocks::<Aes256>(256, &[Target::Avx2, Target::Avx512Vaes, Target::Vsx]);
}

/// Keys for nonces that are longer, and the one-time key, which is half of block 0 of the key stream.
#[test]
fn derived_keys() {
    type Derives = fn(&[u8], &[u8]) -> Vec<u8>;
    let all: [(&str, usize, Derives); 3] = [
        ("hchacha20", 16, |key, nonce| hchacha::<U10>(key.into(), nonce.into()).to_vec()),
        ("hsalsa20", 16, |key, nonce| hsalsa::<U10>(key.into(), nonce.into()).to_vec()),
        ("poly1305_key", 12, |key, nonce| {
            let mut half = vec![0; 32];
            ChaCha20::new(key.into(), nonce.into()).apply_keystream(&mut half);
            half
        }),
    ];
    for (stem, length, derive) in all {
        for (name, engine) in shelf::engines("streams", stem) {
            let mut bytes = Bytes::new(stem);
            for _ in 0..50 {
                let (key, nonce) = (bytes.take(32), bytes.take(length));
                assert_eq!(engine.run(&[&key, &nonce], 1).concat(), derive(&key, &nonce), "{name}");
            }
        }
    }
}

/// Streams of different lengths in one program, and results whose elements have other sizes than those of their
/// sources.
#[test]
fn streams_beside_one_another() {
    for (name, engine) in shelf::engines("tests/programs", "streams") {
        let mut bytes = Bytes::new("streams");
        for (words, count) in [(0, 0), (1, 0), (0, 1), (3, 5), (7, 2), (20, 33)] {
            let (numbers, letters) = (bytes.take(8 * words), bytes.take(count));
            let turned: Vec<u8> = numbers.chunks(8).flat_map(|word| word.iter().rev().copied()).collect();
            let mut sum = 7u8;
            let sums: Vec<u8> = letters
                .iter()
                .flat_map(|letter| {
                    sum = sum.wrapping_add(*letter);
                    [sum, *letter, 7]
                })
                .collect();
            let found = engine.run(&[&[7], &numbers, &letters], 1);
            assert_eq!(found, [vec![sum], turned, sums], "{name}, {words} words and {count} bytes");
        }
    }
}

/// Counter mode over block ciphers, of texts of every length up to those of several groups of blocks, with numbers that wrap around.
#[test]
fn block_ciphers_in_counter_mode() {
    let nodes = [
        ("serpent", "serpent128_ctr", "Serpent-128", 16),
        ("serpent", "serpent192_ctr", "Serpent-192", 24),
        ("serpent", "serpent256_ctr", "Serpent-256", 32),
        ("rectangle", "rectangle80_ctr", "RECTANGLE-80", 10),
        ("rectangle", "rectangle128_ctr", "RECTANGLE-128", 16),
        ("pyjamask", "pyjamask128_ctr", "Pyjamask-128", 16),
    ];
    let vectors = [Target::Sse, Target::Avx2, Target::Avx512Ifma, Target::Neon, Target::Vsx];
    for (cipher, node, name, key_bytes) in draw::some("ciphers in counter mode", nodes.into(), 1, |node| node.1.into())
    {
        let stem = format!("{cipher}_ctr");
        let [Computes::Block(image)] = references::of(name)[..] else { panic!("{name} has one other implementation") };
        let half = if cipher == "rectangle" { 4 } else { 8 };
        let mut engines = shelf::engines_of_node("modes", &stem, node);
        engines.extend(shelf::engines_by_instructions(("modes", &stem, node), &vectors));
        for (name, engine) in engines {
            let mut bytes = Bytes::new(node);
            // The interpreter computes one block at a time in any case; the others pass the ends of groups.
            let is_tried = |&length: &usize| match name.contains("interpreter") {
                true => length % 97 == 0,
                false => draw::wants_all() || length % 37 == 0 || [127, 0, 1].contains(&(length % 128)),
            };
            for first in [vec![0; half], vec![0xff; half], bytes.take(half)] {
                let (key, nonce, text) = (bytes.take(key_bytes), bytes.take(half), bytes.take(1100));
                let number = first.iter().fold(0_u64, |number, &byte| number << 8 | u64::from(byte));
                let mut expected = text.clone();
                for (block, at) in expected.chunks_mut(2 * half).zip(0..) {
                    let number = number.wrapping_add(at).to_be_bytes();
                    let stream = image(&key, &[&nonce[..], &number[8 - half..]].concat());
                    block.iter_mut().zip(stream).for_each(|(byte, other)| *byte ^= other);
                }
                for length in (0..=text.len()).filter(is_tried) {
                    let found = engine.run(&[&key, &nonce, &first, &text[..length]], 1).concat();
                    assert_eq!(found, expected[..length], "{name}, {length} bytes from {first:02x?} on");
                }
            }
        }
    }
}

/// Texts of any number of bytes, from any block on, by a cipher that is drawn.
#[test]
fn texts_of_many_lengths() {
    let nodes = ["chacha20_xor", "salsa20_xor", "xchacha20_xor"];
    for node in draw::some("ciphers of texts", nodes.into(), 1, |node| (*node).to_owned()) {
        for (name, engine) in shelf::engines_of_node("streams", node, node) {
            let mut bytes = Bytes::new(&name);
            for length in [0, 1, 63, 64, 65, 129, 300] {
                let (key, nonce, text) = (bytes.take(32), bytes.take(24), bytes.take(length));
                let counter = length as u32 * 1000;
                let [four, eight] = [&counter.to_le_bytes()[..], &u64::from(counter).to_le_bytes()];
                let (inputs, expected) = match node {
                    "chacha20_xor" => ([four, &nonce[..12]], encrypted::<ChaCha20>(&key, &nonce[..12], counter, &text)),
                    "salsa20_xor" => ([&nonce[..8], eight], encrypted::<Salsa20>(&key, &nonce[..8], counter, &text)),
                    _ => ([four, &nonce], encrypted::<XChaCha20>(&key, &nonce, counter, &text)),
                };
                let found = engine.run(&[&key, inputs[0], inputs[1], &text], 1);
                assert_eq!(found, [expected], "{name}, {length} bytes");
            }
        }
    }
}

fn encrypted<C: KeyIvInit + StreamCipher + StreamCipherSeek>(
    key: &[u8],
    nonce: &[u8],
    counter: u32,
    text: &[u8],
) -> Vec<u8> {
    let mut cipher = C::new_from_slices(key, nonce).expect("a key and a nonce");
    let mut text = text.to_vec();
    cipher.seek(u64::from(counter) * 64);
    cipher.apply_keystream(&mut text);
    text
}
