//! Finding descriptions of primitives: beside a program, in a directory, or named.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use culet_diag::codes::{answers, world};
use culet_diag::{Diagnostic, SourceMap, Span};
use culet_driver::{NoDescription, Primitive, read_text, unreadable};

use crate::output::{Failure, Output};

/// The program, and its description if there is one. `file` may be either of the two.
pub fn locate(file: &Path, output: Output) -> Result<(PathBuf, Option<PathBuf>), Failure> {
    if is_description(file) {
        let primitive = read(file, output)?;
        return Ok((file.with_file_name(primitive.source), Some(file.to_path_buf())));
    }
    let description = file.with_extension("toml");
    Ok((file.to_path_buf(), description.is_file().then_some(description)))
}

pub fn read(path: &Path, output: Output) -> Result<Primitive, Failure> {
    let text = read_text(path).map_err(|error| output.fail(unreadable(path, &error)))?;
    let refused = |place: Range<usize>, diagnostic: &dyn Fn(Span) -> Diagnostic| {
        let mut sources = SourceMap::new();
        let file = sources.add(path, text.clone());
        output.report(&diagnostic(Span::new(file, place.start, place.end)).into(), &sources)
    };
    let primitive = Primitive::parse(&text).map_err(|NoDescription { reason, place }| {
        let message = format!("`{}` is not a description of a primitive", path.display());
        if !is_description(path) {
            let descriptions = of_program(path);
            let note = if descriptions.is_empty() { HOW_TO_DESCRIBE.to_owned() } else { list(&descriptions) };
            return output.fail(Diagnostic::error_without_place(&answers::E0901, message).note(note));
        }
        let remedy = "`primitives/README.md` documents the format";
        let diagnostic = |span| Diagnostic::error(&answers::E0901, span, message.clone());
        refused(place, &|span| diagnostic(span).label(reason.clone()).note(remedy))
    })?;
    let program = path.with_file_name(&primitive.source);
    if !program.exists() {
        let quoted = format!("\"{}\"", primitive.source);
        let place = text.find(&quoted).map_or(0..0, |start| start..start + quoted.len());
        let message = format!("there is no program `{}`", program.display());
        let note = "`source` is the program's path from the directory of the description";
        return Err(refused(place, &|span| Diagnostic::error(&answers::E0901, span, message.clone()).note(note)));
    }
    Ok(primitive)
}

/// The remedy for a program that has no description.
const HOW_TO_DESCRIBE: &str = "`culet test` takes descriptions (.toml), which name a program and its published answers; \
                               `primitives/README.md` shows how to write one";

/// Whether a file is meant as a description of a primitive: what is wrong in it is said of a description, not of a program.
pub fn is_description(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "toml")
}

/// Refuses a description in the place of a program.
pub fn expect_program(file: &Path, output: Output) -> Result<(), Failure> {
    if !is_description(file) {
        return Ok(());
    }
    let primitive = read(file, output)?;
    let (shown, program) = (file.display(), file.with_file_name(&primitive.source));
    let node = primitive.main_node().map_or_else(String::new, |node| format!(" --node {node}"));
    let message = format!("`{shown}` describes a primitive and is no program");
    let note = format!("give its program, `{}{node}`; `culet test {shown}` checks the description", program.display());
    Err(output.fail(Diagnostic::error_without_place(&world::E0806, message).note(note)))
}

/// The diagnostic for a program without a description. It names descriptions that are there.
pub fn missing(program: &Path) -> Diagnostic {
    let message = format!("`{}` has no description of the same name beside it", program.display());
    let diagnostic = Diagnostic::error_without_place(&world::E0831, message);
    match of_program(program).as_slice() {
        [] => diagnostic.note("give the description (.toml) itself; `primitives/README.md` shows how to write one"),
        found => diagnostic.note(list(found)),
    }
}

fn list(found: &[PathBuf]) -> String {
    let names: Vec<String> = found.iter().map(|path| format!("`{}`", path.display())).collect();
    match names.as_slice() {
        [one] => format!("{one} describes this program: give that file instead"),
        all => format!("{} describe this program: give one of them instead", all.join(", ")),
    }
}

/// The descriptions beside a program that name it as their source.
fn of_program(program: &Path) -> Vec<PathBuf> {
    let directory = program.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let beside = entries.map(|entry| program.with_file_name(entry.file_name()));
    let is_its = |path: &PathBuf| {
        is_description(path)
            && parse(path).is_some_and(|p| Some(Path::new(&p.source).as_os_str()) == program.file_name())
    };
    let mut found: Vec<PathBuf> = beside.filter(is_its).collect();
    found.sort();
    found
}

/// The descriptions that are named, and those in the directories that are named, sorted by name within each directory.
/// In a directory, files that are not meant to be descriptions are passed over.
pub fn find(paths: &[PathBuf], output: Output) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for path in paths {
        if !path.is_dir() {
            found.push(path.clone());
            continue;
        }
        let mut files = Vec::new();
        collect(path, &mut files).map_err(|error| output.fail(unreadable(path, &error)))?;
        files.sort();
        let before = found.len();
        for file in files {
            // A file that cannot be read is kept: the error is reported when it is read again.
            if read_text(&file).map_or(true, |text| Primitive::is_meant(&text)) {
                found.push(file);
            } else {
                let reason = "it has neither a table `slicing` nor known answers";
                output.progress(&format!("`{}` is not a description: {reason}", file.display()));
            }
        }
        if found.len() == before {
            let message = format!("`{}` holds no descriptions of primitives (.toml)", path.display());
            return Err(output.fail(Diagnostic::error_without_place(&world::E0801, message)));
        }
    }
    Ok(found)
}

/// Collects all TOML files below a directory. Links to directories are not followed.
fn collect(directory: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() {
            collect(&path, found)?;
        } else if is_description(&path) && path.is_file() {
            found.push(path);
        }
    }
    Ok(())
}

/// Parses a description. The reader refuses devices and files that are too large.
fn parse(path: &Path) -> Option<Primitive> {
    read_text(path).ok().and_then(|text| Primitive::parse(&text).ok())
}
