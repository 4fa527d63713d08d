//! P-521: what is published, what must not work, and a scalar's bits that are more than the order has.

use culet::Reason;
use culet::p521::{PublicKey, SecretKey, Signature, SigningKey, VerifyingKey};

use crate::support::{Random, bytes, hex, wycheproof};

/// SP 800-186, section 3.2.1.5: the order of the base point and the prime.
const ORDER: &str = "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa\
                     51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409";
const PRIME: &str = "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
                     ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";

/// RFC 6979, appendix A.2.7, with SHA-512.
#[test]
fn published_signatures() {
    let key = SigningKey::from_bytes(bytes(
        "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75caa896eb32f1f47c70855836a6d16fcc\
             1466f6d8fbec67db89ec0c08b0e996b83538",
    ));
    let key = key.expect("it is in range");
    let public = "01894550d0785932e00eaa23b694f213f8c3121f86dc97a04e5a7167db4e5bcd371123d46e45db6b5d5370a7f20fb633\
             155d38ffa16d2bd761dcac474b9a2f5023a400493101c962cd4d2fddf782285e64584139c2f91b47f87ff82354d6630f\
             746a28a0db25741b5b34a828008b22acc23f924faafbd4d33f81ea66956dfeaa2bfdfcf5";
    assert_eq!(key.verifying_key().to_sec1_uncompressed()[..], hex(&format!("04{public}")));
    let answers = [
        (
            "sample",
            "00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f174e25a1ee9017b5d450606add152b53\
             4931d7d4e8455cc91f9b15bf05ec36e377fa00617cce7cf5064806c467f678d3b4080d6f1cc50af26ca209417308281b\
             68af282623eaa63e5b5c0723d8b8c37ff0777b1a20f8ccb1dccc43997f1ee0e44da4a67a",
        ),
        (
            "test",
            "013e99020abf5cee7525d16b69b229652ab6bdf2affcaef38773b4b7d08725f10cdb93482fdcc54edcee91eca4166b2a\
             7c6265ef0ce2bd7051b7cef945babd47ee6d01fbd0013c674aa79cb39849527916ce301c66ea7ce8b80682786ad60f98\
             f7e78a19ca69eff5c57400e3b3a0ad66ce0978214d13baf4e9ac60752f7b155e2de4dce3",
        ),
    ];
    for (message, expected) in answers {
        let signature = key.sign(message.as_bytes());
        assert_eq!(signature.to_bytes()[..], hex(expected));
        key.verifying_key().verify(message.as_bytes(), &signature).expect("it is right");
        let mut buffer = [0; Signature::LONGEST_DER];
        let der = signature.to_der(&mut buffer);
        assert_eq!(signature.to_der_vec(), der);
        assert!(der[1] == 0x81 && Signature::from_der(der) == Ok(signature), "{der:02x?}");
    }
}

/// Numbers of all bits are no good signature; they are written nevertheless, and take the most bytes.
#[test]
fn the_longest_signature_is_written() {
    let longest = Signature::from_bytes([0xff; Signature::LENGTH]);
    let mut buffer = [0; Signature::LONGEST_DER];
    let der = longest.to_der(&mut buffer);
    assert!(der.len() == Signature::LONGEST_DER && Signature::from_der(der) == Ok(longest), "{der:02x?}");
}

#[test]
fn agreements_of_wycheproof() {
    // SubjectPublicKeyInfo of RFC 5480, section 2: a key is a string of bits at its end.
    let algorithm = hex("301006072a8648ce3d020106052b81040023");
    let mut agreed = 0;
    for vector in wycheproof("ecdh_secp521r1") {
        let (public, secret) = (vector.hex("public"), vector.hex("private"));
        let start = public.windows(algorithm.len()).position(|part| part == algorithm);
        let point = start.and_then(|start| match public[start + algorithm.len()..] {
            [3, 0x81, length, 0, ref point @ ..] if usize::from(length) == point.len() + 1 => Some(point),
            [3, length, 0, ref point @ ..] if usize::from(length) == point.len() + 1 => Some(point),
            _ => None,
        });
        let public = point.and_then(|point| PublicKey::from_sec1(point).ok());
        let digits = &secret[secret.iter().take_while(|byte| **byte == 0).count()..];
        let mut number = [0; 66];
        number[66 - digits.len()..].copy_from_slice(digits);
        let shared = public.map(|public| SecretKey::from_bytes(number).expect("in range").diffie_hellman(&public));
        match shared {
            Some(shared) if vector.result() != "invalid" => {
                assert_eq!(shared.expect("a secret").as_bytes()[..], vector.hex("shared"), "{vector}");
                agreed += 1;
            }
            shared => assert!(!vector.is_valid() && shared.is_none(), "{vector}"),
        }
    }
    assert!(agreed > 100, "{agreed}");
}

#[test]
fn signatures_of_wycheproof() {
    let mut good = 0;
    for vector in wycheproof("ecdsa_secp521r1_sha512") {
        let public = hex(vector.group("publicKey")["uncompressed"].as_str().expect("a key"));
        let public = VerifyingKey::from_sec1(&public).expect("a point");
        let signature = Signature::from_der(&vector.hex("sig"));
        let verdict = signature.and_then(|signature| public.verify(&vector.hex("msg"), &signature));
        assert_eq!(verdict.is_ok(), vector.is_valid(), "{vector}");
        good += u32::from(verdict.is_ok());
    }
    assert!(good > 50, "{good}");
}

#[test]
fn keys_and_points() {
    let random = &mut Random::new(71);
    for turn in 0..4 {
        let mut secret: [u8; 66] = random.array();
        secret[0] &= 1;
        let (ours, theirs) = (SecretKey::from_bytes(secret), SecretKey::from_bytes([0; 66]));
        assert_eq!(theirs.map(drop).map_err(|error| error.reason()), Err(Reason::Key));
        let ours = ours.expect("it is in range");
        let (public, compressed) = (ours.public_key(), ours.public_key().to_sec1_compressed());
        assert_eq!(PublicKey::from_sec1(&compressed), Ok(public));
        let mut changed = public.to_sec1_uncompressed();
        changed[1 + random.below(132)] ^= 1;
        assert!(PublicKey::from_sec1(&changed).is_err());
        let key = SigningKey::from_bytes(secret).expect("it is in range");
        let message = random.vector(40 * turn);
        let signature = key.sign_hedged(&message, &random.array());
        key.verifying_key().verify(&message, &signature).expect("it is right");
        let mut changed = signature.to_bytes();
        changed[random.below(132)] ^= 1 << random.below(8);
        assert!(key.verifying_key().verify(&message, &Signature::from_bytes(changed)).is_err());
    }
    // Less than the order by a number, a key agrees on the number's secret: with one of them the last digit is added to an equal point.
    let point =
        SecretKey::from_bytes(std::array::from_fn(|place| u8::from(place > 10))).expect("in range").public_key();
    for number in 1..=32 {
        let small = std::array::from_fn(|place| if place == 65 { number } else { 0 });
        let mut large: [u8; 66] = bytes(ORDER);
        let (less, borrow) = large[65].overflowing_sub(number);
        large[65] = less;
        large[64] -= u8::from(borrow);
        let [small, large] = [small, large].map(|secret| SecretKey::from_bytes(secret).expect("in range"));
        let [small, large] = [small, large].map(|key| key.diffie_hellman(&point).expect("keys"));
        assert_eq!(small.as_bytes(), large.as_bytes(), "{number}");
    }
    let mut last: [u8; 66] = bytes(ORDER);
    last[65] -= 1;
    let one = std::array::from_fn(|place| u8::from(place == 65));
    let (last, one) = (SecretKey::from_bytes(last).expect("in range"), SecretKey::from_bytes(one).expect("in range"));
    // The base point and its negative.
    let (last, one) = (last.public_key().to_sec1_compressed(), one.public_key().to_sec1_compressed());
    assert!(last[1..] == one[1..] && last[0] ^ one[0] == 1);
    for number in [ORDER, PRIME] {
        assert!(SecretKey::from_bytes(bytes(number)).is_err());
    }
    assert!(SecretKey::from_bytes([0xff; 66]).is_err());
    let beyond = hex(&format!("02{PRIME}"));
    assert!(PublicKey::from_sec1(&beyond).is_err() && PublicKey::from_sec1(&[0]).is_err());
}

/// Of 528 random bits, 521 are a key.
#[cfg(feature = "getrandom")]
#[test]
fn keys_are_made() {
    let key = SigningKey::generate().expect("randomness");
    assert!(key.as_bytes()[0] <= 1);
}
