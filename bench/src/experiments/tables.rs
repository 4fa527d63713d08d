//! Helpers for the tables of all experiments.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use culet_ir::Target;
use culet_plot::{Bar, BarChart, BarPanel, Value};

use super::record::Row;

/// The row of a variant of a program on a target, with a compiler.
pub fn find<'r>(rows: &'r [Row], place: (&str, &str), compiler: &str, variant: &str) -> Option<&'r Row> {
    let is_it = |row: &&Row| {
        (row.subject.as_str(), row.target.as_str()) == place && row.compiler == compiler && row.variant == variant
    };
    rows.iter().find(is_it)
}

/// The speed of one variant relative to another of the same program on the same target. It is computed from their
/// ratios to the first variant, which were taken in the same rounds, or from the medians if the first variant failed.
pub fn speed(of: Option<&Row>, to: Option<&Row>) -> Option<f64> {
    let (of, to) = (of?.figure.as_ref().ok()?, to?.figure.as_ref().ok()?);
    match (of.ratio, to.ratio) {
        (Some(of), Some(to)) => Some(to / of),
        _ => Some(to.ticks_a_byte / of.ticks_a_byte),
    }
}

/// The names of a column, each once, in order.
pub fn distinct(rows: &[Row], of: fn(&Row) -> &String) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in rows.iter().map(|row| of(row).as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The programs, in order.
pub fn subjects(rows: &[Row]) -> Vec<&str> {
    distinct(rows, |row| &row.subject)
}

/// The targets, narrowest first.
pub fn targets(rows: &[Row]) -> Vec<&'static str> {
    let names = distinct(rows, |row| &row.target);
    Target::ALL.into_iter().map(Target::name).filter(|name| names.contains(name)).collect()
}

/// The C compilers, sorted by name. Rows of programs that were not compiled have none.
pub fn compilers(rows: &[Row]) -> Vec<&str> {
    let mut names = distinct(rows, |row| &row.compiler);
    names.retain(|&name| name != "-");
    names.sort_unstable();
    names
}

/// All pairs of a program and a target that have rows.
pub fn places(rows: &[Row]) -> Vec<(&str, &str)> {
    let mut places: Vec<(&str, &str)> = Vec::new();
    for place in rows.iter().map(|row| (row.subject.as_str(), row.target.as_str())) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// usubac's name for a C compiler.
pub fn usubac_name(compiler: &str) -> String {
    compiler.replace('-', "")
}

/// The name of a cipher in usubac's tables.
pub fn usubac_cipher(subject: &str) -> &str {
    subject.split(' ').next().unwrap_or(subject)
}

/// A number with this many decimals, or a dash.
pub fn show(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.decimals$}"))
}

/// A table in Markdown. Bars in cells are escaped.
pub fn markdown(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(head.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

/// A long table, collapsed under a summary.
pub fn folded(summary: &str, table: &str) -> String {
    format!("<details><summary>{summary}</summary>\n\n{table}\n</details>\n")
}

/// The geometric mean; `None` if there are no values.
pub fn mean(values: &[f64]) -> Option<f64> {
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (sum / values.len() as f64).exp())
}

/// The variants without a figure, with the reasons. Programs and variants that failed in the same way are listed
/// together.
pub fn failures(rows: &[Row]) -> String {
    let mut reasons: BTreeMap<(&str, &str, &str), BTreeSet<String>> = BTreeMap::new();
    for row in rows {
        if let Err(reason) = &row.figure {
            let place = format!("{} {}", row.target, row.compiler);
            reasons.entry((&row.subject, &row.variant, reason)).or_default().insert(place);
        }
    }
    if reasons.is_empty() {
        return "Every variant has a figure.\n".into();
    }
    let mut table = Vec::new();
    for ((subject, variant, reason), places) in reasons {
        let places: Vec<String> = places.into_iter().collect();
        table.push(vec![subject.into(), variant.into(), places.join(", "), reason.to_owned()]);
    }
    let count = rows.iter().filter(|row| row.figure.is_err()).count();
    let summary = format!("{count} of {} variants have no figure", rows.len());
    folded(&summary, &markdown(&["program", "variant", "where", "why"], &table))
}

/// Bars of speed relative to a reference of 1, with a panel for each of `panels` and a row for each program that has a
/// bar.
pub fn relative_bars(
    chart: BarChart,
    subjects: &[&str],
    panels: &[&str],
    bars: &dyn Fn(&str, &str) -> Vec<Bar>,
) -> BarChart {
    let is_there = |bars: &[Bar]| bars.iter().any(|bar| bar.value != Value::Absent);
    let has_any = |subject: &&str| panels.iter().any(|panel| is_there(&bars(subject, panel)));
    let rows: Vec<&str> = subjects.iter().copied().filter(has_any).collect();
    let panel = |name: &&str| BarPanel {
        title: (*name).to_owned(),
        bars: rows.iter().map(|subject| bars(subject, name)).collect(),
    };
    BarChart {
        panels: panels.iter().map(panel).collect(),
        rows: rows.iter().map(|&name| name.to_owned()).collect(),
        peer: "usubac, on its own machine".into(),
        decimals: 2,
        ..chart
    }
}

/// The bar of a row that should have a figure; absent if there is no such row.
pub fn bar(row: Option<&Row>, value: Option<f64>, peer: Option<f64>) -> Bar {
    match (row, value) {
        (None, _) => Bar::default(),
        (Some(_), Some(value)) => Bar { value: Value::Is(value), peer },
        (Some(_), None) => Bar { value: Value::Failed, peer },
    }
}
