//! Loops that have any number of iterations: the instruction at which an iteration begins, and the way that branches on
//! the public number go.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use culet_decide::bits::{self, Verdict};
use culet_term::{Node, Term, Terms};
use rustc_hash::FxHashMap;

use crate::effort::PUBLIC_WORDS;
use crate::execute::{Execution, Knowledge};
use crate::symbolic::Symbolic;
use crate::violation::ViolationKind;

/// Number of executions of each instruction, by its address.
pub(crate) type Executed = HashMap<u64, Times>;

/// Number of executions of an instruction, and the number of instructions executed up to its first and its last one.
#[derive(Debug, Default)]
pub(crate) struct Times {
    pub count: u64,
    pub first: u64,
    pub last: u64,
}

/// Counts how often each instruction is executed.
pub(crate) struct Counting<'k, V: Symbolic> {
    knowledge: &'k mut dyn Knowledge<V>,
    pub executed: Executed,
    clock: u64,
}

/// Decides branches on a public number: each must go the same way for all values of the number that are considered.
pub(crate) struct Deciding<'k, V: Symbolic> {
    knowledge: &'k mut dyn Knowledge<V>,
    /// The unknown of which the number is made; `None` if the number is known.
    number: Option<Term>,
    decided: FxHashMap<Term, Option<bool>>,
}

/// Returns the head of a loop: the first instruction that is executed as many times as one of `counts`, and once more
/// if there is one more iteration. `runs` has the executions without and with that iteration.
pub(crate) fn find_head([fewer, more]: &[Executed; 2], counts: &RangeInclusive<u64>) -> Option<u64> {
    let is_head = |(address, times): &(&u64, &Times)| {
        let is_once_more = |other: &Times| other.count == times.count + 1;
        counts.contains(&times.count) && more.get(address).is_some_and(is_once_more)
    };
    fewer.iter().filter(is_head).min_by_key(|(_, times)| times.first).map(|(&address, _)| address)
}

/// Returns the value of a condition that is the same for all values of an unknown number; a condition with other unknowns
/// is not decided.
pub(crate) fn decided(terms: &mut Terms, number: Term, condition: Term) -> Option<bool> {
    let is_other = |&term: &Term| matches!(terms.node(term), Node::Input(_)) && term != number;
    if terms.cone(&[condition]).iter().any(is_other) {
        return None;
    }
    [false, true].into_iter().find(|&value| {
        let constant = terms.constant_u64(1, u64::from(value));
        is_equal(terms, condition, constant)
    })
}

/// Whether two words are equal whatever their inputs are.
pub(crate) fn is_equal(terms: &mut Terms, a: Term, b: Term) -> bool {
    a == b || matches!(bits::compare(terms, &[(a, b)], &PUBLIC_WORDS).verdict, Verdict::Equal(_))
}

impl<'k, V: Symbolic> Counting<'k, V> {
    pub fn new(knowledge: &'k mut dyn Knowledge<V>) -> Counting<'k, V> {
        Counting { knowledge, executed: HashMap::new(), clock: 0 }
    }
}

impl<V: Symbolic> Knowledge<V> for Counting<'_, V> {
    fn call(&mut self, values: &mut V, execution: &mut Execution<V::Word>) -> Result<Option<V::Word>, ViolationKind> {
        let called = self.knowledge.call(values, execution)?;
        if called.is_none() {
            self.clock += 1;
            let new = Times { first: self.clock, ..Times::default() };
            let times = self.executed.entry(execution.address).or_insert(new);
            (times.count, times.last) = (times.count + 1, self.clock);
        }
        Ok(called)
    }
}

impl<'k, V: Symbolic> Deciding<'k, V> {
    pub fn new(knowledge: &'k mut dyn Knowledge<V>, number: Option<Term>) -> Deciding<'k, V> {
        Deciding { knowledge, number, decided: FxHashMap::default() }
    }
}

impl<V: Symbolic<Word = Term>> Knowledge<V> for Deciding<'_, V> {
    fn call(&mut self, values: &mut V, execution: &mut Execution) -> Result<Option<Term>, ViolationKind> {
        self.knowledge.call(values, execution)
    }

    fn decide(&mut self, values: &mut V, condition: Term) -> Option<bool> {
        let number = self.number?;
        if let Some(&known) = self.decided.get(&condition) {
            return known;
        }
        let decided = self::decided(values.terms_mut(), number, condition);
        self.decided.insert(condition, decided);
        decided
    }
}
