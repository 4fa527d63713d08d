//! Scheduling: the instruction order of culet, and that of the C compiler.

use culet_driver::{Options, Source};
use culet_native::CCompiler;
use culet_passes::Schedule;
use culet_plot::BarChart;

use super::measure::Bench;
use super::record::Row;
use super::tables::{
    bar, compilers, find, folded, markdown, mean, places, relative_bars, show, speed, subjects, targets, usubac_cipher,
    usubac_name,
};
use super::{Experiment, Plot, TARGETS, Variant, architecture};
use crate::baseline;

pub const EXPERIMENT: Experiment = Experiment {
    name: "scheduling",
    title: "Scheduling",
    text: "Kernels with culet's scheduler and without it (`--schedule none`), each with the C compiler's scheduling and without \
           it: `-fno-schedule-insns -fno-schedule-insns2` for gcc; `-mllvm -enable-misched=0 -mllvm \
           -post-RA-scheduler=0` for clang. Speed is relative to neither, with the same C compiler.",
    targets: &TARGETS,
    subjects: super::subjects,
    variants,
    plots,
    tables,
};

/// The name of each variant, and whether culet and the C compiler schedule.
const VARIANTS: [(&str, Schedule, bool); 4] = [
    ("neither", Schedule::None, false),
    ("culet", Schedule::Auto, false),
    ("C compiler", Schedule::None, true),
    ("both", Schedule::Auto, true),
];

/// Flags that keep a C compiler from reordering instructions.
fn unscheduled(compiler: &CCompiler) -> &'static [&'static str] {
    match compiler.is_clang() {
        true => &["-mllvm", "-enable-misched=0", "-mllvm", "-post-RA-scheduler=0"],
        false => &["-fno-schedule-insns", "-fno-schedule-insns2"],
    }
}

fn variants(bench: &Bench, _: &Source, options: &Options) -> Result<Vec<Variant>, String> {
    let of = |compiler: usize| {
        VARIANTS.map(|(name, schedule, c_schedules)| {
            let more = if c_schedules { &[] } else { unscheduled(&bench.compilers[compiler]) };
            let choice = bench.choice(Options { schedule, ..options.clone() }, compiler, more);
            Variant { name: name.into(), choice }
        })
    };
    Ok((0..bench.compilers.len()).flat_map(of).collect())
}

fn gain(rows: &[Row], place: (&str, &str), compiler: &str, of: &str, to: &str) -> Option<f64> {
    speed(find(rows, place, compiler, of), find(rows, place, compiler, to))
}

fn plots(rows: &[Row]) -> Vec<Plot> {
    let of = |target: &str| {
        let bars = |subject: &str, compiler: &str| {
            let place = (subject, target);
            let of = |name: &str| {
                let row = find(rows, place, compiler, name);
                bar(row, gain(rows, place, compiler, name, "neither"), None)
            };
            VARIANTS[1..].iter().map(|(name, ..)| of(name)).collect()
        };
        let chart = BarChart {
            title: format!("Scheduling on {target}"),
            unit: "speed, ratio to neither culet nor the C compiler scheduling; longer is faster".into(),
            series: ["culet alone", "the C compiler alone", "both"].map(String::from).into(),
            reference: Some(1.0),
            ..BarChart::default()
        };
        let chart = relative_bars(chart, &subjects(rows), &compilers(rows), &bars);
        Plot { file: format!("scheduling-{target}"), caption: chart.title.clone(), svg: chart.svg() }
    };
    targets(rows).into_iter().map(of).collect()
}

/// The gain of usubac's own scheduling if the C compiler schedules, too.
fn usubac((subject, target): (&str, &str), compiler: &str) -> Option<f64> {
    let (cipher, architecture, compiler) = (usubac_cipher(subject), architecture(target), usubac_name(compiler));
    let of = |without| baseline::speed(cipher, architecture, &compiler, "base", without);
    of("nosched").or_else(|| of("nopresched"))
}

fn tables(rows: &[Row]) -> String {
    let (mut table, mut summary) = (Vec::new(), Vec::new());
    for place @ (subject, target) in places(rows) {
        for compiler in compilers(rows) {
            let mut cells = vec![subject.to_owned(), target.to_owned(), compiler.to_owned()];
            let cycles = |name: &str| find(rows, place, compiler, name).and_then(Row::cycles);
            cells.extend(VARIANTS.map(|(name, ..)| show(cycles(name), 3)));
            cells.push(show(gain(rows, place, compiler, "both", "C compiler"), 2));
            cells.push(show(usubac(place, compiler), 2));
            table.push(cells);
        }
    }
    for target in targets(rows) {
        for compiler in compilers(rows) {
            let mut cells = vec![target.to_owned(), compiler.to_owned()];
            for (of, to) in [
                ("culet", "neither"),
                ("C compiler", "neither"),
                ("both", "neither"),
                ("both", "C compiler"),
                ("both", "culet"),
            ] {
                let gains = subjects(rows).into_iter().filter_map(|s| gain(rows, (s, target), compiler, of, to));
                cells.push(show(mean(&gains.collect::<Vec<f64>>()), 3));
            }
            summary.push(cells);
        }
    }
    let means =
        ["target", "C compiler", "culet : neither", "C : neither", "both : neither", "both : C", "both : culet"];
    let head = ["program", "target", "C compiler", "neither", "culet", "C", "both", "both : C", "usubac"];
    format!(
        "Geometric means of speeds relative to each other:\n\n{}\n*usubac* below is what its own scheduling gains beside the \
         C compiler's, to be compared with *both : C*.\n\n{}",
        markdown(&means, &summary),
        folded("Core cycles a byte of every kernel", &markdown(&head, &table)),
    )
}
