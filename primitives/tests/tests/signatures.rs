//! Ed25519 by the interpreter and as C and Rust: keys and signatures of another implementation, what Project Wycheproof publishes, and
//! signatures that differ from good ones in a bit.

use culet_driver::{Engine, parse_hex};
use culet_primitives_tests::{Bytes, shelf};
use curve25519_dalek::{EdwardsPoint, Scalar};
use ed25519_dalek::{Signer, SigningKey};
use num_bigint::BigUint;
use serde_json::Value;
use sha2::{Digest, Sha512};

/// The nodes of Ed25519, computed in one way.
struct Ed25519 {
    name: String,
    base: Engine,
    expand: Engine,
    reduce: Engine,
    sign: Engine,
    verify: Engine,
    is_point: Engine,
}

fn every_way() -> Vec<Ed25519> {
    let nodes = [
        ("ed25519_base", "ed25519_base"),
        ("ed25519_scalar", "ed25519_expand"),
        ("ed25519_scalar", "ed25519_reduce"),
        ("ed25519_scalar", "ed25519_sign"),
        ("ed25519_verify", "ed25519_verify"),
        ("ed25519_verify", "ed25519_is_point"),
    ];
    let all = shelf::engines_of_nodes(nodes.map(|(stem, node)| ("signatures", stem, node)));
    let way = |(name, [base, expand, reduce, sign, verify, is_point]): (String, [Engine; 6])| Ed25519 {
        name,
        base,
        expand,
        reduce,
        sign,
        verify,
        is_point,
    };
    all.into_iter().map(way).collect()
}

impl Ed25519 {
    /// RFC 8032, 5.1.5 and 5.1.6: the public key and the signature.
    fn signature(&self, seed: &[u8], message: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let secret = self.expand.run(&[&Sha512::digest(seed)], 1);
        let public = self.base.run(&[&secret[0]], 1).concat();
        let r = self.hash(&[&secret[1], message]);
        let point = self.base.run(&[&r], 1).concat();
        let k = self.hash(&[&point, &public, message]);
        let s = self.sign.run(&[&r, &k, &secret[0]], 1).concat();
        (public, [point, s].concat())
    }

    /// A hash modulo the order.
    fn hash(&self, parts: &[&[u8]]) -> Vec<u8> {
        self.reduce.run(&[&Sha512::digest(parts.concat())], 1).concat()
    }

    /// RFC 8032, 5.1.7.
    fn accepts(&self, public: &[u8], message: &[u8], signature: &[u8]) -> bool {
        let (point, s) = signature.split_at(32);
        let k = self.hash(&[point, public, message]);
        self.verify.run(&[public, point, s, &k], 1) == [[1]]
    }
}

/// One test, so that each program is compiled once in each way.
#[test]
fn ed25519() {
    for way in &every_way() {
        multiples_of_the_base_point(way);
        signatures_of_another_implementation(way);
        a_bit_of_difference(way);
        a_second_signature(way);
        encodings_that_are_no_points(way);
        scalars_beside_integers(way);
        wycheproof(way);
    }
}

/// Scalars whose digits of four bits are all alike, or carry to the last one, and others.
fn multiples_of_the_base_point(way: &Ed25519) {
    let mut bytes = Bytes::new("multiples");
    let alike = (0..=0xff).map(|byte: u8| [[byte; 31].as_slice(), &[byte & 0x7f]].concat());
    let ends = (0..0x80).map(|last: u8| [[0xff; 31].as_slice(), &[last]].concat());
    let mut scalars: Vec<Vec<u8>> = alike.chain(ends).collect();
    scalars.extend((0..100).map(|_| bytes.take(32)).map(|mut scalar| {
        scalar[31] &= 0x7f;
        scalar
    }));
    let step = if way.name.ends_with("interpreter") { 11 } else { 1 };
    for scalar in scalars.iter().step_by(step) {
        let number = Scalar::from_bytes_mod_order(scalar.as_slice().try_into().expect("32 bytes"));
        let expected = EdwardsPoint::mul_base(&number).compress().to_bytes();
        assert_eq!(way.base.run(&[scalar], 1).concat(), expected, "{}, {scalar:02x?}", way.name);
    }
}

fn signatures_of_another_implementation(way: &Ed25519) {
    let mut bytes = Bytes::new("ed25519");
    for length in 0..10 {
        let (seed, message) = (bytes.take(32), bytes.take(length * 13));
        let key = SigningKey::from_bytes(seed.as_slice().try_into().expect("32 bytes"));
        let (public, signature) = way.signature(&seed, &message);
        assert_eq!(public, key.verifying_key().to_bytes(), "{}", way.name);
        assert_eq!(signature, key.sign(&message).to_bytes(), "{}", way.name);
        assert!(way.accepts(&public, &message, &signature), "{}", way.name);
    }
}

fn a_bit_of_difference(way: &Ed25519) {
    let mut bytes = Bytes::new("a bit");
    let (public, signature) = way.signature(&bytes.take(32), b"message");
    let step = if way.name.ends_with("interpreter") { 37 } else { 1 };
    for bit in (0..512).step_by(step) {
        let mut wrong = signature.clone();
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert!(!way.accepts(&public, b"message", &wrong), "{}, bit {bit} of the signature", way.name);
    }
    for bit in (0..256).step_by(step) {
        let mut wrong = public.clone();
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert!(!way.accepts(&wrong, b"message", &signature), "{}, bit {bit} of the key", way.name);
    }
    assert!(!way.accepts(&public, b"messagf", &signature), "{}", way.name);
}

fn wycheproof(way: &Ed25519) {
    let vectors = shelf::wycheproof("ed25519");
    let mut count = 0;
    for group in vectors["testGroups"].as_array().expect("groups") {
        let hex = |value: &Value| parse_hex(value.as_str().expect("hex")).expect("hex");
        let public = hex(&group["publicKey"]["pk"]);
        for test in group["tests"].as_array().expect("tests") {
            let (message, signature) = (hex(&test["msg"]), hex(&test["sig"]));
            count += 1;
            // Whoever calls the program has 64 bytes.
            if signature.len() != 64 {
                assert_eq!(test["result"], "invalid");
                continue;
            }
            let found = way.accepts(&public, &message, &signature);
            assert_eq!(found, test["result"] == "valid", "{}, test {}: {}", way.name, test["tcId"], test["comment"]);
        }
    }
    assert_eq!(count, vectors["numberOfTests"].as_u64().expect("a number"));
}

/// S and the order's multiples more, all of which satisfy the equation.
fn a_second_signature(way: &Ed25519) {
    let (public, signature) = way.signature(&[7; 32], b"");
    for times in 1..=15_u32 {
        let s = BigUint::from_bytes_le(&signature[32..]) + order() * times;
        let mut more = s.to_bytes_le();
        if more.len() > 32 {
            break;
        }
        more.resize(32, 0);
        assert!(!way.accepts(&public, b"", &[&signature[..32], &more].concat()), "{}, {times}", way.name);
    }
}

/// Encodings of A that are not what 5.1.3 decodes: y is not below the prime; x is 0 and said to be odd; there is no x.
fn encodings_that_are_no_points(way: &Ed25519) {
    let prime = (BigUint::from(1_u32) << 255_u32) - 19_u32;
    let of = |y: BigUint, is_odd: bool| {
        let mut bytes = y.to_bytes_le();
        bytes.resize(32, 0);
        bytes[31] |= u8::from(is_odd) << 7;
        bytes
    };
    // The neutral element, as which S = 0 and R = it are good for every k.
    let one = of(1_u32.into(), false);
    let (zero, k) = (vec![0; 32], [[9; 31].as_slice(), &[0]].concat());
    let accepts = |a: &[u8], r: &[u8]| way.verify.run(&[a, r, &zero, &k], 1) == [[1]];
    assert!(accepts(&one, &one), "{}", way.name);
    assert_eq!(way.is_point.run(&[&one], 1), [[1]], "{}", way.name);
    for wrong in [of(&prime + 1_u32, false), of(1_u32.into(), true), of(&prime - 1_u32, true), of(2_u32.into(), false)]
    {
        assert!(!accepts(&wrong, &one), "{}, A is {wrong:02x?}", way.name);
        assert_eq!(way.is_point.run(&[&wrong], 1), [[0]], "{}, {wrong:02x?}", way.name);
        assert!(!accepts(&one, &wrong), "{}, R is {wrong:02x?}", way.name);
    }
}

/// 2^252 + 27742317777372353535851937790883648493.
fn order() -> BigUint {
    (BigUint::from(1_u32) << 252_u32) + 27_742_317_777_372_353_535_851_937_790_883_648_493_u128
}

fn scalars_beside_integers(way: &Ed25519) {
    let number = BigUint::from_bytes_le;
    let bytes_of = |n: BigUint| {
        let mut bytes = n.to_bytes_le();
        bytes.resize(32, 0);
        bytes
    };
    let mut bytes = Bytes::new("scalars");
    for turn in 0..50 {
        let take = |bytes: &mut Bytes, count| if turn == 0 { vec![0xff; count] } else { bytes.take(count) };
        let hash = take(&mut bytes, 64);
        assert_eq!(way.reduce.run(&[&hash], 1).concat(), bytes_of(number(&hash) % order()), "{}", way.name);
        let [r, k, s] = [(); 3].map(|()| take(&mut bytes, 32));
        let expected = (number(&r) + number(&k) * number(&s)) % order();
        assert_eq!(way.sign.run(&[&r, &k, &s], 1).concat(), bytes_of(expected), "{}", way.name);
    }
}

/// One program for a signature, and one for its verification: messages around the lengths at which SHA-512 has one block more.
#[test]
fn whole_messages() {
    let lengths = [0, 1, 47, 48, 79, 80, 111, 112, 127, 128, 300];
    for (name, sign) in shelf::engines_of_node("signatures", "ed25519_sign", "ed25519_sign_message") {
        let mut bytes = Bytes::new("whole messages");
        let step = if name.ends_with("interpreter") { 5 } else { 1 };
        for length in lengths.into_iter().step_by(step) {
            let (seed, message) = (bytes.take(32), bytes.take(length));
            let key = SigningKey::from_bytes(seed.as_slice().try_into().expect("32 bytes"));
            let signature = sign.run(&[&seed, &message], 1).concat();
            assert_eq!(signature, key.sign(&message).to_bytes(), "{name}, {length} bytes");
        }
    }
    for (name, verify) in shelf::engines_of_node("signatures", "ed25519_verify_message", "ed25519_verify_message") {
        let mut bytes = Bytes::new("whole messages");
        let step = if name.ends_with("interpreter") { 5 } else { 1 };
        for length in lengths.into_iter().step_by(step) {
            let (seed, mut message) = (bytes.take(32), bytes.take(length + 1));
            let key = SigningKey::from_bytes(seed.as_slice().try_into().expect("32 bytes"));
            let (public, signature) = (key.verifying_key().to_bytes(), key.sign(&message).to_bytes());
            let (point, scalar) = signature.split_at(32);
            assert_eq!(verify.run(&[&public, point, scalar, &message], 1), [[1]], "{name}, {length} bytes");
            message[length] ^= 1;
            assert_eq!(verify.run(&[&public, point, scalar, &message], 1), [[0]], "{name}, {length} bytes");
        }
    }
}
