//! A rough estimate of the time that a machine that executes out of order takes for an order of instructions.
//!
//! Instructions enter in order, [`ISSUE`] a cycle and at most [`WINDOW`] at once; each starts when its operands have
//! arrived and a port of its class is free; they leave in order. Calls and loops wait for everything before them.

use std::collections::VecDeque;

use super::graph::{Graph, NONE};
use super::machine::{CLASSES, Cost, ISSUE, WINDOW};

/// Number of cycles that an order takes, without spills.
pub(super) fn cycles(graph: &Graph, order: &[u32], costs: &[Cost], ports: &[u32; CLASSES]) -> u64 {
    let mut busy = Busy { ports, taken: VecDeque::new(), start: 0 };
    let mut arrival = vec![0u64; graph.values()];
    // Times at which the instructions in flight leave.
    let mut flight: VecDeque<u64> = VecDeque::new();
    let (mut now, mut issued, mut end) = (0u64, 0, 0u64);
    for &node in order {
        let cost = costs[node as usize];
        issued += cost.count;
        if issued > ISSUE {
            issued = cost.count;
            now += 1;
        }
        if flight.len() >= WINDOW {
            now = now.max(flight.pop_front().unwrap_or(0));
        }
        if graph.control[node as usize] {
            now = now.max(end);
        }
        busy.advance(now);
        let operands = graph.args.of(node).iter().filter(|&&value| graph.def[value as usize] != NONE);
        let ready = operands.map(|&value| arrival[value as usize]).max().unwrap_or(0);
        let done = busy.start(ready.max(now), cost) + u64::from(cost.latency);
        for &value in graph.results.of(node) {
            arrival[value as usize] = done;
        }
        end = end.max(done);
        flight.push_back(end);
    }
    end
}

/// Ports taken in each cycle from `start` on.
struct Busy<'a> {
    ports: &'a [u32; CLASSES],
    taken: VecDeque<[u32; CLASSES]>,
    start: u64,
}

impl Busy<'_> {
    /// Forgets the cycles before `now`.
    fn advance(&mut self, now: u64) {
        while self.start < now {
            if self.taken.pop_front().is_none() {
                self.start = now;
                return;
            }
            self.start += 1;
        }
    }

    /// The first cycle, not before `from`, in which an instruction of this cost can start.
    fn start(&mut self, from: u64, cost: Cost) -> u64 {
        let class = cost.class as usize;
        let (mut cycle, mut left) = ((from - self.start) as usize, cost.count);
        loop {
            while self.taken.len() <= cycle {
                self.taken.push_back([0; CLASSES]);
            }
            let free = self.ports[class].saturating_sub(self.taken[cycle][class]).min(left);
            self.taken[cycle][class] += free;
            left -= free;
            if left == 0 {
                return self.start + cycle as u64;
            }
            cycle += 1;
        }
    }
}
