//! The search: in waves from the best choices so far to their neighbours, in the order that the model predicts.
//!
//! A wave compiles and measures a few untried choices, together with the leader, whose samples relate the conditions of
//! this wave to those of others. The next wave consists of the choices that differ in one respect from the best few.
//! When no wave brings an improvement, or the time is over but for the last measurement, the best few are measured once more with the defaults,
//! by many samples in many runs. The first of them that is surely faster than the best default is the winner, or that default if none is.

mod large;

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use culet_driver::slicing_name;
use culet_native::Size;
use culet_passes::Amount;

use crate::lab::{Laboratory, Prepared, Trouble};
use crate::pace::{Pace, Sampling, WAVE};
use crate::race::Samples;
use crate::space::{Choice, Space};

/// Number of the best candidates whose neighbours are tried.
const BEAM: usize = 4;
/// Relative time below which a new leader counts as an improvement. `PATIENCE` candidates in a row in waves without an
/// improvement end the search.
const GAIN: f64 = 0.995;
const PATIENCE: usize = 5 * WAVE;
/// Factor by which the model must predict a choice to be slower than the best prediction for the choice to be excluded.
/// The model does not foresee that C compilers may find vectors on plain words, nor that a CPU may process registers of
/// full width in two halves, hence the higher factor where that is possible.
const HOPELESS: f64 = 3.0;
const HOPELESS_UNFORESEEN: f64 = 4.0;
/// Maximum number of instructions of an interleaved kernel. Beyond it, fetching them costs many times the gain of
/// interleaving.
const TOO_LONG: u64 = 16_000;
/// Number of candidates that are measured at the end, and their maximum time relative to the leader's.
const FINALISTS: usize = 5;
const CLOSE: f64 = 1.10;
/// Number of choices that are prepared between looks at the clock.
const AT_ONCE: usize = 4;
/// Time of a default relative to the leader's up to which it is measured at the end. Waves measure code in few processes, and
/// at bad addresses it takes half as long again. The best default is always measured.
const NEAR: f64 = 1.6;
/// The limits of a search.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Time after which nothing new is made or measured, except the first choice of all. The last measurement is within it.
    pub time: Duration,
    /// Whether every choice is tried, however long that takes, as a reference for the search.
    pub exhaustive: bool,
}

impl Limits {
    /// The time that a search with these limits may take.
    pub(crate) fn asked(self) -> Duration {
        if self.exhaustive { Duration::MAX } else { self.time }
    }
}

/// A choice that was tried with its speed, from which a resumed search goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    pub choice: Choice,
    /// Ticks a byte, as if measured together with the first leader; `None` if the choice failed.
    pub score: Option<f64>,
}

#[derive(Debug)]
pub struct Found {
    /// The finalists, fastest first, with their ticks a byte and their time relative to the first.
    pub ranking: Vec<Ranked>,
    /// Everything that was tried.
    pub tried: Vec<Tried>,
    /// Choices that failed, with the reason.
    pub skipped: Vec<(Choice, String)>,
    /// Number of choices that the model excluded.
    pub pruned: usize,
    /// Number of choices that do not fit into the budget.
    pub large: usize,
    /// Whether the search ended because nothing was left to try, not because the time was over.
    pub is_complete: bool,
    /// Whether the last measurement had fewer candidates or samples than usual, since the time was over.
    pub is_hurried: bool,
    /// The median distance of the winner's samples from their median, as a share of it.
    pub noise: f64,
}

#[derive(Debug, Clone)]
pub struct Ranked {
    pub choice: Choice,
    pub ticks_a_byte: f64,
    pub ratio: f64,
    /// The bytes that it takes, if there is a budget.
    pub size: Option<Size>,
}

/// A callback after each wave. It gets everything that was tried, to be kept, and the best choice so far with its
/// score.
pub type Progress<'a> = dyn FnMut(&[Tried], Option<(&Choice, f64)>) + 'a;

/// # Errors
///
/// If nothing can be measured, with the reason.
pub fn search(
    space: &Space,
    lab: &mut dyn Laboratory,
    limits: Limits,
    known: &[Tried],
    progress: &mut Progress,
) -> Result<Found, String> {
    let mut search = Search {
        end: (!limits.exhaustive).then(|| lab.now() + limits.time),
        lab,
        limits,
        is_for_size: space.is_for_size,
        starts: space.starts(),
        candidates: Vec::new(),
        fingerprints: HashSet::new(),
        pruned: HashSet::new(),
        too_long: 0,
        skipped: Vec::new(),
        best_predicted: f64::INFINITY,
        pace: Pace::default(),
        is_cut: false,
    };
    search.remember(known);
    search.begin(space);
    let (mut idle, mut is_complete) = (0, false);
    while search.pace.is_new() || !search.is_over() {
        // The starting choices are measured before their neighbours.
        if !limits.exhaustive && !search.is_starting() {
            for parent in search.parents() {
                search.meet(space.neighbours(&search.candidates[parent].choice), Some(parent));
            }
        }
        let left = search.waves_end().map(|end| end.saturating_sub(search.lab.now()));
        if !search.pace.is_new() && left.is_some_and(|left| left < search.pace.each()) {
            break;
        }
        let wave = search.next_wave(left.map_or(WAVE, |left| search.pace.at_most(left)));
        if wave.is_empty() || idle >= PATIENCE {
            is_complete = !search.is_cut;
            break;
        }
        let before = search.leader().map_or(f64::INFINITY, |(_, score)| score);
        let excess = search.least_excess();
        let (wave_start, size) = (search.lab.now(), wave.len());
        search.measure_wave(wave)?;
        search.pace.add(size, search.lab.now().saturating_sub(wave_start));
        let leader = search.leader();
        let gained = leader.map_or(search.least_excess() < excess, |(_, score)| score < before * GAIN);
        idle = if gained || limits.exhaustive { 0 } else { idle + size };
        progress(&search.tried(), leader.map(|(id, score)| (&search.candidates[id].choice, score)));
    }
    search.finish(is_complete)
}

/// The ranking of samples, in which the best default comes first unless another choice is surely faster by a gain. All ratios are relative
/// to the first then, so that choices that only appeared to be faster have ratios below 1.
fn ranking(samples: &Samples, defaults: &[usize]) -> Vec<(usize, f64)> {
    let mut ranking = samples.ranking();
    if let Some(place) = ranking.iter().position(|(id, _)| defaults.contains(id)) {
        let default = ranking[place].0;
        let is_surely_faster = |&(id, _): &(usize, f64)| samples.is_surely_faster(id, default, GAIN);
        let winner = ranking[..place].iter().position(is_surely_faster).unwrap_or(place);
        ranking[..=winner].rotate_right(1);
        let first = ranking[0].1;
        ranking.iter_mut().for_each(|(_, ratio)| *ratio /= first);
    }
    ranking
}

struct Candidate {
    choice: Choice,
    /// Number of instructions of the intermediate representation; zero if it was not made.
    instructions: u64,
    /// Number of groups of instances; one if it was not made.
    groups: u32,
    state: State,
    /// Predicted cycles a byte.
    predicted: f64,
    /// The measured candidate of which this is a neighbour.
    parent: Option<usize>,
    /// Whether this search has compiled it to machine code.
    is_built: bool,
}

impl Candidate {
    /// Whether the search begins with it, and it has not been measured yet.
    fn is_start(&self) -> bool {
        self.parent.is_none() && self.is_ready()
    }

    fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready)
    }
}

#[derive(Clone, Copy)]
enum State {
    Ready,
    Measured(f64),
    /// The choice takes so many bytes more than the budget allows.
    Large(u64),
    /// The choice cannot act, is the same as another, or failed.
    Out,
}

/// Whether the model's prediction for a choice is unreliable.
fn is_guess(choice: &Choice) -> bool {
    choice.options.width.is_some() || choice.options.inline == Amount::None
}

struct Search<'a> {
    lab: &'a mut dyn Laboratory,
    limits: Limits,
    /// Whether there is a budget. A choice that the model considers slow may be the only one that fits.
    is_for_size: bool,
    /// The end of the time by the laboratory's clock; none if it is not limited.
    end: Option<Duration>,
    pace: Pace,
    /// The defaults, with which the search begins.
    starts: Vec<Choice>,
    candidates: Vec<Candidate>,
    fingerprints: HashSet<u64>,
    /// Candidates that the model considers hopeless.
    pruned: HashSet<usize>,
    /// Number of choices that were not even compiled, since they are too long.
    too_long: usize,
    skipped: Vec<(Choice, String)>,
    best_predicted: f64,
    /// Whether there was no time to prepare choices, or to compile them.
    is_cut: bool,
}

impl Search<'_> {
    /// Prepares the choices with which a search begins.
    fn begin(&mut self, space: &Space) {
        if self.limits.exhaustive {
            self.meet(space.all(), None);
            return;
        }
        self.meet(self.starts.clone(), None);
        for start in self.starts.clone() {
            let parent = self.candidates.iter().position(|candidate| candidate.choice == start);
            if parent.is_some() {
                self.meet(space.leaps(&start), parent);
            }
        }
        // The starting choices are measured, whatever the model predicts.
        self.candidates.iter_mut().for_each(|candidate| candidate.parent = None);
    }

    /// The time at which waves end; none if it is not limited. The rest is for the last measurement.
    fn waves_end(&self) -> Option<Duration> {
        let (finalists, _) = self.finalists();
        let to_compile = finalists.iter().filter(|&&id| !self.candidates[id].is_built).count();
        let most = FINALISTS + self.starts.len();
        Some(self.end?.saturating_sub(self.pace.reserve(self.limits.time, most, to_compile)))
    }

    /// Whether the time of the waves is over.
    fn is_over(&self) -> bool {
        self.waves_end().is_some_and(|end| self.lab.now() >= end)
    }

    /// Whether a choice with which the search began has not been measured yet.
    fn is_starting(&self) -> bool {
        self.candidates.iter().any(Candidate::is_start)
    }

    fn knows(&self, choice: &Choice) -> bool {
        self.candidates.iter().any(|candidate| candidate.choice == *choice)
    }

    /// Takes over the measurements of another search. Choices that failed there are tried again.
    fn remember(&mut self, known: &[Tried]) {
        self.meet(known.iter().map(|tried| tried.choice.clone()).collect(), None);
        for tried in known {
            let candidate = self.candidates.iter_mut().find(|candidate| candidate.choice == tried.choice);
            if let (Some(candidate), Some(score)) = (candidate, tried.score)
                && matches!(candidate.state, State::Ready)
            {
                candidate.state = State::Measured(score);
            }
        }
    }

    /// Adds choices that are new, and prepares them.
    fn meet(&mut self, choices: Vec<Choice>, parent: Option<usize>) {
        let mut new: Vec<(usize, Choice)> = Vec::new();
        for choice in choices {
            if self.knows(&choice) || new.iter().any(|(_, other)| *other == choice) {
                continue;
            }
            if parent.is_some_and(|parent| self.is_too_long(&choice, parent)) {
                self.too_long += 1;
            } else {
                new.push((self.candidates.len() + new.len(), choice));
            }
        }
        for some in new.chunks(if self.end.is_some() { AT_ONCE } else { usize::MAX }) {
            // Something is measured in any case.
            if self.is_over() && self.candidates.iter().any(Candidate::is_ready) {
                self.is_cut = true;
                break;
            }
            let prepared = self.lab.prepare(some);
            self.add(some, prepared, parent);
        }
    }

    /// Adds choices that were prepared.
    fn add(&mut self, new: &[(usize, Choice)], prepared: Vec<Prepared>, parent: Option<usize>) {
        for ((_, choice), prepared) in new.iter().zip(prepared) {
            let choice = choice.clone();
            let (mut state, mut predicted, mut size, mut groups) = (State::Out, f64::INFINITY, 0, 1);
            match prepared {
                Prepared::Ready { predicted: cycles, fingerprint, instructions, groups: made } => {
                    (size, groups) = (instructions, made);
                    if self.fingerprints.insert(fingerprint) {
                        (state, predicted) = (State::Ready, cycles);
                        self.best_predicted = self.best_predicted.min(cycles);
                    }
                }
                Prepared::CannotAct => {}
                Prepared::Failed(reason) => self.skipped.push((choice.clone(), reason)),
            }
            let is_built = false;
            self.candidates.push(Candidate { choice, state, predicted, parent, instructions: size, groups, is_built });
        }
    }

    /// Whether a choice interleaves more than its parent, and exceeds [`TOO_LONG`]. A choice that leaves the number of
    /// groups open is not too long: the model keeps kernels short.
    fn is_too_long(&self, choice: &Choice, parent: usize) -> bool {
        let Some(interleave) = choice.options.interleave else { return false };
        let parent = &self.candidates[parent];
        let (before, after) = (u64::from(parent.groups.max(1)), u64::from(interleave.factor));
        after > before && parent.instructions / before * after > TOO_LONG
    }

    /// The most promising candidates that were not measured yet.
    fn next_wave(&mut self, at_most: usize) -> Vec<usize> {
        let exhaustive = self.limits.exhaustive;
        let is_ready = |&id: &usize| matches!(self.candidates[id].state, State::Ready);
        let mut ready: Vec<usize> = (0..self.candidates.len()).filter(is_ready).collect();
        if !exhaustive && !self.is_for_size {
            let hopeless = |id: &usize| {
                let candidate = &self.candidates[*id];
                let options = &candidate.choice.options;
                let limit = match options.inline {
                    Amount::None => f64::INFINITY,
                    _ if options.target.is_vector() && options.width.is_none() => HOPELESS,
                    _ => HOPELESS_UNFORESEEN,
                };
                candidate.parent.is_some() && candidate.predicted > limit * self.best_predicted
            };
            self.pruned.extend(ready.iter().copied().filter(hopeless));
            ready.retain(|id| !self.pruned.contains(id));
        }
        // While nothing fits into the budget, short code comes first.
        let is_short_first = self.leader().is_none() && !self.large().is_empty();
        let length = |id: usize| if is_short_first { self.candidates[id].instructions } else { 0 };
        ready.sort_by(|&a, &b| length(a).cmp(&length(b)).then(self.promise(a).total_cmp(&self.promise(b))));
        if !exhaustive && self.is_starting() {
            ready.retain(|&id| self.candidates[id].is_start());
            // The most promising choice of each slicing and target comes first: none is left out for lack of time.
            let mut seen: BTreeMap<(Option<&'static str>, &'static str), usize> = BTreeMap::new();
            let placed = |id: usize| {
                let options = &self.candidates[id].choice.options;
                let place = seen.entry((options.slicing.map(slicing_name), options.target.name())).or_default();
                *place += 1;
                (*place, id)
            };
            let mut places: Vec<(usize, usize)> = ready.into_iter().map(placed).collect();
            places.sort_by_key(|(place, _)| *place);
            ready = places.into_iter().map(|(_, id)| id).collect();
        }
        ready.truncate(at_most);
        ready
    }

    /// The expected score of a candidate. It is its parent's score, changed by half of the predicted change on a
    /// logarithmic scale. It is the parent's score itself for registers of half the width, and for calls that C
    /// compilers may well inline themselves.
    fn promise(&self, id: usize) -> f64 {
        let candidate = &self.candidates[id];
        let parent = candidate.parent.and_then(|parent| Some((self.score(parent)?, self.candidates[parent].predicted)));
        match parent {
            Some((score, _)) if is_guess(&candidate.choice) => score,
            Some((score, predicted)) => score * (candidate.predicted / predicted).sqrt(),
            None => candidate.predicted,
        }
    }

    fn measure_wave(&mut self, wave: Vec<usize>) -> Result<(), String> {
        let leader = self.leader();
        let mut ids = wave;
        ids.extend(leader.map(|(id, _)| id));
        // A search that goes on has compiled no default, with which the fastest are compared at last.
        let (_, defaults) = self.finalists();
        let default = defaults.first().copied().filter(|id| !self.candidates[*id].is_built && !ids.contains(id));
        ids.extend(default);
        let Some(samples) = self.measure(&mut ids, Sampling::of_a_wave(self.waves_end()))? else { return Ok(()) };
        for &id in &ids {
            let score = match leader {
                Some((leader, score)) if id != leader => samples.ratio(id, leader).map(|ratio| ratio * score),
                Some((_, score)) => Some(score),
                None => samples.median(id),
            };
            if let Some(score) = score {
                self.candidates[id].state = State::Measured(score);
            }
        }
        Ok(())
    }

    /// Measures candidates. Those that fail, or for which there is no time, are removed. `None` if no candidate is left.
    fn measure(&mut self, ids: &mut Vec<usize>, sampling: Sampling) -> Result<Option<Samples>, String> {
        let mut second_try = false;
        while !ids.is_empty() {
            match self.lab.measure(ids, sampling) {
                Ok(samples) => {
                    ids.iter().for_each(|&id| self.candidates[id].is_built = true);
                    self.pace.add_samples(&samples);
                    return Ok(Some(samples));
                }
                Err(Trouble::Candidates(failed)) => {
                    for (id, reason) in failed {
                        ids.retain(|&other| other != id);
                        self.candidates[id].state = State::Out;
                        self.skipped.push((self.candidates[id].choice.clone(), reason));
                    }
                }
                Err(Trouble::Large(large)) => {
                    for (id, excess) in large {
                        ids.retain(|&other| other != id);
                        self.candidates[id].state = State::Large(excess);
                    }
                }
                Err(Trouble::Late(late)) => {
                    ids.retain(|id| !late.contains(id));
                    self.is_cut = true;
                }
                // A single failure may be an accident, so that there is a second try.
                Err(Trouble::Runner(reason)) if second_try => return Err(reason),
                Err(Trouble::Runner(_)) => second_try = true,
            }
        }
        Ok(None)
    }

    /// The best few measured ones.
    fn best(&self, count: usize) -> Vec<usize> {
        let mut measured: Vec<(f64, usize)> =
            (0..self.candidates.len()).filter_map(|id| Some((self.score(id)?, id))).collect();
        measured.sort_by(|a, b| a.0.total_cmp(&b.0));
        measured.into_iter().take(count).map(|(_, id)| id).collect()
    }

    fn score(&self, id: usize) -> Option<f64> {
        match self.candidates[id].state {
            State::Measured(score) => Some(score),
            _ => None,
        }
    }

    fn leader(&self) -> Option<(usize, f64)> {
        let id = *self.best(1).first()?;
        Some((id, self.score(id)?))
    }

    fn tried(&self) -> Vec<Tried> {
        // A search that goes on measures anew what choices take that do not fit.
        let is_tried = |&id: &usize| !matches!(self.candidates[id].state, State::Ready | State::Large(_));
        let tried = |id: usize| Tried { choice: self.candidates[id].choice.clone(), score: self.score(id) };
        (0..self.candidates.len()).filter(is_tried).map(tried).collect()
    }

    /// The candidates to measure at the end, and the defaults among them: one for each C compiler, slicing and target.
    fn finalists(&self) -> (Vec<usize>, Vec<usize>) {
        let mut finalists = self.best(FINALISTS);
        let leader = self.leader().map_or(0.0, |(_, score)| score);
        finalists.retain(|&id| self.score(id).is_some_and(|score| score <= leader * CLOSE));
        let mut defaults = self.best(usize::MAX);
        defaults.retain(|&id| self.starts.contains(&self.candidates[id].choice));
        let is_near = |&&id: &&usize| self.score(id).is_some_and(|score| score <= leader * NEAR);
        let near = defaults.iter().take_while(is_near).count();
        defaults.truncate(near.max(1));
        let missing: Vec<usize> = defaults.iter().copied().filter(|id| !finalists.contains(id)).collect();
        finalists.extend(missing);
        // Where there is no time to compile all of them, the best default is there: nothing wins that was not compared with it.
        if let Some(place) = finalists.iter().position(|id| defaults.first() == Some(id)) {
            finalists[..=place].rotate_right(1);
        }
        (finalists, defaults)
    }

    /// Measures the finalists once more.
    fn finish(mut self, is_complete: bool) -> Result<Found, String> {
        let (mut finalists, defaults) = self.finalists();
        let (count, failed) = (finalists.len(), self.skipped.len());
        let sampling = self.pace.at_last(count, self.lab.now(), self.end);
        let samples = self.measure(&mut finalists, sampling)?.unwrap_or_default();
        let is_late = finalists.len() + (self.skipped.len() - failed) < count;
        let is_hurried = is_late || samples.rounds() < Pace::all_at_last();
        let ranking = ranking(&samples, &defaults);
        let Some(&(winner, _)) = ranking.first() else {
            let reasons: BTreeMap<&str, usize> =
                self.skipped.iter().fold(BTreeMap::new(), |mut reasons, (_, reason)| {
                    *reasons.entry(reason.as_str()).or_default() += 1;
                    reasons
                });
            let most = reasons.into_iter().max_by_key(|&(_, count)| count);
            return Err(most.map_or_else(|| "there is nothing to try".into(), |(reason, _)| reason.to_owned()));
        };
        let ranked = |&(id, ratio): &(usize, f64)| Ranked {
            choice: self.candidates[id].choice.clone(),
            ticks_a_byte: samples.median(id).unwrap_or(0.0),
            ratio,
            size: self.lab.size(id),
        };
        Ok(Found {
            ranking: ranking.iter().map(ranked).collect(),
            tried: self.tried(),
            noise: samples.noise(winner),
            pruned: self.pruned.len() + self.too_long,
            large: self.large().len(),
            skipped: self.skipped,
            is_complete,
            is_hurried,
        })
    }
}
