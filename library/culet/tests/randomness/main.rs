//! Keys and nonces from an operating system whose randomness ends: all of them are errors.
#![cfg(target_os = "linux")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use culet::{Reason, aead, ed25519, kdf, mac, p224, p256, p384, p521, secp256k1, secretbox, stream, x25519};

/// The environment variable that the process has in which randomness ends.
const ENDS: &str = "CULET_TEST_RANDOMNESS_ENDS";

/// A shared object with a function `getrandom`, which the loader takes before that of the C library.
fn without_randomness() -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/randomness/getrandom.c");
    let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join("without-randomness.so");
    let mut compiler = Command::new("gcc-12");
    compiler.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared"]);
    let output = compiler.arg(source).arg("-o").arg(&object).output();
    assert!(output.is_ok() || env::var_os("CULET_REQUIRE_COMPILERS").is_none(), "gcc-12 is not installed");
    let output = output.ok()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(object)
}

#[test]
fn keys_from_a_system_without_randomness() {
    if env::var_os(ENDS).is_some() {
        all_are_errors();
        return;
    }
    let Some(object) = without_randomness() else { return };
    let mut command = Command::new(env::current_exe().expect("this program"));
    command.args(["--exact", "keys_from_a_system_without_randomness"]).env("LD_PRELOAD", object);
    let output = command.env(ENDS, "yes").output().expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

/// All types that have `generate`.
fn all_are_errors() {
    macro_rules! are_errors {
        ($($generated:ty),+ $(,)?) => {
            $(
                let reason = <$generated>::generate().map(drop).map_err(|error| error.reason());
                assert_eq!(reason, Err(Reason::Randomness), stringify!($generated));
            )+
        };
    }
    are_errors!(aead::Aes128GcmKey, aead::Aes256GcmKey, aead::ChaCha20Poly1305Key, aead::XChaCha20Poly1305Key);
    are_errors!(aead::AsconAead128Key, aead::AsconAead128Nonce, aead::XChaCha20Poly1305Nonce, aead::stream::Nonce);
    are_errors!(aead::secretstream::Header, aead::secretstream::Key, secretbox::Key, secretbox::Nonce);
    are_errors!(stream::ChaCha20Key, stream::Salsa20Key, stream::XChaCha20Key, stream::XSalsa20Key);
    are_errors!(stream::XChaCha20Nonce, stream::XSalsa20Nonce, kdf::MasterKey, mac::Poly1305Key);
    are_errors!(p224::SecretKey, p256::SecretKey, p384::SecretKey, p521::SecretKey, secp256k1::SecretKey);
    are_errors!(p224::SigningKey, p256::SigningKey, p384::SigningKey, p521::SigningKey, secp256k1::SigningKey);
    are_errors!(ed25519::SigningKey, secp256k1::bip340::SigningKey, x25519::SecretKey);

    let recipient = x25519::SecretKey::from_bytes([1; 32]).public_key();
    let sealed = culet::nacl::box_seal(b"message", &recipient).map_err(|error| error.reason());
    assert_eq!(sealed, Err(Reason::Randomness));
}
