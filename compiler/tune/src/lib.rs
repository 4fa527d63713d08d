//! The tuner: finds the fastest way to compile a program for a machine, by measuring on that machine.
//!
//! [`tuner`] brings the parts together. [`space`] defines the choices that can be varied. [`search`] tries promising choices, wave after wave; the
//! compiler's own model excludes hopeless ones. [`callee`] says what is called when a kernel is measured. [`lab`] compiles candidates to machine code and has [`harness`] sample
//! them in turns, here or through a runner; [`race`] ranks candidates by their samples. A candidate whose results
//! differ from the interpreter's is excluded, and so is one that takes more than its [`budget`]. [`mod@fit`] meets a budget without running
//! anything. [`cache`] keeps results, by the hash of the intermediate representation,
//! the target, the compilers and the CPU.

mod bench;
mod budget;
mod cache;
mod callee;
mod cores;
mod fit;
mod harness;
mod lab;
mod pace;
mod race;
mod search;
mod space;
mod tuner;

use std::path::PathBuf;
use std::time::Duration;

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{Kernel, Options, Source, slicing_name};
use culet_native::{CCompiler, Runner};
use culet_types::program::Slicing;

use callee::Callee;

pub use bench::{Figure, Figures, measure, measure_beside, measure_each, measure_within};
pub use budget::{Budget, described};
pub use cache::Cache;
pub use callee::Arguments;
pub use fit::{Fit, fit};
pub use harness::{Lengths, What};
pub use lab::{Given, Laboratory, Prepared, Trouble};
pub use pace::Sampling;
pub use race::Samples;
pub use search::{Found, Limits, Ranked, Tried, search};
pub use space::{Choice, Space};
pub use tuner::{Tuner, Watch, slicings, tune};

/// A request to tune a program.
#[derive(Clone)]
pub struct Request<'a> {
    pub source: &'a Source,
    /// Node, word and target; the search begins with the other choices in it.
    pub options: Options,
    /// Whether to try every direction in which the program can be compiled, not only that of `options`.
    pub any_slicing: bool,
    pub compilers: Vec<CCompiler>,
    /// Flags of every C compilation.
    pub flags: Vec<String>,
    /// The runner for the compiled programs; with `None` they run here.
    pub runner: Option<Runner>,
    pub what: What,
    /// The bytes that a kernel may take.
    pub budget: Budget,
    pub limits: Limits,
    /// The directory in which verdicts are kept; with `None` they are not kept.
    pub cache: Option<PathBuf>,
    pub reuse: Reuse,
}

/// The results that are taken from the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// Verdicts of searches that had as much time, and of those that ended by themselves on a quiet machine.
    Verdicts,
    /// Verdicts of searches that ended by themselves, on a quiet machine or with as much time. Others that had as much time go on.
    CompleteVerdicts,
    /// Nothing: everything is measured again.
    Nothing,
}

/// The verdict, and whether it comes from the cache.
#[derive(Debug)]
pub struct Outcome {
    /// The ranking, fastest first.
    pub ranking: Vec<Ranked>,
    /// Every choice that was tried.
    pub tried: Vec<Tried>,
    /// Choices that failed, with the reason.
    pub skipped: Vec<(Choice, String)>,
    /// Number of choices that the model excluded.
    pub pruned: usize,
    /// Number of choices that do not fit into the budget.
    pub large: usize,
    pub is_complete: bool,
    /// Whether the last measurement had fewer candidates or samples than usual, since the time was over.
    pub is_hurried: bool,
    /// The time that the search was given.
    pub asked: Duration,
    pub noise: f64,
    pub machine: String,
    /// The unit of ticks: `tsc` or `nanoseconds`.
    pub clock: String,
    pub from_cache: bool,
    /// Problems other than those of tuning: a damaged cache, a directory that cannot be written.
    pub remarks: Vec<String>,
}

/// Noise beyond which other work disturbed the measurements.
const DISTURBED: f64 = 0.03;

impl Outcome {
    /// Whether other work on the machine disturbed the measurements.
    pub fn is_disturbed(&self) -> bool {
        self.noise > DISTURBED
    }

    /// Whether it answers a request with these limits without another search.
    fn settles(&self, limits: Limits, reuse: Reuse) -> bool {
        let had_the_time = self.asked >= limits.time;
        match reuse {
            _ if limits.exhaustive => false,
            Reuse::Nothing => false,
            Reuse::Verdicts if had_the_time => true,
            Reuse::Verdicts | Reuse::CompleteVerdicts => {
                self.is_complete && !self.is_hurried && (had_the_time || !self.is_disturbed())
            }
        }
    }

    /// Whether it stays although a later search ended: that one compared the fastest in haste, and had no more time.
    fn outlasts(&self, later: &Outcome, reuse: Reuse) -> bool {
        reuse != Reuse::Nothing && later.is_hurried && !self.is_hurried && self.asked >= later.asked
    }

    /// The number of choices that were measured.
    pub fn measured(&self) -> usize {
        measured(&self.tried)
    }

    /// The slicings of which no choice was measured, as the command line names them.
    fn unmeasured(&self, slicings: &[Option<Slicing>]) -> Vec<&'static str> {
        let is_measured = |slicing: &Option<Slicing>| {
            self.tried.iter().any(|tried| tried.score.is_some() && tried.choice.options.slicing == *slicing)
        };
        slicings
            .iter()
            .filter(|slicing| !is_measured(slicing))
            .flatten()
            .map(|&slicing| slicing_name(slicing))
            .collect()
    }
}

fn measured(tried: &[Tried]) -> usize {
    tried.iter().filter(|tried| tried.score.is_some()).count()
}

/// A kernel, and what callers need to know of it. Only kernels on slices are measured on registers alone.
fn kernel(source: &Source, stem: &str, options: &Options, what: What) -> Result<(Kernel, Callee), Diagnostics> {
    let (kernel, mut diagnostics) = Kernel::of(source, stem, options, &Diagnostics::new());
    let Some(kernel) = kernel else { return Err(diagnostics) };
    let callee = match (kernel.on_words(), what) {
        (Some(words), What::Bytes(_)) => {
            Ok(Callee::Words { function: words.function.clone(), arguments: Arguments::new(kernel.arguments()) })
        }
        _ => kernel.on_slices().cloned().map(Callee::Slices),
    };
    match callee {
        Ok(callee) => Ok((kernel, callee)),
        Err(refusal) => {
            diagnostics.extend(refusal);
            Err(diagnostics)
        }
    }
}

fn cannot_measure(request: &Request, reason: &str) -> Diagnostics {
    let place = request.runner.as_ref().map_or("here".into(), |runner| format!("with the runner `{}`", runner.name()));
    failure(&format!("nothing could be measured {place}: {reason}"))
}

fn failure(message: &str) -> Diagnostics {
    Diagnostic::error_without_place(&world::E0850, message.to_owned()).into()
}
