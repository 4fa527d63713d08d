//! Programs whose results are streams, by the interpreter and as C, compared with other implementations.

use chacha20::{ChaCha20, hchacha};
use cipher::consts::U10;
use cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use culet_primitives_tests::{Bytes, shelf};
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
