//! Register costs of an order: the number of values that are alive at once, and the number of times that a good
//! allocator has to move one between registers and memory.

use std::collections::BinaryHeap;

use super::graph::{Graph, NONE};

/// Costs of a load and of a store: many machines have fewer ports for stores, and narrower ones.
const LOAD: u64 = 2;
const STORE: u64 = 3;

/// Numbers of moves from and to memory.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moves {
    pub loads: u64,
    pub stores: u64,
}

/// The cost of [`moves`] in halves of a load.
pub(super) fn spills(graph: &Graph, order: &[u32], registers: usize, crowded: bool) -> u64 {
    let moves = moves(graph, order, registers, crowded);
    LOAD * moves.loads + STORE * moves.stores
}

/// Moves between registers and memory that an order needs with this many registers. The value whose next use is
/// furthest away is always evicted (Belady). A load folded into its only user is free; so is evicting a value that
/// memory still holds.
pub(super) fn moves(graph: &Graph, order: &[u32], registers: usize, crowded: bool) -> Moves {
    let mut file = File::new(graph, order, registers.max(4), crowded);
    for (time, &node) in order.iter().enumerate() {
        if graph.floating[node as usize] {
            continue;
        }
        file.step(time as u32, node);
    }
    file.moves
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Not computed yet, or not needed any more.
    Nowhere,
    Register,
    Memory,
}

struct File<'a> {
    graph: &'a Graph,
    registers: usize,
    /// Times at which the values are used: one value's times after another's, each in order.
    uses: Vec<u32>,
    /// For each value, the place of its next use in `uses`, and the end of its times.
    next: Vec<u32>,
    end: Vec<u32>,
    place: Vec<Place>,
    /// Whether memory holds the value too.
    saved: Vec<bool>,
    /// Values in registers by next use, with stale entries.
    furthest: BinaryHeap<(u32, u32)>,
    used: usize,
    moves: Moves,
}

impl<'a> File<'a> {
    fn new(graph: &'a Graph, order: &[u32], registers: usize, crowded: bool) -> Self {
        let (mut next, mut total) = (Vec::with_capacity(graph.values()), 0);
        for value in 0..graph.values() as u32 {
            next.push(total);
            total += graph.users.of(value).len() as u32;
        }
        let (mut uses, mut end) = (vec![0; total as usize], next.clone());
        for (time, &node) in order.iter().enumerate() {
            for &value in graph.args.of(node) {
                let place = &mut end[value as usize];
                uses[*place as usize] = time as u32;
                *place += 1;
            }
        }
        let mut file = File {
            graph,
            registers,
            uses,
            next,
            end,
            place: vec![Place::Nowhere; graph.values()],
            saved: vec![false; graph.values()],
            furthest: BinaryHeap::new(),
            used: 0,
            moves: Moves::default(),
        };
        for value in 0..graph.values() as u32 {
            let floats = !graph.enters(value) && graph.floating[graph.def[value as usize] as usize];
            if floats || graph.enters(value) {
                file.place[value as usize] = Place::Memory;
                file.saved[value as usize] = floats || crowded;
            }
        }
        file
    }

    /// The time of the next use; a value that is needed after the last instruction is used there.
    fn next_use(&self, value: u32) -> u32 {
        let value = value as usize;
        if self.next[value] < self.end[value] {
            return self.uses[self.next[value] as usize];
        }
        if self.graph.live_out[value] { NONE - 1 } else { NONE }
    }

    fn step(&mut self, time: u32, node: u32) {
        let graph = self.graph;
        if graph.control[node as usize] {
            self.flush();
        }
        for &value in graph.args.of(node) {
            self.next[value as usize] += 1;
            if self.place[value as usize] == Place::Memory && !graph.control[node as usize] {
                let folded = self.saved[value as usize] && self.next_use(value) == NONE;
                let first = !self.saved[value as usize];
                if !folded {
                    self.take(value, time);
                    self.moves.loads += u64::from(!first);
                }
            }
        }
        for &value in graph.args.of(node) {
            if self.place[value as usize] == Place::Register {
                match self.next_use(value) {
                    NONE => self.free(value),
                    next => self.furthest.push((next, value)),
                }
            }
        }
        for &value in graph.results.of(node) {
            if self.next_use(value) != NONE {
                self.take(value, time);
            }
        }
    }

    /// Gives a value a register, evicting another if none is free.
    fn take(&mut self, value: u32, time: u32) {
        while self.used >= self.registers {
            let Some((next, victim)) = self.furthest.pop() else { break };
            let current = self.place[victim as usize] == Place::Register && self.next_use(victim) == next;
            // A value that this instruction itself uses has a stale entry of this time.
            if !current || next <= time {
                continue;
            }
            self.evict(victim);
        }
        self.place[value as usize] = Place::Register;
        self.used += 1;
        self.furthest.push((self.next_use(value), value));
    }

    fn evict(&mut self, value: u32) {
        self.place[value as usize] = Place::Memory;
        self.moves.stores += u64::from(!self.saved[value as usize]);
        self.saved[value as usize] = true;
        self.used -= 1;
    }

    fn free(&mut self, value: u32) {
        self.place[value as usize] = Place::Nowhere;
        self.used -= 1;
    }

    /// Moves everything still needed to memory, for a call or a loop.
    fn flush(&mut self) {
        while let Some((next, value)) = self.furthest.pop() {
            if self.place[value as usize] == Place::Register && self.next_use(value) == next {
                self.evict(value);
            }
        }
    }
}
