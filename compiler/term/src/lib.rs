//! Bit-vector terms: the values that a program or a piece of machine code computes, as a graph without duplicates.
//!
//! [`Terms`] holds the nodes; a [`Term`] names one. Constructors bring every node to a normal form, so that two ways to
//! compute one value often give the same term, and comparing them is free:
//!
//! - operands of commutative operations are ordered, constants last; constants are folded, and collected outside sums;
//! - extraction moves through bitwise operations, concatenation and selection; the low bits of a sum or product of
//!   extended words are the sum or product of the words, with carries or without;
//! - the parts of a concatenation are no concatenations, and neighbours that are neighbours in one term are one part;
//! - shuffles, shifts and rotations by constants are concatenations of extracts; so are masks with few runs of ones;
//! - bitwise operations on concatenations act part by part; sums of words that share no bit are concatenations;
//! - masks made of one bit are selections.
//!
//! The normal form is not canonical: different terms may be equal, and the prover decides that. Every constructor
//! preserves the value, which suffices for soundness. No function recurses along the graph, whose depth can be
//! millions.

mod arithmetic;
mod bitwise;
mod concat;
mod cone;
mod domain;
mod evaluate;
mod extract;
mod inputs;
mod limbs;
mod pieces;
mod select;
mod shifts;
mod ternary;
mod text;

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

pub use evaluate::{Assignment, Simulation};
pub use inputs::{Identity, InputKind};
pub use text::ParseError;

/// The widest term: the sum, with carry, of double-width products of 512-bit words.
pub const MAX_BITS: u32 = 1025;

/// A node of one [`Terms`]. Terms are numbered in the order in which they are made: operands are smaller than their
/// users.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(u32);

/// The number of an unknown word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Input(u32);

/// The computation of a term. Operands have the width of the result unless said otherwise.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Input(Input),
    /// Limbs of 64 bits, least significant first, as many as the width needs.
    Constant(Box<[u64]>),
    Not(Term),
    And(Term, Term),
    Or(Term, Term),
    Xor(Term, Term),
    /// The bitwise function whose value at bits (a, b, c) is bit `4a + 2b + c` of the table.
    Tern(u8, Term, Term, Term),
    /// The sum modulo 2^bits; the third operand is a carry of one bit.
    Add(Term, Term, Option<Term>),
    /// The difference `a - b - borrow` modulo 2^bits; the third operand is a borrow of one bit.
    Sub(Term, Term, Option<Term>),
    /// The product modulo 2^bits.
    Mul(Term, Term),
    /// The product of polynomials over GF(2), where bit i is the coefficient of x^i, modulo x^bits.
    ClMul(Term, Term),
    /// The bits of a wider word from this position on.
    Extract(Term, u16),
    /// Parts of any width, least significant first.
    Concat(Box<[Term]>),
    /// `condition ? then : otherwise`; the condition has one bit.
    Select(Term, Term, Term),
    /// One bit: whether two words of one width are equal.
    Equal(Term, Term),
}

/// The arena of nodes.
#[derive(Default)]
pub struct Terms {
    nodes: Vec<Node>,
    widths: Vec<u16>,
    table: HashTable<Term>,
    inputs: Vec<inputs::Known>,
    /// Inputs that are found again, by their widths, too.
    identified: FxHashMap<(Identity, u32), Term>,
    /// Results of extractions that moved through operations.
    slices: FxHashMap<extract::Slice, Term>,
    /// The places at which slices of bitwise operations begin and end, sorted.
    cuts: FxHashMap<Term, SmallVec<[u16; 4]>>,
    /// For an extracted term, the term from which it was extracted and the lowest bit, for joining neighbours again.
    origins: FxHashMap<Term, (Term, u16)>,
    /// Cached sums of words and constants.
    distances: FxHashMap<(Term, Term), Term>,
    /// Number of nested constructors that are making further terms.
    nesting: u32,
}

impl Term {
    /// The position in the order in which terms are made.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Input {
    /// The number of the input, from 0 in the order in which inputs are made.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Terms {
    pub fn new() -> Self {
        Terms::default()
    }

    /// The terms from a position on, in the order in which they were made.
    pub fn from(&self, position: usize) -> impl Iterator<Item = Term> + use<> {
        (position as u32..self.nodes.len() as u32).map(Term)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The low `bits` bits of `limbs`, least significant limb first; missing limbs are zero.
    pub fn constant_wide(&mut self, bits: u32, limbs: &[u64]) -> Term {
        self.intern(Node::Constant(limbs::fit(bits, limbs).into_vec().into()), bits)
    }

    /// The low `bits` bits of `value`.
    pub fn constant_u64(&mut self, bits: u32, value: u64) -> Term {
        self.constant_wide(bits, &[value])
    }

    pub fn zero(&mut self, bits: u32) -> Term {
        self.constant_wide(bits, &[])
    }

    /// The word of ones.
    pub fn ones(&mut self, bits: u32) -> Term {
        self.constant_wide(bits, &limbs::ones(bits))
    }

    pub fn bits(&self, term: Term) -> u32 {
        u32::from(self.widths[term.index()])
    }

    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()]
    }

    /// The value of a constant below 2^64.
    pub fn value(&self, term: Term) -> Option<u64> {
        let (&low, high) = self.constant_limbs(term)?.split_first()?;
        high.iter().all(|&limb| limb == 0).then_some(low)
    }

    /// The limbs of a constant, least significant first.
    pub fn constant_limbs(&self, term: Term) -> Option<&[u64]> {
        match self.node(term) {
            Node::Constant(limbs) => Some(limbs),
            _ => None,
        }
    }

    pub fn is_constant(&self, term: Term) -> bool {
        matches!(self.node(term), Node::Constant(_))
    }

    pub fn is_zero(&self, term: Term) -> bool {
        self.constant_limbs(term).is_some_and(limbs::is_zero)
    }

    pub fn is_ones(&self, term: Term) -> bool {
        self.constant_limbs(term).is_some_and(|limbs| limbs::is_ones(self.bits(term), limbs))
    }

    /// The term of this node, which must be in normal form.
    fn intern(&mut self, node: Node, bits: u32) -> Term {
        assert!((1..=MAX_BITS).contains(&bits), "a term has 1 to {MAX_BITS} bits, not {bits}");
        let width = bits as u16;
        let hash = hash(&node, width);
        if let Some(known) = self.find_hashed(hash, &node, width) {
            return known;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.nodes.push(node);
        self.widths.push(width);
        let (nodes, widths) = (&self.nodes, &self.widths);
        self.table.insert_unique(hash, term, |t| self::hash(&nodes[t.index()], widths[t.index()]));
        term
    }

    /// The term of this node, if it exists.
    fn find(&self, node: &Node, bits: u32) -> Option<Term> {
        self.find_hashed(hash(node, bits as u16), node, bits as u16)
    }

    fn find_hashed(&self, hash: u64, node: &Node, width: u16) -> Option<Term> {
        let same = |t: &Term| self.widths[t.index()] == width && self.nodes[t.index()] == *node;
        self.table.find(hash, same).copied()
    }

    fn assert_same_bits(&self, a: Term, b: Term) -> u32 {
        let bits = self.bits(a);
        assert_eq!(bits, self.bits(b), "operands have one width");
        bits
    }
}

fn hash(node: &Node, width: u16) -> u64 {
    FxBuildHasher.hash_one((node, width))
}
