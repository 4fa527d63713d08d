//! Makes and checks JSON web tokens with ES256: RFC 7515, RFC 7518, section 3.4, and RFC 7519.
//!
//! ```text
//! jwt sign KEY_FILE CLAIMS       prints a token: the key is 64 digits in a file, or on stdin if that is -, and claims are JSON
//! jwt verify PUBLIC_KEY TOKEN    prints the claims of a good token: the key as SEC 1 has it, in digits
//! ```
//!
//! The header of a token is compared as bytes with the one that is made here. So no token chooses how it is checked, and tokens of others, who
//! write the same header in another way, are refused. Claims such as `exp` are the caller's to look at.

use std::error::Error;
use std::fs::File;
use std::io::{self, Read, Write};

use culet::p256::{Signature, SigningKey, VerifyingKey};
use zeroize::Zeroizing;

type Outcome<T> = Result<T, Box<dyn Error>>;

const HEADER: &[u8] = br#"{"alg":"ES256","typ":"JWT"}"#;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments, &mut io::stdin()) {
        Ok(text) => drop(writeln!(io::stdout(), "{text}")),
        Err(error) => {
            let _ = writeln!(io::stderr(), "jwt: {error}");
            std::process::exit(1);
        }
    }
}

/// Does what the arguments say, and returns the token or the claims. Arguments of programs are no place for secret keys: everybody on the machine
/// sees them.
pub fn run(arguments: &[String], stdin: &mut dyn Read) -> Outcome<String> {
    match arguments.iter().map(String::as_str).collect::<Vec<&str>>().as_slice() {
        ["verify", public_key, token] => {
            let public = from_hex(public_key).and_then(|bytes| VerifyingKey::from_sec1(&bytes).ok());
            let claims = checked(token, &public.ok_or("this is no public key of P-256")?)?;
            Ok(String::from_utf8(claims)?)
        }
        ["sign", key_file, claims] => {
            let mut text = Zeroizing::new(String::new());
            let read = match *key_file {
                "-" => stdin.read_to_string(&mut text),
                path => File::open(path).and_then(|mut file| file.read_to_string(&mut text)),
            };
            read.map_err(|error| format!("{key_file}: {error}"))?;
            let key = from_hex(text.trim()).and_then(|bytes| SigningKey::try_from(&bytes[..]).ok());
            Ok(token(claims.as_bytes(), &key.ok_or("this is no secret key of P-256")?))
        }
        _ => Err("usage: sign KEY_FILE CLAIMS | verify PUBLIC_KEY TOKEN".into()),
    }
}

/// A token with these claims.
pub fn token(claims: &[u8], key: &SigningKey) -> String {
    let signed = format!("{}.{}", to_base64(HEADER), to_base64(claims));
    let signature = key.sign(signed.as_bytes());
    format!("{signed}.{}", to_base64(&signature.to_bytes()))
}

/// The claims of a token, if the owner of a key has signed it.
pub fn checked(token: &str, key: &VerifyingKey) -> Outcome<Vec<u8>> {
    let refused = || "the token is not good";
    let (signed, signature) = token.rsplit_once('.').ok_or_else(refused)?;
    let (header, claims) = signed.split_once('.').ok_or_else(refused)?;
    let signature = from_base64(signature).ok_or_else(refused)?;
    let signature = Signature::try_from(&signature[..]).map_err(|_| refused())?;
    key.verify(signed.as_bytes(), &signature).map_err(|_| refused())?;
    if header != to_base64(HEADER) {
        return Err("the token has another header".into());
    }
    Ok(from_base64(claims).ok_or_else(refused)?)
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// RFC 4648, section 5, without padding.
pub fn to_base64(bytes: &[u8]) -> String {
    let group = |chunk: &[u8]| {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | usize::from(chunk.get(at).copied().unwrap_or(0)));
        (0..=chunk.len()).map(|digit| char::from(DIGITS[bits >> (18 - 6 * digit) & 63])).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

/// The bytes; none if the text is not their one encoding.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for chunk in text.as_bytes().chunks(4) {
        let mut bits = 0;
        for at in 0..4 {
            let digit = chunk.get(at).map_or(Some(0), |digit| DIGITS.iter().position(|other| other == digit));
            bits = bits << 6 | digit?;
        }
        bytes.extend((1..chunk.len()).map(|at| (bits >> (24 - 8 * at)) as u8));
    }
    (to_base64(&bytes) == text).then_some(bytes)
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text.chars().map(|digit| digit.to_digit(16).map(|value| value as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect())
}
