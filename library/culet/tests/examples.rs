//! The programs of `examples/` do what they say, and refuse what they must.

#[allow(dead_code)] // Its `main` is not called.
#[path = "../examples/channel.rs"]
mod channel;
#[allow(dead_code)] // Its `main` is not called.
#[path = "../examples/encrypt_file.rs"]
mod encrypt_file;
#[allow(dead_code)] // Its `main` is not called.
#[path = "../examples/jwt.rs"]
mod jwt;
#[allow(dead_code)] // Its `main` is not called.
#[path = "../examples/sign_file.rs"]
mod sign_file;

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::thread;

use channel::Channel;
use culet::{ed25519, p256 as ours};
use p256::ecdsa::signature::{Signer, Verifier};

/// An empty directory of a test.
fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples").join(name);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).expect("a directory");
    directory
}

fn words(text: &[&str]) -> Vec<String> {
    text.iter().map(|word| (*word).to_owned()).collect()
}

/// A directory, and the paths of files in it.
struct Files(PathBuf);

impl Files {
    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("UTF-8").to_owned()
    }

    /// Names of all files.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).expect("a directory");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }
}

/// Runs `encrypt_file`, and returns what it tells, or its error.
fn encrypt(arguments: &[&str]) -> Result<String, String> {
    let mut told = Vec::new();
    let no_password = || Err("a password is asked for".into());
    encrypt_file::run(&words(arguments), &no_password, &mut told).map_err(|error| error.to_string())?;
    Ok(String::from_utf8(told).expect("UTF-8"))
}

/// Runs `encrypt_file` with a password.
fn encrypt_by(password: &str, arguments: &[&str]) -> Result<(), String> {
    let password = || Ok(password.to_owned().into());
    encrypt_file::run(&words(arguments), &password, &mut Vec::new()).map_err(|error| error.to_string())
}

/// The public key at the end of what a program tells.
fn public_key(told: &str) -> String {
    told.trim().rsplit(' ').next().expect("a word").to_owned()
}

#[test]
fn files_are_encrypted() {
    let files = Files(directory("encrypt"));
    let [alice, bob, eve, file, sealed, back] =
        ["alice", "bob", "eve", "file", "sealed", "back"].map(|name| files.path(name));
    let [to_alice, to_bob, _] = [&alice, &bob, &eve].map(|key| public_key(&encrypt(&["new-key", key]).expect("a key")));
    assert!(encrypt(&["new-key", &alice]).is_err(), "a key is not replaced");
    for length in [0, 1, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 300_000] {
        let message: Vec<u8> = (0..length).map(|byte: u32| (byte * 7 % 251) as u8).collect();
        fs::write(&file, &message).expect("it is written");
        let told = encrypt(&["seal", &file, &sealed, &to_alice, &to_bob]).expect("sealed");
        assert_eq!(told.contains("% sealed"), length > 1 << 16, "{told}");
        for key in [&alice, &bob] {
            encrypt(&["open", &sealed, &back, key]).expect("opened");
            assert!(fs::read(&back).expect("it is there") == message);
            fs::remove_file(&back).expect("it was there");
        }
        assert!(encrypt(&["open", &sealed, &back, &eve]).expect_err("another key").contains("other keys"));
    }
    // Changed anywhere, or cut off anywhere.
    let good = fs::read(&sealed).expect("it is there");
    let ends = [0, 10, 20, 21, 100, 150, 181, 200, 200 + (1 << 16), 200 + 2 * ((1 << 16) + 16), good.len() - 1];
    for place in ends {
        let mut other = good.clone();
        other[place] ^= 1;
        for wrong in [&other[..], &good[..place]] {
            fs::write(&sealed, wrong).expect("it is written");
            // The other recipient's box may be changed: the segments tell.
            assert!(encrypt(&["open", &sealed, &back, &alice]).is_err(), "{place}");
        }
    }
    assert!(encrypt(&["seal", &file, &sealed, "12"]).expect_err("no key").contains("no public key"));
    assert!(encrypt(&["seal", &file, &sealed]).expect_err("nobody").contains("usage"));
    assert!(encrypt(&["open", &files.path("none"), &back, &alice]).is_err());
    assert_eq!(files.names(), ["alice", "bob", "eve", "file", "sealed"], "nothing is left of what did not open");
}

/// A link that somebody has put where another program would write first.
#[test]
#[cfg(unix)]
fn links_are_not_followed() {
    let files = Files(directory("links"));
    let [key, file, sealed, victim] = ["key", "file", "sealed", "victim"].map(|name| files.path(name));
    let public = public_key(&encrypt(&["new-key", &key]).expect("a key"));
    fs::write(&file, "a letter").expect("it is written");
    fs::write(&victim, "a diary").expect("it is written");
    for link in [files.path("sealed.part"), sealed.clone()] {
        std::os::unix::fs::symlink(&victim, link).expect("a link");
    }
    encrypt(&["seal", &file, &sealed, &public]).expect("sealed");
    assert_eq!(fs::read_to_string(&victim).expect("it is there"), "a diary");
    assert!(fs::symlink_metadata(&sealed).expect("it is there").is_file(), "a file stands in the place of the link");
    assert_eq!(files.names(), ["file", "key", "sealed", "sealed.part", "victim"]);
}

#[test]
fn files_are_locked_by_passwords() {
    let files = Files(directory("locked"));
    let [file, locked, back] = ["file", "locked", "back"].map(|name| files.path(name));
    for length in [0, 1, 1 << 16, 150_000] {
        let message = vec![5; length];
        fs::write(&file, &message).expect("it is written");
        encrypt_file::lock(Path::new(&file), Path::new(&locked), "correct horse", 10, &mut Vec::new()).expect("locked");
        encrypt_by("correct horse", &["unlock", &locked, &back]).expect("unlocked");
        assert!(fs::read(&back).expect("it is there") == message);
        fs::remove_file(&back).expect("it was there");
        for wrong in ["correct hors", "Correct horse", "correct horse ", ""] {
            let error = encrypt_by(wrong, &["unlock", &locked, &back]).expect_err("another password");
            assert!(error.contains("the password is another one"), "{error}");
        }
    }
    // The header, with the iterations and the salt, the nonce, both segments.
    let good = fs::read(&locked).expect("it is there");
    for place in [0, 19, 20, 23, 24, 39, 40, 58, 59, 70_000, good.len() - 1] {
        let mut other = good.clone();
        other[place] ^= 1;
        for wrong in [&other[..], &good[..place]] {
            fs::write(&locked, wrong).expect("it is written");
            assert!(encrypt_by("correct horse", &["unlock", &locked, &back]).is_err(), "{place}");
        }
    }
    // Iterations that would take a day.
    fs::write(&locked, [&good[..20], &[0xff; 4], &good[24..]].concat()).expect("it is written");
    assert!(encrypt_by("correct horse", &["unlock", &locked, &back]).expect_err("too many").contains("4294967295"));
    assert!(encrypt_by("", &["lock", &file, &locked]).expect_err("no password").contains("empty"));
    assert_eq!(files.names(), ["file", "locked"], "nothing is left of what did not open");
}

/// RFC 7914, section 11.
#[test]
fn keys_of_passwords() {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    for (password, salt, iterations, expected) in [
        (
            "passwd",
            "salt",
            1,
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc\
             49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783",
        ),
        (
            "Password",
            "NaCl",
            80_000,
            "4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56\
             a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d",
        ),
    ] {
        let mut out = [0; 64];
        encrypt_file::pbkdf2(password.as_bytes(), salt.as_bytes(), iterations, &mut out);
        assert_eq!(hex(&out), expected);
    }
}

#[test]
fn files_are_signed() {
    let files = Files(directory("sign"));
    let [key, other, file] = ["key", "other", "file"].map(|name| files.path(name));
    let run = |arguments: &[&str]| sign_file::run(&words(arguments)).map_err(|error| error.to_string());
    let [public, foreign] = [&key, &other].map(|key| public_key(&run(&["new-key", key]).expect("a key")));
    fs::write(&file, vec![5; 100_000]).expect("it is written");
    assert!(run(&["verify", &file, &public]).is_err(), "there is no signature yet");
    run(&["sign", &file, &key]).expect("signed");
    run(&["verify", &file, &public]).expect("it is good");
    assert!(run(&["verify", &file, &foreign]).expect_err("another key").contains("NOT"));
    let signature = fs::read_to_string(files.path("file.sig")).expect("it is there");
    for wrong in ["", "00", &signature.replacen(&signature[..1], if &signature[..1] == "0" { "1" } else { "0" }, 1)] {
        fs::write(files.path("file.sig"), wrong).expect("it is written");
        assert!(run(&["verify", &file, &public]).is_err(), "{wrong}");
    }
    fs::write(files.path("file.sig"), signature).expect("it is written");
    fs::write(&file, vec![5; 100_001]).expect("it is written");
    assert!(run(&["verify", &file, &public]).is_err());
    assert!(run(&["sign", &file, &files.path("none")]).is_err() && run(&["sign"]).is_err());
}

/// Tokens beside another implementation of ES256.
#[test]
fn tokens() {
    let files = Files(directory("jwt"));
    let run = |arguments: &[&str]| jwt::run(&words(arguments), &mut &b""[..]).map_err(|error| error.to_string());
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let secret = [0x5a; 32];
    let key = ours::SigningKey::from_bytes(secret).expect("in range");
    let theirs = p256::ecdsa::SigningKey::from_slice(&secret).expect("in range");
    let public = hex(&key.verifying_key().to_sec1_compressed());
    let key_file = files.path("key");
    fs::write(&key_file, hex(&secret) + "\n").expect("it is written");
    for claims in [r#"{"sub":"alice"}"#, "{}", r#"{"sub":"bob","exp":1893456000}"#, r#"{"näme":"?>~"}"#] {
        let token = run(&["sign", &key_file, claims]).expect("a token");
        assert_eq!(run(&["verify", &public, &token]).as_deref(), Ok(claims));
        // The other implementation verifies the token, and the same claims with its signature are a token, too.
        let (signed, signature) = token.rsplit_once('.').expect("three parts");
        let read = jwt::from_base64(signature).expect("a signature");
        let read = p256::ecdsa::Signature::from_slice(&read).expect("a signature");
        theirs.verifying_key().verify(signed.as_bytes(), &read).expect("it is good");
        let other: p256::ecdsa::Signature = theirs.sign(signed.as_bytes());
        let other = format!("{signed}.{}", jwt::to_base64(&other.to_bytes()));
        assert_eq!(run(&["verify", &public, &other]).as_deref(), Ok(claims));
        for place in 0..token.len() {
            let mut wrong = token.clone().into_bytes();
            wrong[place] = if wrong[place] == b'A' { b'B' } else { b'A' };
            let wrong = String::from_utf8(wrong).expect("UTF-8");
            assert!(run(&["verify", &public, &wrong]).is_err(), "{wrong}");
        }
        assert!(run(&["verify", &hex(&theirs.to_bytes()), &token]).is_err(), "a secret key is no public one");
    }
    // A header that is signed, but another one.
    let signed = [&br#"{"alg":"none"}"#[..], b"{}"].map(jwt::to_base64).join(".");
    let token = format!("{signed}.{}", jwt::to_base64(&key.sign(signed.as_bytes()).to_bytes()));
    assert!(run(&["verify", &public, &token]).expect_err("another header").contains("header"));
    for wrong in ["", ".", "..", "a.b.c", "....", "é.é.é"] {
        assert!(run(&["verify", &public, wrong]).is_err(), "{wrong}");
    }
    let piped = jwt::run(&words(&["sign", "-", "{}"]), &mut hex(&secret).as_bytes()).expect("a token");
    assert_eq!(run(&["verify", &public, &piped]).as_deref(), Ok("{}"));
    fs::write(&key_file, "00").expect("it is written");
    for arguments in [&["sign", &key_file, "{}"][..], &["sign", "-", "{}"], &["sign", &files.path("none"), "{}"], &[]] {
        assert!(run(arguments).is_err(), "{arguments:?}");
    }
    assert!(run(&[&hex(&secret), "{}"]).expect_err("a key among the arguments").contains("usage"));
}

/// RFC 7515, appendix A.3: a token of others, with a header that is another text.
#[test]
fn a_published_token() {
    let signed = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
    let signature = "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q";
    let [x, y] = ["f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"]
        .map(|part| jwt::from_base64(part).expect("bytes"));
    let public = ours::VerifyingKey::from_sec1(&[&[4], &x[..], &y].concat()).expect("a point");
    let read = jwt::from_base64(signature).expect("a signature");
    let read = ours::Signature::try_from(&read[..]).expect("64 bytes");
    public.verify(signed.as_bytes(), &read).expect("it is good");
    let refused = jwt::checked(&format!("{signed}.{signature}"), &public);
    assert!(refused.expect_err("another header").to_string().contains("header"));
}

/// A key of the one who connects, and of the one who listens.
fn identities() -> [ed25519::SigningKey; 2] {
    [[1; 32], [2; 32]].map(ed25519::SigningKey::from_bytes)
}

/// Both ends of a connection over loopback.
fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let connected = TcpStream::connect(listener.local_addr().expect("an address")).expect("a connection");
    (connected, listener.accept().expect("a connection").0)
}

#[test]
fn a_channel() {
    let (near, far) = connection();
    let [ours, theirs] = identities();
    let (our_public, their_public) = (ours.verifying_key(), theirs.verifying_key());
    let echo = thread::spawn(move || {
        let mut channel = Channel::listen(far, &theirs, &our_public).expect("a channel");
        let mut count = 0;
        while let Some(record) = channel.receive().expect("a record") {
            channel.send(&record).expect("sent");
            count += 1;
        }
        channel.end().expect("ended");
        count
    });
    let mut channel = Channel::connect(near, &ours, &their_public).expect("a channel");
    // Past two new keys, and a record that is cut in two.
    let short = 2 * channel::REKEY_AFTER + 10;
    for number in 0..short {
        channel.send(&number.to_be_bytes()).expect("sent");
        assert_eq!(channel.receive().expect("a record").as_deref(), Some(&number.to_be_bytes()[..]));
    }
    let long: Vec<u8> = (0..70_000_u32).map(|byte| byte as u8).collect();
    channel.send(&long).expect("sent");
    let parts = [(); 2].map(|()| channel.receive().expect("a record").expect("no end"));
    assert!(parts.concat() == long);
    channel.end().expect("ended");
    assert_eq!(channel.receive().expect("the end"), None);
    assert_eq!(echo.join().expect("no panic"), short + 2);
}

#[test]
fn a_channel_with_somebody_else() {
    let [ours, theirs] = identities();
    let stranger = ed25519::SigningKey::from_bytes([3; 32]);
    for is_stranger_listening in [true, false] {
        let (near, far) = connection();
        let (connects, listens) =
            if is_stranger_listening { (ours.clone(), stranger.clone()) } else { (stranger.clone(), theirs.clone()) };
        let (our_public, their_public) = (ours.verifying_key(), theirs.verifying_key());
        let listening = thread::spawn(move || Channel::listen(far, &listens, &our_public).is_ok());
        let connected = Channel::connect(near, &connects, &their_public).is_ok();
        assert!(!listening.join().expect("no panic"));
        // The one who connects does not wait for what the other one thinks of it, unless the keys differ.
        assert!(!connected || !is_stranger_listening);
    }
}

/// A connection that changes one bit of what is written after so many bytes, or ends there.
struct Bad {
    stream: TcpStream,
    after: usize,
    is_cut: bool,
}

impl Write for Bad {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let mut bytes = bytes.to_vec();
        if let Some(byte) = bytes.get_mut(self.after) {
            if self.is_cut {
                self.stream.shutdown(std::net::Shutdown::Both)?;
            }
            *byte ^= 4;
        }
        self.after = self.after.checked_sub(bytes.len()).unwrap_or(usize::MAX);
        self.stream.write_all(&bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.stream.flush()
    }
}

impl Read for Bad {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        self.stream.read(bytes)
    }
}

#[test]
fn a_channel_that_is_changed_or_cut_off() {
    // The key, the signature, and in the record its length, its bytes and its tag.
    for after in [0, 31, 32, 95, 96, 97, 98, 100, 103, 110, 118] {
        for is_cut in [false, true] {
            let (near, far) = connection();
            let [ours, theirs] = identities();
            let (our_public, their_public) = (ours.verifying_key(), theirs.verifying_key());
            let receives = thread::spawn(move || {
                let mut channel = Channel::listen(far, &theirs, &our_public).ok()?;
                channel.receive().ok()
            });
            let bad = Bad { stream: near, after, is_cut };
            if let Ok(mut channel) = Channel::connect(bad, &ours, &their_public) {
                let _ = channel.send(b"hello");
            }
            assert_eq!(receives.join().expect("no panic"), None, "{after}, {is_cut}");
        }
    }
}
