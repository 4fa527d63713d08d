//! Measuring given choices without a search, for benchmarks and experiments.

use std::time::{Duration, Instant};

use culet_diag::Diagnostics;

use crate::harness::What;
use crate::lab::{Given, Laboratory, Prepared, Trouble, Workshop};
use crate::pace::Sampling;
use crate::race::Samples;
use crate::space::Choice;
use crate::{Request, cannot_measure};

/// Maximum number of candidates of one executable, whose samples alternate.
const TOGETHER: usize = 24;
const RUNS: usize = 7;
const ROUNDS: usize = 15;

/// The figures, and the machine and clock with which they were measured.
#[derive(Debug, Default)]
pub struct Figures {
    pub machine: String,
    pub clock: String,
    /// For each choice its figure, or the reason why there is none. Choices with the same machine code are all
    /// measured.
    pub of: Vec<Result<Figure, String>>,
}

/// The speed of a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The median of the samples. For a function without streams, it is ticks a call.
    pub ticks_a_byte: f64,
    /// The median distance of the samples from their median, as a share of it.
    pub spread: f64,
    /// Time relative to the first choice, by samples of the same rounds; `None` if the first one failed.
    pub ratio: Option<f64>,
}

/// Measures these choices. Of the request it uses the program, the compilers, the runner, the kind of measurement and
/// the time. The first choice is measured again with every batch of others, so that all can be compared with it. A
/// batch is sampled in seven runs, and in more while the time limit is not reached.
///
/// # Errors
///
/// If the program is wrong, or the runner fails for every program.
pub fn measure(request: &Request, choices: &[Choice], watch: &mut dyn FnMut(usize)) -> Result<Figures, Diagnostics> {
    measure_beside(request, choices, &[], watch)
}

/// As [`measure`], for each of several things in place of the request's, such as messages of several lengths. Choices are compiled once for all
/// of them. `watch` gets the number of figures.
///
/// # Errors
///
/// As of [`measure`].
pub fn measure_each(
    request: &Request,
    whats: &[What],
    choices: &[Choice],
    watch: &mut dyn FnMut(usize),
) -> Result<Vec<Figures>, Diagnostics> {
    figures(request, whats, choices, &[], None, watch)
}

/// As [`measure`], with fewer samples where so much time is over before, or none where it is over before anything is compiled.
///
/// # Errors
///
/// As of [`measure`].
pub fn measure_within(time: Duration, request: &Request, choices: &[Choice]) -> Result<Figures, Diagnostics> {
    figures(request, &[request.what], choices, &[], Some(Instant::now() + time), &mut |_| {}).map(only)
}

/// As [`measure`], with kernels that were made elsewhere in the first batch. Their figures follow those of the choices.
///
/// # Errors
///
/// As of [`measure`].
pub fn measure_beside(
    request: &Request,
    choices: &[Choice],
    given: &[Given],
    watch: &mut dyn FnMut(usize),
) -> Result<Figures, Diagnostics> {
    figures(request, &[request.what], choices, given, None, watch).map(only)
}

fn only(mut figures: Vec<Figures>) -> Figures {
    figures.pop().unwrap_or_default()
}

/// The figures of choices and of given kernels, for each of `whats`. With a time `until` which there may be measurements, nothing begins
/// after it.
fn figures(
    request: &Request,
    whats: &[What],
    choices: &[Choice],
    given: &[Given],
    until: Option<Instant>,
    watch: &mut dyn FnMut(usize),
) -> Result<Vec<Figures>, Diagnostics> {
    let none = || Figures { of: vec![Err(String::new()); choices.len() + given.len()], ..Figures::default() };
    let mut figures: Vec<Figures> = whats.iter().map(|_| none()).collect();
    let Some(first) = choices.first() else { return Ok(figures) };
    let mut workshop =
        Workshop::new(request.source, &first.options, &request.compilers, request.runner.as_ref(), request.what)?;
    workshop.may_be_late = until.is_none();
    let until = until.map(|until| workshop.now() + until.saturating_duration_since(Instant::now()));
    let mut next = 0;
    while next < choices.len() {
        let is_again = next > 0 && figures.iter().any(|figures| figures.of[0].is_ok());
        let end = choices.len().min(next + TOGETHER - usize::from(is_again));
        let mut ready: Vec<usize> = Vec::new();
        if next == 0 {
            for (id, given) in (choices.len()..).zip(given) {
                workshop.give(id, given);
                ready.push(id);
            }
        }
        let numbered: Vec<(usize, Choice)> = (next..end).map(|id| (id, choices[id].clone())).collect();
        for (id, prepared) in (next..end).zip(workshop.prepare(&numbered)) {
            let mut refuse = |reason: String| figures.iter_mut().for_each(|each| each.of[id] = Err(reason.clone()));
            match prepared {
                Prepared::Ready { .. } => ready.push(id),
                Prepared::CannotAct => refuse("the choice does nothing for this program".into()),
                Prepared::Failed(reason) => refuse(reason),
            }
        }
        for (done, (&what, figures)) in (1..).zip(whats.iter().zip(&mut figures)) {
            let again = (next > 0 && figures.of[0].is_ok()).then_some(0);
            let mut ids: Vec<usize> = again.into_iter().chain(ready.iter().copied()).collect();
            workshop.turn_to(what, &first.options)?;
            let samples = sample(&mut workshop, request, until, &mut ids, &mut figures.of)?;
            for id in ids {
                if let Some(ticks_a_byte) = samples.median(id) {
                    let (spread, ratio) = (samples.noise(id), samples.ratio(id, 0));
                    figures.of[id] = Ok(Figure { ticks_a_byte, spread, ratio });
                }
            }
            watch(next * whats.len() + (end - next) * done);
        }
        next = end;
    }
    for figures in &mut figures {
        (figures.machine, figures.clock) = (workshop.machine.clone(), workshop.clock.clone());
    }
    Ok(figures)
}

/// Samples candidates in turns. Candidates that fail are removed from `ids`, and `of` gets the reason.
fn sample(
    workshop: &mut Workshop,
    request: &Request,
    until: Option<Duration>,
    ids: &mut Vec<usize>,
    of: &mut [Result<Figure, String>],
) -> Result<Samples, Diagnostics> {
    let start = Instant::now();
    let mut all = Samples::default();
    while !ids.is_empty() && (all.rounds() == 0 || start.elapsed() < request.limits.time) {
        match workshop.measure(ids, Sampling { runs: RUNS, rounds: ROUNDS, until }) {
            Ok(samples) => all.append(samples),
            Err(Trouble::Candidates(failed)) => {
                for (candidate, reason) in failed {
                    ids.retain(|&other| other != candidate);
                    all.of.remove(&candidate);
                    of[candidate] = Err(reason);
                }
            }
            Err(Trouble::Large(large)) => {
                for (candidate, excess) in large {
                    ids.retain(|&other| other != candidate);
                    of[candidate] = Err(format!("it takes {excess} bytes more than the budget"));
                }
            }
            Err(Trouble::Late(late)) => {
                ids.retain(|id| !late.contains(id));
                late.into_iter().for_each(|id| of[id] = Err("there was no time to compile it".into()));
            }
            Err(Trouble::Runner(reason)) => return Err(cannot_measure(request, &reason)),
        }
    }
    Ok(all)
}
