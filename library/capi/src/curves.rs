//! P-224, P-256, P-384, P-521 and secp256k1: SEC 1; FIPS 186-5, section 6.4. A public key has either form of SEC 1, section 2.3.3.

macro_rules! curve {
    ($(#[$about:meta])* $module:ident) => {
        $(#[$about])*
        pub mod $module {
            use culet::$module::{PublicKey, SecretKey, Signature, SigningKey, VerifyingKey};
            use zeroize::Zeroizing;

            use crate::pointers::{In, Out, Slot, Text};

            fn key(secret: In) -> Option<SigningKey> {
                SigningKey::from_bytes(*Zeroizing::new(secret.array()?)).ok()
            }

            pub fn public_key(public: Out, secret: In) -> Option<()> {
                public.write(&key(secret)?.verifying_key().to_sec1_uncompressed())
            }

            pub fn compress(compressed: Out, public: Text) -> Option<()> {
                compressed.write(&PublicKey::from_sec1(public.bytes()?).ok()?.to_sec1_compressed())
            }

            pub fn decompress(point: Out, public: Text) -> Option<()> {
                point.write(&PublicKey::from_sec1(public.bytes()?).ok()?.to_sec1_uncompressed())
            }

            /// Writes zeros if a key is none.
            pub fn agree(out: Out, secret: In, public: Text) -> Option<()> {
                // The public key comes first: then the time of a refusal does not tell whether the secret key is one.
                let agreed = || {
                    let public = PublicKey::from_sec1(public.bytes()?).ok()?;
                    public.diffie_hellman_with(&*Zeroizing::new(secret.array()?)).ok()
                };
                let shared = agreed();
                out.write(shared.as_ref().map_or(&[0; SecretKey::LENGTH][..], |shared| shared.as_bytes()))?;
                shared.map(drop)
            }

            pub fn sign(signature: Out, message: Text, secret: In) -> Option<()> {
                signature.write(&key(secret)?.sign(message.bytes()?).to_bytes())
            }

            pub fn sign_hedged(signature: Out, message: Text, secret: In, entropy: In) -> Option<()> {
                let entropy = Zeroizing::new(entropy.array()?);
                signature.write(&key(secret)?.sign_hedged(message.bytes()?, &entropy).to_bytes())
            }

            pub fn sign_prehashed(signature: Out, digest: In, secret: In) -> Option<()> {
                signature.write(&key(secret)?.sign_prehashed(&digest.array()?).to_bytes())
            }

            pub fn verify_prehashed(signature: In, digest: In, public: Text) -> Option<()> {
                let public = VerifyingKey::from_sec1(public.bytes()?).ok()?;
                public.verify_prehashed(&digest.array()?, &Signature::from_bytes(signature.array()?)).ok()
            }

            pub fn verify(signature: In, message: Text, public: Text) -> Option<()> {
                verify_read(&Signature::from_bytes(signature.array()?), message, public)
            }

            pub fn sign_der(der: Out, length: Slot<usize>, message: Text, secret: In) -> Option<()> {
                if length.is_null() {
                    return None;
                }
                let signature = key(secret)?.sign(message.bytes()?);
                let mut buffer = [0; Signature::LONGEST_DER];
                let counting = signature.to_padded_der(&mut buffer);
                der.write(&buffer)?;
                length.set(counting);
                Some(())
            }

            pub fn verify_der(der: Text, message: Text, public: Text) -> Option<()> {
                verify_read(&Signature::from_der(der.bytes()?).ok()?, message, public)
            }

            fn verify_read(signature: &Signature, message: Text, public: Text) -> Option<()> {
                let public = VerifyingKey::from_sec1(public.bytes()?).ok()?;
                public.verify(message.bytes()?, signature).ok()
            }
        }
    };
}

curve!(
    /// Numbers of 28 bytes, and SHA-224.
    p224
);

curve!(
    /// Numbers of 32 bytes, and SHA-256.
    p256
);

curve!(
    /// Numbers of 48 bytes, and SHA-384.
    p384
);

curve!(
    /// Numbers of 66 bytes, and SHA-512.
    p521
);

curve!(
    /// Numbers of 32 bytes, and SHA-256. Of two signatures that differ in the sign of s, the one with the lower s is good.
    secp256k1
);

/// Writes the signature with secp256k1 that has the lower one of s and its negative: BIP 146.
pub fn with_low_s(out: crate::pointers::Out, signature: crate::pointers::In) -> Option<()> {
    out.write(&culet::secp256k1::Signature::from_bytes(signature.array()?).with_low_s().to_bytes())
}
