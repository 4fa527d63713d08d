//! X25519 by the interpreter and as C: the vectors of RFC 7748 and of Project Wycheproof, for both programs.

use culet_driver::{Engine, parse_hex, to_hex};
use culet_primitives_tests::shelf;
use serde_json::Value;

fn engines() -> Vec<(String, Engine)> {
    ["x25519", "x25519_lanes"].into_iter().flat_map(|stem| shelf::engines("curves", stem)).collect()
}

fn x25519(engine: &Engine, k: &[u8], u: &[u8]) -> Vec<u8> {
    engine.run(&[k, u], 1).concat()
}

/// The iteration of RFC 7748, section 5.2: after each step k is the result and u the former k.
fn iterated(engine: &Engine, times: usize) -> String {
    let mut k = vec![0; 32];
    k[0] = 9;
    let mut u = k.clone();
    for _ in 0..times {
        let result = x25519(engine, &k, &u);
        u = std::mem::replace(&mut k, result);
    }
    to_hex(&k)
}

#[test]
fn iterations_of_the_rfc() {
    for (name, engine) in engines() {
        assert_eq!(iterated(&engine, 1), "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079", "{name}");
        let thousandth = "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51";
        assert_eq!(iterated(&engine, 1000), thousandth, "{name}");
    }
}

/// All vectors, whatever their flags: low orders, twists and non-canonical encodings have the results that the RFC
/// defines.
#[test]
fn wycheproof() {
    let text = std::fs::read_to_string(shelf::vectors().join("wycheproof/x25519_test.json")).expect("the vectors");
    let vectors: Value = serde_json::from_str(&text).expect("JSON");
    let engines = engines();
    let mut count = 0;
    for group in vectors["testGroups"].as_array().expect("groups") {
        for test in group["tests"].as_array().expect("tests") {
            let bytes = |key: &str| parse_hex(test[key].as_str().expect("hex")).expect("hex");
            let (private, public, shared) = (bytes("private"), bytes("public"), bytes("shared"));
            for (name, engine) in &engines {
                let found = x25519(engine, &private, &public);
                assert_eq!(found, shared, "{name}, test {}: {}", test["tcId"], test["comment"]);
            }
            count += 1;
        }
    }
    assert_eq!(count, vectors["numberOfTests"].as_u64().expect("a number"));
}

/// Many instances in one call, one after another.
#[test]
fn batches() {
    for (name, engine) in shelf::engines("curves", "x25519") {
        let (k, u): (Vec<u8>, Vec<u8>) = (0..5 * 32_u8).map(|i| (i, i.wrapping_mul(7))).unzip();
        let each: Vec<u8> = k.chunks(32).zip(u.chunks(32)).flat_map(|(k, u)| x25519(&engine, k, u)).collect();
        assert_eq!(engine.run(&[&k, &u], 5).concat(), each, "{name}");
    }
}
