//! Keys, agreement and signatures of all curves.

use culet::{ed25519, x25519};

use crate::bytes::{Random, bytes};
use crate::change;
use crate::peer::Questions;

#[test]
fn x25519() {
    let (random, mut questions) = (&mut Random::new(20), Questions::default());
    for _ in 0..40 {
        let (secret, theirs): ([u8; 32], [u8; 32]) = (random.array(), random.array());
        let key = x25519::SecretKey::from_bytes(secret);
        questions.same("public", "X25519", &[&secret], key.public_key().as_bytes());
        let shared = key.diffie_hellman(&x25519::PublicKey::from_bytes(theirs)).expect("not of small order");
        questions.same("agree", "X25519", &[&secret, &theirs], shared.as_bytes());
    }
    // Points of small order, whose product is zero: RFC 7748, section 6.1, and D. J. Bernstein's page on curve25519.
    let order_8 = "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800";
    for theirs in [[0; 32], bytes(&format!("01{}", "00".repeat(31))), bytes(order_8)] {
        let secret: [u8; 32] = random.array();
        let key = x25519::SecretKey::from_bytes(secret);
        assert!(key.diffie_hellman(&x25519::PublicKey::from_bytes(theirs)).is_err());
        questions.refused("agree", "X25519", &[&secret, &theirs]);
    }
    questions.ask();
}

#[test]
fn ed25519() {
    let (random, mut questions) = (&mut Random::new(21), Questions::default());
    for length in (0..40).chain([111, 112, 127, 128, 1000]) {
        let (seed, mut message): ([u8; 32], _) = (random.array(), random.vector(length));
        let key = ed25519::SigningKey::from_bytes(seed);
        let public = key.verifying_key();
        let mut signature = key.sign(&message).to_bytes();
        questions.same("public", "ED25519", &[&seed], public.as_bytes());
        questions.same("sign", "ED25519", &[&seed, &message], &signature);
        questions.same("verify", "ED25519", &[public.as_bytes(), &message, &signature], b"");

        let changed: &mut [u8] = if length % 3 == 2 { &mut message } else { &mut signature };
        change(random, changed);
        assert!(public.verify(&message, &ed25519::Signature::from_bytes(signature)).is_err(), "{length} bytes");
        questions.refused("verify", "ED25519", &[public.as_bytes(), &message, &signature]);
    }
    questions.ask();
}

/// `$top` are the bits of a secret key's first byte; `$normal` makes a signature of OpenSSL one that is good here.
macro_rules! curve {
    ($curve:ident, $name:literal, $hash:literal, $seed:literal, $bytes:literal, $top:literal, $normal:expr) => {
        mod $curve {
            use culet::$curve::{PublicKey, SecretKey, Signature, SigningKey, VerifyingKey};

            use super::{Questions, Random, change};

            const AND_HASH: &str = concat!($name, "/", $hash);

            fn secret(random: &mut Random) -> [u8; $bytes] {
                let mut bytes: [u8; $bytes] = random.array();
                bytes[0] &= $top;
                bytes
            }

            #[test]
            fn keys_and_agreement() {
                let (random, mut questions) = (&mut Random::new($seed), Questions::default());
                for turn in 0..25 {
                    let (mut ours, theirs) = (secret(random), secret(random));
                    if turn >= 10 {
                        // With such a key, the last digit of four bits may be added to an equal point.
                        ours = [0; $bytes];
                        ours[$bytes - 1] = 2 * (turn - 9);
                    }
                    let key = SecretKey::from_bytes(ours).expect("in range");
                    let public = SecretKey::from_bytes(theirs).expect("in range").public_key();
                    let (long, short) = (public.to_sec1_uncompressed(), public.to_sec1_compressed());
                    questions.same("public", $name, &[&theirs], &long);
                    questions.same("point", $name, &[&short], &long);
                    let shared = key.diffie_hellman(&public).expect("keys");
                    questions.same("agree", $name, &[&ours, &long], shared.as_bytes());
                    questions.same("agree", $name, &[&ours, &short], shared.as_bytes());
                }
                questions.ask();
            }

            /// Random x-coordinates, of which half are those of points; numbers beyond the prime among them; and long forms with a bit
            /// that is changed.
            #[test]
            fn points() {
                let (random, mut questions) = (&mut Random::new($seed + 1), Questions::default());
                let mut points = 0;
                for turn in 0..40_u8 {
                    let mut short = [&[2 + turn % 2][..], &random.array::<$bytes>()].concat();
                    match turn {
                        0..3 => short[1..].fill(0xff - turn),
                        _ => short[1] &= $top,
                    }
                    let Ok(point) = PublicKey::from_sec1(&short) else {
                        questions.refused("point", $name, &[&short]);
                        continue;
                    };
                    points += 1;
                    let mut long = point.to_sec1_uncompressed();
                    questions.same("point", $name, &[&short], &long);
                    change(random, &mut long[1..]);
                    assert!(PublicKey::from_sec1(&long).is_err());
                    questions.refused("point", $name, &[&long]);
                }
                assert!((8..32).contains(&points), "{points} of 40 are points");
                questions.ask();
            }

            #[test]
            fn signatures() {
                let (random, mut questions) = (&mut Random::new($seed + 2), Questions::default());
                for turn in 0..10 {
                    let (secret, message) = (secret(random), random.vector(31 * turn));
                    let key = SigningKey::from_bytes(secret).expect("in range");
                    let public = key.verifying_key().to_sec1_uncompressed();

                    // Ours for OpenSSL.
                    let mut buffer = [0; Signature::LONGEST_DER];
                    let der = key.sign(&message).to_der(&mut buffer).to_vec();
                    questions.same("verify", AND_HASH, &[&public, &message, &der], b"");
                    let hedged = key.sign_hedged(&message, &random.array());
                    questions.same("verify", AND_HASH, &[&public, &message, hedged.to_der(&mut buffer)], b"");
                    let (mut changed, mut other) = (der.clone(), [&message[..], &[0]].concat());
                    change(random, &mut changed);
                    change(random, &mut other);
                    for (message, der) in [(&message, &changed), (&other, &der)] {
                        assert!(!is_good(&public, message, der), "{der:02x?}");
                        questions.refused("verify", AND_HASH, &[&public, message, der]);
                    }

                    // OpenSSL's for us, which are others each time.
                    let (seed, signed) = (random.next(), message.clone());
                    questions.push("sign", AND_HASH, &[&secret, &message], move |der| {
                        let mut der = der.expect("a signature");
                        assert!(is_good(&public, &signed, &der), "{der:02x?}");
                        assert!(!is_good(&public, &other, &der), "{der:02x?}");
                        change(&mut Random::new(seed), &mut der);
                        assert!(!is_good(&public, &signed, &der), "{der:02x?}");
                    });
                }
                questions.ask();
            }

            fn is_good(public: &[u8], message: &[u8], der: &[u8]) -> bool {
                let public = VerifyingKey::from_sec1(public).expect("a point");
                let signature = Signature::from_der(der).map($normal);
                signature.and_then(|signature| public.verify(message, &signature)).is_ok()
            }
        }
    };
}

curve!(p224, "P-224", "SHA224", 30, 28, 0x7f, core::convert::identity);
curve!(p256, "P-256", "SHA256", 40, 32, 0x7f, core::convert::identity);
curve!(p384, "P-384", "SHA384", 50, 48, 0x7f, core::convert::identity);
curve!(p521, "P-521", "SHA512", 60, 66, 0x01, core::convert::identity);
curve!(secp256k1, "secp256k1", "SHA256", 70, 32, 0x7f, Signature::with_low_s);
