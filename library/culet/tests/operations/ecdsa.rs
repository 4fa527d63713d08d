//! Files of Project Wycheproof with signatures by ECDSA, whose messages are hashed before the library sees them.

use culet::hash::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Sha224, Sha256, Sha384, Sha512, Shake128, Shake256};
use culet::{p224, p256, p384, p521, secp256k1};

/// Their names; those that end in `p1363` have signatures that are two numbers, the others DER.
pub const FILES: [&str; 44] = [
    "ecdsa_secp224r1_sha224",
    "ecdsa_secp224r1_sha224_p1363",
    "ecdsa_secp224r1_sha256",
    "ecdsa_secp224r1_sha256_p1363",
    "ecdsa_secp224r1_sha3_224",
    "ecdsa_secp224r1_sha3_256",
    "ecdsa_secp224r1_sha3_512",
    "ecdsa_secp224r1_sha512",
    "ecdsa_secp224r1_sha512_p1363",
    "ecdsa_secp224r1_shake128",
    "ecdsa_secp224r1_shake128_p1363",
    "ecdsa_secp256k1_sha256",
    "ecdsa_secp256k1_sha256_bitcoin",
    "ecdsa_secp256k1_sha256_p1363",
    "ecdsa_secp256k1_sha3_256",
    "ecdsa_secp256k1_sha3_512",
    "ecdsa_secp256k1_sha512",
    "ecdsa_secp256k1_sha512_p1363",
    "ecdsa_secp256k1_shake128",
    "ecdsa_secp256k1_shake128_p1363",
    "ecdsa_secp256k1_shake256",
    "ecdsa_secp256k1_shake256_p1363",
    "ecdsa_secp256r1_sha256",
    "ecdsa_secp256r1_sha256_p1363",
    "ecdsa_secp256r1_sha3_256",
    "ecdsa_secp256r1_sha3_512",
    "ecdsa_secp256r1_sha512",
    "ecdsa_secp256r1_sha512_p1363",
    "ecdsa_secp256r1_shake128",
    "ecdsa_secp256r1_shake128_p1363",
    "ecdsa_secp384r1_sha256",
    "ecdsa_secp384r1_sha384",
    "ecdsa_secp384r1_sha384_p1363",
    "ecdsa_secp384r1_sha3_384",
    "ecdsa_secp384r1_sha3_512",
    "ecdsa_secp384r1_sha512",
    "ecdsa_secp384r1_sha512_p1363",
    "ecdsa_secp384r1_shake256",
    "ecdsa_secp384r1_shake256_p1363",
    "ecdsa_secp521r1_sha3_512",
    "ecdsa_secp521r1_sha512",
    "ecdsa_secp521r1_sha512_p1363",
    "ecdsa_secp521r1_shake256",
    "ecdsa_secp521r1_shake256_p1363",
];

/// The inputs with which a vector is verified.
pub struct Question {
    /// The curve's module.
    pub curve: &'static str,
    /// As many bytes as the curve takes.
    pub digest: Vec<u8>,
    /// Two numbers; there are none if the bytes are no signature's.
    pub signature: Option<Vec<u8>>,
}

fn digest(function: &str, message: &[u8]) -> Vec<u8> {
    // RFC 8692, section 3: as many bytes as twice the security of the function asks for.
    let extended = |digest: fn(&[u8], &mut [u8]), length: usize| {
        let mut out = vec![0; length];
        digest(message, &mut out);
        out
    };
    match function {
        "SHA-224" => Sha224::digest(message).to_vec(),
        "SHA-256" => Sha256::digest(message).to_vec(),
        "SHA-384" => Sha384::digest(message).to_vec(),
        "SHA-512" => Sha512::digest(message).to_vec(),
        "SHA3-224" => Sha3_224::digest(message).to_vec(),
        "SHA3-256" => Sha3_256::digest(message).to_vec(),
        "SHA3-384" => Sha3_384::digest(message).to_vec(),
        "SHA3-512" => Sha3_512::digest(message).to_vec(),
        "SHAKE128" => extended(Shake128::digest, 32),
        "SHAKE256" => extended(Shake256::digest, 64),
        _ => panic!("{function} is another hash function"),
    }
}

/// FIPS 186-5, section 6.4.1, step 2: of longer digests, the first bytes count; shorter ones are numbers.
fn fitted(digest: &[u8], bytes: usize) -> Vec<u8> {
    let length = digest.len().min(bytes);
    [&vec![0; bytes - length], &digest[..length]].concat()
}

impl Question {
    /// The question of a vector of a file. secp256k1 takes the lower of two numbers s, and files but for Bitcoin's have both.
    pub fn new(file: &str, function: &str, message: &[u8], signature: &[u8]) -> Question {
        let is_der = !file.ends_with("p1363");
        macro_rules! of {
            ($curve:ident, $bytes:literal, $lowered:expr) => {{
                let read = match <[u8; $curve::Signature::LENGTH]>::try_from(signature) {
                    Ok(numbers) if !is_der => Some($curve::Signature::from_bytes(numbers)),
                    _ if is_der => $curve::Signature::from_der(signature).ok(),
                    _ => None,
                };
                let signature = read.map($lowered).map(|signature| signature.to_bytes().to_vec());
                Question { curve: stringify!($curve), digest: fitted(&digest(function, message), $bytes), signature }
            }};
        }
        match &file[..15] {
            "ecdsa_secp224r1" => of!(p224, 28, |signature| signature),
            "ecdsa_secp256r1" => of!(p256, 32, |signature| signature),
            "ecdsa_secp384r1" => of!(p384, 48, |signature| signature),
            "ecdsa_secp521r1" => of!(p521, 64, |signature| signature),
            "ecdsa_secp256k1" if file.ends_with("bitcoin") => of!(secp256k1, 32, |signature| signature),
            "ecdsa_secp256k1" => of!(secp256k1, 32, |signature| signature.with_low_s()),
            _ => panic!("{file} is of another curve"),
        }
    }
}
