//! Parts of a graph that have no gate in common: each is compared by itself, and those of one shape once.
//!
//! Instances are such parts. Code that treats all instances alike makes their gates in the same order, and so does a
//! source that has them one after the other.

use rustc_hash::FxHashMap;

use super::graph::{Gate, Graph, Literal};

pub struct Part {
    pub shape: Shape,
    /// Numbers in the graph of the part's gates, by their numbers in the part.
    pub origin: Vec<u32>,
    /// The indices of the pairs that the part holds.
    pub pairs: Vec<usize>,
}

/// A part without the names of its inputs. What holds for one part holds for each of its shape.
#[derive(PartialEq, Eq, Hash)]
pub struct Shape {
    /// Gates; operands come before their users, and the first gate is the constant.
    pub gates: Vec<Gate>,
    /// Literals that must be equal.
    pub pairs: Vec<(Literal, Literal)>,
}

/// Divides the gates that pairs of literals are made from into parts.
pub fn apart(graph: &Graph, pairs: &[(Literal, Literal)]) -> Vec<Part> {
    let roots: Vec<Literal> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
    let needed = graph.below(&roots);
    let mut forest = Forest((0..graph.count() as u32).collect());
    for gate in (0..graph.count() as u32).filter(|&gate| needed[gate as usize]) {
        if let Some((a, b)) = graph.operands(gate) {
            forest.join(gate, a);
            forest.join(gate, b);
        }
    }
    for &(a, b) in pairs {
        forest.join(a.gate(), b.gate());
    }
    let mut numbers: FxHashMap<u32, usize> = FxHashMap::default();
    let mut parts: Vec<Part> = Vec::new();
    // Each gate's number in its part.
    let mut local = vec![0; graph.count()];
    for gate in (1..graph.count() as u32).filter(|&gate| needed[gate as usize]) {
        let number = *numbers.entry(forest.root(gate)).or_insert(parts.len());
        if number == parts.len() {
            parts.push(Part::new());
        }
        local[gate as usize] = parts[number].add(graph, gate, &local);
    }
    for (index, &(a, b)) in pairs.iter().enumerate() {
        let gate = a.gate().max(b.gate());
        let number = *numbers.entry(forest.root(gate)).or_insert(parts.len());
        if number == parts.len() {
            parts.push(Part::new());
        }
        parts[number].pairs.push(index);
        parts[number].shape.pairs.push((renamed(a, &local), renamed(b, &local)));
    }
    parts
}

impl Part {
    fn new() -> Part {
        Part { shape: Shape { gates: vec![Gate::Zero], pairs: Vec::new() }, origin: vec![0], pairs: Vec::new() }
    }

    /// Returns the graph's inputs among the part's gates, in their order.
    pub fn inputs(&self) -> impl Iterator<Item = u32> {
        let gates = self.shape.gates.iter().zip(&self.origin);
        gates.filter(|(gate, _)| **gate == Gate::Input).map(|(_, &origin)| origin)
    }

    fn add(&mut self, graph: &Graph, gate: u32, local: &[u32]) -> u32 {
        self.shape.gates.push(match graph.gate(gate) {
            Gate::And(a, b) => Gate::And(renamed(a, local), renamed(b, local)),
            Gate::Xor(a, b) => Gate::Xor(renamed(a, local), renamed(b, local)),
            constant_or_input => constant_or_input,
        });
        self.origin.push(gate);
        self.origin.len() as u32 - 1
    }
}

fn renamed(literal: Literal, names: &[u32]) -> Literal {
    Literal::new(names[literal.gate() as usize], literal.is_complement())
}

/// Sets of connected gates. The constant connects nothing.
struct Forest(Vec<u32>);

impl Forest {
    fn root(&mut self, gate: u32) -> u32 {
        let mut gate = gate as usize;
        while self.0[gate] as usize != gate {
            let above = self.0[gate] as usize;
            self.0[gate] = self.0[above];
            gate = above;
        }
        gate as u32
    }

    fn join(&mut self, a: u32, b: u32) {
        if a != 0 && b != 0 {
            let (a, b) = (self.root(a), self.root(b));
            self.0[a.max(b) as usize] = a.min(b);
        }
    }
}
