//! Translation of terms to gates: one literal for each bit, or one for a whole word if its bits do not mix.

use culet_term::{Node, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::graph::{Graph, Literal};
use super::sums::Sums;
use crate::effort::MAX_PRODUCT_BITS;

/// Whether each bit of a term has a literal of its own, or one literal stands for every bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Bits,
    Lanes,
}

/// Reason why terms have no gates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BlastError {
    /// More gates than allowed.
    TooManyGates,
    /// A product of more bits than are written out.
    WideProduct(u32),
    /// In lane mode: an operation that mixes bits.
    MixesBits(Term),
}

/// Meaning of one of a graph's inputs: bit `bit` of a term, or all its bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    pub term: Term,
    /// `None`: every bit of the term.
    pub bit: Option<u32>,
    pub literal: Literal,
}

/// The translation of one graph of terms; every call must be given this graph.
pub struct Blast {
    pub gates: Graph,
    mode: Mode,
    /// Index of the first literal of each term. A term has as many literals as bits, or one.
    starts: FxHashMap<Term, u32>,
    literals: Vec<Literal>,
    pub sums: Sums,
    pub leaves: Vec<Leaf>,
    max_gates: usize,
}

impl Blast {
    pub fn new(mode: Mode, max_gates: usize) -> Self {
        Blast {
            gates: Graph::default(),
            mode,
            starts: FxHashMap::default(),
            literals: Vec::new(),
            sums: Sums::default(),
            leaves: Vec::new(),
            max_gates,
        }
    }

    /// Gives each bit its own literal from here on. Terms of one bit are the same either way.
    pub fn continue_with_bits(&mut self, terms: &Terms) {
        self.mode = Mode::Bits;
        self.starts.retain(|&term, _| terms.bits(term) == 1);
    }

    /// Adds new inputs for a term; in lane mode, one for all its bits.
    pub fn leaf(&mut self, terms: &Terms, term: Term) -> Literal {
        let first = self.literals.len();
        for bit in 0..self.length(terms, term) as u32 {
            let literal = self.gates.input();
            let bit = (self.mode == Mode::Bits).then_some(bit);
            self.leaves.push(Leaf { term, bit, literal });
            self.literals.push(literal);
        }
        self.starts.insert(term, first as u32);
        self.literals[first]
    }

    /// Lets an existing input stand for every bit of another term, too.
    pub fn alias(&mut self, term: Term, literal: Literal) {
        let first = self.literals.len() as u32;
        self.leaves.push(Leaf { term, bit: None, literal });
        self.literals.push(literal);
        self.starts.insert(term, first);
    }

    /// Returns the literals of a term that has been [built](Blast::build), least significant bit first.
    pub fn get(&self, terms: &Terms, term: Term) -> &[Literal] {
        let start = self.starts[&term] as usize;
        &self.literals[start..start + self.length(terms, term)]
    }

    /// Makes gates for the roots and all they are made of; leaves made before stay inputs.
    pub fn build(&mut self, terms: &Terms, roots: &[Term]) -> Result<(), BlastError> {
        for term in self.needed(terms, roots) {
            if let Node::Input(_) = terms.node(term) {
                self.leaf(terms, term);
                continue;
            }
            let word = match self.mode {
                Mode::Bits => self.word(terms, term)?,
                Mode::Lanes => vec![self.lane(terms, term)?],
            };
            if self.gates.count() > self.max_gates {
                return Err(BlastError::TooManyGates);
            }
            self.starts.insert(term, self.literals.len() as u32);
            self.literals.extend(word);
        }
        Ok(())
    }

    /// Returns the terms that the roots are made of and that have no literals yet, operands before their users.
    fn needed(&self, terms: &Terms, roots: &[Term]) -> Vec<Term> {
        let mut seen = FxHashSet::default();
        let mut stack = roots.to_vec();
        while let Some(term) = stack.pop() {
            if self.starts.contains_key(&term) || !seen.insert(term) {
                continue;
            }
            let node = terms.node(term);
            // In lane mode a slice is an input of its own, whatever it is cut from.
            if self.mode == Mode::Bits || !matches!(node, Node::Extract(..)) {
                stack.extend(node.operands());
            }
        }
        let mut needed: Vec<Term> = seen.into_iter().collect();
        needed.sort_unstable();
        needed
    }

    fn length(&self, terms: &Terms, term: Term) -> usize {
        match self.mode {
            Mode::Bits => terms.bits(term) as usize,
            Mode::Lanes => 1,
        }
    }

    /// Makes one literal for all bits of a term.
    fn lane(&mut self, terms: &Terms, term: Term) -> Result<Literal, BlastError> {
        let of = |blast: &Self, term| blast.get(terms, term)[0];
        Ok(match *terms.node(term) {
            Node::Constant(_) if terms.is_zero(term) => Literal::ZERO,
            Node::Constant(_) if terms.is_ones(term) => Literal::ONE,
            // The caller has decided which extracts do not overlap, and so may be inputs.
            Node::Extract(..) => self.leaf(terms, term),
            Node::Not(a) => of(self, a).not(),
            Node::And(a, b) => self.gates.and(of(self, a), of(self, b)),
            Node::Or(a, b) => self.gates.or(of(self, a), of(self, b)),
            Node::Xor(a, b) => self.gates.xor(of(self, a), of(self, b)),
            Node::Tern(table, a, b, c) => {
                let operands = [a, b, c].map(|operand| of(self, operand));
                function(&mut self.gates, table, &operands)
            }
            _ => return Err(BlastError::MixesBits(term)),
        })
    }

    fn word(&mut self, terms: &Terms, term: Term) -> Result<Vec<Literal>, BlastError> {
        let bits = terms.bits(term) as usize;
        Ok(match terms.node(term) {
            Node::Input(_) => unreachable!("inputs are leaves"),
            Node::Constant(limbs) => (0..bits).map(|i| Literal::constant(limbs[i / 64] >> (i % 64) & 1 == 1)).collect(),
            &Node::Not(a) => self.get(terms, a).iter().map(|literal| literal.not()).collect(),
            &Node::And(a, b) => self.zip(terms, a, b, Graph::and),
            &Node::Or(a, b) => self.zip(terms, a, b, Graph::or),
            &Node::Xor(a, b) => self.zip(terms, a, b, Graph::xor),
            &Node::Tern(table, a, b, c) => {
                let (a, b, c) = (self.get(terms, a).to_vec(), self.get(terms, b).to_vec(), self.get(terms, c).to_vec());
                (0..bits).map(|i| function(&mut self.gates, table, &[a[i], b[i], c[i]])).collect()
            }
            &Node::Select(condition, then, otherwise) => {
                let condition = self.get(terms, condition)[0];
                self.zip(terms, then, otherwise, |gates, a, b| gates.mux(condition, a, b))
            }
            &Node::Equal(a, b) => {
                let same = self.zip(terms, a, b, |gates, x, y| gates.xor(x, y).not());
                vec![same.into_iter().fold(Literal::ONE, |all, bit| self.gates.and(all, bit))]
            }
            &Node::Extract(a, low) => self.get(terms, a)[usize::from(low)..][..bits].to_vec(),
            Node::Concat(parts) => parts.iter().flat_map(|&part| self.get(terms, part)).copied().collect(),
            &Node::Add(a, b, carry) => {
                let (a, b) = (self.get(terms, a).to_vec(), self.get(terms, b).to_vec());
                let carry = carry.map_or(Literal::ZERO, |carry| self.get(terms, carry)[0]);
                self.sums.add(&mut self.gates, &a, &b, carry)
            }
            &Node::Sub(a, b, borrow) => {
                let (a, b) = (self.get(terms, a).to_vec(), self.get(terms, b).to_vec());
                let borrow = borrow.map_or(Literal::ZERO, |borrow| self.get(terms, borrow)[0]);
                self.sums.sub(&mut self.gates, &a, &b, borrow)
            }
            &Node::Mul(a, b) => {
                if bits as u32 > MAX_PRODUCT_BITS {
                    return Err(BlastError::WideProduct(bits as u32));
                }
                let (a, b) = (self.get(terms, a).to_vec(), self.get(terms, b).to_vec());
                multiply(&mut self.gates, &a, &b)
            }
            &Node::ClMul(a, b) => {
                let (a, b) = (self.get(terms, a).to_vec(), self.get(terms, b).to_vec());
                multiply_without_carries(&mut self.gates, &a, &b)
            }
        })
    }

    fn zip(
        &mut self,
        terms: &Terms,
        a: Term,
        b: Term,
        mut f: impl FnMut(&mut Graph, Literal, Literal) -> Literal,
    ) -> Vec<Literal> {
        let (a, b) = (self.get(terms, a).to_vec(), self.get(terms, b).to_vec());
        a.into_iter().zip(b).map(|(a, b)| f(&mut self.gates, a, b)).collect()
    }
}

/// Makes the function of at most three literals that `table` says. The first literal is the most significant in the
/// index of the table.
pub fn function(gates: &mut Graph, table: u8, operands: &[Literal]) -> Literal {
    let rows = 1u32 << operands.len();
    let all = ((1u32 << rows) - 1) as u8;
    let table = table & all;
    if table == 0 || table == all {
        return Literal::constant(table != 0);
    }
    let Some((&first, rest)) = operands.split_first() else { return Literal::constant(table & 1 == 1) };
    let half = rows / 2;
    let low_mask = ((1u32 << half) - 1) as u8;
    let (low, high) = (table & low_mask, table >> half & low_mask);
    let otherwise = function(gates, low, rest);
    if high == low ^ low_mask {
        return gates.xor(first, otherwise);
    }
    let then = function(gates, high, rest);
    gates.mux(first, then, otherwise)
}

/// Multiplies without carries: partial products are added modulo 2.
fn multiply_without_carries(gates: &mut Graph, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
    let column = |place: usize| {
        (0..=place).fold(Literal::ZERO, |sum, at| {
            let partial = gates.and(a[at], b[place - at]);
            gates.xor(sum, partial)
        })
    };
    (0..a.len()).map(column).collect()
}

/// Multiplies: partial products are added one after the other.
pub fn multiply(gates: &mut Graph, a: &[Literal], b: &[Literal]) -> Vec<Literal> {
    let bits = a.len();
    let mut product = vec![Literal::ZERO; bits];
    for (shift, &factor) in b.iter().enumerate().filter(|(_, factor)| **factor != Literal::ZERO) {
        let mut carry = Literal::ZERO;
        for i in shift..bits {
            let partial = gates.and(a[i - shift], factor);
            (product[i], carry) = gates.full_adder(product[i], partial, carry);
        }
    }
    product
}
