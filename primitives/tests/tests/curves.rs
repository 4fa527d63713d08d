//! X25519 by the interpreter and as C: the vectors of RFC 7748 and of Project Wycheproof, for both programs.

use culet_driver::{Engine, parse_hex, to_hex};
use culet_primitives_tests::{Bytes, shelf};
use culet_testing::draw;
use curve25519_dalek::MontgomeryPoint;
use serde_json::Value;

fn engines() -> Vec<(String, Engine)> {
    ["x25519", "x25519_lanes"].into_iter().flat_map(|stem| shelf::engines("curves", stem)).collect()
}

fn x25519(engine: &Engine, k: &[u8], u: &[u8]) -> Vec<u8> {
    engine.run(&[k, u], 1).concat()
}

/// The iteration of RFC 7748, section 5.2: after each step k is the result and u the former k.
fn iterated(engine: &Engine, times: usize) -> String {
    let mut k = base().to_vec();
    let mut u = k.clone();
    for _ in 0..times {
        let result = x25519(engine, &k, &u);
        u = std::mem::replace(&mut k, result);
    }
    to_hex(&k)
}

/// The same engines run all checks, since a C compiler takes longer for one than the checks do.
#[test]
fn x25519_by_every_engine() {
    let vectors = shelf::wycheproof("x25519");
    for (name, engine) in engines() {
        assert_eq!(iterated(&engine, 1), "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079", "{name}");
        // The interpreter takes ten seconds for a thousand steps.
        if draw::wants_all() || !name.ends_with("interpreter") {
            let thousandth = "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51";
            assert_eq!(iterated(&engine, 1000), thousandth, "{name}");
        }
        wycheproof(&name, &engine, &vectors);
        batch(&name, &engine);
    }
}

/// Edges of scalars and random ones, beside the ladder of another implementation.
#[test]
fn public_keys_of_x25519_by_every_engine() {
    let mut random = Bytes::new("x25519_base");
    let mut scalars: Vec<[u8; 32]> = vec![[0; 32], [0xff; 32], [0x88; 32], [0x77; 32]];
    for _ in 0..28 {
        scalars.push(random.take(32).try_into().expect("32 bytes"));
    }
    let engines = ["x25519_base", "x25519_base_lanes"].into_iter().flat_map(|stem| shelf::engines("curves", stem));
    for (name, engine) in engines {
        for k in &scalars {
            let expected = MontgomeryPoint(base()).mul_clamped(*k);
            assert_eq!(engine.run(&[&k[..]], 1).concat(), expected.to_bytes(), "{name}: {}", to_hex(k));
        }
    }
}

fn base() -> [u8; 32] {
    let mut base = [0; 32];
    base[0] = 9;
    base
}

/// All vectors, whatever their flags: low orders, twists and non-canonical encodings have the results that the RFC
/// defines.
fn wycheproof(name: &str, engine: &Engine, vectors: &Value) {
    let mut count = 0;
    for group in vectors["testGroups"].as_array().expect("groups") {
        for test in group["tests"].as_array().expect("tests") {
            let bytes = |key: &str| parse_hex(test[key].as_str().expect("hex")).expect("hex");
            let (private, public, shared) = (bytes("private"), bytes("public"), bytes("shared"));
            let found = x25519(engine, &private, &public);
            assert_eq!(found, shared, "{name}, test {}: {}", test["tcId"], test["comment"]);
            count += 1;
        }
    }
    assert_eq!(count, vectors["numberOfTests"].as_u64().expect("a number"));
}

/// Many instances in one call, one after another.
fn batch(name: &str, engine: &Engine) {
    let (k, u): (Vec<u8>, Vec<u8>) = (0..5 * 32_u8).map(|i| (i, i.wrapping_mul(7))).unzip();
    let each: Vec<u8> = k.chunks(32).zip(u.chunks(32)).flat_map(|(k, u)| x25519(engine, k, u)).collect();
    assert_eq!(engine.run(&[&k, &u], 5).concat(), each, "{name}");
}
