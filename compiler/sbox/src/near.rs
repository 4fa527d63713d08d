//! Finds functions that at most three gates compute from given signals.

use crate::network::{Node, Op};
use crate::random::Random;

/// The gates that compute a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Signal(u16),
    /// Gates to append in this order; the function is the last one. Their own signals have the numbers after the given
    /// ones.
    Gates(Vec<Node>),
}

/// Signals as functions on at most 64 indices.
pub struct Neighbourhood<'a> {
    signals: &'a [u64],
    /// The set of all indices.
    full: u64,
    size: u32,
    /// The signals of which pairs are formed: all of them, or a random choice of [`MOST`].
    chosen: Vec<u16>,
}

/// Maximum number of signals of which pairs are formed.
const MOST: usize = 400;

/// The result of a gate.
type Pair = (u64, Node);

impl<'a> Neighbourhood<'a> {
    pub fn new(signals: &'a [u64], size: u32, random: &mut Random) -> Neighbourhood<'a> {
        let full = if size == 64 { !0 } else { (1 << size) - 1 };
        let mut chosen: Vec<u16> = (0..signals.len() as u16).collect();
        random.shuffle(&mut chosen);
        chosen.truncate(if size <= 20 { 2_f64.powi(size as i32 + 3).cbrt() as usize + 8 } else { MOST });
        Neighbourhood { signals, full, size, chosen }
    }

    /// A way to compute `target` with as few gates as possible, up to three.
    pub fn find(&self, target: u64) -> Option<Found> {
        let position = |value: u64| self.signals.iter().position(|&signal| signal == value).map(|i| i as u16);
        if let Some(same) = position(target) {
            return Some(Found::Signal(same));
        }
        if let Some(other) = position(target ^ self.full) {
            return Some(Found::Gates(vec![Node { op: Op::Not, a: other, b: other }]));
        }
        let single: Vec<Pair> =
            (0..).zip(self.signals).map(|(i, &signal)| (signal, Node { op: Op::Not, a: i, b: i })).collect();
        let filter = Filter::new(2 * single.len(), single.iter().map(|pair| pair.0));
        if let Some(gate) = combine(&single, &filter, &single, target) {
            return Some(Found::Gates(vec![gate.of(gate.right.a, gate.left.a)]));
        }
        let fresh = self.signals.len() as u16;
        let negated = combine(&single, &filter, &single, target ^ self.full);
        // More gates are tried only if success is likely enough to justify forming the pairs.
        let count = self.chosen.len() as f64;
        let likely = |results: f64| results > 0.03 * 2_f64.powi(self.size as i32);
        let (two, three) = (likely(10.0 * count.powi(2) * single.len() as f64), likely(5.0 * count.powi(4)));
        let pairs = self.pairs(two || three);
        if let Some(gate) = combine(&single, &filter, &pairs, target) {
            return Some(Found::Gates(vec![gate.right, gate.of(fresh, gate.left.a)]));
        }
        if let Some(gate) = negated {
            let opposite = gate.of(gate.right.a, gate.left.a);
            return Some(Found::Gates(vec![opposite, Node { op: Op::Not, a: fresh, b: fresh }]));
        }
        if !three {
            return None;
        }
        let filter = Filter::new(pairs.len(), pairs.iter().map(|pair| pair.0));
        let gate = combine(&pairs, &filter, &pairs, target)?;
        Some(Found::Gates(vec![gate.right, gate.left, gate.of(fresh, fresh + 1)]))
    }

    fn value(&self, signal: u16) -> u64 {
        self.signals[usize::from(signal)]
    }

    /// The results of one gate on two signals; none unless `wanted`.
    fn pairs(&self, wanted: bool) -> Vec<Pair> {
        if !wanted {
            return Vec::new();
        }
        let mut pairs = Vec::with_capacity(5 * self.chosen.len().pow(2) / 2);
        for (i, &a) in self.chosen.iter().enumerate() {
            let x = self.value(a);
            for &b in &self.chosen[..i] {
                let y = self.value(b);
                pairs.push((x & y, Node { op: Op::And, a, b }));
                pairs.push((x | y, Node { op: Op::Or, a, b }));
                pairs.push((x ^ y, Node { op: Op::Xor, a, b }));
                pairs.push((x & !y, Node { op: Op::Andn, a, b }));
                pairs.push((y & !x, Node { op: Op::Andn, a: b, b: a }));
            }
        }
        pairs
    }
}

/// A Bloom filter of hashes: a value that it does not accept is not in the set.
struct Filter {
    words: Vec<u64>,
    shift: u32,
}

impl Filter {
    /// The filter for about `count` values. It accepts one in sixteen of other values.
    fn new(count: usize, values: impl Iterator<Item = u64>) -> Filter {
        let bits = (8 * count).next_power_of_two().max(64);
        let mut filter = Filter { words: vec![0; bits / 64], shift: 64 - bits.ilog2() };
        for value in values {
            let hash = filter.hash(value);
            filter.words[hash / 64] |= 1 << (hash % 64);
        }
        filter
    }

    fn may_have(&self, value: u64) -> bool {
        let hash = self.hash(value);
        self.words[hash / 64] >> (hash % 64) & 1 == 1
    }

    fn hash(&self, value: u64) -> usize {
        (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize
    }
}

/// One result of `left` and one of `right` whose sum is `target`. `filter` is that of `left`.
fn sum(left: &[Pair], filter: &Filter, right: &[Pair], target: u64) -> Option<(Node, Node)> {
    let sift = |pairs: &[Pair], filter: &Filter| -> Vec<Pair> {
        pairs.iter().copied().filter(|(value, _)| filter.may_have(value ^ target)).collect()
    };
    let filter_of = |pairs: &[Pair]| Filter::new(pairs.len(), pairs.iter().map(|pair| pair.0));
    // Both sides are filtered by one another until only values with a partner remain.
    let mut right = sift(right, filter);
    let mut left = sift(left, &filter_of(&right));
    while right.len() > 32 {
        let before = right.len();
        right = sift(&right, &filter_of(&left));
        left = sift(&left, &filter_of(&right));
        if 2 * right.len() > before {
            break;
        }
    }
    right.iter().find_map(|&(y, right)| {
        let (_, left) = left.iter().find(|(x, _)| y ^ x == target)?;
        Some((*left, right))
    })
}

/// A gate on two results of other gates.
struct Combination {
    op: Op,
    right: Node,
    left: Node,
    /// Whether the left result is the first operand.
    reverse: bool,
}

impl Combination {
    /// The gate for results that have these signals.
    fn of(&self, right: u16, left: u16) -> Node {
        let (a, b) = if self.reverse { (left, right) } else { (right, left) };
        Node { op: self.op, a, b }
    }
}

/// A gate on one result of `left` and one of `right` that computes `target`. `filter` is that of `left`.
fn combine(left: &[Pair], filter: &Filter, right: &[Pair], target: u64) -> Option<Combination> {
    if let Some((left, right)) = sum(left, filter, right, target) {
        return Some(Combination { op: Op::Xor, right, left, reverse: false });
    }
    let (left, right) = (Parts::new(left, target), Parts::new(right, target));
    let pair = |right: &[Pair], left: &[Pair], op, reverse, makes: &dyn Fn(u64, u64) -> bool| {
        let hit = |&(y, right): &Pair| {
            let (_, left) = *left.iter().find(|(x, _)| makes(y, *x))?;
            Some(Combination { op, right, left, reverse })
        };
        right.iter().find_map(hit)
    };
    pair(&right.above, &left.above, Op::And, false, &|y, x| y & x == target)
        .or_else(|| pair(&right.below, &left.below, Op::Or, false, &|y, x| y | x == target))
        .or_else(|| pair(&right.above, &left.apart, Op::Andn, false, &|y, x| y & !x == target))
        .or_else(|| pair(&right.apart, &left.above, Op::Andn, true, &|y, x| x & !y == target))
}

/// The results that can be operands: supersets of the target, subsets of it, and sets that are disjoint from it.
struct Parts {
    above: Vec<Pair>,
    below: Vec<Pair>,
    apart: Vec<Pair>,
}

/// Maximum number of results of each kind. Small care sets have many, and a few suffice.
const MOST_PARTS: usize = 1000;

impl Parts {
    fn new(pairs: &[Pair], target: u64) -> Parts {
        let select = |keep: &dyn Fn(u64) -> bool| -> Vec<Pair> {
            pairs.iter().copied().filter(|&(value, _)| keep(value)).take(MOST_PARTS).collect()
        };
        Parts {
            above: select(&|x| target & !x == 0),
            below: select(&|x| x & !target == 0),
            apart: select(&|x| x & target == 0),
        }
    }
}
