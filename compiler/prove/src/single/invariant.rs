//! Contents of registers and stack at the head of a loop over a stream, iteration by iteration. An invariant is a
//! guess: it need not be trusted, since it is checked.

use culet_isa::x86_64::Flags;
use culet_term::{Node, Term};
use rustc_hash::FxHashMap;

use super::cuts::CutPoints;
use super::linear::Form;
use crate::execute::{Execution, STACK_POINTER, unknown_state};
use crate::memory::RegionId;
use crate::rejection::Rejection;
use crate::unknown::Since;

/// Width in bits of the parts into which a vector register is divided.
const LANE: u32 = 64;
const LANES: usize = 8;

/// An arrival at the head, on a stream of `periods` periods, with `iteration` iterations completed.
pub(super) struct Visit<'i> {
    pub execution: Execution<'i>,
    /// The regions of the stream and of results of any length.
    pub streams: Vec<RegionId>,
    pub periods: i64,
    pub iteration: i64,
    /// Words that the program's loop carries into this iteration.
    pub carried: Vec<Term>,
}

/// The quantities that determine the words of an invariant.
pub(super) struct Moment {
    /// The addresses of the stream and of results of any length.
    pub bases: Vec<Form>,
    pub periods: Form,
    /// Iterations completed.
    pub iteration: Form,
    pub carried: Vec<Term>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    General(usize),
    Lane(usize, usize),
    Mask(usize),
    /// Offset and number of bytes.
    Stack(i64, u32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    /// A number, or one of the addresses of the stream and of results, by its index, plus a number.
    Sum { address: Option<usize>, constant: u64, by_period: u64, by_iteration: u64 },
    /// A term made of values that are the same in all iterations and of the words that the loop carries, written for
    /// one iteration.
    Made(Term),
}

/// Values of places in registers and on the stack; nothing is claimed about other places.
pub(super) struct LoopInvariant {
    values: Vec<(Place, Value)>,
    /// Words that the loop carries in the iteration for which [`Value::Made`] is written.
    carried: Vec<Term>,
}

impl LoopInvariant {
    /// Guesses an invariant from the visits, the last of which was on the longest stream.
    pub fn guess(cuts: &mut CutPoints, visits: &mut [Visit<'_>]) -> LoopInvariant {
        let Some(last) = visits.last() else { return LoopInvariant { values: Vec::new(), carried: Vec::new() } };
        let carried = last.carried.clone();
        let mut places: Vec<Place> = (0..16).map(Place::General).collect();
        places.extend((0..32).flat_map(|register| (0..LANES).map(move |lane| Place::Lane(register, lane))));
        places.extend((0..8).map(Place::Mask));
        for (offset, word) in last.execution.memory.known(last.execution.stack) {
            let bytes = cuts.terms.bits(*word) / 8;
            let parts = (0..bytes).step_by(8);
            places.extend(parts.map(|at| Place::Stack(offset + i64::from(at), (bytes - at).min(8))));
        }
        let mut values = Vec::new();
        places.retain(|place| visits.iter().all(|visit| place.is_kept(&visit.execution)));
        for place in places {
            let words: Vec<Term> = visits.iter_mut().map(|visit| place.word(cuts, &mut visit.execution)).collect();
            let value = sum(cuts, visits, &words).or_else(|| made(cuts, visits, &words));
            values.extend(value.map(|value| (place, value)));
        }
        LoopInvariant { values, carried }
    }

    /// Checks that the state at a moment is what the invariant says.
    pub fn check(&self, cuts: &mut CutPoints, execution: &mut Execution<'_>, moment: &Moment) -> Result<(), Rejection> {
        for (place, value) in &self.values {
            if !place.is_kept(execution) {
                return Err(Rejection::Loop(format!("{place} is not kept from one iteration of the loop to the next")));
            }
            let found = place.word(cuts, execution);
            let expected = self.word(cuts, value, moment);
            let normal = cuts.forms.normal(&mut cuts.terms, found);
            if found != expected && normal != expected && !cuts.is(found, expected) {
                let reason = format!("{place} is not at the head of each iteration what it is in the first iterations");
                return Err(Rejection::Loop(reason));
            }
        }
        Ok(())
    }

    fn word(&self, cuts: &mut CutPoints, value: &Value, moment: &Moment) -> Term {
        match value {
            Value::Sum { address, constant, by_period, by_iteration } => {
                let form = Form::constant(*constant);
                let form = address.iter().fold(form, |form, &address| form.plus(&moment.bases[address], 1));
                let form = form.plus(&moment.periods, *by_period).plus(&moment.iteration, *by_iteration);
                cuts.forms.term(&mut cuts.terms, &form)
            }
            Value::Made(term) => {
                let others = exchanged(cuts, &self.carried, &moment.carried);
                cuts.terms.substitute(*term, &others)
            }
        }
    }

    /// Makes a state that of a moment; places that the invariant does not mention are unknown.
    pub fn fill(&self, cuts: &mut CutPoints, execution: &mut Execution<'_>, moment: &Moment) -> Result<(), Rejection> {
        let mut state = unknown_state(cuts, Since::Loop, " in the loop");
        state.flags = Flags::undefined();
        let mut has_stack_pointer = false;
        for (place, value) in &self.values {
            let word = self.word(cuts, value, moment);
            match *place {
                Place::General(register) => {
                    has_stack_pointer |= register == STACK_POINTER;
                    state.general[register] = word;
                }
                Place::Mask(register) => state.masks[register] = word,
                Place::Lane(register, lane) => {
                    let whole = state.vectors[register];
                    let mut lanes: Vec<Term> =
                        (0..LANES as u32).map(|lane| cuts.terms.extract(whole, lane * LANE, LANE)).collect();
                    lanes[lane] = word;
                    state.vectors[register] = cuts.terms.concat(&lanes);
                }
                Place::Stack(offset, _) => execution.memory.set(cuts, execution.stack, offset, word),
            }
        }
        if !has_stack_pointer {
            return Err(Rejection::Loop("the stack pointer is not the same in each iteration of the loop".into()));
        }
        execution.state = state;
        Ok(())
    }
}

impl Place {
    fn word(self, cuts: &mut CutPoints, execution: &mut Execution<'_>) -> Term {
        match self {
            Place::General(register) => execution.state.general[register],
            Place::Lane(register, lane) => {
                cuts.terms.extract(execution.state.vectors[register], lane as u32 * LANE, LANE)
            }
            Place::Mask(register) => execution.state.masks[register],
            Place::Stack(offset, bytes) => execution.memory.get(cuts, execution.stack, offset, bytes),
        }
    }

    /// Whether the place holds what was written there, whatever signals there were.
    fn is_kept(self, execution: &Execution<'_>) -> bool {
        match self {
            Place::Stack(offset, bytes) => execution.memory.is_kept(execution.stack, offset..offset + i64::from(bytes)),
            _ => true,
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::General(register) => f.write_str(crate::execute::GENERAL[*register]),
            Place::Lane(register, lane) => write!(f, "lane {lane} of zmm{register}"),
            Place::Mask(register) => write!(f, "k{register}"),
            Place::Stack(offset, _) => write!(f, "the stack at {offset:+}"),
        }
    }
}

/// Maps each input that a loop carries in one iteration to the word that it carries in the same place in another.
fn exchanged(cuts: &CutPoints, from: &[Term], to: &[Term]) -> FxHashMap<Term, Term> {
    let is_input = |term: Term| matches!(cuts.terms.node(term), Node::Input(_));
    from.iter().zip(to).filter(|(from, _)| is_input(**from)).map(|(&from, &to)| (from, to)).collect()
}

/// Returns the number or address that the words are, if it grows by constant amounts with each iteration and each
/// period.
fn sum(cuts: &CutPoints, visits: &[Visit<'_>], words: &[Term]) -> Option<Value> {
    let mut points = Vec::new();
    for (visit, &word) in visits.iter().zip(words) {
        if cuts.terms.bits(word) != 64 {
            return None;
        }
        let (address, value) = match cuts.terms.value(word) {
            Some(value) => (None, value),
            None => {
                let (region, offset) = visit.execution.memory.locate(cuts, &word).ok()?;
                (Some(visit.streams.iter().position(|&stream| stream == region)?), offset as u64)
            }
        };
        points.push((visit.periods as u64, visit.iteration as u64, address, value));
    }
    let &(periods, iteration, address, value) = points.first()?;
    let of_next_iteration = points.iter().find(|point| (point.0, point.1) == (periods, iteration + 1))?;
    let of_next_period = points.iter().find(|point| (point.0, point.1) == (periods + 1, iteration))?;
    let by_iteration = of_next_iteration.3.wrapping_sub(value);
    let by_period = of_next_period.3.wrapping_sub(value);
    let constant =
        value.wrapping_sub(by_iteration.wrapping_mul(iteration)).wrapping_sub(by_period.wrapping_mul(periods));
    let is_so = |&(periods, iteration, of, value): &(u64, u64, Option<usize>, u64)| {
        let moved = by_period.wrapping_mul(periods).wrapping_add(by_iteration.wrapping_mul(iteration));
        of == address && value == constant.wrapping_add(moved)
    };
    points.iter().all(is_so).then_some(Value::Sum { address, constant, by_period, by_iteration })
}

/// Returns the last visit's word, if it becomes the word of each visit when that visit's carried words are substituted.
fn made(cuts: &mut CutPoints, visits: &[Visit<'_>], words: &[Term]) -> Option<Value> {
    let (last, &made) = (visits.last()?, words.last()?);
    let mut is_so = |(visit, &word): (&Visit<'_>, &Term)| {
        let others = exchanged(cuts, &last.carried, &visit.carried);
        let expected = cuts.terms.substitute(made, &others);
        // Before the first iteration, the word may be another term.
        let may_be = |cuts: &mut CutPoints| visit.iteration == 0 && cuts.values(word) == cuts.values(expected);
        word == expected || may_be(cuts) && cuts.is_plainly(word, expected)
    };
    visits.iter().zip(words).all(&mut is_so).then_some(Value::Made(made))
}
