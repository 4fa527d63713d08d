//! How a kernel was made, from the command line or the note in its object.

use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::Options;
use culet_image::note::notes;
use culet_ir::Target;

use super::named;
use crate::args::{ChoiceArgs, InstanceArgs, ProveArgs, target};
use crate::output::{Failure, Output};

/// The arguments of `culet compile` that a note repeats.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Made {
    file: String,
    #[arg(short = 'I')]
    include: Vec<PathBuf>,
    #[command(flatten)]
    instance: InstanceArgs,
    #[arg(long, value_parser = target)]
    target: Target,
    #[command(flatten)]
    choices: ChoiceArgs,
    #[arg(long)]
    name: Option<String>,
    /// The claim in the record of a kernel of the library.
    #[arg(long)]
    claim: Option<Claim>,
}

/// A verdict that a kernel claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Claim {
    /// It computes what its program means.
    Equal,
}

/// The contents of a note.
struct Note {
    /// The program's file.
    program: String,
    stem: String,
    options: Options,
}

/// The compiler's options and the stem of the functions' names for a kernel in an ELF file.
pub fn options(args: &ProveArgs, stem: &str, file: &[u8], output: Output) -> Result<(String, Options), Failure> {
    let mut given = Options::new(args.target.unwrap_or(Target::C64));
    args.instance.apply(&mut given);
    args.choices.apply(&mut given);
    let own = given.default_name(stem);
    let wanted = args.name.as_deref().unwrap_or(&own);
    if args.target.is_some() {
        return Ok((wanted.to_owned(), given));
    }
    let fail = |code, message: String, notes: &[&str]| {
        let bare = Diagnostic::error_without_place(code, message);
        Err(output.fail(notes.iter().fold(bare, |diagnostic, note| diagnostic.note((*note).to_owned()))))
    };
    if given != Options::new(Target::C64) {
        let message = "choices of the compiler are given, but not the target".to_owned();
        return fail(
            &world::E0830,
            message,
            &[
                "`--node`, `--slice` and the like come with `--target`; without them all, the note that `culet compile` left in the \
               object decides",
            ],
        );
    }
    let found: Vec<Note> = notes(file).iter().filter_map(|made| read(made)).collect();
    let names: Vec<&str> = found.iter().map(|note| note.stem.as_str()).collect();
    let chosen = match &found[..] {
        [only] if args.name.is_none() => Some(only),
        all => all.iter().find(|note| note.stem == wanted),
    };
    match chosen {
        Some(note) => Ok((note.stem.clone(), note.options.clone())),
        None if names.is_empty() => {
            let message = format!(
                "`{}` has no note of `culet compile`, which would say what its functions are and what lies where",
                args.file().display()
            );
            let by_us = "for a kernel that culet compiled, give the target and the choices that it had, such as `--target avx2 --slice b`";
            let by_others = format!(
                "for a kernel that was written by hand, `--node`, `--slice` and `--target` say how the program's words lie in registers; \
                 its function is called `{wanted}_sliced` (`--name` gives another first part) and takes pointers to the registers of the \
                 results, then to those of the parameters"
            );
            let numbers = "for arithmetic on large integers, give a contract with `--contract` instead of `--source`";
            fail(&world::E0862, message, &[by_us, &by_others, numbers])
        }
        None => {
            let message = format!("`{}` has no kernel called `{wanted}`", args.file().display());
            fail(&world::E0862, message, &[&format!("it has {}: choose one with `--name`", names.join(", "))])
        }
    }
}

/// The remedy where a kernel was made of a program whose file has another name than the one that it is compared with.
pub fn other_program(file: &[u8], stem: &str, source: &Path) -> Option<String> {
    let note = notes(file).iter().filter_map(|made| read(made)).find(|note| note.stem == stem)?;
    let (made_of, given) = (Path::new(&note.program).file_name()?, source.file_name()?);
    (made_of != given).then(|| {
        let (made_of, given) = (made_of.to_string_lossy(), given.to_string_lossy());
        format!("`{stem}` was made of `{made_of}`, and is compared with `{given}`: give `--source` the program that it was made of")
    })
}

/// Reads a command line. `None` if it is not one of this version's.
fn read(made: &str) -> Option<Note> {
    let (made, options) = parsed(made.strip_prefix("culet compile ")?)?;
    let stem = Path::new(&made.file).file_stem()?.to_str()?;
    let stem = made.name.unwrap_or_else(|| options.default_name(stem));
    Some(Note { program: made.file, stem, options })
}

/// Reads a program's path with the options of `culet compile` that follow it, and what is claimed of the kernel. `None` if this version has no such
/// options.
pub fn program(made: &str) -> Option<(String, Options, Option<Claim>)> {
    parsed(made).map(|(made, options)| (made.file, options, made.claim))
}

fn parsed(made: &str) -> Option<(Made, Options)> {
    let made = Made::try_parse_from(named::words(made)?).ok()?;
    let mut options = Options::new(made.target);
    made.instance.apply(&mut options);
    made.choices.apply(&mut options);
    Some((made, options))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut options = Options::new(Target::Avx2);
        options.node = Some("Round".into());
        options.width = Some(128);
        options.unroll = culet_passes::Amount::All;
        options.schedule = culet_passes::Schedule::None;
        let made = format!("culet compile a.b.ua {}", options.arguments());
        let note = read(&made).expect("a note");
        assert_eq!((note.stem.as_str(), &note.options), ("round_avx2", &options));
        let note = read(&format!("{made} --name a.b")).expect("a note");
        assert_eq!((note.stem.as_str(), note.options), ("a.b", options));
        for damaged in ["", "culet compile ", "culet compile a.ua --target z80", "culet compile a.ua --target sse --x"]
        {
            assert!(read(damaged).is_none(), "{damaged}");
        }
    }

    #[test]
    fn claims_are_read() {
        let claim = |made: &str| program(made).map(|(.., claim)| claim);
        assert_eq!(claim("a.ua --target c64"), Some(None));
        assert_eq!(claim("a.ua --target c64 --claim equal"), Some(Some(Claim::Equal)));
        assert_eq!(claim("a.ua --target c64 --claim more"), None);
    }
}
