//! Ed25519 by the rules of ZIP 215, and its keys as X25519's.

use culet::ed25519::{Signature, Signed, SigningKey, VerifyingKey, verify_batch, verify_batch_zip215, verify_zip215};
use culet::hash::Sha512;
use culet::x25519;
use curve25519_dalek::edwards::CompressedEdwardsY;
use curve25519_dalek::traits::IsIdentity;
use curve25519_dalek::{EdwardsPoint, Scalar};

use super::support::{Random, bytes, hex, rows};

/// ZIP 215's rules, computed with points of another implementation, which takes bytes that are no canonical form of a point, too.
fn is_good(key: &[u8; 32], message: &[u8], signature: &[u8; 64]) -> bool {
    let (point, scalar) = signature.split_at(32);
    let mut hash = Sha512::new();
    [point, key, message].iter().for_each(|part| hash.update(part));
    let k = Scalar::from_bytes_mod_order_wide(&hash.finalize());
    let s: Option<Scalar> = Scalar::from_canonical_bytes(scalar.try_into().expect("32 bytes")).into();
    let decoded = |bytes: &[u8]| CompressedEdwardsY::from_slice(bytes).expect("32 bytes").decompress();
    let (Some(a), Some(r), Some(s)) = (decoded(key), decoded(point), s) else { return false };
    (EdwardsPoint::mul_base(&s) - r - a * k).mul_by_cofactor().is_identity()
}

/// Whether a signature is good, which both implementations and a batch must agree on.
fn check(key: [u8; 32], message: &[u8], signature: [u8; 64]) -> bool {
    let is_good = is_good(&key, message, &signature);
    let signature = Signature::from_bytes(signature);
    assert_eq!(verify_zip215(&key, message, &signature).is_ok(), is_good, "{key:?} {signature:?}");
    let signer = SigningKey::from_bytes([7; 32]);
    let (others, good) = (signer.verifying_key().to_bytes(), signer.sign(b"good"));
    let mut batch: [Signed; 8] = [(&others, b"good", &good); 8];
    let place = usize::from(key[0]) % 8;
    batch[place] = (&key, message, &signature);
    assert_eq!(verify_batch_zip215(&batch).is_ok(), is_good, "{key:?} {signature:?}");
    let is_strict = VerifyingKey::from_bytes(key).is_ok_and(|key| key.verify(message, &signature).is_ok());
    assert_eq!(verify_batch(&batch).is_ok(), is_strict, "{key:?} {signature:?}");
    is_good
}

/// The published cases: the first six are good with a factor of 8, the next two have an S that is not below the order.
#[test]
pub fn rules_of_zip_215() {
    let verdicts: Vec<bool> =
        rows("ed25519_speccheck.txt").iter().map(|row| check(bytes(&row[1]), &hex(&row[0]), bytes(&row[2]))).collect();
    assert_eq!(verdicts[..8], [true, true, true, true, true, true, false, false]);
    assert_eq!(verdicts.len(), 10);
}

/// ZIP 215: each form of a point of small order as A and as R, with S = 0, is a signature of every message.
#[test]
pub fn small_orders_and_their_other_forms() {
    let zeros = "00".repeat(29);
    let ones = "ff".repeat(30);
    let mut forms = Vec::new();
    for sign in ["0", "8"] {
        forms.push(format!("0100{zeros}{sign}0"));
        forms.push(format!("0000{zeros}{sign}0"));
    }
    for sign in ["7", "f"] {
        forms.extend(["ec", "ed", "ee"].map(|first| format!("{first}{ones}{sign}f")));
    }
    let (two, other) = (
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03",
    );
    forms.extend([format!("{two}05"), format!("{two}85"), format!("{other}7a"), format!("{other}fa")]);
    assert_eq!(forms.len(), 14);
    for a in &forms {
        for r in &forms {
            let mut signature = [0; 64];
            signature[..32].copy_from_slice(&bytes::<32>(r));
            assert!(verify_zip215(&bytes(a), b"Zcash", &Signature::from_bytes(signature)).is_ok(), "{a} {r}");
            if let Ok(key) = VerifyingKey::from_bytes(bytes(a)) {
                assert!(key.verify(b"Zcash", &Signature::from_bytes(signature)).is_err(), "{a} {r}");
                assert!(key.to_x25519().is_err(), "{a}");
            }
        }
        check(bytes(a), b"Zcash", [0; 64]);
    }
}

#[test]
pub fn changed_signatures_are_refused() {
    let random = &mut Random::new(96);
    let key = SigningKey::from_bytes(random.array());
    let (public, signature) = (key.verifying_key().to_bytes(), key.sign(b"message"));
    assert!(check(public, b"message", signature.to_bytes()));
    for bit in (0..512).step_by(7) {
        let mut changed = signature.to_bytes();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(verify_zip215(&public, b"message", &Signature::from_bytes(changed)).is_err(), "bit {bit}");
    }
}

/// The keys of another implementation, and that both sides agree.
#[test]
fn keys_become_those_of_x25519() {
    let random = &mut Random::new(97);
    for _ in 0..20 {
        let seed = random.array();
        let (key, theirs) = (SigningKey::from_bytes(seed), ed25519_dalek::SigningKey::from_bytes(&seed));
        let public = key.verifying_key().to_x25519().expect("a key");
        assert_eq!(public.as_bytes(), &theirs.verifying_key().to_montgomery().to_bytes());
        assert_eq!(key.to_x25519().public_key(), public);
        let other = x25519::SecretKey::from_bytes(random.array());
        let shared = other.diffie_hellman(&public).expect("it is not zero");
        let ours = key.to_x25519().diffie_hellman(&other.public_key()).expect("it is not zero");
        assert_eq!(ours.as_bytes(), shared.as_bytes());
    }
    // A point whose order is eight times that of the base point.
    let mixed = EdwardsPoint::mul_base(&Scalar::from(5u8)) + curve25519_dalek::constants::EIGHT_TORSION[1];
    let key = VerifyingKey::from_bytes(mixed.compress().to_bytes()).expect("a point");
    assert!(key.to_x25519().is_err());
}
