//! Signs files, and verifies their signatures, which are files of their own.
//!
//! ```text
//! sign_file new-key KEY_FILE                writes a new secret key, and prints its public key
//! sign_file sign FILE KEY_FILE              writes the signature of a file to FILE.sig
//! sign_file verify FILE PUBLIC_KEY          verifies it
//! ```
//!
//! A signature is Ed25519's of [`PURPOSE`] and the file's SHA-512, so that files of any length are read once, piece by piece, and no signature of
//! another program is one of a file.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use culet::ed25519::{Signature, SigningKey, VerifyingKey};
use culet::hash::Sha512;

type Outcome<T> = Result<T, Box<dyn Error>>;

const PURPOSE: &[u8] = b"culet signed file 1\n";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(told) => drop(writeln!(io::stdout(), "{told}")),
        Err(error) => {
            let _ = writeln!(io::stderr(), "sign_file: {error}");
            std::process::exit(1);
        }
    }
}

/// Does what the arguments say, and returns what there is to tell.
pub fn run(arguments: &[String]) -> Outcome<String> {
    match arguments.iter().map(String::as_str).collect::<Vec<&str>>().as_slice() {
        ["new-key", key_file] => new_key(Path::new(key_file)),
        ["sign", file, key_file] => {
            let key = SigningKey::from_bytes(from_hex(&text_of(key_file)?).ok_or("this file has no key")?);
            let signature = key.sign(&signed_text(file)?);
            fs::write(format!("{file}.sig"), to_hex(&signature.to_bytes()) + "\n")?;
            Ok(format!("{file}.sig is written"))
        }
        ["verify", file, public_key] => {
            let public = from_hex(public_key).ok_or("a public key is 64 digits")?;
            let public = VerifyingKey::from_bytes(public).map_err(|_| "this is no public key")?;
            let signature = from_hex(&text_of(&format!("{file}.sig"))?).ok_or("a signature is 128 digits")?;
            let verified = public.verify(&signed_text(file)?, &Signature::from_bytes(signature));
            verified.map_err(|_| format!("{file} is NOT what the owner of this key has signed"))?;
            Ok(format!("{file} is what the owner of this key has signed"))
        }
        _ => Err("usage: new-key KEY_FILE | sign FILE KEY_FILE | verify FILE PUBLIC_KEY".into()),
    }
}

fn new_key(key_file: &Path) -> Outcome<String> {
    let key = SigningKey::generate()?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(key_file).map_err(|error| format!("{}: {error}", key_file.display()))?;
    writeln!(file, "{}", to_hex(key.as_bytes()))?;
    Ok(format!("public key: {}", to_hex(key.verifying_key().as_bytes())))
}

fn signed_text(file: &str) -> Outcome<Vec<u8>> {
    let mut reader = File::open(file).map_err(|error| format!("{file}: {error}"))?;
    let mut hash = Sha512::new();
    io::copy(&mut reader, &mut hash)?;
    Ok([PURPOSE, &hash.finalize()].concat())
}

fn text_of(file: &str) -> Outcome<String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    Ok(text.trim().to_owned())
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits: Option<Vec<u8>> = text.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
    let bytes: Vec<u8> = digits?.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect();
    bytes.try_into().ok().filter(|_| text.len() == 2 * N)
}
