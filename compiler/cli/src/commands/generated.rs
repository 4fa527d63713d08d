//! Writing generated files: a file that another command made, or the same command of another program, or a person wrote, is
//! not replaced silently.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_image::note::notes;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::named;
use crate::output::{Failure, Output};

/// The command that makes some files, and what to do about files that are there.
pub struct Making<'a> {
    /// The command line, as the files say it.
    pub command: &'a str,
    /// The beginning of the command line that files which may be replaced have in common with it.
    pub common: &'a str,
    /// The program's file, if the command has one.
    pub program: Option<&'a Path>,
    /// Whether to replace whatever is there.
    pub force: bool,
    /// How to give the files other names.
    pub remedy: &'a str,
}

/// Writes generated files, whole or not at all. Behind the command, each says which program it was made of.
///
/// # Errors
///
/// E0813, if another command made one that is there, or the same command of another program.
pub fn write(making: &Making<'_>, files: &[(PathBuf, &[u8])], output: Output) -> Result<(), Failure> {
    let marked = |(path, text): &(PathBuf, &[u8])| (path.clone(), marked(text, making.program, path));
    let files: Vec<(PathBuf, Vec<u8>)> = files.iter().map(marked).collect();
    if !making.force {
        for (path, text) in &files {
            if let Some(there) = other(path, text, making) {
                let message = format!("`{}` is there, and {there}", path.display());
                return Err(output.fail(
                    Diagnostic::error_without_place(&world::E0813, message)
                        .note(format!("this command is `{}`", making.command))
                        .note(making.remedy),
                ));
            }
        }
    }
    output.write_files(&files)
}

/// Refuses a file of Rust whose name no module can have.
///
/// # Errors
///
/// E0830, if it is a word of Rust.
pub fn expect_module(name: &str, output: Output) -> Result<(), Failure> {
    if !culet_driver::is_rust_keyword(name) {
        return Ok(());
    }
    let message = format!("`{name}` is a word of Rust, which no module can have as its name");
    Err(output.fail(Diagnostic::error_without_place(&world::E0830, message).note("`--name NAME` gives another")))
}

/// Refuses to replace objects and entries of the manifest that culet did not make.
///
/// # Errors
///
/// E0813, if there is one.
pub fn keep_foreign(making: &Making<'_>, object: &Path, entry: &Path, output: Output) -> Result<(), Failure> {
    let read = |path: &Path| fs::read(path).ok().filter(|bytes| !bytes.is_empty() && !making.force);
    let is_entry = |bytes: &[u8]| serde_json::from_slice(bytes).is_ok_and(|entry: Value| entry["culet"].is_object());
    let of_others = [
        (object, read(object).is_some_and(|bytes| notes(&bytes).is_empty())),
        (entry, read(entry).is_some_and(|bytes| !is_entry(&bytes))),
    ];
    match of_others.into_iter().find(|(_, is_foreign)| *is_foreign) {
        Some((path, _)) => {
            let message = format!("`{}` is there, and culet did not make it", path.display());
            Err(output.fail(Diagnostic::error_without_place(&world::E0813, message).note(making.remedy)))
        }
        None => Ok(()),
    }
}

/// A phrase about who made the file at this path, if that is somebody else.
fn other(path: &Path, text: &[u8], making: &Making<'_>) -> Option<String> {
    let bytes = fs::read(path).ok().filter(|bytes| !bytes.is_empty())?;
    let Some(there) = made_by(&bytes) else { return Some("culet did not make it".to_owned()) };
    let own = made_by(text).unwrap_or_default();
    // The tuner's choices stand behind the command. In a file, a backslash keeps a command from ending the comment.
    let of_tuner = making.common != making.command && same(&there.command).starts_with(&same(making.common));
    if there.command != own.command && !of_tuner {
        return Some(format!("another command made it: `{}`", there.command));
    }
    // A file without a mark was made before files had one, or by `culet library`.
    (there.program.is_some() && there.program != own.program)
        .then(|| "the same command made it of another program, in another directory".to_owned())
}

fn same(command: &str) -> String {
    command.replace('\\', "")
}

/// The command and the program that a generated file names.
#[derive(Debug, Default, PartialEq, Eq)]
struct Made {
    command: String,
    /// The mark of the program.
    program: Option<String>,
}

/// Stands between the command and the mark of the program: a shell takes both for a comment.
const OF_PROGRAM: &str = " # program ";

fn made_by(bytes: &[u8]) -> Option<Made> {
    let beginning = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]).into_owned();
    let line = &beginning[command_line(&beginning)?];
    Some(match line.rsplit_once(OF_PROGRAM) {
        Some((command, mark)) => Made { command: command.to_owned(), program: Some(mark.to_owned()) },
        None => Made { command: line.to_owned(), program: None },
    })
}

/// The text of a file at this path, with the mark of the program behind the command.
fn marked(text: &[u8], program: Option<&Path>, path: &Path) -> Vec<u8> {
    let line = std::str::from_utf8(text).ok().and_then(command_line);
    let (Some(program), Some(line)) = (program, line) else { return text.to_vec() };
    let mark = format!("{OF_PROGRAM}{}", mark(program, path));
    [&text[..line.end], mark.as_bytes(), &text[line.end..]].concat()
}

/// Tells a program from others, whatever is in it: a digest of its path as seen from the file that is made. Equal trees in two
/// places have equal marks, and no file says where a person keeps programs.
fn mark(program: &Path, made: &Path) -> String {
    let parent = made.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let here = fs::canonicalize(parent).unwrap_or_else(|_| parent.to_path_buf());
    let program = fs::canonicalize(program).unwrap_or_else(|_| program.to_path_buf());
    let digest = Sha256::digest(named::from(&here, &program).as_os_str().as_encoded_bytes());
    digest[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The place of the command among the first lines of a generated file.
fn command_line(text: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for line in text.split_inclusive('\n').take(8) {
        let command = line.trim_start_matches(['/', '*', '!', '#', ' ']);
        if command.starts_with("culet ") && !line.starts_with("Generated") {
            let from = start + line.len() - command.len();
            return Some(from..from + command.trim_end().len());
        }
        start += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(command: &str, program: Option<&str>) -> Option<Made> {
        Some(Made { command: command.to_owned(), program: program.map(str::to_owned) })
    }

    #[test]
    fn files_say_which_command_made_them() {
        let c = b"/* Generated by culet 0.1.0; do not edit. Made by:\n *\n *     culet compile a.ua --target c64\n *\n";
        assert_eq!(made_by(c), made("culet compile a.ua --target c64", None));
        let rust =
            b"//! Generated by culet 0.1.0; do not edit. Made by:\n//!\n//! ```text\n//! culet compile a.ua\n//! ```\n";
        assert_eq!(made_by(rust), made("culet compile a.ua", None));
        assert_eq!(made_by(b"int main(void) { return 0; }\n"), None);
        assert_eq!(made_by(&[0xff, 0xfe]), None);
        let with_mark = marked(c, Some(Path::new("/there/is/no/a.ua")), Path::new("/there/is/no/out/a.c"));
        // The first bytes of SHA-256 of `../a.ua`, by `sha256sum`.
        assert_eq!(made_by(&with_mark), made("culet compile a.ua --target c64", Some("1a42a512476189ab")));
        assert_eq!(with_mark.len(), c.len() + OF_PROGRAM.len() + 16);
        assert!(with_mark.ends_with(b"\n *\n"));
    }

    #[test]
    fn programs_are_told_apart_by_their_place_as_seen_from_the_file() {
        let mark = |program: &str, made: &str| mark(Path::new(program), Path::new(made));
        let own = mark("/no/a/x.ua", "/no/out/x.c");
        assert_eq!(own, mark("/elsewhere/a/x.ua", "/elsewhere/out/x.h"));
        assert_ne!(own, mark("/no/b/x.ua", "/no/out/x.c"));
        // With nothing but the root in common, the whole path counts.
        assert_ne!(mark("/no/a/x.ua", "/out/x.c"), mark("/no/b/x.ua", "/out/x.c"));
    }
}
