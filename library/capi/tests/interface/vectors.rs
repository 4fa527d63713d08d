//! The vectors of Project Wycheproof, of NIST and of the designers of Ascon, through C: a program runs them by the lines that it is given.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::rc::Rc;
use std::sync::OnceLock;
use std::time::Instant;

use serde_json::Value;

#[path = "../../../culet/tests/operations/bytes.rs"]
#[allow(dead_code)] // Nothing is random here.
mod bytes;
#[path = "../../../culet/tests/operations/ecdsa.rs"]
mod ecdsa;

use self::bytes::hex;
use crate::amalgamation::{Build, NATIVE, wants_all};
use crate::library::{COMPILERS, Features, Program, run_with};
use crate::package::seed;

/// A vector, with what all of its group have.
struct Vector {
    group: Rc<Value>,
    test: Value,
}

impl Vector {
    /// Hexadecimal digits of a field.
    fn hex(&self, name: &str) -> &str {
        self.test[name].as_str().unwrap_or_else(|| panic!("{} has {name}", self.test))
    }

    fn result(&self) -> &str {
        self.test["result"].as_str().expect("a result")
    }

    fn is_valid(&self) -> bool {
        self.result() == "valid"
    }
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn wycheproof(name: &str) -> Vec<Vector> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/wycheproof").join(format!("{name}_test.json"));
    let mut file: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("the vectors")).expect("JSON");
    let mut vectors = Vec::new();
    for mut group in file["testGroups"].as_array_mut().expect("groups").drain(..) {
        let Value::Array(tests) = group["tests"].take() else { panic!("{name} has a group without tests") };
        let group = Rc::new(group);
        vectors.extend(tests.into_iter().map(|test| Vector { group: Rc::clone(&group), test }));
    }
    assert_eq!(Some(vectors.len() as u64), file["numberOfTests"].as_u64());
    vectors
}

/// The words of the lines of a file of vectors, as hexadecimal digits; a hyphen is the empty string.
fn rows(file: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors").join(file);
    let text = std::fs::read_to_string(path).expect("the vectors");
    let words = |line: &str| line.split(' ').map(|word| word.trim_matches('-').to_owned()).collect();
    text.lines().filter(|line| !line.starts_with('#')).map(words).collect()
}

/// An operation for the program: its name and its arguments as hexadecimal digits.
fn line(operation: &str, arguments: &[&str]) -> String {
    let mut line = operation.to_owned();
    arguments.iter().for_each(|argument| write!(line, " x{argument}").expect("a string"));
    line
}

/// A line for the program, and what must hold of its answer: whether it is 0, and the output as hexadecimal digits.
struct Question {
    line: String,
    check: Box<Check>,
}

type Check = dyn Fn(bool, &str);

fn question(line: String, check: impl Fn(bool, &str) + 'static) -> Question {
    Question { line, check: Box::new(check) }
}

/// A program that answers, and which questions: from one on, every one at this distance.
struct Answering {
    command: Vec<OsString>,
    first: usize,
    step: usize,
}

/// This library; that in C, of which the kernels for words of 64 bits answer every other question, and those for words of 32 bits the rest; and that
/// in C on a machine that is drawn, for which a quarter of them is. With `CULET_ALL`, all kernels and all machines answer all questions.
fn programs() -> &'static [Answering] {
    static PROGRAMS: OnceLock<Vec<Answering>> = OnceLock::new();
    PROGRAMS.get_or_init(|| {
        let (compiler, source) = (COMPILERS[1].0, "tests/interface/vectors.c");
        let program = Program { compiler, source, options: vec![], is_static: true, features: Features::None };
        let in_rust = Answering { command: vec![program.build().get_program().to_owned()], first: 0, step: 1 };
        let of_build = |build: Build, first, step| {
            let command = build.program(source);
            if wants_all() { Answering { command, first: 0, step: 1 } } else { Answering { command, first, step } }
        };
        let native = NATIVE.into_iter().enumerate().map(|(place, build)| of_build(build, place, NATIVE.len()));
        let emulated = Build::emulated().into_iter().map(|machine| of_build(machine, seed() % 4, 4));
        [in_rust].into_iter().chain(native).chain(emulated).collect()
    })
}

/// Lets all programs answer.
fn ask(questions: &[Question]) {
    for Answering { command, first, step } in programs() {
        let questions: Vec<&Question> = questions.iter().skip(*first).step_by(*step).collect();
        let input: String = questions.iter().flat_map(|question| [&question.line, "\n"]).collect();
        let start = Instant::now();
        let text = run_with(Command::new(&command[0]).args(&command[1..]), &input);
        let (program, seconds) = (&command[command.len() - 1], start.elapsed().as_secs());
        let said = writeln!(io::stdout(), "{}: {} vectors, {seconds} s", program.display(), questions.len());
        said.expect("standard output");
        assert_eq!(text.lines().count(), questions.len());
        for (answer, question) in text.lines().zip(questions) {
            let (result, output) = answer.split_once(' ').expect("a result and an output");
            assert!(["0", "-1"].contains(&result), "{answer}");
            (question.check)(result == "0", output);
        }
    }
}

#[test]
fn ed25519() {
    let mut questions = Vec::new();
    for vector in wycheproof("ed25519") {
        let key = vector.group["publicKey"]["pk"].as_str().expect("a key").to_owned();
        // Another length cannot be asked for.
        if vector.hex("sig").len() != 128 {
            assert!(!vector.is_valid());
            continue;
        }
        let line = line("ed25519_verify", &[vector.hex("sig"), vector.hex("msg"), &key]);
        questions.push(question(line, move |good, _| assert_eq!(good, vector.is_valid(), "{}", vector.test)));
    }
    assert!(questions.len() > 100);
    ask(&questions);
}

/// The vectors that BIP 340 comes with.
#[test]
fn bip340() {
    let mut questions = Vec::new();
    let rows = rows("bip340.txt");
    for row in &rows {
        let [secret, public, entropy, message, signature, verdict] = &row[..] else { panic!("{row:?}") };
        if !secret.is_empty() {
            let expected = public.clone();
            let line_of_key = line("bip340_public_key", &[secret]);
            questions.push(question(line_of_key, move |good, key| assert_eq!((good, key), (true, &*expected))));
            let expected = signature.clone();
            let line_of_signature = line("bip340_sign", &[message, secret, entropy]);
            questions.push(question(line_of_signature, move |good, made| assert_eq!((good, made), (true, &*expected))));
        }
        let (row, is_good) = (row.clone(), verdict == "true");
        let line = line("bip340_verify", &[signature, message, public]);
        questions.push(question(line, move |good, _| assert_eq!(good, is_good, "{row:?}")));
    }
    assert_eq!((rows.len(), questions.len()), (19, 19 + 2 * 8));
    ask(&questions);
}

/// The acceptable ones agree on zero, or are points of the twist, or are not reduced, which is all the same here.
#[test]
fn x25519() {
    let ask_for = |vector: Vector| {
        let line = line("x25519", &[vector.hex("private"), vector.hex("public")]);
        let is_zero = vector.hex("shared").bytes().all(|digit| digit == b'0');
        question(line, move |good, shared| assert_eq!((good, shared), (!is_zero, vector.hex("shared"))))
    };
    let questions: Vec<Question> = wycheproof("x25519").into_iter().map(ask_for).collect();
    assert!(questions.len() > 500);
    ask(&questions);
}

/// The digits after an element's tag and its length.
fn after_header(element: &str) -> Option<&str> {
    element.get(if element.get(2..4)? == "81" { 6 } else { 4 }..)
}

/// Keys are in DER, whose end is the point, and in another file points. Answers that are called acceptable have a compressed key, or a key in
/// another form of DER.
fn ecdh(file: &str, name: &str, bytes: usize, algorithm: &str) {
    let in_der = wycheproof(file).into_iter().map(|vector| (vector, true));
    let points = wycheproof(&format!("{file}_ecpoint")).into_iter().map(|vector| (vector, false));
    agreements(in_der.chain(points), name, bytes, algorithm);
}

/// Agreements of a curve, each with whether its public key is in DER, or a bare point.
fn agreements(vectors: impl Iterator<Item = (Vector, bool)>, name: &str, bytes: usize, algorithm: &str) {
    let mut questions = Vec::new();
    for (vector, is_in_der) in vectors {
        // Two sequences and a string of bits, of which no bit is unused.
        let both = || after_header(vector.hex("public")).and_then(|rest| rest.strip_prefix(algorithm));
        let point = if is_in_der {
            both().and_then(after_header).and_then(|rest| rest.get(2..))
        } else {
            Some(vector.hex("public"))
        };
        let private = vector.hex("private");
        let digits = &private[private.len().saturating_sub(2 * bytes)..];
        let line = line(name, &[&format!("{digits:0>0$}", 2 * bytes), point.unwrap_or_default()]);
        questions.push(question(line, move |good, shared| {
            assert!(if good { vector.result() != "invalid" } else { !vector.is_valid() }, "{}", vector.test);
            let zeros = "0".repeat(2 * bytes);
            assert_eq!(shared, if good { vector.hex("shared") } else { &zeros }, "{}", vector.test);
        }));
    }
    assert!(questions.len() > 600);
    ask(&questions);
}

#[test]
fn ecdh_p224() {
    ecdh("ecdh_secp224r1", "p224_agree", 28, "301006072a8648ce3d020106052b81040021");
}

#[test]
fn ecdh_p256() {
    ecdh("ecdh_secp256r1", "p256_agree", 32, "301306072a8648ce3d020106082a8648ce3d030107");
}

#[test]
fn ecdh_p384() {
    ecdh("ecdh_secp384r1", "p384_agree", 48, "301006072a8648ce3d020106052b81040022");
}

#[test]
fn ecdh_p521() {
    ecdh("ecdh_secp521r1", "p521_agree", 66, "301006072a8648ce3d020106052b81040023");
}

/// Bare points are not among its vectors.
#[test]
fn ecdh_secp256k1() {
    let vectors = wycheproof("ecdh_secp256k1").into_iter().map(|vector| (vector, true));
    agreements(vectors, "secp256k1_agree", 32, "301006072a8648ce3d020106052b8104000a");
}

/// Half the order of secp256k1, rounded down.
const HALF: &str = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";

/// The 64 digits of s in a good signature: in DER, r's length is the fourth byte, and two bytes stand before s.
fn s_of(signature: &str, is_der: bool) -> String {
    let r = usize::from_str_radix(&signature[6..8], 16).expect("a length");
    let s = &signature[if is_der { 12 + 2 * r } else { 64 }..];
    format!("{:0>64}", s.trim_start_matches('0'))
}

/// Of signatures with secp256k1, those with the lower s are good, and others when they are lowered.
#[test]
fn ecdsa_secp256k1() {
    let mut questions = Vec::new();
    let mut high = 0;
    for (file, is_der) in [
        ("ecdsa_secp256k1_sha256", true),
        ("ecdsa_secp256k1_sha256_bitcoin", true),
        ("ecdsa_secp256k1_sha256_p1363", false),
    ] {
        for vector in wycheproof(file) {
            let key = vector.group["publicKey"]["uncompressed"].as_str().expect("a key").to_owned();
            let signature = vector.hex("sig");
            // Another length cannot be asked for.
            if !is_der && signature.len() != 128 {
                assert!(!vector.is_valid());
                continue;
            }
            let is_low = vector.is_valid() && s_of(signature, is_der).as_str() <= HALF;
            high += usize::from(vector.is_valid() && !is_low);
            let name = if is_der { "secp256k1_verify_der" } else { "secp256k1_verify" };
            let asked = line(name, &[signature, vector.hex("msg"), &key]);
            let about = vector.test.to_string();
            questions.push(question(asked, move |good, _| assert_eq!(good, is_low, "{about}")));
            if !is_der {
                let asked = line("secp256k1_verify_lowered", &[signature, vector.hex("msg"), &key]);
                questions.push(question(asked, move |good, _| assert_eq!(good, vector.is_valid(), "{}", vector.test)));
            }
        }
    }
    assert!(questions.len() > 1300 && high > 100, "{} {high}", questions.len());
    ask(&questions);
}

#[test]
fn ecdsa() {
    let mut questions = Vec::new();
    for (file, name) in [
        ("ecdsa_secp224r1_sha224", "p224_verify_der"),
        ("ecdsa_secp256r1_sha256", "p256_verify_der"),
        ("ecdsa_secp384r1_sha384", "p384_verify_der"),
        ("ecdsa_secp521r1_sha512", "p521_verify_der"),
    ] {
        for vector in wycheproof(file) {
            let key = vector.group["publicKey"]["uncompressed"].as_str().expect("a key").to_owned();
            let line = line(name, &[vector.hex("sig"), vector.hex("msg"), &key]);
            questions.push(question(line, move |good, _| assert_eq!(good, vector.is_valid(), "{}", vector.test)));
        }
    }
    for (file, name, bytes) in [
        ("ecdsa_secp224r1_sha224_p1363", "p224_verify", 28),
        ("ecdsa_secp256r1_sha256_p1363", "p256_verify", 32),
        ("ecdsa_secp384r1_sha384_p1363", "p384_verify", 48),
        ("ecdsa_secp521r1_sha512_p1363", "p521_verify", 66),
    ] {
        for vector in wycheproof(file) {
            // Another length cannot be asked for.
            if vector.hex("sig").len() != 4 * bytes {
                assert!(!vector.is_valid());
                continue;
            }
            let key = vector.group["publicKey"]["uncompressed"].as_str().expect("a key").to_owned();
            let line = line(name, &[vector.hex("sig"), vector.hex("msg"), &key]);
            questions.push(question(line, move |good, _| assert_eq!(good, vector.is_valid(), "{}", vector.test)));
        }
    }
    assert!(questions.len() > 2300, "{}", questions.len());
    ask(&questions);
}

/// Signatures of digests, by every hash function; an eighth of the files, which is drawn, without `CULET_ALL`.
#[test]
fn ecdsa_of_digests() {
    let mut questions = Vec::new();
    let files = ecdsa::FILES.into_iter().enumerate();
    for (_, file) in files.filter(|(place, _)| wants_all() || place % 8 == seed() % 8) {
        for vector in wycheproof(file) {
            let key = vector.group["publicKey"]["uncompressed"].as_str().expect("a key");
            let asked = ecdsa::Question::new(
                file,
                vector.group["sha"].as_str().expect("a hash function"),
                &hex(vector.hex("msg")),
                &hex(vector.hex("sig")),
            );
            // A vector without numbers of the right length cannot be asked for.
            let Some(signature) = asked.signature else {
                assert!(!vector.is_valid());
                continue;
            };
            let name = format!("{}_verify_prehashed", asked.curve);
            let line = line(&name, &[&digits(&signature), &digits(&asked.digest), key]);
            questions
                .push(question(line, move |good, _| assert_eq!(good, vector.is_valid(), "{file}: {}", vector.test)));
        }
    }
    assert!(questions.len() > if wants_all() { 11_000 } else { 1_000 }, "{}", questions.len());
    ask(&questions);
}

/// Opens all, and seals what is valid. AES-GCM has keys of several lengths in one file, and good answers for other nonces, too.
fn aead(file: &str, name: &str, key_bytes: usize, nonce_bytes: usize, least: usize) {
    let mut questions = Vec::new();
    for vector in wycheproof(file) {
        if vector.hex("key").len() != 2 * key_bytes {
            continue;
        }
        if vector.hex("iv").len() != 2 * nonce_bytes {
            assert!(!vector.is_valid() || file == "aes_gcm");
            continue;
        }
        let [key, nonce, additional] = ["key", "iv", "aad"].map(|name| vector.hex(name));
        let (message, sealed, tag) = (vector.hex("msg"), vector.hex("ct"), vector.hex("tag"));
        let is_valid = vector.is_valid();
        if is_valid {
            let (line, whole) =
                (line(&format!("{name}_seal"), &[message, additional, nonce, key]), [sealed, tag].concat());
            questions.push(question(line, move |good, output| assert_eq!((good, output), (true, &*whole))));
        }
        let line = line(&format!("{name}_open"), &[sealed, tag, additional, nonce, key]);
        let opened = if is_valid { message.to_owned() } else { "0".repeat(sealed.len()) };
        questions.push(question(line, move |good, output| {
            assert_eq!((good, output), (is_valid, &*opened), "{}", vector.test)
        }));
    }
    assert!(questions.len() > least);
    ask(&questions);
}

#[test]
fn chacha20poly1305() {
    aead("chacha20_poly1305", "chacha20poly1305", 32, 12, 300);
}

#[test]
fn xchacha20poly1305() {
    aead("xchacha20_poly1305", "xchacha20poly1305", 32, 24, 300);
}

#[test]
fn aes_gcm() {
    aead("aes_gcm", "aes128gcm", 16, 12, 100);
    aead("aes_gcm", "aes256gcm", 32, 12, 100);
}

/// GMAC is AES-GCM of additional data alone.
#[test]
fn aes_gmac() {
    let mut questions = Vec::new();
    for vector in wycheproof("aes_gmac") {
        let name = match vector.hex("key").len() {
            32 => "aes128gcm_open",
            64 => "aes256gcm_open",
            _ => continue,
        };
        if vector.hex("iv").len() == 24 {
            let [key, nonce, data, tag] = ["key", "iv", "msg", "tag"].map(|name| vector.hex(name));
            let line = line(name, &["", tag, data, nonce, key]);
            questions.push(question(line, move |good, _| assert_eq!(good, vector.is_valid(), "{}", vector.test)));
        }
    }
    assert!(questions.len() > 100, "{}", questions.len());
    ask(&questions);
}

#[test]
fn ascon_of_wycheproof() {
    aead("ascon_sp800_232_aead128", "ascon_aead128", 16, 16, 300);
}

/// Their tags may be cut off.
#[test]
fn hmac() {
    let mut questions = Vec::new();
    for mac in ["hmac_sha224", "hmac_sha256", "hmac_sha384", "hmac_sha512"] {
        for vector in wycheproof(mac) {
            let line = line(mac, &[vector.hex("key"), vector.hex("msg")]);
            questions.push(question(line, move |good, tag| {
                assert_eq!((good, tag.starts_with(vector.hex("tag"))), (true, vector.is_valid()), "{}", vector.test);
            }));
        }
    }
    assert!(questions.len() > 400);
    ask(&questions);
}

/// The invalid ones ask for too much.
#[test]
fn hkdf() {
    let mut questions = Vec::new();
    for kdf in ["hkdf_sha256", "hkdf_sha384", "hkdf_sha512"] {
        for vector in wycheproof(kdf) {
            let size = format!("{:04x}", vector.test["size"].as_u64().expect("a size"));
            let line = line(kdf, &[vector.hex("salt"), vector.hex("ikm"), vector.hex("info"), &size]);
            questions.push(question(line, move |good, output| {
                assert_eq!(good, vector.is_valid(), "{}", vector.test);
                assert!(!good || output == vector.hex("okm"), "{}", vector.test);
            }));
        }
    }
    assert!(questions.len() > 100);
    ask(&questions);
}

/// Digests of a fixed length.
#[test]
fn hashes() {
    let mut questions = Vec::new();
    for (file, name) in [
        ("cavp/sha512_256.txt", "sha512_256"),
        ("cavp/sha3_224.txt", "sha3_224"),
        ("cavp/sha3_256.txt", "sha3_256"),
        ("cavp/sha3_384.txt", "sha3_384"),
        ("cavp/sha3_512.txt", "sha3_512"),
        ("ascon_hash256.txt", "ascon_hash256"),
    ] {
        for row in rows(file) {
            let line = line(name, &[&row[1]]);
            questions.push(question(line, move |good, digest| assert_eq!((good, digest), (true, &*row[2]), "{name}")));
        }
    }
    assert_eq!(questions.len(), 5 * 14 + 10);
    ask(&questions);
}

/// Outputs of any length.
#[test]
fn extendable_hashes() {
    let mut questions = Vec::new();
    for (file, name) in
        [("cavp/shake128.txt", "shake128"), ("cavp/shake256.txt", "shake256"), ("ascon_xof128.txt", "ascon_xof128")]
    {
        for row in rows(file) {
            let line = line(name, &[&row[1], &format!("{:04x}", row[2].len() / 2)]);
            questions.push(question(line, move |good, output| assert_eq!((good, output), (true, &*row[2]), "{name}")));
        }
    }
    assert_eq!(questions.len(), 2 * 19 + 5);
    ask(&questions);
}

#[test]
fn ascon_aead128() {
    let mut questions = Vec::new();
    for row in rows("ascon_aead128.txt") {
        let [_, key, nonce, additional, message, whole] = row.try_into().expect("six words");
        let (sealed, tag) = whole.split_at(whole.len() - 32);
        let open = line("ascon_aead128_open", &[sealed, tag, &additional, &nonce, &key]);
        let seal = line("ascon_aead128_seal", &[&message, &additional, &nonce, &key]);
        questions.push(question(open, move |good, output| assert_eq!((good, output), (true, &*message))));
        questions.push(question(seal, move |good, output| assert_eq!((good, output), (true, &*whole))));
    }
    assert_eq!(questions.len(), 2 * 19);
    ask(&questions);
}
