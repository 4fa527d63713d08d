//! Interleaving: several groups of instances in one kernel, which provide more independent work at any time.

use culet_driver::{DEFAULT_GRAIN, Interleave, Options, Source};
use culet_ir::Target;
use culet_passes::Schedule;
use culet_plot::LineGrid;
use culet_types::program::Slicing;

use super::measure::Bench;
use super::record::Row;
use super::tables::{
    compilers, find, markdown, mean, places, show, speed, subjects, targets, usubac_cipher, usubac_name,
};
use super::{Experiment, Plot, Subject, Variant, architecture};
use crate::baseline;

pub const EXPERIMENT: Experiment = Experiment {
    name: "interleaving",
    title: "Interleaving",
    text: "A kernel handles 2 to 5 groups of instances, a few operations (the grain) of one group before the next one's; with \
           the grain `whole`, each straight stretch of one group before the next one's. Speed is relative to the same kernel \
           without interleaving, with the same schedule. culet's scheduler orders instructions by latency and may undo or \
           make up for a grain; hence each point is measured with it and without it (`--schedule none`).",
    targets: &[Target::Sse, Target::Avx2, Target::Avx512],
    subjects: chosen,
    variants,
    plots,
    tables,
};

/// The ciphers whose vertical kernels are measured.
const CIPHERS: [&str; 8] =
    ["ACE-vs", "Ascon-vs", "Chacha20-vs", "Clyde-vs", "Gimli-vs", "Rectangle-vs", "Serpent-vs", "Xoodoo-vs"];

const FACTORS: [u32; 4] = [2, 3, 4, 5];
/// The grains; 0 is a whole straight-line section.
const GRAINS: [u32; 6] = [1, 2, 5, 10, 20, 0];

/// The gains of interleaving on a Skylake in usubac's publications.
const PUBLISHED: [(&str, f64); 4] =
    [("ACE-vs", 1.23), ("Ascon-vs", 1.15), ("Rectangle-vs", 1.25), ("Serpent-vs", 1.35)];

fn chosen() -> Vec<Subject> {
    super::subjects().into_iter().filter(|subject| CIPHERS.contains(&subject.name.as_str())).collect()
}

/// The name of a variant: `x1`, `x2,10`, `x3,whole unscheduled`.
fn name(factor: u32, grain: u32, schedule: Schedule) -> String {
    let suffix = if schedule == Schedule::None { " unscheduled" } else { "" };
    match (factor, grain) {
        (1, _) => format!("x1{suffix}"),
        (_, 0) => format!("x{factor},whole{suffix}"),
        _ => format!("x{factor},{grain}{suffix}"),
    }
}

/// The variants, with one C compiler. This is clang if it is installed, since usubac's figures are clang's.
fn variants(bench: &Bench, _: &Source, options: &Options) -> Result<Vec<Variant>, String> {
    debug_assert_eq!(options.slicing, Some(Slicing::Vertical));
    let compiler = bench.compilers.iter().position(|compiler| compiler.is_clang()).unwrap_or(0);
    let mut all = Vec::new();
    for schedule in [Schedule::Auto, Schedule::None] {
        let mut add = |factor: u32, grain: u32, interleave: Option<Interleave>| {
            let options = Options { interleave, schedule, ..options.clone() };
            all.push(Variant { name: name(factor, grain, schedule), choice: bench.choice(options, compiler, &[]) });
        };
        add(1, 0, Some(Interleave { factor: 1, grain: DEFAULT_GRAIN }));
        for factor in FACTORS {
            GRAINS.into_iter().for_each(|grain| add(factor, grain, Some(Interleave { factor, grain })));
        }
    }
    Ok(all)
}

fn gain(rows: &[Row], place: (&str, &str), factor: u32, grain: u32, schedule: Schedule) -> Option<f64> {
    let compiler = compiler_of(rows, place);
    let row = |variant: &str| find(rows, place, compiler, variant);
    speed(row(&name(factor, grain, schedule)), row(&name(1, 0, schedule)))
}

/// The compiler of a program on a target; each such group has one.
fn compiler_of<'r>(rows: &'r [Row], (subject, target): (&str, &str)) -> &'r str {
    let row = rows.iter().find(|row| row.subject == subject && row.target == target);
    row.map_or("", |row| row.compiler.as_str())
}

/// The highest gain, with the name of its factor and grain.
fn best(rows: &[Row], place: (&str, &str), schedule: Schedule) -> Option<(f64, String)> {
    let all = FACTORS.into_iter().flat_map(|factor| GRAINS.map(|grain| (factor, grain)));
    let gains = all.filter_map(|(factor, grain)| {
        Some((gain(rows, place, factor, grain, schedule)?, name(factor, grain, Schedule::Auto)))
    });
    gains.max_by(|a, b| a.0.total_cmp(&b.0))
}

fn plots(rows: &[Row]) -> Vec<Plot> {
    let plot = |schedule: Schedule| {
        let (file, scheduled) = match schedule {
            Schedule::Auto => ("interleaving", "with culet's scheduler"),
            Schedule::None => ("interleaving-unscheduled", "without culet's scheduler (--schedule none)"),
        };
        let (subjects, targets) = (subjects(rows), targets(rows));
        let panel = |subject: &str, target: &str| -> Vec<Vec<Option<f64>>> {
            let place = (subject, target);
            if compiler_of(rows, place).is_empty() {
                return Vec::new();
            }
            FACTORS.map(|factor| GRAINS.map(|grain| gain(rows, place, factor, grain, schedule)).to_vec()).to_vec()
        };
        let grid = LineGrid {
            title: format!("Interleaving, {scheduled}"),
            x_title: "grain: operations of one group before the next one's; whole: a straight stretch".into(),
            y_title: "speed, ratio to the same kernel without interleaving; higher is faster".into(),
            x: GRAINS.map(|grain| if grain == 0 { "whole".into() } else { grain.to_string() }).to_vec(),
            series: FACTORS.map(|factor| format!("×{factor}")).to_vec(),
            columns: targets.iter().map(|&name| name.to_owned()).collect(),
            rows: subjects.iter().map(|&name| name.to_owned()).collect(),
            values: subjects.iter().map(|s| targets.iter().map(|t| panel(s, t)).collect()).collect(),
            reference: 1.0,
        };
        Plot { file: file.into(), caption: grid.title.clone(), svg: grid.svg() }
    };
    [Schedule::Auto, Schedule::None].map(plot).into()
}

fn tables(rows: &[Row]) -> String {
    let mut table = Vec::new();
    let mut gains: [Vec<f64>; 2] = Default::default();
    for place @ (subject, target) in places(rows) {
        let compiler = compiler_of(rows, place);
        let row = |schedule| find(rows, place, compiler, &name(1, 0, schedule));
        let (scheduled, unscheduled) = (best(rows, place, Schedule::Auto), best(rows, place, Schedule::None));
        for (gains, best) in gains.iter_mut().zip([&scheduled, &unscheduled]) {
            gains.extend(best.as_ref().map(|(gain, _)| *gain));
        }
        let of = |best: &Option<(f64, String)>| match best {
            Some((gain, at)) => [format!("{gain:.2}"), at.clone()],
            None => ["-".into(), "-".into()],
        };
        let [with, with_at] = of(&scheduled);
        let [without, without_at] = of(&unscheduled);
        let published = PUBLISHED.iter().find(|(name, _)| *name == subject).map(|(_, gain)| *gain);
        table.push(vec![
            subject.into(),
            target.into(),
            show(row(Schedule::Auto).and_then(Row::cycles), 3),
            show(speed(row(Schedule::Auto), row(Schedule::None)), 2),
            with,
            with_at,
            without,
            without_at,
            show(usubac(subject, target, compiler), 2),
            show(published, 2),
        ]);
    }
    let head = [
        "cipher",
        "target",
        "×1, core cycles/byte",
        "scheduler alone",
        "best gain, scheduled",
        "with",
        "best gain, unscheduled",
        "with",
        "usubac, measured",
        "usubac, Skylake",
    ];
    let [with, without] = gains.map(|gains| show(mean(&gains), 3));
    format!(
        "C compiler: {}. Geometric mean of the best gains: {with} with culet's scheduler, {without} without. *Scheduler alone* is \
         how many times faster ×1 is with it than without it. *usubac, measured* is the better of its factors 2 and 3 relative to \
         its default, from `bench/data/usubac-baseline.tsv`; *Skylake* what its authors published.\n\n{}",
        compilers(rows).join(", "),
        markdown(&head, &table)
    )
}

fn usubac(subject: &str, target: &str, compiler: &str) -> Option<f64> {
    let of = |variant| {
        let compiler = usubac_name(compiler);
        baseline::speed(usubac_cipher(subject), architecture(target), &compiler, variant, "base")
    };
    ["inter2", "inter3"].into_iter().filter_map(of).reduce(f64::max)
}
