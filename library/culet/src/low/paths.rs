//! Operations on each path through the kernels that this CPU has: tests take it for CPUs with fewer features.
//!
//! The tests are those in `tests/operations`, which run there on the path that this CPU chooses.
#![forbid(unsafe_code)]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::panic::catch_unwind;

use super::cpu;

#[path = "../../tests/operations/batches.rs"]
mod batches;
#[path = "../../tests/operations/bytes.rs"]
mod bytes;
#[path = "../../tests/operations/ecdsa.rs"]
mod ecdsa;
#[allow(dead_code)] // Its keys as those of X25519 have one path.
#[path = "../../tests/operations/ed25519.rs"]
mod ed25519;
#[path = "../../tests/operations/parts.rs"]
mod parts;
#[path = "../../tests/operations/peers.rs"]
mod peers;
#[path = "../../tests/operations/published.rs"]
mod published;
#[path = "../../tests/operations/secretstream.rs"]
mod secretstream;
#[allow(dead_code)] // Other operations have their answers in rows.
#[path = "../../tests/operations/support.rs"]
mod support;
#[path = "../../tests/operations/tampering.rs"]
mod tampering;
#[path = "../../tests/operations/wycheproof.rs"]
mod wycheproof;

/// Features that tests hide.
#[cfg(target_arch = "x86_64")]
const FEATURES: [&str; 8] = ["sse4.1", "sha", "avx2", "aes", "pclmulqdq", "avx512f", "avx512ifma", "vaes"];
#[cfg(target_arch = "aarch64")]
const FEATURES: [&str; 3] = ["neon", "aes", "sha2"];

/// The questions about the CPU that choose a path.
type Questions = &'static [fn() -> bool];

#[cfg(target_arch = "x86_64")]
mod of {
    use super::{Questions, cpu};

    pub const STREAMS: Questions = &[cpu::has_sse, cpu::has_avx2, cpu::has_ifma];
    pub const GCM: Questions = &[cpu::has_aes, cpu::has_clmul, cpu::has_vaes];
    pub const SHA2: Questions = &[cpu::has_sha, cpu::has_avx2];
    pub const CURVE25519: Questions = &[cpu::has_ifma];
}

#[cfg(target_arch = "aarch64")]
mod of {
    use super::{Questions, cpu};

    pub const STREAMS: Questions = &[cpu::has_neon];
    pub const GCM: Questions = &[cpu::has_aes];
    pub const SHA2: Questions = &[cpu::has_sha];
    pub const CURVE25519: Questions = &[];
}

thread_local! {
    /// The features that this thread hides: a bit for each of `FEATURES`.
    static HIDDEN: Cell<usize> = const { Cell::new(0) };
}

fn hidden() -> impl Iterator<Item = &'static str> {
    let hidden = HIDDEN.get();
    FEATURES.into_iter().enumerate().filter_map(move |(place, feature)| (hidden >> place & 1 == 1).then_some(feature))
}

/// Whether this thread hides none of these features.
pub fn are_seen(features: &[&str]) -> bool {
    !hidden().any(|feature| features.contains(&feature))
}

/// Runs tests once for each combination of answers that hidden features lead to.
fn on_each_path(questions: Questions, tests: &[fn()]) {
    let answers = || questions.iter().map(|has| has()).collect::<Vec<bool>>();
    let mut paths = BTreeSet::new();
    for features in 0..1 << FEATURES.len() {
        HIDDEN.set(features);
        if paths.insert(answers()) {
            for test in tests {
                assert!(catch_unwind(test).is_ok(), "without {:?}", hidden().collect::<Vec<&str>>());
            }
        }
    }
    // The last path hides all: each kind of kernels that this CPU has was there on another one.
    HIDDEN.set(0);
    assert!(paths.contains(&answers()) && paths.contains(&vec![false; questions.len()]), "{paths:?}");
}

#[test]
fn streams_and_poly1305() {
    on_each_path(
        of::STREAMS,
        &[
            wycheproof::chacha20_poly1305,
            wycheproof::xchacha20_poly1305,
            published::chacha20,
            published::poly1305,
            published::chacha20_poly1305,
            published::boxes_of_nacl,
            peers::chacha20_agrees,
            peers::xchacha20_agrees,
            peers::salsa20_agrees,
            peers::xsalsa20_agrees,
            peers::poly1305_agrees,
            peers::aead_agrees,
            peers::segments_agree,
            peers::boxes_agree,
            peers::sealed_boxes_agree,
            parts::of_streams_from_any_position,
            parts::salsa20_counts_64_bits,
            parts::streams_end_where_their_counters_do,
            secretstream::messages_open_in_order,
            tampering::sealed_messages,
            tampering::boxes,
        ],
    );
}

#[test]
fn aes_gcm() {
    on_each_path(
        of::GCM,
        &[
            wycheproof::aes128_gcm,
            wycheproof::aes256_gcm,
            wycheproof::aes128_gmac,
            wycheproof::aes256_gmac,
            peers::aes_gcm_agrees,
            tampering::sealed_messages_of_aes128_gcm,
            tampering::sealed_messages_of_aes256_gcm,
        ],
    );
}

#[test]
fn sha2_and_hmac() {
    on_each_path(
        of::SHA2,
        &[
            wycheproof::hmac_sha224,
            wycheproof::hmac_sha256,
            wycheproof::hmac_sha384,
            wycheproof::hmac_sha512,
            wycheproof::hkdf_sha256,
            wycheproof::hkdf_sha384,
            wycheproof::hkdf_sha512,
            wycheproof::ed25519,
            published::hashes,
            published::hmac,
            published::hkdf,
            peers::hashes_agree,
            peers::hmac_agrees_for_keys_and_messages_of_any_length,
            parts::of_hashes_and_codes,
            tampering::tags,
        ],
    );
}

#[test]
fn curve25519() {
    on_each_path(
        of::CURVE25519,
        &[
            wycheproof::x25519,
            wycheproof::ed25519,
            published::x25519,
            published::x25519_agreement,
            peers::x25519_agrees,
            ed25519::rules_of_zip_215,
            ed25519::small_orders_and_their_other_forms,
            ed25519::changed_signatures_are_refused,
            batches::batches_are_good_if_all_signatures_are,
            batches::errors_in_a_batch_do_not_cancel,
            batches::signatures_are_those_of_single_messages,
            batches::secrets_are_those_of_single_pairs,
        ],
    );
}
