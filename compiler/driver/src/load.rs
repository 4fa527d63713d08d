//! Reading a program: the main file and everything it includes.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics, FileId, SourceMap};
use culet_ir::Module;
use culet_syntax::ast::{Include, Item};

use crate::intermediate;

/// A source of program texts: the disk, or texts built into the command.
pub trait Reader {
    /// The file's bytes.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
}

/// Files of the file system.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskReader;

impl Reader for DiskReader {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        read_file(path, MAX_TEXT_MIB)
    }
}

/// Maximum size of a text in MiB. No program comes near it, and the parser's memory stays bounded.
const MAX_TEXT_MIB: u64 = 64;

/// The bytes of a regular file of at most `mib` MiB.
pub fn read_file(path: &Path, mib: u64) -> io::Result<Vec<u8>> {
    let metadata = std::fs::metadata(path)?;
    if !metadata.is_file() {
        let kind = if metadata.is_dir() { "it is a directory" } else { "it is not a regular file" };
        return Err(io::Error::other(kind));
    }
    if metadata.len() > mib << 20 {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("the file is larger than {mib} MiB")));
    }
    std::fs::read(path)
}

/// A regular file's text.
pub fn read_text(path: &Path) -> io::Result<String> {
    let bytes = read_file(path, MAX_TEXT_MIB)?;
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// The diagnostic for a file that cannot be read.
pub fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::error_without_place(&world::E0801, format!("cannot read `{}`: {}", path.display(), reason(error)))
}

/// Maximum depth of includes.
const MAX_INCLUDE_DEPTH: usize = 64;

/// A program's definitions in order, including those of included files.
#[derive(Debug, Default)]
pub struct Source {
    pub map: SourceMap,
    pub items: Vec<Item>,
    pub main: Option<FileId>,
    /// Whether the file is the intermediate representation (`.ir`), not a program.
    pub is_intermediate: bool,
    /// The module of a file `.ir`, if it is right.
    pub module: Option<Module>,
    /// The main file's name without its extension.
    pub stem: String,
    /// The main file and the directories of included files, as a command line gives them.
    pub given: String,
}

/// Reads and parses `path` and the files that it includes. A file `.ir` is the intermediate representation.
///
/// An include is looked for as it is written (relative to the current directory), in the directory of the main file, in
/// each of `include_dirs`, and in the directory of the including file, in this order.
pub fn load(path: &Path, include_dirs: &[PathBuf], reader: &dyn Reader) -> (Source, Diagnostics) {
    let (source, diagnostics) = load_beside(false, path, include_dirs, reader);
    // How a file reads depends on fields that another one may define.
    let has_fields = source.items.iter().any(|item| matches!(item, Item::Field(_)));
    let has_parts = source.map.files().nth(1).is_some();
    if has_fields && has_parts { load_beside(true, path, include_dirs, reader) } else { (source, diagnostics) }
}

fn load_beside(has_fields: bool, path: &Path, include_dirs: &[PathBuf], reader: &dyn Reader) -> (Source, Diagnostics) {
    let text = |name: Option<&OsStr>| name.map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let (stem, given) = (text(path.file_stem()), text(path.file_name()));
    let mut loader = Loader {
        reader,
        has_fields,
        main_dir: parent(path),
        include_dirs,
        source: Source { stem, given, ..Source::default() },
        diagnostics: Diagnostics::new(),
        open: Vec::new(),
        seen: HashSet::new(),
    };
    let is_intermediate = path.extension().is_some_and(|e| e == intermediate::EXTENSION);
    loader.source.is_intermediate = is_intermediate;
    match reader.read(path) {
        Ok(bytes) if is_intermediate => loader.intermediate(path, bytes),
        Ok(bytes) => {
            loader.source.main = loader.add(path, bytes);
        }
        Err(error) => loader.diagnostics.push(unreadable(path, &error)),
    }
    (loader.source, loader.diagnostics)
}

struct Loader<'a> {
    reader: &'a dyn Reader,
    /// Whether the program is known to define a field.
    has_fields: bool,
    main_dir: PathBuf,
    include_dirs: &'a [PathBuf],
    source: Source,
    diagnostics: Diagnostics,
    /// The files that are being spliced, outermost first. These paths and those below are [`plain`].
    open: Vec<PathBuf>,
    /// Every file that was spliced so far. Each is once, where it is included first.
    seen: HashSet<PathBuf>,
}

impl Loader<'_> {
    /// Adds a file's text to the source map.
    fn text(&mut self, path: &Path, bytes: Vec<u8>) -> Option<FileId> {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                self.diagnostics.push(
                    Diagnostic::error_without_place(
                        &world::E0802,
                        format!("`{}` is not UTF-8: byte {at} cannot be read", path.display()),
                    )
                    .note("source files are UTF-8 text; only comments may hold anything but ASCII"),
                );
                return None;
            }
        };
        Some(self.source.map.add(path, text))
    }

    fn intermediate(&mut self, path: &Path, bytes: Vec<u8>) {
        self.source.main = self.text(path, bytes);
        if let Some(file) = self.source.main {
            let (module, diagnostics) = intermediate::parse(file, &self.source.map);
            self.source.module = module;
            self.diagnostics.extend(diagnostics);
        }
    }

    /// Parses a text and appends its definitions.
    fn add(&mut self, path: &Path, bytes: Vec<u8>) -> Option<FileId> {
        let file = self.text(path, bytes)?;
        let (tree, diagnostics) = culet_syntax::parse_part(file, &self.source.map.get(file).text, self.has_fields);
        self.diagnostics.extend(diagnostics);
        self.open.push(plain(path));
        self.seen.insert(plain(path));
        for item in tree.items {
            match item {
                Item::Include(include) => self.splice(&include, path),
                other => self.source.items.push(other),
            }
        }
        self.open.pop();
        Some(file)
    }

    fn splice(&mut self, include: &Include, from: &Path) {
        if self.open.len() >= MAX_INCLUDE_DEPTH {
            self.diagnostics.push(Diagnostic::error(&world::E0804, include.span, "includes are nested too deeply"));
            return;
        }
        let mut tried = Vec::new();
        let mut dirs = vec![PathBuf::new(), self.main_dir.clone()];
        dirs.extend_from_slice(self.include_dirs);
        dirs.push(parent(from));
        for dir in dirs {
            let path = dir.join(&include.path);
            if tried.contains(&path) {
                continue;
            }
            if self.open.contains(&plain(&path)) {
                self.diagnostics.push(
                    Diagnostic::error(&world::E0804, include.span, format!("`{}` includes itself", path.display()))
                        .note("a file may not be part of itself, not even through other files"),
                );
                return;
            }
            match self.reader.read(&path) {
                Ok(bytes) => {
                    if self.seen.insert(plain(&path)) {
                        self.add(&path, bytes);
                    }
                    return;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => tried.push(path),
                Err(error) => {
                    self.diagnostics.push(Diagnostic::error(
                        &world::E0803,
                        include.path_span,
                        format!("cannot read `{}`: {}", path.display(), reason(&error)),
                    ));
                    return;
                }
            }
        }
        let places: Vec<String> = tried.iter().map(|p| format!("`{}`", p.display())).collect();
        self.diagnostics.push(
            Diagnostic::error(&world::E0803, include.path_span, format!("cannot find `{}`", include.path))
                .note(format!("looked for {}", places.join(", ")))
                .note("give its directory with `-I DIR`"),
        );
    }
}

/// The path without `.`, and without folders that `..` leaves again: two ways to a file are one.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

fn parent(path: &Path) -> PathBuf {
    path.parent().map_or_else(PathBuf::new, Path::to_path_buf)
}

/// The system's reason, without the error number.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

/// The name that a definition gives to a node.
pub(crate) fn node_name(item: &Item) -> Option<&str> {
    match item {
        Item::Node(node) => Some(&node.name.name),
        Item::Perm(perm) => Some(&perm.name.name),
        Item::Table(table) => Some(&table.name.name),
        Item::Include(_) | Item::TypeAlias(_) | Item::Field(_) | Item::Constant(_) => None,
    }
}
