//! Hash functions of whole messages and in parts, by the interpreter and as C, compared with another implementation.

use culet_primitives_tests::{Bytes, shelf};
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

fn every_length<H: Digest>(stem: &str, node: &str) {
    for (name, engine) in shelf::engines_of_node("hashes", stem, node) {
        let mut bytes = Bytes::new(node);
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
    every_length::<Sha256>("sha256", "sha256");
    every_length::<Sha224>("sha256", "sha224");
}

#[test]
fn sha512_of_every_length() {
    every_length::<Sha512>("sha512", "sha512");
    every_length::<Sha384>("sha512", "sha384");
}

/// A message whose blocks come in two parts, the padding in the second one.
fn in_parts<H: Digest>(stem: &str, name: &str, block: usize) {
    let [start, update] = ["start", "update"].map(|step| {
        let stem_of = if step == "start" { name } else { stem };
        shelf::engines_of_node("hashes", stem, &format!("{stem_of}_{step}"))
    });
    for ((name, start), (_, update)) in start.into_iter().zip(update) {
        let mut bytes = Bytes::new(&name);
        for length in [0, 1, block - 9, block, 5 * block + 7] {
            let message = bytes.take(length);
            let mut padded = message.clone();
            padded.push(0x80);
            padded.resize((padded.len() + block / 8).next_multiple_of(block) - 8, 0);
            padded.extend((8 * length as u64).to_be_bytes());
            for cut in (0..=padded.len()).step_by(block) {
                let (first, second) = padded.split_at(cut);
                let mut state = start.run(&[], 1).concat();
                for part in [first, second] {
                    state = update.run(&[&state, part], 1).concat();
                }
                let expected = H::digest(&message);
                assert_eq!(state[..expected.len()], *expected, "{name}, {length} bytes cut at {cut}");
            }
        }
    }
}

#[test]
fn sha2_in_parts() {
    in_parts::<Sha224>("sha256", "sha224", 64);
    in_parts::<Sha256>("sha256", "sha256", 64);
    in_parts::<Sha384>("sha512", "sha384", 128);
    in_parts::<Sha512>("sha512", "sha512", 128);
}
