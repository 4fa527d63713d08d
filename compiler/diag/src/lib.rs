//! Diagnostics: one type for all messages of culet about its input, the registry of codes behind `culet explain`, and
//! the renderers.
//!
//! A [`Diagnostic`] names a stable [`Code`], a place, the reason, and a remedy where possible. Producing one never
//! prints: renderers turn diagnostics into text or JSON, and only the command writes them out.

pub mod codes;
pub mod render;
mod source;

use std::fmt::Display;

pub use source::{FileId, SourceFile, SourceMap, Span};

/// A stable diagnostic code such as `E0412` or `W0101`, with the text that `culet explain` prints.
///
/// Codes are constants in [`codes`]; compare them by `id`.
#[derive(Debug)]
pub struct Code {
    /// `E` or `W` and four digits.
    pub id: &'static str,
    /// The title in one line, without a full stop.
    pub title: &'static str,
    /// The usual remedy in one line, as an imperative. It is shown for a diagnostic that has none of its own.
    pub remedy: &'static str,
    /// The meaning of the code, the reason for the rule, a wrong example and a right one, in Markdown.
    pub explanation: &'static str,
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}
impl Eq for Code {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// A replacement that would correct the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    pub span: Span,
    pub replacement: String,
    /// The remedy as an imperative, e.g. "write the parentheses".
    pub message: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: &'static Code,
    pub severity: Severity,
    /// The reason, in one sentence without a full stop.
    pub message: String,
    /// The place; `None` only if there is none (an unknown target, a missing compiler).
    pub span: Option<Span>,
    /// The text at the place itself; may be empty.
    pub label: String,
    /// Other places that matter, each with a short text.
    pub related: Vec<(Span, String)>,
    pub notes: Vec<String>,
    pub fix: Option<Fix>,
}

impl Diagnostic {
    pub fn error(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, Some(span), message.into())
    }

    pub fn warning(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, Some(span), message.into())
    }

    /// An error that has no place in a source text, about the environment or an option.
    pub fn error_without_place(code: &'static Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, None, message.into())
    }

    fn new(code: &'static Code, severity: Severity, span: Option<Span>, message: String) -> Self {
        Diagnostic {
            code,
            severity,
            message,
            span,
            label: String::new(),
            related: Vec::new(),
            notes: Vec::new(),
            fix: None,
        }
    }

    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    #[must_use]
    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push((span, text.into()));
        self
    }

    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    #[must_use]
    pub fn fix(mut self, span: Span, replacement: impl Into<String>, message: impl Into<String>) -> Self {
        self.fix = Some(Fix { span, replacement: replacement.into(), message: message.into() });
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The remedy of the code, unless notes or a fix give a better one.
    pub fn usual_remedy(&self) -> Option<&'static str> {
        (self.notes.is_empty() && self.fix.is_none()).then_some(self.code.remedy)
    }
}

/// A number of things: `1 byte`, `2 bytes`.
pub fn counted(number: impl Display, thing: &str) -> String {
    let number = number.to_string();
    if number == "1" { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// Rewords a message of the reader of TOML without the names of Rust.
pub fn in_words(message: &str) -> String {
    const WORDS: [(&str, &str); 19] = [
        ("invalid type: ", "found "),
        ("invalid value: ", "found "),
        ("missing field ", "there is no "),
        ("unknown field ", "unknown entry "),
        ("unknown variant ", "there is no "),
        (", expected one of ", "; there are "),
        ("duplicate field ", "twice the entry "),
        ("expected u32", "expected a whole number"),
        ("expected u64", "expected a whole number"),
        ("expected usize", "expected a whole number"),
        ("found sequence", "found a list"),
        ("found map", "found a table"),
        ("expected a sequence", "expected a list"),
        ("expected a string", "expected a text in quotes"),
        ("expected a map", "expected a table"),
        ("expected struct ContractText", "expected a contract"),
        ("expected struct ArgumentText", "expected a table `[[argument]]`"),
        ("found string ", "found the text "),
        ("found a table, expected a list", "found a table `[…]`, expected a list of tables `[[…]]`"),
    ];
    WORDS.iter().fold(message.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours))
}

/// Diagnostics in the order in which they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    pub fn extend(&mut self, other: Diagnostics) {
        self.0.extend(other.0);
    }

    pub fn has_errors(&self) -> bool {
        self.0.iter().any(Diagnostic::is_error)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Diagnostics(vec![diagnostic])
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
