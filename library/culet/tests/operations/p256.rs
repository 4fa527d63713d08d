//! P-256: what is published, another implementation, Project Wycheproof, and what must not work.

// The numbers are those of SP 800-186, section 3.2.1.3; the algorithm that a key names is that of RFC 5480, section 2.
crate::curve::curve_tests! {
    module: p256, other: p256, hash: sha2::Sha256, bytes: 32,
    order: "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
    prime: "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
    algorithm: "301306072a8648ce3d020106082a8648ce3d030107",
    agreements: "ecdh_secp256r1", signatures: "ecdsa_secp256r1_sha256", normal: core::convert::identity,
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

/// Numbers that are not encoded as DER wants them.
#[test]
fn wrong_der() {
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
