//! Searches circuits for a table from many starting points: expands, rewires each a little, and continues with the
//! best.

use crate::circuit::Circuit;
use crate::mux;
use crate::random::Random;
use crate::reuse;
use crate::rewire::{self, Walk};
use crate::table::TableSpec;

/// The effort of a search. The work of a walk is in units of [`Walk::work`].
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Number of starts. Every second start is by reuse.
    pub starts: usize,
    /// Number of circuits by reuse, of which the smallest is the start of a walk.
    pub reuse: usize,
    /// See [`reuse::synthesise`].
    pub exhaustive: usize,
    pub first_walk: u64,
    pub finalists: usize,
    pub last_walk: u64,
}

impl Effort {
    /// The effort at compile time: under 0.1 s of CPU time for four inputs, and under 1 s for a table of eight inputs
    /// and outputs.
    pub fn compile_time(table: &TableSpec) -> Effort {
        let effort = |(starts, reuse, exhaustive), first_walk, (finalists, last_walk)| Effort {
            starts,
            reuse,
            exhaustive,
            first_walk,
            finalists,
            last_walk,
        };
        let bits = (table.outputs as usize) << table.inputs;
        match table.inputs {
            9.. => effort((1, 0, 0), 0, (0, 0)),
            _ if bits > 1 << 14 => effort((1, 0, 0), 0, (0, 0)),
            _ if bits > 1 << 11 => effort((2, 1, 0), 50_000_000, (1, 100_000_000)),
            7.. => effort((2, 1, 5), 50_000_000, (1, 100_000_000)),
            6 if bits > 1 << 9 => effort((4, 1, 1), 50_000_000, (1, 200_000_000)),
            6 => effort((12, 5, 4), 20_000_000, (1, 200_000_000)),
            _ => effort((4, 8, 4), 5_000_000, (2, 25_000_000)),
        }
    }
}

/// The smallest circuit found; deterministic. The table must have passed [`TableSpec::check`].
pub fn search(table: &TableSpec, effort: Effort, seed: u64) -> Circuit {
    let mut random = Random::new(seed);
    let mut found: Vec<Circuit> = (0..effort.starts)
        .map(|number| {
            let start = start(table, effort, number, &mut random);
            rewire::improve(&start, walk(effort.first_walk, &mut random))
        })
        .collect();
    found.sort_by_key(quality);
    for circuit in found.iter_mut().take(effort.finalists) {
        *circuit = rewire::improve(circuit, walk(effort.last_walk, &mut random));
    }
    found.into_iter().min_by_key(quality).unwrap_or_else(|| mux::synthesise(table))
}

/// The order of quality: fewer gates first, then the shorter critical path.
pub fn quality(circuit: &Circuit) -> (usize, u32) {
    (circuit.cost(), circuit.depth())
}

fn walk(work: u64, random: &mut Random) -> Walk {
    Walk { work, slack: 4 + random.below(4), seed: random.number() }
}

/// Start number `number`: the plain expansion first, then expansions with the inputs in other orders, alternating with
/// circuits by reuse.
fn start(table: &TableSpec, effort: Effort, number: usize, random: &mut Random) -> Circuit {
    if number % 2 == 1 {
        let reused = (0..effort.reuse).filter_map(|_| reuse::synthesise(table, effort.exhaustive, random));
        if let Some(circuit) = reused.min_by_key(Circuit::cost) {
            return circuit;
        }
    }
    let mut order: Vec<u32> = (0..table.inputs).collect();
    if number > 0 {
        random.shuffle(&mut order);
    }
    mux::synthesise(&table.with_inputs(&order)).with_inputs(&order)
}
