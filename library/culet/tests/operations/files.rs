//! Answers that are published in files of vectors, and BLAKE2's test of itself.

use culet::aead::{AsconAead128, AsconAead128Key, AsconAead128Nonce};
use culet::hash::{
    AsconHash256, AsconXof128, Blake2b, Blake2bVar, Blake2s, Blake2sVar, Sha3_224, Sha3_256, Sha3_384, Sha3_512,
    Sha512_256, Shake128, Shake256,
};

use crate::support::{hex, rows};

/// NIST, CAVP: messages of many lengths, the lengths around a block among them.
#[test]
fn digests_of_cavp() {
    digests("cavp/sha512_256.txt", 14, |message, out| out.copy_from_slice(&Sha512_256::digest(message)));
    digests("cavp/sha3_224.txt", 14, |message, out| out.copy_from_slice(&Sha3_224::digest(message)));
    digests("cavp/sha3_256.txt", 14, |message, out| out.copy_from_slice(&Sha3_256::digest(message)));
    digests("cavp/sha3_384.txt", 14, |message, out| out.copy_from_slice(&Sha3_384::digest(message)));
    digests("cavp/sha3_512.txt", 14, |message, out| out.copy_from_slice(&Sha3_512::digest(message)));
    digests("cavp/shake128.txt", 19, Shake128::digest);
    digests("cavp/shake256.txt", 19, Shake256::digest);
}

/// NIST SP 800-232, from the designers' ascon-c.
#[test]
fn digests_of_ascon() {
    digests("ascon_hash256.txt", 10, |message, out| out.copy_from_slice(&AsconHash256::digest(message)));
    digests("ascon_xof128.txt", 5, AsconXof128::digest);
}

/// Lines of a test's name, a message and a digest or an output.
fn digests(file: &str, count: usize, digest: impl Fn(&[u8], &mut [u8])) {
    let rows = rows(file);
    assert_eq!(rows.len(), count, "{file}");
    for row in rows {
        let (message, expected) = (hex(&row[1]), hex(&row[2]));
        let mut found = vec![0; expected.len()];
        digest(&message, &mut found);
        assert_eq!(found, expected, "{file}, {}", row[0]);
    }
}

/// NIST SP 800-232, from the designers' ascon-c.
#[test]
fn ascon_aead128() {
    let rows = rows("ascon_aead128.txt");
    assert_eq!(rows.len(), 19);
    for row in rows {
        let bytes: Vec<Vec<u8>> = row[1..].iter().map(|word| hex(word)).collect();
        let [key, nonce, additional, message, sealed @ ..] = &bytes[..] else { panic!("too few words: {row:?}") };
        let cipher = AsconAead128::new(&AsconAead128Key::try_from(&key[..]).expect("16 bytes"));
        let nonce = AsconAead128Nonce::try_from(&nonce[..]).expect("16 bytes");
        let sealed = sealed.concat();
        assert_eq!(cipher.seal(&nonce, additional, message).expect("it is short"), sealed, "{row:?}");
        assert_eq!(&cipher.open(&nonce, additional, &sealed).expect("it is right"), message, "{row:?}");
    }
}

/// RFC 7693, appendices A and B.
#[test]
fn blake2() {
    assert_eq!(
        Blake2b::<64>::digest(b"abc")[..],
        hex("ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
             7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923")
    );
    assert_eq!(
        Blake2s::<32>::digest(b"abc")[..],
        hex("508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982")
    );
}

/// RFC 7693, appendix E: one digest of digests of several lengths, with keys and without.
#[test]
fn blake2_of_itself() {
    macro_rules! itself {
        ($all:ty, $each:ident, $lengths:expr, $messages:expr, $expected:literal) => {
            let mut all = <$all>::new();
            for length in $lengths {
                for message in $messages {
                    let message = sequence(message);
                    for key in [Vec::new(), sequence(length)] {
                        let mut each = $each::new(length, &key).expect("lengths are right");
                        each.update(&message);
                        let mut digest = vec![0; length];
                        each.finalize_into(&mut digest).expect("the length is right");
                        all.update(&digest);
                    }
                }
            }
            assert_eq!(all.finalize()[..], hex($expected));
        };
    }
    itself!(
        Blake2b<32>,
        Blake2bVar,
        [20, 32, 48, 64],
        [0, 3, 128, 129, 255, 1024],
        "c23a7800d98123bd10f506c61e29da5603d763b8bbad2e737f5e765a7bccd475"
    );
    itself!(
        Blake2s<32>,
        Blake2sVar,
        [16, 20, 28, 32],
        [0, 3, 64, 65, 255, 1024],
        "6a411f08ce25adcdfb02aba641451cec53c598b24f4fc787fbdc88797f4c1dfe"
    );
}

/// The bytes that appendix E hashes: the highest bytes of a sequence like Fibonacci's, whose first number depends on the length.
fn sequence(length: usize) -> Vec<u8> {
    let (mut a, mut b) = (0xdead_4bad_u32.wrapping_mul(length as u32), 1u32);
    let mut next = || {
        (a, b) = (b, a.wrapping_add(b));
        (b >> 24) as u8
    };
    (0..length).map(|_| next()).collect()
}
