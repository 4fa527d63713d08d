//! Circuits for a table from many starting points: expand, rewire each a little, go on with the best.

use crate::circuit::Circuit;
use crate::mux;
use crate::random::Random;
use crate::reuse;
use crate::rewire::{self, Walk};
use crate::table::TableSpec;

/// How much to spend. The work of a walk is in the unit of [`Walk::work`].
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    pub starts: usize,
    pub first_walk: u64,
    pub finalists: usize,
    pub last_walk: u64,
}

impl Effort {
    /// Well under 0.1 s for four inputs and 1 s for eight.
    pub fn compile_time(table: &TableSpec) -> Effort {
        match table.inputs {
            0..=5 => Effort { starts: 6, first_walk: 4_000_000, finalists: 2, last_walk: 16_000_000 },
            6 => Effort { starts: 6, first_walk: 30_000_000, finalists: 1, last_walk: 200_000_000 },
            7..=8 => Effort { starts: 3, first_walk: 50_000_000, finalists: 1, last_walk: 300_000_000 },
            _ => Effort { starts: 1, first_walk: 0, finalists: 0, last_walk: 0 },
        }
    }
}

/// The smallest circuit found; the same for the same arguments. The table must have passed [`TableSpec::check`].
pub fn search(table: &TableSpec, effort: Effort, seed: u64) -> Circuit {
    let mut random = Random::new(seed);
    let mut found: Vec<Circuit> = (0..effort.starts)
        .map(|number| {
            let start = start(table, number, &mut random);
            rewire::improve(&start, walk(effort.first_walk, &mut random))
        })
        .collect();
    found.sort_by_key(quality);
    for circuit in found.iter_mut().take(effort.finalists) {
        *circuit = rewire::improve(circuit, walk(effort.last_walk, &mut random));
    }
    found.into_iter().min_by_key(quality).unwrap_or_else(|| mux::synthesise(table))
}

/// Fewer gates first, then the shorter critical path.
pub fn quality(circuit: &Circuit) -> (usize, u32) {
    (circuit.cost(), circuit.depth())
}

fn walk(work: u64, random: &mut Random) -> Walk {
    Walk { work, slack: 4 + random.below(4), seed: random.number() }
}

/// The plain expansion first, then with its inputs in other orders, and every other time by reuse.
fn start(table: &TableSpec, number: usize, random: &mut Random) -> Circuit {
    let mut order: Vec<u32> = (0..table.inputs).collect();
    if number % 2 == 1 {
        let exhaustive = if table.inputs <= 6 { 4 } else { 0 };
        if let Some(circuit) = reuse::synthesise(table, exhaustive, random) {
            return circuit;
        }
    }
    if number > 0 {
        random.shuffle(&mut order);
    }
    mux::synthesise(&table.with_inputs(&order)).with_inputs(&order)
}
