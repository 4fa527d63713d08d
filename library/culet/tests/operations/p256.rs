//! P-256: what is published, another implementation, Project Wycheproof, and what must not work.

use culet::p256::{PublicKey, SecretKey, Signature, SigningKey, VerifyingKey};
use p256::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
use p256::ecdsa::signature::{Signer, Verifier};
use sha2::Digest;

use crate::support::{Random, bytes, hex, wycheproof};

/// The order of the base point and the prime: SP 800-186, section 3.2.1.3.
const ORDER: &str = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const PRIME: &str = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";

/// A number less a small one.
fn minus(number: &str, less: u8) -> [u8; 32] {
    let mut bytes: [u8; 32] = bytes(number);
    assert!(bytes[31] >= less);
    bytes[31] -= less;
    bytes
}

/// Keys at the ends of the range, and others.
fn secrets(random: &mut Random) -> Vec<[u8; 32]> {
    let small = (1..20).map(|number| {
        let mut bytes = [0; 32];
        bytes[31] = number;
        bytes
    });
    let large = (1..20).map(|distance| minus(ORDER, distance));
    let mut powers: Vec<[u8; 32]> = vec![[0x11; 32], [0x7f; 32], [0x80; 32], [0xef; 32]];
    powers.extend((0..32).map(|byte| {
        let mut bytes = [0; 32];
        bytes[byte] = 0x80;
        bytes
    }));
    powers.extend((0..60).map(|_| random.array()));
    small.chain(large).chain(powers).collect()
}

/// RFC 6979, appendix A.2.5, with SHA-256.
#[test]
fn published_signatures() {
    let key = SigningKey::from_bytes(bytes("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721"));
    let key = key.expect("it is in range");
    let public = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6\
                  7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";
    assert_eq!(key.verifying_key().to_sec1_uncompressed()[..], hex(&format!("04{public}")));
    let answers = [
        (
            "sample",
            "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716\
             f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8",
        ),
        (
            "test",
            "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367\
             019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083",
        ),
    ];
    for (message, expected) in answers {
        let signature = key.sign(message.as_bytes());
        assert_eq!(signature.to_bytes()[..], hex(expected));
        key.verifying_key().verify(message.as_bytes(), &signature).expect("it is right");
    }
}

/// RFC 5903, section 8.1.
#[test]
fn published_agreement() {
    let ours = "c88f01f510d9ac3f70a292daa2316de544e9aab8afe84049c62a9c57862d1433";
    let theirs = "c6ef9c5d78ae012a011164acb397ce2088685d8f06bf9be0b283ab46476bee53";
    let (ours, theirs) = (SecretKey::from_bytes(bytes(ours)), SecretKey::from_bytes(bytes(theirs)));
    let (ours, theirs) = (ours.expect("it is in range"), theirs.expect("it is in range"));
    let public = "04dad0b65394221cf9b051e1feca5787d098dfe637fc90b9ef945d0c37725811805271a0461cdb8252d61f1c456fa3e59a\
                  b1f45b33accf5f58389e0577b8990bb3";
    assert_eq!(ours.public_key().to_sec1_uncompressed()[..], hex(public));
    let shared = hex("d6840f6b42f6edafd13116e0e12565202fef8e9ece7dce03812464d04b9442de");
    assert_eq!(ours.diffie_hellman(&theirs.public_key()).expect("keys").as_bytes()[..], shared);
    assert_eq!(theirs.diffie_hellman(&ours.public_key()).expect("keys").as_bytes()[..], shared);
}

#[test]
fn keys_and_agreement_agree() {
    let random = &mut Random::new(50);
    let other = p256::SecretKey::from_slice(&random.array::<32>()).expect("it is in range");
    let point = other.public_key().to_sec1_bytes();
    for secret in secrets(random) {
        let (ours, theirs) = (SecretKey::from_bytes(secret), p256::SecretKey::from_slice(&secret).expect("in range"));
        let ours = ours.unwrap_or_else(|_| panic!("{secret:02x?} is in range"));
        let public = ours.public_key();
        assert_eq!(public.to_sec1_uncompressed()[..], theirs.public_key().to_sec1_bytes()[..], "{secret:02x?}");
        let compressed = p256::EncodedPoint::from(theirs.public_key()).compress();
        assert_eq!(&public.to_sec1_compressed()[..], compressed.as_bytes(), "{secret:02x?}");
        assert_eq!(PublicKey::from_sec1(compressed.as_bytes()), Ok(public), "{secret:02x?}");
        let shared = ours.diffie_hellman(&PublicKey::from_sec1(&point).expect("a point")).expect("keys");
        let expected = p256::ecdh::diffie_hellman(theirs.to_nonzero_scalar(), other.public_key().as_affine());
        assert_eq!(shared.as_bytes()[..], expected.raw_secret_bytes()[..], "{secret:02x?}");
    }
}

#[test]
fn signatures_agree() {
    let random = &mut Random::new(51);
    for (turn, secret) in secrets(random).into_iter().enumerate() {
        let message = random.vector(3 * turn);
        let ours = SigningKey::from_bytes(secret).expect("in range");
        let theirs = p256::ecdsa::SigningKey::from_slice(&secret).expect("in range");
        let signature = ours.sign(&message);
        let expected: p256::ecdsa::Signature = theirs.sign(&message);
        assert_eq!(signature.to_bytes()[..], expected.to_bytes()[..], "{secret:02x?}");
        ours.verifying_key().verify(&message, &signature).expect("it is right");

        let mut buffer = [0xaa; Signature::LONGEST_DER];
        assert_eq!(signature.to_der(&mut buffer), expected.to_der().as_bytes());
        assert_eq!(Signature::from_der(expected.to_der().as_bytes()), Ok(signature));

        let hedged = ours.sign_hedged(&message, &random.array());
        assert_ne!(hedged, signature);
        ours.verifying_key().verify(&message, &hedged).expect("it is right");
        let hedged = p256::ecdsa::Signature::from_slice(&hedged.to_bytes()).expect("numbers in range");
        theirs.verifying_key().verify(&message, &hedged).expect("it is right");
    }
}

/// Digests below the order; the other implementation does not reduce others before it makes the number used once from them.
#[test]
fn signatures_of_digests_agree() {
    let random = &mut Random::new(52);
    let mut digests: Vec<[u8; 32]> = vec![[0; 32], [0x7f; 32], [0x80; 32], minus(ORDER, 1)];
    digests.push(sha2::Sha256::digest(b"message").into());
    digests.extend((0..20).map(|_| random.array()));
    for digest in digests {
        let secret: [u8; 32] = random.array();
        let ours = SigningKey::from_bytes(secret).expect("in range");
        let theirs = p256::ecdsa::SigningKey::from_slice(&secret).expect("in range");
        let signature = ours.sign_prehashed(&digest);
        let expected: p256::ecdsa::Signature = theirs.sign_prehash(&digest).expect("32 bytes");
        assert_eq!(signature.to_bytes()[..], expected.to_bytes()[..], "{digest:02x?}");
        ours.verifying_key().verify_prehashed(&digest, &signature).expect("it is right");
        theirs.verifying_key().verify_prehash(&digest, &expected).expect("it is right");
    }
    let key = SigningKey::from_bytes([1; 32]).expect("in range");
    assert_eq!(key.sign(b"message"), key.sign_prehashed(&sha2::Sha256::digest(b"message").into()));
}

/// A digest and what it is modulo the order have one signature: RFC 6979, section 2.3.4, and FIPS 186-5, section 6.4.1.
#[test]
fn signatures_of_digests_beyond_the_order() {
    let key = SigningKey::from_bytes([3; 32]).expect("in range");
    for distance in [0, 1, 2, 0x2f] {
        let mut reduced = [0; 32];
        reduced[31] = distance;
        let mut digest: [u8; 32] = bytes(ORDER);
        digest[31] += distance;
        let signature = key.sign_prehashed(&digest);
        assert_eq!(signature, key.sign_prehashed(&reduced));
        key.verifying_key().verify_prehashed(&digest, &signature).expect("it is right");
        key.verifying_key().verify_prehashed(&reduced, &signature).expect("it is right");
    }
    assert_ne!(key.sign_prehashed(&[0xff; 32]), key.sign_prehashed(&[0xfe; 32]));
}

#[test]
fn points_agree() {
    let random = &mut Random::new(53);
    let mut points = 0;
    for turn in 0..300_usize {
        let mut encoded = random.vector([33, 65][turn % 2]);
        encoded[0] = match turn % 3 {
            0 => 2 + (turn % 2) as u8 * 2,
            1 => 3 + (turn % 2) as u8,
            _ => encoded[0] % 8,
        };
        let ours = PublicKey::from_sec1(&encoded).ok().map(PublicKey::to_sec1_uncompressed);
        // The other implementation takes 5 for points of another standard.
        let theirs = p256::PublicKey::from_sec1_bytes(&encoded).ok().filter(|_| encoded[0] != 5);
        assert_eq!(ours.map(Vec::from), theirs.map(|point| point.to_sec1_bytes().to_vec()), "{encoded:02x?}");
        points += u32::from(ours.is_some());
    }
    assert!((30..150).contains(&points), "{points} of 300 are points");
}

/// A point of a public key in DER that names the curve: RFC 5480, section 2.
fn subject_public_key(der: &[u8]) -> Option<&[u8]> {
    let algorithm = hex("301306072a8648ce3d020106082a8648ce3d030107");
    let rest =
        der.strip_prefix(&[0x30, u8::try_from(der.len().checked_sub(2)?).ok()?])?.strip_prefix(&algorithm[..])?;
    rest.strip_prefix(&[0x03, u8::try_from(rest.len().checked_sub(2)?).ok()?, 0])
}

/// Answers that are called acceptable have a compressed key, which is good here, or a key in another form of DER, which this test does not
/// read.
#[test]
fn wycheproof_agreement() {
    let mut agreed = 0;
    for vector in wycheproof("ecdh_secp256r1") {
        // An integer, perhaps with a byte of zeros before it.
        let private = vector.hex("private");
        let digits = &private[private.len().saturating_sub(32)..];
        let secret =
            SecretKey::from_bytes([&vec![0; 32 - digits.len()], digits].concat().try_into().expect("32 bytes"));
        let public = vector.hex("public");
        let public = subject_public_key(&public).and_then(|point| PublicKey::from_sec1(point).ok());
        match public.and_then(|public| secret.ok()?.diffie_hellman(&public).ok()) {
            Some(shared) => {
                assert_eq!(shared.as_bytes()[..], vector.hex("shared"), "{vector}");
                assert_ne!(vector.result(), "invalid", "{vector}");
                agreed += 1;
            }
            None => assert!(!vector.is_valid(), "{vector}"),
        }
    }
    assert!(agreed > 300, "{agreed}");
}

#[test]
fn wycheproof_signatures() {
    for vector in wycheproof("ecdsa_secp256r1_sha256") {
        let key = hex(vector.group("publicKey")["uncompressed"].as_str().expect("a key"));
        let key = VerifyingKey::from_sec1(&key).expect("a point");
        let signature = Signature::from_der(&vector.hex("sig"));
        let verified = signature.and_then(|signature| key.verify(&vector.hex("msg"), &signature));
        assert_eq!(verified.is_ok(), vector.is_valid(), "{vector}");
    }
}

#[test]
fn keys_that_are_out_of_range() {
    for bytes in [[0; 32], bytes(ORDER), bytes(PRIME), [0xff; 32]] {
        assert!(SecretKey::from_bytes(bytes).is_err());
        assert!(SigningKey::from_bytes(bytes).is_err());
    }
}

#[test]
fn public_keys_that_are_no_points() {
    let public = SecretKey::from_bytes([9; 32]).expect("in range").public_key();
    let (long, short) = (public.to_sec1_uncompressed(), public.to_sec1_compressed());
    for bit in 8..8 * long.len() {
        let mut other = long;
        other[bit / 8] ^= 1 << (bit % 8);
        assert!(PublicKey::from_sec1(&other).is_err(), "bit {bit}");
    }
    for first in 0..=0xff {
        let (mut other, mut other_short) = (long, short);
        (other[0], other_short[0]) = (first, first);
        assert_eq!(PublicKey::from_sec1(&other).is_ok(), first == 4, "{first}");
        assert_eq!(PublicKey::from_sec1(&other_short).is_ok(), first == 2 || first == 3, "{first}");
    }
    for length in (0..65).chain([66, 67, 130]) {
        assert!(PublicKey::from_sec1(&long.repeat(2)[..length]).is_err(), "{length} bytes");
    }
    // (0, √b) is a point, and what says the same with x = p is none.
    let zero: PublicKey = PublicKey::from_sec1(&[&[2], &[0; 32][..]].concat()).expect("a point");
    let beyond = [&[4], &hex(PRIME)[..], &zero.to_sec1_uncompressed()[33..]].concat();
    assert!(PublicKey::from_sec1(&beyond).is_err());
    assert!(PublicKey::from_sec1(&[&[2], &hex(PRIME)[..]].concat()).is_err());
}

#[test]
fn tampering() {
    let random = &mut Random::new(54);
    let (secret, message) = (random.array(), b"signed");
    let key = SigningKey::from_bytes(secret).expect("in range");
    let (public, signature) = (key.verifying_key(), key.sign(message));
    for bit in (0..512).step_by(3) {
        let mut other = signature.to_bytes();
        other[bit / 8] ^= 1 << (bit % 8);
        assert!(public.verify(message, &Signature::from_bytes(other)).is_err(), "bit {bit}");
    }
    for bit in 0..48 {
        let mut other = *message;
        other[bit / 8] ^= 1 << (bit % 8);
        assert!(public.verify(&other, &signature).is_err(), "bit {bit}");
    }
    let other = SigningKey::from_bytes(random.array()).expect("in range").verifying_key();
    assert!(other.verify(message, &signature).is_err());
    let ends = [[0; 32], bytes(ORDER), bytes(PRIME), [0xff; 32]];
    for end in ends {
        for (r, s) in [(&end[..], &signature.to_bytes()[32..]), (&signature.to_bytes()[..32], &end[..]), (&end, &end)] {
            let other = Signature::from_bytes([r, s].concat().try_into().expect("64 bytes"));
            assert!(public.verify(message, &other).is_err());
        }
    }
}

/// Numbers with zeros before them, and with their highest bit set, are the ones that DER treats apart.
#[test]
fn der() {
    let random = &mut Random::new(55);
    for turn in 0..200 {
        let mut bytes: [u8; 64] = random.array();
        bytes[..turn % 33].fill(0);
        bytes[32..32 + turn / 33].fill(0);
        let signature = Signature::from_bytes(bytes);
        let mut buffer = [0xaa; Signature::LONGEST_DER];
        let der = signature.to_der(&mut buffer).to_vec();
        assert_eq!(Signature::from_der(&der), Ok(signature), "{der:02x?}");
        if let Ok(theirs) = p256::ecdsa::Signature::from_slice(&bytes) {
            assert_eq!(der, theirs.to_der().as_bytes());
        }
        for end in 0..der.len() {
            assert!(Signature::from_der(&der[..end]).is_err(), "{der:02x?}");
        }
        assert!(Signature::from_der(&[&der[..], &[0]].concat()).is_err(), "{der:02x?}");
        // Every other tag and every other length.
        let second = 4 + usize::from(der[3]);
        for place in [0, 1, 2, 3, second, second + 1] {
            for byte in 0..=0xff {
                let mut other = der.clone();
                other[place] = byte;
                assert_eq!(Signature::from_der(&other).is_ok(), byte == der[place], "{other:02x?}");
            }
        }
    }
    let good = hex("3006020101020102");
    assert_eq!(Signature::from_der(&good).map(|signature| signature.to_bytes()[31]), Ok(1));
    let wrong = [
        ("negative", "3006020181020102"),
        ("zeros before", "300702020001020102"),
        ("no content", "30050200020102"),
        ("long length", "308106020101020102"),
        ("long length inside", "300702810101020102"),
        ("indefinite length", "30800201010201020000"),
        ("something after", "300602010102010200"),
        ("something inside", "30080201010201020500"),
        ("257 bits", "30260221010000000000000000000000000000000000000000000000000000000000000000020101"),
    ];
    for (why, der) in wrong {
        assert!(Signature::from_der(&hex(der)).is_err(), "{why}");
    }
}
