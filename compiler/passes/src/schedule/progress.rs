//! The common state of list schedulers: nodes that have run, nodes that can run, and their effect on the number of live
//! values.

use super::graph::{Graph, NONE};

pub(super) struct Progress<'a> {
    pub graph: &'a Graph,
    /// Number of predecessors that do not float for which each node waits; [`NONE`] for nodes that float themselves.
    missing: Vec<u32>,
    /// Number of uses of each value that are to come, and one more if it is needed at the end and kept in a register.
    pending: Vec<u32>,
    done: Vec<bool>,
    /// Values that are in no register yet, but in memory, where their first use finds them.
    absent: Vec<bool>,
    order: Vec<u32>,
    /// Number of live values, as far as the region defines them.
    live: i32,
}

/// Effect of running one node on another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// The node can run now.
    Ready(u32),
    /// The node could run before, and now frees more values.
    Better(u32),
}

impl<'a> Progress<'a> {
    /// `crowded`: more values cross the region's borders than there are registers, so these values wait in memory.
    pub fn new(graph: &'a Graph, crowded: bool) -> Self {
        let waits = |node: u32| graph.predecessors(node).filter(|&p| !graph.floating[p as usize]).count() as u32;
        let missing = |node: u32| if graph.floating[node as usize] { NONE } else { waits(node) };
        let kept = |value: u32| !crowded && graph.live_out[value as usize];
        let uses = |value: u32| graph.users.of(value).len() as u32 + u32::from(kept(value));
        let absent = |value: u32| match graph.def[value as usize] {
            NONE => crowded,
            def => graph.floating[def as usize],
        };
        let values = 0..graph.values() as u32;
        let absent: Vec<bool> = values.clone().map(absent).collect();
        let live = values.clone().filter(|&value| graph.enters(value) && !absent[value as usize]).count() as i32;
        Progress {
            graph,
            missing: (0..graph.len() as u32).map(missing).collect(),
            pending: values.map(uses).collect(),
            done: vec![false; graph.len()],
            absent,
            order: Vec::with_capacity(graph.len()),
            live,
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

    /// Number of values by which more are alive after a node than before it.
    pub fn growth(&self, node: u32) -> i32 {
        let needed = |&&value: &&u32| self.pending[value as usize] > 0;
        let mut growth = self.graph.results.of(node).iter().filter(needed).count() as i32;
        for &value in self.graph.args.of(node) {
            // `pending` counts the need at the end, so one pending use means that this is the last.
            let last = self.pending[value as usize] == 1;
            growth += match (self.absent[value as usize], last) {
                (true, false) => 1,
                (false, true) => -1,
                _ => 0,
            };
        }
        // A store runs after the loads that must see the element as it was before.
        let loads = self.graph.before.of(node).iter().filter(|&&load| self.floats_still(load));
        growth + loads.flat_map(|&load| self.graph.results.of(load)).filter(needed).count() as i32
    }

    /// Whether a node floats and has not run yet.
    fn floats_still(&self, node: u32) -> bool {
        self.graph.floating[node as usize] && !self.done[node as usize]
    }

    fn run_floating(&mut self, node: u32) {
        self.done[node as usize] = true;
        self.order.push(node);
    }

    fn report_better(&self, value: u32, report: &mut impl FnMut(&Self, Change)) {
        let users = self.graph.users.of(value).iter().filter(|&&user| self.can_run(user));
        users.for_each(|&user| report(self, Change::Better(user)));
    }

    /// Runs a node, after the floating definitions it needs. Reports each node that can run now, or that could run
    /// before and now frees more values.
    pub fn run(&mut self, node: u32, mut report: impl FnMut(&Self, Change)) {
        let graph = self.graph;
        self.live += self.growth(node);
        self.done[node as usize] = true;
        for &load in graph.before.of(node) {
            if self.floats_still(load) {
                self.run_floating(load);
                for &value in graph.results.of(load) {
                    self.absent[value as usize] = false;
                    self.report_better(value, &mut report);
                }
            }
        }
        for &value in graph.args.of(node) {
            self.pending[value as usize] -= 1;
            let def = graph.def[value as usize];
            if def != NONE && self.floats_still(def) {
                self.run_floating(def);
            }
            let arrived = std::mem::take(&mut self.absent[value as usize]);
            if arrived || self.pending[value as usize] == 1 {
                self.report_better(value, &mut report);
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
