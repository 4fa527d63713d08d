//! Proofs of functions that take any number of blocks, by induction over the iterations of their loop.
//!
//! Let K be the number of blocks of an iteration. Each number below K is executed by itself. For K and more, a *head*
//! is chosen: an instruction that is executed once in each iteration. A [`LoopInvariant`] says what registers and stack
//! hold there, with `m` blocks still to come and pointers at their start. How the invariant is found does not matter;
//! the following is checked:
//!
//! 1. From the entry, with any number n ≥ K of blocks, the head is reached with the invariant for n and nothing done.
//! 2. From the head, with the invariant for any m ≥ 2K, the head is reached again with the invariant for m − K; K
//!    blocks of the results are then what they must be, and nothing else in the arguments' memory was read or written.
//! 3. From the head, with the invariant for each m from K to 2K − 1, the function returns, and m blocks of the results
//!    are what they must be.
//!
//! So every n is reduced to one of the numbers of step 3, in as many iterations as K goes into n, less one. If the
//! compiler left an instruction that all numbers of blocks pass when no whole iteration is left, step 3 needs half as
//! many executions ([`tail`]).

mod tail;

use culet_isa::x86_64::{Flags, State};
use culet_term::{InputKind, Term, Terms};

use super::blocks::{LENGTH_BITS, OnBlocks, Part};
use crate::effort::blocks::TRIED_ITERATIONS;
use crate::execute::{Execution, Pause, STACK_POINTER, unknown_state};
use crate::loops::{self, Executed, is_equal};
use crate::memory::{Memory, RegionId};
use crate::rejection::Rejection;
use crate::unknown::{Since, Stage};

/// Proves a function for every number of blocks.
pub(super) fn prove<'i>(function: &mut OnBlocks<'i, '_, '_>) -> Result<(), Rejection> {
    let batch = function.batch();
    // Errors of the whole function show here, with a reason that is easier to read.
    let first = batch.min(2);
    for count in 0..first {
        function.whole(count)?;
    }
    let head = find_head(function)?;
    let mut visits = visits(function, head, TRIED_ITERATIONS)?;
    visits.extend(self::visits(function, head, TRIED_ITERATIONS + 1)?);
    let invariant = LoopInvariant::guess(function, &mut visits);

    let from_one_iteration_on = any_from(&mut function.terms, batch);
    let entered = enter(function, (head, &invariant), batch, from_one_iteration_on)?;
    let from_two_iterations_on = any_from(&mut function.terms, 2 * batch);
    one_iteration(function, (&invariant, &entered), (head, &invariant), Stage::Iteration, from_two_iterations_on)?;
    if tail::prove(function, head, &invariant, &entered).is_ok() {
        return Ok(());
    }
    for count in first..batch {
        function.whole(count)?;
    }
    for count in batch..2 * batch {
        to_the_return(function, (&invariant, &entered), Stage::LastIteration, count)?;
    }
    Ok(())
}

/// Counts how often each instruction of the function is executed on `count` blocks.
fn counted(function: &mut OnBlocks, count: i64) -> Result<Executed, Rejection> {
    let length = function.terms.constant_u64(64, count as u64);
    let (mut execution, _) = function.enter(count, length);
    function.begin(Stage::Entry, None);
    function.counted(&mut execution)
}

/// Returns the first instruction that is executed once in each iteration.
fn find_head(function: &mut OnBlocks) -> Result<u64, Rejection> {
    let mut run = |iterations: i64| counted(function, iterations * function.batch());
    let runs = [run(TRIED_ITERATIONS)?, run(TRIED_ITERATIONS + 1)?];
    let once_in_each = TRIED_ITERATIONS as u64..=TRIED_ITERATIONS as u64;
    let none = || Rejection::Loop("no instruction is executed once in each iteration of a loop over the blocks".into());
    loops::find_head(&runs, &once_in_each).ok_or_else(none)
}

/// A state at the head, with `remaining` blocks to come and `iterations` iterations completed.
struct Visit<'i> {
    execution: Execution<'i>,
    /// Regions of the results, then of the parameters.
    regions: Vec<RegionId>,
    remaining: i64,
    iterations: i64,
}

/// Returns the states at the head on the blocks of `iterations` iterations.
fn visits<'i>(function: &mut OnBlocks<'i, '_, '_>, head: u64, iterations: i64) -> Result<Vec<Visit<'i>>, Rejection> {
    let count = iterations * function.batch();
    let length = function.terms.constant_u64(64, count as u64);
    let (mut execution, regions) = function.enter(count, length);
    function.begin(Stage::Entry, None);
    let mut visits = Vec::new();
    for done in 0..iterations {
        if function.go(&mut execution, Some(head))? == Pause::Returned {
            break;
        }
        let remaining = count - done * function.batch();
        visits.push(Visit { execution: execution.clone(), regions: regions.clone(), remaining, iterations: done });
    }
    Ok(visits)
}

/// Value of a register or of a place on the stack, at the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    /// A value that is the same in each iteration.
    Same(Term),
    /// The address at this offset from an argument's first block of the current iteration.
    Pointer(usize, i64),
    /// The number of blocks to come plus a constant.
    Remaining(u64),
    Anything,
}

/// Values of registers and stack at the head.
struct LoopInvariant {
    general: [Value; 16],
    vectors: [Value; 32],
    masks: [Value; 8],
    /// Places on the stack: the offset, an unknown word of the place's size, and the value.
    stack: Vec<(i64, Term, Value)>,
}

impl LoopInvariant {
    /// Guesses an invariant from what the states at the head have in common. The guess need not be true.
    fn guess(function: &mut OnBlocks, visits: &mut [Visit]) -> LoopInvariant {
        let shared: Vec<bool> = function.ports().map(|port| port.shared).collect();
        let steps: Vec<i64> = function.ports().map(|port| port.block.length * function.batch()).collect();
        let advancing: Vec<Option<i64>> =
            shared.iter().zip(&steps).map(|(&shared, &step)| (!shared).then_some(step)).collect();
        let terms = &mut function.terms;
        let value = |terms: &Terms, visits: &[Visit], of: &dyn Fn(&State<Term>) -> Term| {
            let words: Vec<Term> = visits.iter().map(|visit| of(&visit.execution.state)).collect();
            common(terms, visits, &words, &advancing)
        };
        let general = std::array::from_fn(|i| value(terms, visits, &|state| state.general[i]));
        let vectors = std::array::from_fn(|i| value(terms, visits, &|state| state.vectors[i]));
        let masks = std::array::from_fn(|i| value(terms, visits, &|state| state.masks[i]));
        let places: Vec<(i64, u32)> = visits.last().map_or_else(Vec::new, |visit| {
            let known = visit.execution.memory.known(visit.execution.stack);
            known.map(|(offset, &word)| (offset, terms.bits(word) / 8)).collect()
        });
        let mut stack = Vec::new();
        for (offset, bytes) in places {
            let mut words = Vec::new();
            for visit in visits.iter_mut() {
                words.push(visit.execution.memory.get(terms, visit.execution.stack, offset, bytes));
            }
            let name = format!("{bytes} bytes at {offset:+} in the loop");
            let unknown = terms.fresh(InputKind::Data, &name, 8 * bytes);
            let place = (offset, unknown, common(terms, visits, &words, &advancing));
            if visits.iter().all(|visit| is_kept(terms, &visit.execution, &place)) {
                stack.push(place);
            }
        }
        LoopInvariant { general, vectors, masks, stack }
    }

    fn said_of_stack(&self) -> impl Iterator<Item = &(i64, Term, Value)> {
        self.stack.iter().filter(|(.., value)| *value != Value::Anything)
    }

    /// Returns the registers, and the places on the stack with a known value, in a state: name, value and word.
    fn words(&self, terms: &mut Terms, execution: &mut Execution) -> Vec<(String, Value, Term)> {
        let state = &execution.state;
        let mut words = Vec::new();
        for (kind, values, held) in [
            ("general register", &self.general[..], &state.general[..]),
            ("vector register", &self.vectors[..], &state.vectors[..]),
            ("mask register", &self.masks[..], &state.masks[..]),
        ] {
            let named = values.iter().zip(held).enumerate();
            words.extend(named.map(|(i, (&value, &word))| (format!("{kind} {i}"), value, word)));
        }
        for &(offset, unknown, value) in self.said_of_stack() {
            let word = execution.memory.get(terms, execution.stack, offset, terms.bits(unknown) / 8);
            words.push((format!("the stack at {offset:+}"), value, word));
        }
        words
    }
}

/// Whether a place of the stack holds what was written there, whatever signals there were.
fn is_kept(terms: &Terms, execution: &Execution, &(offset, unknown, _): &(i64, Term, Value)) -> bool {
    execution.memory.is_kept(execution.stack, offset..offset + i64::from(terms.bits(unknown) / 8))
}

/// Returns what words have in common that were seen at the head one after the other.
fn common(terms: &Terms, visits: &[Visit], words: &[Term], advancing: &[Option<i64>]) -> Value {
    let Some(&first) = words.first() else { return Value::Anything };
    if words.iter().all(|&word| word == first) {
        return Value::Same(first);
    }
    if terms.bits(first) != 64 {
        return Value::Anything;
    }
    let seen = || visits.iter().zip(words);
    let ahead = |(visit, &word): (&Visit, &Term)| Some(terms.value(word)?.wrapping_sub(visit.remaining as u64));
    if let Some(constant) = all_equal(seen().map(ahead)) {
        return Value::Remaining(constant);
    }
    let pointer = |(visit, &word): (&Visit, &Term)| {
        let (region, offset) = visit.execution.memory.locate(terms, &word).ok()?;
        let argument = visit.regions.iter().position(|&argument| argument == region)?;
        Some((argument, offset - visit.iterations * advancing[argument]?))
    };
    match all_equal(seen().map(pointer)) {
        Some((argument, distance)) => Value::Pointer(argument, distance),
        None => Value::Anything,
    }
}

fn all_equal<T: PartialEq>(mut items: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = items.next()??;
    items.all(|item| item.as_ref() == Some(&first)).then_some(first)
}

/// Start and number of the blocks to come.
struct Rest<'a> {
    memory: &'a Memory<'a>,
    /// Each argument's region, and the offset of its first block to come.
    starts: Vec<(RegionId, i64)>,
    remaining: Term,
}

impl Value {
    fn word(self, terms: &mut Terms, rest: &Rest) -> Option<Term> {
        match self {
            Value::Same(word) => Some(word),
            Value::Pointer(argument, distance) => {
                let (region, start) = rest.starts[argument];
                Some(rest.memory.address(terms, region, start + distance))
            }
            Value::Remaining(ahead) => {
                let ahead = terms.constant_u64(64, ahead);
                Some(terms.add(rest.remaining, ahead))
            }
            Value::Anything => None,
        }
    }
}

/// Returns an unknown, and the number of blocks made of it, which is any number from `least` on.
fn any_from(terms: &mut Terms, least: i64) -> (Term, Term) {
    let unknown = terms.fresh(InputKind::Count, "blocks beyond the least number", LENGTH_BITS);
    let wide = terms.zero_extend(unknown, 64);
    let least = terms.constant_u64(64, least as u64);
    (unknown, terms.add(wide, least))
}

/// Checks that the state at the head is what the invariant says, where the blocks to come begin after `done` blocks of
/// each argument.
fn check_invariant(
    function: &mut OnBlocks,
    invariant: &LoopInvariant,
    execution: &mut Execution,
    regions: &[RegionId],
    done: i64,
    remaining: Term,
) -> Result<(), Rejection> {
    let starts = function.ports().zip(regions).map(|(port, &region)| (region, done * port.block.length)).collect();
    let memory = execution.memory.clone();
    let rest = Rest { memory: &memory, starts, remaining };
    if let Some((offset, ..)) = invariant.said_of_stack().find(|place| !is_kept(&function.terms, execution, place)) {
        return Err(Rejection::Loop(format!(
            "the stack at {offset:+} is not kept from one iteration of the loop to the next"
        )));
    }
    for (place, value, held) in invariant.words(&mut function.terms, execution) {
        let Some(expected) = value.word(&mut function.terms, &rest) else { continue };
        let right = match value {
            Value::Remaining(_) => is_equal(&mut function.terms, held, expected),
            _ => held == expected,
        };
        if !right {
            let reason = format!(
                "{place} is not, at the start of each iteration of the loop, what it is in the first iterations"
            );
            return Err(Rejection::Loop(reason));
        }
    }
    Ok(())
}

/// Proves the way from the entry to a place and returns the state there. The number of blocks is arbitrary, given as
/// the unknown and the number; `count` blocks may be accessed.
fn enter<'i>(
    function: &mut OnBlocks<'i, '_, '_>,
    (place, invariant): (u64, &LoopInvariant),
    count: i64,
    (unknown, length): (Term, Term),
) -> Result<Execution<'i>, Rejection> {
    let (mut execution, regions) = function.enter(count, length);
    function.begin(Stage::Entry, Some(unknown));
    arrive(function, &mut execution, place)?;
    if regions.iter().any(|&region| execution.memory.region(region).written().next().is_some()) {
        return Err(Rejection::Loop(
            "a result is written before the first iteration, and may be what the iterations read".into(),
        ));
    }
    check_invariant(function, invariant, &mut execution, &regions, 0, length)?;
    function.finish_part(&execution);
    Ok(execution)
}

fn arrive<'i>(function: &mut OnBlocks<'i, '_, '_>, execution: &mut Execution<'i>, head: u64) -> Result<(), Rejection> {
    match function.go(execution, Some(head))? {
        Pause::Arrived => Ok(()),
        Pause::Returned => {
            Err(Rejection::Loop("the function returns though there are blocks for another iteration".into()))
        }
    }
}

/// Returns the state at the head that the invariant describes, with memory of `count` blocks.
fn at_head<'i>(
    function: &mut OnBlocks<'i, '_, '_>,
    invariant: &LoopInvariant,
    entered: &Execution<'i>,
    count: i64,
    remaining: Term,
) -> Result<(Execution<'i>, Vec<RegionId>), Rejection> {
    let (arguments, regions) = function.memory(Part::Iteration, count);
    let mut execution = arguments.resume(&mut function.terms, entered)?;
    let starts = regions.iter().map(|&region| (region, 0)).collect();
    let rest = Rest { memory: &arguments.memory, starts, remaining };
    let terms = &mut function.terms;
    let mut state = unknown_state(terms, Since::Loop, " in the loop");
    let fill = |terms: &mut Terms, values: &[Value], words: &mut [Term]| {
        for (value, word) in values.iter().zip(words) {
            *word = value.word(terms, &rest).unwrap_or(*word);
        }
    };
    fill(terms, &invariant.general, &mut state.general);
    fill(terms, &invariant.vectors, &mut state.vectors);
    fill(terms, &invariant.masks, &mut state.masks);
    state.flags = Flags::undefined();
    if !matches!(invariant.general[STACK_POINTER], Value::Same(_)) {
        return Err(Rejection::Loop("the stack pointer is not the same in each iteration of the loop".into()));
    }
    for &(offset, unknown, value) in &invariant.stack {
        let word = value.word(terms, &rest).unwrap_or(unknown);
        execution.memory.set(terms, execution.stack, offset, word);
    }
    execution.state = state;
    Ok((execution, regions))
}

/// Proves the way from the place of an invariant to another place, on which K blocks are handled. The number of blocks
/// is arbitrary, given as the unknown and the number.
fn one_iteration<'i>(
    function: &mut OnBlocks<'i, '_, '_>,
    (invariant, entered): (&LoopInvariant, &Execution<'i>),
    (place, invariant_there): (u64, &LoopInvariant),
    stage: Stage,
    (unknown, remaining): (Term, Term),
) -> Result<(), Rejection> {
    let batch = function.batch();
    let (mut execution, regions) = at_head(function, invariant, entered, batch, remaining)?;
    function.begin(stage, Some(unknown));
    arrive(function, &mut execution, place)?;
    let blocks = function.terms.constant_u64(64, batch as u64);
    let fewer = function.terms.sub(remaining, blocks);
    check_invariant(function, invariant_there, &mut execution, &regions, batch, fewer)?;
    function.check_results(&mut execution, &regions, Part::Iteration, batch)?;
    function.finish_part(&execution);
    Ok(())
}

/// Proves the way from the place of an invariant to the return, with `count` blocks.
fn to_the_return<'i>(
    function: &mut OnBlocks<'i, '_, '_>,
    (invariant, entered): (&LoopInvariant, &Execution<'i>),
    stage: Stage,
    count: i64,
) -> Result<(), Rejection> {
    let remaining = function.terms.constant_u64(64, count as u64);
    let (mut execution, regions) = at_head(function, invariant, entered, count, remaining)?;
    function.begin(stage, None);
    if function.go(&mut execution, None)? != Pause::Returned {
        return Err(Rejection::Loop("the function does not return".into()));
    }
    function.check_results(&mut execution, &regions, Part::Iteration, count)?;
    function.finish(&execution);
    Ok(())
}
