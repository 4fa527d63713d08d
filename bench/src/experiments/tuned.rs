//! Tuning: the best choice that `culet tune` finds, compared with the defaults.

use culet_driver::{Options, Source};
use culet_plot::BarChart;

use super::measure::Bench;
use super::record::Row;
use super::tables::{
    bar, distinct, find, folded, markdown, mean, places, relative_bars, show, speed, subjects, targets,
};
use super::{Experiment, Plot, TARGETS, Variant};

pub const EXPERIMENT: Experiment = Experiment {
    name: "tuned",
    title: "Tuning",
    text: "What `culet tune` finds among loops, calls, interleaving, order, registers, C compilers and their flags, always with \
           `-O3 -march=native`, beside the default choice with each C compiler. All are measured again, side by side, when \
           the search has ended.",
    targets: &TARGETS,
    subjects: super::subjects,
    variants,
    plots,
    tables,
};

const TUNED: &str = "tuned";
const DEFAULT: &str = "default";

fn variants(bench: &Bench, source: &Source, options: &Options) -> Result<Vec<Variant>, String> {
    let default = |compiler| Variant { name: DEFAULT.into(), choice: bench.choice(options.clone(), compiler, &[]) };
    let mut all: Vec<Variant> = (0..bench.compilers.len()).map(default).collect();
    all.push(Variant { name: TUNED.into(), choice: bench.tune(source, options)? });
    Ok(all)
}

/// The tuned row of a program on a target, with any compiler.
fn tuned<'r>(rows: &'r [Row], place: (&str, &str)) -> Option<&'r Row> {
    rows.iter().find(|row| (row.subject.as_str(), row.target.as_str()) == place && row.variant == TUNED)
}

fn gain(rows: &[Row], place: (&str, &str), compiler: &str) -> Option<f64> {
    speed(tuned(rows, place), find(rows, place, compiler, DEFAULT))
}

/// The compilers whose defaults were measured.
fn compilers(rows: &[Row]) -> Vec<&str> {
    let mut names = distinct(rows, |row| &row.compiler);
    names.retain(|&name| rows.iter().any(|row| row.compiler == name && row.variant == DEFAULT));
    names.sort_unstable();
    names
}

fn plots(rows: &[Row]) -> Vec<Plot> {
    let compilers = compilers(rows);
    let bars = |subject: &str, target: &str| {
        let place = (subject, target);
        let of = |compiler: &&str| bar(find(rows, place, compiler, DEFAULT), gain(rows, place, compiler), None);
        compilers.iter().map(of).collect()
    };
    let chart = BarChart {
        title: "The tuner's best beside the defaults".into(),
        unit: "speed of the best that was found, ratio to the default choice; longer is faster".into(),
        series: compilers.iter().map(|name| format!("relative to {name}")).collect(),
        reference: Some(1.0),
        ..BarChart::default()
    };
    let chart = relative_bars(chart, &subjects(rows), &targets(rows), &bars);
    vec![Plot { file: "tuned".into(), caption: chart.title.clone(), svg: chart.svg() }]
}

fn tables(rows: &[Row]) -> String {
    let compilers = compilers(rows);
    let mut table = Vec::new();
    for place @ (subject, target) in places(rows) {
        let mut cells = vec![subject.to_owned(), target.to_owned()];
        cells.extend(compilers.iter().map(|c| show(find(rows, place, c, DEFAULT).and_then(Row::cycles), 3)));
        cells.push(show(tuned(rows, place).and_then(Row::cycles), 3));
        cells.extend(compilers.iter().map(|compiler| show(gain(rows, place, compiler), 2)));
        cells.push(tuned(rows, place).map_or_else(|| "-".into(), |row| format!("`{}`", row.options)));
        table.push(cells);
    }
    let mut summary = Vec::new();
    for target in targets(rows) {
        let mut cells = vec![target.to_owned()];
        for compiler in &compilers {
            let gains = subjects(rows).into_iter().filter_map(|subject| gain(rows, (subject, target), compiler));
            cells.push(show(mean(&gains.collect::<Vec<f64>>()), 3));
        }
        summary.push(cells);
    }
    let relative: Vec<String> = compilers.iter().map(|name| format!("tuned : {name}")).collect();
    let relative: Vec<&str> = relative.iter().map(String::as_str).collect();
    let means: Vec<&str> = ["target"].into_iter().chain(relative.iter().copied()).collect();
    let head: Vec<&str> = ["program", "target"]
        .into_iter()
        .chain(compilers.iter().copied())
        .chain(["tuned"])
        .chain(relative.iter().copied())
        .chain(["choice"])
        .collect();
    format!(
        "Geometric means of the speed of the best relative to the default choice with each C compiler:\n\n{}\n{}",
        markdown(&means, &summary),
        folded("Core cycles a byte of every program, and what was chosen", &markdown(&head, &table)),
    )
}
