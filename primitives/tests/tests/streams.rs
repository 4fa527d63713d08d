//! Programs whose results are streams, by the interpreter and as C, compared with other implementations.

use chacha20::ChaCha20;
use cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use culet_primitives_tests::{Bytes, shelf};

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
