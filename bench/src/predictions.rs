//! The kernels by which the model's predictions are judged: `bench/data/kernels-zen4.tsv`, and its measurements anew.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use culet_driver::{Interleave, Options, Source};
use culet_ir::Target;
use culet_native::{CCompiler, cpu_runs};
use culet_passes::Amount;
use culet_tune::{Budget, Choice, Limits, Request, Reuse, What};

use crate::beside::{first, source};
use crate::speed::{SUBJECTS, Subject};

/// Ticks a byte of kernels with choices of many kinds, each the best of two C compilers.
pub const MEASURED: &str = include_str!("../data/kernels-zen4.tsv");
/// Seconds of sampling for a kernel.
const SAMPLING: u64 = 1;

/// The text in a line for each choice of a default kernel.
const DEFAULT: &str = "default";

/// A line of the file.
pub struct Line {
    pub file: &'static str,
    pub options: Options,
    pub ticks: f64,
    /// The fields that name the kernel, as the file has them.
    name: String,
}

pub fn lines() -> impl Iterator<Item = Result<Line, String>> {
    MEASURED.lines().filter(|line| !line.starts_with('#')).map(|line| read(line).ok_or_else(|| format!("`{line}`")))
}

fn read(line: &str) -> Option<Line> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [row, target, interleave, grain, unroll, ticks] = fields[..] else { return None };
    let Subject(_, file, node, slicing) = SUBJECTS.iter().find(|subject| subject.0 == row)?;
    let default =
        Options { node: Some((*node).into()), slicing: Some(*slicing), ..Options::new(Target::find(target)?) };
    let options = match [interleave, grain, unroll] {
        [DEFAULT, DEFAULT, DEFAULT] => default,
        _ => Options {
            interleave: Some(Interleave { factor: interleave.parse().ok()?, grain: grain.parse().ok()? }),
            unroll: if unroll == "none" { Amount::None } else { Amount::Auto },
            ..default
        },
    };
    Some(Line { file, options, ticks: ticks.parse().ok()?, name: fields[..5].join("\t") })
}

/// The file with today's measurements. Kernels that this CPU does not run keep the old ones.
///
/// # Errors
///
/// If a line is wrong, or nothing can be measured.
pub fn run(primitives: &Path, cflags: &[String], progress: &mut dyn FnMut(&str)) -> Result<String, String> {
    let compilers = CCompiler::installed();
    let mut text: String =
        MEASURED.lines().take_while(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    for line in lines() {
        let Line { file, options, ticks, name } = line?;
        let now = if cpu_runs(options.target) {
            fastest(&source(primitives, file)?, &options, &compilers, cflags)?
        } else {
            ticks
        };
        progress(&format!("{name}: {now:.3}, was {ticks:.3}"));
        let _ = writeln!(text, "{name}\t{now:.3}");
    }
    Ok(text)
}

/// Ticks a byte, the better of all C compilers.
pub fn fastest(source: &Source, options: &Options, compilers: &[CCompiler], cflags: &[String]) -> Result<f64, String> {
    let choice = |compiler| Choice { options: options.clone(), compiler, flags: cflags.to_vec() };
    let choices: Vec<Choice> = (0..compilers.len()).map(choice).collect();
    let request = Request {
        source,
        options: options.clone(),
        any_slicing: false,
        compilers: compilers.to_vec(),
        flags: cflags.to_vec(),
        runner: None,
        what: What::Registers,
        budget: Budget::default(),
        limits: Limits { time: Duration::from_secs(SAMPLING), exhaustive: false },
        cache: None,
        reuse: Reuse::Nothing,
    };
    let figures = culet_tune::measure(&request, &choices, &mut |_| {}).map_err(|errors| first(&errors))?;
    let best = figures.of.iter().flatten().map(|figure| figure.ticks_a_byte).reduce(f64::min);
    best.ok_or_else(|| "it could not be measured".to_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::PathBuf;

    use super::*;
    use crate::beside::{Facts, mean};

    /// Share by which measurements of two kernels must differ to be compared.
    const DIFFERENT: f64 = 0.03;

    /// The predictions and measurements of kernels, by program, direction and target: kernels of one of these differ by choices only.
    fn figures() -> BTreeMap<String, Vec<(f64, f64)>> {
        let primitives = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../primitives"));
        let mut figures: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
        for line in lines() {
            let line = line.expect("a line");
            let facts = Facts::of(&source(&primitives, line.file).expect(line.file), &line.options).expect(line.file);
            assert!(facts.chain <= facts.predicted * 1.01, "{}: {} {}", line.file, facts.chain, facts.predicted);
            let program: Vec<&str> = line.name.split('\t').take(2).collect();
            figures.entry(program.join(" ")).or_default().push((facts.predicted, line.ticks));
        }
        figures
    }

    /// Kernels that the model predicts to be faster are those that were measured to be faster. Most of that rank is the programs' own, so
    /// that a model which sees no choices ranks well, too. Hence the choices of each program are also compared with one another.
    #[test]
    fn predictions_rank_as_measurements() {
        let figures = figures();
        let all: Vec<(f64, f64)> = figures.values().flatten().copied().collect();
        assert!(all.len() >= 20, "{}", all.len());
        let blind: Vec<(f64, f64)> = figures
            .values()
            .flat_map(|of| {
                let same = mean(of.iter().map(|&(predicted, _)| predicted)).expect("a kernel");
                of.iter().map(move |&(_, measured)| (same, measured))
            })
            .collect();
        let mut right = [0, 0];
        for of in figures.values() {
            let [some, compared] = in_order(of);
            right = [right[0] + some, right[1] + compared];
        }
        let share = f64::from(right[0]) / f64::from(right[1]);
        let (correlation, without) = (rank_correlation(&all), rank_correlation(&blind));
        println!(
            "{} kernels of {} programs: rank correlation {correlation:.3}, without choices {without:.3}; of {} pairs of choices that \
             differ by {:.0} %, {:.0} % are in order",
            all.len(),
            figures.len(),
            right[1],
            100.0 * DIFFERENT,
            100.0 * share
        );
        assert!(correlation >= 0.9, "{correlation}: {figures:?}");
        assert!(share >= 0.65, "{right:?}: {figures:?}");
    }

    /// The prediction of a default is that by which the model chose it: with vectors, where C compilers are expected to find them.
    #[test]
    fn predictions_count_the_vectors_of_the_choice() {
        let primitives = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../primitives"));
        let source = source(&primitives, "chacha20").expect("it is there");
        let node = Some("chacha20_permutation".into());
        let slicing = culet_driver::parse_slicing("v");
        let default = Options { node, slicing, ..Options::new(Target::C64) };
        let interleave = Some(Interleave { factor: 4, grain: 1 });
        let given = Options { interleave, unroll: Amount::None, inline: Amount::All, ..default.clone() };
        let [default, given] = [default, given].map(|options| Facts::of(&source, &options).expect("it compiles"));
        assert_eq!(default.instructions, given.instructions);
        assert!(default.predicted < 0.8 * given.predicted, "{} {}", default.predicted, given.predicted);
    }

    /// Of the pairs whose measurements differ, how many the predictions have in the same order, and how many there are.
    fn in_order(figures: &[(f64, f64)]) -> [i32; 2] {
        let mut counts = [0, 0];
        for &(predicted, measured) in figures {
            for &(other, _) in figures.iter().filter(|(_, slower)| *slower > measured * (1.0 + DIFFERENT)) {
                counts = [counts[0] + i32::from(predicted < other), counts[1] + 1];
            }
        }
        counts
    }

    /// Spearman's coefficient. Equal figures have the mean of their ranks.
    fn rank_correlation(pairs: &[(f64, f64)]) -> f64 {
        let ranks = |of: &dyn Fn(&(f64, f64)) -> f64| -> Vec<f64> {
            let rank = |pair: &(f64, f64)| {
                let count =
                    |is_counted: &dyn Fn(f64) -> bool| pairs.iter().filter(|other| is_counted(of(other))).count();
                let (below, same) = (count(&|other| other < of(pair)), count(&|other| other == of(pair)));
                below as f64 + (same as f64 - 1.0) / 2.0
            };
            pairs.iter().map(rank).collect()
        };
        let (predicted, measured) = (ranks(&|pair| pair.0), ranks(&|pair| pair.1));
        let middle = (pairs.len() as f64 - 1.0) / 2.0;
        let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum() };
        product(&predicted, &measured) / (product(&predicted, &predicted) * product(&measured, &measured)).sqrt()
    }
}
