//! Published vectors that are too many for a description, or need a mode of operation that the driver does not have.

use culet_driver::{Engine, Options, elaborate, parse_hex};
use culet_ir::Target;
use culet_primitives_tests::shelf::{Entry, messages, named, rows};
use culet_types::program::Slicing;

fn hex(text: &str) -> Vec<u8> {
    parse_hex(text).expect("the vector is hexadecimal")
}

fn engine(entry: &Entry, node: &str) -> Engine {
    let options = Options { node: Some(node.into()), slicing: Some(Slicing::Vertical), ..Options::new(Target::C64) };
    let (program, diagnostics) = elaborate(&entry.source, &options);
    let program = program.unwrap_or_else(|| panic!("{}", messages(&diagnostics)));
    Engine::interpreter(program).expect("it takes few steps")
}

/// The encryption sets of the NESSIE vectors, forwards and backwards.
#[test]
fn serpent_against_nessie() {
    let entry = named("serpent128");
    let (encrypt, decrypt) = (engine(&entry, "Serpent"), engine(&entry, "Serpent_inverse"));
    let rows = rows("serpent_nessie.txt");
    assert!(rows.len() > 150);
    for bits in ["128", "192", "256"] {
        let schedule = engine(&entry, &format!("Serpent{bits}_key_schedule"));
        for row in rows.iter().filter(|row| row[0] == bits) {
            let (key, plain, cipher) = (hex(&row[3]), hex(&row[4]), hex(&row[5]));
            let round_keys = schedule.run(&[&key], 1).remove(0);
            assert_eq!(encrypt.run(&[&plain, &round_keys], 1)[0], cipher, "{row:?}");
            assert_eq!(decrypt.run(&[&cipher, &round_keys], 1)[0], plain, "{row:?}");
        }
    }
}

/// The AES submission prints blocks and keys from the last byte to the first: the first vectors of `ecb_vk.txt` (variable
/// key) and `ecb_vt.txt` (variable text).
#[test]
fn serpent_against_the_aes_submission() {
    let backwards = |text: &str| hex(text).into_iter().rev().collect::<Vec<u8>>();
    let entry = named("serpent128");
    let encrypt = engine(&entry, "Serpent");
    let zero = "00000000000000000000000000000000";
    let one = "80000000000000000000000000000000";
    let schedule = engine(&entry, "Serpent128_key_schedule");
    for (key, plain, cipher) in
        [(one, zero, "49afbfad9d5a34052cd8ffa5986bd2dd"), (zero, one, "10b5ffb720b8cb9002a1142b0ba2e94a")]
    {
        let round_keys = schedule.run(&[&backwards(key)], 1).remove(0);
        assert_eq!(encrypt.run(&[&backwards(plain), &round_keys], 1)[0], backwards(cipher));
    }
}

/// The Ascon permutations, by the interpreter.
struct Ascon {
    p12: Engine,
    p6: Engine,
}

impl Ascon {
    fn new() -> Ascon {
        let entry = named("ascon");
        Ascon { p12: engine(&entry, "Ascon_p12"), p6: engine(&entry, "Ascon_p6") }
    }

    /// Ascon-Hash (Ascon v1.2 §2.5).
    fn hash(&self, message: &[u8]) -> Vec<u8> {
        let mut state = Sponge::new(&hex("00400c0000000100"));
        state.permute(&self.p12);
        for block in padded(message) {
            state.absorb(0, &block);
            state.permute(&self.p12);
        }
        let mut digest = Vec::new();
        while digest.len() < 32 {
            digest.extend(state.bytes(0, 8));
            state.permute(&self.p12);
        }
        digest
    }

    /// Ascon-128 (Ascon v1.2 §2.4): the ciphertext and the tag.
    fn encrypt(&self, key: &[u8], nonce: &[u8], associated: &[u8], message: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let mut state = Sponge::new(&[&hex("80400c0600000000"), key, nonce].concat());
        state.permute(&self.p12);
        state.absorb(24, key);
        if !associated.is_empty() {
            for block in padded(associated) {
                state.absorb(0, &block);
                state.permute(&self.p6);
            }
        }
        state.absorb(39, &[1]);
        let mut cipher = Vec::new();
        let blocks = padded(message);
        for (i, block) in blocks.iter().enumerate() {
            state.absorb(0, block);
            cipher.extend(state.bytes(0, 8));
            if i + 1 < blocks.len() {
                state.permute(&self.p6);
            }
        }
        cipher.truncate(message.len());
        state.absorb(8, key);
        state.permute(&self.p12);
        state.absorb(24, key);
        (cipher, state.bytes(24, 16).to_vec())
    }
}

/// Blocks of 8 bytes, the message followed by one 1 bit and 0 bits.
fn padded(message: &[u8]) -> Vec<Vec<u8>> {
    let mut message = message.to_vec();
    message.push(0x80);
    message.resize(message.len().next_multiple_of(8), 0);
    message.chunks(8).map(<[u8]>::to_vec).collect()
}

/// The 40 bytes of the state.
struct Sponge(Vec<u8>);

impl Sponge {
    fn new(start: &[u8]) -> Sponge {
        let mut state = start.to_vec();
        state.resize(40, 0);
        Sponge(state)
    }

    fn permute(&mut self, permutation: &Engine) {
        self.0 = permutation.run(&[&self.0], 1).remove(0);
    }

    fn absorb(&mut self, at: usize, bytes: &[u8]) {
        self.0[at..].iter_mut().zip(bytes).for_each(|(s, b)| *s ^= b);
    }

    fn bytes(&self, at: usize, count: usize) -> &[u8] {
        &self.0[at..at + count]
    }
}

/// LWC_HASH_KAT_256 of the Ascon v1.2 submission: the messages are 00, 01, 02, …
#[test]
fn ascon_hash() {
    let ascon = Ascon::new();
    for (length, digest) in [
        (0, "7346bc14f036e87ae03d0997913088f5f68411434b3cf8b54fa796a80d251f91"),
        (1, "8dd446ada58a7740ecf56eb638ef775f7d5c0fd5f0c2bbbdfdec29609d3c43a2"),
        (2, "f77ca13bf89146d3254f1cfb7eddba8fa1bf162284bb29e7f645545cf9e08424"),
        (6, "9c52142852beb6654907cc23cc5b171075d411ca80082aafd7dd0d09ba0bba1d"),
        (7, "dd409ccc0c60cd7f474c0beed1e1cd48140ad45d5136dc5fda5ebe283df8d3f6"),
        (8, "f4c6a44b29915d3d57cf928a18ec6226bb8dd6c1136acd24965f7e7780cd69cf"),
        (9, "1e1e710d08a78263773331782621088ca9fe2ee4f596f06c8f7884ca564acec1"),
    ] {
        let message: Vec<u8> = (0..length).collect();
        assert_eq!(ascon.hash(&message), hex(digest), "{length} bytes");
    }
}

/// Ascon-128 v1.2 with nonces and associated data of every length around the block's.
#[test]
fn ascon_128() {
    let ascon = Ascon::new();
    let rows = rows("ascon128_v12.txt");
    assert!(rows.len() > 80);
    for row in rows {
        let [_, key, nonce, associated, message, cipher, tag] = &row[..] else { panic!("{row:?}") };
        let found = ascon.encrypt(&hex(key), &hex(nonce), &hex(associated), &hex(message));
        assert_eq!(found, (hex(cipher), hex(tag)), "{row:?}");
    }
}
