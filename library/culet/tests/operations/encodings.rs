//! Vectors of Project Wycheproof in which public keys are points, as SEC 1 writes them, and signatures are r and s, one after another; and
//! signatures of longer digests than a curve's own.

use sha2::Digest;

use crate::support::{Vector, hex, wycheproof};

/// A secret key, which is a number, perhaps with zeros before it or without those that a key has.
fn number<const BYTES: usize>(vector: &Vector) -> [u8; BYTES] {
    let digits = vector.hex("private");
    let digits = &digits[digits.len().saturating_sub(BYTES)..];
    let mut number = [0; BYTES];
    number[BYTES - digits.len()..].copy_from_slice(digits);
    number
}

/// Answers that are called acceptable have a compressed key, which is good here.
macro_rules! agreements {
    ($($test:ident: $curve:ident, $file:literal;)*) => {
        $(#[test]
        fn $test() {
            use culet::$curve::{PublicKey, SecretKey};
            let mut agreed = 0;
            for vector in wycheproof($file) {
                let secret = SecretKey::from_bytes(number(&vector)).expect("in range");
                let shared = PublicKey::from_sec1(&vector.hex("public")).and_then(|public| secret.diffie_hellman(&public));
                assert_eq!(shared.is_ok(), vector.result() != "invalid", "{vector}");
                if let Ok(shared) = shared {
                    assert_eq!(shared.as_bytes()[..], vector.hex("shared"), "{vector}");
                    agreed += 1;
                }
            }
            assert!(agreed > 300, "{agreed}");
        })*
    };
}

agreements! {
    p224_agreements: p224, "ecdh_secp224r1_ecpoint";
    p256_agreements: p256, "ecdh_secp256r1_ecpoint";
    p384_agreements: p384, "ecdh_secp384r1_ecpoint";
    p521_agreements: p521, "ecdh_secp521r1_ecpoint";
}

/// Signatures are read by `$read`. Of a digest, as many bytes count as a curve's own hash has.
macro_rules! signatures {
    ($($test:ident: $curve:ident, $file:literal, $hash:ty, $read:expr;)*) => {
        $(#[test]
        fn $test() {
            use culet::$curve::{Signature, VerifyingKey};
            let read: fn(&[u8]) -> Option<Signature> = $read;
            let (mut good, mut bad) = (0, 0);
            for vector in wycheproof($file) {
                let key = hex(vector.group("publicKey")["uncompressed"].as_str().expect("a key"));
                let key = VerifyingKey::from_sec1(&key).expect("a point");
                let digest = <$hash>::digest(vector.hex("msg"));
                let digest = digest.first_chunk().expect("the digest is long enough");
                let signature = read(&vector.hex("sig"));
                let is_good = signature.is_some_and(|signature| key.verify_prehashed(digest, &signature).is_ok());
                assert_eq!(is_good, vector.is_valid(), "{vector}");
                if is_good { good += 1 } else { bad += 1 }
            }
            assert!(good > 100 && bad > 50, "{good} {bad}");
        })*
    };
}

signatures! {
    p224_signatures: p224, "ecdsa_secp224r1_sha224_p1363", sha2::Sha224, |bytes| Signature::try_from(bytes).ok();
    p256_signatures: p256, "ecdsa_secp256r1_sha256_p1363", sha2::Sha256, |bytes| Signature::try_from(bytes).ok();
    p384_signatures: p384, "ecdsa_secp384r1_sha384_p1363", sha2::Sha384, |bytes| Signature::try_from(bytes).ok();
    p521_signatures: p521, "ecdsa_secp521r1_sha512_p1363", sha2::Sha512, |bytes| Signature::try_from(bytes).ok();
    // BIP 146 wants the lower s, and Wycheproof takes both.
    secp256k1_signatures: secp256k1, "ecdsa_secp256k1_sha256_p1363", sha2::Sha256,
        |bytes| Signature::try_from(bytes).ok().map(Signature::with_low_s);
    p256_signatures_of_sha512: p256, "ecdsa_secp256r1_sha512", sha2::Sha512, |bytes| Signature::from_der(bytes).ok();
    p384_signatures_of_sha512: p384, "ecdsa_secp384r1_sha512", sha2::Sha512, |bytes| Signature::from_der(bytes).ok();
}
