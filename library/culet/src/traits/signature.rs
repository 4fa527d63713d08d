//! The traits of the crate `signature`, version 2.
//!
//! An error is the trait's, which has no reason.

/// The traits for the signatures of a module, of `$length` bytes.
macro_rules! signatures {
    ($module:path, $length:literal) => {
        const _: () = {
            use $module::{Signature, SigningKey, VerifyingKey};

            /// Signs as [`SigningKey::sign`] does; there are no errors.
            impl signature::Signer<Signature> for SigningKey {
                // Where it is inlined, the trait's `sign` has no panic that could be reached.
                #[inline]
                fn try_sign(&self, message: &[u8]) -> Result<Signature, signature::Error> {
                    Ok(self.sign(message))
                }
            }

            /// Verifies as [`VerifyingKey::verify`] does.
            impl signature::Verifier<Signature> for VerifyingKey {
                fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), signature::Error> {
                    self.verify(message, signature).map_err(|_| signature::Error::new())
                }
            }

            impl signature::Keypair for SigningKey {
                type VerifyingKey = VerifyingKey;

                fn verifying_key(&self) -> VerifyingKey {
                    self.verifying_key()
                }
            }

            impl signature::SignatureEncoding for Signature {
                type Repr = [u8; $length];
            }

            impl From<Signature> for [u8; $length] {
                fn from(signature: Signature) -> [u8; $length] {
                    signature.to_bytes()
                }
            }
        };
    };
}

signatures!(crate::ed25519, 64);
#[cfg(feature = "p224")]
signatures!(crate::p224, 56);
signatures!(crate::p256, 64);
#[cfg(feature = "p384")]
signatures!(crate::p384, 96);
#[cfg(feature = "p521")]
signatures!(crate::p521, 132);
#[cfg(feature = "secp256k1")]
signatures!(crate::secp256k1, 64);
