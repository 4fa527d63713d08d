//! P-384: what is published, and what all curves are tested by.

// The numbers are those of SP 800-186, section 3.2.1.4; the algorithm that a key names is that of RFC 5480, section 2.
crate::curve::curve_tests! {
    module: p384, other: p384, hash: sha2::Sha384, bytes: 48,
    order: "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
    prime: "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
    algorithm: "301006072a8648ce3d020106052b81040022",
    agreements: "ecdh_secp384r1", signatures: "ecdsa_secp384r1_sha384", normal: core::convert::identity,
}

/// RFC 6979, appendix A.2.6, with SHA-384.
#[test]
fn published_signatures() {
    let key = "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5";
    let key = SigningKey::from_bytes(bytes(key)).expect("it is in range");
    let public = "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a254515480bc13\
                  8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd2533264720";
    assert_eq!(key.verifying_key().to_sec1_uncompressed()[..], hex(&format!("04{public}")));
    let answers = [
        (
            "sample",
            "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46\
             99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8",
        ),
        (
            "test",
            "8203b63d3c853e8d77227fb377bcf7b7b772e97892a80f36ab775d509d7a5feb0542a7f0812998da8f1dd3ca3cf023db\
             ddd0760448d42d8a43af45af836fce4de8be06b485e9b61b827c2f13173923e06a739f040649a667bf3b828246baa5a5",
        ),
    ];
    for (message, expected) in answers {
        let signature = key.sign(message.as_bytes());
        assert_eq!(signature.to_bytes()[..], hex(expected));
        key.verifying_key().verify(message.as_bytes(), &signature).expect("it is right");
    }
}

/// RFC 5903, section 8.2.
#[test]
fn published_agreement() {
    let ours = "099f3c7034d4a2c699884d73a375a67f7624ef7c6b3c0f160647b67414dce655e35b538041e649ee3faef896783ab194";
    let theirs = "41cb0779b4bdb85d47846725fbec3c9430fab46cc8dc5060855cc9bda0aa2942e0308312916b8ed2960e4bd55a7448fc";
    let (ours, theirs) = (SecretKey::from_bytes(bytes(ours)), SecretKey::from_bytes(bytes(theirs)));
    let (ours, theirs) = (ours.expect("it is in range"), theirs.expect("it is in range"));
    let public = "667842d7d180ac2cde6f74f37551f55755c7645c20ef73e31634fe72b4c55ee6de3ac808acb4bdb4c88732aee95f41aa\
                  9482ed1fc0eeb9cafc4984625ccfc23f65032149e0e144ada024181535a0f38eeb9fcff3c2c947dae69b4c634573a81c";
    assert_eq!(ours.public_key().to_sec1_uncompressed()[..], hex(&format!("04{public}")));
    let shared =
        hex("11187331c279962d93d604243fd592cb9d0a926f422e47187521287e7156c5c4d603135569b9e9d09cf5d4a270f59746");
    assert_eq!(ours.diffie_hellman(&theirs.public_key()).expect("keys").as_bytes()[..], shared);
    assert_eq!(theirs.diffie_hellman(&ours.public_key()).expect("keys").as_bytes()[..], shared);
}
