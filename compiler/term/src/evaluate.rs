//! Terms on given inputs.

use rustc_hash::FxHashMap;

use crate::limbs::{self, Limbs};
use crate::{Input, Node, Term, Terms};

/// Values of inputs: limbs, least significant first. An input without a value is zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assignment {
    values: FxHashMap<Input, Box<[u64]>>,
}

impl Assignment {
    pub fn new() -> Self {
        Assignment::default()
    }

    /// Bits above the input's width do not matter.
    pub fn set(&mut self, input: Input, limbs: &[u64]) {
        self.values.insert(input, limbs.into());
    }

    pub fn get(&self, input: Input) -> Option<&[u64]> {
        self.values.get(&input).map(|limbs| &**limbs)
    }

    /// Inputs that have values, in their order.
    pub fn inputs(&self) -> Vec<Input> {
        let mut inputs: Vec<Input> = self.values.keys().copied().collect();
        inputs.sort_unstable();
        inputs
    }
}

/// Values of many terms, side by side.
struct Values {
    limbs: Vec<u64>,
    /// Where each term's limbs begin.
    starts: Vec<u32>,
}

impl Terms {
    /// The values of the roots, as limbs, least significant first. Time and memory go with what the roots are made of.
    pub fn evaluate(&self, roots: &[Term], inputs: &Assignment) -> Vec<Box<[u64]>> {
        let length = roots.iter().max().map_or(0, |root| root.index() + 1);
        let mut values = Values { limbs: Vec::new(), starts: vec![0; length] };
        for term in self.cone(roots) {
            let value = self.evaluate_node(term, inputs, &values);
            values.starts[term.index()] = values.limbs.len() as u32;
            values.limbs.extend(value);
        }
        roots.iter().map(|&root| self.value_of(root, &values).into()).collect()
    }

    fn value_of<'v>(&self, term: Term, values: &'v Values) -> &'v [u64] {
        let start = values.starts[term.index()] as usize;
        &values.limbs[start..start + limbs::count(self.bits(term))]
    }

    fn evaluate_node(&self, term: Term, inputs: &Assignment, values: &Values) -> Limbs {
        let bits = self.bits(term);
        let of = |term: Term| self.value_of(term, values);
        let bit = |term: Term| of(term)[0] == 1;
        match self.node(term) {
            Node::Input(input) => limbs::fit(bits, inputs.get(*input).unwrap_or(&[])),
            Node::Constant(value) => value.iter().copied().collect(),
            &Node::Not(a) => limbs::not(bits, of(a)),
            &Node::And(a, b) => limbs::zip(of(a), of(b), |x, y| x & y),
            &Node::Or(a, b) => limbs::zip(of(a), of(b), |x, y| x | y),
            &Node::Xor(a, b) => limbs::zip(of(a), of(b), |x, y| x ^ y),
            &Node::Tern(table, a, b, c) => limbs::tern(bits, table, of(a), of(b), of(c)),
            &Node::Add(a, b, carry) => limbs::add(bits, of(a), of(b), carry.is_some_and(bit)),
            &Node::Sub(a, b, borrow) => limbs::sub(bits, of(a), of(b), borrow.is_some_and(bit)),
            &Node::Mul(a, b) => limbs::mul(bits, of(a), of(b)),
            &Node::Extract(a, low) => limbs::extract(of(a), u32::from(low), bits),
            Node::Concat(parts) => {
                let mut value = limbs::fit(bits, &[]);
                let mut low = 0;
                for &part in parts {
                    limbs::place(&mut value, low, of(part));
                    low += self.bits(part);
                }
                value
            }
            &Node::Select(condition, then, otherwise) => {
                of(if bit(condition) { then } else { otherwise }).iter().copied().collect()
            }
            &Node::Equal(a, b) => limbs::fit(1, &[u64::from(of(a) == of(b))]),
        }
    }
}
