//! Slicings: one program in vertical, horizontal and bitsliced form.

use std::collections::BTreeMap;

use culet_driver::{Options, Source, slicing_name};
use culet_plot::{Bar, BarChart, Value};
use culet_types::program::Slicing;

use super::measure::Bench;
use super::record::Row;
use super::tables::{compilers, find, markdown, places, relative_bars, show, subjects, targets, usubac_cipher};
use super::{Experiment, Plot, Subject, TARGETS, Variant, architecture};
use crate::baseline::{self, CORE_CYCLES_PER_TICK};

pub const EXPERIMENT: Experiment = Experiment {
    name: "slicings",
    title: "Slicings",
    text: "One program compiled vertically (V), horizontally (H) and bitsliced (B), where it allows, by default choices; the \
           figure is that of the better C compiler. Programs that allow one slicing only are not in the plot. usubac's \
           columns are the best of all its variants, on another machine.",
    targets: &TARGETS,
    subjects: programs,
    variants,
    plots,
    tables,
};

const SLICINGS: [Slicing; 3] = [Slicing::Vertical, Slicing::Horizontal, Slicing::Bitslice];

/// Each program once, named after the cipher without a slicing.
fn programs() -> Vec<Subject> {
    let mut all: Vec<Subject> = Vec::new();
    for subject in super::subjects() {
        if all.iter().any(|other| (other.file, other.node) == (subject.file, subject.node)) {
            continue;
        }
        let cipher = usubac_cipher(&subject.name);
        let cipher = cipher.rsplit_once('-').map_or(cipher, |(cipher, _)| cipher);
        let is_new = all.iter().all(|other| other.name != cipher);
        let name = if is_new { cipher.to_owned() } else { format!("{cipher} ({})", subject.file) };
        all.push(Subject { name, ..subject });
    }
    all
}

/// The variants in every slicing, beginning with the one that is known to work.
fn variants(bench: &Bench, _: &Source, options: &Options) -> Result<Vec<Variant>, String> {
    let others = SLICINGS.into_iter().filter(|&other| Some(other) != options.slicing);
    let slicings: Vec<Slicing> = options.slicing.into_iter().chain(others).collect();
    let of = |slicing: &Slicing| {
        let options = Options { slicing: Some(*slicing), ..options.clone() };
        let with = |compiler| Variant {
            name: slicing_name(*slicing).into(),
            choice: bench.choice(options.clone(), compiler, &[]),
        };
        (0..bench.compilers.len()).map(with).collect::<Vec<Variant>>()
    };
    Ok(slicings.iter().flat_map(of).collect())
}

/// Core cycles a byte with the better C compiler.
fn cycles(rows: &[Row], place: (&str, &str), slicing: Slicing) -> Option<f64> {
    let of = |compiler: &str| find(rows, place, compiler, slicing_name(slicing))?.cycles();
    compilers(rows).into_iter().filter_map(of).reduce(f64::min)
}

/// usubac's best core cycles a byte.
fn usubac(best: &BTreeMap<baseline::Row, f64>, (subject, target): (&str, &str), slicing: Slicing) -> Option<f64> {
    let letter = slicing_name(slicing);
    let row = baseline::Row {
        cipher: format!("{}-{letter}s", usubac_cipher(subject)),
        slicing: letter.to_uppercase(),
        architecture: architecture(target).into(),
    };
    best.get(&row).map(|ticks| ticks * CORE_CYCLES_PER_TICK)
}

fn plots(rows: &[Row]) -> Vec<Plot> {
    let count =
        |place: (&str, &str)| SLICINGS.into_iter().filter(|&slicing| cycles(rows, place, slicing).is_some()).count();
    let has_several = |subject: &str| targets(rows).iter().any(|target| count((subject, target)) > 1);
    let several: Vec<&str> = subjects(rows).into_iter().filter(|subject| has_several(subject)).collect();
    let bars = |subject: &str, target: &str| {
        let of = |slicing| match cycles(rows, (subject, target), slicing) {
            Some(value) => Bar { value: Value::Is(value), peer: None },
            // Most of these are slicings that the program does not allow; the list under the table has the reasons.
            None => Bar::default(),
        };
        SLICINGS.map(of).to_vec()
    };
    let chart = BarChart {
        title: "Slicings".into(),
        unit: "core cycles a byte, registers to registers; shorter is faster".into(),
        series: ["vertical", "horizontal", "bitsliced"].map(String::from).into(),
        ..BarChart::default()
    };
    let chart = relative_bars(chart, &several, &targets(rows), &bars);
    vec![Plot { file: "slicings".into(), caption: chart.title.clone(), svg: chart.svg() }]
}

fn tables(rows: &[Row]) -> String {
    let best = baseline::best();
    let mut table = Vec::new();
    for place @ (subject, target) in places(rows) {
        let of: Vec<(Slicing, Option<f64>)> = SLICINGS.map(|slicing| (slicing, cycles(rows, place, slicing))).to_vec();
        let fastest = of.iter().filter_map(|&(slicing, cycles)| Some((slicing, cycles?)));
        let fastest =
            fastest.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(slicing, _)| slicing_name(slicing).to_uppercase());
        let mut cells = vec![subject.to_owned(), target.to_owned()];
        cells.extend(of.iter().map(|(_, cycles)| show(*cycles, 3)));
        cells.push(fastest.unwrap_or_else(|| "-".into()));
        cells.extend(SLICINGS.map(|slicing| show(usubac(&best, place, slicing), 3)));
        table.push(cells);
    }
    let head = ["cipher", "target", "V", "H", "B", "fastest", "usubac V", "usubac H", "usubac B"];
    format!("Core cycles a byte:\n\n{}", markdown(&head, &table))
}
