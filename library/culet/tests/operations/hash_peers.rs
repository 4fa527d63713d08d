//! Hashes and keyed BLAKE2 of random messages of all lengths, and other implementations.

use blake2::digest::consts::{U1, U17, U20, U32, U64};
use blake2::digest::{FixedOutput, Mac, Update, VariableOutput};
use culet::hash;
use culet::mac::{Blake2bMac, Blake2bTag, Blake2sMac, Blake2sTag};
use sha2::Digest;
use sha3::digest::{ExtendableOutput, XofReader};

use crate::support::Random;

/// More than two blocks of each hash.
const LENGTHS: std::ops::Range<usize> = 0..400;

#[test]
fn sha_agrees() {
    let random = &mut Random::new(50);
    for length in LENGTHS {
        let message = random.vector(length);
        assert_eq!(hash::Sha512_256::digest(&message)[..], sha2::Sha512_256::digest(&message)[..], "{length} bytes");
        assert_eq!(hash::Sha3_224::digest(&message)[..], sha3::Sha3_224::digest(&message)[..], "{length} bytes");
        assert_eq!(hash::Sha3_256::digest(&message)[..], sha3::Sha3_256::digest(&message)[..], "{length} bytes");
        assert_eq!(hash::Sha3_384::digest(&message)[..], sha3::Sha3_384::digest(&message)[..], "{length} bytes");
        assert_eq!(hash::Sha3_512::digest(&message)[..], sha3::Sha3_512::digest(&message)[..], "{length} bytes");
    }
}

#[test]
fn extendable_outputs_agree() {
    let random = &mut Random::new(51);
    for length in LENGTHS {
        let message = random.vector(length);
        let (mut ours, mut theirs) = (vec![0; 2 * random.below(400)], Vec::new());
        theirs.resize(ours.len(), 0);
        hash::Shake128::digest(&message, &mut ours);
        sha3::Shake128::default().chain(&message).finalize_xof().read(&mut theirs);
        assert_eq!(ours, theirs, "{length} bytes");
        hash::Shake256::digest(&message, &mut ours);
        sha3::Shake256::default().chain(&message).finalize_xof().read(&mut theirs);
        assert_eq!(ours, theirs, "{length} bytes");
    }
}

#[test]
fn ascon_agrees() {
    use ascon_hash::digest::{Digest, ExtendableOutput, Update, XofReader};
    let random = &mut Random::new(52);
    for length in LENGTHS {
        let message = random.vector(length);
        let expected = ascon_hash::AsconHash256::digest(&message);
        assert_eq!(hash::AsconHash256::digest(&message)[..], expected[..], "{length} bytes");
        let (mut ours, mut theirs) = (vec![0; random.below(100)], Vec::new());
        theirs.resize(ours.len(), 0);
        hash::AsconXof128::digest(&message, &mut ours);
        let mut xof = ascon_hash::AsconXof128::default();
        xof.update(&message);
        xof.finalize_xof().read(&mut theirs);
        assert_eq!(ours, theirs, "{length} bytes");
    }
}

/// Each length of a digest in turn.
#[test]
fn blake2_agrees() {
    let random = &mut Random::new(53);
    for length in LENGTHS {
        let message = random.vector(length);
        let (mut ours, mut theirs) = (vec![0; 1 + length % 64], vec![0; 1 + length % 64]);
        let mut hash = hash::Blake2bVar::new(ours.len(), &[]).expect("a length");
        hash.update(&message);
        hash.finalize_into(&mut ours).expect("that length");
        let peer = blake2::Blake2bVar::new(theirs.len()).expect("a length");
        peer.chain(&message).finalize_variable(&mut theirs).expect("that length");
        assert_eq!(ours, theirs, "{length} bytes");

        let (mut ours, mut theirs) = (vec![0; 1 + length % 32], vec![0; 1 + length % 32]);
        let mut hash = hash::Blake2sVar::new(ours.len(), &[]).expect("a length");
        hash.update(&message);
        hash.finalize_into(&mut ours).expect("that length");
        let peer = blake2::Blake2sVar::new(theirs.len()).expect("a length");
        peer.chain(&message).finalize_variable(&mut theirs).expect("that length");
        assert_eq!(ours, theirs, "{length} bytes");
    }
}

/// Salts and personal strings, with keys of all lengths in turn.
#[test]
fn salted_blake2_agrees() {
    let random = &mut Random::new(55);
    macro_rules! agrees {
        ($ours:ident, $theirs:ident, $longest:literal, $size:ty, $salt:literal, $length:ident) => {
            let (key, message) = (random.vector(1 + $length % $longest), random.vector($length));
            let (salt, personal): ([u8; $salt], [u8; $salt]) = (random.array(), random.array());
            let theirs = blake2::$theirs::<$size>::new_with_salt_and_personal(&key, &salt, &personal).expect("a key");
            let expected: [u8; $longest] = Mac::chain_update(theirs, &message).finalize_fixed().into();
            let mut hash = hash::$ours::with_salt_and_personal($longest, &key, &salt, &personal).expect("lengths");
            hash.update(&message);
            let mut digest = [0; $longest];
            hash.finalize_into(&mut digest).expect("that length");
            assert_eq!(digest, expected, "{} bytes", $length);
        };
    }
    for length in LENGTHS {
        agrees!(Blake2bVar, Blake2bMac, 64, U64, 16, length);
        agrees!(Blake2sVar, Blake2sMac, 32, U32, 8, length);
    }
}

/// Keys of all lengths in turn.
#[test]
fn keyed_blake2_agrees() {
    let random = &mut Random::new(54);
    macro_rules! agrees {
        ($ours:ident, $tag:ident, $theirs:ident, $length:literal, $size:ty, $key:expr, $message:expr) => {
            let theirs = blake2::$theirs::<$size>::new_with_salt_and_personal($key, &[], &[]).expect("a key");
            let expected: [u8; $length] = Mac::chain_update(theirs, $message).finalize_fixed().into();
            let tag = $ours::<$length>::authenticate($key, $message).expect("a key");
            assert_eq!(tag.as_bytes(), &expected, "a key of {}, {} bytes", $key.len(), $message.len());
            $ours::verify($key, $message, &$tag::from_bytes(expected)).expect("it is right");
        };
    }
    for length in LENGTHS {
        let (key, message) = (random.vector(1 + length % 64), random.vector(length));
        agrees!(Blake2bMac, Blake2bTag, Blake2bMac, 64, U64, &key, &message);
        agrees!(Blake2bMac, Blake2bTag, Blake2bMac, 20, U20, &key, &message);
        agrees!(Blake2bMac, Blake2bTag, Blake2bMac, 1, U1, &key, &message);
        let key = &key[..1 + length % 32.min(key.len())];
        agrees!(Blake2sMac, Blake2sTag, Blake2sMac, 32, U32, key, &message);
        agrees!(Blake2sMac, Blake2sTag, Blake2sMac, 17, U17, key, &message);
    }
}
