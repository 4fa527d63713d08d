//! Safety for streams of every length, by induction over the iterations of one loop.
//!
//! Let each stream have S·q + r bytes, with an S and an r of its own, for any number q of periods. Each of the few smallest
//! q is executed by itself. For all larger q a *head* is chosen, an instruction that is executed once more for each
//! additional period, and what registers and stack hold there on two of these executions is taken for an invariant: numbers
//! and addresses that grow with the iterations done and with q, and words that never change. Nothing is claimed of other
//! places. The following is checked:
//!
//! 1. From the entry, for any such q, the head is reached with the invariant for no iterations done.
//! 2. From the head, with the invariant for any T done and at least one to come, the head is reached again with the
//!    invariant for T + 1.
//! 3. From the head, with the invariant and none to come, the function returns.
//!
//! In 2 and 3 only the part of each stream from the block of the iteration on is memory.

use culet_image::Image;
use culet_isa::x86_64::Flags;
use culet_term::Term;
use rustc_hash::FxHashMap;

use super::shadows::{Shadows, Word};
use super::{Argument, Interface, Kind};
use crate::arguments::Arguments;
use crate::attempt::{Attempt, Attempts};
use crate::call::Library;
use crate::effort::words::{MORE_PERIODS, TRIED_PERIODS};
use crate::execute::{Execution, Knowledge, Pause, STACK_POINTER, unknown_state};
use crate::loops::{self, Counting, Executed};
use crate::memory::RegionId;
use crate::rejection::Rejection;
use crate::single::linear::Form;
use crate::symbolic::Symbolic;
use crate::theorem::{Limits, Proved};
use crate::unknown::{Area, Count, Since, Stage};
use crate::violation::ViolationKind;

/// The arguments of a function whose streams have any length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Growing {
    pub arguments: Vec<(String, Grown)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grown {
    /// The same for all lengths.
    Fixed(Kind),
    /// A pointer to `period` bytes for each period, and `rest` more.
    Stream { period: u64, rest: u64, is_written: bool },
    /// A number that grows in this way.
    Length { period: u64, rest: u64 },
}

/// Proves the function `symbol` of an image safe for every number of periods, with arguments that grow in each of these
/// ways.
///
/// # Errors
///
/// The first rule that the function breaks, or the reason why it cannot be followed.
pub fn prove_any(image: &Image, symbol: &str, growing: &[Growing], limits: &Limits) -> Result<Proved, Rejection> {
    let mut attempts = Attempts::of(image, symbol, limits)?;
    let (mut sum, mut likely) = (None::<Proved>, None);
    for growing in growing {
        let induction = Induction { image, growing };
        let proved = attempts.in_every_phase(|attempt| induction.prove(attempt, &mut likely))?;
        match &mut sum {
            None => sum = Some(proved),
            Some(sum) => sum.add(&proved),
        }
    }
    let listed = growing.first().map(|growing| growing.interface(0).listed());
    Ok(attempts.finish(sum.unwrap_or_default(), listed.unwrap_or_default()))
}

impl Growing {
    /// The arguments for a number of periods.
    pub fn interface(&self, periods: u64) -> Interface {
        let argument = |(name, grown): &(String, Grown)| {
            let kind = match *grown {
                Grown::Fixed(kind) => kind,
                Grown::Stream { period, rest, is_written } => {
                    Kind::Memory { bytes: period * periods + rest, alignment: 1, is_written, is_public: false }
                }
                Grown::Length { period, rest } => Kind::Public(period * periods + rest),
            };
            Argument { name: name.clone(), kind }
        };
        Interface { arguments: self.arguments.iter().map(argument).collect(), ..Interface::default() }
    }
}

struct Induction<'i, 'g> {
    image: &'i Image,
    growing: &'g Growing,
}

/// An arrival at the head.
struct Visit<'i> {
    execution: Execution<'i, Word>,
    regions: Vec<Option<RegionId>>,
    periods: u64,
    iteration: u64,
}

/// The quantities that determine the words of an invariant.
struct Moment {
    /// The address of each argument that is a stream.
    bases: Vec<Option<Form>>,
    periods: Form,
    iteration: Form,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    General(usize),
    /// Eight bytes of the stack at an offset.
    Stack(i64),
}

enum Value {
    /// A number, or the address of an argument plus a number.
    Sum { base: Option<usize>, constant: u64, by_period: u64, by_iteration: u64 },
    /// A word that never changes.
    Same(Term),
}

/// The loop over the streams: its head, and one less than the number of periods of a stream on which the head is reached
/// once.
#[derive(Clone, Copy)]
struct Loop {
    head: u64,
    last: u64,
}

/// Values of places at the head of the loop.
struct Invariant {
    at: Loop,
    values: Vec<(Place, Value)>,
}

/// The memory of the arguments in one part of the proof.
#[derive(Clone, Copy)]
enum Part {
    /// Streams of this many periods, from their start.
    Start(u64),
    /// The last bytes of streams, this many periods and the rest.
    From(u64),
}

fn failed(why: &str) -> Rejection {
    Rejection::Loop(why.to_owned())
}

impl<'i> Induction<'i, '_> {
    /// Proves the function for every number of periods. `likely` is the loop of the same function with streams that grow
    /// in another way, and becomes that of this one.
    fn prove(&self, attempt: &mut Attempt<'_, 'i>, likely: &mut Option<Loop>) -> Result<Proved, Rejection> {
        if let Some(at) = *likely
            && let Ok(proved) = self.induct(attempt, at, at.last + 2)
        {
            return Ok(proved);
        }
        // Rules that all executions break show here, with a reason that is easier to read.
        for periods in [0, 2] {
            self.whole(attempt, periods)?;
        }
        let tried = TRIED_PERIODS.map(|periods| periods as u64 + 2);
        let at = self.find_loop(attempt, tried)?;
        *likely = Some(at);
        self.induct(attempt, at, tried[0])
    }

    /// Proves the function by the induction over this loop. Its invariant is guessed on streams of `tried` periods and of
    /// one more.
    fn induct(&self, attempt: &mut Attempt<'_, 'i>, at: Loop, tried: u64) -> Result<Proved, Rejection> {
        let mut values = Shadows::default();
        let invariant = self.invariant(attempt, &mut values, (at, tried))?;
        let mut least = at.last + 1;
        let entered = loop {
            match self.enter(attempt, &mut values, &invariant, least) {
                Ok(entered) => break entered,
                // A branch may distinguish few iterations from more.
                Err(_) if least <= at.last + MORE_PERIODS as u64 => least += 1,
                Err(rejection) => return Err(rejection),
            }
        };
        let mut proved = self.whole(attempt, 0)?;
        self.iterate(attempt, &mut values, (&invariant, &entered), &mut proved)?;
        self.leave(attempt, &mut values, (&invariant, &entered), least, &mut proved)?;
        for periods in 1..least {
            proved.add(&self.whole(attempt, periods)?);
        }
        Ok(proved)
    }

    /// Proves one execution from the entry to the return.
    fn whole(&self, attempt: &mut Attempt<'_, 'i>, periods: u64) -> Result<Proved, Rejection> {
        super::ways::run(self.image, &self.growing.interface(periods), attempt)
    }

    /// Builds the memory of the arguments in a part of the proof.
    fn memory(&self, values: &mut Shadows, part: Part) -> Arguments<'i, Word> {
        let mut placed = Arguments::new(self.image, values.terms_mut());
        for (index, (name, grown)) in self.growing.arguments.iter().enumerate() {
            let (area, bytes, alignment, is_written) = match (*grown, part) {
                (Grown::Fixed(Kind::Memory { bytes, alignment, is_written, .. }), _) => {
                    (Area::Argument(index), bytes, alignment, is_written)
                }
                (Grown::Stream { period, rest, is_written }, Part::Start(periods)) => {
                    (Area::Argument(index), period * periods + rest, 1, is_written)
                }
                (Grown::Stream { period, rest, is_written }, Part::From(periods)) => {
                    (Area::FromIteration(index), period * periods + rest, 1, is_written)
                }
                _ => {
                    placed.add_word();
                    continue;
                }
            };
            let label = format!("*{name}");
            let region = placed.add_pointer(values.terms_mut(), (area, &label), bytes as i64, alignment, is_written);
            if is_written && matches!(part, Part::From(_)) {
                placed.memory.forget_all(region, &label);
            }
        }
        placed
    }

    /// Begins an execution at the entry, with streams of `periods` periods, of which at least `least` are memory.
    fn begin(
        &self,
        attempt: &Attempt<'_, 'i>,
        values: &mut Shadows,
        (least, periods): (u64, &Form),
    ) -> (Arguments<'i, Word>, Execution<'i, Word>) {
        let placed = self.memory(values, Part::Start(least));
        let mut words = Vec::new();
        for (index, (name, grown)) in self.growing.arguments.iter().enumerate() {
            match *grown {
                Grown::Fixed(Kind::Secret { .. }) => words.push(super::secret(values.terms_mut(), index, name)),
                Grown::Fixed(Kind::Public(number)) => words.push(values.terms_mut().constant_u64(64, number)),
                Grown::Length { period, rest } => words.push(values.sum(&Form::constant(rest).plus(periods, period))),
                Grown::Fixed(Kind::Memory { .. }) | Grown::Stream { .. } => {}
            }
        }
        let execution = placed.enter(values, attempt, words);
        (placed, execution)
    }

    /// Finds the loop, by the number of times that each instruction is executed on streams of these numbers of periods.
    fn find_loop(&self, attempt: &mut Attempt<'_, 'i>, tried: [u64; 2]) -> Result<Loop, Rejection> {
        let mut values = Shadows::default();
        let mut executed = Vec::new();
        for periods in tried {
            executed.push(self.executed(attempt, &mut values, periods)?);
        }
        let runs: [Executed; 2] = executed.try_into().map_err(|_| failed("two lengths are not two"))?;
        let head = loops::find_head(&runs, &(2..=tried[0]))
            .ok_or_else(|| failed("no instruction is executed once for each period of the streams"))?;
        Ok(Loop { head, last: tried[0] - runs[0][&head].count })
    }

    /// Guesses what holds at the head, on streams of `tried` periods and of one more.
    fn invariant(
        &self,
        attempt: &mut Attempt<'_, 'i>,
        values: &mut Shadows,
        (at, tried): (Loop, u64),
    ) -> Result<Invariant, Rejection> {
        let mut visits = self.visits(attempt, values, (at.head, tried))?;
        let count = visits.len() as u64;
        visits.extend(self.visits(attempt, values, (at.head, tried + 1))?);
        if count < 2 || count + at.last != tried || visits.len() as u64 != 2 * count + 1 {
            return Err(failed("the loop over the streams is not the same for all lengths"));
        }
        Ok(Invariant { at, values: self.guess(values, &mut visits) })
    }

    /// Counts how often each instruction is executed on streams of `periods` periods.
    fn executed(
        &self,
        attempt: &mut Attempt<'_, 'i>,
        values: &mut Shadows,
        periods: u64,
    ) -> Result<Executed, Rejection> {
        let mut library = Library::new(self.image, Stage::Entry);
        let mut counting = Counting::new(&mut library);
        let mut execution = self.begin(attempt, values, (periods, &Form::constant(periods))).1;
        attempt.run(values, &mut execution, &mut counting, None)?;
        Ok(counting.executed)
    }

    /// Returns the states at the head on streams of `periods` periods.
    fn visits(
        &self,
        attempt: &mut Attempt<'_, 'i>,
        values: &mut Shadows,
        (head, periods): (u64, u64),
    ) -> Result<Vec<Visit<'i>>, Rejection> {
        let (placed, mut execution) = self.begin(attempt, values, (periods, &Form::constant(periods)));
        let mut library = Library::new(self.image, Stage::Entry);
        let mut visits: Vec<Visit<'i>> = Vec::new();
        while attempt.run(values, &mut execution, &mut library, Some(head))? == Pause::Arrived {
            let (execution, regions, iteration) = (execution.clone(), placed.regions.clone(), visits.len() as u64);
            visits.push(Visit { execution, regions, periods, iteration });
        }
        Ok(visits)
    }

    /// Proves the way from the entry to the head, on streams of `least` periods or more.
    fn enter(
        &self,
        attempt: &mut Attempt<'_, 'i>,
        values: &mut Shadows,
        invariant: &Invariant,
        least: u64,
    ) -> Result<Execution<'i, Word>, Rejection> {
        let unknown = values.count(Count::Periods);
        let periods = Form::constant(least).plus(&Form::input(unknown), 1);
        let (placed, mut execution) = self.begin(attempt, values, (least, &periods));
        let bases = self.bases(values, &placed, |_| Form::default());
        let mut library = Library::new(self.image, Stage::Entry);
        self.arrive(attempt, values, &mut execution, (invariant.at.head, &mut Deciding::new(&mut library, unknown)))?;
        invariant.check(values, &mut execution, &Moment { bases, periods, iteration: Form::constant(0) })?;
        Ok(execution)
    }

    /// Proves the way from the head to the head, with at least one more iteration to come.
    fn iterate(
        &self,
        attempt: &mut Attempt<'_, 'i>,
        values: &mut Shadows,
        (invariant, entered): (&Invariant, &Execution<'i, Word>),
        proved: &mut Proved,
    ) -> Result<(), Rejection> {
        let [done, unknown] = [Count::IterationsDone, Count::IterationsToCome].map(|count| values.count(count));
        let done = Form::input(done);
        let left = Form::constant(invariant.at.last + 2).plus(&Form::input(unknown), 1);
        let periods = left.plus(&done, 1);
        let (mut execution, mut moment) =
            self.at_head(values, (invariant, entered), invariant.at.last + 2, (periods, done.clone()))?;
        let mut library = Library::new(self.image, Stage::Iteration);
        self.arrive(attempt, values, &mut execution, (invariant.at.head, &mut Deciding::new(&mut library, unknown)))?;
        moment.iteration = Form::constant(1).plus(&done, 1);
        invariant.check(values, &mut execution, &moment)?;
        proved.take_in(&execution, &attempt.frame);
        Ok(())
    }

    /// Proves the way from the head to the return, with no more iteration to come.
    fn leave(
        &self,
        attempt: &mut Attempt<'_, 'i>,
        values: &mut Shadows,
        (invariant, entered): (&Invariant, &Execution<'i, Word>),
        least: u64,
        proved: &mut Proved,
    ) -> Result<(), Rejection> {
        let unknown = values.count(Count::Periods);
        let periods = Form::constant(least).plus(&Form::input(unknown), 1);
        let done = Form::constant(least - invariant.at.last - 1).plus(&Form::input(unknown), 1);
        let (mut execution, _) = self.at_head(values, (invariant, entered), invariant.at.last + 1, (periods, done))?;
        let mut library = Library::new(self.image, Stage::LastIteration);
        let mut deciding = Deciding::new(&mut library, unknown);
        if attempt.run(values, &mut execution, &mut deciding, None)? != Pause::Returned {
            return Err(failed("the function does not return"));
        }
        proved.take_in(&execution, &attempt.frame);
        Ok(())
    }

    fn arrive(
        &self,
        attempt: &mut Attempt<'_, 'i>,
        values: &mut Shadows,
        execution: &mut Execution<'i, Word>,
        (head, deciding): (u64, &mut Deciding<'_, '_>),
    ) -> Result<(), Rejection> {
        match attempt.run(values, execution, deciding, Some(head))? {
            Pause::Arrived => Ok(()),
            Pause::Returned => Err(failed("the function returns though there are iterations to come")),
        }
    }

    /// The addresses of the streams, `before` bytes before the regions that they have here.
    fn bases(
        &self,
        values: &mut Shadows,
        placed: &Arguments<'i, Word>,
        before: impl Fn(u64) -> Form,
    ) -> Vec<Option<Form>> {
        let mut bases = Vec::new();
        for ((_, grown), region) in self.growing.arguments.iter().zip(&placed.regions) {
            bases.push(match (*grown, region) {
                (Grown::Stream { period, .. }, Some(region)) => {
                    let address = placed.memory.address(values.terms_mut(), *region, 0);
                    values.base(address);
                    Some(Form::input(address).plus(&before(period), u64::MAX))
                }
                _ => None,
            });
        }
        bases
    }

    /// Returns the state at the head that the invariant describes, with streams of which `left` periods are memory.
    fn at_head(
        &self,
        values: &mut Shadows,
        (invariant, entered): (&Invariant, &Execution<'i, Word>),
        left: u64,
        (periods, iteration): (Form, Form),
    ) -> Result<(Execution<'i, Word>, Moment), Rejection> {
        let placed = self.memory(values, Part::From(left));
        let mut execution = placed.resume(values, entered)?;
        let bases = self.bases(values, &placed, |period| iteration.scaled(period));
        let moment = Moment { bases, periods, iteration };
        invariant.fill(values, &mut execution, &moment)?;
        Ok((execution, moment))
    }

    /// Guesses what holds at the head from the visits, which are on two numbers of periods.
    fn guess(&self, values: &mut Shadows, visits: &mut [Visit<'_>]) -> Vec<(Place, Value)> {
        let Some(last) = visits.last() else { return Vec::new() };
        let mut places: Vec<Place> = (0..16).map(Place::General).collect();
        let known = last.execution.memory.known(last.execution.stack);
        places.extend(known.filter(|(_, word)| values.width(word) == 64).map(|(offset, _)| Place::Stack(offset)));
        places.retain(|place| visits.iter().all(|visit| place.is_kept(&visit.execution)));
        let mut found = Vec::new();
        for place in places {
            let words: Option<Vec<Term>> =
                visits.iter_mut().map(|visit| place.term(values, &mut visit.execution)).collect();
            let Some(words) = words else { continue };
            let is_same = words.iter().all(|word| *word == words[0]);
            let value = self.sum(values, visits, &words).or_else(|| is_same.then(|| Value::Same(words[0])));
            found.extend(value.map(|value| (place, value)));
        }
        found
    }

    /// Returns the number or the address in a stream that the words are, if it grows by constant amounts with each iteration and period.
    fn sum(&self, values: &Shadows, visits: &[Visit<'_>], words: &[Term]) -> Option<Value> {
        let mut points = Vec::new();
        for (visit, &word) in visits.iter().zip(words) {
            let (base, value) = match values.terms().value(word) {
                Some(value) => (None, value),
                None => {
                    let (region, offset) = visit.execution.memory.locate(values, &Word::Term(word)).ok()?;
                    let base = visit.regions.iter().position(|own| *own == Some(region))?;
                    // The memory of other arguments is at the same addresses in all parts of the proof.
                    if !matches!(self.growing.arguments[base].1, Grown::Stream { .. }) {
                        return None;
                    }
                    (Some(base), offset as u64)
                }
            };
            points.push((visit.periods, visit.iteration, base, value));
        }
        let &(periods, iteration, base, value) = points.first()?;
        let at = |periods: u64, iteration: u64| points.iter().find(|point| (point.0, point.1) == (periods, iteration));
        let by_iteration = at(periods, iteration + 1)?.3.wrapping_sub(value);
        let by_period = at(periods + 1, iteration)?.3.wrapping_sub(value);
        let constant =
            value.wrapping_sub(by_iteration.wrapping_mul(iteration)).wrapping_sub(by_period.wrapping_mul(periods));
        let is_so = |&(periods, iteration, kind, value): &(u64, u64, Option<usize>, u64)| {
            let moved = by_period.wrapping_mul(periods).wrapping_add(by_iteration.wrapping_mul(iteration));
            kind == base && value == constant.wrapping_add(moved)
        };
        points.iter().all(is_so).then_some(Value::Sum { base, constant, by_period, by_iteration })
    }
}

impl Invariant {
    /// Checks that the state at a moment is what the invariant says.
    fn check(
        &self,
        values: &mut Shadows,
        execution: &mut Execution<'_, Word>,
        moment: &Moment,
    ) -> Result<(), Rejection> {
        for (place, value) in &self.values {
            let found = if place.is_kept(execution) { place.term(values, execution) } else { None };
            let expected = Invariant::word(values, value, moment);
            if found.map(|found| values.normal(found)) != expected.map(|expected| values.normal(expected)) {
                let what = "a place that all iterations of the loop need is not at the head of each what it is in the first ones";
                return Err(failed(what));
            }
        }
        Ok(())
    }

    /// The word that a value is at a moment; `None` if it is the address of an argument that is no stream.
    fn word(values: &mut Shadows, value: &Value, moment: &Moment) -> Option<Term> {
        match value {
            Value::Same(term) => Some(*term),
            Value::Sum { base, constant, by_period, by_iteration } => {
                let mut form = Form::constant(*constant);
                if let Some(base) = base {
                    form = form.plus(moment.bases[*base].as_ref()?, 1);
                }
                let form = form.plus(&moment.periods, *by_period).plus(&moment.iteration, *by_iteration);
                Some(values.sum(&form))
            }
        }
    }

    /// Makes a state that of a moment; nothing is known of places that the invariant does not mention.
    fn fill(
        &self,
        values: &mut Shadows,
        execution: &mut Execution<'_, Word>,
        moment: &Moment,
    ) -> Result<(), Rejection> {
        let mut state = unknown_state(values, Since::Loop, " in the loop");
        state.flags = Flags::undefined();
        let mut has_stack_pointer = false;
        for (place, value) in &self.values {
            let Some(word) = Invariant::word(values, value, moment).map(|term| values.word(term)) else { continue };
            match *place {
                Place::General(register) => {
                    has_stack_pointer |= register == STACK_POINTER;
                    state.general[register] = word;
                }
                Place::Stack(offset) => execution.memory.set(values, execution.stack, offset, word),
            }
        }
        if !has_stack_pointer {
            return Err(failed("the stack pointer is not the same in each iteration of the loop"));
        }
        execution.state = state;
        Ok(())
    }
}

impl Place {
    /// The word there, if it is not made from data.
    fn term(self, values: &mut Shadows, execution: &mut Execution<'_, Word>) -> Option<Term> {
        let word = match self {
            Place::General(register) => execution.state.general[register],
            Place::Stack(offset) => execution.memory.get(values, execution.stack, offset, 8),
        };
        values.term(&word)
    }

    /// Whether the place holds what was written there, whatever signals there were.
    fn is_kept(self, execution: &Execution<'_, Word>) -> bool {
        match self {
            Place::Stack(offset) => execution.memory.is_kept(execution.stack, offset..offset + 8),
            Place::General(_) => true,
        }
    }
}

/// Decides branches on a public number: each must go the same way for all values of the number.
struct Deciding<'k, 'i> {
    library: &'k mut Library<'i>,
    number: Term,
    decided: FxHashMap<Term, Option<bool>>,
}

impl<'k, 'i> Deciding<'k, 'i> {
    fn new(library: &'k mut Library<'i>, number: Term) -> Deciding<'k, 'i> {
        Deciding { library, number, decided: FxHashMap::default() }
    }
}

impl Knowledge<Shadows> for Deciding<'_, '_> {
    fn call(
        &mut self,
        values: &mut Shadows,
        execution: &mut Execution<'_, Word>,
    ) -> Result<Option<Word>, ViolationKind> {
        self.library.call(values, execution)
    }

    fn decide(&mut self, values: &mut Shadows, condition: Word) -> Option<bool> {
        let condition = values.term(&condition)?;
        if let Some(&known) = self.decided.get(&condition) {
            return known;
        }
        let decided = loops::decided(values.terms_mut(), self.number, condition);
        self.decided.insert(condition, decided);
        decided
    }
}
