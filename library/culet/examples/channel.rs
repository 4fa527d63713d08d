//! Sends lines of text through an encrypted channel, between two that know each other's public keys.
//!
//! ```text
//! channel new-key KEY_FILE                              writes a new secret key, and prints its public key
//! channel listen ADDRESS KEY_FILE THEIR_PUBLIC_KEY      waits for the other one, and prints what comes
//! channel connect ADDRESS KEY_FILE THEIR_PUBLIC_KEY     sends the lines of its input
//! ```
//!
//! Each side sends a public key of X25519 that lives as long as the channel, and a signature, by Ed25519, of its role and of all four public
//! keys. So each knows that the other one speaks, and speaks to it; whoever gets the secret keys later cannot read what was said. The agreed
//! secret becomes two keys of ChaCha20-Poly1305, one for each direction, by HKDF. A record is the number of its bytes, in two bytes, which
//! are authenticated, the sealed bytes and their tag; an empty record is the end. After [`REKEY_AFTER`] records, a key makes way for
//! the next one, which is derived from it.

use std::error::Error;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use culet::aead::{ChaCha20Poly1305, ChaCha20Poly1305Key, ChaCha20Poly1305Tag, NonceCounter};
use culet::ed25519::{Signature, SigningKey, VerifyingKey};
use culet::hash::Sha256;
use culet::kdf::HkdfSha256;
use culet::x25519;

type Outcome<T> = Result<T, Box<dyn Error>>;

pub const REKEY_AFTER: u32 = 1000;
/// Bytes of the longest record.
const LONGEST: usize = u16::MAX as usize;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Err(error) = run(&arguments) {
        let _ = writeln!(io::stderr(), "channel: {error}");
        std::process::exit(1);
    }
}

fn run(arguments: &[String]) -> Outcome<()> {
    match arguments.iter().map(String::as_str).collect::<Vec<&str>>().as_slice() {
        ["new-key", key_file] => new_key(key_file),
        ["listen", address, key_file, theirs] => {
            let (stream, _) = TcpListener::bind(address)?.accept()?;
            let mut channel = Channel::listen(stream, &read_key(key_file)?, &read_public_key(theirs)?)?;
            while let Some(record) = channel.receive()? {
                io::stdout().write_all(&record)?;
            }
            Ok(())
        }
        ["connect", address, key_file, theirs] => {
            let stream = TcpStream::connect(address)?;
            let mut channel = Channel::connect(stream, &read_key(key_file)?, &read_public_key(theirs)?)?;
            for line in BufReader::new(io::stdin()).lines() {
                channel.send((line? + "\n").as_bytes())?;
            }
            channel.end()
        }
        _ => Err("usage: new-key KEY_FILE | listen | connect ADDRESS KEY_FILE THEIR_PUBLIC_KEY".into()),
    }
}

/// Both directions of a connection.
pub struct Channel<S> {
    stream: S,
    sending: Direction,
    receiving: Direction,
}

impl<S: Read + Write> Channel<S> {
    /// The channel of the one who connects.
    pub fn connect(mut stream: S, ours: &SigningKey, theirs: &VerifyingKey) -> Outcome<Self> {
        let ephemeral = x25519::SecretKey::generate()?;
        stream.write_all(ephemeral.public_key().as_bytes())?;
        let other = x25519::PublicKey::from_bytes(read_array(&mut stream)?);
        let names = names([&ephemeral.public_key(), &other], [&ours.verifying_key(), theirs]);
        // The one who listens proves first who it is.
        check(&mut stream, theirs, b"listens", &names)?;
        stream.write_all(&ours.sign(&[b"connects", &names[..]].concat()).to_bytes())?;
        let [sending, receiving] = directions(&ephemeral, &other, &names)?;
        Ok(Self { stream, sending, receiving })
    }

    /// The channel of the one who listens.
    pub fn listen(mut stream: S, ours: &SigningKey, theirs: &VerifyingKey) -> Outcome<Self> {
        let ephemeral = x25519::SecretKey::generate()?;
        let other = x25519::PublicKey::from_bytes(read_array(&mut stream)?);
        let names = names([&other, &ephemeral.public_key()], [theirs, &ours.verifying_key()]);
        stream.write_all(ephemeral.public_key().as_bytes())?;
        stream.write_all(&ours.sign(&[b"listens", &names[..]].concat()).to_bytes())?;
        check(&mut stream, theirs, b"connects", &names)?;
        let [receiving, sending] = directions(&ephemeral, &other, &names)?;
        Ok(Self { stream, sending, receiving })
    }

    /// Sends bytes, as records.
    pub fn send(&mut self, bytes: &[u8]) -> Outcome<()> {
        bytes.chunks(LONGEST).try_for_each(|record| self.send_record(record))
    }

    /// Says that nothing more comes.
    pub fn end(&mut self) -> Outcome<()> {
        self.send_record(&[])
    }

    fn send_record(&mut self, record: &[u8]) -> Outcome<()> {
        let length = (record.len() as u16).to_be_bytes();
        let mut sealed = record.to_vec();
        let nonce = self.sending.nonces.next_nonce()?;
        let tag = self.sending.cipher.seal_in_place(&nonce, &length, &mut sealed)?;
        self.sending.count()?;
        self.stream.write_all(&[&length[..], &sealed, tag.as_bytes()].concat())?;
        Ok(self.stream.flush()?)
    }

    /// The next record; none at the end. A connection that ends before that is an error: somebody has cut it off.
    pub fn receive(&mut self) -> Outcome<Option<Vec<u8>>> {
        let length: [u8; 2] = read_array(&mut self.stream)?;
        let mut record = vec![0; u16::from_be_bytes(length).into()];
        self.stream.read_exact(&mut record)?;
        let tag = ChaCha20Poly1305Tag::from_bytes(read_array(&mut self.stream)?);
        let nonce = self.receiving.nonces.next_nonce()?;
        let opened = self.receiving.cipher.open_in_place(&nonce, &length, &mut record, &tag);
        opened.map_err(|_| "a record was changed on its way")?;
        self.receiving.count()?;
        Ok((!record.is_empty()).then_some(record))
    }
}

/// The key of one direction.
struct Direction {
    key: ChaCha20Poly1305Key,
    cipher: ChaCha20Poly1305,
    nonces: NonceCounter,
    records: u32,
}

impl Direction {
    fn new(key: [u8; 32]) -> Self {
        let key = ChaCha20Poly1305Key::from_bytes(key);
        Self { cipher: ChaCha20Poly1305::new(&key), key, nonces: NonceCounter::new([0; 4]), records: 0 }
    }

    /// Counts a record, and takes the next key when it is time.
    fn count(&mut self) -> Outcome<()> {
        self.records += 1;
        if self.records == REKEY_AFTER {
            let mut next = [0; 32];
            HkdfSha256::from_key(self.key.as_bytes()).expand(b"culet channel 1, the next key", &mut next)?;
            *self = Self::new(next);
        }
        Ok(())
    }
}

/// The digest of all public keys, those of the one who connects first.
fn names(ephemeral: [&x25519::PublicKey; 2], identities: [&VerifyingKey; 2]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(b"culet channel 1\n");
    ephemeral.into_iter().for_each(|key| hash.update(key.as_bytes()));
    identities.into_iter().for_each(|key| hash.update(key.as_bytes()));
    hash.finalize()
}

fn check(stream: &mut impl Read, theirs: &VerifyingKey, role: &[u8], names: &[u8; 32]) -> Outcome<()> {
    let signature = Signature::from_bytes(read_array(stream)?);
    let verified = theirs.verify(&[role, names].concat(), &signature);
    Ok(verified.map_err(|_| "the other side is not the owner of the key that was expected")?)
}

/// The direction from the one who connects, and the direction to it.
fn directions(ours: &x25519::SecretKey, theirs: &x25519::PublicKey, names: &[u8; 32]) -> Outcome<[Direction; 2]> {
    let derived = HkdfSha256::new(names, ours.diffie_hellman(theirs)?.as_bytes());
    let mut keys = [[0; 32]; 2];
    for (key, purpose) in keys.iter_mut().zip(["from the one who connects", "to the one who connects"]) {
        derived.expand(purpose.as_bytes(), key)?;
    }
    Ok(keys.map(Direction::new))
}

fn read_array<const N: usize>(stream: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn new_key(key_file: &str) -> Outcome<()> {
    let key = SigningKey::generate()?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    writeln!(options.open(key_file)?, "{}", to_hex(key.as_bytes()))?;
    Ok(writeln!(io::stdout(), "public key: {}", to_hex(key.verifying_key().as_bytes()))?)
}

fn read_key(key_file: &str) -> Outcome<SigningKey> {
    let text = fs::read_to_string(key_file).map_err(|error| format!("{key_file}: {error}"))?;
    Ok(SigningKey::from_bytes(from_hex(text.trim()).ok_or_else(|| format!("{key_file} has no key"))?))
}

fn read_public_key(text: &str) -> Outcome<VerifyingKey> {
    let bytes = from_hex(text).ok_or("a public key is 64 digits")?;
    Ok(VerifyingKey::from_bytes(bytes).map_err(|_| "this is no public key")?)
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let digits: Option<Vec<u8>> = text.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
    let bytes: Vec<u8> = digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    bytes.try_into().ok().filter(|_| text.len() == 64)
}
