//! The default and the tuned choices beside usubac's best, row by row of `bench/data/usubac-same-run.tsv`.
//!
//! That table has both compilers in one run on one CPU, but usubac itself is not here. So its figures are scaled in two
//! ways. By calibration: ticks here for ticks there, from kernels whose code has not changed since. By the row: the
//! default now beside the kernel that was the default in that run, both measured here in turns, times the quotient of
//! that default and usubac's best in the table. The kernel of then is what the compiler of then makes ([`Then`]). Where
//! the default is a choice that the run itself has measured (two groups, or the tuner's), its figure there stands. That
//! CPU was slow with memory, and so with bitsliced kernels of both compilers: for these, calibration flatters the
//! figures of a faster one.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{DEFAULT_GRAIN, DiskReader, Interleave, Kernel, Options, Source, load};
use culet_ir::Target;
use culet_native::{CCompiler, Scratch, cpu_runs};
use culet_tune::{Budget, Choice, Figure, Given, Limits, Request, Reuse, What, tune};
use culet_types::program::Slicing;

use crate::speed::{SUBJECTS, Subject, TARGETS};

mod published;

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
    /// A checkout of the compiler that the table was measured with, built in it.
    pub then: Option<PathBuf>,
    /// Seconds of the tuner's search for each row.
    pub tuned: Option<u64>,
    /// The directory of the programs that were published with usubac.
    pub published: Option<PathBuf>,
}

impl Plan {
    /// The rows that are wanted and that this CPU runs.
    fn rows(&self) -> impl Iterator<Item = (Row, Target)> {
        let wanted = |row: &Row| self.row.as_deref().is_none_or(|wanted| row.name.starts_with(wanted));
        rows().filter(wanted).filter_map(|row| {
            let &(target, _) = TARGETS.iter().find(|(_, name)| *name == row.architecture)?;
            let is_wanted = self.target.is_none_or(|only| only == target) && cpu_runs(target);
            is_wanted.then_some((row, target))
        })
    }
}

/// A row of the table.
struct Row {
    name: &'static str,
    architecture: &'static str,
    /// Ticks a byte of usubac's best, and of the choices that were the default.
    usubac: f64,
    former: f64,
    /// Ticks a byte of two groups, and of the tuner's choice, where they were measured.
    two_groups: Option<f64>,
    /// Ticks a byte of usubac's own program, compiled by the culet of then.
    published: Option<f64>,
}

impl Row {
    /// The figure of that run for a choice, if it measured the choice itself.
    fn measured_there(&self, choice: &str) -> Option<f64> {
        self.two_groups.filter(|_| choice == TWO_GROUPS)
    }
}

/// The choices of the table's column for two groups.
const TWO_GROUPS: &str = "interleave 2, unroll auto, inline auto";

/// A row as measured here, in ticks a byte.
struct Measured {
    row: Row,
    /// Ticks a byte of the compiler of then, if it is there, and of this one.
    former: Option<f64>,
    now: f64,
    /// Facts of the default kernel: instructions of the intermediate representation, and cycles a byte by the model.
    instructions: usize,
    chain: f64,
    predicted: f64,
    choice: String,
    tuned: Option<Tuned>,
}

/// The tuner's choice, measured in the run of the default.
struct Tuned {
    ticks: f64,
    instructions: usize,
    chain: f64,
    choice: String,
}

/// The table as Markdown, followed by the summary.
pub fn run(primitives: &Path, plan: &Plan, progress: &mut dyn FnMut(&str)) -> String {
    let compilers = CCompiler::installed();
    if let Some(directory) = &plan.published {
        return published::run(primitives, directory, plan, &compilers, progress);
    }
    let mut all = Vec::new();
    for (row, target) in plan.rows() {
        let label = format!("{} {}", row.name, row.architecture);
        match measure(primitives, row, target, plan, &compilers) {
            Ok(measured) => {
                let tuned = measured.tuned.as_ref().map(|tuned| tuned.ticks);
                let [former, tuned] = [measured.former, tuned].map(shown);
                progress(&format!("{label}: {:.3} ticks a byte, formerly {former}, tuned {tuned}", measured.now));
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
        let [name, architecture, usubac, _, former, _, two_groups, _, _, _, published, ..] = fields[..] else {
            return None;
        };
        let (usubac, former) = (usubac.parse().ok()?, former.parse().ok()?);
        let two_groups = two_groups.parse().ok();
        let published = published.parse().ok();
        Some(Row { name, architecture, usubac, former, two_groups, published })
    })
}

/// The table's rows, their registers as it names them, and the targets that have those.
pub fn places() -> impl Iterator<Item = (&'static str, &'static str, Target)> {
    rows().filter_map(|row| {
        let (target, _) = TARGETS.iter().find(|(_, name)| *name == row.architecture)?;
        Some((row.name, row.architecture, *target))
    })
}

/// The file, node and slicing of a row.
pub fn program(row: &str) -> Option<(&'static str, &'static str, Slicing)> {
    subject(row).map(|Subject(_, file, node, slicing)| (*file, *node, *slicing))
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
    let each = 0..compilers.len();
    let mut choices: Vec<Choice> = each.clone().map(|compiler| choice(&options, compiler)).collect();
    let given = match &plan.then {
        Some(then) => {
            let files = kernel_of(then, file, &former)?;
            each.map(|compiler| Given { choice: choice(&former, compiler), ..files.clone() }).collect()
        }
        None => Vec::new(),
    };
    let mut request = Request {
        source: &source,
        options: options.clone(),
        any_slicing: false,
        compilers: compilers.to_vec(),
        flags: plan.cflags.clone(),
        runner: None,
        what: What::Registers,
        budget: Budget::default(),
        limits: Limits { time: Duration::from_secs(SAMPLING), exhaustive: false },
        cache: None,
        reuse: Reuse::Nothing,
    };
    let found = match plan.tuned {
        Some(seconds) => Some(searched(&mut request, seconds)?),
        None => None,
    };
    let defaults = choices.len();
    choices.extend(found.clone().filter(|found| !choices.contains(found)));
    let figures =
        culet_tune::measure_beside(&request, &choices, &given, &mut |_| {}).map_err(|errors| first(&errors))?;
    let best = |of: &[Result<Figure, String>]| of.iter().flatten().map(|figure| figure.ticks_a_byte).reduce(f64::min);
    let (ours, theirs) = figures.of.split_at(choices.len());
    let now = best(&ours[..defaults]).ok_or_else(|| "it could not be measured".to_owned())?;
    let tuned = match found {
        Some(found) => {
            let place = choices.iter().position(|choice| *choice == found);
            let ticks = best(&ours[place.unwrap_or(0)..][..1]).ok_or_else(|| "the tuner's choice fails".to_owned())?;
            let Facts { instructions, chain, .. } = Facts::of(&source, &found.options)?;
            Some(Tuned { ticks, instructions, chain, choice: found.describe(compilers) })
        }
        None => None,
    };
    let former = best(theirs);
    let Facts { instructions, chain, predicted, choice, .. } = Facts::of(&source, &options)?;
    Ok(Measured { row, former, now, instructions, chain, predicted, choice, tuned })
}

/// The choice that the tuner finds.
fn searched(request: &mut Request, seconds: u64) -> Result<Choice, String> {
    let sampling = std::mem::replace(&mut request.limits.time, Duration::from_secs(seconds));
    let outcome = tune(request, &mut |_, _| {}).map_err(|errors| first(&errors))?;
    request.limits.time = sampling;
    outcome.ranking.first().map(|best| best.choice.clone()).ok_or_else(|| "the tuner measured nothing".to_owned())
}

/// The kernel that the compiler of a checkout makes of its own program. `options` are those with which today's compiler
/// makes the same interface; that compiler's defaults were one group.
fn kernel_of(checkout: &Path, file: &str, options: &Options) -> Result<Given, String> {
    let scratch = Scratch::new("culet-beside-").map_err(|error| error.to_string())?;
    let program = checkout.join("primitives/ciphers").join(file).with_extension("ua");
    let defaults = Options { interleave: None, ..options.clone() };
    let output = Command::new(checkout.join("target/debug/culet"))
        .arg("compile")
        .arg(program)
        .args(defaults.arguments().split_whitespace())
        .arg("-o")
        .arg(scratch.path())
        .output()
        .map_err(|error| format!("the compiler of then: {error}"))?;
    if !output.status.success() {
        return Err(format!("the compiler of then: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let files = fs::read_dir(scratch.path()).map_err(|error| error.to_string())?;
    let c = files.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|end| end == "c"));
    let c = c.ok_or("the compiler of then wrote no C file")?;
    let read = |path: &Path| fs::read_to_string(path).map_err(|error| error.to_string());
    let stem = c.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let choice = Choice { options: options.clone(), compiler: 0, flags: Vec::new() };
    Ok(Given { choice, stem, text: read(&c)?, header: read(&c.with_extension("h"))? })
}

pub fn source(primitives: &Path, file: &str) -> Result<Source, String> {
    let path = primitives.join("ciphers").join(file).with_extension("ua");
    let (source, diagnostics) = load(&path, &[], &DiskReader);
    if diagnostics.has_errors() { Err(first(&diagnostics)) } else { Ok(source) }
}

pub fn first(diagnostics: &Diagnostics) -> String {
    let is_error = |d: &&Diagnostic| d.is_error();
    diagnostics.iter().find(is_error).map_or_else(String::new, |d| d.message.clone())
}

/// Facts of a kernel that no clock measures.
pub struct Facts {
    /// Instructions of the intermediate representation.
    pub instructions: usize,
    /// Bytes of results of a call.
    pub bytes: f64,
    /// Cycles a byte by the model, of the longest chain and in all.
    pub chain: f64,
    pub predicted: f64,
    choice: String,
}

impl Facts {
    pub fn of(source: &Source, options: &Options) -> Result<Facts, String> {
        let (kernel, diagnostics) = Kernel::of(source, "kernel", options, &Diagnostics::new());
        let kernel = kernel.ok_or_else(|| first(&diagnostics))?;
        let interface = kernel.on_slices().map_err(|errors| first(&errors))?;
        let block: u64 = interface.arguments.iter().filter(|argument| argument.is_result).map(|a| a.bytes).sum();
        let bytes = (block * u64::from(kernel.instances())) as f64;
        let lines = kernel.explained().map_err(|errors| first(&errors))?;
        let choices = lines.iter().filter(|line| !line.starts_with("schedule"));
        let choice: Vec<&str> = choices.filter_map(|line| line.split(':').next()).collect();
        Ok(Facts {
            instructions: kernel.module().funcs.iter().map(|func| func.insts.len()).sum(),
            bytes,
            chain: kernel.chain_length() / bytes,
            predicted: kernel.predicted_cycles() / bytes,
            choice: choice.join(", "),
        })
    }
}

fn table(all: &[Measured]) -> String {
    let is_calibration = |measured: &&Measured| CALIBRATION.contains(&(measured.row.name, measured.row.architecture));
    let scale = mean(all.iter().filter(is_calibration).map(|m| m.row.former / m.now));
    let mut text = String::from(
        "| row | registers | ticks/byte | usubac, scaled | ours : usubac by calibration | by the row | operations | \
         chain | predicted | choices |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut quotients = Quotients::default();
    for measured in all {
        let Measured { row, former, now, instructions, chain, predicted, choice, .. } = measured;
        let there = row.measured_there(choice).or(former.map(|former| row.former * now / former));
        let beside = quotients.columns(row, *now, there, scale);
        let _ = writeln!(text, "{beside} {instructions} | {chain:.3} | {predicted:.3} | {choice} |");
    }
    text += &quotients.summary(scale);
    if all.iter().all(|measured| measured.tuned.is_none()) {
        return text;
    }
    text += "\nTuned:\n\n| row | registers | ticks/byte | usubac, scaled | ours : usubac by calibration | by the row | \
             of the default | operations | chain | choices |\n|---|---|---|---|---|---|---|---|---|---|\n";
    let mut quotients = Quotients::default();
    for Measured { row, former, now, tuned, .. } in all {
        let Some(Tuned { ticks, instructions, chain, choice }) = tuned else { continue };
        let there = former.map(|former| row.former * ticks / former);
        let beside = quotients.columns(row, *ticks, there, scale);
        let _ = writeln!(text, "{beside} {:.3} | {instructions} | {chain:.3} | `{choice}` |", ticks / now);
    }
    text + &quotients.summary(scale)
}

/// Quotients of our ticks and usubac's.
#[derive(Default)]
struct Quotients {
    calibrated: Vec<f64>,
    by_row: Vec<(f64, String)>,
}

impl Quotients {
    /// A row's name, our ticks a byte, and how they compare. `there` are our ticks on the CPU of the table.
    fn columns(&mut self, row: &Row, here: f64, there: Option<f64>, scale: Option<f64>) -> String {
        let own = there.map(|there| there / row.usubac);
        let theirs = scale.map(|scale| row.usubac / scale).filter(|_| !WITH_KEY_SCHEDULE.contains(&row.name));
        let calibrated = theirs.map(|theirs| here / theirs);
        self.calibrated.extend(calibrated);
        self.by_row.extend(own.map(|own| (own, format!("{} {}", row.name, row.architecture))));
        let [theirs, calibrated, own] = [theirs, calibrated, own].map(shown);
        format!("| {} | {} | {here:.3} | {theirs} | {calibrated} | {own} |", row.name, row.architecture)
    }

    fn summary(&self, scale: Option<f64>) -> String {
        let above = self.by_row.iter().filter(|(own, _)| *own > EQUAL);
        let above: Vec<String> = above.map(|(own, row)| format!("{row} {own:.2}")).collect();
        format!(
            "\n{} by calibration ({} ticks there for one here), {} by the row; {} above {EQUAL} by the row: {}.\n",
            described(&self.calibrated),
            shown(scale),
            described(&self.by_row.iter().map(|(own, _)| *own).collect::<Vec<f64>>()),
            above.len(),
            if above.is_empty() { "none".into() } else { above.join(", ") }
        )
    }
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(|| "-".into(), |value| format!("{value:.3}"))
}

/// A geometric mean, and of how many rows it is.
fn described(quotients: &[f64]) -> String {
    format!("geometric mean of {} rows {}", quotients.len(), shown(mean(quotients.iter().copied())))
}

/// The geometric mean.
pub fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let logarithms: Vec<f64> = values.map(f64::ln).collect();
    (!logarithms.is_empty()).then(|| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows whose work differs do not compare by calibration, and no mean counts them.
    #[test]
    fn a_mean_says_how_many_rows_are_in_it() {
        let mut quotients = Quotients::default();
        for row in rows().filter(|row| ["Clyde-B", "Gimli-V"].contains(&row.name)) {
            let there = (row.architecture != "sse").then_some(row.usubac);
            quotients.columns(&row, row.usubac, there, Some(1.0));
        }
        let summary = quotients.summary(Some(1.0));
        assert!(summary.contains("geometric mean of 3 rows 1.000 by calibration"), "{summary}");
        assert!(summary.contains("geometric mean of 4 rows 1.000 by the row"), "{summary}");
    }

    #[test]
    fn every_row_has_its_program() {
        let rows: Vec<Row> = rows().collect();
        assert!(rows.len() > 75, "{}", rows.len());
        for row in rows {
            assert!(subject(row.name).is_some(), "{}", row.name);
        }
    }
}
