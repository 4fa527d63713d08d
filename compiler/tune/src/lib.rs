//! The tuner: finds the fastest way to compile a program for a machine, by measuring on that machine.
//!
//! [`space`] defines the choices that can be varied. [`search`] tries promising choices, wave after wave; the
//! compiler's own model excludes hopeless ones. [`lab`] compiles candidates to machine code and has [`harness`] sample
//! them in turns, here or through a runner; [`race`] ranks candidates by their samples. A candidate whose results
//! differ from the interpreter's is excluded, and so is one that takes more than its [`budget`]. [`mod@fit`] meets a budget without running
//! anything. [`cache`] keeps results, by the hash of the intermediate representation,
//! the target, the compilers and the CPU.

mod bench;
mod budget;
mod cache;
mod cores;
mod fit;
mod harness;
mod lab;
mod pace;
mod race;
mod search;
mod space;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use culet_diag::codes::world;
use culet_diag::{Diagnostic, Diagnostics};
use culet_driver::{Kernel, Options, Source, elaborate, slicing_name};
use culet_emit::Interface;
use culet_native::{CCompiler, Runner};
use culet_types::program::Slicing;

pub use bench::{Figure, Figures, measure, measure_beside, measure_within};
pub use budget::{Budget, described};
pub use cache::Cache;
pub use fit::{Fit, fit};
pub use harness::{Lengths, What};
pub use lab::{Given, Laboratory, Prepared, Trouble};
pub use pace::Sampling;
pub use race::Samples;
pub use search::{Found, Limits, Ranked, Tried, search};
pub use space::{Choice, Space};

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

/// A callback for the tuner's progress: the number of measured choices, the best one, and its ticks a byte.
pub type Watch<'a> = dyn FnMut(usize, Option<(&str, f64)>) + 'a;

/// Tunes a program. With a cache, an existing verdict is taken from it, and an interrupted search is resumed.
///
/// # Errors
///
/// If the program is wrong, or nothing can be measured.
pub fn tune(request: &Request, watch: &mut Watch) -> Result<Outcome, Diagnostics> {
    let start = Instant::now();
    let space = Space {
        base: request.options.clone(),
        slicings: slicings(request)?,
        compilers: request.compilers.clone(),
        flags: request.flags.clone(),
        is_for_size: !request.budget.is_open(),
    };
    if space.compilers.is_empty() {
        return Err(failure("there is no C compiler to tune with"));
    }
    let first = Options { slicing: space.slicings[0], ..request.options.clone() };
    let mut workshop =
        lab::Workshop::new(request.source, &first, &request.compilers, request.runner.as_ref(), request.what)?;
    workshop.budget = request.budget;
    let mut remarks = Vec::new();
    let machine = workshop.probe(&space.starts()).map_err(|reason| cannot_measure(request, &reason))?;
    let mut cache = match &request.cache {
        Some(directory) => Some(Cache::open(directory, &cache::key(request, &space, &machine)?, &space)),
        None => None,
    };
    if let Some(cache) = &mut cache {
        if request.reuse == Reuse::Nothing {
            cache.forget();
        }
        remarks.append(&mut cache.remarks);
        if let Some(outcome) = cache.verdict().filter(|outcome| outcome.settles(request.limits, request.reuse)) {
            return Ok(Outcome { remarks, ..outcome });
        }
    }
    let known = cache.as_ref().map(|cache| cache.known(request.limits)).unwrap_or_default();
    let mut trouble = None;
    let limits = Limits { time: request.limits.time.saturating_sub(start.elapsed()), ..request.limits };
    let found = search(&space, &mut workshop, limits, &known, &mut |tried, best| {
        if let Some(Err(error)) = cache.as_ref().map(|cache| cache.keep_progress(tried, request.limits)) {
            trouble = Some(error);
        }
        let best = best.map(|(choice, score)| (choice.describe(&space.compilers), score));
        watch(measured(tried), best.as_ref().map(|(text, score)| (text.as_str(), *score)));
    });
    let found = found.map_err(|reason| {
        let unmet = workshop.smallest.unmet(request.budget, request.source, &first);
        unmet.unwrap_or_else(|| cannot_measure(request, &reason))
    })?;
    let outcome = Outcome {
        ranking: found.ranking,
        tried: found.tried,
        skipped: found.skipped,
        pruned: found.pruned,
        large: found.large,
        is_complete: found.is_complete,
        is_hurried: found.is_hurried,
        asked: request.limits.asked(),
        noise: found.noise,
        machine: workshop.machine,
        clock: workshop.clock,
        from_cache: false,
        remarks: Vec::new(),
    };
    let better = cache.as_ref().and_then(Cache::verdict).filter(|earlier| earlier.outlasts(&outcome, request.reuse));
    let outcome = match better {
        Some(earlier) => Outcome { tried: outcome.tried, ..earlier },
        None => {
            if let Some(Err(error)) = cache.as_ref().map(|cache| cache.keep_verdict(&outcome)) {
                trouble = Some(error);
            }
            outcome
        }
    };
    remarks.extend(trouble);
    if let left @ [_, ..] = &outcome.unmeasured(&space.slicings)[..] {
        let left: Vec<String> = left.iter().map(|slicing| format!("`--slice {slicing}`")).collect();
        remarks.push(format!("nothing of {} was measured in the time; `--time` allows more", left.join(" and ")));
    }
    Ok(Outcome { remarks, ..outcome })
}

/// The directions to try: those in which the program can be compiled.
fn slicings(request: &Request) -> Result<Vec<Option<Slicing>>, Diagnostics> {
    if !request.any_slicing {
        compiles(request, request.options.slicing)?;
        return Ok(vec![request.options.slicing]);
    }
    let all = [Slicing::Vertical, Slicing::Horizontal, Slicing::Bitslice];
    let mut possible = Vec::new();
    let mut wrong = None;
    for slicing in all {
        match compiles(request, Some(slicing)) {
            Ok(()) => possible.push(Some(slicing)),
            Err(diagnostics) => wrong = Some(diagnostics),
        }
    }
    match (possible.is_empty(), wrong) {
        // The program has no open direction.
        (true, _) if compiles(request, None).is_ok() => Ok(vec![None]),
        (true, Some(diagnostics)) => Err(diagnostics),
        _ => Ok(possible),
    }
}

fn compiles(request: &Request, slicing: Option<Slicing>) -> Result<(), Diagnostics> {
    let options = Options { slicing, ..request.options.clone() };
    kernel(request.source, &request.source.stem, &options).map(drop)
}

/// A kernel, and what callers need to know of it: only slices are tuned.
fn kernel(source: &Source, stem: &str, options: &Options) -> Result<(Kernel, Interface), Diagnostics> {
    let (kernel, mut diagnostics) = Kernel::of(source, stem, options, &Diagnostics::new());
    let Some(kernel) = kernel else { return Err(diagnostics) };
    match kernel.on_slices().cloned() {
        Ok(interface) => Ok((kernel, interface)),
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

/// The text of the lowered program in one direction, which identifies it for a verdict.
fn text(request: &Request, slicing: Option<Slicing>) -> Result<String, Diagnostics> {
    let options = Options { slicing, ..request.options.clone() };
    let (program, diagnostics) = elaborate(request.source, &options);
    let program = program.ok_or(diagnostics)?;
    let mut text = String::new();
    culet_driver::lower(program, &options, &mut |stage, module| {
        if stage == "lower" {
            text = module.to_string();
        }
    })?;
    Ok(text)
}
