//! Ascon-AEAD128, in parts and as whole programs, by the interpreter and as C and Rust: published answers, and every length beside the mode of the
//! tests on another implementation's permutation.

use culet_driver::{Engine, parse_hex};
use culet_primitives_tests::modes::{self, Message};
use culet_primitives_tests::references::{self, Computes};
use culet_primitives_tests::{Bytes, shelf};

/// The nodes, computed in one way.
struct Ascon {
    name: String,
    engines: Vec<(&'static str, Engine)>,
}

const NODES: [&str; 10] =
    ["start", "absorb", "separate", "encrypt", "decrypt", "encrypt_last", "decrypt_last", "finish", "seal", "open"];

fn every_way() -> Vec<Ascon> {
    let names = NODES.map(|node| format!("ascon_aead128_{node}"));
    let places: [shelf::Place<'_>; NODES.len()] =
        std::array::from_fn(|index| ("aead", "ascon_aead128", names[index].as_str()));
    let ascon = |(name, engines): (String, [Engine; NODES.len()])| {
        let engines = NODES.into_iter().zip(engines).collect();
        Ascon { name, engines }
    };
    shelf::engines_of_nodes(places).into_iter().map(ascon).collect()
}

impl Ascon {
    fn run(&self, node: &str, inputs: &[&[u8]]) -> Vec<Vec<u8>> {
        let found = self.engines.iter().find(|(name, _)| *name == node);
        found.expect("a node").1.run(inputs, 1)
    }

    /// What `direction` makes of a text, and the tag.
    fn crypt(&self, direction: &str, key: &[u8], nonce: &[u8], associated: &[u8], text: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let mut state = self.run("start", &[key, nonce]).concat();
        if !associated.is_empty() {
            let (whole, rest) = associated.split_at(associated.len() / 16 * 16);
            let mut last = [rest, &[1]].concat();
            last.resize(16, 0);
            for blocks in [whole, &last] {
                state = self.run("absorb", &[&state, blocks]).concat();
            }
        }
        state = self.run("separate", &[&state]).concat();
        let (whole, rest) = text.split_at(text.len() / 16 * 16);
        let mut first = self.run(direction, &[&state, whole]);
        // What is padded does not matter.
        let mut last = rest.to_vec();
        last.resize(16, 0xa5);
        let ending = self.run(&format!("{direction}_last"), &[&first[0], &last, &[rest.len() as u8]]);
        assert!(ending[1][rest.len()..].iter().all(|&byte| byte == 0), "{}", self.name);
        let mut result = first.swap_remove(1);
        result.extend(&ending[1][..rest.len()]);
        (result, self.run("finish", &[&ending[0], key]).concat())
    }

    fn check(&self, message: &Message, encrypted: &[u8]) {
        let &Message { key, nonce, associated, plain } = message;
        let (text, tag) = encrypted.split_at(plain.len());
        let lengths = (associated.len(), plain.len());
        let found = self.crypt("encrypt", key, nonce, associated, plain);
        assert_eq!(found, (text.to_vec(), tag.to_vec()), "{}, {lengths:?}", self.name);
        let found = self.crypt("decrypt", key, nonce, associated, text);
        assert_eq!(found, (plain.to_vec(), tag.to_vec()), "{}, {lengths:?}, backwards", self.name);
        let found = self.run("seal", &[key, nonce, associated, plain]);
        assert_eq!(found, [text, tag], "{}, {lengths:?}, sealed", self.name);
        let found = self.run("open", &[key, nonce, associated, text, tag]);
        assert_eq!(found, [plain, &[1]], "{}, {lengths:?}, opened", self.name);
        let mut wrong = tag.to_vec();
        wrong[plain.len() % 16] ^= 1 << (plain.len() % 8);
        let found = self.run("open", &[key, nonce, associated, text, &wrong]);
        assert_eq!(found, [&vec![0; plain.len()][..], &[0]], "{}, {lengths:?}, with a wrong tag", self.name);
    }
}

#[test]
fn published_answers_and_every_length() {
    let ways = every_way();
    for row in shelf::rows("ascon_aead128.txt") {
        let bytes: Vec<Vec<u8>> = row[1..].iter().map(|word| parse_hex(word).expect("hex")).collect();
        let [key, nonce, associated, plain, encrypted @ ..] = &bytes[..] else { panic!("too few words: {row:?}") };
        for way in &ways {
            way.check(&Message { key, nonce, associated, plain }, &encrypted.concat());
        }
    }
    let mode = modes::all().find(|mode| mode.name == "Ascon-AEAD128").expect("the mode");
    let modes::Computes::Aead(encrypt) = mode.computes else { panic!("it is authenticated encryption") };
    let mut bytes = Bytes::new("ascon");
    for length in 0..70 {
        let (key, nonce, associated, plain) =
            (bytes.take(16), bytes.take(16), bytes.take(69 - length), bytes.take(length));
        let message = Message { key: &key, nonce: &nonce, associated: &associated, plain: &plain };
        let encrypted = encrypt(&permutation, &message);
        for way in &ways {
            way.check(&message, &encrypted);
        }
    }
}

/// What Project Wycheproof publishes of SP 800-232.
#[test]
fn wycheproof() {
    let ways = every_way();
    let vectors = shelf::wycheproof("ascon_sp800_232_aead128");
    let mut count = 0;
    for test in vectors["testGroups"].as_array().expect("groups").iter().flat_map(|group| group["tests"].as_array()) {
        for test in test {
            let [key, nonce, associated, plain, text, tag] = ["key", "iv", "aad", "msg", "ct", "tag"]
                .map(|field| parse_hex(test[field].as_str().expect("text")).expect("hex"));
            for way in &ways {
                if test["result"] == "valid" {
                    let message = Message { key: &key, nonce: &nonce, associated: &associated, plain: &plain };
                    way.check(&message, &[&text[..], &tag].concat());
                } else {
                    let found = way.run("open", &[&key, &nonce, &associated, &text, &tag]);
                    assert_eq!(found, [&vec![0; text.len()][..], &[0]], "{}, test {}", way.name, test["tcId"]);
                }
            }
            count += 1;
        }
    }
    assert_eq!(count, vectors["numberOfTests"].as_u64().expect("a number"));
}

/// The permutations of SP 800-232, whose words have their least significant byte first, by one whose words have it last.
fn permutation(node: &str, inputs: &[&[u8]]) -> Vec<u8> {
    let turned = |state: &[u8]| -> Vec<u8> { state.chunks(8).flat_map(|word| word.iter().rev().copied()).collect() };
    let name = node.strip_suffix("_le").expect("a node of SP 800-232");
    let image = references::of("Ascon-p").into_iter().find_map(|other| match *other {
        Computes::Node(node, image) if node == name => Some(image),
        _ => None,
    });
    turned(&image.expect("the permutation")(&[&turned(inputs[0])]))
}
