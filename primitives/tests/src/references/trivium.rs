//! Trivium (eSTREAM, 2005), one step at a time. Each register is a row of bits, the newest first.

use super::{Reference, node};

pub(super) const REFERENCES: &[Reference] =
    &[node("Trivium", "trivium", |parameters| stream(parameters[0], parameters[1], 64))];

/// The first bytes of the stream.
fn stream(key: &[u8], iv: &[u8], bytes: usize) -> Vec<u8> {
    // The first bit of a byte is its least significant one; the last bit is loaded into the first place.
    let loaded = |bytes: &[u8], length: usize| -> Vec<bool> {
        let bits = (0..80).rev().map(|i| bytes[i / 8] >> (i % 8) & 1 == 1);
        bits.chain(std::iter::repeat(false)).take(length).collect()
    };
    let (mut a, mut b) = (loaded(key, 93), loaded(iv, 84));
    let mut c: Vec<bool> = (1..=111).map(|i| i > 108).collect();
    let push = |register: &mut [bool], bit: bool| {
        register.rotate_right(1);
        register[0] = bit;
    };
    // Places are counted from 1; the places of b and c start at s94 and s178.
    let mut step = || {
        let (t1, t2, t3) = (a[65] ^ a[92], b[68] ^ b[83], c[65] ^ c[110]);
        let into_b = t1 ^ (a[90] & a[91]) ^ b[77];
        let into_c = t2 ^ (b[81] & b[82]) ^ c[86];
        let into_a = t3 ^ (c[108] & c[109]) ^ a[68];
        push(&mut a, into_a);
        push(&mut b, into_b);
        push(&mut c, into_c);
        t1 ^ t2 ^ t3
    };
    (0..4 * 288).for_each(|_| {
        step();
    });
    (0..bytes).map(|_| (0..8).fold(0, |byte, i| byte | u8::from(step()) << i)).collect()
}
