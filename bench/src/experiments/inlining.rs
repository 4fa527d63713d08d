//! Inlining: bitsliced kernels with all calls, with none, and with those that the compiler's heuristic keeps.

use culet_driver::{Options, Source, amount_name};
use culet_passes::Amount;
use culet_plot::BarChart;
use culet_types::program::Slicing;

use super::measure::Bench;
use super::record::Row;
use super::tables::{
    bar, compilers, find, folded, markdown, mean, places, relative_bars, show, speed, subjects, targets, usubac_cipher,
    usubac_name,
};
use super::{Experiment, Plot, Subject, TARGETS, Variant, architecture};
use crate::baseline;

pub const EXPERIMENT: Experiment = Experiment {
    name: "inlining",
    title: "Inlining",
    text: "Bitsliced kernels with no node inlined (`--inline none`), with all (`--inline all`), and as the compiler decides. \
           Inlining lets passes and C compilers see across calls, and makes code that is too large for the caches of \
           instructions. Speed is relative to no inlining, with the same C compiler. usubac's marks are its own \
           `-inline-all` relative to its own `-no-inline` (`bench/data/usubac-inlining.tsv`), on another machine.",
    targets: &TARGETS,
    subjects: bitsliced,
    variants,
    plots,
    tables,
};

const AMOUNTS: [Amount; 3] = [Amount::None, Amount::Auto, Amount::All];

fn bitsliced() -> Vec<Subject> {
    super::subjects().into_iter().filter(|subject| subject.slicing == Slicing::Bitslice).collect()
}

fn variants(bench: &Bench, _: &Source, options: &Options) -> Result<Vec<Variant>, String> {
    let of = |compiler: usize| {
        AMOUNTS.map(|inline| Variant {
            name: amount_name(inline).into(),
            choice: bench.choice(Options { inline, ..options.clone() }, compiler, &[]),
        })
    };
    Ok((0..bench.compilers.len()).flat_map(of).collect())
}

fn gain(rows: &[Row], place: (&str, &str), compiler: &str, amount: Amount) -> Option<f64> {
    let row = |amount| find(rows, place, compiler, amount_name(amount));
    speed(row(amount), row(Amount::None))
}

fn usubac((subject, target): (&str, &str), compiler: &str) -> Option<f64> {
    baseline::inlining(usubac_cipher(subject), architecture(target), &usubac_name(compiler))
}

fn plots(rows: &[Row]) -> Vec<Plot> {
    let of = |target: &str| {
        let bars = |subject: &str, compiler: &str| {
            let place = (subject, target);
            let of = |amount, peer| {
                let row = find(rows, place, compiler, amount_name(amount));
                bar(row, gain(rows, place, compiler, amount), peer)
            };
            vec![of(Amount::Auto, None), of(Amount::All, usubac(place, compiler))]
        };
        let chart = BarChart {
            title: format!("Inlining, bitsliced on {target}"),
            unit: "speed, ratio to the same kernel with no node inlined; longer is faster".into(),
            series: ["the compiler's default", "all nodes inlined"].map(String::from).into(),
            reference: Some(1.0),
            ..BarChart::default()
        };
        let chart = relative_bars(chart, &subjects(rows), &compilers(rows), &bars);
        Plot { file: format!("inlining-{target}"), caption: chart.title.clone(), svg: chart.svg() }
    };
    targets(rows).into_iter().map(of).collect()
}

fn tables(rows: &[Row]) -> String {
    let (mut table, mut summary) = (Vec::new(), Vec::new());
    for place @ (subject, target) in places(rows) {
        for compiler in compilers(rows) {
            let cycles = |amount| find(rows, place, compiler, amount_name(amount)).and_then(Row::cycles);
            let mut cells = vec![subject.to_owned(), target.to_owned(), compiler.to_owned()];
            cells.extend(AMOUNTS.map(|amount| show(cycles(amount), 3)));
            cells.extend([Amount::Auto, Amount::All].map(|amount| show(gain(rows, place, compiler, amount), 2)));
            cells.push(show(usubac(place, compiler), 2));
            table.push(cells);
        }
    }
    for target in targets(rows) {
        for compiler in compilers(rows) {
            let of = |amount| {
                let gains = subjects(rows).into_iter().filter_map(|s| gain(rows, (s, target), compiler, amount));
                gains.collect::<Vec<f64>>()
            };
            let (auto, all) = (of(Amount::Auto), of(Amount::All));
            summary.push(vec![target.into(), compiler.into(), show(mean(&auto), 3), show(mean(&all), 3)]);
        }
    }
    let head = [
        "cipher",
        "target",
        "C compiler",
        "none",
        "default",
        "all",
        "default : none",
        "all : none",
        "usubac all : none",
    ];
    format!(
        "Geometric means of the speed relative to no inlining:\n\n{}\n{}",
        markdown(&["target", "C compiler", "default", "all"], &summary),
        folded("Core cycles a byte of every kernel, and speed relative to no inlining", &markdown(&head, &table)),
    )
}
