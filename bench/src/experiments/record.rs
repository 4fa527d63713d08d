//! The figures as a table of tab-separated values, with one row for each variant.

use std::fs;
use std::io;
use std::path::Path;

use culet_ir::Target;
use culet_tune::Figure;

/// A variant of a program on a target.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub subject: String,
    pub target: String,
    /// The C compiler's name.
    pub compiler: String,
    pub variant: String,
    /// Core cycles for each tick at the time of the measurement.
    pub cycles_a_tick: f64,
    /// The figure, or the reason why there is none.
    pub figure: Result<Figure, String>,
    /// The options of culet, and the C compiler's flags.
    pub options: String,
    pub machine: String,
}

impl Row {
    /// Core cycles a byte.
    pub fn cycles(&self) -> Option<f64> {
        self.figure.as_ref().ok().map(|figure| figure.ticks_a_byte * self.cycles_a_tick)
    }
}

const HEAD: &str = "subject\ttarget\tcompiler\tvariant\tticks_a_byte\tspread\tratio_to_first\tcore_cycles_a_tick\tfailed\toptions\tmachine";

/// The rows as text.
pub fn format(rows: &[Row]) -> String {
    let mut text = format!("{HEAD}\n");
    for row in rows {
        let (ticks, spread, ratio, failed) = match &row.figure {
            Ok(figure) => (
                format!("{:.5}", figure.ticks_a_byte),
                format!("{:.5}", figure.spread),
                figure.ratio.map_or_else(String::new, |ratio| format!("{ratio:.5}")),
                "",
            ),
            Err(reason) => (String::new(), String::new(), String::new(), reason.as_str()),
        };
        let cycles = format!("{:.4}", row.cycles_a_tick);
        let fields = [
            &row.subject,
            &row.target,
            &row.compiler,
            &row.variant,
            &ticks,
            &spread,
            &ratio,
            &cycles,
            failed,
            &row.options,
            &row.machine,
        ];
        let fields: Vec<String> = fields.iter().map(|field| field.replace(['\t', '\n', '\r'], " ")).collect();
        text.push_str(&fields.join("\t"));
        text.push('\n');
    }
    text
}

/// Parses the rows of a text.
///
/// # Errors
///
/// The first line that is no row.
pub fn parse(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines();
    if lines.next() != Some(HEAD) {
        return Err(format!("its first line is not `{}`", HEAD.replace('\t', " ")));
    }
    lines.map(|line| row(line).ok_or_else(|| format!("this is no row of it: `{line}`"))).collect()
}

fn row(line: &str) -> Option<Row> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [subject, target, compiler, variant, ticks, spread, ratio, cycles, failed, options, machine] = fields[..]
    else {
        return None;
    };
    let figure = match ticks {
        "" => Err(failed.to_owned()),
        _ => Ok(Figure {
            ticks_a_byte: ticks.parse().ok()?,
            spread: spread.parse().ok()?,
            ratio: if ratio.is_empty() { None } else { Some(ratio.parse().ok()?) },
        }),
    };
    Some(Row {
        subject: subject.into(),
        target: target.into(),
        compiler: compiler.into(),
        variant: variant.into(),
        cycles_a_tick: cycles.parse().ok()?,
        figure,
        options: options.into(),
        machine: machine.into(),
    })
}

/// Reads the rows of a file; there are none if there is no file.
pub fn read(path: &Path) -> Result<Vec<Row>, String> {
    match fs::read_to_string(path) {
        Ok(text) => parse(&text).map_err(|error| format!("`{}`: {error}", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(format!("cannot read `{}`: {error}", path.display())),
    }
}

/// Replaces the rows of a program on a target by newer ones, and sorts all rows by names and targets.
pub fn replace(rows: &mut Vec<Row>, newer: Vec<Row>) {
    rows.retain(|old| newer.iter().all(|new| (&new.subject, &new.target) != (&old.subject, &old.target)));
    rows.extend(newer);
    let place = |name: &str| Target::ALL.iter().position(|target| target.name() == name);
    rows.sort_by(|a, b| (&a.subject, place(&a.target)).cmp(&(&b.subject, place(&b.target))));
}
