//! The cone of a term: the terms of which it is made.

use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::{Node, Term, Terms};

/// A cone is sparse if its size is less than this fraction (1/32) of all terms.
pub(crate) const SPARSE: usize = 32;

impl Node {
    /// The operands, in order.
    pub fn operands(&self) -> SmallVec<[Term; 4]> {
        match self {
            Node::Input(_) | Node::Constant(_) => SmallVec::new(),
            &Node::Not(a) | &Node::Extract(a, _) => SmallVec::from_slice(&[a]),
            &Node::And(a, b)
            | &Node::Or(a, b)
            | &Node::Xor(a, b)
            | &Node::Mul(a, b)
            | &Node::ClMul(a, b)
            | &Node::Equal(a, b) => SmallVec::from_slice(&[a, b]),
            &Node::Add(a, b, c) | &Node::Sub(a, b, c) => [a, b].into_iter().chain(c).collect(),
            &Node::Tern(_, a, b, c) | &Node::Select(a, b, c) => SmallVec::from_slice(&[a, b, c]),
            Node::Concat(parts) => SmallVec::from_slice(parts),
        }
    }
}

impl Terms {
    /// The roots and all terms of which they are made, once each, operands before their users. The time is proportional
    /// to the size of the cone, or, if the cone is large, to the number of terms made before the roots.
    pub fn cone(&self, roots: &[Term]) -> Vec<Term> {
        let Some(&top) = roots.iter().max() else { return Vec::new() };
        let few = top.index() / SPARSE;
        let mut open: BinaryHeap<Term> = roots.iter().copied().collect();
        let mut cone = Vec::new();
        // Operands are smaller than their users, so that all users of the largest open term have been visited.
        while let Some(term) = open.pop() {
            if cone.last() == Some(&term) {
                continue;
            }
            if cone.len() == few {
                return self.wide_cone(roots, top);
            }
            cone.push(term);
            open.extend(self.node(term).operands());
        }
        cone.reverse();
        cone
    }

    fn wide_cone(&self, roots: &[Term], top: Term) -> Vec<Term> {
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

    /// The term with some of its parts replaced by others.
    pub fn substitute(&mut self, root: Term, others: &FxHashMap<Term, Term>) -> Term {
        let mut made: FxHashMap<Term, Term> = FxHashMap::default();
        for term in self.cone(&[root]) {
            let new = match others.get(&term) {
                Some(&other) => other,
                None => {
                    let node = self.node(term).clone();
                    let operands = node.operands();
                    let new: SmallVec<[Term; 4]> = operands.iter().map(|operand| made[operand]).collect();
                    if new == operands { term } else { self.remake(&node, &new, self.bits(term)) }
                }
            };
            made.insert(term, new);
        }
        made[&root]
    }

    /// The operation of a node on other operands.
    fn remake(&mut self, node: &Node, operands: &[Term], bits: u32) -> Term {
        let at = |place: usize| operands[place];
        match node {
            Node::Input(_) | Node::Constant(_) => unreachable!("what has no operands has no others"),
            Node::Not(_) => self.not(at(0)),
            Node::And(..) => self.and(at(0), at(1)),
            Node::Or(..) => self.or(at(0), at(1)),
            Node::Xor(..) => self.xor(at(0), at(1)),
            Node::Tern(table, ..) => self.tern(*table, at(0), at(1), at(2)),
            Node::Add(..) => self.add_carry(at(0), at(1), operands.get(2).copied()),
            Node::Sub(..) => self.sub_borrow(at(0), at(1), operands.get(2).copied()),
            Node::Mul(..) => self.mul(at(0), at(1)),
            Node::ClMul(..) => self.clmul(at(0), at(1)),
            Node::Extract(_, low) => self.extract(at(0), u32::from(*low), bits),
            Node::Concat(_) => self.concat(operands),
            Node::Select(..) => self.select(at(0), at(1), at(2)),
            Node::Equal(..) => self.equal(at(0), at(1)),
        }
    }
}
