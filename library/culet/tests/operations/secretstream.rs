//! Messages in order: what libsodium's documentation says of its secretstream. That the bytes are libsodium's is a test of the C interface.

use culet::aead::secretstream::{Header, Key, Kind, Opener, Seal, Sealer};

use super::support::Random;

fn stream(random: &mut Random) -> (Sealer, Opener) {
    let (key, header) = (Key::from_bytes(random.array()), Header::from_bytes(random.array()));
    (Sealer::new(&key, &header), Opener::new(&key, &header))
}

const KINDS: [Kind; 5] = [Kind::MESSAGE, Kind::PUSH, Kind::REKEY, Kind::FINAL, Kind::from_byte(0xfc)];

#[test]
pub fn messages_open_in_order() {
    let random = &mut Random::new(90);
    let (mut sealer, mut opener) = stream(random);
    for length in 0..300 {
        let (message, additional) = (random.vector(length), random.vector(length % 40));
        let kind = KINDS[random.below(5)];
        let sealed = sealer.seal(kind, &additional, &message).expect("it is short");
        assert_eq!(sealed.len(), length + Seal::LENGTH);
        assert_eq!(opener.open(&additional, &sealed), Ok((kind, message)), "{length} bytes");
        if length % 50 == 49 {
            sealer.rekey();
            opener.rekey();
        }
    }
}

/// A message that does not open leaves zeros, and the opener as it was.
#[test]
pub fn nothing_else_opens() {
    let random = &mut Random::new(91);
    let (mut sealer, mut opener) = stream(random);
    let (mut first, mut second) = (random.array::<70>(), random.array::<70>());
    let messages = [first, second];
    let seals = [&mut first, &mut second].map(|text| sealer.seal_in_place(Kind::PUSH, b"with", text).expect("short"));

    let refuses = |opener: &mut Opener, additional: &[u8], text: &[u8], seal: &Seal| {
        let mut text = text.to_vec();
        assert!(opener.open_in_place(additional, &mut text, seal).is_err());
        assert!(text.iter().all(|byte| *byte == 0));
    };
    refuses(&mut opener, b"with", &second, &seals[1]);
    refuses(&mut opener, b"with", &second, &seals[0]);
    refuses(&mut opener, b"witH", &first, &seals[0]);
    refuses(&mut opener, b"", &first, &seals[0]);
    refuses(&mut opener, b"with", &first[..69], &seals[0]);
    for bit in 0..Seal::LENGTH * 8 {
        let mut seal = seals[0].to_bytes();
        seal[bit / 8] ^= 1 << (bit % 8);
        refuses(&mut opener, b"with", &first, &Seal::from_bytes(seal));
    }
    for bit in 0..first.len() * 8 {
        let mut text = first;
        text[bit / 8] ^= 1 << (bit % 8);
        refuses(&mut opener, b"with", &text, &seals[0]);
    }
    for length in 0..Seal::LENGTH {
        assert!(opener.open(b"with", &vec![0; length]).is_err());
    }

    opener.open_in_place(b"with", &mut first, &seals[0]).expect("it is right");
    assert_eq!(first, messages[0]);
    opener.rekey();
    refuses(&mut opener, b"with", &second, &seals[1]);
}
