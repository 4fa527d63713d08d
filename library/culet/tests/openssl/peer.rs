//! A program in C that answers questions by OpenSSL, in a process of its own.

use std::env;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::bytes::hex;

/// A question, and what must hold of OpenSSL's answer: the bytes, or none where it refuses.
struct Question {
    line: String,
    check: Box<dyn Fn(Option<Vec<u8>>)>,
}

/// Questions that are asked together.
#[derive(Default)]
pub struct Questions(Vec<Question>);

impl Questions {
    /// Appends a question: an operation, OpenSSL's name of an algorithm or a curve, and arguments.
    pub fn push(
        &mut self,
        operation: &str,
        name: &str,
        arguments: &[&[u8]],
        check: impl Fn(Option<Vec<u8>>) + 'static,
    ) {
        let mut line = format!("{operation} {name}");
        for argument in arguments {
            line.push_str(" x");
            argument.iter().for_each(|byte| write!(line, "{byte:02x}").expect("a string"));
        }
        self.0.push(Question { line, check: Box::new(check) });
    }

    /// OpenSSL must give this answer.
    pub fn same(&mut self, operation: &str, name: &str, arguments: &[&[u8]], expected: &[u8]) {
        let (about, expected) = (format!("{operation} {name} {arguments:02x?}"), expected.to_vec());
        self.push(operation, name, arguments, move |answer| assert_eq!(answer.as_ref(), Some(&expected), "{about}"));
    }

    /// OpenSSL must refuse.
    pub fn refused(&mut self, operation: &str, name: &str, arguments: &[&[u8]]) {
        let about = format!("{operation} {name} {arguments:02x?}");
        self.push(operation, name, arguments, move |answer| assert_eq!(answer, None, "{about}"));
    }

    /// Asks all of them.
    pub fn ask(self) {
        let Some(program) = program() else { return };
        let input: String = self.0.iter().flat_map(|question| [&question.line, "\n"]).collect();
        let mut child =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program runs");
        let mut stdin = child.stdin.take().expect("a pipe");
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().expect("it ends");
        writer.join().expect("no panic").expect("it reads all");
        assert!(output.status.success(), "{}", output.status);
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(!self.0.is_empty() && text.lines().count() == self.0.len());
        for (line, question) in text.lines().zip(self.0) {
            let answer = line.strip_prefix("yes ").map(hex);
            assert!(answer.is_some() || line == "no ", "{line}");
            (question.check)(answer);
        }
    }
}

/// The program's file; none if OpenSSL is not installed.
fn program() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/openssl/peer.c");
        let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("openssl-peer");
        let mut compiler = Command::new("gcc-12");
        compiler.args(["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror", "-O1"]);
        compiler.arg(source).arg("-o").arg(&program).arg("-lcrypto");
        let output = compiler.output().ok().filter(|output| output.status.success());
        let is_wanted = env::var_os("CULET_REQUIRE_COMPILERS").is_some();
        assert!(output.is_some() || !is_wanted, "{compiler:?} fails: gcc-12 or libssl-dev is not installed");
        output.map(|_| program)
    });
    program.as_deref()
}
