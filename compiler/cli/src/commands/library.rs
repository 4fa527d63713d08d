//! `culet library`: the kernels of a library, written or compared with what is there.

use std::path::{Path, PathBuf};

use culet_diag::Diagnostic;
use culet_diag::codes::world;
use culet_driver::{DiskReader, Library, LibraryFile, Purpose, library, read_text};

use super::{make_directory, working};
use crate::args::LibraryArgs;
use crate::output::{Failure, Output};

pub fn run(args: &LibraryArgs, output: Output) -> Result<(), Failure> {
    let recipe = args.recipe.display();
    let purpose = if args.check { Purpose::Compare } else { Purpose::Write };
    let made = working("compiling the kernels", output, || library(&args.recipe, &DiskReader, purpose));
    let library = made.map_err(|refused| {
        let failures: Vec<Failure> = refused.iter().map(|why| output.report(&why.diagnostics, &why.sources)).collect();
        let is_environment = failures.iter().all(|failure| *failure == Failure::Environment);
        if is_environment { Failure::Environment } else { Failure::Input }
    })?;
    if args.check {
        let differing = library.files.iter().filter_map(difference);
        return end(differing.chain(left_over(&library)).collect(), output)
            .inspect(|()| output.progress(&format!("{recipe}: all of {} files are fresh", library.files.len())));
    }
    for directory in &library.directories {
        make_directory(directory, output)?;
    }
    let files: Vec<(PathBuf, &[u8])> =
        library.files.iter().map(|file| (file.path.clone(), file.text.as_bytes())).collect();
    output.write_files(&files)?;
    output.progress(&format!("{recipe}: {} files written", files.len()));
    end(left_over(&library).collect(), output)
}

/// Every file that is not as it ought to be is an error.
fn end(wrong: Vec<Diagnostic>, output: Output) -> Result<(), Failure> {
    let failures: Vec<Failure> = wrong.into_iter().map(|diagnostic| output.fail(diagnostic)).collect();
    failures.first().map_or(Ok(()), |failure| Err(*failure))
}

/// The difference between a file on the disk and the generated one.
fn difference(file: &LibraryFile) -> Option<Diagnostic> {
    let path = file.path.display();
    let message = match read_text(&file.path) {
        Ok(text) if text == file.text => return None,
        Ok(_) => format!("`{path}` is not what the recipe makes"),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => format!("there is no `{path}`"),
        Err(error) => format!("cannot read `{path}`: {error}"),
    };
    Some(Diagnostic::error_without_place(&world::E0881, message).note("`culet library` without `--check` writes it"))
}

/// Files in the directories of a library that its recipe does not make.
fn left_over(library: &Library) -> impl Iterator<Item = Diagnostic> {
    let entries = library.directories.iter().filter_map(|directory| std::fs::read_dir(directory).ok()).flatten();
    let is_made = |path: &Path| library.files.iter().any(|file| file.path == path);
    let mut others: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| !is_made(path)).collect();
    others.sort();
    others.into_iter().map(|path| {
        let message = format!("`{}` is not made by the recipe", path.display());
        Diagnostic::error_without_place(&world::E0881, message).note("delete it, or add its module to the recipe")
    })
}
