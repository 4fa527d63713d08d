//! Poly1305, GHASH and HMAC by the interpreter and as C, compared with other implementations.

use culet_driver::{Engine, parse_hex};
use culet_ir::Target;
use culet_primitives_tests::{Bytes, shelf};
use culet_testing::draw;
use ghash::GHash;
use hmac::{Hmac, Mac};
use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit, UniversalHash};
use sha2::{Sha224, Sha256, Sha384, Sha512};

/// Maximum length of messages; the interpreter is slow.
fn longest(name: &str) -> usize {
    if name.ends_with("interpreter") { 200 } else { 1100 }
}

fn poly1305_of(key: &[u8], message: &[u8]) -> Vec<u8> {
    Poly1305::new(key.into()).compute_unpadded(message).to_vec()
}

fn engines(stem: &str) -> Vec<(String, Engine)> {
    shelf::engines("macs", stem).into_iter().chain(shelf::engines_side_by_side("macs", stem)).collect()
}

/// The step between the lengths of messages: an emulator is started for each call. The step is odd, so that lengths in a row leave all
/// remainders modulo a block.
fn step(name: &str) -> usize {
    if !draw::wants_all() && (name.contains("neon") || name.contains("vsx")) { 29 } else { 1 }
}

/// Random messages, and messages of ones, which make the accumulator exceed the prime.
#[test]
fn poly1305_of_every_length() {
    for (name, engine) in engines("poly1305") {
        let mut bytes = Bytes::new("poly1305");
        let check = |key: &[u8], message: &[u8]| {
            let expected = poly1305_of(key, message);
            assert_eq!(engine.run(&[key, message], 1).concat(), expected, "{name}, {} bytes", message.len());
        };
        for length in (0..=longest(&name)).step_by(step(&name)) {
            check(&bytes.take(32), &bytes.take(length));
            for (key, fill) in [([0xff; 32], 0xff), ([0xff; 32], 0), ([0; 32], 0xff), ([1; 32], 0xfb)] {
                check(&key, &vec![fill; length]);
            }
        }
    }
}

#[test]
fn ghash_of_every_length() {
    for (name, engine) in engines("ghash") {
        let mut bytes = Bytes::new("ghash");
        for length in (0..=longest(&name)).step_by(step(&name)) {
            let (key, message) = (bytes.take(16), bytes.take(length));
            let mut other = GHash::new(key.as_slice().into());
            other.update_padded(&message);
            let expected = other.finalize().to_vec();
            assert_eq!(engine.run(&[&key, &message], 1).concat(), expected, "{name}, {length} bytes");
        }
    }
}

/// Parts that are padded each.
#[test]
fn ghash_in_parts() {
    for (name, absorb) in shelf::engines_of_node("macs", "ghash", "ghash_absorb") {
        let mut bytes = Bytes::new("ghash in parts");
        for length in (0..longest(&name)).step_by(7) {
            let (key, message) = (bytes.take(16), bytes.take(length));
            let parts = message.split_at(usize::from(bytes.take(1)[0]) % (length + 1));
            let mut other = GHash::new(key.as_slice().into());
            let mut hash = vec![0; 16];
            for part in [parts.0, parts.1] {
                other.update_padded(part);
                hash = absorb.run(&[&hash, &key, part], 1).concat();
            }
            assert_eq!(hash, other.finalize().to_vec(), "{name}, {length} bytes cut at {}", parts.0.len());
        }
    }
}

/// The answer of the GCM specification's test case 2, and every length, in groups of blocks and without.
#[test]
fn ghash_by_products() {
    let targets = [Target::Avx2, Target::Avx512Vaes, Target::Neon, Target::Vsx];
    let place = |node| ("macs", "ghash_products", node);
    let powers = shelf::engines_by_instructions(place("ghash_powers"), &targets);
    for (name, parts) in shelf::engines_by_instructions(place("ghash_parts"), &targets) {
        let hash = |key: &[u8], message: &[u8], [sixteens, fours]: [usize; 2]| {
            let powers = powers[0].1.run(&[key], 1).concat();
            let (first, rest) = message.split_at(sixteens * 256);
            let (second, third) = rest.split_at(fours * 64);
            parts.run(&[&[0; 16], &powers, first, second, third], 1).concat()
        };
        let hex = |text| parse_hex(text).expect("hex");
        let key = hex("66e94bd4ef8a2c3b884cfa59ca342b2e");
        let message = hex("0388dace60b6a392f328c2b971b2fe7800000000000000000000000000000080");
        assert_eq!(hash(&key, &message, [0, 0]), hex("f38cbb1ad69223dcc3457ae5b6b0f885"), "{name}");
        let mut bytes = Bytes::new("ghash by products");
        for length in (0..=1100).step_by(step(&name).max(3)) {
            let (key, message) = (bytes.take(16), bytes.take(length));
            let mut other = GHash::new(key.as_slice().into());
            other.update_padded(&message);
            let expected = other.finalize().to_vec();
            let sixteens = length / 256 * usize::from(length % 2 == 0);
            let fours = (length - sixteens * 256) / 64 * usize::from(length % 5 != 0);
            assert_eq!(hash(&key, &message, [sixteens, fours]), expected, "{name}, {length} bytes");
        }
    }
}

/// Parts of whole blocks and a rest; and parts that are padded each.
#[test]
fn poly1305_in_parts() {
    let nodes = ["poly1305_absorb", "poly1305_absorb_padded", "poly1305_finish"];
    let nodes = nodes.map(|node| ("macs", "poly1305", node));
    for (name, [absorb, absorb_padded, finish]) in shelf::engines_of_nodes(nodes) {
        let mut bytes = Bytes::new("poly1305 in parts");
        for length in (0..longest(&name)).step_by(7) {
            let (key, message) = (bytes.take(32), bytes.take(length));
            let cut = usize::from(bytes.take(1)[0]) * 16 % (length + 1) / 16 * 16;
            let parts = [&message[..cut], &message[cut..]];
            let tag = |absorb: &Engine| {
                let absorbed = |next: Vec<u8>, part: &&[u8]| absorb.run(&[&next, &key, part], 1).concat();
                finish.run(&[&parts.iter().fold(vec![0; 17], absorbed), &key], 1).concat()
            };
            assert_eq!(tag(&absorb), poly1305_of(&key, &message), "{name}, {length} bytes cut at {cut}");
            let mut padded = Poly1305::new(key.as_slice().into());
            parts.iter().for_each(|part| padded.update_padded(part));
            assert_eq!(tag(&absorb_padded), padded.finalize().to_vec(), "{name}, {length} bytes, padded");
        }
    }
}

/// Another implementation: the tag of a message under a key.
type Other = fn(&[u8], &[u8]) -> Vec<u8>;

/// A whole message, padded here, and by the states that the key gives; and messages and keys of any length.
fn hmac_of_every_length(hash: &str, stem: &str, block: usize, other: Other) {
    let [key_states, finish, of_message, verify] =
        ["key", "finish", "message", "verify"].map(|step| format!("{stem}_{step}"));
    let update = format!("{hash}_update");
    let nodes = [
        ("macs", stem, stem),
        ("macs", stem, &*key_states),
        ("macs", stem, &*finish),
        ("hashes", hash, &*update),
        ("macs", stem, &*of_message),
        ("macs", stem, &*verify),
    ];
    for (name, [whole, key_states, finish, update, of_message, verify]) in shelf::engines_of_nodes(nodes) {
        let mut bytes = Bytes::new(stem);
        for length in (0..2 * block + 20).step_by(3) {
            let (mut key, message) = (bytes.take(length % (block + 1)), bytes.take(length));
            let expected = other(&key, &message);
            key.resize(block, 0);
            let mut padded = message.clone();
            padded.push(0x80);
            padded.resize((padded.len() + block / 8).next_multiple_of(block) - 8, 0);
            padded.extend((8 * (block + length) as u64).to_be_bytes());
            assert_eq!(whole.run(&[&key, &padded], 1).concat(), expected, "{name}, {length} bytes");
            let states = key_states.run(&[&key], 1);
            let digest = update.run(&[&states[0], &padded], 1).concat();
            let tag = finish.run(&[&states[1], &digest[..expected.len()]], 1).concat();
            assert_eq!(tag, expected, "{name}, {length} bytes, in parts");
        }
        for key_bytes in [0, 1, block - 1, block, block + 1, 2 * block - 9, 2 * block, 3 * block] {
            let (key, message) = (bytes.take(key_bytes), bytes.take(3 * block - key_bytes));
            let mut tag = other(&key, &message);
            assert_eq!(of_message.run(&[&key, &message], 1), [&tag[..]], "{name}, a key of {key_bytes}");
            assert_eq!(verify.run(&[&key, &message, &tag], 1), [[1]], "{name}, a key of {key_bytes}");
            let place = key_bytes % tag.len();
            tag[place] ^= 1 << (key_bytes % 8);
            assert_eq!(verify.run(&[&key, &message, &tag], 1), [[0]], "{name}, a key of {key_bytes}, a wrong tag");
        }
        wycheproof(stem, &name, &of_message);
    }
}

/// What Project Wycheproof publishes: tags, some of which are cut off.
fn wycheproof(stem: &str, name: &str, of_message: &Engine) {
    let vectors = shelf::wycheproof(stem);
    let mut count = 0;
    for test in vectors["testGroups"].as_array().expect("groups").iter().flat_map(|group| group["tests"].as_array()) {
        for test in test {
            let [key, message, tag] =
                ["key", "msg", "tag"].map(|field| parse_hex(test[field].as_str().expect("text")).expect("hex"));
            let found = of_message.run(&[&key, &message], 1).concat();
            let is_right = found[..tag.len()] == tag;
            assert_eq!(is_right, test["result"] == "valid", "{name}, test {}: {}", test["tcId"], test["comment"]);
            count += 1;
        }
    }
    assert_eq!(count, vectors["numberOfTests"].as_u64().expect("a number"));
}

macro_rules! hmac_by {
    ($hash:ty) => {
        |key, message| {
            <Hmac<$hash> as Mac>::new_from_slice(key)
                .expect("any length")
                .chain_update(message)
                .finalize()
                .into_bytes()
                .to_vec()
        }
    };
}

/// HMAC with two hash functions, which are drawn.
#[test]
fn hmac() {
    let all: [(&str, &str, usize, Other); 4] = [
        ("sha256", "hmac_sha224", 64, hmac_by!(Sha224)),
        ("sha256", "hmac_sha256", 64, hmac_by!(Sha256)),
        ("sha512", "hmac_sha384", 128, hmac_by!(Sha384)),
        ("sha512", "hmac_sha512", 128, hmac_by!(Sha512)),
    ];
    for (hash, stem, block, other) in draw::some("HMAC", all.into(), 2, |(_, stem, ..)| (*stem).to_owned()) {
        hmac_of_every_length(hash, stem, block, other);
    }
}

/// RFC 5869, by another implementation of HMAC: the first two blocks of the output.
fn hkdf_of_every_length(stem: &str, block: usize, other: Other) {
    for (name, engine) in shelf::engines_of_node("macs", stem, "hkdf") {
        let mut bytes = Bytes::new("hkdf");
        let step = if name.ends_with("interpreter") { 29 } else { 3 };
        for length in (0..140).step_by(step) {
            let (salt, material, info) = (bytes.take(block), bytes.take(139 - length), bytes.take(length));
            let key = other(&salt, &material);
            let first = other(&key, &[&info[..], &[1]].concat());
            let second = other(&key, &[&first, &info[..], &[2]].concat());
            let okm = engine.run(&[&salt, &material, &info], 1).concat();
            assert_eq!(okm, [first, second].concat(), "{name}, {length} bytes");
        }
    }
}

/// HKDF with a hash function that is drawn.
#[test]
fn hkdf() {
    let all: [(&str, usize, Other); 3] = [
        ("hkdf_sha256", 64, hmac_by!(Sha256)),
        ("hkdf_sha384", 128, hmac_by!(Sha384)),
        ("hkdf_sha512", 128, hmac_by!(Sha512)),
    ];
    for (stem, block, other) in draw::some("HKDF", all.into(), 1, |(stem, ..)| (*stem).to_owned()) {
        hkdf_of_every_length(stem, block, other);
    }
}
