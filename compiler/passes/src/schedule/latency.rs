//! List scheduling for latency and ports.
//!
//! In each cycle, of the instructions whose operands have arrived, those run that the longest chain still waits for, as
//! many as the ports of their kinds take. When the registers are full, only an instruction that frees as many values as
//! it makes runs, if there is one, ready or on its way. Otherwise the first instruction of the textual order runs,
//! which finishes what was begun.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::Graph;
use super::machine::{CLASSES, Cost, ISSUE};
use super::progress::{Change, Progress};

/// An order for few cycles. `costs` are the nodes' costs, `ports` the number of each class that can start in a cycle,
/// and `registers` the number of values that may be alive.
pub(super) fn list(graph: &Graph, costs: &[Cost], ports: &[u32; CLASSES], registers: u32, crowded: bool) -> Vec<u32> {
    let heights = heights(graph, costs);
    let mut machine = Machine {
        progress: Progress::new(graph, crowded),
        costs,
        heights: &heights,
        limit: registers as i32,
        now: 0,
        arrival: vec![0; graph.len()],
        waiting: BinaryHeap::new(),
        ready: Default::default(),
        freeing: BinaryHeap::new(),
        textual: BinaryHeap::new(),
    };
    for node in 0..graph.len() as u32 {
        if machine.progress.can_run(node) {
            machine.waiting.push(Reverse((0, node)));
        }
    }
    while machine.cycle(ports) {}
    machine.progress.finish()
}

/// Cycles from the start of each node to the end of the region, when nothing else is in the way.
fn heights(graph: &Graph, costs: &[Cost]) -> Vec<u32> {
    let mut heights = vec![0; graph.len()];
    for node in (0..graph.len() as u32).rev() {
        let users = graph.results.of(node).iter().flat_map(|&value| graph.users.of(value));
        let below = users.map(|&user| heights[user as usize]).max().unwrap_or(0);
        let after = graph.after.of(node).iter().map(|&later| heights[later as usize]).max().unwrap_or(0);
        heights[node as usize] = (below + costs[node as usize].latency).max(after);
    }
    heights
}

struct Machine<'a> {
    progress: Progress<'a>,
    costs: &'a [Cost],
    heights: &'a [u32],
    limit: i32,
    now: u32,
    /// Time at which all operands of a node have arrived.
    arrival: Vec<u32>,
    /// Nodes whose operands are on their way, by arrival.
    waiting: BinaryHeap<Reverse<(u32, u32)>>,
    /// Nodes whose operands have arrived, by height, a heap for each class. Nodes that ran stay until they come up.
    ready: [BinaryHeap<(u32, Reverse<u32>)>; CLASSES],
    /// Ready nodes of all classes that free at least as many values as they make.
    freeing: BinaryHeap<(u32, Reverse<u32>)>,
    /// Ready nodes of all classes in the textual order.
    textual: BinaryHeap<Reverse<u32>>,
}

impl Machine<'_> {
    /// Runs one cycle; returns whether anything is left.
    fn cycle(&mut self, ports: &[u32; CLASSES]) -> bool {
        while let Some(&Reverse((arrival, node))) = self.waiting.peek()
            && arrival <= self.now
        {
            self.waiting.pop();
            self.ready[self.class(node)].push((self.heights[node as usize], Reverse(node)));
            self.textual.push(Reverse(node));
            if self.progress.growth(node) <= 0 {
                self.freeing.push((self.heights[node as usize], Reverse(node)));
            }
        }
        let mut free = *ports;
        let mut issue = ISSUE;
        let mut ran = false;
        while issue > 0
            && let Some(node) = self.choose(&free)
        {
            let cost = self.costs[node as usize];
            let slot = &mut free[cost.class as usize];
            *slot = slot.saturating_sub(cost.count);
            issue = issue.saturating_sub(cost.count);
            self.run(node);
            ran = true;
        }
        self.now += 1;
        if !ran && let Some(&Reverse((arrival, _))) = self.waiting.peek() {
            self.now = self.now.max(arrival);
        }
        ran || !self.waiting.is_empty()
    }

    fn class(&self, node: u32) -> usize {
        self.costs[node as usize].class as usize
    }

    /// The next node of this cycle.
    fn choose(&mut self, free: &[u32; CLASSES]) -> Option<u32> {
        for class in &mut self.ready {
            while class.peek().is_some_and(|&(_, Reverse(node))| self.progress.is_done(node)) {
                class.pop();
            }
        }
        let open = self.ready.iter().zip(free).filter(|&(_, &free)| free > 0);
        let &(_, Reverse(best)) = open.filter_map(|(class, _)| class.peek()).max()?;
        let growth = self.progress.growth(best);
        if growth <= 0 || self.progress.live() + growth <= self.limit {
            return Some(best);
        }
        while let Some((_, Reverse(node))) = self.freeing.pop() {
            if !self.progress.is_done(node) {
                return Some(node);
            }
        }
        // Something on its way may free a register; if nothing is, the registers are not enough.
        if self.waiting.iter().take(16).any(|&Reverse((_, node))| self.progress.growth(node) <= 0) {
            return None;
        }
        while let Some(Reverse(node)) = self.textual.pop() {
            if !self.progress.is_done(node) {
                return Some(node);
            }
        }
        None
    }

    fn run(&mut self, node: u32) {
        let end = self.now + self.costs[node as usize].latency;
        for successor in self.progress.graph.successors(node) {
            let arrival = &mut self.arrival[successor as usize];
            *arrival = (*arrival).max(end);
        }
        let Machine { progress, waiting, freeing, arrival, heights, now, .. } = self;
        progress.run(node, |progress, change| match change {
            Change::Ready(node) => waiting.push(Reverse((arrival[node as usize], node))),
            Change::Better(node) if arrival[node as usize] <= *now && progress.growth(node) <= 0 => {
                freeing.push((heights[node as usize], Reverse(node)));
            }
            Change::Better(_) => {}
        });
    }
}
