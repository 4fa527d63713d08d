//! A message in parts is the same message, however it is cut.

use std::io::Write;

use culet::aead::NonceCounter;
use culet::hash::{AsconHash256, AsconXof128, Blake2b, Blake2s, Sha224, Sha256, Sha384, Sha512, Sha512_256};
use culet::hash::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};
use culet::mac::{Blake2bMac, HmacSha256, HmacSha384, HmacSha512, Poly1305, Poly1305Key};
use culet::stream::{ChaCha20, ChaCha20Key, ChaCha20Nonce, Salsa20, Salsa20Key, Salsa20Nonce};
use culet::verify;

use super::support::Random;

/// The pieces of a message: empty ones, short ones, and some of several blocks.
fn cut<'m>(mut message: &'m [u8], random: &mut Random) -> Vec<&'m [u8]> {
    let mut parts = Vec::new();
    while !message.is_empty() {
        let longest = [1, 20, 70, 300][random.below(4)];
        let (part, rest) = message.split_at(random.below(longest + 1).min(message.len()));
        parts.push(part);
        message = rest;
    }
    parts
}

#[test]
pub fn of_hashes_and_codes() {
    let random = &mut Random::new(20);
    for _ in 0..200 {
        let length = random.below(700);
        let message = random.vector(length);
        let parts = cut(&message, random);
        macro_rules! same {
            ($new:expr, $whole:expr, $bytes:expr) => {
                let (mut in_parts, mut written) = ($new, $new);
                for part in &parts {
                    in_parts.update(part);
                    written.write_all(part).expect("it takes all");
                }
                assert_eq!($bytes(in_parts.finalize()), $whole);
                assert_eq!($bytes(written.finalize()), $whole);
            };
        }
        same!(Sha224::new(), Sha224::digest(&message), |digest| digest);
        same!(Sha256::new(), Sha256::digest(&message), |digest| digest);
        same!(Sha384::default(), Sha384::digest(&message), |digest| digest);
        same!(Sha512::new(), Sha512::digest(&message), |digest| digest);
        same!(Sha512_256::new(), Sha512_256::digest(&message), |digest| digest);
        same!(Sha3_224::new(), Sha3_224::digest(&message), |digest| digest);
        same!(Sha3_256::new(), Sha3_256::digest(&message), |digest| digest);
        same!(Sha3_384::default(), Sha3_384::digest(&message), |digest| digest);
        same!(Sha3_512::new(), Sha3_512::digest(&message), |digest| digest);
        same!(AsconHash256::new(), AsconHash256::digest(&message), |digest| digest);
        same!(Blake2b::<64>::new(), Blake2b::digest(&message), |digest| digest);
        same!(Blake2s::<32>::new(), Blake2s::digest(&message), |digest| digest);
        let key = random.vector(40);
        same!(
            HmacSha256::new(&key),
            HmacSha256::authenticate(&key, &message).to_bytes(),
            |tag: culet::mac::HmacSha256Tag| tag.to_bytes()
        );
        same!(
            HmacSha384::new(&key),
            HmacSha384::authenticate(&key, &message).to_bytes(),
            |tag: culet::mac::HmacSha384Tag| tag.to_bytes()
        );
        same!(
            HmacSha512::new(&key),
            HmacSha512::authenticate(&key, &message).to_bytes(),
            |tag: culet::mac::HmacSha512Tag| tag.to_bytes()
        );
        same!(
            Blake2bMac::<64>::new(&key).expect("a key"),
            Blake2bMac::<64>::authenticate(&key, &message).expect("a key").to_bytes(),
            |tag: culet::mac::Blake2bTag<64>| tag.to_bytes()
        );
        let key: [u8; 32] = random.array();
        let new = || Poly1305::new(Poly1305Key::from_bytes(key));
        let mut whole = new();
        whole.update(&message);
        let whole = whole.finalize().to_bytes();
        same!(new(), whole, |tag: culet::mac::Poly1305Tag| tag.to_bytes());
    }
}

/// Messages that come in parts, and outputs that are read in parts.
#[test]
pub fn of_extendable_outputs() {
    let random = &mut Random::new(23);
    for _ in 0..100 {
        let length = random.below(700);
        let message = random.vector(length);
        let length = random.below(900);
        macro_rules! same {
            ($xof:ident) => {
                let mut whole = vec![0; length];
                $xof::digest(&message, &mut whole);
                let mut xof = $xof::new();
                for part in cut(&message, random) {
                    xof.update(part);
                }
                let mut output = xof.finalize_xof();
                let mut also = output.clone();
                let mut in_parts = vec![0; length];
                for part in cut(&whole, random) {
                    let mut read = vec![0; part.len()];
                    output.read(&mut read);
                    assert_eq!(read, part);
                }
                std::io::Read::read_exact(&mut also, &mut in_parts).expect("it has no end");
                assert_eq!(in_parts, whole);
            };
        }
        same!(Shake128);
        same!(Shake256);
        same!(AsconXof128);
    }
}

#[test]
pub fn of_streams_from_any_position() {
    let random = &mut Random::new(21);
    for _ in 0..200 {
        let length = 1 + random.below(3000);
        let text = random.vector(length);
        let (key, nonce) = (ChaCha20Key::from_bytes(random.array()), ChaCha20Nonce::from_bytes(random.array()));
        let (other_key, other_nonce) =
            (Salsa20Key::from_bytes(random.array()), Salsa20Nonce::from_bytes(random.array()));
        let mut whole = text.clone();
        ChaCha20::new(&key, &nonce).apply(&mut whole).expect("short enough");
        Salsa20::new(&other_key, &other_nonce).apply(&mut whole).expect("short enough");

        let (mut chacha, mut salsa) = (ChaCha20::new(&key, &nonce), Salsa20::new(&other_key, &other_nonce));
        let start = random.below(text.len());
        chacha.seek(start as u64);
        salsa.seek(start as u64);
        let mut end = Vec::new();
        for part in cut(&text[start..], random) {
            let mut part = part.to_vec();
            chacha.apply(&mut part).expect("short enough");
            salsa.apply(&mut part).expect("short enough");
            end.extend(part);
        }
        assert_eq!(end, whole[start..]);
    }
}

/// The counter has 32 bits, so a key stream has 2^38 bytes.
#[test]
pub fn streams_end_where_their_counters_do() {
    let mut cipher = ChaCha20::new(&ChaCha20Key::from_bytes([1; 32]), &ChaCha20Nonce::from_bytes([2; 12]));
    assert_eq!(ChaCha20::LIMIT, 1 << 38);
    cipher.seek(ChaCha20::LIMIT - 100);
    let mut long = [7; 101];
    assert!(cipher.apply(&mut long).is_err() && long == [7; 101]);
    let (first, last) = long.split_at_mut(100);
    cipher.apply(first).expect("they are left");
    assert!(cipher.apply(last).is_err() && cipher.apply(&mut []).is_ok());
    cipher.seek(u64::MAX);
    assert!(cipher.apply(last).is_err() && *last == [7]);
}

/// Beyond 32 bits of the counter, which no test reaches otherwise.
#[test]
pub fn salsa20_counts_64_bits() {
    use salsa20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
    let (key, nonce) = ([1; 32], [2; 8]);
    let (mut ours, mut theirs) = ([3; 200], [3; 200]);
    let position = (1u64 << 38) - 100;
    let mut cipher = Salsa20::new(&Salsa20Key::from_bytes(key), &Salsa20Nonce::from_bytes(nonce));
    cipher.seek(position);
    cipher.apply(&mut ours).expect("far from the end");
    let mut peer = salsa20::Salsa20::new(&key.into(), &nonce.into());
    peer.seek(position);
    peer.apply_keystream(&mut theirs);
    assert_eq!(ours, theirs);
}

#[test]
pub fn nonces_count() {
    let mut nonces = NonceCounter::new([9, 8, 7, 6]);
    assert_eq!(nonces.next_nonce().expect("the first").to_bytes(), [9, 8, 7, 6, 0, 0, 0, 0, 0, 0, 0, 0]);
    for _ in 0..255 {
        nonces.next_nonce().expect("not the last");
    }
    assert_eq!(nonces.next_nonce().expect("number 256").to_bytes(), [9, 8, 7, 6, 0, 1, 0, 0, 0, 0, 0, 0]);
}

#[test]
pub fn equality_sees_every_bit() {
    let random = &mut Random::new(22);
    let [a, b]: [[u8; 64]; 2] = [random.array(), random.array()];
    assert!(!verify::equal_64(&a, &b));
    macro_rules! all_bits {
        ($equal:path, $length:literal) => {
            let a: [u8; $length] = random.array();
            assert!($equal(&a, &a));
            for bit in 0..8 * $length {
                let mut other = a;
                other[bit / 8] ^= 1 << (bit % 8);
                assert!(!$equal(&a, &other) && !$equal(&other, &a), "bit {bit}");
            }
        };
    }
    all_bits!(verify::equal_16, 16);
    all_bits!(verify::equal_32, 32);
    all_bits!(verify::equal_64, 64);
}

#[test]
pub fn generated_keys_differ() {
    let new = || culet::x25519::SecretKey::generate().expect("this machine has randomness");
    assert!(!verify::equal_32(new().as_bytes(), new().as_bytes()));
}

#[test]
pub fn secrets_are_not_shown() {
    let shown = [
        format!("{:?}", culet::x25519::SecretKey::from_bytes([0xab; 32])),
        format!("{:?}", culet::aead::ChaCha20Poly1305::new(&culet::aead::ChaCha20Poly1305Key::from_bytes([0xab; 32]))),
        format!("{:?}", culet::aead::Aes128Gcm::new(&culet::aead::Aes128GcmKey::from_bytes([0xab; 16]))),
        format!("{:?}", HmacSha256::new(&[0xab; 32])),
        format!("{:?}", culet::kdf::HkdfSha512::from_key(&[0xab; 32])),
        format!("{:?}", Blake2bMac::<32>::new(&[0xab; 32])),
        format!("{:?}", Sha3_256::new()),
        format!("{:?}", Shake128::new().finalize_xof()),
        format!("{:?}", culet::aead::AsconAead128::new(&culet::aead::AsconAead128Key::from_bytes([0xab; 16]))),
        format!("{:?}", Poly1305::new(Poly1305Key::from_bytes([0xab; 32]))),
        format!("{:?}", ChaCha20::new(&ChaCha20Key::from_bytes([0xab; 32]), &ChaCha20Nonce::from_bytes([0; 12]))),
    ];
    let key = format!("{:?}", culet::ed25519::SigningKey::from_bytes([0xab; 32]));
    assert!(key.starts_with("SigningKey { public: VerifyingKey(") && !key.contains("171, 171"), "{key}");
    for text in shown {
        assert!(text.contains("(..)") && !text.contains("171") && !text.contains("ab,"), "{text}");
    }
}
