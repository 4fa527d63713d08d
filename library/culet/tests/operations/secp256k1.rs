//! secp256k1: what all curves are tested by, and the lower s.

// The numbers are those of SEC 2, section 2.4.1; the algorithm that a key names is that of RFC 5480, section 2, with the curve of SEC 2, A.2.1.
crate::curve::curve_tests! {
    module: secp256k1, other: k256, hash: sha2::Sha256, bytes: 32,
    order: "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
    prime: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
    algorithm: "301006072a8648ce3d020106052b8104000a",
    agreements: "ecdh_secp256k1", signatures: "ecdsa_secp256k1_sha256", normal: Signature::with_low_s,
}

/// BIP 146: of two signatures that differ in the sign of s, one is good.
#[test]
fn only_the_lower_s_is_good() {
    let random = &mut Random::new(56);
    for _ in 0..20 {
        let message = random.vector(20);
        let key = SigningKey::from_bytes(random.array()).expect("in range");
        let low = key.sign(&message);
        let theirs = k256::ecdsa::Signature::from_slice(&low.to_bytes()).expect("numbers in range");
        assert!(theirs.normalize_s().is_none());
        let (r, s) = theirs.split_scalars();
        let high = k256::ecdsa::Signature::from_scalars(r.to_bytes(), (-*s).to_bytes()).expect("numbers in range");
        let high = Signature::from_bytes(high.to_bytes().into());
        assert_ne!(high, low);
        assert_eq!((high.with_low_s(), low.with_low_s()), (low, low));
        key.verifying_key().verify(&message, &low).expect("it is right");
        assert!(key.verifying_key().verify(&message, &high).is_err());
    }
}

/// An s beyond the order is not made one that is good.
#[test]
fn an_s_out_of_range_stays() {
    for s in [[0; 32], bytes(ORDER), bytes(PRIME), [0xff; 32]] {
        let signature = Signature::from_bytes([[1; 32], s].concat().try_into().expect("64 bytes"));
        assert_eq!(signature.with_low_s(), signature);
    }
}

/// The number used once, and the signature with it, that many implementations test RFC 6979 by, first in
/// <https://bitcointalk.org/index.php?topic=285142>: the secret key is 1. There, s is the higher one.
#[test]
fn a_signature_by_a_published_number() {
    let mut secret = [0; 32];
    secret[31] = 1;
    let key = SigningKey::from_bytes(secret).expect("in range");
    let nonce = bytes("8f8a276c19f4149656b280621e358cce24f5f52542772691ee69063b74f15d15");
    let digest = <sha2::Sha256 as sha2::Digest>::digest(b"Satoshi Nakamoto").into();
    let published = Signature::from_bytes(bytes(concat!(
        "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8",
        "dbbd3162d46e9f9bef7feb87c16dc13b4f6568a87f4e83f728e2443ba586675c"
    )));
    assert_eq!(key.sign_prehashed_with_dangerous_nonce(&digest, &nonce), Ok(published.with_low_s()));
    assert_eq!(key.sign(b"Satoshi Nakamoto"), published.with_low_s());
}
