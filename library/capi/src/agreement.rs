//! X25519: RFC 7748.

use culet::x25519::{PublicKey, SecretKey};

use crate::pointers::{In, Out};

pub fn public_key(public: Out, secret: In) -> Option<()> {
    public.write(SecretKey::from_bytes(secret.array()?).public_key().as_bytes())
}

/// Writes the shared secret; zeros if it is zero, which is refused (RFC 7748, section 6.1).
pub fn shared(out: Out, secret: In, public: In) -> Option<()> {
    let shared = SecretKey::from_bytes(secret.array()?).diffie_hellman(&PublicKey::from_bytes(public.array()?)).ok();
    out.write(shared.as_ref().map_or(&[0; 32][..], |shared| shared.as_bytes()))?;
    shared.map(drop)
}

/// Writes what RFC 7748, section 5, says of any two strings of 32 bytes; it may be zero.
#[cfg(feature = "tweetnacl")]
pub fn unchecked(out: Out, secret: In, public: In) -> Option<()> {
    out.write(&culet::nacl::scalarmult(&secret.array()?, &public.array()?))
}
