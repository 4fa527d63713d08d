//! Authenticated encryption as one program a direction, by the interpreter and as C and Rust: vectors of Project Wycheproof, and every length
//! beside other implementations of the ciphers and of Poly1305.

use chacha20::{ChaCha20, XChaCha20};
use cipher::{KeyIvInit, StreamCipher};
use culet_driver::{Engine, parse_hex};
use culet_primitives_tests::{Bytes, shelf};
use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit, UniversalHash};
use salsa20::XSalsa20;
use serde_json::Value;

/// One engine for each direction, made in one way.
type Way = (String, [Engine; 2]);

/// A message that is not refused.
struct Message<'m> {
    key: &'m [u8],
    nonce: &'m [u8],
    /// None where a program takes no additional data.
    data: Option<&'m [u8]>,
    text: &'m [u8],
}

/// Checks that a message gives this text and tag, and that they give it back; that a tag with a wrong bit gives zeros.
fn check((name, [seal, open]): &Way, message: &Message<'_>, encrypted: &[u8], tag: &[u8]) {
    let Message { key, nonce, data, text } = *message;
    let context = format!("{name}, {} bytes", text.len());
    let mut inputs = vec![key, nonce];
    inputs.extend(data);
    let found = seal.run(&[&inputs[..], &[text]].concat(), 1);
    assert_eq!(found, [encrypted, tag], "{context}");
    let found = open.run(&[&inputs[..], &[encrypted, tag]].concat(), 1);
    assert_eq!(found, [text, &[1]], "{context}, opened");
    let mut wrong = tag.to_vec();
    wrong[text.len() % 16] ^= 1 << (text.len() % 8);
    let found = open.run(&[&inputs[..], &[encrypted, &wrong]].concat(), 1);
    assert_eq!(found, [&vec![0; text.len()][..], &[0]], "{context}, with a wrong tag");
}

/// The vectors of a file with nonces of this many bytes.
fn wycheproof(file: &str, nonce_bytes: u64, way: &Way) {
    let text = std::fs::read_to_string(shelf::vectors().join("wycheproof").join(file)).expect("the vectors");
    let vectors: Value = serde_json::from_str(&text).expect("JSON");
    let groups = vectors["testGroups"].as_array().expect("groups").iter();
    let mut count = 0;
    for group in groups.filter(|group| group["ivSize"] == 8 * nonce_bytes) {
        for test in group["tests"].as_array().expect("tests") {
            let [key, nonce, data, text, encrypted, tag] = ["key", "iv", "aad", "msg", "ct", "tag"]
                .map(|field| parse_hex(test[field].as_str().expect("text")).expect("hex"));
            count += 1;
            if test["result"] == "valid" {
                check(way, &Message { key: &key, nonce: &nonce, data: Some(&data), text: &text }, &encrypted, &tag);
                continue;
            }
            let (name, [_, open]) = way;
            let found = open.run(&[&key, &nonce, &data, &encrypted, &tag], 1);
            assert_eq!(found, [vec![0; encrypted.len()], vec![0]], "{name}, vector {}", test["tcId"]);
        }
    }
    assert!(count > 300, "{file} has {count} vectors");
}

/// RFC 8439, section 2.8: each part padded with zeros, then both lengths.
fn authenticated(one_time_key: &[u8], data: &[u8], encrypted: &[u8]) -> Vec<u8> {
    let mut mac = Poly1305::new(one_time_key.into());
    mac.update_padded(data);
    mac.update_padded(encrypted);
    mac.update_padded(&[(data.len() as u64).to_le_bytes(), (encrypted.len() as u64).to_le_bytes()].concat());
    mac.finalize().to_vec()
}

fn chacha20_poly1305<C: KeyIvInit + StreamCipher>(message: &Message<'_>) -> (Vec<u8>, Vec<u8>) {
    let mut cipher = C::new_from_slices(message.key, message.nonce).expect("a key and a nonce");
    let (mut first, mut encrypted) = ([0; 64], message.text.to_vec());
    cipher.apply_keystream(&mut first);
    cipher.apply_keystream(&mut encrypted);
    let tag = authenticated(&first[..32], message.data.unwrap_or_default(), &encrypted);
    (encrypted, tag)
}

fn secretbox(message: &Message<'_>) -> (Vec<u8>, Vec<u8>) {
    let mut cipher = XSalsa20::new_from_slices(message.key, message.nonce).expect("a key and a nonce");
    let (mut first, mut encrypted) = ([0; 32], message.text.to_vec());
    cipher.apply_keystream(&mut first);
    cipher.apply_keystream(&mut encrypted);
    let tag = Poly1305::new(&first.into()).compute_unpadded(&encrypted).to_vec();
    (encrypted, tag)
}

/// Every length up to 200; fewer where the interpreter runs.
fn every_length(way: &Way, nonce_bytes: usize, has_data: bool, sealed: fn(&Message<'_>) -> (Vec<u8>, Vec<u8>)) {
    let mut bytes = Bytes::new(&way.0);
    let step = if way.0.ends_with("interpreter") { 33 } else { 1 };
    for length in (0..=200).step_by(step) {
        let (key, nonce, data, text) =
            (bytes.take(32), bytes.take(nonce_bytes), bytes.take(200 - length), bytes.take(length));
        let data = has_data.then_some(&data[..]);
        let message = Message { key: &key, nonce: &nonce, data, text: &text };
        let (encrypted, tag) = sealed(&message);
        check(way, &message, &encrypted, &tag);
    }
}

fn ways(folder: &str, stem: &str, nodes: [&str; 2]) -> Vec<Way> {
    shelf::engines_of_nodes(nodes.map(|node| (folder, stem, node)))
}

#[test]
fn chacha20_poly1305_of_every_length() {
    for way in ways("aead", "chacha20_poly1305", ["chacha20_poly1305_seal", "chacha20_poly1305_open"]) {
        every_length(&way, 12, true, chacha20_poly1305::<ChaCha20>);
        if !way.0.ends_with("interpreter") {
            wycheproof("chacha20_poly1305_test.json", 12, &way);
        }
    }
}

#[test]
fn xchacha20_poly1305_of_every_length() {
    for way in ways("aead", "xchacha20_poly1305", ["xchacha20_poly1305_seal", "xchacha20_poly1305_open"]) {
        every_length(&way, 24, true, chacha20_poly1305::<XChaCha20>);
        if !way.0.ends_with("interpreter") {
            wycheproof("xchacha20_poly1305_test.json", 24, &way);
        }
    }
}

#[test]
fn secretbox_of_every_length() {
    for way in ways("nacl", "secretbox", ["secretbox", "secretbox_open"]) {
        every_length(&way, 24, false, secretbox);
    }
}
