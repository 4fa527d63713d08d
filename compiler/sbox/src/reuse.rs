//! Circuits by reuse: every function is first searched among the existing signals and the results of a few gates on
//! them. It is expanded only if it is not found. The idea is Matthew Kwan's (Reducing the Gate Count of Bitslice DES,
//! 2000): a function that is only needed at some indices, its *care set*, is often available already.
//!
//! `f = b ⊕ x·a`: on the indices with x = 0, b must equal f, and elsewhere it may have any value; a must correct the
//! rest, where x = 1. Each expansion halves the care set, until any function is near: with 300 signals there are 10⁵
//! results of one gate and 10¹⁰ sums of two such results, more than the 2³² functions on a care set of 32 indices.

use crate::circuit::Circuit;
use crate::near::{Found, Neighbourhood};
use crate::network::{Network, Node, Op, Truth};
use crate::random::Random;
use crate::table::{TableSpec, input_word};

/// A circuit for a table of at most eight inputs. Inputs are expanded and outputs computed in a random order. With at
/// most `exhaustive` inputs left, every expansion is tried; with one more, two are tried; otherwise a random one is
/// taken.
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
    let care = everywhere(inputs);
    let mut search = Search { network: Network::empty(inputs, truth), random, exhaustive };
    let mut found = vec![None; outputs.len()];
    for output in outputs {
        let target = target(table, output);
        if target != [0; W] && target != care {
            found[output as usize] = Some(search.find(&target, &care, &order));
        }
    }
    let constant = |output: u32| table.values[0] >> (table.outputs - 1 - output) & 1 == 1;
    search.network.finish((0..).zip(found).map(|(output, signal)| signal.ok_or(constant(output))).collect())
}

fn everywhere<const W: usize>(inputs: usize) -> Truth<W> {
    let mut care = [!0; W];
    if inputs < 6 {
        care[0] = (1 << (1 << inputs)) - 1;
    }
    care
}

fn target<const W: usize>(table: &TableSpec, output: u32) -> Truth<W> {
    let words = table.truth(output);
    std::array::from_fn(|i| words[i])
}

struct Search<'a, const W: usize> {
    network: Network<W>,
    random: &'a mut Random,
    exhaustive: usize,
}

impl<const W: usize> Search<'_, W> {
    /// Finds or builds a signal that equals `target` wherever `care` is set, with the inputs of `order` left to expand.
    fn find(&mut self, target: &Truth<W>, care: &Truth<W>, order: &[usize]) -> u16 {
        if let Some(found) = self.near(target, care) {
            return self.add(found);
        }
        assert!(!order.is_empty(), "on one index, an input or its complement is any function");
        let all: Vec<usize> = (0..2 * order.len()).collect();
        let choices = match order.len() {
            left if left <= self.exhaustive => &all[..],
            left if left == self.exhaustive + 1 => &all[..2],
            _ => &all[self.random.below(2)..][..1],
        };
        self.expand(target, care, order, choices)
    }

    /// A way to the target with at most three gates. Care sets of more than 64 indices are hit too rarely for a
    /// thorough search.
    fn near(&mut self, target: &Truth<W>, care: &Truth<W>) -> Option<Found> {
        let size: u32 = care.iter().map(|word| word.count_ones()).sum();
        if size <= 64 {
            let signals: Vec<u64> = self.network.truth.iter().map(|truth| compress(truth, care)).collect();
            let neighbourhood = Neighbourhood::new(&signals, size, self.random);
            return neighbourhood.find(compress(target, care));
        }
        let differs =
            |truth: &Truth<W>, complement: u64| (0..W).any(|i| (truth[i] ^ target[i] ^ complement) & care[i] != 0);
        let position = |complement| self.network.truth.iter().position(|truth| !differs(truth, complement));
        position(0).map(|same| Found::Signal(same as u16)).or_else(|| {
            position(!0).map(|other| Found::Gates(vec![Node { op: Op::Not, a: other as u16, b: other as u16 }]))
        })
    }

    fn add(&mut self, found: Found) -> u16 {
        let nodes = match found {
            Found::Signal(signal) => return signal,
            Found::Gates(nodes) => nodes,
        };
        nodes.into_iter().map(|node| self.network.push(node)).last().unwrap_or(0)
    }

    /// Tries these ways to expand, and keeps the one that adds the fewest gates. Way 2i expands by input `order[i]`,
    /// way 2i + 1 by its complement.
    fn expand(&mut self, target: &Truth<W>, care: &Truth<W>, order: &[usize], ways: &[usize]) -> u16 {
        let start = self.network.nodes.len();
        let mut best: Option<(Vec<Node>, u16)> = None;
        for way in ways {
            let mut rest = order.to_vec();
            let input = rest.remove(way / 2);
            let signal = self.expand_by(target, care, input, way % 2 == 1, &rest);
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

    /// The signal `base ⊕ x·slope`; with `reverse`, the complement of x takes the place of x.
    fn expand_by(&mut self, target: &Truth<W>, care: &Truth<W>, input: usize, reverse: bool, rest: &[usize]) -> u16 {
        let x = self.network.truth[input];
        let mut on: Truth<W> = std::array::from_fn(|i| care[i] & x[i]);
        let mut off: Truth<W> = std::array::from_fn(|i| care[i] & !x[i]);
        if reverse {
            (on, off) = (off, on);
        }
        let base = self.find(target, &off, rest);
        let difference = std::array::from_fn(|i| target[i] ^ self.network.truth[usize::from(base)][i]);
        let slope = self.find(&difference, &on, rest);
        let op = if reverse { Op::Andn } else { Op::And };
        let product = self.network.push(Node { op, a: slope, b: input as u16 });
        self.network.push(Node { op: Op::Xor, a: base, b: product })
    }
}

/// The bits of `truth` at the positions of `care`, packed.
fn compress<const W: usize>(truth: &Truth<W>, care: &Truth<W>) -> u64 {
    let (mut bits, mut place) = (0, 0);
    for (&truth, &care) in truth.iter().zip(care) {
        let mut left = care;
        while left != 0 {
            bits |= (truth >> left.trailing_zeros() & 1) << place;
            place += 1;
            left &= left - 1;
        }
    }
    bits
}
