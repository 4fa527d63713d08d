//! The local optimiser: a random walk over circuits that all compute one function.
//!
//! One step takes a gate and finds the indices at which an output depends on it (its *care set*). It then lists all
//! other ways to compute a function that agrees with the gate on these indices, from signals that do not depend on the
//! gate: an existing signal, which saves the gate; another gate, which keeps the number of gates; sometimes two gates.
//! Dead gates are dropped. All classical local rules (absorption, re-association, merging equal gates, pushing
//! complements) are such steps, and walking along circuits of equal size leads to circuits in which a saving step
//! exists.
//! steps, and walking along circuits of equal size leads to places where a saving step exists.

use crate::build::simplified;
use crate::circuit::Circuit;
use crate::network::{Network, Node, Op, Truth};
use crate::random::Random;

/// The length and the freedom of a walk.
#[derive(Debug, Clone, Copy)]
pub struct Walk {
    /// Units of work, of about a nanosecond each on the machine where this was written; a step looks at all pairs of
    /// signals.
    pub work: u64,
    /// Number of gates by which a circuit of the walk may exceed the best circuit so far.
    pub slack: usize,
    pub seed: u64,
}

/// A circuit for the same function with at most as many gates. Among the smallest circuits met, it has the shortest
/// critical path.
#[must_use]
pub fn improve(circuit: &Circuit, walk: Walk) -> Circuit {
    let circuit = simplified(circuit);
    match circuit.inputs {
        0..=6 => improve_words::<1>(circuit, walk),
        7 => improve_words::<2>(circuit, walk),
        8 => improve_words::<4>(circuit, walk),
        _ => circuit,
    }
}

fn improve_words<const W: usize>(circuit: Circuit, walk: Walk) -> Circuit {
    let Some(network) = Network::<W>::new(&circuit) else { return circuit };
    let mut walker = Walker::new(network, walk.seed);
    let mut best = walker.network.clone();
    let mut depth = best.depth();
    let mut work = 0;
    while work < walk.work && !walker.network.nodes.is_empty() {
        work += 600 + walker.network.truth.len().pow(2) as u64 / 4;
        walker.step(best.nodes.len() + walk.slack);
        let network = &walker.network;
        let smaller = network.nodes.len() < best.nodes.len();
        if smaller || network.nodes.len() == best.nodes.len() && network.depth() < depth {
            best.clone_from(network);
            depth = best.depth();
        }
    }
    best.circuit()
}

/// The replacement of a gate.
#[derive(Debug, Clone, Copy)]
enum Replacement {
    Signal(u16),
    Node(Node),
    /// A node, and a second one that uses it as the operand [`FRESH`].
    Two(Node, Node),
}

/// One step in this number of steps may add a gate.
const GROWTH: usize = 8;
/// Placeholder for the signal of a node that is not in the network yet.
const FRESH: u16 = u16::MAX;

pub struct Walker<const W: usize> {
    pub network: Network<W>,
    random: Random,
    /// For each signal, whether it depends on the current gate.
    depends: Vec<bool>,
    /// The signals after complementing the current gate.
    flipped: Vec<Truth<W>>,
    /// Signals that do not depend on the current gate, reduced to the care set: all of them, then by their possible
    /// uses.
    free: Vec<(u16, Truth<W>)>,
    above: Vec<(u16, Truth<W>)>,
    below: Vec<(u16, Truth<W>)>,
    apart: Vec<(u16, Truth<W>)>,
    rebuild: Rebuild,
}

impl<const W: usize> Walker<W> {
    pub fn new(network: Network<W>, seed: u64) -> Walker<W> {
        Walker {
            network,
            random: Random::new(seed),
            depends: Vec::new(),
            flipped: Vec::new(),
            free: Vec::new(),
            above: Vec::new(),
            below: Vec::new(),
            apart: Vec::new(),
            rebuild: Rebuild::default(),
        }
    }

    /// Rewires one random gate, if possible, and keeps the number of gates at most `room`.
    pub fn step(&mut self, room: usize) {
        let gate = self.random.below(self.network.nodes.len());
        let signal = self.network.inputs + gate;
        let care = self.care(signal);
        let target = and(&self.network.truth[signal], &care);
        self.collect(signal, &care, &target);
        if let Some(&(equal, _)) = self.free.iter().find(|(_, truth)| *truth == target) {
            return self.replace(signal, Replacement::Signal(equal));
        }
        let grow = self.network.nodes.len() < room && self.random.below(GROWTH) == 0;
        let found = if grow { self.two_gates(&care, &target) } else { self.one_gate(&care, &target) };
        if let Some(replacement) = found {
            self.replace(signal, replacement);
        }
    }

    /// The indices at which some output changes if `signal` is complemented. Fills `depends`.
    fn care(&mut self, signal: usize) -> Truth<W> {
        let Walker { network, depends, flipped, .. } = self;
        depends.clear();
        depends.resize(network.truth.len(), false);
        flipped.clone_from(&network.truth);
        depends[signal] = true;
        flipped[signal] = network.truth[signal].map(|word| !word);
        for i in signal + 1..network.truth.len() {
            let node = network.nodes[i - network.inputs];
            let (a, b) = (usize::from(node.a), usize::from(node.b));
            if depends[a] || depends[b] {
                depends[i] = true;
                flipped[i] = node.apply(&flipped[a], &flipped[b]);
            }
        }
        let mut care = [0; W];
        for &output in &network.outputs {
            let output = usize::from(output);
            for (care, (a, b)) in care.iter_mut().zip(network.truth[output].iter().zip(&flipped[output])) {
                *care |= a ^ b;
            }
        }
        if network.inputs < 6 {
            care[0] &= (1 << (1 << network.inputs)) - 1;
        }
        care
    }

    /// Classifies the signals that do not depend on the gate: supersets of the target, subsets, and disjoint ones.
    fn collect(&mut self, signal: usize, care: &Truth<W>, target: &Truth<W>) {
        self.free.clear();
        self.above.clear();
        self.below.clear();
        self.apart.clear();
        for (index, truth) in self.network.truth.iter().enumerate() {
            if self.depends[index] || index == signal {
                continue;
            }
            let entry = (index as u16, and(truth, care));
            self.free.push(entry);
            if includes(&entry.1, target) {
                self.above.push(entry);
            }
            if includes(target, &entry.1) {
                self.below.push(entry);
            }
            if disjoint(&entry.1, target) {
                self.apart.push(entry);
            }
        }
    }

    /// A random choice among the single gates that compute the target.
    fn one_gate(&mut self, care: &Truth<W>, target: &Truth<W>) -> Option<Replacement> {
        let mut count = 0;
        let mut chosen = None;
        let random = &mut self.random;
        let mut candidate = |op, a, b| {
            count += 1;
            if random.below(count) == 0 {
                chosen = Some(Replacement::Node(Node { op, a, b }));
            }
        };
        let complement = xor(target, care);
        for (i, (a, x)) in self.free.iter().enumerate() {
            if *x == complement {
                candidate(Op::Not, *a, *a);
            }
            let wanted = xor(x, target);
            for (b, y) in &self.free[i + 1..] {
                if *y == wanted {
                    candidate(Op::Xor, *a, *b);
                }
            }
        }
        for (i, (a, x)) in self.above.iter().enumerate() {
            self.above[i + 1..]
                .iter()
                .filter(|(_, y)| and(x, y) == *target)
                .for_each(|(b, _)| candidate(Op::And, *a, *b));
            self.apart
                .iter()
                .filter(|(_, y)| xor(x, &and(x, y)) == *target)
                .for_each(|(b, _)| candidate(Op::Andn, *a, *b));
        }
        for (i, (a, x)) in self.below.iter().enumerate() {
            self.below[i + 1..]
                .iter()
                .filter(|(_, y)| or(x, y) == *target)
                .for_each(|(b, _)| candidate(Op::Or, *a, *b));
        }
        chosen
    }

    /// Two gates that compute the target, the first one chosen at random.
    fn two_gates(&mut self, care: &Truth<W>, target: &Truth<W>) -> Option<Replacement> {
        const TRIES: usize = 40;
        for _ in 0..TRIES {
            let (a, x) = self.free[self.random.below(self.free.len())];
            let (b, y) = self.free[self.random.below(self.free.len())];
            let op = [Op::And, Op::Or, Op::Xor, Op::Andn, Op::Not][self.random.below(5)];
            let first = Node { op, a, b: if op == Op::Not { a } else { b } };
            if a == b && op != Op::Not {
                continue;
            }
            let fresh = and(&first.apply(&x, &y), care);
            if let Some(second) = self.completes(&fresh, target) {
                return Some(Replacement::Two(first, second));
            }
        }
        None
    }

    /// A gate on the fresh signal and another signal that computes the target.
    fn completes(&mut self, fresh: &Truth<W>, target: &Truth<W>) -> Option<Node> {
        let (above, below, apart) = (includes(fresh, target), includes(target, fresh), disjoint(fresh, target));
        let wanted = xor(fresh, target);
        let start = self.random.below(self.free.len());
        let (tail, head) = self.free.split_at(start);
        for (b, y) in head.iter().chain(tail) {
            let b = *b;
            if *y == wanted {
                return Some(Node { op: Op::Xor, a: FRESH, b });
            }
            if above && and(fresh, y) == *target {
                return Some(Node { op: Op::And, a: FRESH, b });
            }
            if above && xor(fresh, &and(fresh, y)) == *target {
                return Some(Node { op: Op::Andn, a: FRESH, b });
            }
            if apart && xor(y, &and(fresh, y)) == *target {
                return Some(Node { op: Op::Andn, a: b, b: FRESH });
            }
            if below && or(fresh, y) == *target {
                return Some(Node { op: Op::Or, a: FRESH, b });
            }
        }
        None
    }

    /// Rebuilds the network: first the nodes that do not depend on the gate, then the replacement, then the dependent
    /// nodes; without dead gates.
    fn replace(&mut self, signal: usize, replacement: Replacement) {
        let Walker { network, depends, rebuild: Rebuild { nodes, order, live, places }, .. } = self;
        let inputs = network.inputs;
        let count = network.truth.len();
        nodes.clone_from(&network.nodes);
        order.clear();
        order.extend((inputs..count).filter(|&i| !depends[i]));
        // Two numbers past the end identify the new nodes.
        let (first, last) = (count, count + 1);
        let here = match replacement {
            Replacement::Signal(equal) => usize::from(equal),
            Replacement::Node(node) => {
                nodes.extend([node, node]);
                order.push(last);
                last
            }
            Replacement::Two(node, mut second) => {
                for operand in [&mut second.a, &mut second.b] {
                    if *operand == FRESH {
                        *operand = first as u16;
                    }
                }
                nodes.extend([node, second]);
                order.extend([first, last]);
                last
            }
        };
        order.extend((signal + 1..count).filter(|&i| depends[i]));
        let resolve = |operand: u16| if usize::from(operand) == signal { here } else { usize::from(operand) };
        live.clear();
        live.resize(count + 2, false);
        network.outputs.iter().for_each(|&output| live[resolve(output)] = true);
        for &i in order.iter().rev() {
            if live[i] {
                let node = nodes[i - inputs];
                live[resolve(node.a)] = true;
                live[resolve(node.b)] = true;
            }
        }
        places.clear();
        places.extend(0..=last as u16);
        network.nodes.clear();
        network.truth.truncate(inputs);
        for &i in order.iter().filter(|&&i| live[i]) {
            let Node { op, a, b } = nodes[i - inputs];
            places[i] = network.push(Node { op, a: places[resolve(a)], b: places[resolve(b)] });
        }
        for output in &mut network.outputs {
            *output = places[resolve(*output)];
        }
    }
}

/// Reusable memory for [`Walker::replace`].
#[derive(Debug, Default)]
struct Rebuild {
    nodes: Vec<Node>,
    order: Vec<usize>,
    live: Vec<bool>,
    places: Vec<u16>,
}

fn and<const W: usize>(a: &Truth<W>, b: &Truth<W>) -> Truth<W> {
    std::array::from_fn(|i| a[i] & b[i])
}

fn or<const W: usize>(a: &Truth<W>, b: &Truth<W>) -> Truth<W> {
    std::array::from_fn(|i| a[i] | b[i])
}

fn xor<const W: usize>(a: &Truth<W>, b: &Truth<W>) -> Truth<W> {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// `b ⊆ a`
fn includes<const W: usize>(a: &Truth<W>, b: &Truth<W>) -> bool {
    (0..W).all(|i| b[i] & !a[i] == 0)
}

fn disjoint<const W: usize>(a: &Truth<W>, b: &Truth<W>) -> bool {
    (0..W).all(|i| a[i] & b[i] == 0)
}
