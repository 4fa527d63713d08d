//! Circuits by reuse: every function is first looked for among the signals that exist, and expanded only if it is not one
//! or two gates away. The idea is Matthew Kwan's (Reducing the Gate Count of Bitslice DES, 2000): a function that is only
//! needed at some indices, its *care set*, is often there already.
//!
//! `f = b ⊕ x·a`: on the indices with x = 0, b must be f and elsewhere it may be anything; a must repair the rest, where
//! x = 1. Each expansion halves the care set, until any function is close to some pair of signals.

use crate::circuit::Circuit;
use crate::network::{Network, Node, Op, Truth};
use crate::random::Random;
use crate::table::{TableSpec, input_word};

/// A circuit for a table of at most eight inputs; inputs are expanded and outputs computed in a random order.
pub fn synthesise(table: &TableSpec, exhaustive: usize, random: &mut Random) -> Option<Circuit> {
    match table.inputs {
        0..=6 => Some(run::<1>(table, exhaustive, random)),
        7 => Some(run::<2>(table, exhaustive, random)),
        8 => Some(run::<4>(table, exhaustive, random)),
        _ => None,
    }
}

fn run<const W: usize>(table: &TableSpec, exhaustive: usize, random: &mut Random) -> Circuit {
    let inputs = table.inputs as usize;
    let mut order: Vec<usize> = (0..inputs).collect();
    let mut outputs: Vec<u32> = (0..table.outputs).collect();
    random.shuffle(&mut order);
    random.shuffle(&mut outputs);
    let truth = (0..table.inputs).map(|i| std::array::from_fn(|block| input_word(table.inputs, i, block))).collect();
    let mut care = [!0; W];
    if inputs < 6 {
        care[0] = (1 << (1 << inputs)) - 1;
    }
    let network = Network::empty(inputs, truth);
    let mut search = Search { network, random, exhaustive };
    let mut found = vec![None; outputs.len()];
    for output in outputs {
        let words = table.truth(output);
        let target: Truth<W> = std::array::from_fn(|i| words[i]);
        if target != [0; W] && target != care {
            found[output as usize] = Some(search.find(&target, &care, &order));
        }
    }
    let constant = |output: u32| table.values[0] >> (table.outputs - 1 - output) & 1 == 1;
    search.network.finish((0..).zip(found).map(|(output, signal)| signal.ok_or(constant(output))).collect())
}

struct Search<'a, const W: usize> {
    network: Network<W>,
    random: &'a mut Random,
    /// With so many inputs left, every expansion is tried.
    exhaustive: usize,
}

impl<const W: usize> Search<'_, W> {
    /// A signal that is `target` wherever `care` is set, with the inputs of `order` left to expand.
    fn find(&mut self, target: &Truth<W>, care: &Truth<W>, order: &[usize]) -> u16 {
        let wanted = and(target, care);
        let reduced: Vec<Truth<W>> = self.network.truth.iter().map(|truth| and(truth, care)).collect();
        if let Some(same) = reduced.iter().position(|truth| *truth == wanted) {
            return same as u16;
        }
        let complement = xor(&wanted, care);
        if let Some(other) = reduced.iter().position(|truth| *truth == complement) {
            return self.push(Op::Not, other as u16, other as u16);
        }
        if let Some(node) = one_gate(&reduced, &wanted, self.random) {
            return self.network.push(node);
        }
        if let Some(node) = one_gate(&reduced, &complement, self.random) {
            let opposite = self.network.push(node);
            return self.push(Op::Not, opposite, opposite);
        }
        assert!(!order.is_empty(), "on one index, an input or its complement is any function");
        if order.len() > self.exhaustive {
            let reverse = self.random.below(2) == 0;
            return self.expand(target, care, 0, reverse, order);
        }
        self.best_expansion(target, care, order)
    }

    /// Tries every input, both ways round, and keeps the one that adds the fewest gates.
    fn best_expansion(&mut self, target: &Truth<W>, care: &Truth<W>, order: &[usize]) -> u16 {
        let start = self.network.nodes.len();
        let mut best: Option<(Vec<Node>, u16)> = None;
        for choice in 0..2 * order.len() {
            let signal = self.expand(target, care, choice / 2, choice % 2 == 1, order);
            let added = self.network.nodes.split_off(start);
            self.network.truth.truncate(self.network.inputs + start);
            if best.as_ref().is_none_or(|(nodes, _)| added.len() < nodes.len()) {
                best = Some((added, signal));
            }
        }
        let (nodes, signal) = best.unwrap_or_default();
        for node in nodes {
            self.network.push(node);
        }
        signal
    }

    /// `base ⊕ x·slope`, or with the complement of x.
    fn expand(&mut self, target: &Truth<W>, care: &Truth<W>, choice: usize, reverse: bool, order: &[usize]) -> u16 {
        let mut rest = order.to_vec();
        let input = rest.remove(choice);
        let x = &self.network.truth[input];
        let (mut on, mut off) = (and(care, x), xor(care, &and(care, x)));
        if reverse {
            (on, off) = (off, on);
        }
        let base = self.find(target, &off, &rest);
        let slope = self.find(&xor(target, &self.network.truth[usize::from(base)]), &on, &rest);
        let product = self.push(if reverse { Op::Andn } else { Op::And }, slope, input as u16);
        self.push(Op::Xor, base, product)
    }

    fn push(&mut self, op: Op, a: u16, b: u16) -> u16 {
        self.network.push(Node { op, a, b })
    }
}

/// A random gate on two of `signals` that computes `target`.
fn one_gate<const W: usize>(signals: &[Truth<W>], target: &Truth<W>, random: &mut Random) -> Option<Node> {
    let mut count = 0;
    let mut chosen = None;
    let mut candidate = |op, a: usize, b: usize| {
        count += 1;
        if random.below(count) == 0 {
            chosen = Some(Node { op, a: a as u16, b: b as u16 });
        }
    };
    for (i, x) in signals.iter().enumerate() {
        let wanted = xor(x, target);
        let above = and(x, target) == *target;
        let below = and(x, target) == *x;
        for (j, y) in signals.iter().enumerate().filter(|&(j, _)| i != j) {
            if i < j && *y == wanted {
                candidate(Op::Xor, i, j);
            }
            if above && i < j && and(x, y) == *target {
                candidate(Op::And, i, j);
            }
            if above && xor(x, &and(x, y)) == *target {
                candidate(Op::Andn, i, j);
            }
            if below && i < j && xor(&xor(x, y), &and(x, y)) == *target {
                candidate(Op::Or, i, j);
            }
        }
    }
    chosen
}

fn and<const W: usize>(a: &Truth<W>, b: &Truth<W>) -> Truth<W> {
    std::array::from_fn(|i| a[i] & b[i])
}

fn xor<const W: usize>(a: &Truth<W>, b: &Truth<W>) -> Truth<W> {
    std::array::from_fn(|i| a[i] ^ b[i])
}
