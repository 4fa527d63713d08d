//! Poly1305 and GHASH by the interpreter and as C, compared with other implementations.

use culet_driver::Engine;
use culet_primitives_tests::{Bytes, shelf};
use culet_testing::draw;
use ghash::GHash;
use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit, UniversalHash};

/// Maximum length of messages; the interpreter is slow.
fn longest(name: &str) -> usize {
    if name.ends_with("interpreter") { 200 } else { 1100 }
}

fn poly1305_of(key: &[u8], message: &[u8]) -> Vec<u8> {
    Poly1305::new(key.into()).compute_unpadded(message).to_vec()
}

fn engines(stem: &str) -> Vec<(String, Engine)> {
    shelf::engines("macs", stem).into_iter().chain(shelf::engines_side_by_side("macs", stem)).collect()
}

/// The step between the lengths of messages: an emulator is started for each call.
fn step(name: &str) -> usize {
    if !draw::wants_all() && (name.contains("neon") || name.contains("vsx")) { 7 } else { 1 }
}

/// Random messages, and messages of ones, which make the accumulator exceed the prime.
#[test]
fn poly1305_of_every_length() {
    for (name, engine) in engines("poly1305") {
        let mut bytes = Bytes::new("poly1305");
        let check = |key: &[u8], message: &[u8]| {
            let expected = poly1305_of(key, message);
            assert_eq!(engine.run(&[key, message], 1).concat(), expected, "{name}, {} bytes", message.len());
        };
        for length in (0..=longest(&name)).step_by(step(&name)) {
            check(&bytes.take(32), &bytes.take(length));
            for (key, fill) in [([0xff; 32], 0xff), ([0xff; 32], 0), ([0; 32], 0xff), ([1; 32], 0xfb)] {
                check(&key, &vec![fill; length]);
            }
        }
    }
}

#[test]
fn ghash_of_every_length() {
    for (name, engine) in engines("ghash") {
        let mut bytes = Bytes::new("ghash");
        for length in (0..=longest(&name)).step_by(step(&name)) {
            let (key, message) = (bytes.take(16), bytes.take(length));
            let mut other = GHash::new(key.as_slice().into());
            other.update_padded(&message);
            let expected = other.finalize().to_vec();
            assert_eq!(engine.run(&[&key, &message], 1).concat(), expected, "{name}, {length} bytes");
        }
    }
}
