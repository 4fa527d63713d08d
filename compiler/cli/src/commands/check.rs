//! `culet check`

use std::fmt::Write;

use culet_diag::SourceMap;
use culet_driver::{Options, elaborate};
use culet_types::public::{self, Declassified};

use super::read;
use crate::args::{CheckArgs, MessageFormat};
use crate::output::{Failure, Output};

pub fn run(args: &CheckArgs, output: Output) -> Result<(), Failure> {
    let (source, mut diagnostics) = read(&args.source.file, &args.source.include, output)?;
    let mut options = Options::new(culet_native::best_target());
    args.instance.apply(&mut options);
    let found = culet_driver::check(&source, &options, &diagnostics);
    diagnostics.extend(found);
    if diagnostics.has_errors() {
        return Err(output.report(&diagnostics, &source.map));
    }
    output.diagnostics(&diagnostics, &source.map);
    if !args.declassified {
        return Ok(());
    }
    // The program has been checked, and said what there is to say.
    let (program, errors) = elaborate(&source, &options.in_any_direction());
    let Some(program) = program else { return Err(output.report(&errors, &source.map)) };
    let listed = public::declassified(&program);
    let text = match output.format {
        MessageFormat::Human => human(&listed, &source.map),
        MessageFormat::Json => format!("{}\n", json(&listed, &source.map)),
    };
    output.data(text.as_bytes())
}

fn human(listed: &[Declassified<'_>], sources: &SourceMap) -> String {
    let mut text = String::new();
    for Declassified { node, source, span } in listed {
        let (path, (line, column)) = (sources.get(span.file).path.display(), sources.line_column(*span));
        let _ = writeln!(text, "{path}:{line}:{column}: node `{node}` makes `{source}` public");
    }
    if listed.is_empty() {
        text.push_str("nothing is made public\n");
    }
    text
}

fn json(listed: &[Declassified<'_>], sources: &SourceMap) -> serde_json::Value {
    let of_each = |Declassified { node, source, span }: &Declassified<'_>| {
        let (line, column) = sources.line_column(*span);
        let file = sources.get(span.file).path.display().to_string();
        serde_json::json!({ "file": file, "line": line, "column": column, "node": node, "expression": source })
    };
    serde_json::json!({ "declassified": listed.iter().map(of_each).collect::<Vec<_>>() })
}
