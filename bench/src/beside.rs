//! The default choices beside usubac's best, row by row of `bench/data/usubac-same-run.tsv`.
//!
//! That table has both compilers in one run on one CPU, but usubac itself is not here. So its figures are scaled in two
//! ways. By calibration: ticks here for ticks there, from kernels whose code has not changed since. By the row: where
//! the default is two groups of instances, which that run has measured too, its figure there; elsewhere the default
//! beside the choices that were the default then (one group), both measured here in turns, times the quotient of that
//! default and usubac's best in the table. That CPU was slow with memory, and so with bitsliced kernels of both
//! compilers: for these, calibration flatters the figures of a faster one.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{DEFAULT_GRAIN, DiskReader, Interleave, Kernel, Options, Source, load};
use culet_ir::Target;
use culet_native::{CCompiler, cpu_runs};
use culet_passes::{chain_length, predicted_cycles};
use culet_tune::{Choice, Limits, Request, Reuse, What};

use crate::speed::{SUBJECTS, Subject, TARGETS};

const TABLE: &str = include_str!("../data/usubac-same-run.tsv");
/// Rows by which ticks are scaled: their kernels are bound by the same instructions in both compilers.
const CALIBRATION: [(&str, &str); 4] =
    [("Chacha20-V", "sse"), ("Chacha20-V", "avx"), ("Xoodoo-V", "sse"), ("Xoodoo-V", "avx")];
/// Rows whose figures in the table include the key schedule, on both sides. Here it is not included, so that they compare
/// by the row only.
const WITH_KEY_SCHEDULE: [&str; 3] = ["Clyde-B", "Gift-B", "Skinny-B"];
/// Quotients up to this are no loss.
const EQUAL: f64 = 1.03;
/// Seconds of sampling for a row.
const SAMPLING: u64 = 1;

/// The measurements to make.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Only rows whose name begins so.
    pub row: Option<String>,
    pub target: Option<Target>,
    /// Flags of every C compilation.
    pub cflags: Vec<String>,
}

/// A row of the table.
struct Row {
    name: &'static str,
    architecture: &'static str,
    /// Ticks a byte of usubac's best, and of the choices that were the default.
    usubac: f64,
    former: f64,
    /// Ticks a byte of two groups, where they were measured.
    two_groups: Option<f64>,
}

/// The choices that were the default, and those of the table's column for two groups.
const ONE_GROUP: &str = "interleave 1, unroll auto, inline auto";
const TWO_GROUPS: &str = "interleave 2, unroll auto, inline auto";

/// A row as measured here, in ticks a byte.
struct Measured {
    row: Row,
    former: f64,
    now: f64,
    /// Facts of the default kernel: instructions of the intermediate representation, and cycles a byte by the model.
    instructions: usize,
    chain: f64,
    predicted: f64,
    choice: String,
}

/// The table as Markdown, followed by the summary.
pub fn run(primitives: &Path, plan: &Plan, progress: &mut dyn FnMut(&str)) -> String {
    let compilers = CCompiler::installed();
    let mut all = Vec::new();
    for row in rows().filter(|row| plan.row.as_deref().is_none_or(|wanted| row.name.starts_with(wanted))) {
        let Some(&(target, _)) = TARGETS.iter().find(|(_, name)| *name == row.architecture) else { continue };
        if plan.target.is_some_and(|only| only != target) || !cpu_runs(target) {
            continue;
        }
        let label = format!("{} {}", row.name, row.architecture);
        match measure(primitives, row, target, plan, &compilers) {
            Ok(measured) => {
                progress(&format!("{label}: {:.3} ticks a byte, formerly {:.3}", measured.now, measured.former));
                all.push(measured);
            }
            Err(reason) => progress(&format!("{label}: {reason}")),
        }
    }
    table(&all)
}

fn rows() -> impl Iterator<Item = Row> {
    TABLE.lines().filter(|line| !line.starts_with('#')).skip(1).filter_map(|line| {
        let fields: Vec<&'static str> = line.split('\t').collect();
        let [name, architecture, usubac, _, former, _, two_groups, ..] = fields[..] else { return None };
        let (usubac, former) = (usubac.parse().ok()?, former.parse().ok()?);
        Some(Row { name, architecture, usubac, former, two_groups: two_groups.parse().ok() })
    })
}

/// The program of a row: `AES-H` is that of `AES-hs`.
fn subject(row: &str) -> Option<&'static Subject> {
    let (cipher, slicing) = row.rsplit_once('-')?;
    let (cipher, file) = match cipher {
        "Giftfix" => ("Gift-fix", ""),
        "AESfix" => ("AES", "_fixsliced"),
        other => (other, ""),
    };
    let name = format!("{cipher}-{}s", slicing.to_lowercase());
    SUBJECTS.iter().find(|subject| subject.0 == name && subject.1.ends_with(file))
}

fn measure(
    primitives: &Path,
    row: Row,
    target: Target,
    plan: &Plan,
    compilers: &[CCompiler],
) -> Result<Measured, String> {
    let Subject(_, file, node, slicing) = subject(row.name).ok_or("there is no such program")?;
    let source = source(primitives, file)?;
    let options = Options { node: Some((*node).into()), slicing: Some(*slicing), ..Options::new(target) };
    let former = Options { interleave: Some(Interleave { factor: 1, grain: DEFAULT_GRAIN }), ..options.clone() };
    let choice =
        |options: &Options, compiler| Choice { options: options.clone(), compiler, flags: plan.cflags.clone() };
    let ways = [&former, &options];
    let choices: Vec<Choice> =
        ways.iter().flat_map(|options| (0..compilers.len()).map(|compiler| choice(options, compiler))).collect();
    let request = Request {
        source: &source,
        options: options.clone(),
        any_slicing: false,
        compilers: compilers.to_vec(),
        flags: plan.cflags.clone(),
        runner: None,
        what: What::Registers,
        limits: Limits { time: Duration::from_secs(SAMPLING), exhaustive: false },
        cache: None,
        reuse: Reuse::Nothing,
    };
    let figures = culet_tune::measure(&request, &choices, &mut |_| {}).map_err(|errors| first(&errors))?;
    let best = |of: usize| {
        let figures = &figures.of[of * compilers.len()..(of + 1) * compilers.len()];
        let best = figures.iter().flatten().map(|figure| figure.ticks_a_byte).reduce(f64::min);
        best.ok_or_else(|| "it could not be measured".to_owned())
    };
    let facts = Facts::of(&source, &options)?;
    let (mut former, mut now) = (best(0)?, best(1)?);
    if facts.choice == ONE_GROUP {
        // Both are the same kernel.
        (former, now) = (former.min(now), former.min(now));
    }
    Ok(Measured {
        row,
        former,
        now,
        instructions: facts.instructions,
        chain: facts.chain,
        predicted: facts.predicted,
        choice: facts.choice,
    })
}

fn source(primitives: &Path, file: &str) -> Result<Source, String> {
    let path = primitives.join("ciphers").join(file).with_extension("ua");
    let (source, diagnostics) = load(&path, &[], &DiskReader);
    if diagnostics.has_errors() { Err(first(&diagnostics)) } else { Ok(source) }
}

fn first(diagnostics: &Diagnostics) -> String {
    let is_error = |d: &&Diagnostic| d.is_error();
    diagnostics.iter().find(is_error).map_or_else(String::new, |d| d.message.clone())
}

/// Facts of a kernel that no clock measures.
struct Facts {
    instructions: usize,
    /// Cycles a byte by the model, of the longest chain and in all.
    chain: f64,
    predicted: f64,
    choice: String,
}

impl Facts {
    fn of(source: &Source, options: &Options) -> Result<Facts, String> {
        let (kernel, diagnostics) = Kernel::of(source, "kernel", options, &Diagnostics::new());
        let kernel = kernel.ok_or_else(|| first(&diagnostics))?;
        let interface = kernel.on_slices().map_err(|errors| first(&errors))?;
        let block: u64 = interface.arguments.iter().filter(|argument| argument.is_result).map(|a| a.bytes).sum();
        let bytes = (block * u64::from(kernel.instances())) as f64;
        let lines = kernel.explained().map_err(|errors| first(&errors))?;
        let choice: Vec<&str> = lines.iter().take(3).filter_map(|line| line.split(':').next()).collect();
        let (module, target) = (kernel.module(), options.target);
        Ok(Facts {
            instructions: module.funcs.iter().map(|func| func.insts.len()).sum(),
            chain: chain_length(module, target) / bytes,
            predicted: predicted_cycles(module, target) / bytes,
            choice: choice.join(", "),
        })
    }
}

fn table(all: &[Measured]) -> String {
    let is_calibration = |measured: &&Measured| CALIBRATION.contains(&(measured.row.name, measured.row.architecture));
    let scale = mean(all.iter().filter(is_calibration).map(|m| m.row.former / m.former));
    let mut text = String::from(
        "| row | registers | ticks/byte | usubac, scaled | ours : usubac by calibration | by the row | operations | \
         chain | predicted | choices |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let (mut calibrated, mut by_row) = (Vec::new(), Vec::new());
    for Measured { row, former, now, instructions, chain, predicted, choice } in all {
        let there = row.two_groups.filter(|_| choice == TWO_GROUPS);
        let own = there.unwrap_or(row.former * now / former) / row.usubac;
        let theirs = scale.map(|scale| row.usubac / scale).filter(|_| !WITH_KEY_SCHEDULE.contains(&row.name));
        calibrated.extend(theirs.map(|theirs| now / theirs));
        by_row.push((own, row));
        let show = |value: Option<f64>| value.map_or_else(|| "-".into(), |value| format!("{value:.3}"));
        let _ = writeln!(
            text,
            "| {} | {} | {now:.3} | {} | {} | {own:.3} | {instructions} | {chain:.3} | {predicted:.3} | {choice} |",
            row.name,
            row.architecture,
            show(theirs),
            show(theirs.map(|theirs| now / theirs)),
        );
    }
    let above: Vec<String> = by_row
        .iter()
        .filter(|(own, _)| *own > EQUAL)
        .map(|(own, row)| format!("{} {} {own:.2}", row.name, row.architecture))
        .collect();
    let show = |value: Option<f64>| value.map_or_else(|| "-".into(), |value| format!("{value:.3}"));
    let _ = writeln!(
        text,
        "\n{} rows: geometric mean {} by calibration ({} ticks there for one here), {} by the row; {} above {EQUAL} by \
         the row: {}.",
        all.len(),
        show(mean(calibrated.into_iter())),
        show(scale),
        show(mean(by_row.iter().map(|(own, _)| *own))),
        above.len(),
        if above.is_empty() { "none".into() } else { above.join(", ") }
    );
    text
}

/// The geometric mean.
fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = values.map(f64::ln).collect();
    (!logarithms.is_empty()).then(|| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use culet_passes::Amount;

    use super::*;

    /// Ticks a byte of kernels with choices of many kinds, each the best of two C compilers.
    const MEASURED: &str = include_str!("../data/kernels-zen4.tsv");

    #[test]
    fn every_row_has_its_program() {
        let rows: Vec<Row> = rows().collect();
        assert!(rows.len() > 75, "{}", rows.len());
        for row in rows {
            assert!(subject(row.name).is_some(), "{}", row.name);
        }
    }

    /// Kernels that the model predicts to be faster are those that were measured to be faster.
    #[test]
    fn predictions_rank_as_measurements() {
        let primitives = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../primitives"));
        let mut figures: Vec<(f64, f64)> = Vec::new();
        for line in MEASURED.lines().filter(|line| !line.starts_with('#')) {
            let fields: Vec<&str> = line.split('\t').collect();
            let [row, target, interleave, grain, unroll, ticks] = fields[..] else { panic!("`{line}`") };
            let Subject(_, file, node, slicing) = SUBJECTS.iter().find(|subject| subject.0 == row).expect(row);
            let number = |text: &str| text.parse::<u32>().expect("a number");
            let options = Options {
                node: Some((*node).into()),
                slicing: Some(*slicing),
                interleave: Some(Interleave { factor: number(interleave), grain: number(grain) }),
                unroll: if unroll == "none" { Amount::None } else { Amount::Auto },
                ..Options::new(Target::find(target).expect("a target"))
            };
            let facts = Facts::of(&source(&primitives, file).expect(file), &options).expect(line);
            assert!(facts.chain <= facts.predicted * 1.01, "{line}: {} {}", facts.chain, facts.predicted);
            figures.push((facts.predicted, ticks.parse().expect("ticks")));
        }
        assert!(figures.len() >= 20, "{}", figures.len());
        let correlation = rank_correlation(&figures);
        assert!(correlation >= 0.9, "{correlation}: {figures:?}");
    }

    /// Spearman's coefficient.
    fn rank_correlation(pairs: &[(f64, f64)]) -> f64 {
        let ranks = |of: &dyn Fn(&(f64, f64)) -> f64| -> Vec<f64> {
            let below = |pair: &(f64, f64)| pairs.iter().filter(|other| of(other) < of(pair)).count() as f64;
            pairs.iter().map(below).collect()
        };
        let (predicted, measured) = (ranks(&|pair| pair.0), ranks(&|pair| pair.1));
        let squares: f64 = predicted.iter().zip(&measured).map(|(a, b)| (a - b).powi(2)).sum();
        let count = pairs.len() as f64;
        1.0 - 6.0 * squares / (count * (count * count - 1.0))
    }
}
