//! Authenticated encryption as one program a direction, by the interpreter and as C and Rust: vectors of Project Wycheproof, and every length
//! beside other implementations of the ciphers and of Poly1305.

use aes::{Aes128, Aes256};
use blake2::Blake2b;
use blake2::digest::Digest;
use chacha20::{ChaCha20, XChaCha20};
use cipher::consts::{U10, U16, U24};
use cipher::generic_array::GenericArray;
use cipher::{BlockCipher, BlockEncrypt, KeyIvInit, StreamCipher};
use culet_driver::{Engine, parse_hex};
use culet_ir::Target;
use culet_primitives_tests::{Bytes, shelf};
use culet_testing::draw;
use curve25519_dalek::MontgomeryPoint;
use ed25519_dalek::{Signer, SigningKey};
use ghash::GHash;
use hmac::{Hmac, Mac};
use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit, UniversalHash};
use salsa20::{XSalsa20, hsalsa};
use serde_json::Value;
use sha2::Sha512;

/// One engine for each direction, made in one way.
type Way = (String, [Engine; 2]);

/// A message that is not refused.
struct Message<'m> {
    /// The key, or what the program makes the key of.
    keys: &'m [&'m [u8]],
    nonce: &'m [u8],
    /// None where a program takes no additional data.
    data: Option<&'m [u8]>,
    text: &'m [u8],
}

/// Checks that a message gives this text and tag, and that they give it back; that a tag with a wrong bit gives zeros.
fn check((name, [seal, open]): &Way, message: &Message<'_>, encrypted: &[u8], tag: &[u8]) {
    let Message { keys, nonce, data, text } = *message;
    let context = format!("{name}, {} bytes", text.len());
    let inputs: Vec<&[u8]> = keys.iter().copied().chain([nonce]).chain(data).collect();
    let found = seal.run(&[&inputs[..], &[text]].concat(), 1);
    assert_eq!(found, [encrypted, tag], "{context}");
    let found = open.run(&[&inputs[..], &[encrypted, tag]].concat(), 1);
    assert_eq!(found, [text, &[1]], "{context}, opened");
    let mut wrong = tag.to_vec();
    wrong[text.len() % 16] ^= 1 << (text.len() % 8);
    let found = open.run(&[&inputs[..], &[encrypted, &wrong]].concat(), 1);
    assert_eq!(found, [&vec![0; text.len()][..], &[0]], "{context}, with a wrong tag");
}

/// The vectors of a file with keys and nonces of these many bytes, of which there are more than `least`.
fn wycheproof(file: &str, [key_bytes, nonce_bytes]: [usize; 2], least: usize, way: &Way) {
    let vectors = shelf::wycheproof(file);
    let groups = vectors["testGroups"].as_array().expect("groups").iter();
    let mut count = 0;
    let is_wanted = |group: &&Value| group["keySize"] == 8 * key_bytes && group["ivSize"] == 8 * nonce_bytes;
    for group in groups.filter(is_wanted) {
        for test in group["tests"].as_array().expect("tests") {
            let [key, nonce, data, text, encrypted, tag] = ["key", "iv", "aad", "msg", "ct", "tag"]
                .map(|field| parse_hex(test[field].as_str().expect("text")).expect("hex"));
            count += 1;
            if test["result"] == "valid" {
                check(way, &Message { keys: &[&key], nonce: &nonce, data: Some(&data), text: &text }, &encrypted, &tag);
                continue;
            }
            let (name, [_, open]) = way;
            let found = open.run(&[&key, &nonce, &data, &encrypted, &tag], 1);
            assert_eq!(found, [vec![0; encrypted.len()], vec![0]], "{name}, vector {}", test["tcId"]);
        }
    }
    assert!(count > least, "{file} has {count} vectors");
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
    let mut cipher = C::new_from_slices(message.keys[0], message.nonce).expect("a key and a nonce");
    let (mut first, mut encrypted) = ([0; 64], message.text.to_vec());
    cipher.apply_keystream(&mut first);
    cipher.apply_keystream(&mut encrypted);
    let tag = authenticated(&first[..32], message.data.unwrap_or_default(), &encrypted);
    (encrypted, tag)
}

/// NIST SP 800-38D, section 7.1, with a nonce of 12 bytes.
fn aes_gcm<C>(message: &Message<'_>) -> (Vec<u8>, Vec<u8>)
where
    C: BlockCipher + BlockEncrypt + cipher::BlockSizeUser<BlockSize = U16> + cipher::KeyInit,
{
    let cipher = C::new_from_slice(message.keys[0]).expect("a key");
    let encrypted_block = |bytes: &[u8]| {
        let mut block = GenericArray::clone_from_slice(bytes);
        cipher.encrypt_block(&mut block);
        block
    };
    let numbered = |number: u32| encrypted_block(&[message.nonce, &number.to_be_bytes()].concat());
    let sum = |a: &[u8], b: &[u8]| a.iter().zip(b).map(|(a, b)| a ^ b).collect::<Vec<u8>>();
    let encrypted = message.text.chunks(16).zip(2..).flat_map(|(block, number)| sum(block, &numbered(number)));
    let (data, encrypted) = (message.data.unwrap_or_default(), encrypted.collect::<Vec<u8>>());
    let mut hash = GHash::new(&encrypted_block(&[0; 16]));
    hash.update_padded(data);
    hash.update_padded(&encrypted);
    hash.update_padded(&[(8 * data.len() as u64).to_be_bytes(), (8 * encrypted.len() as u64).to_be_bytes()].concat());
    let tag = sum(&hash.finalize(), &numbered(1));
    (encrypted, tag)
}

fn secretbox(message: &Message<'_>) -> (Vec<u8>, Vec<u8>) {
    secretbox_with(message.keys[0], message)
}

/// The keys are the other's public key and one's own secret key.
fn box_of_two(message: &Message<'_>) -> (Vec<u8>, Vec<u8>) {
    let [public, secret] = [message.keys[0], message.keys[1]].map(|key| key.try_into().expect("32 bytes"));
    let shared = MontgomeryPoint(public).mul_clamped(secret);
    secretbox_with(&hsalsa::<U10>(&shared.0.into(), &[0; 16].into()), message)
}

fn secretbox_with(key: &[u8], message: &Message<'_>) -> (Vec<u8>, Vec<u8>) {
    let mut cipher = XSalsa20::new_from_slices(key, message.nonce).expect("a key and a nonce");
    let (mut first, mut encrypted) = ([0; 32], message.text.to_vec());
    cipher.apply_keystream(&mut first);
    cipher.apply_keystream(&mut encrypted);
    let tag = Poly1305::new(&first.into()).compute_unpadded(&encrypted).to_vec();
    (encrypted, tag)
}

/// Every length up to 200; fewer where the interpreter runs.
fn every_length(
    way: &Way,
    [keys, key_bytes, nonce_bytes]: [usize; 3],
    has_data: bool,
    sealed: fn(&Message<'_>) -> (Vec<u8>, Vec<u8>),
) {
    let mut bytes = Bytes::new(&way.0);
    let step = if way.0.ends_with("interpreter") { 33 } else { 1 };
    for length in (0..=200).step_by(step) {
        let (keys, nonce, data, text) =
            (bytes.take(key_bytes * keys), bytes.take(nonce_bytes), bytes.take(200 - length), bytes.take(length));
        let keys: Vec<&[u8]> = keys.chunks(key_bytes).collect();
        let data = has_data.then_some(&data[..]);
        let message = Message { keys: &keys, nonce: &nonce, data, text: &text };
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
        every_length(&way, [1, 32, 12], true, chacha20_poly1305::<ChaCha20>);
        if !way.0.ends_with("interpreter") {
            wycheproof("chacha20_poly1305", [32, 12], 300, &way);
        }
    }
}

#[test]
fn xchacha20_poly1305_of_every_length() {
    for way in ways("aead", "xchacha20_poly1305", ["xchacha20_poly1305_seal", "xchacha20_poly1305_open"]) {
        every_length(&way, [1, 32, 24], true, chacha20_poly1305::<XChaCha20>);
        if !way.0.ends_with("interpreter") {
            wycheproof("xchacha20_poly1305", [32, 24], 300, &way);
        }
    }
}

/// One length of keys, which is drawn.
#[test]
fn aes_gcm_of_every_length() {
    let lengths = [16, 32].into();
    for key_bytes in draw::some("AES-GCM by the length of keys", lengths, 1, usize::to_string) {
        let stem = format!("aes{}_gcm", 8 * key_bytes);
        let nodes = ["seal", "open"].map(|direction| format!("{stem}_{direction}"));
        let sealed = if key_bytes == 16 { aes_gcm::<Aes128> } else { aes_gcm::<Aes256> };
        for way in ways("aead", &stem, nodes.each_ref().map(String::as_str)) {
            every_length(&way, [1, key_bytes, 12], true, sealed);
            if !way.0.ends_with("interpreter") {
                wycheproof("aes_gcm", [key_bytes, 12], 60, &way);
            }
        }
    }
}

/// The published answers of AES-128-GCM on another machine, which is drawn, by its instructions for rounds and products.
#[test]
fn aes_gcm_by_instructions() {
    let entry = shelf::entries_in("aead").into_iter().find(|entry| entry.stem == "aes128_gcm").expect("a description");
    let answers = entry.primitive.known_answer.iter().filter(|answer| answer.node == "aes128_gcm_seal");
    let answers: Vec<_> = answers.collect();
    assert!(answers.len() >= 4);
    let targets = vec![Target::Neon, Target::Vsx];
    for target in draw::some("AES-GCM by instructions", targets, 1, |target| target.name().to_owned()) {
        let engine = |folder, stem, node| {
            let engines = shelf::engines_by_instructions((folder, stem, node), &[target]);
            engines.into_iter().next().map(|(_, engine)| engine)
        };
        let of_rounds = ["aes128_keys", "aes128_block", "aes128_ctr"].map(|node| engine("streams", "aes_rounds", node));
        let of_products = ["ghash_powers", "ghash_parts"].map(|node| engine("macs", "ghash_products", node));
        let ([Some(keys), Some(block), Some(ctr)], [Some(powers), Some(parts)]) = (of_rounds, of_products) else {
            continue;
        };
        for answer in &answers {
            let hex = |text: &str| parse_hex(text).expect("hex");
            let [key, nonce, data, text] = ["key", "nonce", "data", "text"].map(|name| hex(&answer.inputs[name]));
            let keys = keys.run(&[&key], 1).concat();
            let numbered = |number: u32| [&nonce[..], &number.to_be_bytes()].concat();
            let encrypted_block = |bytes: &[u8]| block.run(&[&keys, bytes], 1).concat();
            let mut whole = text.clone();
            whole.resize(text.len().next_multiple_of(64), 0);
            let mut encrypted = ctr.run(&[&keys, &numbered(2), &whole], 1).concat();
            encrypted.truncate(text.len());
            let powers = powers.run(&[&encrypted_block(&[0; 16])], 1).concat();
            let lengths = [(8 * data.len() as u64).to_be_bytes(), (8 * encrypted.len() as u64).to_be_bytes()].concat();
            let (fours, ones) = encrypted.split_at(encrypted.len() / 64 * 64);
            let mut hash = vec![0; 16];
            for [fours, ones] in [[&[][..], &data], [fours, ones], [&[], &lengths]] {
                hash = parts.run(&[&hash, &powers, &[], fours, ones], 1).concat();
            }
            let tag: Vec<u8> = hash.iter().zip(encrypted_block(&numbered(1))).map(|(a, b)| a ^ b).collect();
            let [published, published_tag] = ["encrypted", "tag"].map(|name| hex(&answer.outputs[name]));
            assert_eq!((encrypted, tag), (published, published_tag), "{}, {}", target.name(), answer.source);
        }
    }
}

#[test]
fn secretbox_of_every_length() {
    for way in ways("nacl", "secretbox", ["secretbox", "secretbox_open"]) {
        every_length(&way, [1, 32, 24], false, secretbox);
    }
}

#[test]
fn box_of_every_length() {
    for way in ways("nacl", "box", ["box", "box_open"]) {
        every_length(&way, [2, 32, 24], false, box_of_two);
    }
}

/// Keys, and messages whose blocks end before, at and behind the padding of SHA-512.
#[test]
fn auth_of_many_lengths() {
    for (name, [auth, verify]) in ways("nacl", "auth", ["auth", "auth_verify"]) {
        let mut bytes = Bytes::new(&name);
        for length in [0, 1, 47, 48, 110, 111, 112, 127, 128, 129, 239, 240, 300] {
            let (key, message) = (bytes.take(32), bytes.take(length));
            let mut mac = <Hmac<Sha512> as Mac>::new_from_slice(&key).expect("a key");
            mac.update(&message);
            let mut tag = mac.finalize().into_bytes()[..32].to_vec();
            assert_eq!(auth.run(&[&key, &message], 1), [&tag[..]], "{name}, {length} bytes");
            assert_eq!(verify.run(&[&key, &message, &tag], 1), [[1]], "{name}, {length} bytes");
            tag[length % 32] ^= 1 << (length % 8);
            assert_eq!(verify.run(&[&key, &message, &tag], 1), [[0]], "{name}, {length} bytes, with a wrong tag");
        }
    }
}

/// A key stream, and a text that it encrypts.
#[test]
fn stream_of_many_lengths() {
    for (name, [stream, xor]) in ways("nacl", "stream", ["stream", "stream_xor"]) {
        let mut bytes = Bytes::new(&name);
        for length in [0, 1, 63, 64, 65, 127, 128, 129, 300] {
            let (key, nonce, text) = (bytes.take(32), bytes.take(24), bytes.take(length));
            let encrypted_of = |text: &[u8]| {
                let mut text = text.to_vec();
                XSalsa20::new_from_slices(&key, &nonce).expect("a key and a nonce").apply_keystream(&mut text);
                text
            };
            let zeros = vec![0; length];
            // The bytes that only say how many there are to be do not matter.
            assert_eq!(stream.run(&[&key, &nonce, &text], 1), [encrypted_of(&zeros)], "{name}, {length} bytes");
            assert_eq!(xor.run(&[&key, &nonce, &text], 1), [encrypted_of(&text)], "{name}, {length} bytes");
        }
    }
}

#[test]
fn onetimeauth_of_many_lengths() {
    for (name, [auth, verify]) in ways("nacl", "onetimeauth", ["onetimeauth", "onetimeauth_verify"]) {
        let mut bytes = Bytes::new(&name);
        for length in [0, 1, 15, 16, 17, 64, 100] {
            let (key, message) = (bytes.take(32), bytes.take(length));
            let mut tag = Poly1305::new(key.as_slice().into()).compute_unpadded(&message).to_vec();
            assert_eq!(auth.run(&[&key, &message], 1), [&tag[..]], "{name}, {length} bytes");
            assert_eq!(verify.run(&[&key, &message, &tag], 1), [[1]], "{name}, {length} bytes");
            tag[length % 16] ^= 1 << (length % 8);
            assert_eq!(verify.run(&[&key, &message, &tag], 1), [[0]], "{name}, {length} bytes, with a wrong tag");
        }
    }
}

/// Signed messages of another implementation; other messages become zeros.
#[test]
fn signed_messages() {
    let nodes = [("nacl", "sign", "sign"), ("nacl", "sign_open", "sign_open")];
    for (name, [sign, open]) in shelf::few_engines_of_nodes(nodes) {
        let mut bytes = Bytes::new(&name);
        for length in [0, 1, 100] {
            let (seed, message) = (bytes.take(32), bytes.take(length));
            let key = SigningKey::from_bytes(seed.as_slice().try_into().expect("32 bytes"));
            let (public, signature) = (key.verifying_key().to_bytes(), key.sign(&message).to_bytes());
            let found = sign.run(&[&[&seed[..], &public].concat(), &message], 1);
            assert_eq!(found, [&signature[..], &message], "{name}, {length} bytes");
            assert_eq!(open.run(&[&public, &signature, &message], 1), [&message[..], &[1]], "{name}, {length} bytes");
            let mut wrong = signature;
            wrong[length % 64] ^= 1;
            let found = open.run(&[&public, &wrong, &message], 1);
            assert_eq!(found, [&vec![0; length][..], &[0]], "{name}, {length} bytes, with a wrong signature");
        }
    }
}

/// Sealed boxes, whose nonces are hashes of the public keys.
#[test]
fn sealed_boxes() {
    let nodes = ["box_seal", "box_seal_open"].map(|node| ("nacl", "sealed", node));
    for (name, [seal, open]) in shelf::few_engines_of_nodes(nodes) {
        let mut bytes = Bytes::new(&name);
        for length in [0, 1, 100] {
            let [reader, ephemeral] = [(); 2].map(|()| bytes.take(32));
            let [public, sender] = [&reader, &ephemeral]
                .map(|key| MontgomeryPoint::mul_base_clamped(key.as_slice().try_into().expect("32 bytes")).0);
            let text = bytes.take(length);
            let nonce = Blake2b::<U24>::digest([sender, public].concat());
            let message = Message { keys: &[&public, &ephemeral], nonce: &nonce, data: None, text: &text };
            let (encrypted, mut tag) = box_of_two(&message);
            let found = seal.run(&[&public, &ephemeral, &text], 1);
            assert_eq!(found, [&sender[..], &tag, &encrypted], "{name}, {length} bytes");
            let found = open.run(&[&public, &reader, &sender, &tag, &encrypted], 1);
            assert_eq!(found, [&text[..], &[1]], "{name}, {length} bytes, opened");
            tag[length % 16] ^= 1;
            let found = open.run(&[&public, &reader, &sender, &tag, &encrypted], 1);
            assert_eq!(found, [&vec![0; length][..], &[0]], "{name}, {length} bytes, with a wrong tag");
        }
    }
}
