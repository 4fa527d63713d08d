//! Proof for the blocks after the last whole iteration, with one execution for each number of them instead of two.
//!
//! With K blocks per iteration, the *tail* is an instruction that is executed once after all iterations, even if there
//! are none. With a [`LoopInvariant`] of the tail's own, the following is checked:
//!
//! 1. From the entry, with any number of blocks below K, the tail is reached with the invariant for this number and
//!    nothing done.
//! 2. From the head, with its invariant for K blocks plus any number below K, the tail is reached with the invariant
//!    for that number; K blocks of the results are then what they must be, and nothing else in the arguments' memory
//!    was read or written.
//! 3. From the tail, with the invariant for each number below K, the function returns, and this number of blocks is
//!    what it must be.

use culet_term::{InputKind, Term, Terms};

use super::super::blocks::OnBlocks;
use super::{LoopInvariant, Visit, arrive, counted, enter, one_iteration, to_the_return};
use crate::execute::Execution;
use crate::rejection::Rejection;
use crate::unknown::Stage;

/// Proves the code after the last whole iteration, and numbers of blocks that make no whole iteration. A rejection only
/// means that the proof cannot be done this way.
pub(super) fn prove<'i>(
    function: &mut OnBlocks<'i, '_, '_>,
    head: u64,
    invariant: &LoopInvariant,
    entered: &Execution<'i>,
) -> Result<(), Rejection> {
    let batch = function.batch();
    if batch < 2 || !(batch as u64).is_power_of_two() {
        return Err(Rejection::Unsupported("the blocks of an iteration are no power of two".into()));
    }
    let tail = find(function, head)?;
    let mut visits = Vec::new();
    for count in counts(batch) {
        visits.push(visit(function, tail, count)?);
    }
    let tail_invariant = LoopInvariant::guess(function, &mut visits);

    let (unknown, below_one_iteration) = any_below(&mut function.terms, batch);
    let begun = enter(function, (tail, &tail_invariant), 0, (unknown, below_one_iteration))?;
    let blocks = function.terms.constant_u64(64, batch as u64);
    let one_iteration_and_more = (unknown, function.terms.add(below_one_iteration, blocks));
    one_iteration(
        function,
        (invariant, entered),
        (tail, &tail_invariant),
        Stage::LastIteration,
        one_iteration_and_more,
    )?;
    for count in 0..batch {
        to_the_return(function, (&tail_invariant, &begun), Stage::Tail, count)?;
    }
    Ok(())
}

/// Numbers of blocks on which the tail is sought.
fn counts(batch: i64) -> [i64; 4] {
    [0, 1, 2 * batch + 1, 3 * batch]
}

/// Returns the first instruction after the last visit of the head that is executed once with each number of blocks.
fn find(function: &mut OnBlocks, head: u64) -> Result<u64, Rejection> {
    let mut runs = Vec::new();
    for count in counts(function.batch()) {
        runs.push(counted(function, count)?);
    }
    let [.., last] = &runs[..] else { return Err(none()) };
    let over = last.get(&head).map(|times| times.last).ok_or_else(none)?;
    let once = |address: &u64| runs.iter().all(|run| run.get(address).is_some_and(|times| times.count == 1));
    let tail = last.iter().filter(|(address, times)| times.first > over && once(address));
    tail.min_by_key(|(_, times)| times.first).map(|(&address, _)| address).ok_or_else(none)
}

fn none() -> Rejection {
    Rejection::Loop("no instruction is executed once after all iterations of the loop over the blocks".into())
}

/// Returns the state at the tail, with `count` blocks in all.
fn visit<'i>(function: &mut OnBlocks<'i, '_, '_>, tail: u64, count: i64) -> Result<Visit<'i>, Rejection> {
    let length = function.terms.constant_u64(64, count as u64);
    let (mut execution, regions) = function.enter(count, length);
    function.begin(Stage::Entry, None);
    arrive(function, &mut execution, tail)?;
    let (remaining, iterations) = (count % function.batch(), count / function.batch());
    Ok(Visit { execution, regions, remaining, iterations })
}

/// Returns an unknown, and the number made of it: any number below `batch`, which is the number of blocks of an
/// iteration, a power of two.
fn any_below(terms: &mut Terms, batch: i64) -> (Term, Term) {
    let unknown = terms.fresh(InputKind::Count, "blocks beyond whole iterations", batch.ilog2());
    (unknown, terms.zero_extend(unknown, 64))
}
