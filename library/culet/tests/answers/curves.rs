//! Agreement and signatures.

use culet::secp256k1::bip340;
use culet::{ed25519, p224, p256, p384, p521, sealed, secp256k1, x25519};

use crate::hex;

/// RFC 7748, section 6.1; RFC 8032, section 7.1, test 2.
pub fn curve25519() {
    let alice = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a";
    let bob = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb";
    let (alice, bob) = (x25519::SecretKey::from_bytes(hex(alice)), x25519::SecretKey::from_bytes(hex(bob)));
    let shared = alice.diffie_hellman(&bob.public_key()).expect("not zero");
    assert_eq!(*shared.as_bytes(), hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742"));

    let mut text = *b"message";
    let header = sealed::seal_in_place(&mut text, &bob.public_key(), alice).expect("a good key");
    sealed::open_in_place(&mut text, &header, &bob).expect("it is right");
    assert_eq!(&text, b"message");

    let seed = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
    let key = ed25519::SigningKey::from_bytes(hex(seed));
    let signature = key.sign(&[0x72]);
    assert_eq!(
        signature.to_bytes(),
        hex("92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
             085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00")
    );
    key.verifying_key().verify(&[0x72], &signature).expect("it is right");
    assert!(key.verifying_key().verify(&[0x73], &signature).is_err());
    ed25519::verify_zip215(key.verifying_key().as_bytes(), &[0x72], &signature).expect("it is right");
}

/// Signs "sample" to a published answer, verifies it and no other message, and agrees on one secret with a point that is compressed.
macro_rules! curve {
    ($curve:ident, $secret:expr, $signature:expr) => {
        let key = $curve::SigningKey::from_bytes(hex($secret)).expect("in range");
        let signature = key.sign(b"sample");
        assert_eq!(signature.to_bytes(), $signature);
        let mut buffer = [0; $curve::Signature::LONGEST_DER];
        assert_eq!($curve::Signature::from_der(signature.to_der(&mut buffer)), Ok(signature));
        key.verifying_key().verify(b"sample", &signature).expect("it is right");
        assert!(key.verifying_key().verify(b"simple", &signature).is_err());

        let ours = $curve::SecretKey::from_bytes(*key.as_bytes()).expect("in range");
        let mut theirs = *key.as_bytes();
        theirs[theirs.len() - 1] ^= 1;
        let theirs = $curve::SecretKey::from_bytes(theirs).expect("in range");
        let public = $curve::PublicKey::from_sec1(&theirs.public_key().to_sec1_compressed()).expect("a point");
        let shared = ours.diffie_hellman(&public).expect("keys");
        assert_eq!(shared.as_bytes(), theirs.diffie_hellman(&ours.public_key()).expect("keys").as_bytes());
    };
}

/// RFC 6979, appendices A.2.4 to A.2.7; for secp256k1, which has none, what is signed is verified; BIP 340, test vector 0.
pub fn weierstrass() {
    curve!(
        p224,
        "f220266e1105bfe3083e03ec7a3a654651f45e37167e88600bf257c1",
        hex("1cdfe6662dde1e4a1ec4cdedf6a1f5a2fb7fbd9145c12113e6abfd3e\
             a6694fd7718a21053f225d3f46197ca699d45006c06f871808f43ebc")
    );
    curve!(
        p256,
        "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721",
        hex("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716\
             f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8")
    );
    curve!(
        p384,
        "6b9d3dad2e1b8c1c05b19875b6659f4de23c3b667bf297ba9aa47740787137d896d5724e4c70a825f872c9ea60d2edf5",
        hex("94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e80fabe46\
             99ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e7b82c71a38628ac8")
    );
    curve!(
        p521,
        "00fad06daa62ba3b25d2fb40133da757205de67f5bb0018fee8c86e1b68c7e75caa896eb32f1f47c70855836a6d16fcc\
         1466f6d8fbec67db89ec0c08b0e996b83538",
        hex("00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f174e25a1ee9017b5d450606add152b53\
             4931d7d4e8455cc91f9b15bf05ec36e377fa00617cce7cf5064806c467f678d3b4080d6f1cc50af26ca209417308281b\
             68af282623eaa63e5b5c0723d8b8c37ff0777b1a20f8ccb1dccc43997f1ee0e44da4a67a")
    );
    let secret = "c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721";
    let key = secp256k1::SigningKey::from_bytes(hex(secret)).expect("in range");
    curve!(secp256k1, secret, key.sign_prehashed(&culet::hash::Sha256::digest(b"sample")).to_bytes());

    let mut secret = [0; 32];
    secret[31] = 3;
    let key = bip340::SigningKey::from_bytes(secret).expect("in range");
    let signature = key.sign(&[0; 32], &[0; 32]);
    assert_eq!(
        signature.to_bytes(),
        hex("e907831f80848d1069a5371b402410364bdf1c5f8307b0084c55f1ce2dca8215\
             25f66a4a85ea8b71e482a74f382d2ce5ebeee8fdb2172f477df4900d310536c0")
    );
    key.verifying_key().verify(&[0; 32], &signature).expect("it is right");
}
