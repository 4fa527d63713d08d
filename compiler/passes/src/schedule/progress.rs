//! The common state of list schedulers: what has run, what can run, and what that does to the number of live values.

use super::graph::{Graph, NONE};

pub(super) struct Progress<'a> {
    pub graph: &'a Graph,
    /// How many predecessors that do not float each node waits for; [`NONE`] for nodes that float themselves.
    missing: Vec<u32>,
    /// How many uses of each value are to come, and one more if it is needed at the end.
    pending: Vec<u32>,
    done: Vec<bool>,
    order: Vec<u32>,
    /// Live values, as far as the region defines them.
    live: i32,
}

/// What running one node does to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// It can run now.
    Ready(u32),
    /// It could run before, and now frees more values.
    Better(u32),
}

impl<'a> Progress<'a> {
    pub fn new(graph: &'a Graph) -> Self {
        let waits = |node: u32| graph.predecessors(node).filter(|&p| !graph.floating[p as usize]).count() as u32;
        let uses = |value: u32| graph.users.of(value).len() as u32 + u32::from(graph.live_out[value as usize]);
        let missing = |node: u32| if graph.floating[node as usize] { NONE } else { waits(node) };
        Progress {
            graph,
            missing: (0..graph.len() as u32).map(missing).collect(),
            pending: (0..graph.values() as u32).map(uses).collect(),
            done: vec![false; graph.len()],
            order: Vec::with_capacity(graph.len()),
            live: graph.def.iter().filter(|&&def| def == NONE).count() as i32,
        }
    }

    pub fn is_done(&self, node: u32) -> bool {
        self.done[node as usize]
    }

    pub fn can_run(&self, node: u32) -> bool {
        self.missing[node as usize] == 0 && !self.done[node as usize]
    }

    pub fn live(&self) -> i32 {
        self.live
    }

    /// How many values more are alive after a node than before it.
    pub fn growth(&self, node: u32) -> i32 {
        let needed = |&&value: &&u32| self.pending[value as usize] > 0;
        let mut growth = self.graph.results.of(node).iter().filter(needed).count() as i32;
        for &value in self.graph.args.of(node) {
            // `pending` counts the need at the end, so one pending use means that this is the last.
            let last = self.pending[value as usize] == 1;
            growth += match (self.floats_still(value), last) {
                (true, false) => 1,
                (false, true) => -1,
                _ => 0,
            };
        }
        growth
    }

    /// Whether the value's definition floats and has not run yet.
    fn floats_still(&self, value: u32) -> bool {
        let def = self.graph.def[value as usize];
        def != NONE && !self.done[def as usize]
    }

    /// Runs a node, after the floating definitions it needs. Reports each node that can run now, or that could before and
    /// now frees more values.
    pub fn run(&mut self, node: u32, mut report: impl FnMut(&Self, Change)) {
        let graph = self.graph;
        self.live += self.growth(node);
        self.done[node as usize] = true;
        for &value in graph.args.of(node) {
            self.pending[value as usize] -= 1;
            let floated = self.floats_still(value);
            if floated {
                let def = graph.def[value as usize];
                self.done[def as usize] = true;
                self.order.push(def);
            }
            if floated || self.pending[value as usize] == 1 {
                for &user in graph.users.of(value) {
                    if self.can_run(user) {
                        report(self, Change::Better(user));
                    }
                }
            }
        }
        self.order.push(node);
        for successor in graph.successors(node) {
            let missing = &mut self.missing[successor as usize];
            if *missing != NONE {
                *missing -= 1;
                if *missing == 0 {
                    report(self, Change::Ready(successor));
                }
            }
        }
    }

    /// The order of everything that ran, then of the floating nodes that nothing needed.
    pub fn finish(mut self) -> Vec<u32> {
        self.order.extend((0..self.graph.len() as u32).filter(|&node| !self.done[node as usize]));
        self.order
    }
}
