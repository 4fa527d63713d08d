//! Truth tables: a sum modulo 2 of gates is a constant if it is one for all values of a few gates below.

use smallvec::SmallVec;

use super::graph::{Gate, Graph, Literal};
use crate::effort::cuts::{MAX_CONE, MAX_LEAVES, MAX_WIDTH, MAX_WIDTH_LATEST};

/// The values of six leaves, bit by bit.
pub const COLUMNS: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

type Leaves = SmallVec<[u32; 24]>;

/// Choice of the leaf that is opened next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// The latest leaf that has not been merged: the cut ends at merged gates.
    Merged,
    /// The leaf that adds the fewest leaves, the latest of those.
    Narrow,
    /// The latest leaf.
    Latest,
}

/// Memory for cuts and tables, which is reused.
#[derive(Default)]
pub struct Cuts {
    /// For each gate, the time when it was last seen, as leaf or inner gate, and its row.
    seen: Vec<(u32, u32)>,
    now: u32,
    rows: Vec<u64>,
}

impl Cuts {
    /// Returns leaves over which the sum modulo 2 of the targets is the constant `value`, if such leaves are found.
    pub fn prove_constant(&mut self, graph: &Graph, merged: &[bool], targets: &[u32], value: bool) -> Option<Vec<u32>> {
        for order in [Order::Merged, Order::Narrow, Order::Latest] {
            if let Some((inner, leaves)) = self.cut(graph, merged, targets, order)
                && self.is_constant(graph, targets, inner, &leaves, value)
            {
                let mut leaves = leaves.to_vec();
                leaves.sort_unstable();
                return Some(leaves);
            }
        }
        None
    }

    /// Returns the deepest cut with few leaves that is met on the way down, and the gates above it in ascending order.
    fn cut(&mut self, graph: &Graph, merged: &[bool], targets: &[u32], order: Order) -> Option<(Vec<u32>, Leaves)> {
        self.now += 1;
        self.seen.resize(graph.count(), (0, 0));
        let mut leaves = Leaves::new();
        for &target in targets {
            self.meet(target, &mut leaves);
        }
        let max_width = if order == Order::Narrow { MAX_WIDTH } else { MAX_WIDTH_LATEST };
        let mut inner = Vec::new();
        let mut best: Option<(usize, Leaves)> = None;
        while inner.len() < MAX_CONE && leaves.len() <= max_width {
            let place = match order {
                Order::Narrow => self.narrowest(graph, &leaves),
                Order::Latest => latest(&leaves, |gate| graph.operands(gate).is_some()),
                Order::Merged => latest(&leaves, |gate| {
                    let stops = merged.get(gate as usize) == Some(&true) && !targets.contains(&gate);
                    !stops && graph.operands(gate).is_some()
                }),
            };
            let Some(place) = place else { break };
            let gate = leaves.swap_remove(place);
            inner.push(gate);
            if let Some((a, b)) = graph.operands(gate) {
                self.meet(a, &mut leaves);
                self.meet(b, &mut leaves);
            }
            if leaves.len() <= MAX_LEAVES {
                best = Some((inner.len(), leaves.clone()));
            }
        }
        let (length, leaves) = best?;
        inner.truncate(length);
        inner.sort_unstable();
        Some((inner, leaves))
    }

    fn meet(&mut self, gate: u32, leaves: &mut Leaves) {
        let seen = &mut self.seen[gate as usize].0;
        if *seen != self.now {
            *seen = self.now;
            leaves.push(gate);
        }
    }

    /// Returns the index of the leaf that adds the fewest leaves, the latest of those; `None` if all leaves are inputs.
    fn narrowest(&self, graph: &Graph, leaves: &[u32]) -> Option<usize> {
        let cost = |gate: u32| {
            let (a, b) = graph.operands(gate)?;
            let new = |gate: u32| u32::from(self.seen[gate as usize].0 != self.now);
            Some(new(a) + new(b))
        };
        let openable = leaves.iter().enumerate().filter_map(|(place, &gate)| Some((cost(gate)?, gate, place)));
        openable.min_by_key(|&(cost, gate, _)| (cost, std::cmp::Reverse(gate))).map(|(.., place)| place)
    }

    /// Whether the sum of the targets is `value` for all values of the leaves. Inner gates are ascending, so operands
    /// come first.
    fn is_constant(&mut self, graph: &Graph, targets: &[u32], inner: Vec<u32>, leaves: &[u32], value: bool) -> bool {
        let words = 1usize << leaves.len().saturating_sub(6);
        self.rows.clear();
        for (i, &leaf) in leaves.iter().enumerate() {
            self.seen[leaf as usize].1 = i as u32;
            self.rows.extend((0..words).map(|word| match i {
                0..6 => COLUMNS[i],
                _ => (word as u64 >> (i - 6) & 1).wrapping_neg(),
            }));
        }
        for gate in inner {
            self.seen[gate as usize].1 = (self.rows.len() / words) as u32;
            for word in 0..words {
                let of = |literal: Literal| {
                    self.rows[self.seen[literal.gate() as usize].1 as usize * words + word] ^ literal.mask()
                };
                let result = match graph.gate(gate) {
                    Gate::And(a, b) => of(a) & of(b),
                    Gate::Xor(a, b) => of(a) ^ of(b),
                    Gate::Zero | Gate::Input => 0,
                };
                self.rows.push(result);
            }
        }
        let expected = u64::from(value).wrapping_neg();
        (0..words).all(|word| {
            let row = |&target: &u32| self.rows[self.seen[target as usize].1 as usize * words + word];
            targets.iter().map(row).fold(0, |sum, row| sum ^ row) == expected
        })
    }
}

/// Returns the index of the latest leaf that may be opened.
fn latest(leaves: &[u32], may_open: impl Fn(u32) -> bool) -> Option<usize> {
    let open = leaves.iter().enumerate().filter(|(_, gate)| may_open(**gate));
    open.max_by_key(|(_, gate)| **gate).map(|(place, _)| place)
}
