//! Hash functions of whole messages and in parts, by the interpreter and as C, compared with another implementation.

use blake2::digest::consts::{U17, U20, U32, U64};
use blake2::digest::{ExtendableOutput, FixedOutput, Mac, Update, XofReader};
use blake2::{Blake2b, Blake2bMac, Blake2s, Blake2sMac};
use culet_driver::Engine;
use culet_ir::Target;
use culet_primitives_tests::{Bytes, shelf};
use culet_testing::draw;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512, Sha512_256};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};

fn every_length<H: Digest>(stem: &str, node: &str) {
    let instructions = [Target::SseSha];
    let by_instructions = if stem == "sha256" { &instructions[..] } else { &[] };
    let by_instructions = shelf::engines_by_instructions(("hashes", stem, node), by_instructions);
    for (name, engine) in shelf::engines_of_node("hashes", stem, node).into_iter().chain(by_instructions) {
        let mut bytes = Bytes::new(node);
        // Lengths up to more than two blocks, around every length for which the length field needs a block of its own.
        for length in 0..300 {
            let message = bytes.take(length);
            let expected = H::digest(&message).to_vec();
            assert_eq!(engine.run(&[&message], 1).concat(), expected, "{name}, {length} bytes");
        }
    }
}

#[test]
fn sha256_of_every_length() {
    every_length::<Sha256>("sha256", "sha256");
    every_length::<Sha224>("sha256", "sha224");
}

#[test]
fn sha512_of_every_length() {
    every_length::<Sha512>("sha512", "sha512");
    every_length::<Sha384>("sha512", "sha384");
    every_length::<Sha512_256>("sha512", "sha512_256");
}

/// A message whose blocks come in two parts, the padding in the second one.
fn in_parts<H: Digest>(stem: &str, name: &str, block: usize) {
    let (start, update) = (format!("{name}_start"), format!("{stem}_update"));
    for (name, [start, update]) in shelf::engines_of_nodes([("hashes", stem, &start), ("hashes", stem, &update)]) {
        let mut bytes = Bytes::new(&name);
        for length in [0, 1, block - 9, block, 5 * block + 7] {
            let message = bytes.take(length);
            let mut padded = message.clone();
            padded.push(0x80);
            padded.resize((padded.len() + block / 8).next_multiple_of(block) - 8, 0);
            padded.extend((8 * length as u64).to_be_bytes());
            for cut in (0..=padded.len()).step_by(block) {
                let (first, second) = padded.split_at(cut);
                let mut state = start.run(&[], 1).concat();
                for part in [first, second] {
                    state = update.run(&[&state, part], 1).concat();
                }
                let expected = H::digest(&message);
                assert_eq!(state[..expected.len()], *expected, "{name}, {length} bytes cut at {cut}");
            }
        }
    }
}

#[test]
fn sha2_in_parts() {
    in_parts::<Sha224>("sha256", "sha224", 64);
    in_parts::<Sha256>("sha256", "sha256", 64);
    in_parts::<Sha384>("sha512", "sha384", 128);
    in_parts::<Sha512>("sha512", "sha512", 128);
    in_parts::<Sha512_256>("sha512", "sha512_256", 128);
}

/// A sponge of FIPS 202: what is absorbed comes in two parts, and the output is as long as is asked for.
struct Sponge {
    name: String,
    absorb: Engine,
    permute: Engine,
    rate: usize,
}

impl Sponge {
    fn each(rate: usize) -> Vec<Sponge> {
        let absorb = format!("keccak_absorb_{rate}");
        let both = shelf::engines_of_nodes([("hashes", "sha3", &absorb), ("hashes", "sha3", "keccak_permute")]);
        both.into_iter().map(|(name, [absorb, permute])| Sponge { name, absorb, permute, rate }).collect()
    }

    /// `end` begins the padding.
    fn output(&self, message: &[u8], end: u8, length: usize) -> Vec<u8> {
        let mut padded = message.to_vec();
        padded.push(end);
        padded.resize(padded.len().next_multiple_of(self.rate), 0);
        *padded.last_mut().expect("a byte") |= 0x80;
        let cut = padded.len() / self.rate / 2 * self.rate;
        let mut state = vec![0; 200];
        for part in [&padded[..cut], &padded[cut..]] {
            state = self.absorb.run(&[&state, part], 1).concat();
        }
        let mut output = Vec::new();
        while output.len() < length {
            output.extend(&state[..self.rate]);
            state = self.permute.run(&[&state], 1).concat();
        }
        output.truncate(length);
        output
    }
}

fn sha3_of_every_length<H: Digest>(rate: usize) {
    for sponge in Sponge::each(rate) {
        let mut bytes = Bytes::new("sha3");
        for length in 0..3 * rate {
            let message = bytes.take(length);
            let expected = H::digest(&message);
            assert_eq!(sponge.output(&message, 6, expected.len()), *expected, "{}, {length} bytes", sponge.name);
        }
    }
}

fn shake_of_every_length<H: ExtendableOutput + Update + Default>(rate: usize) {
    for sponge in Sponge::each(rate) {
        let mut bytes = Bytes::new("shake");
        for length in (0..3 * rate).step_by(5) {
            let message = bytes.take(length);
            let mut expected = vec![0; 2 * length + 1];
            H::default().chain(&message).finalize_xof().read(&mut expected);
            assert_eq!(sponge.output(&message, 0x1f, expected.len()), expected, "{}, {length} bytes", sponge.name);
        }
    }
}

/// The check of a function whose blocks have so many bytes.
type Check = fn(usize);

/// Three functions, which are drawn.
#[test]
fn sha3() {
    let functions: [(&str, Check, usize); 6] = [
        ("SHA3-224", sha3_of_every_length::<Sha3_224>, 144),
        ("SHA3-256", sha3_of_every_length::<Sha3_256>, 136),
        ("SHA3-384", sha3_of_every_length::<Sha3_384>, 104),
        ("SHA3-512", sha3_of_every_length::<Sha3_512>, 72),
        ("SHAKE128", shake_of_every_length::<Shake128>, 168),
        ("SHAKE256", shake_of_every_length::<Shake256>, 136),
    ];
    for (_, check, rate) in draw::some("SHA-3", functions.into(), 3, |(name, ..)| (*name).to_owned()) {
        check(rate);
    }
}

/// Another implementation: an output of so many bytes, or a digest, of a message.
type Other = fn(&[u8], usize) -> Vec<u8>;

/// Whole messages, by a function that is drawn. Lengths are around the ends of blocks.
#[test]
fn sha3_of_whole_messages() {
    let nodes: [(&str, usize, Other); 6] = [
        ("sha3_224", 144, |message, _| Sha3_224::digest(message).to_vec()),
        ("sha3_256", 136, |message, _| Sha3_256::digest(message).to_vec()),
        ("sha3_384", 104, |message, _| Sha3_384::digest(message).to_vec()),
        ("sha3_512", 72, |message, _| Sha3_512::digest(message).to_vec()),
        ("shake128", 168, shake::<Shake128>),
        ("shake256", 136, shake::<Shake256>),
    ];
    let name = |&(node, ..): &(&str, usize, Other)| node.to_owned();
    for (node, rate, other) in draw::some("SHA-3 of whole messages", nodes.into(), 1, name) {
        for (name, engine) in shelf::engines_of_node("hashes", "sha3", node) {
            let mut bytes = Bytes::new(node);
            for length in (0..4).chain(rate - 3..rate + 3).chain(2 * rate - 3..2 * rate + 3) {
                let message = bytes.take(length);
                // The bytes that only say how long the output is do not matter.
                let room = bytes.take((2 * rate + 3).saturating_sub(length));
                let expected = other(&message, room.len());
                let inputs = [&message[..], &room];
                let count = if node.starts_with("shake") { 2 } else { 1 };
                assert_eq!(engine.run(&inputs[..count], 1).concat(), expected, "{name}, {length} bytes");
            }
        }
    }
}

fn shake<H: ExtendableOutput + Update + Default>(message: &[u8], length: usize) -> Vec<u8> {
    let mut output = vec![0; length];
    H::default().chain(message).finalize_xof().read(&mut output);
    output
}

/// The steps of Ascon-Hash256 and Ascon-XOF128 by one way, and those of whole messages, padded or not.
struct Ascon {
    name: String,
    hash_start: Engine,
    xof_start: Engine,
    absorb: Engine,
    permute: Engine,
    whole: Engine,
    message: Engine,
    xof_message: Engine,
}

impl Ascon {
    fn every_way() -> Vec<Ascon> {
        let nodes = [
            "hash256_start",
            "xof128_start",
            "hash256_absorb",
            "hash256_permute",
            "hash256",
            "hash256_message",
            "xof128_message",
        ];
        let nodes = nodes.map(|n| format!("ascon_{n}"));
        let places: [shelf::Place<'_>; 7] =
            std::array::from_fn(|index| ("hashes", "ascon_hash256", nodes[index].as_str()));
        let ascon = |(name, engines): (String, [Engine; 7])| {
            let [hash_start, xof_start, absorb, permute, whole, message, xof_message] = engines;
            Ascon { name, hash_start, xof_start, absorb, permute, whole, message, xof_message }
        };
        shelf::engines_of_nodes(places).into_iter().map(ascon).collect()
    }

    fn padded(message: &[u8]) -> Vec<u8> {
        let mut padded = [message, &[1]].concat();
        padded.resize(padded.len().next_multiple_of(8), 0);
        padded
    }

    /// The message is absorbed in two parts.
    fn output(&self, start: &Engine, message: &[u8], length: usize) -> Vec<u8> {
        let padded = Self::padded(message);
        let cut = padded.len() / 16 * 8;
        let mut state = start.run(&[], 1).concat();
        for part in [&padded[..cut], &padded[cut..]] {
            state = self.absorb.run(&[&state, part], 1).concat();
        }
        let mut output = Vec::new();
        while output.len() < length {
            output.extend(&state[..8]);
            state = self.permute.run(&[&state], 1).concat();
        }
        output.truncate(length);
        output
    }

    fn check(&self, message: &[u8], digest: &[u8], output: &[u8]) {
        let place = format!("{}, {} bytes", self.name, message.len());
        assert_eq!(self.output(&self.hash_start, message, 32), digest, "{place}");
        assert_eq!(self.whole.run(&[&Self::padded(message)], 1).concat(), digest, "{place}");
        assert_eq!(self.message.run(&[message], 1).concat(), digest, "{place}");
        let room = vec![0xa5; output.len()];
        assert_eq!(self.xof_message.run(&[message, &room], 1).concat(), output, "{place}");
        assert_eq!(self.output(&self.xof_start, message, output.len()), output, "{place}");
    }
}

#[test]
fn ascon_of_every_length() {
    use ascon_hash::digest::{Digest, ExtendableOutput, Update, XofReader};
    let mut bytes = Bytes::new("ascon");
    let ways = Ascon::every_way();
    for length in 0..50 {
        let message = bytes.take(length);
        let mut output = vec![0; 2 * length + 1];
        let mut xof = ascon_hash::AsconXof128::default();
        xof.update(&message);
        xof.finalize_xof().read(&mut output);
        let digest = ascon_hash::AsconHash256::digest(&message);
        ways.iter().for_each(|way| way.check(&message, &digest, &output));
    }
}

/// The designers' answers: NIST SP 800-232.
#[test]
fn ascon_as_published() {
    let hex = |word: &str| culet_driver::parse_hex(word).expect("hex");
    for way in Ascon::every_way() {
        for row in shelf::rows("ascon_hash256.txt") {
            assert_eq!(way.output(&way.hash_start, &hex(&row[1]), 32), hex(&row[2]), "{}, {row:?}", way.name);
        }
        for row in shelf::rows("ascon_xof128.txt") {
            assert_eq!(way.output(&way.xof_start, &hex(&row[1]), 64), hex(&row[2]), "{}, {row:?}", way.name);
        }
    }
}

/// Another implementation: the digest of a message under a key, with a salt and a personal string, which are empty where there is no key.
type Keyed = fn([&[u8]; 4]) -> Vec<u8>;

/// BLAKE2 with keys of all lengths that come in turn, what comes before the last block in two parts.
fn blake2(stem: &str, block: usize, digests: [(usize, Keyed); 2]) {
    let nodes = ["_start", "_update", "_finish", "", "_keyed", "_salted"].map(|step| format!("{stem}{step}"));
    let places = nodes.each_ref().map(|node| ("hashes", stem, node.as_str()));
    for (name, [start, update, finish, whole, keyed, salted]) in shelf::engines_of_nodes(places) {
        let mut bytes = Bytes::new(stem);
        for length in 0..3 * block + 2 {
            let (digest, other) = digests[length % 2];
            let (key, message) = (bytes.take(length % (block / 2 + 1)), bytes.take(length));
            let mut all = key.clone();
            all.resize(if key.is_empty() { 0 } else { block }, 0);
            all.extend(&message);
            // The last block has a byte at least, unless there is none at all.
            let before = all.len().saturating_sub(1) / block * block;
            let cut = before / block / 2 * block;
            let (salt, personal) = (vec![0; block / 8], vec![0; block / 8]);
            let mut state = start.run(&[&[digest as u8], &[key.len() as u8], &salt, &personal], 1).concat();
            for (from, to) in [(0, cut), (cut, before)] {
                state = update.run(&[&state, &(from as u64).to_le_bytes(), &all[from..to]], 1).concat();
            }
            let mut last = all[before..].to_vec();
            last.resize(block, 0);
            let found = finish.run(&[&state, &(all.len() as u64).to_le_bytes(), &last], 1).concat();
            let expected = other([&key, &[], &[], &message]);
            assert_eq!(found[..digest], expected, "{name}, a key of {}, {length} bytes", key.len());
            // The key's bytes beyond its end do not matter.
            let longer = [&key[..], &vec![0xa5; block / 2 - key.len()]].concat();
            let found = match &key[..] {
                [] => whole.run(&[&[digest as u8], &message], 1),
                _ => keyed.run(&[&[digest as u8], &[key.len() as u8], &longer, &message], 1),
            };
            let expected = [&expected[..], &vec![0; block / 2 - digest]].concat();
            assert_eq!(found, [expected], "{name}, a key of {}, {length} bytes at once", key.len());
            let [salt, personal] = [(); 2].map(|()| bytes.take(if key.is_empty() { 0 } else { block / 8 }));
            let expected = [other([&key, &salt, &personal, &message]), vec![0; block / 2 - digest]].concat();
            let [salt, personal] = [salt, personal].map(|text| [text, vec![0; block / 8]].concat());
            let (salt, personal) = (&salt[..block / 8], &personal[..block / 8]);
            let inputs = [&[digest as u8][..], &[key.len() as u8], &longer, salt, personal, &message];
            let found = salted.run(&inputs, 1);
            assert_eq!(found, [expected], "{name}, a key of {}, {length} bytes with a salt", key.len());
        }
        // Lengths that no digest and no key has give zeros; the last one has both.
        let (key, salt) = (vec![7; block / 2], vec![9; block / 8]);
        for length in [0, block as u8 / 2 + 1, 255, block as u8 / 2] {
            let digest = whole.run(&[&[length], b"abc"], 1);
            let with_key = keyed.run(&[&[16], &[length], &key, b"abc"], 1);
            let with_salt = salted.run(&[&[16], &[length], &key, &salt, &salt, b"abc"], 1);
            let are_zeros = [digest, with_key, with_salt].map(|digest| digest.concat() == vec![0; block / 2]);
            let is_wrong = length != block as u8 / 2;
            assert_eq!(are_zeros, [is_wrong, is_wrong, is_wrong && length != 0], "{name}, {length}");
        }
    }
}

macro_rules! blake2_by {
    ($plain:ty, $keyed:ty) => {
        |[key, salt, personal, message]| match key {
            [] => <$plain as Digest>::digest(message).to_vec(),
            _ => {
                let mac = <$keyed>::new_with_salt_and_personal(key, salt, personal).expect("a short key");
                Mac::chain_update(mac, message).finalize_fixed().to_vec()
            }
        }
    };
}

#[test]
fn blake2b() {
    let whole: Keyed = blake2_by!(Blake2b<U64>, Blake2bMac<U64>);
    blake2("blake2b", 128, [(64, whole), (20, blake2_by!(Blake2b<U20>, Blake2bMac<U20>))]);
}

#[test]
fn blake2s() {
    let whole: Keyed = blake2_by!(Blake2s<U32>, Blake2sMac<U32>);
    blake2("blake2s", 64, [(32, whole), (17, blake2_by!(Blake2s<U17>, Blake2sMac<U17>))]);
}

/// libsodium's keys from a key.
#[test]
fn keys_from_a_key() {
    for (name, engine) in shelf::engines_of_node("nacl", "kdf", "kdf_derive") {
        let mut bytes = Bytes::new("kdf");
        for _ in 0..5 {
            let (key, number, context) = (bytes.take(32), bytes.take(8), bytes.take(8));
            let long: Keyed = blake2_by!(Blake2b<U64>, Blake2bMac<U64>);
            let short: Keyed = blake2_by!(Blake2b<U20>, Blake2bMac<U20>);
            for (length, other) in [(64, long), (20, short)] {
                let expected = [other([&key, &number, &context, &[]]), vec![0; 64 - length]].concat();
                let found = engine.run(&[&[length as u8], &number, &context, &key], 1);
                assert_eq!(found, [expected], "{name}, {length} bytes");
            }
            for length in [0, 15, 65, 255] {
                let found = engine.run(&[&[length], &number, &context, &key], 1);
                assert_eq!(found, [[0; 64]], "{name}, {length} bytes");
            }
        }
    }
}
