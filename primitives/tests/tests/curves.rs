//! X25519 by the interpreter: what RFC 7748 and Project Wycheproof publish, for both programs.

use culet_driver::{DiskReader, Engine, Options, elaborate, load, parse_hex, to_hex};
use culet_ir::Target;
use culet_primitives_tests::shelf;
use serde_json::Value;

const PROGRAMS: [&str; 2] = ["x25519", "x25519_lanes"];

fn engine(stem: &str) -> Engine {
    let path = shelf::root().join("curves").join(stem).with_extension("ua");
    let (source, found) = load(&path, &[], &DiskReader);
    assert!(found.is_empty(), "{found:?}");
    let (program, found) = elaborate(&source, &Options::new(Target::C64));
    Engine::interpreter(program.unwrap_or_else(|| panic!("{found:?}"))).expect("few enough steps")
}

fn x25519(engine: &Engine, k: &[u8], u: &[u8]) -> Vec<u8> {
    engine.run(&[k, u], 1).concat()
}

/// RFC 7748, section 5.2: after an iteration k is the result and u the former k.
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
    for stem in PROGRAMS {
        let engine = engine(stem);
        assert_eq!(iterated(&engine, 1), "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079");
        assert_eq!(iterated(&engine, 1000), "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51");
    }
}

/// All of them, whatever their flags: low orders, twists and encodings that are not canonical have the results that the
/// RFC defines.
#[test]
fn wycheproof() {
    let text = std::fs::read_to_string(shelf::vectors().join("wycheproof/x25519_test.json")).expect("the vectors");
    let vectors: Value = serde_json::from_str(&text).expect("JSON");
    let engines = PROGRAMS.map(engine);
    let mut count = 0;
    for group in vectors["testGroups"].as_array().expect("groups") {
        for test in group["tests"].as_array().expect("tests") {
            let bytes = |key: &str| parse_hex(test[key].as_str().expect("hex")).expect("hex");
            let (private, public, shared) = (bytes("private"), bytes("public"), bytes("shared"));
            for engine in &engines {
                let found = x25519(engine, &private, &public);
                assert_eq!(found, shared, "test {}: {}", test["tcId"], test["comment"]);
            }
            count += 1;
        }
    }
    assert_eq!(count, vectors["numberOfTests"].as_u64().expect("a number"));
}
