//! Measuring an experiment: program by program and target by target, with all variants side by side.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use culet_diag::Diagnostics;
use culet_driver::{DiskReader, Options, Source, load};
use culet_ir::Target;
use culet_native::{CCompiler, cpu_runs};
use culet_tune::{Budget, Choice, Limits, Request, Reuse, What};

use super::record::{self, Row};
use super::{Experiment, Plan, Subject, Variant};
use crate::clock::core_cycles_per_tick;

/// Default seconds of sampling for a batch of variants, and of a search.
const SAMPLING: u64 = 2;
const SEARCHING: u64 = 40;

/// The setup that all experiments share.
pub struct Bench {
    primitives: PathBuf,
    pub compilers: Vec<CCompiler>,
    /// Flags of every C compilation.
    flags: Vec<String>,
    time: Option<u64>,
}

impl Bench {
    /// # Errors
    ///
    /// If there is no C compiler.
    pub fn new(plan: &Plan, compilers: Vec<CCompiler>) -> Result<Bench, String> {
        if compilers.is_empty() {
            return Err("there is no C compiler".into());
        }
        let flags = vec!["-O3".into(), "-march=native".into()];
        Ok(Bench { primitives: plan.primitives.clone(), compilers, flags, time: plan.time })
    }

    /// A choice of options and a C compiler, with its usual flags and additional ones.
    pub fn choice(&self, options: Options, compiler: usize, more: &[&str]) -> Choice {
        let flags = self.flags.iter().cloned().chain(more.iter().map(|&flag| flag.to_owned())).collect();
        Choice { options, compiler, flags }
    }

    /// The best choice of a search.
    pub fn tune(&self, source: &Source, options: &Options) -> Result<Choice, String> {
        let outcome = culet_tune::tune(&self.request(source, options, SEARCHING), &mut |_, _| {});
        let ranking = outcome.map_err(|diagnostics| first_error(&diagnostics))?.ranking;
        ranking.into_iter().next().map(|best| best.choice).ok_or_else(|| "nothing was found".into())
    }

    fn request<'s>(&self, source: &'s Source, options: &Options, seconds: u64) -> Request<'s> {
        Request {
            source,
            options: options.clone(),
            any_slicing: false,
            compilers: self.compilers.clone(),
            flags: self.flags.clone(),
            runner: None,
            what: What::Registers,
            budget: Budget::default(),
            limits: Limits { time: Duration::from_secs(self.time.unwrap_or(seconds)), exhaustive: false },
            cache: None,
            reuse: Reuse::Nothing,
        }
    }

    /// Measures all variants of a program on a target. Returns a row for each, or one row with the reason why there are
    /// none.
    fn group(&self, experiment: &Experiment, subject: &Subject, target: Target) -> Vec<Row> {
        let row = |variant: &str, compiler: &str, options: String, reason: String| Row {
            subject: subject.name.clone(),
            target: target.name().into(),
            compiler: compiler.into(),
            variant: variant.into(),
            cycles_a_tick: 1.0,
            figure: Err(reason),
            options,
            machine: String::new(),
        };
        let node = Some(subject.node.to_owned());
        let options = Options { node, slicing: Some(subject.slicing), ..Options::new(target) };
        let variants = self
            .source(subject)
            .and_then(|source| Ok(((experiment.variants)(self, &source, &options)?, source)))
            .map_err(|reason| vec![row("all", "-", options.arguments(), reason)]);
        let (variants, source) = match variants {
            Ok(found) => found,
            Err(rows) => return rows,
        };
        let unmeasured = |Variant { name, choice }: &Variant| {
            row(name, &self.compilers[choice.compiler].name(), choice.describe(&self.compilers), String::new())
        };
        let mut rows: Vec<Row> = variants.iter().map(unmeasured).collect();
        let choices: Vec<Choice> = variants.into_iter().map(|variant| variant.choice).collect();
        let before = core_cycles_per_tick();
        let figures = culet_tune::measure(&self.request(&source, &options, SAMPLING), &choices, &mut |_| {});
        let cycles_a_tick = before.max(core_cycles_per_tick());
        match figures {
            Ok(figures) => {
                for (row, figure) in rows.iter_mut().zip(figures.of) {
                    (row.figure, row.cycles_a_tick, row.machine) = (figure, cycles_a_tick, figures.machine.clone());
                }
            }
            Err(diagnostics) => rows.iter_mut().for_each(|row| row.figure = Err(first_error(&diagnostics))),
        }
        rows
    }

    fn source(&self, subject: &Subject) -> Result<Source, String> {
        let path = self.primitives.join("ciphers").join(subject.file).with_extension("ua");
        let (source, diagnostics) = load(&path, &[], &DiskReader);
        if diagnostics.has_errors() { Err(first_error(&diagnostics)) } else { Ok(source) }
    }
}

/// Measures the programs and targets of an experiment that the plan selects, and writes the rows of each as soon as
/// they are complete. Returns the number of programs and targets.
pub fn run(
    experiment: &Experiment,
    plan: &Plan,
    bench: &Bench,
    progress: &mut dyn FnMut(&str),
) -> Result<usize, String> {
    let path = table(&plan.out, experiment);
    let mut rows = record::read(&path)?;
    let targets = targets(experiment, plan, progress)?;
    let mut work: Vec<(Subject, Target)> = Vec::new();
    for subject in (experiment.subjects)().into_iter().filter(|subject| is_wanted(subject, plan)) {
        work.extend(targets.iter().map(|&target| (subject.clone(), target)));
    }
    if plan.missing {
        let is_there = |s: &Subject, t: Target| rows.iter().any(|row| row.subject == s.name && row.target == t.name());
        work.retain(|(subject, target)| !is_there(subject, *target));
    }
    let start = Instant::now();
    for (k, (subject, target)) in work.iter().enumerate() {
        let newer = bench.group(experiment, subject, *target);
        let (all, failed) = (newer.len(), newer.iter().filter(|row| row.figure.is_err()).count());
        record::replace(&mut rows, newer);
        write(&path, &record::format(&rows))?;
        let elapsed = start.elapsed().as_secs_f64();
        let left = elapsed / (k + 1) as f64 * (work.len() - k - 1) as f64;
        progress(&format!(
            "{} {}/{}: {} {}, {all} variants, {failed} without a figure; {elapsed:.0} s, about {left:.0} s left",
            experiment.name,
            k + 1,
            work.len(),
            subject.name,
            target.name(),
        ));
    }
    Ok(work.len())
}

/// The path of an experiment's table.
pub fn table(out: &Path, experiment: &Experiment) -> PathBuf {
    out.join("plots").join(experiment.name).with_extension("tsv")
}

/// Writes a file, and creates its directory if there is none.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    let directory = path.parent().map_or(Ok(()), fs::create_dir_all);
    directory
        .and_then(|()| fs::write(path, text))
        .map_err(|error| format!("cannot write `{}`: {error}", path.display()))
}

/// Whether the plan selects this program, by its name (`AES-bs`), by the name without slicing (`AES`), or by the file.
fn is_wanted(subject: &Subject, plan: &Plan) -> bool {
    let is_it = |wanted: &str| {
        let rest = subject.name.strip_prefix(wanted);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', ' '])) || subject.file == wanted
    };
    plan.cipher.as_deref().is_none_or(is_it)
}

fn targets(experiment: &Experiment, plan: &Plan, progress: &mut dyn FnMut(&str)) -> Result<Vec<Target>, String> {
    let wanted = experiment.targets.iter().copied().filter(|target| plan.target.is_none_or(|only| only == *target));
    let (here, lacking): (Vec<Target>, Vec<Target>) = wanted.partition(|&target| cpu_runs(target));
    for target in &lacking {
        progress(&format!("{}: this CPU does not run {}", experiment.name, target.name()));
    }
    match plan.target {
        Some(target) if lacking.contains(&target) => Err(format!("this CPU does not run {}", target.name())),
        _ => Ok(here),
    }
}

fn first_error(diagnostics: &Diagnostics) -> String {
    let error = diagnostics.iter().find(|d| d.is_error());
    error.map_or_else(|| "it cannot be compiled".into(), |d| d.message.clone())
}
