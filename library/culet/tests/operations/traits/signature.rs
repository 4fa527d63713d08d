//! Keys sign and verify through the traits of the crate `signature`.

use culet::{ed25519, p224, p256, p384, p521, secp256k1};
use k256::ecdsa::signature::{Keypair, SignatureEncoding, Signer, Verifier};

/// Signs and verifies a message, and returns the signature's bytes.
fn signed<K, V, S>(key: &K, message: &[u8]) -> Vec<u8>
where
    K: Signer<S> + Keypair<VerifyingKey = V>,
    V: Verifier<S>,
    S: SignatureEncoding,
{
    let signature = key.sign(message);
    let public = Keypair::verifying_key(key);
    public.verify(message, &signature).expect("it is right");
    assert!(public.verify(b"another message", &signature).is_err());
    let bytes = SignatureEncoding::to_bytes(&signature).as_ref().to_vec();
    assert!(S::try_from(&bytes[1..]).is_err());
    let read = S::try_from(&bytes).ok().expect("a signature");
    public.verify(message, &read).expect("it is the same");
    bytes
}

#[test]
fn keys_sign_through_traits() {
    let key = ed25519::SigningKey::from_bytes([7; 32]);
    assert_eq!(signed(&key, b"message"), key.sign(b"message").to_bytes());
    macro_rules! curves {
        ($($module:ident),*) => {
            $(
                let bytes = std::array::from_fn(|place| u8::from(place > 1));
                let key = $module::SigningKey::from_bytes(bytes).expect("in range");
                assert_eq!(signed(&key, b"message"), key.sign(b"message").to_bytes());
            )*
        };
    }
    curves!(p224, p256, p384, p521, secp256k1);
}
