//! Equality of strings of bytes, by the interpreter and as C and Rust.

use culet_primitives_tests::{Bytes, shelf};

#[test]
fn equal_and_every_bit_of_difference() {
    for length in [16, 32, 64] {
        for (name, engine) in shelf::engines_of_node("verify", "equal", &format!("equal_{length}")) {
            let mut bytes = Bytes::new("equal");
            let equal = |a: &[u8], b: &[u8]| engine.run(&[a, b], 1).concat();
            for a in [vec![0; length], vec![0xff; length], bytes.take(length)] {
                assert_eq!(equal(&a, &a), [1], "{name}");
                for bit in 0..8 * length {
                    let mut b = a.clone();
                    b[bit / 8] ^= 1 << (bit % 8);
                    assert_eq!(equal(&a, &b), [0], "{name}, bit {bit}");
                }
                assert_eq!(equal(&a, &bytes.take(length)), [0], "{name}");
            }
        }
    }
}
