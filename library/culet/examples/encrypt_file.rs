//! Encrypts files for the owners of public keys, or by a password, and decrypts them.
//!
//! ```text
//! encrypt_file new-key KEY_FILE                   writes a new secret key, and prints its public key
//! encrypt_file seal FILE SEALED PUBLIC_KEY ...    encrypts a file, which each of the owners can decrypt
//! encrypt_file open SEALED FILE KEY_FILE          decrypts it
//! encrypt_file lock FILE SEALED                   encrypts a file by a password
//! encrypt_file unlock SEALED FILE                 decrypts it
//! ```
//!
//! The password is the environment's `CULET_PASSWORD`, or a line that is read, and shown where it is typed. Arguments of programs are no place for it:
//! everybody on the machine sees them.
//!
//! A sealed file begins with a header: the line of [`MAGIC`], the number of recipients in a byte, and for each of them the key of the file in a
//! sealed box of 80 bytes. The nonce of the file follows, 19 bytes, and then its segments, each with its tag after it. All segments
//! authenticate the header, so that recipients cannot be exchanged. A file appears under its name only when it is whole.
//!
//! A locked file begins with the line of [`LOCKED`], the number of iterations in 4 bytes, most significant first, and a salt of 16 bytes: PBKDF2 with
//! HMAC-SHA-256 (RFC 8018, section 5.2) makes the key of the file of the password. Nonce and segments follow as in a sealed file. PBKDF2 takes no
//! memory, so that hardware guesses passwords fast: take a long one, or keys.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use culet::aead::XChaCha20Poly1305Key;
use culet::aead::stream::{Nonce, Opener, Sealer};
use culet::mac::HmacSha256;
use culet::sealed;
use culet::x25519::{PublicKey, SecretKey};
use zeroize::Zeroizing;

type Outcome<T> = Result<T, Box<dyn Error>>;

const MAGIC: &[u8] = b"culet sealed file 1\n";
const LOCKED: &[u8] = b"culet locked file 1\n";
/// Iterations of PBKDF2 for a new file; and how many at most a file may ask for.
const ITERATIONS: u32 = 600_000;
const MOST_ITERATIONS: u32 = 10_000_000;
const SALT: usize = 16;
/// Bytes of a segment, but for the last one, which may have fewer, and at least one unless the file is empty.
const SEGMENT: usize = 1 << 16;
const TAG: usize = 16;
/// Bytes of the key of a file in a sealed box.
const BOXED: usize = sealed::Header::LENGTH + 32;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Err(error) = run(&arguments, &read_password, &mut io::stderr()) {
        let _ = writeln!(io::stderr(), "encrypt_file: {error}");
        std::process::exit(1);
    }
}

/// The password from the environment, or a line from a terminal or a pipe.
fn read_password() -> Outcome<Zeroizing<String>> {
    if let Ok(password) = std::env::var("CULET_PASSWORD") {
        return Ok(Zeroizing::new(password));
    }
    write!(io::stderr(), "password: ")?;
    let mut line = Zeroizing::new(String::new());
    io::stdin().read_line(&mut line)?;
    Ok(Zeroizing::new(line.trim_end_matches(['\r', '\n']).to_owned()))
}

/// Does what the arguments say, and tells about it. Some of that needs a password.
pub fn run(
    arguments: &[String],
    password: &dyn Fn() -> Outcome<Zeroizing<String>>,
    told: &mut dyn Write,
) -> Outcome<()> {
    match arguments.iter().map(String::as_str).collect::<Vec<&str>>().as_slice() {
        ["new-key", key_file] => new_key(Path::new(key_file), told),
        ["seal", file, sealed, public_keys @ ..] if !public_keys.is_empty() => {
            let recipients: Outcome<Vec<PublicKey>> = public_keys.iter().map(|key| read_public_key(key)).collect();
            seal(Path::new(file), Path::new(sealed), &recipients?, told)
        }
        ["open", sealed, file, key_file] => open(Path::new(sealed), Path::new(file), &read_key(key_file)?, told),
        ["lock", file, locked] => lock(Path::new(file), Path::new(locked), &password()?, ITERATIONS, told),
        ["unlock", locked, file] => unlock(Path::new(locked), Path::new(file), &password()?, told),
        _ => Err("usage: new-key KEY_FILE | seal FILE SEALED PUBLIC_KEY ... | open SEALED FILE KEY_FILE \
                  | lock FILE SEALED | unlock SEALED FILE"
            .into()),
    }
}

fn new_key(key_file: &Path, told: &mut dyn Write) -> Outcome<()> {
    let secret = SecretKey::generate()?;
    // A key that is there is not replaced: what was sealed for it would be lost.
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(key_file).map_err(|error| format!("{}: {error}", key_file.display()))?;
    writeln!(file, "{}", to_hex(secret.as_bytes()))?;
    Ok(writeln!(told, "public key: {}", to_hex(secret.public_key().as_bytes()))?)
}

fn seal(path: &Path, sealed_path: &Path, recipients: &[PublicKey], told: &mut dyn Write) -> Outcome<()> {
    let count = u8::try_from(recipients.len()).map_err(|_| "a file has at most 255 recipients")?;
    let key = XChaCha20Poly1305Key::generate()?;
    let mut header = [MAGIC, &[count]].concat();
    for recipient in recipients {
        let mut boxed = *key.as_bytes();
        let box_header = sealed::seal_in_place(&mut boxed, recipient, SecretKey::generate()?)?;
        header.extend_from_slice(box_header.as_bytes());
        header.extend_from_slice(&boxed);
    }
    seal_segments(path, sealed_path, &header, &key, told)
}

/// Writes a header, a nonce and the segments of a file.
fn seal_segments(
    path: &Path,
    sealed_path: &Path,
    header: &[u8],
    key: &XChaCha20Poly1305Key,
    told: &mut dyn Write,
) -> Outcome<()> {
    let nonce = Nonce::generate()?;
    let mut reader = BufReader::new(opened(path)?);
    let mut progress = Progress::new("sealed", &reader, told)?;
    written_whole(sealed_path, |writer| {
        writer.write_all(header)?;
        writer.write_all(nonce.as_bytes())?;
        let mut sealer = Sealer::new(key, &nonce);
        let mut segment = read_up_to(&mut reader, SEGMENT)?;
        loop {
            let next = read_up_to(&mut reader, SEGMENT)?;
            if next.is_empty() {
                let tag = sealer.seal_last_in_place(header, &mut segment)?;
                writer.write_all(&segment)?;
                return Ok(writer.write_all(tag.as_bytes())?);
            }
            let tag = sealer.seal_in_place(header, &mut segment)?;
            writer.write_all(&segment)?;
            writer.write_all(tag.as_bytes())?;
            progress.tell(segment.len())?;
            segment = next;
        }
    })
}

fn open(sealed_path: &Path, path: &Path, secret: &SecretKey, told: &mut dyn Write) -> Outcome<()> {
    let mut reader = BufReader::new(opened(sealed_path)?);
    let mut header = read_up_to(&mut reader, MAGIC.len() + 1)?;
    let count = match header.strip_prefix(MAGIC) {
        Some([count]) => usize::from(*count),
        _ => return Err("this is no sealed file".into()),
    };
    header.extend(read_up_to(&mut reader, count * BOXED)?);
    let boxes = header.get(MAGIC.len() + 1..).unwrap_or_default().chunks_exact(BOXED);
    let key = boxes.filter_map(|boxed| opened_key(boxed, secret)).next();
    let key = key.ok_or("the file was sealed for other keys, or its header was changed")?;
    let changed = "the file was changed or cut off: nothing of it is kept";
    open_segments(reader, path, &header, &key, changed, told)
}

/// Reads a nonce and segments, and writes the file. An error about the first segment is `first_error`.
fn open_segments(
    mut reader: BufReader<File>,
    path: &Path,
    header: &[u8],
    key: &XChaCha20Poly1305Key,
    first_error: &'static str,
    told: &mut dyn Write,
) -> Outcome<()> {
    let nonce = Nonce::try_from(&read_up_to(&mut reader, Nonce::LENGTH)?[..]).map_err(|_| "the file is cut off")?;
    let mut progress = Progress::new("opened", &reader, told)?;
    written_whole(path, |writer| {
        let mut error = first_error;
        let mut opener = Opener::new(key, &nonce);
        let mut sealed = read_up_to(&mut reader, SEGMENT + TAG)?;
        loop {
            let next = read_up_to(&mut reader, SEGMENT + TAG)?;
            if next.is_empty() {
                return Ok(writer.write_all(&opener.open_last(header, &sealed).map_err(|_| error)?)?);
            }
            writer.write_all(&opener.open(header, &sealed).map_err(|_| error)?)?;
            error = "the file was changed or cut off: nothing of it is kept";
            progress.tell(sealed.len())?;
            sealed = next;
        }
    })
}

/// Encrypts a file by a password, which so many iterations make a key of.
pub fn lock(path: &Path, locked: &Path, password: &str, iterations: u32, told: &mut dyn Write) -> Outcome<()> {
    if password.is_empty() {
        return Err("the password is empty".into());
    }
    let random = XChaCha20Poly1305Key::generate()?;
    let salt = &random.as_bytes()[..SALT];
    let header = [LOCKED, &iterations.to_be_bytes(), salt].concat();
    seal_segments(path, locked, &header, &key_of_password(password, salt, iterations), told)
}

fn unlock(locked: &Path, path: &Path, password: &str, told: &mut dyn Write) -> Outcome<()> {
    let mut reader = BufReader::new(opened(locked)?);
    let header = read_up_to(&mut reader, LOCKED.len() + 4 + SALT)?;
    let parameters = header.strip_prefix(LOCKED).ok_or("this is no locked file")?;
    let (iterations, salt) = parameters.split_first_chunk().ok_or("the file is cut off")?;
    let iterations = u32::from_be_bytes(*iterations);
    if iterations > MOST_ITERATIONS {
        return Err(format!("the file asks for {iterations} iterations, and {MOST_ITERATIONS} are allowed").into());
    }
    let key = key_of_password(password, salt, iterations);
    let wrong = "the password is another one, or the file was changed or cut off: nothing of it is kept";
    open_segments(reader, path, &header, &key, wrong, told)
}

fn key_of_password(password: &str, salt: &[u8], iterations: u32) -> XChaCha20Poly1305Key {
    let mut key = Zeroizing::new([0; 32]);
    pbkdf2(password.as_bytes(), salt, iterations, &mut *key);
    XChaCha20Poly1305Key::from_bytes(*key)
}

/// PBKDF2 with HMAC-SHA-256: RFC 8018, section 5.2. One iteration is the least.
pub fn pbkdf2(password: &[u8], salt: &[u8], iterations: u32, out: &mut [u8]) {
    let keyed = HmacSha256::new(password);
    for (number, part) in (1_u32..).zip(out.chunks_mut(32)) {
        let mut mac = keyed.clone();
        mac.update(salt);
        mac.update(&number.to_be_bytes());
        let mut last = Zeroizing::new(mac.finalize().to_bytes());
        let mut sum = last.clone();
        for _ in 1..iterations {
            let mut mac = keyed.clone();
            mac.update(&*last);
            *last = mac.finalize().to_bytes();
            sum.iter_mut().zip(last.iter()).for_each(|(sum, byte)| *sum ^= byte);
        }
        part.copy_from_slice(&sum[..part.len()]);
    }
}

/// The key of a file, if the box is for this secret key.
fn opened_key(boxed: &[u8], secret: &SecretKey) -> Option<XChaCha20Poly1305Key> {
    let (header, message) = boxed.split_first_chunk::<{ sealed::Header::LENGTH }>()?;
    let mut key: [u8; 32] = message.try_into().ok()?;
    sealed::open_in_place(&mut key, &sealed::Header::from_bytes(*header), secret).ok()?;
    Some(XChaCha20Poly1305Key::from_bytes(key))
}

/// Tells each time another tenth of a file is done, if it is known how long the file is.
struct Progress<'t> {
    verb: &'static str,
    done: u64,
    all: Option<u64>,
    told: &'t mut dyn Write,
}

impl<'t> Progress<'t> {
    fn new(verb: &'static str, reader: &BufReader<File>, told: &'t mut dyn Write) -> io::Result<Self> {
        let file = reader.get_ref().metadata()?;
        Ok(Self { verb, done: 0, all: file.is_file().then(|| file.len().max(1)), told })
    }

    fn tell(&mut self, bytes: usize) -> io::Result<()> {
        let Some(all) = self.all else { return Ok(()) };
        let before = 10 * self.done / all;
        self.done += bytes as u64;
        let tenths = 10 * self.done / all;
        if tenths > before { writeln!(self.told, "{tenths}0 % {}", self.verb) } else { Ok(()) }
    }
}

fn opened(path: &Path) -> Result<File, String> {
    File::open(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Fewer bytes only at the end of a file.
fn read_up_to(reader: &mut impl Read, most: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(most);
    reader.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a file beside its place, and puts it there when it is whole. Nobody can know the name beside it before, and a file or a link of that name
/// is an error.
fn written_whole(path: &Path, write: impl FnOnce(&mut dyn Write) -> Outcome<()>) -> Outcome<()> {
    let part = path.with_file_name(format!(".{}.part", to_hex(Nonce::generate()?.as_bytes())));
    let file = OpenOptions::new().write(true).create_new(true).open(&part);
    let mut writer = BufWriter::new(file.map_err(|error| format!("{}: {error}", part.display()))?);
    let outcome = write(&mut writer).and_then(|()| Ok(writer.into_inner()?.sync_all()?));
    let outcome = outcome.and_then(|()| Ok(fs::rename(&part, path)?));
    if outcome.is_err() {
        let _ = fs::remove_file(&part);
    }
    outcome
}

fn read_key(key_file: &str) -> Outcome<SecretKey> {
    let text = fs::read_to_string(key_file).map_err(|error| format!("{key_file}: {error}"))?;
    let bytes = from_hex(text.trim()).ok_or_else(|| format!("{key_file} has no key"))?;
    Ok(SecretKey::from_bytes(bytes))
}

fn read_public_key(text: &str) -> Outcome<PublicKey> {
    Ok(PublicKey::from_bytes(from_hex(text).ok_or_else(|| format!("`{text}` is no public key: 64 digits are"))?))
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<[u8; 32]> {
    let digits: Option<Vec<u8>> = text.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
    let bytes: Vec<u8> = digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    bytes.try_into().ok().filter(|_| text.len() == 64)
}
