//! Poly1305 and GHASH by the interpreter, against other implementations.

use culet_driver::{DiskReader, Engine, Options, elaborate, load};
use culet_ir::Target;
use culet_primitives_tests::{Bytes, shelf};
use ghash::GHash;
use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit, UniversalHash};

const LENGTHS: std::ops::RangeInclusive<usize> = 0..=200;

fn engine(stem: &str) -> Engine {
    let path = shelf::root().join("macs").join(stem).with_extension("ua");
    let (source, found) = load(&path, &[], &DiskReader);
    assert!(found.is_empty(), "{found:?}");
    let (program, found) = elaborate(&source, &Options::new(Target::C64));
    Engine::interpreter(program.unwrap_or_else(|| panic!("{found:?}"))).expect("few enough steps")
}

#[test]
fn poly1305_of_every_length() {
    let engine = engine("poly1305");
    let mut bytes = Bytes::new("poly1305");
    for length in LENGTHS {
        let (key, message) = (bytes.take(32), bytes.take(length));
        let expected = Poly1305::new(key.as_slice().into()).compute_unpadded(&message);
        assert_eq!(engine.run(&[&key, &message], 1).concat(), expected.as_slice(), "{length} bytes");
    }
}

/// Messages of ones make the accumulator pass the prime.
#[test]
fn poly1305_at_the_edges() {
    let engine = engine("poly1305");
    for (key, fill) in [([0xff; 32], 0xff), ([0xff; 32], 0), ([0; 32], 0xff), ([1; 32], 0xfb)] {
        for length in LENGTHS {
            let message = vec![fill; length];
            let expected = Poly1305::new(&key.into()).compute_unpadded(&message);
            assert_eq!(engine.run(&[&key, &message], 1).concat(), expected.as_slice(), "{length} bytes");
        }
    }
}

#[test]
fn ghash_of_every_length() {
    let engine = engine("ghash");
    let mut bytes = Bytes::new("ghash");
    for length in LENGTHS {
        let (key, message) = (bytes.take(16), bytes.take(length));
        let mut other = GHash::new(key.as_slice().into());
        other.update_padded(&message);
        assert_eq!(engine.run(&[&key, &message], 1).concat(), other.finalize().as_slice(), "{length} bytes");
    }
}
