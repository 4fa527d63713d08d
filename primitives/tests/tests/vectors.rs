//! Published vectors that are too many for a description.

use culet_driver::{Engine, Options, elaborate, parse_hex};
use culet_ir::Target;
use culet_primitives_tests::shelf::{Entry, messages, named, rows};
use culet_types::program::Slicing;

fn hex(text: &str) -> Vec<u8> {
    parse_hex(text).expect("the vector is hexadecimal")
}

fn engine(entry: &Entry, node: &str) -> Engine {
    let options = Options { node: Some(node.into()), slicing: Some(Slicing::Vertical), ..Options::new(Target::C64) };
    let (program, diagnostics) = elaborate(&entry.source, &options);
    let program = program.unwrap_or_else(|| panic!("{}", messages(&diagnostics)));
    Engine::interpreter(program).expect("it takes few steps")
}

/// The encryption sets of the NESSIE vectors, tested in both directions.
#[test]
fn serpent_against_nessie() {
    let entry = named("serpent128");
    let (encrypt, decrypt) = (engine(&entry, "Serpent"), engine(&entry, "Serpent_inverse"));
    let rows = rows("serpent_nessie.txt");
    assert!(rows.len() > 150);
    for bits in ["128", "192", "256"] {
        let schedule = engine(&entry, &format!("Serpent{bits}_key_schedule"));
        for row in rows.iter().filter(|row| row[0] == bits) {
            let (key, plain, cipher) = (hex(&row[3]), hex(&row[4]), hex(&row[5]));
            let round_keys = schedule.run(&[&key], 1).remove(0);
            assert_eq!(encrypt.run(&[&plain, &round_keys], 1)[0], cipher, "{row:?}");
            assert_eq!(decrypt.run(&[&cipher, &round_keys], 1)[0], plain, "{row:?}");
        }
    }
}

/// The first vectors of `ecb_vk.txt` (variable key) and `ecb_vt.txt` (variable text). The AES submission prints blocks
/// and keys from the last byte to the first.
#[test]
fn serpent_against_the_aes_submission() {
    let backwards = |text: &str| hex(text).into_iter().rev().collect::<Vec<u8>>();
    let entry = named("serpent128");
    let encrypt = engine(&entry, "Serpent");
    let zero = "00000000000000000000000000000000";
    let one = "80000000000000000000000000000000";
    let schedule = engine(&entry, "Serpent128_key_schedule");
    for (key, plain, cipher) in
        [(one, zero, "49afbfad9d5a34052cd8ffa5986bd2dd"), (zero, one, "10b5ffb720b8cb9002a1142b0ba2e94a")]
    {
        let round_keys = schedule.run(&[&backwards(key)], 1).remove(0);
        assert_eq!(encrypt.run(&[&backwards(plain), &round_keys], 1)[0], backwards(cipher));
    }
}

/// All tests of NBS SP 500-20, in both directions.
#[test]
fn des_against_sp_500_20() {
    let entry = named("des");
    let (encrypt, decrypt) = (engine(&entry, "DES"), engine(&entry, "DES_inverse"));
    let schedule = engine(&entry, "DES_key_schedule");
    let rows = rows("des_sp500-20.txt");
    assert_eq!(rows.len(), 64 + 56 + 32 + 19);
    for row in rows {
        let (key, plain, cipher) = (hex(&row[1]), hex(&row[2]), hex(&row[3]));
        let round_keys = schedule.run(&[&key], 1).remove(0);
        assert_eq!(encrypt.run(&[&plain, &round_keys], 1)[0], cipher, "{row:?}");
        assert_eq!(decrypt.run(&[&cipher, &round_keys], 1)[0], plain, "{row:?}");
    }
}
