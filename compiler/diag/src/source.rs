//! Source texts and places in them.

use std::ops::Range;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// The bytes `start..end` of one file.
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

    /// The smallest span that covers both, which must lie in the same file; otherwise `self` is returned.
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
    /// The offset of every line's first byte.
    line_starts: Vec<u32>,
}

impl SourceFile {
    /// Line and column of a byte, both from 1, the column in characters. An offset past the end stands for the end.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let offset = self.boundary(offset);
        let line = self.line_starts.partition_point(|&start| start as usize <= offset);
        let start = self.line_starts.get(line.saturating_sub(1)).map_or(0, |&start| start as usize);
        (line.max(1), self.text[start..offset].chars().count() + 1)
    }

    /// The bytes of a span, moved to the nearest character boundaries before.
    pub fn clip(&self, span: Span) -> Range<usize> {
        let start = self.boundary(span.start as usize);
        start..self.boundary(span.end as usize).max(start)
    }

    /// The lines that a range touches, without the line feed of the last one.
    pub(crate) fn whole_lines(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.text[..range.start].rfind('\n').map_or(0, |i| i + 1);
        let end = self.text[range.end..].find('\n').map_or(self.text.len(), |i| range.end + i);
        start..end
    }

    /// The nearest character boundary at or before `offset`.
    fn boundary(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }
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
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(i, _)| i as u32 + 1)).collect();
        self.files.push(SourceFile { path: path.into(), text, line_starts });
        FileId(self.files.len() as u32 - 1)
    }

    pub fn get(&self, file: FileId) -> &SourceFile {
        &self.files[file.0 as usize]
    }

    pub fn find(&self, path: &Path) -> Option<FileId> {
        self.files.iter().position(|f| f.path == path).map(|i| FileId(i as u32))
    }

    pub fn snippet(&self, span: Span) -> &str {
        let file = self.get(span.file);
        &file.text[file.clip(span)]
    }

    /// Line and column of a span's start, both from 1, the column in characters.
    pub fn line_column(&self, span: Span) -> (usize, usize) {
        self.get(span.file).line_column(span.start as usize)
    }

    pub fn files(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }
}
