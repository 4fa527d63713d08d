//! P-224: what is published, and what all curves are tested by.

// The numbers are those of SP 800-186, section 3.2.1.2; the algorithm that a key names is that of RFC 5480, section 2.
crate::curve::curve_tests! {
    module: p224, other: p224, hash: sha2::Sha224, bytes: 28,
    order: "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d",
    prime: "ffffffffffffffffffffffffffffffff000000000000000000000001",
    algorithm: "301006072a8648ce3d020106052b81040021",
    agreements: "ecdh_secp224r1", signatures: "ecdsa_secp224r1_sha224", normal: core::convert::identity,
}

/// RFC 6979, appendix A.2.4, with SHA-224.
#[test]
fn published_signatures() {
    let key = SigningKey::from_bytes(bytes("f220266e1105bfe3083e03ec7a3a654651f45e37167e88600bf257c1"));
    let key = key.expect("it is in range");
    let public = "00cf08da5ad719e42707fa431292dea11244d64fc51610d94b130d6ceeab6f3debe455e3dbf85416f7030cbd94f34f2d6f232c69f3c1385a";
    assert_eq!(key.verifying_key().to_sec1_uncompressed()[..], hex(&format!("04{public}")));
    let answers = [
        (
            "sample",
            "1cdfe6662dde1e4a1ec4cdedf6a1f5a2fb7fbd9145c12113e6abfd3ea6694fd7718a21053f225d3f46197ca699d45006c06f871808f43ebc",
        ),
        (
            "test",
            "c441ce8e261ded634e4cf84910e4c5d1d22c5cf3b732bb204dbef019902f42847a63bdc5f6046ada114953120f99442d76510150f372a3f4",
        ),
    ];
    for (message, expected) in answers {
        let signature = key.sign(message.as_bytes());
        assert_eq!(signature.to_bytes()[..], hex(expected));
        key.verifying_key().verify(message.as_bytes(), &signature).expect("it is right");
    }
}

/// A point and its negative are read from compressed ones, and numbers that are x of no point are refused; the curve has points for about half of
/// them.
#[test]
fn roots() {
    let mut points = 0;
    for x in 0..200 {
        let mut compressed = [0; 29];
        compressed[28] = x;
        let [even, odd] = [2, 3].map(|first| {
            compressed[0] = first;
            PublicKey::from_sec1(&compressed).ok().map(PublicKey::to_sec1_uncompressed)
        });
        assert_eq!(even.is_some(), odd.is_some(), "{x}");
        let (Some(even), Some(odd)) = (even, odd) else { continue };
        assert!(even[56] & 1 == 0 && odd[56] & 1 == 1 && even[..29] == odd[..29], "{x}");
        for point in [even, odd] {
            PublicKey::from_sec1(&point).expect("it satisfies the equation");
        }
        points += 1;
    }
    assert!((70..130).contains(&points), "{points}");
}
