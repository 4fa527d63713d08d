use serde::Serialize;

use crate::{Diagnostic, Diagnostics, Severity, SourceMap, Span};

/// All diagnostics, each as one JSON object on a line of its own.
///
/// The field names are stable. Lines and columns count from 1, columns in characters; the end is exclusive. If a
/// diagnostic has no place, `file` and the four numbers are `null`; `fix` is `null` if there is none.
pub fn json(diagnostics: &Diagnostics, sources: &SourceMap) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics.iter() {
        // The value has only strings, numbers and lists, and therefore always has a JSON text.
        out.push_str(&serde_json::to_string(&Line::new(diagnostic, sources)).unwrap_or_default());
        out.push('\n');
    }
    out
}

#[derive(Serialize)]
struct Line<'a> {
    code: &'a str,
    severity: &'a str,
    message: &'a str,
    #[serde(flatten)]
    place: Place,
    label: &'a str,
    related: Vec<Related<'a>>,
    notes: &'a [String],
    /// The usual remedy of the code, if there are neither notes nor a fix.
    remedy: Option<&'a str>,
    fix: Option<FixLine<'a>>,
}

#[derive(Serialize, Default)]
struct Place {
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    end_line: Option<usize>,
    end_column: Option<usize>,
}

#[derive(Serialize)]
struct Related<'a> {
    #[serde(flatten)]
    place: Place,
    message: &'a str,
}

#[derive(Serialize)]
struct FixLine<'a> {
    message: &'a str,
    #[serde(flatten)]
    place: Place,
    replacement: &'a str,
}

impl<'a> Line<'a> {
    fn new(diagnostic: &'a Diagnostic, sources: &SourceMap) -> Self {
        Line {
            code: diagnostic.code.id,
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: &diagnostic.message,
            place: diagnostic.span.map(|span| Place::of(span, sources)).unwrap_or_default(),
            label: &diagnostic.label,
            related: diagnostic
                .related
                .iter()
                .map(|(span, message)| Related { place: Place::of(*span, sources), message })
                .collect(),
            notes: &diagnostic.notes,
            remedy: diagnostic.usual_remedy(),
            fix: diagnostic.fix.as_ref().map(|fix| FixLine {
                message: &fix.message,
                place: Place::of(fix.span, sources),
                replacement: &fix.replacement,
            }),
        }
    }
}

impl Place {
    fn of(span: Span, sources: &SourceMap) -> Place {
        let file = sources.get(span.file);
        let range = file.clip(span);
        let (line, column) = file.line_column(range.start);
        let (end_line, end_column) = file.line_column(range.end);
        Place {
            file: Some(file.path.display().to_string()),
            line: Some(line),
            column: Some(column),
            end_line: Some(end_line),
            end_column: Some(end_column),
        }
    }
}
