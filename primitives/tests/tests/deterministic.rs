//! Deterministic and hedged signatures by ECDSA, and BIP 340, each operation as one program: by the interpreter and, in drawn runs, as C or
//! Rust, beside RFC 6979 with another implementation of HMAC, and by what is published.

use culet_driver::{Engine, parse_hex};
use culet_primitives_tests::{Bytes, shelf};
use culet_testing::draw;
use hmac::digest::core_api::BlockSizeUser;
use hmac::{Mac, SimpleHmac};
use num_bigint::BigUint;
use serde_json::Value;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

/// A curve, and what signs with it.
#[derive(Clone, Copy)]
struct Curve {
    name: &'static str,
    order: &'static str,
    /// HMAC of parts of a message, and the digest of a message.
    hmac: fn(&[u8], &[&[u8]]) -> Vec<u8>,
    digest: fn(&[u8]) -> Vec<u8>,
    /// What Project Wycheproof calls the curve and the hash function.
    vectors: &'static str,
}

const CURVES: [Curve; 5] = [
    Curve {
        name: "p224",
        order: "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d",
        hmac: hmac::<Sha224>,
        digest: digest::<Sha224>,
        vectors: "secp224r1_sha224",
    },
    Curve {
        name: "p256",
        order: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
        hmac: hmac::<Sha256>,
        digest: digest::<Sha256>,
        vectors: "secp256r1_sha256",
    },
    Curve {
        name: "p384",
        order: "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
        hmac: hmac::<Sha384>,
        digest: digest::<Sha384>,
        vectors: "secp384r1_sha384",
    },
    Curve {
        name: "p521",
        order: "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa\
                51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
        hmac: hmac::<Sha512>,
        digest: digest::<Sha512>,
        vectors: "secp521r1_sha512",
    },
    Curve {
        name: "secp256k1",
        order: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
        hmac: hmac::<Sha256>,
        digest: digest::<Sha256>,
        vectors: "secp256k1_sha256",
    },
];

fn hmac<H: Digest + BlockSizeUser>(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut mac = SimpleHmac::<H>::new_from_slice(key).expect("any key");
    parts.iter().for_each(|part| mac.update(part));
    mac.finalize().into_bytes().to_vec()
}

fn digest<H: Digest>(message: &[u8]) -> Vec<u8> {
    H::digest(message).to_vec()
}

fn number(bytes: &[u8]) -> BigUint {
    BigUint::from_bytes_be(bytes)
}

impl Curve {
    fn order(&self) -> BigUint {
        number(&parse_hex(self.order).expect("hex"))
    }

    /// So many bytes as the order has, most significant first.
    fn bytes_of(&self, number: &BigUint) -> Vec<u8> {
        let bytes = number.to_bytes_be();
        [vec![0; self.order.len() / 2 - bytes.len()], bytes].concat()
    }

    /// RFC 6979, section 2.3.2.
    fn number_of_bits(&self, bytes: &[u8]) -> BigUint {
        number(bytes) >> (8 * bytes.len() as u64).saturating_sub(self.order().bits())
    }

    /// RFC 6979, sections 3.2 and 3.6, and the number of tries.
    fn number_used_once(&self, secret: &[u8], hash: &[u8], entropy: &[u8]) -> (Vec<u8>, usize) {
        let (order, reduced) = (self.order(), self.number_of_bits(hash) % self.order());
        let seed = [secret, &self.bytes_of(&reduced), entropy].concat();
        let (mut key, mut value) = (vec![0; hash.len()], vec![1; hash.len()]);
        for step in [0, 1] {
            key = (self.hmac)(&key, &[&value, &[step], &seed]);
            value = (self.hmac)(&key, &[&value]);
        }
        for tries in 1.. {
            let mut output = Vec::new();
            while 8 * (output.len() as u64) < order.bits() {
                value = (self.hmac)(&key, &[&value]);
                output.extend(&value);
            }
            let k = self.number_of_bits(&output);
            if k.bits() > 0 && k < order {
                return (self.bytes_of(&k), tries);
            }
            key = (self.hmac)(&key, &[&value, &[0]]);
            value = (self.hmac)(&key, &[&value]);
        }
        unreachable!("a number is found")
    }

    /// The digest of a message as a number of as many bytes as the order has: zeros come before a shorter one.
    fn hash(&self, message: &[u8]) -> Vec<u8> {
        let digest = (self.digest)(message);
        [vec![0; self.order.len() / 2 - digest.len()], digest].concat()
    }
}

/// A curve that is drawn: signatures are those with the number used once of RFC 6979, and good; keys out of range sign nothing.
#[test]
fn signatures_of_the_rfc() {
    for curve in draw::some("a curve that signs", CURVES.into(), 1, |curve| curve.name.to_owned()) {
        let (ecdsa, stem) = (format!("{}_ecdsa", curve.name), format!("{}_deterministic", curve.name));
        let [sign, verify] = ["sign_hash", "verify_message"].map(|node| format!("{}_{node}", curve.name));
        let hedged = format!("{}_sign_hedged", curve.name);
        let places = [("signatures", &*ecdsa, &*sign), ("signatures", &*ecdsa, &*verify)];
        let [sign, verify] = places.map(|(folder, stem, node)| shelf::interpreted(folder, stem, node));
        wycheproof(&curve, &verify);
        for (name, [hedged]) in shelf::few_engines_of_nodes([("signatures", &*stem, &*hedged)]) {
            let mut bytes = Bytes::new(&name);
            for length in [0, 1, 77] {
                let (entropy, message) = (bytes.take(32), bytes.take(length));
                let secret = curve.bytes_of(&(number(&bytes.take(80)) % curve.order()));
                let (k, _) = curve.number_used_once(&secret, &(curve.digest)(&message), &entropy);
                let expected = sign.run(&[&secret, &k, &curve.hash(&message)], 1);
                assert_eq!(expected[2], [1], "{name}");
                assert_eq!(hedged.run(&[&secret, &entropy, &message], 1), expected, "{name}, {length} bytes");
            }
            let (zero, order) = (curve.bytes_of(&0_u32.into()), curve.bytes_of(&curve.order()));
            for secret in [&zero, &order] {
                let found = hedged.run(&[secret, &[7; 32], b"message"], 1);
                assert_eq!(found, [&zero[..], &zero, &[0]], "{name}, {secret:02x?}");
            }
        }
    }
}

/// Half of HMAC's outputs are not below this order: the number comes from one of four tries, or there is none.
#[test]
fn numbers_of_several_tries() {
    let order = "800000000000000000000000000000000000000000000000000000000000005f";
    let curve = Curve { order, ..CURVES[1] };
    let (mut each, mut bytes) = ([0; 5], Bytes::new("tries"));
    for (name, [engine]) in shelf::few_engines_of_nodes([("tests/programs", "rfc6979", "number_of_four_tries")]) {
        for _ in 0..40 {
            let [secret, entropy, hash] = [(); 3].map(|()| bytes.take(32));
            let (k, tries) = curve.number_used_once(&secret, &hash, &entropy);
            each[tries.min(5) - 1] += 1;
            let expected = if tries > 4 { vec![0; 32] } else { k };
            assert_eq!(engine.run(&[&secret, &entropy, &hash], 1), [expected], "{name}, {tries} tries");
        }
    }
    assert!(each.iter().all(|&count| count > 0), "{each:?}");
}

/// Drawn vectors of Project Wycheproof, whose signatures are two numbers.
fn wycheproof(curve: &Curve, verify: &Engine) {
    let vectors = shelf::wycheproof(&format!("ecdsa_{}_p1363", curve.vectors));
    let hex = |value: &Value| parse_hex(value.as_str().expect("text")).expect("hex");
    let groups = vectors["testGroups"].as_array().expect("groups").iter();
    let tests =
        groups.flat_map(|group| group["tests"].as_array().expect("tests").iter().map(move |test| (group, test)));
    let name = |(_, test): &(&Value, &Value)| test["tcId"].to_string();
    let bytes = curve.order.len() / 2;
    for (group, test) in draw::some(&format!("vectors of {}", curve.vectors), tests.collect(), 10, name) {
        let (public, message, signature) =
            (hex(&group["publicKey"]["uncompressed"]), hex(&test["msg"]), hex(&test["sig"]));
        // Whoever calls the program has two numbers.
        let is_good = signature.len() == 2 * bytes && {
            let (r, s) = signature.split_at(bytes);
            verify.run(&[&public, r, s, &message], 1) == [[1]]
        };
        assert_eq!(is_good, test["result"] == "valid", "{}, test {}: {}", curve.name, test["tcId"], test["comment"]);
    }
}

/// The published vectors, and keys out of range.
#[test]
fn bip340() {
    let nodes = ["sign_message", "verify_message"].map(|node| format!("bip340_{node}"));
    let places = nodes.each_ref().map(|node| ("signatures", "bip340_message", &**node));
    let rows = shelf::rows("bip340.txt");
    assert_eq!(rows.len(), 19);
    for (name, [sign, verify]) in shelf::few_engines_of_nodes(places) {
        for (number, row) in rows.iter().enumerate() {
            let [secret, public, auxiliary, message, signature] =
                [0, 1, 2, 3, 4].map(|index: usize| parse_hex(&row[index]).expect("hex"));
            let (r, s) = signature.split_at(32);
            let is_good = u8::from(row[5] == "true");
            let found = verify.run(&[&public, r, s, &message], 1);
            assert_eq!(found, [[is_good]], "{name}, vector {number}");
            if !secret.is_empty() {
                let found = sign.run(&[&secret, &auxiliary, &message], 1);
                assert_eq!(found, [r, s, &[1]], "{name}, vector {number}");
            }
        }
        let order = parse_hex(CURVES[4].order).expect("hex");
        for secret in [vec![0; 32], order] {
            let found = sign.run(&[&secret, &[7; 32], b"message"], 1);
            assert_eq!(found, [&[0; 32][..], &[0; 32], &[0]], "{name}, {secret:02x?}");
        }
    }
}
