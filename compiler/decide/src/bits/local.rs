//! Functions of three gates: equal functions of the same gates are one gate, whatever lies between.
//!
//! Compilers rewrite choices and majorities, and instructions with truth tables join gates. If three gates suffice to
//! compute another, its truth table over them is a normal form.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::hash::BuildHasher;

use super::graph::{Gate, Graph, Literal};
use crate::effort::local::{MAX_CONE, MAX_WIDTH};

/// The values of three gates, bit by bit.
const COLUMNS: [u8; 3] = [0xaa, 0xcc, 0xf0];

/// The table of a sum modulo 2 of three gates.
const PARITY: u8 = COLUMNS[0] ^ COLUMNS[1] ^ COLUMNS[2];

/// A function of three gates, all of which it depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Function {
    /// The three gates, ascending.
    pub leaves: [u32; 3],
    /// Truth table: bit i is the value for the leaves' values in bits 0 to 2 of i. Bit 0 is zero.
    pub table: u8,
}

/// Existing gates or a function that a new gate is equal to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Known {
    Literal(Literal),
    /// A gate of two literals, or its complement.
    Gate(Gate, bool),
    /// A sum modulo 2, or its complement.
    Sum([u32; 3], bool),
    /// Another function, or its complement.
    Function(Function, bool),
}

/// Gates of known functions.
#[derive(Default)]
pub struct Functions(HashTable<(Function, Literal)>);

impl Functions {
    pub fn get(&self, function: &Function) -> Option<Literal> {
        let hash = FxBuildHasher.hash_one(function);
        self.0.find(hash, |(known, _)| known == function).map(|(_, literal)| *literal)
    }

    pub fn insert(&mut self, function: Function, literal: Literal) {
        let hash = FxBuildHasher.hash_one(function);
        self.0.insert_unique(hash, (function, literal), |(function, _)| FxBuildHasher.hash_one(function));
    }
}

/// Returns a new gate, a product or the sum modulo 2 of `summands`, as a function of three or fewer gates as far below
/// as possible; `None` if three gates suffice nowhere.
pub fn function_of(graph: &Graph, gate: Gate, summands: &[u32]) -> Option<Known> {
    let mut cone = Cone::default();
    match gate {
        Gate::And(a, b) => cone.leaves.extend([a.gate(), b.gate()]),
        Gate::Xor(..) if summands.len() <= MAX_WIDTH => cone.leaves.extend(summands.iter().copied()),
        _ => return None,
    }
    let cut = cone.deepest_cut(graph)?;
    let values = Values::new(graph, &cut);
    let table = match gate {
        Gate::And(a, b) => values.of(a) & values.of(b),
        _ => summands.iter().fold(0, |sum, &gate| sum ^ values.of(Literal::new(gate, false))),
    };
    Some(normal(&cut.leaves, table))
}

/// Gates above some leaves.
#[derive(Clone, Default)]
struct Cone {
    leaves: SmallVec<[u32; 8]>,
    inner: SmallVec<[u32; MAX_CONE]>,
}

impl Cone {
    /// Opens the latest leaf repeatedly, and returns the last cut that has three or fewer leaves.
    fn deepest_cut(mut self, graph: &Graph) -> Option<Cone> {
        let mut best = None;
        while self.inner.len() < MAX_CONE && self.leaves.len() <= MAX_WIDTH {
            let openable = self.leaves.iter().enumerate().filter(|(_, leaf)| opens(graph, **leaf));
            let Some((place, &gate)) = openable.max_by_key(|(_, leaf)| **leaf) else { break };
            self.leaves.swap_remove(place);
            self.inner.push(gate);
            if let Some((a, b)) = graph.operands(gate) {
                for operand in [a, b] {
                    if !self.leaves.contains(&operand) {
                        self.leaves.push(operand);
                    }
                }
            }
            if self.leaves.len() <= COLUMNS.len() {
                best = Some(self.clone());
            }
        }
        let mut best = best?;
        best.leaves.sort_unstable();
        // Gates were opened latest first; reversed, each comes after its operands.
        best.inner.reverse();
        Some(best)
    }
}

/// Whether to look below a gate: sums of integers are taken as they are.
fn opens(graph: &Graph, gate: u32) -> bool {
    graph.operands(gate).is_some() && !graph.is_sealed(gate)
}

/// The values of a cone's gates for all values of its leaves.
struct Values(SmallVec<[(u32, u8); MAX_CONE + 3]>);

impl Values {
    fn new(graph: &Graph, cone: &Cone) -> Values {
        let mut values = Values(cone.leaves.iter().copied().zip(COLUMNS).collect());
        for &gate in &cone.inner {
            let value = match graph.gate(gate) {
                Gate::And(a, b) => values.of(a) & values.of(b),
                Gate::Xor(a, b) => values.of(a) ^ values.of(b),
                Gate::Zero | Gate::Input => 0,
            };
            values.0.push((gate, value));
        }
        values
    }

    fn of(&self, literal: Literal) -> u8 {
        let value = self.0.iter().find(|(gate, _)| *gate == literal.gate()).map_or(0, |(_, value)| *value);
        value ^ literal.mask() as u8
    }
}

/// Returns the function that a table over at most three leaves means, in terms of the leaves that matter.
fn normal(leaves: &[u32], table: u8) -> Known {
    let complement = table & 1 == 1;
    let table = if complement { !table } else { table };
    let used: SmallVec<[usize; 3]> = (0..leaves.len()).filter(|&leaf| depends(table, leaf)).collect();
    let value = |assignment: usize| table >> assignment & 1 == 1;
    match used[..] {
        [] => Known::Literal(Literal::constant(complement)),
        [a] => Known::Literal(Literal::new(leaves[a], complement)),
        [a, b] => {
            let values = [value(1 << a), value(1 << b), value(1 << a | 1 << b)];
            let (gate, inverted) = of_two(leaves[a], leaves[b], values);
            Known::Gate(gate, inverted != complement)
        }
        _ if table == PARITY => Known::Sum([leaves[0], leaves[1], leaves[2]], complement),
        _ => Known::Function(Function { leaves: [leaves[0], leaves[1], leaves[2]], table }, complement),
    }
}

fn depends(table: u8, leaf: usize) -> bool {
    let column = COLUMNS[leaf];
    (table & column) >> (1 << leaf) != table & !column
}

/// Returns the gate of a function of two gates that depends on both and is zero if both are zero, and whether the
/// function is the complement of the gate. `values` are those where only the first gate is one, only the second, and
/// both.
fn of_two(a: u32, b: u32, values: [bool; 3]) -> (Gate, bool) {
    let (x, y) = (Literal::new(a, false), Literal::new(b, false));
    match values {
        [true, true, false] => (Gate::Xor(x, y), false),
        [true, true, true] => (Gate::And(x.not(), y.not()), true),
        [true, false, _] => (Gate::And(x, y.not()), false),
        [false, true, _] => (Gate::And(x.not(), y), false),
        [false, false, _] => (Gate::And(x, y), false),
    }
}
