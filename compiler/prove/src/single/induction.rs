//! Proofs of machine code that takes a stream of any length, by induction over the iterations of one loop.
//!
//! Let the stream have P·q + r bytes ([`growth`]), for each r below P in turn. Each of the few smallest numbers of
//! periods q is executed by itself. For all larger q, a *head* is chosen: an instruction that is executed once in each
//! iteration of the loop that grows. A [`LoopInvariant`] says what registers and stack hold there after T iterations,
//! with M to come. The following is checked:
//!
//! 1. From the entry, for any such q, the head is reached with the invariant for the first T, and with the words that
//!    the program's loop carries then.
//! 2. From the head, with the invariant for any T and M > m, and any words that the program's loop may carry, the head
//!    is reached again with the invariant for T + 1 and the words that an iteration of the program makes of them.
//! 3. From the head, with the invariant for M = m, the function returns, and the results are those that the program
//!    makes of the words that its loop carries then.
//!
//! The words that the loop carries are unknown, except for the ranges that the proof of limbs gives them in every
//! iteration. Lengths and addresses are sums of unknown numbers of iterations, in which irrelevant parts cancel
//! ([`linear`](super::linear)).

use std::ops::Range;

use culet_ir::Slot;
use culet_term::Term;

use super::cuts::{CutPoints, Opened};
use super::growth::{self, Growing, Period};
use super::invariant::{LoopInvariant, Moment, Visit};
use super::linear::Form;
use super::results::Compared;
use super::{Kind, OnWords, Part};
use crate::arguments::Arguments;
use crate::attempt::Attempt;
use crate::call::Library;
use crate::effort::words::{MORE_PERIODS, TRIED_PERIODS};
use crate::execute::{Execution, Pause};
use crate::loops::{self, Counting, Deciding, Executed};
use crate::memory::RegionId;
use crate::rejection::Rejection;
use crate::theorem::Proved;
use crate::unknown::{Count, Stage};

const NOT_WORDS: &str =
    "the loop over the stream carries something else than words, or has more iterations than blocks";

/// Proves a function for all lengths of its stream, under one assumption about the stack pointer.
pub(super) fn prove<'i>(
    function: &mut OnWords<'i, '_>,
    attempt: &mut Attempt<'_, 'i>,
    stream: Slot,
) -> Result<Proved, Rejection> {
    let period = Period::of(function.words.entry()).map_err(Rejection::Loop)?;
    // Errors of the whole function show here, with a reason that is easier to read.
    let mut proved = function.whole(attempt, 0)?;
    let first = function.whole(attempt, ((period.least + 1) * period.bytes) as i64 + 1)?;
    proved.add(&first);
    let mut head = None;
    for rest in 0..period.bytes {
        let growing = growth::growing(function.words.entry(), stream, period, rest).map_err(Rejection::Loop)?;
        let least = period.least as i64;
        let tried = TRIED_PERIODS.map(|more| least + more);
        let shape = Shape { period: period.bytes as i64, least, tried, rest: rest as i64, growing };
        let at = match head {
            Some(head) => head,
            None => *head.insert(find_head(function, attempt, &shape)?),
        };
        all_of_rest(function, attempt, &shape, at, &mut proved)?;
    }
    Ok(proved)
}

/// Lengths that are proved together, and the loop in which they differ.
struct Shape {
    period: i64,
    /// Least number of periods that is considered.
    least: i64,
    /// Numbers of periods on which the head and the invariant are sought.
    tried: [i64; 2],
    rest: i64,
    growing: Growing,
}

impl Shape {
    fn length(&self, periods: i64) -> i64 {
        self.period * periods + self.rest
    }

    /// Returns the length of a stream of `periods` periods.
    fn length_form(&self, periods: &Form) -> Form {
        Form::constant(self.rest as u64).plus(periods, self.period as u64)
    }

    /// Returns the number of iterations of the loop on a stream of `periods` periods.
    fn iterations(&self, periods: i64) -> i64 {
        periods + self.growing.surplus
    }

    /// Returns the part of a stream of `periods` periods that begins with the block of the iteration at which `to_come`
    /// iterations remain.
    fn rest_of(&self, periods: i64, to_come: i64) -> Part {
        let iteration = self.iterations(periods) - to_come;
        let bytes = self.period * (to_come - self.growing.surplus - self.growing.start) + self.rest;
        let from = self.period * (self.growing.start + iteration);
        Part { from, bytes, start: Some(self.period * self.least) }
    }
}

/// Returns the first instruction that is executed once more for each additional period.
fn find_head<'i>(
    function: &mut OnWords<'i, '_>,
    attempt: &mut Attempt<'_, 'i>,
    shape: &Shape,
) -> Result<u64, Rejection> {
    let mut run = |periods: i64| -> Result<Executed, Rejection> {
        let mut library = Library::new(function.image, Stage::Entry);
        let mut counting = Counting::new(&mut library);
        function.watched(attempt, shape.length(periods), &mut counting)?;
        Ok(counting.executed)
    };
    let runs = [run(shape.tried[0])?, run(shape.tried[1])?];
    let most = shape.iterations(shape.tried[0]) as u64 + 1;
    let none =
        || Rejection::Loop("no instruction is executed once for each iteration of the loop over the stream".into());
    loops::find_head(&runs, &(2..=most)).ok_or_else(none)
}

/// Returns the states at the head on a stream of `periods` periods.
fn visits<'i>(
    function: &mut OnWords<'i, '_>,
    attempt: &mut Attempt<'_, 'i>,
    shape: &Shape,
    (head, periods): (u64, i64),
) -> Result<Vec<Visit<'i>>, Rejection> {
    let length = shape.length(periods);
    // The words of the program must be known before any term is looked up.
    function.reading(length)?;
    let arguments = function.memory(Part::whole(length), None);
    let streams = function.streams(&arguments);
    let number = function.cuts.terms.constant_u64(64, length as u64);
    let mut execution = arguments.enter(&mut function.cuts, attempt, [number]);
    let mut library = Library::new(function.image, Stage::Entry);
    let mut visits = Vec::new();
    while attempt.run(&mut function.cuts, &mut execution, &mut library, Some(head))? == Pause::Arrived {
        let (execution, streams) = (execution.clone(), streams.clone());
        visits.push(Visit { execution, streams, periods, iteration: 0, carried: Vec::new() });
    }
    Ok(visits)
}

/// Proves the function for all lengths of one shape.
fn all_of_rest<'i>(
    function: &mut OnWords<'i, '_>,
    attempt: &mut Attempt<'_, 'i>,
    shape: &Shape,
    head: u64,
    proved: &mut Proved,
) -> Result<(), Rejection> {
    let mut visits = self::visits(function, attempt, shape, (head, shape.tried[0]))?;
    let count = visits.len();
    visits.extend(self::visits(function, attempt, shape, (head, shape.tried[1]))?);
    if visits.len() != 2 * count + 1 || count < 2 {
        return Err(Rejection::Loop("the loop over the stream is not the same for all lengths".into()));
    }
    // The function may do some of the first iteration before the head, or all of it.
    let mut why = None;
    for done in 0..=1 {
        let last = shape.iterations(shape.tried[0]) - (count as i64 - 1 + done);
        if last < 0 {
            continue;
        }
        for (index, visit) in visits.iter_mut().enumerate() {
            visit.iteration = done + (index - if index < count { 0 } else { count }) as i64;
            let carried = function.carried(shape, visit.periods)?;
            let carried = carried.get(visit.iteration as usize).ok_or_else(|| Rejection::Loop(NOT_WORDS.to_owned()))?;
            visit.carried.clone_from(carried);
        }
        let invariant = LoopInvariant::guess(&mut function.cuts, &mut visits);
        let fewest = (shape.tried[0] - (count as i64 - 1)).max(shape.least);
        match (Induction { shape, head, invariant, done, last }).prove(function, attempt, fewest, proved) {
            Ok(()) => return Ok(()),
            Err(rejection) => why = why.or(Some(rejection)),
        }
    }
    Err(why.unwrap_or_else(|| Rejection::Loop("the loop over the stream has more iterations than blocks".into())))
}

struct Induction<'s> {
    shape: &'s Shape,
    head: u64,
    invariant: LoopInvariant,
    /// Iterations completed when the head is reached first.
    done: i64,
    /// Iterations to come when the head is reached last.
    last: i64,
}

impl Induction<'_> {
    fn prove<'i>(
        &self,
        function: &mut OnWords<'i, '_>,
        attempt: &mut Attempt<'_, 'i>,
        fewest: i64,
        proved: &mut Proved,
    ) -> Result<(), Rejection> {
        let mut least = fewest;
        let entered = loop {
            match self.enter(function, attempt, least) {
                Ok(entered) => break entered,
                // A branch may distinguish few iterations from more.
                Err(_) if least < fewest + MORE_PERIODS => least += 1,
                Err(rejection) => return Err(rejection),
            }
        };
        self.iteration(function, attempt, &entered, proved)?;
        self.leave(function, attempt, &entered, least, proved)?;
        for periods in 0..least {
            let whole = function.whole(attempt, self.shape.length(periods))?;
            proved.add(&whole);
        }
        Ok(())
    }

    /// Proves the way from the entry to the head, on streams of `least` periods or more.
    fn enter<'i>(
        &self,
        function: &mut OnWords<'i, '_>,
        attempt: &mut Attempt<'_, 'i>,
        least: i64,
    ) -> Result<Execution<'i>, Rejection> {
        let arguments = function.memory(Part::whole(self.shape.length(least)), None);
        let bases = function.bases(&arguments);
        let unknown = function.cuts.forms.count(&mut function.cuts.terms, Count::Periods);
        let periods = Form::constant(least as u64).plus(&Form::input(unknown), 1);
        let length = self.shape.length_form(&periods);
        let length = function.cuts.forms.term(&mut function.cuts.terms, &length);
        // The words of the program must be known before any term is looked up.
        let longer = Part::whole(self.shape.length(self.shape.tried[1]));
        let mut reading = function.read(longer, length, None)?;
        let mut execution = arguments.enter(&mut function.cuts, attempt, [length]);
        let mut library = Library::new(function.image, Stage::Entry);
        let mut deciding = Deciding::new(&mut library, Some(unknown));
        self.arrive(function, attempt, &mut execution, &mut deciding)?;
        let carried = reading.carried.remove(&self.shape.growing.inst).unwrap_or_default();
        let carried = carried.into_iter().nth(self.done as usize);
        let carried = carried.ok_or_else(|| Rejection::Loop(NOT_WORDS.to_owned()))?;
        let iteration = Form::constant(self.done as u64);
        let bases = bases.into_iter().map(Form::input).collect();
        let moment = Moment { bases, periods, iteration, carried };
        self.invariant.check(&mut function.cuts, &mut execution, &moment)?;
        self.check_made(
            function,
            attempt,
            &mut execution,
            (&reading, 0..self.shape.period * (self.shape.growing.start + self.done)),
        )?;
        Ok(execution)
    }

    /// Proves the way from the head to the head, with more than `last` iterations to come.
    fn iteration<'i>(
        &self,
        function: &mut OnWords<'i, '_>,
        attempt: &mut Attempt<'_, 'i>,
        entered: &Execution<'i>,
        proved: &mut Proved,
    ) -> Result<(), Rejection> {
        // Any iteration will do, except the first, into which the loop may carry special values, and those whose blocks
        // are among the bytes read at the stream's start.
        let iteration = self.done.max(1).max(self.shape.least - self.shape.growing.start);
        let forms = &mut function.cuts.forms;
        let [done, unknown] =
            [Count::IterationsDone, Count::IterationsToCome].map(|count| forms.count(&mut function.cuts.terms, count));
        let done = Form::input(done);
        let to_come = Form::constant(self.last as u64 + 1).plus(&Form::input(unknown), 1);
        let periods = to_come.plus(&done, 1).plus(&Form::constant(1), self.shape.growing.surplus.wrapping_neg() as u64);
        let (reading, mut iterations) = self.opened(function, iteration, (&periods, &done))?;
        let (to, from) = (iterations.swap_remove(iteration as usize + 1), iterations.swap_remove(iteration as usize));
        let part =
            Part { bytes: self.shape.rest_of(self.shape.tried[1], self.last + 1).bytes, ..self.part_at(iteration) };
        let (mut execution, mut moment) = self.at_head(function, entered, part, (periods, done.clone()), from)?;
        let mut library = Library::new(function.image, Stage::Iteration);
        let mut deciding = Deciding::new(&mut library, Some(unknown));
        self.arrive(function, attempt, &mut execution, &mut deciding)?;
        (moment.iteration, moment.carried) = (Form::constant(1).plus(&done, 1), to);
        self.invariant.check(&mut function.cuts, &mut execution, &moment)?;
        self.check_made(function, attempt, &mut execution, (&reading, part.from..part.from + self.shape.period))?;
        proved.take_in(&execution, &attempt.frame);
        Ok(())
    }

    /// Returns the part of the longer tried stream that begins with the block of an iteration.
    fn part_at(&self, iteration: i64) -> Part {
        self.shape.rest_of(self.shape.tried[1], self.shape.iterations(self.shape.tried[1]) - iteration)
    }

    /// Proves the way from the head to the return, with `last` iterations to come.
    fn leave<'i>(
        &self,
        function: &mut OnWords<'i, '_>,
        attempt: &mut Attempt<'_, 'i>,
        entered: &Execution<'i>,
        least: i64,
        proved: &mut Proved,
    ) -> Result<(), Rejection> {
        let iteration = self.shape.iterations(self.shape.tried[1]) - self.last;
        let unknown = function.cuts.forms.count(&mut function.cuts.terms, Count::Periods);
        let periods = Form::constant(least as u64).plus(&Form::input(unknown), 1);
        let fewer = (self.shape.growing.surplus - self.last) as u64;
        let done = Form::constant(fewer).plus(&periods, 1);
        let (reading, mut iterations) = self.opened(function, iteration, (&periods, &done))?;
        let from = iterations.swap_remove(iteration as usize);
        let part = self.part_at(iteration);
        let (mut execution, _) = self.at_head(function, entered, part, (periods, done), from)?;
        let mut library = Library::new(function.image, Stage::LastIteration);
        let mut deciding = Deciding::new(&mut library, Some(unknown));
        if attempt.run(&mut function.cuts, &mut execution, &mut deciding, None)? != Pause::Returned {
            return Err(Rejection::Loop("the function does not return".into()));
        }
        let regions = function.regions_of(&execution);
        let compared = Compared { bytes: part.from..part.from + part.bytes, is_end: true };
        function.check(attempt, &mut execution, &regions, (&reading, compared), None)?;
        proved.take_in(&execution, &attempt.frame);
        proved.add(&Proved::of(&function.cuts, execution, &attempt.frame, false));
        Ok(())
    }

    /// Checks bytes of results of any length, the first of which is the first of its region.
    fn check_made<'i>(
        &self,
        function: &mut OnWords<'i, '_>,
        attempt: &mut Attempt<'_, 'i>,
        execution: &mut Execution<'i>,
        (reading, bytes): (&super::Reading, Range<i64>),
    ) -> Result<(), Rejection> {
        let regions = function.regions_of(execution);
        let count = bytes.end - bytes.start;
        for (made, _) in function.pairs_in_place() {
            let written = regions[made].map(|region| execution.memory.region(region).written());
            if written.into_iter().flatten().any(|range| range.end > count) {
                let reason = "a result is written where later iterations read, if it stands in the stream's place";
                return Err(Rejection::Loop(reason.to_owned()));
            }
        }
        let compared = Compared { bytes, is_end: false };
        function.check(attempt, execution, &regions, (reading, compared), None)
    }

    /// Runs the program with unknown words carried into one iteration, which stands for the one after as many iterations as
    /// `done` says, on a stream of `periods` periods. Returns its values, and the words carried into each iteration.
    fn opened(
        &self,
        function: &mut OnWords<'_, '_>,
        iteration: i64,
        (periods, done): (&Form, &Form),
    ) -> Result<(super::Reading, Vec<Vec<Term>>), Rejection> {
        let Growing { inst, params, steps, .. } = &self.shape.growing;
        let done = function.cuts.forms.term(&mut function.cuts.terms, done);
        let opened = Opened { inst: *inst, iteration: iteration as u64, params, steps, done };
        let part = self.part_at(iteration);
        if part.start > Some(part.from) {
            return Err(Rejection::Loop("the loop over the stream ends before all of its start is read".into()));
        }
        let length = self.shape.length_form(periods);
        let length = function.cuts.forms.term(&mut function.cuts.terms, &length);
        let mut reading = function.read(part, length, Some(opened))?;
        let iterations = reading.carried.remove(inst).unwrap_or_default();
        Ok((reading, iterations))
    }

    fn arrive<'i>(
        &self,
        function: &mut OnWords<'i, '_>,
        attempt: &mut Attempt<'_, 'i>,
        execution: &mut Execution<'i>,
        deciding: &mut Deciding<'_, CutPoints>,
    ) -> Result<(), Rejection> {
        match attempt.run(&mut function.cuts, execution, deciding, Some(self.head))? {
            Pause::Arrived => Ok(()),
            Pause::Returned => Err(Rejection::Loop("the function returns though there are iterations to come".into())),
        }
    }

    /// Returns the state at the head that the invariant describes. Nothing else is known, neither registers nor memory.
    fn at_head<'i>(
        &self,
        function: &mut OnWords<'i, '_>,
        entered: &Execution<'i>,
        part: Part,
        (periods, iteration): (Form, Form),
        carried: Vec<Term>,
    ) -> Result<(Execution<'i>, Moment), Rejection> {
        let arguments = function.memory(part, None);
        let here = function.bases(&arguments);
        let mut execution = arguments.resume(&mut function.cuts, entered)?;
        let distance = Form::constant(self.shape.growing.start as u64).plus(&iteration, 1);
        let base = |here: Term| Form::input(here).plus(&distance, (-self.shape.period) as u64);
        let moment = Moment { bases: here.into_iter().map(base).collect(), periods, iteration, carried };
        self.invariant.fill(&mut function.cuts, &mut execution, &moment)?;
        Ok((execution, moment))
    }
}

impl<'i> OnWords<'i, '_> {
    /// The regions of the stream and of results of any length.
    fn streams(&self, arguments: &Arguments<'i>) -> Vec<RegionId> {
        let placed = self.operands.iter().zip(&arguments.regions);
        let streams = placed.filter(|(operand, _)| matches!(operand.kind, Kind::Stream | Kind::Made { .. }));
        streams.filter_map(|(_, region)| *region).collect()
    }

    /// Returns the addresses of these regions, and registers them as bases.
    fn bases(&mut self, arguments: &Arguments<'i>) -> Vec<Term> {
        let streams = self.streams(arguments);
        let bases: Vec<Term> =
            streams.into_iter().map(|region| arguments.memory.address(&mut self.cuts.terms, region, 0)).collect();
        bases.iter().for_each(|&base| self.cuts.forms.base(base));
        bases
    }

    /// Returns the words that the growing loop carries into each iteration, and out of the last one.
    fn carried(&mut self, shape: &Shape, periods: i64) -> Result<Vec<Vec<Term>>, Rejection> {
        let reading = self.reading(shape.length(periods))?;
        Ok(reading.carried.get(&shape.growing.inst).cloned().unwrap_or_default())
    }

    /// Returns the arguments' regions in an execution: these regions are always made first, in the order of the
    /// arguments.
    fn regions_of(&self, execution: &Execution<'i>) -> Vec<Option<RegionId>> {
        let mut ids = execution.memory.regions().map(|(id, _)| id);
        self.operands.iter().map(|placed| if placed.kind == Kind::Length { None } else { ids.next() }).collect()
    }
}
