//! What a term is made of.

use smallvec::SmallVec;

use crate::{Node, Term, Terms};

impl Node {
    /// The operands, in order.
    pub fn operands(&self) -> SmallVec<[Term; 4]> {
        match self {
            Node::Input(_) | Node::Constant(_) => SmallVec::new(),
            &Node::Not(a) | &Node::Extract(a, _) => SmallVec::from_slice(&[a]),
            &Node::And(a, b) | &Node::Or(a, b) | &Node::Xor(a, b) | &Node::Mul(a, b) | &Node::Equal(a, b) => {
                SmallVec::from_slice(&[a, b])
            }
            &Node::Add(a, b, c) | &Node::Sub(a, b, c) => [a, b].into_iter().chain(c).collect(),
            &Node::Tern(_, a, b, c) | &Node::Select(a, b, c) => SmallVec::from_slice(&[a, b, c]),
            Node::Concat(parts) => SmallVec::from_slice(parts),
        }
    }
}

impl Terms {
    /// The roots and everything they are made of, once each, operands before what uses them.
    pub fn cone(&self, roots: &[Term]) -> Vec<Term> {
        let Some(&top) = roots.iter().max() else { return Vec::new() };
        let mut needed = vec![false; top.index() + 1];
        for root in roots {
            needed[root.index()] = true;
        }
        for index in (0..needed.len()).rev() {
            if needed[index] {
                for operand in self.nodes[index].operands() {
                    needed[operand.index()] = true;
                }
            }
        }
        (0..).map(Term).zip(needed).filter_map(|(term, needed)| needed.then_some(term)).collect()
    }
}
