//! Choosing the cells.

use super::cuts::{Cut, CutSets};
use super::network::{Network, NodeKind};

/// Number of nodes that are looked at in all rounds, and bounds of the number of rounds that this allows. A round
/// reconsiders every choice by the cells it really adds and frees. Most of the gain comes in the first rounds.
const LOOKS: usize = 500_000;
const ROUNDS: std::ops::RangeInclusive<usize> = 8..=40;
/// Number of last rounds, which prefer cells for which values wait less long in registers.
const SETTLING: usize = 2;
/// Maximum number of nodes that are visited to evaluate one cell: keeps the rounds linear.
const VISITS: usize = 48;

pub(super) struct Cover {
    /// The cell of each node that has one.
    pub choices: Vec<Option<Cut>>,
    /// Number of cells.
    pub cells: usize,
}

/// A cover of the network with few cells.
pub(super) fn cover(network: &Network) -> Cover {
    let mut mapping = Mapping::new(network, CutSets::new(network, &fanouts(network)));
    mapping.count();
    let rounds = (LOOKS / network.nodes.len().max(1)).clamp(*ROUNDS.start(), *ROUNDS.end());
    for round in 0..rounds {
        mapping.recover(round + SETTLING >= rounds);
        mapping.count();
    }
    mapping.finish()
}

/// Number of gates and roots that need each node.
fn fanouts(network: &Network) -> Vec<f32> {
    let mut fanouts: Vec<f32> = network.nodes.iter().map(|node| if node.root { 1.0 } else { 0.0 }).collect();
    for node in &network.nodes {
        if let NodeKind::Gate { inputs, arity, .. } = node.kind {
            for &input in &inputs[..usize::from(arity)] {
                fanouts[input as usize] += 1.0;
            }
        }
    }
    fanouts
}

/// Measure of how much longer a cell makes values wait: its number of inputs first, then the distance to the furthest.
fn reach(node: u32, cut: &Cut) -> u32 {
    let furthest = cut.leaves().iter().map(|&leaf| node - leaf).max().unwrap_or(0);
    (cut.leaves().len() as u32) << 29 | furthest.min((1 << 29) - 1)
}

struct Mapping<'a> {
    network: &'a Network,
    sets: CutSets,
    /// Number of the cut that each node would choose, whether it is needed or not.
    choice: Vec<u8>,
    /// Number of cells and roots that need each node.
    references: Vec<u32>,
    /// Nodes whose references changed while a cell was evaluated, in order.
    trail: Vec<u32>,
    stack: Vec<u32>,
    seed: u32,
}

impl<'a> Mapping<'a> {
    fn new(network: &'a Network, sets: CutSets) -> Self {
        let nodes = network.nodes.len();
        Mapping {
            network,
            sets,
            choice: vec![0; nodes],
            references: vec![0; nodes],
            trail: Vec::new(),
            stack: Vec::new(),
            seed: 0x9e37_79b9,
        }
    }

    /// The chosen cut of a gate.
    fn cut(&self, node: u32) -> Option<Cut> {
        self.sets.of(node).get(usize::from(self.choice[node as usize])).copied()
    }

    /// Counts the references of the chosen cover from its roots down.
    fn count(&mut self) {
        for (references, node) in self.references.iter_mut().zip(&self.network.nodes) {
            *references = u32::from(node.root);
        }
        for node in (0..self.network.nodes.len() as u32).rev() {
            if self.references[node as usize] > 0
                && let Some(cut) = self.cut(node)
            {
                for &leaf in cut.leaves() {
                    self.references[leaf as usize] += 1;
                }
            }
        }
    }

    /// Reconsiders the choice of every needed gate. Among equal cuts it takes any, because a draw now may let another
    /// gate gain later. To settle, it takes the cut that is best for registers.
    fn recover(&mut self, settle: bool) {
        for node in 0..self.network.nodes.len() as u32 {
            if self.references[node as usize] == 0 || self.sets.of(node).len() < 2 {
                continue;
            }
            let Some(old) = self.cut(node) else { continue };
            self.release(&old);
            self.trail.clear();
            let mut best = (u32::MAX, 0, 0);
            for k in 0..self.sets.of(node).len() {
                let cut = self.sets.of(node)[k];
                let area = self.acquire(&cut, best.0);
                self.undo_acquire();
                let tie = if settle { reach(node, &cut) } else { self.random() };
                if (area, tie) < (best.0, best.1) {
                    best = (area, tie, k);
                }
            }
            self.choice[node as usize] = best.2 as u8;
            let chosen = self.sets.of(node)[best.2];
            self.acquire(&chosen, u32::MAX);
            self.trail.clear();
        }
    }

    /// A reproducible sequence (xorshift).
    fn random(&mut self) -> u32 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 17;
        self.seed ^= self.seed << 5;
        self.seed
    }

    /// Takes back a cell's references, and the references of the cells that nothing needs any more.
    fn release(&mut self, cut: &Cut) {
        self.stack.clear();
        self.stack.extend(cut.leaves());
        let mut visits = VISITS;
        while let Some(leaf) = self.stack.pop() {
            let references = &mut self.references[leaf as usize];
            *references = references.saturating_sub(1);
            if *references == 0
                && visits > 0
                && let Some(cut) = self.cut(leaf)
            {
                visits -= 1;
                self.stack.extend(cut.leaves());
            }
        }
    }

    /// Adds a cell's references, and the references of the cells that it newly needs; returns the number of these
    /// cells. It may stop at more than `limit`.
    fn acquire(&mut self, cut: &Cut, limit: u32) -> u32 {
        let mut area = u32::from(!cut.is_alias());
        self.stack.clear();
        self.stack.extend(cut.leaves());
        let mut visits = VISITS;
        while area <= limit
            && let Some(leaf) = self.stack.pop()
        {
            self.references[leaf as usize] += 1;
            self.trail.push(leaf);
            if self.references[leaf as usize] == 1
                && let Some(cut) = self.cut(leaf)
            {
                area += u32::from(!cut.is_alias());
                if visits > 0 {
                    visits -= 1;
                    self.stack.extend(cut.leaves());
                }
            }
        }
        area
    }

    fn undo_acquire(&mut self) {
        for node in self.trail.drain(..) {
            self.references[node as usize] -= 1;
        }
    }

    fn finish(self) -> Cover {
        let choices: Vec<Option<Cut>> = (0..self.network.nodes.len() as u32)
            .map(|node| if self.references[node as usize] > 0 { self.cut(node) } else { None })
            .collect();
        let cells = choices.iter().flatten().filter(|cut| !cut.is_alias()).count();
        Cover { choices, cells }
    }
}
