//! The traits of the crate `aead`, version 0.6.
//!
//! An error is the trait's, which has no reason; the place of the result is all zeros then.

use ::aead::consts::{U12, U16, U24, U32};
use ::aead::inout::InOutBuf;
use ::aead::{AeadCore, AeadInOut, Error, Key, KeyInit, KeySizeUser, Nonce, Result, Tag, TagPosition};

/// The traits of a cipher, by the sizes of its key and its nonce.
macro_rules! cipher {
    ($cipher:ident, $key:ident, $key_size:ident, $nonce:ident, $nonce_size:ident, $tag:ident) => {
        const _: () = {
            use crate::aead::{$cipher, $key, $nonce, $tag};

            impl KeySizeUser for $cipher {
                type KeySize = $key_size;
            }

            impl KeyInit for $cipher {
                fn new(key: &Key<Self>) -> Self {
                    Self::new(&$key::from_bytes(key.0))
                }
            }

            impl AeadCore for $cipher {
                type NonceSize = $nonce_size;
                type TagSize = U16;
                const TAG_POSITION: TagPosition = TagPosition::Postfix;
            }

            impl AeadInOut for $cipher {
                fn encrypt_inout_detached(
                    &self,
                    nonce: &Nonce<Self>,
                    additional: &[u8],
                    buffer: InOutBuf<'_, '_, u8>,
                ) -> Result<Tag<Self>> {
                    let buffer = buffer.into_out_with_copied_in();
                    let sealed = self.seal_in_place(&$nonce::from_bytes(nonce.0), additional, buffer);
                    // A message that is too long stands there as it was.
                    sealed.map(|tag| tag.to_bytes().into()).map_err(|_| {
                        buffer.fill(0);
                        Error
                    })
                }

                fn decrypt_inout_detached(
                    &self,
                    nonce: &Nonce<Self>,
                    additional: &[u8],
                    buffer: InOutBuf<'_, '_, u8>,
                    tag: &Tag<Self>,
                ) -> Result<()> {
                    let (buffer, tag) = (buffer.into_out_with_copied_in(), $tag::from_bytes(tag.0));
                    self.open_in_place(&$nonce::from_bytes(nonce.0), additional, buffer, &tag).map_err(|_| Error)
                }
            }
        };
    };
}

cipher!(ChaCha20Poly1305, ChaCha20Poly1305Key, U32, ChaCha20Poly1305Nonce, U12, ChaCha20Poly1305Tag);
cipher!(XChaCha20Poly1305, XChaCha20Poly1305Key, U32, XChaCha20Poly1305Nonce, U24, XChaCha20Poly1305Tag);
cipher!(Aes128Gcm, Aes128GcmKey, U16, Aes128GcmNonce, U12, Aes128GcmTag);
cipher!(Aes256Gcm, Aes256GcmKey, U32, Aes256GcmNonce, U12, Aes256GcmTag);
cipher!(AsconAead128, AsconAead128Key, U16, AsconAead128Nonce, U16, AsconAead128Tag);
