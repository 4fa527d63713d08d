//! Many signatures at once: in lanes where the CPU has kernels that compute eight instances, else one by one, or eight in one sum by the rules of
//! ZIP 215.

use super::{Signature, SigningKey, has_small_order, reduced, verify_strictly, verify_zip215};
use crate::bytes::{Erased, copy};
use crate::error::{Error, accept, require};
use crate::hash::Sha512;
use crate::low::{self, LANES, Lanes};

/// From this number on, kernels in lanes take less time than one computation after the other.
const FEWEST_IN_LANES: usize = 2;

/// Signs messages by RFC 8032, section 5.1.6, each as [`SigningKey::sign`] signs it, and writes the signatures to places in the same order. From two messages on, a signature takes
/// less than half of the time where the CPU has AVX-512 with IFMA; elsewhere it takes as long as by itself.
///
/// # Errors
///
/// There are not as many places as messages: [`Reason::Length`](crate::Reason::Length).
pub fn sign_batch(messages: &[(&SigningKey, &[u8])], signatures: &mut [Signature]) -> Result<(), Error> {
    require(messages.len() == signatures.len(), Error::LENGTH)?;
    let mut groups = messages.chunks(LANES);
    for signatures in signatures.chunks_mut(LANES) {
        let messages = groups.next().unwrap_or_default();
        if messages.len() >= FEWEST_IN_LANES && low::has_lanes() {
            sign_in_lanes(messages, signatures);
        } else {
            for ((key, message), signature) in messages.iter().zip(signatures) {
                *signature = key.sign(message);
            }
        }
    }
    Ok(())
}

/// Signs eight messages at most.
fn sign_in_lanes(messages: &[(&SigningKey, &[u8])], signatures: &mut [Signature]) {
    let (mut nonces, mut points) = (Erased([0; 256]), [0; 256]);
    for (nonce, (key, message)) in nonces.0.as_chunks_mut().0.iter_mut().zip(messages) {
        *nonce = reduced(&[&key.prefix, message]);
    }
    low::ed25519_base_x8(&mut points, &nonces.0);
    let made = points.as_chunks().0.iter().zip(nonces.0.as_chunks().0).zip(messages);
    for (((point, nonce), (key, message)), signature) in made.zip(signatures) {
        key.finish(signature, point, nonce, message);
    }
}

/// A signature among others that are verified together: the bytes of a public key, a message and its signature.
pub type Signed<'a> = (&'a [u8; 32], &'a [u8], &'a Signature);

/// Verifies signatures by RFC 8032, section 5.1.7, as [`VerifyingKey::verify`](super::VerifyingKey::verify) verifies each; keys that are no points in their canonical form are refused,
/// too. From two signatures on, each takes less than half of the time where the CPU has AVX-512 with IFMA; elsewhere it takes as long as by itself. No
/// signature's verdict depends on another one.
///
/// # Errors
///
/// One of the signatures is not good: [`Reason::Rejected`](crate::Reason::Rejected); verify each to know which.
pub fn verify_batch(signatures: &[Signed<'_>]) -> Result<(), Error> {
    for group in signatures.chunks(LANES) {
        if group.len() >= FEWEST_IN_LANES && low::has_lanes() {
            let is_small = |(key, _, signature): &Signed<'_>| has_small_order(key) || has_small_order(&signature.point);
            accept(!group.iter().any(is_small))?;
            accept(verify_in_lanes(group).by_rfc_8032)?;
        } else {
            for (key, message, signature) in group {
                verify_strictly(key, message, signature)?;
            }
        }
    }
    Ok(())
}

/// Verifies signatures by ZIP 215, as [`verify_zip215`] verifies each. From two signatures on, each takes less than half of the time where the CPU has AVX-512 with
/// IFMA, and no signature's verdict depends on another one.
///
/// Elsewhere, eight go together in nine tenths of the time: a sum of all eight equations, each times a number of 127 bits. The
/// numbers come from a hash of all keys, signatures and challenges of the eight, so that nobody can choose a bad signature that fits them, but for
/// a chance of 1 in 2^127 for each attempt: no randomness is needed.
///
/// # Errors
///
/// One of the signatures is not good: [`Reason::Rejected`](crate::Reason::Rejected); [`verify_zip215`] tells which.
pub fn verify_batch_zip215(signatures: &[Signed<'_>]) -> Result<(), Error> {
    for group in signatures.chunks(LANES) {
        if group.len() >= FEWEST_IN_LANES && low::has_lanes() {
            accept(verify_in_lanes(group).by_zip_215)?;
        } else if let Some(eight) = group.first_chunk() {
            verify_eight(eight)?;
        } else {
            for (key, message, signature) in group {
                verify_zip215(key, message, signature)?;
            }
        }
    }
    Ok(())
}

/// Whether all of several signatures are good, by two sets of rules; the former without that against points of small order.
struct AreGood {
    by_rfc_8032: bool,
    by_zip_215: bool,
}

/// Verifies eight signatures at most. Lanes without a signature have zeros, and are not asked.
fn verify_in_lanes(signatures: &[Signed<'_>]) -> AreGood {
    let [mut keys, mut points, mut scalars, mut challenges]: [Lanes; 4] = [[0; 256]; 4];
    let places = keys.as_chunks_mut().0.iter_mut().zip(points.as_chunks_mut().0);
    let places = places.zip(scalars.as_chunks_mut().0).zip(challenges.as_chunks_mut().0);
    for ((((key, point), scalar), challenge), (given, message, signature)) in places.zip(signatures) {
        (*key, *point, *scalar) = (**given, signature.point, signature.scalar);
        *challenge = reduced(&[point, key, message]);
    }
    let (by_rfc_8032, by_zip_215) = low::ed25519_verify_x8(&keys, &points, &scalars, &challenges);
    let all_are_good = |good: [u8; LANES]| good.iter().take(signatures.len()).all(|good| *good == 1);
    AreGood { by_rfc_8032: all_are_good(by_rfc_8032), by_zip_215: all_are_good(by_zip_215) }
}

/// Verifies eight signatures in one sum.
fn verify_eight(signatures: &[Signed<'_>; LANES]) -> Result<(), Error> {
    let (mut keys, mut points, mut challenges) = ([[0; 32]; LANES], [[0; 32]; LANES], [[0; 32]; LANES]);
    let mut hash = Sha512::new();
    hash.update(b"culet: numbers for eight signatures of Ed25519");
    let places = keys.iter_mut().zip(&mut points).zip(&mut challenges);
    for (((key, point), challenge), (given, message, signature)) in places.zip(signatures) {
        *key = **given;
        *point = signature.point;
        *challenge = reduced(&[point, key, message]);
        for part in [&*key, point, &signature.scalar, challenge] {
            hash.update(part);
        }
    }
    let seed = hash.finalize();
    let mut factors = [[0; 16]; LANES];
    for (place, factor) in factors.iter_mut().enumerate() {
        let mut hash = Sha512::new();
        hash.update(&seed);
        hash.update(&[place as u8]);
        copy(factor, &hash.finalize());
        factor[0] |= 1;
    }
    let mut sum = [0; 32];
    for ((challenge, factor), (_, _, signature)) in challenges.iter_mut().zip(&factors).zip(signatures) {
        accept(low::ed25519_weigh(&mut sum, challenge, &signature.scalar, factor))?;
    }
    accept(low::ed25519_verify_eight(&joined(&keys), &joined(&points), &sum, &joined(&challenges), &joined(&factors)))
}

/// The bytes of all parts.
fn joined<const LENGTH: usize, const PARTS: usize, const ALL: usize>(parts: &[[u8; LENGTH]; PARTS]) -> [u8; ALL] {
    let mut all = [0; ALL];
    copy(&mut all, parts.as_flattened());
    all
}
