//! A search with all that is around it: the space that fits the program, earlier verdicts, and what is compiled once for several searches.

use std::collections::BTreeMap;
use std::mem;
use std::time::{Duration, Instant};

use culet_diag::Diagnostics;
use culet_driver::{Options, computes_one_instance, elaborate};
use culet_ir::Target;
use culet_native::Size;
use culet_types::program::Slicing;

use crate::cache::{self, Cache};
use crate::lab::{Laboratory, Prepared, Trouble, Workshop};
use crate::pace::Sampling;
use crate::race::Samples;
use crate::search::{Limits, search};
use crate::space::{Choice, Space};
use crate::{Outcome, Request, Reuse, cannot_measure, failure, kernel, measured};

/// A callback for the tuner's progress: the number of measured choices, the best one, and its ticks a byte.
pub type Watch<'a> = dyn FnMut(usize, Option<(&str, f64)>) + 'a;

/// Tunes a program. With a cache, an existing verdict is taken from it, and an interrupted search is resumed.
///
/// # Errors
///
/// If the program is wrong, or nothing can be measured.
pub fn tune(request: &Request, watch: &mut Watch) -> Result<Outcome, Diagnostics> {
    Tuner::new(request, &[request.options.target])?.tune(request, watch)
}

/// Tunes a program for one thing after another, such as messages of several lengths. Candidates are compiled once for all of them.
pub struct Tuner<'a> {
    space: Space,
    /// The options of the node whose results all candidates compute.
    first: Options,
    workshop: Workshop<'a>,
    machine: String,
    /// The choices whose code was made, which the workshop knows by their places.
    met: Vec<Choice>,
    /// The time that it took to make this, until it is counted.
    spent: Duration,
}

impl<'a> Tuner<'a> {
    /// Prepares to tune a program for these targets. They are several only for a program that computes one instance at a time, and of the
    /// request all but the target counts then.
    ///
    /// # Errors
    ///
    /// If the program is wrong, or nothing can be measured.
    pub fn new(request: &'a Request<'a>, targets: &[Target]) -> Result<Tuner<'a>, Diagnostics> {
        let start = Instant::now();
        let slicings = slicings(request)?;
        let first = Options { slicing: slicings[0], ..request.options.clone() };
        let space = Space {
            base: request.options.clone(),
            is_on_words: computes_one_instance(request.source, &first),
            targets: targets.to_vec(),
            slicings,
            compilers: request.compilers.clone(),
            flags: request.flags.clone(),
            is_for_size: !request.budget.is_open(),
        };
        if space.compilers.is_empty() {
            return Err(failure("there is no C compiler to tune with"));
        }
        let mut workshop =
            Workshop::new(request.source, &first, &request.compilers, request.runner.as_ref(), request.what)?;
        workshop.budget = request.budget;
        let machine = workshop.probe(&space.starts()).map_err(|reason| cannot_measure(request, &reason))?;
        Ok(Tuner { space, first, workshop, machine, met: Vec::new(), spent: start.elapsed() })
    }

    /// Tunes the program for what the request says, within its limits. In all else the request is that for which this was made.
    ///
    /// # Errors
    ///
    /// As of [`tune`].
    pub fn tune(&mut self, request: &Request, watch: &mut Watch) -> Result<Outcome, Diagnostics> {
        let start = Instant::now();
        let spent = mem::take(&mut self.spent);
        self.workshop.turn_to(request.what, &self.first)?;
        let space = &self.space;
        let mut remarks = Vec::new();
        let mut cache = match &request.cache {
            Some(directory) => Some(Cache::open(directory, &cache::key(request, space, &self.machine)?, space)),
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
        let time = request.limits.time.saturating_sub(spent + start.elapsed());
        let limits = Limits { time, ..request.limits };
        let mut laboratory = Numbered { workshop: &mut self.workshop, met: &mut self.met, numbers: BTreeMap::new() };
        let found = search(space, &mut laboratory, limits, &known, &mut |tried, best| {
            if let Some(Err(error)) = cache.as_ref().map(|cache| cache.keep_progress(tried, request.limits)) {
                trouble = Some(error);
            }
            let best = best.map(|(choice, score)| (choice.describe(&space.compilers), score));
            watch(measured(tried), best.as_ref().map(|(text, score)| (text.as_str(), *score)));
        });
        let found = found.map_err(|reason| {
            let unmet = self.workshop.smallest.unmet(request.budget, request.source, &self.first);
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
            machine: self.workshop.machine.clone(),
            clock: self.workshop.clock.clone(),
            from_cache: false,
            remarks: Vec::new(),
        };
        let better =
            cache.as_ref().and_then(Cache::verdict).filter(|earlier| earlier.outlasts(&outcome, request.reuse));
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
}

/// A workshop for one of several searches. Each numbers its candidates anew.
struct Numbered<'t, 'a> {
    workshop: &'t mut Workshop<'a>,
    met: &'t mut Vec<Choice>,
    /// By the search's number of a candidate, the place of its choice.
    numbers: BTreeMap<usize, usize>,
}

impl Numbered<'_, '_> {
    /// The search's number of a candidate.
    fn own(&self, place: usize) -> usize {
        self.numbers.iter().find(|(_, other)| **other == place).map_or(place, |(&id, _)| id)
    }
}

impl Laboratory for Numbered<'_, '_> {
    fn now(&self) -> Duration {
        self.workshop.now()
    }

    fn prepare(&mut self, choices: &[(usize, Choice)]) -> Vec<Prepared> {
        let mut placed = Vec::new();
        for (id, choice) in choices {
            let place = self.met.iter().position(|other| other == choice).unwrap_or(self.met.len());
            if place == self.met.len() {
                self.met.push(choice.clone());
            }
            self.numbers.insert(*id, place);
            placed.push((place, choice.clone()));
        }
        self.workshop.prepare(&placed)
    }

    fn measure(&mut self, ids: &[usize], sampling: Sampling) -> Result<Samples, Trouble> {
        let places: Vec<usize> = ids.iter().map(|id| self.numbers[id]).collect();
        match self.workshop.measure(&places, sampling) {
            Ok(Samples { of, runs, time }) => Ok(Samples {
                of: of.into_iter().map(|(place, samples)| (self.own(place), samples)).collect(),
                runs,
                time,
            }),
            Err(trouble) => Err(match trouble {
                Trouble::Candidates(failed) => {
                    Trouble::Candidates(failed.into_iter().map(|(place, why)| (self.own(place), why)).collect())
                }
                Trouble::Large(large) => {
                    Trouble::Large(large.into_iter().map(|(place, excess)| (self.own(place), excess)).collect())
                }
                Trouble::Late(late) => Trouble::Late(late.into_iter().map(|place| self.own(place)).collect()),
                Trouble::Runner(reason) => Trouble::Runner(reason),
            }),
        }
    }

    fn size(&self, id: usize) -> Option<Size> {
        self.workshop.size(*self.numbers.get(&id)?)
    }
}

/// The directions to try: those in which the program can be compiled, or the request's own.
///
/// # Errors
///
/// If there is none.
pub fn slicings(request: &Request) -> Result<Vec<Option<Slicing>>, Diagnostics> {
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
    kernel(request.source, &request.source.stem, &options, request.what).map(drop)
}

/// The text of the lowered program in one direction, which identifies it for a verdict.
pub(crate) fn text(request: &Request, slicing: Option<Slicing>) -> Result<String, Diagnostics> {
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
