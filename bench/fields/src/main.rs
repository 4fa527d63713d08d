//! X25519, Poly1305, GHASH and field multiplications beside the peers, in one run: the samples of all alternate, and
//! each figure is a median. Outputs are compared before anything is measured.

use std::arch::x86_64::_rdtsc;
use std::hint::black_box;

mod peers;

use curve25519_dalek::montgomery::MontgomeryPoint;
use fiat_crypto::{curve25519_64 as fiat25519, p256_64 as fiat_p256};
use ghash::GHash;
use poly1305::Poly1305;
use poly1305::universal_hash::{KeyInit, UniversalHash};

mod fe25519 {
    include!(concat!(env!("OUT_DIR"), "/fe25519.rs"));
}
mod fp256 {
    include!(concat!(env!("OUT_DIR"), "/fp256.rs"));
}
mod rust {
    pub mod x25519 {
        include!(concat!(env!("OUT_DIR"), "/x25519.rs"));
    }
    pub mod poly1305 {
        include!(concat!(env!("OUT_DIR"), "/poly1305.rs"));
    }
    pub mod ghash {
        include!(concat!(env!("OUT_DIR"), "/ghash.rs"));
    }
}

mod c {
    pub type X25519 = unsafe extern "C" fn(*mut u8, *const u8, *const u8);
    pub type Ghash = unsafe extern "C" fn(*mut u8, *const u8, *const u8, usize);
    pub type Poly1305 = unsafe extern "C" fn(*mut u8, *const u8, *const u8, usize);
    pub type Mul = unsafe extern "C" fn(*mut u64, *const u64, *const u64);

    unsafe extern "C" {
        pub fn x25519_gcc(r: *mut u8, k: *const u8, u: *const u8);
        pub fn x25519_clang(r: *mut u8, k: *const u8, u: *const u8);
        pub fn x25519_lanes_gcc(r: *mut u8, k: *const u8, u: *const u8);
        pub fn x25519_lanes_clang(r: *mut u8, k: *const u8, u: *const u8);
        pub fn x25519_batch_gcc(r: *mut u8, k: *const u8, u: *const u8);
        pub fn x25519_batch_clang(r: *mut u8, k: *const u8, u: *const u8);
        pub fn poly1305_gcc(tag: *mut u8, key: *const u8, m: *const u8, length: usize);
        pub fn poly1305_clang(tag: *mut u8, key: *const u8, m: *const u8, length: usize);
        pub fn poly1305_sse_gcc(tag: *mut u8, key: *const u8, m: *const u8, length: usize);
        pub fn poly1305_sse_clang(tag: *mut u8, key: *const u8, m: *const u8, length: usize);
        pub fn poly1305_avx2_gcc(tag: *mut u8, key: *const u8, m: *const u8, length: usize);
        pub fn poly1305_avx2_clang(tag: *mut u8, key: *const u8, m: *const u8, length: usize);
        pub fn poly1305_avx512ifma_gcc(tag: *mut u8, key: *const u8, m: *const u8, length: usize);
        pub fn poly1305_avx512ifma_clang(tag: *mut u8, key: *const u8, m: *const u8, length: usize);
        pub fn ghash_gcc(hash: *mut u8, key: *const u8, m: *const u8, length: usize);
        pub fn ghash_clang(hash: *mut u8, key: *const u8, m: *const u8, length: usize);
        pub fn ghash_avx2_gcc(hash: *mut u8, key: *const u8, m: *const u8, length: usize);
        pub fn ghash_avx2_clang(hash: *mut u8, key: *const u8, m: *const u8, length: usize);
        pub fn fe25519_mul_gcc(out: *mut u64, a: *const u64, b: *const u64);
        pub fn fe25519_mul_clang(out: *mut u64, a: *const u64, b: *const u64);
        pub fn fp256_mul_gcc(out: *mut u64, a: *const u64, b: *const u64);
        pub fn fp256_mul_clang(out: *mut u64, a: *const u64, b: *const u64);
        pub fn fiat25519_mul_gcc(out: *mut u64, a: *const u64, b: *const u64);
        pub fn fiat25519_mul_clang(out: *mut u64, a: *const u64, b: *const u64);
        pub fn fiat256_mul_gcc(out: *mut u64, a: *const u64, b: *const u64);
        pub fn fiat256_mul_clang(out: *mut u64, a: *const u64, b: *const u64);
    }
}

/// A function that maps a state to the next one, so that calls depend on one another.
type Step<'a> = Box<dyn Fn(&mut [u64; 5]) + 'a>;

/// Number of rounds, in each of which every contender has a turn. A contender's calls take about equally long in all
/// rounds.
const ROUNDS: usize = 301;

/// Number of calls of X25519 in a sample. After other code, CPUs take tens of microseconds until their 512-bit
/// registers run at full speed.
const IN_A_ROW: usize = 64;

fn main() {
    println!(
        "Ticks of the time-stamp counter, medians of {ROUNDS} samples that alternate; a ratio is to the fastest peer.\n"
    );
    println!("| | | ticks | ratio |\n|---|---|---|---|");
    peers::begin();
    x25519();
    if is_x86_feature_detected!("avx512ifma") {
        batch();
    } else {
        println!("| X25519, each of 8 | not measured: this CPU lacks IFMA | | |");
    }
    for length in [64, 1024, 16384] {
        poly1305(length);
    }
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("pclmulqdq") {
        [64, 1024, 16384].into_iter().for_each(ghash);
    } else {
        println!("| GHASH | not measured: this CPU lacks PCLMULQDQ | | |");
    }
    fe25519();
    fp256();
}

/// Prints a row for each contender. Ours come first and have the names of compilers.
fn measure(what: &str, calls: usize, ours: usize, canonical: fn([u64; 5]) -> [u64; 5], contenders: &[(&str, Step)]) {
    measure_each(what, (calls, 1), ours, canonical, contenders);
}

/// Like [`measure`], for calls that compute `each` results.
fn measure_each(
    what: &str,
    (calls, each): (usize, usize),
    ours: usize,
    canonical: fn([u64; 5]) -> [u64; 5],
    contenders: &[(&str, Step)],
) {
    let starts = [[0x1234_5678_9abc, 0x3ff, 77, 0x7_ffff_ffff, 3], [1, 2, 3, 4, 5]];
    for start in starts {
        let results: Vec<[u64; 5]> = contenders
            .iter()
            .map(|(_, step)| {
                let mut state = start;
                (0..3).for_each(|_| step(&mut state));
                canonical(state)
            })
            .collect();
        for ((name, _), result) in contenders.iter().zip(&results) {
            assert_eq!(*result, results[0], "{what}: {name} computes something else");
        }
    }
    let mut samples = vec![Vec::with_capacity(ROUNDS); contenders.len()];
    let mut state = starts[0];
    for _ in 0..ROUNDS {
        for ((_, step), samples) in contenders.iter().zip(&mut samples) {
            // SAFETY: reading the counter has no preconditions.
            let before = unsafe { _rdtsc() };
            for _ in 0..calls {
                step(black_box(&mut state));
            }
            // SAFETY: as above.
            samples.push((unsafe { _rdtsc() } - before) as f64 / (calls * each) as f64);
        }
    }
    let medians: Vec<f64> = samples
        .iter_mut()
        .map(|samples| {
            samples.sort_by(f64::total_cmp);
            samples[ROUNDS / 2]
        })
        .collect();
    let best = medians[ours..].iter().copied().fold(f64::INFINITY, f64::min);
    for ((name, _), median) in contenders.iter().zip(&medians) {
        println!("| {what} | {name} | {median:.1} | {:.2} |", median / best);
    }
}

fn bytes(state: &[u64; 5]) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (chunk, word) in bytes.chunks_mut(8).zip(state) {
        chunk.copy_from_slice(&word.to_le_bytes());
    }
    bytes
}

fn set_bytes(state: &mut [u64; 5], bytes: &[u8]) {
    for (word, chunk) in state.iter_mut().zip(bytes.chunks(8)) {
        *word = u64::from_le_bytes(chunk.try_into().expect("eight bytes"));
    }
}

/// The clamped scalar of all multiplications.
const SCALAR: [u8; 32] = {
    let mut scalar = [0x5a; 32];
    (scalar[0], scalar[31]) = (0x58, 0x5a);
    scalar
};

fn x25519() {
    let by_c = |function: c::X25519| -> Step {
        Box::new(move |state| {
            let (mut r, u) = ([0; 32], bytes(state));
            // SAFETY: all three have 32 bytes.
            unsafe { function(r.as_mut_ptr(), SCALAR.as_ptr(), u.as_ptr()) };
            set_bytes(state, &r);
        })
    };
    let rust: Step = Box::new(|state| {
        let mut r = [0; 32];
        rust::x25519::x25519(&mut r, &SCALAR, &bytes(state));
        set_bytes(state, &r);
    });
    let mut contenders = vec![
        ("culet, gcc 12 (C)", by_c(c::x25519_gcc)),
        ("culet, clang 19 (C)", by_c(c::x25519_clang)),
        ("culet (Rust)", rust),
    ];
    if is_x86_feature_detected!("avx512ifma") {
        contenders.push(("culet, gcc 12 (C, avx512ifma)", by_c(c::x25519_lanes_gcc)));
        contenders.push(("culet, clang 19 (C, avx512ifma)", by_c(c::x25519_lanes_clang)));
    }
    let ours = contenders.len();
    contenders.extend(x25519_peers());
    measure("X25519", IN_A_ROW, ours, |state| state, &contenders);
}

fn x25519_peers() -> [(&'static str, Step<'static>); 10] {
    let dalek: Step = Box::new(|state| set_bytes(state, &MontgomeryPoint(bytes(state)).mul_clamped(SCALAR).to_bytes()));
    let libcrux: Step = Box::new(|state| {
        let mut out = [0; 32];
        libcrux_curve25519_ecdh(&mut out, &bytes(state));
        set_bytes(state, &out);
    });
    let graviola: Step = Box::new(|state| {
        let private = graviola::key_agreement::x25519::StaticPrivateKey::from_array(&SCALAR);
        let public = graviola::key_agreement::x25519::PublicKey::from_array(&bytes(state));
        let shared = private.diffie_hellman(&public).expect("no point of low order");
        set_bytes(state, &shared.0);
    });
    let by_peer = |peer: fn(&[u8; 32], &[u8; 32]) -> [u8; 32]| -> Step {
        Box::new(move |state| set_bytes(state, &peer(&SCALAR, &bytes(state))))
    };
    [
        ("curve25519-dalek 4 (Rust)", dalek),
        ("libcrux (HACL*, Rust)", libcrux),
        ("HACL* (C, gcc 12)", by_peer(peers::hacl_x25519_gcc)),
        ("HACL* (C, clang 19)", by_peer(peers::hacl_x25519_clang)),
        ("HACL* (C and assembly)", by_peer(peers::hacl_x25519_assembly)),
        ("graviola (s2n-bignum, assembly)", graviola),
        ("AWS-LC (s2n-bignum, assembly)", by_peer(peers::aws_lc_x25519)),
        ("libsodium (assembly, AVX)", by_peer(peers::libsodium_x25519)),
        ("OpenSSL 3 (keys made each time)", by_peer(peers::openssl_x25519)),
        ("ring (key made each time)", by_peer(peers::ring_x25519)),
    ]
}

/// Eight multiplications at once, and by the peers one after another: of a point, and of the seven that follow it.
fn batch() {
    let points = |state: &[u64; 5]| -> [[u64; 5]; 8] {
        std::array::from_fn(|i| [state[0].wrapping_add(i as u64), state[1], state[2], state[3], state[4]])
    };
    let by_c = |function: c::X25519| -> Step {
        Box::new(move |state| {
            let (mut r, u) = ([0; 256], points(state).map(|point| bytes(&point)));
            // SAFETY: all three have 256 bytes.
            unsafe { function(r.as_mut_ptr(), [SCALAR; 8].as_ptr().cast(), u.as_ptr().cast()) };
            set_bytes(state, &sum(r.chunks(32)));
        })
    };
    let by_peer = |(name, peer): (&'static str, Step<'static>)| -> (&'static str, Step<'static>) {
        let eight: Step = Box::new(move |state| {
            let mut results = points(state);
            results.iter_mut().for_each(&peer);
            let results = results.map(|point| bytes(&point));
            set_bytes(state, &sum(results.iter().map(|result| &result[..])));
        });
        (name, eight)
    };
    let mut contenders = vec![
        ("culet, gcc 12 (C, avx512ifma)", by_c(c::x25519_batch_gcc)),
        ("culet, clang 19 (C, avx512ifma)", by_c(c::x25519_batch_clang)),
    ];
    contenders.extend(x25519_peers().map(by_peer));
    measure_each("X25519, each of 8", (IN_A_ROW / 8, 8), 2, |state| state, &contenders);
}

/// The sum of all results.
fn sum<'a>(results: impl Iterator<Item = &'a [u8]>) -> [u8; 32] {
    let mut sum = [0; 32];
    for result in results {
        sum.iter_mut().zip(result).for_each(|(sum, byte)| *sum ^= byte);
    }
    sum[31] &= 127;
    sum
}

fn libcrux_curve25519_ecdh(out: &mut [u8; 32], u: &[u8; 32]) {
    assert!(libcrux_curve25519::ecdh(out, u, &SCALAR).is_ok(), "no point of low order");
}

fn poly1305(length: usize) {
    let message: Vec<u8> = (0..length).map(|i| (i * 7 + 3) as u8).collect();
    let message = &message;
    let by_c = |function: c::Poly1305| -> Step<'_> {
        Box::new(move |state| {
            let (mut tag, key) = ([0; 16], bytes(state));
            // SAFETY: the tag has 16 bytes, the key 32, and the message as many as its length says.
            unsafe { function(tag.as_mut_ptr(), key.as_ptr(), message.as_ptr(), message.len()) };
            set_bytes(state, &tag);
        })
    };
    let rustcrypto: Step = Box::new(|state| {
        let tag = Poly1305::new(&bytes(state).into()).compute_unpadded(message);
        set_bytes(state, &tag);
    });
    let by_peer = |peer: fn(&[u8; 32], &[u8]) -> [u8; 16]| -> Step<'_> {
        Box::new(move |state| set_bytes(state, &peer(&bytes(state), message)))
    };
    let rust: Step = Box::new(|state| {
        let mut tag = [0; 16];
        rust::poly1305::poly1305(&mut tag, &bytes(state), message);
        set_bytes(state, &tag);
    });
    let mut contenders = vec![
        ("culet, gcc 12 (C)", by_c(c::poly1305_gcc)),
        ("culet, clang 19 (C)", by_c(c::poly1305_clang)),
        ("culet (Rust)", rust),
        ("culet, gcc 12 (C, sse)", by_c(c::poly1305_sse_gcc)),
        ("culet, clang 19 (C, sse)", by_c(c::poly1305_sse_clang)),
        ("culet, gcc 12 (C, avx2)", by_c(c::poly1305_avx2_gcc)),
        ("culet, clang 19 (C, avx2)", by_c(c::poly1305_avx2_clang)),
    ];
    if is_x86_feature_detected!("avx512ifma") {
        contenders.push(("culet, gcc 12 (C, avx512ifma)", by_c(c::poly1305_avx512ifma_gcc)));
        contenders.push(("culet, clang 19 (C, avx512ifma)", by_c(c::poly1305_avx512ifma_clang)));
    }
    let ours = contenders.len();
    contenders.extend([
        ("RustCrypto (avx2)", rustcrypto),
        ("libcrux (HACL*, Rust)", by_peer(peers::libcrux_poly1305)),
        ("HACL* (C, AVX2)", by_peer(peers::hacl_poly1305)),
        ("libjade (assembly, AVX2)", by_peer(peers::libjade_poly1305)),
        ("AWS-LC (C, SSE2)", by_peer(peers::aws_lc_poly1305)),
        ("libsodium (C, SSE2)", by_peer(peers::libsodium_poly1305)),
        ("OpenSSL 3 (assembly; a context made each time)", by_peer(peers::openssl_poly1305)),
    ]);
    measure(&format!("Poly1305, {length} bytes"), (16384 / length).min(32), ours, |state| state, &contenders);
}

fn ghash(length: usize) {
    let message: Vec<u8> = (0..length).map(|i| (i * 7 + 3) as u8).collect();
    let message = &message;
    let key = |state: &[u64; 5]| -> [u8; 16] { bytes(state)[..16].try_into().expect("16 bytes") };
    let by_c = |function: c::Ghash| -> Step<'_> {
        Box::new(move |state| {
            let (mut hash, key) = ([0; 16], key(state));
            // SAFETY: hash and key have 16 bytes, and the message as many as its length says.
            unsafe { function(hash.as_mut_ptr(), key.as_ptr(), message.as_ptr(), message.len()) };
            set_bytes(state, &hash);
        })
    };
    let rust: Step = Box::new(|state| {
        let mut hash = [0; 16];
        // SAFETY: the CPU has the features.
        unsafe { rust::ghash::ghash(&mut hash, &key(state), message) };
        set_bytes(state, &hash);
    });
    let rustcrypto: Step = Box::new(|state| {
        let mut hash = GHash::new(&key(state).into());
        hash.update_padded(message);
        set_bytes(state, &hash.finalize());
    });
    let contenders = [
        ("culet, gcc 12 (C)", by_c(c::ghash_gcc)),
        ("culet, clang 19 (C)", by_c(c::ghash_clang)),
        ("culet, gcc 12 (C, avx2)", by_c(c::ghash_avx2_gcc)),
        ("culet, clang 19 (C, avx2)", by_c(c::ghash_avx2_clang)),
        ("culet (Rust, avx2)", rust),
        ("RustCrypto (PCLMULQDQ)", rustcrypto),
    ];
    measure(&format!("GHASH, {length} bytes"), (16384 / length).min(32), 5, |state| state, &contenders);
}

/// A multiplication in C whose result replaces an operand.
fn mul_in_c<const N: usize>(function: c::Mul, factor: &'static [u64; N]) -> Step<'static> {
    // SAFETY: all three have N words, of which there are at most five, and results may be written over arguments.
    Box::new(move |state| unsafe { function(state.as_mut_ptr(), state.as_ptr(), factor.as_ptr()) })
}

fn fe25519() {
    static FACTOR: [u64; 5] = [3, 1 << 50, 12345, 99, 1 << 49];
    let ours: Step = Box::new(|state| {
        let a = *state;
        fe25519::fe25519_mul(state, &a, &FACTOR);
    });
    let fiat: Step = Box::new(|state| {
        let mut out = fiat25519::fiat_25519_tight_field_element([0; 5]);
        let a = fiat25519::fiat_25519_loose_field_element(*state);
        fiat25519::fiat_25519_carry_mul(&mut out, &a, &fiat25519::fiat_25519_loose_field_element(FACTOR));
        *state = out.0;
    });
    measure(
        "multiplication modulo 2^255 - 19, latency",
        1000,
        3,
        canonical_25519,
        &[
            ("culet, gcc 12 (C)", mul_in_c(c::fe25519_mul_gcc, &FACTOR)),
            ("culet, clang 19 (C)", mul_in_c(c::fe25519_mul_clang, &FACTOR)),
            ("culet (Rust)", ours),
            ("fiat-crypto (C, gcc 12)", mul_in_c(c::fiat25519_mul_gcc, &FACTOR)),
            ("fiat-crypto (C, clang 19)", mul_in_c(c::fiat25519_mul_clang, &FACTOR)),
            ("fiat-crypto (Rust)", fiat),
        ],
    );
}

/// The canonical form, below the prime, in limbs of 51 bits.
fn canonical_25519(mut limbs: [u64; 5]) -> [u64; 5] {
    const MASK: u64 = (1 << 51) - 1;
    let carry = |limbs: &mut [u64; 5]| {
        for i in 0..5 {
            let above = limbs[i] >> 51;
            limbs[i] &= MASK;
            limbs[(i + 1) % 5] += if i == 4 { 19 * above } else { above };
        }
    };
    (0..3).for_each(|_| carry(&mut limbs));
    let is_large = limbs[0] >= MASK - 18 && limbs[1..].iter().all(|&limb| limb == MASK);
    if is_large { [limbs[0] - (MASK - 18), 0, 0, 0, 0] } else { limbs }
}

fn fp256() {
    static FACTOR: [u64; 4] = [3, 1 << 50, 12345, 99];
    let ours: Step = Box::new(|state| {
        let mut out = [0; 4];
        fp256::fp256_mul(&mut out, &[state[0], state[1], state[2], state[3]], &FACTOR);
        state[..4].copy_from_slice(&out);
    });
    let fiat: Step = Box::new(|state| {
        use fiat_p256::fiat_p256_montgomery_domain_field_element as Element;
        let mut out = Element([0; 4]);
        fiat_p256::fiat_p256_mul(&mut out, &Element([state[0], state[1], state[2], state[3]]), &Element(FACTOR));
        state[..4].copy_from_slice(&out.0);
    });
    measure(
        "Montgomery multiplication modulo the prime of P-256, latency",
        1000,
        3,
        |state| state,
        &[
            ("culet, gcc 12 (C)", mul_in_c(c::fp256_mul_gcc, &FACTOR)),
            ("culet, clang 19 (C)", mul_in_c(c::fp256_mul_clang, &FACTOR)),
            ("culet (Rust)", ours),
            ("fiat-crypto (C, gcc 12)", mul_in_c(c::fiat256_mul_gcc, &FACTOR)),
            ("fiat-crypto (C, clang 19)", mul_in_c(c::fiat256_mul_clang, &FACTOR)),
            ("fiat-crypto (Rust)", fiat),
        ],
    );
}
