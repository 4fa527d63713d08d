//! The experiments: the effects of interleaving, inlining, scheduling, tuning and slicing on speed.
//!
//! An [`Experiment`] defines its programs and the ways to compile them. [`measure`] measures the variants of a program
//! on a target side by side and keeps the figures in a table, `plots/NAME.tsv` ([`record`]). Plots and [`document`],
//! `experiments.md`, are made from these tables alone, so that parts can be measured separately.

mod document;
mod inlining;
mod interleaving;
mod measure;
mod record;
mod scheduling;
mod slicings;
mod tables;
mod tuned;

use std::path::PathBuf;

use culet_driver::{Options, Source};
use culet_ir::Target;
use culet_native::CCompiler;
use culet_tune::Choice;
use culet_types::program::Slicing;

use self::measure::Bench;
use self::record::Row;
use crate::speed;

/// The measurements to make, and the place for the results.
#[derive(Debug, Clone)]
pub struct Plan {
    pub only: Option<String>,
    pub cipher: Option<String>,
    pub target: Option<Target>,
    /// The only C compiler; `None` is all that are installed.
    pub cc: Option<String>,
    /// Seconds of searching or of sampling for each program and target. Searching and sampling have different defaults.
    pub time: Option<u64>,
    /// Whether figures that are in the tables already are not measured again.
    pub missing: bool,
    /// Whether only plots and document are made, from the existing tables.
    pub render: bool,
    pub out: PathBuf,
    pub primitives: PathBuf,
}

/// An experiment.
pub struct Experiment {
    pub name: &'static str,
    pub title: &'static str,
    /// The text on the variants, and on how to read the figures.
    pub text: &'static str,
    pub targets: &'static [Target],
    pub subjects: fn() -> Vec<Subject>,
    /// The variants that are measured side by side for a program and a target. The ratios of the others refer to the
    /// first.
    pub variants: fn(&Bench, &Source, &Options) -> Result<Vec<Variant>, String>,
    pub plots: fn(&[Row]) -> Vec<Plot>,
    /// The tables, in Markdown.
    pub tables: fn(&[Row]) -> String,
}

/// A program in one of its slicings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// usubac's name for the cipher in this slicing, such as `AES-bs`, with the file name if there are several such
    /// programs.
    pub name: String,
    /// Name of the file in `ciphers/`, without extension.
    pub file: &'static str,
    pub node: &'static str,
    pub slicing: Slicing,
}

/// One way to compile a program.
#[derive(Debug, Clone)]
pub struct Variant {
    pub name: String,
    pub choice: Choice,
}

/// A picture, with the name of its file without extension, and a caption.
pub struct Plot {
    pub file: String,
    pub caption: String,
    pub svg: String,
}

pub const EXPERIMENTS: [Experiment; 5] =
    [interleaving::EXPERIMENT, inlining::EXPERIMENT, scheduling::EXPERIMENT, tuned::EXPERIMENT, slicings::EXPERIMENT];

/// The targets of `SUBJECTS`' table, narrowest first.
const TARGETS: [Target; 4] = [Target::C64, Target::Sse, Target::Avx2, Target::Avx512];

/// Makes the measurements of a plan, then writes plots and document.
///
/// # Errors
///
/// If the plan names something that does not exist, or a file cannot be read or written. Variants that cannot be
/// measured are in the tables.
pub fn run(plan: &Plan, progress: &mut dyn FnMut(&str)) -> Result<(), String> {
    let is_chosen = |experiment: &&Experiment| plan.only.as_deref().is_none_or(|only| only == experiment.name);
    let chosen: Vec<&Experiment> = EXPERIMENTS.iter().filter(is_chosen).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
        return Err(format!("the experiments are {}", names.join(", ")));
    }
    if !plan.render {
        let compilers = match &plan.cc {
            Some(name) => vec![CCompiler::find(Some(name)).map_err(|error| error.to_string())?],
            None => CCompiler::installed(),
        };
        let bench = Bench::new(plan, compilers)?;
        let mut groups = 0;
        for experiment in chosen {
            groups += measure::run(experiment, plan, &bench, progress)?;
        }
        if groups == 0 && !plan.missing {
            return Err("no experiment has this cipher on this target".into());
        }
    }
    document::write_from(&plan.out)
}

/// All programs whose speed is measured.
fn subjects() -> Vec<Subject> {
    let subject = |&speed::Subject(name, file, node, slicing): &speed::Subject| {
        let is_first = speed::SUBJECTS.iter().find(|other| other.0 == name).is_some_and(|first| first.1 == file);
        let name = if is_first { name.to_owned() } else { format!("{name} ({file})") };
        Subject { name, file, node, slicing }
    };
    speed::SUBJECTS.iter().map(subject).collect()
}

/// usubac's name for a target.
fn architecture(target: &str) -> &'static str {
    speed::TARGETS.iter().find(|(other, _)| other.name() == target).map_or("", |(_, name)| name)
}

#[cfg(test)]
mod tests;
