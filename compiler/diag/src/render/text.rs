use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Patch, Renderer, Snippet};

use crate::{Diagnostic, Diagnostics, FileId, Severity, SourceFile, SourceMap, Span};

/// Maximum distance in lines of places that are shown in one excerpt.
const LINES_IN_ONE_EXCERPT: usize = 60;
/// Maximum size in bytes of an excerpt. A longer one (a generated file on one line) is named but not shown.
const BYTES_IN_ONE_EXCERPT: usize = 20_000;

/// Diagnostics for people: code, reason, the place in its line, related places, notes, and the fix as a patch.
///
/// The text has ANSI colours only if `color` is true.
pub fn text(diagnostics: &Diagnostics, sources: &SourceMap, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() }.decor_style(DecorStyle::Ascii);
    let mut out = String::new();
    for diagnostic in diagnostics.iter() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(renderer.render(&groups(diagnostic, sources)).trim_end());
        out.push('\n');
    }
    out
}

fn groups<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(diagnostic.message.as_str()).id(diagnostic.code.id));
    for excerpt in excerpts(diagnostic, sources) {
        group = excerpt.show(group);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(remedy) = diagnostic.usual_remedy() {
        group = group.element(Level::HELP.message(remedy));
    }
    group = group.element(Level::HELP.message(format!("`culet explain {}` says more", diagnostic.code.id)));
    let mut groups = vec![group];
    if let Some(fix) = &diagnostic.fix {
        let mut group = Group::with_title(Level::HELP.secondary_title(fix.message.as_str()));
        let file = sources.get(fix.span.file);
        let excerpt = Excerpt::new(file, file.clip(fix.span));
        if excerpt.range.len() <= BYTES_IN_ONE_EXCERPT {
            let place = excerpt.within(file.clip(fix.span));
            group = group.element(excerpt.snippet().patch(Patch::new(place, fix.replacement.as_str())));
        }
        groups.push(group);
    }
    groups
}

/// Whole lines of one file, with the marks that are shown in them.
struct Excerpt<'a> {
    file: &'a SourceFile,
    range: Range<usize>,
    marks: Vec<(AnnotationKind, Range<usize>, &'a str)>,
}

/// The excerpts of a diagnostic, that of its own place first. Related places near an excerpt are joined to it.
fn excerpts<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Excerpt<'a>> {
    let mut excerpts: Vec<(FileId, Excerpt<'a>)> = Vec::new();
    let own = diagnostic.span.map(|span| (AnnotationKind::Primary, span, diagnostic.label.as_str()));
    let related = diagnostic.related.iter().map(|(span, text)| (AnnotationKind::Context, *span, text.as_str()));
    for (kind, span, label) in own.into_iter().chain(related) {
        let Span { file: id, .. } = span;
        let file = sources.get(id);
        let place = file.clip(span);
        let near = excerpts.iter_mut().find(|(other, excerpt)| *other == id && excerpt.is_near(&place));
        let excerpt = match near {
            Some((_, excerpt)) => excerpt,
            None => {
                excerpts.push((id, Excerpt::new(file, place.clone())));
                let Some((_, last)) = excerpts.last_mut() else { continue };
                last
            }
        };
        excerpt.include(&place);
        excerpt.marks.push((kind, place, label));
    }
    excerpts.into_iter().map(|(_, excerpt)| excerpt).collect()
}

impl<'a> Excerpt<'a> {
    fn new(file: &'a SourceFile, place: Range<usize>) -> Self {
        Excerpt { file, range: file.whole_lines(&place), marks: Vec::new() }
    }

    fn is_near(&self, place: &Range<usize>) -> bool {
        let line = |offset| self.file.line_column(offset).0;
        let first = line(self.range.start.min(place.start));
        let last = line(self.range.end.max(place.end));
        last - first <= LINES_IN_ONE_EXCERPT
    }

    fn include(&mut self, place: &Range<usize>) {
        let lines = self.file.whole_lines(place);
        self.range = self.range.start.min(lines.start)..self.range.end.max(lines.end);
    }

    fn within(&self, place: Range<usize>) -> Range<usize> {
        place.start - self.range.start..place.end - self.range.start
    }

    fn snippet<T: Clone>(&self) -> Snippet<'a, T> {
        Snippet::source(&self.file.text[self.range.clone()])
            .line_start(self.file.line_column(self.range.start).0)
            .path(self.file.path.display().to_string())
    }

    fn show(self, group: Group<'a>) -> Group<'a> {
        if self.range.len() > BYTES_IN_ONE_EXCERPT {
            return self.marks.iter().fold(group, |group, (_, place, label)| {
                let (line, column) = self.file.line_column(place.start);
                let path = self.file.path.display().to_string();
                let group = group.element(Origin::path(path).line(line).char_column(column));
                if label.is_empty() { group } else { group.element(Level::NOTE.message(*label)) }
            });
        }
        let mut snippet = self.snippet::<Annotation<'a>>();
        for (kind, place, label) in &self.marks {
            let label = Some(*label).filter(|label| !label.is_empty());
            snippet = snippet.annotation(kind.span(self.within(place.clone())).label(label));
        }
        group.element(snippet)
    }
}
