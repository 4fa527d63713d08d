//! X25519: RFC 7748; and the keys of a session that libsodium makes of its result.

use culet::x25519::{PublicKey, SecretKey, SharedSecret, diffie_hellman_batch};

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

/// How many secrets are computed together.
const EIGHT: usize = 8;

/// Writes the secrets that pairs of keys share, one after another; zeros if one of them is zero. Which one that is decides about no branch.
pub fn shared_batch(out: Out, secrets: In, publics: In, count: usize) -> Option<()> {
    let length = count.checked_mul(SharedSecret::LENGTH)?;
    let mut secrets = secrets.with(length).beside(out, length)?.as_chunks().0.chunks(EIGHT);
    let mut publics = publics.with(length).beside(out, length)?.as_chunks().0.chunks(EIGHT);
    let room = out.room(length)?;
    let mut is_good = true;
    for room in room.as_chunks_mut().0.chunks_mut(EIGHT) {
        let (secrets, publics) = (secrets.next()?, publics.next()?);
        let mut own = [const { SecretKey::from_bytes([0; 32]) }; EIGHT];
        let mut theirs = [PublicKey::from_bytes([0; 32]); EIGHT];
        let mut shared = [const { SharedSecret::from_bytes([0; 32]) }; EIGHT];
        for (((own, theirs), secret), public) in own.iter_mut().zip(&mut theirs).zip(secrets).zip(publics) {
            (*own, *theirs) = (SecretKey::from_bytes(*secret), PublicKey::from_bytes(*public));
        }
        let none = (&SecretKey::from_bytes([0; 32]), &PublicKey::from_bytes([0; 32]));
        let mut pairs = [none; EIGHT];
        for ((pair, own), theirs) in pairs.iter_mut().zip(&own).zip(&theirs) {
            *pair = (own, theirs);
        }
        is_good &= diffie_hellman_batch(pairs.get(..room.len())?, shared.get_mut(..room.len())?).is_ok();
        for (place, shared) in room.iter_mut().zip(&shared) {
            *place = *shared.as_bytes();
        }
    }
    if !is_good {
        room.fill(0);
    }
    is_good.then_some(())
}

/// Writes what RFC 7748, section 5, says of any two strings of 32 bytes; it may be zero.
#[cfg(feature = "tweetnacl")]
pub fn unchecked(out: Out, secret: In, public: In) -> Option<()> {
    out.write(&culet::nacl::scalarmult(&secret.array()?, &public.array()?))
}

#[cfg(feature = "sodium")]
pub use session::{client_keys, key_pair_of_seed, server_keys};

/// libsodium's `crypto_kx`: X25519 and BLAKE2b.
#[cfg(feature = "sodium")]
mod session {
    use culet::hash::Blake2b;
    use zeroize::Zeroizing;

    use super::{In, Out, PublicKey, SecretKey};

    /// A public key and the secret key of a seed, which is its BLAKE2b.
    pub fn key_pair_of_seed(public: Out, secret: Out, seed: In) -> Option<()> {
        let seed = Zeroizing::new(seed.array::<32>()?);
        crate::boxes::key_pair(public, secret, &Zeroizing::new(Blake2b::<32>::digest(&*seed)))
    }

    /// The keys of a client, from its own public and secret key and the server's public one.
    pub fn client_keys(receive: Out, send: Out, client: In, secret: In, server: In) -> Option<()> {
        write_keys(receive, send, &*agreed(secret, server, [client, server])?)
    }

    /// The keys of a server, from its own public and secret key and the client's public one.
    pub fn server_keys(receive: Out, send: Out, server: In, secret: In, client: In) -> Option<()> {
        write_keys(send, receive, &*agreed(secret, client, [client, server])?)
    }

    /// BLAKE2b of the shared secret and both public keys, the client's first; none if the secret is zero.
    fn agreed(secret: In, other: In, publics: [In; 2]) -> Option<Zeroizing<[u8; 64]>> {
        let other = PublicKey::from_bytes(other.array()?);
        let shared = SecretKey::from_bytes(secret.array()?).diffie_hellman(&other).ok()?;
        let mut hash = Blake2b::<64>::new();
        hash.update(shared.as_bytes());
        for public in publics {
            hash.update(&public.array::<32>()?);
        }
        Some(Zeroizing::new(hash.finalize()))
    }

    /// Writes the key for messages to the client and the key for messages to the server. Where one place is null, the other one has the second
    /// key, on both sides: it is for both directions.
    fn write_keys(to_client: Out, to_server: Out, keys: &[u8; 64]) -> Option<()> {
        let (first, second) = keys.split_at(32);
        let (first_place, second_place) =
            if to_server.is_null() { (to_server, to_client) } else { (to_client, to_server) };
        if !first_place.is_null() {
            first_place.write(first)?;
        }
        second_place.write(second)
    }
}
