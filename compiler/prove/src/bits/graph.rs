//! XOR-AND graphs: gates of two inputs and complemented edges, each gate once.
//!
//! A few rules keep equal functions from getting different gates: constants, equal and complementary inputs, gates that
//! share an input one level down, and sums modulo 2: every XOR knows which gates it is the sum of, and sums of the same
//! gates are one gate, however they are bracketed.

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::hash::BuildHasher;

/// A sum modulo 2 of more gates than this is treated as no sum: the work is bounded, and nothing else is lost.
const MAX_SUM: usize = 256;

/// An edge: a gate or its complement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Literal(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    /// The constant zero: gate 0 and no other.
    Zero,
    Input,
    And(Literal, Literal),
    Xor(Literal, Literal),
}

/// What builds gates. Lines of circuits are written once, for graphs that merge gates by proof and for those that do not.
pub trait Gates {
    fn input(&mut self) -> Literal;
    fn and(&mut self, a: Literal, b: Literal) -> Literal;
    fn xor(&mut self, a: Literal, b: Literal) -> Literal;
    /// From now on sums modulo 2 that contain this one contain it as a whole: for sums of integers, whose carries
    /// would make them long.
    fn seal(&mut self, sum: Literal);
    /// The number of gates so far.
    fn count(&self) -> usize;

    fn or(&mut self, a: Literal, b: Literal) -> Literal {
        self.and(a.not(), b.not()).not()
    }

    /// `condition ? then : otherwise`
    fn mux(&mut self, condition: Literal, then: Literal, otherwise: Literal) -> Literal {
        let differ = self.xor(then, otherwise);
        let chosen = self.and(condition, differ);
        self.xor(chosen, otherwise)
    }

    /// `a + b + carry` as sum and carry.
    fn full_adder(&mut self, a: Literal, b: Literal, carry: Literal) -> (Literal, Literal) {
        let differ = self.xor(a, b);
        let before = self.count();
        let sum = self.xor(differ, carry);
        if self.count() > before {
            self.seal(sum);
        }
        let through = self.and(differ, carry);
        let both = self.and(a, b);
        (sum, self.xor(through, both))
    }
}

impl Literal {
    pub const ZERO: Literal = Literal(0);
    pub const ONE: Literal = Literal(1);

    pub fn new(gate: u32, complement: bool) -> Literal {
        Literal(gate << 1 | u32::from(complement))
    }

    pub fn constant(value: bool) -> Literal {
        Literal(u32::from(value))
    }

    pub fn gate(self) -> u32 {
        self.0 >> 1
    }

    pub fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    #[must_use]
    #[expect(clippy::should_implement_trait, reason = "a short name beside `and` and `xor`")]
    pub fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }

    /// The complement if `complement`.
    #[must_use]
    pub fn xor(self, complement: bool) -> Literal {
        Literal(self.0 ^ u32::from(complement))
    }

    /// All ones for a complement, else zero.
    pub fn mask(self) -> u64 {
        u64::from(self.0 & 1).wrapping_neg()
    }
}

/// The gates that a sum modulo 2 consists of, ascending.
pub type Sum = SmallVec<[u32; 8]>;

/// Where a sum's gates are in the list of all sums' gates.
#[derive(Clone, Copy, Default)]
struct Extent {
    start: u32,
    length: u32,
}

pub struct Graph {
    gates: Vec<Gate>,
    inputs: Vec<u32>,
    known: FxHashMap<Gate, Literal>,
    /// Gates of all sums, side by side.
    summands: Vec<u32>,
    sums: Vec<Extent>,
    sealed: Vec<bool>,
    /// From a sum to its gate or what replaced it.
    by_sum: HashTable<(Extent, Literal)>,
}

impl Default for Graph {
    fn default() -> Self {
        let mut graph = Graph {
            gates: Vec::new(),
            inputs: Vec::new(),
            known: FxHashMap::default(),
            summands: Vec::new(),
            sums: Vec::new(),
            sealed: Vec::new(),
            by_sum: HashTable::new(),
        };
        graph.push(Gate::Zero);
        graph
    }
}

impl Gates for Graph {
    fn input(&mut self) -> Literal {
        let input = self.push(Gate::Input);
        self.inputs.push(input.gate());
        input
    }

    fn and(&mut self, a: Literal, b: Literal) -> Literal {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Literal::ZERO || a == b.not() {
            return Literal::ZERO;
        }
        if a == Literal::ONE || a == b {
            return b;
        }
        if let Some(simpler) = self.absorb(a, b).or_else(|| self.absorb(b, a)) {
            return simpler;
        }
        self.find_or_push(Gate::And(a, b))
    }

    fn xor(&mut self, a: Literal, b: Literal) -> Literal {
        let complement = a.is_complement() != b.is_complement();
        let (a, b) = (a.xor(a.is_complement()), b.xor(b.is_complement()));
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Literal::ZERO {
            return b.xor(complement);
        }
        if a == b {
            return Literal::constant(complement);
        }
        if let Some(simpler) = self.absorb_sum(a, b).or_else(|| self.absorb_sum(b, a)) {
            return simpler.xor(complement);
        }
        self.sum_of(a, b).xor(complement)
    }

    fn seal(&mut self, sum: Literal) {
        self.sealed[sum.gate() as usize] = true;
    }

    fn count(&self) -> usize {
        self.gates.len()
    }
}

impl Graph {
    pub fn gate(&self, gate: u32) -> Gate {
        self.gates[gate as usize]
    }

    /// All gates; operands come before what uses them.
    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// The inputs, in the order of their making.
    pub fn inputs(&self) -> &[u32] {
        &self.inputs
    }

    /// The gates below this one: none, or two.
    pub fn operands(&self, gate: u32) -> Option<(u32, u32)> {
        match self.gate(gate) {
            Gate::Zero | Gate::Input => None,
            Gate::And(a, b) | Gate::Xor(a, b) => Some((a.gate(), b.gate())),
        }
    }

    /// For each gate whether one of these is made from it.
    pub fn below(&self, literals: &[Literal]) -> Vec<bool> {
        let mut below = vec![false; self.gates.len()];
        for literal in literals {
            below[literal.gate() as usize] = true;
        }
        for gate in (0..self.gates.len()).rev() {
            if below[gate]
                && let Some((a, b)) = self.operands(gate as u32)
            {
                below[a as usize] = true;
                below[b as usize] = true;
            }
        }
        below
    }

    pub fn is_sealed(&self, gate: u32) -> bool {
        self.sealed[gate as usize]
    }

    /// The gates whose sum modulo 2 the gate is; at least itself.
    pub fn sum(&self, gate: u32) -> Sum {
        let Extent { start, length } = self.sums[gate as usize];
        match length {
            0 => SmallVec::from_slice(&[gate]),
            _ => SmallVec::from_slice(&self.summands[start as usize..(start + length) as usize]),
        }
    }

    /// Removes the latest gate, and lets its definition mean `target` from now on.
    pub fn replace_last(&mut self, target: Literal) {
        let (Some(gate), Some(extent)) = (self.gates.pop(), self.sums.pop()) else { return };
        self.sealed.pop();
        self.known.insert(gate, target);
        if extent.length > 0 {
            let hash = self.hash_of(extent);
            if let Some(entry) = self.by_sum.find_mut(hash, |(known, _)| known.start == extent.start) {
                entry.1 = target;
            }
        }
    }

    fn push(&mut self, gate: Gate) -> Literal {
        let number =
            u32::try_from(self.gates.len()).ok().filter(|&number| number < 1 << 31).expect("fewer than 2^31 gates");
        self.gates.push(gate);
        self.sums.push(Extent::default());
        self.sealed.push(false);
        Literal::new(number, false)
    }

    fn find_or_push(&mut self, gate: Gate) -> Literal {
        if let Some(&known) = self.known.get(&gate) {
            return known;
        }
        let literal = self.push(gate);
        self.known.insert(gate, literal);
        literal
    }

    /// `a & b` where one input of `b`'s gate is `a` or its complement.
    fn absorb(&mut self, a: Literal, b: Literal) -> Option<Literal> {
        match self.gate(b.gate()) {
            Gate::And(x, y) => {
                let (same, other) = if x.gate() == a.gate() { (x, y) } else { (y, x) };
                match (same.gate() == a.gate(), b.is_complement(), same == a) {
                    (false, ..) => None,
                    (true, false, true) => Some(b),
                    (true, false, false) => Some(Literal::ZERO),
                    (true, true, true) => Some(self.and(a, other.not())),
                    (true, true, false) => Some(a),
                }
            }
            Gate::Xor(x, y) => {
                // Where a holds, its gate is known.
                let other = match a.gate() {
                    gate if gate == x.gate() => y,
                    gate if gate == y.gate() => x,
                    _ => return None,
                };
                let rest = other.xor(b.is_complement() == a.is_complement());
                Some(self.and(a, rest))
            }
            Gate::Zero | Gate::Input => None,
        }
    }

    /// `a + b` modulo 2 where an input of `b`'s gate, an AND, is `a` or its complement.
    fn absorb_sum(&mut self, a: Literal, b: Literal) -> Option<Literal> {
        let Gate::And(x, y) = self.gate(b.gate()) else { return None };
        let (same, other) = if x.gate() == a.gate() { (x, y) } else { (y, x) };
        if same.gate() != a.gate() {
            return None;
        }
        // a + a·y = a·!y, and a + !a·y = a or y.
        let literal = if same == a { self.and(a, other.not()) } else { self.or(a, other) };
        Some(literal)
    }

    /// The sum of two different gates that have no rule of their own.
    fn sum_of(&mut self, a: Literal, b: Literal) -> Literal {
        let gate = Gate::Xor(a, b);
        if let Some(&known) = self.known.get(&gate) {
            return known;
        }
        let sum = symmetric_difference(&self.summands_of(a.gate()), &self.summands_of(b.gate()));
        let literal = match sum[..] {
            [] => Literal::ZERO,
            [single] => Literal::new(single, false),
            _ if sum.len() > MAX_SUM => self.push(gate),
            _ => self.known_sum(&sum, gate),
        };
        self.known.insert(gate, literal);
        literal
    }

    /// The gate of a sum: an old one, or a new one for `gate`.
    fn known_sum(&mut self, sum: &[u32], gate: Gate) -> Literal {
        let hash = FxBuildHasher.hash_one(sum);
        let summands = &self.summands;
        let same = |entry: &(Extent, Literal)| slice(summands, entry.0) == sum;
        if let Some(&(_, known)) = self.by_sum.find(hash, same) {
            return known;
        }
        let literal = self.push(gate);
        let extent = Extent { start: self.summands.len() as u32, length: sum.len() as u32 };
        self.summands.extend_from_slice(sum);
        self.sums[literal.gate() as usize] = extent;
        let summands = &self.summands;
        self.by_sum.insert_unique(hash, (extent, literal), |entry| FxBuildHasher.hash_one(slice(summands, entry.0)));
        literal
    }

    /// What a gate contributes to sums.
    fn summands_of(&self, gate: u32) -> Sum {
        if self.sealed[gate as usize] { SmallVec::from_slice(&[gate]) } else { self.sum(gate) }
    }

    fn hash_of(&self, extent: Extent) -> u64 {
        FxBuildHasher.hash_one(slice(&self.summands, extent))
    }
}

fn slice(summands: &[u32], extent: Extent) -> &[u32] {
    &summands[extent.start as usize..(extent.start + extent.length) as usize]
}

/// What is in one of two ascending lists but not in both.
pub fn symmetric_difference(a: &[u32], b: &[u32]) -> Sum {
    let mut result = Sum::new();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => {
                result.push(a[i]);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                result.push(b[j]);
                j += 1;
            }
            std::cmp::Ordering::Equal => {
                i += 1;
                j += 1;
            }
        }
    }
    result.extend_from_slice(&a[i..]);
    result.extend_from_slice(&b[j..]);
    result
}
