//! Source texts and places in them.

use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// Bytes `start..end` of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        // Files are limited to 4 GiB by `SourceMap::add`.
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both; they must lie in the same file, else `self` is returned.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

#[derive(Debug, Clone)]
pub struct SourceFile {
    pub path: PathBuf,
    pub text: String,
}

/// All texts of one compilation.
#[derive(Debug, Clone, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn add(&mut self, path: impl Into<PathBuf>, text: String) -> FileId {
        assert!(u32::try_from(text.len()).is_ok(), "the reader refuses files of 4 GiB and more");
        self.files.push(SourceFile { path: path.into(), text });
        FileId(self.files.len() as u32 - 1)
    }

    pub fn get(&self, file: FileId) -> &SourceFile {
        &self.files[file.0 as usize]
    }

    pub fn find(&self, path: &Path) -> Option<FileId> {
        self.files.iter().position(|f| f.path == path).map(|i| FileId(i as u32))
    }

    pub fn snippet(&self, span: Span) -> &str {
        &self.get(span.file).text[span.start as usize..span.end as usize]
    }

    /// Line and column of a span's start, both from 1, the column in characters.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        let before = &self.get(span.file).text[..span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }
}
