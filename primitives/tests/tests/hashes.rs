//! Hash functions of whole messages, by the interpreter and as C, compared with another implementation.

use culet_primitives_tests::{Bytes, shelf};
use sha2::{Digest, Sha256, Sha512};

fn every_length<H: Digest>(stem: &str) {
    for (name, engine) in shelf::engines("hashes", stem) {
        let mut bytes = Bytes::new(stem);
        // Lengths up to more than two blocks, around every length for which the length field needs a block of its own.
        for length in 0..300 {
            let message = bytes.take(length);
            let expected = H::digest(&message).to_vec();
            assert_eq!(engine.run(&[&message], 1).concat(), expected, "{name}, {length} bytes");
        }
    }
}

#[test]
fn sha256_of_every_length() {
    every_length::<Sha256>("sha256");
}

#[test]
fn sha512_of_every_length() {
    every_length::<Sha512>("sha512");
}
