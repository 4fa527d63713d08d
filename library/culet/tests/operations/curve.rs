//! Curves of short Weierstrass form: another implementation, Project Wycheproof, and what must not work.

/// Tests of a module of the crate beside another crate. `$normal` is what makes a signature of others one that is good here.
macro_rules! curve_tests {
    (
        module: $module:ident, other: $other:ident, hash: $hash:ty, bytes: $bytes:literal, order: $order:literal, prime: $prime:literal,
        algorithm: $algorithm:literal, agreements: $agreements:literal, signatures: $signatures:literal, normal: $normal:expr $(,)?
    ) => {
        use culet::$module::{PublicKey, SecretKey, Signature, SigningKey, VerifyingKey};
        use sha2::Digest;
        use $other::ecdsa::signature::hazmat::{PrehashSigner, PrehashVerifier};
        use $other::ecdsa::signature::{Signer, Verifier};
        use $other::elliptic_curve::sec1::ToEncodedPoint;

        use crate::support::{Random, bytes, hex, wycheproof};

        const BYTES: usize = $bytes;

        /// The order of the base point and the prime.
        const ORDER: &str = $order;
        const PRIME: &str = $prime;

        /// A number less a small one.
        fn minus(number: &str, less: u8) -> [u8; BYTES] {
            let mut bytes: [u8; BYTES] = bytes(number);
            assert!(bytes[BYTES - 1] >= less);
            bytes[BYTES - 1] -= less;
            bytes
        }

        /// Keys at the ends of the range, among them those whose last digit of four bits is added to an equal point, and others.
        fn secrets(random: &mut Random) -> Vec<[u8; BYTES]> {
            let small = (1..36).map(|number| {
                let mut bytes = [0; BYTES];
                bytes[BYTES - 1] = number;
                bytes
            });
            let large = (1..36).map(|distance| minus(ORDER, distance));
            let mut powers: Vec<[u8; BYTES]> = vec![[0x11; BYTES], [0x7f; BYTES], [0x80; BYTES], [0xef; BYTES]];
            powers.extend((0..BYTES).map(|byte| {
                let mut bytes = [0; BYTES];
                bytes[byte] = 0x80;
                bytes
            }));
            powers.extend((0..60).map(|_| random.array()));
            small.chain(large).chain(powers).collect()
        }

        #[test]
        fn keys_and_agreement_agree() {
            let random = &mut Random::new(50);
            let other = $other::SecretKey::from_slice(&random.array::<BYTES>()).expect("it is in range");
            let point = other.public_key().to_encoded_point(false);
            for secret in secrets(random) {
                let (ours, theirs) =
                    (SecretKey::from_bytes(secret), $other::SecretKey::from_slice(&secret).expect("in range"));
                let ours = ours.unwrap_or_else(|_| panic!("{secret:02x?} is in range"));
                let public = ours.public_key();
                assert_eq!(
                    public.to_sec1_uncompressed()[..],
                    theirs.public_key().to_encoded_point(false).as_bytes()[..],
                    "{secret:02x?}"
                );
                let compressed = $other::EncodedPoint::from(theirs.public_key()).compress();
                assert_eq!(&public.to_sec1_compressed()[..], compressed.as_bytes(), "{secret:02x?}");
                assert_eq!(PublicKey::from_sec1(compressed.as_bytes()), Ok(public), "{secret:02x?}");
                let shared =
                    ours.diffie_hellman(&PublicKey::from_sec1(point.as_bytes()).expect("a point")).expect("keys");
                let expected = $other::ecdh::diffie_hellman(theirs.to_nonzero_scalar(), other.public_key().as_affine());
                assert_eq!(shared.as_bytes()[..], expected.raw_secret_bytes()[..], "{secret:02x?}");
            }
        }

        #[test]
        fn signatures_agree() {
            let random = &mut Random::new(51);
            for (turn, secret) in secrets(random).into_iter().enumerate() {
                let message = random.vector(3 * turn);
                let ours = SigningKey::from_bytes(secret).expect("in range");
                let theirs = $other::ecdsa::SigningKey::from_slice(&secret).expect("in range");
                let signature = ours.sign(&message);
                let expected: $other::ecdsa::Signature = theirs.sign(&message);
                assert_eq!(signature.to_bytes()[..], expected.to_bytes()[..], "{secret:02x?}");
                ours.verifying_key().verify(&message, &signature).expect("it is right");

                let mut buffer = [0xaa; Signature::LONGEST_DER];
                assert_eq!(signature.to_der(&mut buffer), expected.to_der().as_bytes());
                assert_eq!(Signature::from_der(expected.to_der().as_bytes()), Ok(signature));

                let hedged = ours.sign_hedged(&message, &random.array());
                assert_ne!(hedged, signature);
                ours.verifying_key().verify(&message, &hedged).expect("it is right");
                let hedged = $other::ecdsa::Signature::from_slice(&hedged.to_bytes()).expect("numbers in range");
                theirs.verifying_key().verify(&message, &hedged).expect("it is right");
            }
        }

        /// Digests below the order; the other implementation does not reduce others before it makes the number used once from them.
        #[test]
        fn signatures_of_digests_agree() {
            let random = &mut Random::new(52);
            let mut digests: Vec<[u8; BYTES]> = vec![[0; BYTES], [0x7f; BYTES], [0x80; BYTES], minus(ORDER, 1)];
            digests.push(<$hash>::digest(b"message").into());
            digests.extend((0..20).map(|_| random.array()));
            for digest in digests {
                let secret: [u8; BYTES] = random.array();
                let ours = SigningKey::from_bytes(secret).expect("in range");
                let theirs = $other::ecdsa::SigningKey::from_slice(&secret).expect("in range");
                let signature = ours.sign_prehashed(&digest);
                let expected: $other::ecdsa::Signature = theirs.sign_prehash(&digest).expect("bytes");
                assert_eq!(signature.to_bytes()[..], expected.to_bytes()[..], "{digest:02x?}");
                ours.verifying_key().verify_prehashed(&digest, &signature).expect("it is right");
                theirs.verifying_key().verify_prehash(&digest, &expected).expect("it is right");
            }
            let key = SigningKey::from_bytes([1; BYTES]).expect("in range");
            assert_eq!(key.sign(b"message"), key.sign_prehashed(&<$hash>::digest(b"message").into()));
        }

        /// A number used once that the caller brings: the other implementation verifies, and what is out of range is refused.
        #[test]
        fn numbers_used_once_of_the_caller() {
            let random = &mut Random::new(57);
            let key = SigningKey::from_bytes([3; BYTES]).expect("in range");
            let theirs = $other::ecdsa::VerifyingKey::from_sec1_bytes(&key.verifying_key().to_sec1_uncompressed());
            let theirs = theirs.expect("a point");
            let mut one = [0; BYTES];
            one[BYTES - 1] = 1;
            for nonce in [one, minus(ORDER, 1), random.array()] {
                let digest: [u8; BYTES] = random.array();
                let signature = key.sign_prehashed_with_dangerous_nonce(&digest, &nonce).expect("in range");
                key.verifying_key().verify_prehashed(&digest, &signature).expect("it is right");
                let signature = $other::ecdsa::Signature::from_slice(&signature.to_bytes()).expect("numbers in range");
                theirs.verify_prehash(&digest, &signature).expect("it is right");
            }
            for nonce in [[0; BYTES], bytes(ORDER), [0xff; BYTES]] {
                let refused = key.sign_prehashed_with_dangerous_nonce(&[1; BYTES], &nonce).expect_err("out of range");
                assert_eq!(refused.reason(), culet::Reason::Key);
            }
        }

        /// A digest and what it is modulo the order have one signature: RFC 6979, section 2.3.4, and FIPS 186-5, section 6.4.1.
        #[test]
        fn signatures_of_digests_beyond_the_order() {
            let key = SigningKey::from_bytes([3; BYTES]).expect("in range");
            for distance in [0, 1, 2, 0x2f] {
                let mut reduced = [0; BYTES];
                reduced[BYTES - 1] = distance;
                let mut digest: [u8; BYTES] = bytes(ORDER);
                digest[BYTES - 1] += distance;
                let signature = key.sign_prehashed(&digest);
                assert_eq!(signature, key.sign_prehashed(&reduced));
                key.verifying_key().verify_prehashed(&digest, &signature).expect("it is right");
                key.verifying_key().verify_prehashed(&reduced, &signature).expect("it is right");
            }
            assert_ne!(key.sign_prehashed(&[0xff; BYTES]), key.sign_prehashed(&[0xfe; BYTES]));
        }

        #[test]
        fn points_agree() {
            let random = &mut Random::new(53);
            let mut points = 0;
            for turn in 0..300_usize {
                let mut encoded = random.vector([BYTES + 1, 2 * BYTES + 1][turn % 2]);
                encoded[0] = match turn % 3 {
                    0 => 2 + (turn % 2) as u8 * 2,
                    1 => 3 + (turn % 2) as u8,
                    _ => encoded[0] % 8,
                };
                let ours = PublicKey::from_sec1(&encoded).ok().map(PublicKey::to_sec1_uncompressed);
                // The other implementation takes 5 for points of another standard.
                let theirs = $other::PublicKey::from_sec1_bytes(&encoded).ok().filter(|_| encoded[0] != 5);
                assert_eq!(
                    ours.map(Vec::from),
                    theirs.map(|point| point.to_encoded_point(false).as_bytes().to_vec()),
                    "{encoded:02x?}"
                );
                points += u32::from(ours.is_some());
            }
            assert!((30..150).contains(&points), "{points} of 300 are points");
        }

        /// A point of a public key in DER that names the curve: RFC 5480, section 2.
        fn subject_public_key(der: &[u8]) -> Option<&[u8]> {
            let algorithm = hex($algorithm);
            let rest = der
                .strip_prefix(&[0x30, u8::try_from(der.len().checked_sub(2)?).ok()?])?
                .strip_prefix(&algorithm[..])?;
            rest.strip_prefix(&[0x03, u8::try_from(rest.len().checked_sub(2)?).ok()?, 0])
        }

        /// Answers that are called acceptable have a compressed key, which is good here, or a key in another form of DER, which this test does not
        /// read.
        #[test]
        fn wycheproof_agreement() {
            let mut agreed = 0;
            for vector in wycheproof($agreements) {
                // An integer, perhaps with a byte of zeros before it.
                let private = vector.hex("private");
                let digits = &private[private.len().saturating_sub(BYTES)..];
                let secret =
                    SecretKey::from_bytes([&vec![0; BYTES - digits.len()], digits].concat().try_into().expect("bytes"));
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
            for vector in wycheproof($signatures) {
                let key = hex(vector.group("publicKey")["uncompressed"].as_str().expect("a key"));
                let key = VerifyingKey::from_sec1(&key).expect("a point");
                let signature = Signature::from_der(&vector.hex("sig"));
                let verified = signature.and_then(|signature| key.verify(&vector.hex("msg"), &$normal(signature)));
                assert_eq!(verified.is_ok(), vector.is_valid(), "{vector}");
            }
        }

        #[test]
        fn keys_that_are_out_of_range() {
            for bytes in [[0; BYTES], bytes(ORDER), bytes(PRIME), [0xff; BYTES]] {
                assert!(SecretKey::from_bytes(bytes).is_err());
                assert!(SigningKey::from_bytes(bytes).is_err());
            }
        }

        #[test]
        fn public_keys_that_are_no_points() {
            let public = SecretKey::from_bytes([9; BYTES]).expect("in range").public_key();
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
            for length in (0..2 * BYTES + 1).chain([2 * BYTES + 2, 2 * BYTES + 3, 4 * BYTES + 2]) {
                assert!(PublicKey::from_sec1(&long.repeat(2)[..length]).is_err(), "{length} bytes");
            }
            // x plus the prime is none where x is the coordinate of a point.
            let mut points = 0;
            for x in 0..20 {
                let mut small = [0; BYTES];
                small[BYTES - 1] = x;
                let Ok(point) = PublicKey::from_sec1(&[&[2], &small[..]].concat()) else { continue };
                let mut beyond: [u8; BYTES] = bytes(PRIME);
                let mut carry = u16::from(x);
                for byte in beyond.iter_mut().rev() {
                    carry += u16::from(*byte);
                    *byte = carry as u8;
                    carry >>= 8;
                }
                assert_eq!(carry, 0);
                let y = &point.to_sec1_uncompressed()[1 + BYTES..];
                assert!(PublicKey::from_sec1(&[&[4], &beyond[..], y].concat()).is_err());
                assert!(PublicKey::from_sec1(&[&[2], &beyond[..]].concat()).is_err());
                points += 1;
            }
            assert!(points > 3, "{points}");
        }

        #[test]
        fn tampering() {
            let random = &mut Random::new(54);
            let (secret, message) = (random.array(), b"signed");
            let key = SigningKey::from_bytes(secret).expect("in range");
            let (public, signature) = (key.verifying_key(), key.sign(message));
            for bit in (0..16 * BYTES).step_by(5) {
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
            let ends = [[0; BYTES], bytes(ORDER), bytes(PRIME), [0xff; BYTES]];
            for end in ends {
                for (r, s) in [
                    (&end[..], &signature.to_bytes()[BYTES..]),
                    (&signature.to_bytes()[..BYTES], &end[..]),
                    (&end, &end),
                ] {
                    let other = Signature::from_bytes([r, s].concat().try_into().expect("bytes"));
                    assert!(public.verify(message, &other).is_err());
                }
            }
        }

        /// Numbers with zeros before them, and with their highest bit set, are the ones that DER treats apart.
        #[test]
        fn der() {
            let random = &mut Random::new(55);
            for turn in 0..200 {
                let mut bytes: [u8; 2 * BYTES] = random.array();
                bytes[..turn % (BYTES + 1)].fill(0);
                bytes[BYTES..BYTES + turn / 33].fill(0);
                let signature = Signature::from_bytes(bytes);
                let mut buffer = [0xaa; Signature::LONGEST_DER];
                let der = signature.to_der(&mut buffer).to_vec();
                assert_eq!(Signature::from_der(&der), Ok(signature), "{der:02x?}");
                if let Ok(theirs) = $other::ecdsa::Signature::from_slice(&bytes) {
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
        }

        #[test]
        fn keys_from_slices() {
            let key: [u8; BYTES] = [5; BYTES];
            let public = SecretKey::from_bytes(key).expect("in range").public_key();
            assert_eq!(SecretKey::try_from(&key[..]).expect("in range").public_key(), public);
            assert_eq!(SigningKey::try_from(&key[..]).expect("in range").as_bytes(), &key);
            assert_eq!(PublicKey::try_from(&public.to_sec1_compressed()[..]), Ok(public));
            let verifying = VerifyingKey::try_from(&public.to_sec1_uncompressed()[..]).expect("a point");
            assert_eq!(verifying.to_sec1_compressed(), public.to_sec1_compressed());
            for wrong in [&key[1..], &[&key[..], &[0]].concat(), &[], &[0; BYTES], &hex(ORDER)] {
                assert!(SecretKey::try_from(wrong).is_err() && SigningKey::try_from(wrong).is_err());
                assert!(PublicKey::try_from(wrong).is_err() && VerifyingKey::try_from(wrong).is_err());
            }
            let signature = [7; 2 * BYTES];
            assert_eq!(Signature::try_from(&signature[..]), Ok(Signature::from_bytes(signature)));
            assert!(Signature::try_from(&signature[1..]).is_err());
        }
    };
}

pub(crate) use curve_tests;
