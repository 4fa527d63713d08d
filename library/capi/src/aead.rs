//! Authenticated encryption: RFC 8439, section 2.8; draft-irtf-cfrg-xchacha-03; NIST SP 800-38D; NIST SP 800-232, section 4.

/// Number of bytes of a tag.
pub const TAG: usize = 16;

macro_rules! aead {
    ($(#[$about:meta])* $module:ident, $cipher:ident, $key:ident, $nonce:ident, $tag:ident) => {
        $(#[$about])*
        pub mod $module {
            use culet::aead::{$cipher, $key, $nonce, $tag};

            use crate::pointers::{In, Out, Text};

            pub fn cipher(key: In) -> Option<$cipher> {
                key.array().map(|key| $cipher::new(&$key::from_bytes(key)))
            }

            pub fn seal(sealed: Out, tag: Out, message: Text, additional: Text, nonce: In, key: In) -> Option<()> {
                seal_with(&cipher(key)?, sealed, tag, message, additional, nonce)
            }

            pub fn seal_with(
                cipher: &$cipher,
                sealed: Out,
                tag: Out,
                message: Text,
                additional: Text,
                nonce: In,
            ) -> Option<()> {
                let nonce = $nonce::from_bytes(nonce.array()?);
                let length = message.length;
                let is_short = length as u64 <= $cipher::MESSAGE_LIMIT
                    && additional.length as u64 <= $cipher::ADDITIONAL_LIMIT;
                if !is_short || tag.is_null() || !tag.is_apart(super::TAG, sealed, length) {
                    return None;
                }
                let additional = additional.beside(sealed, length)?;
                let made = cipher.seal_in_place(&nonce, additional, sealed.moved(message)?).ok()?;
                tag.write(made.as_bytes())
            }

            pub fn open(message: Out, sealed: Text, tag: In, additional: Text, nonce: In, key: In) -> Option<()> {
                open_with(&cipher(key)?, message, sealed, tag, additional, nonce)
            }

            pub fn open_with(
                cipher: &$cipher,
                message: Out,
                sealed: Text,
                tag: In,
                additional: Text,
                nonce: In,
            ) -> Option<()> {
                let (nonce, tag) = ($nonce::from_bytes(nonce.array()?), $tag::from_bytes(tag.array()?));
                let additional = additional.beside(message, sealed.length)?;
                cipher.open_in_place(&nonce, additional, message.moved(sealed)?, &tag).ok()
            }
        }
    };
}

aead!(
    /// Nonces of 12 bytes.
    chacha20poly1305,
    ChaCha20Poly1305,
    ChaCha20Poly1305Key,
    ChaCha20Poly1305Nonce,
    ChaCha20Poly1305Tag
);

aead!(
    /// Nonces of 24 bytes.
    xchacha20poly1305,
    XChaCha20Poly1305,
    XChaCha20Poly1305Key,
    XChaCha20Poly1305Nonce,
    XChaCha20Poly1305Tag
);

aead!(
    /// Keys of 16 bytes, nonces of 12.
    aes128gcm,
    Aes128Gcm,
    Aes128GcmKey,
    Aes128GcmNonce,
    Aes128GcmTag
);

aead!(
    /// Keys of 32 bytes, nonces of 12.
    aes256gcm,
    Aes256Gcm,
    Aes256GcmKey,
    Aes256GcmNonce,
    Aes256GcmTag
);

aead!(
    /// Keys and nonces of 16 bytes.
    ascon_aead128,
    AsconAead128,
    AsconAead128Key,
    AsconAead128Nonce,
    AsconAead128Tag
);
